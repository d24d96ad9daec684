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
from kqj_sim.core.jit import hash_sources
from kqj_sim.policies import policy_files

R = TypeVar("R")

CONNECT_SECONDS = 10.0
"""How long a scheduler may take to answer, and workers to appear."""

TARGET_RANGE_SECONDS = 2.0
"""What a worker's thread takes for a range, about: the way there and back is nothing beside it."""

RANGES_IN_FLIGHT = 3
"""Ranges for each thread of the workers that are given out, or wait to be taken in."""

MAX_RANGE_GROWTH = 4
"""A range is at most so many times as large as one that is known."""

POLL_SECONDS = 10.0
"""So often it is looked whether there are workers at all, and how many."""


class ClusterError(RuntimeError):
    """A cluster that cannot be used; one line that says why and what would be right."""


@cache
def get_software_versions() -> dict[str, str]:
    """What must be the same everywhere, for the results to be."""
    return {
        "kqj-sim": __version__,
        "sources of kqj-sim": hash_sources(),
        "numba": numba.__version__,
        "Python": "{}.{}".format(*sys.version_info),
    }


def _check_versions(expected: dict[str, str]) -> None:
    """Raise ClusterError if this worker is another than it should be."""
    for what, version in get_software_versions().items():
        if expected.get(what) != version:
            raise ClusterError(
                f"a worker of the cluster has {what} {version} and not {expected.get(what)}: "
                "install the same there"
            )


def _run_on_worker(
    expected: dict[str, str],
    user_files: dict[str, bytes],
    pickled_function: bytes,
    first: int,
    count: int,
) -> tuple[float, Any]:
    """On a worker: the seconds that a range took, and what came of it."""
    _check_versions(expected)
    with policy_files.substitute_files(user_files):
        play = pickle.loads(pickled_function)
        began = time.perf_counter()
        found = play(first, count)
    return time.perf_counter() - began, found


class DaskCluster:
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

    def __init__(self, address: str, notify: Callable[[str], None] | None = None) -> None:
        try:
            from distributed import Client
            from distributed.comm import get_address_host_port
        except ModuleNotFoundError:
            raise ClusterError(
                "for a cluster Dask is needed: pip install 'kqj-sim[cluster]'"
            ) from None
        self.address = address
        self._notify = notify
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
            with self._convert_errors():
                self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
                self._check_workers()
                self._update_thread_count()
        except TimeoutError:
            self.close()
            raise ClusterError(
                f"the cluster at {address} has no workers: `dask worker {address}` starts one"
            ) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> DaskCluster:
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
        if time.monotonic() - self._thread_count_time > POLL_SECONDS:
            self._update_thread_count()
        return max(1, self._threads)

    def _update_thread_count(self) -> None:
        """See how many threads there are."""
        self._threads: int = sum(self._client.nthreads().values())
        self._thread_count_time = time.monotonic()

    def _check_workers(self) -> None:
        """Raise what is wrong with a worker."""
        try:
            self._client.run(_check_versions, get_software_versions())
        except Exception as error:
            # So Dask tells of a function that cannot be imported there.
            if type(error) is Exception:
                raise ImportError(str(error)) from None
            raise

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
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
        function: Callable[[int, int], R],
        first: int,
        end: int,
        min_size: int,
        max_size: int | None = None,
    ) -> Generator[R]:
        """What `function(first, count)` gives for ranges, in order; arguments as `Crew.run`.

        Raises what `function` raises there, and ClusterError.
        """
        import cloudpickle

        sent, pickled = policy_files.list_read_files(), cloudpickle.dumps(function)
        size = min_size
        waiting: deque[tuple[int, Any]] = deque()
        with self._convert_errors():
            try:
                while first < end or waiting:
                    while first < end and len(waiting) < RANGES_IN_FLIGHT * self.size:
                        # The last ranges are smaller, so that all are busy up to the end.
                        share = max(min_size, -(-(end - first) // (2 * self.size)))
                        count = min(size, share, end - first)
                        given = get_software_versions(), sent, pickled, first, count
                        waiting.append(
                            (count, self._client.submit(_run_on_worker, *given, pure=False))
                        )
                        first += count
                    count, future = waiting.popleft()
                    seconds, found = self._wait_for_result(future)
                    size = int(count * TARGET_RANGE_SECONDS / max(seconds, 1e-9))
                    size = max(min_size, min(size, MAX_RANGE_GROWTH * count, max_size or size))
                    yield found
            finally:
                self._client.cancel([future for _, future in waiting])

    def _wait_for_result(self, future: Any) -> tuple[float, Any]:
        """What `_run_on_worker` gives for a range, when it does."""
        from distributed import wait

        while True:
            try:
                with self._client.as_current():
                    wait([future], timeout=POLL_SECONDS)
            except TimeoutError:
                before = self._threads
                self._update_thread_count()
                if self._threads == 0 < before and self._notify is not None:
                    self._notify(
                        f"The cluster at {self.address} has no workers now: waiting for one"
                    )
            else:
                found: tuple[float, Any] = future.result()
                return found


def _first_line(error: BaseException) -> str:
    """What an error says first."""
    return (str(error) or type(error).__name__).splitlines()[0]
