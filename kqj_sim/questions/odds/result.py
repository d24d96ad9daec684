"""The result of `odds`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from kqj_sim.games import describe_rules
from kqj_sim.messages import format_json, represent
from kqj_sim.output.grid import make_grids
from kqj_sim.output.page import Page, Section, to_html
from kqj_sim.output.screen import Screen
from kqj_sim.positions.measures import GAME_MEASURE, RANKING_MEASURE
from kqj_sim.positions.odds import Odds
from kqj_sim.questions.odds.screen import (
    GAME_LEAD,
    LEAD,
    list_charts,
    list_key_parts,
    make_odds_drawing,
    make_odds_screen,
)
from kqj_sim.results import Result
from kqj_sim.stats.intervals import Estimate, make_exact, make_plain
from kqj_sim.stats.tables import describe_estimate
from kqj_sim.suffixes import PAGE_SUFFIXES
from kqj_sim.version import __version__

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class OddsOption:
    """A call or a card with its value.

    Attributes:
        name: the call, such as "take h", "120 h" or "pass", or the card, such as "As".
        value: the points by which your side outscores the others with it, on average.
        win: chance that your side wins the round with it.
        lead: points a round by which the best option leads it; None for the best itself.
        game: chance that your side wins the game with it; None unless the scores are known.
        game_lead: by how much more the best option wins the game, as `lead`.

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.odds("9h 8h Ah Ks 4d", return_card="7h", deals=200, policy="standard")
        >>> [(option.name, option.lead is None) for option in found.options]
        [('take h', True), ('pass', False)]
    """

    name: str
    value: Estimate
    win: Estimate
    lead: Estimate | None
    game: Estimate | None = None
    game_lead: Estimate | None = None


class OddsResult(Result):
    """The result of `odds`: every call, or legal card, with its value.

    Attributes:
        options: the options, the best first.
        best: the best option.

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.odds("9h 8h Ah Ks 4d", return_card="7h", deals=200, policy="standard")
        >>> found.best.name, found.best.win.value > 0.9, found.lead.low > 0
        ('take h', True, True)
    """

    kind: ClassVar[str] = "odds"
    suffixes: ClassVar[Mapping[str, str]] = PAGE_SUFFIXES

    def __init__(self, odds: Odds) -> None:
        super().__init__(make_odds_screen(odds), partial(make_odds_drawing, odds))
        self._odds = odds
        self.options = tuple(map(self._describe, odds.rows))
        self.best = self.options[0]

    def _describe(self, option: int) -> OddsOption:
        odds, is_best = self._odds, option == self._odds.best

        def estimate(measure: str, baseline: int | None = None) -> Estimate:
            return make_plain(
                odds.estimate(measure, option)
                if baseline is None
                else odds.estimate(measure, baseline, option)
            )

        has_game = odds.measures.game is not None
        return OddsOption(
            odds.get_text(option),
            estimate(RANKING_MEASURE),
            estimate("win_share"),
            None if is_best else estimate(RANKING_MEASURE, odds.best),
            estimate(GAME_MEASURE) if has_game else None,
            estimate(GAME_MEASURE, odds.best) if has_game and not is_best else None,
        )

    @property
    def lead(self) -> Estimate:
        """The points a round by which the best option leads the next; NaN if it is the only one."""
        if len(self.options) == 1:
            return make_exact(math.nan, self.deals)
        # The deals that chose say which option is the next one.
        return make_plain(next(iter(self._odds.estimate_leads().values())))

    def frame(self) -> pd.DataFrame:
        """Return one row per option, the best first, by name.

        Every measure has three columns: `win_share`, `win_share_low` and `win_share_high`; so has
        `lead`, by which the best option leads in points, and with `scores` `game_lead_share`, by
        which it wins more games.  Shares are fractions, `n` counts deals.
        """
        import pandas as pd

        odds = self._odds
        leads = {LEAD: odds.estimate_leads()}
        if odds.measures.game:
            leads[GAME_LEAD] = odds.estimate_leads(GAME_MEASURE)
        rows: list[dict[str, float]] = []
        for option in odds.rows:
            value = odds.estimate(RANKING_MEASURE, option)
            rows.append(describe_estimate(RANKING_MEASURE, value))
            nothing = value._replace(value=0.0, low=math.nan, high=math.nan)
            for name, behind in leads.items():
                rows[-1] |= describe_estimate(name, behind.get(option, nothing))
            for measure in odds.measures.functions:
                rows[-1] |= describe_estimate(measure, odds.estimate(measure, option))
            rows[-1]["n"] = value.observations
        names = pd.Index([option.name for option in self.options], name="option")
        return pd.DataFrame(rows, index=names)

    def render(self, format: str) -> bytes:
        """Return the tables in a format, such as "csv", or the page ("html")."""
        if represent(format, str) != "html":
            return super().render(format)
        return to_html(make_odds_page(self._odds, self._screen))

    def describe_interruption(self) -> str:
        """Say how many deals were played before Ctrl-C."""
        return f"the answer rests on {self.deals:,} deals"


# The page of the odds of calls or of cards.


def make_odds_page(odds: Odds, screen: Screen) -> Page:
    """Return the page: the decision, key figures, pictures, and all tables on demand."""
    run = screen.run
    parts = list_key_parts(odds, names_table=False)
    key_grids = tuple(grid for part in parts for grid in screen.lay_out(part))
    deals = ("deals", f"{run.deals:,}, seed {run.seed}")
    pictures = tuple(chart.make_picture() for chart in list_charts(odds))
    all_grids = tuple(grid for table in screen.tables for grid in make_grids(table))
    sections = (
        Section("key-figures", "Key figures", grids=key_grids),
        *([Section("pictures", "Pictures", pictures=pictures)] if pictures else []),
        Section("tables", "All figures", folded=all_grids),
    )
    return Page(
        title=f"Which {odds.kind}?",
        lead=(*screen.headline, *run.describe().split("\n"), run.describe_intervals()),
        sections=sections,
        provenance=(
            ("program", f"kqj-sim {__version__}, {run.command}"),
            ("rules", describe_rules(run.rules)),
            ("layouts", f"all {run.deals:,}") if odds.is_exact else deals,
        ),
        listings=(("all assumptions", format_json(run.to_dict(), 1)),),
    )
