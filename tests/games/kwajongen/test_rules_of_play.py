"""Kwajongen, rule by rule: the pack, the calls, the play and the scores."""

from __future__ import annotations

from itertools import product

import pytest

from kqj_sim.arguments import RuleArguments, collect_rules
from kqj_sim.cards import SUITS, Card, parse_cards
from kqj_sim.games import GAMES
from kqj_sim.games.kwajongen import KwajongenRules, referee
from kqj_sim.record import Call
from kqj_sim.referee.base import FinalContract, PlayedTrick

REFEREE = referee.KwajongenReferee(KwajongenRules())
TEAMS = (0, 1, 0, 1)
MUST_TRUMP, FREE = BOTH = [KwajongenRules(), KwajongenRules(void_rule="free")]


# The options


def test_there_is_one_option_and_there_are_four_seats_and_two_teams() -> None:
    rules = KwajongenRules(void_rule="free")
    assert KwajongenRules().to_dict() == {"void_rule": "must_trump"}
    assert rules.to_dict() == {"void_rule": "free"}
    assert rules.seats == 4 and rules.team_count == rules.score_count == 2
    assert [rules.fixed_team_of(seat) for seat in range(4)] == [0, 1, 0, 1]
    assert rules.contracts == ("s", "h", "d", "c") and rules.start_score == 10
    assert rules.without_effect == ()


def test_rules_are_named_by_the_game() -> None:
    assert collect_rules(None, {"game": "kwajongen"}, "show") == MUST_TRUMP


def test_functions_name_the_rules_of_every_game_as_arguments() -> None:
    rules = {name for game in GAMES.values() for name in game.rules().to_dict()}
    assert {*RuleArguments.__annotations__} == {"game"} | rules


# The pack


def test_the_pack_has_24_cards_worth_40() -> None:
    assert len(set(referee.PACK)) == 24
    assert sum(REFEREE.card_points(card, "h") for card in referee.PACK) == 40
    assert [REFEREE.card_points(Card(rank, "s"), "h") for rank in "AKQJT9"] == [4, 3, 2, 1, 0, 0]


@pytest.mark.parametrize("suit", SUITS)
@pytest.mark.parametrize("trump", SUITS)
def test_the_order_is_the_same_in_every_suit_trump_too(suit: str, trump: str) -> None:
    cards = [Card(rank, suit) for rank in "AKQJT9"]
    for high, low in product(range(6), repeat=2):
        if high < low:
            assert REFEREE.find_trick_winner(0, [cards[low], cards[high]], trump) == 1
            assert REFEREE.find_trick_winner(0, [cards[high], cards[low]], trump) == 0


# The calls


def test_from_the_dealers_left_each_player_speaks_once() -> None:
    calling = referee.KwajongenCalling(2, Card("9", "h"))
    seats = []
    while not calling.is_closed:
        seats.append(calling.turn)
        calling.add(Call(calling.turn, "pass"))
    assert seats == [3, 0, 1, 2] and calling.final_contract() is None


@pytest.mark.parametrize("passes", range(4))
def test_the_first_to_say_play_is_the_caller_and_closes(passes: int) -> None:
    calling = referee.KwajongenCalling(1, Card("9", "h"))
    for call in (*["pass"] * passes, "play"):
        calling.add(Call(calling.turn, call))  # type: ignore[arg-type]
    assert calling.is_closed and calling.final_contract() == FinalContract((2 + passes) % 4, "h")
    late = Call(calling.turn, "pass")
    assert calling.explain_illegal_call(late) == "the calling is already closed"


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (Call(2, "play"), "it is the turn of seat 1, not of 2"),
        (Call(1, "take", contract="h"), "there is no take: pass or play"),
        (Call(1, "bid", 120, "h", False), "there is no bid: pass or play"),
        (Call(1, "counter"), "there is no counter: pass or play"),
        (Call(1, "play", contract="h"), "the call play has no details"),
        (Call(1, "pass", capot=False), "the call pass has no details"),
    ],
)
def test_no_other_call_is_legal(call: Call, reason: str) -> None:
    assert referee.KwajongenCalling(0, Card("9", "h")).explain_illegal_call(call) == reason
    with pytest.raises(ValueError, match=reason):
        referee.KwajongenCalling(0, Card("9", "h")).add(call)


# The play


LEGAL = [
    ("leading, any card", BOTH, "As 9h Tc", "", "As 9h Tc"),
    ("a suit led is followed with any card of it", BOTH, "As 9s Ah Tc", "Ks", "As 9s"),
    ("a suit led is followed with any card of it", BOTH, "As 9s Ah", "Ks 9h", "As 9s"),
    ("a suit led is followed with any card of it", BOTH, "Ah 9h Tc", "Kh Th", "Ah 9h"),
    ("void: trump, without a duty to beat", [MUST_TRUMP], "Ah 9h Tc", "Ks", "Ah 9h"),
    ("void: trump, without a duty to beat", [MUST_TRUMP], "Ah 9h Tc", "Ks Th", "Ah 9h"),
    ("void: trump, also if the partner is master", [MUST_TRUMP], "9h Tc", "As Ks", "9h"),
    ("void without trumps: any card", [MUST_TRUMP], "Ad Tc", "Ks", "Ad Tc"),
    ("void in trump led: any card", [MUST_TRUMP], "Ad Tc", "Kh", "Ad Tc"),
    ("void_rule=free, void: any card", [FREE], "Ah 9h Tc", "Ks", "Ah 9h Tc"),
]
"""A rule; the options, hand and trick at hearts; the legal cards."""


@pytest.mark.parametrize(
    ("options", "hand", "trick", "right"), [row[1:] for row in LEGAL], ids=[r[0] for r in LEGAL]
)
def test_legal_cards(options: list[KwajongenRules], hand: str, trick: str, right: str) -> None:
    for rules in options:
        judge = referee.KwajongenReferee(rules)
        cards = judge.list_legal_cards(parse_cards(hand), parse_cards(trick), 0, TEAMS, "h")
        assert cards == {*parse_cards(right)}


@pytest.mark.parametrize(
    ("trick", "place"),
    [
        ("Ts Js As Ks", 2), ("9s Ad Kc Tc", 0),  # the highest of the suit led; no other suit
        ("As 9h Ks Qs", 1), ("As 9h Th Ah", 3), ("As Kh 9h Jh", 1),  # the highest trump
        ("9h As Ad Th", 3), ("Tc 9c Jc Qh", 3),
        ("Jh Th 9h As", 0),  # the ten is below the jack, in trumps too
    ],
)  # fmt: skip
def test_the_highest_trump_else_the_highest_of_the_suit_led_wins(trick: str, place: int) -> None:
    for leader in range(4):
        assert REFEREE.find_trick_winner(leader, parse_cards(trick), "h") == (leader + place) % 4


# The scores

# Card points and tricks of teams 0 and 1, and what scores follow with team 0's seat as caller:
# the result, and the scores of a round that is not raised and of one that is.
CASES = [
    ([9, 3], [3, 1], "made", [-1, 0], [-2, 0]),
    ([12, 0], [4, 0], "made", [-2, 0], [-3, 0]),
    ([3, 9], [1, 3], "failed", [1, -1], [1, -2]),
    ([9, 10], [3, 1], "failed", [1, -1], [1, -2]),  # card points decide, not tricks
    ([0, 12], [0, 4], "failed", [1, -2], [1, -3]),
    ([8, 8], [3, 1], "tie", [1, 0], [1, 0]),
]


@pytest.mark.parametrize(("points", "tricks", "result", "plain", "raised"), CASES)
@pytest.mark.parametrize("caller", [0, 1])
@pytest.mark.parametrize("pending", [0, 1])
def test_scores_of_a_round(
    points: list[int], tricks: list[int], result: str, plain: list[int], raised: list[int],
    caller: int, pending: int,
) -> None:  # fmt: skip
    turn = slice(None, None, -1 if caller else None)
    score = referee.score_totals(caller, points[turn], tricks[turn], pending)
    assert score.result == result
    assert score.scores == (raised if pending else plain)[turn]
    assert score.card_points == score.totals == points[turn]
    assert score.trick_counts == tricks[turn]
    assert score.bonuses == [] and score.gratuities == [0, 0]
    assert score.pending_after == 0  # a tie uses it up too


def test_a_team_has_the_points_of_the_tricks_it_won() -> None:
    tricks = [
        PlayedTrick(1, parse_cards("As Ks Qs Js"), 1),  # 10
        PlayedTrick(1, parse_cards("Ac 9c Tc Kc"), 1),  # 7
        PlayedTrick(1, parse_cards("Td Ad Jd 9d"), 2),  # 5
        PlayedTrick(2, parse_cards("9h Th Qh Ah"), 1),  # 6
    ]
    score = REFEREE.score_round(TEAMS, FinalContract(2, "h"), (), tricks, 0)
    assert score.card_points == [5, 23] and score.trick_counts == [1, 3]
    assert score.result == "failed" and score.scores == [1, -1]
    # Of the 24 cards 16 are dealt, so that the points are those of the cards in play.
    assert sum(score.card_points) == 28


def test_passed_out_nobody_scores_the_same_deals_and_the_next_is_raised() -> None:
    score = REFEREE.score_passed_out(0)
    assert score.scores == [0, 0] and score.result == "passed_out" and score.pending_after == 1
    assert [REFEREE.find_next_dealer(dealer, True) for dealer in range(4)] == [0, 1, 2, 3]
    assert [REFEREE.find_next_dealer(dealer, False) for dealer in range(4)] == [1, 2, 3, 0]


def test_a_game_goes_down_from_ten_and_has_no_upper_limit() -> None:
    assert KwajongenRules.start_score == 10
    assert REFEREE.add_scores([10, 10], [0, 1] * 2, [-2, 1]) == [8, 11]
    assert REFEREE.add_scores([25, 1], [0, 1] * 2, [1, -3]) == [26, -2]
    assert not REFEREE.is_decided([1, 40])
    assert REFEREE.is_decided([0, 5]) and REFEREE.is_decided([5, -2])
