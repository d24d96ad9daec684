"""Kwajongen in the engine: its rules as numbers, and the kernels that a round runs."""

from __future__ import annotations

from kqj_sim.core.dispatch import ACCEPT
from kqj_sim.core.round import NO_RULES
from kqj_sim.core.rules import Rules
from kqj_sim.engines import Engine
from kqj_sim.kwajongen import cards, engine
from kqj_sim.kwajongen.game import KwajongenRules


def _encode_rules(rules: KwajongenRules) -> Rules:
    return NO_RULES._replace(
        seats=rules.seats,
        start_score=rules.start_score,
        target=rules.target,
        variant=int(rules.void_rule == "must_trump"),
        teams=rules.team_count,
    )


ENGINE = Engine(
    KwajongenRules,
    cards.PACK,
    _encode_rules,
    {
        ACCEPT: ("kwajongen_accept", engine.make_ask_accept),
        engine.CARD: ("kwajongen_card", engine.make_ask_card),
    },
    lambda rules, imposed: ([ACCEPT, engine.CARD], (engine.play_rounds,)),
    lambda rules: (),
    engine.advance,
)
