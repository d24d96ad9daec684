"""The documentation site: built without a warning, complete, without dead links or a network."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.command_line import run_python

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


class Links(HTMLParser):
    """The links, anchors and loaded files of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element links to, loads and names."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given.get("id", ""), given.get("name", "")}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in ("img", "script", "iframe") and "src" in given:
            self.loaded.append(given["src"])
        elif tag == "link" and given.get("rel") != "canonical":
            self.loaded.append(given["href"])


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site, built as CONTRIBUTING.md says, but elsewhere."""
    folder = tmp_path_factory.mktemp("site")
    built = find_command().replace("docs/build/html", str(folder)).split()
    assert built[0] == "python" and str(folder) in built
    done = run_python(*built[1:], "-q", "-d", str(folder.with_name("doctrees")), cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Links]:
    return {path: Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def find_command() -> str:
    """Return the command of CONTRIBUTING.md that builds the site."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"`(python -m sphinx [^`]+)`", text)
    return str(found)


def test_every_page_of_docs_is_in_the_site(site: Path, pages: dict[Path, Links]) -> None:
    for page in DOCS.glob("*.md"):
        assert site / f"{page.stem}.html" in pages, page.name
    index = [urlsplit(link).path for link in pages[site / "index.html"].links]
    assert {f"{page.stem}.html" for page in DOCS.glob("*.md")} - {"index.html"} <= {*index}


def test_the_menu_has_at_most_20_entries(site: Path) -> None:
    html = (site / "index.html").read_text(encoding="utf-8")
    assert 10 < len(re.findall(r'<li class="toctree-l1', html.split("<article")[0])) <= 20


def test_rows_of_tables_do_not_wrap_and_sentences_do(site: Path) -> None:
    html = (site / "odds.html").read_text(encoding="utf-8")
    assert '<span class="go row">take ♥  ' in html and '<span class="go">You hold ♠ K  ♥' in html


def test_links_lead_to_pages_and_anchors_of_the_site(site: Path, pages: dict[Path, Links]) -> None:
    dead, found = [], 0
    for page, links in pages.items():
        for link in (*links.links, *links.loaded):
            parts = urlsplit(link)
            if parts.scheme or (link.startswith("#") and page.name == "search.html"):
                continue
            path = page.parent / unquote(parts.path) if parts.path else page
            path = (path / "index.html" if path.is_dir() else path).resolve()
            found += 1
            if not path.exists() or (
                path in pages and unquote(parts.fragment) not in pages[path].anchors
            ):
                dead.append(f"{page.name}: {link}")
    assert found > 1000
    assert not dead, dead


def test_links_to_other_sites_are_well_formed(pages: dict[Path, Links]) -> None:
    outside = {link for links in pages.values() for link in links.links if urlsplit(link).scheme}
    assert any("boardgamearena.com" in link for link in outside)
    for link in outside:
        parts = urlsplit(link)
        assert parts.scheme in ("https", "http") and "." in (parts.hostname or ""), link
        assert not re.search(r"\s|localhost|127\.0\.0\.1", link), link


def test_pages_and_their_search_need_no_network(site: Path, pages: dict[Path, Links]) -> None:
    for page, links in pages.items():
        outside = [each for each in links.loaded if urlsplit(each).scheme not in ("", "data")]
        assert not outside, page.name
    for style in site.rglob("*.css"):
        rules = style.read_text(encoding="utf-8")
        assert not re.search(r"""(@import|url\()\s*["']?(https?:)?//""", rules), style.name
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    found = json.loads(index[index.index("(") + 1 : index.rindex(")")])
    names = found["docnames"]
    expected = {"litig": "rules", "calibr": "calibration", "caller": "kwajongen_rules"}
    for word, name in expected.items():
        hits = [found[part].get(word, []) for part in ("terms", "titleterms")]
        assert any(
            names.index(name) in (each if isinstance(each, list) else [each]) for each in hits
        )
