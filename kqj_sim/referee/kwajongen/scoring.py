"""Result and scores of a round, and the game (RULES.md, section 10, 4 and 5)."""

from __future__ import annotations

from collections.abc import Sequence

from kqj_sim.referee.kwajongen.cards import card_points
from kqj_sim.referee.trick import PlayedTrick, RoundScore, sum_tricks_by_team
from kqj_sim.rules import KwajongenRules

SEATS, TEAMS, TRICKS = KwajongenRules.seats, KwajongenRules.team_count, KwajongenRules.tricks


def score_totals(
    caller_team: int, card_points: Sequence[int], trick_counts: Sequence[int], raised: int
) -> RoundScore:
    """Score a round from the card points and tricks of each team; `raised` is 0 or 1."""
    other_team = 1 - caller_team
    scores = [0, 0]
    if card_points[0] != card_points[1]:
        winner = 0 if card_points[0] > card_points[1] else 1
        scores[winner] = -1 - raised - (1 if trick_counts[winner] == TRICKS else 0)
    if card_points[caller_team] > card_points[other_team]:
        result = "made"
    else:
        result = "tie" if card_points[0] == card_points[1] else "failed"
        scores[caller_team] = 1
    totals = list(card_points)
    return RoundScore(totals, list(trick_counts), [], totals, result, [0, 0], 0, scores)


def score_round(
    teams: Sequence[int], caller: int, tricks: Sequence[PlayedTrick], raised: int = 0
) -> RoundScore:
    """Score a round from its four tricks; `teams` are those of the seats."""
    points, counts = sum_tricks_by_team(tricks, teams, TEAMS, card_points)
    return score_totals(teams[caller], points, counts, raised)


def score_passed_out() -> RoundScore:
    """Return the score of a round in which all passed: the next one is raised."""
    zeros = [0] * TEAMS
    return RoundScore(zeros, zeros, [], zeros, "passed_out", zeros, 1, zeros)


def find_next_dealer(dealer: int, is_passed_out: bool) -> int:
    """Return the next dealer: the same one if all passed, else the next in turn."""
    return dealer if is_passed_out else (dealer + 1) % SEATS


def add_scores(before: Sequence[int], scores: Sequence[int]) -> list[int]:
    """Return the game scores of the teams after a round."""
    return [score + change for score, change in zip(before, scores, strict=True)]


def is_decided(game_scores: Sequence[int]) -> bool:
    """Return True if the game is over: a team is at 0 or below.

    No round brings both teams down, so that the winner is unique.
    """
    return min(game_scores) <= 0
