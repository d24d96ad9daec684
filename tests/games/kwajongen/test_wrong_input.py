"""Wrong input about Kwajongen ends with one line that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wrong_input import check_command, check_function

HAND = "odds Ah Kh 9s Ts --game kwajongen --return Jh"
CARD = "odds As Qd Kd 9c --game kwajongen --return Jc --played 'Ts Kc'"

USAGE = {
    "simulate --void-rule free": "--void-rule is a rule of kwajongen",
    "simulate --game kwajongen --teams 3": "--teams is a rule of kqj",
    "simulate --game kwajongen --policy points": "no policy 'points'; known: ",
    "simulate --game kwajongen --policy standard:x=3": "policies show --game kwajongen standard",
    "simulate --game kwajongen --impose opener:h": "kqj only",
    "simulate --game kwajongen --by kind": "'kind' is no column to group by",
    "simulate --game kwajongen --where 'lap == 1'": "`kqj-sim columns --game kwajongen` lists them",
    "simulate --game kwajongen --where 'place =='": "such as place == 3 and sender_trumps >= 2",
    "columns --game chess": "'--game': 'chess' is not one of 'kqj', 'kwajongen'",
    "odds --game kwajongen": "CARDS are missing: give your four cards",
    "page --game kwajongen": "the page knows two or three teams",
    "odds Ah Kh 9s --game kwajongen --return Jh": "3 cards given: in Kwajongen you hold 4",
    "odds Ah Kh 9s 8s --game kwajongen --return Jh": "'8s' is not a card: write a rank of A K Q J",
    "odds Ah Kh 9s Ts --game kwajongen": "the dealer's card is missing: give the card",
    "odds Ah Kh 9s Ts --game kwajongen --return Kh": "the dealer's card Kh is among the cards of t",
    f"{HAND} --place dealer": "the dealer's card Jh is missing among the cards",
    f"{HAND} --place 5th": "'5th' is not a place: write opener, 2nd, 3rd or dealer",
    f"{HAND} --heard 'pass, play'": "the bidding is over after these calls",
    f"{HAND} --heard pass --place 3rd": "it is the 2nd's turn, not the 3rd's",
    f"{HAND} --heard 'p, p, p, p'": "the bidding is over after these calls",
    f"{HAND} --heard pas": "call 1, 'pas', is not a call: write pass or play",
    f"{HAND} --lap 1": "--lap is not for --game kwajongen",
    f"{HAND} --pending 120": "--pending is not for --game kwajongen",
    f"{HAND} --contract h": "--contract is not for --game kwajongen",
    f"{HAND} --sender 2nd": "--sender goes with --played",
    f"{HAND} --played 9h": "the caller is missing",
    f"{HAND} --teams 3": "--teams is a rule of kqj",
    f"{HAND} --policy seat5=random": "the seats are seat0 to seat3",
    f"{CARD} --heard 'pass, take'": "call 2, 'take', is impossible: there is no take",
    f"{CARD} --heard pass": "the calls are not over: the 2nd has yet to speak",
    f"{CARD} --heard 'p, p, p, p'": "all have passed: there is no card to play",
    f"{CARD} --heard 'play, play'": "call 2, 'play', is impossible: the calling was",
    f"{CARD} --heard 'pass, play' --sender 2nd": "leave --sender out",
    f"{CARD} --heard 'pass, play' --place 2nd": "it is the 3rd's turn, not the 2nd's",
    f"{CARD.replace('9c', 'Jc')} --heard 'pass, play'": "the dealer's card Jc is among the c",
    f"{CARD.replace('Kc', 'Kc As Jc Kd')} --heard 'pass, play'": "the 3rd has it",
    "odds --record golden/game.jsonl --at 3.2": "records in the file",
    "odds --record golden/game.jsonl --line 3 --at 5.2": "was not reached",
}
"""A command line, and what its line names: the argument, and often what to write instead."""

FUNCTIONS = {
    "simulate(game='chess')": "'chess' is not a game: use kqj or kwajongen",
    "simulate(game='kwajongen', where=\"sender_holds('8')\")": "the ranks are AKQJT9",
    "simulate(void_rule='free')": "--void-rule is a rule of kwajongen",
    "odds('Ah 9h Ks Tc', game='kwajongen', return_card='Jh', lap=2)": "--lap is not for --game kwa",
    "Experiment(KwajongenRules(), ('random',) * 6)": "6 policies: there should be one a seat, four",
    "KwajongenRules(void_rule='x')": "void_rule cannot be x",
}
"""A call of a public function, and what its error names."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with whole games in `golden`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "golden").symlink_to(Path(__file__).parent / "golden")
    return tmp_path


@pytest.mark.parametrize(("words", "named"), USAGE.items(), ids=USAGE)
def test_wrong_input_to_a_command_is_one_line(words: str, named: str, folder: Path) -> None:
    check_command(words, named, 2)
    assert [path.name for path in folder.iterdir()] == ["golden"]


@pytest.mark.parametrize(("call", "named"), FUNCTIONS.items(), ids=FUNCTIONS)
def test_wrong_input_to_a_function_is_one_line(call: str, named: str) -> None:
    check_function(call, named)
