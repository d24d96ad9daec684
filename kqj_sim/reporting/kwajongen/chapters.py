"""The chapters of a report of Kwajongen, in order, and the figures that tell most."""

from __future__ import annotations

from kqj_sim.analysis.kwajongen.tables import RESULT_NAMES, SHARE_OF_PLAYED
from kqj_sim.analysis.tables import SHARE_OF_DEALS
from kqj_sim.reporting.chapter import (
    COMPARED,
    GAMES,
    MIN_OBSERVATIONS,
    Chapter,
    Findings,
    KeyFigure,
    format_estimate,
    select_reliable,
)
from kqj_sim.reporting.kwajongen.plots import PLACE_NAMES
from kqj_sim.reporting.page import Part
from kqj_sim.reporting.page_charts import render_distribution, render_dots, render_heat_maps

WON, LOST, TIED = (f"{words}, {SHARE_OF_PLAYED}" for words in RESULT_NAMES.values())
SAYS_PLAY = "says play, share of those asked"
_PLACE_NAMES = dict(enumerate(PLACE_NAMES))


def _has_played_deals(found: Findings) -> bool:
    """True if any deal was played."""
    return found.estimate("results", WON).observations > 0


def describe_calls(found: Findings) -> Part | None:
    """Who says play when asked, and how often nobody does."""
    if not _has_played_deals(found):
        return Part(text=("Nobody says play: all deals are passed out.",))
    rates = found.by("calls_by_place", SAYS_PLAY)
    callers = found.by("calls_by_place", f"caller, {SHARE_OF_DEALS}")
    known = select_reliable(rates)
    text = [
        f"{found.show('calls', f'played, {SHARE_OF_DEALS}')} of the deals are played, "
        f"{found.show('calls', f'passed out, {SHARE_OF_DEALS}')} are passed out."
    ]
    most = max(known, key=lambda at: known[at].value, default=None)
    least = min(known, key=lambda at: known[at].value, default=None)
    if most is not None and least is not None and known[most].low > known[least].high:
        text.append(
            f"Of those who are asked the {_format_place(most)} says play most often, in "
            f"{format_estimate(known[most], 'share')}, the {_format_place(least)} least often, in "
            f"{format_estimate(known[least], 'share')}."
        )
    return Part(
        text=tuple(text),
        pictures=(
            found.picture(
                "play_rate",
                "Who says play, by place: of those who are asked, and of all deals, with "
                "intervals.",
                render_dots(
                    {"of those asked": rates, "of all deals": callers},
                    "says play, %",
                    "share",
                    names=_PLACE_NAMES,
                    whole=bool(found.slug),
                ),
            ),
        ),
        grids=found.grids("calls"),
        folded=found.grids("calls_by_place"),
    )


def describe_results(found: Findings) -> Part | None:
    """Who wins the rounds, by place and by the card turned up."""
    if not _has_played_deals(found):
        return None
    text = (
        f"The caller's team wins {found.show('results', WON)} of the played deals, the others "
        f"{found.show('results', LOST)}; {found.show('results', TIED)} are tied, which costs the "
        "caller's team a point.",
    )
    by_place = select_reliable(found.by("results_by_place", WON))
    by_rank = select_reliable(found.by("results_by_turned_rank", WON))
    return Part(
        text=text,
        pictures=(
            found.picture(
                "won_by_place",
                "Rounds won by the caller's team, by his place, with intervals.",
                render_dots(
                    {"won": by_place}, "won by the caller's team, %", "share", names=_PLACE_NAMES,
                    whole=bool(found.slug),
                ),
            ),
            found.picture(
                "won_by_rank",
                "Rounds won by the caller's team, by the rank of the dealer's card turned up, "
                "with intervals.",
                render_dots(
                    {"won": by_rank}, "won by the caller's team, %", "share",
                    whole=bool(found.slug),
                ),
            ),
        ),
        grids=found.grids("results"),
        folded=found.grids("results_by_place", "results_by_turned_rank"),
    )  # fmt: skip


def describe_hands(found: Findings) -> Part | None:
    """Rounds won by the trumps that the caller and the dealer hold."""
    if not _has_played_deals(found):
        return None
    trumps = found.by("results_by_sender_trumps", WON)
    known = sorted(select_reliable(trumps))
    text = []
    if len(known) > 1:
        few, many = known[0], known[-1]
        text.append(
            f"With {few or 'no'} trump{'s' * (few != 1)} among his four cards the caller wins "
            f"{format_estimate(trumps[few], 'share')} of his rounds, with {many} of them "
            f"{format_estimate(trumps[many], 'share')}."
        )
    by_both = found.tables["results_by_place_and_sender_trumps"].estimates(WON)
    cells = {(PLACE_NAMES[place], number): each for (place, number), each in by_both.items()}
    numbers = sorted({number for _, number in cells})
    dealers = found.by("results_by_dealer_trumps", WON)
    return Part(
        text=tuple(text),
        pictures=(
            found.picture(
                "won_by_hand",
                "Rounds won by the caller's team, by his place and the number of his trumps.",
                render_heat_maps(
                    {"Won by the caller's team, %": cells},
                    ("place", PLACE_NAMES),
                    ("trumps of the caller", numbers),
                    "share",
                    min_observations=MIN_OBSERVATIONS,
                ),
            ),
            found.picture(
                "won_by_dealer",
                "Rounds won by the caller's team, by the number of the dealer's trumps, of which "
                "all know one, with intervals.",
                render_dots(
                    {"won": select_reliable(dealers)}, "won by the caller's team, %", "share",
                    names={n: f"{n} trump{'s' * (n != 1)}" for n in dealers},
                    whole=bool(found.slug),
                ),
            ),
        ),
        folded=found.grids(
            "results_by_sender_trumps", "results_by_place_and_sender_trumps",
            "results_by_dealer_trumps",
        ),
    )  # fmt: skip


def describe_card_points(found: Findings) -> Part | None:
    """Card points of the sides."""
    if not _has_played_deals(found):
        return None
    own, others, margin = (
        found.show("card_points", "mean", whose)
        for whose in ("caller's team", "others", "caller's team less others")
    )
    # Ties stand between those who win.
    order = {"won": WON, "tied": TIED, "lost": LOST}
    stacks = {name: found.by("margins", quantity) for name, quantity in order.items()}
    return Part(
        text=(
            f"The caller's team has {own} card points on average, the others {others}: a "
            f"difference of {margin}. Of the 40 card points of the pack only those in the sixteen "
            "cards dealt are in play.",
        ),
        pictures=(
            found.picture(
                "margins",
                "Distribution of the card points of the caller's team less the others', by what "
                "becomes of its rounds.",
                render_distribution(
                    stacks, "card points more than the others", "% of played deals"
                ),
            ),
        ),
        grids=found.grids("card_points"),
        folded=found.grids("points", "margins"),
    )


def describe_tricks(found: Findings) -> Part | None:
    """Tricks of the caller's team, and all four."""
    if not _has_played_deals(found):
        return None
    own, others = (
        found.show("capot", f"won by {side}, {SHARE_OF_PLAYED}")
        for side in ("the caller's team", "the others")
    )
    numbers = found.by("tricks", SHARE_OF_PLAYED)
    return Part(
        text=(
            f"In {own} of the played deals the caller's team wins all four tricks, in {others} the "
            "others do; either is worth a point more.",
        ),
        pictures=(
            found.picture(
                "tricks",
                "Tricks of the caller's team, with intervals.",
                render_dots(
                    {"tricks": numbers},
                    "% of played deals",
                    "share",
                    names={n: f"{n} trick{'s' * (n != 1)}" for n in numbers},
                ),
            ),
        ),
        folded=found.grids("capot", "tricks"),
    )


def describe_scores(found: Findings) -> Part | None:
    """Changes of the scores of the sides."""
    if not _has_played_deals(found):
        return None
    own, others, worth = (
        found.show("scores", f"{whose}, mean a played deal")
        for whose in ("caller's team", "others", "others less caller's team")
    )
    return Part(
        text=(
            f"In a played deal the score of the caller's team changes by {own} on average, that of "
            f"the others by {others}. Down is good: the others' change less that of the caller's "
            f"team is {worth} points.",
        ),
        grids=found.grids("scores"),
        folded=found.grids("scores_by_team"),
    )


def describe_raised(found: Findings) -> Part | None:
    """Raised rounds of the games."""
    if "raised" not in found.tables:
        return None
    share = found.show("raised", f"raised, {SHARE_OF_PLAYED}")
    return Part(
        text=(
            f"After a round passed out the next one that is played is raised: {share} of the "
            "played rounds of the games are.",
        ),
        grids=found.grids("results_by_raised"),
        folded=found.grids("raised"),
    )


def _format_place(number: int) -> str:
    """A place in a sentence."""
    return ("player at the dealer's left", "second", "third", "dealer")[number]


CHAPTERS = (
    Chapter(
        "calls",
        "Who says play",
        describe_calls,
        "Places count from the dealer's left, 0, to the dealer, 3.",
    ),
    Chapter("results", "Who wins", describe_results),
    Chapter("trumps", "How many trumps the caller and the dealer hold", describe_hands),
    Chapter("points", "Card points", describe_card_points),
    Chapter("tricks", "Tricks, and all four of them", describe_tricks),
    Chapter("changes", "What a round is worth", describe_scores),
    Chapter(
        "raised", "Raised rounds", describe_raised, "Of the whole games that are played besides."
    ),
    GAMES,
    COMPARED,
)

KEY_FIGURES = (
    KeyFigure("deals played", "calls", f"played, {SHARE_OF_DEALS}"),
    KeyFigure("won by the caller's team", "results", WON),
    KeyFigure("tied", "results", TIED),
    KeyFigure("all four tricks, either side", "capot", f"won by either, {SHARE_OF_PLAYED}"),
    KeyFigure("card points of the caller's team, mean", "card_points", "mean", ("caller's team",)),
    KeyFigure(
        "others' change of the score less the caller's team's, mean",
        "scores",
        "others less caller's team, mean a played deal",
    ),
    KeyFigure("raised rounds, of those played", "raised", f"raised, {SHARE_OF_PLAYED}"),
    KeyFigure("rounds in a game, mean", "games", "rounds, mean"),
)
