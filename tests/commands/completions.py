"""Completion in the shell, as tests ask for it."""

from __future__ import annotations

from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from kqj_sim.cli import main

SHELLS = [BashComplete, ZshComplete, FishComplete]


def complete(*words: str, shell: type[ShellComplete] = BashComplete) -> list[str]:
    """Return the completions of the last word, with the type of those that the shell finds."""
    program = shell(main, {}, "kqj-sim", "_KQJ_SIM_COMPLETE")
    found = program.get_completions(list(words[:-1]), words[-1])
    return [each.value if each.type == "plain" else f"<{each.type}>" for each in found]
