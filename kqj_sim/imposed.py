"""Contracts and first calls that an experiment imposes in place of the bidding (KQJ)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from kqj_sim.cards import parse_contract
from kqj_sim.errors import InputError
from kqj_sim.messages import quote
from kqj_sim.places import name_places, parse_place
from kqj_sim.rules import SEATS, GameRules, KqjRules


@dataclass(frozen=True)
class ImposedContract:
    """A Sender and a contract that are given; nobody calls.

    Attributes:
        place: the Sender's place, 0 the opener to 5 the dealer.
        contract: `s h d c NT AT`.
        amount: points bid, with auctions only.
    """

    place: int
    contract: str
    amount: int | None = None

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Parse PLACE:CONTRACT[:AMOUNT]: opener:h, 2nd:NT, dealer:h:150; or raise InputError."""
        place_text, *rest = text.split(":")
        if len(rest) not in (1, 2):
            raise InputError("write place and contract, such as opener:h, or opener:h:150")
        place, contract = parse_place(place_text, SEATS), parse_contract(rest[0])
        if len(rest) == 1:
            return cls(place, contract)
        amount = rest[1].strip()
        if not (amount.isascii() and amount.isdecimal()):
            raise InputError(
                f"{quote(rest[1])} is not an amount: it should be a multiple of 10, such as 150"
            )
        return cls(place, contract, int(amount[:9]))

    def __str__(self) -> str:
        """Return the text that `from_text` parses."""
        amount = "" if self.amount is None else f":{self.amount}"
        return f"{name_places(SEATS)[self.place]}:{self.contract}{amount}"

    def check(self, rules: GameRules) -> None:
        """Raise InputError if the rules do not allow the contract."""
        if not isinstance(rules, KqjRules):
            raise InputError("contract: contracts can be imposed only in kqj")
        if not 0 <= self.place < rules.seats:
            raise InputError(f"place {self.place}: it should be 0 (the opener) to 5 (the dealer)")
        if self.contract not in rules.contracts:
            raise InputError(
                f"contract {quote(self.contract)}: it should be one of {', '.join(rules.contracts)}"
            )
        if rules.bidding == "take":
            if self.amount is not None:
                raise InputError(
                    f"amount {self.amount}: amounts belong to auctions (`bidding='auction'`); "
                    f"write {name_places(SEATS)[self.place]}:{self.contract}"
                )
            return
        low, high = rules.minimum_bid, rules.max_amount
        if self.amount is None or not low <= self.amount <= high or self.amount % 10:
            amount = "amount" if self.amount is None else f"amount {self.amount}"
            raise InputError(
                f"{amount}: with auctions it should be a multiple of 10 from {low} to {high}, such "
                f"as {name_places(SEATS)[self.place]}:{self.contract}:{low}"
            )


@dataclass(frozen=True)
class ImposedFirstCall:
    """The opener's first call, whatever cards the opener holds; with taking only.

    It is to take in the suit of the Return, or without `takes` to pass; then others may call.
    """

    takes: bool

    def check(self, rules: GameRules) -> None:
        """Raise InputError if the rules have no taking."""
        if not isinstance(rules, KqjRules):
            raise InputError("first call: calls can be imposed only in kqj")
        if rules.bidding != "take":
            raise InputError("first call: with auctions nobody takes: leave it out")
