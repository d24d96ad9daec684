"""A round as a person reads it: who held, said, played and scored what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kqj_sim.notation import RANKS, SUIT_SIGNS, Card, NotationError, parse_card
from kqj_sim.record import Call, Record, RecordError
from kqj_sim.referee.kqj import card_points
from kqj_sim.reporting.report import describe_policies, describe_rules
from kqj_sim.rules import SEATS

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

CONTRACT_NAMES = {
    "s": "spades ♠",
    "h": "hearts ♥",
    "d": "diamonds ♦",
    "c": "clubs ♣",
    "NT": "No-Trump",
    "AT": "All-Trumps",
}
BONUS_NAMES = {"last_trick": "last trick", "capot": "Capot", "kq": "KQ", "kqj": "KQJ"}
_LONG_PARAMETERS = re.compile(r":(?=\w+=)[^+]{60,}")
"""Parameters of a player that would hide who he is."""
STAKES = {1: "", 2: ", countered", 4: ", overcountered"}


def check_shape(record: Record) -> None:
    """Raise RecordError for a record that cannot be shown as a round of KQJ.

    It may well break the rules; its seats, cards and lists must be there.
    """
    if record.game != "kqj":
        raise RecordError(f"game: only rounds of kqj can be shown, not of {record.game}")
    teams = record.game_rules().team_count
    per_seat: dict[str, Sequence[object]] = {
        "players": record.players,
        "teams": record.teams,
        "dealt": record.dealt,
    }
    if record.hands is not None:
        per_seat["hands"] = record.hands
    per_team: dict[str, Sequence[object]] = {
        "card_points": record.card_points,
        "trick_counts": record.trick_counts,
        "totals": record.totals,
        "gratuities": record.gratuities,
        "scores": record.scores,
    }
    for lists, length, whose in ((per_seat, SEATS, "seat"), (per_team, teams, "team")):
        for key, values in lists.items():
            if len(values) != length:
                raise RecordError(f"{key}: {len(values)} values, one a {whose} are {length}")
    seats = [record.dealer, *(call.seat for call in record.calls)]
    seats += [seat for trick in record.tricks for seat in (trick.leader, trick.winner)]
    seats += [] if record.sender is None else [record.sender]
    for seat in seats:
        if not 0 <= seat < SEATS:
            raise RecordError(f"seat {seat} does not exist: seats are 0 to {SEATS - 1}")
    if record.contract is not None and record.contract not in CONTRACT_NAMES:
        raise RecordError(f"contract: {record.contract!r} is not one of {' '.join(CONTRACT_NAMES)}")
    if record.tricks and record.contract is None:
        raise RecordError("contract: null, but there are tricks")
    for number, trick in enumerate(record.tricks):
        if len(trick.cards) != SEATS:
            raise RecordError(f"tricks[{number}].cards: {len(trick.cards)} cards, not {SEATS}")
    hands = [*record.dealt, *(record.hands or []), *(trick.cards for trick in record.tricks)]
    try:
        for card in (card for hand in hands for card in hand):
            parse_card(card)
        if record.turned is not None:
            parse_card(record.turned)
    except NotationError as error:
        raise RecordError(str(error)) from None


def round_parts(record: Record) -> list[RenderableType]:
    """The round in parts for a screen; raises RecordError as check_shape does."""
    from rich.text import Text

    check_shape(record)
    parts: list[RenderableType] = [_heading(record)]
    sections = [("Hands", _hands(record)), ("Calls", _calls(record))]
    if record.tricks:
        sections.append(("Tricks", _tricks(record)))
    sections.append(("Result", _scores(record)))
    for title, section in sections:
        parts += [Text(""), Text(title, "bold"), *section]
    return parts


def _heading(record: Record) -> Text:
    from rich.text import Text

    lines = [f"Seed {record.seed}, deal {record.deal}: {describe_rules(record.game_rules())}"]
    players = [_LONG_PARAMETERS.sub(":...", player) for player in record.players]
    lines.append(f"Players: {describe_policies(players)}")
    if record.game_id is not None:
        before = _game_scores(record, record.score_before)
        lines.append(f"Game {record.game_id}, round {record.round}; scores before: {before}")
    if record.pending_before:
        lines.append(f"A litigation gratuity of {record.pending_before} waits")
    return Text("\n".join(lines))


def _game_scores(record: Record, scores: Sequence[int] | None) -> str:
    """The scores of a game: a number a team, or a seat with random partners."""
    whose = "seat" if record.game_rules().partners == "random" else "team"
    return ", ".join(f"{whose} {number} {score:,}" for number, score in enumerate(scores or ()))


def _hands(record: Record) -> list[RenderableType]:
    """A row a seat from the opener on: team, role, and the cards by suit."""
    rows = []
    for place in range(SEATS):
        seat = _seat_at(record, place)
        roles = [name for name, at in (("opener", 0), ("dealer", SEATS - 1)) if at == place]
        roles += ["Sender"] if seat == record.sender else []
        hand = (record.hands or record.dealt)[seat]
        rows.append(
            [
                _plain(f"{seat}"),
                _plain(f"{record.teams[seat]}"),
                _plain(", ".join(roles)),
                *_hand(hand),
            ]
        )
    signs = SUIT_SIGNS.values()
    parts: list[RenderableType] = [_screen(["seat", "team", "", *signs], rows)]
    if record.turned is not None:
        parts.append(_plain("Return: ").append_text(_card(record.turned)))
    if record.hands is None:
        parts.append(_plain("(as dealt: nobody took)"))
    return parts


def _calls(record: Record) -> list[RenderableType]:
    """What was said, a row a lap of the table."""
    if record.imposed:
        return [_plain("none: the contract was imposed")]
    from rich.text import Text

    rows: list[list[Text]] = []
    last = SEATS
    for call in record.calls:
        place = (call.seat - record.dealer - 1) % SEATS
        aside = call.call in ("counter", "overcounter")
        # Counters end the bidding, in any order of the seats: they have a row of their own.
        if (not rows or rows[-1][0].plain) if aside else place <= last:
            lap = "" if aside else f"{len(rows) + 1}"
            rows.append([_plain(lap), *(Text() for _ in range(SEATS))])
        rows[-1][place + 1] = _call(call)
        last = last if aside else place
    heads = [f"seat {_seat_at(record, place)}" for place in range(SEATS)]
    return [_screen(["lap", *heads], rows)]


def _call(call: Call) -> Text:
    if call.call not in ("take", "bid"):
        return _plain(call.call)
    text = _plain(f"{call.call} ")
    if call.amount is not None:
        text.append(f"{call.amount} ")
    text.append_text(_contract(call.contract or "?"))
    return text.append(" Capot" if call.capot else "")


def _tricks(record: Record) -> list[RenderableType]:
    """A row a trick, a column a seat: > led, * won, and the card points of the trick."""
    from rich.text import Text

    rows = []
    for number, trick in enumerate(record.tricks, start=1):
        row = [_plain(f"{number}")]
        for seat in range(SEATS):
            card = trick.cards[(seat - trick.leader) % SEATS]
            led, won = seat == trick.leader, seat == trick.winner
            cell = Text(">" if led else " ").append_text(_card(card))
            cell.append("*" if won else " ")
            if won:
                cell.stylize("bold")
            row.append(cell)
        points = sum(card_points(parse_card(card), record.contract or "") for card in trick.cards)
        row += [_plain(f"{points}"), _plain(f"{record.teams[trick.winner]}")]
        rows.append(row)
    heads = ["", *(f" seat {seat}" for seat in range(SEATS)), "points", "team"]
    return [_screen(heads, rows, right={0, SEATS + 1}), _plain("> led, * won the trick")]


def _scores(record: Record) -> list[RenderableType]:
    """The outcome in a line, and a row a team."""
    rows = []
    for team in range(len(record.totals)):
        bonuses = []
        for bonus in record.bonuses:
            if bonus.team == team:
                of = "" if bonus.seat is None else f" (seat {bonus.seat})"
                sign = SUIT_SIGNS.get(bonus.suit or "", "")
                bonuses.append(f"{BONUS_NAMES[bonus.bonus]}{sign} {bonus.points}{of}")
        numbers = (
            record.trick_counts[team],
            record.card_points[team],
            record.totals[team],
            record.gratuities[team],
            record.scores[team],
        )
        tricks, points, total, gratuity, score = (_plain(f"{number}") for number in numbers)
        seats = " ".join(str(seat) for seat in range(SEATS) if record.teams[seat] == team)
        side = "contracting" if record.sender in _seats_of(record, team) else ""
        rows.append(
            [
                _plain(f"{team}"),
                _plain(seats),
                _plain(side),
                tricks,
                points,
                _plain(", ".join(bonuses)),
                total,
                gratuity,
                score,
            ]
        )
    heads = ["team", "seats", "", "tricks", "card points", "bonuses", "total", "gratuities"]
    parts: list[RenderableType] = [
        _outcome(record),
        _screen([*heads, "score"], rows, right={3, 4, 6, 7, 8}),
    ]
    if record.pending_after:
        parts.append(_plain(f"A litigation gratuity of {record.pending_after} waits"))
    if record.score_after is not None:
        parts.append(_plain(f"Scores after the round: {_game_scores(record, record.score_after)}"))
    return parts


def _outcome(record: Record) -> Text:
    if record.sender is None or record.contract is None:
        return _plain("passed out")
    text = _plain(f"seat {record.sender} plays ")
    text.append_text(_contract(record.contract, CONTRACT_NAMES[record.contract]))
    if record.amount is not None:
        text.append(f" for {record.amount}")
    text.append(" with Capot" if record.capot else "").append(STAKES.get(record.stake, ""))
    text.append(": ").append(
        record.result.replace("_", " "),
        {"made": "bold green", "failed": "bold red"}.get(record.result, "bold yellow"),
    )
    return text


def _seats_of(record: Record, team: int) -> list[int]:
    return [seat for seat in range(SEATS) if record.teams[seat] == team]


def _seat_at(record: Record, place: int) -> int:
    """The seat at a place in the order of speaking, 0 the opener's."""
    return (record.dealer + 1 + place) % SEATS


def _plain(text: str) -> Text:
    from rich.text import Text

    return Text(text)


def _hand(cards: Sequence[str]) -> list[Text]:
    """The ranks held of each suit, from the ace down, the red suits in red."""
    from rich.text import Text

    held = {parse_card(card) for card in cards}
    return [
        Text(" ".join(rank for rank in RANKS if Card(rank, suit) in held), _suit_style(sign))
        for suit, sign in SUIT_SIGNS.items()
    ]


def _card(card: str) -> Text:
    from rich.text import Text

    parsed = parse_card(card)
    sign = SUIT_SIGNS[parsed.suit]
    return Text(f"{parsed.rank}{sign}", _suit_style(sign))


def _contract(contract: str, shown: str | None = None) -> Text:
    from rich.text import Text

    sign = SUIT_SIGNS.get(contract, contract)
    return Text(shown or sign, _suit_style(sign))


def _suit_style(sign: str) -> str:
    return "red" if sign in "♥♦" else ""


def _screen(
    headings: Sequence[str], rows: Sequence[Sequence[Text]], right: set[int] | None = None
) -> RenderableType:
    from rich import box
    from rich.table import Table

    screen = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    for number, heading in enumerate(headings):
        justify = "right" if number in (right or set()) else "left"
        screen.add_column(_plain(heading), justify=justify, header_style="dim")  # type: ignore[arg-type]
    for row in rows:
        screen.add_row(*row)
    return screen
