"""Questions that the command `odds` answers: about calls and about cards, in both games."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kqj_sim.api.arguments import assign_policies
from kqj_sim.rules import GameRules, KqjRules, KwajongenRules

if TYPE_CHECKING:
    from kqj_sim.analysis.odds.estimator import Odds
    from kqj_sim.analysis.odds.position import PartialRound


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
        """Return the cards; raise UsageError with a hint if there are none."""
        if self.hand is None:
            raise click.UsageError(f"CARDS are missing: give {hint}")
        return self.hand


@dataclass(frozen=True)
class Question:
    """A question with its estimator.

    Attributes:
        rules: the rules of the round.
        estimate: estimates the answer; takes the limits and callbacks as keyword arguments.
    """

    rules: GameRules
    estimate: Callable[..., Odds]


class _GameQuestions(NamedTuple):
    """The question about calls of a game, and the options of the other game only."""

    ask_about_calls: Callable[[PositionOptions, Any, tuple[str, ...]], Question]
    hand_size: str
    foreign_options: tuple[str, ...]


def make_question(position: PositionOptions, rules: GameRules, policy: tuple[str, ...]) -> Question:
    """Return the question about calls or, with cards played, about cards.

    Args:
        position: what the player knows.
        rules: the rules of the round.
        policy: values of --policy.

    Raises:
        UsageError: options are missing, or belong to another question.
        SituationError, RoundError: the position is impossible.
    """
    game = _QUESTIONS[rules.game]
    _reject_foreign_options(rules, game.foreign_options)
    if position.played is None:
        return game.ask_about_calls(position, rules, policy)
    return _ask_about_typed_cards(position, rules, policy, game.hand_size)


def _reject_foreign_options(rules: GameRules, names: tuple[str, ...]) -> None:
    """Raise UsageError if one of these options was given."""
    context = click.get_current_context()
    options = {each.name: each.opts[0] for each in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            raise click.UsageError(f"{options[name]} is not for --game {rules.game}: leave it out")


def _ask_about_kqj_calls(
    position: PositionOptions, rules: KqjRules, policy: tuple[str, ...]
) -> Question:
    hand = position.require_hand("the cards you hold, such as '9h 8h Ah'")
    if position.contract is not None or position.sender is not None:
        raise click.UsageError(
            "--contract and --sender go with --played: the cards played so far are missing"
        )
    from kqj_sim.analysis.odds.calls import estimate_calls
    from kqj_sim.analysis.odds.situation import parse_situation

    situation = parse_situation(
        hand, rules, return_card=position.return_card, place=position.place, lap=position.lap,
        heard=position.heard, partners_at=position.partners_at, pending=position.pending,
    )  # fmt: skip
    seated = assign_policies(policy, rules)
    return Question(
        rules,
        partial(estimate_calls, situation, seated),
    )


def _ask_about_kwajongen_calls(
    position: PositionOptions, rules: KwajongenRules, policy: tuple[str, ...]
) -> Question:
    if position.sender is not None:
        raise click.UsageError("--sender goes with --played: the cards so far are missing")
    hand = position.require_hand("your four cards, such as 'Ah Kh 9s Ts'")
    from kqj_sim.analysis.odds.calls import estimate_calls
    from kqj_sim.analysis.odds.situation import parse_kwajongen_situation

    situation = parse_kwajongen_situation(
        hand, rules, return_card=position.return_card, place=position.place, heard=position.heard,
        raised=position.raised,
    )  # fmt: skip
    seated = assign_policies(policy, rules)
    return Question(
        rules,
        partial(estimate_calls, situation, seated),
    )


def _ask_about_typed_cards(
    position: PositionOptions, rules: GameRules, policy: tuple[str, ...], hand_size: str
) -> Question:
    hand = position.require_hand(f"your {hand_size} cards, or those left")
    if position.lap is not None:
        raise click.UsageError("--lap is for calls: leave it out")
    from kqj_sim.analysis.odds.position_input import parse_position

    partial_round = parse_position(
        hand, rules, played=position.played or "", return_card=position.return_card,
        heard=position.heard, contract=position.contract, sender=position.sender,
        place=position.place, partners_at=position.partners_at,
        pending=position.pending or int(position.raised),
    )  # fmt: skip
    return _ask_about_round(partial_round, policy)


_QUESTIONS: Mapping[str, _GameQuestions] = {
    KqjRules.game: _GameQuestions(_ask_about_kqj_calls, "eight", ("raised",)),
    KwajongenRules.game: _GameQuestions(
        _ask_about_kwajongen_calls, "four", ("lap", "partners_at", "contract", "pending")
    ),
}


def ask_about_record(
    data: bytes, line: int | None, at: tuple[int, int] | None, policy: tuple[str, ...]
) -> Question:
    """Return the question about the cards of a recorded round.

    Args:
        data: content of a file with one record, or with several and `line`.
        line: line of the record, from 1.
        at: trick (from 1) and card (from 1) before which the round is taken up; None for the end.
        policy: values of --policy; without any, the players of the record are assumed.

    Raises:
        UsageError: the file has more records, or fewer lines.
        RecordError, RoundError: the record is damaged, or no position.
    """
    from kqj_sim.analysis.odds.position_input import read_position
    from kqj_sim.record import partial_record_from_json

    lines = data.splitlines()
    records = [each for each in lines if each.startswith(b"{") and b":" in each]
    if line is not None:
        if line > len(lines):
            raise click.UsageError(f"--line {line}: the file has {len(lines)} lines")
        data = lines[line - 1]
    elif len(records) > 1:
        raise click.UsageError(
            f"--record: {len(records)} records in the file, there should be one; name one with "
            "--line, such as --line 1"
        )
    return _ask_about_round(read_position(partial_record_from_json(data), at), policy)


def _ask_about_round(partial_round: PartialRound, policy: tuple[str, ...]) -> Question:
    """Return the question which card to play in a round in progress."""
    from kqj_sim.analysis.odds.cards import estimate_cards

    rules, seated = partial_round.rules, partial_round.players
    if seated is None or policy:
        seated = assign_policies(policy, rules)
    return Question(rules, partial(estimate_cards, partial_round, seated))
