"""The variants of KQJ and the tables of players that tests go through."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, product
from typing import Any

from kqj_sim.games import GAMES, KQJ
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies.registry import find_policy
from kqj_sim.record import Record, to_json
from kqj_sim.rules import SEATS, GameRules, KqjRules, require_kqj_rules
from kqj_sim.simulation.experiment import Experiment

LIVELY = "random:take=0.3,bid=0.3,counter=0.1,capot=0.05"
"""Players who speak often enough for every call to occur, and rounds that are passed out."""


def _variants() -> dict[str, KqjRules]:
    """Every combination of the rules that a round depends on.

    With auctions the highest amount and whether All-Trumps and No-Trump may be named go through
    their values in turn.
    """
    found = {}
    tables = list(product((2, 3), ("fixed", "random")))
    namings = ("second_lap", "both_laps", "never")
    for (teams, partners), naming in product(tables, namings):
        rules = {"teams": teams, "partners": partners, "all_no_trump": naming}
        found[f"{teams}-{partners}-take-{naming}"] = KqjRules.from_dict(rules)
    above_first_bid = cycle((None, 0, 40, 90, 200))
    naming_in_turn = cycle(namings)
    options = list(product(("any", "turn"), ("total", "rounded"), (False, True)))
    for (teams, partners), (timing, uses, outscore) in product(tables, options):
        rules = {
            "teams": teams,
            "partners": partners,
            "bidding": "auction",
            "all_no_trump": next(naming_in_turn),
            "counter_timing": timing,
            "amount_uses": uses,
            "must_outscore": outscore,
        }
        above = next(above_first_bid)
        if above is not None:
            rules["max_amount"] = KqjRules.from_dict(rules).minimum_bid + above
        name = f"{teams}-{partners}-auction-{timing}-{uses}-{'outscore' if outscore else 'amount'}"
        found[name] = KqjRules.from_dict(rules)
    return found


VARIANTS = _variants()

TAKE_2, TAKE_3 = KqjRules(), KqjRules(teams=3)
AUCTION_2 = KqjRules(bidding="auction")
AUCTION_3 = KqjRules(teams=3, partners="random", bidding="auction")

OTHER_GAMES: dict[str, GameRules] = {
    game.title: game.rules() for game in GAMES.values() if game is not KQJ
}
"""The default rules of the games besides KQJ, by title."""


def _thrifty(name: str) -> str:
    """A built-in policy, with few worlds if it samples hidden hands, which it weighs if it can."""
    parameters = find_policy(name).parameters
    given = "worlds=2,weigh=true" if "weigh" in parameters else "worlds=2"
    return f"{name}:{given}" if "worlds" in parameters else name


POLICIES = {name: _thrifty(name) for name in KQJ.built_ins}
"""Specifications of the built-in policies for tests of each of them."""

FAST = [name for name in KQJ.built_ins if POLICIES[name] == name]
"""Policies for tests that play many rounds: those that play no hands out."""


def tables() -> dict[str, tuple[str, ...]]:
    """Policies for the six seats: each fast one at all seats, and all of them mixed."""
    mixed = [LIVELY, *(f"{LIVELY}+{each}" for each in FAST), *FAST]
    return {
        "lively": (LIVELY,) * SEATS,
        **{name: (name,) * SEATS for name in FAST},
        "mixed": tuple(mixed[:SEATS]),
        "lively_callers": tuple(f"{LIVELY}+{FAST[s % len(FAST)]}" for s in range(SEATS)),
    }


def impositions(rules: KqjRules) -> list[ImposedContract]:
    """Every place and contract that can be imposed; amounts from the lowest to the highest."""
    amounts: list[int | None] = [None]
    if rules.bidding == "auction":
        amounts = [rules.minimum_bid, (rules.minimum_bid + rules.max_amount) // 20 * 10]
    each = cycle(amounts)
    return [ImposedContract(p, c, next(each)) for p, c in product(range(SEATS), rules.contracts)]


def lively(rules: GameRules, **others: Any) -> Experiment:
    player = LIVELY if rules.game == KQJ.name else "random"
    return replace(Experiment(rules, (player,) * rules.seats), **others)


def mixed(rules: GameRules, **others: Any) -> Experiment:
    every_other = ("random", "standard") * (rules.seats // 2)
    players = tables()["mixed"] if rules.game == KQJ.name else every_other
    return replace(Experiment(rules, players), **others)


def with_target(rules: GameRules, target: int) -> GameRules:
    """Return rules whose games are short, if they have a target."""
    return replace(rules, target=target) if isinstance(rules, KqjRules) else rules


def rules_in(record: Record) -> KqjRules:
    return require_kqj_rules(record.game_rules())


def told(record: Record, *what: object) -> str:
    """Return the message of a failing test: the seed, the deal, what is wrong, and the record."""
    lines = "\n".join(str(line) for line in what)
    return f"seed={record.seed} deal={record.deal}\n{lines}\n{to_json(record)}"
