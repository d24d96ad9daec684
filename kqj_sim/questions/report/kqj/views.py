"""The views of a report of KQJ, in order, and its key figures."""

from __future__ import annotations

from kqj_sim.output.numbers import KeyFigure
from kqj_sim.output.views import QUANTITY, Distribution, Dots, HeatMap, View
from kqj_sim.questions.report.kqj.findings import find_facts, write_headlines
from kqj_sim.questions.report.views import COMPARED, GAMES, GameReport
from kqj_sim.rules import HALF_OF_POINTS

_MADE = {"made": "made_share"}
_MADE_LABEL = "contracts made, %"
_RESULTS = {each: f"{each}_share" for each in ("made", "litigation", "failed")}

VIEWS = (
    View(
        "taking",
        "Takes",
        (
            HeatMap(
                "taking_heat",
                "Deals taken, by lap and place of the take.",
                "Deals taken, % of all deals",
                "taking_by_lap_and_place",
                "share_of_deals",
                min_observations=1,
            ),
            Dots(
                "take_rate",
                "Share of takes among the players asked, by place and lap.",
                "takes, % of the players asked",
                "take_rate",
                {"takes": "takes_share"},
                series="lap",
            ),
        ),
        ("take_rate",),
        ("taking", "taking_by_lap_and_place", "taking_by_kind", "taking_by_contract"),
        "Players are asked in order from the opener to the dealer, in two laps.",
        ("taking", "few_asked"),
        needs="take_rate",
        needs_play=False,
    ),
    View(
        "auctions",
        "Bidding",
        (
            Distribution(
                "amounts",
                "Distribution of the amounts of the last bid.",
                "amount of the last bid",
                "% of taken deals",
                "final_amounts",
                {"last bid": "share_of_taken"},
                step=10,
            ),
            Dots(
                "made_by_amount",
                "Contracts made, by the amount of the last bid.",
                _MADE_LABEL,
                "contracts_by_amount",
                _MADE,
            ),
        ),
        ("auctions", "contracts_by_stake"),
        (
            "opening_amounts", "final_amounts", "contracts_by_amount", "bids", "capot",
            "taking_by_place", "taking_by_contract",
        ),
        "A deal is taken if anybody bids; its contract is the last bid.",
        ("auctions", "countered"),
        needs="auctions",
        needs_play=False,
    ),
    View(
        "contracts",
        "Contracts made",
        (
            Dots(
                "made_by_kind",
                "Contracts made, by kind of contract.",
                _MADE_LABEL,
                "contracts_by_kind",
                _MADE,
            ),
            Dots(
                "made_by_place",
                "Contracts made, by the Sender's place and lap.",
                _MADE_LABEL,
                "contracts_by_lap_and_place",
                _MADE,
                series="lap",
                needs="take_rate",
            ),
            Dots(
                "made_by_place",
                "Contracts made, by the Sender's place.",
                _MADE_LABEL,
                "contracts_by_place",
                _MADE,
            ),
        ),
        ("contracts",),
        (
            "contracts_by_contract", "contracts_by_kind", "contracts_by_lap_and_place",
            "contracts_by_place",
        ),
        sentences=("contracts", "kinds"),
    ),
    View(
        "hands",
        "The Sender's hand",
        (
            HeatMap(
                "made_by_hand",
                "Contracts in a suit made, by the number of the Sender's trumps and side aces.",
                "Contracts in a suit made, %",
                "contracts_by_sender_trumps_and_aces",
                "made_share",
                upward=True,
            ),
            Dots(
                "made_by_points",
                "Contracts made, by the card points in the Sender's hand.",
                _MADE_LABEL,
                "contracts_by_sender_points",
                _MADE,
            ),
        ),
        folded=(
            "contracts_by_sender_trumps", "contracts_by_sender_trumps_and_aces",
            "contracts_by_sender_points",
        ),
        note="Counted in the eight cards with which the Sender plays.",
    ),
    View(
        "totals",
        "The contracting team's total",
        (
            Distribution(
                "totals",
                "Distribution of the contracting team's total minus what it has to reach, by "
                "result. The dashed line is the threshold.",
                "total minus what it has to reach",
                "% of taken deals",
                "margins",
                _RESULTS,
                step=10,
                threshold=(0.0, "0"),
            ),
            Distribution(
                "totals",
                "Distribution of the contracting team's total, by result. The dashed line is the "
                "threshold.",
                "total of the contracting team",
                "% of taken deals",
                "totals",
                _RESULTS,
                step=10,
                threshold=(float(HALF_OF_POINTS), f"{HALF_OF_POINTS}: half of 246"),
            ),
        ),
        ("contracting_total",),
        ("contracting_total_by_contract", "totals", "margins"),
        sentences=("totals", "threshold"),
    ),
    View(
        "take_chart",
        "When to take",
        (
            HeatMap(
                "take_chart",
                "Gain by taking in points, by highest trumps, number of trumps and side aces; "
                "purple where taking is better, orange where passing is.",
                "",
                "take_chart_by_hand",
                "gain_mean",
                diverging=True,
            ),
            HeatMap(
                "take_right",
                "Deals in which taking scores more than passing, by highest trumps and number of "
                "trumps.",
                "Taking scores more, % of deals",
                "take_chart_by_trumps",
                "taking_better_share",
            ),
        ),
        ("take_chart",),
        ("take_chart_by_trumps", "take_chart_by_hand"),
        "Each deal is played twice: once the opener takes the Return's suit, once they pass and "
        "the players go on calling. The gain is the lead in score of the opener's side after "
        "taking minus its lead after passing. It holds against these players, for the first call.",
        ("take_chart", "classes", "worst_class"),
        needs="take_chart",
        needs_play=False,
    ),
    View(
        "bonuses",
        "Bonuses",
        (
            Dots(
                "bonuses",
                "Taken deals with each bonus, by side, on a logarithmic scale.",
                "% of taken deals, logarithmic",
                "bonuses",
                {
                    "last trick": "last_trick_share",
                    "KQ": "kq_share",
                    "KQJ": "kqj_share",
                    "Capot": "capot_share",
                },
                series="side",
                rows=QUANTITY,
                logarithmic=True,
            ),
        ),
        folded=("bonuses", "bonuses_by_contract"),
    ),
    View("litigation", "Litigation", folded=("pending",), needs="pending"),
    View("gratuities", "Gratuities of three teams", folded=("gratuities",), needs="gratuities"),
    View(
        "scores", "Scores of a round", tables=("scores",),
        folded=("scores_by_team", "scores_by_seat"),
    ),
    GAMES,
    COMPARED,
)  # fmt: skip

KEY_FIGURES = (
    KeyFigure("deals taken", "taking", "taken_share"),
    KeyFigure("contracts made, of taken deals", "contracts", "made_share"),
    KeyFigure("litigation, of taken deals", "contracts", "litigation_share"),
    KeyFigure("total of the contracting team, mean", "contracting_total", "contracting_total_mean"),
    KeyFigure("last bid, mean", "auctions", "final_amount_mean"),
    KeyFigure("contracts countered", "auctions", "countered_share"),
    KeyFigure("Capot, either side", "bonuses", "capot_share", ("either",)),
    KeyFigure("KQ, either side", "bonuses", "kq_share", ("either",)),
    KeyFigure("KQJ, either side", "bonuses", "kqj_share", ("either",)),
    KeyFigure(
        "last trick won by the contracting team", "bonuses", "last_trick_share", ("contracting",)
    ),
    KeyFigure("score of the contracting team, mean", "scores", "contracting_score_mean"),
    KeyFigure("score of a defending team, mean", "scores", "defending_score_mean"),
    KeyFigure("lead of the contracting team, mean", "scores", "score_difference_mean"),
    KeyFigure("opener's gain by taking at once, mean", "take_chart", "gain_mean"),
    KeyFigure("rounds in a game, mean", "games", "rounds_mean"),
)

REPORT = GameReport(
    __name__, VIEWS, KEY_FIGURES, ("contracts", "made_share"), find_facts, write_headlines
)
