"""HTML as a tree of elements."""

from __future__ import annotations

from html.parser import HTMLParser
from xml.etree.ElementTree import Element, TreeBuilder

_VOID = ("br", "col", "hr", "img", "input", "link", "meta", "wbr")
"""The elements of HTML that are never closed."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.builder = TreeBuilder()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        if tag in _VOID:
            self.builder.end(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            self.builder.end(tag)

    def handle_data(self, data: str) -> None:
        self.builder.data(data)


def read_html(text: str) -> Element:
    """Return an element that holds those of a text; raise AssertionError if one is not closed."""
    reader = _Reader()
    reader.feed(f"<page>{text}</page>")
    return reader.builder.close()
