"""Specifications of players, and the TOML files that may stand in their place.

A specification names a policy, `standard`, `standard:take=45,lap2=38`, `bold` (a preset),
`my_policy.py`, `my_policy.py:cautious:take=3`, or a player's file, `careful.toml`,
`careful.toml:take=60`.  `A+B` calls like A and plays like B.  Decisions that are left open are made
by the game's default player.

A player's file names the policies for calling and playing, with parameters:

    name = "careful"

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
import os
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeAlias, cast

from kqj_sim.cards import NUMBER_WORDS
from kqj_sim.errors import InputError, locate_errors
from kqj_sim.games import find_game, list_game_options
from kqj_sim.messages import format_json, quote, shell_join, shorten, suggest_names, visible
from kqj_sim.policies import registry
from kqj_sim.policies.parameters import Parameter, ParameterValue, append_version
from kqj_sim.policies.registry import Policy
from kqj_sim.rules import GameRules
from kqj_sim.text_files import decode_text

# Policies with values for their parameters.


@dataclass(frozen=True)
class ConfiguredPolicy:
    """A policy with values for its parameters."""

    policy: Policy
    values: tuple[ParameterValue | None, ...]
    """In the order of `policy.parameters`; None where the rules decide on the default."""
    source: str
    """The specification without parameters: a name or a file."""
    game: str = "kqj"

    def under(self, rules: GameRules) -> ConfiguredPolicy:
        """Return the policy with a value for every parameter, by the rules at hand."""
        if None not in self.values:
            return self
        values = (
            parameter.get_default(rules) if value is None else value
            for parameter, value in zip(self.policy.parameters.values(), self.values, strict=True)
        )
        return replace(self, values=tuple(values))

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values that compiled functions get: all but names of policies; see `under`."""
        assert None not in self.values, "the rules decide on some values"
        return tuple(value for value in self.values if isinstance(value, float))

    @property
    def others(self) -> tuple[str, ...]:
        """The policies whose seatings its functions get: those that parameters name come first."""
        named = (value for value in self.values if isinstance(value, str))
        return (*named, *self.policy.seated)

    @property
    def values_by_name(self) -> dict[str, ParameterValue | None]:
        """The values by name of parameter."""
        return dict(zip(self.policy.parameters, self.values, strict=True))

    @property
    def text(self) -> str:
        """The specification with every value and the versions of weights."""
        return self._format(self.values_by_name)

    def shorten(self, rules: GameRules) -> str:
        """Return the specification with the values that differ from the defaults by some rules."""
        parameters = self.policy.parameters
        return self._format(
            {
                name: value
                for name, value in self.values_by_name.items()
                if value != parameters[name].get_default(rules)
            }
        )

    def _format(self, values: Mapping[str, ParameterValue | None]) -> str:
        assignments = ",".join(
            f"{name}={append_version(self.policy.parameters[name].write(value))}"
            for name, value in values.items()
            if value is not None
        )
        return f"{self.source}:{assignments}" if assignments else self.source

    def parameter(self, name: str) -> Parameter:
        """Return a parameter; raises InputError if there is none of that name."""
        parameters = self.policy.parameters
        if name not in parameters:
            raise InputError(
                f"policy {self.policy.name!r} has no parameter {quote(name)}; "
                f"{suggest_names(name, parameters, format_show_command(self.source, self.game))}"
            )
        return parameters[name]

    def without_effect(self, name: str, rules: GameRules) -> str:
        """Return why a parameter has no effect by these rules; empty if it has one."""
        parameter = self.parameter(name)
        if parameter.applies_to(rules):
            return ""
        return f"{name} has no effect here: it is read with `bidding='{parameter.bidding}'` only"

    def with_parameters(self, given: Mapping[str, object]) -> ConfiguredPolicy:
        """Return the same policy with other values, given as texts or as values of a TOML file.

        Raises:
            InputError: an unknown parameter, or a value that is not allowed.
        """
        values = self.values_by_name
        for name, value in given.items():
            parameter = self.parameter(name)
            with locate_errors(f"policy {self.policy.name!r}: {name}={shorten(value)}"):
                values[name] = parameter.read(value)
        return replace(self, values=tuple(values.values()))


def format_show_command(spec: str, game: str = "kqj") -> str:
    """Return the command that lists the parameters of a policy, in backticks."""
    options = list_game_options(game)
    return f"`{shell_join(['kqj-sim', 'policies', 'show', *options, spec])}`"


def configure(policy: Policy, source: str, game: str = "kqj") -> ConfiguredPolicy:
    """Return a policy with the defaults of its parameters, checked before a run.

    Raises:
        InputError: it makes no decision of the game, or a user's function does not compile.
    """
    if not (policy.calls(game) or policy.plays):
        first, *others = find_game(game).call_decisions
        wanted = f"choose_{first}{', ...' if others else ''} or choose_card"
        raise InputError(f"{source}: it has no function {wanted}")
    policy.check()
    values = tuple(parameter.unset for parameter in policy.parameters.values())
    return ConfiguredPolicy(policy, values, source, game)


def split_file(
    spec: str, is_file: Callable[[str], bool] = os.path.isfile
) -> tuple[str, str] | None:
    """Split `FILE.py:REST` or `FILE.toml:REST` into the file and the rest; None without a file.

    A folder may have such a name, too: the file is the first for which `is_file` is true.
    """
    ends = [match.end() for match in re.finditer(r"\.(?:py|toml)(?=:|\Z)", spec)]
    if not ends:
        return None
    end = next((end for end in ends if is_file(spec[:end])), ends[0])
    return spec[:end], spec[end + 1 :]


def parse_assignments(text: str, spec: str) -> dict[str, str]:
    """Parse `a=1,b=2` into a dictionary.

    Raises:
        InputError: not of this form, or a parameter is given twice.
    """
    values: dict[str, str] = {}
    for part in text.split(",") if text else ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not value:
            raise InputError(f"policy {quote(spec)}: {quote(part)} should be parameter=value")
        if name in values:
            raise InputError(f"policy {quote(spec)}: {shorten(name)} is given twice")
        values[name] = value
    return values


def parse_policy(spec: str, folder: Path | None = None, game: str = "kqj") -> ConfiguredPolicy:
    """Parse a policy of a game with its parameters; a relative path of its file is from `folder`.

    Raises:
        InputError: one line that says what is wrong and what would be right.
    """
    of_file = split_file(spec, lambda path: os.path.isfile(Path(folder or "", path)))
    if of_file is not None and of_file[0].endswith(".py"):
        path, rest = of_file
        name, _, assignments = rest.partition(":")
        if "=" in name and not assignments:
            name, assignments = "", rest
        source = path if folder is None else str(folder / path)
        policy = registry.load_policy_file(Path(source), name)
        source = f"{source}:{policy.name}"
    else:
        source, _, assignments = spec.partition(":")
        if not source:
            raise InputError("an empty policy; " + suggest_names("", find_game(game).built_ins))
        if source in find_game(game).presets:
            preset = parse_policy(find_game(game).presets[source].specification, folder, game)
            return preset.with_parameters(parse_assignments(assignments, spec))
        policy = registry.find_policy(source, game)
    return configure(policy, source, game).with_parameters(parse_assignments(assignments, spec))


PLAYER_PARTS = ("calling", "playing")
_KEYS = ("name", "policy", "parameters", *PLAYER_PARTS)
_FORMS = 'policy = "NAME" with [parameters], or [calling] and [playing] with policy = "NAME"'


@dataclass(frozen=True)
class Player:
    """A player: the policy that makes their calls and the one that chooses their cards.

    Attributes:
        calling, playing: the policies; the default player's where the specification names none.
        given: the specification as it was given.
        name: the name to show: the one in the player's file, or the specification.
        open_parts: the parts, of `PLAYER_PARTS`, that the specification names no policy for.
    """

    calling: ConfiguredPolicy
    playing: ConfiguredPolicy
    given: str = field(default="", compare=False)
    name: str = field(default="", compare=False)
    open_parts: frozenset[str] = field(default=frozenset(), compare=False)

    def __repr__(self) -> str:
        # Six seats with every value of their parameters would fill a screen.
        return f"Player({self.name or self.given or self.text!r})"

    def __str__(self) -> str:
        return self.given

    @property
    def game(self) -> str:
        """The game that the player plays."""
        return self.calling.game

    @property
    def parts(self) -> dict[str, ConfiguredPolicy]:
        """The policies by part: calling and playing."""
        return {"calling": self.calling, "playing": self.playing}

    @property
    def is_single_policy(self) -> bool:
        """True if one policy with one set of parameters both calls and plays."""
        return self.calling == self.playing

    @property
    def text(self) -> str:
        """The specification with all values; parsing it gives the same player."""
        if self.is_single_policy:
            return self.calling.text
        return f"{self.calling.text}+{self.playing.text}"

    def shorten(self, rules: GameRules) -> str:
        """Return the specification with the values that differ from the defaults by some rules."""
        calling = self.calling.shorten(rules)
        if self.is_single_policy:
            return calling
        return f"{calling}+{self.playing.shorten(rules)}"

    def under(self, rules: GameRules) -> Player:
        """Return the player with a value for every parameter, by the rules at hand."""
        return replace(self, calling=self.calling.under(rules), playing=self.playing.under(rules))

    def policy_for(self, decision: str) -> ConfiguredPolicy:
        """Return the policy that makes a decision: the default player's where this one has none."""
        configured = self.playing if decision == "card" else self.calling
        if configured.policy.answers(decision):
            return configured
        return get_default_player(configured.game).policy_for(decision)

    def explain_unasked(self, rules: GameRules) -> str:
        """Return why a user's policy makes no decision by these rules; empty if it makes one."""
        policy, bidding = self.calling.policy, getattr(rules, "bidding", "")
        asked = {"take": ("take",), "auction": ("bid", "counter", "overcounter")}.get(bidding, ())
        if policy.built_in or policy.plays or not asked or any(map(policy.answers, asked)):
            return ""
        other = "take" if bidding == "auction" else "auction"
        return (
            f"policy {policy.name!r}: choose_{next(iter(policy.choices))}() is never asked with "
            f"`bidding='{bidding}'`: add choose_{asked[0]}(), or play with `bidding='{other}'`"
        )

    def join(self, playing: Player) -> Player:
        """Return the player who calls like this one and plays like another."""
        opened = (self.open_parts & {"calling"}) | (playing.open_parts & {"playing"})
        return Player(
            self.calling,
            playing.playing,
            f"{self.given}+{playing.given}",
            f"{self.name}+{playing.name}",
            frozenset(opened),
        )

    def with_parameters(self, given: Mapping[str, str]) -> Player:
        """Return the player with other parameters, named with or without `calling.` or `playing.`.

        Without the prefix a name belongs to the part that has it, or to both parts of one policy.

        Raises:
            InputError: an unknown parameter, one that two policies have, or a wrong value.
        """
        parts = self.parts
        for name, value in given.items():
            for part, own in self.find_addressed(name):
                parts[part] = parts[part].with_parameters({own: value})
        text = ",".join(f"{name}={value}" for name, value in given.items())
        full_name = f"{self.name}:{text}" if text else self.name
        return replace(self, calling=parts["calling"], playing=parts["playing"], name=full_name)

    def find_addressed(self, name: str) -> list[tuple[str, str]]:
        """Return (part, name) of each parameter that a name means; raises as `with_parameters`."""
        named = {part: each for part, each in self.parts.items() if part not in self.open_parts}
        part, dot, own = name.partition(".")
        with locate_errors(f"policy {quote(self.given)}"):
            if dot:
                if part not in named:
                    raise InputError(f"{shorten(name)}: {suggest_names(part, named)}")
                return [(part, own)]
            parts = [part for part, chosen in named.items() if name in chosen.policy.parameters]
            if not parts:
                known = {each for chosen in named.values() for each in chosen.policy.parameters}
                sources = "+".join(dict.fromkeys(chosen.source for chosen in named.values()))
                command = format_show_command(sources, self.game)
                raise InputError(
                    f"no parameter {quote(name)}; {suggest_names(name, known, command)}"
                )
            if len({named[part].policy for part in parts}) > 1:
                raise InputError(
                    f"{name} is a parameter of both: write calling.{name} or playing.{name}"
                )
        return [(part, name) for part in parts]


PlayerLike: TypeAlias = Player | str | os.PathLike[str] | Policy | Callable[..., Any]
"""A player, a specification of one, or a policy or function that calls or plays for one."""


@cache
def get_default_player(game: str = "kqj") -> Player:
    """Return the default player of a game."""
    name = find_game(game).default_player
    caller, _, other = name.partition("+")
    calling, playing = (parse_policy(part, game=game) for part in (caller, other or caller))
    return Player(calling, playing, name, name)


def parse_player(given: PlayerLike | None, game: str = "kqj") -> Player:
    """Return the player that a specification, policy or function means; the default one for None.

    Raises:
        InputError: one line that says what is wrong and what would be right.
    """
    if given is None:
        return get_default_player(game)
    if isinstance(given, Player):
        if given.game != game:
            raise InputError(f"policy {quote(given.given)} plays {given.game}, not {game}")
        return given
    if isinstance(given, str | os.PathLike):
        spec = os.fspath(given)
        if any("\ud800" <= character <= "\udfff" for character in spec):
            # Results name their policies, and they are UTF-8.
            raise InputError(f"policy {quote(spec)}: the name is not UTF-8: rename the file")
        return _parse_parts(split_parts(spec.strip()), game)
    policy = registry.find_given_policy(given)
    return _make_player(configure(policy, policy.name, game), policy.name)


def split_parts(spec: str, is_file: Callable[[str], bool] = os.path.isfile) -> list[str]:
    """Return A and B of `A+B`, or the whole; the path of a file may have a +, too."""
    ends = [match.end() for match in re.finditer(r"\.(?:py|toml)(?=[:+]|\Z)", spec)]
    start = next((end for end in ends if is_file(spec[:end])), 0)
    for plus in re.finditer(r"\+", spec[start:]):
        first = spec[: start + plus.start()]
        # "./c" is no policy, so the + of "./c++/mine.py" is part of the path.
        if os.path.dirname(first) == "" or any(end <= len(first) for end in ends):
            return [first, spec[len(first) + 1 :]]
    return [spec]


def _parse_parts(parts: Sequence[str], game: str) -> Player:
    first, *others = (_parse_part(part, game) for part in parts)
    return first.join(*others) if others else first


def _parse_part(spec: str, game: str) -> Player:
    of_file = split_file(spec)
    if of_file is not None and of_file[0].endswith(".toml"):
        return read_player_file(Path(of_file[0]), of_file[1], spec, game)
    return _make_player(parse_policy(spec, game=game), spec)


def seat_players(
    given: PlayerLike | Sequence[PlayerLike] | None, rules: GameRules
) -> tuple[Player, ...]:
    """Return the player of each seat, (seats,), with a value for every parameter by the rules.

    `given` is one for all seats, or one for each; None or empty for the default player.

    Raises:
        InputError: there are more or fewer players; a specification is wrong.
    """
    if given is None or (isinstance(given, tuple | list) and not given):
        given = get_default_player(rules.game)
    if isinstance(given, tuple | list):
        players = tuple(parse_player(each, rules.game).under(rules) for each in given)
    else:
        one = cast("PlayerLike", given)
        players = (parse_player(one, rules.game).under(rules),) * rules.seats
    if len(players) != rules.seats:
        raise InputError(
            f"{len(players)} policies: there should be one a seat, {NUMBER_WORDS[rules.seats]}"
        )
    for player in dict.fromkeys(players):
        if reason := player.explain_unasked(rules):
            raise InputError(reason)
    return players


def parse_recorded_player(
    text: str, game: str = "kqj", allowed: Mapping[str, str] | None = None
) -> Player:
    """Parse a player of a record, who is built in or defined in this session.

    A record may be a stranger's: it has no file read and no package imported but those that the
    user names.

    `allowed` are these files and names of packages' policies, by `os.path.abspath`.

    Raises:
        InputError: it is another player.
    """

    def is_allowed(path: str) -> bool:
        return allowed is not None and os.path.abspath(path) in allowed

    built_in = {*find_game(game).built_ins, *find_game(game).presets}
    parts, sources = split_parts(text.strip(), is_allowed), set()
    for at, part in enumerate(parts):
        of_file = split_file(part, is_allowed)
        source = of_file[0] if of_file else part.partition(":")[0]
        if allowed and is_allowed(source):
            # The path that is read is the user's.
            parts[at] = allowed[os.path.abspath(source)] + part[len(source) :]
        elif of_file or source not in built_in.union(registry.list_session_names()):
            raise InputError(
                f"the record names the player {quote(text)}, which is not built in: a record loads "
                f"no policy, so name the players of this run, such as `policy` {shorten(text)}"
                if allowed is None
                else f"the record names {quote(source)}, which is neither built in nor named by "
                "`allow`"
            )
        sources.add(source)
    if built_in >= sources:
        return _parse_built_in_player(text, game)
    return _parse_parts(parts, game)


# A file of records names the same players over and over.
@lru_cache(maxsize=1024)
def _parse_built_in_player(text: str, game: str) -> Player:
    return parse_player(text, game)


def _make_player(configured: ConfiguredPolicy, given: str, name: str = "") -> Player:
    """Return the player for whom a policy makes the decisions that it can make."""
    default = get_default_player(configured.game)
    calls, plays = configured.policy.calls(configured.game), configured.policy.plays
    return Player(
        configured if calls else default.calling,
        configured if plays else default.playing,
        given,
        name or given,
        frozenset(["calling"] * (not calls) + ["playing"] * (not plays)),
    )


def read_player_file(path: Path, overrides: str, spec: str, game: str = "kqj") -> Player:
    """Read the player `spec` in a file for a game, with overrides `a=1,b=2` of its parameters.

    Raises:
        InputError: one line with the file's name: what is wrong and what would be right.
    """

    def parse(content: bytes) -> dict[str, Any]:
        # Numbers stay text, so that 1.000 does not become 1.
        return tomllib.loads(decode_text(content, str(path)), parse_float=str)

    content = registry.read_policy_file(path, parse)
    with locate_errors(str(path)):
        player = replace(_parse_content(content, path, game), given=spec)
    return player.with_parameters(parse_assignments(overrides, spec))


def _parse_content(content: dict[str, Any], path: Path, game: str) -> Player:
    """Return the player that a file describes; raise InputError."""
    for key in content:
        if key not in _KEYS:
            raise InputError(f"unknown key {quote(key)}; {suggest_names(key, _KEYS)}")
    name = content.get("name", path.stem)
    if not isinstance(name, str) or not name.strip():
        raise InputError("name should be a text")
    name = visible(name)
    parts = {part: content[part] for part in PLAYER_PARTS if part in content}
    if bool(parts) == ("policy" in content or "parameters" in content):
        raise InputError(f"it should have {_FORMS}")
    if not parts:
        table = content.get("parameters", {})
        if isinstance(table, dict):
            table = {"policy": content.get("policy"), **table}
        return _make_player(_parse_table("parameters", table, path.parent, game), "", name)
    named = {part: _parse_table(part, parts[part], path.parent, game) for part in parts}
    for part, configured in named.items():
        if part in _make_player(configured, name).open_parts:
            verb = {"calling": "call", "playing": "play"}[part]
            raise InputError(
                f"policy {configured.policy.name!r} does not {verb}: leave [{part}] out"
            )
    filled = {**get_default_player(game).parts, **named}
    return Player(
        filled["calling"],
        filled["playing"],
        name=name,
        open_parts=frozenset({*PLAYER_PARTS} - named.keys()),
    )


def _parse_table(name: str, table: object, folder: Path, game: str) -> ConfiguredPolicy:
    """Return the policy of a table, with its parameters; raise InputError."""
    if not isinstance(table, dict):
        raise InputError(f"[{name}] should be a table")
    if not isinstance(policy := table.get("policy"), str):
        raise InputError(f"it should have {_FORMS}")
    parameters = {key: value for key, value in table.items() if key != "policy"}
    return parse_policy(policy, folder, game).with_parameters(parameters)


def format_player_file(player: Player, width: int) -> str:
    """Format a player's file that reads back as the same, with every parameter explained.

    Lines are about `width` characters long.
    """
    if player.is_single_policy:
        blocks = [
            _format_policy(player.calling, width),
            ["[parameters]", *_format_parameters(player.calling, width)],
        ]
    else:
        blocks = []
        for part, configured in player.parts.items():
            if part in player.open_parts:
                blocks.append([f"# [{part}] is left out: the default player's"])
            else:
                lines = [*_format_policy(configured, width), *_format_parameters(configured, width)]
                blocks.append([f"[{part}]", *lines])
    return "\n".join("\n".join(block) + "\n" for block in blocks)


def _format_policy(configured: ConfiguredPolicy, width: int) -> list[str]:
    """Format `policy = "NAME"` below the policy's summary."""
    lines = [
        f"# {line}"
        for line in textwrap.wrap(
            configured.policy.summary, max(width - 2, 40), break_on_hyphens=False
        )
    ]
    return [*lines, f"policy = {format_json(configured.source)}"]


def _format_parameters(configured: ConfiguredPolicy, width: int) -> list[str]:
    """Format `take = 30  # meaning (allowed, default)`, with the comments aligned; a line with a
    value on which the rules decide is a comment."""
    parameters = configured.policy.parameters
    written = {}
    for name, value in configured.values_by_name.items():
        if value is None:
            written[name] = f"# {name} = {parameters[name].write(parameters[name].default)}"
        elif isinstance(value, str):
            written[name] = f"{name} = {json.dumps(value)}"
        else:
            written[name] = f"{name} = {parameters[name].write(value)}"
    column = max(map(len, written.values()), default=0)
    lines = []
    for name, line in written.items():
        parameter = parameters[name]
        limits = f"{parameter.limits}, default {parameter.default_text}"
        comment = f"{parameter.meaning} ({limits})" if parameter.meaning else limits
        for piece in textwrap.wrap(
            comment, max(width - column - len("  # "), 30), break_on_hyphens=False
        ):
            lines.append(f"{line:{column}}  # {piece}")
            line = ""
    return lines


_LONG_PARAMETERS_PATTERN = re.compile(r":(?=\w+=)[^+]{60,}")
"""Parameters of a player in a record, if they are so many that nobody typed them."""


def shorten_player(text: str, rules: GameRules) -> str:
    """Return a recorded player for people: printable, without built-in policies' defaults."""
    try:
        return parse_recorded_player(text, rules.game).shorten(rules)
    except InputError:
        return visible(_LONG_PARAMETERS_PATTERN.sub("", text))


def label_players(names: Iterable[str]) -> dict[str, str]:
    """Return a label for each player's name: the name, or where parameters fill a line the name
    without them, numbered where two would be alike."""
    labels: dict[str, str] = {}
    for name in dict.fromkeys(names):
        label = short = _LONG_PARAMETERS_PATTERN.sub(":…", name)
        number = 2
        while label in labels.values():
            label, number = f"{short} ({number})", number + 1
        labels[name] = label
    return labels
