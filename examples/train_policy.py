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

env = BatchEnvironment(decisions=["card"], seed=1)
network = torch.nn.Sequential(
    torch.nn.Linear(env.feature_count, 128), torch.nn.ReLU(), torch.nn.Linear(128, env.action_count)
)
optimizer = torch.optim.Adam(network.parameters(), 1e-3)


def choose_best(observations: Any, masks: Any) -> Any:
    with torch.no_grad():
        values = network(torch.from_numpy(observations).float())
    return values.masked_fill(~torch.from_numpy(masks), -1e9).argmax(1).numpy()


end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 60)
while time.monotonic() < end:
    env.reset(512)
    steps = []
    while len(env.open):
        actions = choose_best(env.observations, env.masks)
        explores = torch.rand(len(actions)).numpy() < 0.2
        chances = torch.from_numpy(env.masks[explores]).float()
        if len(chances):
            actions[explores] = torch.multinomial(chances, 1)[:, 0].numpy()
        steps.append((env.observations, actions, env.open, env.seats))
        env.step(actions)
    for observations, actions, episodes, seats in steps:
        leads = torch.from_numpy(env.rewards[episodes, seats]).float() / 100
        values = network(torch.from_numpy(observations).float())
        loss = (values.gather(1, torch.from_numpy(actions)[:, None])[:, 0] - leads).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

trained = make_player(choose_best, decisions=["card"], name="trained")
print(kqj.compare(trained, "learned+random", deals=4_000, seed=2))
