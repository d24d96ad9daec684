"""Settings of every test: options for what is skipped, Ctrl-C for child processes, the width."""

from __future__ import annotations

import signal

import pytest

SKIPPED = "slow; `--slow` runs it"
MISSING = "is not installed"
"""Ends the reason of a test that is skipped for want of a program or an extra."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options on tests that are skipped."""
    parser.addoption("--slow", action="store_true", help="run the tests marked slow, too")
    parser.addoption(
        "--installed", action="store_true",
        help="fail if a test is skipped since a program or an extra is not installed",
    )  # fmt: skip


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


def count_skipped(reporter: pytest.TerminalReporter, reason: str) -> int:
    """Return how many tests, or modules of tests, were skipped for a reason."""
    return sum(reason in str(report.longrepr) for report in reporter.stats.get("skipped", []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many tests were skipped since they are slow, or since a program is missing."""
    if count := count_skipped(terminalreporter, SKIPPED):
        terminalreporter.write_line(f"{count} slow tests skipped; --slow runs them, too")
    if count := count_skipped(terminalreporter, MISSING):
        terminalreporter.write_line(f"{count} skipped for want of a program; -rs names it")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let the run fail if a program is missing, and `--installed` is given."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.getoption("--installed") and reporter and count_skipped(reporter, MISSING):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True)
def usual_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write to pipes as wide as usual, whatever the terminal of the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)
