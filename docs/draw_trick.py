"""The picture on top of the README: a trick of a reviewed round, with the value of each legal card.

`python docs/draw_trick.py` plays and reviews the round that the README shows, and draws the card
that lost most points, leads apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

import kqj_sim as kqj
from kqj_sim.cards import RANKS, SUIT_NAMES, SUITS
from kqj_sim.places import name_places

DOCS = Path(__file__).resolve().parent
PICTURE = DOCS / "trick.svg"

CONTRACT_NAMES = {
    "NT": "No-Trump", "AT": "All-Trumps",
    **{suit: f"{name.capitalize()} are trump" for suit, name in SUIT_NAMES.items()},
}  # fmt: skip
CARDS = ((320, 376), (222, 318), (222, 192), (320, 154), (418, 192), (418, 318))
"""Centres of the cards on the table, clockwise from the player, who sits at the bottom."""
LABELS = ((430, 416), (98, 310), (98, 184), (320, 90), (542, 184), (542, 310))
"""Where the players' names stand, likewise."""
HAND = range(24, 616)
"""Where the cards in hand stand, from left to right."""


def review_round() -> dict[str, Any]:
    """Return the review of the README's round, as its JSON has it."""
    played = kqj.records(policy="standard", deals=1, seed=37)
    review: dict[str, Any] = json.loads(kqj.review(played).to_json())
    return review


def draw_worst_card(review: dict[str, Any]) -> str:
    """Return a picture of the card of a review's first round that lost most points, as SVG.

    Leads are left out, since they have no trick to show.
    """
    reviewed = review["rounds"][0]
    cards = [
        decision
        for decision in reviewed["decisions"]
        if decision["trick"] and decision["kind"] != "lead"
    ]
    decision = max(cards, key=lambda card: float(card["loss_points"]))
    record, options = reviewed["record"], decision["options"]
    environment = Environment(
        loader=FileSystemLoader(DOCS), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    margin = max(abs(option["value"] - option["value_low"]) for option in options)
    return environment.get_template("trick.svg.j2").render(
        title=f"{CONTRACT_NAMES[record['contract']]}: which card?",
        description=f"Best: {decision['best']}. Played: {decision['choice']}.",
        seats=list(_list_seats(reviewed, decision)),
        hand=list(_list_hand(record, decision)),
        note=f"Average points ahead at the end (±{margin:.0f} or less)",
    )


def _list_seats(reviewed: dict[str, Any], decision: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the seats clockwise from the player's, with the card that each has played."""
    record, players = reviewed["record"], reviewed["players"]
    trick = record["tricks"][decision["trick"] - 1]
    played = trick["cards"][: int(decision["at"].split(".")[1]) - 1]
    names = name_places(len(players))
    for turn, (card_at, label_at) in enumerate(zip(CARDS, LABELS, strict=True)):
        seat = (decision["seat"] + turn) % len(players)
        order = (seat - trick["leader"]) % len(players)
        roles = ["partner" if players[seat]["team"] == decision["team"] else "opponent"]
        if turn == 0:
            roles = ["you"]
        if seat == record["sender"]:
            roles.append("took")
        if order == 0:
            roles.append("led")
        yield {
            "card": played[order] if order < len(played) else None,
            "name": names[players[seat]["place"]], "roles": ", ".join(roles),
            "x": card_at[0], "y": card_at[1], "label_x": label_at[0], "label_y": label_at[1],
        }  # fmt: skip


def _list_hand(record: dict[str, Any], decision: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the cards that the player still holds, with the values of the legal ones."""
    seat = decision["seat"]
    before = record["tricks"][: decision["trick"] - 1]
    gone = {trick["cards"][(seat - trick["leader"]) % len(trick["cards"])] for trick in before}
    held = sorted(
        {*record["hands"][seat]} - gone,
        key=lambda card: (SUITS.index(card[1]), RANKS.index(card[0])),
    )
    values = {option["name"]: option["value"] for option in decision["options"]}
    marked = {"best": decision["best"], "played": decision["choice"]}
    for number, card in enumerate(held):
        yield {
            "name": card,
            "x": HAND[round(len(HAND) * (number + 0.5) / len(held))],
            "value": f"{values[card]:+.0f}" if card in values else "",
            "marks": [mark for mark, name in marked.items() if name == card],
        }


if __name__ == "__main__":
    PICTURE.write_text(draw_worst_card(review_round()), encoding="utf-8")
