"""Tables of reviews: players, losses by trick, role, kind and contract, and the decisions."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from kqj_sim.errors import InputError
from kqj_sim.messages import capitalize, join_words, suggest
from kqj_sim.output.sentences import say
from kqj_sim.policies.players import label_players
from kqj_sim.questions.review.cross_fitting import Mean, add_means
from kqj_sim.questions.review.grading import POINTS, Grade, Unit
from kqj_sim.questions.review.hindsight import list_hidden
from kqj_sim.questions.review.play import Parts, RoundReview, compute_accuracy
from kqj_sim.stats import intervals
from kqj_sim.stats.intervals import Estimate, clip_estimate, make_count, make_exact
from kqj_sim.stats.shrinkage import shrink_means
from kqj_sim.stats.tables import Table, TableRow

OUTCOMES: Mapping[str, str] = {
    "mistake": "mistake_share",
    "lucky": "lucky_share",
    "bad luck": "bad_luck_share",
    "fine": "fine_share",
}
"""The names of `Grade.outcome`, with the quantities of their shares."""

TABLES: Mapping[str, str] = {
    "seats": "one round: what each player lost",
    "parts": "one round: luck and skill of each seat",
    "team_parts": "one round: luck and skill of each side",
    "players": "who played best: ranks, and points of each player with and without luck",
    "outcomes": "shares of mistakes, luck and bad luck among a player's decisions",
    "loss": "points lost a round, in all",
    "loss_by_trick": "points lost a round by trick",
    "loss_by_role": "points lost a round by role",
    "loss_by_kind": "points lost a round by kind of decision",
    "loss_by_contract": "points lost a round by contract",
    "loss_by": "points lost a round by the columns of `by` together",
    "decisions": "every decision with its loss",
    "options": "one round: every option of every decision",
    "hidden": "with `hidden`: where the hidden cards were thought to be, and where they were",
}

_HEADS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "seats": ("{unit} lost by each player", ("seat", "label", "role")),
    "team_parts": ("Luck and skill of each side", ("team", "labels")),
    "parts": ("Luck and skill of each seat", ("seat",)),
    "players": ("Who played best", ("player", "worst_kind")),
    "outcomes": ("Decisions in hindsight, with the cards as they were", ("player",)),
    "decisions": ("Every decision", ("line", "at", "player", "kind", "choice", "best")),
    "options": ("Every option", ("at", "option")),
    "hidden": ("Where the hidden cards were", ("line", "at", "card", "place")),
}
"""Title and group columns; those of losses follow from the columns."""

_NOTES: Mapping[str, tuple[Any, ...]] = {"rank": ("rating_note",), "average": ("parts_note",)}
"""The notes of tables that have these quantities."""

OF_PLAYERS = (
    "rank", "rated_loss_points_per_round", "result_mean", "deal_luck_mean", "own_decisions_mean",
    "rounds",
)  # fmt: skip
"""What people see of the players of an evening, on a phone the first columns."""

OF_FEW_ROUNDS = (
    "loss_points", "mistakes", "result", "deal_luck", "own_decisions", "rounds", "accuracy_share",
)  # fmt: skip
"""The same of so few rounds that their sums are told."""

_LOSS_COLUMNS = ("trick", "role", "kind", "contract")
"""Columns of losses whether asked for or not."""

_ROUND_COLUMNS = ("contract", "result", "line", "file", "player")
"""Columns whose values not every round has: losses a round are those of the rounds that do."""


def _read_role(grade: Grade) -> str:
    if grade.decision.is_call:
        return "caller"
    return grade.decision.played.describe_role(grade.decision.seat) or "none"


GROUP_COLUMNS: Mapping[str, Callable[[Grade], int | str]] = {
    "trick": lambda grade: grade.decision.trick,
    "role": _read_role,
    "kind": lambda grade: grade.decision.kind,
    "contract": lambda grade: grade.decision.played.record.contract or "none",
    "player": lambda grade: grade.decision.played.names[grade.decision.seat],
    "seat": lambda grade: grade.decision.seat,
    "place": lambda grade: grade.decision.played.place_of(grade.decision.seat),
    "result": lambda grade: str(getattr(grade.decision.played.source, "result", "none")),
    "line": lambda grade: grade.decision.played.line,
    "file": lambda grade: grade.decision.played.file,
    "outcome": lambda grade: grade.outcome,
}
"""The columns of `by`, each with what reads its value."""


def parse_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of `by`; raise InputError if one does not exist."""
    for name in names:
        if name not in GROUP_COLUMNS:
            hint = suggest(name, GROUP_COLUMNS) or f"there are {', '.join(GROUP_COLUMNS)}"
            raise InputError(f"`by` {name}: there is no such column; {hint}")
    return tuple(dict.fromkeys(names))


def list_grades(reviews: Iterable[RoundReview]) -> list[Grade]:
    """Return the grades that count of all rounds, in order."""
    return [grade for review in reviews for grade in review.grades]


def sort_worst(grades: Iterable[Grade]) -> list[Grade]:
    """Return those with a loss that matters, shown mistakes first, then by what they lost."""
    lost = [grade for grade in grades if grade.matters]
    return sorted(lost, key=lambda grade: (not grade.mistake, -grade.loss.points.value))


def average_rounds(values: Sequence[float], confidence: float) -> Estimate:
    """Return the mean of values, one a round, with Student's interval.

    That of few rounds is known exactly: it says what happened in these.
    """
    count = len(values)
    mean = math.fsum(values) / count if count else math.nan
    if is_few(count):
        return make_exact(mean, count)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = intervals.compute_reach(count, confidence) * math.sqrt(variance / count)
    return Estimate(mean, mean - half, mean + half, count)


def make_review_tables(
    reviews: Sequence[RoundReview], confidence: float, by: Sequence[str] = (), unit: Unit = POINTS
) -> list[Table]:
    """Return the tables of reviewed rounds, also of losses by the `GROUP_COLUMNS` of `by`."""
    if not reviews:
        return []
    grades, game = list_grades(reviews), reviews[0].played.rules.game
    ratings = _rate_players(reviews, confidence, unit)
    names, tables = _order_players(reviews, ratings), []
    known = [grade.hindsight for grade in grades if grade.hindsight is not None]
    exact = sum(look_back.exact is not None for look_back in known)
    notes = {**_NOTES, "lucky": ("luck_note", exact, len(known))}
    labels = label_players(names)

    def add(name: str, rows: Iterable[TableRow], columns: tuple[str, ...] = ()) -> None:
        lines = [(group, unit.name_key(quantity), number) for group, quantity, number in rows]
        title = f"{{unit}} lost a round{f' by {join_words(columns)}' if columns else ', in all'}"
        title, groups = _HEADS.get(name, (title, columns))
        title = title.format(unit=capitalize(unit.noun))
        quantities = {quantity for _, quantity, _ in lines}
        note = "".join(say(__name__, *notes[key]) for key in notes if key in quantities)
        kind = {"observations": "decisions"} if name == "outcomes" else {"counted": False}
        table = Table(name, title, groups, lines, note, game=game, **kind)
        if lines:
            tables.append(replace_players(table, labels))

    if len(reviews) == 1:
        (review,) = reviews
        add("seats", _list_totals(review))
        add("team_parts", _list_parts(review, review.team_parts or ()))
        add("parts", _list_parts(review, review.parts or ()))
    add("players", _list_players(reviews, names, ratings, confidence))
    add("outcomes", _list_outcomes(grades, names))
    losses = {"loss": (), **{f"loss_by_{column}": (column,) for column in (*_LOSS_COLUMNS, *by)}}
    if len(by) > 1:
        losses["loss_by"] = tuple(by)
    for name, columns in losses.items():
        add(name, _list_losses(reviews, columns, confidence), columns)
    add("decisions", _list_decisions(grades))
    if len(reviews) == 1:
        add("options", _list_options(grades))
    add("hidden", _list_hidden(grades, confidence))
    return tables


def replace_players(table: Table, labels: Mapping[str, str]) -> Table:
    """Return a table with the labels of players in place of their names."""
    named = [column in ("player", "other") for column in table.groups]

    def label(group: tuple[int | str, ...]) -> tuple[int | str, ...]:
        cells = zip(group, named, strict=True)
        return tuple(labels.get(str(value), value) if name else value for value, name in cells)

    lines = [(label(group), quantity, estimate) for group, quantity, estimate in table.lines]
    return replace(table, lines=lines) if any(named) else table


def _list_numbers(
    group: tuple[int | str, ...], observations: int, **numbers: Estimate | float | None
) -> Iterator[TableRow]:
    """Yield the numbers of a group: whole ones are counts, others exact; None is left out."""
    for quantity, number in numbers.items():
        if isinstance(number, int):
            yield group, quantity, make_count(number)
        elif isinstance(number, float):
            yield group, quantity, make_exact(number, observations)
        elif number is not None:
            yield group, quantity, number


def _list_totals(review: RoundReview) -> Iterator[TableRow]:
    """Yield what each player lost, by place."""
    played = review.played
    outcomes = Counter((grade.decision.seat, grade.outcome) for grade in review.grades)
    for seat in sorted(review.seats, key=played.place_of):
        total, role = review.totals[seat], played.describe_role(seat)
        is_known = not outcomes[seat, "unknown"]
        yield from _list_numbers(
            (seat, played.seat_names.describe(seat), role or ""),
            total.decisions,
            decisions=total.decisions,
            mistakes=total.mistakes,
            loss_points=total.loss_points,
            loss_win_share=total.loss_win_share,
            accuracy_share=total.accuracy,
            hindsight_loss_points=total.hindsight_loss_points,
            lucky=outcomes[seat, "lucky"] if is_known else None,
            bad_luck=outcomes[seat, "bad luck"] if is_known else None,
        )


def _list_parts(review: RoundReview, all_parts: Iterable[Parts]) -> Iterator[TableRow]:
    """Yield the parts of the result of seats, or of sides."""
    for parts in all_parts:
        side = review.played.name_side(parts.team)
        group = (parts.team, side) if parts.seat is None else (parts.seat,)
        numbers = {name: part for name, part in vars(parts).items() if name not in ("seat", "team")}
        yield from _list_numbers(group, 1, **numbers)


def _list_options(grades: Sequence[Grade]) -> Iterator[TableRow]:
    for grade in grades:
        for option in grade.options:
            group = grade.decision.at, option.name
            yield from _list_numbers(group, 1, value=option.value, win_share=option.win)


def _list_hidden(grades: Sequence[Grade], confidence: float) -> Iterator[TableRow]:
    """Yield the chance of each other place to hold each hidden card, and whether it did."""
    for grade in grades:
        for holding, places in list_hidden(grade, confidence):
            for place, share, held in places:
                group = (grade.decision.played.line, grade.decision.at, holding.text, place)
                yield from _list_numbers(group, 1, held_share=share, held=held)


def _list_outcomes(grades: Sequence[Grade], names: Iterable[str]) -> Iterator[TableRow]:
    """Yield the shares of the outcomes of each player's decisions."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for grade in grades:
        counts[grade.decision.played.names[grade.decision.seat]][grade.outcome] += 1
    for name, outcomes in counts.items():
        known = outcomes.total() - outcomes["unknown"]
        if known:
            for outcome, quantity in OUTCOMES.items():
                yield (name,), quantity, make_exact(outcomes[outcome] / known, known)


def _list_decisions(grades: Sequence[Grade]) -> Iterator[TableRow]:
    for grade in (*sort_worst(grades), *(grade for grade in grades if not grade.matters)):
        decision, played = grade.decision, grade.decision.played
        yield from _list_numbers(
            (
                played.line, decision.at, played.names[decision.seat], decision.kind,
                decision.choice, grade.best,
            ),
            1,
            loss_points=grade.loss.cautious_points,
            loss_win_share=grade.loss.wins,
            large_loss_share=grade.loss.large,
            mistakes=int(grade.mistake),
            hindsight_loss_points=None if grade.hindsight is None else grade.hindsight.loss,
        )  # fmt: skip


def _list_losses(
    reviews: Sequence[RoundReview], columns: Sequence[str], confidence: float
) -> Iterator[TableRow]:
    """Yield what was lost by the values of some columns together."""
    groups: dict[tuple[int | str, ...], dict[int, list[Grade]]] = {}
    fixed = [index for index, column in enumerate(columns) if column in _ROUND_COLUMNS]
    rounds: dict[tuple[int | str, ...], set[int]] = {}
    for number, review in enumerate(reviews):
        for grade in review.grades:
            group = tuple(GROUP_COLUMNS[column](grade) for column in columns)
            groups.setdefault(group, {}).setdefault(number, []).append(grade)
            rounds.setdefault(tuple(group[index] for index in fixed), set()).add(number)
    if not fixed:
        rounds[()] = set(range(len(reviews)))
    parts = [
        math.fsum(grade.loss.points.value for own in by_round.values() for grade in own)
        for by_round in groups.values()
    ]
    whole = math.fsum(part for part in parts if part > 0)
    for group in sorted(groups, key=_sort_key):
        among = rounds[tuple(group[index] for index in fixed)]
        by_round = [groups[group].get(number, []) for number in among]
        yield from _list_loss(group, by_round, whole if columns else 0.0, confidence)


def _sort_key(group: tuple[int | str, ...]) -> tuple[tuple[bool, str], ...]:
    return tuple(
        (isinstance(value, str), f"{value:09}" if isinstance(value, int) else value)
        for value in group
    )


def _list_loss(
    group: tuple[int | str, ...], by_round: Sequence[Sequence[Grade]], whole: float,
    confidence: float,
) -> Iterator[TableRow]:  # fmt: skip
    """Yield what grades lost by round, and as a share of the `whole` loss if there is any.

    A loss that is estimated below 0 is no share of it.
    """
    grades = [grade for own in by_round for grade in own]

    def average(read: Callable[[Grade], float]) -> Estimate:
        return average_rounds([math.fsum(map(read, own)) for own in by_round], confidence)

    def average_sum(read: Callable[[Grade], Mean]) -> Estimate:
        mean = average(lambda grade: read(grade).value)
        if not is_few(len(by_round)):
            return mean
        # The interval of few rounds is that of their decisions.
        total = add_means(map(read, grades), confidence) / len(by_round)
        return mean._replace(low=total.low, high=total.high)

    loss, count = average_sum(lambda grade: grade.loss.points), average(lambda grade: 1.0)
    part = math.fsum(grade.loss.points.value for grade in grades)
    is_known = all(grade.hindsight is not None for grade in grades)
    hindsight = average(lambda grade: grade.hindsight.loss if grade.hindsight else 0.0)
    yield from _list_numbers(
        group,
        len(grades),
        loss_points_per_round=loss,
        loss_win_share_per_round=average_sum(lambda grade: grade.loss.wins),
        decisions_per_round=make_exact(count.value, count.observations),
        mistakes_per_round=average(lambda grade: float(grade.mistake)),
        loss_points_per_decision=loss * (1 / count.value),
        loss_share=max(0.0, part / whole) if whole > 0 else None,
        hindsight_loss_points_per_round=hindsight if is_known else None,
    )


def _list_seats(review: RoundReview, name: str) -> list[int]:
    return [seat for seat in review.seats if review.played.names[seat] == name]


def is_few(rounds: int) -> bool:
    """Return True for so few rounds that their sums are told, not what more would bring."""
    return rounds < intervals.MIN_MEAN_OBSERVATIONS


def _order_players(
    reviews: Sequence[RoundReview], ratings: Mapping[str, tuple[int, Estimate]]
) -> list[str]:
    """Return the players, best first: by their ratings, or in few rounds by what they lost."""
    losses: dict[str, float] = {}
    for review in reviews:
        for seat in review.seats:
            name, total = review.played.names[seat], review.totals[seat]
            # Last are those of whom nothing is known.
            before = losses.setdefault(name, math.inf)
            if total.decisions:
                losses[name] = total.loss_points.value + (before if before < math.inf else 0.0)
    if ratings and not is_few(len(reviews)):
        losses |= {name: loss.value for name, (_, loss) in ratings.items()}
    return sorted(losses, key=losses.__getitem__)


def trace_results(
    reviews: Sequence[RoundReview], confidence: float, unit: Unit
) -> list[dict[str, Any]]:
    """Return for each player, best first, the sums of their results so far, with and without luck.

    Rounds in which they did not play, or cards are not known, are left out.
    """
    names = _order_players(reviews, _rate_players(reviews, confidence, unit))
    traces = []
    for name, label in label_players(names).items():
        own = [
            [review.parts[seat] for seat in seats]
            for review in reviews
            if review.parts and (seats := _list_seats(review, name))
        ]
        results = (fmean(part.result for part in parts) for parts in own)
        adjusted = (fmean(part.adjusted for part in parts) for parts in own)
        sums = {"results": results, "without_luck": adjusted}
        traces.append(
            {"player": label} | {key: [*itertools.accumulate(sum)] for key, sum in sums.items()}
        )
    return traces


def _find_worst_kind(grades: Iterable[Grade]) -> str:
    """Return the kind of decision that lost most; `none` if nothing lost what matters."""
    losses: dict[str, float] = {"none": 0.0}
    for grade in grades:
        if grade.matters:
            kind = grade.decision.kind
            losses[kind] = losses.get(kind, 0.0) + grade.loss.points.value
    return max(losses, key=losses.__getitem__)


def _list_players(
    reviews: Sequence[RoundReview], names: Iterable[str],
    ratings: Mapping[str, tuple[int, Estimate]], confidence: float,
) -> Iterator[TableRow]:  # fmt: skip
    """Yield the numbers of players: means over rounds of the mean over their seats, and sums."""

    def average(read: Callable[[Any], float], by_round: list[list[Any]]) -> Estimate | None:
        means = [math.fsum(map(read, own)) / len(own) for own in by_round]
        return average_rounds(means, confidence) if means else None

    for name in names:
        rounds = [(review, seats) for review in reviews if (seats := _list_seats(review, name))]
        totals = [[review.totals[seat] for seat in seats] for review, seats in rounds]
        parts = [[review.parts[seat] for seat in seats] for review, seats in rounds if review.parts]
        flat = [total for own in totals for total in own]
        lost = add_means((total.loss_points for total in flat), confidence)
        decisions = sum(total.decisions for total in flat)
        random_loss = math.fsum(
            review.compute_random_loss(seat) for review, seats in rounds for seat in seats
        )
        grades = (
            grade
            for review, seats in rounds
            for grade in review.grades
            if grade.decision.seat in seats
        )
        own_parts = [part for own in parts for part in own]
        rank, rated = ratings.get(name, (None, None))
        yield from _list_numbers(
            (name, _find_worst_kind(grades)),
            len(rounds),
            rank=rank,
            rated_loss_points_per_round=rated,
            rounds=len(rounds),
            result=math.fsum(part.result for part in own_parts) if own_parts else None,
            deal_luck=math.fsum(part.deal_luck for part in own_parts) if own_parts else None,
            own_decisions=add_means((part.own_decisions for part in own_parts), confidence)
            if own_parts
            else None,
            loss_points=lost if decisions else None,
            mistakes=sum(total.mistakes for total in flat),
            decisions=decisions,
            deal_luck_mean=average(lambda part: part.deal_luck, parts),
            result_mean=average(lambda part: part.result, parts),
            adjusted_mean=average(lambda part: part.adjusted, parts),
            luck_mean=average(lambda part: part.deal_luck + part.own_luck, parts),
            others_decisions_mean=average(lambda part: part.others_decisions, parts),
            own_decisions_mean=average(lambda part: part.own_decisions.value, parts),
            loss_points_per_round=average(lambda total: total.loss_points.value, totals),
            mistakes_per_round=average(lambda total: float(total.mistakes), totals),
            accuracy_share=compute_accuracy(lost, random_loss, decisions),
        )


_STAKE = 20
"""A decision in which a random choice loses so many points weighs half of one without risk."""


def weigh_losses(grades: Sequence[Grade]) -> tuple[float, float]:
    """Return the weighted sum of the losses of a player in a round, and its variance by sampling.

    A loss varies the more the more there was to lose, so decisions are weighed by the inverse of
    the variance that this makes likely, 1 / (20 + what random choices lose).  That does not depend
    on the choice, so that nobody gains by which mistakes they make.
    """
    pairs = [
        (1 / (_STAKE * grade.unit.least + max(0.0, grade.random_loss)), grade.loss.points)
        for grade in grades
    ]
    total = math.fsum(weight * loss.value for weight, loss in pairs)
    return total, math.fsum((weight * loss.error) ** 2 for weight, loss in pairs)


def _rate_players(
    reviews: Sequence[RoundReview], confidence: float, unit: Unit
) -> dict[str, tuple[int, Estimate]]:
    """Return each player's rank and what they lose a round, without the luck of their mistakes.

    The weighted losses of a round (`weigh_losses`) are multiplied by what makes all players
    together lose what they lost; `shrink_means` does the rest.
    """
    samples: dict[str, list[float]] = {}
    noise, weighted, lost = [], [], []
    for review in reviews:
        for seat in review.seats:
            own = [grade for grade in review.grades if grade.decision.seat == seat]
            if not own:  # As of players whose cards are not known.
                continue
            total, variance = weigh_losses(own)
            weighted.append(total)
            noise.append(variance)
            lost += [grade.loss.points.value for grade in own]
            samples.setdefault(review.played.names[seat], []).append(total)
    if len(samples) < 2 or len(reviews) < 2:
        return {}
    scale = _STAKE * unit.least
    if math.fsum(weighted) > 0 and math.fsum(lost) > 0:
        scale = math.fsum(lost) / math.fsum(weighted)
    scaled = [[scale * loss for loss in own] for own in samples.values()]
    means = shrink_means(scaled, scale**2 * math.fsum(noise) / len(noise), confidence)
    estimates = (
        clip_estimate(estimate._replace(value=max(0.0, estimate.value)), (0.0, math.inf))
        for estimate in means.estimate()
    )
    return dict(zip(samples, zip(means.rank(), estimates, strict=True), strict=True))
