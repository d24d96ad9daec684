"""The chapters of a report of KQJ, in order, and its key figures."""

from __future__ import annotations

from kqj_sim.output.numbers import KeyFigure
from kqj_sim.questions.report.chapter import COMPARED, GAMES, Chapter, GameChapters
from kqj_sim.questions.report.kqj import call_chapters as calls
from kqj_sim.questions.report.kqj import play_chapters as play
from kqj_sim.questions.report.kqj.call_chapters import has_taken_deals
from kqj_sim.questions.report.kqj.headlines import write_headlines

CHAPTERS = (
    Chapter(
        "taking",
        "Takes",
        calls.describe_taking,
        "Players are asked in order from the opener to the dealer, in two laps.",
        table="take_rate",
        needs_play=False,
    ),
    Chapter(
        "auctions",
        "Bidding",
        calls.describe_auctions,
        "A deal is taken if anybody bids; its contract is the last bid.",
        table="auctions",
        needs_play=False,
    ),
    Chapter("contracts", "Contracts made", play.describe_contracts),
    Chapter(
        "hands",
        "The Sender's hand",
        play.describe_hands,
        "Counted in the eight cards with which the Sender plays.",
    ),
    Chapter("totals", "The contracting team's total", play.describe_totals),
    Chapter(
        "take_chart",
        "When to take",
        calls.describe_take_chart,
        "Each deal is played twice: once the opener takes the Return's suit, once they pass and "
        "the players go on calling. The gain is the lead in score of the opener's side after "
        "taking minus its lead after passing. It holds against these players, for the first call.",
        table="take_chart",
        needs_play=False,
    ),
    Chapter("bonuses", "Bonuses", play.describe_bonuses),
    Chapter("litigation", "Litigation", play.describe_litigation, table="pending"),
    Chapter(
        "gratuities", "Gratuities of three teams", play.describe_gratuities, table="gratuities"
    ),
    Chapter("scores", "Scores of a round", play.describe_scores),
    GAMES,
    COMPARED,
)

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

__all__ = ["CHAPTERS", "KEY_FIGURES", "has_taken_deals", "write_headlines"]

REPORT = GameChapters(CHAPTERS, KEY_FIGURES, write_headlines, has_taken_deals)
