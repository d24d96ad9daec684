"""KQJ: what this game alone has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, ClassVar

from kqj_sim.columns import KQJ_COLUMNS
from kqj_sim.games.game import Game, Preset
from kqj_sim.rules import GameRules, KqjRules

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


class Kqj(Game):
    """KQJ, the game that is played unless another is named."""

    name, title, rules, columns = "kqj", "KQJ", KqjRules, KQJ_COLUMNS
    decisions = ("take", "bid", "counter", "overcounter", "card")
    sender, upcard_key, raises = "Sender", "return", False
    default_player = "learned+network"
    lively_player = "random:take=0.3,bid=0.3,capot=0.05,counter=0.1"
    built_ins: ClassVar[Mapping[str, str]] = {
        "random": "kqj_sim.policies.simple",
        "greedy": "kqj_sim.policies.simple",
        "standard": "kqj_sim.policies.standard",
        "network": "kqj_sim.policies.network",
        "pimc": "kqj_sim.policies.pimc",
        "points": "kqj_sim.policies.points",
        "learned": "kqj_sim.policies.learned",
        "always": "kqj_sim.policies.simple",
        "never": "kqj_sim.policies.simple",
    }
    presets: ClassVar[Mapping[str, Preset]] = {
        "bold": Preset("points:take=0,lap2=0", "calls like points, but takes at once with any hand")
    }

    taken_share, made_share = "sender_share", "sender_made_share"
    taken_heading = "Contracts taken and made"
    points_from_made, points_from_failed = "made_per_round", "failed_per_round"
    points_from_others, points_from_bonuses = "defended_per_round", "bonuses_per_round"
    score_points, score_unit = "score_per_round", "points"
    comparison_note = (
        "Points won or lost: the lead of one's side in these rounds, spread over all rounds."
    )
    point_decimals, indifference = 1, 0.5

    team_lead = "team_difference_mean"
    example_expression = "lap == 2 and sender_trumps >= 4"
    example_label = 'contract == "NT"'
    example_choice = "place in (0, 5)"

    sender_side, upcard_name, plays_verb = "contracting", "Return", "plays"
    untaken_note = "Nobody took: these are the cards as dealt."
    pending_sentences = ("A litigation gratuity of {} is pending.",) * 2
    imposed_text = "None: the contract was imposed."
    has_laps = has_totals = True
    score_name = "score"
    result_names: ClassVar[Mapping[str, str]] = {"litigation": "litigation (equal totals)"}

    def get_engine(self) -> Engine:
        from kqj_sim.engines import KQJ_ENGINE

        return KQJ_ENGINE

    def make_referee(self, rules: KqjRules) -> Referee:
        from kqj_sim.referee.kqj import KqjReferee

        return KqjReferee(rules)

    def make_recording_block(self, experiment: Experiment) -> RecordingBlock:
        from kqj_sim.simulation.recording import KqjRecordingBlock

        return KqjRecordingBlock(experiment)

    def make_call_sampler(
        self, position: Position, players: Sequence[Player], plan: EstimatePlan
    ) -> Sampler:
        from kqj_sim.games.kqj.call_sampler import KqjCallSampler

        return KqjCallSampler(position, players, plan)

    def make_card_sampler(
        self, position: Position, players: Sequence[Player], plan: EstimatePlan, max_layouts: int
    ) -> CardSampler:
        from kqj_sim.games.kqj.card_sampler import KqjCardSampler

        return KqjCardSampler(position, players, plan, max_layouts)

    def prepare_samplers(self, rules: KqjRules) -> None:
        from kqj_sim.games.kqj.card_sampler import PlayModel

        PlayModel(rules)  # It compiles its player.

    def list_checked_rules(self) -> Mapping[str, GameRules]:
        variants = {}
        for teams, bidding in product((2, 3), ("take", "auction")):
            name, rules = f"KQJ, {teams} teams, {bidding}", {"teams": teams, "bidding": bidding}
            for when in ("second_lap", "both_laps", "never"):
                variants[f"{name}, {when}"] = KqjRules.from_dict(rules | {"all_no_trump": when})
                if when == "both_laps":
                    random = rules | {"all_no_trump": when, "partners": "random"}
                    variants[f"{name}, random partners"] = KqjRules.from_dict(random)
        return variants

    def quantities(self) -> Mapping[str, Quantity]:
        from kqj_sim.games.kqj.tables import QUANTITIES

        return QUANTITIES

    def list_notes(self, experiment: Experiment) -> tuple[str, ...]:
        from kqj_sim.games.kqj.tables import list_notes

        return list_notes(experiment)

    def tables(self) -> GameTables:
        from kqj_sim.games.kqj import tables

        return tables

    def screen(self) -> GameScreen:
        from kqj_sim.games.kqj import screen

        return screen

    def report(self) -> GameReport:
        from kqj_sim.games.kqj import report

        return report

    def answers(self) -> GameAnswers:
        from kqj_sim.games.kqj import answers

        return answers
