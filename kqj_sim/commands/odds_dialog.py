"""The dialog of `kqj-sim odds` on a terminal: it asks for a position and for what happens next."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from typing import Any, Literal, NoReturn, TypeVar

import click
from click.core import ParameterSource

from kqj_sim.arguments import read_place, read_places
from kqj_sim.cards import Card, format_hand, parse_cards, parse_single_card
from kqj_sim.commands.output import list_command_words, screen_width
from kqj_sim.commands.say import say
from kqj_sim.commands.stdout import get_stdout
from kqj_sim.errors import InputError
from kqj_sim.games import GAMES, KQJ, find_game
from kqj_sim.messages import capitalize, one_line, quote, shell_join
from kqj_sim.places import name_places, parse_place
from kqj_sim.referee.base import Referee, get_referee
from kqj_sim.rules import GameRules, KqjRules

Stage = Literal["calls", "cards", "over"]
Answer = Callable[[dict[str, Any]], None]
"""Asks a question with these values of the parameters of `odds`, and writes the answer."""

_T = TypeVar("_T")

_EXAMPLES = {
    "take": ("9h 8h Ah Ks 4d", "pass take"),
    "bid": ("9h 8h Ah Kh Qh 5d 6c Ac", "pass 120h pass"),
    "accept": ("Ah 9h Ks Tc", "pass play"),
}
"""A hand and calls, by the question of a player's turn to call."""

_VARIANT_OPTIONS = ("game", "teams", "bidding", "partners")
_VARIANT_WORDS: dict[str, tuple[str, Any]] = {
    **{"2": ("teams", 2), "two": ("teams", 2), "3": ("teams", 3), "three": ("teams", 3)},
    **{"take": ("bidding", "take"), "taking": ("bidding", "take")},
    **{"auction": ("bidding", "auction"), "auctions": ("bidding", "auction")},
    **{"random": ("partners", "random"), "fixed": ("partners", "fixed")},
    **{game: ("game", game) for game in GAMES},
}


def is_terminal() -> bool:
    """Return whether a person can be asked: stdin and stdout are a terminal."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


_HELP = """Cards: 9h or ♥ 9, several as 9h 8h Ks or h: 98 s: K.  Suits: s h d c.
Calls: pass, take h, 120 h, counter 3rd.  Places: opener, 2nd, 3rd, ..., dealer.
u goes back one question, ? shows this, Ctrl-D ends.
Enter takes what is in [brackets]."""


class _GoBack(Exception):  # It is no error.
    """A wish to answer the last question anew."""


def run_dialog(given: dict[str, Any], answer: Answer) -> None:
    """Ask for the position, answer, and go on with the round until nothing more is entered.

    Args:
        given: values of the parameters of `odds` by the options, which are not asked for.
        answer: writes the answer for a position.
    """
    with suppress(ImportError):
        import readline  # noqa: F401  # arrow keys and earlier lines while typing
    # Questions and answers share the terminal.
    with redirect_stdout(get_stdout()):
        try:
            _Dialog(given, answer).run()
        except click.Abort:
            say()


class _Dialog:
    """A dialog about one round."""

    def __init__(self, given: dict[str, Any], answer: Answer) -> None:
        self.given = given
        self.answer = answer
        place, partners = given["place"], given["partners_at"]
        self._set(
            place=read_place("--place", place, self.rules),
            partners_at=read_places("--partners-at", partners, self.rules),
        )
        self.context = click.get_current_context()
        self.entries: list[str] = []  # What was accepted, in order.
        self.replayed: list[str] = []  # Entries that need not be typed again.
        self.is_live = True  # False while entries are replayed: nothing is shown.

    def run(self) -> None:
        """Ask and answer until nothing is entered; start over with one entry less to go back."""
        self._tell("Enter takes what is in [brackets], u goes back, ? helps, Ctrl-D ends.")
        given, values = self.given, {**self.context.params}
        sources = {name: self.context.get_parameter_source(name) for name in values}
        while True:
            try:
                self._ask_everything()
                return
            except _GoBack:
                self.given = given
                self.context.params.clear()
                self.context.params.update(values)
                for name, source in sources.items():
                    if source is not None:
                        self.context.set_parameter_source(name, source)
                self.replayed, self.entries, self.is_live = self.entries[:-1], [], False

    def _ask_everything(self) -> None:
        if not any(self._was_given(name) for name in _VARIANT_OPTIONS):
            self._ask("Variant, such as 3 teams, auction [two teams, taking]", self._read_variant)
        self._ask(f"Your cards, such as {self._examples[0]}", self._read_hand)
        if self._referee.has_upcard and self.given["return_card"] is None:
            name = self._referee.upcard_name.removeprefix("the ")
            self._ask(f"{capitalize(name)}, such as Jh", self._read_upcard)
        is_drawn = self.rules.partners == "random"
        if self.given["place"] is None:
            hint = f"Your place: {', '.join(name_places(self.rules.seats))}"
            if is_drawn:  # Partners' places are asked for next.
                self._ask(hint, self._read_needed_place)
            else:
                self._ask(f"{hint} [whose turn it is]", self._read_place)
        if is_drawn and self.given["partners_at"] is None:
            example = "3rd 5th" if self.rules.team_count == 2 else "4th"
            self._ask(f"Your partners' places, such as {example} [as with fixed partners]",
                      self._read_partners)  # fmt: skip
        if self.given["heard"] is None and self.given["lap"] is None:
            hint = f"Calls so far, such as {self._examples[1]} [everyone before you passed]"
            self._go_on(self._ask(hint, self._read_calls))
        else:
            self._go_on(self._enter_calls())

    def _go_on(self, stage: Stage | None) -> None:
        """Answer, and ask what happens next, until the round is over or nothing is entered."""
        while stage is not None:
            if stage == "over":
                self._tell("Everyone passed: the round is over.")
                return
            if stage == "cards" and self.given["played"] is None:
                self._ask_for_play()
            self._answer()
            if stage == "calls":
                hint = f"Your call and those after it, such as {self._examples[1]} [end]"
                stage = self._ask(hint, self._read_more_calls)
            else:
                stage = self._ask("Your card and those after it, such as As 4s [end]",
                                  self._read_more_plays)  # fmt: skip

    def _ask(self, prompt: str, read: Callable[[str], _T]) -> _T:
        """Return what `read` makes of an entry; ask again, with its error, as often as needed."""
        while True:
            if self.replayed:
                text = self.replayed.pop(0)
            else:
                self.is_live = True
                text = click.prompt(_wrap(prompt), default="", show_default=False).strip()
            if text == "?":
                self._tell(_HELP)
                continue
            if text.lower() in ("u", "undo"):
                if self.entries:
                    raise _GoBack
                self._tell("This is the first question.")
                continue
            try:
                value = read(text)
            except click.UsageError as error:
                say(_wrap(one_line(error.format_message())), err=True)
            except ValueError as error:
                say(_wrap(one_line(str(error))), err=True)
            else:
                self.entries.append(text)
                return value

    def _tell(self, text: str) -> None:
        """Write lines, unless entries are replayed."""
        if self.is_live:
            say("\n".join(map(_wrap, text.split("\n"))))

    def _answer(self) -> None:
        """Write the answer and the command that gives it."""
        if not self.is_live:
            return
        say()
        try:
            self.answer(self.given)
        except ValueError as error:
            # Such as calls that the assumed players would hardly ever make.
            say(_wrap(one_line(str(error))), err=True)
        else:
            words = list_command_words(self.context)
            say(f"\nThe same question:\n{_wrap_command(words)}\n")

    # What is asked.

    def _read_variant(self, text: str) -> None:
        chosen: dict[str, Any] = {}
        for word in re.findall(r"\w+", text.lower()):
            if word in ("teams", "team", "partners", "and", "with"):
                continue
            if word not in _VARIANT_WORDS:
                raise InputError(
                    f"{quote(word)} is no variant: write 2 or 3 teams, take, auction, random "
                    "partners or kwajongen"
                )
            name, value = _VARIANT_WORDS[word]
            chosen[name] = value
        game = chosen.pop("game", KQJ.name)
        if game != KQJ.name:
            self._set(rules=find_game(game).rules())
            self._note("game", game)
            return
        assert isinstance(self.rules, KqjRules)
        self._set(rules=replace(self.rules, **chosen))
        for name, value in chosen.items():
            self._note(name, value)

    def _read_hand(self, text: str) -> None:
        if not text:
            _require(f"your cards, such as {self._examples[0]}")
        cards = parse_cards(text, ranks=self.rules.ranks)
        sizes = {self.rules.tricks, self._referee.dealt_count}
        if len(cards) not in sizes:
            right = " or ".join(map(str, sorted(sizes)))
            raise InputError(f"{len(cards)} cards: you hold {right}")
        self._set_hand(cards)

    def _read_upcard(self, text: str) -> None:
        if not text:
            _require("the card turned up, such as 7h")
        card = parse_single_card(text, ranks=self.rules.ranks)
        if len(self._hand) < self.rules.tricks and card in self._hand:
            raise InputError(f"{card} is among your cards: the Return is another card")
        self._set(return_card=str(card))
        self._note("return", str(card))

    def _read_place(self, text: str) -> None:
        if text:
            place = parse_place(text, self.rules.seats)
            self._set(place=place)
            self._note("place", name_places(self.rules.seats)[place])

    def _read_needed_place(self, text: str) -> None:
        if not text:
            _require("your place, such as opener")
        self._read_place(text)

    def _read_partners(self, text: str) -> None:
        from kqj_sim.positions.reader import assign_teams

        places = read_places("partners", text or None, self.rules)
        assign_teams(self.rules, places, self.given["place"])
        self._set(partners_at=places)
        self._note("partners_at", text or None)

    def _read_calls(self, text: str) -> Stage:
        stage = self._enter_calls(heard=text or None)
        if text:
            self._note("heard", text)
        return stage

    def _read_more_calls(self, text: str) -> Stage | None:
        if not text:
            return None
        place, lap, before = (self.given[name] for name in ("place", "lap", "heard"))
        if before is None:
            before = "pass " * ((place or 0) + self.rules.seats * ((lap or 1) - 1))
        heard = f"{before.strip()} {text}".strip()
        stage = self._enter_calls(heard=heard, lap=None)
        self._note("heard", heard)
        self._note("lap", None)
        return stage

    def _ask_for_play(self) -> None:
        """Ask for the cards dealt after a take and for those played."""
        if len(self._hand) < self.rules.tricks:
            hint = f"Your {self.rules.tricks} cards, or the new ones, such as Qd 9s 8c"
            self._ask(hint, self._read_new_cards)
        self._ask("Cards played so far, such as As 4s [none]", self._enter_plays)

    def _read_new_cards(self, text: str) -> None:
        if not text:
            _require("the new cards, such as Qd 9s 8c")
        new, old = parse_cards(text, ranks=self.rules.ranks), self._hand
        count = self.rules.tricks
        cards = new if len(new) == count else (*old, *(card for card in new if card not in old))
        upcard = parse_single_card(self.given["return_card"] or "", ranks=self.rules.ranks)
        if len(cards) == count - 1 and upcard not in cards:
            cards = (*cards, upcard)
        if len(cards) != count or not {*old} <= {*cards}:
            raise InputError(
                f"{len(new)} cards: give all {count}, or the {count - len(old)} that you got after "
                f"{format_hand(old)}"
            )
        self._set_hand(cards)

    def _read_more_plays(self, text: str) -> Stage | None:
        if not text:
            return None
        before = self.given["played"] or ""
        played = parse_cards(before, ranks=self.rules.ranks)
        own = parse_cards(text, ranks=self.rules.ranks)[0]
        held = [card for card in self._hand if card not in played]
        if own not in held:
            raise InputError(
                f"{own} is not among your cards: begin with yours, of "
                f"{format_hand(held, ranks=self.rules.ranks)}"
            )
        self._enter_plays(f"{before} {text}".strip())
        return "cards"

    # What is known.

    @property
    def rules(self) -> GameRules:
        """The rules by the options and the answers."""
        rules: GameRules = self.given["rules"]
        return rules

    @property
    def _referee(self) -> Referee:
        return get_referee(self.rules)

    @property
    def _hand(self) -> tuple[Card, ...]:
        return parse_cards(self.given["hand"] or "", ranks=self.rules.ranks)

    @property
    def _examples(self) -> tuple[str, str]:
        return _EXAMPLES[self._referee.question]

    def _enter_calls(self, **known: Any) -> Stage:
        """Keep the calls and return what is asked next.

        Raises:
            ValueError: a call is impossible, or it is another player's turn.
        """
        from kqj_sim.positions.reader import read_typed_calling

        given = {**self.given, **known}
        names = ("return_card", "heard", "partners_at", "place")
        calling = read_typed_calling(self.rules, **{name: given[name] for name in names})
        try:
            found = self._parse(**known)
        except InputError:
            if not calling.is_closed:
                raise
            self._set(**known)
            return "over" if calling.final_contract() is None else "cards"
        self._set(**known, place=found.place)
        return "calls"

    def _enter_plays(self, played: str) -> None:
        """Keep the cards played; raise ValueError if it is another player's turn after them."""
        found = self._parse(played=played, lap=None)
        self._set(played=played, lap=None, place=found.seat)
        self._note("played", played)

    def _parse(self, **known: Any) -> Any:
        """Return the position that is known so far, and by `known`."""
        from kqj_sim.questions.odds.position import parse_typed_position

        names = ("hand", "return_card", "place", "lap", "heard", "partners_at")
        given = {name: self.given[name] for name in names}
        flags = {name: self.given[name] or None for name in ("pending", "raised")}
        return parse_typed_position(self.rules, {**given, **flags, **known})

    def _set_hand(self, cards: tuple[Card, ...]) -> None:
        self._set(hand=" ".join(map(str, cards)))
        self._note("hand", tuple(map(str, cards)))
        self._tell(f"  {format_hand(cards, ranks=self.rules.ranks)}")

    def _set(self, **known: Any) -> None:
        self.given = {**self.given, **known}

    # The command that asks the same.

    def _was_given(self, name: str) -> bool:
        return self.context.get_parameter_source(name) is not ParameterSource.DEFAULT

    def _note(self, name: str, value: Any) -> None:
        """Keep a value for the command line as if it had been an option."""
        self.context.params[name] = value
        source = ParameterSource.DEFAULT if value is None else ParameterSource.COMMANDLINE
        self.context.set_parameter_source(name, source)


def _require(what: str) -> NoReturn:
    raise InputError(f"this is needed to answer: enter {what}; Ctrl-D ends")


def _wrap(text: str) -> str:
    """Return text in lines that fit on the screen, broken between words."""
    width = screen_width()
    if width is None:
        return text
    return "\n".join(
        textwrap.wrap(
            text, width, initial_indent="",
            subsequent_indent="  ", break_long_words=False, break_on_hyphens=False,
        )
    )  # fmt: skip


def _wrap_command(words: list[str]) -> str:
    """Return a command in lines that fit on the screen, as a shell reads it."""
    width, lines = screen_width(), [" "]
    for word in words:
        quoted = shell_join([word])
        if width is not None and lines[-1].strip() and len(f"{lines[-1]} {quoted} \\") > width:
            lines.append("   ")
        lines[-1] += f" {quoted}"
    return " \\\n".join(lines)
