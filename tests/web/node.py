"""The page's scripts in node."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from typing import Any

import pytest

from kqj_sim.web.make import read_part

NODE = shutil.which("node")
LANGUAGE = ("texts.js", "french.js", "french_sentences.js", "language.js")
"""The scripts with the words of both languages."""

needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def read_scripts(*names: str) -> str:
    return "\n".join(read_part(name) for name in names)


def run_in_node(scripts: str, expression: str, given: Any) -> Any:
    """Return the value of an expression after some scripts; in both `given` is what is given."""
    assert NODE is not None
    read = 'const given = JSON.parse(require("fs").readFileSync(0, "utf8"));\n'
    write = f"Promise.resolve({expression}).then((value) => console.log(JSON.stringify(value)));"
    done = subprocess.run(
        [NODE, "-e", f"{read}{scripts}\n{write}"], input=json.dumps(given), text=True,
        capture_output=True, check=False, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def list_numbers(sentence: str) -> Counter[str]:
    """Return the numbers of a sentence, without the signs between their digits."""
    plain = re.sub(r"(?<=\d)[,.\u202f](?=\d)", "", sentence)
    return Counter(re.findall(r"\d+", re.sub("10(?=[♠♥♦♣])", "T", plain)))
