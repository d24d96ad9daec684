"""Settings of every test: the option `--slow`, Ctrl-C for child processes, the weights in use."""

from __future__ import annotations

import signal

import pytest

SKIPPED = "slow; `--slow` runs it"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that runs the tests marked `slow`, too."""
    parser.addoption("--slow", action="store_true", help="run the tests marked slow, too")


def pytest_configure(config: pytest.Config) -> None:
    """Let Ctrl-C reach the programs that tests start.

    A shell without job control lets its background programs ignore SIGINT, and their children
    inherit that unless the parent handles the signal.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip slow tests unless `--slow` is given."""
    if not config.getoption("--slow"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason=SKIPPED))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many slow tests were skipped."""
    skipped = terminalreporter.stats.get("skipped", [])
    count = sum(SKIPPED in str(report.longrepr) for report in skipped)
    if count:
        terminalreporter.write_line(f"{count} slow tests skipped; --slow runs them, too")


@pytest.fixture(autouse=True)
def usual_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write to pipes as wide as usual, whatever the terminal of the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)
