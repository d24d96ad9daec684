"""The architecture and the conventions: one-way imports, docstrings, pins, linter, types."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import kqj_sim
from kqj_sim.core.code_cache import ABOVE_THE_ENGINE
from kqj_sim.games import GAMES, KQJ
from tests.command_line import run_python
from tests.imports import (
    GAME_PARTS,
    PACKAGE,
    ROOT,
    imports_of,
    layer_of,
    list_imported_modules,
    modules,
    name_of,
)

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

TEXT = {
    "messages",
    "errors",
    "plain",
    "text_files",
    "places",
    "cards",
    "columns",
    "rules",
    "games",
    "record",
    "imposed",
}
ENGINE = {"core", "policies", "engines", "simulation"}
ESTIMATES = {"plan", "stats", "positions", "output"}
MAY_IMPORT: dict[str, set[str]] = {
    "version": set(),
    "messages": set(),
    "errors": {"messages"},
    "plain": set(),
    "places": {"messages", "errors"},
    "signals": set(),
    "suffixes": {"messages", "errors"},
    "text_files": set(),
    "cards": {"messages", "errors", "places"},
    "columns": {"cards", "places"},
    "rules": {"messages", "errors", "plain", "cards", "columns"},
    "games": {"messages", "errors", "cards", "columns", "rules"},
    GAME_PARTS: TEXT | ENGINE | ESTIMATES | {"referee", "questions"},
    "record": {"messages", "errors", "cards", "columns", "rules", "games", "text_files"},
    "imposed": {"messages", "errors", "places", "cards", "rules"},
    "plan": {"errors"},
    "referee": TEXT,
    "core": {"columns"},
    "policies": {"core"} | TEXT - {"places", "record", "imposed"},
    "engines": {"core", "policies", "columns", "imposed", "rules", "games"},
    "simulation": TEXT | {"core", "policies", "engines"},
    "stats": TEXT | ENGINE,
    "positions": TEXT | ENGINE | {"plan", "referee", "stats"},
    "arguments": TEXT | {"policies"},
    "notation": TEXT | {"arguments", "policies", "referee", "positions"},
    "runner": TEXT | {"arguments", "core", "signals", "simulation"},
    "output": TEXT | ENGINE | {"referee", "stats", "positions", "signals", "suffixes"},
    "paired": TEXT | ENGINE | ESTIMATES | {"runner"},
    "options": {"arguments", "errors", "games", "rules", "suffixes"},
    "question": TEXT | {"arguments", "options", "output", "runner"},
    "results": {"arguments", "errors", "plain", "stats", "messages", "output", "suffixes"},
    "web": TEXT | ENGINE | {"positions"},
    "env": TEXT | ENGINE | {"arguments", "stats"},
    "questions": TEXT
    | ENGINE
    | ESTIMATES
    | {"referee", "notation", "signals", "suffixes"}
    | {"arguments", "options", "paired", "question", "results", "runner", "web"},
    "commands": TEXT
    | ENGINE
    | ESTIMATES
    | {"referee", "notation", "signals", "suffixes"}
    | {"arguments", "options", "question", "questions", "results", "runner"},
    "cli": {"commands", "errors", "messages"},
    "__main__": {"cli", "signals"},
}
"""The layers from the bottom up, each with the layers that it may import.

A layer is a module or a folder of the package.  The package's own `__init__` re-exports public
names and belongs to no layer; a layer may import `version`.
"""

LIBRARIES: dict[str, set[str]] = {
    "messages": set(),
    "errors": set(),
    "places": set(),
    "signals": set(),
    "text_files": set(),
    "cards": set(),
    "columns": set(),
    "rules": set(),
    "imposed": set(),
    "record": {"msgspec"},
    "referee": set(),
    "core": {"llvmlite", "numba", "numpy", "platformdirs"},
    "simulation": {"cloudpickle", "distributed", "msgspec", "numba", "numpy", "pandas"},
    "env": {"gymnasium", "numpy", "pettingzoo"},
    "cli": {"click"},
}
"""The libraries of the lower layers and of `cli`; the others may use every declared one."""

HEAVY = {"cmaes", "distributed", "matplotlib", "numba", "numpy", "pandas", "scipy"}
"""Libraries that neither `import kqj_sim` nor `kqj-sim --help` may import."""

GAME_PROTOCOLS = ("GameTables", "GameScreen", "GameReport", "GameAnswers")
"""What the modules of a game are checked against."""

NAMED_TUPLE = {"_asdict", "_fields", "_make", "_replace"}
"""Public in spite of the underscore."""

NOT_FOR_FILES = {
    "a registry's address": re.compile(
        r"py[p]i\.|python[h]osted|ana[c]onda|(?:index|find)-(?:url|links)|trusted-[h]ost", re.I
    ),
    "a machine's path": re.compile(
        r"(?<![\w.])/(?:home|root|work|tmp|Users|private|opt|mnt)/|\b[A-Z]:\\\\?Users|\.[p]yenv"
    ),
}


@cache
def list_bases() -> dict[str, tuple[set[str], set[str]]]:
    """Return the names of the bases, and of the documented methods, of each class by its name."""
    classes = {}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
                documented = {method.name for method in methods if ast.get_docstring(method)}
                bases = {ast.unparse(base).split(".")[-1] for base in node.bases}
                classes[node.name] = bases, documented
    return classes


def list_inherited(names: Iterable[str]) -> set[str]:
    """Return the methods that some classes of the package, or their bases, document."""
    bases = [*names]
    for base in bases:  # It grows by the bases of bases.
        bases += list_bases().get(base, (set(), set()))[0].difference(bases)
    return {method for base in bases if base in list_bases() for method in list_bases()[base][1]}


def undocumented(tree: ast.Module, implemented: Iterable[str] = ()) -> Iterator[str]:
    """Yield the public functions, classes and methods, and the module, without a docstring.

    What a base class says of a method is not said again where it is overridden, nor what the
    protocols `implemented` say of the functions of a module.
    """
    if not ast.get_docstring(tree):
        yield "the module"
    scopes: list[tuple[str, ast.Module | ast.ClassDef]] = [("", tree)]
    for prefix, scope in scopes:
        bases = map(ast.unparse, scope.bases) if isinstance(scope, ast.ClassDef) else implemented
        inherited = list_inherited(base.split(".")[-1] for base in bases)
        for node in scope.body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if node.name.startswith("_") or node.name in inherited:
                continue
            if not ast.get_docstring(node):
                yield f"{prefix}{node.name} (line {node.lineno})"
            if isinstance(node, ast.ClassDef):
                scopes.append((f"{prefix}{node.name}.", node))


def text_files() -> Iterator[Path]:
    """Yield the text files of the checkout, without environments, caches, builds and logs."""
    for path in sorted(ROOT.rglob("*")):
        folders = path.relative_to(ROOT).parts[:-1]
        hidden = any(name.startswith(".") and name != ".ci" for name in folders)
        hidden = hidden or path.name == ".git"  # In a git worktree it is a file with a path.
        made = hidden or path.suffix == ".log" or {"__pycache__", "build", "dist"} & {*folders}
        if not made and path.is_file() and b"\0" not in path.read_bytes():
            yield path


def test_imports_point_one_way() -> None:
    wrong = []
    for path in modules():
        layer = layer_of(path)
        assert layer in MAY_IMPORT, f"{name_of(path)} belongs to no layer: give it one here"
        for line, name in imports_of(path):
            package, _, rest = name.partition(".")
            target = rest.partition(".")[0]
            if package == "kqj_sim" and target not in {layer, "version"} | MAY_IMPORT[layer]:
                wrong.append(f"{name_of(path)} line {line} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_the_engine_imports_nothing_that_its_cache_leaves_out() -> None:
    """Sources outside the hash that names the cache cannot change what is compiled."""
    imported = list_imported_modules()
    engine: set[str] = set()
    below = {name for name in imported if name.split(".")[1] in {"core", "policies", "simulation"}}
    while below:
        engine |= below
        below = {target for name in below for target in imported[name]} - engine
    assert [part for part in ABOVE_THE_ENGINE if not [*PACKAGE.glob(f"{part}*")]] == []
    above = tuple(f"kqj_sim.{part.replace('/', '.')}." for part in ABOVE_THE_ENGINE)
    assert not [name for name in engine if f"{name}.".startswith(above)]


def test_referee_shares_no_code_with_the_engine() -> None:
    referees = [name for name in list_imported_modules() if name.endswith(".referee")]
    assert len(referees) >= len(GAMES)
    imported = list_imported_modules()
    known: set[str] = set()
    below = {name for name in imported if name.startswith(("kqj_sim.referee", *referees))}
    while below:
        known |= below
        below = {target for name in below for target in imported[name]} - known
    assert not [name for name in known if name.startswith(("kqj_sim.core", "kqj_sim.engines"))]


def test_one_module_names_a_game() -> None:
    """The others ask a game for its parts (`kqj_sim.games.game`)."""
    imported = list_imported_modules().items()
    for package in (f"kqj_sim.games.{game}" for game in GAMES if game != KQJ.name):
        naming = {
            name
            for name, targets in imported
            if not name.startswith(package) and any(each.startswith(package) for each in targets)
        }
        assert naming == {"kqj_sim.games"}


def test_no_question_imports_another() -> None:
    """A part that two of them need lies below both."""
    wrong = []
    for path in modules():
        folder, _, question = path.relative_to(PACKAGE).parent.as_posix().partition("/")
        if folder == "questions" and question:
            wrong += [
                f"{name_of(path)} line {line} imports {name}"
                for line, name in imports_of(path)
                if name.startswith("kqj_sim.questions.") and name.split(".")[2] != question
            ]
    assert not wrong, "\n".join(wrong)


def test_one_reader_makes_positions() -> None:
    made = [
        name_of(path)
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Position"
    ]
    assert made == ["kqj_sim.positions.reader"]


def test_modules_do_not_import_each_other() -> None:
    """No module imports, through however many others, itself."""
    imported = list_imported_modules()
    while leaves := {name for name, targets in imported.items() if not targets & {*imported}}:
        imported = {name: found for name, found in imported.items() if name not in leaves}
    assert not imported, f"in or above a cycle: {sorted(imported)}"


def test_tests_share_helpers_and_use_public_names() -> None:
    """No test file is imported, and no private name of the package is used by its module."""
    wrong = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {}
        for line, name in imports_of(path):
            parts = name.split(".")
            imported[parts[-1]] = parts[0]
            if parts[0] == "tests" and any(part.startswith("test_") for part in parts):
                wrong.append(f"{path.relative_to(ROOT)} line {line} imports a test file: {name}")
            if parts[0] == "kqj_sim" and parts[-1].startswith("_") and parts[-1] != "__version__":
                wrong.append(f"{path.relative_to(ROOT)} line {line} imports {name}")
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
                continue
            private = re.match(r"_[a-zA-Z]", node.attr) and node.attr not in NAMED_TUPLE
            if private and imported.get(node.value.id) == "kqj_sim":
                wrong.append(f"{path.relative_to(ROOT)} line {node.lineno}: {ast.unparse(node)}")
    assert not wrong, "\n".join(wrong)


def test_layers_use_their_libraries_only() -> None:
    declared = {Requirement(text).name.lower() for text in PROJECT["dependencies"]}
    wrong = []
    for path in modules():
        allowed = LIBRARIES.get(layer_of(path), declared) | sys.stdlib_module_names | {"kqj_sim"}
        for line, name in imports_of(path):
            if name.partition(".")[0] not in allowed:
                wrong.append(f"{name_of(path)} line {line} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_cited_documents_and_sections_exist() -> None:
    citation = re.compile(r"(docs/\w+\.md)(?:, sections? ([\d to,and]*\d))?")
    wrong = []
    for path in [*modules(), *sorted((ROOT / "tests").rglob("*.py"))]:
        for document, sections in citation.findall(path.read_text(encoding="utf-8")):
            page = ROOT / document
            headings = page.read_text(encoding="utf-8") if page.exists() else ""
            numbers = re.findall(r"\d+", sections)
            if not headings or any(f"\n## {number}. " not in headings for number in numbers):
                wrong.append(f"{path.relative_to(ROOT)} cites {document} {sections}")
    assert not wrong, "\n".join(wrong)


def test_every_public_name_has_a_docstring() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {what}"
        for path in [PACKAGE / "__init__.py", *modules()]
        if path.stem == "__init__" or not path.stem.startswith("_")
        for what in undocumented(
            ast.parse(path.read_text(encoding="utf-8")),
            GAME_PROTOCOLS if "games" in path.parts else (),
        )
    ]
    assert not wrong, "no docstring:\n" + "\n".join(wrong)


def is_defined(name: str) -> bool:
    """Return True for a module of the package, or a name in the text of one: `core.views.PASS`."""
    path, *rest = name.removeprefix("kqj_sim.").split(".")
    module = PACKAGE / path
    while rest and module.is_dir():
        module /= rest.pop(0)
    module = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
    if not module.is_file():
        return False
    return not rest or bool(re.search(rf"\b{rest[0]}\b", module.read_text(encoding="utf-8")))


def test_documents_and_modules_that_are_cited_exist() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    wrong = []
    for path in (*modules(), *(ROOT / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"`((?:kqj_sim\.)?\w+\.(?!txt)[\w.]+)`", text)
        wrong += [
            f"{path.relative_to(ROOT)}: {name}"
            for name in names
            if name.removeprefix("kqj_sim.").split(".")[0] in folders and not is_defined(name)
        ]
        cited = re.findall(r"\bdocs/\w+\.md\b|\b[A-Z]{3,}\.md\b", text)
        there = {each.name for each in (*ROOT.glob("*.md"), *ROOT.glob("*/*.md"))}
        wrong += [
            f"{path.relative_to(ROOT)}: {name}" for name in cited if Path(name).name not in there
        ]
    assert wrong == []


QUESTION = re.compile(r"(What|Who|Whose|How|Whether|Which|Where|When)\b")


def test_docstrings_open_with_a_verb_or_a_noun() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {text.splitlines()[0]}"
        for folder in (
            PACKAGE,
            *(ROOT / name for name in ("tests", "benchmarks", "examples", "tools")),
        )
        for path in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and (text := ast.get_docstring(node))
        and QUESTION.match(text)
    ]
    assert not wrong, "\n".join(wrong)


def test_no_two_public_classes_have_one_name() -> None:
    places: dict[str, list[str]] = {}
    for path in modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name_of(path))
    assert not {name: found for name, found in places.items() if len(found) > 1}


@pytest.mark.parametrize("name", kqj_sim.__all__)
def test_public_names_load(name: str) -> None:
    assert getattr(kqj_sim, name) is not None
    assert name in dir(kqj_sim)


def test_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'experiments'"):
        _ = kqj_sim.experiments  # type: ignore[attr-defined]
    assert {*dir(kqj_sim)} == {*kqj_sim.__all__}


HELP = """
from kqj_sim.cli import COMMANDS, main
for words in ([], *([name] for name in COMMANDS)):
    main([*words, "--help"], standalone_mode=False)
"""


@pytest.mark.parametrize("statement", ["import kqj_sim", HELP], ids=["import", "help"])
def test_import_and_help_wait_for_no_heavy_library(statement: str) -> None:
    shown = run_python("-c", f"{statement}\nimport sys\nprint('modules:', *sys.modules)")
    assert shown.returncode == 0, shown.stderr
    loaded = shown.stdout.rpartition("modules:")[2].split()
    assert "kqj_sim" in loaded
    assert not HEAVY & {*loaded}


def test_every_package_that_gets_installed_is_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    pins = {canonicalize_name(name): version for name, version in pins.items()}
    waiting = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]
    seen: set[str] = set()
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        assert name in pins, f"{requirement} is not pinned in constraints.txt"
        assert requirement.specifier.contains(pins[name]), f"{requirement}, pin {pins[name]}"
        if name not in seen:
            seen.add(name)
            assert metadata.version(name) == pins[name]
            waiting += metadata.requires(name) or []


def test_files_hold_no_registry_address_and_no_machine_path() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} line {number} holds {what}: {line.strip()}"
        for path in text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        for what, pattern in NOT_FOR_FILES.items()
        if pattern.search(line)
    ]
    assert not wrong, "\n".join(wrong)


def test_ruff_finds_nothing() -> None:
    checked = run_python("-m", "ruff", "check", "--output-format", "concise", cwd=ROOT)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
def test_mypy_finds_nothing() -> None:
    checked = run_python("-m", "mypy", cwd=ROOT)
    assert checked.returncode == 0, checked.stdout + checked.stderr
