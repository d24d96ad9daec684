"""Monte Carlo strategy analysis of the card games KQJ and Kwajongen.

    import kqj_sim as kqj

    kqj.simulate(deals=100_000, teams=3)        # how often deals are taken, made and failed
    kqj.odds("9h 8h Ah Ks 4d", return_card="7h")  # what to call, or to play
    kqj.compare("standard:take=45", "standard")  # which policy is better, by how much

The functions have the names of the commands and of their options; docs/python.md is the guide.
The public names are those of `__init__.pyi`, as type checkers see them.  They load on first use, so
that `import kqj_sim` stays fast.
"""

from __future__ import annotations

from importlib import import_module

with open(f"{__file__}i", encoding="utf-8") as _stub:
    # Each line is `from MODULE import NAME as NAME`.
    _MODULE_OF = {line.split()[-1]: line.split()[1] for line in _stub if line.startswith("from ")}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__]
