"""The first screen of a review: its run, the worst decisions in words, excerpts of its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, NoReturn

import numpy as np

from kqj_sim.arguments import name_policy
from kqj_sim.cards import CONTRACTS, Card, parse_card
from kqj_sim.games import find_game
from kqj_sim.messages import shell_join
from kqj_sim.output.card_reasons import compare_cards
from kqj_sim.output.figures import NothingToDrawError
from kqj_sim.output.grid import Excerpt
from kqj_sim.output.screen import RANGE_SIGNS, Run, Screen
from kqj_sim.output.sentences import say
from kqj_sim.plan import DEFAULT_ERROR_RATE
from kqj_sim.policies.players import parse_player
from kqj_sim.questions.review.cross_fitting import LARGE_LOSS
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.questions.review.grading import GAMES, Grade, GradePlan, Unit
from kqj_sim.questions.review.hindsight import (
    Continuation,
    Held,
    compute_differences,
    list_hidden,
    list_key_cards,
)
from kqj_sim.questions.review.play import ReviewedRounds, RoundReview
from kqj_sim.questions.review.tables import (
    OF_FEW_ROUNDS,
    OF_PLAYERS,
    OUTCOMES,
    is_few,
    list_grades,
    make_review_tables,
    sort_worst,
)
from kqj_sim.referee.base import PlayedTrick, get_referee
from kqj_sim.rules import GameRules
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.tables import Table
from kqj_sim.version import __version__

RARE_BIDS = "the bids of the others were too unusual to infer hands from"

OUT_OF_TIME = "out of time"
"""Why a decision is not graded that the limit of time left no deals for."""

_MOST_GROUPS = 10
"""Groups of --by that are shown, at most."""

_MOST_GAMES = 3
"""Games that are told one by one, at most."""

_LOSSES = ("loss_points_per_round", "mistakes_per_round", "loss_points_per_decision")

_OF_ROUND = (
    Excerpt(
        "seats",
        (
            "mistakes", "lucky", "bad_luck", "loss_points", "loss_win_share", "accuracy_share",
        ),
        without=("seat",),
    ),
    Excerpt(
        "team_parts",
        (
            "average", "deal_luck", "own_decisions", "own_luck", "others_decisions", "remainder",
            "result",
        ),
        without=("team",),
    ),
)  # fmt: skip
"""What people see of a round."""


@dataclass(frozen=True, kw_only=True)
class ReviewRun(Run):
    """A review: `policies` are empty, since every record names its own.

    Attributes:
        source: name of the file, `-` for stdin; the policy's specification if it was played.
        plan: how decisions are graded; its time is that of all rounds.
        played: whether the rounds were played on the way; `source` is then the command that writes
            one, with `{first}` for its number.
        skipped: number of rounds that could not be reviewed.
        is_mixed: True for rounds of several rules.
        has_files: True for rounds of several files.
    """

    source: str
    plan: GradePlan
    confidence: float
    skipped: int
    is_mixed: bool
    has_files: bool
    played: bool

    def name_reference(self, game: str) -> str:
        """Return the name of the reference player in rounds of a game."""
        return name_policy(self.plan.reference or find_game(game).default_player)

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, by the keys of the JSON output."""
        return {
            "version": __version__,
            "command": self.command,
            "game": self.rules.game,
            "source": self.source,
            "reference": self.name_reference(self.rules.game),
            "seed": self.seed,
            "grade": self.plan.unit.name,
            "unit": self.plan.unit.noun,
            "samples": self.plan.deals,
            "time": self.plan.time,
            "error_rate": self.plan.error_rate,
            "ignore_calls": self.plan.ignore_calls,
            "ignore_plays": self.plan.ignore_plays,
            "confidence": self.confidence,
            "deals": self.deals,
            "skipped_lines": self.skipped,
            "by": list(self.by),
            "interrupted": self.interrupted,
        }

    def describe(self) -> str:
        """Return the run in a line for people."""
        return say(__name__, "run", self, find_game(self.rules.game).title)

    def describe_intervals(self) -> str:
        """Describe the intervals for people."""
        source = " of the sampled deals" if is_few(self.deals) else ""
        return f"{RANGE_SIGNS}: {100 * self.confidence:g}% intervals{source}"

    def name_round(self, played: RecordedRound) -> str:
        """Return the name of a round: `Game 1, round 6`, after its file if there are several."""
        return played.full_title if self.has_files else played.title


def make_review_run(
    reviewed: ReviewedRounds, plan: GradePlan, source: str, rules: GameRules,
    by: tuple[str, ...] = (), played: bool = False,
) -> ReviewRun:  # fmt: skip
    """Return the run of rounds; `rules` are those of rounds that could not be reviewed."""
    all_rules = [review.played.rules for review in reviewed.reviews] or [rules]
    return ReviewRun(
        command="review", rules=all_rules[0], policies=(), seed=plan.seed, first=0,
        deals=len(reviewed.reviews), confidence=plan.confidence, by=by,
        interrupted=reviewed.interrupted or reviewed.out_of_time, source=source,
        plan=plan, skipped=len(reviewed.errors),
        is_mixed=any(own_rules != all_rules[0] for own_rules in all_rules), played=played,
        has_files=len({review.played.file for review in reviewed.reviews}) > 1,
    )  # fmt: skip


def describe_end(reviewed: ReviewedRounds) -> str | None:
    """Return a line on how far a review came; None if it came to the end."""
    if not reviewed.interrupted and not reviewed.out_of_time:
        return None
    return say(__name__, "end", reviewed.interrupted, len(reviewed.reviews), reviewed.left)


# Reviewed decisions in sentences.


def describe_player(played: RecordedRound, seat: int) -> str:
    """Return a player as a noun: `Cem`, `the opener`, `the 3rd`."""
    return played.seat_names.describe_noun(seat).removesuffix(" to speak")


def write_mistake(grade: Grade, title: str = "") -> str:
    """Return a sentence on what a decision lost, with the name of its round if it has a title."""
    who = describe_player(grade.decision.played, grade.decision.seat)
    return say(__name__, "mistake", grade, who, title, explain_best(grade), LARGE_LOSS)


def explain_best(grade: Grade) -> str:
    """Return a clause on what the best option does that the choice does not; may be empty."""
    decision, best = grade.decision, grade.best
    if best == decision.choice:
        return ""
    if decision.is_call:
        options = {option.name: option for option in grade.options}
        return say(__name__, "better_call", options[best], options[decision.choice])
    ranks = decision.knowledge.rules.ranks
    better, chosen = (parse_card(text, ranks=ranks) for text in (best, decision.choice))
    reason = compare_cards(decision.knowledge, better, chosen)
    return f"it {reason}" if reason else ""


def make_continuation(played: RecordedRound, run: ReviewRun) -> Continuation:
    """Return how a round goes on with the reference player."""
    return Continuation(played, parse_player(run.plan.reference, played.rules.game), run.plan.seed)


def list_lines(grade: Grade, continuation: Continuation) -> list[tuple[str, list[PlayedTrick]]]:
    """Return the choice and the best card, each with how the round goes on after it.

    Empty for a call, if a card was not known, or if nothing was lost.
    """
    decision = grade.decision
    if grade.hindsight is None or decision.is_call or not grade.matters:
        return []
    cards = decision.knowledge.referee.card_by_text
    return [
        (name, continuation.list_tricks(decision, cards[name]))
        for name in (decision.choice, grade.best)
    ]


def write_lines(grade: Grade, continuation: Continuation) -> list[str]:
    """Return the cards that follow the choice and the best card, with the result of each."""
    sentences = []
    for name, tricks in list_lines(grade, continuation):
        place = len(grade.decision.knowledge.tricks[-1][1])
        cards = [tricks[0].cards[place + 1 :], *(trick.cards for trick in tricks[1:])]
        following = [part for part in cards if part]
        value = grade.look_back(name)
        sentences.append(say(__name__, "line", name, following, value, grade.unit is GAMES))
    return sentences


def list_key_hidden(grade: Grade, confidence: float) -> list[tuple[Card, list[Held]]]:
    """Return where the hidden cards that matter were thought to be; none unless counted."""
    position, contract = grade.decision.knowledge, grade.decision.played.record.contract
    if grade.decision.is_call:
        words = " ".join((grade.decision.choice, grade.best)).split()
        called = [call.contract for call in reversed(position.calls or ()) if call.contract]
        upcard = [position.upcard.suit] if position.upcard else []
        contracts = [*(word for word in words if word in CONTRACTS), *called, *upcard]
        contract = contracts[0] if contracts else None
    key_cards = list_key_cards(position, contract)
    by_cards = {holding.cards: places for holding, places in list_hidden(grade, confidence)}
    return [(card, by_cards[card,]) for card in key_cards if (card,) in by_cards]


def write_hidden(grade: Grade, confidence: float) -> list[str]:
    """Return for each hidden card that matters who was thought to hold it, and who did."""
    played = grade.decision.played
    sentences = []
    for card, places in list_key_hidden(grade, confidence):
        names = [played.seat_names.describe(played.seat_of(held.place)) for held in places]
        by_chance = sorted(zip(names, places, strict=True), key=lambda it: -it[1].held_share.value)
        sentences.append(say(__name__, "hidden", card, by_chance))
    return sentences


def make_command(grade: Grade, run: ReviewRun) -> str:
    """Return the command that shows the options of a decision."""
    played = grade.decision.played
    words = ["kqj-sim", "odds", "--record"]
    before = ""
    if run.played:
        # A round that was played on the way is played again.
        number = getattr(played.source, "game_id", None)
        number = getattr(played.source, "deal", 0) if number is None else number
        before = f"{run.source.format(first=number)} | "
        line = (getattr(played.source, "round", None) or 0) + 1
        words += ["-", *(["--line", str(line)] if line > 1 else [])]
    else:
        words += [played.file if played.file != "-" else "FILE", "--line", str(played.line)]
    words += ["--at", grade.decision.at, "--policy", run.name_reference(played.rules.game)]
    if run.plan.unit is GAMES:
        scores, team = played.scores_before or [], played.teams[grade.decision.seat]
        words += ["--scores", ":".join(map(str, [*scores[team:], *scores[:team]]))]
    if run.plan.error_rate != DEFAULT_ERROR_RATE:
        words += ["--error-rate", f"{run.plan.error_rate:g}"]
    if grade.ignores_calls:
        words.append("--ignore-calls")
    if run.plan.ignore_plays and not grade.decision.is_call:
        words.append("--ignore-plays")
    return before + shell_join(words)


def list_remarks(reviews: Sequence[RoundReview], ignore_calls: bool) -> list[str]:
    """Return sentences on what was not graded as usual."""
    lines = []
    ignored = sum(grade.ignores_calls for grade in list_grades(reviews))
    if ignored and not ignore_calls:
        lines.append(say(__name__, "ignored_calls", ignored))
    for count, what, reason in (
        (sum(len(review.uncounted) for review in reviews), "call", f", since {RARE_BIDS}"),
        (sum(len(review.ungraded) for review in reviews), "decision", f": {OUT_OF_TIME}"),
    ):
        if count:
            lines.append(say(__name__, "not_graded", count, what, reason))
    skipped = [
        describe_player(review.played, seat)
        for review in reviews
        for _, seat, _ in review.played.skipped
    ]
    if skipped:
        names = [*dict.fromkeys(skipped)]
        lines.append(say(__name__, "cards_missing", len(skipped), names, len(reviews) > 1))
    return lines


# The first screen.


def make_review_screen(reviews: Sequence[RoundReview], run: ReviewRun, worst: int) -> Screen:
    """Return the screen of reviewed rounds, with the `worst` decisions in words."""
    tables = make_review_tables(reviews, run.confidence, run.by, run.plan.unit)
    if not reviews:
        return Screen(run, tables, [say(__name__, "nothing")])
    grades, is_single = list_grades(reviews), len(reviews) == 1
    remarks = list_remarks(reviews, run.plan.ignore_calls)
    headline = _write_round(reviews[0], run) if is_single else _write_rounds(reviews, tables, run)
    if not grades:
        return Screen(run, (), headline, remarks=remarks)
    passages = []
    for number, grade in enumerate(sort_worst(grades)[:worst]):
        lines = [write_mistake(grade, "" if is_single else run.name_round(grade.decision.played))]
        if number == 0:  # Those of more would not fit on a screen.
            lines += write_lines(grade, make_continuation(grade.decision.played, run))
        lines += write_hidden(grade, run.confidence)
        passages.append(("\n".join(lines), make_command(grade, run)))
    name_key = run.plan.unit.name_key
    parts = [
        replace(
            part, quantities=tuple(map(name_key, part.quantities)),
            sorted_by=name_key(part.sorted_by),
        )
        for part in (_OF_ROUND if is_single else _list_season_parts(tables, run))
    ]  # fmt: skip
    return Screen(run, tables, headline, parts, remarks=remarks, commands=passages)


def refuse_drawing(screen: Screen) -> NoReturn:
    """Raise NothingToDrawError."""
    raise NothingToDrawError("a review has no picture; save it to a page")


def _write_round(review: RoundReview, run: ReviewRun) -> list[str]:
    played, record = review.played, review.played.record
    lines, score = [], played.score
    result = score and score.result
    if record.sender is not None and record.contract is not None:
        winner, lead = None, 0.0
        if score is not None:
            points = np.array(score.scores, dtype=np.float64)
            leads = compute_differences(points, played.rules).tolist()
            lead = max(leads)
            winner = played.name_side(leads.index(lead)) if lead > 0 else ""
        who = describe_player(played, record.sender)
        lines.append(say(__name__, "round", who, record, str(result), winner, lead))
        if (sentence := write_open_hands(review)) is not None:
            lines.append(sentence)
    elif result == "passed_out":
        lines.append(say(__name__, "passed_out"))
    if run.plan.unit is GAMES:
        scores = enumerate(played.scores_before or ())
        lines.append(say(__name__, "scores", {played.name_side(team): n for team, n in scores}))
    totals = [total for total in review.totals if total.seat in review.seats and total.decisions]
    counts = sum(total.decisions for total in totals), sum(total.mistakes for total in totals)
    who, lost = "", None
    if totals:
        most = max(totals, key=lambda total: total.loss_points.value)
        assert most.seat is not None
        who, lost = describe_player(played, most.seat), most.loss_points
    return [*lines, say(__name__, "round_losses", *counts, who, lost, run.plan.unit.noun)]


def write_open_hands(review: RoundReview) -> str | None:
    """Return a sentence on what decided the contract with all cards open, if that is known."""
    played, solved = review.played, review.open_hands
    if solved is None or not solved.is_known:
        return None
    if solved.deciding is None:
        return say(__name__, "open_hands", solved.made, "", "", "", played.rules.team_count)
    trick, number = divmod(solved.deciding, played.rules.seats)
    leader, cards = played.record.tricks[trick].leader, played.record.tricks[trick].cards
    assert leader is not None
    who = describe_player(played, (leader + number) % played.rules.seats)
    at = f"{trick + 1}.{number + 1}"
    team_count = played.rules.team_count
    return say(__name__, "open_hands", solved.made, who, cards[number], at, team_count)


def _write_rounds(
    reviews: Sequence[RoundReview], tables: Sequence[Table], run: ReviewRun
) -> list[str]:
    grades, unit = list_grades(reviews), run.plan.unit
    losses = _find_estimates(tables, "loss", unit) if grades else {}
    mistakes = sum(grade.mistake for grade in grades)
    counts = len(reviews), len(grades), mistakes
    return [
        *(_write_players(reviews, tables, unit) if grades else []),
        *_write_games(reviews, run.has_files),
        say(__name__, "losses", *counts, losses.get(()), unit.noun),
    ]


def _write_players(
    reviews: Sequence[RoundReview], tables: Sequence[Table], unit: Unit
) -> list[str]:
    """Return who played best and who had the cards, if there are several players."""
    players = next(table for table in tables if table.name == "players")
    is_sum = is_few(len(reviews))
    lost = players.estimates(
        unit.name_key("loss_points" if is_sum else "rated_loss_points_per_round")
    )
    if len(lost) < 2:
        return []
    losses = {str(group[0]): loss for group, loss in lost.items()}
    ranks = {} if is_sum else players.estimates("rank")
    tied = [str(group[0]) for group, rank in ranks.items() if rank.value == 1]
    lines = [say(__name__, "best", losses, tied, len(reviews), unit.noun)]
    luck = players.estimates("deal_luck" if is_sum else "deal_luck_mean")
    luck_by_name = {group[0]: estimate.value for group, estimate in luck.items()}
    teams: dict[str, list[tuple[int, int]]] = {}
    for number, review in enumerate(reviews):
        for name, team in zip(review.played.names, review.played.teams, strict=True):
            teams.setdefault(name, []).append((number, team))
    # Partners have the same cards; the averages of their places differ.
    sides: dict[tuple[tuple[int, int], ...], dict[str, float]] = {}
    for name, own in teams.items():
        if name in luck_by_name:
            sides.setdefault(tuple(own), {})[name] = luck_by_name[name]
    if len(sides) > 1:
        side = max(sides.values(), key=lambda side: fmean(side.values()))
        lines.append(say(__name__, "cards", [*side], fmean(side.values()), is_sum, unit.noun))
    return lines


def _write_games(reviews: Sequence[RoundReview], has_files: bool) -> list[str]:
    """Return how each game ended or stands, or of many how many each side won."""
    last = {}
    for played in (review.played for review in reviews):
        # Sides are named for a whole game only where each seat has a name of its own.
        is_named = len({*played.names}) == played.rules.seats
        if played.source.game_id is not None and played.scores_after and is_named:
            last[played.file, played.source.game_id] = played
    games, wins = [], Counter[str]()
    for played in last.values():
        scores = played.scores_after or []
        by_side = dict(zip(played.name_scored_sides(), scores, strict=True))
        order = sorted(by_side, key=lambda side: -played.rules.score_sign * by_side[side])
        is_decided = get_referee(played.rules).is_decided(scores)
        if is_decided:
            wins[order[0]] += 1
        title = f"Game {(played.source.game_id or 0) + 1}"
        title = played.name_in_file(title) if has_files else title
        games.append((title, played, order[0], [by_side[side] for side in order], is_decided))
    if len(games) > _MOST_GAMES:
        return [say(__name__, "wins", len(games), wins.most_common())] if wins else []
    return [say(__name__, "game", *game) for game in games]


def _find_estimates(
    tables: Sequence[Table], name: str, unit: Unit
) -> dict[tuple[Any, ...], Estimate]:
    """Return what was lost a round, by the groups of a table."""
    table = next(table for table in tables if table.name == name)
    return table.estimates(unit.name_key(_LOSSES[0]))


def _list_season_parts(tables: Sequence[Table], run: ReviewRun) -> list[Excerpt]:
    """Return the players and the losses by the columns of `by`, or of many rounds by trick."""
    if is_few(run.deals):
        players = Excerpt("players", OF_FEW_ROUNDS, note="")
    else:
        players = Excerpt("players", OF_PLAYERS)
    outcomes = Excerpt("outcomes", tuple(OUTCOMES.values()))
    losses = [_show_largest(tables, column, run.plan.unit) for column in run.by]
    if not run.by and not is_few(run.deals):
        losses.append(Excerpt("loss_by_trick", _LOSSES))
    return [players, outcomes, *losses]


def _show_largest(tables: Sequence[Table], column: str, unit: Unit) -> Excerpt:
    name = f"loss_by_{column}"
    groups = len(_find_estimates(tables, name, unit))
    note = ""
    if groups > _MOST_GROUPS:
        note = say(__name__, "largest", _MOST_GROUPS, groups, name)
    quantities = (_LOSSES[0], "loss_share", *_LOSSES[1:])
    return Excerpt(name, quantities, note=note, most=_MOST_GROUPS, sorted_by=_LOSSES[0])
