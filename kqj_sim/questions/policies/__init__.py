"""Questions about a policy: `check_policy`, the command `policies check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kqj_sim.arguments import PolicyLike
from kqj_sim.options import OPTIONS, read_number
from kqj_sim.question import question
from kqj_sim.runner import DEFAULT_RUNNER, Runner

if TYPE_CHECKING:
    from kqj_sim.questions.policies.checks import PolicyCheck


@question(
    arguments={"policy": "NAME"},
    output=("quiet",),
    workers=(),
    deals=OPTIONS["deals"]._replace(**read_number(1, "1e4")),
    examples="""\
  kqj-sim policies check my_policy.py
  kqj-sim policies check my_policy.py:cautious --deals 10000

NAME is a name or any other specification.  The exit status is 1 if there are problems.
""",
)
def check_policy(
    policy: PolicyLike, *, deals: int = 2_000, seed: int = 1, runner: Runner = DEFAULT_RUNNER
) -> PolicyCheck:
    """Play every variant of the rules with a policy, and report its mistakes.

    Reports illegal choices, exceptions, choices that depend on more than the policy's view, and
    speed.

    Args:
        policy: a specification, a policy, or a function or class from a cell.
        deals: play this many deals of every variant of the rules.
        runner: shows the progress; one thread plays, whose time is measured.

    Raises:
        InputError: it is no policy, or does not compile.

    >>> import kqj_sim as kqj
    >>> @kqj.policy
    ... def careful(view):
    ...     return kqj.lowest(view.legal)
    >>> kqj.check_policy(careful, deals=50).ok
    True
    """
    from kqj_sim.questions.policies.checks import run_checks

    return run_checks(policy, deals, seed, runner)
