"""The question what to call, or which card to play: `odds`, and the `page` that answers it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from kqj_sim.arguments import (
    CardsLike,
    PoliciesLike,
    RuleArguments,
    join_items,
    parse_share_width,
    reject_both,
)
from kqj_sim.errors import InputError
from kqj_sim.messages import represent
from kqj_sim.options import OPTIONS
from kqj_sim.plan import DEFAULT_ERROR_RATE
from kqj_sim.question import TABLES_AND_PLOT, question
from kqj_sim.rules import DEFAULT_RULES, GameRules
from kqj_sim.runner import DEFAULT_RUNNER, Runner
from kqj_sim.suffixes import FORMATS, PAGE_FORMATS

if TYPE_CHECKING:
    from kqj_sim.cards import Card
    from kqj_sim.questions.odds.position import RecordLike, Source
    from kqj_sim.questions.odds.result import OddsResult


def _list_tables(**_: Any) -> Mapping[str, str]:
    return {
        "calls": "All calls, with all their figures",
        "contracts": "Chance to make each amount in each contract (auctions)",
        "heard": "How likely the others' calls are",
        "cards": "All legal cards, with all their figures (during play)",
        "hidden": "Where the hidden cards are",
    }


def _write_down(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some arguments that describe a position, cards and calls as text."""
    return_card = given["return_card"]
    return {
        "hand": join_items("hand", given["hand"]),
        "return_card": None if return_card is None else represent(return_card, str),
        "heard": join_items("heard", given["heard"], ", "),
        "played": join_items("played", given["played"]),
        **{name: given.get(name) for name in ("place", "lap", "partners_at", "contract", "sender")},
        **{name: given.get(name) or None for name in ("pending", "raised")},
    }


def _split(given: Mapping[str, Any]) -> tuple[dict[str, Any], Source]:
    """Return a position as it is typed, and its record; raise InputError if there are both."""
    record, line, at = (given[name] for name in ("record", "line", "at"))
    for name in ("at", "line"):
        if given[name] is not None and record is None:
            raise InputError(f"`{name}` is for `record`: leave it out, or give a record")
    written = _write_down(given)
    if record is None:
        return written, None
    if any(value is not None for value in written.values()):
        raise InputError("`record` holds the cards, places, calls and plays: leave these out")
    return written, (record, line, at)


@question(
    arguments={"hand": "[CARDS]..."},
    output=TABLES_AND_PLOT,
    workers=("threads",),
    list_tables=_list_tables,
    precision=OPTIONS["precision"]._replace(parse=parse_share_width, metavar="SHARE"),
    format=OPTIONS["format"]._replace(
        help=f"Write {', '.join(FORMATS)} or html.  [default: by --out, else table]",
        choices=PAGE_FORMATS,
    ),
    examples="""\
  kqj-sim odds 9h 8h Ah Ks 4d --return 7h
  kqj-sim odds h: 98AKQ d: 5 c: 6A --bidding auction --heard "pass 120s pass"
  kqj-sim odds 7h Ks 4d Qd 9s 8c Tc Jc --return 9h --heard take --played As
  kqj-sim odds --record round.json --at 6.3
  kqj-sim odds Ah 9h Ks Tc --game kwajongen --return Jh --place 2nd
""",
)
def odds(
    hand: CardsLike | None = None,
    *,
    return_card: str | Card | None = None,
    place: str | int | None = None,
    lap: int | None = None,
    heard: str | Iterable[str] | None = None,
    partners_at: str | Iterable[str | int] | None = None,
    played: CardsLike | None = None,
    contract: str | None = None,
    sender: str | int | None = None,
    record: RecordLike | None = None,
    line: int | None = None,
    at: str | tuple[int, int] | None = None,
    policy: PoliciesLike | None = None,
    error_rate: float = DEFAULT_ERROR_RATE,
    ignore_calls: bool = False,
    ignore_plays: bool = False,
    pending: int = 0,
    raised: bool = False,
    scores: str | Sequence[int] | None = None,
    deals: int | None = None,
    precision: float | None = None,
    time: float | None = None,
    seed: int = 1,
    confidence: float = 0.95,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> OddsResult:
    """Estimate the value of each call, or card, and name the best.

    You hold five cards with taking, eight with auctions, four in Kwajongen: `hand`.  With `played`
    or `record` the question is which card to play, and `hand` may be all your cards or those left.
    Hidden cards are sampled to agree with the calls and plays so far.

    Args:
        hand: your cards.
        return_card: give the Return (in Kwajongen the dealer's card).
        place: give your place, such as 3rd.  [default: the next]
        lap: give the lap of taking.  [default: 1]
        heard: give all calls so far: "pass 120h counter".  [default: all before you passed]
        partners_at: give your partners' places, with `partners='random'`: '2nd dealer'.
        played: during play: give the cards played so far, trick after trick; "" if you lead first.
        contract: during play: give the contract, h or "150 h", if `heard` is unknown.
        sender: with `contract`: give the place of the Sender.
        record: read the round from this record.
        line: with `record`: read the record on this line of the file.
        at: with `record`: go back to trick 3, card 2 (3.2), or to the fourth call (c.4).
        pending: add this pending litigation gratuity.
        raised: play a raised round.
        scores: give the game's scores, yours first, 640:880 or 640:880:500, to find what wins
            most games.
        deals: play this many deals for each call or card.  [default: 10000]
        precision: stop when the interval of the best option's chance to win is at most ± this, such
            as 0.5%.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.

    >>> import kqj_sim as kqj
    >>> result = kqj.odds("9h 8h Ah Ks 4d", return_card="7h", policy="standard", deals=1000)
    >>> result.best.name
    'take h'
    >>> result.lead.low > 0
    True
    """
    typed, source = _split(locals())
    reject_both(deals=deals, precision=precision)
    from kqj_sim.questions.odds.position import estimate_odds
    from kqj_sim.questions.odds.result import OddsResult

    return OddsResult(
        estimate_odds(
            rules, typed, source, policy, runner,
            deals=deals, precision=precision, time=time, seed=seed, confidence=confidence,
            error_rate=error_rate, ignore_calls=ignore_calls, ignore_plays=ignore_plays,
            scores=scores,
        )
    )  # fmt: skip


@question()
def choose(
    hand: CardsLike | None = None,
    *,
    policy: PoliciesLike | None = None,
    return_card: str | Card | None = None,
    place: str | int | None = None,
    lap: int | None = None,
    heard: str | Iterable[str] | None = None,
    partners_at: str | Iterable[str | int] | None = None,
    played: CardsLike | None = None,
    contract: str | None = None,
    sender: str | int | None = None,
    record: RecordLike | None = None,
    line: int | None = None,
    at: str | tuple[int, int] | None = None,
    pending: int = 0,
    raised: bool = False,
    seed: int = 1,
    rules: GameRules = DEFAULT_RULES,
    **fields: Unpack[RuleArguments],
) -> dict[str, float]:
    """Return what a policy calls, or plays, at a position.

    The position is described as for `odds`.

    Args:
        hand: your cards.
        return_card: the Return (in Kwajongen the dealer's card).
        place: your place, such as 3rd; the next one unless given.
        lap: the lap of taking; 1 unless given.
        heard: all calls so far: "pass 120h counter"; all before you passed unless given.
        partners_at: your partners' places, with `partners='random'`: '2nd dealer'.
        played: during play: the cards played so far, trick after trick; "" if you lead first.
        contract: during play: the contract, h or "150 h", if `heard` is unknown.
        sender: with `contract`: the place of the Sender.
        record: the round, from this record.
        line: with `record`: the line of the file.
        at: with `record`: before trick 3, card 2 (3.2), or before the fourth call (c.4).
        pending: the pending litigation gratuity.
        raised: whether the round is raised.

    Returns:
        The chance of each call or card that the policy may choose; 1 for one that never chooses at
        random.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.

    >>> import kqj_sim as kqj
    >>> kqj.choose("9h 8h Ah Ks 4d", return_card="7h", policy="standard")
    {'take h': 1.0}
    """
    typed, source = _split(locals())
    from kqj_sim.questions.odds.position import find_choices

    return find_choices(rules, typed, source, policy, seed)


@question(
    arguments={"hand": "[CARDS]..."},
    output=("quiet", "config"),
    workers=(),
    out=OPTIONS["out"]._replace(help=""),
    examples="""\
  kqj-sim page
  kqj-sim page 9h 8h Ah Ks 4d --return 7h
  kqj-sim page --bidding auction --teams 3 --out kqj.html
""",
)
def page(
    hand: CardsLike | None = None,
    *,
    return_card: str | Card | None = None,
    place: str | int | None = None,
    lap: int | None = None,
    heard: str | Iterable[str] | None = None,
    played: CardsLike | None = None,
    out: str | os.PathLike[str] | None = None,
    rules: GameRules = DEFAULT_RULES,
    **fields: Unpack[RuleArguments],
) -> Path:
    """Open a page in which you tap cards instead of typing them.

    The page is one file with the engine in it: it gives the numbers of `odds` offline, on a
    phone, too.  `hand` and the options, which mean what they do for `odds`, say where it begins.

    Args:
        hand: your cards.
        return_card: give the Return.
        place: give your place, such as 3rd.  [default: the next]
        lap: give the lap of taking.  [default: 1]
        heard: give all calls so far: "pass 120h counter".  [default: all before you passed]
        played: during play: give the cards played so far, trick after trick; "" if you lead first.
        out: write the page to this file instead of opening it.

    Returns:
        The file with the page.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.
        OSError: the file cannot be written.

    >>> import kqj_sim as kqj, tempfile
    >>> kqj.page("9h 8h Ah Ks 4d", return_card="7h", out=tempfile.mkdtemp() + "/kqj.html").name
    'kqj.html'
    """
    from kqj_sim.questions.odds.open_page import write_page
    from kqj_sim.questions.odds.position import parse_typed_position

    typed = _write_down(locals())
    is_empty = all(value is None for value in typed.values())
    position = None if is_empty else parse_typed_position(rules, typed)
    return write_page(rules, position, out)
