"""Chromium without a window, driven by its debugging protocol."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from kqj_sim.web.make import PAGE, write_site
from tests.command_line import run

PROGRAM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
needs_browser = pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed")
MAX_SECONDS = 300.0
_KEY_CODES = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    "Space": 32,
    "ArrowLeft": 37,
    "ArrowRight": 39,
    "ArrowDown": 40,
}


class Browser:
    """A page in a browser of its own.

    Args:
        url: the page.
        width, height: the size of its window in pixels.
        dark: prefer dark colours.
        init: JavaScript to run before the page's own.
    """

    def __init__(
        self, url: str, width: int = 390, height: int = 844, *, dark: bool = False, init: str = ""
    ) -> None:
        assert PROGRAM is not None
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [
                PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
                f"--user-data-dir={self._profile.name}", "about:blank",
            ],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self._loop = asyncio.new_event_loop()
        self._number = 0
        self.errors: list[str] = []
        self._socket: WebSocketClientConnection = self._loop.run_until_complete(self._connect())
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page, flatten=True)
        self._session: str | None = attached["sessionId"]
        self.send("Page.enable")
        self.send("Runtime.enable")
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        if init:
            self.send("Page.addScriptToEvaluateOnNewDocument", source=init)
        self.open(url)

    async def _connect(self) -> WebSocketClientConnection:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            found = re.search(r"ws://\S+", line)
            if found:
                self._session = None
                return await websocket_connect(found[0], max_message_size=1 << 28)
        raise AssertionError("the browser did not start")

    def send(self, method: str, **parameters: Any) -> Any:
        """Send a command of the protocol and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        return self._loop.run_until_complete(self._exchange(message))

    async def _exchange(self, message: dict[str, Any]) -> Any:
        await self._socket.write_message(json.dumps(message))
        while True:
            text = await asyncio.wait_for(self._socket.read_message(), MAX_SECONDS)
            assert text is not None, "the browser ended"
            answer = json.loads(text)
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(answer["params"]["exceptionDetails"])[:600])
            if answer.get("method") == "Log.entryAdded":  # After `Log.enable`.
                self.errors.append(json.dumps(answer["params"]["entry"])[:600])
            if answer.get("id") == message["id"]:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, url: str) -> None:
        """Open a page, and wait until it is there."""
        # The page before answers until the new one is there.
        self.run("window.isLeft = true")
        # A link to another part of the same page would not load it anew.
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=url)
        there = "!window.isLeft && location.href !== 'about:blank'"
        self.wait(f"{there} && document.readyState === 'complete'")

    def resize(self, width: int, height: int) -> None:
        """Give the window a size; narrow ones are those of a phone."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
            mobile=width < 600,
        )  # fmt: skip

    def run(self, script: str) -> Any:
        """Run an expression of JavaScript, await it, and return its value."""
        answer = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        end = time.monotonic() + MAX_SECONDS
        while not self.run(f"Boolean({condition})"):
            assert not self.errors, self.errors
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)

    def click(self, *actions: str) -> None:
        """Click the buttons of some actions (`data-do`)."""
        for action in actions:
            found = f"document.querySelector(`[data-do='{action}']`)"
            self.wait(f"{found} && !{found}.disabled")
            self.run(f"{found}.click()")

    def press(self, *keys: str) -> None:
        """Press keys: characters, `Tab`, `Enter`, `ArrowDown`, ..."""
        for key in keys:
            code = _KEY_CODES.get(key, ord(key[0].upper()))
            text = "\r" if key == "Enter" else key if len(key) == 1 else ""
            named = {"key": key, "windowsVirtualKeyCode": code}
            self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **named)
            self.send("Input.dispatchKeyEvent", type="keyUp", **named)

    def reach(self, identifier: str, key: str = "Tab") -> None:
        """Press Tab, or another key, until an element has the focus."""
        for _ in range(100):
            if self.run("document.activeElement.id") == identifier:
                return
            self.press(key)
        raise AssertionError(f"the keyboard does not reach #{identifier}")

    def list_accessible(self) -> list[tuple[str, str]]:
        """Return role and name of each element as a screen reader has them, in order."""
        nodes = self.send("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node["ignored"]
        ]

    def text(self, selector: str) -> str:
        """Return the text of an element, with single spaces."""
        found = self.run(f"document.querySelector({json.dumps(selector)}).textContent")
        return " ".join(str(found).split())

    def save_picture(self, file: Path) -> None:
        """Save a picture of the whole page as PNG."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        found = self.send(
            "Page.captureScreenshot", captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1},
        )  # fmt: skip
        file.write_bytes(base64.b64decode(found["data"]))

    def close(self) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(30)
        assert self._process.stderr is not None
        self._process.stderr.close()
        self._loop.close()
        self._profile.cleanup()


_FOLDER = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)


@cache
def get_page() -> Path:
    """Return the page as it is served, written once for all tests of a process."""
    write_site(Path(_FOLDER.name))
    return Path(_FOLDER.name, PAGE)


def check_answer(browser: Browser, words: str) -> None:
    """Wait for the page's answer; compare its sentences and table with those of a command."""
    browser.wait("document.querySelector('#headline').textContent")
    browser.wait("state.isFinal")
    result = run(*shlex.split(words))
    assert result.exit_code == 0, result.output
    sentences = " ".join(result.stdout.partition("You hold")[0].split())
    assert browser.text("#headline") == sentences
    rows = browser.run(
        "[...document.querySelectorAll('#options tbody tr:not(#hidden tr)')]"
        ".map(row => row.textContent)"
    )
    lines = {re.sub(r"\s", "", line) for line in result.stdout.splitlines()}
    assert len(rows) > 1
    assert {re.sub(r"\s", "", row) for row in rows} <= lines
