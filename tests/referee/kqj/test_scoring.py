"""docs/rules.md, sections 6 to 8: bonuses, totals, scores, the game.

Seat s is of team s modulo the number of teams, so that Sender 0 is of team 0.
"""

from __future__ import annotations

from typing import Any

import pytest

from kqj_sim.cards import Card, parse_cards
from kqj_sim.record import Bonus
from kqj_sim.referee.base import FinalContract, PlayedTrick, RoundScore
from kqj_sim.referee.kqj import (
    PACK,
    add_scores,
    find_bonuses,
    is_decided,
    round_to_ten,
    score_passed_out,
    score_round,
    score_totals,
)
from kqj_sim.rules import KqjRules
from tests.referee.random_rounds import random_record

TWO = KqjRules()
THREE = KqjRules(teams=3)


def score(
    rules: KqjRules,
    card_points: list[int],
    *,
    tricks: list[int] | None = None,
    bonuses: dict[int, int] | None = None,
    called: FinalContract | None = None,
    pending: int = 0,
) -> RoundScore:
    """Settle a round; `bonuses` are the bonus points of teams, the last trick included."""
    assert sum(card_points) == 236
    if tricks is None:
        tricks = [4, 4] if rules.teams == 2 else [3, 3, 2]
    assert sum(tricks) == 8
    won = [Bonus("kq", team, points) for team, points in (bonuses or {}).items()]
    teams = [rules.fixed_team_of(seat) for seat in range(6)]
    return score_totals(
        rules, teams, called or FinalContract(0, "h"), card_points, tricks, won, pending
    )


# Bonuses


def bonuses_of(
    contract: str, order: str, hand: str | None = None, winners: str = "00000000"
) -> list[Bonus]:
    """The bonuses when seat 0 has eight cards and plays them in `order`."""
    own = parse_cards(order)
    rest = [card for card in PACK if card not in own]
    # The others get the pack in its order, so that K Q J of a suit not with seat 0 go to one.
    hands: list[tuple[Card, ...]] = [own, *(tuple(rest[at::5]) for at in range(5))]
    tricks = [
        PlayedTrick(0, tuple(hand[number] for hand in hands), int(winner))
        for number, winner in enumerate(winners)
    ]
    return find_bonuses(hands, tricks, [0, 1] * 3, contract)


def marriages(contract: str, order: str) -> list[tuple[str, int, int | None, str | None]]:
    return [
        (bonus.bonus, bonus.points, bonus.seat, bonus.suit)
        for bonus in bonuses_of(contract, order)
        if bonus.bonus in ("kq", "kqj") and bonus.seat == 0
    ]


def test_last_trick_gives_10_to_the_team_of_its_winner() -> None:
    found = bonuses_of("NT", "4s 5s 6s 7s 4h 5h 6h 7h", winners="00000003")
    assert found == [Bonus("last_trick", 1, 10)]


def test_capot_gives_154_to_the_team_that_wins_all_tricks() -> None:
    found = bonuses_of("NT", "4s 5s 6s 7s 4h 5h 6h 7h", winners="13151531")
    assert found == [Bonus("last_trick", 1, 10), Bonus("capot", 1, 154)]


def test_seven_tricks_are_no_capot() -> None:
    found = bonuses_of("NT", "4s 5s 6s 7s 4h 5h 6h 7h", winners="00001000")
    assert found == [Bonus("last_trick", 0, 10)]


def test_king_before_queen_of_trump_is_kq() -> None:
    assert marriages("h", "Kh 4s Qh 5s 6s 7s 8s 9s") == [("kq", 20, 0, "h")]


def test_queen_before_king_is_nothing() -> None:
    assert marriages("h", "Qh Kh 4s 5s 6s 7s 8s 9s") == []
    assert marriages("h", "Qh Kh Jh 4s 5s 6s 7s 8s") == []


def test_king_queen_jack_in_order_is_kqj_in_place_of_kq() -> None:
    assert marriages("h", "4s Kh 5s Qh 6s 7s 8s Jh") == [("kqj", 50, 0, "h")]


@pytest.mark.parametrize("order", ["Kh Jh Qh", "Jh Kh Qh"])
def test_all_three_with_only_king_before_queen_is_kq(order: str) -> None:
    assert marriages("h", f"{order} 4s 5s 6s 7s 8s") == [("kq", 20, 0, "h")]


@pytest.mark.parametrize("order", ["Qh Kh Jh", "Qh Jh Kh", "Jh Qh Kh"])
def test_all_three_with_queen_before_king_is_nothing(order: str) -> None:
    assert marriages("h", f"{order} 4s 5s 6s 7s 8s") == []


def test_king_and_queen_of_a_plain_suit_are_nothing() -> None:
    assert marriages("h", "Ks Qs Js 4s 5s 6s 7s 8s") == []


def test_king_or_queen_alone_is_nothing() -> None:
    assert marriages("h", "Kh Jh 4s 5s 6s 7s 8s 9s") == []
    assert marriages("h", "Qh Jh 4s 5s 6s 7s 8s 9s") == []


def test_at_all_trumps_each_suit_can_give_a_bonus() -> None:
    assert marriages("AT", "Ks Qs Js Kh Qh Kd Qd Jd") == [
        ("kqj", 50, 0, "s"),
        ("kq", 20, 0, "h"),
        ("kqj", 50, 0, "d"),
    ]


def test_at_no_trump_there_is_no_kq() -> None:
    assert marriages("NT", "Ks Qs Js Kh Qh Kd Qd Jd") == []


def test_a_defender_has_his_kq_too() -> None:
    order = [parse_cards("4s 5s 6s 7s 4d 5d 6d 7d"), parse_cards("Kh Qh 4h 5h 6h 7h 8h 9h")]
    rest = [card for card in PACK if card not in {*order[0], *order[1]}]
    hands = [*order, *(tuple(rest[at::4]) for at in range(4))]
    tricks = [PlayedTrick(0, tuple(hand[number] for hand in hands), 0) for number in range(8)]
    assert Bonus("kq", 1, 20, 1, "h") in find_bonuses(hands, tricks, [0, 1] * 3, "h")


@pytest.mark.parametrize(
    ("total", "right"), [(154, 150), (155, 160), (0, 0), (4, 0), (5, 10), (400, 400)]
)
def test_rounding_goes_to_the_nearest_ten_five_upwards(total: int, right: int) -> None:
    assert round_to_ten(total) == right


# Two teams, taking


def test_the_larger_total_scores_its_rounded_total_alone() -> None:
    made = score(TWO, [140, 96], bonuses={0: 10})
    assert (made.result, made.totals, made.scores) == ("made", [150, 96], [150, 0])
    failed = score(TWO, [96, 140], bonuses={0: 10})
    assert (failed.result, failed.totals, failed.scores) == ("failed", [106, 140], [0, 140])


def test_bonuses_count_for_the_contract() -> None:
    assert score(TWO, [100, 136], bonuses={0: 60}).result == "made"
    assert score(TWO, [120, 116], bonuses={1: 10}).result == "failed"


def test_unrounded_totals_decide() -> None:
    assert score(TWO, [122, 114], bonuses={1: 10}).result == "failed"
    assert score(TWO, [124, 112], bonuses={1: 10}).result == "made"


@pytest.mark.parametrize(
    ("card_points", "bonuses", "gratuity"),
    [
        ([123, 113], {1: 10}, 120),
        ([133, 103], {1: 30}, 130),
        ([148, 88], {1: 60}, 150),
        ([143, 93], {1: 50}, 140),  # All-Trumps: last trick and two KQ
        ([158, 78], {1: 80}, 160),  # All-Trumps: last trick, KQ and KQJ
    ],
)
def test_equal_totals_are_a_litigation(
    card_points: list[int], bonuses: dict[int, int], gratuity: int
) -> None:
    tied = score(TWO, card_points, bonuses=bonuses)
    assert tied.result == "litigation"
    assert tied.scores == [0, 0] and tied.gratuities == [0, 0]
    assert tied.pending_after == gratuity


def test_the_winner_of_the_next_round_gets_the_pending_gratuity() -> None:
    made = score(TWO, [140, 96], bonuses={0: 10}, pending=120)
    assert (made.scores, made.gratuities, made.pending_after) == ([270, 0], [120, 0], 0)
    failed = score(TWO, [96, 140], bonuses={0: 10}, pending=120)
    assert (failed.scores, failed.gratuities) == ([0, 260], [0, 120])


def test_a_litigation_replaces_a_pending_gratuity_by_its_own() -> None:
    tied = score(TWO, [133, 103], bonuses={1: 30}, pending=120)
    assert (tied.scores, tied.gratuities, tied.pending_after) == ([0, 0], [0, 0], 130)


def test_a_round_passed_out_keeps_the_gratuity_pending() -> None:
    out = score_passed_out(THREE, 120)
    assert (out.result, out.pending_after, out.bonuses) == ("passed_out", 120, [])
    assert out.scores == out.totals == out.card_points == out.trick_counts == [0, 0, 0]


def test_two_teams_have_no_low_score_gratuities() -> None:
    assert score(TWO, [220, 16], tricks=[7, 1]).gratuities == [0, 0]
    assert score(TWO, [236, 0], tricks=[8, 0]).gratuities == [0, 0]


# Three teams, taking


def test_three_teams_made_the_contracting_team_alone_scores() -> None:
    made = score(THREE, [90, 80, 66], bonuses={0: 10})
    assert (made.result, made.scores) == ("made", [100, 0, 0])


def test_three_teams_failed_each_defending_team_scores_its_own_total() -> None:
    failed = score(THREE, [80, 91, 65], bonuses={0: 10})
    assert (failed.result, failed.scores) == ("failed", [0, 90, 70])


def test_three_teams_hold_against_the_better_of_the_others() -> None:
    assert score(THREE, [80, 70, 86]).result == "failed"
    assert score(THREE, [80, 76, 80]).result == "litigation"


def test_three_teams_equal_totals_are_a_litigation() -> None:
    tied = score(THREE, [82, 82, 72], bonuses={2: 10})
    assert (tied.result, tied.scores, tied.pending_after) == ("litigation", [0, 0, 0], 80)


def test_three_teams_defenders_that_tie_are_no_litigation() -> None:
    assert score(THREE, [100, 68, 68], bonuses={0: 10}).result == "made"


def test_three_teams_pending_goes_to_the_contracting_team_if_made() -> None:
    assert score(THREE, [96, 80, 60], pending=80).gratuities == [80, 0, 0]


def test_three_teams_pending_goes_to_the_better_defending_team_if_failed() -> None:
    failed = score(THREE, [60, 80, 96], pending=80)
    assert (failed.gratuities, failed.scores) == ([0, 0, 80], [0, 80, 180])


def test_three_teams_pending_goes_to_each_defending_team_if_they_tie() -> None:
    failed = score(THREE, [60, 88, 88], pending=80)
    assert (failed.gratuities, failed.scores) == ([0, 80, 80], [0, 170, 170])


# Three teams, gratuities


@pytest.mark.parametrize(
    ("card_points", "tricks", "gratuities"),
    [
        ([100, 115, 21], [3, 4, 1], [0, 0, 0]),
        ([100, 116, 20], [3, 4, 1], [20, 20, 0]),
        ([116, 100, 20], [3, 3, 2], [20, 20, 0]),
        ([236, 0, 0], [6, 1, 1], [40, 20, 20]),
        ([120, 116, 0], [4, 4, 0], [60, 60, 0]),
        ([220, 16, 0], [7, 1, 0], [80, 60, 20]),
        ([236, 0, 0], [8, 0, 0], [120, 60, 60]),
        ([0, 236, 0], [0, 8, 0], [60, 120, 60]),
    ],
)
def test_three_team_gratuities(
    card_points: list[int], tricks: list[int], gratuities: list[int]
) -> None:
    assert score(THREE, card_points, tricks=tricks).gratuities == gratuities


def test_gratuities_come_from_card_points_before_bonuses() -> None:
    low = score(THREE, [116, 100, 20], bonuses={2: 60})
    assert low.gratuities == [20, 20, 0] and low.totals[2] == 80


def test_gratuities_are_added_to_scores_and_ignored_for_the_contract() -> None:
    failed = score(THREE, [110, 111, 15], tricks=[3, 4, 1])
    assert (failed.result, failed.scores) == ("failed", [20, 130, 20])


def test_gratuities_are_paid_in_a_litigation_too() -> None:
    tied = score(THREE, [118, 118, 0], tricks=[4, 4, 0])
    assert (tied.result, tied.scores, tied.pending_after) == ("litigation", [60, 60, 0], 120)


def test_gratuities_are_paid_with_auctions_and_never_multiplied() -> None:
    rules = KqjRules(teams=3, bidding="auction")
    called = FinalContract(0, "h", 100, False, 4)
    made = score(rules, [120, 116, 0], tricks=[4, 4, 0], called=called)
    assert (made.scores, made.gratuities) == ([460, 60, 0], [60, 60, 0])


# Auctions


def auction(
    card_points: list[int],
    amount: int,
    *,
    capot: bool = False,
    stake: int = 1,
    tricks: list[int] | None = None,
    bonuses: dict[int, int] | None = None,
    pending: int = 0,
    **rules: Any,
) -> RoundScore:
    return score(
        KqjRules(bidding="auction", **rules),
        card_points,
        tricks=tricks,
        bonuses=bonuses,
        called=FinalContract(0, "h", amount, capot, stake),
        pending=pending,
    )


def test_made_scores_the_announced_amount_and_no_more() -> None:
    made = auction([200, 36], 150)
    assert (made.result, made.scores) == ("made", [150, 0])
    assert auction([150, 86], 150).result == "made"


def test_failed_gives_each_defending_team_the_amount() -> None:
    failed = auction([149, 87], 150)
    assert (failed.result, failed.scores) == ("failed", [0, 150])
    three = auction([70, 100, 66], 80, teams=3)
    assert (three.result, three.scores) == ("failed", [0, 80, 80])


def test_bonuses_count_for_the_amount() -> None:
    assert auction([140, 96], 150, bonuses={0: 10}).result == "made"


@pytest.mark.parametrize("stake", [1, 2, 4])
def test_countered_twice_and_overcountered_four_times(stake: int) -> None:
    assert auction([200, 36], 150, stake=stake).scores == [150 * stake, 0]
    assert auction([100, 136], 150, stake=stake).scores == [0, 150 * stake]


def test_countered_with_three_teams_both_others_score_whoever_countered() -> None:
    failed = auction([70, 100, 66], 80, teams=3, stake=2)
    assert failed.scores == [0, 160, 160]
    made = auction([100, 70, 66], 80, teams=3, stake=2)
    assert made.scores == [160, 0, 0]


def test_amount_uses_total() -> None:
    assert auction([145, 91], 150).result == "failed"


def test_amount_uses_rounded() -> None:
    assert auction([145, 91], 150, amount_uses="rounded").result == "made"
    assert auction([144, 92], 150, amount_uses="rounded").result == "failed"


def test_the_amount_is_all_that_counts_by_default() -> None:
    made = auction([120, 116], 120, bonuses={1: 60})
    assert (made.result, made.scores) == ("made", [120, 0])
    assert auction([123, 113], 120, bonuses={1: 10}).result == "made"


def test_must_outscore_fails_below_the_best_other_total() -> None:
    failed = auction([120, 116], 120, bonuses={1: 60}, must_outscore=True)
    assert (failed.result, failed.scores) == ("failed", [0, 120])
    assert auction([124, 112], 120, bonuses={1: 10}, must_outscore=True).result == "made"


def test_must_outscore_equal_totals_are_a_litigation() -> None:
    tied = auction([123, 113], 120, bonuses={1: 10}, must_outscore=True, stake=2, pending=50)
    assert (tied.result, tied.scores, tied.pending_after) == ("litigation", [0, 0], 120)
    three = auction([82, 72, 82], 80, teams=3, bonuses={1: 10}, must_outscore=True)
    assert (three.result, three.pending_after) == ("litigation", 80)


def test_must_outscore_is_no_litigation_if_the_amount_is_missed() -> None:
    failed = auction([123, 113], 130, bonuses={1: 10}, must_outscore=True)
    assert (failed.result, failed.scores, failed.pending_after) == ("failed", [0, 130], 0)


def test_must_outscore_with_rounded_amounts_compares_unrounded_totals() -> None:
    rules: dict[str, Any] = {"amount_uses": "rounded", "must_outscore": True}
    assert auction([118, 118], 120, **rules).result == "litigation"
    assert auction([117, 119], 120, **rules).result == "failed"


def test_must_outscore_is_no_litigation_if_an_announced_capot_is_missed() -> None:
    failed = auction([123, 113], 120, capot=True, bonuses={1: 10}, must_outscore=True)
    assert failed.result == "failed"


def test_a_pending_gratuity_goes_to_the_winning_side_with_auctions() -> None:
    assert auction([200, 36], 150, must_outscore=True, pending=120).scores == [270, 0]
    assert auction([100, 136], 150, must_outscore=True, pending=120).scores == [0, 270]


def test_a_failed_contract_pays_the_better_defender_even_if_the_sender_has_more() -> None:
    failed = auction([110, 60, 66], 150, teams=3, pending=80)
    assert (failed.gratuities, failed.scores) == ([0, 0, 80], [0, 150, 230])


def test_an_announced_capot_must_win_all_tricks() -> None:
    made = auction([236, 0], 200, capot=True, tricks=[8, 0], bonuses={0: 164})
    assert (made.result, made.scores) == ("made", [200, 0])
    missed = auction([236, 0], 200, capot=True, tricks=[7, 1])
    assert (missed.result, missed.scores) == ("failed", [0, 200])


def test_an_announced_capot_needs_its_amount_too() -> None:
    assert auction([236, 0], 410, capot=True, tricks=[8, 0], bonuses={0: 164}).result == "failed"


# The game


def test_with_random_partners_each_player_scores_what_his_team_scored() -> None:
    rules = KqjRules(partners="random")
    assert add_scores(rules, [10, 20, 30, 40, 50, 60], [0, 0, 0, 1, 1, 1], [150, 0]) == [
        160, 170, 180, 40, 50, 60,
    ]  # fmt: skip


def test_with_random_partners_the_pending_gratuity_goes_to_each_player_of_the_team() -> None:
    rules = KqjRules(partners="random")
    teams = [1, 1, 0, 0, 1, 0]
    won = score_totals(
        rules, teams, FinalContract(0, "h"), [96, 140], [4, 4], [], pending_before=120
    )
    assert add_scores(rules, [0] * 6, teams, won.scores) == [260, 260, 0, 0, 260, 0]


def test_with_fixed_partners_scores_are_kept_by_team() -> None:
    assert add_scores(THREE, [10, 20, 30], [0, 1, 2] * 2, [100, 0, 20]) == [110, 20, 50]


def test_the_game_ends_at_the_target() -> None:
    assert not is_decided(TWO, [990, 0])
    assert is_decided(TWO, [1000, 0])
    assert is_decided(KqjRules(target=500), [500, 490])
    assert is_decided(KqjRules(teams=3), [1010, 1000, 1040])


def test_a_shared_highest_score_goes_on() -> None:
    assert not is_decided(TWO, [1020, 1020])
    assert not is_decided(KqjRules(partners="random"), [1000, 1000, 1000, 0, 0, 0])


@pytest.mark.parametrize("teams", [2, 3])
@pytest.mark.parametrize("bidding", ["take", "auction"])
def test_card_points_sum_to_236(teams: int, bidding: str) -> None:
    rules = KqjRules.from_dict({"teams": teams, "bidding": bidding})
    for seed in range(100):
        record = random_record(rules, seed)
        if record.sender is not None:
            assert sum(record.card_points) == 236, f"seed={seed} {record}"
            assert sum(record.trick_counts) == 8, f"seed={seed} {record}"


def test_score_round_counts_tricks_for_the_teams_of_their_winners() -> None:
    # Seat 0 has the eight highest trumps and leads them; the others throw what they have.
    own = parse_cards("9h 8h 7h Ah Th Hh Kh Qh")
    rest = [card for card in PACK if card not in own]
    hands = [own, *(tuple(rest[at::5]) for at in range(5))]
    tricks = [PlayedTrick(0, tuple(hand[number] for hand in hands), 0) for number in range(8)]
    full = score_round(THREE, [0, 1, 2] * 2, FinalContract(0, "h"), hands, tricks)
    assert full.card_points == [236, 0, 0] and full.trick_counts == [8, 0, 0]
    # 236 + last trick 10 + Capot 154 + KQ 20, and the gratuities of two trickless teams.
    assert full.totals == [420, 0, 0] and full.scores == [540, 60, 60]
