"""Rounds and games as an environment of PettingZoo, one decision at a time.

    from kqj_sim.env.aec import CardGameEnvironment

    env = CardGameEnvironment()
    env.reset(seed=1)

PettingZoo comes with the extra `kqj-sim[env]`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from kqj_sim.env import BatchEnvironment


class CardGameEnvironment(AECEnv):  # type: ignore[misc]
    """One round, or game, of `BatchEnvironment` as an environment of PettingZoo.

    Agents are `seat_0` to `seat_5`, without those of other players.  An observation has the keys
    `observation` and `action_mask`; both are zero for agents whose turn it is not.  Rewards come at
    the end of an episode.  Without a seed `reset` begins the next deal.

    Args:
        batch: plays the episodes, of which it has one at a time; by default rounds of KQJ.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "kqj_sim", "is_parallelizable": False}
    render_mode = None

    def __init__(self, batch: BatchEnvironment | None = None) -> None:
        super().__init__()
        self.batch = batch = BatchEnvironment() if batch is None else batch
        self.possible_agents = [f"seat_{seat}" for seat in batch.agents]
        observation: dict[str, Any] = {
            "observation": spaces.Box(-1, 127, (batch.feature_count,), np.int8),
            "action_mask": spaces.Box(0, 1, (batch.action_count,), np.int8),
        }
        self.observation_spaces: dict[str, Any] = {}
        self.action_spaces: dict[str, Any] = {}
        for agent in self.possible_agents:
            self.observation_spaces[agent] = spaces.Dict(observation)
            self.action_spaces[agent] = spaces.Discrete(batch.action_count)

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the next episode, or number 0 of a seed, of those in which an agent decides."""
        self.batch.reset(1, seed)
        while not len(self.batch.open):
            self.batch.reset(1)
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = f"seat_{self.batch.seats[0]}"

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees."""
        batch = self.batch
        if len(batch.open) and agent == f"seat_{batch.seats[0]}":
            observation, mask = batch.observations[0], batch.masks[0].astype(np.int8)
        else:
            observation = np.zeros(batch.feature_count, np.int8)
            mask = np.zeros(batch.action_count, np.int8)
        return {"observation": observation, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Act for the agent whose turn it is; raises InputError if the action is not legal."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self.batch.step(np.array([action]))
        self._cumulative_rewards[agent] = 0.0
        if len(self.batch.open):
            self.agent_selection = f"seat_{self.batch.seats[0]}"
        else:
            for each in self.agents:
                self.rewards[each] = float(self.batch.rewards[0, int(each.removeprefix("seat_"))])
                self.terminations[each] = True
            # PettingZoo takes away agents that have ended one after the other, from the first on.
            self.agent_selection = self.agents[0]
        self._accumulate_rewards()

    def render(self) -> None:
        """Do nothing: `batch.record(0)` is the record of a finished round, which can be shown."""

    def close(self) -> None:
        """Do nothing."""
