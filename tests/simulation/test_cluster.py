"""A cluster of two worker processes: what it plays is what one thread plays, whoever dies."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

import kqj_sim as kqj
from kqj_sim.runner import ProgressLine
from kqj_sim.simulation import cluster as dask_cluster
from tests.command_line import ENVIRONMENT, expect_error, kill_at_end, run

pytestmark = pytest.mark.slow

OWN = """
from kqj_sim import highest, lowest, policy

@policy("own", "high in the middle of a trick", middle=2)
def choose_card(view, parameters):
    return highest(view.legal) if view.position > parameters.middle else lowest(view.legal)

@policy("wrong", "no card at times")
def choose_card(view):
    return 0 if view.random % 3000 == 7 else lowest(view.legal)
"""
PLAYER = '[calling]\npolicy = "random"\ntake = 0.3\n[playing]\npolicy = "own.py:own"\nmiddle = 3\n'


class Local:
    """A scheduler and workers of this machine, in a folder that has no policies."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.stack = stack
        file = folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)
        while not (file.exists() and file.read_text()):
            time.sleep(0.05)
        self.address: str = json.loads(file.read_text())["address"]

    def worker(self) -> subprocess.Popen[bytes]:
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", self.folder)
        return self._start("worker", self.address, *options)

    def _start(self, *arguments: object) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *map(str, arguments), "--no-dashboard"],
            cwd=self.folder, env=ENVIRONMENT, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.stack.enter_context(kill_at_end(process))
        return process


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    with ExitStack() as stack:
        started = Local(tmp_path_factory.mktemp("cluster"), stack)
        started.worker()
        started.worker()
        wait_for(started, 2)
        yield started


def wait_for(local: Local, workers: int) -> None:
    """Wait until there are so many workers, in a process of its own."""
    script = (
        "import sys; from distributed import Client\n"
        "with Client(sys.argv[1]) as client: client.wait_for_workers(int(sys.argv[2]))"
    )
    arguments = [sys.executable, "-c", script, local.address, str(workers)]
    subprocess.run(arguments, check=True, timeout=100, stderr=subprocess.DEVNULL)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with policies; ranges are short, so that there are many."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dask_cluster, "TARGET_RANGE_SECONDS", 0.3)
    Path("own.py").write_text(OWN, encoding="utf-8")
    Path("player.toml").write_text(PLAYER, encoding="utf-8")


RANDOM = ("simulate", "--policy", "random", "--seed", "3")


@pytest.mark.parametrize(("arguments", "files"), [
    ((*RANDOM, "--deals", "200000", "--by", "lap", "--plot", "x.svg"), ["x.svg"]),
    ((*RANDOM, "--games", "300", "--where", "lap == 1", "--rows", "x.parquet"), ["x.parquet"]),
    (
        (*RANDOM, "--deals", "9000", "--policy", "player.toml", "--policy", "seat3=own.py:own",
         "--checkpoint", "x.npz"),
        ["x.npz"],
    ),
    (("compare", "random", "random:take=0.2", "greedy", "--deals", "900"), []),
    (("compare", "random+greedy", "random", "--precision", "3"), []),
    (("sweep", "random", "--vary", "take=0.1,0.3", "--opponents", "greedy"), []),
], ids=lambda value: " ".join(value[:1]) if isinstance(value, tuple) else "")  # fmt: skip
def test_what_a_cluster_plays_is_what_a_thread_plays(
    arguments: tuple[str, ...], files: list[str], local: Local
) -> None:
    written = []
    for crew in (("--threads", "1"), ("--cluster", local.address)):
        done = run(*arguments, "--quiet", "--out", "x.json", *crew)
        assert done.exit_code == 0, done.output
        written.append([Path(file).read_bytes() for file in ("x.json", *files)])
        for file in files:
            Path(file).unlink()
    assert written[0] == written[1]


def test_a_report_is_the_same(local: Local) -> None:
    few = ("--deals", "3000", "--games", "20", "--chart-deals", "2000", "--compare-deals", "200")
    players = ("--policy", "random", "--compare", "random", "--compare", "greedy")
    for name, crew in (("a", ("--threads", "1")), ("b", ("--cluster", local.address))):
        done = run("report", *few, *players, "--save-rows", "--quiet", "--out", name, *crew)
        assert done.exit_code == 0, done.output
    written = [path.relative_to("a") for path in Path("a").rglob("*") if path.is_file()]
    assert len(written) > 20
    assert Path("a", "rows.parquet").is_file()
    for path in written:
        if path.stem != "report":  # it says when it was made
            assert Path("a", path).read_bytes() == Path("b", path).read_bytes(), path


def test_one_thread_two_threads_a_cluster_and_a_resumed_run_are_the_same_bytes(
    local: Local,
) -> None:
    many = ("--deals", "30000", *RANDOM[1:], "--quiet")
    outputs = ("--out", "x.csv", "--plot", "x.svg")
    found = []
    for crew in (("--threads", "1"), ("--threads", "2"), ("--cluster", local.address)):
        assert run("simulate", *many, *outputs, *crew).exit_code == 0
        found.append((Path("x.csv").read_bytes(), Path("x.svg").read_bytes()))
    for deals in ("9000", "30000"):
        resumed = ("--deals", deals, "--checkpoint", "run.npz", "--cluster", local.address)
        assert run("simulate", *many, *outputs, *resumed).exit_code == 0
    found.append((Path("x.csv").read_bytes(), Path("x.svg").read_bytes()))
    assert found == [found[0]] * 4


def test_a_worker_that_dies_loses_nothing(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    many = (*RANDOM, "--deals", "400000", "--out")
    assert run(*many, "a.json").exit_code == 0
    third = local.worker()
    wait_for(local, 3)
    told: list[int] = []

    def advance(line: ProgressLine, count: int, answer: str) -> None:
        told.append(count)
        if len(told) == 3:
            os.kill(third.pid, signal.SIGKILL)

    monkeypatch.setattr(ProgressLine, "advance", advance)
    done = run(*many, "b.json", "--cluster", local.address)
    assert done.exit_code == 0, done.output
    assert third.wait(timeout=10) == -signal.SIGKILL
    assert sum(told) == 400_000 and len(told) > 6
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()


def test_an_interrupted_run_shows_what_is_finished(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []

    def advance(line: ProgressLine, count: int, answer: str) -> None:
        told.append(count)
        if len(told) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(ProgressLine, "advance", advance)
    done = run(*RANDOM, "--deals", "1e15", "--format", "json", "--cluster", local.address)
    assert done.exit_code == 130, done.output
    finished = json.loads(done.stdout)["deals"]
    assert finished == sum(told) > 0
    assert f"the tables hold {finished:,} of" in done.stderr
    small = run(*RANDOM, "--deals", str(finished), "--format", "json").stdout
    assert json.loads(small)["tables"] == json.loads(done.stdout)["tables"]


def test_a_wrong_choice_is_told_as_ever(local: Local) -> None:
    given = (*RANDOM, "--policy", "random+own.py:wrong", "--deals", "30000", "--quiet")
    here = expect_error(run(*given, "--threads", "1"))
    assert "own.py:" in here and "0 is no card" in here
    assert expect_error(run(*given, "--cluster", local.address)) == here


def test_a_policy_of_the_session_plays_as_in_threads(local: Local) -> None:
    @kqj.policy
    def middling(view: Any) -> Any:
        """Play high from the third position on."""
        return kqj.highest(view.legal) if view.position > 2 else kqj.lowest(view.legal)

    played = [
        kqj.simulate(deals=9000, policy={"team1": middling}, runner=runner).frame()
        for runner in (kqj.Runner(1), kqj.Runner(2), kqj.Runner(cluster=local.address))
    ]
    assert played[0].equals(played[1]) and played[0].equals(played[2])
    assert not played[0].equals(kqj.simulate(deals=9000).frame())


def test_an_error_of_the_session_is_told_as_ever(local: Local) -> None:
    @kqj.policy
    def careless(view: Any) -> Any:
        return 0 if view.random % 3000 == 7 else kqj.lowest(view.legal)

    messages = []
    for runner in (kqj.Runner(1), kqj.Runner(cluster=local.address)):
        with pytest.raises(kqj.InputError, match=r"policy 'careless'.*: 0 is no card") as told:
            kqj.simulate(deals=30_000, policy=careless, runner=runner)
        messages.append(str(told.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("library", ["numba", "llvmlite", "numpy"])
def test_workers_with_other_versions_are_refused(
    local: Local, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    here = {**dask_cluster.get_software_versions(), library: "0.1"}
    monkeypatch.setattr(dask_cluster, "get_software_versions", lambda: here)
    told = expect_error(run(*RANDOM, "--cluster", local.address, "--quiet"), 1)
    assert f"a worker of the cluster has {library}" in told
    assert "not 0.1: install the same" in told


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", bytes(64)])
def test_another_service_is_no_cluster(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        # It ends when the server is closed.
        threading.Thread(target=_answer_all, args=(server, answer), daemon=True).start()
        told = expect_error(run(*RANDOM, "--cluster", address, "--quiet"), 1)
    assert f"no cluster at {address}: what answers is not a Dask scheduler" in told


def _answer_all(server: socket.socket, answer: bytes) -> None:
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            connection.sendall(answer)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "http://127.0.0.1:1", ""])
def test_a_cluster_that_is_not_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.3)
    told = expect_error(run(*RANDOM, "--cluster", address, "--quiet"), 1)
    assert f"no cluster at {address}: " in told and "`dask scheduler` starts one" in told


def test_threads_are_not_for_clusters() -> None:
    told = expect_error(run(*RANDOM, "--cluster", "127.0.0.1:1", "--threads", "2"))
    assert "--threads and --cluster" in told


def test_without_dask_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    told = expect_error(run(*RANDOM, "--cluster", "127.0.0.1:1", "--quiet"), 1)
    assert "pip install 'kqj-sim[cluster]'" in told
