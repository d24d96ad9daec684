"""The position that `odds` is asked about: as people type it, or of a recorded round."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from kqj_sim.arguments import (
    PoliciesLike,
    parse_argument,
    parse_path,
    parse_players,
    read_place,
    read_places,
)
from kqj_sim.cards import NUMBER_WORDS
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import KQJ
from kqj_sim.notation import files
from kqj_sim.notation.files import HasRecord, ReadRound
from kqj_sim.notation.sections import find_people, is_policy
from kqj_sim.notation.typed import read_typed_position
from kqj_sim.options import OPTIONS
from kqj_sim.output.grid import format_number
from kqj_sim.places import SeatNames
from kqj_sim.policies.players import Player, parse_recorded_player
from kqj_sim.positions.estimator import estimate_position, make_sampler
from kqj_sim.positions.measures import GameMeasure
from kqj_sim.positions.odds import Odds
from kqj_sim.positions.position import Position, list_call_positions
from kqj_sim.positions.reader import add_played_hands, read_calls, read_position
from kqj_sim.positions.sampling import EstimatePlan, count_choosing_deals
from kqj_sim.questions.odds.screen import name_option
from kqj_sim.record import AnyRecord, Record, partial_record_from_json
from kqj_sim.referee.base import get_referee
from kqj_sim.rules import GameRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.stats.equity import (
    GAME_DEALS,
    Equity,
    EquityTable,
    load_rounds,
    order_scores,
    play_rounds,
    require_table_rules,
)
from kqj_sim.text_files import MAX_RECORD_BYTES, convert_to_utf8, open_lines

EXAMPLE_CARDS = ("9h", "Ah", "Qh", "Ks", "Td", "Jc", "Ac", "Qd")
"""Cards of either game for an error to show."""

RecordLike: TypeAlias = Record | HasRecord | str | os.PathLike[str] | bytes
"""A record, a `Round`, a file with a record, or the content of one."""


def parse_typed_position(rules: GameRules, typed: Mapping[str, Any]) -> Position:
    """Return the position that arguments of `odds` describe, by name; None where one was not given.

    Raises:
        InputError: arguments are missing, or belong to another question; the position is
            impossible.
    """
    for name, value in typed.items():
        described = OPTIONS.get(name)
        if value is not None and described and described.game not in (None, rules.game):
            raise InputError(f"`{name}` is not for `game='{rules.game}'`: leave it out")
    referee = get_referee(rules)
    own_place = read_place("place", typed.get("place"), rules)
    partners = read_places("partners_at", typed.get("partners_at"), rules)
    sender_place = read_place("sender", typed.get("sender"), rules)
    names = ("hand", "return_card", "heard", "played", "contract", "lap")
    hand, return_card, heard, played, contract, lap = map(typed.get, names)
    if hand is None:
        count = referee.dealt_count if played is None else rules.tricks
        example = " ".join(EXAMPLE_CARDS[:count])
        end = ", or those left" if played is not None else f", such as '{example}'"
        if rules.game == KQJ.name:
            end += ", or tap them: `kqj.page()`"
        raise InputError(f"your cards are missing: give {NUMBER_WORDS[count]}{end}")
    if played is not None and lap is not None:
        raise InputError("`lap` is for calls: leave it out")
    if played is None and (contract is not None or sender_place is not None):
        options = "`contract` and `sender` go" if referee.names_contract else "`sender` goes"
        raise InputError(f"{options} with `played`: the cards played so far are missing")
    return read_typed_position(
        hand, rules, return_card=return_card, place=own_place, lap=lap, heard=heard,
        partners_at=partners, played=played, contract=contract, sender=sender_place,
        pending=typed.get("pending") or int(typed.get("raised") or 0),
    )  # fmt: skip


def read_record(record: RecordLike, line: int | None) -> AnyRecord:
    """Return a record, or the one of a file, - for stdin, or of a line of it.

    Raises:
        InputError: the file has more records, or none on the line.
        OSError: the file cannot be read.
        RecordError: the record is damaged.
    """
    if isinstance(record, bytes):
        return _find_record(convert_to_utf8(record).splitlines(keepends=True), line)
    if isinstance(record, str | os.PathLike):
        with open_lines(parse_argument("record", parse_path, record)) as lines:
            return _find_record(lines, line)
    return files.get_record(record)


def _find_record(lines: Iterable[bytes], line: int | None) -> AnyRecord:
    is_text, lines = files.recognise(lines)
    if line is not None:
        number, record, _ = files.require_round(lines, line, partial_record_from_json)
    elif not is_text:
        return partial_record_from_json(_join_only_record(lines))
    else:
        number, record = _find_only_round(lines)
    if isinstance(record, RecordError):
        raise RecordError(f"line {number}: {record}" if is_text else str(record))
    return record


def _find_only_round(lines: Iterable[bytes]) -> tuple[int, ReadRound]:
    """Return the round of a file in the notation that has no other."""
    rounds = list(files.read_file(lines))
    if not rounds:
        raise RecordError("the file has no round")
    if len(rounds) > 1:
        raise InputError(
            f"`record`: {len(rounds)} rounds in the file, there should be one; name one by a line "
            f"of it, such as `line={rounds[-1][0]}`"
        )
    return rounds[0]


def _join_only_record(lines: Iterable[bytes]) -> bytes:
    """Return the record of a file of JSON that has no other, on one or several lines."""
    content, count = bytearray(), 0
    for line in lines:
        count += line.startswith(b"{") and b":" in line
        if count < 2:
            content += line
        if len(content) > MAX_RECORD_BYTES:
            raise RecordError(f"the record has more than {MAX_RECORD_BYTES >> 20} MB")
    if count > 1:
        raise InputError(
            f"`record`: {count} records in the file, there should be one; name one with `line`, "
            "such as `line=1`"
        )
    return bytes(content)


def find_recorded_position(record: AnyRecord, at: tuple[int, int] | str | None) -> Position:
    """Return a position of a recorded round.

    Args:
        at: trick (from 1) and card (from 1) before which the round is taken up, or a call, `c.4`;
            None for the end.

    Raises:
        InputError: there is no such call; the record is no position.
    """
    if not isinstance(at, str):
        return read_position(record, at)
    calls = {
        call_at: position
        for call_at, position, _ in list_call_positions(read_calls(add_played_hands(record)))
        if position.hand
    }
    if at not in calls:
        raise InputError(
            f"`at` {at}: there is no such call, or the player's cards are not known; "
            + (f"the calls are {', '.join(calls)}" if calls else "no call is known")
        )
    return calls[at]


def seat_players(
    position: Position, record: AnyRecord | None, policy: PoliciesLike | None
) -> Sequence[Player]:
    """Return the assumed player of each seat or, for a call, of each place.

    They are those given, else those of a record if it names policies, else the default ones.

    Raises:
        InputError: a record names a policy that only the user may name.
    """
    rules = position.rules
    seated: Sequence[Player] = parse_players(policy, rules)
    if record is None:
        return seated
    names = record.players or []
    if policy is None and any(is_policy(name, record.game) for name in names):
        seated = [parse_recorded_player(name, record.game) for name in names]
    if position.question == "card":
        return seated
    opener = position.opener
    return [*seated[opener:], *seated[:opener]]


def weigh_game(
    position: Position, players: Sequence[Player], scores: Sequence[int], runner: Runner
) -> GameMeasure:
    """Return the chance to win the game from these scores, the player's first; `players` as above.

    Raises:
        InputError: the scores cannot be, or the rules have no such chance.
    """
    rules, team = require_table_rules(position.rules), position.teams[position.seat]
    by_team = parse_argument("scores", order_scores, scores, rules, team)
    if position.question != "card":
        players = [players[position.place_of(seat)] for seat in range(rules.seats)]
    experiment = Experiment(rules, tuple(players), GAME_DEALS)
    counted = load_rounds(experiment)
    if counted is None:
        with runner.start("deals", experiment.deals, polls=False):
            counted, interrupted = play_rounds(experiment, runner.workers, runner.advance)
        if interrupted:
            raise KeyboardInterrupt
    equity = Equity(EquityTable(experiment, counted), team, by_team, position.pending)
    return GameMeasure(equity, by_team, position.dealer)


# What is asked at a position: what a policy chooses, or what every call, or card, is worth.


Source: TypeAlias = "tuple[RecordLike, int | None, str | tuple[int, int] | None] | None"
"""A record, its line, and where in the round; None for a position that is typed."""


def read_situation(
    rules: GameRules, typed: Mapping[str, Any], source: Source, policy: PoliciesLike | None
) -> tuple[Position, Sequence[Player], SeatNames | None]:
    """Return a position that is typed, or of a recorded round, its players, and who they are.

    Args:
        typed: arguments of `odds` by name, as `parse_typed_position` takes them.

    Raises:
        InputError: the position is impossible, or there is no such record or place in it.
        OSError: the file of the record cannot be read.
    """
    if source is None:
        position = parse_typed_position(rules, typed)
        return position, seat_players(position, None, policy), None
    recorded, line, at = source
    record = read_record(recorded, line)
    people = find_people(record)
    with _name_people(people):
        position = find_recorded_position(record, at)
        return position, seat_players(position, record, policy), people


@contextmanager
def _name_people(people: SeatNames | None) -> Iterator[None]:
    """Let errors name the people of a record instead of seats."""
    try:
        yield
    except InputError as error:
        if people is not None:
            error.args = (people.name_in(str(error)),)
        raise


def find_choices(
    rules: GameRules, typed: Mapping[str, Any], source: Source, policy: PoliciesLike | None,
    seed: int,
) -> dict[str, float]:  # fmt: skip
    """Return what the player at a position chooses, with the chances; raise as `read_situation`."""
    position, players, people = read_situation(rules, typed, source, policy)
    with _name_people(people):
        # What the others hold is not asked for.
        return make_sampler(position, players, EstimatePlan(seed=seed), 0).find_choices()


def estimate_odds(
    rules: GameRules,
    typed: Mapping[str, Any],
    source: Source,
    policy: PoliciesLike | None,
    runner: Runner,
    **settings: Any,
) -> Odds:
    """Estimate the options at a position; arguments and errors are those of `read_situation`.

    Args:
        settings: the scores of the game, or None, and fields of `EstimatePlan`.
    """
    if source is None:
        typed = {**typed, "scores": settings["scores"]}
    position, players, people = read_situation(rules, typed, source, policy)
    with _name_people(people):
        return _show_progress(position, players, people, runner, settings)


def _show_progress(
    position: Position,
    players: Sequence[Player],
    people: SeatNames | None,
    runner: Runner,
    settings: dict[str, Any],
) -> Odds:
    """Estimate the options of a position, and show the progress; raise as `estimate_position`."""
    scores = settings.pop("scores")
    if scores is not None:
        settings["game"] = weigh_game(position, players, scores, runner)
    deals = EstimatePlan(**settings).max_deals
    choosing = count_choosing_deals(deals)
    finished, text = 0, ""

    def show_answer(odds: Odds) -> None:
        nonlocal finished, text
        text = name_option(odds, odds.best)
        now = odds.deals
        if odds.choosing_deals > 0:
            # A choice that ended early leaves out the rest of its deals.
            now += choosing
            chance = odds.estimate("win_share", odds.best)
            text += f": wins {format_number(chance, 'share')}"
        runner.advance(now - finished, text)
        finished = now

    def show_search(hands: int) -> None:
        runner.advance(0, text or f"searching for hands that agree: {hands:,} tried")

    with runner.start("deals", choosing + deals, polls=False):
        settings |= {"threads": runner.workers, "progress": show_answer, "searching": show_search}
        odds = estimate_position(position, players, **settings)
    odds.people = people
    if people is not None:
        odds.stop_text = people.name_in(odds.stop_text)
    return odds
