"""Sentences: each that is asked for is in its template, and each in a template is asked for."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import pytest

import kqj_sim
from kqj_sim.cards import Card
from kqj_sim.core import code_cache
from kqj_sim.output import sentences
from kqj_sim.stats.intervals import Estimate

PACKAGE = Path(kqj_sim.__file__).parent
FOLDERS = sorted(path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("sentences.j2"))
TEXTS = {
    node.value
    for path in PACKAGE.rglob("*.py")
    for node in ast.walk(ast.parse(path.read_text()))
    if isinstance(node, ast.Constant) and isinstance(node.value, str)
}
# Those of a command may be named by it: f"{command}_intervals".
TEXTS |= {f"{text}_intervals" for text in TEXTS & {"compare", "sweep", "tune"}}
TEMPLATES = "".join(path.read_text() for path in PACKAGE.rglob("sentences.j2"))


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_each_sentence_is_asked_for_and_exists(folder: Path) -> None:
    macros = sentences.load_sentences(".".join(["kqj_sim", *folder.parts, "module"]))
    for name, macro in vars(macros).items():
        if callable(macro) and name not in TEXTS:
            assert len(re.findall(rf"\b{name}\(", TEMPLATES)) > 1, f"{name} is not used"
    for path in (PACKAGE / folder).glob("*.py"):
        for name in re.findall(r'\bsay\(\s*__name__,\s*"(\w+)"', path.read_text()):
            assert hasattr(macros, name), f"{path.name}: {name}"


def test_a_misspelt_value_is_an_error() -> None:
    from jinja2 import UndefinedError

    macros = sentences.load_sentences("kqj_sim.questions.compare.module")
    with pytest.raises(UndefinedError, match="confidence"):
        macros.intervals(object())


@pytest.mark.parametrize(("name", "values", "text"), [
    ("share", [Estimate(0.671, 0.67, 0.672, 1000)], "67.1% ±0.1"),
    ("points", [Estimate(142.3, 142.1, 142.5, 1000)], "142.3 ±0.2"),
    ("count", [1, "take"], "1 take"), ("count", [1300, "take"], "1,300 takes"),
    ("noun", [0, "take"], "takes"), ("thousands", [1234567], "1,234,567"),
    ("ordinal", [2], "2nd"), ("listed", [["a", "b", "c"]], "a, b and c"),
    ("listed", [["a", "b"], "or"], "a or b"), ("listed", [["a"]], "a"),
    ("capital", ["the Sender"], "The Sender"), ("call", ["take h"], "take ♥"),
    ("card", [Card("K", "s")], "K♠"), ("contract", ["NT"], "NT"),
    ("sign", [Card("K", "s")], "♠"), ("whole", [1234.4], "1,234"),
])  # fmt: skip
def test_filters(name: str, values: list[object], text: str) -> None:
    assert sentences.FILTERS[name](*values) == text


def test_rest_of_a_total_has_the_interval_in_order() -> None:
    assert sentences.FILTERS["rest"](Estimate(0.5, 0.25, 0.625, 7), 1.0) == Estimate(
        0.5, 0.375, 0.75, 7
    )


def test_size_of_a_negative_number_keeps_its_interval() -> None:
    assert sentences.FILTERS["size"](Estimate(-3.0, -5.0, -1.0, 7)) == Estimate(3.0, 1.0, 5.0, 7)


def test_compiled_templates_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def say() -> str:
        sentences.load_sentences.cache_clear()
        sentences.make_environment.cache_clear()
        return sentences.say("kqj_sim.output.screen", "imposed", "opener", "h")

    monkeypatch.setattr(code_cache, "CACHE_FOLDER", tmp_path)
    assert say() == "the opener plays in ♥"
    (kept,) = tmp_path.iterdir()
    content = kept.read_bytes()
    for damaged in (b"", content[:-9], content[:-9] + bytes(9)):
        kept.write_bytes(damaged)
        assert say() == "the opener plays in ♥"
        assert kept.read_bytes() != damaged
    monkeypatch.setattr(code_cache, "CACHE_FOLDER", kept / "folder")
    assert say() == "the opener plays in ♥"


@pytest.mark.parametrize(("value", "low", "high", "text"), [
    (0.9984, 0.997, 0.999, "99.8%"),
    (0.712, 0.70, 0.72, "71%"),
    # A chance is never rounded to certainty.
    (0.9999, 0.999, 1.0, "more than 99.9%"),
    (0.996, 0.98, 1.0, "more than 99%"),
    (0.0001, 0.0, 0.001, "less than 0.1%"),
    (1.0, 0.999, 1.0, "100%"),
    (0.0, math.nan, math.nan, "0%"),
])  # fmt: skip
def test_chances(value: float, low: float, high: float, text: str) -> None:
    assert sentences.format_chance(Estimate(value, low, high, 1000)) == text


@pytest.mark.parametrize(("value", "half", "most", "points", "width", "gap"), [
    (1218.4, 3.14, 600, "1,218", "3.1", "1,218.4 ±3.1"),
    (218.4, 0.3, 600, "218.4", "0.3", "218.4 ±0.3"), (-9.46, 12.2, 600, "-9.5", "12", "9.5 ±12"),
    (-0.04, 0.001, 600, "0.0", "0.1", "0.0 ±0.1"), (12.0, math.nan, 600, "12", "", "12.0"),
    (12.5, math.inf, 600, "12", "?", "12.5 ±?"), (0.5, 0.012, 4, "0.50", "0.01", "0.50 ±0.01"),
    (0.5, 0.0042, 4, "0.50", "0.004", "0.50 ±0.004"),
])  # fmt: skip
def test_points(value: float, half: float, most: int, points: str, width: str, gap: str) -> None:
    estimate = Estimate(value, value - half, value + half, 1000)
    assert sentences.format_points(estimate, most) == points
    assert sentences.format_half(estimate, most) == width
    assert sentences.format_gap(estimate, most) == gap
    assert sentences.format_with_half(estimate, most) == (
        f"{points} (±{width})" if width else points
    )
