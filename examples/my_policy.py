"""A user policy, used without installing anything:

    kqj-sim simulate --policy examples/my_policy.py:cautious

The default player makes the decisions it leaves out, here the calls.
"""

from typing import Any

from kqj_sim import lowest, policy


@policy("cautious")
def choose_card(view: Any) -> Any:
    """Play the lowest legal card."""
    return lowest(view.legal)
