"""Kwajongen as a value, with its rules and the columns of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from kqj_sim.cards import CONTRACTS
from kqj_sim.columns import (
    SUIT_LABELS,
    Column,
    make_flag_column,
    make_label_column,
    make_sender_column,
)
from kqj_sim.games.game import Game
from kqj_sim.rules import GameRules, make_rule_field


@dataclass(frozen=True)
class KwajongenRules(GameRules):
    """The rules of a table of Kwajongen; raises InputError for a value that does not exist.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.play(rules=kqj.KwajongenRules(void_rule="free")).record.game
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
    make_sender_column("place", 3, "place of the caller: 0 left of the dealer to 3 the dealer"),
    make_sender_column("sender", 3, "seat of the caller"),
    make_sender_column("contracting_team", 1, "team of the caller"),
    make_label_column("trump", SUIT_LABELS, "the trump suit, that of the dealer's card turned up"),
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

KWAJONGEN = Game(
    name="kwajongen",
    title="Kwajongen",
    rules=KwajongenRules,
    columns=KWAJONGEN_COLUMNS,
    decisions=("accept", "card"),
    sender="caller",
    raises=True,
    upcard_key="turned",
    default_player="standard",
    lively_player="random",
    policies_package="kqj_sim.games.kwajongen.policies",
    built_ins=("random", "standard"),
    presets={},
    parts={
        "variants": "kqj_sim.games.kwajongen.answers:CHECKED_RULES",
        "analysis": "kqj_sim.games.kwajongen.tables:ANALYSIS",
        "quantities": "kqj_sim.games.kwajongen.tables:QUANTITIES",
        "score_unit": "kqj_sim.games.kwajongen.tables:SCORE_UNIT",
        "engine": "kqj_sim.games.kwajongen.recording:ENGINE",
        "figures": "kqj_sim.games.kwajongen.screen:FIGURES",
        "pictures": "kqj_sim.games.kwajongen.plots:PICTURES",
        "report": "kqj_sim.games.kwajongen.report:REPORT",
        "recording": "kqj_sim.games.kwajongen.recording:KwajongenRecordingBlock",
        "referee": "kqj_sim.games.kwajongen.referee:KwajongenReferee",
        "round_terms": "kqj_sim.games.kwajongen.answers:TERMS",
        "samplers": "kqj_sim.games.kwajongen.samplers:SAMPLERS",
        "answers": "kqj_sim.games.kwajongen.answers:ANSWERS",
    },
)
