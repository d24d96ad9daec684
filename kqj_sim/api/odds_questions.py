"""Questions that `odds` answers: about calls and about cards, in both games."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from dataclasses import replace as replace_field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from msgspec.structs import replace

from kqj_sim.arguments import ArgumentError, assign_policies
from kqj_sim.places import SeatNames
from kqj_sim.progress import ProgressLike, open_progress
from kqj_sim.rules import GameRules, KqjRules, KwajongenRules
from kqj_sim.text_files import convert_to_utf8

if TYPE_CHECKING:
    from kqj_sim.analysis.odds.estimator import Odds
    from kqj_sim.analysis.odds.position import PartialRound
    from kqj_sim.record import PartialRecord


SeatPlayers: TypeAlias = Callable[[GameRules], tuple[str, ...]]
"""Returns the player of each seat, or place, under the rules of the round."""


E = TypeVar("E", bound=Exception)


class PositionOptions(NamedTuple):
    """The options that describe what the player knows; None where an option was not given."""

    hand: str | None
    return_card: str | None
    place: int | None
    lap: int | None
    heard: str | None
    partners_at: tuple[int, ...] | None
    played: str | None
    contract: str | None
    sender: int | None
    pending: int
    raised: bool

    def require_hand(self, hint: str) -> str:
        """Return the cards; raise ArgumentError with a hint if there are none."""
        if self.hand is None:
            raise ArgumentError(f"CARDS are missing: give {hint}")
        return self.hand


@dataclass(frozen=True)
class Question:
    """A question with its estimator.

    Attributes:
        rules: the rules of the round.
        estimate: estimates the answer; takes the limits and callbacks as keyword arguments.
        people: names of the people at the table; None if nobody is named.
    """

    rules: GameRules
    estimate: Callable[..., Odds]
    people: SeatNames | None = None


class _GameQuestions(NamedTuple):
    """The question about calls of a game, and the options of the other game only."""

    ask_about_calls: Callable[[PositionOptions, Any, SeatPlayers], Question]
    hand_size: str
    foreign_options: tuple[str, ...]


def make_question(
    position: PositionOptions,
    rules: GameRules,
    seat_players: SeatPlayers | None,
    given: Collection[str] | None = None,
) -> Question:
    """Return the question about calls or, with cards played, about cards.

    Args:
        position: what the player knows.
        rules: the rules of the round.
        seat_players: the players; None for the default ones.
        given: names of the options that were given; None for those that have a value.

    Raises:
        ArgumentError: options are missing, or belong to another question.
        SituationError, RoundError: the position is impossible.
    """
    game = _QUESTIONS[rules.game]
    if given is None:
        given = {name for name, value in position._asdict().items() if value not in (None, 0)}
    for name in game.foreign_options:
        if name in given:
            option = name.replace("_", "-")
            raise ArgumentError(f"--{option} is not for --game {rules.game}: leave it out")
    players = seat_players or partial(assign_policies, ())
    if position.played is None:
        return game.ask_about_calls(position, rules, players)
    return _ask_about_typed_cards(position, rules, seat_players, game.hand_size)


def _ask_about_kqj_calls(
    position: PositionOptions, rules: KqjRules, seat_players: SeatPlayers
) -> Question:
    hand = position.require_hand("the cards you hold, such as '9h 8h Ah'")
    if position.contract is not None or position.sender is not None:
        raise ArgumentError(
            "--contract and --sender go with --played: the cards played so far are missing"
        )
    from kqj_sim.analysis.odds.calls import estimate_calls
    from kqj_sim.analysis.odds.situation import parse_situation

    situation = parse_situation(
        hand, rules, return_card=position.return_card, place=position.place, lap=position.lap,
        heard=position.heard, partners_at=position.partners_at, pending=position.pending,
    )  # fmt: skip
    return Question(rules, partial(estimate_calls, situation, seat_players(rules)))


def _ask_about_kwajongen_calls(
    position: PositionOptions, rules: KwajongenRules, seat_players: SeatPlayers
) -> Question:
    if position.sender is not None:
        raise ArgumentError("--sender goes with --played: the cards so far are missing")
    hand = position.require_hand("your four cards, such as 'Ah Kh 9s Ts'")
    from kqj_sim.analysis.odds.calls import estimate_calls
    from kqj_sim.analysis.odds.situation import parse_kwajongen_situation

    situation = parse_kwajongen_situation(
        hand, rules, return_card=position.return_card, place=position.place, heard=position.heard,
        raised=position.raised,
    )  # fmt: skip
    return Question(rules, partial(estimate_calls, situation, seat_players(rules)))


def _ask_about_typed_cards(
    position: PositionOptions, rules: GameRules, seat_players: SeatPlayers | None, hand_size: str
) -> Question:
    hand = position.require_hand(f"your {hand_size} cards, or those left")
    if position.lap is not None:
        raise ArgumentError("--lap is for calls: leave it out")
    from kqj_sim.analysis.odds.position_input import parse_position

    partial_round = parse_position(
        hand, rules, played=position.played or "", return_card=position.return_card,
        heard=position.heard, contract=position.contract, sender=position.sender,
        place=position.place, partners_at=position.partners_at,
        pending=position.pending or int(position.raised),
    )  # fmt: skip
    return _ask_about_round(partial_round, seat_players)


_QUESTIONS: Mapping[str, _GameQuestions] = {
    KqjRules.game: _GameQuestions(_ask_about_kqj_calls, "eight", ("raised",)),
    KwajongenRules.game: _GameQuestions(
        _ask_about_kwajongen_calls, "four", ("lap", "partners_at", "contract", "pending")
    ),
}


def ask_about_record(
    data: bytes, line: int | None, at: tuple[int, int] | str | None,
    seat_players: SeatPlayers | None,
) -> Question:  # fmt: skip
    """Return the question about a call or a card of a recorded round.

    Args:
        data: content of a file with one record, or with several and `line`.
        line: line of the record, from 1.
        at: trick (from 1) and card (from 1) before which the round is taken up, or a call, `c.4`;
            None for the end.
        seat_players: the players; None for those of the record.

    Raises:
        ArgumentError: the file has more records, or fewer lines.
        RecordError, RoundError: the record is damaged, or no position.
    """
    from kqj_sim.analysis.odds.position import RoundError
    from kqj_sim.analysis.odds.position_input import read_position
    from kqj_sim.analysis.people import find_people, is_policy
    from kqj_sim.record import RecordError

    record = _read_partial_record(convert_to_utf8(data), line)
    people = find_people(record)
    if record.players is not None and seat_players is None:
        from kqj_sim.policies.spec import parse_recorded_player

        if any(is_policy(name, record.game) for name in record.players):
            for name in record.players:
                parse_recorded_player(name, record.game)
        else:
            record = replace(record, players=None)
    try:
        if isinstance(at, str):
            question = _ask_about_recorded_call(record, at, seat_players)
        else:
            question = _ask_about_round(read_position(record, at), seat_players)
    except (RoundError, RecordError) as error:
        raise _name_people(error, people) from None
    return replace_field(question, people=people)


def _name_people(error: E, people: SeatNames | None) -> E:
    """Return an error of one line with the names of people for their seats."""
    if people is not None:
        error.args = (people.name_in(str(error)),)
    return error


def _read_partial_record(data: bytes, line: int | None) -> PartialRecord:
    """Return the one record of a file, or the one on a line."""
    from kqj_sim.notation.files import find_round, is_notation, make_partial, read_file
    from kqj_sim.record import RecordError, partial_record_from_json

    lines = data.splitlines(keepends=True)
    if line is not None and line > len(lines):
        raise ArgumentError(f"--line {line}: the file has {len(lines)} lines")
    if is_notation(data) and data.strip():
        rounds = list(read_file(lines))
        if line is None and len(rounds) > 1:
            raise ArgumentError(
                f"--record: {len(rounds)} rounds in the file, there should be one; name one by a "
                f"line of it, such as --line {rounds[-1][0]}"
            )
        found = find_round(lines, line or 1)
        if found is None:
            raise RecordError("the file has no round")
        if isinstance(found.record, RecordError):
            raise RecordError(f"line {found.line}: {found.record}")
        return make_partial(found.record)
    records = [each for each in lines if each.startswith(b"{") and b":" in each]
    if line is not None:
        data = lines[line - 1]
    elif len(records) > 1:
        raise ArgumentError(
            f"--record: {len(records)} records in the file, there should be one; name one with "
            "--line, such as --line 1"
        )
    return partial_record_from_json(data)


def _ask_about_recorded_call(
    record: PartialRecord, at: str, seat_players: SeatPlayers | None
) -> Question:
    """Return the question about a call of a recorded round."""
    from kqj_sim.analysis.odds.calls import estimate_calls
    from kqj_sim.analysis.odds.position import PartialRound
    from kqj_sim.analysis.review.reading import prepare_round

    played = prepare_round(record)
    found = next((each for each in played.decisions if each.at == at), None)
    if found is None or isinstance(found.knowledge, PartialRound):
        calls = [each.at for each in played.decisions if each.is_call]
        raise ArgumentError(
            f"--at {at}: there is no such call, or the player's cards are not known; "
            + (f"the calls are {', '.join(calls)}" if calls else "no call is known")
        )
    rules = played.rules
    seated = record.players
    if seat_players is not None:
        seated = list(seat_players(rules))
    by_seat = seated or list(assign_policies((), rules))
    by_place = [by_seat[played.seat_of(place)] for place in range(rules.seats)]
    return Question(rules, partial(estimate_calls, found.knowledge, by_place))


def _ask_about_round(partial_round: PartialRound, seat_players: SeatPlayers | None) -> Question:
    """Return the question which card to play in a round in progress."""
    from kqj_sim.analysis.odds.cards import estimate_cards

    rules, seated = partial_round.rules, partial_round.players
    if seat_players is not None:
        seated = seat_players(rules)
    return Question(
        rules, partial(estimate_cards, partial_round, seated or assign_policies((), rules))
    )


class EstimationOptions(NamedTuple):
    """The options that limit an estimation and fix its deals."""

    deals: int | None
    precision: float | None
    time: float | None
    seed: int
    threads: int | None
    confidence: float
    ignore_calls: bool
    ignore_plays: bool


def run_estimation(
    question: Question, options: EstimationOptions, progress: ProgressLike | None
) -> Odds:
    """Return the answer to a question; show the progress."""
    from kqj_sim.analysis.odds.estimator import (
        DEFAULT_DEALS,
        MAX_DEALS,
        OddsError,
        count_choosing_deals,
    )
    from kqj_sim.reporting.grid import format_number
    from kqj_sim.reporting.odds_words import describe_option

    deals = MAX_DEALS if options.precision is not None else options.deals or DEFAULT_DEALS
    choosing = count_choosing_deals(deals)
    with open_progress(progress, "deals", choosing + deals) as line:
        finished, shown = 0, ""

        def show_answer(found: Odds) -> None:
            nonlocal finished, shown
            shown = describe_option(found, found.best).name
            chance = found.estimate("win_share", found.best)
            now = found.deals
            if found.choosing_deals > 0:
                # A choice that ended early leaves out the rest of its deals.
                now += choosing
                shown += f": wins {format_number(*chance[:3], 'share')}"
            line.advance(now - finished, shown)
            finished = now

        def show_search(hands: int) -> None:
            line.advance(0, shown or f"searching for hands that agree: {hands:,} tried")

        try:
            odds = question.estimate(
                deals=deals,
                precision=options.precision,
                time=options.time,
                seed=options.seed,
                confidence=options.confidence,
                threads=options.threads,
                ignore_calls=options.ignore_calls,
                ignore_plays=options.ignore_plays,
                progress=show_answer,
                searching=show_search,
            )
        except OddsError as error:
            raise _name_people(error, question.people) from None
    odds.people = question.people
    if question.people is not None:
        odds.stop_text = question.people.name_in(odds.stop_text)
    return odds
