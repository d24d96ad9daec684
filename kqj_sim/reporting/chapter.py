"""A chapter of a report, and those that are the same for every game: whole games, policies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from kqj_sim.reporting.charts import bars, dots
from kqj_sim.reporting.comparison import answer
from kqj_sim.reporting.findings import Findings
from kqj_sim.reporting.page import Part
from kqj_sim.rules import KqjRules


@dataclass(frozen=True)
class Chapter:
    """A chapter.

    Attributes:
        name: for links and files.
        title: its heading.
        tell: what it says of a study; None if there is nothing to say.
        note: how to read it.
    """

    name: str
    title: str
    tell: Callable[[Findings], Part | None]
    note: str = ""


class KeyFigure(NamedTuple):
    """A number that tells much: its name, and where it stands in the tables."""

    name: str
    table: str
    quantity: str
    group: tuple[int | str, ...] = ()


def games(found: Findings) -> Part | None:
    """How long whole games last, and who wins them."""
    if "games" not in found.tables:
        return None
    rules = found.study.plan.experiment.rules
    aim = (
        f"to {rules.target:,}" if isinstance(rules, KqjRules) else f"from {rules.start_score} down"
    )
    dealer = "first dealer" if rules.partners == "random" else "first dealer's team"
    rounds, low, high = (
        found.show("games", f"rounds, {quantity}")
        for quantity in ("mean", "quantile 5%", "quantile 95%")
    )
    player = "seat" if rules.partners == "random" else "team"
    winners = found.by(f"games_by_{player}", "won, share of games")
    games = found.estimate("games", "games")
    return Part(
        text=(
            f"{games.observations:,} games {aim} last {rounds} rounds on average; "
            f"nine of ten last from {low} to {high}. The {dealer} wins "
            f"{found.show('games', f'won by the {dealer}, share of games')}.",
        ),
        pictures=(
            found.picture(
                "games",
                "Distribution of the number of rounds in a game.",
                bars(
                    {"games": found.by("games_by_rounds", "share of games")},
                    "rounds in a game",
                    "% of games",
                ),
            ),
            found.picture(
                "winners",
                f"Share of the games won, by {player}, with intervals.",
                dots(
                    {"won": winners},
                    "games won, %",
                    "share",
                    names={number: f"{player} {number}" for number in winners},
                    middle=1 / len(winners),
                ),
            ),
        ),
        grids=found.grids(f"games_by_{player}"),
        folded=found.grids("games", "games_by_rounds"),
    )


def compared(found: Findings) -> Part | None:
    """Which of several policies scores more."""
    comparison = found.study.comparison
    if comparison is None:
        return None
    pairs = found.tables["compared_pairs"].estimates("lead")
    leads = {f"{one} over {other}": each for (one, other, _), each in pairs.items()}
    words = "Lead of the first over the second, in points a round, with intervals."
    if "compared_ranking" in found.tables:
        ranking = found.tables["compared_ranking"].estimates("mean lead over the others")
        leads = {name: each for (_, name), each in ranking.items()}
        words = "Mean lead over the others, in points a round, with intervals."
    return Part(
        text=tuple(f"{line}." for line in answer(comparison)),
        pictures=(
            found.picture(
                "compared", words, dots({"lead": leads}, "points a round", "points", middle=0)
            ),
        ),
        grids=found.grids("compared_ranking", "compared_pairs"),
        folded=found.grids("compared_matrix", "compared_why", "compared_where", "compared_largest"),
    )


GAMES = Chapter(
    "games",
    "Whole games",
    games,
    "Played besides, by the same players from the same seed; the first dealer is drawn.",
)
COMPARED = Chapter(
    "compared",
    "Policies compared",
    compared,
    "They play each other, every deal in all arrangements of the sides, so that each holds the "
    "cards of each; the intervals hold for all pairs together.",
)
