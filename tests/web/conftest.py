"""Fixtures of the page's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.browser import Browser, get_page
from tools.page.module import build_engine


@pytest.fixture
def browser() -> Iterator[Browser]:
    """Return a browser with the page."""
    opened = Browser(get_page().as_uri())
    try:
        opened.wait("state.engine")
        yield opened
        assert not opened.errors
    finally:
        opened.close()


@pytest.fixture(scope="session")
def engine_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the engine, built anew (`tools.page.module.build_engine`)."""
    pytest.importorskip("ziglang", reason="the extra `web` is not installed")
    folder = tmp_path_factory.mktemp("engine")
    build_engine(folder)
    return folder
