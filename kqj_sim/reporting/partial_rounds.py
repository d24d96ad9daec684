"""Rounds of which not all is known, for people: what is known of hands, calls and tricks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kqj_sim.record import PartialRecord, Record, Trick
from kqj_sim.reporting.rounds import render_round
from kqj_sim.rules import RULES_BY_GAME, KqjRules

if TYPE_CHECKING:
    from rich.console import RenderableType

UNKNOWN_SEAT = -1
"""The winner of a trick that is not over."""


def render_partial_round(record: PartialRecord, title: str) -> list[RenderableType]:
    """Return what is known of a round in parts for a screen.

    Args:
        record: the round, with its rules, teams and players.
        title: what the heading calls the round.
    """
    from rich.text import Text

    rules = RULES_BY_GAME[record.game].from_dict(record.rules)
    known = [
        list((record.hands or [])[seat] or (record.dealt or [])[seat] or [])
        if record.hands
        else list((record.dealt or [None] * rules.seats)[seat] or [])
        for seat in range(rules.seats)
    ]
    zeros = [0] * rules.team_count
    shown = Record(
        game=record.game, rules=rules.to_dict(), seed=0, deal=0,
        players=record.players or [f"seat {seat}" for seat in range(rules.seats)],
        game_id=None, round=None, score_before=None, score_after=None, dealer=record.dealer,
        teams=record.teams or [rules.fixed_team_of(seat) for seat in range(rules.seats)],
        dealt=known, turned=record.turned, imposed=record.imposed, calls=record.calls or [],
        sender=record.sender, contract=record.contract, amount=record.amount,
        capot=bool(record.capot), stake=record.stake or 1, hands=known,
        tricks=[
            Trick(trick.leader or 0, trick.cards,
                  UNKNOWN_SEAT if trick.winner is None else trick.winner)
            for trick in record.tricks
        ],
        card_points=zeros, trick_counts=zeros, bonuses=[], totals=zeros, result="made",
        gratuities=zeros, pending_before=record.pending_before, pending_after=0, scores=zeros,
    )  # fmt: skip
    parts = render_round(shown, title=title, is_over=False)
    empty = [seat for seat in range(rules.seats) if not known[seat]]
    if isinstance(rules, KqjRules) and record.calls is None and not record.imposed:
        parts += [Text(""), Text("The calls are not known.")]
    if empty:
        parts += [Text(""), Text("Hands that are empty are not known.")]
    return parts
