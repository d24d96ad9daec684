"""Build what the page needs of the package: `python -m tools.page.build`.

It writes the engine, its tables, and the numbers and sentences for the scripts into
`kqj_sim/web/`.  It takes a minute or two, nearly all of it for numba and LLVM.  The same sources
and packages give the same bytes, in every folder.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import click

from kqj_sim.stats.equity import STORED
from kqj_sim.web.make import FOLDER, TABLES
from tools.page.module import build_engine
from tools.page.sentences import TEMPLATES, read_templates, write_functions

BUILDERS = Path(__file__).resolve().parent
REASONS = TEMPLATES[0].parent / "card_reasons.py"
"""A part of the module that is no part of the package's engine."""


def hash_engine_sources() -> str:
    """Return a hash of all that the built files are made of, 16 hexadecimal digits."""
    from kqj_sim.core.code_cache import ABOVE_THE_ENGINE, hash_sources

    # Functions of these are compiled, too (`tools.page.functions`).
    compiled = ("games/kqj/", "positions", "stats")
    without = tuple(part for part in ABOVE_THE_ENGINE if not part.startswith(compiled))
    parts = [hash_sources(without=without)]
    files = [file for file in sorted(BUILDERS.iterdir()) if file.is_file()]
    parts += [file.read_text(encoding="utf-8") for file in (*files, *TEMPLATES, REASONS)]
    parts.append(hashlib.sha256(STORED.read_bytes()).hexdigest())
    pins = (BUILDERS.parent.parent / "constraints.txt").read_text(encoding="utf-8").splitlines()
    parts += [pin for pin in pins if pin.startswith(("llvmlite", "numba", "numpy", "ziglang"))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def read_constants() -> dict[str, Any]:
    """Return the sizes, numbers and names of the kernels that the page's scripts use."""
    from kqj_sim.columns import MAX_TOTAL
    from kqj_sim.core import auction, bidding, block, call_odds
    from kqj_sim.core.hidden_hands import KNOWLEDGE_SIZE
    from kqj_sim.core.observed_calls import (
        ERROR_SIZE,
        LISTED,
        LISTED_CALLERS,
        OBSERVED_CALL_SIZE,
        SHARED,
        SIGNAL_SIZE,
    )
    from kqj_sim.core.scoring import CAPOT_TOTAL, LITIGATION, PASSED_OUT
    from kqj_sim.games.kqj.call_sampler import MIN_CAPOT_PROBABILITY
    from kqj_sim.output.card_reasons import Reason
    from kqj_sim.positions import open_hands
    from kqj_sim.positions.solver import MOST_GRATUITIES, MOST_TAKEN, TABLE_BITS
    from tools.page.kernels import SCORE_SIZE

    return {
        "SIZE": call_odds.OUTCOME_SIZE,
        "TOTALS": MAX_TOTAL + 1,
        "BLOCK": block.ROW_COUNT * block.STRIDE,
        "OBSERVED": OBSERVED_CALL_SIZE,
        "SIGNAL": SIGNAL_SIZE,
        "ERROR_SIZE": ERROR_SIZE,
        "LISTED": LISTED,
        "LISTED_CALLERS": LISTED_CALLERS,
        "SHARED": SHARED,
        "STATE": auction.STATE_SIZE,
        "OPTION": call_odds.OPTION_SIZE,
        "OPTIONS": auction.MAX_OPTIONS,
        "KNOWLEDGE": KNOWLEDGE_SIZE,
        "RESULT": call_odds.RESULT,
        "TEAM_SCORES": call_odds.TEAM_SCORES,
        "LITIGATION": LITIGATION,
        "PASSED_OUT": PASSED_OUT,
        "CALLS": bidding.MAX_CALLS,
        "LOG": bidding.LOG_SIZE,
        "SCORE": SCORE_SIZE,
        "MIN_CAPOT_PROBABILITY": MIN_CAPOT_PROBABILITY,
        "GUARANTEED_CAPOT_TOTAL": CAPOT_TOTAL,
        "LEADS": [3, open_hands.BONUS_STEPS, open_hands.TOTALS],
        "WORKSPACE": open_hands.WORKSPACE,
        "OPEN_TABLE": open_hands.ENTRY << TABLE_BITS,
        "MOST_TAKEN": MOST_TAKEN,
        "MOST_GRATUITIES": MOST_GRATUITIES,
        "REASONS": [reason.name.lower() for reason in Reason],
    }


def write_constants() -> str:
    """Return numbers of the package's estimator and rules as constants of the page's scripts."""
    from kqj_sim.core.block import LANES
    from kqj_sim.games.kqj import call_sampler, card_sampler
    from kqj_sim.positions import estimator, sampling, search

    max_hands = {
        "call": call_sampler.KqjCallSampler.max_hands,
        "card": card_sampler.KqjCardSampler.max_hands,
    }  # fmt: skip
    constants = {
        "LANES": LANES,
        "CHUNK": card_sampler.KqjCardSampler.chunk_size,
        "DEALS": sampling.DEFAULT_DEALS,
        "EARLY_DRAWS": estimator.EARLY_DRAWS,
        "MIN_EFFECTIVE_DEALS": estimator.MIN_EFFECTIVE_DEALS,
        "CHOOSING": estimator.FIRST_CHOOSING,
        "PILOT": call_sampler.FIRST_PILOT_DEAL,
        "PILOT_DEALS": call_sampler.PILOT_DEALS,
        "MAX_LAYOUTS": estimator.MAX_LISTED_LAYOUTS,
        "MAX_HANDS": max_hands,
        "DEALS_PER_SEARCH": search.DEALS_PER_SEARCH,
        "FIRST_SEARCH": sampling.FIRST_SEARCH,
        "MAX_ERROR_LEVEL": call_sampler.MAX_ERROR_LEVEL,
        "BIDS": {rules.teams: (rules.minimum_bid, rules.max_amount) for rules in TABLES.values()},
        "MIN_REFUSALS": search.MIN_REFUSALS,
    }
    return "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items())


def describe_questions() -> dict[str, dict[str, Any]]:
    """Return the measures of the questions of each table, and what limits them."""
    from kqj_sim.positions.measures import get_kqj_call_measures, get_kqj_card_measures

    return {
        name: {
            "CALL_MEASURES": list(get_kqj_call_measures(rules).indices),
            "CARD_MEASURES": list(get_kqj_card_measures(rules).indices),
            "MAX_POINTS": rules.max_points,
            "MAX_AMOUNT": rules.max_amount,
            "RULES": rules.to_dict(),
        }
        for name, rules in TABLES.items()
    }


def list_rounds() -> dict[str, list[list[int]]]:
    """Return the rounds of each table by which games are won, with the dealer's team first.

    Each is its result, the gratuity that it leaves, for each team whether a gratuity that waits
    goes to it, the scores of the teams, and how often it occurred.
    """
    import numpy as np

    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.stats import equity

    tables = {}
    for name, rules in TABLES.items():
        counted = equity.load_rounds(Experiment(rules, deals=1))
        assert counted is not None
        rounds, counts = equity.turn_to_dealer(counted, rules.teams)
        parts = [rounds[:, columns][:, : rules.teams] for columns in (equity.WINS, equity.SCORES)]
        head = rounds[:, [equity.RESULT, equity.PENDING]]
        tables[name] = np.column_stack([head, *parts, counts.sum(axis=1)]).tolist()
    return tables


def write_built_script() -> str:
    """Return the script with numbers and sentences of the package."""
    return write_constants() + write_functions(read_templates())


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=FOLDER)
def main(folder: Path) -> None:
    """Write the built files of the page into FOLDER, by default kqj_sim/web/."""
    build_engine(folder)
    tables = json.loads((folder / "tables.json").read_text(encoding="utf-8"))
    tables |= {
        "constants": read_constants(), "questions": describe_questions(), "rounds": list_rounds(),
        "sources": hash_engine_sources(),
    }  # fmt: skip
    text = json.dumps(tables, separators=(",", ":"))
    (folder / "tables.json").write_text(text + "\n", encoding="utf-8")
    (folder / "built.js").write_text(write_built_script(), encoding="utf-8")


if __name__ == "__main__":
    main()
