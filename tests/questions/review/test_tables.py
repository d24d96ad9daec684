"""Tables of reviews: players by short labels."""

from __future__ import annotations

from kqj_sim.questions.review.tables import replace_players
from kqj_sim.stats.intervals import make_count
from kqj_sim.stats.tables import Table, TableRow


def test_players_and_their_opponents_have_labels_and_other_columns_do_not() -> None:
    rows: list[TableRow] = [(("long", 3, "other", "long"), "rounds", make_count(5))]
    columns = ("player", "line", "other", "kind")
    table = Table("differences", "Differences", columns, rows, "", False, game="kqj")
    labelled = replace_players(table, {"long": "short", "other": "short (2)"})
    assert [line[0] for line in labelled.lines] == [("short", 3, "short (2)", "long")]
    assert [line[1:] for line in labelled.lines] == [line[1:] for line in table.lines]
