"""The page in which one taps cards, put together from its scripts, the engine and the weights."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from kqj_sim.errors import InputError
from kqj_sim.places import name_places
from kqj_sim.policies.weights import load_for_play
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.version import __version__

if TYPE_CHECKING:
    from kqj_sim.positions.position import Position
    from kqj_sim.record import Call

FOLDER = Path(__file__).resolve().parent
PAGE, MANIFEST, OFFLINE = "kqj.html", "kqj.webmanifest", "kqj-offline.js"
"""The page; beside it, where it is served, what a browser needs to install and to keep it."""

TABLES = {
    "2-take": KqjRules(),
    "2-auction": KqjRules(bidding="auction"),
    "3-take": KqjRules(teams=3),
    "3-auction": KqjRules(teams=3, bidding="auction"),
}
"""Rules that the page knows."""

BUILT = ("engine.wasm", "tables.json", "built.js")
"""The engine; rules and seatings for its kernels; numbers and sentences of the package."""

QUESTIONS = "questions.json"
"""Questions for the quiz (`tools/quiz_questions.py`)."""

SCRIPTS = (
    "texts.js", "french.js", "french_sentences.js", "language.js", "built.js", "statistics.js",
    "words.js", "link.js", "calls.js", "round.js", "pool.js", "estimate.js", "state.js",
    "html.js", "tables.js", "dealt.js", "scores.js", "cards.js", "bidding.js", "answer.js",
    "question.js", "score.js", "review.js", "record.js", "play.js", "hands.js", "quiz.js",
    "practice.js", "input.js", "app.js",
)  # fmt: skip


def make_page(position: str = "") -> str:
    """Return the page, one HTML file that needs nothing else.

    `position` is where it begins, as in the part of its address after `#` (`link.js`).
    """
    names = {"engine": "engine.wasm", "tables": "tables.json", "questions": QUESTIONS}
    data = {name: _read_bytes(file) for name, file in names.items()}
    for name, rules in TABLES.items():
        weights = pack_weights(rules)
        # High bytes are much alike, and compress better apart from the low ones.
        data[f"weights-{name}"] = weights[0::2] + weights[1::2]
    parts = {
        "STYLE": read_part("page.css"),
        "ICON": _write_icon(),
        "ENGINE": read_part("engine.js"),
        "WORKER": read_part("equity.js") + read_part("worker.js"),
        "POSITION": json.dumps(position).replace("<", "\\u003c"),
        "SCRIPTS": "\n".join(map(read_part, SCRIPTS)),
        "SOURCES": read_sources_hash(),
        "VERSION": __version__,
        "DATA": "\n".join(
            f'<script type="application/gzip" id="data-{name}">\n{_pack(content)}\n</script>'
            for name, content in data.items()
        ),
    }
    page = read_part("page.html")
    for name, text in parts.items():
        page = page.replace(f"@{name}@", text)
    for tag in ("style", "script"):
        page = page.replace(f"@{tag.upper()}-HASHES@", _hash_inline(page, tag), 1)
    return page


def _hash_inline(page: str, tag: str) -> str:
    """Return the hashes by which the page's policy allows its own scripts or styles, no others."""
    contents = re.findall(rf'<{tag}(?: id="\w+")?>(.*?)</{tag}>', page, re.DOTALL)
    hashes = (hashlib.sha256(content.encode()).digest() for content in contents)
    return " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in hashes)


def write_link(rules: GameRules, position: Position | None) -> str:
    """Return rules and a position as the page reads them, the part of its address after `#`.

    Args:
        position: a position whose seats are places; None for a new round.

    Raises:
        InputError: the page does not know the rules, or a position without its calls.
    """
    # The target of a game changes no answer.
    if isinstance(rules, KqjRules):
        rules = replace(rules, target=KqjRules.target)
    if rules not in TABLES.values():
        raise InputError(
            "the page knows two or three teams with fixed partners, taking or auctions, and no "
            "other rules: leave these out"
        )
    assert isinstance(rules, KqjRules)
    parts = {"teams": str(rules.teams), "bidding": rules.bidding}
    if position is not None:
        parts |= _list_parts(position)
    return urlencode(parts)


def _list_parts(position: Position) -> Iterator[tuple[str, str]]:
    if position.calls is None:
        raise InputError("the page needs the calls: give `heard` in place of `contract`")
    names = name_places(position.rules.seats)
    cards = [str(card) for card in position.hands[position.seat]]
    # Which of the cards were held before the taking does not matter, but for the Return.
    size = position.referee.dealt_count
    own = [card for card in cards if card != str(position.upcard)]
    yield "hand", "".join(own[:size])
    yield "return", str(position.upcard or "")
    yield "place", names[position.seat]
    yield "heard", ", ".join(_write_call(call, names) for call in position.calls)
    yield "more", "".join(own[size:])
    yield "played", "".join(map(str, position.plays))
    yield "begun", "1" if position.question == "card" else ""


def _write_call(call: Call, names: Sequence[str]) -> str:
    if call.call.endswith("counter"):
        return f"{call.call} {names[call.seat]}"
    head = str(call.amount) if call.call == "bid" else call.call
    return " ".join(filter(None, (head, call.contract, "capot" if call.capot else "")))


def write_site(folder: Path) -> None:
    """Write the page into a folder to be served, with what lets browsers install and keep it."""
    (folder / PAGE).write_text(make_page(), encoding="utf-8")
    (folder / MANIFEST).write_text(make_manifest(), encoding="utf-8")
    (folder / OFFLINE).write_text(read_part("offline.js"), encoding="utf-8")


def make_manifest() -> str:
    """Return the manifest of the page as an application."""
    icon = {
        "src": _write_icon(), "sizes": "any", "type": "image/svg+xml", "purpose": "any maskable",
    }  # fmt: skip
    manifest = {
        "name": "KQJ: what should I call?",
        "short_name": "KQJ",
        "description": "What calls and cards are worth in the card game KQJ",
        "id": PAGE,
        "start_url": PAGE,
        "display": "standalone",
        "theme_color": "#0a5ea8",
        "background_color": "#ffffff",
        "icons": [icon],
    }
    return json.dumps(manifest, indent=2) + "\n"


def read_part(name: str) -> str:
    """Return the text of a file of the page."""
    return (FOLDER / name).read_text(encoding="utf-8")


def read_sources_hash() -> str:
    """Return the hash of the sources from which the engine was compiled."""
    return str(json.loads(_read_bytes("tables.json"))["sources"])


def list_players(rules: KqjRules) -> tuple[str, ...]:
    """Return the policies that need weights under some rules, in the order of these."""
    return ("network", "learned") if rules.bidding == "auction" else ("network",)


def pack_weights(rules: KqjRules) -> bytes:
    """Return the weights of all policies under some rules."""
    policies = list_players(rules)
    return b"".join(load_for_play(each, rules.teams, rules.bidding).tobytes() for each in policies)


def _read_bytes(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def _pack(content: bytes) -> str:
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def _write_icon() -> str:
    """Return the icon as an address that holds it."""
    return f"data:image/svg+xml;base64,{base64.b64encode(_read_bytes('icon.svg')).decode()}"
