"""Odds of cards, against all distributions played on by the referee, and on their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kqj_sim.cards import Card, parse_card
from kqj_sim.core.weighted_draws import thin_draws
from kqj_sim.errors import InputError
from kqj_sim.games.kqj.card_sampler import POWER, KqjCardSampler, PlayModel, convert_cards_to_bits
from kqj_sim.policies.players import parse_player
from kqj_sim.positions.estimator import estimate_options
from kqj_sim.positions.measures import get_kqj_card_measures
from kqj_sim.positions.odds import CardOdds
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_position
from kqj_sim.positions.sampling import EstimatePlan, derive_keys
from kqj_sim.record import Record
from kqj_sim.referee.base import PlayedTrick
from kqj_sim.referee.kqj import PACK, find_trick_winner
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.core.exclusions import exclusions
from tests.policies import slow_plays
from tests.policies.files import write_policy
from tests.positions.estimates import estimate_cards
from tests.slow import slow_after, slow_rows_after
from tests.stats import plain_player
from tests.variants import AUCTION_2, AUCTION_3, LIVELY, TAKE_2, TAKE_3, VARIANTS, told

Hands = dict[int, frozenset[Card]]
Weigh = Callable[[Position, Hands], int | Fraction]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_policy(tmp_path_factory.mktemp("plain"), plain_player.SOURCE)


def rounds(rules: KqjRules, specification: str, deals: int, seed: int = 5) -> Iterator[Record]:
    """Rounds that were played, all six by one specification."""
    experiment = Experiment(rules, (specification,) * SEATS, deals, seed)
    return (record for record in play_records(experiment) if record.tricks)


def at(record: Record, trick: int, card: int) -> Position:
    """A round before a card of a trick, both from 1, as who is to play it sees it."""
    return read_position(record, (trick, card))


def hidden(record: Record, so_far: Position) -> Iterator[Hands]:
    """All hands of the others that agree with the plays, by seat."""
    lacks: list[set[Card]] = [set() for _ in range(SEATS)]
    for number, (found, _) in enumerate(exclusions(record), 1):
        if number == len(so_far.plays):
            lacks = [set(each) for each in found]
            break
    if so_far.upcard is not None:
        for seat in range(SEATS):
            if seat != so_far.contract.sender:
                lacks[seat].add(so_far.upcard)
    others = [seat for seat in range(SEATS) if seat != so_far.seat]
    left = set(PACK) - set(so_far.plays) - set(so_far.hand)
    counts = [8 - len(so_far.played_by(seat)) for seat in others]

    def deal(which: int, cards: set[Card]) -> Iterator[Hands]:
        if which == len(others):
            yield {}
            return
        seat = others[which]
        for hand in combinations(sorted(cards - lacks[seat]), counts[which]):
            for rest in deal(which + 1, cards - set(hand)):
                yield {seat: frozenset(hand), **rest}

    return deal(0, left)


def played_on(so_far: Position, card: Card, world: Hands) -> dict[str, int | Fraction]:
    """Return the outcome of a card, by the referee; the others are plain players."""
    contract, teams = so_far.contract.contract, so_far.teams
    held = {seat: set(hand) for seat, hand in world.items()}
    held[so_far.seat] = set(so_far.hand)
    done = [
        PlayedTrick(b, c, find_trick_winner(b, c, contract)) for b, c in so_far.tricks if len(c) > 5
    ]
    leader, cards = so_far.tricks[-1]
    chosen: Card | None = card
    while len(done) < 8:
        while len(cards) < SEATS:
            seat = (leader + len(cards)) % SEATS
            if chosen is None:
                chosen = plain_player.plays(held[seat], cards, leader, teams, contract)
            held[seat].remove(chosen)
            cards, chosen = (*cards, chosen), None
        done.append(PlayedTrick(leader, cards, find_trick_winner(leader, cards, contract)))
        leader, cards = done[-1].winner, ()
    hands = [[t.cards[(seat - t.leader) % SEATS] for t in done] for seat in range(SEATS)]
    assert isinstance(so_far.rules, KqjRules)
    score = so_far.referee.score_round(teams, so_far.contract, hands, done, so_far.pending)
    own = teams[so_far.seat]
    others = [each for team, each in enumerate(score.scores) if team != own]
    bonuses = [bonus.bonus for bonus in score.bonuses if bonus.team == own]
    return {
        "win_share": int(score.scores[own] > max(others)),
        "contract_made_share": int(score.result == "made"),
        "litigated_share": int(score.result == "litigation"),
        "value": score.scores[own] - Fraction(sum(others), len(others)),
        "own_total_mean": score.totals[own],
        "own_capot_share": int(score.trick_counts[own] == 8),
        "own_kq_share": int("kq" in bonuses),
        "own_kqj_share": int("kqj" in bonuses),
    }


def enumerated(
    record: Record, so_far: Position, weigh: Weigh
) -> tuple[int, dict[Card, dict[str, Fraction]]]:
    """Count the distributions that agree with the plays; average the measures of each card."""
    sums: dict[Card, dict[str, int | Fraction]] = {}
    count = 0
    weights: int | Fraction = 0
    rules = so_far.rules
    assert isinstance(rules, KqjRules)
    for world in hidden(record, so_far):
        count += 1
        weight = weigh(so_far, world)
        weights += weight
        for card in so_far.legal_cards if weight else ():
            names = get_kqj_card_measures(rules).functions
            of = sums.setdefault(card, dict.fromkeys(names, 0))
            for name, value in played_on(so_far, card, world).items():
                of[name] += weight * value
    means = {
        card: {name: Fraction(value, weights) for name, value in of.items()}
        for card, of in sums.items()
    }
    return count, means


def agrees(record: Record, so_far: Position, answer: CardOdds, weigh: Weigh) -> None:
    """The answer is exact and says what enumeration says."""
    count, means = enumerated(record, so_far, weigh)
    assert answer.is_exact, told(record)
    assert answer.layout_count == count, told(record, answer)
    assert set(answer.options) == set(means)
    best = answer.options[answer.best]
    for number, card in enumerate(answer.options):
        for name, value in means[card].items():
            what = told(record, so_far.plays, card, name)
            assert answer.estimate(name, number).value == pytest.approx(float(value)), what
            behind = answer.estimate(name, number, baseline=answer.best)
            assert behind.value == pytest.approx(float(value - means[best][name])), what
    assert means[best]["value"] == max(of["value"] for of in means.values())


def _any(so_far: Position, world: Hands) -> int:
    return 1


@pytest.mark.parametrize("name", slow_after(2, VARIANTS))
def test_the_last_two_tricks_by_enumeration(name: str, plain: str) -> None:
    rules = VARIANTS[name]
    cards = {3: 1, 5: 2, 6: 2}
    for record in rounds(rules, LIVELY, 30):
        for card in [card for card, wanted in cards.items() if wanted > 0]:
            so_far = at(record, 7, card)
            if len(so_far.legal_cards) < 2:
                continue
            answer = estimate_cards(
                so_far, (plain,) * SEATS, ignore_calls=True, ignore_plays=True, threads=1
            )
            agrees(record, so_far, answer, _any)
            cards[card] -= 1
        if not any(cards.values()):
            break
    assert not any(cards.values())


def _eight(so_far: Position, world: Hands, seat: int) -> set[Card]:
    return set(so_far.played_by(seat)) | world[seat]


def _ways_to_take(so_far: Position, world: Hands) -> int:
    """In how many ways first fives could have been dealt with which all would have called so."""
    assert so_far.calls is not None and so_far.upcard is not None
    ways = 1
    for seat in world:
        answers = [
            (number // SEATS + 1, call.contract)
            for number, call in enumerate(so_far.calls)
            if call.seat == seat
        ]
        ways *= sum(
            all(plain_player.takes(five, so_far.upcard, lap) == named for lap, named in answers)
            for five in combinations(_eight(so_far, world, seat) - {so_far.upcard}, 5)
        )
    return ways


def _opens_so(so_far: Position, world: Hands) -> int:
    sender = so_far.contract.sender
    if sender == so_far.seat:
        return 1
    return int(plain_player.opens_with(_eight(so_far, world, sender)) == so_far.contract.contract)


@pytest.mark.parametrize(
    ("rules", "calls", "weigh"),
    slow_rows_after(
        2,
        [
            (TAKE_3, "", _ways_to_take),
            (AUCTION_2, "always+", _opens_so),
            (TAKE_2, "", _ways_to_take),
            (AUCTION_3, "always+", _opens_so),
        ],
    ),
    ids=["take-3", "auction-2", "take-2", "auction-3"],
)
def test_calls_count_by_enumeration(rules: KqjRules, calls: str, weigh: Weigh, plain: str) -> None:
    """And they matter: without them some cards are worth something else.

    What is drawn agrees with what is gone through, weights and all.
    """
    specification = calls + plain
    found = changed = 0
    deviations: list[float] = []
    for record in rounds(rules, specification, 60):
        so_far = at(record, 7, 6)
        if len(so_far.legal_cards) < 2 or found == 8:
            continue
        players = (specification,) * SEATS
        answer = estimate_cards(so_far, players, ignore_plays=True, threads=1)
        agrees(record, so_far, answer, weigh)
        found += 1
        drawn = estimate_cards(
            so_far, players, deals=1000, max_layouts=1, ignore_plays=True, threads=1
        )
        assert drawn.bidding_probability == pytest.approx(answer.bidding_probability, rel=0.2), (
            told(record)
        )
        if not drawn.is_exact:
            deviations += [
                _deviation(drawn, answer, card, "own_total_mean") for card in drawn.ranking
            ]
        _, without = enumerated(record, so_far, _any)
        total = float(without[answer.options[answer.best]]["own_total_mean"])
        changed += answer.estimate("own_total_mean", answer.best).value != total
    assert found == 8
    assert changed > 0
    told_of = [each for each in deviations if math.isfinite(each)]
    assert told_of and max(map(abs, told_of)) < 4


@pytest.mark.parametrize("name", slow_after(2, VARIANTS))
def test_plays_count_by_enumeration(name: str, plain: str) -> None:
    """And they matter: some distributions weigh much more than others.

    A card is an error with a chance, and then any legal one.
    """
    rate = 0.1
    rules = VARIANTS[name]
    players = [parse_player(plain)] * SEATS
    settings = EstimatePlan(ignore_calls=True, threads=1)
    found = weighed = 0
    for record in rounds(rules, LIVELY, 60):
        so_far = at(record, 7, 6)
        sampler = KqjCardSampler(so_far, players, settings, 60)
        if len(so_far.legal_cards) < 2 or sampler.layout_count < 3 or found == 3:
            continue
        sampler.play_model = PlayModel(rules, slow_plays.PATIENCE, error_rate=rate)
        errors = np.zeros(len(so_far.plays) + 1)  # The last is the sum of all weights.

        def weigh(
            so_far: Position, world: Hands, record: Record = record, errors: Any = errors
        ) -> Fraction:
            eight = {seat: _eight(so_far, world, seat) for seat in world}
            plays = slow_plays.slow_plays(record, so_far.seat, eight, 6, 5)
            chances = [rate / choices + (1 - rate) * chance for chance, choices in plays.values()]
            weight = math.prod(chances) ** POWER
            errors[-1] += weight
            for (number, (_, choices)), chance in zip(plays.items(), chances, strict=True):
                errors[number] += weight * rate / choices / chance
            return Fraction(weight)

        answer = estimate_options(sampler, settings)
        assert isinstance(answer, CardOdds)
        count, means = enumerated(record, so_far, weigh)
        assert answer.is_exact and answer.uses_plays and answer.layout_count == count
        shares = answer.card_errors / answer.sums.weights
        assert shares.tolist() == pytest.approx(
            (errors / errors[-1])[:-1].tolist(), rel=1e-3, abs=1e-6
        )
        assert answer.likely_card_errors == np.flatnonzero(shares > 0.5).tolist()
        weighed += answer.effective_number < 0.95 * count
        for number, card in enumerate(answer.options):
            for measure, value in means[card].items():
                close = pytest.approx(float(value), rel=1e-3, abs=1e-3)
                assert answer.estimate(measure, number).value == close, told(record, card, measure)
        found += 1
    assert found == 3
    assert weighed > 0


def test_cards_of_little_weight_are_left_out_without_bias() -> None:
    by_plays, keys = np.tile([0.1, 0.4, 1.0, 3.0], 5_000), derive_keys(7, 0, 20_000)
    kept_keys, weights = keys.copy(), np.full(20_000, 0.5)
    hands = np.repeat(np.arange(20_000), SEATS).reshape(-1, SEATS)
    kept = thin_draws(1.0, by_plays, kept_keys, weights, hands)
    draws, found = hands[:kept, 0], by_plays[hands[:kept, 0]]
    assert (hands[:kept] == draws[:, np.newaxis]).all()
    assert (kept_keys[:kept] == keys[draws]).all()
    assert (weights[:kept] == 0.5 * np.maximum(found, 1.0)).all()
    assert (found >= 1).sum() == 10_000
    for weight in (0.1, 0.4):
        share = (found == weight).sum() / 5_000
        assert abs(share - weight) < 4 * math.sqrt(weight * (1 - weight) / 5_000)


def test_a_round_without_cards_of_others_has_no_plays_to_weigh() -> None:
    record = next(iter(rounds(TAKE_2, "always+greedy", 10)))
    first, second = (
        estimate_cards(at(record, 1, card), deals=64, ignore_calls=True, threads=1)
        for card in (1, 2)
    )
    assert not first.uses_plays and second.uses_plays


def _deviation(sampled: CardOdds, exact: CardOdds, card: int, name: str) -> float:
    """By how many standard errors a sampled mean differs from the truth; NaN without spread."""
    estimate = sampled.estimate(name, card)
    error = (estimate.high - estimate.low) / (2 * 1.959964)
    return (estimate.value - exact.estimate(name, card).value) / error


@pytest.mark.parametrize("rules", slow_after(0, [TAKE_2, AUCTION_3]), ids=["take-2", "auction-3"])
def test_samples_agree_with_enumeration(rules: KqjRules) -> None:
    """With voids the distributions come from a Markov chain, started anew for each."""
    deviations: list[float] = []
    for record in rounds(rules, "always+greedy", 25, seed=8):
        for trick, card in ((6, 6), (7, 2), (7, 6)):
            so_far = at(record, trick, card)
            # Weighed by the plays, 500 deals tell as little as some dozens (a test of its own).
            ask: dict[str, Any] = {
                "policies": ("always+greedy",) * SEATS, "threads": 1, "ignore_plays": True,
            }  # fmt: skip
            exact = estimate_cards(so_far, **ask)
            if not exact.is_exact:
                continue
            for seed in range(8):
                sampled = estimate_cards(so_far, deals=500, max_layouts=1, seed=seed, **ask)
                if exact.layout_count == 1:
                    assert sampled.is_exact
                    break
                assert not sampled.is_exact and sampled.deals == 500
                for name in ("own_total_mean", "value"):
                    deviations.append(_deviation(sampled, exact, sampled.best, name))
    told_of = [each for each in deviations if math.isfinite(each)]
    assert len(told_of) > 400
    assert max(map(abs, told_of)) < 4.5
    assert sum(abs(each) < 1.959964 for each in told_of) / len(told_of) > 0.92


def test_players_who_choose_at_random_are_sampled_and_agree(plain: str) -> None:
    """One who plays at random has the same chances in the exact world as by going through."""
    record = next(iter(rounds(TAKE_2, LIVELY, 10)))
    so_far = at(record, 6, 4)
    answer = estimate_cards(so_far, ("random",) * SEATS, deals=300, ignore_calls=True, threads=1)
    assert not answer.is_exact
    assert answer.deals == 300


@pytest.mark.parametrize(
    "rules", [TAKE_2, replace(AUCTION_2, counter_timing="turn")], ids=["take", "auction"]
)
def test_the_same_seed_gives_the_same_numbers(rules: KqjRules) -> None:
    """Whatever the threads."""
    so_far = at(next(iter(rounds(rules, "always+greedy", 10))), 2, 3)
    players = ("always+greedy",) * SEATS
    one, three = (estimate_cards(so_far, players, deals=3000, threads=n) for n in (1, 3))
    assert one.deals == three.deals == 3000 and one.order == three.order
    assert np.array_equal(one.sums.sums, three.sums.sums)
    assert np.array_equal(one.sums.products, three.sums.products)
    assert np.array_equal(one.question_counts, three.question_counts)
    other = estimate_cards(so_far, players, deals=3000, seed=2, threads=1)
    assert not np.array_equal(other.sums.sums, one.sums.sums)


def _trial(so_far: Position, specification: str, ignore_calls: bool) -> KqjCardSampler:
    settings = EstimatePlan(ignore_calls=ignore_calls, threads=1)
    return KqjCardSampler(so_far, [parse_player(specification)] * SEATS, settings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "calls"),
    [(TAKE_2, ""), (TAKE_3, ""), (AUCTION_2, "always+")],
    ids=["take-2", "take-3", "auction-2"],
)
def test_hands_drawn_by_the_calls_are_calibrated(rules: KqjRules, calls: str, plain: str) -> None:
    """Over many rounds, Senders hold as many trumps as is predicted; without calls they do not.

    The lead is a random card, so that it tells nothing else of the hand.
    """
    specification = f"{calls or plain + '+'}random"
    misses: dict[bool, list[float]] = {False: [], True: []}
    for record in rounds(rules, specification, 400, seed=9):
        so_far = at(record, 1, 2)
        sender = so_far.contract.sender
        if sender == so_far.seat:
            continue
        assert record.hands is not None
        trumps = [card for card in PACK if card.suit == record.contract]
        left = {parse_card(text) for text in record.hands[sender]} - set(so_far.plays)
        held = len(left & set(trumps))
        for ignore_calls, each in misses.items():
            trial = _trial(so_far, specification, ignore_calls)
            chunk = trial.play_chunk(trial.start_search(None, None), 0, 256)
            hands = chunk.hands[so_far.place_of(sender)] & convert_cards_to_bits(trumps)
            each.append(held - np.average(np.bitwise_count(hands), weights=chunk.weights))
    for ignore_calls, each in misses.items():
        assert len(each) > 200
        deviation = np.mean(each) / (np.std(each) / math.sqrt(len(each)))
        assert abs(deviation) > 5 if ignore_calls else abs(deviation) < 3.5, ignore_calls


@pytest.mark.parametrize("rules", [
    TAKE_2,
    replace(TAKE_3, all_no_trump="both_laps"),
    AUCTION_2,
    replace(AUCTION_3, counter_timing="turn"),
], ids=["take-2", "take-3", "any-time", "at-turn"])  # fmt: skip
def test_true_hands_agree_with_the_calls(rules: KqjRules) -> None:
    """Every question that was answered is asked again with the same cards."""
    specification = "points:counter=0.7+greedy"
    stakes = 0
    for record in rounds(rules, specification, 150):
        assert record.hands is not None
        so_far = at(record, 1, 1)
        trial = _trial(so_far, specification, False)
        stakes += record.stake > 1
        seats = [(so_far.opener + place) % SEATS for place in range(SEATS)]
        hands = [convert_cards_to_bits(map(parse_card, record.hands[seat])) for seat in seats]
        trial.layouts, trial.layout_count = np.array([hands]), 1
        assert trial.count_ways(1)[0] > 0, told(record, so_far.opener)
    assert stakes > 0 or rules.bidding == "take"


def test_impossible_calls_raise() -> None:
    """`always` never passes."""
    for record in rounds(TAKE_2, LIVELY, 30):
        if len(record.calls) > 3:
            with pytest.raises(InputError, match="`ignore_calls`"):
                estimate_cards(at(record, 7, 6), ("always+greedy",) * SEATS, threads=1)
            return
    raise AssertionError("no round with a pass")


@pytest.mark.parametrize("turn", [(2, 1), (7, 6)], ids=["drawn", "listed"])
def test_illegal_call_of_an_assumed_player_raises(tmp_path: Path, turn: tuple[int, int]) -> None:
    path = write_policy(tmp_path, '@policy("bold")\ndef choose_take(view):\n    return 7\n')
    passed = (each for each in rounds(TAKE_2, "points+greedy", 30) if len(each.calls) > 3)
    so_far = at(next(passed), *turn)
    with pytest.raises(InputError, match="chose what is not allowed"):
        estimate_cards(so_far, (f"{path}+greedy",) * SEATS, deals=100, threads=1)


def test_precision_ends_sampling(plain: str) -> None:
    """By an interval that may be looked at at every moment."""
    so_far = at(next(iter(rounds(TAKE_2, "always+greedy", 10))), 2, 3)
    players = ("always+greedy",) * SEATS
    answer = estimate_cards(so_far, players, deals=200_000, precision=0.03, threads=1)
    assert answer.sequential
    best = answer.estimate("win_share", answer.best)
    decided = all(lead.low > 0 for lead in answer.estimate_leads().values())
    assert best.high - best.value <= 0.03 or decided
    assert 1000 <= answer.deals < 200_000
