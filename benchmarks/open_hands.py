"""Shares of contracts that can be made with all cards open, and that the players make.

    python benchmarks/open_hands.py --variant auction
    python benchmarks/open_hands.py --variant auction --seeing 3
    python benchmarks/open_hands.py --variant auction --par --deals 1000

The default players call and play each deal, and the solver says whether their contract could be
made from the first card on, with two teams: with three the search takes minutes a deal.

With `--seeing`, also for three teams, it is what one side gains if it alone sees all cards in the
last tricks.  Its players play the card that they would have played if no other is better with the
best play of all.

With `--par` it is par of auctions with two teams, and how far from it the players bid.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Literal, cast

import click

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kqj_sim.core.scoring import CAPOT_TOTAL
from kqj_sim.positions.estimator import make_sampler
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_round, score_plays
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.positions.solver import Solver
from kqj_sim.questions.solve.play import list_sides
from kqj_sim.referee.base import FinalContract
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.stats.intervals import Estimate, estimate_mean, estimate_share

CONFIDENCE = 0.95
LEAST_LEAD = 1.0
"""With two teams a contract is made if the lead is above 0."""


def show(estimate: Estimate, scale: float = 1.0, digits: int = 1) -> str:
    """Return an estimate with half of its interval."""
    half = (estimate.high - estimate.low) / 2
    return f"{scale * estimate.value:.{digits}f} ±{scale * half:.{digits}f}"


def find_lead(position: Position) -> float:
    """Return the lead of the Sender's team over the mean of the others, of a round that is over."""
    score = score_plays(position)
    assert score is not None
    own, others = position.teams[position.contract.sender], len(score.scores) - 1
    return score.scores[own] - (sum(score.scores) - score.scores[own]) / others


def play_seeing(position: Position, experiment: Experiment, sender: bool, solver: Solver) -> float:
    """Return the lead of the Sender's team if it, or else the others, see all cards from here."""
    solver.load(position)
    while not solver.position.is_over:
        card, *others = solver.position.legal_cards
        if others:
            sampler = make_sampler(solver.position, experiment.players, EstimatePlan(), 0)
            choices = sampler.find_choices()
            card = next(card for card in solver.position.legal_cards if str(card) in choices)
            if solver.is_contracting == sender:
                lead = solver.find_lead()
                solver.play(card)
                # Leads are halves, or whole ones.
                is_best = solver.reaches(lead) if sender else not solver.reaches(lead + 0.25)
                solver.take_back()
                card = card if is_best else solver.find_best_card(lead)
        solver.play(card)
    return find_lead(solver.position)


def tell_gains(experiment: Experiment, tricks: int) -> None:
    """Print what each side gains a deal if it alone sees all cards in the last tricks."""
    solver, gains = Solver(), {True: Counter[int](), False: Counter[int]()}
    for record in play_records(experiment):
        if record.contract is not None:
            position = read_round(record)
            start = replace(position, plays=position.plays[: SEATS * (KqjRules.tricks - tricks)])
            for sender, counts in gains.items():
                lead = play_seeing(start, experiment, sender, solver)
                counts[round(2 * (lead - find_lead(position))) * (1 if sender else -1)] += 1
    for sender, counts in gains.items():
        estimate = estimate_mean(counts, CONFIDENCE) * 0.5
        side = "the Sender's side sees" if sender else "the others see"
        print(f"{tricks} tricks, {side} all cards: {show(estimate)} points a deal")


def find_par(position: Position, solver: Solver) -> tuple[int, FinalContract | None]:
    """Return the highest amount that a side can make, 0 for none, and with which contract.

    Of two sides that can make it the opener's bids first.  To value every contract instead
    (`value_contracts`) takes several times as long.
    """
    rules = cast(KqjRules, position.rules)
    amounts = range(rules.minimum_bid, rules.max_amount + 1, 10)
    left = [
        replace(deal, final_contract=FinalContract(deal.contract.sender, contract))
        for deal in list_sides(position).values()
        for contract in rules.contracts
    ]

    def makes(deal: Position, amount: int) -> bool:
        solver.load(replace(deal, final_contract=deal.contract._replace(amount=amount)))
        return solver.reaches(LEAST_LEAD)

    low, high, maker = 0, len(amounts), None
    while low < high:
        middle = (low + high) // 2
        made = next((n for n, deal in enumerate(left) if makes(deal, amounts[middle])), None)
        if made is None:
            high = middle
        else:
            # Those before it fail with this amount, and so with a higher one.
            left = left[made:]
            low, maker = middle + 1, left[0].contract
    return (amounts[low - 1] if low else 0), maker


def tell_par(experiment: Experiment) -> None:
    """Print par, and beside it what the players bid."""
    solver, pars, bids = Solver(), Counter[int](), Counter[int]()
    counts, contracts = Counter[str](), Counter[str]()
    for record in play_records(experiment):
        position = read_round(record)
        par, maker = find_par(position, solver)
        pars[par] += 1
        final = position.final_contract
        if maker is None or final is None:
            counts["nobody bids" if maker is None else "passed out"] += 1
            continue
        teams = position.teams
        contracts[maker.contract] += 1
        counts[f"{CAPOT_TOTAL} or more"] += par >= CAPOT_TOTAL
        counts["opener's side makes it"] += teams[maker.sender] == teams[position.opener]
        counts["whose side bids last"] += teams[maker.sender] == teams[final.sender]
        counts["the players' contract is higher"] += (final.amount or 0) > par
        counts["the players' contract is as high"] += final.amount == par
        bids[final.amount or 0] += 1
    print(f"par: {show(estimate_mean(pars, CONFIDENCE))} points")
    print(f"the players' contracts: {show(estimate_mean(bids, CONFIDENCE))} points")
    for what, count in (*sorted(counts.items()), *contracts.most_common()):
        share = show(estimate_share(count, experiment.deals, CONFIDENCE), 100)
        print(f"{what}: {share}% of {experiment.deals}")


def tell_contracts(counts: Counter[tuple[bool, bool]]) -> None:
    """Print how many contracts could be made, and were; keys are both."""
    deals = counts.total()

    def say(what: str, event: int, of: int) -> None:
        print(f"{what}: {show(estimate_share(event, of, CONFIDENCE), 100)}% of {of}")

    could, were = (sum(counts[key] for key in counts if key[at]) for at in (0, 1))
    say("could be made", could, deals)
    say("were made", were, deals)
    say("of those that could be made, not made", counts[True, False], could)
    say("of those that could not, made", counts[False, True], deals - could)


@click.command()
@click.option("--variant", type=click.Choice(["take", "auction"]), default="take")
@click.option("--teams", type=click.IntRange(2, 3), default=2, help="With --seeing.")
@click.option("--seeing", type=click.IntRange(1, 8), help="Tricks in which one side sees all.")
@click.option("--par", is_flag=True, help="Of auctions with two teams.")
@click.option("--policy", default="learned+network", help="Who plays.")
@click.option("--deals", default=3000, help="Deals that are played.")
@click.option("--seed", default=1)
def main(
    variant: Literal["take", "auction"], teams: Literal[2, 3], seeing: int | None, par: bool,
    policy: str, deals: int, seed: int,
) -> None:  # fmt: skip
    """Print how many contracts could be made with all cards open, and how many players made."""
    experiment = Experiment(KqjRules(bidding=variant, teams=teams), policy, deals, seed)
    print(f"{variant}, {teams} teams, {policy}, seed {seed}")
    if seeing is not None:
        return tell_gains(experiment, seeing)
    if par:
        if variant != "auction" or teams != 2:
            raise click.UsageError("par is of auctions with two teams: --variant auction")
        return tell_par(experiment)
    solver = Solver()
    counts: Counter[tuple[bool, bool]] = Counter()
    for record in play_records(experiment):
        if record.contract is not None:
            solver.load(replace(read_round(record), plays=()))
            counts[solver.reaches(LEAST_LEAD), record.result == "made"] += 1
    tell_contracts(counts)


if __name__ == "__main__":
    main()
