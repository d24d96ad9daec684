"""Rounds of the notation as records: what follows from the lines, checked by the referee.

Eight tricks show all 48 cards, so that hands follow from the plays.  A round of which a record's
keys are not all known becomes a partial record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import asdict, astuple

from kqj_sim.errors import RecordError
from kqj_sim.games import find_game
from kqj_sim.notation.header import (
    NotedPlayer,
    expand_player,
    join_text,
    name_seats,
    parse_numbers,
    parse_players,
    parse_round_number,
    parse_rules,
    parse_seed,
    require_seat,
)
from kqj_sim.notation.reader import RoundReader
from kqj_sim.notation.sections import NotationLineError, RoundSections, split_rounds
from kqj_sim.record import AnyRecord, Record, Trick
from kqj_sim.referee.base import get_referee
from kqj_sim.rules import GameRules


@dataclass
class _Game:
    """The state of a game between two rounds.

    Attributes:
        number: number of the game in the text; -1 before the first one.
        next_round: number of the next round, from 1.
        dealer: seat of the next dealer; None if it is not known.
        rounds: number of rounds in the text so far.
    """

    number: int = -1
    next_round: int = 1
    dealer: int | None = None
    scores: list[int] | None = None
    pending: int = 0
    rounds: int = 0


def read_rounds(text: str) -> Iterator[tuple[int, AnyRecord | RecordError]]:
    """Yield the line, from 1, and the record of each round of a text.

    A round that is wrong yields its error, with the number of the wrong line.
    """
    game = _Game()
    for sections in split_rounds(text):
        try:
            if sections.error is not None:
                raise sections.error
            yield sections.line, _read_round(sections, game)
        except NotationLineError as error:
            game.pending, game.scores, game.dealer = 0, None, None
            yield error.line, RecordError(str(error))
        game.rounds += 1


def _read_round(sections: RoundSections, game: _Game) -> AnyRecord:
    rules = parse_rules(sections.get("game"))
    policies, people = sections.get("policies"), sections.get("players")
    if policies or people:
        players = parse_players(policies or people, rules.seats, bool(policies))
    else:
        players = [NotedPlayer(f"seat {seat}") for seat in range(rules.seats)]
    number, game_number = parse_round_number(sections.get("round"))
    if number == 1:
        game.pending, game.scores = 0, [rules.start_score] * rules.score_count
        game.number += 1
        game.dealer = game.dealer if sections.get("dealer") else None
    elif number != game.next_round or (sections.begins_game and game.rounds):
        game.pending, game.scores = 0, None
    game.number = game.number if game_number is None else game_number
    names = name_seats(players)
    dealer_lines = sections.get("dealer")
    if dealer_lines:
        dealer = require_seat(names, dealer_lines[0], join_text(dealer_lines), "Dealer")
    else:
        dealer = rules.seats - 1 if game.dealer is None else game.dealer
    names = name_seats(players, dealer)
    before = parse_numbers(
        sections.get("scores before"), "Scores before", rules.score_count,
        " ".join(["10" if rules.start_score else "340"] * rules.score_count),
    )  # fmt: skip
    game.scores = before or game.scores
    game.pending = _read_pending(sections, rules, game.pending)
    texts = [expand_player(player, rules) for player in players]
    reader = RoundReader(sections, rules, names, texts, game.pending)
    record = reader.record
    seed, deal = parse_seed(sections.get("seed")) or (0, game.rounds)
    score, scores_before = reader.score, game.scores
    after = None
    if score is not None and scores_before is not None:
        after = reader.referee.add_scores(scores_before, record.teams or (), score.scores)
    passed = score is not None and score.result == "passed_out"
    game.dealer = reader.referee.find_next_dealer(dealer, passed)
    game.next_round = (number or 0) + 1
    game.scores = after
    game.pending = 0 if score is None else score.pending_after
    if not reader.is_whole or score is None:
        return record
    belongs = number is not None and after is not None
    return Record(
        seed=seed,
        deal=deal,
        game_id=max(game.number, 0) if belongs else None,
        round=number - 1 if belongs and number is not None else None,
        score_before=scores_before if belongs else None,
        score_after=after if belongs else None,
        **asdict(record) | {"tricks": [Trick(*astuple(trick)) for trick in record.tricks]},
        **score._asdict(),
    )


def _read_pending(sections: RoundSections, rules: GameRules, inferred: int) -> int:
    pending, raised = sections.get("pending"), sections.get("raised")
    raises = find_game(rules.game).raises
    wrong = pending if raises else raised
    if wrong:
        right = "Raised: yes" if raises else "Pending: 120"
        raise NotationLineError(wrong[0].line, f"this game has no such line: write {right}")
    if not raises:
        points = parse_numbers(pending, "Pending", 1, "120")
        reason = points and get_referee(rules).explain_wrong_pending(points[0])
        if reason:
            raise NotationLineError(pending[0].line, f"Pending: {reason}")
        return inferred if points is None else points[0]
    if not raised:
        return inferred
    answers = {"": 1, "yes": 1, "no": 0}
    answer = answers.get(join_text(raised).lower())
    if answer is None:
        raise NotationLineError(raised[0].line, "Raised: write yes or no")
    return answer
