"""Tables of reviews: players, losses by trick, role, kind and contract, and the decisions."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from kqj_sim.messages import join_words
from kqj_sim.output.sentences import say
from kqj_sim.policies.players import label_players
from kqj_sim.questions.review.cross_fitting import Mean, find_mistakes
from kqj_sim.questions.review.grading import Grade
from kqj_sim.questions.review.reviewed_decisions import (
    ReviewedDecision,
    Value,
    list_decisions,
    sort_worst,
)
from kqj_sim.questions.review.rounds import (
    Parts,
    RoundReview,
    Total,
    add_means,
    compute_accuracy,
)
from kqj_sim.stats.intervals import (
    MIN_MEAN_OBSERVATIONS,
    Estimate,
    compute_reach,
    make_count,
    make_unbounded,
)
from kqj_sim.stats.quantiles import student_quantile
from kqj_sim.stats.tables import Table, TableRow

# Tables of one reviewed round: what each player lost, luck and skill, every option.


def make_round_tables(
    review: RoundReview, decisions: Sequence[ReviewedDecision], confidence: float, game: str
) -> list[Table]:
    """Return what each player lost, and luck and skill of each side and seat."""
    played = review.played
    outcomes = Counter((each.grade.decision.seat, each.outcome) for each in decisions)
    rows: list[TableRow] = []
    for total in sorted(review.totals, key=lambda each: played.place_of(each.seat or 0)):
        if total.seat not in review.seats or total.seat is None:
            continue
        name, role = played.seat_names.describe(total.seat), played.describe_role(total.seat)
        group = total.seat, name, role or ""
        rows += _list_total(group, total, confidence)
        if not outcomes[total.seat, "unknown"]:
            for outcome, quantity in (("lucky", "lucky"), ("bad luck", "bad_luck")):
                rows.append((group, quantity, make_count(outcomes[total.seat, outcome])))
    tables = [
        Table(
            "seats", "What each player lost", ("seat", "label", "role"), rows,
            say(__name__, "luck_note"), counted=False, game=game,
        )
    ]  # fmt: skip
    if review.parts is not None and review.team_parts is not None:
        seats = [
            row for each in review.parts for row in _list_parts((each.seat or 0,), each, confidence)
        ]
        teams = [
            row
            for each in review.team_parts
            for row in _list_parts((each.team, played.name_side(each.team)), each, confidence)
        ]
        note = say(__name__, "parts_note")
        tables += [
            Table(
                "team_parts", "Luck and skill of each side", ("team", "labels"), teams, note,
                counted=False, game=game,
            ),
            Table(
                "parts", "Luck and skill of each seat", ("seat",), seats, note,
                counted=False, game=game,
            ),
        ]  # fmt: skip
    return tables


def _list_total(group: tuple[int, str, str], total: Total, confidence: float) -> Iterator[TableRow]:
    yield group, "decisions", make_count(total.decisions)
    yield group, "mistakes", make_count(total.mistakes)
    yield group, "loss_points", total.points.estimate(confidence)
    yield group, "loss_win_share", total.wins.estimate(confidence)
    if total.accuracy is not None:
        accuracy = Estimate(total.accuracy, math.nan, math.nan, total.decisions)
        yield group, "accuracy_share", accuracy
    if total.hindsight_loss is not None:
        hindsight = Estimate(total.hindsight_loss, math.nan, math.nan, total.decisions)
        yield group, "hindsight_loss_points", hindsight


def _list_parts(
    group: tuple[int] | tuple[int, str], parts: Parts, confidence: float
) -> Iterator[TableRow]:
    def exact(value: float) -> Estimate:
        return Estimate(value, math.nan, math.nan, 1)

    yield group, "result", exact(parts.result)
    yield group, "average", parts.average.estimate(confidence)
    yield group, "deal_luck", exact(parts.deal_luck)
    yield group, "own_decisions", parts.own_decisions.estimate(confidence)
    yield group, "own_luck", exact(parts.own_luck)
    yield group, "others_decisions", exact(parts.others_decisions)
    yield group, "remainder", exact(parts.remainder)


def make_option_table(decisions: Sequence[ReviewedDecision], confidence: float, game: str) -> Table:
    """Return the value of every option of every decision."""
    rows: list[TableRow] = []
    for each in decisions:
        for option in each.grade.options:
            group = (each.grade.decision.at, option.name)
            rows.append((group, "value", option.value.estimate(confidence)))
            rows.append((group, "win_share", option.win.estimate(confidence)))
    return Table("options", "Every option", ("at", "option"), rows, counted=False, game=game)


_ROUND_COLUMNS = ("contract", "result", "line", "player")
"""Columns whose values not every round has: losses a round are those of the rounds that do."""

OUTCOMES: Mapping[str, str] = {
    "mistake": "mistake_share",
    "lucky": "lucky_share",
    "bad luck": "bad_luck_share",
    "fine": "fine_share",
}
"""The names of `ReviewedDecision.outcome`, with the quantities of their shares."""

TABLES: Mapping[str, str] = {
    "seats": "one round: what each player lost",
    "parts": "one round: luck and skill of each seat",
    "team_parts": "one round: luck and skill of each side",
    "players": "points a round of each player, with and without luck",
    "differences": "differences between players without luck",
    "outcomes": "shares of mistakes, luck and bad luck among a player's decisions",
    "loss": "points lost a round, in all",
    "loss_by_trick": "points lost a round by trick",
    "loss_by_role": "points lost a round by role",
    "loss_by_kind": "points lost a round by kind of decision",
    "loss_by_contract": "points lost a round by contract",
    "loss_by": "points lost a round by the columns of --by together",
    "decisions": "every decision with its loss",
    "options": "one round: every option of every decision",
}


def average_rounds(values: Sequence[float], confidence: float) -> Estimate:
    """Return the mean of values, one a round, with Student's interval."""
    count = len(values)
    if not count:
        return Estimate(math.nan, math.nan, math.nan, 0)
    mean = math.fsum(values) / count
    if count < MIN_MEAN_OBSERVATIONS:
        return make_unbounded(mean, count)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = compute_reach(count, confidence) * math.sqrt(variance / count)
    return Estimate(mean, mean - half, mean + half, count)


def make_review_tables(
    reviews: Sequence[RoundReview], confidence: float, by: Sequence[str] = ()
) -> list[Table]:
    """Return the tables of reviewed rounds, also of losses by the `GROUP_COLUMNS` of `by`."""
    if not reviews:
        return []
    decisions = list_decisions(reviews)
    game = reviews[0].played.rules.game
    tables = []
    if len(reviews) == 1:
        tables += make_round_tables(reviews[0], decisions, confidence, game)
    tables += _make_player_tables(reviews, confidence, game)
    tables.append(_make_outcome_table(decisions, game))
    groups: list[tuple[str, tuple[str, ...]]] = [("loss", ())]
    groups += [(f"loss_by_{each}", (each,)) for each in ("trick", "role", "kind", "contract")]
    known = {name for name, _ in groups}
    groups += [(name, (each,)) for each in by if (name := f"loss_by_{each}") not in known]
    if len(by) > 1:
        groups.append(("loss_by", tuple(by)))
    for name, columns in groups:
        title = f"Points lost a round{f' by {join_words(columns)}' if columns else ', in all'}"
        rows = list(_sum_losses(reviews, decisions, columns, confidence))
        tables.append(Table(name, title, columns, rows, counted=False, game=game))
    rows = list(_list_decisions(decisions, confidence))
    columns = ("line", "at", "player", "kind", "choice", "best")
    tables.append(Table("decisions", "Every decision", columns, rows, counted=False, game=game))
    if len(reviews) == 1:
        tables.append(make_option_table(decisions, confidence, game))
    names = (review.played.names[seat] for review in reviews for seat in review.seats)
    labels = label_players(names)
    return [replace_players(table, labels) for table in tables if table.lines]


def replace_players(table: Table, labels: Mapping[str, str]) -> Table:
    """Return a table with the labels of players in place of their names."""
    named = [column in ("player", "other") for column in table.groups]
    if not any(named):
        return table

    def label(group: tuple[Value, ...]) -> tuple[Value, ...]:
        cells = zip(group, named, strict=True)
        return tuple(labels.get(str(value), value) if name else value for value, name in cells)

    lines = [(label(group), quantity, each) for group, quantity, each in table.lines]
    return replace(table, lines=lines)


def _sum_losses(
    reviews: Sequence[RoundReview], decisions: Sequence[ReviewedDecision],
    columns: tuple[str, ...], confidence: float,
) -> Iterator[TableRow]:  # fmt: skip
    groups: dict[tuple[Value, ...], dict[int, list[ReviewedDecision]]] = {}
    fixed = [at for at, column in enumerate(columns) if column in _ROUND_COLUMNS]
    rounds: dict[tuple[Value, ...], set[int]] = {}
    whole = math.fsum(each.grade.loss.points.value for each in decisions)
    for each in decisions:
        group = tuple(each.get(column) for column in columns)
        groups.setdefault(group, {}).setdefault(id(each.review), []).append(each)
        rounds.setdefault(tuple(group[at] for at in fixed), set()).add(id(each.review))
    if not fixed:
        rounds[()] = {id(review) for review in reviews}
    for group in sorted(groups, key=_sort_key):
        found = groups[group]
        among = rounds[tuple(group[at] for at in fixed)]

        def average(value: Callable[[ReviewedDecision], float]) -> Estimate:
            # ruff: noqa: B023
            return average_rounds(
                [math.fsum(map(value, found.get(review, ()))) for review in among], confidence
            )

        members = [each for each_round in found.values() for each in each_round]
        if len(among) == 1:
            total = add_means(each.grade.loss.points for each in members)
            loss = total.estimate(confidence)._replace(observations=1)
            win = add_means(each.grade.loss.wins for each in members).estimate(confidence)
            win = win._replace(observations=1)
        else:
            loss = average(lambda each: each.grade.loss.points.value)
            win = average(lambda each: each.grade.loss.wins.value)
        yield group, "loss_points_per_round", loss
        yield group, "loss_win_share_per_round", win
        count = average(lambda each: 1.0)
        yield group, "decisions_per_round", _without_bounds(count)
        yield group, "mistakes_per_round", average(lambda each: float(each.grade.mistake))
        each_loss = loss.scaled(1 / count.value) if count.value else loss
        yield group, "loss_points_per_decision", each_loss
        if columns and whole > 0:
            part = math.fsum(each.grade.loss.points.value for each in members)
            yield group, "loss_share", Estimate(part / whole, math.nan, math.nan, len(members))
        if all(each.hindsight is not None for each in members):
            hindsight = average(lambda each: each.hindsight.loss if each.hindsight else 0.0)
            yield group, "hindsight_loss_points_per_round", hindsight


def _sort_key(group: tuple[Value, ...]) -> tuple[tuple[bool, str], ...]:
    return tuple(
        (isinstance(value, str), f"{value:09}" if isinstance(value, int) else value)
        for value in group
    )


def _without_bounds(estimate: Estimate) -> Estimate:
    return estimate._replace(low=math.nan, high=math.nan)


def _list_decisions(decisions: Sequence[ReviewedDecision], confidence: float) -> Iterator[TableRow]:
    for each in sort_worst(decisions) + [one for one in decisions if not one.grade.matters]:
        grade, decision = each.grade, each.grade.decision
        group = (
            each.review.played.line, decision.at, each.review.played.names[decision.seat],
            decision.kind, decision.choice, grade.best,
        )  # fmt: skip
        yield group, "loss_points", estimate_decision_loss(grade, confidence)
        yield group, "loss_win_share", grade.loss.estimate_wins(confidence)
        yield group, "large_loss_share", grade.loss.large.estimate_share(confidence)
        yield group, "mistakes", make_count(int(grade.mistake))
        if each.hindsight is not None:
            found = Estimate(each.hindsight.loss, math.nan, math.nan, 1)
            yield group, "hindsight_loss_points", found


def estimate_decision_loss(grade: Grade, confidence: float) -> Estimate:
    """Return the loss of a decision with its interval.

    Its upper end is the highest upper bound of any option's lead, if that is higher.
    """
    found = grade.loss.points.estimate(confidence)
    if grade.loss.points.exact:
        return found
    return found._replace(high=max(found.high, grade.loss.high))


def _make_outcome_table(decisions: Sequence[ReviewedDecision], game: str) -> Table:
    rows: list[TableRow] = []
    counts: dict[str, Counter[str]] = {}
    for each in decisions:
        name = each.review.played.names[each.grade.decision.seat]
        counts.setdefault(name, Counter())[each.outcome] += 1
    for name, found in counts.items():
        number = found.total() - found["unknown"]
        if number:
            rows += [
                ((name,), quantity, Estimate(found[outcome] / number, math.nan, math.nan, number))
                for outcome, quantity in OUTCOMES.items()
            ]
    title = "What became of the decisions, with the cards as they were"
    return Table("outcomes", title, ("player",), rows, observations="decisions", game=game)


def _make_player_tables(
    reviews: Sequence[RoundReview], confidence: float, game: str
) -> list[Table]:
    rows: list[TableRow] = []
    effects: dict[str, dict[int, list[float]]] = {}
    names = dict.fromkeys(review.played.names[seat] for review in reviews for seat in review.seats)
    for name in names:
        totals: list[list[Total]] = []
        parts: list[list[Parts]] = []
        for number, review in enumerate(reviews):
            seats = [seat for seat in review.seats if review.played.names[seat] == name]
            if not seats:
                continue
            totals.append([review.totals[seat] for seat in seats])
            if review.parts is not None:
                mine = [review.parts[seat] for seat in seats]
                parts.append(mine)
                effects.setdefault(name, {})[number] = [each.own_decisions.value for each in mine]
        rows += _list_player((name,), totals, parts, confidence)
    tables = [
        Table("players", "Points a round of a player", ("player",), rows, "", False, game=game)
    ]
    if len(effects) > 1:
        found = list(_compare_players(effects, confidence))
        if found:
            tables.append(
                Table(
                    "differences",
                    "Differences between players without luck",
                    ("player", "other"),
                    found,
                    "",
                    False,
                    game=game,
                )
            )
    return tables


def _list_player(
    group: tuple[str], totals: list[list[Total]], parts: list[list[Parts]], confidence: float
) -> Iterator[TableRow]:
    """Yield the numbers of a player, each a mean over rounds of the mean over the seats."""

    def average(values: list[list[float]]) -> Estimate:
        return average_rounds([math.fsum(each) / len(each) for each in values], confidence)

    def of_parts(read: Callable[[Parts], float]) -> Estimate:
        return average([[read(part) for part in each] for each in parts])

    yield group, "rounds", make_count(len(totals))
    if parts:
        yield group, "result_mean", of_parts(lambda each: each.result)
        yield group, "adjusted_mean", of_parts(lambda each: each.adjusted.value)
        luck = of_parts(lambda each: each.deal_luck + each.own_luck)
        yield group, "luck_mean", luck
        yield group, "others_decisions_mean", of_parts(lambda each: each.others_decisions)
        yield group, "own_decisions_mean", of_parts(lambda each: each.own_decisions.value)
    losses = average([[each.points.value for each in seats] for seats in totals])
    yield group, "loss_points_per_round", losses
    mistakes = average([[float(each.mistakes) for each in seats] for seats in totals])
    yield group, "mistakes_per_round", mistakes
    random_loss = math.fsum(each.random_loss for seats in totals for each in seats)
    lost = math.fsum(each.points.value for seats in totals for each in seats)
    accuracy = compute_accuracy(lost, random_loss)
    if accuracy is not None:
        found = Estimate(accuracy, math.nan, math.nan, len(totals))
        yield group, "accuracy_share", found


def _compare_players(
    effects: Mapping[str, Mapping[int, list[float]]], confidence: float
) -> Iterator[TableRow]:
    """Yield how far the decisions of players who met at a table differ in points."""
    pairs = []
    for one, other in itertools.combinations(effects, 2):
        common = [number for number in effects[one] if number in effects[other]]
        if len(common) < 2:
            continue
        values = [
            math.fsum(effects[one][number]) / len(effects[one][number])
            - math.fsum(effects[other][number]) / len(effects[other][number])
            for number in common
        ]
        estimate = average_rounds(values, confidence)
        half = student_quantile(len(values) - 1, confidence)
        error = (estimate.high - estimate.low) / 2 / half
        mean = Mean(abs(estimate.value), error, len(values) - 1)
        pairs.append(((one, other), estimate, min(1.0, 2 * mean.get_p_value())))
    shown = find_mistakes([p_value for *_, p_value in pairs], confidence)
    for (group, estimate, _), is_shown in zip(pairs, shown, strict=True):
        yield group, "own_decisions_difference_mean", estimate
        yield group, "differences_shown", make_count(int(is_shown))
