"""Rounds for people: hands, calls, tricks and scores, or two policies at the same deal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Literal

from msgspec.structs import asdict
from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.table import Table
from rich.text import Text

from kqj_sim.cards import SUIT_SYMBOLS, Card, format_card, format_contract, parse_card
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import describe_rules, find_game
from kqj_sim.messages import capitalize, quote
from kqj_sim.notation.sections import label_seats
from kqj_sim.output.screen import describe_policies
from kqj_sim.places import SeatNames, name_places
from kqj_sim.policies.players import Player, shorten_player
from kqj_sim.record import Call, PartialRecord, Record, Trick
from kqj_sim.referee.base import get_referee
from kqj_sim.rules import GameRules

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
    rules = find_game(record.game).rules.from_dict(record.rules)
    seats, zeros = range(rules.seats), [0] * rules.team_count
    nothing: list[list[str] | None] = [None] * rules.seats
    hands, dealt = record.hands or nothing, record.dealt or nothing
    known = [list(hands[seat] or dealt[seat] or []) for seat in seats]
    filled = Record(
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
    parts = render_round(filled, title=title, is_over=False)
    if record.calls is None and not record.imposed:
        parts += [Text(""), Text("The calls are not known.")]
    if not all(known):
        parts += [Text(""), Text("Hands that are empty are not known.")]
    return parts


def _render_heading(record: Record, players: Sequence[str] | None, title: str) -> Text:
    title = title or f"Seed {record.seed}, deal {record.deal}"
    lines = [f"{title}: {describe_rules(record.game_rules())}"]
    lines.append(f"Players: {describe_policies(players or _shorten_players(record))}")
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
    game, names = find_game(record.game), _name_seats(record)
    rows = []
    for place, seat in zip(name_places(game.rules.seats), _list_seats(record), strict=True):
        held = {parse_card(card) for card in (record.hands or record.dealt)[seat]}
        rows.append(
            [
                *([names.players[seat]] if names.has_names else []),
                place,
                seat,
                record.teams[seat],
                game.sender if seat == record.sender else "",
                *(
                    _color(
                        " ".join(rank for rank in game.rules.ranks if Card(rank, suit) in held),
                        suit,
                    )
                    for suit in SUIT_SYMBOLS
                ),
            ]
        )
    heads = [*(["player"] if names.has_names else []), "place", "seat", "team", ""]
    parts: list[RenderableType] = [_make_table([*heads, *SUIT_SYMBOLS.values()], rows)]
    if record.turned is not None:
        parts.append(Text(f"{game.upcard_name}: ").append_text(_render_card(record.turned)))
    if record.hands is None and record.result == "passed_out":
        parts.append(Text(game.untaken_note))
    return parts


def _render_calls(record: Record) -> list[RenderableType]:
    game, seats = find_game(record.game), _list_seats(record)
    if record.imposed:
        return [Text(game.imposed_text)]
    rows: list[list[Any]] = []
    last = len(seats)
    for call in record.calls:
        place = seats.index(call.seat)
        aside = call.call in ("counter", "overcounter")
        # Counters end the bidding, in any order of the seats: they have a row of their own.
        if (not rows or rows[-1][0]) if aside else place <= last:
            rows.append(["" if aside else len(rows) + 1, *[""] * len(seats)])
        rows[-1][place + 1] = _render_call(call)
        last = last if aside else place
    first = 0 if game.has_laps else 1
    return [_make_table(["lap", *_list_labels(record)][first:], [row[first:] for row in rows])]


def _render_call(call: Call) -> Text:
    """Return a call: `pass`, `take ♥`, `120 NT Capot`."""
    if call.call not in ("take", "bid"):
        return Text(call.call)
    text = Text("take " if call.call == "take" else f"{call.amount} ")
    text.append_text(_color(format_contract(call.contract or "?"), call.contract))
    return text.append(" Capot" if call.capot else "")


def _render_tricks(record: Record) -> list[RenderableType]:
    """Return a row for each trick: the card of each place (> led, * won), and the card points."""
    seats, referee = _list_seats(record), get_referee(record.game_rules())
    rows = []
    for number, trick in enumerate(record.tricks, start=1):
        row: list[Any] = [number]
        for seat in seats:
            turn = (seat - trick.leader) % len(seats)
            if turn >= len(trick.cards):
                row.append("")
                continue
            cell = Text(">" if turn == 0 else " ").append_text(_render_card(trick.cards[turn]))
            cell.append("*" if seat == trick.winner else " ")
            if seat == trick.winner:
                cell.stylize("bold")
            row.append(cell)
        cards = [parse_card(card) for card in trick.cards]
        row.append(sum(referee.card_points(card, record.contract or "") for card in cards))
        row.append(record.teams[trick.winner] if trick.winner >= 0 else "")
        rows.append(row)
    heads = ["", *(f" {name}" for name in _list_labels(record)), "points", "team"]
    return [_make_table(heads, rows, right={0, len(seats) + 1}), Text(_SIGNS_NOTE)]


def _render_scores(record: Record) -> list[RenderableType]:
    game, teams = find_game(record.game), range(len(record.totals))
    contracting = None if record.sender is None else record.teams[record.sender]
    columns: dict[str, Sequence[Any]] = {
        "team": teams,
        "": [game.sender_side if team == contracting else "" for team in teams],
        "tricks": record.trick_counts,
        "card points": record.card_points,
    }
    if record.bonuses:
        columns["bonuses"] = [_describe_bonuses(record, team) for team in teams]
    if game.has_totals:
        columns["total"] = record.totals
    if any(record.gratuities):
        columns["gratuities"] = record.gratuities
    columns[game.score_name] = record.scores
    rows = [[column[team] for column in columns.values()] for team in teams]
    right = {at for at, head in enumerate(columns) if head not in ("team", "", "bonuses")}
    parts: list[RenderableType] = [_render_outcome(record), _make_table([*columns], rows, right)]
    if record.pending_after:
        parts.append(Text(game.pending_sentences[1].format(record.pending_after)))
    if record.score_after is not None:
        scores = _format_game_scores(record, record.score_after)
        parts.append(Text(f"Scores after the round: {scores}"))
    return parts


def _describe_bonuses(record: Record, team: int) -> str:
    """Return a team's bonuses: `last trick 10, KQ♥ 20 (dealer)`."""
    bonuses = []
    for bonus in record.bonuses:
        if bonus.team == team:
            holder = "" if bonus.seat is None else f" ({_name_seats(record).describe(bonus.seat)})"
            sign = SUIT_SYMBOLS.get(bonus.suit or "", "")
            bonuses.append(f"{BONUS_NAMES[bonus.bonus]}{sign} {bonus.points}{holder}")
    return ", ".join(bonuses)


def _render_outcome(record: Record) -> Text:
    """Return the contract and its result: `The 3rd to speak plays 120 ♥: made`, `Cem plays ...`."""
    if record.sender is None or record.contract is None:
        return Text("Everybody passed.")
    game = find_game(record.game)
    sender = capitalize(_name_seats(record).describe_noun(record.sender))
    text = Text(f"{sender} {game.plays_verb} ")
    text.append("" if record.amount is None else f"{record.amount} ")
    text.append_text(_color(CONTRACT_NAMES[record.contract], record.contract))
    text.append(" Capot" if record.capot else "").append(STAKE_WORDS.get(record.stake, ""))
    text.append(": ").append(
        game.result_names.get(record.result, record.result.replace("_", " ")),
        {"made": "bold green", "failed": "bold red"}.get(record.result, "bold yellow"),
    )
    return text


def _list_seats(record: Record) -> list[int]:
    """Return the seats from the opener's to the dealer's."""
    count = find_game(record.game).rules.seats
    return [(record.dealer + 1 + place) % count for place in range(count)]


def _shorten_players(record: Record) -> list[str]:
    return [shorten_player(player, record.game_rules()) for player in record.players]


def _name_seats(record: Record) -> SeatNames:
    """Return the names of the seats: those of the players, where they tell the seats apart."""
    return label_seats(_shorten_players(record), record)


def _list_labels(record: Record) -> list[str]:
    """Return the name at each place, from the opener to the dealer."""
    names = _name_seats(record)
    return [names.describe(seat) for seat in _list_seats(record)]


def _render_card(text: str) -> Text:
    """Return a card of a record: `K♠`."""
    card = parse_card(text)
    return _color(format_card(card), card.suit)


def _color(text: str, contract: str | None) -> Text:
    """Return a text on a suit or a contract, in red for a red suit."""
    return Text(text, "red" if contract in ("h", "d") else "")


def _make_table(
    headings: Sequence[str], rows: Iterable[Sequence[Any]], right: Collection[int] = ()
) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    for at, heading in enumerate(headings):
        justify: Literal["left", "right"] = "right" if at in right else "left"
        table.add_column(Text(heading), justify=justify, header_style="dim")
    for row in rows:
        # Names may hold what Rich takes for markup.
        table.add_row(*(cell if isinstance(cell, Text) else Text(f"{cell}") for cell in row))
    return table


MIN_WIDTH_SIDE_BY_SIDE = 96
"""Width of a round, in characters."""


class _Versions:
    """Versions of a deal: two side by side if the screen is wide enough, else one below another."""

    def __init__(self, parts: Sequence[RenderableType]) -> None:
        self._parts = parts

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
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
) -> tuple[Sequence[RenderableType], list[Record]]:
    """Play a deal as two policies do, with the sides exchanged.

    Without `opponents` the policies themselves play the other sides.  Returns the different
    versions, for a screen and as records.
    """
    # Imported here, as a round of a file needs no engine.
    from kqj_sim.paired.match import Match
    from kqj_sim.simulation.recording import play_records

    match = Match(rules, players, opponents, seed)
    # By the calls and cards of a round, the round and the players of all its seatings.
    versions: dict[str, tuple[Record, list[list[str]]]] = {}
    for experiment in match.make_experiments(deal, 1):
        record = next(play_records(experiment))
        actions = repr((record.calls, [trick.cards for trick in record.tricks]))
        _, seatings = versions.setdefault(actions, (record, []))
        seatings.append([player.given for player in experiment.players])
    parts: list[RenderableType] = []
    first, _ = next(iter(versions.values()))
    for number, (record, seatings) in enumerate(versions.values(), start=1):
        lines = [f"and with {describe_policies(names)}" for names in seatings]
        lines[0] = f"Version {number}: {describe_policies(seatings[0])}"
        if number > 1:
            lines.append(describe_first_difference(first, record))
        title = Text("\n".join(lines), "bold")
        parts.append(Group(title, Text(""), *render_round(record, seatings[0])))
    if len(parts) == 1:
        parts.append(Text("The round is the same in every seating.", "italic"))
    return [_Versions(parts)], [record for record, _ in versions.values()]


def describe_first_difference(one: Record, other: Record) -> str:
    """Describe the first difference of two rounds of a deal; empty if there is none.

    For example `Differs from version 1 in trick 3: the dealer plays K♠, not A♠`.
    """
    names = _name_seats(one)
    for call, other_call in zip(one.calls, other.calls, strict=False):
        if call != other_call:
            caller, words = names.describe_noun(other_call.seat), _render_call(other_call)
            return (
                f"Differs from version 1 in the calls: {caller} says {words}, not "
                f"{_render_call(call)}"
            )
    for number, (trick, other_trick) in enumerate(zip(one.tricks, other.tricks, strict=True), 1):
        for turn, cards in enumerate(zip(trick.cards, other_trick.cards, strict=True)):
            if len({*cards}) > 1:
                card, other_card = map(_render_card, cards)
                player = names.describe_noun((trick.leader + turn) % len(one.players))
                return (
                    f"Differs from version 1 in trick {number}: {player} plays {other_card}, not "
                    f"{card}"
                )
    return ""
