"""Records written in the notation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from kqj_sim.cards import Card, format_contract, format_hand, parse_card
from kqj_sim.errors import RecordError
from kqj_sim.games import find_game
from kqj_sim.messages import quote
from kqj_sim.notation.reader import read_rounds
from kqj_sim.notation.sections import SECTION_NAMES, format_teams, shorten_policy
from kqj_sim.places import SeatNames, name_places
from kqj_sim.record import Call, Record, to_json
from kqj_sim.referee.base import get_referee
from kqj_sim.rules import GameRules

_RULE_WORDS: dict[str, dict[Any, str]] = {
    "teams": {2: "two teams", 3: "three teams"},
    "bidding": {"take": "taking", "auction": "auctions"},
    "partners": {"fixed": "", "random": "random partners"},
}
_ALWAYS = ("teams", "bidding")
_FORBIDDEN = set('",:#')


def format_records(records: Iterable[Record]) -> Iterator[str]:
    """Yield the text of each record; joined, they are a text in the notation.

    Raises RecordError for a record that breaks the rules, which the notation cannot express.
    """
    header = ""
    before: Record | None = None
    next_game = 0
    for number, record in enumerate(records):
        rules = record.game_rules()
        players, are_policies = _name_players(record, rules)
        heading = f"Game: {_format_rules(rules)}\n{_format_players(players, are_policies)}"
        text = "" if before is None else "\n"
        if heading != header:
            text += f"{heading}\n"
            header = heading
        game = record.game_id
        # Seats whose names tell nothing are called by their places.
        has_labels = not are_policies and _has_labels(players)
        labels = tuple(players) if has_labels else ("",) * rules.seats
        names = SeatNames(labels, record.dealer)
        text += _format_round(record, rules, names, before, next_game, number)
        _check(record, heading, text)
        if game is not None:
            next_game = game + 1
        before = record
        yield text


def _check(record: Record, heading: str, text: str) -> None:
    """Raise RecordError unless reading the text gives the record again."""
    scores = record.score_before
    alone = text
    if scores is not None and record.round and "Scores before" not in text:
        alone += f"Scores before: {' '.join(map(str, scores))}\n"
    if "Pending" not in text and "Raised" not in text:
        alone += _format_pending(record)
    if "Seed" not in text:
        alone += f"Seed: {record.seed}, deal {record.deal}\n"
    if not text.lstrip().startswith("Game"):
        alone = f"{heading}\n{alone}"
    _, read = next(read_rounds(alone))
    if isinstance(read, RecordError):
        raise RecordError(f"the record breaks the rules: {read}")
    if not isinstance(read, Record) or _normalise(read) != _normalise(record):
        raise RecordError("the record breaks the rules: check it with kqj-sim check")


def _normalise(record: Record) -> object:
    """Return what a record says, whatever the order of its cards and bonuses, and its game."""
    return to_json(
        Record(
            **{
                **{name: getattr(record, name) for name in record.__struct_fields__},
                "dealt": [sorted(hand) for hand in record.dealt],
                "hands": record.hands and [sorted(hand) for hand in record.hands],
                "bonuses": sorted(record.bonuses, key=repr),
                "game_id": None if record.game_id is None else 0,
            }
        )
    )


def _name_players(record: Record, rules: GameRules) -> tuple[list[str], bool]:
    """Return the players, and whether they are policies, with few parameters: all built-in ones."""
    seats = rules.seats
    if len(record.players) != seats:
        raise RecordError(f"players: {len(record.players)} values; one per seat makes {seats}")
    short = (shorten_policy(text, rules) for text in record.players)
    policies = [text for text in short if text is not None]
    if len(policies) == seats:
        return policies, True
    for text in record.players:
        if not text.strip() or '"' in text or not text.isprintable():
            raise RecordError(f"players: {quote(text)} is not a name that a text can have")
    return record.players, False


def _format_players(players: Sequence[str], are_policies: bool) -> str:
    key = "Policies" if are_policies else "Players"
    texts = [text if _is_plain_name(text) else f'"{text}"' for text in players]
    if len(set(texts)) == 1:
        return f"{key}: all {texts[0]}"
    if are_policies:
        return f"{key}:\n" + ",\n".join(f"  {text}" for text in texts)
    return f"{key}: {', '.join(texts)}"


def _is_plain_name(text: str) -> bool:
    """Return True if a name needs no quotation marks."""
    return (
        text[:1].isalpha()
        and text == " ".join(text.split())
        and not _FORBIDDEN & set(text)
        and text.lower().split()[0] not in (*SECTION_NAMES, "all")
    )


def _has_labels(players: Sequence[str]) -> bool:
    """Return True if the names can stand for the seats in hands and calls."""
    places = (*name_places(6), "seat")
    return all(SeatNames(tuple(players)).own_names) and all(
        _is_plain_name(text) and not any(word in places for word in text.split())
        for text in players
    )


def _format_rules(rules: GameRules) -> str:
    """Return the rules in words: `KQJ, two teams, auctions, counter_timing=turn`."""
    words = [find_game(rules.game).title]
    for rule in fields(rules):
        value = getattr(rules, rule.name)
        known = _RULE_WORDS.get(rule.name)
        if known is not None and (rule.name in _ALWAYS or value != rule.default):
            words.append(known[value])
        elif value != rule.default:
            is_target = rule.name == "target"
            words.append(f"to {value}" if is_target else f"{rule.name}={str(value).lower()}")
    return ", ".join(words)


def _format_round(
    record: Record, rules: GameRules, names: SeatNames, before: Record | None, next_game: int,
    number: int,
) -> str:  # fmt: skip
    lines = [_format_number(record, before, next_game)]
    follows = _follows(record, before)
    if record.round and not follows:
        lines.append(f"Scores before: {' '.join(map(str, record.score_before or ()))}")
    inferred = before.pending_after if before is not None and follows else 0
    if record.pending_before != inferred:
        lines.append(_format_pending(record).rstrip())
    if (record.seed, record.deal) != (0, number):
        lines.append(f"Seed: {record.seed}, deal {record.deal}")
    dealer = names.describe(record.dealer) if names.has_names else f"seat {record.dealer}"
    lines.append(f"Dealer: {dealer}")
    if rules.partners == "random":
        lines.append(f"Teams: {format_teams(record.teams, names)}")
    if record.turned is not None:
        lines.append(f"Return: {_show(record.turned, rules)}")
    lines.append("Hands:")
    opener = record.dealer + 1
    for place in range(rules.seats):
        seat = (opener + place) % rules.seats
        cards = [parse_card(text, ranks=rules.ranks) for text in record.dealt[seat]]
        lines.append(f"  {names.describe(seat)}: {format_hand(cards)}")
    if record.imposed:
        lines.append(f"Contract: {_format_imposed(record, names)}")
    else:
        lines.append(f"Calls: {' '.join(_format_call(call, names) for call in record.calls)}")
    if record.tricks:
        lines.append("Tricks:")
        for count, trick in enumerate(record.tricks, start=1):
            texts = [_show(card, rules) for card in trick.cards]
            lines.append(f"  {count}. {' '.join(texts)}")
    scores = " : ".join(map(str, record.scores))
    lines.append(f"Result: {record.result.replace('_', ' ')}, {scores}")
    return "\n".join(lines) + "\n"


def _follows(record: Record, before: Record | None) -> bool:
    """Return True if a round is the next one of the game of the record before."""
    return (
        before is not None
        and before.game_id is not None
        and record.game_id == before.game_id
        and record.round == (before.round or 0) + 1
        and record.score_before == before.score_after
        and (record.rules, record.players) == (before.rules, before.players)
    )


def _format_number(record: Record, before: Record | None, next_game: int) -> str:
    if record.game_id is None or record.round is None:
        return "Round"
    is_next = record.game_id == next_game if record.round == 0 else _follows(record, before)
    return f"Round {record.round + 1}" + ("" if is_next else f" of game {record.game_id}")


def _format_pending(record: Record) -> str:
    if find_game(record.game).raises:
        return f"Raised: {'yes' if record.pending_before else 'no'}\n"
    return f"Pending: {record.pending_before}\n"


def _show(text: str, rules: GameRules) -> str:
    card: Card = parse_card(text, ranks=rules.ranks)
    return f"{card.rank}{format_contract(card.suit)}"


def _format_imposed(record: Record, names: SeatNames) -> str:
    contract = format_contract(record.contract or "")
    amount = "" if record.amount is None else f"{record.amount} "
    by = f"by {names.describe(record.sender or 0)}, imposed"
    names_contract = get_referee(record.game_rules()).names_contract
    return f"{amount}{contract} {by}" if names_contract else by


def _format_call(call: Call, names: SeatNames) -> str:
    if call.call in ("counter", "overcounter"):
        return f"{call.call} by {names.describe(call.seat)}"
    if call.call == "take":
        return f"take {format_contract(call.contract or '')}"
    if call.call == "bid":
        contract = format_contract(call.contract or "")
        return f"{call.amount} {contract}{' Capot' if call.capot else ''}"
    return call.call
