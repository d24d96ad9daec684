"""Odds of calls: hidden cards against the rules of chance, rounds against certainty."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kqj_sim.cards import parse_card, parse_cards
from kqj_sim.columns import MAX_TOTAL
from kqj_sim.core.block import LANES
from kqj_sim.core.observed_calls import MAX_ATTEMPTS
from kqj_sim.games.kqj.call_sampler import KqjCallSampler
from kqj_sim.notation.typed import read_typed_position
from kqj_sim.policies.card_sets import encode_cards
from kqj_sim.policies.players import parse_player
from kqj_sim.policies.points import FITTED_TWO, count_points
from kqj_sim.positions.estimator import ImpossibleBiddingError
from kqj_sim.positions.measures import DRAWN, NOT_PLAYED, WON
from kqj_sim.positions.odds import estimate_bidding_probability
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.positions.search import Search
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.stats.intervals import estimate_share
from tests.positions.estimates import odds

AUCTION = KqjRules(bidding="auction")
HAND, RETURN = "9h 8h Ah Ks 4d", "7h"
GREEDY = "points:take=45,lap2=38+greedy"


def sampled(
    players: str, blocks: int, ignore_calls: bool = False, **known: object
) -> tuple[np.ndarray, np.ndarray]:
    """The cards of deals, first and further ones of each place (12, n), and the weights (n,)."""
    situation = read_typed_position(HAND, KqjRules(), return_card=RETURN, **known)  # type: ignore[arg-type]
    settings = EstimatePlan(seed=3, ignore_calls=ignore_calls)
    sampler = KqjCallSampler(situation, [parse_player(players)] * SEATS, settings)
    hands, weights = [], []
    search = Search(sampler.question_count)
    for number in range(blocks):
        chunk = sampler.play_chunk(search, number * LANES, LANES)
        hands.append(chunk.hands)
        weights.append(chunk.weights)
    return np.concatenate(hands, axis=1), np.concatenate(weights)


def counted(hands: np.ndarray, cards: int) -> np.ndarray:
    return np.bitwise_count((hands & cards).astype(np.uint64)).astype(float)


def test_every_card_is_dealt_once() -> None:
    hands, _ = sampled(GREEDY, 1, place=3)
    sizes = [int(counted(hands[which], -1)[0]) for which in range(2 * SEATS)]
    assert sizes == [5, 5, 5, 5, 5, 5, 3, 3, 3, 3, 3, 2]
    together = np.bitwise_or.reduce(hands, axis=0) | encode_cards([parse_card(RETURN)])
    assert (counted(together, -1) == 48).all()
    assert (hands[3] == encode_cards(parse_cards(HAND))).all()


def test_without_calls_hidden_cards_are_uniform() -> None:
    hands, weights = sampled(GREEDY, 20, ignore_calls=True, place=3)
    assert (weights == 1).all()
    hearts = 0xFFF << 16
    # Eight of the 42 hidden cards are hearts: a hand of five has 5 * 8 / 42 of them.
    for place in (0, 1, 5):
        found = counted(hands[place], hearts)
        assert abs(found.mean() - 5 * 8 / 42) < 4 * found.std() / math.sqrt(len(found))


def test_passes_tell_of_hands_as_plain_rejection_does() -> None:
    """Uniform deals, of which those are kept in which nobody before would have taken."""
    turned = encode_cards([parse_card(RETURN)])
    uniform, _ = sampled(GREEDY, 60, ignore_calls=True, place=4)
    passes = np.ones(uniform.shape[1], dtype=bool)
    for place in range(4):
        passes &= np.array(
            [count_points(int(hand) | turned, 1, FITTED_TWO) < 45 for hand in uniform[place]]
        )
    kept = uniform[:, passes]
    hands, weights = sampled(GREEDY, 20, place=4)
    assert weights.std() > 0
    for place in (0, 2, 5):
        for cards in (0xFFF << 16, 0x0038003800380038, 0x0800080008000800):
            plain, ours = counted(kept[place], cards), counted(hands[place], cards)
            mean = (weights * ours).sum() / weights.sum()
            effective = weights.sum() ** 2 / (weights**2).sum()
            error = plain.std() / math.sqrt(len(plain)) + ours.std() / math.sqrt(effective)
            assert abs(plain.mean() - mean) < 3.5 * error, (place, cards)
    found = odds(HAND, return_card=RETURN, place=4, policies=GREEDY, deals=20 * LANES, seed=3)
    error = math.sqrt(passes.mean() * (1 - passes.mean()) / len(passes))
    assert found.bidding_probability == pytest.approx(passes.mean(), abs=5 * error)
    assert found.effective_sample_size == pytest.approx(effective, rel=0.05)


def test_the_share_of_random_passers_is_known() -> None:
    found = odds(HAND, return_card=RETURN, place=5, policies="random:take=0.3", deals=3000)
    assert found.bidding_probability == pytest.approx(0.7**5, rel=0.08)
    # Where hardly any hand will do, for most deals none is found.
    rare = odds(HAND, return_card=RETURN, place=1, policies="random:take=0.9999", deals=2048)
    assert rare.question_counts[0, 1] < rare.deals / 2
    assert rare.bidding_probability == pytest.approx(0.0001, rel=0.15)
    none = odds(HAND, return_card=RETURN, place=5, policies="random:take=0.3", deals=300,
                ignore_calls=True)  # fmt: skip
    assert (none.bidding_probability, none.effective_sample_size, none.deals) == (1, 512, 512)


def test_the_share_of_those_who_agree_has_its_interval() -> None:
    """Wilson's where each hand agrees or not; narrower where a hand's share is known in part."""
    generator = np.random.default_rng(5)
    agree = generator.random(2000) < 0.3
    number = float(agree.sum())
    whole = estimate_bidding_probability(2000, number, number, 0.9)
    assert whole == pytest.approx(tuple(estimate_share(int(number), 2000, 0.9)))
    known = np.where(agree, generator.choice([0.25, 0.5, 1.0], 2000), 0.0)
    found = estimate_bidding_probability(2000, known.sum(), (known**2).sum())
    half = 1.96 * known.std() / math.sqrt(2000)
    assert found.value == known.mean()
    assert (found.low, found.high) == pytest.approx(
        (known.mean() - half, known.mean() + half), abs=0.1 * half
    )
    lasting = estimate_bidding_probability(2000, known.sum(), (known**2).sum(), sequential=True)
    assert lasting.low < found.low < found.high < lasting.high
    assert estimate_bidding_probability(500, 500.0, 500.0)[1:3] == pytest.approx(
        estimate_share(500, 500)[1:3]
    )
    assert math.isnan(estimate_bidding_probability(0, 512.0, 512.0).low)


def test_the_interval_of_those_who_agree_holds_what_is_known() -> None:
    held = 0
    for seed in range(20):
        found = odds(
            HAND, return_card=RETURN, place=3, policies="random:take=0.3", deals=512, seed=seed
        )
        low, high = found.estimate_bidding_probability()[1:3]
        assert found.estimate_bidding_probability().value == found.bidding_probability
        held += low <= 0.7**3 <= high
    assert held >= 16


def test_rare_call_is_searched_in_many_blocks() -> None:
    """One hand in ten millions will do, and a block of deals looks at one million."""
    found = odds(
        HAND, return_card=RETURN, place=1, policies="random:take=0.9999999", deals=64 * LANES
    )
    tried, agreed = found.question_counts[0].tolist()
    assert tried > 60 * LANES * 4000
    assert 1 <= agreed < 20
    assert found.effective_sample_size == pytest.approx(agreed)


def test_impossible_call_raises() -> None:
    with pytest.raises(
        ImpossibleBiddingError, match=r"calls 'pass' as the opener with none.*`ignore_calls`"
    ) as told:
        odds(HAND, return_card=RETURN, place=1, policies="always+greedy", deals=LANES)
    assert f"none of {LANES * MAX_ATTEMPTS:,} hands" in str(told.value)


def test_all_high_trumps_make_capot() -> None:
    found = odds("9h 8h 7h Ah Th Hh Kh Qh", rules=AUCTION, policies="points+greedy", deals=1024)
    (hearts,) = [number for number, option in enumerate(found.options) if option.text == "h played"]
    capot = found.estimate("own_capot_share", hearts)
    assert capot.value == 1
    assert found.estimate_reach_probability(hearts, 400).value == 1
    assert found.estimate("own_made_share", hearts).value == 1
    assert found.is_conclusive(0.01, 0.95)


def test_chances_are_those_of_enumeration() -> None:
    """After seven trumps that nobody beats, a single hidden card decides on Capot."""
    found = odds("9h 8h 7h Ah Th Hh Kh Tc", rules=AUCTION, policies="points+greedy", deals=4096)
    (hearts,) = [number for number, option in enumerate(found.options) if option.text == "h played"]
    # Of the hidden cards Ac alone beats the last one, and is kept: it may lie at five places, all
    # alike, of which the partners' do no harm.
    spoiled = [place % 2 != 0 for place in range(1, SEATS)]
    exact = 1 - sum(spoiled) / len(spoiled)
    error = math.sqrt(exact * (1 - exact) / found.deals)
    assert found.estimate("own_capot_share", hearts).value == pytest.approx(exact, abs=4 * error)
    assert found.estimate_reach_probability(hearts, 400) == found.estimate(
        "own_capot_share", hearts
    )


@pytest.mark.parametrize("rules", [KqjRules(), KqjRules(teams=3)], ids=["two", "three"])
def test_totals_by_ending_agree_with_the_means(rules: KqjRules) -> None:
    """They are added up apart from them, here with weights that are not equal."""
    found = odds(HAND, rules=rules, return_card=RETURN, place=4, policies=GREEDY, deals=2000)
    assert found.effective_sample_size < 0.99 * found.deals
    totals, weights = np.arange(MAX_TOTAL + 1), found.sums.weights
    for option, by_ending in enumerate(found.totals):
        assert by_ending.sum() == pytest.approx(weights)
        mean = found.estimate("own_total_mean", option).value
        assert by_ending.sum(axis=0) @ totals / weights == pytest.approx(mean)
        for ending, quantity in (
            (WON, "win_share"),
            (DRAWN, "litigated_share"),
            (NOT_PLAYED, "passed_share"),
        ):
            share = found.estimate(quantity, option).value
            assert by_ending[ending].sum() / weights == pytest.approx(share)
        assert found.estimate_reach_probability(option, 0).value == 1
    # In a suit no total but one with Capot reaches 390: the same deals, the same interval.
    (take,) = [each for each, option in enumerate(found.options) if option.text == "take h"]
    assert 0 < found.estimate_reach_probability(take, 390).value < 1
    assert found.estimate_reach_probability(take, 390) == pytest.approx(
        tuple(found.estimate("own_capot_share", take))
    )


def test_threads_cannot_be_seen() -> None:
    one, two = (
        odds(HAND, return_card=RETURN, place=2, policies=GREEDY, deals=2000, threads=threads)
        for threads in (1, 2)
    )
    assert one.estimate("value", 0) == two.estimate("value", 0)
    assert (one.totals == two.totals).all()
    assert (one.order, one.choosing_deals) == (two.order, two.choosing_deals)
    assert one.bidding_probability == two.bidding_probability


def test_exchanged_suits_have_equal_values() -> None:
    """Spades and clubs exchanged in hand and Return, and the contracts with them."""
    exchanged = str.maketrans("sc", "cs")
    hand = "9s 8s As Kc 4d"
    one = odds(hand, return_card="7s", lap=2, policies=GREEDY, deals=3000)
    other = odds(
        hand.translate(exchanged), return_card="7c", lap=2, policies=GREEDY, deals=3000, seed=2
    )
    for number, option in enumerate(one.options):
        verb, _, contract = option.text.partition(" ")
        text = f"{verb} {contract.translate(exchanged)}" if len(contract) == 1 else option.text
        (twin,) = [n for n, each in enumerate(other.options) if each.text == text]
        for quantity in ("win_share", "value", "own_total_mean"):
            left, right = one.estimate(quantity, number), other.estimate(quantity, twin)
            width = (left.high - left.low + right.high - right.low) / 2
            assert abs(left.value - right.value) < 1.5 * width, (option.text, quantity)


def test_precision_and_time_end_a_search() -> None:
    found = odds(HAND, return_card=RETURN, policies=GREEDY, precision=0.004)
    assert found.stop_reason == "until"
    assert found.sequential
    assert found.best == 1
    assert found.estimate("value", 1, baseline=0).low > 0
    timed = odds(HAND, return_card=RETURN, policies=GREEDY, deals=10**6, time=1e-9)
    assert (timed.stop_reason, timed.deals) == ("time", 8 * LANES)


def test_a_gratuity_that_waits_goes_to_the_winner() -> None:
    without, given = (
        odds(HAND, return_card=RETURN, policies=GREEDY, deals=256, pending=pending)
        for pending in (0, 100)
    )
    for call in range(2):
        more = given.estimate("value", call).value - without.estimate("value", call).value
        wins, drawn = (
            without.estimate(name, call).value for name in ("win_share", "litigated_share")
        )
        lost = 1 - wins - drawn - without.estimate("passed_share", call).value
        assert more == pytest.approx(100 * (wins - lost))
