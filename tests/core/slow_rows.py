"""The columns of a row, computed slowly from a record: a namesake of `kqj_sim.core.columns`."""

from __future__ import annotations

from collections import Counter

from kqj_sim.cards import CONTRACTS, SUITS, parse_card
from kqj_sim.columns import KQJ_COLUMNS
from kqj_sim.record import Record
from kqj_sim.referee.kqj import card_points

NONE = "none"


def slow_row(record: Record) -> dict[str, int]:
    """Every column by its name; labels as their numbers."""
    told: dict[str, int | str] = {"dealer": record.dealer}
    told |= _calls(record) | _outcome(record) | _hand(record) | _teams(record)
    labels = {column.name: column.labels for column in KQJ_COLUMNS}
    return {
        name: labels[name].index(value) if isinstance(value, str) else int(value)
        for name, value in told.items()
    }


def _lap(record: Record) -> int:
    """The lap of the take or of the last bid: only these and passes are turns to speak."""
    turns = [c for c in record.calls if c.call in ("pass", "take", "bid")]
    spoken = [number for number, call in enumerate(turns) if call.call != "pass"]
    return spoken[-1] // 6 + 1 if spoken else 0


def _kind(record: Record) -> str:
    if record.contract is None:
        return NONE
    if record.contract in ("NT", "AT"):
        return record.contract
    if record.turned is None:
        return "suit"
    return "return" if record.turned[1] == record.contract else "other"


def _calls(record: Record) -> dict[str, int | str]:
    bids = [call for call in record.calls if call.call == "bid"]
    sender = -1 if record.sender is None else record.sender
    taken = record.sender is not None
    turned = None if record.turned is None else parse_card(record.turned)
    return {
        "taken": taken,
        "lap": _lap(record),
        "place": (sender - record.dealer - 1) % 6 if taken else -1,
        "sender": sender,
        "contracting_team": record.teams[sender] if taken else -1,
        "contract": record.contract or NONE,
        "kind": _kind(record),
        "return_suit": turned.suit if turned else NONE,
        "return_rank": turned.rank if turned else NONE,
        "bids": len(bids),
        "opening_amount": (bids[0].amount or 0) if bids else 0,
        "amount": record.amount or 0,
        "capot_announced": record.capot,
        "stake": record.stake,
    }


def _outcome(record: Record) -> dict[str, int | str]:
    own = -1 if record.sender is None else record.teams[record.sender]
    others = [team for team in range(len(record.totals)) if team != own and own >= 0]
    bonuses = Counter((b.bonus, b.team == own) for b in record.bonuses)
    three = len(record.totals) == 3 and own >= 0
    paid = record.result in ("made", "failed")
    return {
        "result": record.result,
        "contracting_total": record.totals[own] if own >= 0 else 0,
        "defending_total": max((record.totals[team] for team in others), default=0),
        "contracting_card_points": record.card_points[own] if own >= 0 else 0,
        "contracting_tricks": record.trick_counts[own] if own >= 0 else 0,
        "contracting_score": record.scores[own] if own >= 0 else 0,
        "defending_score": sum(record.scores[team] for team in others),
        "last_trick_contracting": bonuses["last_trick", True],
        "capot_contracting": bonuses["capot", True],
        "capot_defending": bonuses["capot", False],
        "kq_contracting": bonuses["kq", True],
        "kq_defending": bonuses["kq", False],
        "kqj_contracting": bonuses["kqj", True],
        "kqj_defending": bonuses["kqj", False],
        "low_teams": sum(
            points <= 20 and tricks > 0
            for points, tricks in zip(record.card_points, record.trick_counts, strict=True)
        )
        if three
        else 0,
        "trickless_teams": record.trick_counts.count(0) if three else 0,
        "pending_before": record.pending_before,
        "pending_after": record.pending_after,
        "gratuity_received": record.pending_before if paid else 0,
    }


def _hand(record: Record) -> dict[str, int | str]:
    if record.sender is None or record.hands is None or record.contract is None:
        zeros = ("trump_points", "points", "aces", "voids", "longest")
        return {"sender_trumps": -1, **{f"sender_{name}": 0 for name in zeros}}
    contract = record.contract
    hand = [parse_card(text) for text in record.hands[record.sender]]
    trumps = [card for card in hand if contract == "AT" or card.suit == contract]
    lengths = [sum(card.suit == suit for card in hand) for suit in SUITS]
    return {
        "sender_trumps": len(trumps),
        "sender_trump_points": sum(card_points(card, contract) for card in trumps),
        "sender_points": sum(card_points(card, contract) for card in hand),
        "sender_aces": sum(card.rank == "A" and card not in trumps for card in hand),
        "sender_voids": lengths.count(0),
        "sender_longest": max(lengths),
    }


def _teams(record: Record) -> dict[str, int | str]:
    per_team = {
        "total": record.totals,
        "card_points": record.card_points,
        "tricks": record.trick_counts,
        "score": record.scores,
        "gratuity": record.gratuities,
    }
    told: dict[str, int | str] = {
        f"{name}_{team}": values[team] if team < len(values) else 0
        for name, values in per_team.items()
        for team in range(3)
    }
    return told | {f"team_of_seat_{seat}": team for seat, team in enumerate(record.teams)}


assert next(c.labels for c in KQJ_COLUMNS if c.name == "contract")[:-1] == CONTRACTS
