"""A user policy, used without installing anything:

    kqj-sim simulate --policy examples/my_policy.py:cautious

The default player makes the decisions it leaves out, here the calls.
"""

from typing import Any

import kqj_sim as kqj


@kqj.policy
def cautious(view: Any) -> Any:
    """Play the lowest legal card."""
    return kqj.lowest(view.legal)
