"""`standard`: calls like `points` and plays by rule."""

from __future__ import annotations

from typing import Any, NamedTuple

from kqj_sim.core import cards as c
from kqj_sim.core.block import SEATS, TRICKS
from kqj_sim.core.jit import scalar
from kqj_sim.core.types import Card
from kqj_sim.policies import points as calls
from kqj_sim.policies.parameters import Parameter, number
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import points
from kqj_sim.policies.trick_odds import TrickContext, build_trick_context, estimate_win_chances

# Card play by rule: each legal card gets a value in points, the sum of the terms below.
#
# A card brings its share of the trick's points, by the chance that the player's side wins it, less
# its value later: a master (no unseen card of its suit beats it) takes a trick of its own, the
# cards below it need guards, trumps are drawn by the contracting team, and the lead is good for a
# hand with masters to cash.
#
# The parameters are prices of these things, in points of a round: positive for playing the card,
# negative for keeping it. They were fitted on rounds of two and three teams, with and without
# auctions, that were played on with each card a player could choose, in the true deal.

_KINGS = c.EACH_SUIT << c.TRUMP_KING
_QUEENS_JACKS = c.EACH_SUIT << c.TRUMP_QUEEN | c.EACH_SUIT << c.TRUMP_JACK

_MAX_MASTERS = 3
"""Masters that count: with more, the lead is lost or the round over before they take a trick."""
_CAPOT_TRICKS = 3
"""Finished tricks from which on a Capot is in sight."""
_FEW_UNSEEN = 2
"""Unseen cards of a suit that count as few."""


class _DecisionFacts(NamedTuple):
    """Facts that all candidate cards of a decision share."""

    known: TrickContext
    left: int
    """Tricks after this one."""
    trumps_out: int
    """Unseen trumps."""
    holds_top: int
    """1 if the hand holds a trump that no unseen one beats."""
    wins_all: int
    """1 if a Capot is in sight: the team has won all of at least `_CAPOT_TRICKS` tricks."""
    partner_sends: int
    """1 if the Sender is a partner who is still to play."""


class _CardFacts(NamedTuple):
    """Facts about one candidate card, from which the terms are computed."""

    points: int
    chance: float
    """Chance that the player's side wins the trick."""
    stays: float
    """Chance that this card wins the trick."""
    above: int
    """Unseen cards of its suit that beat it."""
    master: int
    """1 if there are none."""
    out: int
    """Unseen cards of its suit."""
    length: int
    """Cards of its suit that stay in the hand."""
    trumps: int
    """Trumps that stay in the hand."""
    masters: int
    """Masters that stay in the hand, up to `_MAX_MASTERS`."""
    plain_masters: int
    """Masters that stay in the hand and are no trumps, without that limit."""
    under_master: int
    """1 if the best card of its suit that stays is a stronger master."""
    unguarded: int
    """Points of the best card of its suit that stays, if it loses its last needed guard."""
    touching: int
    """1 if the hand also holds the next stronger card."""
    haul: float
    """The chance times the mean points of the unseen cards of the suit led."""
    partners: int
    """Partners who are still to play."""
    opponents: int
    partners_void: int
    """Of them, those known to lack the suit led."""
    opponents_void: int
    trump: int
    """1 if it is a trump."""
    follows: int
    """1 if it is of the suit led."""
    king_first: int
    """1 if it is the King of a trump suit whose Queen stays in the hand."""


@scalar
def _collect_decision_facts(view: Any) -> _DecisionFacts:
    known = build_trick_context(view)
    sender = view.sender - view.leader
    sender += SEATS if sender < 0 else 0
    return _DecisionFacts(
        known=known,
        left=TRICKS - 1 - view.trick_number,
        trumps_out=c.popcount(known.unseen & view.trumps),
        holds_top=1 if c.highest_bit(view.hand & view.trumps) & ~known.below != 0 else 0,
        wins_all=1 if view.won == view.played and view.trick_number >= _CAPOT_TRICKS else 0,
        partner_sends=1 if view.contracting != 0 and sender > view.position else 0,
    )


@scalar
def _collect_card_facts(
    view: Any, held_back: float, facts: _DecisionFacts, card: Card
) -> _CardFacts:
    known = facts.known
    suit = c.SUIT_MASK << (c.trailing_zeros(card) & 48)
    led = suit if view.position == 0 else view.led
    chance, stays = estimate_win_chances(view, held_back, known, card)
    rest = view.hand & ~card
    others = rest & suit
    best = c.highest_bit(others)
    length = c.popcount(others)
    above_best = c.popcount(known.unseen & suit & -(best << 1))
    guards = best > card and above_best > 0 and length <= above_best
    behind = (62 << view.position) & 63
    void = (known.voids >> (c.trailing_zeros(led) & 48)) & behind
    led_out = known.unseen & led
    # The conditions stand apart: numba takes none inside a call with so many names.
    master = 1 if card & known.below == 0 else 0
    under_master = 1 if best > card and best & known.below == 0 else 0
    unguarded = points(view, best) if guards else 0
    touching = 1 if (card << 1) & others != 0 else 0
    trump = 1 if card & view.trumps != 0 else 0
    follows = 1 if card & view.led != 0 else 0
    king_first = 1 if card & _KINGS & view.climbing & (others << 1) != 0 else 0
    return _CardFacts(
        points=points(view, card),
        chance=chance,
        stays=stays,
        above=c.popcount(known.unseen & suit & -(card << 1)),
        master=master,
        out=c.popcount(known.unseen & suit),
        length=length,
        trumps=c.popcount(rest & view.trumps),
        masters=min(c.popcount(rest & ~known.below), _MAX_MASTERS),
        plain_masters=c.popcount(rest & ~known.below & ~view.trumps),
        under_master=under_master,
        unguarded=unguarded,
        touching=touching,
        haul=chance * points(view, led_out) / max(c.popcount(led_out), 1),
        partners=c.popcount(known.partners & behind),
        opponents=c.popcount(known.opponents & behind),
        partners_void=c.popcount(void & known.partners),
        opponents_void=c.popcount(void & known.opponents),
        trump=trump,
        follows=follows,
        king_first=king_first,
    )


@scalar
def _value_any_card(prices: Any, facts: _DecisionFacts, card: _CardFacts) -> float:
    value = card.chance * (
        prices.win_table * facts.known.on_table + prices.win_points * card.points
    )
    # The second and third best of a suit may still take a trick, or be given to a partner.
    value += prices.second_points * (card.above == 1) * card.points
    value += prices.third_points * (card.above == 2) * card.points
    # With trumps out there are ruffs to come, and points are better played now.
    value += prices.undrawn_points * facts.trumps_out * card.points
    value += prices.opponent_void * card.opponents_void
    # Cards that touch take the same tricks: the lower one is spent first.
    value += prices.touching * card.touching
    # King before Queen is a bonus, sure once the King is played.
    value += prices.king_first * card.king_first
    # All tricks are worth much more than most.
    value += prices.win_all * facts.wins_all * card.chance
    return value


@scalar
def _value_trump(prices: Any, facts: _DecisionFacts, card: _CardFacts) -> float:
    """Return the terms of a trump, led, followed with or ruffed with."""
    value = (prices.trump_points + prices.trump_undrawn_points * facts.trumps_out) * card.points
    # The best trumps still out but one, two and three: tricks to come.
    value += prices.trump_second * (card.above == 1)
    value += prices.trump_third * (card.above == 2)
    value += prices.trump_fourth * (card.above == 3)
    value += prices.trump_early * facts.left
    value += prices.trump_partner_void * card.partners_void
    return value


@scalar
def _value_plain(prices: Any, facts: _DecisionFacts, card: _CardFacts) -> float:
    """Return the terms of a plain card where there is a trump suit."""
    return facts.left * (
        prices.plain_chance_early * card.chance + prices.plain_points_early * card.points
    )


@scalar
def _value_non_trump(view: Any, prices: Any, facts: _DecisionFacts, card: _CardFacts) -> float:
    """Return the terms of every card that is no trump, with or without a trump suit."""
    # Masters of a long suit run; of a suit with few cards out a trick is soon ruffed.
    value = prices.out * card.out + prices.long_master * card.master * card.length
    value += prices.contracting_points * view.contracting * card.points
    value += prices.before_sender * facts.partner_sends
    return value


@scalar
def _value_lead(view: Any, prices: Any, facts: _DecisionFacts, card: _CardFacts) -> float:
    low = card.above > 0 and card.out <= _FEW_UNSEEN
    drawn = facts.trumps_out == 0
    value = (prices.lead_points + prices.lead_master_points * card.master) * card.points
    # Leading low from a master is to give away the trick that it would take.
    value += prices.lead_under_master * card.under_master
    value += prices.lead_touching * card.stays * card.touching
    # With no trump out a master runs no risk: it can wait.
    value += prices.lead_safe_master * card.master * drawn * facts.left
    if card.trump != 0:
        value += card.chance * (
            prices.draw_chance * card.opponents + prices.draw_masters * card.masters
        )
        value += prices.draw_haul * card.haul + prices.draw_opponent_void * card.opponents_void
        value += prices.draw_under_master * card.under_master + prices.draw_low * low
        return value
    value += prices.lead_trumps_kept * card.trumps
    if view.contract >= c.NO_TRUMP:
        value += prices.even_lead_chance * card.chance * card.chance
        value += prices.even_lead_cash * card.stays * card.masters
        value += prices.even_lead_master_out * card.master * card.out
        value += prices.even_lead_long * card.master * card.length
        value += prices.even_lead_low * low
        value += prices.all_trumps_lead_second * (view.contract > c.NO_TRUMP) * (card.above == 1)
    return value


@scalar
def _value_follow(view: Any, prices: Any, facts: _DecisionFacts, card: _CardFacts) -> float:
    """Return the terms of following: to the suit, with a ruff or with a discard."""
    drawn = facts.trumps_out == 0
    value = (prices.master + prices.master_points * card.points) * card.master
    value += (prices.follow_out + prices.out_points * card.points) * card.out
    value += prices.last_of_suit * (card.length == 0) + prices.under_master * card.under_master
    value += prices.haul * card.haul
    # To win the trick is to lead: good for who has masters to cash, best with no trump out.
    value += card.stays * (
        prices.cash * card.masters + prices.cash_drawn * drawn * card.plain_masters
    )
    if card.follows != 0:
        value += prices.follow_chance * card.opponents * card.chance
    if card.trump != 0:
        value += (
            prices.trump_master + prices.trump_master_contracting * view.contracting
        ) * card.master
        value += prices.trump_second_points * (card.above == 1) * card.points
        value += prices.trump_partners * card.partners * card.chance
        if card.follows == 0:
            value += prices.ruff_from_length * (card.above > 0) * card.length
            return value
        value += card.chance * (prices.climb_chance + prices.climb_with_top * facts.holds_top)
        value += prices.climb_master_undrawn * card.master * facts.trumps_out
        return value
    if card.follows == 0:
        value += prices.discard_guard * card.unguarded
    if view.contract >= c.NO_TRUMP:
        return value + prices.even_master_out * card.master * card.out
    value += (
        prices.plain_master_points * card.points + prices.plain_safe_master * drawn * facts.left
    ) * (card.master)
    if card.follows == 0:
        value += prices.discard_master_out * card.master * card.out
    return value


@scalar
def choose_card_by_rule(view: Any, prices: Any) -> int:
    """Return the legal card of the greatest value; of several, that of the lowest bit.

    `prices` has a field for each of `PRICES`.
    """
    # The Queen waits for the King, the Jack for the Queen: the bonus needs that order.
    waiting = view.hand & (view.hand >> 1) & view.climbing & _QUEENS_JACKS
    legal = view.legal & ~waiting if view.legal & ~waiting != 0 else view.legal
    if legal & (legal - 1) == 0:
        return legal
    memory = _collect_decision_facts(view)
    best, choice = -1e9, 0
    while legal != 0:
        card = c.lowest_bit(legal)
        legal ^= card
        facts = _collect_card_facts(view, prices.held_back, memory, card)
        value = _value_any_card(prices, memory, facts)
        if facts.trump != 0:
            value += _value_trump(prices, memory, facts)
        else:
            value += _value_non_trump(view, prices, memory, facts)
            if view.contract < c.NO_TRUMP:
                value += _value_plain(prices, memory, facts)
        if view.position == 0:
            value += _value_lead(view, prices, memory, facts)
        else:
            value += _value_follow(view, prices, memory, facts)
        if value > best:
            best, choice = value, card
    return choice


_PRICES: dict[str, tuple[float, str]] = {
    "win_table": (2.51, "chance to win the trick, for each point on the table"),
    "win_points": (4.12, "chance to win the trick, for each point of the card"),
    "second_points": (-1.83, "a card that one unseen card of its suit beats, for each point"),
    "third_points": (-0.846, "a card that two unseen cards beat, for each point"),
    "undrawn_points": (0.146, "each point of the card, for each unseen trump"),
    "opponent_void": (4.72, "each opponent behind who is known to lack the suit led"),
    "touching": (1.7, "a card whose next stronger one is in the hand, too"),
    "king_first": (9.33, "the King of trump while the Queen is in the hand"),
    "win_all": (20.4, "from the fourth trick: chance to win one more, having won them all"),
    # Trumps.
    "trump_points": (-1.26, "a trump, for each of its points"),
    "trump_undrawn_points": (-0.224, "each point of a trump, for each unseen trump"),
    "trump_second": (-20.9, "a trump that one unseen trump beats"),
    "trump_third": (-9.37, "a trump that two unseen trumps beat"),
    "trump_fourth": (-6.75, "a trump that three unseen trumps beat"),
    "trump_early": (-3.05, "a trump, for each trick that is left after this one"),
    "trump_partner_void": (12.8, "each partner behind known to lack the suit led"),
    # Cards that are no trumps.
    "out": (-1.32, "no trump: each unseen card of its suit"),
    "long_master": (2.16, "no trump: a master, for each other card of its suit in the hand"),
    "contracting_points": (-0.551, "no trump, contracting: each point of the card"),
    "before_sender": (-1.76, "no trump: with the Sender, a partner, behind"),
    "plain_chance_early": (2.33, "plain card: chance to win, for each trick left"),
    "plain_points_early": (-0.17, "plain card: each point, for each trick left"),
    # Leading.
    "lead_points": (-1.65, "each point of the card led"),
    "lead_master_points": (-1, "each point of a master led"),
    "lead_under_master": (-45.9, "leading low while a master of the suit is in the hand"),
    "lead_touching": (54.3, "a led card that wins, with the next stronger one in the hand"),
    "lead_safe_master": (-5.42, "leading a master with no trump out, for each trick left"),
    "draw_chance": (-12.4, "leading trump: chance to win, for each opponent"),
    "draw_masters": (20.5, "leading trump: chance to win, for each other master (up to 3)"),
    "draw_haul": (2.42, "leading trump: chance to win, for each mean point of unseen trumps"),
    "draw_opponent_void": (-14.9, "leading trump: each opponent known to have none"),
    "draw_under_master": (-14.7, "leading a low trump while the best is in the hand"),
    "draw_low": (-7.97, "leading a trump that is beaten by one of the last two out"),
    "lead_trumps_kept": (-11.5, "leading no trump: each trump in the hand"),
    "even_lead_chance": (30.9, "leading at No-Trump, All-Trumps: chance to win, squared"),
    "even_lead_cash": (3.55, "the same: the card wins, for each other master (up to 3)"),
    "even_lead_master_out": (-5.85, "the same: a master, for each unseen card of its suit"),
    "even_lead_long": (9.24, "the same: a master, for each other card of its suit"),
    "even_lead_low": (-18.4, "the same: a card that is beaten by one of the last two out"),
    "all_trumps_lead_second": (-4.92, "leading at All-Trumps what one unseen card beats"),
    # Following.
    "master": (-9.08, "following: a master"),
    "master_points": (-2.43, "following: each point of a master"),
    "follow_out": (2.15, "following: each unseen card of the suit of the card"),
    "out_points": (-0.182, "following: the same, for each point of the card"),
    "last_of_suit": (7.98, "following: the last card of its suit in the hand"),
    "under_master": (-1.19, "following: low, while a master of the suit is in the hand"),
    "haul": (1.6, "following: chance to win, for each mean point of unseen cards of the suit"),
    "cash": (3.71, "following: the card wins, for each other master (up to 3)"),
    "cash_drawn": (1.26, "the same with no trump out, for each master that is no trump"),
    "follow_chance": (4.77, "following suit: chance to win, for each opponent behind"),
    "trump_master": (-53.4, "following or ruffing with the best trump"),
    "trump_master_contracting": (12.7, "the same when contracting"),
    "trump_second_points": (0.494, "the same with the second best trump, for each point"),
    "trump_partners": (9.33, "the same with any trump: chance to win, for each partner behind"),
    "ruff_from_length": (-5.02, "ruffing, not with the best trump: each other trump in the hand"),
    "climb_chance": (-93.4, "following in trump: chance to win"),
    "climb_with_top": (148, "the same with the best trump in the hand"),
    "climb_master_undrawn": (1.97, "following with the best trump: each unseen trump"),
    "discard_guard": (
        -0.993,
        "discarding a guard that the best card of its suit needs: its points",
    ),
    "discard_master_out": (-2.76, "discarding a plain master: each unseen card of its suit"),
    "plain_master_points": (1.16, "following with a plain master: each of its points"),
    "plain_safe_master": (-15.7, "following with a plain master, no trump out: each trick left"),
    "even_master_out": (-4.46, "following at No-Trump, All-Trumps with a master: each unseen card"),
}
"""Prices in points of a round, and what they are for."""

PRICES: dict[str, Parameter] = {
    "held_back": number(0.25, "share of those who could have beaten the master and did not", 0, 1),
    **{name: number(price, meaning, -1000, 1000) for name, (price, meaning) in _PRICES.items()},
}
"""Parameters of card play; masters are cards that no unseen card of their suit beats."""


standard = policy(
    "standard",
    "calls like points; plays by rules: counts cards, estimates chances, saves strong cards",
    **calls.PARAMETERS,
    **PRICES,
)


for _choose, _ in calls.points.choices.values():
    standard(_choose)


@standard
def choose_card(view: Any, parameters: Any) -> int:
    """Play the legal card of the greatest value."""
    return choose_card_by_rule(view, parameters)
