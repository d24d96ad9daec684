"""The environment of PettingZoo: its own tests pass, and episodes are those of the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from kqj_sim.env import BatchEnvironment
from kqj_sim.env.aec import CardGameEnvironment
from kqj_sim.errors import InputError
from kqj_sim.referee import check_record
from tests.games.every import DEFAULTS
from tests.slow import slow_after
from tests.variants import AUCTION_3

SETTINGS: list[dict[str, Any]] = [
    {"players": [None, "greedy", "greedy"] * 2, "decisions": ["card"]},
    *({"rules": rules, "games": True} for rules in DEFAULTS),
    {"rules": AUCTION_3},
]


# It knows no observations but arrays, and takes zeros of a player who is not to move for an error.
@pytest.mark.filterwarnings("ignore:.*Observation:UserWarning")
@pytest.mark.parametrize("setting", slow_after(1, SETTINGS))
def test_pettingzoo_accepts_it(setting: dict[str, Any]) -> None:
    api_test(CardGameEnvironment(BatchEnvironment(**setting)), num_cycles=300)
    seed_test(lambda: CardGameEnvironment(BatchEnvironment(**setting)), num_cycles=50)


def test_an_episode_ends_with_the_rewards_of_the_batch() -> None:
    env = CardGameEnvironment(BatchEnvironment(AUCTION_3))
    env.reset(seed=4)
    numbers = np.random.default_rng(1)
    rewards: dict[str, float] = {}
    for agent in env.agent_iter():
        observation, reward, ended, _, _ = env.last()
        mask = observation["action_mask"]
        rewards[agent] = reward
        env.step(None if ended else int(numbers.choice(np.flatnonzero(mask))))
    assert check_record(env.batch.record(0)) == []
    assert [rewards[f"seat_{seat}"] for seat in range(6)] == env.batch.rewards[0].tolist()


def test_an_illegal_action_is_an_error() -> None:
    env = CardGameEnvironment()
    env.reset(seed=1)
    with pytest.raises(InputError, match="action 0 of open decision 0 is not legal"):
        env.step(0)
