"""The sections of the help: where each option is listed, and which are listed by --help-all only.

An option has one name and one meaning in all commands, so that it also has one section.
"""

from __future__ import annotations

from collections.abc import Mapping

from kqj_sim.options import OPTIONS

SECTIONS: Mapping[str, tuple[str, ...]] = {
    section: tuple(
        each
        for name, option in OPTIONS.items()
        if option.section == section
        for each in (name, option.flag)
        if each is not None
    )
    for section in dict.fromkeys(option.section for option in OPTIONS.values())
}
"""The options of each section, in order; an option that no section names is listed under "Run"."""

RARELY_USED = frozenset(name for name, option in OPTIONS.items() if option.rare is True)
"""Options that only --help-all lists."""

RARELY_USED_IN: Mapping[str, frozenset[str]] = {
    command: frozenset(
        name
        for name, option in OPTIONS.items()
        if isinstance(option.rare, tuple) and command in option.rare
    )
    for command in ("odds", "compare", "review")
}
"""Options that only --help-all lists, of commands whose help would not fit on a screen."""

GAME_OF_OPTION: Mapping[str, str] = {
    name: option.game for name, option in OPTIONS.items() if option.game is not None
}
"""The game of each option that only one game has; help for the other game leaves it out."""


def find_section(name: str) -> str:
    """Return the section that lists an option."""
    return next((section for section, names in SECTIONS.items() if name in names), "Run")
