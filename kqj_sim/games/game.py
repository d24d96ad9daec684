"""A game as a value: plain data, and where the modules of its parts are.

Shared code asks a game for its parts and never names one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

from kqj_sim.columns import Column
from kqj_sim.rules import GameRules


class Preset(NamedTuple):
    """A policy with other defaults, under a name of its own."""

    specification: str
    summary: str


@dataclass(frozen=True, eq=False)
class Game:
    """A game.

    Attributes:
        name: as in records and `--game`.
        sender: what players call the one who plays the contract.
        raises: whether what waits for the next round is that it is raised, and not points.
        upcard_key: the key of the card turned up in the JSON of `odds`.
        default_player: the player of seats that are not named, who also makes the decisions that
            policies leave out.
        lively_player: a player who makes contracts of every kind, against whom policies that choose
            cards are checked.
        built_ins: names of its policies, each a module of `policies_package`.
        parts: the module and the name of each part, as in entry points: `analysis`
            (`stats.games.AnalyzedGame`), `answers` (`questions.odds.screen.GameAnswers`),
            `report` (`questions.report.views.GameReport`), `engine` (`engines.Engine`),
            `figures` (`questions.simulate.screen.GameFigures`), `pictures`
            (`questions.simulate.plots.GamePictures`), `quantities`
            (`stats.quantities.Quantity` by identifier), `recording`
            (`simulation.recording.RecordingBlock`), `referee` (`referee.base.Referee`, by the
            rules), `round_terms` (`questions.records.rounds.RoundTerms`), `samplers`
            (`positions.sampling.GameSamplers`) and `variants`, the rules under which policies are
            checked, by their description.
    """

    name: str
    title: str
    rules: type[GameRules]
    columns: tuple[Column, ...]
    decisions: tuple[str, ...]
    sender: str
    raises: bool
    upcard_key: str
    default_player: str
    lively_player: str
    policies_package: str
    built_ins: tuple[str, ...]
    presets: Mapping[str, Preset]
    parts: Mapping[str, str]

    @property
    def call_decisions(self) -> tuple[str, ...]:
        """The decisions of its calling."""
        return tuple(each for each in self.decisions if each != "card")

    def part(self, name: str) -> Any:
        """Return a part; its module is imported when it is first asked for."""
        module, _, attribute = self.parts[name].partition(":")
        return getattr(import_module(module), attribute)
