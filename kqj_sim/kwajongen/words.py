"""The words in which rounds of Kwajongen are shown."""

from __future__ import annotations

from kqj_sim.kwajongen.game import KwajongenRules
from kqj_sim.questions.records.terms import RoundTerms

TERMS = RoundTerms(
    side="caller's",
    upcard="Dealer's card",
    shown="the dealer showed {}",
    plays="called play, trump",
    nobody="Nobody called play: these are the cards as dealt.",
    pending=("The round is raised.", "The next round is raised."),
    imposed="None: the caller was imposed.",
    laps=False,
    has_total=False,
    score="change of score",
    results={"made": "won", "failed": "lost", "tie": "tied, which counts as lost"},
)

CHECKED_RULES = {
    f"Kwajongen, {void_rule}": KwajongenRules(void_rule=void_rule)
    for void_rule in ("must_trump", "free")
}
"""The variants under which policies are checked."""
