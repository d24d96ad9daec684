"""A policy of one's own, to be used without installing anything:

    kqj-sim simulate --policy examples/my_policy.py:cautious

What it leaves out, here the calls, the default player does.
"""

from typing import Any

from kqj_sim import lowest, policy


@policy("cautious")
def choose_card(view: Any) -> Any:
    """Always the lowest legal card."""
    return lowest(view.legal)
