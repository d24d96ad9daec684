"""Odds in words: names of calls, cards and places, and the headline that says the decision."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from kqj_sim.cards import add_suit_signs, format_card
from kqj_sim.games import find_game
from kqj_sim.output.sentences import say, take_absolute
from kqj_sim.positions.measures import RANKING_MEASURE
from kqj_sim.questions.odds.card_reasons import compare_cards
from kqj_sim.stats.intervals import Estimate

if TYPE_CHECKING:
    from kqj_sim.positions.odds import Odds

FEW_EFFECTIVE_DEALS = 100
"""Odds with a smaller effective sample size are called no more than a hint."""

_MAX_TIED_NAMES = 3
"""Tied options named in a headline, at most."""


class OptionWords(NamedTuple):
    """A call or a card in sentences.

    Attributes:
        name: its name, `take ♥`, `120 ♥`, `K♠`.
        order: the imperative, `Take ♥`, `Bid 120 ♥`, `Play K♠`.
        subject: the subject of a sentence, `Taking ♥`, `120 ♥`, `K♠`.
    """

    name: str
    order: str
    subject: str


_SIMPLE_CALLS = {
    "pass": OptionWords("pass", "Pass", "Passing"),
    "play": OptionWords("play", "Play", "Playing"),
    "counter": OptionWords("counter", "Counter", "Countering"),
    "no counter": OptionWords("no counter", "Do not counter", "Not countering"),
    "overcounter": OptionWords("overcounter", "Overcounter", "Overcountering"),
    "no overcounter": OptionWords("no overcounter", "Do not overcounter", "Not overcountering"),
}

_FEW_POINTS = 100
"""Where a round is worth at most this, points have hundredths."""


def describe_option(odds: Odds, option: int) -> OptionWords:
    """Return a call or a card in words."""
    if odds.kind == "card":
        card = format_card(odds.options[option])
        return OptionWords(card, f"Play {card}", card)
    text = odds.get_text(option)
    if text in _SIMPLE_CALLS:
        return _SIMPLE_CALLS[text]
    name = add_suit_signs(text)
    if name.startswith("take "):
        return OptionWords(name, f"T{name[1:]}", f"Taking {name[5:]}")
    return OptionWords(name, f"Bid {name}", name)


def write_headline(odds: Odds) -> list[str]:
    """Return the decision in sentences, and what restricts it."""
    lines = [_write_decision(odds)]
    if odds.kind == "call":
        lines += _explain_call(odds)
        lines += find_game(odds.rules.game).part("answers").explain_best(odds)
    else:
        lines += _explain_card(odds)
    if odds.stop_text:
        lines.append(say(__name__, "ended_early", odds))
    if not odds.is_exact and odds.effective_sample_size < FEW_EFFECTIVE_DEALS:
        lines.append(say(__name__, "hint", odds))
    return lines


def _write_decision(odds: Odds) -> str:
    """Return the first sentences: what to do, what it is worth, and how far the next is behind."""
    first, *others = odds.ranking
    leads = odds.estimate_leads()
    best = describe_option(odds, first)
    if not others:
        return say(__name__, "only", best)
    # The deals that value may show what those that chose did not see.  A lead that is the same in
    # all deals has no interval.
    better = [other for other in others if leads[other].value < 0 and not leads[other].high >= 0]
    if better:
        rival = min(better, key=lambda other: leads[other].value)
        gap = format_gap(odds, leads[rival])
        return say(__name__, "undecided", best, describe_option(odds, rival), gap)
    worth = _write_worth(odds, first)
    tied = [other for other in others if leads[other].value <= 0 or leads[other].low <= 0]
    if not tied:
        following = describe_option(odds, others[0])
        lead = format_points(odds, leads[others[0]])
        return say(__name__, "decided", best, following, lead, worth)
    shown = tied if len(tied) <= _MAX_TIED_NAMES else tied[: _MAX_TIED_NAMES - 1]
    return say(
        __name__,
        "tied",
        odds,
        best,
        [describe_option(odds, other).name for other in shown],
        further=len(tied) - len(shown),
        are_equal=all(leads[each].value == 0 and math.isnan(leads[each].low) for each in tied),
        gap=format_gap(odds, leads[tied[0]]) if len(tied) == 1 else "",
        worth=worth,
    )


def _write_worth(odds: Odds, option: int) -> str:
    """Return the chance to win and the value of an option, as the end of a sentence."""
    value = odds.estimate(RANKING_MEASURE, option)
    points = format_points(odds, take_absolute(value))
    chance = format_chance(odds.estimate("win_share", option))
    return say(__name__, "worth", odds, points, _format_half(odds, value), chance, value.value >= 0)


def _explain_card(odds: Odds) -> list[str]:
    """Return what the best card does that the next one does not, if it is shown to be better."""
    leads = odds.estimate_leads()
    other = next(iter(leads), None)
    if other is None or leads[other].value <= 0 or leads[other].low <= 0:
        return []
    reason = compare_cards(odds.position, odds.options[odds.best], odds.options[other])
    if not reason:
        return []
    return [say(__name__, "card_reason", describe_option(odds, odds.best).name, reason)]


def _explain_call(odds: Odds) -> list[str]:
    """Return what makes the best call better than a pass, or a pass better than the next call.

    There is nothing to say unless the difference is shown, or where the question is no contract.
    """
    names = {odds.get_text(option): option for option in odds.ranking}
    passing = names.pop("pass", None)
    if passing is None or not names:
        return []
    best, other = odds.best, passing if odds.best != passing else next(iter(names.values()))
    lead = odds.estimate_leads()[other]
    if lead.value <= 0 or lead.low <= 0:
        return []
    own = odds.estimate("own_contract_share", passing)
    rest = 1 - odds.estimate("passed_share", passing).value
    is_own = own.value >= rest - own.value
    theirs = Estimate(rest - own.value, rest - own.high, rest - own.low, own.observations)
    playing = is_own, format_chance(own if is_own else theirs)
    if best == passing:
        made = odds.estimate("own_made_share", other)
        is_rare = made.value < 0.5
        subject = describe_option(odds, other)
        return [say(__name__, "rather_pass", odds, subject, format_chance(made), is_rare, *playing)]
    worth = odds.estimate(RANKING_MEASURE, passing)
    points = format_points(odds, take_absolute(worth))
    loses = odds.estimate(RANKING_MEASURE, best).high < 0
    return [say(__name__, "after_pass", odds, *playing, points, worth.value >= 0, loses)]


def format_chance(estimate: Estimate) -> str:
    """Return a chance as precise as its interval: `99.8%`, `71%`, `more than 99.9%`."""
    value = 100 * estimate.value
    known = not math.isnan(estimate.low)
    digits = 0 if known and 50 * (estimate.high - estimate.low) >= 0.95 else 1
    step = 10.0**-digits
    if value < 100 and round(value, digits) == 100:
        return f"more than {100 - step:.{digits}f}%"
    if value > 0 and round(value, digits) == 0:
        return f"less than {step:.{digits}f}%"
    return f"{value:.{0 if value in (0, 100) else digits}f}%"


def format_points(odds: Odds, estimate: Estimate) -> str:
    """Return points as precise as their interval: `218`, `2.7`; without one with a decimal.

    Where a round is worth few points, they are in hundredths.
    """
    half = (estimate.high - estimate.low) / 2
    digits = 0 if half >= 0.5 and abs(estimate.value) >= 10 else 1
    digits = 2 if _has_few_points(odds) else digits
    if math.isnan(half) and float(estimate.value).is_integer():
        digits = 0
    # A zero has no sign.
    return f"{estimate.value:z,.{digits}f}"


def _format_half(odds: Odds, estimate: Estimate) -> str:
    """Return the half-width of an interval; empty if there is none."""
    half = (estimate.high - estimate.low) / 2
    if math.isnan(half) or half == 0:
        return ""
    if math.isinf(half):
        return "?"
    if _has_few_points(odds):
        return f"{half:.2f}" if half >= 0.005 else f"{half:.3f}"
    return f"{half:,.0f}" if half >= 9.5 else f"{max(half, 0.1):.1f}"


def format_with_half(odds: Odds, estimate: Estimate) -> str:
    """Return points with their interval in brackets: `120 (±3.1)`."""
    half = _format_half(odds, estimate)
    return format_points(odds, estimate) + (f" (±{half})" if half else "")


def format_gap(odds: Odds, estimate: Estimate) -> str:
    """Return the size of a difference, with its interval: `0.8 ±1.9`."""
    half = _format_half(odds, estimate)
    size = f"{abs(estimate.value):,.{2 if _has_few_points(odds) else 1}f}"
    return f"{size} ±{half}" if half else size


def _has_few_points(odds: Odds) -> bool:
    return odds.max_points < _FEW_POINTS
