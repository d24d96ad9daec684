"""Odds of playing and passing: exact answers, plain sampling, and refused input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kqj_sim.core.block import LANES
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen.cards import PACK
from kqj_sim.games.kwajongen.samplers import KwajongenCallOdds, KwajongenCallSampler
from kqj_sim.notation.typed import read_typed_position
from kqj_sim.policies import parse_player
from kqj_sim.policies.card_sets import encode_cards, split_cards
from kqj_sim.positions.estimator import ImpossibleBiddingError, estimate_position
from kqj_sim.positions.measures import DRAWN, LOST, NOT_PLAYED, WON
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.positions.search import Search
from kqj_sim.questions.odds.screen import make_odds_tables

RULES = KwajongenRules()
NEVER, ALWAYS = "random:accept=0", "random:accept=1"
PASS, PLAY = 0, 1


def told(
    hand: str, turned: str, players: str | Sequence[str], deals: int = 2048, **more: Any
) -> KwajongenCallOdds:
    situation: dict[str, object] = {"place": None, "heard": None, "pending": 0}
    situation |= {key: more.pop(key) for key in list(more) if key in situation}
    found = read_typed_position(hand, RULES, return_card=turned, **situation)  # type: ignore[arg-type]
    odds = estimate_position(found, players, deals=deals, **{"error_rate": 0.0, **more})
    assert isinstance(odds, KwajongenCallOdds)
    return odds


def value(odds: KwajongenCallOdds, quantity: str, option: int) -> float:
    return odds.estimate(quantity, option).value


@pytest.mark.parametrize(("raised", "worth"), [(False, 2), (True, 3)])
def test_the_four_highest_trumps_win_everything(raised: bool, worth: int) -> None:
    odds = told("Ah Kh Qh Jh", "Th", NEVER, pending=int(raised))
    assert value(odds, "value", PLAY) == worth
    for quantity in ("win_share", "own_made_share", "own_contract_share", "own_all_tricks_share"):
        assert value(odds, quantity, PLAY) == 1
    assert value(odds, "passed_share", PASS) == 1
    assert value(odds, "value", PASS) == value(odds, "own_points_mean", PASS) == 0
    assert odds.best == PLAY and [odds.get_text(n) for n in odds.ranking] == ["play", "pass"]
    # The next opponent plays and loses all tricks: he goes up by one, too.
    others = told("Ah Kh Qh Jh", "Th", ALWAYS, pending=int(raised))
    assert value(others, "value", PASS) == worth + 1
    assert value(others, "own_made_share", PASS) == value(others, "own_contract_share", PASS) == 0


def test_counts_by_ending_agree_with_means() -> None:
    """Counts by ending and worth agree with the means, which are added up apart from them."""
    odds = told("Ah 9h Ks Tc", "Jh", "standard", deals=1024, place=1, pending=1)
    worths = np.arange(-odds.max_points, odds.max_points + 1)
    for option in (PASS, PLAY):
        counts, live = odds.point_weights[option], odds.sums.weights
        assert counts.sum() == pytest.approx(live) and live < odds.deals
        assert (counts.sum(axis=0) @ worths) / live == pytest.approx(value(odds, "value", option))
        for ending, quantity in (
            (WON, "win_share"),
            (DRAWN, "tied_share"),
            (NOT_PLAYED, "passed_share"),
        ):
            assert counts[ending].sum() / live == pytest.approx(value(odds, quantity, option))
        shares = [odds.estimate_points_share(option, int(worth)) for worth in worths]
        assert sum(each.value for each in shares) == pytest.approx(1)
        assert all(0 <= each.low <= each.value <= each.high <= 1 for each in shares)
    # A win is worth 2 at least if raised, a tie 1 to those who did not play, a loss the others' 2.
    wins, ties = (odds.point_weights[:, ending].sum(axis=0) for ending in (WON, DRAWN))
    assert set(worths[wins > 0]) <= {2, 3, 4} and set(worths[ties > 0]) <= {-1, 1}
    assert set(worths[odds.point_weights[:, LOST].sum(axis=0) > 0]) <= {-2, -3, -4}
    assert set(worths[odds.point_weights[:, NOT_PLAYED].sum(axis=0) > 0]) <= {0}


def test_earlier_players_have_passed() -> None:
    """With players who pass by chance every deal agrees as often, and hands are not biased."""
    players = ("random:accept=0.4", "random:accept=0.7", "standard", "standard")
    odds = told("Ah 9h Ks Tc", "Jh", players, deals=8192, place=2)
    assert odds.bidding_probability == pytest.approx(0.6 * 0.3, abs=4 * (0.18 * 0.82 / 8192) ** 0.5)
    ignored = told("Ah 9h Ks Tc", "Jh", players, deals=2048, place=2, ignore_calls=True)
    assert ignored.bidding_probability == 1 and ignored.deals == 2048
    for option in (PASS, PLAY):
        one, other = (each.estimate("value", option) for each in (odds, ignored))
        assert one.low < other.high and other.low < one.high
    assert [table.name for table in make_odds_tables(ignored)] == ["calls", "hidden"]
    assert [table.name for table in make_odds_tables(odds)] == ["calls", "heard", "hidden"]


def test_the_hidden_cards_are_dealt_evenly() -> None:
    situation = read_typed_position("Ah 9h Ks Tc", RULES, return_card="Jh", place=1)
    players = (parse_player("random", "kwajongen"),) * 4
    sampler = KwajongenCallSampler(situation, players, EstimatePlan(seed=5, ignore_calls=True))
    assert situation.upcard is not None
    own, shown = (
        encode_cards(situation.hand, "kwajongen"),
        encode_cards([situation.upcard], "kwajongen"),
    )
    counts: Counter[tuple[int, int]] = Counter()
    blocks = 40
    for number in range(blocks):
        chunk = sampler.play_chunk(Search(0), number * LANES, LANES)
        assert chunk.hands.shape == (4, LANES)
        for deal in chunk.hands.T:
            assert deal[1] == own and deal[3] & shown
            assert [hand.bit_count() for hand in map(int, deal)] == [4] * 4
            assert int(np.bitwise_or.reduce(deal)).bit_count() == 16
            for place in (0, 2, 3):
                counts.update((place, bit) for bit in split_cards(int(deal[place]) & ~shown))
    deals = blocks * LANES
    for place, size in ((0, 4), (2, 4), (3, 3)):
        found = [counts[place, bit] for bit in split_cards(PACK & ~(own | shown))]
        assert len(found) == 19 and sum(found) == size * deals
        error = (deals * size / 19 * (1 - size / 19)) ** 0.5
        assert max(abs(number - deals * size / 19) for number in found) < 4.5 * error


def test_the_same_numbers_with_any_threads() -> None:
    one, two = (told("Ah 9h Ks Tc", "Jh", "standard", threads=n, place=1) for n in (1, 2))
    assert (one.sums.sums == two.sums.sums).all() and one.deals == two.deals == 2048
    assert (one.order, one.choosing_deals) == (two.order, two.choosing_deals)
    assert one.choosing_deals > 0
    more = told("Ah 9h Ks Tc", "Jh", "standard", place=1, deals=4096, precision=0.02)
    assert more.sequential and more.stop_reason in ("until", "deals")


def test_impossible_pass_raises() -> None:
    with pytest.raises(ImpossibleBiddingError, match="would never pass 1 times there; seat others"):
        told("Ah 9h Ks Tc", "Jh", ALWAYS, place=1, deals=300)
