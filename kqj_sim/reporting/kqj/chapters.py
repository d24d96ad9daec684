"""The chapters of a report of KQJ, in order, and its key figures."""

from __future__ import annotations

from kqj_sim.analysis.tables import SHARE_OF_DEALS, SHARE_OF_TAKEN
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
    KeyFigure("deals taken", "taking", f"taken, {SHARE_OF_DEALS}"),
    KeyFigure("contracts made", "contracts", f"made, {SHARE_OF_TAKEN}"),
    KeyFigure("litigation", "contracts", f"litigation, {SHARE_OF_TAKEN}"),
    KeyFigure("total of the contracting team, mean", "contracting_total", "mean"),
    KeyFigure("final amount, mean", "auctions", "final amount, mean"),
    KeyFigure("contracts countered", "auctions", f"countered, {SHARE_OF_TAKEN}"),
    KeyFigure(
        "score of the contracting team, mean", "scores", "contracting team, mean a taken deal"
    ),
    KeyFigure("score of the defending team, mean", "scores", "defending team, mean a taken deal"),
    KeyFigure(
        "score of each defending team, mean", "scores", "each defending team, mean a taken deal"
    ),
    KeyFigure("the opener's taking gains against passing", "take_chart", "taking gains, mean"),
    KeyFigure("rounds in a game, mean", "games", "rounds, mean"),
)
