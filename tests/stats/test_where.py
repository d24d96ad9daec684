"""Expressions over the columns: what they choose, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kqj_sim.errors import InputError
from kqj_sim.games import GAMES, find_game, get_columns
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import MAX_DEAL, Experiment
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import simulate
from kqj_sim.stats.where import compile_expression
from tests.command_line import read_error
from tests.variants import lively

ROWS = simulate(lively(KqjRules(), deals=2000, seed=5))
FRAME = ROWS.frame()
# Texts and numbers of which comparisons with null are null, and no type that overflows.
for _column in ROWS.columns:
    _values = FRAME[_column.name]
    if _column.labels:
        FRAME[_column.name] = _values.astype("string")
    elif not _column.is_flag:
        _numbers = _values.cat.codes.replace(-1, None) if _column.categories else _values
        FRAME[_column.name] = _numbers.astype("Int64")


@pytest.mark.parametrize("text", [
    "lap == 2 and sender_trumps >= 4", "lap == 2 & sender_trumps >= 4 | place == 0",
    "not lap == 2", "~(lap == 2) & (place < 3)", "not (lap == 2 or place == 3) and dealer != 5",
    "1 <= place <= 3", "1 <= place < dealer != 4",
    "contracting_total + sender_points * 3 - 7 > 400", "sender_points / 7 > 12.5",
    "sender_points // 7 == 3", "deal % 5 == dealer", "(deal - 1000) // 7 % 5 == 2", "-place > -2",
    "- (place - 3) % 4 == 1", 'contract == "NT"', '"NT" != contract',
    'kind in ("return", "other")', 'contract not in ["NT", "AT"]', "place in (0, 5)",
    "place not in (0, 5) and lap in [2]", "place != 0", "not place == 2", "sender_trumps < 3",
    "sender_trumps < 3 or not taken == 1", "place in [dealer, 2]", "place in ()",
    "contract == return_suit", "contract != return_suit", "contract == kind", "kind != contract",
    "sender_points * 4e18 > 4e18 * 50", "sender_points * 10000000000 > 500000000000",
    "taken == 1 and score_0 > score_1", "  lap == 1  ",
])  # fmt: skip
def test_chooses_what_a_pandas_query_chooses(text: str) -> None:
    # pandas before 3.1 takes the column in this list for a value.
    query = text.strip().replace("place in [dealer, 2]", "place == dealer or place == 2")
    # pandas says of null that it differs from a text.
    query = f"taken and ({query})" if "contract" in text else query
    right = FRAME.query(query, engine="python").index
    found = np.flatnonzero(compile_expression(text).mask(ROWS))
    assert found.tolist() == right.tolist()
    if text != "place in ()":
        assert 0 < len(found) < len(ROWS)


@pytest.mark.parametrize(("text", "same"), [
    ("place == 'opener'", "place == 0"), ("place >= '4th'", "place >= 3"),
    ("'dealer' != place", "5 != place"), ("place in ('2nd', 5)", "place in (1, 5)"),
    ("place < '2nd'", "place == 0"), ("'5th' < place", "place == 5"),
    ("return_rank > 'K'", "return_rank in ('H', 'T', 'A')"),
    ("'5' >= return_rank", "return_rank in ('4', '5')"),
])  # fmt: skip
def test_places_and_ranks_have_an_order(text: str, same: str) -> None:
    rows = simulate(Experiment(players=("random",) * 6, deals=500))
    mask = compile_expression(text).mask(rows)
    assert (mask == compile_expression(same).mask(rows)).all() and 0 < mask.sum() < len(rows)


def test_null_neither_holds_nor_fails() -> None:
    taken = ROWS.column("taken")
    assert 0 < taken.sum() < len(ROWS)
    for text in (
        "sender >= 0",
        "not sender < 0",
        "place not in (7, 8)",
        "sender_trumps * 2 > -9",
        "lap > 0",
        "contract in ('s', 'h', 'd', 'c', 'NT', 'AT')",
        "contracting_total >= 0",
    ):
        assert (compile_expression(text).mask(ROWS) == taken).all(), text


@pytest.mark.parametrize("game", GAMES)
def test_every_flag_is_a_condition_and_a_number(game: str) -> None:
    rules = find_game(game).rules()
    rows = simulate(Experiment(rules, ("random",) * rules.seats, deals=500))
    for column in get_columns(game):
        if column.is_flag:
            right = rows.column(column.name)
            for text in (column.name, f"{column.name} == 1", f"{column.name} + 1 > 1"):
                assert (compile_expression(text, game=game).mask(rows) == right).all(), text
            denied = compile_expression(f"not {column.name}", game=game)
            assert (denied.mask(rows) == ~right).all()
        elif not column.labels:
            with pytest.raises(InputError, match="is not a condition"):
                compile_expression(column.name, game=game)


@pytest.mark.parametrize("operator", ["/", "//", "%"])
def test_division_by_zero_matches_neither_way(operator: str) -> None:
    zero = ROWS.column("score_0") == 0
    assert 0 < zero.sum() < len(ROWS)
    for text in (f"dealer {operator} score_0 >= 0", f"not dealer {operator} score_0 < 0"):
        assert (compile_expression(text).mask(ROWS) == ~zero).all()
    assert not compile_expression(f"dealer {operator} 0 != 1").mask(ROWS).any()


def test_unknown_part_does_not_matter_where_the_rest_decides() -> None:
    zero = ROWS.column("score_0") == 0
    either = compile_expression("score_0 == 0 or 1 / score_0 > 9").mask(ROWS)
    assert (either == zero).all()
    neither = compile_expression("not (score_0 != 0 and 1 / score_0 > 9)").mask(ROWS)
    assert neither.all()
    # Where it does not decide, neither a condition nor its opposite is known to hold.
    for text in ("score_0 == 10 or 1 / score_0 > 9", "dealer in (1 / score_0, 9)"):
        holds, fails = (compile_expression(each).mask(ROWS) for each in (text, f"not ({text})"))
        assert not (holds & fails).any()
        assert (holds | fails == ~zero).all()
    assert (compile_expression("9 not in (1 / score_0, 8)").mask(ROWS) == ~zero).all()
    assert compile_expression("8 in (1 / score_0, 8)").mask(ROWS).all()


def test_condition_without_a_column_holds_for_every_row_or_none() -> None:
    assert compile_expression("1 < 2").mask(ROWS).all()
    assert not compile_expression("2 / 3 > 1").mask(ROWS).any()


def test_mask_is_writable_bool_a_row() -> None:
    for text in ("1 < 2", "lap == 1"):
        mask = compile_expression(text).mask(ROWS)
        assert mask.shape == (len(ROWS),) and mask.dtype == np.bool_ and mask.flags.writeable


def test_game_and_round_are_columns_of_games() -> None:
    game = np.arange(len(ROWS)) // 20
    rows: Rows = replace(ROWS, game=game, round=np.arange(len(ROWS)) % 20)
    found = compile_expression("game == 3 and round < 2").mask(rows)
    assert np.flatnonzero(found).tolist() == [60, 61]
    with pytest.raises(InputError, match="round is a column of whole games only"):
        compile_expression("round == 1", games=False)


def test_great_numbers_of_deals_are_reckoned_with_or_refused() -> None:
    last = 2 * MAX_DEAL - len(ROWS)
    rows: Rows = replace(ROWS, deal=last + np.arange(len(ROWS)))
    for text in ("deal * 2 > 0", f"deal >= {last}", "-deal < 0", f"deal - {last} >= 0"):
        assert compile_expression(text).mask(rows).all(), text
    assert compile_expression(f"deal - {last} < 5").mask(rows).sum() == 5
    for text in ("deal * 3 > 0", "deal * deal > 0", "-2 * deal - deal < 0", "deal * -3 < 0"):
        with pytest.raises(InputError, match=r"can exceed 2\*\*62"):
            compile_expression(text)


REFUSED = {
    "lapp is not a column: did you mean lap": ["lapp == 2"],
    "did you mean sender_trumps?": ["sender_trump >= 2"],
    "qqqqq is not a column: `kqj-sim columns` lists them": ["qqqqq == 2"],
    "'Nt' is not a label of contract: did you mean NT?": ["contract == 'Nt'"],
    "did you mean return?": ["kind in ('retrun',)"],
    "contract has labels, not numbers; it is one of s, h, d, c, NT, AT": ["contract == 4"],
    "labels have no order": ["contract < 'NT'"],
    "h without quotes is no label: write contract == 'h'": ["contract == h"],
    "write contract != 'h'": ["contract != H"],
    "write contract == 'h'": ["h == contract", "contract in (h, d)", "contract == hearts"],
    "write result == 'litigation'": ["result == litigaton"],
    "did you mean litigation?": ["result == 'litigaton'"],
    "is not a label of result": ["'=' == result", "result == 'a = b && c'"],
    "did you mean capot_announced, capot_contracting or capot_defending?": ["capot"],
    "lap holds numbers, not labels": ["lap == 'NT'", "lap == contract"],
    "one side must be a column": ["'NT' == 'AT'"],
    "contract is a label, not a number": ["contract + 1 > 2"],
    "lap == 2 is a condition, not a number": ["(lap == 2) + 1 > 1"],
    "compares a condition": ["(lap == 2) == 1", "sender_holds('K') == 1"],
    "lap is not a condition: compare, as in lap > 0": ["lap"],
    "lap is not a condition": ["lap & 2"],
    'contract is not a condition: compare, as in contract == "s"': ["contract"],
    "'NT' is not a condition": ["'NT'"],
    "place is null where everybody passed: write taken, or not taken": ["place == -1"],
    "lap is null where everybody passed": ["lap == 0"],
    "contract is null where everybody passed": ["contract == 'none'"],
    "'none' is not a label of return_suit: it is one of s, h, d, c": ["return_suit == 'none'"],
    "opener without quotes is no label: write place == 'opener'": ["place == opener"],
    "'1st' is not a label of place": ["place == '1st'"],
    "sender is null where everybody passed": ["sender not in (-1, 2)"],
    "contracting_team is null where everybody passed": ["-1 != contracting_team"],
    "True is not used here: write 1": ["lap == True"],
    "not allowed": [
        "lap == None", "lap == b'x'", "lap == 2j", "lap == ...", "+lap == 1", "lap << 2 == 4",
        "lap ^ 2", "lap @ lap == 1", "place in (*lap, 2)",
    ],
    "lap ** 2 is not allowed: only comparisons": ["lap ** 2 == 4"],
    "abs(lap) is a call, which is not allowed": ["abs(lap) == 2"],
    "write ranks of trumps in quotes, as in sender_holds('KQJ'); the ranks": ["sender_holds()"],
    "write ranks of trumps in quotes": [
        "sender_holds(KQJ)", "sender_holds('')", "sender_holds('Kh')", "sender_holds('K', 'Q')",
        "sender_holds(ranks='K')",
    ],
    "the ranks are ATHKQJ987654": ["sender_holds('kqj')"],
    "sender_holds is not a column": ["sender_holds"],
    "sender_hand holds cards: write sender_holds('KQJ') for trumps": ["sender_hand == '9h'"],
    "is a call, which is not allowed": ["__import__('os').system('true')"],
    "is an attribute, which is not allowed": ["lap.real == 2"],
    "is a subscript, which is not allowed": ["lap[0] == 2"],
    "is a function, which is not allowed": ["(lambda: 1) == 2"],
    "is an assignment, which is not allowed": ["(lap := 2) == 2"],
    "is a formatted text, which is not allowed": ["contract == f'{lap}'"],
    "is a choice by if, which is not allowed": ["1 if lap else 2"],
    "a list outside of in": ["[lap] == [1]"],
    "after in comes a list, as in place in (0, 5)": ["place in {1, 2}"],
    "after in comes a list": ["contract in 'NT'", "place in [x for x in (1, 2)]"],
    "nothing is not a column": ["nothing in ()"],
    "`is` is not used here: write ==": ["lap is 2"],
    "is too large a number": ["lap == 1e999", "lap == 99999999999999999999"],
    "can exceed 2**62": ["deal * 100000000000 > 1"],
    "is not an expression": [
        "lap == 0777", "lap == ", "(lap == 2", "lap == 'NT", "lap == 2; place == 1",
        "lap == 2\nplace == 1", "", "lap == 2\0", "import os", r"contract == '\d'",
    ],
    "1 is not a condition": ["1and lap == 2"],
    "'lap = 2' is not an expression such as ": ["lap = 2"],
    ": write == for =": ["lap == 2 and contract = 'h'"],
    "'lap == 2 && taken' is not an expression such as ": ["lap == 2 && taken"],
    "nested too deeply": ["-" * 5000 + "lap == 1"],
    "nested 4,000 deep: at most 100": ["(" * 4000 + "lap" + ")" * 4000 + " == 1"],
}  # fmt: skip
"""What errors say, and the expressions that they are about."""


@pytest.mark.parametrize(
    ("text", "says"), [(text, says) for says, texts in REFUSED.items() for text in texts]
)
def test_refuses_in_one_line(text: str, says: str) -> None:
    message = read_error(compile_expression, text)
    assert says in message and len(message) < 250


@pytest.mark.parametrize(("text", "told"), [
    (" or ".join(["sender_trumps == 4"] * 5000), "109,996 characters: at most 10,000"),
    (" or ".join(["lap==1"] * 999), r"2,998 parts: at most 2,000"),
    ("(" * 101 + "lap == 1" + ")" * 101, "nested 101 deep: at most 100"),
    ("not " * 2400 + "lap == 1", "nested too deeply: at most 100|parts: at most 2,000"),
    ("+".join(["lap"] * 2400) + " > 2", "nested too deeply|parts: at most 2,000"),
], ids=["characters", "parts", "brackets", "not", "plus"])  # fmt: skip
def test_what_is_too_long_is_refused_at_once(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as error:
        compile_expression(text)
    assert len(str(error.value)) < 100


def test_hundreds_of_terms_are_understood() -> None:
    compiled = compile_expression(f"deal in ({', '.join(map(str, range(600)))})")
    assert compiled.columns == ("deal",)
    assert compile_expression("taken and not lap == 2").columns == ("taken", "lap")
    compile_expression("(" * 100 + "lap == 1" + ")" * 100)
