"""TOML files of players: who calls and who plays, with their parameters.

    name = "bold"

    [calling]
    policy = "random"
    take = 0.3

    [playing]
    policy = "greedy"

A policy that both calls and plays can be named once: `policy = "standard"`, with its parameters in
a table `[parameters]`.
"""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kqj_sim.messages import quote, shorten
from kqj_sim.policies.chosen import Chosen, assignments, read_chosen, shown_by
from kqj_sim.policies.errors import PolicyError, nearest
from kqj_sim.policies.files import read

PARTS = ("calling", "playing")
_KEYS = ("name", "policy", "parameters", *PARTS)
_FORMS = 'policy = "NAME" with [parameters], or [calling] and [playing] with policy = "NAME"'


@dataclass(frozen=True)
class Parts:
    """Who calls and who plays, where that is said; None where it is not."""

    name: str
    calling: Chosen | None
    playing: Chosen | None

    @property
    def together(self) -> bool:
        """Whether one policy with one set of parameters does both."""
        return self.calling == self.playing

    def changed(self, given: Mapping[str, str], specification: str) -> Parts:
        """With other parameters; `calling.` or `playing.` before a name says whose it is.

        Without that, it is the part that has such a parameter, or both if they are one policy.

        Raises:
            PolicyError: an unknown parameter, one that two policies have, or a wrong value.
        """
        parts = {part: getattr(self, part) for part in PARTS}
        for name, value in given.items():
            for part, own in self.addressed(name, specification):
                parts[part] = parts[part].changed({own: value})
        text = ",".join(f"{name}={value}" for name, value in given.items())
        return replace(self, name=f"{self.name}:{text}" if text else self.name, **parts)

    def addressed(self, name: str, specification: str) -> list[tuple[str, str]]:
        """The parts whose parameter is meant, and its own name; raises as `changed`."""
        there = {part: chosen for part in PARTS if (chosen := getattr(self, part)) is not None}
        part, dot, own = name.partition(".")
        if dot:
            if part not in there:
                raise PolicyError(
                    f"policy {quote(specification)}: {shorten(name)}: {nearest(part, there)}"
                )
            return [(part, own)]
        found = [part for part, chosen in there.items() if name in chosen.policy.parameters]
        if not found:
            known = {each for chosen in there.values() for each in chosen.policy.parameters}
            sources = "+".join(dict.fromkeys(chosen.source for chosen in there.values()))
            (game,) = {chosen.game for chosen in there.values()}
            raise PolicyError(
                f"policy {quote(specification)}: no parameter {quote(name)}; "
                f"{nearest(name, known, shown_by(sources, game))}"
            )
        if len({there[part].policy for part in found}) > 1:
            raise PolicyError(
                f"policy {quote(specification)}: {name} is a parameter of both: write "
                f"calling.{name} or playing.{name}"
            )
        return [(part, name) for part in found]


def of_one(chosen: Chosen, name: str) -> Parts:
    """The parts that a policy answers for."""
    calls, plays = chosen.policy.calls(chosen.game), chosen.policy.plays
    return Parts(name, chosen if calls else None, chosen if plays else None)


def read_parts(path: Path, overrides: str, specification: str, game: str = "kqj") -> Parts:
    """A player's file, for a game, with parameters given behind its name.

    Raises:
        PolicyError: one line with the file's line: what is wrong and what would be right.
    """
    file = _File(path, game)
    content = file.content
    for key in content:
        if key not in _KEYS:
            raise file.wrong(f"unknown key {quote(key)}; {nearest(key, _KEYS)}", key)
    name = content.get("name", path.stem)
    if not isinstance(name, str) or not name.strip():
        raise file.wrong("name should be a text", "name")
    one = [key for key in ("policy", "parameters") if key in content]
    two = [key for key in PARTS if key in content]
    if bool(one) == bool(two):
        raise file.wrong(f"it should have {_FORMS}", *one[:1])
    if one:
        table = content.get("parameters", {})
        if not isinstance(table, dict):
            raise file.wrong("[parameters] should be a table", "parameters")
        parts = of_one(file.chosen({"policy": content.get("policy"), **table}, "parameters"), name)
    else:
        found = {part: file.chosen(content[part], part) for part in two}
        for part, chosen in found.items():
            if not getattr(of_one(chosen, name), part):
                verb = {"calling": "call", "playing": "play"}[part]
                told = f"policy {chosen.policy.name!r} does not {verb}: leave [{part}] out"
                raise file.wrong(told, "policy", part)
        parts = Parts(name, found.get("calling"), found.get("playing"))
    return parts.changed(assignments(overrides, specification), specification)


class _File:
    """A TOML file, and where its keys stand."""

    def __init__(self, path: Path, game: str) -> None:
        self.path = path
        self.game = game
        try:
            self.text = read(path).decode()
            self.content = tomllib.loads(self.text)
        except FileNotFoundError:
            raise PolicyError(f"policy file {path}: no such file") from None
        except OSError as error:
            raise PolicyError(f"policy file {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise PolicyError(f"policy file {path}: it is not UTF-8 text") from None
        except RecursionError:
            raise PolicyError(f"policy file {path}: it is nested too deeply") from None
        except tomllib.TOMLDecodeError as error:
            told, line = _without_place(str(error), self.text)
            raise PolicyError(f"{path}:{line}: {told}") from None
        except ValueError as error:  # a number with thousands of digits
            raise PolicyError(f"policy file {path}: {error}") from None

    def wrong(self, told: str, key: str = "", table: str = "") -> PolicyError:
        """The error for a key (of a table), with its line."""
        line = self._line(key, table) if key else 0
        return PolicyError(f"{self.path}:{line}: {told}" if line else f"{self.path}: {told}")

    def _line(self, key: str, table: str) -> int:
        """The line of a key, or of the table with that name; 0 if it is not found."""
        within = ""
        for number, line in enumerate(self.text.splitlines(), 1):
            header = re.match(r"\s*\[\s*([^\]]*?)\s*\]", line)
            if header:
                within = header[1].strip("\"'")
                if not table and within == key:
                    return number
            elif within == table and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]", line):
                return number
        return 0

    def chosen(self, table: object, part: str) -> Chosen:
        """The policy of a table, with its parameters."""
        where = "" if part == "parameters" else part
        if not isinstance(table, dict):
            raise self.wrong(f"[{part}] should be a table", part)
        base = table.get("policy")
        if not isinstance(base, str):
            told = f'[{part}] should have policy = "NAME"' if where else f"it should have {_FORMS}"
            raise self.wrong(told, *(("policy", where) if "policy" in table else (part,)))
        try:
            chosen = read_chosen(base, self.path.parent, self.game)
        except PolicyError as error:
            raise self.wrong(str(error), "policy", where) from None
        for key, value in table.items():
            if key == "policy":
                continue
            try:
                chosen = chosen.changed({key: value})
            except PolicyError as error:
                raise self.wrong(str(error), key, part) from None
        return chosen


def _without_place(told: str, text: str) -> tuple[str, int]:
    """What is wrong with a TOML text, and in which line."""
    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", told)
    lines = text.count("\n") + 1
    return (told, lines) if match is None else (match[1], int(match[2] or lines))


def write_parts(parts: Parts, width: int) -> str:
    """A player's file that reads back as the same, with every parameter explained.

    Lines are about `width` characters long.
    """
    if parts.together:
        assert parts.calling is not None
        blocks = [
            _policy_lines(parts.calling, width),
            ["[parameters]", *_parameter_lines(parts.calling, width)],
        ]
    else:
        blocks = []
        for part in PARTS:
            chosen = getattr(parts, part)
            if chosen is None:
                blocks.append([f"# [{part}] is left out: the default player's"])
            else:
                lines = [*_policy_lines(chosen, width), *_parameter_lines(chosen, width)]
                blocks.append([f"[{part}]", *lines])
    return "\n".join("\n".join(block) + "\n" for block in blocks)


def _policy_lines(chosen: Chosen, width: int) -> list[str]:
    """`policy = "NAME"` below what it is."""
    lines = [
        f"# {line}"
        for line in textwrap.wrap(chosen.policy.summary, max(width - 2, 40), break_on_hyphens=False)
    ]
    return [*lines, f"policy = {json.dumps(chosen.source, ensure_ascii=False)}"]


def _parameter_lines(chosen: Chosen, width: int) -> list[str]:
    """`take = 30  # what it means (what is allowed, default)`, the comments below each other."""
    parameters = chosen.policy.parameters
    written = {
        name: json.dumps(value) if isinstance(value, str) else parameters[name].write(value)
        for name, value in chosen.by_name.items()
    }
    column = max((len(f"{name} = {value}") for name, value in written.items()), default=0)
    lines = []
    for name, value in written.items():
        parameter = parameters[name]
        limits = f"{parameter.limits}, default {parameter.write(parameter.default)}"
        comment = f"{parameter.meaning} ({limits})" if parameter.meaning else limits
        line = f"{name} = {value}"
        for piece in textwrap.wrap(
            comment, max(width - column - len("  # "), 30), break_on_hyphens=False
        ):
            lines.append(f"{line:{column}}  # {piece}")
            line = ""
    return lines
