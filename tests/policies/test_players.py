"""Specifications of players: policies by name, of packages and in TOML files, and their errors."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kqj_sim.arguments import parse_players
from kqj_sim.core.types import MAX_PARAMETERS
from kqj_sim.errors import InputError
from kqj_sim.games import KQJ
from kqj_sim.policies import parse_player, policy
from kqj_sim.policies.players import (
    ConfiguredPolicy,
    Player,
    format_player_file,
    parse_policy,
    split_parts,
)
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.text_files import read_bytes
from tests.command_line import read_error, run
from tests.variants import AUCTION_2, TAKE_2

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
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Return what writes bold.toml beside own.py, in the current folder, and returns its name."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN, encoding="utf-8")

    def write_file(text: str) -> str:
        Path("bold.toml").write_text(text, encoding="utf-8")
        return "bold.toml"

    return write_file


# Specifications.


@pytest.mark.parametrize("name", KQJ.built_ins)
def test_a_built_in_policy_has_its_parameters_written_out(name: str) -> None:
    configured = parse_policy(name).under(KqjRules())
    player = parse_player(name).under(KqjRules())
    defaults = configured.policy.parameters
    assert configured.policy.name == player.name == name
    assert configured.values == tuple(each.default for each in defaults.values())
    assert configured.text.split(":")[0] == name
    assert all(f"{parameter}=" in configured.text for parameter in defaults)
    assert configured.text in player.text


def test_parameters_are_given_by_name() -> None:
    values = parse_player("random: take = 0.25 ,bid=1e-3").calling.values_by_name
    defaults = parse_player("random").calling.values_by_name
    assert values == {**defaults, "take": 0.25, "bid": 0.001}


def test_preset_is_a_policy_with_other_values() -> None:
    assert parse_player("bold") == parse_player("points:take=0,lap2=0")
    assert parse_player("bold").name == "bold"
    assert parse_player("bold:take=20").calling.values_by_name["take"] == 20
    assert parse_player("bold").playing == parse_player(KQJ.default_player).playing


def test_a_plus_b_calls_like_a_and_plays_like_b() -> None:
    player = parse_player("random:take=0.5+greedy")
    decisions = {each: player.policy_for(each).policy.name for each in KQJ.decisions}
    assert decisions == {**dict.fromkeys(KQJ.decisions, "random"), "card": "greedy"}
    default = parse_player(KQJ.default_player)
    assert all(default.policy_for(each).policy.answers(each) for each in KQJ.decisions)


@pytest.mark.parametrize(
    "specification",
    [
        *KQJ.built_ins, "random:take=0.5", "random:take=0.123456789", "random:take=1e-7",
        "standard:take=1e-20", "random:take=0.3333333333333333+greedy",
        "greedy+random:counter=0.07", "  greedy ", "bold", "bold:lap2=20+standard",
        "own.py:share=0.5,worlds=8,weigh=false,rollout=random,plain=-1e300", "random+own.py",
    ],
)  # fmt: skip
@pytest.mark.parametrize("width", [80, 100])
def test_the_text_and_the_file_of_a_player_read_back(
    write: Write, specification: str, width: int
) -> None:
    player = parse_player(specification)
    again = parse_player(player.text)
    assert again == player
    assert again.text == player.text
    text = format_player_file(player, width)
    of_file = parse_player(write(text))
    assert of_file == player
    assert format_player_file(of_file, width) == text
    if specification in KQJ.built_ins:
        assert all(len(line) <= width for line in text.splitlines())
        words = " ".join(text.replace(" # ", " ").split())
        for parameter in parse_policy(specification).policy.parameters.values():
            limits = f"{parameter.limits}, default {parameter.default_text}"
            assert f"{parameter.meaning} ({limits})" in words


def test_a_record_names_players_that_give_it_again() -> None:
    policies = ("random:take=0.123456789", "greedy", "random+greedy") * 2
    records = list(play_records(Experiment(TAKE_2, policies, deals=200)))
    again = Experiment(TAKE_2, tuple(records[0].players), deals=200)
    assert list(play_records(again)) == records


@pytest.mark.parametrize("inside", ["c++", "c+d", "x.py:m", "x.toml:m+n.py", "a+b.py:c"])
@pytest.mark.parametrize("file", ["own.py", "bold.toml"])
def test_folders_may_have_the_signs_of_specifications(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str, file: str
) -> None:
    folder = tmp_path / inside
    folder.mkdir()
    (folder / "own.py").write_text(OWN, encoding="utf-8")
    (folder / "bold.toml").write_text('policy = "own.py"\n[parameters]\nplain = 7\n')
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
    for spec in ("my=own/own.py", ["random", "seat3=my=own/own.py:own"]):
        assert parse_players(spec, KqjRules())[3].playing.policy.name == "own"


@pytest.mark.parametrize(
    "arguments",
    [
        ("simulate", "--policy", "own.py", "--deals", "300"),
        ("odds", "7h 8h 9h Ah Kh", "--return", "5s", "--policy", "own.py", "--deals", "64"),
        ("compare", "own.py", "greedy", "--deals", "64"),
    ],
    ids=lambda arguments: str(arguments[0]),
)
@pytest.mark.usefixtures("write")
def test_a_command_reads_and_parses_a_policy_once(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: Counter[str] = Counter()
    parses: Counter[str] = Counter()

    def count_read(path: Path) -> bytes:
        reads[path.name] += 1
        return read_bytes(path)

    def count_parse(text: str, folder: Path | None = None, game: str = "kqj") -> object:
        parses[text] += 1
        return parse_policy(text, folder, game)

    monkeypatch.setattr("kqj_sim.policies.registry.read_bytes", count_read)
    monkeypatch.setattr("kqj_sim.policies.players.parse_policy", count_parse)
    done = run(*arguments, "--quiet")
    assert done.exit_code == 0, done.output
    assert reads["own.py"] == parses["own.py"] == 1
    assert set(parses.values()) == {1}, parses


# Players' files.

CALLS, _, PLAYS = KQJ.default_player.partition("+")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (BOTH, "random:take=0.5+own.py:plain=3"),
        ('policy = "random"\n[parameters]\ntake = 0.5\nbid = 1\n', "random:take=0.5,bid=1"),
        ('policy = "random:take=0.5,bid=0.5"\nparameters.bid = 0.25', "random:take=0.5,bid=0.25"),
        ('[playing]\npolicy = "own.py:own"\nplain = 2\n', "own.py:plain=2"),
        # What it leaves out is the default player's.
        ('[calling]\npolicy = "random"\ntake = 0.5\n', f"random:take=0.5+{PLAYS}"),
        ('[playing]\npolicy = "greedy"\n', f"{CALLS}+greedy"),
        ('policy = "greedy"\n', f"{CALLS}+greedy"),
        ('calling = { policy = "random" }\n', f"random+{PLAYS}"),
    ],
)
def test_a_file_names_policies_with_their_parameters(write: Write, text: str, same: str) -> None:
    path = write(text)
    player = parse_player(path)
    assert player == parse_player(same)
    assert player.name == ("Bold one" if text == BOTH else "bold")
    assert parse_player(player.text) == player
    assert ".toml" not in player.text
    assert parse_player(f"{path}+random:take=1").calling == player.calling
    assert parse_player(f"random:take=1+{path}").playing == player.playing


def test_paths_in_a_file_are_relative_to_it(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write('[playing]\npolicy = "own.py:own"\nshare = 0.5\nrollout = "random"\n')
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    player = parse_player(str(tmp_path / "bold.toml"))
    assert player.playing.values == (0.5, 32.0, 1.0, "random", 7.0, 0.5)
    assert player.playing.source == f"{tmp_path / 'own.py'}:own"
    assert parse_player(player.text) == player


@pytest.mark.parametrize(
    ("text", "overrides", "same"),
    [
        (BOTH, "take=0.25", "random:take=0.25+own.py:plain=3"),
        (BOTH, "plain=4", "random:take=0.5+own.py:plain=4"),
        (BOTH, "plain=4, bid=1", "random:take=0.5,bid=1+own.py:plain=4"),
        (BOTH, "playing.plain=4,calling.take=1", "random:take=1+own.py:plain=4"),
        (BOTH, "calling.counter=0.25", "random:take=0.5,counter=0.25+own.py:plain=3"),
        (BOTH, "playing.counter=0.25", "random:take=0.5+own.py:plain=3,counter=0.25"),
        ('policy = "random"', "take=0.75", "random:take=0.75"),
        ('policy = "random"', "calling.take=0.75", "random:take=0.75+random"),
    ],
)
def test_parameters_behind_a_file_go_to_the_parts_that_have_them(
    write: Write, text: str, overrides: str, same: str
) -> None:
    player = parse_player(f"{write(text)}:{overrides}")
    assert player == parse_player(same)
    assert player.name.endswith(f":{overrides.replace(' ', '')}")


@pytest.mark.parametrize(
    ("text", "overrides", "words"),
    [
        (BOTH, "take=1,bid", "parameter=value"),
        (BOTH, "take=1,take=1", "given twice"),
        (BOTH, "take=2", "policy 'random': take=2: it should be a number from 0 to 1"),
        (BOTH, "tkae=1", "no parameter 'tkae'; did you mean 'take'?"),
        (BOTH, "counter=1", "calling.counter or playing.counter"),
        (BOTH, "palying.plain=1", "did you mean 'playing'?"),
        (BOTH, "playing.take=1", "'own' has no parameter 'take'; known: counter, plain, rollout"),
        (BOTH, "playing.plian=1", "'own' has no parameter 'plian'; did you mean 'plain'?"),
        ('[calling]\npolicy = "random"\n', "playing.later=1", "known: calling"),
        ('[calling]\npolicy = "random"\n', "later=1", "no parameter 'later'; known: bid, "),
        ("\npolicy = \n", "", "Invalid value (at line 2"),
        ('name = "x"\n"', "", "Unterminated string"),
        ("[parameters]\ntake = 1\n", "", 'policy = "NAME"'),
        ("", "", 'policy = "NAME" with [parameters], or [calling] and [playing] with policy = '),
        ("policy = 3\n", "", 'policy = "NAME"'),
        ("name = 3\n", "", "name should be a text"),
        ('policy = "random"\nparameters = 3\n', "", "[parameters] should be a table"),
        ('policy = "random"\n\n[paramters]\ntake = 1\n', "", "'paramters'; did you mean 'param"),
        ('policy = "radnom"\n', "", "did you mean 'random'?"),
        ('policy = "other.toml"\n', "", "no policy 'other.toml'"),
        ('policy = "random"\n[parameters]\ntkae = 1\n', "", "did you mean 'take'?"),
        ('policy = "random"\n[parameters]\ntake = "often"\n', "", "take=often: it should be a num"),
        ('policy = "random"\n[parameters]\ntake = [1]\n', "", "take=[1]: it should be a number"),
        ('policy = "random"\n[parameters]\nbid = 1\ntake = 1.5\n', "", "from 0 to 1"),
        ('policy = "random"\n[parameters]\ntake = true\n', "", "a number from 0 to 1"),
        ('policy = "random"\n[calling]\npolicy = "random"\n', "", "[calling] and [playing]"),
        ('[playing]\npolicy = "greedy"\nlater = 1\n', "", "'greedy' has no parameter 'later'"),
        ("[playing]\nlater = 1\n", "", '[playing] with policy = "NAME"'),
        ("[playing]\npolicy = 1\n", "", '[playing] with policy = "NAME"'),
        ('[calling]\npolicy = "greedy"\n', "", "'greedy' does not call"),
        ('calling = "random"\n', "", "[calling] should be a table"),
    ],
)
def test_wrong_file_or_parameter_behind_it_raises(
    write: Write, text: str, overrides: str, words: str
) -> None:
    path = write(text)
    message = read_error(parse_player, f"{path}:{overrides}" if overrides else path)
    assert words in message
    assert overrides or message.removeprefix("policy file ").startswith(f"{path}: ")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b'policy = "\xe9"\n')
    assert "latin.toml: not text in UTF-8" in read_error(parse_player, str(path))
    (tmp_path / "folder.toml").mkdir()
    assert "folder.toml" in read_error(parse_player, str(tmp_path / "folder.toml"))
    assert "no such file" in read_error(parse_player, str(tmp_path / "nowhere.toml"))


@pytest.mark.usefixtures("write")
def test_a_name_without_the_suffix_of_its_file() -> None:
    Path("only_here.toml").write_text('policy = "random"\n')
    assert "did you mean 'only_here.toml'?" in read_error(parse_player, "only_here")
    assert "did you mean 'only_here.toml'?" in read_error(parse_player, "only_here:take=1")


# Policies of packages.

OFFERED = """
from kqj_sim import highest, policy
from offering.helpers import best

offered = policy("offered", "plays high", depth=2)

@offered
def choose_card(view):
    return highest(view.legal)

nothing = 3

@policy("clever", "asks another module of its package")
def choose_card(view):
    return best(view.legal)
"""
ENTRY_POINTS = """
[kqj_sim.policies]
offered = offering.offered:offered
by_object = offering.offered:offered
broken = offering.offered:nothing
clever = offering.offered
faulty = offering.faulty
"""


def test_a_package_offers_policies_through_entry_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "offering/__init__.py": "",
        "offering/helpers.py": "def best(cards):\n    return cards & -cards\n",
        "offering/offered.py": OFFERED,
        "offering/faulty.py": "import nowhere_at_all\n",
        "offering-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: offering\nVersion: 1.0\n",
        "offering-1.0.dist-info/entry_points.txt": ENTRY_POINTS,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    player = parse_player("offered:depth=3")
    assert player.playing.policy.summary == "plays high"
    assert player.playing.text == "offered:depth=3"
    assert parse_player(player.text) == player
    assert parse_player("by_object").playing.policy is player.playing.policy
    assert parse_player("clever").playing.policy.summary == "asks another module of its package"
    for name in ("offered", "clever"):
        records = list(play_records(Experiment(TAKE_2, (f"random:take=1+{name}",) * 6, deals=3)))
        assert all(record.tricks for record in records)
    assert "did you mean 'offered'?" in read_error(parse_player, "offerd")
    assert "entry point 'broken' is not a policy" in read_error(parse_player, "broken")
    faulty = read_error(parse_player, "faulty")
    assert "offering.faulty: ModuleNotFoundError" in faulty
    listed = run("policies", "--format", "json")
    assert listed.exit_code == 0
    assert "clever" in [each["name"] for each in json.loads(listed.stdout)["policies"]]
    assert f"Warning: {faulty}\n" in listed.stderr


# The most parameters.


def test_a_policy_has_not_too_many_parameters() -> None:
    names: dict[str, Any] = {f"p{number}": 0.0 for number in range(MAX_PARAMETERS + 1)}
    with pytest.raises(InputError, match=f"at most {MAX_PARAMETERS}"):
        policy("many", **names)


def test_as_many_parameters_as_allowed_reach_the_policy() -> None:
    names: dict[str, Any] = {f"p{number}": float(number) for number in range(MAX_PARAMETERS)}
    many = policy("many_parameters", **names)

    @many
    def choose_bid(view, parameters):  # type: ignore[no-untyped-def]
        return ((100 + int(parameters.p63 - parameters.p60) * 10) << 4) if view.turn == 0 else -1

    configured = ConfiguredPolicy(many, tuple(map(float, names.values())), "many_parameters")
    experiment = Experiment(AUCTION_2, ("random",) * 6, deals=4)
    players = (Player(configured, parse_policy("greedy")),) * 6
    object.__setattr__(experiment, "players", players)
    for record in play_records(experiment):
        assert (record.amount, record.contract) == (130, "s")
