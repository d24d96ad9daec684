"""Headlines of odds: the decision in every case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest

from kqj_sim import odds
from kqj_sim.cards import CONTRACTS, parse_cards
from kqj_sim.core import call_odds as core
from kqj_sim.games import find_game
from kqj_sim.games.kqj.call_sampler import KqjCallOdds
from kqj_sim.output.sentences import say
from kqj_sim.positions.auction_state import AuctionState, CallOption
from kqj_sim.positions.measures import get_kqj_call_measures, get_kqj_card_measures
from kqj_sim.positions.odds import CardOdds, Playouts
from kqj_sim.questions.odds.screen import name_option, write_headline
from kqj_sim.referee.base import FinalContract, get_referee
from kqj_sim.rules import KqjRules
from tests.variants import OTHER_GAMES

DEALS = 1000
TAKING = KqjRules()
AUCTION = KqjRules(bidding="auction")


def give_scores(own: float, spread: float = 0.0) -> np.ndarray:
    """Scores of the player's side less the opponents', with this mean and standard deviation."""
    # Alternating, so that mean and spread are as asked in any number of deals.
    return np.array([own + spread * (-1) ** number for number in range(DEALS)]).round()


def fill(odds: Any, differences: Sequence[np.ndarray], uncountered: Sequence[np.ndarray]) -> Any:
    """Add deals with these score differences, and those if nobody counters."""
    outcomes = np.zeros((len(differences), DEALS, core.OUTCOME_SIZE), dtype=np.int16)
    for option, (points, without) in enumerate(zip(differences, uncountered, strict=True)):
        outcomes[option, :, core.OWN_SCORE] = points
        outcomes[option, :, core.DOUBLE_LEAD] = 2 * points
        outcomes[option, :, core.UNCOUNTERED_DOUBLE_LEAD] = 2 * without
        outcomes[option, :, core.OWN_COUNTERED] = points != without
    weights, hands = np.ones(DEALS), np.zeros((12, DEALS), dtype=np.int64)
    odds.add(Playouts(DEALS, weights, outcomes, hands, np.zeros((0, 2), dtype=np.int64)))
    odds.order = tuple(range(len(differences)))
    odds.choosing_deals = 500
    return odds


def calls(
    names: Sequence[str],
    *differences: np.ndarray,
    rules: KqjRules = TAKING,
    uncountered: Sequence[np.ndarray] | None = None,
) -> KqjCallOdds:
    """Odds of calls of these names, the best first."""
    options = []
    for name in names:
        *amount, contract = name.replace("take ", "").split()
        known = contract if contract in CONTRACTS else None
        amounts = int(amount[0]) if known and amount else 0
        options.append(CallOption(name, AuctionState(), 0, 0, known, amounts))
    odds = KqjCallOdds(
        measures=get_kqj_call_measures(rules), rules=rules, players=(), seed=1, options=options,
        option_count=len(options), position=cast(Any, None), observed_calls=[],
    )  # fmt: skip
    return cast(KqjCallOdds, fill(odds, differences, uncountered or differences))


def cards(text: str, *differences: np.ndarray, exact: bool = False) -> CardOdds:
    """Odds of cards, the best first."""
    options = parse_cards(text)
    odds = CardOdds(
        measures=get_kqj_card_measures(TAKING), rules=TAKING, players=(), seed=1, options=options,
        option_count=len(options), position=cast(Any, None), is_exact=exact,
        layout_count=DEALS,
    )  # fmt: skip
    return cast(CardOdds, fill(odds, differences, differences))


ONE, OTHER = give_scores(50, 40), give_scores(49, -40)
BIG, SMALL = give_scores(200, 50), give_scores(150, 30)

HEADLINES = {
    "loss": (
        calls(["pass", "take AT"], give_scores(-40, 50), give_scores(-80, 60)),
        "Pass: you win 50% of the rounds and lose by 40 on average (±3.1). "
        "Taking AT is worth 40 less.",
    ),
    "tie": (
        calls(["take h", "pass"], ONE, OTHER),
        "Take ♥ or pass: statistically tied (difference 1.0 ±5.0). Take ♥: you win 100% of the "
        "rounds and outscore the opponents by 50 on average (±2.5).",
    ),
    "tie of many": (
        calls(["120 h", "130 h", "pass", "120 s", "120 d"], ONE, *[OTHER] * 4, rules=AUCTION),
        "Bid 120 ♥, 130 ♥, pass or 2 other calls: statistically tied. ",
    ),
    "undecided": (
        calls(["take h", "pass"], give_scores(50, 10), give_scores(55, 10)),
        "Take ♥ or pass: undecided. The deals that chose prefer the first, those shown the second "
        "by 5.0; more deals decide.",
    ),
    "card": (
        cards("Th 9h", give_scores(-20, 30), give_scores(-90, 30)),
        "Play T♥: you win 50% of the rounds and lose by 20 on average (±1.9). 9♥ is worth 70 "
        "less. / T♥ wins the trick.",
    ),
    "only card": (cards("As", give_scores(12, 5)), "Only A♠ is legal."),
    "equal cards": (
        cards("9s 8s 7s", give_scores(40, 9), give_scores(40, 9), give_scores(20, 9)),
        "Play 9♠ or 8♠: equally good. Play 9♠: you win 100% of the rounds and outscore the "
        "opponents by 40 on average (±0.6).",
    ),
}
"""Odds, and how their headline begins; docs/odds.md and the outputs have the usual ones."""


@pytest.mark.parametrize("name", HEADLINES)
def test_headline_is_the_decision(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # These cards are of no position.
    monkeypatch.setattr("kqj_sim.questions.odds.screen.compare_cards", lambda *_: "wins the trick")
    odds, text = HEADLINES[name]
    assert " / ".join(write_headline(odds)).startswith(text)


@pytest.mark.parametrize(("quiet", "text"), [
    (
        (give_scores(100, 50), give_scores(151, 30)),
        "Best only because the assumed opponents counter it (in 100% of the rounds): if nobody "
        "counters, 220 ♥ is worth 100 (±3.1) and 130 ♥ 151 (±1.9).",
    ),
    (
        (give_scores(150, 50), give_scores(151, -50)),
        "The assumed opponents counter it in 100% of the rounds: if nobody counters, 220 ♥ is "
        "worth 150 (±3.1), statistically tied with 130 ♥ ",
    ),
], ids=["worse", "tied"])  # fmt: skip
def test_a_bid_that_is_best_because_it_is_countered_is_exposed(
    quiet: tuple[np.ndarray, np.ndarray], text: str
) -> None:
    found = calls(["220 h", "130 h"], BIG, SMALL, rules=AUCTION, uncountered=quiet)
    found.uncountered_best = 1
    assert write_headline(found)[1].startswith(text)


@pytest.mark.parametrize(("quiet", "best"), [
    # The best stays the best.
    ((190, 150), 0),
    # The deals that value do not agree with those that chose.
    ((160, 150), 1),
])  # fmt: skip
def test_nothing_is_said_of_counters_that_change_nothing(quiet: tuple[int, int], best: int) -> None:
    found = calls(
        ["220 h", "130 h"], give_scores(200, 50), give_scores(150, 30), rules=AUCTION,
        uncountered=[give_scores(points, 20) for points in quiet],
    )  # fmt: skip
    found.uncountered_best = best
    assert len(write_headline(found)) == 1


def test_few_effective_deals_and_an_early_end_are_named() -> None:
    found = calls(["take h", "take s"], give_scores(50, 20), give_scores(10, 20))
    found.stop_text = "the opener's call 'pass' is rare"
    found.sums.deal_squares[0] *= 25
    assert write_headline(found)[1:] == [
        "Ended early: the opener's call 'pass' is rare",
        "Only a hint: the effective sample is 40 deals, since the assumed players rarely call like "
        "this. Try more `deals`, another `policy` or `ignore_calls`.",
    ]


@pytest.mark.parametrize(("text", "order", "subject"), [
    ("no counter", "Do not counter", "not countering"),
    ("overcounter", "Overcounter", "overcountering"),
    ("400 AT capot", "Bid 400 AT Capot", "400 AT Capot"),
    ("take NT", "Take NT", "taking NT"),
])  # fmt: skip
def test_every_call_has_words(text: str, order: str, subject: str) -> None:
    found = calls([text], give_scores(1), rules=AUCTION)
    words = "kqj_sim.questions.odds.screen"
    name = name_option(found, 0)
    assert (say(words, "order", found, name), say(words, "subject", found, name)) == (
        order, subject,
    )  # fmt: skip


@pytest.mark.parametrize(("contract", "sender", "text"), [
    (FinalContract(2, "h"), "", "you play ♥"),
    (FinalContract(2, "h", stake=2), "the dealer", "the dealer plays ♥, countered"),
    (FinalContract(2, "NT", 140, stake=4), "", "you play 140 NT, overcountered"),
    (FinalContract(2, "h", 120, True, 2), "", "you play 120 ♥ Capot, countered"),
])  # fmt: skip
def test_every_contract_has_words(contract: FinalContract, sender: str, text: str) -> None:
    assert say("kqj_sim.questions.odds.screen", "contract", contract, sender, False) == text


VARIANTS: list[tuple[int, dict[str, Any]]] = [
    (5, {}), (5, {"teams": 3}), (5, {"lap": 2, "ignore_calls": True}), (8, {"bidding": "auction"}),
    *((rules.tricks, {"game": rules.game}) for rules in OTHER_GAMES.values()),
]  # fmt: skip


@pytest.mark.parametrize(("size", "options"), VARIANTS, ids=str)
def test_what_is_said_of_a_pass_is_true_of_the_numbers(size: int, options: dict[str, Any]) -> None:
    game, rng, told = options.get("game", "kqj"), np.random.default_rng(1), 0
    pack = [str(card) for card in get_referee(find_game(game).rules()).pack]
    for _ in range(12):
        if told == 3:
            break
        *hand, shown = rng.choice(pack, size + 1, replace=False).tolist()
        upcard = {} if "bidding" in options else {"return_card": shown}
        found = odds(" ".join(hand), policy="standard", deals=400, **upcard, **options)
        said, frame = " ".join(found.headline.split("\n")[1:]), found.frame()
        reason = re.search(r"(your side plays|the opponents play) in ([\d.]+)%", said)
        if reason is None:
            continue
        told += 1
        best, passing = frame.iloc[0], frame.loc["pass"]
        own, passed = passing.own_contract_share, passing.passed_share
        share = own if reason[1] == "your side plays" else 1 - own - passed
        assert float(reason[2]) == pytest.approx(100 * share, abs=0.51)
        assert share >= (1 - passed) / 2
        assert best.name == "pass" or best.value > passing.value
        if best.name == "pass":
            made = re.search(r"(?:wins|made in) (only )?([\d.]+)%", said)
            assert made and bool(made[1]) == (float(made[2]) < 50)
            shares = (100 * frame.own_made_share.iloc[1:]).tolist()
            assert any(float(made[2]) == pytest.approx(share, abs=0.51) for share in shares)
        else:
            points = re.search(r"you (still )?(outscore|gain|lose)\D+(\d+(?:\.\d+)?)", said)
            assert points and float(points[3]) == pytest.approx(abs(passing.value), abs=0.51)
            assert (points[2] == "lose") == (passing.value < 0)
            assert ("You lose on average" in said) == (best.value_high < 0)
    assert told >= 2
