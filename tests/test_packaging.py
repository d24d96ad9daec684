"""The package is ready to publish: its files, its metadata, its description and its citation."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest
import yaml

import kqj_sim

ROOT = Path(__file__).resolve().parent.parent
MAX_WHEEL_MB = 10


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the sdist, and the wheel that is made from it."""
    folder = tmp_path_factory.mktemp("dist")
    # In an environment of its own, as for a release.
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def metadata(built: tuple[Path, Path]) -> Message:
    with zipfile.ZipFile(built[1]) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/METADATA"))
        return message_from_string(archive.read(name).decode())


@pytest.mark.slow
def test_metadata_and_description_pass_the_check(built: tuple[Path, Path]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *map(str, built)],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.count("PASSED") == 2, done.stdout + done.stderr


@pytest.mark.slow
def test_the_wheel_has_the_package_and_no_more(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[1]) as archive:
        names = {each for each in archive.namelist() if ".dist-info/" not in each}
    files = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "kqj_sim").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == files
    assert {"kqj_sim/py.typed", "kqj_sim/__main__.py"} <= names
    size = built[1].stat().st_size / 1e6
    assert size < MAX_WHEEL_MB
    stated = re.search(r"The wheel is ([\d.]+) MB", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert stated and float(stated[1]) == pytest.approx(size, abs=0.1)


@pytest.mark.slow
def test_the_sdist_has_tests_and_documents(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("docs/index.md", "tests/test_packaging.py", "CITATION.cff", "constraints.txt"):
        assert name in names


@pytest.mark.slow
def test_metadata_tell_where_and_what(metadata: Message) -> None:
    assert metadata["Version"] == kqj_sim.__version__
    assert metadata["License-Expression"] == "MIT"
    assert len(metadata.get_all("Project-URL", [])) >= 2
    assert len(str(metadata["Keywords"]).split(",")) > 5
    classifiers = metadata.get_all("Classifier", [])
    assert {"Typing :: Typed", "Development Status :: 4 - Beta"} <= {*classifiers}


@pytest.mark.slow
def test_the_description_needs_no_file_of_the_repository_to_render(metadata: Message) -> None:
    text = str(metadata.get_payload())
    assert not re.findall(r"!\[[^\]]*\]\((?!https://)|<img", text)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    # Only the picture with its caption is left out.
    assert readme.count("![") == 1 and readme.count("\n") - text.count("\n") in range(3, 8)


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").read_text(encoding="utf-8").count("\n") <= 200


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == kqj_sim.__version__
    assert {"cff-version", "message", "title", "authors", "license"} <= {*citation}
