"""The page packs a position into the numbers that the package's samplers give to the kernels."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kqj_sim.cards import Card
from kqj_sim.core import card_odds
from kqj_sim.games.kqj.call_sampler import KqjCallSampler
from kqj_sim.games.kqj.card_sampler import KqjCardSampler
from kqj_sim.policies.players import seat_players
from kqj_sim.positions.auction_state import (
    find_lowest_amount,
    format_call,
    make_bid_option,
    make_contract_option,
)
from kqj_sim.positions.estimator import make_sampler
from kqj_sim.positions.position import Position, PositionError
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.record import Call
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.web.make import TABLES
from tests.web.node import NODE, needs_node
from tools.page.build import read_constants

pytestmark = [pytest.mark.slow, needs_node]

DEALS, STEP = range(5, 41, 6), 7
"""Rounds of each table, dealt by the last seat so that seats are places; and which of their
decisions are packed: every seventh."""
QUESTIONS = ("take", "bid", "counter", "overcounter")
"""Questions by their numbers of `core.dispatch`."""


def list_positions(table: str) -> list[Position]:
    """Return positions of rounds of the default players."""
    found = []
    for deal in DEALS:
        (record,) = play_records(Experiment(rules=TABLES[table], first=deal, deals=1))
        for decision in RecordedRound(record).decisions[::STEP]:
            position = decision.knowledge
            # Who may counter in their turn is asked once by the page: for a counter or a bid.
            in_turn = position.question == "counter" and position.calling.turn == position.reply
            found += [] if in_turn else [position]
    return found


def find_amount(position: Position) -> int | None:
    """Return the lowest amount that may be bid, if a bid is asked for."""
    if position.question != "bid":
        return None
    amount = find_lowest_amount(position)
    return amount if amount <= TABLES["2-auction"].max_amount else None


def describe(table: str, position: Position) -> dict[str, Any]:
    """Return a position as `pack.js` takes it."""
    return {
        "table": table,
        "own": position.place,
        "hand": [str(card) for card in position.hands[position.seat]],
        "up": position.upcard and str(position.upcard),
        "calls": [(call.seat, format_call(call)) for call in position.calls or ()],
        "plays": [str(card) for card in position.plays] if position.question == "card" else None,
        "amount": find_amount(position),
    }


def pack_call(position: Position) -> dict[str, Any]:
    players, plan = seat_players(None, position.rules), EstimatePlan()
    sampler = make_sampler(position, players, plan)
    assert isinstance(sampler, KqjCallSampler)
    state, amount = sampler.auction_state, find_amount(position)
    contracts = position.rules.contracts if amount else ()
    bids = [
        Call(position.place, "bid", amount, contract, number % 2 > 0)
        for number, contract in enumerate(contracts)
    ]
    return {
        "question": QUESTIONS.index(position.question),
        "observer": sampler._observer,
        "observed": sampler._questions,
        "texts": [str(option) for option in sampler.options],
        "options": sampler._packed_options,
        "contracts": [
            make_contract_option(position, state, each, amount or 0).pack() for each in contracts
        ],
        "bids": [make_bid_option(position, state, bid).pack() for bid in bids],
    }


def pack_card(position: Position, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    replayed: list[Any] = []
    replay_plays = card_odds.replay_plays

    def replay(*arguments: Any) -> Any:
        replayed.append(arguments)
        return replay_plays(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(card_odds, "replay_plays", replay)
        players = seat_players(None, position.rules)
        sampler = make_sampler(position, players, EstimatePlan())
    assert isinstance(sampler, KqjCardSampler)
    ((_, called, _, plays, _, _),) = replayed
    turn = sampler.turn
    return {
        "question": "card",
        "called": called,
        "shown": turn.shown,
        "known": turn.known,
        "plays": plays,
        "trick": turn.trick,
        "position": turn.position,
        "own": position.place,
        "observed": turn.observed_calls,
        "weighs": sampler.uses_plays,
        "texts": {str(card) for card in sampler.options},
        "layouts": turn.layouts,
    }


def to_texts(value: Any) -> Any:
    """Return numbers as text in nested lists, and sets sorted."""
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return [to_texts(each) for each in value] if isinstance(value, (list, tuple)) else str(value)


def pack_in_node(positions: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """Return what `pack.js` makes of positions, with the engine of a folder."""
    asked = {"constants": read_constants(), "positions": positions}
    script = Path(__file__).with_name("pack.js")
    done = subprocess.run(
        [NODE or "", str(script), str(folder)], input=json.dumps(asked),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_packed_numbers_are_those_of_the_samplers(
    engine_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions = [(table, each) for table in TABLES for each in list_positions(table)]
    found = pack_in_node([describe(*each) for each in positions], engine_folder)
    for (table, position), page in zip(positions, found, strict=True):
        is_card = position.question == "card"
        package = pack_card(position, monkeypatch) if is_card else pack_call(position)
        for name, numbers in package.items():
            given = set(page[name]) if name == "texts" and is_card else page[name]
            assert to_texts(given) == to_texts(numbers), (table, position.calls, name)
    kinds = {(table, position.question) for table, position in positions}
    for teams in (2, 3):
        assert {(f"{teams}-take", "take"), (f"{teams}-take", "card")} <= kinds
        assert {(f"{teams}-auction", kind) for kind in ("bid", "counter", "card")} <= kinds
    assert len(positions) > 48
    assert any(page.get("layouts") for page in found)


def explain_wrong_plays(position: Position, plays: tuple[Card, ...]) -> str | None:
    """Return what the package says against other plays; None if they can be."""
    try:
        replace(position, plays=plays)
    except PositionError as error:
        return str(error)
    return None


def test_plays_are_refused_by_the_checks_of_the_package(engine_folder: Path) -> None:
    rng = np.random.default_rng(6)
    asked, expected = [], []
    for table in TABLES:
        for position in list_positions(table):
            if position.question != "card" or len(position.plays) < 2:
                continue
            for _ in range(10):
                plays = list(position.plays)
                one, other = rng.integers(len(plays), size=2)
                plays[one], plays[other] = plays[other], plays[one]
                texts = [str(card) for card in plays]
                asked.append(describe(table, position) | {"plays": texts, "isChecked": True})
                expected.append(explain_wrong_plays(position, tuple(plays)))
    found = [page.get("wrong") for page in pack_in_node(asked, engine_folder)]
    for reason, said, given in zip(expected, found, asked, strict=True):
        assert (reason is None) == (said is None), (reason, said, given)
    assert 0.1 < found.count(None) / len(found) < 0.9
