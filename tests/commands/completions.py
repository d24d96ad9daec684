"""Completion in the shell, as tests ask for it."""

from __future__ import annotations

from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from kqj_sim.cli import main
from tests.command_line import run

SHELLS = [BashComplete, ZshComplete, FishComplete]


def complete(*words: str, shell: type[ShellComplete] = BashComplete) -> list[str]:
    """Return the completions of the last word, with the type of those that the shell finds."""
    program = shell(main, {}, "kqj-sim", "_KQJ_SIM_COMPLETE")
    found = program.get_completions(list(words[:-1]), words[-1])
    return [each.value if each.type == "plain" else f"<{each.type}>" for each in found]


def list_tables() -> dict[str, list[str]]:
    """Return the tables that commands list for KQJ, by command."""
    listed = {
        "compare": run("compare", "random", "standard", "random:take=0.5", "--tables", "list"),
        "sweep": run("sweep", "standard", "--vary", "take=30,40", "--tables", "list"),
        "tune": run("tune", "standard", "--parameters", "take=0:80", "--tables", "list"),
        "review": run("review", "-", "--tables", "list"),
        "odds": run("odds", "9h", "8h", "Ah", "Ks", "4d", "--return", "7h", "--tables", "list"),
    }
    for done in listed.values():
        assert done.exit_code == 0, done.output
    return {
        command: [line.split()[0] for line in done.stdout.splitlines()]
        for command, done in listed.items()
    }
