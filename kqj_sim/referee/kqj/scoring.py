"""Bonuses, totals, result and scores of a round, and the game (docs/rules.md, sections 6 to 8)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kqj_sim.cards import SUITS, Card
from kqj_sim.record import Bonus
from kqj_sim.referee.base import FinalContract
from kqj_sim.referee.kqj.cards import card_points
from kqj_sim.referee.trick import PlayedTrick, RoundScore, sum_tricks_by_team
from kqj_sim.rules import SEATS, KqjRules

TRICKS = 8
LAST_TRICK, CAPOT, KQ, KQJ = 10, 154, 20, 50


def round_to_ten(total: int) -> int:
    """Return a total rounded to the nearest ten, 5 upwards."""
    return (total + 5) // 10 * 10


def find_bonuses(
    hands: Sequence[Collection[Card]],
    tricks: Sequence[PlayedTrick],
    teams: Sequence[int],
    contract: str,
) -> list[Bonus]:
    """Return the bonuses of eight played tricks; `hands` are the eight cards of each seat."""
    winner = teams[tricks[-1].winner]
    bonuses = [Bonus("last_trick", winner, LAST_TRICK)]
    if all(teams[trick.winner] == winner for trick in tricks):
        bonuses.append(Bonus("capot", winner, CAPOT))
    trick_of = {card: number for number, trick in enumerate(tricks) for card in trick.cards}
    trump_suits = {"AT": SUITS, "NT": ""}.get(contract, contract)
    for seat in range(SEATS):
        for suit in trump_suits:
            king, queen, jack = Card("K", suit), Card("Q", suit), Card("J", suit)
            if king not in hands[seat] or queen not in hands[seat]:
                continue
            if trick_of[king] > trick_of[queen]:
                continue
            if jack in hands[seat] and trick_of[queen] < trick_of[jack]:
                bonuses.append(Bonus("kqj", teams[seat], KQJ, seat, suit))
            else:
                bonuses.append(Bonus("kq", teams[seat], KQ, seat, suit))
    return bonuses


def round_gratuities(
    rules: KqjRules, card_points: Sequence[int], trick_counts: Sequence[int]
) -> list[int]:
    """Return the three-team gratuities of each team; with two teams there are none."""
    gratuities = [0] * rules.team_count
    if rules.team_count == 2:
        return gratuities
    for team in range(3):
        if trick_counts[team] == 0:
            gratuity = 60
        elif card_points[team] <= 20:
            gratuity = 20
        else:
            continue
        for other in range(3):
            if other != team:
                gratuities[other] += gratuity
    return gratuities


def judge_contract(
    rules: KqjRules,
    called: FinalContract,
    team: int,
    totals: Sequence[int],
    trick_counts: Sequence[int],
) -> str:
    """Return the result of the contract of `team`: "made", "failed" or "litigation"."""
    total = totals[team]
    best_other = max(points for other, points in enumerate(totals) if other != team)
    if called.amount is not None:
        reached = round_to_ten(total) if rules.amount_uses == "rounded" else total
        if reached < called.amount:
            return "failed"
        if called.capot and trick_counts[team] != TRICKS:
            return "failed"
        if not rules.must_outscore:
            return "made"
    if total == best_other:
        return "litigation"
    return "made" if total > best_other else "failed"


def score_totals(
    rules: KqjRules,
    teams: Sequence[int],
    called: FinalContract,
    card_points: Sequence[int],
    trick_counts: Sequence[int],
    bonuses: Sequence[Bonus],
    pending_before: int = 0,
) -> RoundScore:
    """Score a round from the card points, tricks (per team) and bonuses won in it."""
    totals = list(card_points)
    for bonus in bonuses:
        totals[bonus.team] += bonus.points
    sending = teams[called.sender]
    defending = [team for team in range(rules.team_count) if team != sending]
    result = judge_contract(rules, called, sending, totals, trick_counts)
    scores = [0] * rules.team_count
    gratuities = round_gratuities(rules, card_points, trick_counts)
    pending_after = 0
    if result == "litigation":
        pending_after = round_to_ten(totals[sending])
        winners = []
    elif result == "made":
        winners = [sending]
        scores[sending] = _compute_reward(called, totals[sending])
    else:
        best = max(totals[team] for team in defending)
        winners = [team for team in defending if totals[team] == best]
        for team in defending:
            scores[team] = _compute_reward(called, totals[team])
    for team in winners:
        gratuities[team] += pending_before
    for team in range(rules.team_count):
        scores[team] += gratuities[team]
    return RoundScore(
        list(card_points),
        list(trick_counts),
        list(bonuses),
        totals,
        result,
        gratuities,
        pending_after,
        scores,
    )


def score_round(
    rules: KqjRules,
    teams: Sequence[int],
    called: FinalContract,
    hands: Sequence[Collection[Card]],
    tricks: Sequence[PlayedTrick],
    pending_before: int = 0,
) -> RoundScore:
    """Score a round from the eight cards of each seat and the eight tricks."""
    points, counts = sum_tricks_by_team(
        tricks, teams, rules.team_count, lambda card: card_points(card, called.contract)
    )
    bonuses = find_bonuses(hands, tricks, teams, called.contract)
    return score_totals(rules, teams, called, points, counts, bonuses, pending_before)


def score_passed_out(rules: KqjRules, pending_before: int = 0) -> RoundScore:
    """Return the score of a round in which all passed."""
    zeros = [0] * rules.team_count
    return RoundScore(zeros, zeros, [], zeros, "passed_out", zeros, pending_before, zeros)


def add_scores(
    rules: KqjRules, before: Sequence[int], teams: Sequence[int], scores: Sequence[int]
) -> list[int]:
    """Return the game scores after a round: per team, or with random partners per seat."""
    if rules.partners == "random":
        return [before[seat] + scores[teams[seat]] for seat in range(SEATS)]
    return [before[team] + scores[team] for team in range(rules.team_count)]


def is_decided(rules: KqjRules, game_scores: Sequence[int]) -> bool:
    """Return True if the game is over: one side alone has the best score, at least the target."""
    best = max(game_scores)
    return best >= rules.target and list(game_scores).count(best) == 1


def _compute_reward(called: FinalContract, total: int) -> int:
    """Return the points of a winner: its total, or with auctions the amount times the stake."""
    return round_to_ten(total) if called.amount is None else called.amount * called.stake
