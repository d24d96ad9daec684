"""The calibration of where the hidden cards are, if one player of six errs or plays otherwise.

    python benchmarks/hidden.py --turns 3000 --out hidden.md

In each dealt round one of six players follows another policy than the others, and all are assumed
to be default players who err at some rates.  At a random turn the chance is estimated that each
place holds each hidden card; the deal shows where it is.  The log loss is the mean of -ln p of the
chance of where each card was, less that of distributions that agree with the plays alone.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path
from typing import Any

import click
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kqj_sim.core import rng
from kqj_sim.core.types import Float64Array
from kqj_sim.policies.card_sets import encode_cards
from kqj_sim.policies.players import parse_player, seat_players
from kqj_sim.positions.estimator import ImpossibleBiddingError, estimate_options, make_sampler
from kqj_sim.positions.hidden_cards import HiddenCards
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.questions.review.hindsight import find_actual_hands
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records

VARIANTS = {
    "two teams, taking": KqjRules(),
    "two teams, auctions": KqjRules(bidding="auction"),
    "three teams, taking": KqjRules(teams=3),
    "three teams, auctions": KqjRules(teams=3, bidding="auction"),
}
OTHERS = ("points+greedy", "bold+standard", "random:take=0.3,bid=0.1+network")
"""Policies of the one who is not as assumed."""
DRAWS = 512
LEAST_CHANCE = 1 / DRAWS
BINS = 10
BATCH = 10


def find_turns(rules: KqjRules, seed: int) -> Any:
    """Yield a random decision of each round, after a call or a card of another, and its hands."""
    for batch in count():
        odd, other = batch % SEATS, OTHERS[batch % len(OTHERS)]
        players = list(seat_players(None, rules))
        players[odd] = parse_player(other, rules.game)
        experiment = Experiment(rules, players, BATCH, seed=seed, first=batch * BATCH)
        for number, record in enumerate(play_records(experiment)):
            played = RecordedRound(record)
            actual = find_actual_hands(played, 1, False)
            turns = [each for each in played.decisions if each.knowledge.seat != odd]
            turns = [each for each in turns if each.trick or each.knowledge.calls]
            if not turns or actual is None:
                continue
            key = rng.derive_deal_key(seed, batch * BATCH + number)
            yield turns[int(key % len(turns))], actual


def locate(decision: Decision, actual: Any) -> list[int]:
    """Return the cards of each place then, natural coding."""
    if decision.is_call:
        return [int(hand) for hand in actual.first[0]]
    played = encode_cards(decision.knowledge.plays)
    return [int(hand) & ~played for hand in actual.hands[0]]


def estimate_chances(decision: Decision, **settings: Any) -> Float64Array:
    """Return the chances of each place to hold each hidden card, float64 (places, cards)."""
    plan = EstimatePlan(deals=DRAWS, threads=1, **settings)
    position = decision.knowledge
    sampler = make_sampler(position, seat_players(None, position.rules), plan, 0)
    odds = estimate_options(sampler.with_numbers([0]), plan)
    hidden = odds.hidden_cards
    assert hidden is not None
    cards = [number for number, each in enumerate(hidden.holdings) if len(each.text) == 2]
    chances: Float64Array = hidden.sums[0][:-2, cards] / odds.sums.weights
    return chances


@click.command()
@click.option("--turns", default=3000, show_default=True, help="Turns of each variant.")
@click.option("--rates", default="0,0.01,0.03,0.1", show_default=True, help="Error rates.")
@click.option("--variants", default=",".join(VARIANTS), help="Variants, by comma and semicolon.")
@click.option("--seed", default=1, show_default=True, help="Seed.")
@click.option("--out", type=click.Path(path_type=Path), help="The tables, as Markdown.")
def main(turns: int, rates: str, variants: str, seed: int, out: Path | None) -> None:
    """Compare chances of where hidden cards are with where they were."""
    levels = [float(rate) for rate in rates.split(",")]
    text = ""
    for variant, rules in VARIANTS.items():
        if variant not in variants:
            continue
        gains: dict[tuple[int, float], list[float]] = {}
        bins = np.zeros((len(levels), BINS, 3))
        failed = 0
        for number, (decision, actual) in enumerate(find_turns(rules, seed)):
            if number == turns:
                break
            position, held = decision.knowledge, locate(decision, actual)
            hidden = HiddenCards(position)
            bits = [encode_cards(each.cards) for each in hidden.holdings if len(each.text) == 2]
            places = [group[0] for group in hidden.groups[:-2]]
            truth = np.array([[held[place] & bit != 0 for bit in bits] for place in places])
            settings = {"ignore_calls": True, "ignore_plays": True}
            base = estimate_chances(decision, **settings)
            is_somewhere = truth.any(axis=0)
            for level, rate in enumerate(levels):
                try:
                    chances = estimate_chances(decision, error_rate=rate)
                except ImpossibleBiddingError:
                    chances, failed = base, failed + 1
                at = np.minimum((chances * BINS).astype(int), BINS - 1)
                for column, part in enumerate((np.ones_like(chances), chances, truth)):
                    bins[level, :, column] += np.bincount(at.ravel(), part.ravel(), minlength=BINS)
                gain = np.log(np.maximum(chances, LEAST_CHANCE)[truth]) - np.log(base[truth])
                if is_somewhere.any():
                    gains.setdefault((decision.trick, rate), []).append(float(gain.mean()))
        text += f"\n## {variant.capitalize()}\n\n| trick | turns | "
        text += " | ".join(f"errors {rate:.0%}" for rate in levels) + " |\n"
        text += "| --- " * (2 + len(levels)) + "|\n"
        for trick in ["all", *range(9)]:
            rows = [
                [gain for (at, of), each in gains.items() if of == rate and trick in ("all", at)
                 for gain in each]
                for rate in levels
            ]  # fmt: skip
            if rows[0]:
                cells = [
                    f"{np.mean(row):.4f} ±{1.96 * np.std(row) / len(row) ** 0.5:.4f}"
                    for row in rows
                ]
                text += f"| {trick or 'calls'} | {len(rows[0])} | {' | '.join(cells)} |\n"
        text += f"\nNo answer: {failed} times.\n\n"
        text += "| chance | " + " | ".join(f"errors {rate:.0%}" for rate in levels) + " |\n"
        text += "| --- " * (1 + len(levels)) + "|\n"
        for at in range(BINS):
            cells = [
                f"{100 * total / n:.1f}% → {100 * true / n:.1f}% ({int(n):,})" if n else ""
                for n, total, true in bins[:, at]
            ]
            text += f"| {at / BINS:.0%} to {(at + 1) / BINS:.0%} | {' | '.join(cells)} |\n"
        click.echo(text, err=True)
    if out is not None:
        out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
