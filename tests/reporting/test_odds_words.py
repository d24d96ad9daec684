"""Headlines of odds: the decision in every case, in both games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest

from kqj_sim.analysis.odds.auction_state import AuctionState, CallOption
from kqj_sim.analysis.odds.cards import CardOdds
from kqj_sim.analysis.odds.kqj_calls import KqjCallOdds
from kqj_sim.analysis.odds.kwajongen import CALL_OPTIONS, KwajongenCallOdds
from kqj_sim.analysis.odds.measures import (
    KWAJONGEN_CALLS,
    get_kqj_call_measures,
    get_kqj_card_measures,
)
from kqj_sim.analysis.odds.sampling import Playouts
from kqj_sim.cards import CONTRACTS, add_suit_signs, parse_cards
from kqj_sim.core import call_odds as core
from kqj_sim.core.kwajongen import odds as kwajongen_core
from kqj_sim.places import describe_place
from kqj_sim.reporting.odds_words import (
    describe_option,
    format_chance,
    write_headline,
)
from kqj_sim.rules import KqjRules, KwajongenRules

DEALS = 1000
TAKING, THREE_TEAMS = KqjRules(), KqjRules(teams=3)
AUCTION = KqjRules(bidding="auction")


def give_scores(own: float, spread: float = 0.0) -> np.ndarray:
    """Scores of the player's side less the opponents', with this mean and standard deviation."""
    # Alternating, so that mean and spread are as asked in any number of deals.
    return np.array([own + spread * (-1) ** number for number in range(DEALS)]).round()


def fill(odds: Any, differences: Sequence[np.ndarray], uncountered: Sequence[np.ndarray]) -> Any:
    """Add deals with these score differences, and those if nobody counters."""
    outcomes = np.zeros((len(differences), DEALS, core.OUTCOME_SIZE), dtype=np.int16)
    for option, (points, without) in enumerate(zip(differences, uncountered, strict=True)):
        outcomes[option, :, core.OWN_SCORE] = points
        outcomes[option, :, core.UNCOUNTERED_OWN_SCORE] = without
        outcomes[option, :, core.OWN_COUNTERED] = points != without
    weights, hands = np.ones(DEALS), np.zeros((12, DEALS), dtype=np.int64)
    odds.add(Playouts(DEALS, weights, outcomes, hands, np.zeros((0, 2), dtype=np.int64)))
    odds.order = tuple(range(len(differences)))
    odds.choosing_deals = 500
    return odds


def calls(
    names: Sequence[str],
    *differences: np.ndarray,
    rules: KqjRules = TAKING,
    uncountered: Sequence[np.ndarray] | None = None,
) -> KqjCallOdds:
    """Odds of calls of these names, the best first."""
    options = []
    for name in names:
        *amount, contract = name.replace("take ", "").split()
        known = contract if contract in CONTRACTS else None
        amounts = int(amount[0]) if known and amount else 0
        options.append(CallOption(name, AuctionState(), 0, 0, known, amounts))
    odds = KqjCallOdds(
        measures=get_kqj_call_measures(rules), rules=rules, players=(), seed=1, options=options,
        option_count=len(options), situation=cast(Any, None), observed_calls=[],
    )  # fmt: skip
    return cast(KqjCallOdds, fill(odds, differences, uncountered or differences))


def cards(text: str, *differences: np.ndarray, exact: bool = False) -> CardOdds:
    """Odds of cards, the best first."""
    options = parse_cards(text)
    odds = CardOdds(
        measures=get_kqj_card_measures(TAKING), rules=TAKING, players=(), seed=1, options=options,
        option_count=len(options), partial_round=cast(Any, None), is_exact=exact,
        layout_count=DEALS,
    )  # fmt: skip
    return cast(CardOdds, fill(odds, differences, differences))


def play_or_pass(play: np.ndarray, pass_: np.ndarray) -> KwajongenCallOdds:
    """Odds of playing and passing, in points gained; the better one first."""
    odds = KwajongenCallOdds(
        measures=KWAJONGEN_CALLS, rules=KwajongenRules(), players=(), seed=1, options=CALL_OPTIONS,
        option_count=2, situation=cast(Any, None),
    )  # fmt: skip
    outcomes = np.zeros((2, DEALS, kwajongen_core.OUTCOME_SIZE), dtype=np.int16)
    for option, points in enumerate((pass_, play)):
        outcomes[option, :, kwajongen_core.OWN_SCORE] = -points
    hands, counts = np.zeros((4, DEALS), dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
    odds.add(Playouts(DEALS, np.ones(DEALS), outcomes, hands, counts))
    odds.order = (1, 0) if play.mean() >= pass_.mean() else (0, 1)
    return odds


def say(odds: Any) -> str:
    """The headline."""
    return " / ".join(write_headline(odds))


def test_a_clear_call_is_named_with_its_value_and_the_lead_over_the_next() -> None:
    found = calls(["take h", "pass"], give_scores(218, 20), give_scores(124, 40))
    assert say(found) == (
        "Take ♥: you win 100% of the rounds and score 218 more than the opponents on average "
        "(±1.2). Passing is worth 94 less."
    )


def test_a_call_may_be_the_best_and_yet_lose_points() -> None:
    found = calls(["pass", "take AT"], give_scores(-40, 50), give_scores(-80, 60))
    assert say(found) == (
        "Pass: you win 50% of the rounds and score 40 less than the opponents on average (±3.1). "
        "Taking AT is worth 40 less."
    )


def test_three_teams_are_compared_with_the_better_of_the_others() -> None:
    found = calls(["take h", "pass"], give_scores(90, 20), give_scores(10, 20), rules=THREE_TEAMS)
    assert "score 90 more than the better of the other two teams on average" in say(found)


def test_calls_that_are_not_told_apart_are_tied() -> None:
    one, other = give_scores(50, 40), give_scores(49, -40)
    found = calls(["take h", "pass"], one, other)
    assert say(found) == (
        "Take ♥ or pass: statistically tied (difference 1.0 ±5.0). Take ♥: you win 100% of the "
        "rounds and score 50 more than the opponents on average (±2.5)."
    )
    many = calls(
        ["120 h", "130 h", "pass", "120 s", "120 d"], one, other, other, other, other, rules=AUCTION
    )
    assert say(many).startswith("Bid 120 ♥, 130 ♥, pass or 2 other calls: statistically tied. ")


def test_a_call_that_the_shown_deals_prefer_to_the_chosen_one_leaves_it_undecided() -> None:
    found = calls(["take h", "pass"], give_scores(50, 10), give_scores(55, 10))
    assert say(found) == (
        "Take ♥ or pass: undecided. The deals that chose prefer the first, those shown the second "
        "by 5.0; more --deals decide."
    )


def test_cards_are_named_with_their_value_wins_and_lead() -> None:
    found = cards("Ks 9s", give_scores(85, 20), give_scores(82, 10))
    assert say(found) == "Play K♠: +85 points (±1.2), 100% wins; 9♠ is 3.0 less."
    lost = cards("Th 9h", give_scores(-20, 30), give_scores(-90, 30))
    assert say(lost).startswith("Play T♥: -20 points (±1.9), 50% wins; 9♥ is ")


def test_the_only_legal_card_is_named_as_such() -> None:
    assert say(cards("As", give_scores(12, 5))) == "Only A♠ is legal."


def test_exact_answers_have_no_interval() -> None:
    found = cards("Hh Ah", give_scores(99, 20), give_scores(85, 30), exact=True)
    assert say(found) == "Play H♥: +99 points, 100% wins; A♥ is 14 less."


def test_cards_with_the_same_value_in_all_deals_are_equally_good() -> None:
    found = cards("9s 8s 7s", give_scores(40, 9), give_scores(40, 9), give_scores(20, 9))
    assert say(found).startswith("Play 9♠ or 8♠: equally good. 9♠: +40 points")


def test_kwajongen_speaks_of_points_gained_and_lost() -> None:
    gain, loss = give_scores(1, 1), give_scores(0, 0)
    assert say(play_or_pass(gain, loss)) == (
        "Play: you win 50% of the rounds and gain 1.00 points on the opponents on average (±0.06). "
        "Passing is worth 1.00 less."
    )
    assert "lose 1 points to the opponents" in say(play_or_pass(give_scores(-2), give_scores(-1)))


def test_a_bid_that_is_best_because_it_is_countered_is_exposed() -> None:
    """The first bid is worth 200 as opponents counter it always, and 100 if they do not."""
    big, small = give_scores(200, 50), give_scores(150, 30)
    quiet = (give_scores(100, 50), give_scores(151, 30))
    found = calls(["220 h", "130 h"], big, small, rules=AUCTION, uncountered=quiet)
    found.uncountered_best = 1
    first, second = write_headline(found)
    assert first.startswith("Bid 220 ♥: you win ")
    assert second == (
        "Best only because the assumed opponents counter it (in 100% of the rounds): if nobody "
        "counters, 220 ♥ is worth 100 (±3.1) and 130 ♥ 151 (±1.9)."
    )


def test_a_bid_that_is_tied_without_counters_is_said_to_be() -> None:
    big, small = give_scores(200, 50), give_scores(150, 30)
    quiet = (give_scores(150, 50), give_scores(151, -50))
    found = calls(["220 h", "130 h"], big, small, rules=AUCTION, uncountered=quiet)
    found.uncountered_best = 1
    assert "if nobody counters, 220 ♥ is worth 150 (±3.1), statistically tied with 130 ♥" in say(
        found
    )


@pytest.mark.parametrize(
    ("quiet", "best"),
    [
        # The best stays the best.
        ((190, 150), 0),
        # The deals that value do not agree with those that chose.
        ((160, 150), 1),
    ],
)
def test_nothing_is_said_of_counters_that_change_nothing(quiet: tuple[int, int], best: int) -> None:
    found = calls(
        ["220 h", "130 h"], give_scores(200, 50), give_scores(150, 30), rules=AUCTION,
        uncountered=[give_scores(points, 20) for points in quiet],
    )  # fmt: skip
    found.uncountered_best = best
    assert len(write_headline(found)) == 1


def test_few_effective_deals_and_an_early_end_are_told() -> None:
    found = calls(["take h", "pass"], give_scores(50, 20), give_scores(10, 20))
    found.stop_text = "the opener's call 'pass' is rare"
    found.sums.moments.products[:, 0, 0] *= 25
    assert write_headline(found)[1:] == [
        "Ended early: the opener's call 'pass' is rare",
        "Only a hint: the effective sample is 40 deals, since the assumed players rarely call like "
        "this. Try more --deals, another --policy or --ignore-calls.",
    ]


@pytest.mark.parametrize(
    ("text", "order", "subject"),
    [
        ("no counter", "Do not counter", "Not countering"),
        ("overcounter", "Overcounter", "Overcountering"),
        ("400 AT capot", "Bid 400 AT Capot", "400 AT Capot"),
        ("take NT", "Take NT", "Taking NT"),
    ],
)
def test_every_call_has_words(text: str, order: str, subject: str) -> None:
    found = calls([text], give_scores(1), rules=AUCTION)
    assert describe_option(found, 0)[1:] == (order, subject)


def test_signs_replace_suit_letters_only() -> None:
    assert add_suit_signs("pass, 120 s, Th, no counter, h played") == (
        "pass, 120 ♠, T♥, no counter, ♥ played"
    )


def test_places_are_named() -> None:
    assert [describe_place(place, 4) for place in range(4)] == [
        "the opener", "the 2nd to speak", "the 3rd to speak", "the dealer",
    ]  # fmt: skip


def test_a_chance_is_never_rounded_to_certainty() -> None:
    found = calls(["take h", "pass"], give_scores(50, 20), give_scores(10, 20))
    chance = found.estimate("win_share", 0)
    assert format_chance(chance._replace(value=0.9999, low=0.999, high=1.0)) == "more than 99.9%"
    assert format_chance(chance._replace(value=0.0001, low=0.0, high=0.001)) == "less than 0.1%"
    assert format_chance(chance._replace(value=1.0, low=0.999, high=1.0)) == "100%"
