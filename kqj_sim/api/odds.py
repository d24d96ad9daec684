"""Odds of calls and cards: `odds` and its result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Unpack

from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.odds.measures import RANKING_MEASURE
from kqj_sim.analysis.tables import describe_estimate
from kqj_sim.api.odds_questions import (
    EstimationOptions,
    PositionOptions,
    Question,
    SeatPlayers,
    ask_about_record,
    make_question,
    run_estimation,
)
from kqj_sim.api.rounds import Round
from kqj_sim.arguments import (
    CONFIDENCE_RANGE,
    ArgumentError,
    CardsLike,
    Count,
    PoliciesLike,
    RuleArguments,
    collect_rules,
    convert_policies,
    join_items,
    parse_argument,
    parse_count,
    parse_positive_number,
    parse_share,
    parse_share_width,
    parse_turn,
    read_place,
    read_places,
    reject_both,
)
from kqj_sim.progress import ProgressLike
from kqj_sim.record import Record, to_json
from kqj_sim.reporting.formats import TABLE_SUFFIXES, choose_by_suffix, render
from kqj_sim.reporting.odds import make_odds_report
from kqj_sim.reporting.odds_plots import make_odds_drawing
from kqj_sim.results import Result, make_plain, save_file
from kqj_sim.run_scope import run_scope
from kqj_sim.text_files import MAX_RECORD_BYTES, read_bytes

if TYPE_CHECKING:
    import os

    import pandas as pd

    from kqj_sim.analysis.odds.estimator import Odds
    from kqj_sim.cards import Card
    from kqj_sim.reporting.figures import Drawing
    from kqj_sim.rules import GameRules


@dataclass(frozen=True)
class OddsOption:
    """A call or a card with its value.

    Attributes:
        name: the call, such as "take h", "120 h" or "pass", or the card, such as "As".
        value: points a round that it brings your side more than the other one, on average.
        win: chance that your side wins the round with it.
        lead: points a round by which the best option leads it; None for the best itself.

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.odds("9h 8h Ah Ks 4d", return_card="7h", deals=200, policy="standard")
        >>> [(option.name, option.lead is None) for option in found.options]
        [('take h', True), ('pass', False)]
    """

    name: str
    value: Estimate
    win: Estimate
    lead: Estimate | None


class OddsResult(Result):
    """The result of `odds`: every call, or legal card, with its value.

    Attributes:
        options: the options, the best first.
        best: the best option.

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.odds("9h 8h Ah Ks 4d", return_card="7h", deals=200, policy="standard")
        >>> found.best.name, found.best.win.value > 0.9, found.lead.low > 0
        ('take h', True, True)
    """

    kind: ClassVar[str] = "odds"

    def __init__(self, odds: Odds, confidence: float) -> None:
        super().__init__(make_odds_report(odds, confidence))
        self._odds = odds
        self._confidence = confidence
        leads = odds.estimate_leads(confidence)
        self.options = tuple(
            OddsOption(
                odds.get_text(option),
                make_plain(odds.estimate(RANKING_MEASURE, option, confidence)),
                make_plain(odds.estimate("win_share", option, confidence)),
                make_plain(leads[option]) if option in leads else None,
            )
            for option in odds.ranking
        )
        self.best = self.options[0]

    @property
    def lead(self) -> Estimate:
        """The points a round by which the best option leads the next; NaN if it is the only one."""
        if len(self.options) == 1:
            return Estimate(float("nan"), float("nan"), float("nan"), self.deals)
        lead = self.options[1].lead
        assert lead is not None
        return lead

    def frame(self) -> pd.DataFrame:
        """Return one row per option, the best first, by name.

        Every measure has three columns: `win_share`, `win_share_low` and `win_share_high`.  Shares
        are fractions.
        """
        import pandas as pd

        odds = self._odds
        rows: list[dict[str, float]] = []
        for option in odds.ranking:
            rows.append({})
            for measure in odds.measures.measures:
                estimate = odds.estimate(measure.name, option, self._confidence)
                rows[-1] |= describe_estimate(measure.name, estimate)
        names = pd.Index([option.name for option in self.options], name="option")
        return pd.DataFrame(rows, index=names)

    def save(self, path: str | Path) -> None:
        """Write the tables to a .txt, .csv, .json, .md or .parquet file, or a page (.html).

        Raises:
            FormatError: the suffix stands for no format.
        """
        format = choose_by_suffix(path, {**TABLE_SUFFIXES, ".html": "html"})
        if format != "html":
            save_file(path, render(self._report, format))
            return
        from kqj_sim.reporting.odds_page import make_odds_page
        from kqj_sim.reporting.page import to_html

        save_file(path, to_html(make_odds_page(self._odds, self._report, self._confidence)))

    def make_drawing(self) -> Drawing:
        """Return the picture; raise NothingToDrawError if there is none."""
        return make_odds_drawing(self._odds, self._report, self._confidence)


@run_scope()
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
    pending: int = 0,
    raised: bool = False,
    record: Record | Round | str | os.PathLike[str] | None = None,
    line: int | None = None,
    at: str | float | tuple[int, int] | None = None,
    policy: PoliciesLike | None = None,
    ignore_calls: bool = False,
    ignore_plays: bool = False,
    deals: Count | None = None,
    precision: float | str | None = None,
    time: float | None = None,
    seed: Count = 1,
    threads: Count | None = None,
    confidence: float | str = 0.95,
    progress: ProgressLike | None = None,
    rules: GameRules | None = None,
    **fields: Unpack[RuleArguments],
) -> OddsResult:
    """Estimate the value of each call, or card, and name the best, as `kqj-sim odds`.

    Args:
        hand: your cards: five with taking, eight with auctions, four in Kwajongen.
        return_card: the Return, or in Kwajongen the dealer's card.
        place: your place, "opener" to "dealer", or a number from 0; by default the next to call.
        lap: the lap of taking, 1 or 2.
        heard: all calls so far, "pass 120h counter"; by default all before you passed.
        partners_at: your partners' places, with random partners.
        played: the cards played so far, trick after trick; "" if you lead first.
        contract: the contract, "h" or "150 h", where the calls are not known.
        sender: then the Sender's place.
        pending: a litigation gratuity that waits, in points.
        raised: True for a raised round of Kwajongen.
        record: a round in place of all these: a record, a `Round`, or a file with one.
        line: line of the record in the file.
        at: go back in the record to this card: "3.2" is the second of trick 3; "c.4" is the
            fourth call, "c.4.2" the second player who could counter it and did not.
        policy: the players assumed, as for `simulate`.
        ignore_calls: True for hidden cards that need not agree with the calls.
        ignore_plays: True for hidden cards that are not weighed by the cards played.
        deals: number of deals for each option, by default 10,000.
        precision: stop when the best option's chance to win is known to this, such as "0.5%".
        time: stop after this many seconds.
        seed: seed of the deals.
        threads: number of threads; None for all processors.
        confidence: confidence level of the intervals.
        progress: True for a line on stderr, or a function of the finished and of all deals.
        rules: the rules, in place of their fields.
        fields: fields of the rules, such as `teams=3, bidding="auction"`.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.

    >>> import kqj_sim as kqj
    >>> result = kqj.odds("9h 8h Ah Ks 4d", return_card="7h", policy="standard", deals=1000)
    >>> result.best.name
    'take h'
    >>> result.lead.low > 0
    True
    """
    reject_both(deals=deals, precision=precision)
    for name, value in (("--at", at), ("--line", line)):
        if value is not None and record is None:
            raise ArgumentError(f"{name} is for --record: leave it out, or give a record")
    level = parse_argument("confidence", parse_share, confidence, *CONFIDENCE_RANGE)
    limits = EstimationOptions(
        parse_count("deals", deals, 1, "1e5"),
        None if precision is None else parse_argument("precision", parse_share_width, precision),
        None if time is None else parse_argument("time", parse_positive_number, time),
        parse_count("seed", seed, 0, "1") or 0, parse_count("threads", threads, 1, "2"), level,
        ignore_calls,
        ignore_plays,
    )  # fmt: skip
    seat_players: SeatPlayers | None = None
    if policy is not None:
        seat_players = partial(convert_policies, policy)
    if record is None:
        found = collect_rules(rules, fields, "odds")
        position = PositionOptions(
            join_items(hand), None if return_card is None else str(return_card),
            read_place("--place", place, found), lap, join_items(heard, ", "),
            read_places("--partners-at", partners_at, found), join_items(played), contract,
            read_place("--sender", sender, found), pending, raised,
        )  # fmt: skip
        question = make_question(position, found, seat_players)
    else:
        known: Sequence[object] = (
            hand, return_card, place, lap, heard, partners_at, played, contract, sender
        )  # fmt: skip
        if raised or pending or any(each is not None for each in known):
            raise ArgumentError(
                "--record holds the cards, places, calls and plays: leave their options out"
            )
        question = _ask_about_record(record, line, at, seat_players)
    return OddsResult(run_estimation(question, limits, progress), level)


def _ask_about_record(
    record: Record | Round | str | os.PathLike[str],
    line: int | None,
    at: str | float | tuple[int, int] | None,
    seat_players: SeatPlayers | None,
) -> Question:
    """Return the question about a card of a record."""
    if isinstance(record, Round):
        record = record.record
    card = None if at is None else parse_argument("at", parse_turn, at)
    number = parse_count("line", line, 1, "12")
    if isinstance(record, Record):
        content = to_json(record).encode()
    else:
        content = read_bytes(record, MAX_RECORD_BYTES)
    return ask_about_record(content, number, card, seat_players)
