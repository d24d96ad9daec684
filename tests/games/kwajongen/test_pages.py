"""The pages about Kwajongen name its rules and policies."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from kqj_sim.games.kwajongen import Kwajongen, KwajongenRules

DOCS = Path(__file__).parents[3] / "docs"


def test_rules_and_policies_are_explained() -> None:
    pages = (DOCS / "kwajongen_rules.md", DOCS / "kwajongen.md")
    told = "".join(page.read_text(encoding="utf-8") for page in pages)
    rows = re.findall(r"^\| `--(\S+)` \| (.*?) \|", told, re.M)
    values = {rule.name: rule.metadata["choices"] for rule in fields(KwajongenRules)}
    assert {name.replace("-", "_"): text for name, text in rows} == {
        name: ", ".join(f"`{choice}`" for choice in choices) for name, choices in values.items()
    }
    assert re.findall(r"^\| `(\w+)` \| \w", told, re.M) == list(Kwajongen.built_ins)
    default = re.search(r"^`(\S+)` plays the seats you do not name", told, re.M)
    assert default is not None and default[1] == Kwajongen.default_player
