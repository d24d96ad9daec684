"""Rounds for people: hands, calls, tricks and scores, or two policies at the same deal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from kqj_sim.cards import SUIT_SYMBOLS, Card, format_card, format_contract, parse_card
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import describe_rules, find_game
from kqj_sim.messages import capitalize, quote
from kqj_sim.notation.sections import label_seats, name_people_in
from kqj_sim.output.screen import describe_policies
from kqj_sim.places import SeatNames, name_places
from kqj_sim.policies.players import Player, shorten_player
from kqj_sim.questions.records.rounds import read_round
from kqj_sim.record import Call, PartialRecord, Record, Trick
from kqj_sim.referee import check_record
from kqj_sim.referee.base import get_referee
from kqj_sim.rules import GameRules

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.text import Text

CONTRACT_NAMES = {**SUIT_SYMBOLS, "NT": "No-Trump", "AT": "All-Trumps"}
BONUS_NAMES = {"last_trick": "last trick", "capot": "Capot", "kq": "KQ", "kqj": "KQJ"}
STAKE_WORDS = {1: "", 2: ", countered", 4: ", overcountered"}
_SIGNS_NOTE = "> led, * won the trick"
_PER_TEAM = ("card_points", "trick_counts", "totals", "gratuities", "scores")
_UNKNOWN_SEAT = -1
"""The winner of a trick that is not over."""


def check_record_shape(record: Record) -> None:
    """Raise RecordError for a record that cannot be shown as a round of its game.

    The record may break the rules, but its seats, cards and lists must be valid.
    """
    rules = record.game_rules()
    count = rules.seats
    lists = {
        "seat": (count, ("players", "teams", "dealt", "hands")),
        "team": (rules.team_count, _PER_TEAM),
    }
    for whose, (length, keys) in lists.items():
        for key in keys:
            values = getattr(record, key)
            if values is not None and len(values) != length:
                raise RecordError(f"{key}: {len(values)} values; one per {whose} makes {length}")
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
    except InputError as error:
        raise RecordError(str(error)) from None


def render_round(
    record: Record, players: Sequence[str] | None = None, *, title: str = "", is_over: bool = True
) -> list[RenderableType]:
    """Return the round in parts for a screen.

    Args:
        players: the specifications of the seats' players as the user wrote them; those of the
            record by default.
        title: what the heading calls the round; its seed and deal by default.

    Raises:
        RecordError: as for `check_record_shape`.
    """
    from rich.text import Text

    if is_over:
        check_record_shape(record)
    parts: list[RenderableType] = [_render_heading(record, players, title)]
    sections = [("Hands", _render_hands(record)), ("Calls", _render_calls(record))]
    if record.tricks:
        sections.append(("Tricks", _render_tricks(record)))
    if is_over:
        sections.append(("Result", _render_scores(record)))
    for heading, section in sections:
        parts += [Text(""), Text(heading, "bold"), *section]
    return parts


def render_partial_round(record: PartialRecord, title: str) -> list[RenderableType]:
    """Return what is known of a round in parts for a screen, with a title."""
    from rich.text import Text

    rules = find_game(record.game).rules.from_dict(record.rules)
    seats, zeros = range(rules.seats), [0] * rules.team_count
    nothing: list[list[str] | None] = [None] * rules.seats
    hands, dealt = record.hands or nothing, record.dealt or nothing
    known = [list(hands[seat] or dealt[seat] or []) for seat in seats]
    shown = Record(
        **asdict(record)
        | dict.fromkeys(_PER_TEAM, zeros)
        | dict.fromkeys(("game_id", "round", "score_before", "score_after"))
        | {
            "rules": rules.to_dict(), "seed": 0, "deal": 0,
            "players": record.players or [f"seat {seat}" for seat in seats],
            "teams": record.teams or [rules.fixed_team_of(seat) for seat in seats],
            "dealt": known, "hands": known, "calls": record.calls or [],
            "capot": bool(record.capot), "stake": record.stake or 1,
            "tricks": [
                Trick(trick.leader or 0, trick.cards,
                      _UNKNOWN_SEAT if trick.winner is None else trick.winner)
                for trick in record.tricks
            ],
            "bonuses": [], "result": "made", "pending_after": 0,
        }
    )  # fmt: skip
    parts = render_round(shown, title=title, is_over=False)
    if record.calls is None and not record.imposed:
        parts += [Text(""), Text("The calls are not known.")]
    if not all(known):
        parts += [Text(""), Text("Hands that are empty are not known.")]
    return parts


def _render_heading(record: Record, players: Sequence[str] | None, title: str) -> Text:
    from rich.text import Text

    title = title or f"Seed {record.seed}, deal {record.deal}"
    lines = [f"{title}: {describe_rules(record.game_rules())}"]
    if players is None:
        players = [shorten_player(player, record.game_rules()) for player in record.players]
    lines.append(f"Players: {describe_policies(players)}")
    if record.game_id is not None:
        before = _format_game_scores(record, record.score_before)
        lines.append(f"Game {record.game_id}, round {record.round}; scores before: {before}")
    if record.pending_before:
        lines.append(find_game(record.game).pending_sentences[0].format(record.pending_before))
    return Text("\n".join(lines))


def _format_game_scores(record: Record, scores: Sequence[int] | None) -> str:
    whose = "seat" if record.game_rules().partners == "random" else "team"
    return ", ".join(f"{whose} {number} {score:,}" for number, score in enumerate(scores or ()))


def _render_hands(record: Record) -> list[RenderableType]:
    rows = []
    game = find_game(record.game)
    names = _name_seats(record)
    for place, name in enumerate(name_places(_count_seats(record))):
        seat = _get_seat(record, place)
        hand = (record.hands or record.dealt)[seat]
        rows.append(
            [
                *([_make_text(names.players[seat])] if names.has_names else []),
                _make_text(name),
                _make_text(f"{seat}"),
                _make_text(f"{record.teams[seat]}"),
                _make_text(find_game(record.game).sender if seat == record.sender else ""),
                *_render_hand(hand, find_game(record.game).rules.ranks),
            ]
        )
    signs = SUIT_SYMBOLS.values()
    heads = [*(["player"] if names.has_names else []), "place", "seat", "team", ""]
    parts: list[RenderableType] = [_make_table([*heads, *signs], rows)]
    if record.turned is not None:
        parts.append(_make_text(f"{game.upcard_name}: ").append_text(_render_card(record.turned)))
    if record.hands is None and record.result == "passed_out":
        parts.append(_make_text(game.untaken_note))
    return parts


def _render_calls(record: Record) -> list[RenderableType]:
    game, seats = find_game(record.game), _count_seats(record)
    if record.imposed:
        return [_make_text(game.imposed_text)]
    from rich.text import Text

    rows: list[list[Text]] = []
    last = seats
    for call in record.calls:
        place = _get_place(record, call.seat)
        aside = call.call in ("counter", "overcounter")
        # Counters end the bidding, in any order of the seats: they have a row of their own.
        if (not rows or rows[-1][0].plain) if aside else place <= last:
            lap = "" if aside else f"{len(rows) + 1}"
            rows.append([_make_text(lap), *(Text() for _ in range(seats))])
        rows[-1][place + 1] = _render_call(call)
        last = last if aside else place
    first = 0 if game.has_laps else 1
    return [_make_table(["lap", *_list_labels(record)][first:], [row[first:] for row in rows])]


def _render_call(call: Call) -> Text:
    """Return a call: `pass`, `take ♥`, `120 NT Capot`."""
    if call.call not in ("take", "bid"):
        return _make_text(call.call)
    text = _make_text("take " if call.call == "take" else f"{call.amount} ")
    sign = format_contract(call.contract or "?")
    text.append(sign, _suit_style(sign))
    return text.append(" Capot" if call.capot else "")


def _render_tricks(record: Record) -> list[RenderableType]:
    """Return a row for each trick: the card of each place (> led, * won), and the card points."""
    from rich.text import Text

    seats = _count_seats(record)
    referee = get_referee(record.game_rules())
    rows = []
    for number, trick in enumerate(record.tricks, start=1):
        row = [_make_text(f"{number}")]
        for place in range(seats):
            seat = _get_seat(record, place)
            position = (seat - trick.leader) % seats
            if position >= len(trick.cards):
                row.append(Text(""))
                continue
            card = trick.cards[position]
            led, won = seat == trick.leader, seat == trick.winner
            cell = Text(">" if led else " ").append_text(_render_card(card))
            cell.append("*" if won else " ")
            if won:
                cell.stylize("bold")
            row.append(cell)
        cards = [parse_card(card) for card in trick.cards]
        points = sum(referee.card_points(card, record.contract or "") for card in cards)
        won_by = f"{record.teams[trick.winner]}" if trick.winner >= 0 else ""
        row += [_make_text(f"{points}"), _make_text(won_by)]
        rows.append(row)
    heads = ["", *(f" {name}" for name in _list_labels(record)), "points", "team"]
    return [_make_table(heads, rows, right={0, seats + 1}), _make_text(_SIGNS_NOTE)]


def _render_scores(record: Record) -> list[RenderableType]:
    game = find_game(record.game)
    columns: dict[str, list[Any]] = {
        "tricks": record.trick_counts,
        "card points": record.card_points,
    }
    if record.bonuses:
        columns["bonuses"] = [_describe_bonuses(record, team) for team in _list_teams(record)]
    if game.has_totals:
        columns["total"] = record.totals
    if any(record.gratuities):
        columns["gratuities"] = record.gratuities
    columns[game.score_name] = record.scores
    rows = []
    for team in _list_teams(record):
        contracting = record.sender is not None and record.teams[record.sender] == team
        cells = [
            team,
            game.sender_side if contracting else "",
            *(each[team] for each in columns.values()),
        ]
        rows.append([_make_text(f"{cell}") for cell in cells])
    heads = ["team", "", *columns]
    right = {number for number in range(2, len(heads)) if heads[number] != "bonuses"}
    parts: list[RenderableType] = [_render_outcome(record), _make_table(heads, rows, right=right)]
    if record.pending_after:
        parts.append(_make_text(game.pending_sentences[1].format(record.pending_after)))
    if record.score_after is not None:
        parts.append(
            _make_text(f"Scores after the round: {_format_game_scores(record, record.score_after)}")
        )
    return parts


def _describe_bonuses(record: Record, team: int) -> str:
    """Return a team's bonuses: `last trick 10, KQ♥ 20 (dealer)`."""
    bonuses = []
    for bonus in record.bonuses:
        if bonus.team == team:
            of = "" if bonus.seat is None else f" ({_name_seats(record).describe(bonus.seat)})"
            sign = SUIT_SYMBOLS.get(bonus.suit or "", "")
            bonuses.append(f"{BONUS_NAMES[bonus.bonus]}{sign} {bonus.points}{of}")
    return ", ".join(bonuses)


def _render_outcome(record: Record) -> Text:
    """Return the contract and its result: `The 3rd to speak plays 120 ♥: made`, `Cem plays ...`."""
    if record.sender is None or record.contract is None:
        return _make_text("Everybody passed.")
    game = find_game(record.game)
    who = describe_speaker(record, record.sender)
    text = _make_text(f"{capitalize(who)} {game.plays_verb} ")
    text.append("" if record.amount is None else f"{record.amount} ")
    shown = CONTRACT_NAMES[record.contract]
    text.append(shown, _suit_style(shown))
    text.append(" Capot" if record.capot else "").append(STAKE_WORDS.get(record.stake, ""))
    text.append(": ").append(
        game.result_names.get(record.result, record.result.replace("_", " ")),
        {"made": "bold green", "failed": "bold red"}.get(record.result, "bold yellow"),
    )
    return text


def _count_seats(record: Record) -> int:
    return find_game(record.game).rules.seats


def _list_teams(record: Record) -> range:
    return range(len(record.totals))


def _get_place(record: Record, seat: int) -> int:
    """Return the place of a seat in the order of speaking, 0 the opener's."""
    return (seat - record.dealer - 1) % _count_seats(record)


def _name_seats(record: Record) -> SeatNames:
    """Return the names of the seats: those of the players, where they tell the seats apart."""
    players = [shorten_player(player, record.game_rules()) for player in record.players]
    return label_seats(players, record)


def _list_labels(record: Record) -> list[str]:
    """Return the name at each place, from the opener to the dealer."""
    names = _name_seats(record)
    return [names.describe(_get_seat(record, place)) for place in range(names.seats)]


def _get_seat(record: Record, place: int) -> int:
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

    return Text(format_card_text(card), _suit_style(SUIT_SYMBOLS[parse_card(card).suit]))


def _suit_style(sign: str) -> str:
    return "red" if sign in ("♥", "♦") else ""


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


def describe_speaker(record: Record, seat: int) -> str:
    """Return a seat as a noun: `Cem`, `the opener`, `the 3rd to speak`."""
    return _name_seats(record).describe_noun(seat)


def format_card_text(card: str) -> str:
    """Return a card of a record for people: `K♠`."""
    return format_card(parse_card(card))


def format_call(call: Call) -> str:
    """Return a call in words: `pass`, `take ♥`, `150 NT Capot`."""
    return _render_call(call).plain


MIN_WIDTH_SIDE_BY_SIDE = 96
"""Width of a round, in characters."""


def render_file(file: str, line: int) -> tuple[Sequence[RenderableType], list[str]]:
    """Return a round of a file for a screen, and its rule violations; or raise RecordError."""
    record, title = read_round(file, line)
    if not isinstance(record, Record):
        return render_partial_round(record, title), []
    return render_checked(record, None, title)


def render_checked(
    record: Record, players: Sequence[str] | None, title: str = ""
) -> tuple[Sequence[RenderableType], list[str]]:
    """Return a round for a screen as `render_round`, and what it has against the rules."""
    discrepancies = [name_people_in(each, record) for each in check_record(record)]
    return render_round(record, players, title=title), discrepancies


class _Versions:
    """Versions of a deal: two side by side if the screen is wide enough, else one below another."""

    def __init__(self, parts: Sequence[RenderableType]) -> None:
        self._parts = parts

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.table import Table
        from rich.text import Text

        if len(self._parts) == 2 and options.max_width >= 2 * MIN_WIDTH_SIDE_BY_SIDE + 3:
            beside = Table.grid(padding=(0, 3), expand=True)
            beside.add_row(*self._parts)
            yield beside
            return
        for number, part in enumerate(self._parts):
            if number > 0:
                yield Text("")
            yield part


def play_versions(
    players: tuple[Player, Player],
    opponents: Player | None,
    rules: GameRules,
    seed: int,
    deal: int,
) -> Sequence[RenderableType]:
    """Play a deal as two policies do, with the sides exchanged; return its different versions.

    Without `opponents` the policies themselves play the other sides.
    """
    from rich.console import Group
    from rich.text import Text

    from kqj_sim.paired.match import Match
    from kqj_sim.simulation.recording import play_records

    match = Match(rules, players, opponents, seed)
    records = [next(play_records(each)) for each in match.make_experiments(deal, 1)]
    seatings = [[each.given for each in seated] for seated in match.list_seatings()]
    groups: dict[str, list[int]] = {}
    for number, record in enumerate(records):
        groups.setdefault(_list_actions(record), []).append(number)
    parts: list[RenderableType] = []
    for number, group in enumerate(groups.values(), start=1):
        lines = [f"Version {number}: {describe_policies(seatings[each])}" for each in group[:1]]
        lines += [f"and with {describe_policies(seatings[each])}" for each in group[1:]]
        first = records[group[0]]
        if number > 1:
            lines.append(describe_first_difference(records[0], first))
        shown = render_round(first, seatings[group[0]])
        parts.append(Group(Text("\n".join(lines), "bold"), Text(""), *shown))
    if len(parts) == 1:
        parts.append(Text("The round is the same in every seating.", "italic"))
    return [_Versions(parts)]


def _list_actions(record: Record) -> str:
    """Return all calls and cards of a round as one text."""
    return repr((record.calls, [trick.cards for trick in record.tricks]))


def describe_first_difference(one: Record, other: Record) -> str:
    """Describe the first difference of two rounds of a deal; empty if there is none.

    For example `Differs from version 1 in trick 3: the dealer plays K♠, not A♠`.
    """
    for here, there in zip(one.calls, other.calls, strict=False):
        if here != there:
            who = describe_speaker(other, there.seat)
            said, instead = format_call(there), format_call(here)
            return f"Differs from version 1 in the calls: {who} says {said}, not {instead}"
    for number, (before, after) in enumerate(zip(one.tricks, other.tricks, strict=True), start=1):
        for turn, (card, instead) in enumerate(zip(before.cards, after.cards, strict=True)):
            if card != instead:
                who = describe_speaker(one, (before.leader + turn) % len(one.players))
                played, other_card = (format_card_text(each) for each in (instead, card))
                return (
                    f"Differs from version 1 in trick {number}: {who} plays {played}, "
                    f"not {other_card}"
                )
    return ""
