"""numba's array functions, imported without SciPy's linear algebra.

numba imports them with the first compiled function that it loads, and asks then whether SciPy has
BLAS, for one function that does without it, too.  That import would take a tenth of a second of
each start.  Functions that need BLAS ask again when they are compiled.
"""

from __future__ import annotations

from numba.np import linalg


def _import_without_blas() -> None:
    """Import numba's array functions; a release of numba that does not ask imports them as ever."""

    def refuse() -> None:
        raise ImportError

    ask = getattr(linalg, "ensure_blas", None)
    if ask is None:
        return
    linalg.ensure_blas = refuse
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = ask


_import_without_blas()
