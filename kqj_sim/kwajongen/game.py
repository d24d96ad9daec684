"""Kwajongen as a value."""

from __future__ import annotations

from kqj_sim.game import Game
from kqj_sim.kwajongen.columns import KWAJONGEN_COLUMNS
from kqj_sim.kwajongen.rules import KwajongenRules

KWAJONGEN = Game(
    name="kwajongen",
    title="Kwajongen",
    rules=KwajongenRules,
    columns=KWAJONGEN_COLUMNS,
    decisions=("accept", "card"),
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
        "engine": "kqj_sim.kwajongen.encode:ENGINE",
        "figures": "kqj_sim.kwajongen.key_figures:FIGURES",
        "pictures": "kqj_sim.kwajongen.plots:PICTURES",
        "chapters": "kqj_sim.kwajongen.report:REPORT",
        "recording": "kqj_sim.kwajongen.recording:KwajongenRecordingBlock",
        "referee": "kqj_sim.kwajongen.referee:KwajongenReferee",
        "round_terms": "kqj_sim.kwajongen.words:TERMS",
        "samplers": "kqj_sim.kwajongen.samplers:SAMPLERS",
        "answers": "kqj_sim.kwajongen.answers:ANSWERS",
    },
)
