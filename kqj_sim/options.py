"""Every option of the public functions and of their commands, described once.

A public function's signature says which options it takes.  The same table reads their values for
Python and for the command line, groups them in the help, and completes them in the shell.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from typing import Any, NamedTuple

from kqj_sim.arguments import (
    CONFIDENCE_RANGE,
    MAX_CANDIDATES,
    parse_path,
    parse_paths,
    parse_positive_number,
    parse_scores,
    parse_share,
    parse_text,
    parse_turn,
    parse_whole_number,
    split_items,
)
from kqj_sim.games import GAMES, KQJ, find_game
from kqj_sim.suffixes import FORMATS


class Option(NamedTuple):
    """An option: where the help lists it, and how its value is read.

    Attributes:
        help: what it does, unless each function's docstring says so.
        parse: returns the value that a text, or a value in Python, stands for; raises
            InputError.
        rare: True if only --help-all lists it, or the commands of which this is so.
        game: the game to which it belongs; None for all.
        completes: what the shell completes: "spec", "parameter", "column", "table" or "file".
        flag: its name on the command line, where Python's keywords or other names forbid it.
        default: its value on the command line unless given, where it differs from Python's.
        note: what its help adds on the command line.
    """

    section: str
    help: str = ""
    parse: Callable[[Any], Any] | None = None
    metavar: str | None = None
    choices: tuple[str | int, ...] | None = None
    multiple: bool = False
    rare: bool | tuple[str, ...] = False
    game: str | None = None
    completes: str | None = None
    flag: str | None = None
    default: str | None = None
    note: str = ""

    @property
    def is_switch(self) -> bool:
        """True if it is on or off."""
        return self.metavar is None and self.choices is None


def read_number(lowest: int, example: str, **limits: int) -> dict[str, Any]:
    """Return how a whole number is read."""
    read = partial(parse_whole_number, lowest=lowest, example=example, **limits)
    return {"parse": read, "metavar": "NUMBER"}


_POINTS: dict[str, Any] = {"parse": parse_positive_number, "metavar": "POINTS"}
_SPEC: dict[str, Any] = {"metavar": "SPEC", "completes": "spec"}
_FILE: dict[str, Any] = {"parse": parse_path, "metavar": "FILE", "completes": "file"}

_REPEATABLE, _STDIN = "repeatable", "- for stdin"

_LONG_CHOICES = {"all_no_trump": "WHEN", "void_rule": "RULE"}
"""Placeholders of rules whose choices would not fit the first column of the help."""

_RARE_RULES: Mapping[str, bool | tuple[str, ...]] = {
    **dict.fromkeys(
        ("all_no_trump", "max_amount", "counter_timing", "amount_uses", "must_outscore"), True
    ),
    "target": ("odds", "review"),
    "partners": ("review",),
}


def _list_rules() -> Iterator[tuple[str, Option]]:
    """Yield an option for every field of the rules of each game."""
    for game, described in GAMES.items():
        rules = described.rules
        for rule in fields(rules):
            only = " (auctions only)" if rule.metadata["only"] == "auction" else ""
            only = only if game == KQJ.name else f" ({find_game(game).title} only)"
            choices = rule.metadata["choices"]
            option = Option(
                "Rules",
                f"{rule.metadata['help'].removesuffix('.')}{only}.",
                metavar=_LONG_CHOICES.get(rule.name),
                choices=None if isinstance(rule.default, bool) else choices,
                rare=_RARE_RULES.get(rule.name, False),
                game=game,
            )
            if choices is None:
                read = read_number(0, str(rule.default)) | {"metavar": "POINTS"}
                option = option._replace(**read)
            yield rule.name, option


OPTIONS: Mapping[str, Option] = {
    # Which situation, or which rounds.
    "return_card": Option("Situation", metavar="CARD", flag="return"),
    "place": Option("Situation", metavar="PLACE"),
    "heard": Option("Situation", metavar="CALLS"),
    "lap": Option("Situation", choices=(1, 2), rare=("odds",), game="kqj"),
    "partners_at": Option("Situation", metavar="PLACES", rare=("odds",), game="kqj"),
    "played": Option("Situation", metavar="CARDS"),
    "contract": Option(
        "Situation", parse=parse_text, metavar="CONTRACT", rare=("odds",), game="kqj"
    ),
    "sender": Option("Situation", metavar="PLACE", rare=("odds",)),
    "record": Option("Situation", metavar="FILE", completes="file", note=_STDIN),
    "at": Option("Situation", parse=parse_turn, metavar="TRICK.CARD|c.CALL"),
    "deal": Option("Situation", **read_number(0, "42")),
    "line": Option("Situation", **read_number(1, "12"), rare=True),
    "turns": Option("Situation"),
    "contracts": Option("Situation"),
    "cards": Option("Situation", **read_number(1, "3", highest=8)),
    "seat": Option("Situation", metavar="PLAYER", multiple=True, note=_REPEATABLE),
    "pending": Option(
        "Situation",
        parse=partial(parse_whole_number, lowest=0, example="120"),
        metavar="POINTS",
        rare=True,
        game="kqj",
    ),
    "raised": Option("Situation", game="kwajongen"),
    "scores": Option("Situation", parse=parse_scores, metavar="YOURS:THEIRS", game="kqj"),
    "grade": Option("Situation", choices=("points", "games"), game="kqj"),
    "source": Option("Situation", **_FILE, flag="from", note=_STDIN),
    # Who plays.
    "policy": Option(
        "Players",
        "Seat this policy everywhere, or at some seats: team0=SPEC, seat3=SPEC.  "
        "[default: learned+network; standard in Kwajongen]",
        **_SPEC,
        multiple=True,
        note=_REPEATABLE,
    ),
    "reference": Option("Players", **_SPEC, rare=True),
    "opponents": Option("Players", **_SPEC),
    "against": Option("Players", **_SPEC),
    "calling": Option("Players"),
    "playing": Option("Players"),
    "other_part": Option("Players", **_SPEC, flag="with"),
    "ignore_calls": Option(
        "Players", "Deal the hidden cards regardless of the calls so far.", rare=True
    ),
    "error_rate": Option(
        "Players",
        "Assume that each call and card of the others is an error with this chance.",
        parse=partial(parse_share, example="0.03 or 3%", or_zero=True),
        metavar="SHARE",
        rare=True,
    ),
    "ignore_plays": Option("Players", "Do not weigh hidden cards by the cards played.", rare=True),
    "compare": Option("Players", **_SPEC, multiple=True, note=_REPEATABLE),
    # Which parameters of a policy change.
    "vary": Option(
        "Parameters",
        metavar="PARAMETER=VALUES",
        multiple=True,
        completes="parameter",
        note=_REPEATABLE,
    ),
    "parameters": Option(
        "Parameters",
        parse=split_items,
        metavar="NAME[=FROM:TO],...",
        multiple=True,
        completes="parameter",
    ),
    "generations": Option("Parameters", **read_number(1, "30")),
    "candidates": Option("Parameters", **read_number(4, "16", highest=MAX_CANDIDATES), rare=True),
    # By which rules; the rules of each game follow `game`.
    "game": Option("Rules", "Choose the game.", choices=tuple(GAMES)),
    **dict(_list_rules()),
    "impose": Option(
        "Rules",
        "Let one place play a contract without calls: opener:h, or 2nd:NT:150 in auctions.",
        metavar="CONTRACT",
        rare=("review",),
        game="kqj",
    ),
    # How much, and how sure.
    "deals": Option("Precision", **read_number(1, "1e5")),
    "games": Option("Precision", **read_number(1, "1000"), rare=("review",)),
    "samples": Option("Precision", **read_number(1, "1e4")),
    "precision": Option("Precision", **_POINTS),
    "max_deals": Option("Precision", **read_number(1, "1e6")),
    "time": Option(
        "Precision",
        "Stop after this many seconds.",
        parse=parse_positive_number,
        metavar="SECONDS",
    ),
    "indifference": Option("Precision", **_POINTS, rare=True),
    "confirm": Option("Precision", **read_number(2, "1e5")),
    "chart_deals": Option("Precision", **read_number(0, "1e5")),
    "compare_deals": Option("Precision", **read_number(1, "1e5")),
    "seed": Option(
        "Precision",
        "Choose the deals by this seed.",
        **read_number(0, "1"),
        rare=("odds", "compare"),
    ),
    "first": Option(
        "Precision",
        "Begin with the deal (or game) with this number.",
        **read_number(0, "0"),
        rare=True,
    ),
    "confidence": Option(
        "Precision",
        "Set the confidence level of the intervals.",
        parse=partial(parse_share, lowest=CONFIDENCE_RANGE[0], highest=CONFIDENCE_RANGE[1]),
        metavar="SHARE",
        rare=True,
    ),
    # Of which deals.
    "by": Option(
        "Groups", parse=split_items, metavar="COLUMN,...", multiple=True, completes="column"
    ),
    "where": Option("Groups", parse=parse_text, metavar="EXPRESSION", completes="column"),
    # What is written, and where to.
    "tables": Option(
        "Output",
        "Show these tables instead of the key figures, or all; list: show their names.",
        metavar="NAME,...",
        completes="table",
    ),
    "hidden": Option("Output", rare=True),
    "worst": Option("Output", **read_number(0, "5")),
    "format": Option(
        "Output",
        f"Write {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.  [default: by --out, else table]",
        choices=FORMATS,
        metavar="FORMAT",
    ),
    "out": Option("Output", "Write the tables to this file instead of stdout.", **_FILE),
    "rows": Option("Output", **_FILE),
    "columns": Option(
        "Output", parse=split_items, metavar="NAME,...", multiple=True, completes="column"
    ),
    "quiz": Option("Output", **_FILE),
    "plot": Option("Output", "Draw the results to a .png, .svg or .pdf file.", **_FILE),
    "save": Option("Output", **_FILE),
    "title": Option("Output", parse=parse_text, metavar="TEXT"),
    "save_rows": Option("Output"),
    "index": Option("Output"),
    "force": Option("Output", rare=True),
    "checkpoint": Option("Output", **_FILE, rare=True),
    "replay": Option("Output"),
    "allow": Option("Output", **_FILE | {"parse": parse_paths}, multiple=True, note=_REPEATABLE),
    "quiet": Option("Output", "Show errors only, no progress and no warnings."),
    "color": Option(
        "Output",
        "Use colours: auto does so on a terminal, unless NO_COLOR is set.",
        choices=("auto", "always", "never"),
        default="auto",
        rare=True,
    ),
    # How it is carried out.
    "threads": Option(
        "Run",
        "Use this many threads.  [default: all processors]",
        **read_number(1, "2"),
        rare=True,
    ),
    "cluster": Option(
        "Run",
        "Play on the Dask cluster with the scheduler at this address, such as "
        "tcp://192.168.1.5:8786, with the same results.",
        metavar="ADDRESS",
        rare=True,
    ),
    "config": Option(
        "Run",
        "Read options from this TOML file: `teams = 3`, under [simulate] for that command only.",
        **_FILE,
        rare=True,
    ),
}
"""The options by name, in the order of the help."""

FLAGS: Mapping[str, Option] = {option.flag or name: option for name, option in OPTIONS.items()}
"""The same by their names on the command line, with _ for -."""

_ARGUMENTS = {"hand": "CARDS", "file": "FILE", "records": "FILE", "policies": "POLICIES"}
"""Placeholders of parameters that commands take without an option."""

_MARK = re.compile(
    r"(?:`|<code>)(?:kqj\.(?P<function>\w+)\(\)|(?P<name>\w+)(?:=(?P<value>[^`<]+))?)(?:`|</code>)"
)
"""What is in backticks, which pages have as code."""


def speak_shell(text: str) -> str:
    """Return a text with options and commands as a shell has them, where Python's are in backticks.

    `return_card='Jh'` becomes --return Jh, `hand` becomes CARDS, and `kqj.page()` `kqj-sim page`.
    """

    def replace(mark: re.Match[str]) -> str:
        function, name, value = mark.group("function", "name", "value")
        if function is not None:
            return f"`kqj-sim {function}`"
        if name not in OPTIONS:
            return _ARGUMENTS.get(name, mark[0])
        flag = f"--{OPTIONS[name].flag or name}".replace("_", "-")
        return flag if value is None else f"{flag} {shlex.quote(value.strip(chr(39)))}"

    return _MARK.sub(replace, text)
