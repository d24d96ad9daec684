"""Promises of every policy: choices are legal and depend only on what the player may know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import msgspec
import numpy as np
import pytest

from kqj_sim.core import block as rows
from kqj_sim.core.block import SEATS, TRICKS
from kqj_sim.core.cards import SUIT_MASK
from kqj_sim.core.dispatch import COUNTER, FOLLOW, LEAD, OVERCOUNTER, TAKE
from kqj_sim.core.views import PASS
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies.registry import find_policy
from kqj_sim.record import Record
from kqj_sim.referee import check_record
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.policies.witness import CALLS, CARDS, Answers, Block, Witness, row
from tests.slow import slow_after
from tests.variants import LIVELY, POLICIES, told

SEED = 17
DEALS = 24

RULES = {
    f"{teams}-{partners}-{bidding}": KqjRules.from_dict(
        {"teams": teams, "partners": partners, "bidding": bidding, "all_no_trump": "both_laps"}
    )
    for teams, partners, bidding in product((2, 3), ("fixed", "random"), ("take", "auction"))
}

CALLERS = [name for name in POLICIES if find_policy(name).calls()]
PLAYERS = [name for name in POLICIES if find_policy(name).plays]


def _callers(name: str) -> tuple[str, ...]:
    """Seats for a policy that calls, with others that see to it that all questions come up."""
    caller = f"{POLICIES[name]}+random"
    return (caller, LIVELY, caller, caller, LIVELY, LIVELY)


def _players(name: str) -> tuple[str, ...]:
    """Seats for a policy that plays, whatever it would call."""
    return (f"{LIVELY}+{POLICIES[name]}",) * SEATS


def _imposed(rules: KqjRules) -> Iterator[ImposedContract]:
    """Each contract, of another Sender and amount."""
    amount = rules.minimum_bid if rules.bidding == "auction" else None
    for place, contract in enumerate(rules.contracts):
        yield ImposedContract(place, contract, None if amount is None else amount + 40 * place)


def _assert_legal(experiment: Experiment) -> int:
    """Hold the rounds against the referee; how many were played."""
    played = 0
    for record in play_records(experiment):
        assert check_record(record) == [], told(record)
        played += bool(record.tricks)
    return played


@pytest.mark.parametrize("rules", slow_after(1, RULES.values()), ids=RULES)
@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_keeps_to_the_rules(name: str, rules: KqjRules) -> None:
    policy = POLICIES[name]
    assert find_policy(name).calls() or find_policy(name).plays
    for seats in ((policy,) * SEATS, _callers(name), _players(name)):
        played = _assert_legal(Experiment(rules, seats, DEALS, SEED))
    assert played > DEALS / 2
    for imposed in _imposed(rules):
        seats = (f"random+{policy}",) * SEATS
        assert _assert_legal(Experiment(rules, seats, 4, SEED, imposed=imposed)) == 4


@pytest.mark.parametrize("rules", slow_after(2, RULES.values()), ids=RULES)
@pytest.mark.parametrize("name", CALLERS)
def test_a_call_hangs_on_nothing_but_the_view(name: str, rules: KqjRules) -> None:
    witness = Witness(Experiment(rules, _callers(name), DEALS, SEED), CALLS)
    witness.play()
    assert witness.failures == []
    questions = ("take",) if rules.bidding == "take" else ("bid", "counter", "overcounter")
    for question in questions:
        assert witness.exchanged[question] > 5


@pytest.mark.parametrize("rules", slow_after(1, RULES.values()), ids=RULES)
@pytest.mark.parametrize("name", PLAYERS)
def test_a_card_hangs_on_nothing_but_the_view(name: str, rules: KqjRules) -> None:
    witness = Witness(Experiment(rules, _players(name), DEALS, SEED), CARDS)
    witness.play()
    assert witness.failures == []
    assert witness.exchanged["card"] > (TRICKS - 1) * SEATS * DEALS / 2


def _without_players(record: Record) -> Record:
    return msgspec.structs.replace(record, players=[])


@pytest.mark.parametrize("rules", slow_after(2, RULES.values()), ids=RULES)
@pytest.mark.parametrize("name", PLAYERS)
def test_cards_do_not_hang_on_who_else_plays_so(name: str, rules: KqjRules) -> None:
    """Other seats have another player, who plays alike but would call otherwise."""
    for imposed in _imposed(rules):
        alone, other = (f"random:take={take}+{POLICIES[name]}" for take in (0.1, 0.2))
        one = Experiment(rules, (alone,) * SEATS, 4, SEED, imposed=imposed)
        two = Experiment(rules, (alone, other, other) * 2, 4, SEED, imposed=imposed)
        for record, same in zip(play_records(one), play_records(two), strict=True):
            assert _without_players(record) == _without_players(same), told(record)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("name", CALLERS)
def test_calls_do_not_hang_on_who_else_calls_so(name: str, rules: KqjRules) -> None:
    """Other seats have another player, who calls alike but plays otherwise."""
    alone, other = (f"{POLICIES[name]}+{playing}" for playing in ("random", "greedy"))
    one = Experiment(rules, (alone,) * SEATS, DEALS, SEED)
    two = Experiment(rules, (alone, other, other) * 2, DEALS, SEED)
    for record, same in zip(play_records(one), play_records(two), strict=True):
        assert record.calls == same.calls, told(record)


Sees = Callable[[Block, int, int, int], Any]
"""What a dishonest player acts on: (block, lanes, place or position, offset of the hands) -> flags,
set where the answer differs."""


def _next_hand(block: Block, lanes: int, who: int, hands: int) -> Any:
    return block[row(hands) + (who + 1) % SEATS, :lanes] % 3 == 0


def _lane(block: Block, lanes: int, who: int, hands: int) -> Any:
    """Count the deals that are played in other lanes."""
    return np.arange(lanes) % 2 == 0


def _dishonest(sees: Sees) -> Answers:
    """A policy that leads its lowest card, or passes, because of hidden cards."""

    def answers(
        honest: Callable[[], None], member: int, block: Block, lanes: int, first: int, second: int
    ) -> None:
        honest()
        if member == LEAD:
            for lane in np.flatnonzero(sees(block, lanes, second, rows.HAND)):
                hand = int(block[row(rows.HAND), lane])
                led = SUIT_MASK << ((hand & -hand).bit_length() - 1) // 16 * 16
                card = hand & -hand
                block[row(rows.TRICK_CARDS), lane] = card
                winning = (led | block[row(rows.TRUMPS), lane]) & -(2 * card)
                block[row(rows.WINNING), lane] = winning
                block[row(rows.LED), lane] = led
                block[row(rows.MUST_BEAT_LED), lane] = led & block[row(rows.MUST_BEAT), lane]
        elif member != FOLLOW:
            hands = rows.FIRST_FIVE if member == TAKE else rows.DEALT
            silent = 0 if member in (COUNTER, OVERCOUNTER) else PASS
            block[row(rows.CALL), np.flatnonzero(sees(block, lanes, first, hands))] = silent

    return answers


@pytest.mark.parametrize("bidding", ["take", "auction"])
@pytest.mark.parametrize(
    ("sees", "told"), [(_next_hand, "with hidden cards exchanged"), (_lane, "in another lane")]
)
def test_dishonest_policies_are_found(bidding: str, sees: Sees, told: str) -> None:
    """The two tests above can fail: calls and cards that hang on more than the view are told."""
    experiment = Experiment(RULES[f"2-fixed-{bidding}"], (LIVELY,) * SEATS, DEALS, SEED)
    witness = Witness(experiment, (*CALLS, *CARDS), _dishonest(sees))
    witness.play()
    assert all(f"seed={SEED} deal=" in failure and told in failure for failure in witness.failures)
    for question in ("take",) if bidding == "take" else ("bid", "counter"):
        assert any(f" {question} " in failure for failure in witness.failures)
    leads = [failure for failure in witness.failures if " 0, " in failure and " card " in failure]
    assert len(leads) > TRICKS / 2
