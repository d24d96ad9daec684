"""The sections of the help: where each option is listed, and which are listed by --help-all only.

An option has one name and one meaning in all commands, so that it also has one section.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from kqj_sim.rules import RULES_BY_GAME

_RULES = tuple(rule.name for rules in RULES_BY_GAME.values() for rule in fields(rules))

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Situation": (
        "return", "place", "heard", "lap", "partners_at", "played", "contract", "sender",
        "record", "at", "deal", "line", "seat", "pending", "raised", "source",
    ),
    "Players": (
        "policy", "reference", "opponents", "against", "calling", "playing", "with",
        "ignore_calls", "ignore_plays", "compare",
    ),
    "Parameters": ("vary", "parameters", "generations", "candidates"),
    "Rules": ("game", *_RULES, "impose"),
    "Precision": (
        "deals", "games", "samples", "precision", "max_deals", "time", "indifference", "confirm",
        "chart_deals", "compare_deals", "seed", "first", "confidence",
    ),
    "Groups": ("by", "where"),
    "Output": (
        "tables", "worst", "format", "out", "rows", "plot", "save", "title", "save_rows", "force",
        "checkpoint", "replay", "quiet", "color",
    ),
    "Run": ("threads", "cluster", "config"),
}  # fmt: skip
"""The options of each section, in order; an option that no section names is listed under "Run"."""

RARELY_USED = frozenset({
    "ignore_calls", "ignore_plays", "pending", "line", "candidates",
    "all_no_trump", "max_amount", "counter_timing", "amount_uses", "must_outscore",
    "indifference", "first", "confidence", "checkpoint", "color", "force",
    "threads", "cluster", "config",
})  # fmt: skip
"""Options that only --help-all lists."""

RARELY_USED_IN: Mapping[str, frozenset[str]] = {
    "odds": frozenset({"partners_at", "contract", "sender", "target", "seed", "lap"}),
    "compare": frozenset({"seed"}),
    "review": frozenset({"impose", "target"}),
}
"""Options that only --help-all lists, of commands whose help would not fit on a screen."""

GAME_OF_OPTION: Mapping[str, str] = {
    **{rule.name: game for game, rules in RULES_BY_GAME.items() for rule in fields(rules)},
    **dict.fromkeys(("lap", "partners_at", "contract", "pending", "impose"), "kqj"),
    "raised": "kwajongen",
}
"""The game of each option that only one game has; help for the other game leaves it out."""


def find_section(name: str) -> str:
    """Return the section that lists an option."""
    return next((section for section, names in SECTIONS.items() if name in names), "Run")
