"""The results of `show`, `records` and `check`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

from kqj_sim.arguments import parse_argument, parse_path
from kqj_sim.messages import count_noun, format_json
from kqj_sim.notation.sections import name_people_in
from kqj_sim.output.grid import to_screen
from kqj_sim.output.page import to_html_fragment
from kqj_sim.questions.records.screen import render_partial_round, render_round
from kqj_sim.record import AnyRecord, Record, to_json
from kqj_sim.referee import check_record
from kqj_sim.results import ShownResult, save_file

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

_NUMBERS_PER_SIDE = (
    "teams", "score_before", "score_after", "card_points", "trick_counts", "totals", "gratuities",
    "scores",
)  # fmt: skip
"""Keys of records whose numbers are columns of `Records.frame`."""

_TABLES = ("hands",)
"""Keys that may be null in place of a list."""

_TEXTS = ("game", "turned", "contract", "result")
_INFERRED_TYPES = ("seed", "deal", "imposed", "capot")
"""Keys that are never null; numbers of the others may be."""


class Round(ShownResult):
    """A round: its record, and its hands, calls, tricks and scores as text.

    Attributes:
        record: the round as a record; its fields are those of the JSON.
        versions: the records of all different rounds, if a policy played against another.
        discrepancies: a line for each of its calls, cards and scores that is against the rules.
        parts: the text with colours and tables, for `rich`.

    Example:
        >>> import kqj_sim as kqj
        >>> round = kqj.show(deal=42, policy="standard")
        >>> round.record.deal, len(round.record.hands)
        (42, 6)
    """

    def __init__(
        self,
        record: AnyRecord,
        players: Sequence[str] | None = None,
        *,
        title: str = "",
        parts: Sequence[RenderableType] = (),
        versions: Sequence[Record] = (),
    ) -> None:
        self.record, self.versions = record, versions
        found = check_record(record) if isinstance(record, Record) and not parts else ()
        self.discrepancies = [name_people_in(each, record) for each in found]
        if isinstance(record, Record):
            self.parts = parts or render_round(record, players, title=title)
        else:
            self.parts = render_partial_round(record, title)
        self._text = to_screen(self.parts, color=False, width=None).rstrip()
        outcome = self._text.rpartition("\nResult\n")[2].split("\n")
        has_outcome = len(outcome) > 1 and len(versions) < 2
        self.headline = outcome[0] if has_outcome else self._text.split("\n")[0]

    def _list_lines(self) -> Sequence[str]:
        heading = self._text.partition("\n\n")[0].split("\n")
        if isinstance(self.record, Record):
            scores = (f"team {team}: {score}" for team, score in enumerate(self.record.scores))
            heading.append(f"Scores: {', '.join(scores)}")
        return [*heading, "print() shows hands, calls and tricks"]

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        """Return the whole round as HTML, for notebooks."""
        return to_html_fragment([self.headline], text=self._text)

    def to_json(self) -> str:
        """Return the record as a line of JSON."""
        return to_json(self.record)


class Records(ShownResult, Sequence[Record]):
    """Records of rounds, in order of deal or of game.

    Attributes:
        interrupted: True if Ctrl-C ended the run early.

    Example:
        >>> import kqj_sim as kqj
        >>> rounds = kqj.records(deals=5, policy="standard")
        >>> len(rounds), [each.deal for each in rounds[:2]]
        (5, [0, 1])
    """

    def __init__(self, records: Sequence[Record], interrupted: bool = False) -> None:
        self._records = tuple(records)
        self.interrupted = interrupted
        self.headline = f"{count_noun(len(records), 'record')} of rounds."

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> Records: ...
    def __getitem__(self, index: int | slice) -> Record | Records:
        if isinstance(index, slice):
            return Records(self._records[index], self.interrupted)
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def _list_lines(self) -> Sequence[str]:
        lines = [record.describe() for record in self._records[:4]]
        return [*lines, *(["..."] if len(self) > len(lines) else [])]

    def frame(self) -> pd.DataFrame:
        """Return one row per record: its single values, and its lists of numbers per team or seat.

        These are columns such as `scores_0`.  Rules, players, cards, calls and tricks are left out.
        Texts are str, flags bool, numbers Int64 where they may be missing, as `sender` is where
        everybody passed.
        """
        import pandas as pd

        rows = []
        for record in self._records:
            row: dict[str, object] = {}
            for name in record.__struct_fields__:
                value = getattr(record, name)
                if name in _NUMBERS_PER_SIDE:
                    row |= {f"{name}_{side}": number for side, number in enumerate(value or ())}
                elif not isinstance(value, (list, dict)) and name not in _TABLES:
                    row[name] = value
            rows.append(row)
        frame = pd.DataFrame(rows)
        return frame.astype(
            {
                name: "str" if name in _TEXTS else "Int64"
                for name in frame.columns
                if name not in _INFERRED_TYPES
            }
        )

    def to_json(self) -> str:
        """Return the records as lines of JSON."""
        return "".join(f"{to_json(record)}\n" for record in self._records)

    def save(self, path: str | Path) -> None:
        """Write the records to a file, one line of JSON each."""
        save_file(parse_argument("path", parse_path, path), self.to_json().encode())


class CheckResult(ShownResult):
    """The result of `check`.

    Attributes:
        ok: True if there are no discrepancies.
        discrepancies: number of the record (or line, from 1) and text of each.

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.check(kqj.records(deals=5, policy="standard"))
        >>> found.ok, list(found.discrepancies)
        (True, [])
    """

    def __init__(self, discrepancies: Sequence[tuple[int, str]], summary: Sequence[str]) -> None:
        self.discrepancies = tuple(discrepancies)
        self.ok = not discrepancies
        self.headline = "\n".join(summary)

    def _list_lines(self) -> Sequence[str]:
        return [f"{line}: {text}" for line, text in self.discrepancies]

    def frame(self) -> pd.DataFrame:
        """Return the discrepancies, with the columns `line` and `discrepancy`."""
        import pandas as pd

        frame = pd.DataFrame(self.discrepancies, columns=["line", "discrepancy"])
        return frame.astype({"line": "int64", "discrepancy": "str"})

    def to_json(self) -> str:
        """Return the summary and the discrepancies as JSON."""
        rows = [{"line": line, "discrepancy": text} for line, text in self.discrepancies]
        return format_json({"summary": self.headline, "discrepancies": rows})
