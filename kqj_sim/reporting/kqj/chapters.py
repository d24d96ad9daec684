"""The chapters of a report of KQJ, in order, and the figures that tell most."""

from __future__ import annotations

from kqj_sim.analysis.source import OF_DEALS, OF_TAKEN
from kqj_sim.reporting.chapter import COMPARED, GAMES, Chapter, KeyFigure
from kqj_sim.reporting.kqj import chapters_on_calls as calls
from kqj_sim.reporting.kqj import chapters_on_play as play

CHAPTERS = (
    Chapter(
        "taking",
        "Who takes, when, with what",
        calls.taking,
        "Places count from the opener, 0, to the dealer, 5.",
    ),
    Chapter(
        "auctions",
        "The bidding",
        calls.auctions,
        "A deal is taken if somebody bid; its contract is the last bid's.",
    ),
    Chapter("contracts", "What is made", play.contracts),
    Chapter(
        "hands",
        "How strong the Sender's hand is",
        play.hands,
        "By the eight cards with which he plays, of which he knew fewer when he took.",
    ),
    Chapter("totals", "The contracting team's total", play.totals),
    Chapter(
        "take_chart",
        "When to take",
        calls.take_chart,
        "In each deal the opener takes with the Return's suit, and in the same deal he passes and "
        "the players go on calling; the same players play both. The numbers are points of his side "
        "less the mean of the others'. They hold against these players and for that first call.",
    ),
    Chapter("bonuses", "Bonuses", play.bonuses),
    Chapter("litigation", "Litigation", play.litigation),
    Chapter("gratuities", "Gratuities of three teams", play.gratuities),
    Chapter("scores", "Scores of a round", play.scores),
    GAMES,
    COMPARED,
)

KEY_FIGURES = (
    KeyFigure("deals taken", "taking", f"taken, {OF_DEALS}"),
    KeyFigure("contracts made", "contracts", f"made, {OF_TAKEN}"),
    KeyFigure("litigation", "contracts", f"litigation, {OF_TAKEN}"),
    KeyFigure("total of the contracting team, mean", "contracting_total", "mean"),
    KeyFigure("final amount, mean", "auctions", "final amount, mean"),
    KeyFigure("contracts countered", "auctions", f"countered, {OF_TAKEN}"),
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
