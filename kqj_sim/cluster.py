"""A Dask cluster as a crew: other processes, on this machine or others, play ranges of deals.

This is the only module that knows Dask, which is installed by the extra `kqj-sim[cluster]`.
"""

from __future__ import annotations

import pickle
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import cache
from types import TracebackType
from typing import Any, TypeVar

import numba

from kqj_sim import __version__
from kqj_sim.core.compile import sources_hash
from kqj_sim.policies import files

R = TypeVar("R")

CONNECT_SECONDS = 10.0
"""How long a scheduler may take to answer, and workers to appear."""

RANGE_SECONDS = 2.0
"""What a worker's thread takes for a range, about: the way there and back is nothing beside it."""

AHEAD = 3
"""Ranges for each thread of the workers that are given out, or wait to be taken in."""

GROWTH = 4
"""A range is at most so many times as large as one that is known."""

LOOK_SECONDS = 10.0
"""So often it is looked whether there are workers at all, and how many."""


class ClusterError(RuntimeError):
    """A cluster that cannot be used; one line that says why and what would be right."""


@cache
def _made_by() -> dict[str, str]:
    """What must be the same everywhere, for the results to be."""
    return {
        "kqj-sim": __version__,
        "sources of kqj-sim": sources_hash(),
        "numba": numba.__version__,
        "Python": "{}.{}".format(*sys.version_info),
    }


def _check(wanted: dict[str, str]) -> None:
    """Raise ClusterError if this worker is another than it should be."""
    for what, version in _made_by().items():
        if wanted.get(what) != version:
            raise ClusterError(
                f"a worker of the cluster has {what} {version} and not {wanted.get(what)}: "
                "install the same there"
            )


def _play(
    wanted: dict[str, str], sent: dict[str, bytes], work: bytes, first: int, count: int
) -> tuple[float, Any]:
    """On a worker: the seconds that a range took, and what came of it."""
    _check(wanted)
    with files.in_place_of_files(sent):
        play = pickle.loads(work)
        began = time.perf_counter()
        found = play(first, count)
    return time.perf_counter() - began, found


class Cluster:
    """The workers of a Dask cluster, a crew for whatever takes threads.  A context manager.

    Each thread of a worker plays ranges of deals and sends back what they come to.  The ranges of
    a worker that dies are played by others.

    Args:
        address: of the scheduler, such as `tcp://192.168.1.5:8786`.
        tell: is told lines about what the cluster waits for.

    Raises:
        ClusterError: Dask is not installed, there is no such cluster, it has no workers, or they
            have other versions of what matters.
    """

    def __init__(self, address: str, tell: Callable[[str], None] | None = None) -> None:
        try:
            from distributed import Client
            from distributed.comm import get_address_host_port
        except ModuleNotFoundError:
            raise ClusterError(
                "for a cluster Dask is needed: pip install 'kqj-sim[cluster]'"
            ) from None
        self.address = address
        self._tell = tell
        try:
            get_address_host_port(address)  # raises ValueError, after which a client would hang
            with warnings.catch_warnings():
                # Versions of Dask that differ: it is checked below what matters.
                warnings.simplefilter("ignore")
                self._client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"no cluster at {address}: {_first_line(error)}; `dask scheduler` starts one and "
                "tells its address"
            ) from None
        try:
            with self._errors_told():
                self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
                self._check_workers()
                self._look()
        except TimeoutError:
            self.close()
            raise ClusterError(
                f"the cluster at {address} has no workers: `dask worker {address}` starts one"
            ) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster, which drops what it has not finished."""
        self._client.close()

    @property
    def size(self) -> int:
        """The threads of all workers, of those of one if there is none at the moment."""
        if time.monotonic() - self._looked > LOOK_SECONDS:
            self._look()
        return max(1, self._threads)

    def _look(self) -> None:
        """See how many threads there are."""
        self._threads: int = sum(self._client.nthreads().values())
        self._looked = time.monotonic()

    def _check_workers(self) -> None:
        """Raise what is wrong with a worker."""
        try:
            self._client.run(_check, _made_by())
        except Exception as error:
            # So Dask tells of a function that cannot be imported there.
            if type(error) is Exception:
                raise ImportError(str(error)) from None
            raise

    @contextmanager
    def _errors_told(self) -> Iterator[None]:
        """Say in a line what goes wrong with the cluster; TimeoutError goes through."""
        from distributed import CancelledError, KilledWorker

        try:
            yield
        except KilledWorker as error:
            raise ClusterError(
                f"workers of the cluster died of the same work, one after the other: "
                f"{_first_line(error)}"
            ) from None
        except ImportError as error:
            raise ClusterError(
                f"a worker of the cluster lacks what it needs ({error}): install kqj-sim "
                f"{__version__} there"
            ) from None
        except TimeoutError:
            raise
        except CancelledError:
            raise ClusterError(
                f"the cluster at {self.address} is lost: its scheduler has gone"
            ) from None
        except OSError as error:
            raise ClusterError(
                f"the cluster at {self.address} failed: {_first_line(error)}"
            ) from None

    def run(
        self,
        work: Callable[[int, int], R],
        first: int,
        end: int,
        least: int,
        most: int | None = None,
    ) -> Generator[R]:
        """What `work(first, count)` gives for ranges, in order; arguments as `Crew.run`.

        Raises what `work` raises there, and ClusterError.
        """
        import cloudpickle

        sent, pickled = files.all_read(), cloudpickle.dumps(work)
        size = least
        waiting: deque[tuple[int, Any]] = deque()
        with self._errors_told():
            try:
                while first < end or waiting:
                    while first < end and len(waiting) < AHEAD * self.size:
                        # The last ranges are smaller, so that all are busy up to the end.
                        share = max(least, -(-(end - first) // (2 * self.size)))
                        count = min(size, share, end - first)
                        given = _made_by(), sent, pickled, first, count
                        waiting.append((count, self._client.submit(_play, *given, pure=False)))
                        first += count
                    count, future = waiting.popleft()
                    seconds, found = self._result(future)
                    size = int(count * RANGE_SECONDS / max(seconds, 1e-9))
                    size = max(least, min(size, GROWTH * count, most or size))
                    yield found
            finally:
                self._client.cancel([future for _, future in waiting])

    def _result(self, future: Any) -> tuple[float, Any]:
        """What `_play` gives for a range, when it does."""
        from distributed import wait

        while True:
            try:
                with self._client.as_current():
                    wait([future], timeout=LOOK_SECONDS)
            except TimeoutError:
                before = self._threads
                self._look()
                if self._threads == 0 < before and self._tell is not None:
                    self._tell(f"The cluster at {self.address} has no workers now: waiting for one")
            else:
                found: tuple[float, Any] = future.result()
                return found


def _first_line(error: BaseException) -> str:
    """What an error says first."""
    return (str(error) or type(error).__name__).splitlines()[0]
