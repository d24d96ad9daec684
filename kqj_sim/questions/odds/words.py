"""Odds in words: names of calls and cards, and the headline that says the decision."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from kqj_sim.cards import add_suit_signs, format_card
from kqj_sim.games import find_game
from kqj_sim.output.sentences import say
from kqj_sim.questions.odds.card_reasons import compare_cards
from kqj_sim.stats.intervals import Estimate

if TYPE_CHECKING:
    from kqj_sim.positions.odds import Odds


class RankedOption(NamedTuple):
    """A call or a card in sentences.

    Attributes:
        number: its number among the options of the odds.
        name: its name, `take ♥`, `120 ♥`, `K♠`.
        lead: the lead of the best option over it, for the best one nothing.
    """

    number: int
    name: str
    lead: Estimate = Estimate(0.0, math.nan, math.nan, 0)

    @property
    def is_tied(self) -> bool:
        """True if it is not shown to be worse than the best option."""
        return self.lead.value <= 0 or self.lead.low <= 0


def name_option(odds: Odds, option: int) -> str:
    """Return the name of a call or a card: `take ♥`, `120 ♥`, `K♠`."""
    if odds.kind == "card":
        return format_card(odds.options[option])
    return add_suit_signs(odds.get_text(option))


def write_headline(odds: Odds) -> list[str]:
    """Return the decision in sentences, and what restricts it."""
    leads = odds.estimate_leads()
    best = RankedOption(odds.best, name_option(odds, odds.best))
    others = [RankedOption(other, name_option(odds, other), leads[other]) for other in leads]
    lines = [_write_decision(odds, best, others)]
    if odds.kind == "call":
        lines.append(_explain_call(odds, best, others))
        lines.append(find_game(odds.rules.game).part("answers").explain_best(odds, best))
    elif others:
        reason = compare_cards(
            odds.position, odds.options[best.number], odds.options[others[0].number]
        )
        lines.append(say(__name__, "card_reason", best, others[0], reason))
    lines.append(say(__name__, "ended_early", odds))
    lines.append(say(__name__, "hint", odds, names_options=True))
    return [line for line in lines if line]


def _write_decision(odds: Odds, best: RankedOption, others: list[RankedOption]) -> str:
    """Return the first sentences: what to do, what it is worth, and how far the next is behind."""
    # The deals that value may show what those that chose did not see.  A lead that is the same in
    # all deals has no interval.
    better = [other for other in others if other.lead.value < 0 and not other.lead.high >= 0]
    rival = min(better, key=lambda other: other.lead.value, default=None)
    tied = [other for other in others if other.is_tied]
    equal = all(other.lead.value == 0 and math.isnan(other.lead.low) for other in tied)
    return say(__name__, "decision", odds, best, others, rival, tied, equal, names_options=True)


def _explain_call(odds: Odds, best: RankedOption, others: list[RankedOption]) -> str:
    """Return what makes the best call better than a pass, or a pass better than the next call.

    There is nothing to say unless the difference is shown, or where the question is no contract.
    """
    passing = next((option for option in (best, *others) if option.name == "pass"), None)
    if passing is None or not others:
        return ""
    other = others[0] if passing is best else passing
    return say(__name__, "against_pass", odds, best, other)
