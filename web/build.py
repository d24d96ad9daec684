"""Build the page: `python web/build.py [FILE]` writes one HTML file that needs nothing else.

It takes a minute or two, nearly all of it for numba and LLVM.  The same sources and packages give
the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

from kqj_sim import __version__  # noqa: E402
from web.module import TABLES, build_engine  # noqa: E402
from web.sentences import TEMPLATE, write_functions  # noqa: E402

PAGE = FOLDER.parent / "reports" / "kqj.html"
"""The page that is part of the repository."""
MANIFEST = "kqj.webmanifest"
"""Beside it: what a browser needs to install the page, where it is served."""

REASONS = TEMPLATE.parent / "card_reasons.py"
"""A part of the module that is no part of the package's engine."""

SCRIPTS = ("statistics.js", "words.js", "link.js", "round.js", "estimate.js", "quiz.js", "app.js")
BUILDERS = (
    "module.py", "functions.py", "kernels.py", "sentences.py", "build.py", "runtime.c", "math.zig",
)  # fmt: skip
SOURCES = (*BUILDERS, "engine.js", "worker.js", *SCRIPTS, "page.css", "page.html", "icon.svg")


def hash_page_sources() -> str:
    """Return a hash of all that the page is made of, 16 hexadecimal digits."""
    from kqj_sim.core.code_cache import ABOVE_THE_ENGINE, hash_sources

    # Functions of these are compiled, too (`web.functions`).
    without = tuple(part for part in ABOVE_THE_ENGINE if part not in ("positions", "stats"))
    parts = [hash_sources(without=without)]
    parts += [(FOLDER / name).read_text(encoding="utf-8") for name in SOURCES]
    parts += [file.read_text(encoding="utf-8") for file in (TEMPLATE, REASONS)]
    pins = (FOLDER.parent / "constraints.txt").read_text(encoding="utf-8").splitlines()
    parts += [pin for pin in pins if pin.startswith(("llvmlite", "numba", "numpy", "ziglang"))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def pack(content: bytes) -> str:
    """Return content as text for the page."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def read_constants() -> dict[str, Any]:
    """Return the sizes, numbers and names of the kernels that the page's scripts use."""
    from kqj_sim.core import auction, bidding, block, call_odds
    from kqj_sim.core.hidden_hands import KNOWLEDGE_SIZE
    from kqj_sim.core.observed_calls import (
        LISTED,
        LISTED_CALLERS,
        LISTED_DEALS,
        OBSERVED_CALL_SIZE,
        SIGNAL_SIZE,
    )
    from kqj_sim.positions.auction_state import GUARANTEED_CAPOT_TOTAL
    from kqj_sim.positions.kqj_calls import MIN_CAPOT_PROBABILITY
    from kqj_sim.questions.odds.card_reasons import Reason
    from kqj_sim.rules import MAX_TOTAL

    return {
        "SIZE": call_odds.OUTCOME_SIZE,
        "TOTALS": MAX_TOTAL + 1,
        "BLOCK": block.ROW_COUNT * block.STRIDE,
        "OBSERVED": OBSERVED_CALL_SIZE,
        "SIGNAL": SIGNAL_SIZE,
        "LISTED": LISTED,
        "LISTED_CALLERS": LISTED_CALLERS,
        "LISTED_DEALS": LISTED_DEALS,
        "STATE": auction.STATE_SIZE,
        "OPTION": auction.OPTION_SIZE,
        "OPTIONS": auction.MAX_OPTIONS,
        "KNOWLEDGE": KNOWLEDGE_SIZE,
        "CALLS": bidding.MAX_CALLS,
        "LOG": bidding.LOG_SIZE,
        "MIN_CAPOT_PROBABILITY": MIN_CAPOT_PROBABILITY,
        "GUARANTEED_CAPOT_TOTAL": GUARANTEED_CAPOT_TOTAL,
        "REASONS": [reason.name.lower() for reason in Reason],
    }


def write_constants() -> str:
    """Return numbers of the package's estimator and rules as constants of the page's scripts."""
    from kqj_sim.core.block import LANES
    from kqj_sim.positions import estimator, kqj_calls, kqj_cards, plan, samplers, search

    max_hands = {
        "call": kqj_calls.KqjCallSampler.max_hands, "card": kqj_cards.KqjCardSampler.max_hands,
    }  # fmt: skip
    constants = {
        "LANES": LANES,
        "DEALS": plan.DEFAULT_DEALS,
        "CHOOSING": estimator.FIRST_CHOOSING,
        "PILOT": kqj_calls.FIRST_PILOT_DEAL,
        "PILOT_DEALS": kqj_calls.PILOT_DEALS,
        "MAX_LAYOUTS": samplers.MAX_LISTED_LAYOUTS,
        "MAX_HANDS": max_hands,
        "DEALS_PER_SEARCH": search.DEALS_PER_SEARCH,
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
        }
        for name, rules in TABLES.items()
    }


def write_icon() -> str:
    """Return the icon as an address that holds it."""
    return (
        f"data:image/svg+xml;base64,{base64.b64encode((FOLDER / 'icon.svg').read_bytes()).decode()}"
    )


def make_manifest() -> str:
    """Return the manifest of the page as an application."""
    icon = {
        "src": write_icon(), "sizes": "any", "type": "image/svg+xml", "purpose": "any maskable",
    }  # fmt: skip
    manifest = {
        "name": "KQJ: what should I call?",
        "short_name": "KQJ",
        "description": "What calls and cards are worth in the card game KQJ",
        "id": PAGE.name,
        "start_url": PAGE.name,
        "display": "standalone",
        "theme_color": "#0a5ea8",
        "background_color": "#ffffff",
        "icons": [icon],
    }
    return json.dumps(manifest, indent=2) + "\n"


def make_page(engine: Path) -> str:
    """Return the page with the engine of a folder (`web.module.build_engine`)."""
    tables = json.loads((engine / "tables.json").read_text(encoding="utf-8"))
    tables |= {"constants": read_constants(), "questions": describe_questions()}
    data = {
        "engine": (engine / "engine.wasm").read_bytes(),
        "tables": json.dumps(tables, separators=(",", ":")).encode(),
    }
    for name in TABLES:
        weights = (engine / f"weights-{name}.bin").read_bytes()
        # High bytes are much alike, and compress better apart from the low ones.
        data[f"weights-{name}"] = weights[0::2] + weights[1::2]
    functions = write_functions(TEMPLATE.read_text(encoding="utf-8"))
    read = {name: (FOLDER / name).read_text(encoding="utf-8") for name in SOURCES}
    parts = {
        "STYLE": read["page.css"],
        "ICON": write_icon(),
        "ENGINE": read["engine.js"],
        "WORKER": read["worker.js"],
        "SCRIPTS": "\n".join([write_constants(), functions, *(read[name] for name in SCRIPTS)]),
        "SOURCES": hash_page_sources(),
        "VERSION": __version__,
        "DATA": "\n".join(
            f'<script type="application/gzip" id="data-{name}">\n{pack(content)}\n</script>'
            for name, content in data.items()
        ),
    }
    page = read["page.html"]
    for name, text in parts.items():
        page = page.replace(f"@{name}@", text)
    return page


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default=PAGE)
def main(file: Path) -> None:
    """Build the page as FILE, by default reports/kqj.html, and the manifest beside it."""
    file.with_name(MANIFEST).write_text(make_manifest(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        build_engine(Path(folder))
        file.write_text(make_page(Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
