"""A recorded round for people: hands, calls, tricks and scores; and versions of a deal."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kqj_sim.cards import SUIT_SYMBOLS, Card, NotationError, parse_card
from kqj_sim.messages import quote
from kqj_sim.record import Call, Record, RecordError
from kqj_sim.referee import kqj, kwajongen
from kqj_sim.reporting.grid import PIPED_WIDTH
from kqj_sim.reporting.run import describe_policies, describe_rules
from kqj_sim.rules import RULES_BY_GAME

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
_LONG_PARAMETERS_PATTERN = re.compile(r":(?=\w+=)[^+]{60,}")
"""Parameters of a player, if they are long."""
STAKE_WORDS = {1: "", 2: ", countered", 4: ", overcountered"}


@dataclass(frozen=True)
class _RoundTerms:
    """The words and columns in which a game's rounds are shown.

    Attributes:
        points: returns the card points of a card in a contract.
        sender: name of the player of the contract.
        side: name of their team.
        turned: name of the card turned up.
        nobody: the reason for which hands are shown as dealt.
        waiting: sentences on what is pending before a round, and after it.
        imposed: the text in place of calls if the contract was imposed.
        laps: True if calls may have several laps.
        extras: columns of a team besides tricks, card points and score.
        score: heading of a team's score.
        results: names of results that differ from those of the record.
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


_TERMS_BY_GAME = {
    "kqj": _RoundTerms(
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
    "kwajongen": _RoundTerms(
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


def check_record_shape(record: Record) -> None:
    """Raise RecordError for a record that cannot be shown as a round of its game.

    The record may break the rules, but its seats, cards and lists must be valid.
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


def render_round(record: Record) -> list[RenderableType]:
    """Return the round in parts for a screen; raise RecordError as `check_record_shape`."""
    from rich.text import Text

    check_record_shape(record)
    parts: list[RenderableType] = [_render_heading(record)]
    sections = [("Hands", _render_hands(record)), ("Calls", _render_calls(record))]
    if record.tricks:
        sections.append(("Tricks", _render_tricks(record)))
    sections.append(("Result", _render_scores(record)))
    for title, section in sections:
        parts += [Text(""), Text(title, "bold"), *section]
    return parts


def _render_heading(record: Record) -> Text:
    from rich.text import Text

    lines = [f"Seed {record.seed}, deal {record.deal}: {describe_rules(record.game_rules())}"]
    players = [_LONG_PARAMETERS_PATTERN.sub(":...", player) for player in record.players]
    lines.append(f"Players: {describe_policies(players)}")
    if record.game_id is not None:
        before = _format_game_scores(record, record.score_before)
        lines.append(f"Game {record.game_id}, round {record.round}; scores before: {before}")
    if record.pending_before:
        lines.append(_get_terms(record).waiting[0].format(record.pending_before))
    return Text("\n".join(lines))


def _format_game_scores(record: Record, scores: Sequence[int] | None) -> str:
    """Return the scores of a game by team, or with random partners by seat."""
    whose = "seat" if record.game_rules().partners == "random" else "team"
    return ", ".join(f"{whose} {number} {score:,}" for number, score in enumerate(scores or ()))


def _render_hands(record: Record) -> list[RenderableType]:
    """Return a row for each seat from the opener on: team, role, and cards by suit."""
    rows = []
    words, seats = _get_terms(record), _count_seats(record)
    for place in range(seats):
        seat = _get_seat(record, place)
        roles = [name for name, at in (("opener", 0), ("dealer", seats - 1)) if at == place]
        roles += [words.sender] if seat == record.sender else []
        hand = (record.hands or record.dealt)[seat]
        rows.append(
            [
                _make_text(f"{seat}"),
                _make_text(f"{record.teams[seat]}"),
                _make_text(", ".join(roles)),
                *_render_hand(hand, RULES_BY_GAME[record.game].ranks),
            ]
        )
    signs = SUIT_SYMBOLS.values()
    parts: list[RenderableType] = [_make_table(["seat", "team", "", *signs], rows)]
    if record.turned is not None:
        parts.append(_make_text(f"{words.turned}: ").append_text(_render_card(record.turned)))
    if record.hands is None:
        parts.append(_make_text(f"(as dealt: {words.nobody})"))
    return parts


def _render_calls(record: Record) -> list[RenderableType]:
    """Return the calls, with a row for each lap."""
    words, seats = _get_terms(record), _count_seats(record)
    if record.imposed:
        return [_make_text(words.imposed)]
    from rich.text import Text

    rows: list[list[Text]] = []
    last = seats
    for call in record.calls:
        place = (call.seat - record.dealer - 1) % seats
        aside = call.call in ("counter", "overcounter")
        # Counters end the bidding, in any order of the seats: they have a row of their own.
        if (not rows or rows[-1][0].plain) if aside else place <= last:
            lap = "" if aside else f"{len(rows) + 1}"
            rows.append([_make_text(lap), *(Text() for _ in range(seats))])
        rows[-1][place + 1] = _render_call(call)
        last = last if aside else place
    heads = ["lap", *(f"seat {_get_seat(record, place)}" for place in range(seats))]
    first = 0 if words.laps else 1
    return [_make_table(heads[first:], [row[first:] for row in rows])]


def _render_call(call: Call) -> Text:
    if call.call not in ("take", "bid"):
        return _make_text(call.call)
    text = _make_text(f"{call.call} ")
    if call.amount is not None:
        text.append(f"{call.amount} ")
    text.append_text(_render_contract(call.contract or "?"))
    return text.append(" Capot" if call.capot else "")


def _render_tricks(record: Record) -> list[RenderableType]:
    """Return a row for each trick: the card of each seat (> led, * won), and the card points."""
    from rich.text import Text

    words, seats = _get_terms(record), _count_seats(record)
    rows = []
    for number, trick in enumerate(record.tricks, start=1):
        row = [_make_text(f"{number}")]
        for seat in range(seats):
            card = trick.cards[(seat - trick.leader) % seats]
            led, won = seat == trick.leader, seat == trick.winner
            cell = Text(">" if led else " ").append_text(_render_card(card))
            cell.append("*" if won else " ")
            if won:
                cell.stylize("bold")
            row.append(cell)
        points = sum(words.points(parse_card(card), record.contract or "") for card in trick.cards)
        row += [_make_text(f"{points}"), _make_text(f"{record.teams[trick.winner]}")]
        rows.append(row)
    heads = ["", *(f" seat {seat}" for seat in range(seats)), "points", "team"]
    return [_make_table(heads, rows, right={0, seats + 1}), _make_text("> led, * won the trick")]


def _render_scores(record: Record) -> list[RenderableType]:
    """Return the outcome in a line, and a row for each team."""
    words = _get_terms(record)
    rows = []
    for team in range(len(record.totals)):
        bonuses = []
        for bonus in record.bonuses:
            if bonus.team == team:
                of = "" if bonus.seat is None else f" (seat {bonus.seat})"
                sign = SUIT_SYMBOLS.get(bonus.suit or "", "")
                bonuses.append(f"{BONUS_NAMES[bonus.bonus]}{sign} {bonus.points}{of}")
        numbers = (
            record.trick_counts[team],
            record.card_points[team],
            record.totals[team],
            record.gratuities[team],
            record.scores[team],
        )
        tricks, points, total, gratuity, score = (_make_text(f"{number}") for number in numbers)
        seats = " ".join(str(seat) for seat in _list_team_seats(record, team))
        side = words.side if record.sender in _list_team_seats(record, team) else ""
        extras = (_make_text(", ".join(bonuses)), total, gratuity)
        rows.append(
            [
                _make_text(f"{team}"),
                _make_text(seats),
                _make_text(side),
                tricks,
                points,
                *extras[: len(words.extras)],
                score,
            ]
        )
    heads = ["team", "seats", "", "tricks", "card points", *words.extras, words.score]
    right = {number for number in range(3, len(heads)) if heads[number] != "bonuses"}
    parts: list[RenderableType] = [_render_outcome(record), _make_table(heads, rows, right=right)]
    if record.pending_after:
        parts.append(_make_text(words.waiting[1].format(record.pending_after)))
    if record.score_after is not None:
        parts.append(
            _make_text(f"Scores after the round: {_format_game_scores(record, record.score_after)}")
        )
    return parts


def _render_outcome(record: Record) -> Text:
    if record.sender is None or record.contract is None:
        return _make_text("passed out")
    text = _make_text(f"seat {record.sender} plays ")
    text.append_text(_render_contract(record.contract, CONTRACT_NAMES[record.contract]))
    if record.amount is not None:
        text.append(f" for {record.amount}")
    text.append(" with Capot" if record.capot else "").append(STAKE_WORDS.get(record.stake, ""))
    text.append(": ").append(
        _get_terms(record).results.get(record.result, record.result.replace("_", " ")),
        {"made": "bold green", "failed": "bold red"}.get(record.result, "bold yellow"),
    )
    return text


def _get_terms(record: Record) -> _RoundTerms:
    return _TERMS_BY_GAME[record.game]


def _count_seats(record: Record) -> int:
    return RULES_BY_GAME[record.game].seats


def _list_team_seats(record: Record, team: int) -> list[int]:
    return [seat for seat in range(_count_seats(record)) if record.teams[seat] == team]


def _get_seat(record: Record, place: int) -> int:
    """Return the seat at a place in the order of speaking, 0 the opener's."""
    return (record.dealer + 1 + place) % _count_seats(record)


def _make_text(text: str) -> Text:
    from rich.text import Text

    return Text(text)


def _render_hand(cards: Sequence[str], ranks: str) -> list[Text]:
    """Return the ranks held of each suit, from the ace down, the red suits in red."""
    from rich.text import Text

    held = {parse_card(card) for card in cards}
    return [
        Text(" ".join(rank for rank in ranks if Card(rank, suit) in held), _suit_style(sign))
        for suit, sign in SUIT_SYMBOLS.items()
    ]


def _render_card(card: str) -> Text:
    from rich.text import Text

    parsed = parse_card(card)
    sign = SUIT_SYMBOLS[parsed.suit]
    return Text(f"{parsed.rank}{sign}", _suit_style(sign))


def _render_contract(contract: str, shown: str | None = None) -> Text:
    from rich.text import Text

    sign = SUIT_SYMBOLS.get(contract, contract)
    return Text(shown or sign, _suit_style(sign))


def _suit_style(sign: str) -> str:
    return "red" if sign in "♥♦" else ""


def _make_table(
    headings: Sequence[str], rows: Sequence[Sequence[Text]], right: set[int] | None = None
) -> RenderableType:
    from rich import box
    from rich.table import Table

    screen = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    for number, heading in enumerate(headings):
        justify = "right" if number in (right or set()) else "left"
        screen.add_column(_make_text(heading), justify=justify, header_style="dim")  # type: ignore[arg-type]
    for row in rows:
        screen.add_row(*row)
    return screen


MIN_WIDTH_SIDE_BY_SIDE = 96
"""Width of a round, in characters."""


def render_versions(
    records: Sequence[Record], tables: Sequence[Sequence[str]], width: int | None
) -> list[RenderableType]:
    """Return the different versions of a deal for a screen, two side by side if it is wide enough.

    Args:
        records: the rounds, all of the same deal.
        tables: the names of the seats' players in each.
        width: characters in a line; None: not a terminal.
    """
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    groups: list[list[int]] = []
    for number, record in enumerate(records):
        for group in groups:
            if _list_actions(records[group[0]]) == _list_actions(record):
                group.append(number)
                break
        else:
            groups.append([number])
    parts: list[RenderableType] = []
    for number, group in enumerate(groups, start=1):
        lines = [f"Version {number}: {describe_policies(tables[each])}" for each in group[:1]]
        lines += [f"and with {describe_policies(tables[each])}" for each in group[1:]]
        first = records[group[0]]
        if number > 1:
            lines.append(f"From version 1 it parts {describe_first_difference(records[0], first)}")
        parts.append(Group(Text("\n".join(lines), "bold"), Text(""), *render_round(first)))
    if len(parts) == 1:
        parts.append(Text("All arrangements go the same way", "italic"))
    if len(parts) == 2 and (width or PIPED_WIDTH) >= 2 * MIN_WIDTH_SIDE_BY_SIDE + 3:
        beside = Table.grid(padding=(0, 3), expand=True)
        beside.add_row(*parts)
        return [beside]
    spaced: list[RenderableType] = []
    for part in parts:
        spaced += [Text(""), part] if spaced else [part]
    return spaced


def _list_actions(record: Record) -> tuple[list[Call], list[list[str]]]:
    """Return all calls and cards of a round."""
    return record.calls, [trick.cards for trick in record.tricks]


def describe_first_difference(one: Record, other: Record) -> str:
    """Describe the first difference of two rounds of a deal; empty if there is none."""
    for here, there in zip(one.calls, other.calls, strict=False):
        if here != there:
            said, instead = _format_call(there), _format_call(here)
            return f"at the calls: seat {there.seat} says {said} instead of {instead}"
    for number, (before, after) in enumerate(zip(one.tricks, other.tricks, strict=True), start=1):
        for place, (card, instead) in enumerate(zip(before.cards, after.cards, strict=True)):
            if card != instead:
                seat = (before.leader + place) % len(one.players)
                return f"in trick {number}: seat {seat} plays {instead} instead of {card}"
    return ""


def _format_call(call: Call) -> str:
    """Return a call in words: `pass`, `take h`, `bid 150 NT Capot`."""
    amount = "" if call.amount is None else f" {call.amount}"
    contract = "" if call.contract is None else f" {call.contract}"
    return f"{call.call}{amount}{contract}{' Capot' if call.capot else ''}"
