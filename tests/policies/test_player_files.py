"""TOML files of players: both forms, overrides behind the name, errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kqj_sim.arguments import parse_players
from kqj_sim.errors import InputError
from kqj_sim.games import KQJ
from kqj_sim.policies import parse_player
from kqj_sim.policies.players import format_player_file, parse_policy, split_parts
from kqj_sim.rules import KqjRules

Write = Callable[[str], str]

BOTH = """\
name = "Bold one"

[calling]
policy = "random"
take = 0.5

[playing]
policy = "own.py"
plain = 3
"""

OWN = """\
from kqj_sim import lowest, policy
from kqj_sim.policies import flag, named, number, whole

own = policy(
    "own",
    "a policy with parameters of every kind",
    share=number(0.25, "a share", 0, 1),
    worlds=whole(32, "worlds, which is " + "said at great length " * 8, 1, 1000),
    weigh=flag(True, "whether they are weighed"),
    rollout=named("greedy", ("greedy", "random"), "who plays on"),
    plain=7,
    counter=0.5,
)

@own
def choose_card(view, parameters):
    return lowest(view.legal) if parameters.weigh else view.legal & -view.legal
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes bold.toml beside own.py; its path."""
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")

    def written(text: str) -> str:
        path = tmp_path / "bold.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


def _error(specification: str) -> str:
    with pytest.raises(InputError) as told:
        parse_player(specification)
    message = str(told.value)
    assert "\n" not in message
    return message


def test_a_file_says_who_calls_and_who_plays(tmp_path: Path, write: Write) -> None:
    found = parse_player(write(BOTH))
    assert found == parse_player(f"random:take=0.5+{tmp_path / 'own.py'}:plain=3")
    assert found.name == "Bold one"
    assert parse_player(found.text) == found
    assert ".toml" not in found.text


def test_a_file_names_one_policy_for_both(write: Write) -> None:
    path = write('policy = "random"\n[parameters]\ntake = 0.5\nbid = 1\n')
    found = parse_player(path)
    assert found == parse_player("random:take=0.5,bid=1")
    assert found.name == "bold"
    assert parse_player(found.text) == found
    assert parse_player(f"{path}+greedy") == parse_player("random:take=0.5,bid=1+greedy")
    assert parse_player(f"greedy+{path}").playing == found.playing


CALLS, _, PLAYS = KQJ.default_player.partition("+")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ('[calling]\npolicy = "random"\ntake = 0.5\n', f"random:take=0.5+{PLAYS}"),
        ('[playing]\npolicy = "greedy"\n', f"{CALLS}+greedy"),
        ('policy = "greedy"\n', f"{CALLS}+greedy"),
        ('policy = "random:take=0.5,bid=0.5"\nparameters.bid = 0.25', "random:take=0.5,bid=0.25"),
        ('calling = { policy = "random" }\n', f"random+{PLAYS}"),
    ],
)
def test_what_a_file_leaves_out_is_the_default_players(write: Write, text: str, same: str) -> None:
    assert parse_player(write(text)) == parse_player(same)


@pytest.mark.parametrize(
    ("overrides", "same"),
    [
        ("take=0.25", "random:take=0.25+{own}:plain=3"),
        ("plain=4", "random:take=0.5+{own}:plain=4"),
        ("plain=4, bid=1", "random:take=0.5,bid=1+{own}:plain=4"),
        ("playing.plain=4,calling.take=1", "random:take=1+{own}:plain=4"),
        ("calling.counter=0.25", "random:take=0.5,counter=0.25+{own}:plain=3"),
        ("playing.counter=0.25", "random:take=0.5+{own}:plain=3,counter=0.25"),
    ],
)
def test_parameters_behind_a_file_go_to_the_part_that_has_them(
    tmp_path: Path, write: Write, overrides: str, same: str
) -> None:
    found = parse_player(f"{write(BOTH)}:{overrides}")
    assert found == parse_player(same.format(own=tmp_path / "own.py"))
    assert found.name == f"Bold one:{overrides.replace(' ', '')}"


def test_parameters_behind_a_file_of_one_policy_go_to_both_parts(write: Write) -> None:
    path = write('policy = "random"\n')
    assert parse_player(f"{path}:take=0.75") == parse_player("random:take=0.75")
    assert parse_player(f"{path}:calling.take=0.75") == parse_player("random:take=0.75+random")


@pytest.mark.parametrize(
    ("overrides", "parts"),
    [
        ("take=1,bid", ["parameter=value"]),
        ("take=1,take=1", ["given twice"]),
        ("take=2", ["'random'", "a number from 0 to 1"]),
        ("tkae=1", ["'tkae'", "did you mean 'take'?"]),
        ("counter=1", ["calling.counter or playing.counter"]),
        ("palying.plain=1", ["did you mean 'playing'?"]),
        ("playing.take=1", ["'own'", "no parameter 'take'", "worlds"]),
        ("playing.plian=1", ["'own'", "did you mean 'plain'?"]),
    ],
)
def test_errors_behind_a_file(write: Write, overrides: str, parts: list[str]) -> None:
    message = _error(f"{write(BOTH)}:{overrides}")
    for part in parts:
        assert part in message


def test_a_part_that_a_file_leaves_out_takes_no_parameters(write: Write) -> None:
    path = write('[calling]\npolicy = "random"\n')
    assert "known: calling" in _error(f"{path}:playing.later=1")
    assert "did you mean" not in _error(f"{path}:later=1")


def test_paths_in_a_file_are_relative_to_it(tmp_path: Path, write: Write) -> None:
    found = parse_player(
        write('[playing]\npolicy = "own.py:own"\nshare = 0.5\nrollout = "random"\n')
    )
    chosen = found.playing
    assert chosen.values == (0.5, 32.0, 1.0, "random", 7.0, 0.5)
    assert chosen.source == f"{tmp_path / 'own.py'}:own"
    assert parse_player(found.text) == found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("\npolicy = \n", ["Invalid value (at line 2"]),
        ('name = "x"\n"', []),
        ("[parameters]\ntake = 1\n", ['policy = "NAME"']),
        ("", ['policy = "NAME"', "[calling]"]),
        ("policy = 3\n", ['policy = "NAME"']),
        ("name = 3\n", ["name should be a text"]),
        ('policy = "random"\nparameters = 3\n', ["[parameters]"]),
        ('policy = "random"\n\n[paramters]\ntake = 1\n', ["'paramters'", "'parameters'"]),
        ('policy = "radnom"\n', ["did you mean 'random'?"]),
        ('policy = "other.toml"\n', ["no policy 'other.toml'"]),
        ('policy = "random"\n[parameters]\ntkae = 1\n', ["did you mean 'take'?"]),
        ('policy = "random"\n[parameters]\ntake = "often"\n', ["take=often", "number"]),
        ('policy = "random"\n[parameters]\ntake = [1]\n', ["take=[1]", "number"]),
        ('policy = "random"\n[parameters]\nbid = 1\ntake = 1.5\n', ["from 0 to 1"]),
        ('policy = "random"\n[parameters]\ntake = true\n', ["a number from 0 to 1"]),
        ('policy = "random"\n[calling]\npolicy = "random"\n', ["[calling] and [playing]"]),
        ('[playing]\npolicy = "greedy"\nlater = 1\n', ["'greedy'", "no parameter 'later'"]),
        ("[playing]\nlater = 1\n", ['[playing] with policy = "NAME"']),
        ("[playing]\npolicy = 1\n", ['[playing] with policy = "NAME"']),
        ('[calling]\npolicy = "greedy"\n', ["'greedy' does not call"]),
        ('calling = "random"\n', ["[calling] should be a table"]),
    ],
)
def test_errors_in_a_file_name_it(write: Write, text: str, parts: list[str]) -> None:
    path = write(text)
    message = _error(path)
    assert message.removeprefix("policy file ").startswith(f"{path}: ")
    for part in parts:
        assert part in message


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b'policy = "\xe9"\n')
    assert "latin.toml: not text in UTF-8" in _error(str(path))
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    assert "folder.toml" in _error(str(folder))
    assert "no such file" in _error(str(tmp_path / "nowhere.toml"))


@pytest.mark.parametrize("name", KQJ.built_ins)
@pytest.mark.parametrize("width", [80, 100])
def test_a_built_in_policy_reads_back_from_what_is_shown(
    write: Write, name: str, width: int
) -> None:
    text = format_player_file(parse_player(name), width)
    assert parse_player(write(text)) == parse_player(name)
    assert all(len(line) <= width for line in text.splitlines())
    words = " ".join(text.replace(" # ", " ").split())
    for parameter in parse_policy(name).policy.parameters.values():
        limits = f"{parameter.limits}, default {parameter.default_text}"
        assert f"{parameter.meaning} ({limits})" in words


@pytest.mark.parametrize(
    "specification",
    [
        "random:take=0.123456789,bid=1e-7",
        "random+random:take=1",
        "random:take=0.3+greedy",
        "{own}:share=0.5,worlds=8,weigh=false,rollout=random,plain=-1e300",
        "random+{own}",
    ],
)
def test_what_is_shown_reads_back(tmp_path: Path, write: Write, specification: str) -> None:
    path = write("")
    text = specification.format(own=tmp_path / "own.py")
    shown = format_player_file(parse_player(text), 80)
    assert path == write(shown)
    assert parse_player(path) == parse_player(text)
    assert format_player_file(parse_player(path), 80) == shown


@pytest.mark.parametrize("inside", ["c++", "c+d", "x.py:m", "x.toml:m+n.py", "a+b.py:c"])
@pytest.mark.parametrize("file", ["own.py", "bold.toml"])
def test_folders_may_have_the_signs_of_specifications(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str, file: str
) -> None:
    (tmp_path / inside).mkdir()
    (tmp_path / inside / "own.py").write_text(OWN, encoding="utf-8")
    (tmp_path / inside / "bold.toml").write_text(
        'policy = "own.py"\n[parameters]\nplain = 7\n', encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    path = f"{inside}/{file}"
    alone = parse_player(path)
    assert alone.playing.policy.name == "own" and not alone.calling.policy.answers("card")
    assert split_parts(path) == [path]
    assert parse_player(f"{path}:plain=3").playing.values_by_name["plain"] == 3
    for spec in (f"random+{path}", f"{path}+random", f"{path}:plain=3+{path}"):
        assert len(split_parts(spec)) == 2
        assert parse_player(spec).given == spec
    assert parse_player(f"{path}+random").playing.policy.name == "random"
    assert parse_player(f"random+{path}").calling.policy.name == "random"
    assert parse_player(alone.text) == alone


def test_a_folder_with_an_equals_sign_is_no_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my=own").mkdir()
    (tmp_path / "my=own" / "own.py").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for policy in ("my=own/own.py", ["random", "seat3=my=own/own.py:own"]):
        assert parse_players(policy, KqjRules())[3].playing.policy.name == "own"
