"""The chapters of a report of Kwajongen, in order, and its key figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kqj_sim.games.kwajongen.tables import RESULT_SHARES
from kqj_sim.output import chapters
from kqj_sim.output.chapters import KeyFigure, Numbers
from kqj_sim.output.grid import MIN_OBSERVATIONS
from kqj_sim.output.sentences import say
from kqj_sim.questions.report.page import COMPARED

WON, LOST, TIED = RESULT_SHARES.values()
_WON_LABEL = "won by the caller's team, %"

# Ties stand between those who win.
_RESULTS = {"won": WON, "tied": TIED, "lost": LOST}
_PLAY_RATE = chapters.Dots(
    "play_rate",
    "Calls of play by place, when asked and as a share of all deals.",
    "says play, %",
    "calls_by_place",
    {
        "when asked": "says_play_share",
        "of all deals": "caller_share_of_deals",
    },
    series="quantity",
)
_TRICKS = chapters.Dots(
    "tricks",
    "Tricks of the caller's team.",
    "% of played deals",
    "tricks",
    {"tricks": "share_of_played"},
)

CHAPTERS: tuple[chapters.Chapter, ...] = (
    COMPARED,
    chapters.Chapter(
        "calls",
        "Calls",
        (
            _PLAY_RATE,
        ),
        ("calls",),
        ("calls_by_place",),
        "Players are asked in order from the opener, at the dealer's left, to the dealer.",
        ("calls", "callers"),
        needs_play=False,
    ),
    chapters.Chapter(
        "results",
        "Results",
        (
            chapters.Dots(
                "won_by_place",
                "Rounds won by the caller's team, by the caller's place.",
                _WON_LABEL,
                "results_by_place",
                {"won": WON},
            ),
            chapters.Dots(
                "won_by_rank",
                "Rounds won by the caller's team, by the rank of the card that the dealer shows.",
                _WON_LABEL,
                "results_by_turned_rank",
                {"won": WON},
            ),
        ),
        ("results",),
        ("results_by_place", "results_by_turned_rank"),
    ),
    chapters.Chapter(
        "trumps",
        "Trumps of the caller and the dealer",
        (
            chapters.HeatMap(
                "won_by_hand",
                "Rounds won by the caller's team, by the caller's place and trumps.",
                "Won by the caller's team, %",
                "results_by_place_and_sender_trumps",
                WON,
            ),
            chapters.Dots(
                "won_by_dealer",
                "Rounds won by the caller's team, by the dealer's trumps, one of which everybody "
                "sees.",
                _WON_LABEL,
                "results_by_dealer_trumps",
                {"won": WON},
            ),
        ),
        folded=(
            "results_by_sender_trumps", "results_by_place_and_sender_trumps",
            "results_by_dealer_trumps",
        ),
    ),
    chapters.Chapter(
        "points",
        "Card points",
        (
            chapters.Distribution(
                "margins",
                "Card points of the caller's team minus the others', by result.",
                "lead in card points",
                "% of played deals",
                "margins",
                _RESULTS,
            ),
        ),
        ("card_points",),
        ("points", "margins"),
    ),
    chapters.Chapter(
        "tricks",
        "Tricks",
        (
            _TRICKS,
        ),
        folded=("capot", "tricks"),
    ),
    chapters.Chapter(
        "changes", "Scores of a round", tables=("scores",), folded=("scores_by_team",),
        sentences=("scores",),
    ),
    chapters.Chapter(
        "raised", "Raised rounds", tables=("results_by_raised",), folded=("raised",),
        needs="raised", needs_play=False, sample="games",
    ),
    chapters.WHOLE_GAMES,
)  # fmt: skip

PLOTS: tuple[chapters.Drawn, ...] = (
    chapters.Distribution(
        "points",
        "Card points of the caller's team, by result.",
        "card points; the cards dealt have 26.7 on average",
        "% of played deals",
        "points",
        _RESULTS,
    ),
    _PLAY_RATE,
    _TRICKS,
    chapters.Dots(
        "won_by_trumps",
        "Results of the caller's team, by the caller's trumps.",
        "% of played deals",
        "results_by_sender_trumps",
        _RESULTS,
        series=chapters.QUANTITY,
    ),
)

KEY_FIGURES: tuple[KeyFigure, ...] = (
    KeyFigure("deals played", "calls", "played_share"),
    KeyFigure("won by the caller's team", "results", WON),
    KeyFigure("tied", "results", TIED),
    KeyFigure("all four tricks, either side", "capot", "either_capot_share"),
    KeyFigure(
        "card points of the caller's team, mean", "card_points", "card_points_mean", ("caller",)
    ),
    KeyFigure("gain of the caller's team, mean", "scores", "change_difference_mean"),
    KeyFigure("raised rounds, of rounds played in games", "raised", "raised_share"),
    KeyFigure("rounds in a game, mean", "games", "rounds_mean"),
)


def find_facts(numbers: Numbers) -> dict[str, Any]:
    """Return what sentences say besides numbers of tables: the fewest and the most trumps."""
    trumps = sorted(
        number
        for (number,), estimate in numbers.estimates("results_by_sender_trumps", WON).items()
        if estimate.observations >= MIN_OBSERVATIONS
    )
    return {"trumps": (trumps[0], trumps[-1]) if len(trumps) > 1 else None}


def write_headlines(numbers: Numbers, facts: Mapping[str, Any]) -> Sequence[str]:
    """Return the findings: what to do, what happens, who gains."""
    if not numbers.count("results", WON):
        return [say(__name__, "nothing_played")]
    names = ("trumps_headline", "results_headline", "lead_headline")
    return list(filter(None, (say(__name__, name, numbers, facts) for name in names)))


PLAYED = ("results", WON)
