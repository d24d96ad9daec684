"""Images as bytes: their formats and the texts in them."""

from __future__ import annotations

import re

SIGNATURES = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
"""The first bytes of a file, by format."""


def read_texts(svg: bytes) -> set[str]:
    return set(re.findall(r"<text[^>]*>([^<]+)</text>", svg.decode()))
