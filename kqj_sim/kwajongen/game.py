"""Kwajongen as a value."""

from __future__ import annotations

from kqj_sim.game import Game

KWAJONGEN = Game(
    name="kwajongen",
    title="Kwajongen",
    sender="caller",
    raises=True,
    upcard_key="turned",
    default_player="standard",
    lively_player="random",
    policies_package="kqj_sim.kwajongen.policies",
    built_ins=("random", "standard", "pimc"),
    presets={},
    parts={
        "variants": "kqj_sim.kwajongen.words:CHECKED_RULES",
        "analysis": "kqj_sim.kwajongen.analysis:ANALYSIS",
        "figures": "kqj_sim.kwajongen.key_figures:FIGURES",
        "pictures": "kqj_sim.kwajongen.plots:PICTURES",
        "chapters": "kqj_sim.kwajongen.report:REPORT",
        "referee": "kqj_sim.referee.kwajongen.referee:KwajongenReferee",
        "round_terms": "kqj_sim.kwajongen.words:TERMS",
        "samplers": "kqj_sim.positions.kwajongen:SAMPLERS",
        "answers": "kqj_sim.kwajongen.answers:ANSWERS",
    },
)
