"""The page of a review: what it shows, and the JSON in it."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from kqj_sim.questions.review.page import format_points, format_share

OPTIONS = ("--samples", "20", "--ignore-calls", "--quiet")
"""Options of a fast review."""


class Reader(HTMLParser):
    """The elements of a page with a path into its JSON, its marks and links, and the JSON."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.values: list[tuple[str, str]] = []
        self.marks: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.rest: list[str] = []
        self.embedded = ""
        self._path: str | None = None
        self._tag = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note paths, marks and links."""
        found = dict(attrs)
        self._path = found.get("data-value")
        self._tag = "json" if found.get("id") == "review" else tag
        if tag == "circle" and found.get("class") == "mistake":
            self.marks.append(found["data-at"] or "")
        if tag == "a":
            self.links.append(found["href"] or "")
        self.sources += [value or "" for name, value in attrs if name in ("src", "srcset")]

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self._path, self._tag = None, ""

    def handle_data(self, data: str) -> None:
        """Note values, and the text without them."""
        if self._tag == "json":
            self.embedded += data
        elif self._path is not None:
            self.values.append((self._path, data))
        elif self._tag not in ("script", "style"):
            self.rest.append(data)


def look_up(data: Any, path: str) -> Any:
    """Return the value at a path of the JSON."""
    for key in path.split("."):
        data = data[int(key) if isinstance(data, list) else key]
    return data


def assert_values_are_of_json(reader: Reader, data: Any) -> None:
    """Assert that each number of a page is the one at its path."""
    assert reader.values
    for path, text in reader.values:
        number = look_up(data, path)
        share = path.endswith(("accuracy", "_share")) or "win_share_" in path
        right = {str(number), format_share(number) if share else format_points(number)}
        assert text in right, path
