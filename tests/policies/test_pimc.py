"""`pimc`: what it chooses where the right choice can be worked out otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.cards import Card, parse_card
from kqj_sim.core.block import DEAL_NUMBER, PLAYER_BITS, PLAYERS_BY_POSITION, SEATS, STRIDE
from kqj_sim.core.block import TRICK_CARDS as ON_TABLE
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.jit import kernel
from kqj_sim.core.types import Rules, Seating
from kqj_sim.record import Record
from kqj_sim.referee.base import FinalContract, PlayedTrick
from kqj_sim.referee.kqj import find_trick_winner, list_legal_cards, score_round
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.core.exclusions import exclusions
from tests.core.turns import stopped
from tests.slow import slow_after
from tests.variants import AUCTION_2, LIVELY, TAKE_2, TAKE_3, rules_in, told

SEED = 23
EXHAUSTIVE = "pimc:worlds=1000,first_worlds=1000,weigh=false,rollout=random,prior=none"
"""Where at most 120 worlds are left it knows them all, and random players have no choice."""


class Turn(NamedTuple):
    """The last turn of the last trick but one: one card each is hidden, everything else known."""

    record: Record
    seat: int
    legal: list[Card]
    chosen: Card
    hands: list[dict[int, Card]]
    """The last cards of the others by seat, in every way that agrees with what is known."""


def _cards(texts: list[str]) -> list[Card]:
    return [parse_card(text) for text in texts]


def _turn(record: Record) -> Turn | None:
    """That turn of a round, if it left a choice."""
    assert record.hands is not None and record.contract is not None
    lead, last = record.tricks[6], record.tricks[7]
    seat = (lead.leader + 5) % SEATS
    final = {(last.leader + k) % SEATS: card for k, card in enumerate(_cards(last.cards))}
    trick = _cards(lead.cards)
    legal = list_legal_cards(
        [trick[5], final[seat]], trick[:5], lead.leader, record.teams, record.contract
    )
    if len(legal) < 2:
        return None
    lacks = [next_lacks for _, next_lacks in zip(range(6 * 6 + 5), _lacks(record), strict=False)][
        -1
    ]
    if record.turned is not None and record.sender != seat:
        returned = parse_card(record.turned)
        for other in final:
            if other != record.sender and returned in final.values():
                lacks[other].add(returned)
    others = [other for other in final if other != seat]
    hidden = [final[other] for other in others]
    worlds = [dict(zip(others, order, strict=True)) for order in permutations(hidden)]
    hands = [world for world in worlds if all(world[o] not in lacks[o] for o in others)]
    assert {other: final[other] for other in others} in hands
    return Turn(record, seat, sorted(legal), trick[5], hands)


def _lacks(record: Record) -> Iterator[list[set[Card]]]:
    for lacks, _ in exclusions(record):
        yield [set(each) for each in lacks]


def _worth(turn: Turn, card: Card, world: dict[int, Card]) -> float:
    """Return a round's value to the player's team: half the difference of scores and totals."""
    record, seat = turn.record, turn.seat
    assert record.hands is not None and record.contract is not None and record.sender is not None
    contract = record.contract
    tricks = [PlayedTrick(t.leader, tuple(_cards(t.cards)), t.winner) for t in record.tricks[:6]]
    (kept,) = set(turn.legal) - {card}
    cards = [*_cards(record.tricks[6].cards)[:5], card]
    leader = record.tricks[6].leader
    winner = find_trick_winner(leader, cards, contract)
    tricks.append(PlayedTrick(leader, tuple(cards), winner))
    finals = {**world, seat: kept}
    last = [finals[(winner + k) % SEATS] for k in range(SEATS)]
    tricks.append(PlayedTrick(winner, tuple(last), find_trick_winner(winner, last, contract)))
    hands = [[trick.cards[(s - trick.leader) % SEATS] for trick in tricks] for s in range(SEATS)]
    called = FinalContract(record.sender, contract, record.amount, record.capot, record.stake)
    score = score_round(rules_in(record), record.teams, called, hands, tricks)
    values = [score.scores[team] + score.totals[team] for team in range(len(score.scores))]
    own = values.pop(record.teams[seat])
    return (own - sum(values) / len(values)) / 2


@pytest.mark.parametrize(
    "rules", slow_after(1, [AUCTION_2, TAKE_2, TAKE_3]), ids=["auction-2", "take-2", "take-3"]
)
def test_in_the_last_choice_it_finds_the_best_card(rules: KqjRules) -> None:
    """By going through all worlds with the referee."""
    experiment = Experiment(rules, (f"{LIVELY}+{EXHAUSTIVE}",) * SEATS, deals=60, seed=SEED)
    choices = differing = 0
    for record in play_records(experiment):
        turn = _turn(record) if record.tricks else None
        if turn is None:
            continue
        worth = {
            card: sum(_worth(turn, card, world) for world in turn.hands) / len(turn.hands)
            for card in turn.legal
        }
        best = max(worth.values())
        assert worth[turn.chosen] == pytest.approx(best), told(record, turn.chosen, worth)
        choices += 1
        differing += min(worth.values()) < best - 1e-9
    assert choices > 15
    assert differing > 10


@kernel(cache=False)
def _ask(state: Any, lanes: int, rules: Rules, table: Seating, trick: int, position: int) -> None:
    ask(table, LEAD if position == 0 else FOLLOW, state, lanes, trick, position, rules.teams, 0)


def _choices(player: str, rules: KqjRules, trick: int, position: int) -> NDArray[np.int64]:
    """Return a player's choices in rounds of lively players, by lane."""
    state, lanes = stopped(Experiment(rules, (LIVELY,) * SEATS, 256, SEED), trick, position)
    _ask(state, lanes, *Experiment(rules, (player,) * SEATS).compile_seating(), trick, position)
    start = ON_TABLE + position * STRIDE
    return state[start : start + lanes].copy()


@pytest.mark.parametrize("turn", [(0, 0), (2, 3), (4, 5)])
def test_with_an_overwhelming_prior_it_plays_like_it(turn: tuple[int, int]) -> None:
    """But for values that differ by a trifle."""
    player = "pimc:worlds=1,rollout=random,prior=network,prior_worlds=10000,merge=false"
    for rules in (TAKE_2, TAKE_3):
        same = _choices(player, rules, *turn) == _choices("network", rules, *turn)
        assert same.mean() > 0.96


def test_equal_cards_are_merged_and_more_worlds_matter() -> None:
    """Settings that should change some choices do."""
    base = "pimc:worlds={},rollout=greedy,prior=none,weigh=false,merge={}"
    few, many = (_choices(base.format(worlds, "true"), TAKE_2, 1, 0) for worlds in (2, 40))
    assert 0.1 < np.mean(few == many) < 0.9
    single = _choices(base.format(40, "false"), TAKE_2, 1, 0)
    assert 0.6 < np.mean(single == many) < 1.0


@pytest.mark.parametrize("turn", [(0, 0), (4, 3)])
def test_before_the_first_trick_searched_it_plays_the_priors_card(turn: tuple[int, int]) -> None:
    player = "pimc:worlds=8,rollout=greedy,prior=network,from={}"
    for rules in (TAKE_2, AUCTION_2):
        late, early = (_choices(player.format(first), rules, *turn) for first in (7, 1))
        np.testing.assert_array_equal(late, _choices("network", rules, *turn))
        assert (early != late).mean() > 0.05


def test_with_all_layouts_weighed_it_chooses_otherwise_than_with_a_sample() -> None:
    """In the last choices; most cards are the same."""
    player = "pimc:worlds=64,rollout=network,prior=network,from=6,weigh={}"
    weighed, equal = (_choices(player.format(w), TAKE_2, 5, 1) for w in ("true", "false"))
    assert 0.7 < (weighed == equal).mean() < 1.0


STAGED = "pimc:worlds=48,rollout=greedy,prior=network,from=1,drawn=1,first_worlds={},margin={}"


@pytest.mark.parametrize("turn", [(3, 2), (5, 0), (6, 1)])
def test_stages_without_end_try_the_same_worlds_as_one(turn: tuple[int, int]) -> None:
    """But for cards that are behind by the same in every world of the first stage: no margin keeps
    these, and later worlds might."""
    all_at_once = _choices(STAGED.format(48, 2.5), TAKE_2, *turn)
    staged = _choices(STAGED.format(12, 100), TAKE_2, *turn)
    assert (staged == all_at_once).mean() > 0.98


def test_a_search_that_ends_early_chooses_otherwise_now_and_then() -> None:
    every, hasty = (_choices(STAGED.format(6, margin), TAKE_2, 3, 2) for margin in (100, 0))
    assert 0.6 < (every == hasty).mean() < 0.99


def _choices_by_deal(player: str, lanes: int, trick: int, position: int) -> dict[int, int]:
    state, played = stopped(
        Experiment(TAKE_2, (LIVELY,) * SEATS, 256, SEED), trick, position, lanes
    )
    table = Experiment(TAKE_2, (player,) * SEATS).compile_seating()
    _ask(state, played, *table, trick, position)
    start = ON_TABLE + position * STRIDE
    deals = state[DEAL_NUMBER : DEAL_NUMBER + played].tolist()
    return dict(zip(deals, state[start : start + played].tolist(), strict=True))


@pytest.mark.parametrize("turn", [(3, 4), (5, 0), (6, 2)])
def test_a_card_does_not_depend_on_the_other_lanes(turn: tuple[int, int]) -> None:
    for player in (STAGED.format(6, 1), "pimc:worlds=24,from=1,first_worlds=5"):
        many = _choices_by_deal(player, 256, *turn)
        for lanes in (3, 50):
            few = _choices_by_deal(player, lanes, *turn)
            assert few and few == {deal: many[deal] for deal in few}


@pytest.mark.parametrize("rollout", ["standard", "network"])
def test_at_a_mixed_table_it_chooses_as_at_its_own(rollout: str) -> None:
    """The worlds are played on by one policy, whoever sits at the table."""
    player = f"pimc:worlds=8,rollout={rollout},prior=none,weigh=false"
    start = ON_TABLE + 2 * STRIDE
    seats = PLAYERS_BY_POSITION, PLAYERS_BY_POSITION + STRIDE
    chosen = []
    for table in ((player,) * SEATS, ("random", *[player] * (SEATS - 1))):
        state, lanes = stopped(Experiment(TAKE_2, (LIVELY,) * SEATS, 256, SEED), 3, 2)
        if len(set(table)) > 1:
            for seat in range(SEATS):
                state[slice(*seats)] |= 1 << (PLAYER_BITS * seat + 2)
        _ask(state, lanes, *Experiment(TAKE_2, table).compile_seating(), 3, 2)
        chosen.append(state[start : start + lanes].copy())
    np.testing.assert_array_equal(chosen[0], chosen[1])
