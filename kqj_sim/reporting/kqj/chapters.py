"""The chapters of a report of KQJ, in order, and its key figures."""

from __future__ import annotations

from kqj_sim.reporting.chapter import COMPARED, GAMES, Chapter, KeyFigure
from kqj_sim.reporting.kqj import call_chapters as calls
from kqj_sim.reporting.kqj import play_chapters as play

CHAPTERS = (
    Chapter(
        "taking",
        "Who takes, when, with what",
        calls.describe_taking,
        "Places count from the opener, 0, to the dealer, 5.",
    ),
    Chapter(
        "auctions",
        "The bidding",
        calls.describe_auctions,
        "A deal is taken if somebody bid; its contract is the last bid's.",
    ),
    Chapter("contracts", "What is made", play.describe_contracts),
    Chapter(
        "hands",
        "How strong the Sender's hand is",
        play.describe_hands,
        "By the eight cards with which he plays, of which he knew fewer when he took.",
    ),
    Chapter("totals", "The contracting team's total", play.describe_totals),
    Chapter(
        "take_chart",
        "When to take",
        calls.describe_take_chart,
        "In each deal the opener takes with the Return's suit, and in the same deal he passes and "
        "the players go on calling; the same players play both. The numbers are points of his side "
        "less the mean of the others'. They hold against these players and for that first call.",
    ),
    Chapter("bonuses", "Bonuses", play.describe_bonuses),
    Chapter("litigation", "Litigation", play.describe_litigation),
    Chapter("gratuities", "Gratuities of three teams", play.describe_gratuities),
    Chapter("scores", "Scores of a round", play.describe_scores),
    GAMES,
    COMPARED,
)

KEY_FIGURES = (
    KeyFigure("deals taken", "taking", "taken_share"),
    KeyFigure("contracts made", "contracts", "made_share"),
    KeyFigure("litigation", "contracts", "litigation_share"),
    KeyFigure("total of the contracting team, mean", "contracting_total", "contracting_total_mean"),
    KeyFigure("final amount, mean", "auctions", "final_amount_mean"),
    KeyFigure("contracts countered", "auctions", "countered_share"),
    KeyFigure("score of the contracting team, mean", "scores", "contracting_score_mean"),
    KeyFigure("score of a defending team, mean", "scores", "defending_score_mean"),
    KeyFigure("the opener's taking gains against passing", "take_chart", "gain_mean"),
    KeyFigure("rounds in a game, mean", "games", "rounds_mean"),
)
