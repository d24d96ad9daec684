"""The prices that card play by rule puts on things (`policies.playing`), in points of a round.

A positive price is for playing the card, a negative one for keeping it.  They were fitted on
rounds of two and three teams, with and without auctions, that were played on with each card that
a player could choose, in the true deal.
"""

from __future__ import annotations

from kqj_sim.policies.parameters import Parameter, number


def _price(default: float, meaning: str) -> Parameter:
    """A price, in points of a round."""
    return number(default, meaning, -1000, 1000)


PRICES: dict[str, Parameter] = {
    "held_back": number(0.25, "share of those who could have beaten the master and did not", 0, 1),
    "win_table": _price(2.51, "chance to win the trick, for each point on the table"),
    "win_points": _price(4.12, "chance to win the trick, for each point of the card"),
    "second_points": _price(-1.83, "a card that one unseen card of its suit beats, for each point"),
    "third_points": _price(-0.846, "a card that two unseen cards beat, for each point"),
    "undrawn_points": _price(0.146, "each point of the card, for each unseen trump"),
    "opponent_void": _price(4.72, "each opponent behind who is known to lack the suit led"),
    "touching": _price(1.7, "a card whose next stronger one is in the hand, too"),
    "king_first": _price(9.33, "the King of trump while the Queen is in the hand"),
    "win_all": _price(20.4, "from the fourth trick: chance to win one more, having won them all"),
    # Trumps.
    "trump_points": _price(-1.26, "a trump, for each of its points"),
    "trump_undrawn_points": _price(-0.224, "each point of a trump, for each unseen trump"),
    "trump_second": _price(-20.9, "a trump that one unseen trump beats"),
    "trump_third": _price(-9.37, "a trump that two unseen trumps beat"),
    "trump_fourth": _price(-6.75, "a trump that three unseen trumps beat"),
    "trump_early": _price(-3.05, "a trump, for each trick that is left after this one"),
    "trump_partner_void": _price(12.8, "each partner behind known to lack the suit led"),
    # Cards that are no trumps.
    "out": _price(-1.32, "no trump: each unseen card of its suit"),
    "long_master": _price(2.16, "no trump: a master, for each other card of its suit in the hand"),
    "contracting_points": _price(-0.551, "no trump, contracting: each point of the card"),
    "before_sender": _price(-1.76, "no trump: with the Sender, a partner, behind"),
    "plain_chance_early": _price(2.33, "plain card: chance to win, for each trick left"),
    "plain_points_early": _price(-0.17, "plain card: each point, for each trick left"),
    # Leading.
    "lead_points": _price(-1.65, "each point of the card led"),
    "lead_master_points": _price(-1, "each point of a master led"),
    "lead_under_master": _price(-45.9, "leading low while a master of the suit is in the hand"),
    "lead_touching": _price(54.3, "a led card that wins, with the next stronger one in the hand"),
    "lead_safe_master": _price(-5.42, "leading a master with no trump out, for each trick left"),
    "draw_chance": _price(-12.4, "leading trump: chance to win, for each opponent"),
    "draw_masters": _price(20.5, "leading trump: chance to win, for each other master (up to 3)"),
    "draw_haul": _price(2.42, "leading trump: chance to win, for each mean point of unseen trumps"),
    "draw_opponent_void": _price(-14.9, "leading trump: each opponent known to have none"),
    "draw_under_master": _price(-14.7, "leading a low trump while the best is in the hand"),
    "draw_low": _price(-7.97, "leading a trump that is beaten by one of the last two out"),
    "lead_trumps_kept": _price(-11.5, "leading no trump: each trump in the hand"),
    "even_lead_chance": _price(30.9, "leading at No-Trump, All-Trumps: chance to win, squared"),
    "even_lead_cash": _price(3.55, "the same: the card wins, for each other master (up to 3)"),
    "even_lead_master_out": _price(-5.85, "the same: a master, for each unseen card of its suit"),
    "even_lead_long": _price(9.24, "the same: a master, for each other card of its suit"),
    "even_lead_low": _price(-18.4, "the same: a card that is beaten by one of the last two out"),
    "all_trumps_lead_second": _price(-4.92, "leading at All-Trumps what one unseen card beats"),
    # Following.
    "master": _price(-9.08, "following: a master"),
    "master_points": _price(-2.43, "following: each point of a master"),
    "follow_out": _price(2.15, "following: each unseen card of the suit of the card"),
    "out_points": _price(-0.182, "following: the same, for each point of the card"),
    "last_of_suit": _price(7.98, "following: the last card of its suit in the hand"),
    "under_master": _price(-1.19, "following: low, while a master of the suit is in the hand"),
    "haul": _price(
        1.6, "following: chance to win, for each mean point of unseen cards of the suit"
    ),
    "cash": _price(3.71, "following: the card wins, for each other master (up to 3)"),
    "cash_drawn": _price(1.26, "the same with no trump out, for each master that is no trump"),
    "follow_chance": _price(4.77, "following suit: chance to win, for each opponent behind"),
    "trump_master": _price(-53.4, "following or ruffing with the best trump"),
    "trump_master_contracting": _price(12.7, "the same when contracting"),
    "trump_second_points": _price(0.494, "the same with the second best trump, for each point"),
    "trump_partners": _price(
        9.33, "the same with any trump: chance to win, for each partner behind"
    ),
    "ruff_from_length": _price(
        -5.02, "ruffing, not with the best trump: each other trump in the hand"
    ),
    "climb_chance": _price(-93.4, "following in trump: chance to win"),
    "climb_with_top": _price(148, "the same with the best trump in the hand"),
    "climb_master_undrawn": _price(1.97, "following with the best trump: each unseen trump"),
    "discard_guard": _price(
        -0.993, "discarding a guard that the best card of its suit needs: its points"
    ),
    "discard_master_out": _price(-2.76, "discarding a plain master: each unseen card of its suit"),
    "plain_master_points": _price(1.16, "following with a plain master: each of its points"),
    "plain_safe_master": _price(
        -15.7, "following with a plain master, no trump out: each trick left"
    ),
    "even_master_out": _price(
        -4.46, "following at No-Trump, All-Trumps with a master: each unseen card"
    ),
}
"""Parameters of card play; masters are cards that no unseen card of their suit beats."""
