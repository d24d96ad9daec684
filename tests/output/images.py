"""Images as bytes: their formats and the texts in them."""

from __future__ import annotations

import re

from kqj_sim.output.run import Run
from kqj_sim.questions.simulate.plots import make_simulation_drawing
from kqj_sim.stats.tally import Tally

SIGNATURES = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
"""The first bytes of a file, by format."""


def read_texts(svg: bytes) -> set[str]:
    """Return the texts of an SVG image."""
    return set(re.findall(r"<text[^>]*>([^<]+)</text>", svg.decode()))


def render_simulation(tally: Tally, run: Run, format: str) -> bytes:
    """Return the picture of a simulation as a file."""
    return make_simulation_drawing(tally, run).render(format)
