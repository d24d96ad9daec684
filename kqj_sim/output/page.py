"""Pages of sentences, pictures and tables, as one HTML file or as Markdown.

Both are written from one model, so that they say the same.  The HTML needs no network and no
scripts; its pictures are inline and take the colour of its text.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kqj_sim.messages import capitalize, format_json, visible
from kqj_sim.output.grid import Grid, escape_tags, to_markdown

if TYPE_CHECKING:
    from jinja2 import Environment

# Tables as pages show them: titles that repeat nothing, and the room that columns need.

PHONE_WIDTH = 42
"""Characters of a table that fit on a phone, 390 pixels wide, in digits of a wide font."""

HALF_WIDTH = 52
"""Characters that fit into half a page, on a desk and on paper."""

_LITTLE_WORDS = {"a", "of", "s", "the"}


class PageTable(NamedTuple):
    """A table of a chapter.

    Attributes:
        title: its title without the words that the chapter or the table before has.
        unit: what its numbers are of, such as `share of taken deals`; may be empty.
    """

    grid: Grid
    title: str
    unit: str

    @property
    def heading(self) -> str:
        """The title with the unit, as above a table."""
        if self.title and self.unit:
            return f"{self.title} ({self.unit})"
        return self.title or capitalize(self.unit)

    @property
    def caption(self) -> str:
        """The unit alone, for a table whose title is the line that opens it."""
        return capitalize(self.unit) if self.title else ""

    @property
    def is_stacked(self) -> bool:
        """True if a phone shows each row as lines, as the columns do not fit side by side."""
        return measure_columns(self.grid) > PHONE_WIDTH


def make_page_tables(chapter: str, grids: Sequence[Grid]) -> list[PageTable]:
    """Return the tables of a chapter."""
    split = [_split_title(grid.title) for grid in grids]
    titles = shorten_titles(chapter, [title for title, _ in split])
    return [
        PageTable(grid, "" if _list_words(title) == _list_words(chapter) else title, unit)
        for grid, title, (_, unit) in zip(grids, titles, split, strict=True)
    ]


def shorten_titles(chapter: str, titles: Iterable[str]) -> list[str]:
    """Return titles without first words that the chapter's title or the one before has, too.

    In the chapter "Contracts made" the title `Contracts made, by kind` becomes `By kind`.
    """
    short = []
    said = {_list_words(chapter)}
    for title in titles:
        parts = re.split(r"(, | (?=in |minus ))", title)
        begin = 0
        while begin + 2 < len(parts) and _list_words(parts[begin]) in said:
            begin += 2
        short.append(capitalize("".join(parts[begin:])))
        said = {_list_words(words) for words in (chapter, *parts[::2])}
    return short


def _split_title(title: str) -> tuple[str, str]:
    """Return a title without what its numbers are of, and that."""
    words, _, unit = title.removesuffix(")").partition(" (")
    match = re.fullmatch(r"(.+), ((?:taken|played) deals)", words)
    if match is None:
        return words, unit
    words, deals = match.groups()
    return words, unit if deals in unit else ", ".join(filter(None, (deals, unit)))


def _list_words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower())) - _LITTLE_WORDS


def measure_columns(grid: Grid) -> int:
    """Return how many characters wide a table is if its keys and headings are broken into lines."""
    width = 0
    for place, heading in enumerate(grid.headings):
        cells = [str(row[place]) for row in grid.rows]
        if place < grid.keys:
            cells = [word for cell in cells for word in _break_key(cell)]
        words = heading.replace("_", " ").split()
        width += 2 + max(map(len, (*words, *cells)), default=0)
    return width


def _break_key(text: str) -> Sequence[str]:
    """Return the parts of a key that stay on a line, as in the template of pages."""
    return [text] if len(text) < 12 else re.split(r"\s|(?<=[:,+=/])(?=\w)", text)


# HTML from Jinja templates: whole pages, and fragments for notebooks.


def render_html(template: str, **values: Any) -> str:
    """Return the HTML of a template of the package, such as "output/templates/page.html"."""
    html = _make_environment().get_template(template).render(values)
    # Bytes of file names that are not UTF-8.
    return re.sub("[\ud800-\udfff]", lambda byte: visible(byte[0]), html)


@functools.cache
def read_templates() -> Mapping[str, str]:
    """Return all templates of the package by their paths: an upgrade may replace the files."""
    package = Path(__file__).parents[1]
    return {
        path.relative_to(package).as_posix(): path.read_text(encoding="utf-8")
        for folder in ("games", "output", "paired", "questions")
        for path in (package / folder).rglob("*.*")
        if path.suffix in (".j2", ".html", ".css", ".js")
    }


@functools.cache
def _make_environment() -> Environment:
    from jinja2 import DictLoader, Environment, StrictUndefined

    environment = Environment(
        loader=DictLoader(read_templates()),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=mark_code,
    )
    environment.filters["breakable"] = _mark_line_breaks
    environment.filters["joined"] = join_intervals
    environment.filters["css"] = quote_css
    environment.filters["capital"] = capitalize
    return environment


def mark_code(value: Any) -> Any:
    """Return a text with backticks as HTML, in which what they enclose is code; others as is."""
    if not isinstance(value, str) or hasattr(value, "__html__") or "`" not in value:
        return value
    from jinja2.filters import do_mark_safe

    return do_mark_safe(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(value)))


def _mark_line_breaks(text: str) -> str:
    """Return a text as HTML, with line breaks allowed after the punctuation of policy names."""
    return re.sub(r"([:,+=/])(?=\w)", r"\1<wbr>", escape(text, quote=False))


def join_intervals(text: str) -> str:
    """Return a sentence whose numbers stay on the line of their intervals."""
    return re.sub(r"(?<=[\d%]) (?=±)|(?<=[\d%]) (?=\([-\d.,]+ to )", "\u00a0", text)


def quote_css(text: str) -> str:
    """Return a text as a string of CSS."""
    return '"' + re.sub(r'["\\\n]', lambda match: f"\\{ord(match[0]):x} ", text) + '"'


def to_html_fragment(
    headline: Sequence[str],
    described: Iterable[str] = (),
    grids: Iterable[Grid] = (),
    text: str = "",
) -> str:
    """Return results as HTML that can stand anywhere on a page, in the colours of its text.

    Args:
        headline: sentences on top, in bold.
        described: lines in a quieter colour.
        text: preformatted text at the end.
    """
    return render_html(
        "output/templates/fragment.html",
        headline=headline, described=described, grids=grids, text=text,
    )  # fmt: skip


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
        text: paragraphs of plain text.
        folded: tables that are opened on demand.
        note: how to read it.
        link: the page that it is about.
    """

    name: str
    title: str
    text: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    grids: tuple[Grid, ...] = ()
    folded: tuple[Grid, ...] = ()
    note: str = ""
    link: str = ""

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
        lead: sentences on top, below the headlines.
        provenance: how it was made, as names and values on one line each.
        listings: names and longer texts, opened on demand.
        time: when it was made, the only part that differs when it is made again.
        headlines: the findings in a few sentences, above everything else.
        index: the page that lists this one and others.
    """

    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]
    provenance: tuple[tuple[str, str], ...]
    listings: tuple[tuple[str, str], ...] = ()
    time: str = ""
    headlines: tuple[str, ...] = ()
    index: str = ""

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
        lines += _render_section(section)
    lines = [escape_tags(line) for line in lines]
    lines += ["## How this report was made", ""]
    lines += [f"- {name}: {_format_code(value)}" for name, value in page.provenance]
    lines += [f"- made: {page.time}"] if page.time else []
    for name, text in page.listings:
        lines += ["", f"{name}:", "", *(f"    {line}".rstrip() for line in text.splitlines())]
    return ("\n".join(lines).rstrip() + "\n").encode()


def _render_section(section: Section) -> list[str]:
    lines = [f"## {section.title}", ""]
    for paragraph in (section.note, *section.text):
        lines += [paragraph, ""] if paragraph else []
    for picture, caption in zip(section.pictures, section.list_captions(), strict=True):
        lines += [f"![{picture.caption}](pictures/{picture.name}.svg)", "", f"*{caption}*", ""]
    for table in section.list_tables():
        lines += [f"### {table.heading}", ""] if table.heading else []
        lines += [to_markdown(replace(table.grid, title=""))]
    return lines


def _format_code(value: str) -> str:
    return f"`{value}`" if "`" not in value else escape_tags(format_json(value))
