"""Searches for hidden hands end: by hands, by time, and with a line that names the call."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from kqj_sim.core.observed_calls import SEARCHING, STOP
from kqj_sim.errors import InputError
from kqj_sim.games.kqj.call_sampler import KqjCallSampler
from kqj_sim.games.kqj.card_sampler import KqjCardSampler
from kqj_sim.positions.estimator import (
    MIN_EFFECTIVE_DEALS,
    ImpossibleBiddingError,
    estimate_position,
)
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_position
from kqj_sim.positions.search import (
    DEALS_PER_SEARCH,
    Deadline,
    Search,
    SearchEnded,
    find_rarest_question,
)
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.workers import map_in_threads
from tests.positions.estimates import odds
from tests.variants import AUCTION_2

HAND = "9h 8h Ah Kh Qh 5d 6c Ac"
MANY_BIDS = "120 s, 130 h, 140 d, 150 c, 160 s, pass, 170 s, pass"


def many_bids() -> Position:
    """A round in which `points` bid often, before the first card of the second trick."""
    records = play_records(Experiment(AUCTION_2, ("points+greedy",) * 6, 40, seed=3))
    bids = {
        record.deal: record
        for record in records
        if sum(call.call == "bid" for call in record.calls) > 6
    }
    return read_position(next(iter(bids.values())), (2, 1))


def test_a_limit_of_hands_grows_with_the_deals_found() -> None:
    search = Search(1, max_hands=DEALS_PER_SEARCH * 10)
    search.finish_chunk(np.array([[DEALS_PER_SEARCH * 10 - 1, 0]]), 0)
    search.finish_chunk(np.array([[20, 3]]), 3)
    with pytest.raises(SearchEnded) as ended:
        search.finish_chunk(np.array([[11, 0]]), 0)
    assert not ended.value.by_time


def test_the_rarest_question_is_named() -> None:
    assert find_rarest_question(np.array([[1000, 900], [900, 1], [1, 0]])) == 1
    assert find_rarest_question(np.array([[10**6, 10], [10, 1], [1, 0], [0, 0]])) == 0
    assert find_rarest_question(np.array([[500, 500], [500, 0], [0, 0]])) == 1
    # A rare bid that some hands make ends no search, one that none of enough hands makes does.
    assert find_rarest_question(np.array([[253_986, 416], [416, 387], [91, 0], [0, 0]])) == 2
    assert find_rarest_question(np.array([[10**6, 10], [2560, 0], [0, 0]])) == 1


def test_the_bid_that_nobody_makes_is_named_not_a_rare_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KqjCallSampler, "max_hands", 1 << 20)
    players = ["random", "random:bid=0.005", "random:bid=0", "random", "random", "random"]
    with pytest.raises(ImpossibleBiddingError, match=r"bids 130 h as the 3rd .* with none of"):
        odds(
            HAND,
            rules=AUCTION_2,
            heard="pass, 120 s, 130 h, pass",
            policies=players,
            deals=4,
            error_rate=0.0,
        )


@pytest.mark.parametrize("threads", [1, 2])
def test_cards_after_implausible_calls_end(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KqjCardSampler, "max_hands", 1 << 19)
    with pytest.raises(InputError) as told:
        estimate_position(
            many_bids(), ("random",) * 6, deals=10, threads=threads, time=3600, error_rate=0.0
        )
    line = str(told.value)
    assert "the assumed player random bids " in line and " hands; " in line
    assert "choose other players with `policy`, such as learned+network" in line
    assert "\n" not in line
    # What was tried depends neither on time nor on threads.
    _lines.add(line)
    assert len(_lines) == 1


_lines: set[str] = set()


def test_calls_after_implausible_calls_end_with_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KqjCallSampler, "max_hands", 1 << 20)
    with pytest.raises(ImpossibleBiddingError, match=r"the assumed player random bids .* with"):
        odds(
            HAND,
            rules=AUCTION_2,
            heard=MANY_BIDS,
            policies="random",
            deals=10**6,
            time=3600,
            error_rate=0.0,
        )


def test_ended_search_with_enough_deals_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KqjCallSampler, "max_hands", 1 << 20)
    found = odds(
        HAND, rules=AUCTION_2, heard="pass, 150 s, pass", policies="random", deals=2_000_000,
        time=3600, error_rate=0.0,
    )  # fmt: skip
    assert (
        found.stop_reason == "search" and "bids 150 s as the 2nd to speak with" in found.stop_text
    )
    assert found.effective_sample_size >= MIN_EFFECTIVE_DEALS and found.deals < 2_000_000


def test_a_limit_of_time_ends_a_kernel_that_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KqjCardSampler, "max_hands", 1 << 40)
    for _ in range(2):  # The first time kernels may be compiled.
        tried: list[int] = []
        began = time.monotonic()
        with pytest.raises(InputError, match=r"that were tried in 0.3 s; allow more with `time`"):
            estimate_position(
                many_bids(), ("random:bid=0.000001",) * 6, deals=10_000, time=0.3, threads=1,
                searching=tried.append, error_rate=0.0,
            )  # fmt: skip
    assert time.monotonic() - began < 10
    assert tried == sorted(tried) and tried[-1] > 0


def test_threads_stop_when_nobody_takes_more() -> None:
    search = Search(1, seconds=0.2)

    def work(first: int, count: int) -> int:
        _, signal = search.start_chunk()
        signal[SEARCHING] = 1
        while signal[STOP] == 0:
            time.sleep(0.01)
        return first

    hands: list[Callable[[int, int], int]] = [work, work]
    with pytest.raises(SearchEnded) as ended:
        list(map_in_threads(hands, 0, 100, 1, search))
    assert ended.value.by_time


def test_only_search_is_timed() -> None:
    """Compiling and playing on may take longer than the limit."""
    search = Search(1, seconds=0.2)

    def work(first: int, count: int) -> int:
        search.start_chunk()
        time.sleep(0.5)
        return first

    assert list(map_in_threads([work], 0, 1, 1, search)) == [0]


def test_deadline_ends_running_and_later_searches() -> None:
    now = [0.0]
    deadline = Deadline(2.0, lambda: now[0])
    search = deadline.limit(Search(1))
    _, signal = search.start_chunk()
    deadline.wait()
    assert signal[STOP] == 0
    now[0] = 2.0
    deadline.wait()
    assert signal[STOP] == 1
    assert deadline.limit(Search(1)).start_chunk()[1][STOP] == 1
    # Without calls to agree with there is no search: deals are found at once.
    assert deadline.limit(Search(0)).start_chunk()[1][STOP] == 0
