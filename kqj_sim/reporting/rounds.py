"""A round as a person reads it: who held, said, played and scored what."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kqj_sim.messages import quote
from kqj_sim.notation import SUIT_SIGNS, Card, NotationError, parse_card
from kqj_sim.record import Call, Record, RecordError
from kqj_sim.referee import kqj, kwajongen
from kqj_sim.reporting.report import describe_policies, describe_rules
from kqj_sim.rules import RULES_OF

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


@dataclass(frozen=True)
class _Words:
    """How a game's rounds are told.

    Attributes:
        points: what a card is worth in a contract.
        sender: who plays the contract.
        side: his team.
        turned: the card turned up.
        nobody: why the hands are those dealt.
        waiting: what is pending before a round, and after it.
        imposed: what is said where nobody called.
        laps: whether there is more than one.
        extras: the columns of a team beside tricks, card points and score.
        score: what a team scores.
        results: what comes of a contract where it is not told as in the record.
    """

    points: Callable[[Card, str], int]
    sender: str
    side: str
    turned: str
    nobody: str
    waiting: tuple[str, str]
    imposed: str
    laps: bool
    extras: tuple[str, ...]
    score: str
    results: Mapping[str, str]


_WORDS = {
    "kqj": _Words(
        points=kqj.card_points,
        sender="Sender",
        side="contracting",
        turned="Return",
        nobody="nobody took",
        waiting=("A litigation gratuity of {} waits", "A litigation gratuity of {} waits"),
        imposed="none: the contract was imposed",
        laps=True,
        extras=("bonuses", "total", "gratuities"),
        score="score",
        results={},
    ),
    "kwajongen": _Words(
        points=lambda card, _: kwajongen.card_points(card),
        sender="caller",
        side="caller's",
        turned="Turned up",
        nobody="nobody said play",
        waiting=("The round is raised", "The next round is raised"),
        imposed="none: the caller was imposed",
        laps=False,
        extras=(),
        score="change of the score",
        results={"made": "won", "failed": "lost", "tie": "tied, which the caller pays"},
    ),
}


def check_shape(record: Record) -> None:
    """Raise RecordError for a record that cannot be shown as a round of its game.

    It may well break the rules; its seats, cards and lists must be there.
    """
    rules = record.game_rules()
    count, teams = rules.seats, rules.team_count
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
    for lists, length, whose in ((per_seat, count, "seat"), (per_team, teams, "team")):
        for key, values in lists.items():
            if len(values) != length:
                raise RecordError(f"{key}: {len(values)} values, one a {whose} are {length}")
    seats = [record.dealer, *(call.seat for call in record.calls)]
    seats += [seat for trick in record.tricks for seat in (trick.leader, trick.winner)]
    seats += [] if record.sender is None else [record.sender]
    for seat in seats:
        if not 0 <= seat < count:
            raise RecordError(f"seat {seat} does not exist: seats are 0 to {count - 1}")
    if record.contract is not None and record.contract not in CONTRACT_NAMES:
        raise RecordError(
            f"contract: {quote(record.contract)} is not one of {' '.join(CONTRACT_NAMES)}"
        )
    if record.tricks and record.contract is None:
        raise RecordError("contract: null, but there are tricks")
    for number, trick in enumerate(record.tricks):
        if len(trick.cards) != count:
            raise RecordError(f"tricks[{number}].cards: {len(trick.cards)} cards, not {count}")
    hands = [*record.dealt, *(record.hands or []), *(trick.cards for trick in record.tricks)]
    try:
        for card in (card for hand in hands for card in hand):
            parse_card(card, ranks=rules.ranks)
        if record.turned is not None:
            parse_card(record.turned, ranks=rules.ranks)
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
        lines.append(_words(record).waiting[0].format(record.pending_before))
    return Text("\n".join(lines))


def _game_scores(record: Record, scores: Sequence[int] | None) -> str:
    """The scores of a game: a number a team, or a seat with random partners."""
    whose = "seat" if record.game_rules().partners == "random" else "team"
    return ", ".join(f"{whose} {number} {score:,}" for number, score in enumerate(scores or ()))


def _hands(record: Record) -> list[RenderableType]:
    """A row a seat from the opener on: team, role, and the cards by suit."""
    rows = []
    words, seats = _words(record), _seats(record)
    for place in range(seats):
        seat = _seat_at(record, place)
        roles = [name for name, at in (("opener", 0), ("dealer", seats - 1)) if at == place]
        roles += [words.sender] if seat == record.sender else []
        hand = (record.hands or record.dealt)[seat]
        rows.append(
            [
                _plain(f"{seat}"),
                _plain(f"{record.teams[seat]}"),
                _plain(", ".join(roles)),
                *_hand(hand, RULES_OF[record.game].ranks),
            ]
        )
    signs = SUIT_SIGNS.values()
    parts: list[RenderableType] = [_screen(["seat", "team", "", *signs], rows)]
    if record.turned is not None:
        parts.append(_plain(f"{words.turned}: ").append_text(_card(record.turned)))
    if record.hands is None:
        parts.append(_plain(f"(as dealt: {words.nobody})"))
    return parts


def _calls(record: Record) -> list[RenderableType]:
    """What was said, a row a lap of the table."""
    words, seats = _words(record), _seats(record)
    if record.imposed:
        return [_plain(words.imposed)]
    from rich.text import Text

    rows: list[list[Text]] = []
    last = seats
    for call in record.calls:
        place = (call.seat - record.dealer - 1) % seats
        aside = call.call in ("counter", "overcounter")
        # Counters end the bidding, in any order of the seats: they have a row of their own.
        if (not rows or rows[-1][0].plain) if aside else place <= last:
            lap = "" if aside else f"{len(rows) + 1}"
            rows.append([_plain(lap), *(Text() for _ in range(seats))])
        rows[-1][place + 1] = _call(call)
        last = last if aside else place
    heads = ["lap", *(f"seat {_seat_at(record, place)}" for place in range(seats))]
    first = 0 if words.laps else 1
    return [_screen(heads[first:], [row[first:] for row in rows])]


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

    words, seats = _words(record), _seats(record)
    rows = []
    for number, trick in enumerate(record.tricks, start=1):
        row = [_plain(f"{number}")]
        for seat in range(seats):
            card = trick.cards[(seat - trick.leader) % seats]
            led, won = seat == trick.leader, seat == trick.winner
            cell = Text(">" if led else " ").append_text(_card(card))
            cell.append("*" if won else " ")
            if won:
                cell.stylize("bold")
            row.append(cell)
        points = sum(words.points(parse_card(card), record.contract or "") for card in trick.cards)
        row += [_plain(f"{points}"), _plain(f"{record.teams[trick.winner]}")]
        rows.append(row)
    heads = ["", *(f" seat {seat}" for seat in range(seats)), "points", "team"]
    return [_screen(heads, rows, right={0, seats + 1}), _plain("> led, * won the trick")]


def _scores(record: Record) -> list[RenderableType]:
    """The outcome in a line, and a row a team."""
    words = _words(record)
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
        seats = " ".join(str(seat) for seat in _seats_of(record, team))
        side = words.side if record.sender in _seats_of(record, team) else ""
        extras = (_plain(", ".join(bonuses)), total, gratuity)
        rows.append(
            [
                _plain(f"{team}"),
                _plain(seats),
                _plain(side),
                tricks,
                points,
                *extras[: len(words.extras)],
                score,
            ]
        )
    heads = ["team", "seats", "", "tricks", "card points", *words.extras, words.score]
    right = {number for number in range(3, len(heads)) if heads[number] != "bonuses"}
    parts: list[RenderableType] = [_outcome(record), _screen(heads, rows, right=right)]
    if record.pending_after:
        parts.append(_plain(words.waiting[1].format(record.pending_after)))
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
        _words(record).results.get(record.result, record.result.replace("_", " ")),
        {"made": "bold green", "failed": "bold red"}.get(record.result, "bold yellow"),
    )
    return text


def _words(record: Record) -> _Words:
    return _WORDS[record.game]


def _seats(record: Record) -> int:
    return RULES_OF[record.game].seats


def _seats_of(record: Record, team: int) -> list[int]:
    return [seat for seat in range(_seats(record)) if record.teams[seat] == team]


def _seat_at(record: Record, place: int) -> int:
    """The seat at a place in the order of speaking, 0 the opener's."""
    return (record.dealer + 1 + place) % _seats(record)


def _plain(text: str) -> Text:
    from rich.text import Text

    return Text(text)


def _hand(cards: Sequence[str], ranks: str) -> list[Text]:
    """The ranks held of each suit, from the ace down, the red suits in red."""
    from rich.text import Text

    held = {parse_card(card) for card in cards}
    return [
        Text(" ".join(rank for rank in ranks if Card(rank, suit) in held), _suit_style(sign))
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
