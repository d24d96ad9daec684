"""Results of the public functions: short, escaped, tabulated, drawn and saved."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import pandas as pd
import pytest

import kqj_sim as kqj
from kqj_sim.errors import InputError
from kqj_sim.output.figures import NothingToDrawError
from kqj_sim.output.grid import Cell, Grid
from kqj_sim.output.page import to_html_fragment
from kqj_sim.results import ShownResult
from tests.command_line import run, run_json, run_python
from tests.output.html_tree import read_html
from tests.policies.files import write_policy
from tests.variants import OTHER_GAMES

DEALS = 300
TABLED = ("simulate", "games", *OTHER_GAMES, "odds", "cards", "compare", "several", "sweep", "tune")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    round = kqj.show(deal=4, policy="standard")
    records = kqj.records(deals=30, policy="standard")
    folder = tmp_path_factory.mktemp("report")
    return {
        "simulate": kqj.simulate(deals=DEALS, policy="standard", by="place"),
        "games": kqj.simulate(games=5, policy="standard"),
        **{title: kqj.simulate(rules=rules, deals=DEALS) for title, rules in OTHER_GAMES.items()},
        "odds": kqj.odds("9h 8h Ah Ks 4d", return_card="7h", deals=DEALS, policy="standard"),
        "cards": kqj.odds(record=round, at="3.2", deals=DEALS),
        "compare": kqj.compare("standard", "random", deals=DEALS),
        "several": kqj.compare("standard", "random", "greedy", deals=DEALS),
        "sweep": kqj.sweep("standard", "take=20,45,150", opponents="standard", deals=DEALS),
        "tune": kqj.tune(
            "standard", "take", opponents="standard", deals=64, generations=2, confirm=256
        ),
        "show": round,
        "records": records,
        "check": kqj.check(records),
        "report": kqj.report(folder, deals=DEALS, games=0, chart_deals=0, policy="standard"),
    }


@pytest.fixture(autouse=True)
def _draw_without_screen() -> Iterator[None]:
    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_representations_are_short_and_begin_with_the_headline(results: dict[str, Any]) -> None:
    for name, result in results.items():
        shown = repr(result)
        assert len(shown) < 1000 and shown.count("\n") < 10, name
        assert shown.startswith(f"<{type(result).__name__}>\n{result.headline[:40]}"), name
    parts = [
        *results["odds"].options, *results["several"].pairs, *results["sweep"].settings,
        results["tune"].gain, results["simulate"].tables, kqj.check_policy("greedy", deals=2),
        *results["records"][:3], kqj.Experiment(players="greedy", deals=1), kqj.KqjRules(),
    ]  # fmt: skip
    assert all(len(repr(part)) < 1000 for part in parts)


@pytest.mark.slow
def test_results_are_pickled_and_copied(results: dict[str, Any], tmp_path: Path) -> None:
    """As process pools return them; none of them holds a function that another process lacks."""
    filtered = kqj.simulate(deals=DEALS, policy="standard", where="taken and lap == 2")
    given = {
        **results,
        "filtered": filtered,
        "grouped": kqj.simulate(deals=DEALS, policy="standard", by="lap,place"),
        "record": results["records"][0],
        "review": kqj.review(results["show"], samples=2, seat=0, reference="points+greedy"),
        "experiment": kqj.Experiment(players="greedy", deals=1),
        "rules": kqj.KqjRules(teams=3),
        "check_policy": kqj.check_policy("greedy", deals=2),
        "option": results["odds"].best,
        "pair": results["compare"].pairs[0],
        "setting": results["sweep"].best,
        "estimate": results["tune"].gain,
        "error": kqj.InputError("wrong"),
    }
    for name, result in given.items():
        assert len(pickle.dumps(result)) < 2_000_000, name
        for other in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
            assert type(other) is type(result) and repr(other) == repr(result), name
    (tmp_path / "results").write_bytes(pickle.dumps(given))
    program = (
        "import pickle, sys\n"
        "for name, result in pickle.load(open(sys.argv[1], 'rb')).items():\n"
        "    print(name, repr(result))\n"
        "    if name == 'filtered': print(len(result.frame(['deal'])))\n"
        "    if hasattr(result, 'estimate'): result.tables; result.to_json()\n"
    )
    shown = run_python("-c", program, str(tmp_path / "results"), check=True)
    for name, result in given.items():
        assert f"{name} {result!r}" in shown.stdout
    assert f"\n{len(filtered.frame(['deal']))}\n" in shown.stdout


def test_every_result_is_a_table(results: dict[str, Any]) -> None:
    for name, result in results.items():
        if name not in ("show", "report"):
            assert isinstance(result.frame(), pd.DataFrame), name
    frame = results["records"].frame()
    assert frame["deal"].tolist() == list(range(30))
    scores = [record.scores for record in results["records"]]
    assert frame[["scores_0", "scores_1"]].values.tolist() == scores
    assert not any(isinstance(value, (list, dict)) for value in frame.to_numpy().flat)
    games = kqj.records(games=1, policy="standard", partners="random").frame()
    assert games["score_after_5"].notna().all() and (games["game_id"] == 0).all()
    for rules in OTHER_GAMES.values():
        assert len(kqj.records(rules=rules, deals=2).frame()) == 2


def test_types_of_a_frame_do_not_depend_on_what_was_played(results: dict[str, Any]) -> None:
    played = results["records"].frame()
    passed_out = kqj.records(deals=3, policy="never").frame()
    assert passed_out["sender"].isna().all() and passed_out["contract"].isna().all()
    types = {"sender": "Int64", "contract": "str", "turned": "str", "capot": "bool"}
    assert {name: played[name].dtype for name in types} == types
    shared = [name for name in played if name in passed_out]
    assert (played.dtypes[shared] == passed_out.dtypes[shared]).all()
    assert (kqj.check(kqj.show(policy="never")).frame().dtypes == ["int64", "str"]).all()


def test_html_is_whole_and_escaped(results: dict[str, Any]) -> None:
    for name, result in results.items():
        html = result._repr_html_()
        assert len(read_html(html)) > 0, name
        colours = re.findall(r"(?<!&)#[0-9a-f]{3}|rgb|black|white;", html)
        assert "<script" not in html and not colours, name
    evil = "<script>alert('&')</script>"
    grid = Grid(evil, (evil, evil), ((Cell(evil), Cell(evil, evil)),), 1, evil)
    shown = to_html_fragment([evil], [evil], [grid], evil)
    assert "<script" not in shown
    assert shown.count("&lt;script&gt;alert(&#39;&amp;&#39;)") == 10


def test_hostile_policy_names_are_escaped(tmp_path: Path) -> None:
    text = "@policy('p')\ndef choose_card(view):\n    return lowest(view.legal)\n"
    path = write_policy(tmp_path, text, "a<b>c&.py")
    html = kqj.simulate(deals=50, policy=path)._repr_html_()
    assert "<b>c" not in html and "a&lt;b&gt;c&amp;.py" in html


def test_tables_have_numbers_with_bounds_in_columns(results: dict[str, Any]) -> None:
    for name in TABLED:
        tables = results[name].tables
        assert len(tables) > 0 and "nothing" not in tables
        for frame in tables.values():
            assert [*frame.columns][-6:] == ["quantity", "unit", "value", "low", "high", "n"]
            assert frame["quantity"].dtype == "category"
            assert frame["n"].dtype == "int64" and frame["value"].dtype == "float64"
            shares = frame[frame["unit"] == "share"]["value"].dropna()
            assert shares.between(-1, 1).all()
    with pytest.raises(KeyError, match="the tables are taking"):
        results["simulate"].tables["nothing"]


def test_json_and_files_are_those_of_the_command(results: dict[str, Any], tmp_path: Path) -> None:
    words = f"simulate --deals {DEALS} --policy standard --by place".split()
    assert json.loads(results["simulate"].to_json()) == run_json(*words)
    for suffix in (".csv", ".json", ".md", ".parquet", ".txt", ".html"):
        results["odds"].save(tmp_path / f"odds{suffix}")
        assert (tmp_path / f"odds{suffix}").stat().st_size > 100
    results["tune"].save(tmp_path / "found.toml")
    assert kqj.simulate(deals=50, policy=tmp_path / "found.toml").deals == 50
    results["records"].save(tmp_path / "rounds.jsonl")
    assert kqj.check(tmp_path / "rounds.jsonl", replay=True).ok
    with pytest.raises(ValueError, match="let it end in"):
        results["odds"].save(tmp_path / "odds.xyz")


def test_pictures_are_drawn_on_a_figure_or_on_given_axes(results: dict[str, Any]) -> None:
    from matplotlib import pyplot

    for name in TABLED:
        axes = results[name].plot()
        axes.figure.get_figure(root=True).canvas.draw()
        _, own = pyplot.subplots()
        assert results[name].plot(ax=own) is own
        own.figure.canvas.draw()
        assert own.has_data(), name
        pyplot.close("all")
    with pytest.raises(NothingToDrawError):
        kqj.sweep("standard", "take=20", opponents="standard", deals=DEALS).plot()


def test_rows_are_those_of_the_tables() -> None:
    result = kqj.simulate(deals=DEALS, policy="standard", where="place == 'opener'")
    frame = result.frame()
    made = result.estimate("made_share", table="contracts")
    assert (
        len(frame) == (frame["place"] == "opener").sum() == (frame["place"] < "2nd").sum() < DEALS
    )
    assert {"total_1", "return_rank"} < {*frame} and not {"total_2", "amount"} & {*frame}
    assert (frame["result"] == "made").sum() == round(made.value * made.observations)
    assert frame["taken"].dtype == bool and frame["contract"].dtype == "category"
    assert frame["contracting_total"].dtype == "Int32"
    few = result.frame(["contract", "deal"])
    pd.testing.assert_frame_equal(few, frame[["contract", "deal"]])
    with pytest.raises(kqj.InputError, match="did you mean contract"):
        result.frame("contrct")
    for column, told in (
        ("total_2", "`teams=3`"), ("bids", "`bidding='auction'`"), ("game", "`games=1000`"),
    ):  # fmt: skip
        with pytest.raises(kqj.InputError, match=f"no column '{column}': it needs {told}"):
            result.frame(column)


def test_frames_of_tables_show_places_and_nulls() -> None:
    by = ["place", "contract", "lap"]
    result = kqj.simulate(deals=DEALS, policy="random:take=0.1", by=by)
    frame = result.tables["scores"]
    assert [*frame["place"].cat.categories] == ["opener", "2nd", "3rd", "4th", "5th", "dealer"]
    passed = frame["place"].isna()
    assert 0 < passed.sum() < len(frame) and frame.loc[passed, by].isna().all(axis=None)
    assert frame.loc[~passed, by].notna().all(axis=None) and frame["place"].cat.ordered
    group = {"contract": "h", "lap": 1}
    named, numbered = (
        result.estimate("made_share", "contracts", place=place, **group) for place in ("2nd", 1)
    )
    assert named == numbered


def test_numbers_people_want_are_attributes(results: dict[str, Any]) -> None:
    odds, compared, several = (results[name] for name in ("odds", "compare", "several"))
    assert odds.best is odds.options[0] and odds.best.lead is None
    assert odds.lead == odds.options[1].lead
    assert [*odds.frame().index] == [option.name for option in odds.options]
    frame, second = odds.frame(), odds.options[1]
    assert frame.loc[odds.best.name, "win_share"] == odds.best.win.value
    assert frame.loc[second.name, "lead":"lead_high"].tolist() == [*second.lead[:3]]
    assert (
        frame.loc[odds.best.name, "lead"] == 0 and (frame["n"] == second.value.observations).all()
    )
    assert compared.best == "standard" and compared.lead.low > 0
    assert several.ranking[0] == several.best
    assert several.find_lead("random", "standard").high < 0
    assert len(several.frame()) == 3
    assert [each.status for each in results["sweep"].settings].count("best") == 1
    assert results["sweep"].frame()["take"].tolist() == [20, 45, 150]
    assert {*results["tune"].best} == {"take"}
    assert results["report"].path.stat().st_size > 10_000
    json.loads(results["report"].to_json())


def test_a_number_is_found_by_quantity_and_group(results: dict[str, Any]) -> None:
    result = results["simulate"]
    taken = result.estimate("taken_share", place=0)
    assert taken.low <= taken.value <= taken.high and type(taken.value) is float
    with pytest.raises(InputError, match="name the group by place="):
        result.estimate("made_share")
    for message, arguments in (
        ("no quantity 'made': did you mean made_share", {"quantity": "made"}),
        ("no quantity 'xyz': there are .*, made_share,", {"quantity": "xyz"}),
        ("no table 'contract': did you mean contracts", {"table": "contract"}),
        ("made_share has no group column 'plac': did you mean place", {"plac": 0}),
        ("no table has made_share of place=7: look into the tables contracts", {"place": 7}),
    ):
        with pytest.raises(InputError, match=message):
            result.estimate(**{"quantity": "made_share", **arguments})


def test_a_round_prints_as_show_does(results: dict[str, Any]) -> None:
    shown = run("show", "--deal", "4", "--policy", "standard").stdout
    assert str(results["show"]) == shown.rstrip()
    assert json.loads(results["show"].to_json())["deal"] == 4


def test_a_changed_record_is_found(results: dict[str, Any]) -> None:
    import msgspec

    changed = msgspec.structs.replace(results["records"][0], scores=[7, 7])
    checked = kqj.check([changed, *results["records"][1:]])
    assert not checked.ok and checked.frame()["line"].tolist() == [1]


def test_progress_is_reported_to_a_function() -> None:
    seen: list[tuple[int, int]] = []
    runner = kqj.Runner(progress=lambda *each: seen.append(each))
    kqj.simulate(deals=DEALS, policy="standard", runner=runner)
    assert seen[-1] == (DEALS, DEALS)
    kqj.records(games=2, policy="standard", runner=runner)
    assert seen[-1] == (2, 2)


def test_every_result_is_shown() -> None:
    names = [name for name in kqj.__all__ if name.endswith("Result") and name != "Result"]
    shown = [name for name in names if issubclass(getattr(kqj, name), ShownResult)]
    assert {*names} - {*shown} == {"PairResult"}


def test_saved_policy_names_the_call_that_found_it(tmp_path: Path) -> None:
    few: dict[str, Any] = {"deals": 64, "generations": 2, "confirm": 256, "seed": 3}
    found = kqj.tune("standard", "take", opponents="standard", partners="random", **few)
    path = tmp_path / "found.toml"
    found.save(path)
    line = path.read_text(encoding="utf-8").splitlines()[0]
    call = line.removeprefix("# Made by: ")
    assert call == (
        "kqj_sim.tune('standard', 'take', opponents='standard', deals=64, generations=2, "
        "confirm=256, seed=3, partners='random')"
    )
    assert eval(call, {"kqj_sim": kqj}).best == found.best


def test_rounds_are_text_in_notebooks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a notebook Rich displays what it prints, unless it is told not to."""
    plain = str(kqj.show(deal=4, policy="standard"))
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert str(kqj.show(deal=4, policy="standard")) == plain
