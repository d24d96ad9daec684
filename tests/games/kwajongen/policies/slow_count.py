"""The count of `standard`, computed slowly from its description in the documentation."""

from __future__ import annotations

from kqj_sim.cards import parse_card
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen.policies import COUNT_PARAMETERS

RANKS = ("nine", "ten", "jack", "queen", "king", "ace")


def slow_count(hand: list[str], turned: str, place: int) -> float:
    value = {name: float(each.default) for name, each in COUNT_PARAMETERS.items()}
    trump = parse_card(turned).suit
    points = dict(zip(KwajongenRules.ranks[::-1], (value[name] for name in RANKS), strict=True))
    trumps = [text for text in hand if text[1] == trump]
    total = sum(points[text[0]] for text in trumps)
    total += sum(value["plain_king"] for text in hand if text[0] == "K" and text[1] != trump)
    total += sum(value["plain_ace"] for text in hand if text[0] == "A" and text[1] != trump)
    held = {text[1] for text in hand}
    total += value["void"] * (4 - len(held)) if trumps else 0.0
    total += {2: value["two"], 3: value["three"], 4: value["four"]}.get(len(trumps), 0.0)
    more = value["shown"] * (points[turned[0]] - value["nine"])
    return total + {0: -more, 1: more, 2: -more, 3: 0.0}[place]
