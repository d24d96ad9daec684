"""Kwajongen, as the tests of all games see it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from kqj_sim.cards import parse_card
from kqj_sim.games.kwajongen import KWAJONGEN_COLUMNS, KwajongenRules
from kqj_sim.games.kwajongen.referee import CARD_OF_TEXT
from kqj_sim.imposed import ImposedContract
from kqj_sim.record import Record
from kqj_sim.simulation.experiment import Experiment
from tests.games.kwajongen import by_pandas
from tests.referee.forgery import UNCONNECTED, as_json, at
from tests.stats.by_pandas import Sample

VARIANTS = [KwajongenRules(), KwajongenRules(void_rule="free")]
RULINGS: list[KwajongenRules] = []
GOLDEN = sorted(Path(__file__).parent.glob("golden/*.jsonl"))
RESULTS = {"made", "failed", "tie", "passed_out"}
PENDING = (0, 1)
ALWAYS, NEVER = "random:accept=1", "random:accept=0"
HAND = ("Ah Kh 9s Ts", "--return", "Jh")
CARDS_PLAYED = ("Js As Qd Kd", "--return", "Jc", "--heard", "pass play", "--played", "Ts Kc")
BEST, ENDINGS = ("play", "Play"), ("wins", "loses", "tie", "passed out")
CALLER = "random"
OPENED = (
    "Return: Kd\nCalls: pass play\nHands:\n  Ann: Ah Kh 9s 9d\nTricks:\n  Ah 9h Jh Qh\n  Kh Th\n"
)
PICTURE = ("when asked", "tied", "caller's trumps")
"""Texts in the picture of a simulation."""
WORDS = (
    ("trump", "s", "♠"),
    ("place", 3, "dealer"),
    ("contracting_score", -1, "-1"),
    ("raised", 1, "yes"),
)
HEADING = "caller's trumps"
PAIR, FIELD = ("random:accept=0.7", "random:accept=0.2"), "random:accept=0.4"
OTHER_RULE = {"void_rule": "free"}
GROUPINGS = (("dealer", "raised"), (), ("turned_rank",))
WHERE = "taken == 1 and place != 3 and trump in ('h', 's')"
"""Groups and a condition of rows."""
MORE_ROUNDS = 20
DECIDED = [0, 4]


def list_tables(rules: KwajongenRules) -> list[tuple[str, ...]]:
    mixed = ("random:accept=0.6", "standard", "random:accept=0.1+standard", "random")
    return [("random",) * 4, ("standard",) * 4, mixed]


def list_impositions(rules: KwajongenRules) -> list[ImposedContract]:
    """None: the caller alone can be imposed, and only in records."""
    return []


def wait(lane: int) -> int:
    return 1


def list_events() -> set[str]:
    results = ("made", "failed", "tie", "passed_out")
    return {
        *(f"accept: {result}" for result in results),
        *(f"accept, pending: {result}" for result in results),
        *(f"accept: contract {suit}" for suit in ("s", "h", "d", "c", None)),
        *(f"accept: dealer {seat}" for seat in range(4)),
        "accept: all tricks",
    }


def list_numbers(name: str, frame: pd.DataFrame, experiment: Experiment) -> Iterator[Sample]:
    return by_pandas.numbers(name, frame)


def is_free(record: Record, path: tuple[Any, ...], new: Any) -> bool:
    key, *rest = path
    if key in UNCONNECTED:
        return True
    if key == "pending_before":
        # Nobody goes down in a tie, and a round passed out is raised no further.
        return new in (0, 1) and record.result in ("tie", "passed_out")
    if record.hands is None:
        # Of a round passed out nobody sees the cards but the one turned up.
        dealt = {card for hand in record.dealt for card in hand}
        if key == "turned":
            return new in record.dealt[record.dealer]
        is_card = key == "dealt" and len(rest) == 2 and at(as_json(record), path) != record.turned
        return is_card and new in CARD_OF_TEXT and new not in dealt
    if key == "turned":
        # Another of the dealer's cards may be of the same suit.
        return new in record.dealt[record.dealer] and new[1] == record.contract
    if key == "sender":
        # Partners may have been imposed alike.
        return record.imposed and new in range(4) and new % 2 == at(as_json(record), path) % 2
    return False


def describe_row(record: Record) -> dict[str, int]:
    assert record.turned is not None
    card = parse_card(record.turned)
    trumps = [sum(text[1] == card.suit for text in hand) for hand in record.dealt]
    row: dict[str, int | str] = {
        "dealer": record.dealer,
        "taken": int(record.sender is not None),
        "trump": card.suit,
        "turned_rank": card.rank,
        "result": record.result,
        "raised": record.pending_before,
        "pending_after": record.pending_after,
        "dealer_trumps": trumps[record.dealer],
        **dict.fromkeys(("place", "sender", "contracting_team", "sender_trumps"), -1),
        "contracting_tricks": 0,
    }
    for side in ("contracting", "defending"):
        row |= {f"{side}_card_points": 0, f"{side}_score": 0, f"capot_{side}": 0}
    for team in range(2):
        row[f"card_points_{team}"] = record.card_points[team]
        row[f"tricks_{team}"] = record.trick_counts[team]
        row[f"score_{team}"] = record.scores[team]
    for seat in range(4):
        row[f"team_of_seat_{seat}"] = record.teams[seat]
    if record.sender is not None:
        team = record.teams[record.sender]
        row |= {
            "place": (record.sender - record.dealer - 1) % 4,
            "sender": record.sender,
            "contracting_team": team,
            "sender_trumps": trumps[record.sender],
            "contracting_tricks": record.trick_counts[team],
        }
        for side, own in (("contracting", team), ("defending", 1 - team)):
            row |= {
                f"{side}_card_points": record.card_points[own],
                f"{side}_score": record.scores[own],
                f"capot_{side}": int(record.trick_counts[own] == 4),
            }
    labels = {column.name: column.labels for column in KWAJONGEN_COLUMNS}
    return {
        name: labels[name].index(value) if isinstance(value, str) else value
        for name, value in row.items()
    }


TYPED = "odds Ah Kh 9s Ts --game kwajongen --return Jh"
PLAYED = "odds As Qd Kd 9c --game kwajongen --return Jc --played 'Ts Kc'"

WRONG_USAGE = {
    "solve --game kwajongen": "`kqj-sim solve` is for KQJ",
    "equity --game kwajongen": "is known for KQJ only",
    "simulate --void-rule free": "--void-rule is a rule of kwajongen",
    "simulate --game kwajongen --teams 3": "--teams is a rule of kqj",
    "simulate --game kwajongen --policy points": "no policy 'points'; known: ",
    "simulate --game kwajongen --policy standard:x=3": "policies show --game kwajongen standard",
    "simulate --game kwajongen --impose opener:h": "only in kqj",
    "simulate --game kwajongen --by kind": "'kind' cannot be grouped by",
    "simulate --game kwajongen --where 'lap == 1'": "`kqj-sim columns --game kwajongen` lists them",
    "simulate --game kwajongen --where 'place =='": "such as place == 3 and sender_trumps >= 2",
    "columns --game chess": "'--game': 'chess' is not one of 'kqj', 'kwajongen'",
    "odds --game kwajongen": "your cards are missing: give four",
    "page --game kwajongen": "the page knows two or three teams",
    "odds Ah Kh 9s --game kwajongen --return Jh": "3 cards given: in Kwajongen you hold 4",
    "odds Ah Kh 9s 8s --game kwajongen --return Jh": "'8s' is not a card: write a rank of A K Q J",
    "odds Ah Kh 9s Ts --game kwajongen": "the dealer's card is missing: give the card",
    "odds Ah Kh 9s Ts --game kwajongen --return Kh": "the dealer's card Kh is in the hand of t",
    f"{TYPED} --place dealer": "the dealer's card Jh is missing in the hand",
    f"{TYPED} --place 5th": "'5th' is not a place: write opener, 2nd, 3rd or dealer",
    f"{TYPED} --heard 'pass, play'": "the bidding is over after these calls",
    f"{TYPED} --heard pass --place 3rd": "it is the 2nd's turn, not the 3rd's",
    f"{TYPED} --heard 'p, p, p, p'": "the bidding is over after these calls",
    f"{TYPED} --heard pas": "call 1, 'pas', is not a call: write pass or play",
    f"{TYPED} --lap 1": "--lap is not for --game kwajongen",
    f"{TYPED} --pending 120": "--pending is not for --game kwajongen",
    f"{TYPED} --contract h": "--contract is not for --game kwajongen",
    f"{TYPED} --sender 2nd": "--sender goes with --played",
    f"{TYPED} --played 9h": "the caller is missing",
    f"{TYPED} --teams 3": "--teams is a rule of kqj",
    f"{TYPED} --policy seat5=random": "the seats are seat0 to seat3",
    f"{PLAYED} --heard 'pass, take'": "call 2, 'take', is impossible: there is no take",
    f"{PLAYED} --heard pass": "the calls are not over: the 2nd has yet to speak",
    f"{PLAYED} --heard 'p, p, p, p'": "all have passed: there is no card to play",
    f"{PLAYED} --heard 'play, play'": "call 2, 'play', is impossible: the calling is",
    f"{PLAYED} --heard 'pass, play' --sender 2nd": "leave --sender out",
    f"{PLAYED} --heard 'pass, play' --place 2nd": "it is the 3rd's turn, not the 2nd's",
    f"{PLAYED.replace('9c', 'Jc')} --heard 'pass, play'": "the dealer's card Jc is in the hand",
    f"{PLAYED.replace('Kc', 'Kc As Jc Kd')} --heard 'pass, play'": "the 3rd has it",
    f"odds --record {GOLDEN[0]} --at 3.2": "records in the file",
    f"odds --record {GOLDEN[0]} --line 3 --at 5.2": "was not reached",
}
"""A command line, and what its line names: the argument, and often what to write instead."""

WRONG_CALLS = {
    "equity(game='kwajongen')": "is known for KQJ only",
    "solve(game='kwajongen')": "`kqj.solve()` is for KQJ",
    "solve(contracts=True, game='kwajongen')": "`kqj.solve()` is for KQJ",
    "simulate(game='chess')": "'chess' is not a game: use kqj or kwajongen",
    "simulate(game='kwajongen', where=\"sender_holds('8')\")": "the ranks are AKQJT9",
    "simulate(void_rule='free')": "`void_rule` is a rule of kwajongen",
    "odds('Ah 9h Ks Tc', game='kwajongen', return_card='Jh', lap=2)": "`lap` is not for `game='kwa",
    "Experiment(KwajongenRules(), ('random',) * 6)": "6 policies: there should be one a seat, four",
    "KwajongenRules(void_rule='x')": "void_rule cannot be x",
}
"""A call of a public function, and what its error names."""
