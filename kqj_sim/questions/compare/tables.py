"""Tables of sweeps over a policy's parameters, and of searches for better ones."""

from __future__ import annotations

from collections.abc import Sequence

from kqj_sim.games import find_game
from kqj_sim.policies.parameters import format_parameter_number
from kqj_sim.questions.compare.play import Setting, Sweep, Tuning, format_values
from kqj_sim.stats.intervals import make_exact
from kqj_sim.stats.tables import Table, TableRow

_COLUMNS = {"table", "quantity", "unit", "value", "low", "high", "deals", "status", "run"}
"""Columns of the tables whose names a parameter cannot have."""


def make_sweep_tables(sweep: Sweep) -> list[Table]:
    """Return every set of values, and each against the best of the others."""
    tables = [make_sweep_table(sweep, sweep.settings)]
    if len(sweep.settings) > 1:
        lines: list[TableRow] = [
            (_get_group(setting), "lead_over_best_other_per_round", setting.lead_over_best_other)
            for setting in sweep.settings
        ]
        note = (
            "Multiple comparisons with the best (Hsu 1984, Bonferroni); the intervals hold "
            "jointly.  One that ends at 0 shows that a value is not the best."
        )
        title = "Lead over the best of the others"
        tables.append(_make_setting_table(sweep, "best_other", title, lines, note))
    return tables


def make_sweep_table(sweep: Sweep, settings: Sequence[Setting]) -> Table:
    """Return the table of some sets of values."""
    game = find_game(sweep.rules.game)
    lines: list[TableRow] = []
    for setting in settings:
        group = _get_group(setting)
        lines += [
            (group, "lead_over_opponents_per_round", setting.points),
            (group, "loss_to_best_per_round", setting.loss),
            (group, game.taken_share, setting.taken),
            (group, game.made_share, setting.made),
        ]
    title = f"{sweep.policy.name} against {sweep.opponents.name}"
    return _make_setting_table(sweep, "sweep", title, lines)


def _make_setting_table(
    sweep: Sweep, name: str, title: str, lines: Sequence[TableRow], note: str = ""
) -> Table:
    parameters = tuple(
        f"{parameter} (parameter)" if parameter in _COLUMNS else parameter
        for parameter, _ in sweep.varied_parameters
    )
    return Table(
        name, title, (*parameters, "status"), lines, note,
        counted=False, parameters=parameters, game=sweep.rules.game,
    )  # fmt: skip


def _get_group(setting: Setting) -> tuple[int | str, ...]:
    """Return the values, whole numbers as int, so that tables sort by them, and the status."""
    values = setting.values.values()
    numbers = (int(value) if value.lstrip("-").isdigit() else value for value in values)
    return (*numbers, setting.status)


def make_tuning_tables(tuning: Tuning) -> list[Table]:
    """Return the gain on fresh deals, the parameters found, and the course of the search."""
    game, opponents, leads = tuning.rules.game, tuning.opponents.name, tuning.leads
    measured: list[TableRow] = [
        ((), "start_lead_per_round", leads.estimate(0)),
        ((), "found_lead_per_round", leads.estimate(1)),
        ((), "gain_per_round", tuning.gain),
    ]
    parameters: list[TableRow] = []
    for (name, low, high, _, start), value in zip(
        tuning.search_parameters, tuning.values, strict=True
    ):
        numbers = [format_parameter_number(number) for number in (start, value, low, high)]
        before, after, *ends = numbers
        change = make_exact((value - start) / (high - low), leads.deals)
        parameters.append(((name, before, after, " to ".join(ends)), "change_share", change))
    course: list[TableRow] = []
    for number, values, *points in tuning.generations:
        group = (number, format_values(tuning.search_parameters, values))
        mean, best = (make_exact(lead, tuning.plan.deals) for lead in points)
        course += [
            (group, "candidates_mean_per_round", mean),
            (group, "candidates_best_per_round", best),
        ]
    fresh = f"On fresh deals against {opponents}, points a round"
    note = "The best candidate is partly lucky; each generation plays other deals."
    return [
        *([Table("confirmation", fresh, (), measured, game=game)] if leads.deals else []),
        Table(
            "parameters", "Parameters", ("parameter", "before", "found", "searched"), parameters,
            counted=False, game=game,
        ),
        Table(
            "search", f"The search: lead over {opponents}, points a round",
            ("generation", "centre"), course, note, counted=False, game=game,
        ),
    ]  # fmt: skip
