"""The questions of the page's quiz: decisions of the default players with a clear answer.

    python -m tools.quiz_questions

They are written to `kqj_sim/web/questions.json`: for each table and kind of decision a list of
numbers, each 1000 times that of a deal and where in its round the decision is
(`kqj_sim/web/quiz.js`).  The choice is open, too: the default player missed the best option, or
another one is not far behind.

They are valued by deals of other seeds than that of the page: the value it shows is not the one by
which a question was chosen.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from time import monotonic
from typing import NamedTuple

import click

from kqj_sim.cards import SUITS
from kqj_sim.positions.estimator import ImpossibleBiddingError, estimate_position
from kqj_sim.positions.odds import Odds
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.record import Record
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.web.make import FOLDER, QUESTIONS, TABLES

CALL_KINDS = {"take": ("take", "second lap"), "auction": ("bid", "counter")}
CARD_KINDS = ("lead", "follow", "discard")

SECOND_LAPS = {"2-take": 0.55, "3-take": 0.2}
"""Share of them among questions on taking: with two teams a pass is hardly ever right before."""

LEAST_LEAD = 10
"""The best option leads by so many points."""

EASY_LEAD = {"bid": 80, "counter": 150}
"""What the default player finds leads by no more, unless it is a bid or a counter; by kind, else by
`MOST_LEAD`."""

MOST_LEAD = 40

SCREENING = ((256, 2, 0.0), (1024, 3, 1.0), (5000, 4, 1.5))
"""Deals, their seed, and how many half-widths of its interval are taken off the lead."""

MAX_SECONDS = 2.0
"""Of one estimate: what takes longer here takes the page too long."""

MAX_CALLS = 24
"""Of an auction: hands for longer ones take too long to find."""

MAX_SHARE = 0.5
"""Of the questions of a kind that one answer to all of them solves."""

STEPS, FIRST_CALL = 1000, 100
"""As `QUIZ_STEPS` and `QUIZ_CALLS` of the page."""


class Candidate(NamedTuple):
    """A question with a clear answer.

    Attributes:
        number: as the page has it.
        solved_by: the answers to all questions of its kind that are right here.
    """

    number: int
    solved_by: frozenset[str]


def find_lead(
    decision: Decision, deals: int, seed: int, margin: float
) -> tuple[Odds, float] | None:
    """Return the odds and the lead of the best option, less a margin; None for none."""
    try:
        odds = estimate_position(
            decision.knowledge, deals=deals, seed=seed, threads=1, time=MAX_SECONDS
        )
    except ImpossibleBiddingError:
        return None
    if odds.is_exact:
        margin = 0.0
    elif odds.stop_reason != "deals":
        return None
    lead = min(odds.estimate_leads("value").values(), key=lambda lead: lead.value)
    return odds, lead.value - (margin and margin * (lead.value - lead.low))


def judge(decision: Decision) -> Candidate | None:
    """Return a decision as a question if its choice is open and its answer clear, else None."""
    position, record = decision.knowledge, decision.played.record
    assert isinstance(record, Record)
    if position.rules.bidding == "auction" and len(position.calls or ()) > MAX_CALLS:
        return None
    for deals, seed, margin in SCREENING:
        found = find_lead(decision, deals, seed, margin)
        if found is None or not found[1] >= LEAST_LEAD:
            return None
        odds, lead = found
    best = odds.get_text(odds.best)
    is_easy = best == decision.choice and lead > EASY_LEAD.get(decision.kind, MOST_LEAD)
    if is_easy and (decision.kind in ("lead", "follow", "discard", "take") or is_quiet(best)):
        return None
    before = 6 * len(position.calls or ()) + position.place
    step = FIRST_CALL + before if decision.is_call else len(position.plays)
    number = STEPS * record.deal + step
    return Candidate(number, frozenset(list_solving_answers(decision, best)))


def is_quiet(call: str) -> bool:
    """Return whether a call says nothing."""
    return call == "pass" or call.startswith("no ")


def list_solving_answers(decision: Decision, best: str) -> Iterator[str]:
    """Yield the answers that could be given to every question and are right here."""
    position = decision.knowledge
    if decision.is_call:
        yield "nothing" if is_quiet(best) else best.split()[-1]
        if position.upcard and best.endswith(f" {position.upcard.suit}"):
            yield "the Return's suit"
        return
    referee, contract = position.referee, position.contract.contract
    cards = sorted(
        position.legal_cards,
        key=lambda card: (SUITS.index(card.suit), -"456789JQKHTA".index(card.rank)),
    )
    points = [referee.card_points(card, contract) for card in cards]
    strengths = [
        referee.list_ranks(card.suit, contract).index(card.rank) + 12 * (card.suit == contract)
        for card in cards
    ]
    chosen = {
        "first": 0,
        "last": -1,
        "most points": points.index(max(points)),
        "fewest points": points.index(min(points)),
        "strongest": strengths.index(max(strengths)),
        "weakest": strengths.index(min(strengths)),
    }
    yield from (name for name, at in chosen.items() if str(cards[at]) == best)


def find_kind(decision: Decision) -> str:
    """Return the kind of a question on a decision."""
    position = decision.knowledge
    if decision.kind == "take" and position.lap == 2:
        return "second lap"
    if decision.kind == "counter" and position.place == position.turn % position.rules.seats:
        return "bid"
    return decision.kind


def ask_whole_turn(decision: Decision) -> Decision:
    """Return the decision as the page asks it: who is next may counter or bid."""
    if decision.kind != "counter" or find_kind(decision) != "bid":
        return decision
    return replace(decision, kind="bid", knowledge=replace(decision.knowledge, reply=None))


def iterate_decisions(table: str, kind: str) -> Iterator[list[Decision]]:
    """Yield the decisions of a kind by rounds of the default players, their passes last."""
    kinds = (*CALL_KINDS[TABLES[table].bidding], *CARD_KINDS)
    for first in range(1_000 + 150_000 * kinds.index(kind), 950_000, 500):
        for record in play_records(Experiment(rules=TABLES[table], first=first, deals=500)):
            assert isinstance(record, Record)
            if kind == "second lap" and len(record.calls) <= 6:
                continue
            decisions = [
                ask_whole_turn(decision)
                for decision in RecordedRound(record).decisions
                if find_kind(decision) == kind
            ]
            start = record.deal % max(1, len(decisions))
            yield sorted(
                decisions[start:] + decisions[:start],
                key=lambda decision: decision.is_call and is_quiet(decision.choice),
            )


def balance(candidates: list[Candidate]) -> list[Candidate]:
    """Leave questions out until no answer solves more than its share of those left."""
    left = list(candidates)
    while left:
        counts = Counter(name for candidate in left for name in candidate.solved_by)
        name, most = counts.most_common(1)[0]
        if most <= MAX_SHARE * len(left):
            break
        left.remove(next(each for each in reversed(left) if name in each.solved_by))
    return left


def find_questions(table: str, kind: str, count: int, seconds: float) -> list[int]:
    """Return the numbers of questions of a kind, at most `count`, no two of a round."""
    # To take in the first lap is nearly always right with two teams.
    is_balanced = (table, kind) != ("2-take", "take")
    if kind in CALL_KINDS["take"]:
        share = SECOND_LAPS[table]
        count = round(count * (share if kind == "second lap" else 1 - share))
    limit = MAX_SHARE * count if is_balanced else count
    solved: Counter[str] = Counter()
    chosen: list[Candidate] = []
    end = monotonic() + seconds
    for decisions in iterate_decisions(table, kind):
        candidate = next(filter(None, map(judge, decisions)), None)
        if candidate and all(solved[name] < limit for name in candidate.solved_by):
            chosen.append(candidate)
            solved.update(candidate.solved_by)
        if len(chosen) == count or monotonic() > end:
            break
    return [each.number for each in (balance(chosen) if is_balanced else chosen)]


@click.command()
@click.option("--count", default=100, help="Questions of each kind, at most.")
@click.option("--seconds", default=600.0, help="Time for each kind.")
@click.option("--workers", default=2, help="Number of processes.")
def main(count: int, seconds: float, workers: int) -> None:
    """Find the questions of all tables, and store them in the page."""
    questions = {}
    with ProcessPoolExecutor(workers) as pool:
        for table, rules in TABLES.items():
            search = {
                kind: pool.submit(find_questions, table, kind, count, seconds)
                for kind in (*CALL_KINDS[rules.bidding], *CARD_KINDS)
            }
            found = {kind: future.result() for kind, future in search.items()}
            calls = [found[kind] for kind in CALL_KINDS[rules.bidding]]
            if rules.bidding == "take":
                calls = [calls[0] + calls[1]]
            questions[table] = {"calls": calls, "cards": [found[kind] for kind in CARD_KINDS]}
            click.echo(f"{table}: {', '.join(f'{kind} {len(found[kind])}' for kind in found)}")
    text = json.dumps(questions, separators=(",", ":"))
    (FOLDER / QUESTIONS).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
