"""Measure the rating of players: how often its intervals hold, and how many rounds it needs.

    python benchmarks/rating.py [--rounds 380] [--bidding take] [--samples 1000] [--kept FILE]

Grades rounds in which six players of different strength sit in changing order, and keeps what each
lost in FILE, from which it goes on if it exists.  People of any strength are then made by drawing
each of their rounds from one of two players, so that what they lose is known.  Part one rates
tables of such people again and again, and prints how often the intervals hold the truth and how far
the ratings are off, beside those of the plain means of losses.  Part two prints after how many
rounds two people who are 5 points a round apart are told from each other in 80% of the trials.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from kqj_sim.core.types import Float64Array
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.questions.review.grading import GradePlan
from kqj_sim.questions.review.play import review_round
from kqj_sim.questions.review.tables import weigh_losses
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.stats.intervals import compute_reach
from kqj_sim.stats.shrinkage import ShrunkMeans, shrink_means

Bidding: TypeAlias = Literal["take", "auction"]

Person: TypeAlias = tuple[str, str, float]
"""Two players, and the share of the rounds that are drawn from those of the second."""

REFERENCE = "learned+network"
PLAYERS: dict[Bidding, tuple[str, ...]] = {
    "take": (
        REFERENCE, "points+standard", "points+greedy", "points:trump=14+network",
        "points:trump=5+standard", "examples/ace_counter.py",
    ),
    "auction": (
        REFERENCE, "learned+standard", "learned+greedy", "points+network", "points+greedy",
        "points+standard",
    ),
}  # fmt: skip
ORDERS = 6
APART = 5.0
"""Points a round between two people who are to be told apart."""


def grade_rounds(bidding: Bidding, rounds: int, samples: int) -> Iterator[dict[str, Any]]:
    """Yield what each player lost in each of the rounds."""
    generator, rules = random.Random(1), KqjRules(bidding=bidding)
    for order in range(ORDERS):
        names = generator.sample(PLAYERS[bidding], 6)
        first, count = order * rounds // ORDERS, rounds // ORDERS
        experiment = Experiment(rules, tuple(names), deals=count, seed=31, first=first)
        for line, record in enumerate(play_records(experiment), start=first + 1):
            plan = GradePlan(deals=samples, threads=2, reference=REFERENCE)
            review = review_round(RecordedRound(record, line, names), plan)
            for seat, name in enumerate(names):
                own = [grade for grade in review.grades if grade.decision.seat == seat]
                weighted, noise = weigh_losses(own)
                result = review.parts[seat].result if review.parts else 0.0
                yield {
                    "player": name,
                    "lost": sum(grade.loss.points.value for grade in own),
                    "weighted": weighted,
                    "noise": noise,
                    "result": result,
                }


class People:
    """People whose rounds are drawn from those of players."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        names = dict.fromkeys(row["player"] for row in rows)
        scale = sum(row["lost"] for row in rows) / sum(row["weighted"] for row in rows)
        self.noise = scale**2 * float(np.mean([row["noise"] for row in rows]))
        self.rounds = {
            name: np.array(
                [(row["lost"], scale * row["weighted"]) for row in rows if row["player"] == name]
            )
            for name in names
        }
        self.means = {name: rounds.mean(axis=0) for name, rounds in self.rounds.items()}
        self.deviation = float(np.std([row["result"] for row in rows]))
        self.generator = np.random.default_rng(1)

    def draw(self, one: str, other: str, share: float, count: int) -> Float64Array:
        """Return losses, plain and weighted, (count, 2): that share as `other`, else as `one`."""
        is_other = self.generator.random((count, 1)) < share
        drawn = [
            rounds[self.generator.integers(len(rounds), size=count)]
            for rounds in (self.rounds[one], self.rounds[other])
        ]
        return np.where(is_other, drawn[1], drawn[0])

    def choose(self) -> Person:
        """Return a person somewhere between two players, of whom the worst is none."""
        able = sorted(self.means, key=lambda name: float(self.means[name][0]))[:-1]
        one, other = self.generator.choice(able, 2)
        return str(one), str(other), float(self.generator.random())

    def rate(self, losses: list[Float64Array]) -> ShrunkMeans:
        """Return the rating of a table."""
        return shrink_means([own[:, 1].tolist() for own in losses], self.noise, 0.95)


def measure_coverage(people: People, rounds: int, trials: int, seats: int = 6) -> None:
    """Print how often intervals hold the truth, and how far means are off."""
    hits: list[list[bool]] = [[], []]
    errors: list[list[float]] = [[], []]
    for _ in range(trials):
        table = [people.choose() for _ in range(seats)]
        truth = [
            (1 - share) * people.means[one] + share * people.means[other]
            for one, other, share in table
        ]
        losses = [people.draw(*person, rounds) for person in table]
        rating = people.rate(losses)
        for seat, (true, own) in enumerate(zip(truth, losses, strict=True)):
            half = compute_reach(rounds, 0.95) * own[:, 0].std(ddof=1) / rounds**0.5
            pairs = (
                (rating.values[seat] - true[1], rating.reach * rating.errors[seat]),
                (own[:, 0].mean() - true[0], half),
            )
            for place, (error, reach) in enumerate(pairs):
                hits[place].append(abs(error) <= reach)
                errors[place].append(error**2)
    for name, held, squares in zip(("rating", "plain mean"), hits, errors, strict=True):
        print(
            f"{rounds:4} rounds, {name:10}: {np.mean(held):6.1%} hold, error "
            f"{np.mean(squares) ** 0.5:.2f}"
        )


def tell_apart_by_rating(people: People, pair: list[Float64Array]) -> bool:
    """Return whether two people are told apart at a table with four others."""
    others = [people.draw(*people.choose(), len(pair[0])) for _ in range(4)]
    rating = people.rate([*pair, *others])
    lead = rating.values[1] - rating.values[0]
    return bool(lead > rating.reach * np.hypot(*rating.errors[:2]))


def tell_apart_by_means(_: People, pair: list[Float64Array]) -> bool:
    """Return whether two people are told apart by their mean losses."""
    count = len(pair[0])
    lead = pair[1][:, 0].mean() - pair[0][:, 0].mean()
    error = (sum(own[:, 0].var(ddof=1) for own in pair) / count) ** 0.5
    return bool(lead > compute_reach(2 * count, 0.95) * error)


def find_rounds(
    people: People,
    tell: Callable[[People, list[Float64Array]], bool],
    persons: list[Person],
    trials: int,
) -> int:
    """Return the rounds after which two persons are told apart in 80% of the trials."""
    low, high = 10, 6400
    while high - low > max(2, low // 50):
        middle = (low + high) // 2
        told = [
            tell(people, [people.draw(*person, middle) for person in persons])
            for _ in range(trials)
        ]
        low, high = (middle, high) if np.mean(told) < 0.8 else (low, middle)
    return high


def main() -> None:
    """Print both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=380)
    parser.add_argument("--bidding", choices=list(PLAYERS), default="take")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--kept", type=Path)
    given = parser.parse_args()
    if given.kept is not None and given.kept.exists():
        rows = json.loads(given.kept.read_text())
    else:
        rows = list(grade_rounds(given.bidding, given.rounds, given.samples))
        if given.kept is not None:
            given.kept.write_text(json.dumps(rows))
    people = People(rows)
    for name, losses in people.rounds.items():
        (lost, weighted), (spread, less) = losses.mean(axis=0), losses.std(axis=0)
        print(f"{name:26} {lost:5.1f} a round, {spread:4.1f} from round to round; "
              f"weighted {weighted:5.1f}, {less:4.1f}")  # fmt: skip
    for rounds in (18, 50, 100, 200):
        measure_coverage(people, rounds, given.trials)
    best = people.means[REFERENCE][0]
    for name, (lost, _) in people.means.items():
        if lost - best >= APART:
            share = APART / (lost - best)
            persons: list[Person] = [(REFERENCE, REFERENCE, 0.0), (REFERENCE, name, share)]
            needed = [
                find_rounds(people, tell, persons, given.trials)
                for tell in (tell_apart_by_rating, tell_apart_by_means)
            ]
            print(f"{share:.0%} as {name}: {needed[0]} rounds by the rating, {needed[1]} by means")
    # Two means of n results, told apart at 95% in 80% of the cases.
    by_results = 2 * ((1.96 + 0.84) * people.deviation / APART) ** 2
    print(f"{by_results:,.0f} rounds by results, which vary by {people.deviation:.0f}")


if __name__ == "__main__":
    main()
