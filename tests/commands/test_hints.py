"""Hints: an error of a slip of the finger leads to the right call on the first try."""

from __future__ import annotations

from pathlib import Path

import pytest

from kqj_sim.messages import suggest
from tests.command_line import expect_error, run

HINTS = [
    (("--by", "capot"), "did you mean capot_announced, capot_contracting or capot_defending?"),
    (("--by", "amout"), "did you mean amount?"),
    (("--by", "nothing_alike"), "`kqj-sim columns` lists them"),
    (("--where", "capot"), "did you mean capot_announced, capot_contracting or capot_defending?"),
    (("--where", "lapp == 2"), "lapp is no column: did you mean lap?"),
    (("--where", "contract == h"), "h without quotes is no label: write contract == 'h'"),
    (("--where", "contract != H"), "write contract != 'h'"),
    (("--where", "h == contract"), "write contract == 'h'"),
    (("--where", "contract in (h, d)"), "write contract == 'h'"),
    (("--where", "contract == hearts"), "write contract == 'h'"),
    (("--where", "result == litigaton"), "write result == 'litigation'"),
    (("--where", "result == 'litigaton'"), "did you mean litigation?"),
    (("--where", "lap = 2"), "'lap = 2' is not an expression such as "),
    (("--where", "lap == 2 and contract = 'h'"), ": write == for ="),
    (("--where", "lap == 2 && taken"), "'lap == 2 && taken' is not an expression such as "),
    (("--policy", "stndard"), "did you mean 'standard'?"),
    (("--policy", "points:tak=4"), "did you mean 'take'?"),
    (("--policy", "points:openig=4"), "did you mean 'opening'?"),
    (("--deal", "5"), "No such option '--deal'. (Did you mean one of: '--deals', "),
    (("--plicy", "greedy"), "'--policy'?"),
    (("--nothing-alike",), "No such option '--nothing-alike'."),
]


@pytest.mark.parametrize(("arguments", "hint"), HINTS, ids=lambda each: " ".join(each))
def test_errors_lead_to_the_right_call(arguments: tuple[str, ...], hint: str) -> None:
    assert hint in expect_error(run("simulate", "--quiet", *arguments))


@pytest.mark.parametrize("text", ["'=' == result", "result == 'a = b && c'"])
def test_operators_in_quotes_are_left_alone(text: str) -> None:
    assert "is no label of result" in expect_error(run("simulate", "--quiet", "--where", text))


@pytest.mark.parametrize("variable", ["SIMULATE_DEAL", "THREADS", "POLICIES_CHECK_SEEDS", "DEBUGS"])
def test_unknown_variables_are_told(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"KQJ_SIM_{variable}", "1")
    assert f"KQJ_SIM_{variable} sets no option" in expect_error(run("columns"))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[simulate]\ndeal = 5", "[simulate] deal is no option: did you mean deals?"),
        ("[odds]\npartners_to = 5", "did you mean partners_at?"),
        ("[simulate]\ntrump = 5", "did you mean all_no_trump?"),
        ("[simulat]\ndeals = 5", "did you mean simulate?"),
        ("[simulate]\nxyz = 5", "[simulate] xyz is no option: --help-all lists them"),
    ],
)
def test_unknown_keys_name_one_of_the_same_table(text: str, hint: str, tmp_path: Path) -> None:
    config = tmp_path / "kqj.toml"
    config.write_text(text)
    assert hint in expect_error(run("simulate", "--config", str(config)))


def test_suggestions_are_few_and_ignore_case() -> None:
    names = [f"defending_score_{number}" for number in range(20)]
    assert suggest("SCORE", names).count("score_") == 6
    assert suggest("zz", names) == ""
    assert suggest("Tke", ["take", "pass"]) == "did you mean take?"
