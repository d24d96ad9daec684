"""The chapters of a report of Kwajongen, in order, and its key figures."""

from __future__ import annotations

from kqj_sim.kwajongen.plots import PLACE_NAMES
from kqj_sim.kwajongen.tables import RESULT_SHARES
from kqj_sim.output.key_figures import capitalize
from kqj_sim.output.numbers import KeyFigure
from kqj_sim.output.page import Part
from kqj_sim.output.page_charts import make_distribution, make_dots, make_heat_maps
from kqj_sim.questions.report.chapter import (
    COMPARED,
    GAMES,
    Chapter,
    Findings,
    GameChapters,
    describe_lead,
    find_extremes,
    format_estimate,
    name_share,
    select_reliable,
)

WON, LOST, TIED = RESULT_SHARES.values()
_PLACE_NAMES = dict(enumerate(PLACE_NAMES))


def has_played_deals(found: Findings) -> bool:
    """Return True if any deal was played."""
    return found.estimate("results", WON).observations > 0


def describe_calls(found: Findings) -> Part:
    """Describe how often each place says play when asked, and how often nobody does."""
    if not has_played_deals(found):
        return Part(text=("Nobody says play: every deal is passed out.",))
    rates = found.get_estimates("calls_by_place", "says_play_share")
    callers = found.get_estimates("calls_by_place", "caller_share_of_deals")
    known = select_reliable(rates)
    played, passed_out = (
        name_share(found.estimate("calls", quantity))
        for quantity in ("played_share", "passed_out_share")
    )
    text = [capitalize(f"{played} of the deals are played, {passed_out} are passed out.")]
    most, least = find_extremes(known)
    if most is not None and least is not None:
        text.append(
            f"Of the players asked, the {PLACE_NAMES[most]} says play most often "
            f"({format_estimate(known[most], 'share')}) and the {PLACE_NAMES[least]} least often "
            f"({format_estimate(known[least], 'share')})."
        )
    return Part(
        text=tuple(text),
        pictures=(
            make_dots(
                "play_rate",
                "Calls of play by place, as a share of the players asked and of all deals.",
                {"of the players asked": rates, "of all deals": callers},
                "says play, %",
                names=_PLACE_NAMES,
            ),
        ),
        grids=found.make_grids("calls"),
        folded=found.make_grids("calls_by_place"),
    )


def describe_results(found: Findings) -> Part:
    """Describe the winners of rounds, by the caller's place and by the card turned up."""
    won, lost, tied = (name_share(found.estimate("results", share)) for share in (WON, LOST, TIED))
    cost = ", which costs the caller's team a point" if tied != "none" else ""
    text = (
        f"The caller's team wins {won} of the played deals and the others {lost}; {tied} are tied"
        f"{cost}.",
    )
    by_place = select_reliable(found.get_estimates("results_by_place", WON))
    by_rank = select_reliable(found.get_estimates("results_by_turned_rank", WON))
    return Part(
        text=text,
        pictures=(
            make_dots(
                "won_by_place",
                "Rounds won by the caller's team, by the caller's place.",
                {"won": by_place},
                "won by the caller's team, %",
                names=_PLACE_NAMES,
            ),
            make_dots(
                "won_by_rank",
                "Rounds won by the caller's team, by the rank of the card that the dealer shows.",
                {"won": by_rank},
                "won by the caller's team, %",
            ),
        ),
        grids=found.make_grids("results"),
        folded=found.make_grids("results_by_place", "results_by_turned_rank"),
    )


def describe_hands(found: Findings) -> Part:
    """Describe the rounds won by the trumps that the caller and the dealer hold."""
    trumps = found.get_estimates("results_by_sender_trumps", WON)
    known = sorted(select_reliable(trumps))
    text = []
    if len(known) > 1:
        few, many = known[0], known[-1]
        text.append(
            f"With {few or 'no'} trump{'s' * (few != 1)} in four cards the caller's team wins "
            f"{format_estimate(trumps[few], 'share')} of the rounds, with {many} trumps "
            f"{format_estimate(trumps[many], 'share')}."
        )
    by_both = found.tables["results_by_place_and_sender_trumps"].estimates(WON)
    cells = {(PLACE_NAMES[place], number): each for (place, number), each in by_both.items()}
    numbers = sorted({number for _, number in cells})
    dealers = found.get_estimates("results_by_dealer_trumps", WON)
    return Part(
        text=tuple(text),
        pictures=(
            make_heat_maps(
                "won_by_hand",
                "Rounds won by the caller's team, by the caller's place and trumps.",
                {"Won by the caller's team, %": cells},
                ("place", PLACE_NAMES),
                ("trumps of the caller", numbers),
            ),
            make_dots(
                "won_by_dealer",
                "Rounds won by the caller's team, by the dealer's trumps, one of which everybody "
                "sees.",
                {"won": select_reliable(dealers)},
                "won by the caller's team, %",
                names={n: f"{n} trump{'s' * (n != 1)}" for n in dealers},
            ),
        ),
        folded=found.make_grids(
            "results_by_sender_trumps",
            "results_by_place_and_sender_trumps",
            "results_by_dealer_trumps",
        ),
    )


def describe_card_points(found: Findings) -> Part:
    """Describe the card points of the sides."""
    caller, others, margin = (
        found.format_text("card_points", "card_points_mean", side)
        for side in ("caller", "others", "difference")
    )
    # Ties stand between those who win.
    order = {"won": WON, "tied": TIED, "lost": LOST}
    stacks = {name: found.get_estimates("margins", quantity) for name, quantity in order.items()}
    return Part(
        text=(
            f"The caller's team has {caller} card points on average, the others {others}: a "
            f"difference of {margin}. The pack has 40 card points, of which only those of the "
            "sixteen cards dealt are in play.",
        ),
        pictures=(
            make_distribution(
                "margins",
                "Card points of the caller's team minus the others', by result.",
                stacks,
                "lead in card points",
                "% of played deals",
            ),
        ),
        grids=found.make_grids("card_points"),
        folded=found.make_grids("points", "margins"),
    )


def describe_tricks(found: Findings) -> Part:
    """Describe the tricks of the caller's team, and how often a side wins all four."""
    caller, others = (
        name_share(found.estimate("capot", f"{side}_capot_share")) for side in ("caller", "others")
    )
    numbers = found.get_estimates("tricks", "share_of_played")
    return Part(
        text=(
            f"In {caller} of the played deals the caller's team wins all four tricks, in {others} "
            "the others do; either earns one point more.",
        ),
        pictures=(
            make_dots(
                "tricks",
                "Tricks of the caller's team.",
                {"tricks": numbers},
                "% of played deals",
                names={n: f"{n} trick{'s' * (n != 1)}" for n in numbers},
            ),
        ),
        folded=found.make_grids("capot", "tricks"),
    )


def describe_scores(found: Findings) -> Part:
    """Describe the changes of the scores of the sides."""
    caller, others, difference = (
        found.format_text("scores", f"{side}_mean")
        for side in ("caller_change", "others_change", "change_difference")
    )
    return Part(
        text=(
            f"When a deal is played, the score of the caller's team changes by {caller} on "
            f"average, that of the others by {others}. Scores go down, so a negative change is "
            f"good. The others' change minus that of the caller's team is {difference} points.",
        ),
        grids=found.make_grids("scores"),
        folded=found.make_grids("scores_by_team"),
    )


def describe_raised(found: Findings) -> Part:
    """Describe the raised rounds of the games."""
    share = name_share(found.estimate("raised", "raised_share"))
    return Part(
        text=(
            f"The round played after one that is passed out is raised: {share} of the rounds "
            "played in games.",
        ),
        grids=found.make_grids("results_by_raised"),
        folded=found.make_grids("raised"),
    )


def write_headlines(found: Findings) -> tuple[str, ...]:
    """Return the findings of a study: what happens, who gains, what to do."""
    if not has_played_deals(found):
        return ("Every deal is passed out.",)
    played = f"{found.format_text('calls', 'played_share')} of the deals are played"
    if found.estimate("calls", "played_share").value == 1:
        played = "Every deal is played"
    won = name_share(found.estimate("results", WON))
    lead = found.estimate("scores", "change_difference_mean")
    headlines = [
        f"{played}, and the caller's team wins {won} of them.",
        describe_lead("The caller's team", "the others", lead, "per played deal", "comes down by"),
    ]
    trumps = select_reliable(found.get_estimates("results_by_sender_trumps", WON))
    if len(trumps) > 1:
        few, many = min(trumps), max(trumps)
        headlines.append(
            f"With {few or 'no'} trump{'s' * (few != 1)} the caller's team wins "
            f"{format_estimate(trumps[few], 'share')} of its rounds, with {many} trumps "
            f"{format_estimate(trumps[many], 'share')}."
        )
    return tuple(headlines)


CHAPTERS = (
    Chapter(
        "calls",
        "Calls",
        describe_calls,
        "Players are asked in order from the opener, at the dealer's left, to the dealer.",
        needs_play=False,
    ),
    Chapter("results", "Results", describe_results),
    Chapter("trumps", "Trumps of the caller and the dealer", describe_hands),
    Chapter("points", "Card points", describe_card_points),
    Chapter("tricks", "Tricks", describe_tricks),
    Chapter("changes", "Scores of a round", describe_scores),
    Chapter(
        "raised",
        "Raised rounds",
        describe_raised,
        "Rounds of the whole games.",
        table="raised",
        needs_play=False,
    ),
    GAMES,
    COMPARED,
)

KEY_FIGURES = (
    KeyFigure("deals played", "calls", "played_share"),
    KeyFigure("won by the caller's team", "results", WON),
    KeyFigure("tied", "results", TIED),
    KeyFigure("all four tricks, either side", "capot", "either_capot_share"),
    KeyFigure(
        "card points of the caller's team, mean", "card_points", "card_points_mean", ("caller",)
    ),
    KeyFigure(
        "gain of the caller's team, mean",
        "scores",
        "change_difference_mean",
    ),
    KeyFigure("raised rounds, of rounds played in games", "raised", "raised_share"),
    KeyFigure("rounds in a game, mean", "games", "rounds_mean"),
)

REPORT = GameChapters(CHAPTERS, KEY_FIGURES, write_headlines, has_played_deals)
