"""A game as shared code sees it: plain data, and modules with what only that game has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from kqj_sim.columns import Column
from kqj_sim.rules import GameRules

if TYPE_CHECKING:
    from kqj_sim.engines import Engine
    from kqj_sim.output.chapters import Chapter, Drawn, KeyFigure, Numbers
    from kqj_sim.output.figures import Chart
    from kqj_sim.output.grid import Grid
    from kqj_sim.policies.players import Player
    from kqj_sim.positions.position import Position
    from kqj_sim.positions.sampling import CardSampler, EstimatePlan, Sampler
    from kqj_sim.questions.odds.screen import RankedOption
    from kqj_sim.referee.base import Referee
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.simulation.recording import RecordingBlock
    from kqj_sim.stats.quantities import Quantity, Unit
    from kqj_sim.stats.tables import DerivedColumn, Table, TableBuilder


class Preset(NamedTuple):
    """A policy with other defaults, under a name of its own."""

    specification: str
    summary: str


class GameTables(Protocol):
    """Tables of a game's rounds; `detail` is True for the further ones of a report, too."""

    def list_joints(self, experiment: Experiment, detail: bool) -> list[tuple[str, ...]]:
        """Return the tuples of columns of which the tables need joint counts."""

    def derive_columns(self, experiment: Experiment, detail: bool) -> list[DerivedColumn]:
        """Return the columns that the tables need besides those of the rows."""

    def make_tables(self, builder: TableBuilder, detail: bool) -> Iterable[Table]:
        """Return every table that applies to the experiment."""

    def make_plot_tables(self, builder: TableBuilder) -> Iterable[Table]:
        """Return those for reports that the picture of a simulation shows, too.

        They need no counts but those of the other tables.
        """


class GameScreen(Protocol):
    """The first screen of a simulation."""

    GROUP_FIGURES: tuple[KeyFigure, ...]
    """The key figures of groups: the share of deals that are played, the share of these with the
    main result, others, and last the lead in score."""

    def make_grids(self, numbers: Numbers) -> tuple[list[str], list[Grid | None]]:
        """Return remarks, and the grids of single rounds, None for one left out."""


class GameReport(Protocol):
    """The contents of a report."""

    CHAPTERS: tuple[Chapter, ...]
    PLOTS: tuple[Drawn, ...]
    """The picture of a simulation; of those with the same name the first whose table is there."""
    KEY_FIGURES: tuple[KeyFigure, ...]
    PLAYED: tuple[str, str]
    """Table and quantity of the rounds that were not passed out."""

    def find_facts(self, numbers: Numbers) -> dict[str, Any]:
        """Return what the sentences say besides numbers of tables, by name."""

    def write_headlines(self, numbers: Numbers, facts: Mapping[str, Any]) -> Sequence[str]:
        """Return the findings in a few sentences."""


class GameAnswers(Protocol):
    """The answer to the odds of calls besides their values; `odds` are those of its sampler."""

    def describe_situation(self, odds: Any) -> str:
        """Return what the player knows, in a sentence."""

    def list_details(self, odds: Any, shared: dict[str, Any]) -> dict[str, Any]:
        """Return the values of the JSON output, with those that all games have."""

    def list_tables(self, odds: Any) -> list[Table]:
        """Return the tables besides that of the calls."""

    def list_charts(self, odds: Any) -> list[Chart]:
        """Return the charts besides the values of calls and their chances to win."""

    def list_grids(self, odds: Any) -> list[Grid]:
        """Return what the first screen shows besides the calls."""

    def explain_best(self, odds: Any, best: RankedOption) -> str:
        """Return a sentence on what makes the best call the best, or an empty text."""


class Game(ABC):
    """A game.  What it alone has is imported when it is asked for.

    Attributes:
        name: as in records and `game`.
        sender: what players call the one who plays the contract.
        raises: whether what waits for the next round is that it is raised, and not points.
        upcard_key: the key of the card turned up in the JSON of `odds`.
        default_player: the player of seats that are not named, who also makes the decisions that
            policies leave out.
        lively_player: a player who makes contracts of every kind, against whom policies that choose
            cards are checked.
        built_ins: the module of each of its policies, by name.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    rules: ClassVar[type[GameRules]]
    columns: ClassVar[tuple[Column, ...]]
    decisions: ClassVar[tuple[str, ...]]
    sender: ClassVar[str]
    raises: ClassVar[bool]
    upcard_key: ClassVar[str]
    default_player: ClassVar[str]
    lively_player: ClassVar[str]
    built_ins: ClassVar[Mapping[str, str]]
    presets: ClassVar[Mapping[str, Preset]]

    # Quantities of comparisons and sweeps, by identifier, and the words on them.

    taken_share: ClassVar[str]
    """Share of rounds in which a side is Sender."""
    made_share: ClassVar[str]
    """Share of these with the best result."""
    taken_heading: ClassVar[str]
    """Heading of the two together."""
    points_from_made: ClassVar[str]
    points_from_failed: ClassVar[str]
    points_from_others: ClassVar[str]
    """Points from contracts of the other side."""
    points_from_bonuses: ClassVar[str]
    """Points besides those of the cards; empty if there are none."""
    score_points: ClassVar[str]
    """The score of a side in a round."""
    comparison_note: ClassVar[str]
    """The definitions of these, in a sentence."""
    point_decimals: ClassVar[int]
    """Decimals of points a round whose interval does not decide them."""
    indifference: ClassVar[float]
    """Default difference that does not matter, in points a round."""
    score_unit: ClassVar[Unit]
    """The unit of points in quantities that every game has."""

    # Tables, reports, and expressions in error messages.

    whole_game_tables: ClassVar[tuple[str, ...]] = ()
    """Names of the tables that only whole games give, besides those of games."""
    team_lead: ClassVar[str]
    """The lead of team 0 over team 1 in the table `scores`."""
    example_expression: ClassVar[str]
    example_label: ClassVar[str]
    example_choice: ClassVar[str]

    # The words in which a round is shown.

    sender_side: ClassVar[str]
    """Name of the team that plays the contract."""
    upcard_name: ClassVar[str]
    upcard_clause: ClassVar[str] = ""
    """The clause on the card turned up during the play; empty if it says nothing then."""
    plays_verb: ClassVar[str]
    """Verb of the sentence on the contract."""
    untaken_note: ClassVar[str]
    """The reason for which hands are shown as dealt."""
    pending_sentences: ClassVar[tuple[str, str]]
    """Sentences on what is pending before a round, and after it."""
    imposed_text: ClassVar[str]
    """The text in place of calls if the contract was imposed."""
    has_laps: ClassVar[bool]
    has_totals: ClassVar[bool]
    """True if a team's total may differ from its card points."""
    score_name: ClassVar[str]
    result_names: ClassVar[Mapping[str, str]]
    """Names of results that differ from those of the record."""

    @property
    def call_decisions(self) -> tuple[str, ...]:
        """The decisions of its calling."""
        return tuple(decision for decision in self.decisions if decision != "card")

    @property
    def sentences(self) -> str:
        """The name of a module beside the template of its sentences (`output.sentences.say`)."""
        return f"{type(self).__module__}.screen"

    @abstractmethod
    def get_engine(self) -> Engine:
        """Return the game in the engine."""

    @abstractmethod
    def make_referee(self, rules: Any) -> Referee:
        """Return the referee of a round under these rules."""

    @abstractmethod
    def make_recording_block(self, experiment: Experiment) -> RecordingBlock:
        """Return a block for the rounds of an experiment."""

    @abstractmethod
    def make_call_sampler(
        self, position: Position, players: Sequence[Player], plan: EstimatePlan
    ) -> Sampler:
        """Return the sampler of a position of calls whose seats are places; players by place."""

    @abstractmethod
    def make_card_sampler(
        self, position: Position, players: Sequence[Player], plan: EstimatePlan, max_layouts: int
    ) -> CardSampler:
        """Return the sampler of a position of cards; at most `max_layouts` layouts are listed."""

    def prepare_samplers(self, rules: Any) -> None:  # noqa: B027  Not every game has to.
        """Compile what samplers under some rules need besides the players."""

    @abstractmethod
    def list_checked_rules(self) -> Mapping[str, GameRules]:
        """Return the rules under which policies are checked, by their description."""

    @abstractmethod
    def quantities(self) -> Mapping[str, Quantity]:
        """Return the quantities of this game alone, by identifier."""

    def list_notes(self, experiment: Experiment) -> tuple[str, ...]:
        """Return the notes under every table."""
        return ()

    @abstractmethod
    def tables(self) -> GameTables:
        """Return the tables of a simulation, and of a report."""

    @abstractmethod
    def screen(self) -> GameScreen:
        """Return the first screen of a simulation."""

    @abstractmethod
    def report(self) -> GameReport:
        """Return the contents of a report."""

    @abstractmethod
    def answers(self) -> GameAnswers:
        """Return what `odds` shows of calls."""
