"""Players as they are written.

A specification names a policy: `standard`, `standard:take=45,lap2=38`, `bold.toml`,
`my_policy.py`, `my_policy.py:cautious`; `A+B` calls like A and plays like B.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kqj_sim.policies.errors import PolicyError, nearest
from kqj_sim.policies.loading import policy_of_file
from kqj_sim.policies.parameters import Value
from kqj_sim.policies.registry import BUILT_IN, Policy, find

FALLBACK = "standard"


@dataclass(frozen=True)
class Chosen:
    """A policy with values for all its parameters, in the order of `policy.parameters`."""

    policy: Policy
    values: tuple[Value, ...]
    source: str
    """What was written before the parameters: a name or a file."""

    @property
    def parameters(self) -> tuple[float, ...]:
        """The values that compiled functions get: all but names of policies."""
        return tuple(value for value in self.values if not isinstance(value, str))

    @property
    def others(self) -> tuple[str, ...]:
        """The policies that its parameters name."""
        return tuple(value for value in self.values if isinstance(value, str))

    @property
    def text(self) -> str:
        """The specification with every parameter written out."""
        values = ",".join(
            f"{name}={parameter.write(value)}"
            for (name, parameter), value in zip(
                self.policy.parameters.items(), self.values, strict=True
            )
        )
        return f"{self.source}:{values}" if values else self.source


@dataclass(frozen=True)
class Player:
    """Who calls and who plays at a seat."""

    calling: Chosen
    playing: Chosen

    @property
    def text(self) -> str:
        """The specification, parameters included: reading it gives the same player."""
        if self.calling == self.playing:
            return self.calling.text
        return f"{self.calling.text}+{self.playing.text}"

    def answering(self, question: str) -> Chosen:
        """Who answers a question; what a policy leaves out `standard` answers."""
        chosen = self.playing if question == "card" else self.calling
        return chosen if chosen.policy.answers(question) else _chosen(FALLBACK)


def choose(found: Policy, source: str, given: Mapping[str, object]) -> Chosen:
    """A policy with some parameters given, as texts or as values of a TOML file.

    Raises:
        PolicyError: an unknown parameter, or a value that is not allowed.
    """
    values = {name: parameter.default for name, parameter in found.parameters.items()}
    for name, value in given.items():
        if name not in values:
            raise PolicyError(
                f"policy {found.name!r} has no parameter {name!r}; {nearest(name, values)}"
            )
        try:
            values[name] = found.parameters[name].read(value)
        except PolicyError as error:
            raise PolicyError(f"policy {found.name!r}: {name}={value}: {error}") from None
    return Chosen(found, tuple(values.values()), source)


def _assignments(text: str, specification: str) -> dict[str, str]:
    """`a=1,b=2` as a dictionary."""
    given: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise PolicyError(f"policy {specification!r}: {part!r} should be parameter=value")
        if name.strip() in given:
            raise PolicyError(f"policy {specification!r}: {name.strip()} is given twice")
        given[name.strip()] = value.strip()
    return given


def _from_toml(path: Path) -> Chosen:
    """`policy = "standard"` and a table `[parameters]`."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PolicyError(f"policy file {path}: no such file") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PolicyError(f"policy file {path}: {error}") from None
    for key in content:
        if key not in ("policy", "parameters"):
            near = nearest(key, ("policy", "parameters"))
            raise PolicyError(f"policy file {path}: unknown key {key!r}; {near}")
    base, given = content.get("policy"), content.get("parameters", {})
    if not isinstance(base, str) or not isinstance(given, dict):
        raise PolicyError(f'policy file {path}: it should have policy = "NAME" and [parameters]')
    chosen = _chosen(base)
    parameters = chosen.policy.parameters.items()
    written = {
        name: parameter.write(value)
        for (name, parameter), value in zip(parameters, chosen.values, strict=True)
    }
    return choose(chosen.policy, chosen.source, {**written, **given})


def _chosen(specification: str) -> Chosen:
    """One policy with its parameters."""
    source, _, rest = specification.partition(":")
    if source.endswith(".toml"):
        if rest:
            raise PolicyError(f"policy {specification!r}: a TOML file takes no further parameters")
        return _from_toml(Path(source))
    if source.endswith(".py"):
        name, _, given = rest.partition(":")
        if "=" in name and not given:
            name, given = "", rest
        found = policy_of_file(Path(source), name)
        source = f"{source}:{found.name}"
        return choose(found, source, _assignments(given, specification) if given else {})
    if not source:
        raise PolicyError("an empty policy; " + nearest("", BUILT_IN))
    return choose(find(source), source, _assignments(rest, specification) if rest else {})


def player(specification: str) -> Player:
    """Read a specification.

    Raises:
        PolicyError: one line that says what is wrong and what would be right.
    """
    calling, plus, playing = specification.strip().partition("+")
    caller = _chosen(calling)
    return Player(caller, _chosen(playing) if plus else caller)
