"""Train a network to play cards, and compare it with `random`; with PyTorch (`pip install torch`).

    python examples/train_policy.py 60

It plays rounds against itself for so many seconds, and learns for each decision how many points
each card brings: the lead of the player's side at the end of the round.
"""

import sys
import time
from typing import Any

import torch

import kqj_sim as kqj
from kqj_sim.env import BatchEnvironment, make_player

torch.set_num_threads(1)  # On two threads a busy machine takes five times as long for small layers.
env = BatchEnvironment(decisions=["card"], seed=1)
network = torch.nn.Sequential(
    torch.nn.Linear(env.feature_count, 128), torch.nn.ReLU(), torch.nn.Linear(128, env.action_count)
)
optimizer = torch.optim.Adam(network.parameters(), 1e-3)


def choose(observations: Any, masks: Any, random_share: float = 0) -> Any:
    with torch.no_grad():
        values = network(torch.from_numpy(observations).float())
    values += 1e6 * torch.rand(values.shape) * (torch.rand(len(values), 1) < random_share)
    return values.masked_fill(~torch.from_numpy(masks), -1e6).argmax(1).numpy()


trained = make_player(choose, decisions=["card"], name="trained")
seconds, spent = float(sys.argv[1] if len(sys.argv) > 1 else 60), 0.0
for share in (0, 0.1, 0.2, 0.5, 1):
    while spent < share * seconds:
        start, steps = time.monotonic(), []
        env.reset(512)
        while len(env.open):
            actions = choose(env.observations, env.masks, random_share=0.2)
            steps.append((env.observations, actions, env.open, env.seats))
            env.step(actions)
        leads = torch.from_numpy(env.rewards).float() / 100
        for observations, actions, episodes, seats in steps:
            values = network(torch.from_numpy(observations).float())
            loss = (values[range(len(seats)), actions] - leads[episodes, seats]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        spent += time.monotonic() - start
    lead = kqj.compare(trained, "learned+random", deals=4_000, seed=2).lead
    print(f"{spent:.0f} s: {lead.value:+.1f} points a round, {lead.low:+.1f} to {lead.high:+.1f}")
