"""README and docs are held to the project: their examples run, what they name exists."""

from __future__ import annotations

import functools
import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from docs.write_reference import GENERATED
from kqj_sim.arguments import parse_whole_number, read_places
from kqj_sim.cli import check_environment, main
from kqj_sim.columns import KQJ_COLUMN_NUMBERS, SENDER_HAND
from kqj_sim.games import KQJ
from kqj_sim.places import parse_place
from kqj_sim.policies.players import (
    get_default_player,
    parse_player,
)
from kqj_sim.policies.points import DEFAULTS
from kqj_sim.rules import KqjRules

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    path.stem: GENERATED.sub("", path.read_text(encoding="utf-8"))
    for path in (ROOT / "docs").glob("*.md")
}
"""The pages of the documentation, by the name of the file, without what docstrings and help say."""
README = "\n".join(
    [(ROOT / "README.md").read_text(encoding="utf-8"), *(PAGES[name] for name in sorted(PAGES))]
)
"""The README, and behind it the pages."""
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "kqj_sim"
REPORTS = (ROOT / "reports" / "README.md").read_text(encoding="utf-8")

FEW = {
    "--deals": "400",
    "--first": "400",
    "--games": "3",
    "--chart-deals": "200",
    "--compare-deals": "60",
}
"""How many deals or games the tests play in place of the README's."""

NOT_RUN = {
    "kqj-sim compare A B": "A and B stand for two policies",
    "kqj-sim COMMAND --help-all": "COMMAND stands for a command",
    "kqj-sim review FILE": "FILE stands for a file of records",
    "kqj-sim compare network tools/teacher.py:feature_network --playing --with points": (
        "its weights are in the history of the repository; tests/tools tests it with others"
    ),
}
"""The only commands that are shown and not executed, with the reason."""

SLOW = ("season.jsonl", "policies check", "kqj-sim tune", "variants.toml", "--with pimc")
"""What the blocks and commands hold that take long."""


def mark_slow(text: str) -> Any:
    """Return a block or a command as a parameter, marked if it takes long."""
    return pytest.param(text, marks=pytest.mark.slow if any(map(text.count, SLOW)) else ())


ANSWER_DEALS = "10000"
"""Deals with which `simulate` has the rows, and `odds` the sentences, that are shown."""


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.M | re.S)


def section(page: str, title: str) -> str:
    return PAGES[page].split(f"\n## {title}\n")[1].split("\n## ")[0]


def commands_in_sentences() -> list[str]:
    """The commands between backticks, outside the blocks; those that have arguments."""
    sentences = re.sub(r"^```.*?^```$", "", README, flags=re.M | re.S)
    spans = [" ".join(span.split()) for span in re.findall(r"`(kqj-sim [^`]+)`", sentences)]
    return sorted({span for span in spans if len(span.split()) > 2} - {*NOT_RUN})


def commands_without_output() -> list[str]:
    """The commands of the shell's blocks, but those that set up an environment."""
    lines = [line for block in blocks(README, "sh") for line in block.splitlines()]
    return sorted({line for line in lines if line.startswith("kqj-sim ")} - {*NOT_RUN})


def named_files() -> dict[str, str]:
    """The blocks that are files: their first line is a comment with the name."""
    found = {}
    for block in (*blocks(README, "python"), *blocks(README, "toml")):
        match = re.match(r"# (\S+\.(?:py|toml))\n", block)
        if match:
            found[match[1]] = block
    return found


def is_more(number: str, other: str) -> bool:
    """Compare numbers of commands; words such as `auto` are greater than any."""
    return not number[0].isdigit() or parse_whole_number(number, 0, "1") > int(other)


def with_few_deals(command: str) -> list[str]:
    """The arguments of a `kqj-sim` command, with few deals in place of many."""
    program, *arguments = shlex.split(command)
    assert program == "kqj-sim", command
    numbers = dict(FEW)
    if arguments[0] in ("simulate", "compare") and "pimc" not in command:
        # Enough for the headline to say the same.
        numbers["--deals"] = numbers["--first"] = "4000"
        numbers["--games"] = "1000"
    if arguments[0] == "review":
        numbers["--deals"], numbers["--samples"] = "2", "20"
    few = [
        numbers[before] if before in numbers and is_more(argument, numbers[before]) else argument
        for before, argument in zip(["", *arguments], arguments, strict=False)
    ]
    if few[0] in ("simulate", "records", "odds") and not FEW.keys() & {*few}:
        few += ["--deals", FEW["--deals"] if few[0] == "records" else ANSWER_DEALS]
    if few[0] == "compare" and not {"--deals", "--games", "--time"} & {*few}:
        few += ["--max-deals", numbers["--deals"]]
    if few[0] == "review" and "--deals" not in few:
        few += ["--samples", numbers["--samples"]]
    if few[0] == "report":
        few += [word for option in tuple(FEW)[:3] for word in (option, FEW[option])]
    return few


WITH_MORE_DEALS = {
    "and", "another", "both", "clearly", "gives", "laps", "more", "most", "Return", "suit", "wins",
    "worth",
}  # fmt: skip
"""Words of key figures, and of headlines, that need more deals than the tests play."""


def words(text: str) -> set[str]:
    """The words of an output, without numbers, cards and lines."""
    return set(re.findall(r"[A-Za-z_]{3,}", text))


@functools.cache
def recorded_round() -> str:
    """The record of a round, as the file that pages review."""
    done = CliRunner().invoke(main, ["records", "--deals", "1", "--policy", "greedy"])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder that has the README's own files, a record, the reports' folder, the
    examples and the tools."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    for name in ("examples", "tools"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name, text in named_files().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "round.jsonl").write_text(recorded_round(), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "block",
    [mark_slow(block) for block in (*blocks(README, "console"), *blocks(REPORTS, "console"))],
    ids=lambda text: text.splitlines()[0][2:60],
)
def test_commands_run_and_print_what_is_shown(block: str, folder: Path) -> None:
    printed, shown = "", ""
    for line in block.splitlines():
        if not line.startswith("$ "):
            shown += line + "\n"
            continue
        arguments = with_few_deals(line[2:])
        if arguments[0] == "records" and "kqj-sim review" in block and "--deals" in line:
            arguments[arguments.index("--deals") + 1] = "1"
        done = CliRunner().invoke(main, arguments)
        assert (done.exit_code != 0) == ("Error: " in block), f"{line}\n{done.output}"
        printed += done.output
        for option, path in re.findall(r"--(out|rows|plot) (\S+)", line):
            assert (folder / path).stat().st_size > 0, f"--{option} {path} of {line}"
    assert words(shown) <= words(printed) | WITH_MORE_DEALS


def squash(text: str) -> str:
    """Return a text without line ends, lengths of lines in tables, and times of this machine."""
    return re.sub(r"─+|[\d.]+(?= µs)", "", " ".join(text.split()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "block",
    [block for block in blocks(README, "console") if "season.jsonl" not in block],
    ids=lambda text: text.splitlines()[0][2:60],
)
def test_examples_print_what_is_shown_to_the_digit(block: str, folder: Path) -> None:
    _, *parts = re.split(r"^\$ (.*)$", block, flags=re.M)
    for command, shown in zip(parts[::2], parts[1::2], strict=True):
        done = CliRunner().invoke(main, shlex.split(command)[1:])
        printed = squash(done.stdout + done.stderr)
        for part in map(squash, re.split(r"^ *\.\.\.$", shown, flags=re.M)):
            assert part in printed
            printed = printed[printed.index(part) + len(part) :]


@pytest.mark.parametrize(
    "command",
    [mark_slow(line) for line in (*commands_in_sentences(), *commands_without_output())],
)
def test_commands_without_output_run(command: str, folder: Path) -> None:
    arguments = with_few_deals(command)
    if "pimc" in arguments and "--deals" in arguments:
        arguments[arguments.index("--deals") + 1] = "20"
    if command == "kqj-sim policies show":
        arguments += ["--help"]  # The name of a command, not a call.
    if arguments[0] == "page" and "--out" not in arguments:
        arguments += ["--out", "page.html"]  # No browser is opened.
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output


def test_commands_that_are_not_run_are_few() -> None:
    assert len(NOT_RUN) <= 5
    readme = " ".join(README.split())
    assert all(command in readme for command in NOT_RUN)


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(
            block, marks=pytest.mark.slow if "check_policy" in block or "@" in block else ()
        )
        for block in blocks(README, "python")
        if block not in named_files().values()
    ],
    ids=lambda text: text.splitlines()[0],
)
def test_python_examples_run(block: str, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert capsys.readouterr().out.count("\n") >= 3


def test_what_a_policy_leaves_out_is_answered_as_the_readme_says(folder: Path) -> None:
    match = re.search(r"decisions\s+it\s+leaves\s+out\s+\(here (.*?)\)", README, re.S)
    assert match is not None
    own = parse_player("my_policy.py:cautious")
    questions = re.findall(r"`choose_(\w+)`", match[1])
    assert len(questions) == 4
    assert all(own.policy_for(each) == get_default_player().policy_for(each) for each in questions)
    assert own.policy_for("card").policy.name == "cautious"


def test_the_default_player_is_named() -> None:
    named = re.search(r"leaves\s+open, are played by\s+`(\S+)`", PAGES["policies"])
    assert named is not None
    assert named[1] == KQJ.default_player


def test_every_policy_is_explained() -> None:
    tables = section("policies", "Which policies are there?")
    assert {*KQJ.built_ins} <= {*re.findall(r"^\| `(\w+)` \| \w", tables, flags=re.M)}


def test_specifications_of_policies_can_be_read(folder: Path) -> None:
    table = section("policies", "How do I name a player?")
    listed = re.findall(r"^\| `(\S+)` \|", table, flags=re.M)
    assert len(listed) == 6
    for specification in listed:
        assert parse_player(specification).text


COUNT = """
| each card | trump | | | |
| each card from the fourth on, besides | long | | | |
| each card of the longest suit | | | nt_long | at_long |
| 9 | trump_9 | | | at_9 |
| 8 | trump_8 | | | at_8 |
| 7 | trump_7 | | | at_7 |
| A | trump_A | plain_A | nt_A | |
| T | trump_T | plain_T | nt_T | |
| H | | | nt_H | |
| 9 and 8 without the 7, besides | | | | at_98 |
| 9, 8 and 7, besides | | | | at_987 |
| A and T without the H, besides | | | nt_AT | |
| A, T and H, besides | | | nt_ATH | |
| K and Q without the J | trump_KQ | | | at_KQ |
| K, Q and J | trump_KQJ | | | at_KQJ |
| no card of it | | void | | |
"""
"""The table of the point count, with parameters in place of their values."""

TAKING = """
| another suit than the Return's | other | other_3 |
| No-Trump | no_trump | no_trump_3 |
| All-Trumps | all_trumps | all_trumps_3 |
| **take in the first lap from** | **take** | **take_3** |
| **take in the second lap from** | **lap2** | **lap2_3** |
"""
"""The table of what is done with a count, likewise; `_3` with three teams."""


@pytest.mark.parametrize("table", [COUNT, TAKING], ids=["count", "taking"])
def test_the_point_count_is_that_of_the_policy(table: str) -> None:
    def value(match: re.Match[str]) -> str:
        name, with_three, _ = match[2].partition("_3")
        defaults = DEFAULTS[3 if with_three else 2]
        return f"{match[1]}{defaults[name]:g}{match[3]}" if name in defaults else match[0]

    assert re.sub(r"(\| \**)(\w+)(\** (?=\|))", value, table) in PAGES["point_count"]


def test_who_speaks_later_takes_from_the_same_count() -> None:
    """The README tells one threshold for all places of a lap."""
    for defaults in DEFAULTS.values():
        places = [name for name in defaults if re.search(r"(take|lap2)_[1-5]$", name)]
        assert len(places) == 10
        assert {defaults[name] for name in places} == {0.0}


def test_places_that_are_named_are_read() -> None:
    [row] = re.findall(r"^\| places \| (.*?);", PAGES["odds"], re.M)
    assert [parse_place(name, 6) for name in re.findall(r"`(\w+)`", row)] == [*range(6)]
    named = re.findall(r'--partners-at "(.*?)"', README)
    assert all(len(read_places("", places, KqjRules()) or ()) == 2 for places in named) and named


def test_every_rule_is_listed_with_its_values() -> None:
    rows = re.findall(r"^\| `--(\S+)` \| (.*?) \|", section("rules", "9. Options"), re.M)
    told = {name.replace("-", "_"): values for name, values in rows}
    assert {*told} == {rule.name for rule in fields(KqjRules)}
    for rule in fields(KqjRules):
        choices = rule.metadata["choices"] or (rule.default,)
        texts = [("no", "yes")[c] if isinstance(c, bool) else f"`{c}`" for c in choices]
        assert told[rule.name] == ", ".join(texts)


def test_columns_that_are_named_exist() -> None:
    named = re.findall(r"`([a-z_0-5]+)`", section("data", "Columns of the rows"))
    assert len(named) > 20
    assert {*named} - {"and", "or", "not"} <= {*KQJ_COLUMN_NUMBERS, SENDER_HAND}


def test_paths_that_are_named_exist() -> None:
    """A path is relative to any folder of the project; the files of examples are elsewhere."""
    pages = README + REPORTS + CONTRIBUTING
    named = re.findall(r"`((?:[\w.]+/)+[\w.]*|[A-Z]+\.md|LICENSE|\w+\.(?:txt|py))`", pages)
    folders = ("kqj_sim", "tests", "benchmarks", "docs", "examples", "reports", "tools")
    found = [*ROOT.iterdir(), *(path for name in folders for path in (ROOT / name).rglob("*"))]
    paths = {f"/{path.relative_to(ROOT).as_posix()}{'/' * path.is_dir()}" for path in found}
    made = {".venv/bin", "docs/build/html/", "dist/"}
    allowed = {".venv/bin/python", ".ci/run", *made, *named_files()}
    missing = [
        name
        for name in named
        if name not in allowed
        and not re.search("COMMAND|FUNCTION", name)
        and not any(path.endswith(f"/{name}") for path in paths)
    ]
    assert len(named) > 8
    assert not missing


def test_variables_that_are_named_set_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    named = re.findall(r"\b(?<!_)KQJ_SIM_\w+", README)
    assert named
    for name in named:
        monkeypatch.setenv(name, "")
    check_environment(main)


def test_links_lead_somewhere() -> None:
    folders = (ROOT, ROOT / "docs", ROOT / "benchmarks")
    paths = [path for folder in folders for path in folder.glob("*.md")]
    pages = {path: path.read_text(encoding="utf-8") for path in paths}
    found = 0
    for page, text in pages.items():
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
            path = (page.parent / target).resolve() if target else page
            assert path.exists(), f"{page.name}: {target}"
            headings = re.findall(r"^#+ (.*)$", pages.get(path, ""), re.M)
            anchors = [re.sub(r"[^a-z0-9_ -]", "", h.lower()).replace(" ", "-") for h in headings]
            assert not anchor or anchor in anchors, f"{page.name}: {target}#{anchor}"
            found += 1
    assert found > 10


def test_contributors_find_every_part_of_the_package() -> None:
    listing = CONTRIBUTING.split("\n## Where things go\n")[1].split("\n## ")[0]
    listed = {
        name for row in re.findall(r"^\| (`.*?) \|", listing, re.M) for name in row.split("`")
    }
    there = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in PACKAGE.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert there - {"__init__.py"} <= listed
    missing = [
        name
        for name in listed
        if re.search(r"\w", name) and not any((root / name).exists() for root in (ROOT, PACKAGE))
    ]
    assert not missing


NEED_NO_SET_UP = ("kqj-sim ", "python -m tools.", "KQJ_CANDIDATE=", "git archive ")
"""Beginnings of the commands that are not run to set up the package."""


def test_two_commands_set_up_and_do_everything() -> None:
    commands = re.findall(r"^python3 -m venv (\S+) && (.*)$", README, flags=re.M)
    lines = [line for block in blocks(README, "sh") for line in block.splitlines()]
    assert [line for line in lines if not line.startswith(NEED_NO_SET_UP)] == [
        f"python3 -m venv {folder} && {rest}" for folder, rest in commands
    ]
    assert len(commands) == 2
    assert commands[0][0] != commands[1][0]


def test_reports_are_there_and_no_other() -> None:
    written = re.findall(r"--(?:out|plot) reports/(\S+)", REPORTS)
    others = {"README.md", "index.html", "make.sh"}
    there = {path.name for path in (ROOT / "reports").iterdir()} - others
    assert {*written} == there


def test_one_command_makes_every_report() -> None:
    script = (ROOT / "reports" / "make.sh").read_text(encoding="utf-8")
    made = {*re.findall(r"^    (\w+)\)", script, re.M)}
    assert made == {name.split(".")[0] for name in re.findall(r"--out reports/(\S+)", REPORTS)}
