"""The notebooks of examples/, executed as their readers would.

`python -m tests.notebooks` executes all of them and stores their outputs;
`python -m tests.notebooks examples/tour.ipynb` does so with this one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def execute(path: Path) -> Any:
    """Return a notebook with the outputs of a new kernel; raise CellExecutionError for errors."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def list_texts(notebook: Any) -> list[list[str]]:
    """Return the outputs of each cell of code as text; those of pictures are only named."""
    return [
        [
            "picture"
            if "image/png" in output.get("data", {})
            else output.get("text") or output["data"]["text/plain"]
            for output in cell.outputs
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


if __name__ == "__main__":
    for each in map(Path, sys.argv[1:] or NOTEBOOKS):
        nbformat.write(execute(each), each)
        print(f"{each.name}: {each.stat().st_size / 1000:.0f} kB")
