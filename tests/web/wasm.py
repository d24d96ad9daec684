"""The page's WebAssembly module in wasmtime, called with the arguments of native kernels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime

from kqj_sim.core.types import Seating
from kqj_sim.web.make import TABLES, pack_weights
from tools.page.module import make_table

Argument = Any
"""A whole number, a float, an array, or a tuple of these, as kernels take them."""

_ADDRESSES = ("loop_addresses", "resources", "stages", "resume")


def _identify(seating: Seating) -> bytes:
    """Return what only one seating of the page has in this process."""
    return b"".join(getattr(seating, name).tobytes() for name in _ADDRESSES)


class Engine:
    """An instance of the module, with the weights and tables of the page."""

    def __init__(self, folder: Path) -> None:
        """Load the files of `tools.page.module.build_engine`."""
        self._store = wasmtime.Store()
        module = wasmtime.Module.from_file(self._store.engine, str(folder / "engine.wasm"))
        self._exports: Any = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._seatings: dict[bytes, tuple[Any, int]] = {}
        tables = json.loads((folder / "tables.json").read_text(encoding="utf-8"))
        for name, rules in TABLES.items():
            at = self.put(np.frombuffer(pack_weights(rules), dtype=np.int16))
            native = make_table(rules)
            native["plays"] = native["plays"].table
            tables[name]["plays"] = tables[name]["plays"][0]
            for key, part in native.items():
                if isinstance(part, Seating):
                    self._seatings[_identify(part)] = tables[name][key], at

    def put(self, array: np.ndarray[Any, Any]) -> int:
        """Copy an array into the module's memory and return its address."""
        content = np.ascontiguousarray(array).tobytes()
        address = int(self._exports["allocate"](self._store, max(len(content), 8)))
        self._exports["memory"].write(self._store, content, address)
        return address

    def read(self, address: int, size: int) -> bytes:
        """Return bytes of the module's memory."""
        return bytes(self._exports["memory"].read(self._store, address, address + size))

    def call(self, name: str, arguments: Sequence[Argument]) -> tuple[int, list[bytes]]:
        """Call a kernel; return its result and the bytes of all arrays afterwards."""
        numbers: list[int] = []
        arrays: list[tuple[int, int]] = []
        for each in arguments:
            self._flatten(each, numbers, arrays)
        packed = self.put(np.array(numbers, dtype=np.int64))
        result = int(self._exports[name](self._store, packed))
        return result, [self.read(*each) for each in arrays]

    def _flatten(self, value: Argument, numbers: list[int], arrays: list[tuple[int, int]]) -> None:
        """Append the numbers by which a C function gets a value (`tools.page.module`)."""
        if isinstance(value, Seating):
            described, weights = self._seatings[_identify(value)]
            for name, part in zip(Seating._fields, described, strict=True):
                own = name in ("seats", "keeps_history")
                numbers.extend([getattr(value, name)] if own else self._place(part, weights))
        elif isinstance(value, tuple):
            for each in value:
                self._flatten(each, numbers, arrays)
        elif isinstance(value, np.ndarray):
            address = self.put(value)
            numbers.extend((address, *value.shape))
            arrays.append((address, value.nbytes))
        elif isinstance(value, float):
            numbers.append(self.put(np.array([value])))
        else:
            numbers.append(int(value))

    def _place(self, part: Any, weights: int) -> list[int]:
        """Return the numbers for a part of a seating of the page."""
        if isinstance(part, int):
            return [part]
        ((kind, values),) = part.items()
        if kind == "functions":
            values = [0 if n < 0 else self._exports["address_of"](self._store, n) for n in values]
        elif kind == "weights":
            values = [weights + each - 1 if each else 0 for each in values]
        array = np.array(values, dtype=np.float64 if kind == "floats" else np.int64)
        return [self.put(array), len(array)]


def list_arrays(value: Argument) -> list[bytes]:
    """Return the bytes of all arrays in arguments, in order, but for those of seatings."""
    if isinstance(value, Seating):
        return []
    if isinstance(value, (tuple, list)):
        return [content for each in value for content in list_arrays(each)]
    return [value.tobytes()] if isinstance(value, np.ndarray) else []
