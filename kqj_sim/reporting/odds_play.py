"""What cards are worth, in words and as a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.odds_play_tables import card_table
from kqj_sim.notation import format_contract, format_hand
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.specification import player
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.odds import bounds_of, lead_words, ranking_words, share_text
from kqj_sim.reporting.report import Report, Run, describe_policies, describe_rules
from kqj_sim.rules import KqjRules

if TYPE_CHECKING:
    from kqj_sim.analysis.odds_play import PlayOdds

NOT_PLAYS = "that they would also have played so is not asked"


@dataclass(frozen=True)
class CardsRun(Run):
    """A run in which cards were played on; `policies` and `players` are those of the seats."""

    odds: PlayOdds | None = None

    @property
    def _of(self) -> PlayOdds:
        assert self.odds is not None
        return self.odds

    @property
    def _turned(self) -> str:
        """The key of the card turned up."""
        return "return" if isinstance(self.rules, KqjRules) else "turned"

    def to_dict(self) -> dict[str, Any]:
        """The run as plain values."""
        of, so_far = self._of, self._of.so_far
        called = so_far.called
        return {
            **super().to_dict(),
            "hand": [str(card) for card in sorted(so_far.hand)],
            so_far.seat_is_called: so_far.seat,
            "dealer": so_far.dealer,
            "teams": list(so_far.teams),
            self._turned: None if so_far.turned is None else str(so_far.turned),
            "sender": called.sender,
            "contract": called.contract,
            "amount": called.amount,
            "capot": called.capot,
            "stake": called.stake,
            "tricks": [
                {"leader": leader, "cards": [str(card) for card in cards]}
                for leader, cards in so_far.tricks
            ],
            "pending": so_far.pending,
            "calls_count": of.calls_count,
            "best": str(of.cards[0].card),
            "choosing_deals": of.choosing_deals,
            "exact": of.exact,
            "distributions": of.distributions,
            "agreeing_share": of.agreeing,
            "agreeing_interval": bounds_of(of.agreed),
            "effective_deals": of.effective,
            "ended_by": of.stopped or None,
            "intervals": "confidence sequences" if of.any_time else "for this number of deals",
        }

    def summary(self) -> str:
        """The run in a line for people."""
        of, so_far = self._of, self._of.so_far
        called, who = so_far.called, so_far.seat_is_called
        contract = format_contract(called.contract, signs=True)
        if called.amount is not None:
            contract = f"{called.amount} {contract}{' capot' if called.capot else ''}"
        contract += {1: "", 2: " countered", 4: " overcountered"}[called.stake]
        number, on_table = len(so_far.tricks), so_far.tricks[-1][1]
        trick = f"trick {number}, {' '.join(map(str, on_table)) or 'to lead'}"
        kwajongen = not isinstance(self.rules, KqjRules)
        return "; ".join(
            [
                describe_rules(self.rules),
                f"{who} {called.sender} plays {contract}",
                *([f"{who} {so_far.dealer} has shown {so_far.turned}"] if kwajongen else []),
                *(["a raised round"] if kwajongen and so_far.pending else []),
                f"{who} {so_far.seat} has {format_hand(so_far.hand, ranks=self.rules.ranks)}",
                trick,
                describe_policies(self.policies).replace("seat", who),
                of.how
                if of.exact
                else f"{of.how}{ranking_words('cards', of.choosing_deals)}, seed {self.seed}",
            ]
        )

    def intervals(self) -> str:
        """What the intervals are, and what is known of the calls."""
        of = self._of
        told = "" if of.exact else super().intervals()
        if of.any_time:
            told = told.replace("intervals", "intervals that hold at every moment")
        if not of.calls_count:
            calls = "any hidden hands that agree with the plays, whatever was called"
        else:
            share = share_text(of.agreed)
            calls = f"others would have called as heard in {share} of what agrees with the plays"
            if not of.exact and of.effective < of.deals - 1:
                calls += f", what was drawn tells as much as {of.effective:,.0f} equal ones"
        return "; ".join(part for part in (told, calls, NOT_PLAYS) if part)


def cards_report(odds: PlayOdds) -> Report:
    """Everything that is shown of odds of cards."""
    run = CardsRun(
        command="odds",
        rules=odds.so_far.rules,
        policies=tuple(_short_name(each, odds.so_far.rules.game) for each in odds.players),
        players=odds.players,
        seed=odds.seed,
        first=0,
        deals=odds.deals,
        confidence=None if odds.exact else odds.confidence,
        interrupted=odds.interrupted,
        odds=odds,
    )
    stopped = [f"Ended early: {odds.stopped}"] if odds.stopped else []
    return Report(run, [card_table(odds)], [answer(odds), *stopped])


def _short_name(specification: str, game: str) -> str:
    """A player's policies alone, if their parameters are the usual ones."""
    found = player(specification, game)
    called, played = found.calling.policy.name, found.playing.policy.name
    short = called if called == played else f"{called}+{played}"
    try:
        return short if player(short, game).text == found.text else found.name
    except PolicyError:
        return found.name


def answer(odds: PlayOdds) -> str:
    """Which card is best, and how sure that is."""
    best, *others = odds.cards
    nan = float("nan")

    def shown(name: str, unit: Any) -> str:
        value, low, high, _ = best.measures[name]
        bounds = (nan, nan) if odds.exact else (low, high)
        return str(format_number(value, *bounds, unit))

    line = f"Best: {best.card}, by {shown('difference', odds.telling.worth)} points; "
    line += f"it wins {shown('wins', 'share')} of the rounds"
    if not others:
        return f"{line}. No other card may be played"
    leads = {}
    for each in others:
        assert each.to_best is not None
        value, low, high, deals = each.to_best["difference"]
        leads[str(each.card)] = Estimate(-value, -high, -low, deals)
    tied = "Just as good" if odds.exact else "Not told apart from it"
    if odds.exact:
        # What is exact has no interval to show; ties are told by the value.
        leads = {text: lead._replace(low=nan, high=nan) for text, lead in leads.items()}
    return line + lead_words(leads, tied, odds.telling.worth)
