"""Kwajongen, a second game, of 24 cards: all that is its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from kqj_sim.cards import CONTRACTS, SUITS
from kqj_sim.columns import Column, make_flag_column, make_label_column, make_sender_column
from kqj_sim.games.game import Game, Preset
from kqj_sim.rules import GameRules, make_rule_field

if TYPE_CHECKING:
    from kqj_sim.engines import Engine
    from kqj_sim.games.game import GameAnswers, GameReport, GameScreen, GameTables
    from kqj_sim.policies.players import Player
    from kqj_sim.positions.position import Position
    from kqj_sim.positions.sampling import CardSampler, EstimatePlan, Sampler
    from kqj_sim.referee.base import Referee
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.simulation.recording import RecordingBlock
    from kqj_sim.stats.quantities import Quantity


@dataclass(frozen=True)
class KwajongenRules(GameRules):
    """The rules of a table of Kwajongen; raises InputError for a value that does not exist.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.show(rules=kqj.KwajongenRules(void_rule="free")).record.game
        'kwajongen'
    """

    game: ClassVar[str] = "kwajongen"
    seats: ClassVar[int] = 4
    tricks: ClassVar[int] = 4
    ranks: ClassVar[str] = "AKQJT9"
    start_score: ClassVar[int] = 10
    score_sign: ClassVar[int] = -1

    bidding = "accept"
    partners = "fixed"
    target = 0
    team_count = score_count = 2
    contracts = CONTRACTS[:4]
    max_points = 4
    """A raised round that the caller loses without a trick brings the other team down by 3 and the
    caller's up by 1."""

    void_rule: Literal["must_trump", "free"] = make_rule_field(
        "must_trump",
        ("must_trump", "free"),
        "Make a player who cannot follow suit play a trump (must_trump) or not (free).",
    )

    def fixed_team_of(self, seat: int) -> int:
        """Return the team of a seat, 0 to 3."""
        return seat % 2


KWAJONGEN_COLUMNS: tuple[Column, ...] = (
    Column("dealer", 0, 3, "seat of the dealer"),
    make_flag_column("taken", "true if somebody said play"),
    make_sender_column("place", 3, "place of the caller, also 0 (opener) to 3 (dealer)"),
    make_sender_column("sender", 3, "seat of the caller"),
    make_sender_column("contracting_team", 1, "team of the caller"),
    make_label_column("trump", tuple(SUITS), "the trump suit, that of the dealer's card turned up"),
    make_label_column("turned_rank", ("9", "T", "J", "Q", "K", "A"), "rank of that card"),
    make_label_column(
        "result",
        ("made", "failed", "tie", "passed_out"),
        "whether the caller's team had more points, fewer, or as many",
    ),
    Column("contracting_card_points", 0, 40, "card points of the caller's team"),
    Column("defending_card_points", 0, 40, "card points of the other team"),
    Column("contracting_tricks", 0, 4, "tricks of the caller's team"),
    make_flag_column("capot_contracting", "true if the caller's team won all four tricks"),
    make_flag_column("capot_defending", "true if the other team won all four tricks"),
    make_flag_column("raised", "true if the round was raised"),
    make_flag_column("pending_after", "true if the next round is raised"),
    *(Column(f"card_points_{t}", 0, 40, f"card points of team {t}") for t in range(2)),
    *(Column(f"tricks_{t}", 0, 4, f"tricks of team {t}") for t in range(2)),
    *(
        Column(f"score_{t}", -3, 1, f"change of the score of team {t}, down is good")
        for t in range(2)
    ),
    make_sender_column("sender_trumps", 4, "trumps among the caller's four cards"),
    Column("dealer_trumps", 1, 4, "trumps among the dealer's four cards"),
    Column("contracting_score", -3, 1, "change of the score of the caller's team"),
    Column("defending_score", -3, 0, "change of the score of the other team"),
    *(Column(f"team_of_seat_{s}", 0, 1, f"team of seat {s}") for s in range(4)),
)
"""The columns of Kwajongen's rows."""


class Kwajongen(Game):
    """Kwajongen, a small game for four."""

    name, title, rules, columns = "kwajongen", "Kwajongen", KwajongenRules, KWAJONGEN_COLUMNS
    decisions = ("accept", "card")
    sender, upcard_key, raises = "caller", "turned", True
    default_player, lively_player = "standard", "random"
    built_ins: ClassVar[Mapping[str, str]] = {
        "random": "kqj_sim.games.kwajongen.policies",
        "standard": "kqj_sim.games.kwajongen.policies",
    }
    presets: ClassVar[Mapping[str, Preset]] = {}

    taken_share, made_share = "caller_share", "caller_round_won_share"
    taken_heading = "Rounds as caller, and won"
    points_from_made, points_from_failed = "caller_won_per_round", "caller_lost_per_round"
    points_from_others, points_from_bonuses = "against_caller_per_round", ""
    score_points, score_unit = "score_reduction_per_round", "change"
    comparison_note = (
        "Points won or lost: how much more the others' score changes than one's own in these "
        "rounds, spread over all rounds."
    )
    point_decimals, indifference = 3, 0.01

    whole_game_tables = ("raised", "results_by_raised")
    team_lead = "team_change_difference_mean"
    example_expression = "place == 3 and sender_trumps >= 2"
    example_label = 'trump == "h"'
    example_choice = "place in (0, 3)"

    sender_side, upcard_name, plays_verb = "caller's", "Dealer's card", "called play, trump"
    upcard_clause = "the dealer showed {}"
    untaken_note = "Nobody called play: these are the cards as dealt."
    pending_sentences = ("The round is raised.", "The next round is raised.")
    imposed_text = "None: the caller was imposed."
    has_laps = has_totals = False
    score_name = "change of score"
    result_names: ClassVar[Mapping[str, str]] = {
        "made": "won",
        "failed": "lost",
        "tie": "tied, which counts as lost",
    }

    def get_engine(self) -> Engine:
        from kqj_sim.games.kwajongen.engine import ENGINE

        return ENGINE

    def make_referee(self, rules: KwajongenRules) -> Referee:
        from kqj_sim.games.kwajongen.referee import KwajongenReferee

        return KwajongenReferee(rules)

    def make_recording_block(self, experiment: Experiment) -> RecordingBlock:
        from kqj_sim.games.kwajongen.engine import KwajongenRecordingBlock

        return KwajongenRecordingBlock(experiment)

    def make_call_sampler(
        self, position: Position, players: Sequence[Player], plan: EstimatePlan
    ) -> Sampler:
        from kqj_sim.games.kwajongen.samplers import KwajongenCallSampler

        return KwajongenCallSampler(position, players, plan)

    def make_card_sampler(
        self, position: Position, players: Sequence[Player], plan: EstimatePlan, max_layouts: int
    ) -> CardSampler:
        from kqj_sim.games.kwajongen.samplers import KwajongenCardSampler

        return KwajongenCardSampler(position, players, plan, max_layouts)

    def list_checked_rules(self) -> Mapping[str, GameRules]:
        return {
            f"Kwajongen, {void_rule}": KwajongenRules(void_rule=void_rule)
            for void_rule in ("must_trump", "free")
        }

    def quantities(self) -> Mapping[str, Quantity]:
        from kqj_sim.games.kwajongen.tables import QUANTITIES

        return QUANTITIES

    def tables(self) -> GameTables:
        from kqj_sim.games.kwajongen import tables

        return tables

    def screen(self) -> GameScreen:
        from kqj_sim.games.kwajongen import screen

        return screen

    def report(self) -> GameReport:
        from kqj_sim.games.kwajongen import report

        return report

    def answers(self) -> GameAnswers:
        from kqj_sim.games.kwajongen import answers

        return answers
