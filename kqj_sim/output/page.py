"""Pages of sentences, pictures and tables, as one HTML file or as Markdown.

Both are written from one model, so that they say the same.  The HTML needs no network and no
scripts; its pictures are inline and take the colour of its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

from kqj_sim.messages import format_json
from kqj_sim.output.grid import Grid, escape_tags, to_markdown
from kqj_sim.output.html import render_html
from kqj_sim.output.page_tables import (
    HALF_WIDTH,
    PageTable,
    make_page_tables,
    measure_columns,
    shorten_titles,
)

INK = "#0b0c0d"
"""Colour of text and axes in a picture; on a page it becomes that of the page's text."""


def minify_svg(svg: str) -> str:
    """Remove what does not show: comments, line ends, fractions of a dot, needless groups."""
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.S)
    svg = re.sub(r"(\d\.\d\d)\d+", r"\1", svg)
    svg = re.sub(r' transform="rotate\(-0[^"]*"', "", svg)
    font = "font-family: 'DejaVu Sans', sans-serif"
    svg = svg.replace(f"{font}; ", "").replace("<svg ", f'<svg style="{font}" ', 1)
    svg = re.sub(r">\s+<", ">\n<", re.sub(r" *\n *", " ", svg)).strip() + "\n"
    return _remove_groups(svg)


def _remove_groups(svg: str) -> str:
    """Remove the many groups that do nothing but have a name."""
    kept: list[str] = []
    wanted: list[bool] = []
    for text in re.split(r"(</?g\b[^>]*>\n)", svg):
        closing = text.startswith("</g>")
        if not (closing or re.match(r"<g\b", text)):
            kept.append(text)
            continue
        wanted_now = wanted.pop() if closing else " " in re.sub(r' id="[^"]*"', "", text)
        if wanted_now:
            kept.append(text)
        if not closing and not text.endswith("/>\n"):
            wanted.append(wanted_now)
    return "".join(kept)


@dataclass(frozen=True)
class Picture:
    """A picture of a page.

    Attributes:
        name: name of its file, without suffix.
        caption: what it shows, written below it.
        svg: the picture without background; INK becomes the colour of the page's text.  Empty if
            there is nothing to compare.
    """

    name: str
    caption: str
    svg: str

    def to_inline_svg(self) -> str:
        """Return the picture as an element of a page, with identifiers that no other one has."""
        svg = self.svg[self.svg.index("<svg") :]
        used = {*re.findall(r'(?:url\(#|href="#)([^)"]+)', svg)}

        def rename(match: re.Match[str]) -> str:
            return f' id="{self.name}-{match[1]}"' if match[1] in used else ""

        svg = re.sub(r' id="([^"]+)"', rename, svg)
        svg = re.sub(r"(url\(#|href=\"#)", rf"\g<1>{self.name}-", svg)
        svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.S)
        svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
        svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
        svg = svg.replace("<svg", '<svg aria-hidden="true" focusable="false"', 1)
        return re.sub(r"\n+", "\n", svg.replace(INK, "currentColor")).strip()

    @property
    def height(self) -> float:
        """Its height; all pictures of a page are equally wide."""
        match = re.search(r' viewBox="[^"]* ([\d.]+)"', self.svg)
        return float(match[1]) if match else 0.0

    def to_svg_file(self) -> bytes:
        """Return the picture as a file, on white, with its caption as title."""
        start = self.svg.index(">", self.svg.index("<svg")) + 1
        white = f"\n<title>{escape(self.caption, quote=False)}</title>"
        white += '\n<rect width="100%" height="100%" fill="#ffffff"/>'
        return f"{self.svg[:start]}{white}{self.svg[start:]}".encode()


@dataclass(frozen=True)
class Section:
    """A titled section.

    Attributes:
        name: for links.
        title: its heading.
        text: paragraphs of plain text; those that are headlines of the page are not repeated.
        pictures: its pictures.
        grids: its tables.
        folded: tables that are opened on demand.
        note: how to read it.
    """

    name: str
    title: str
    text: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    grids: tuple[Grid, ...] = ()
    folded: tuple[Grid, ...] = ()
    note: str = ""

    def list_captions(self) -> list[str]:
        """Return the captions of its pictures, without what the title or the one before says."""
        return shorten_titles(self.title, [picture.caption for picture in self.pictures])

    def list_tables(self) -> list[PageTable]:
        """Return its tables, then those that are opened on demand."""
        return make_page_tables(self.title, [*self.grids, *self.folded])

    def place_tables(self) -> str:
        """Return where a wide screen has its tables.

        If half the width is enough for them, they stand `beside` a single picture or, of two, below
        the lower one, on the `left` or the `right`; else the class is `wide`.
        """
        heights = [picture.height for picture in self.pictures]
        if any(measure_columns(grid) > HALF_WIDTH for grid in self.grids) or len(heights) > 2:
            return "wide"
        if len(heights) < 2:
            return "beside"
        return "left" if heights[0] < heights[1] else "right"


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes:
        title: its heading.
        lead: sentences on top, below the headlines.
        sections: its sections in order.
        provenance: how it was made, as names and values on one line each.
        listings: names and longer texts, opened on demand.
        time: when it was made, the only part that differs when it is made again.
        headlines: the findings in a few sentences, above everything else.
    """

    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]
    provenance: tuple[tuple[str, str], ...]
    listings: tuple[tuple[str, str], ...] = ()
    time: str = ""
    headlines: tuple[str, ...] = ()

    def pictures(self) -> Iterator[Picture]:
        """Yield all pictures in order."""
        for section in self.sections:
            yield from section.pictures


def to_html(page: Page) -> bytes:
    """Return the page as one HTML file."""
    return render_html("output/templates/page.html", page=page).encode()


def page_to_markdown(page: Page) -> bytes:
    """Return the page as Markdown, which shows the SVG files of the folder `pictures` beside it."""
    lines = [f"# {page.title}", ""]
    for sentence in page.headlines:
        lines += [f"**{sentence}**", ""]
    for sentence in page.lead:
        lines += [sentence, ""]
    for section in page.sections:
        lines += _render_section(section, page.headlines)
    lines = [escape_tags(line) for line in lines]
    lines += ["## How this report was made", ""]
    lines += [f"- {name}: {_format_code(value)}" for name, value in page.provenance]
    lines += [f"- made: {page.time}"] if page.time else []
    for name, text in page.listings:
        lines += ["", f"{name}:", "", *(f"    {line}".rstrip() for line in text.splitlines())]
    return ("\n".join(lines).rstrip() + "\n").encode()


def _render_section(section: Section, headlines: Sequence[str]) -> list[str]:
    lines = [f"## {section.title}", ""]
    for paragraph in (section.note, *section.text):
        lines += [paragraph, ""] if paragraph and paragraph not in headlines else []
    for picture, caption in zip(section.pictures, section.list_captions(), strict=True):
        lines += [f"![{picture.caption}](pictures/{picture.name}.svg)", "", f"*{caption}*", ""]
    for table in section.list_tables():
        lines += [f"### {table.heading}", ""] if table.heading else []
        lines += [to_markdown(replace(table.grid, title=""))]
    return lines


def _format_code(value: str) -> str:
    return f"`{value}`" if "`" not in value else escape_tags(format_json(value))
