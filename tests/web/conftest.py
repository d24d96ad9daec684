"""Fixtures of the page's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.browser import Browser
from web.build import PAGE


@pytest.fixture
def browser() -> Iterator[Browser]:
    """Return a browser with the page."""
    opened = Browser(PAGE.as_uri())
    try:
        opened.wait("engine")
        yield opened
        assert not opened.errors
    finally:
        opened.close()
