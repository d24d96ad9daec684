"""A Dask cluster as an executor: processes on this machine or others play ranges of deals.

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
from typing import Any, TypeVar

from kqj_sim.core.code_cache import get_library_versions, hash_sources
from kqj_sim.errors import RunError
from kqj_sim.version import __version__

R = TypeVar("R")

CONNECT_SECONDS = 10.0
"""Time limit for the scheduler to answer and for workers to appear."""

TARGET_RANGE_SECONDS = 2.0
"""Approximate time of a range on one thread: long beside the time to send it."""

RANGES_IN_FLIGHT = 3
"""Ranges submitted for each thread of the workers and not collected yet."""

MAX_RANGE_GROWTH = 4
"""Largest ratio of a range's size to that of a finished one."""

POLL_SECONDS = 10.0
"""Time between two counts of the workers."""


@cache
def get_software_versions() -> dict[str, str]:
    """Return the versions that must agree for equal results, by name."""
    return {
        "kqj-sim": __version__,
        "sources of kqj-sim": hash_sources(),
        **get_library_versions(),
        "Python": "{}.{}".format(*sys.version_info),
    }


def _check_versions(expected: dict[str, str]) -> None:
    """Raise RunError if a version of this worker is not the one expected."""
    for what, version in get_software_versions().items():
        if expected.get(what) != version:
            raise RunError(
                f"a worker of the cluster has {what} {version} and not {expected.get(what)}: "
                "install the same there"
            )


def _run_on_worker(
    expected: dict[str, str],
    pickled_function: bytes,
    first: int,
    count: int,
) -> tuple[float, Any]:
    """Run a pickled function on a worker; return the seconds it took and its result."""
    _check_versions(expected)
    play = pickle.loads(pickled_function)
    began = time.perf_counter()
    result = play(first, count)
    return time.perf_counter() - began, result


class DaskCluster:
    """The workers of a Dask cluster, an `Executor`.  A context manager that disconnects at exit.

    Each thread of a worker plays ranges of deals and sends back their results.  If a worker dies,
    others play its ranges.

    Args:
        address: address of the scheduler, such as `tcp://192.168.1.5:8786`.
        notify: called with a line of text while the cluster has no workers; None to stay silent.

    Raises:
        RunError: Dask is not installed, no scheduler answers, there are no workers, or they
            have other versions.
    """

    def __init__(self, address: str, notify: Callable[[str], object] | None = None) -> None:
        try:
            from distributed import Client
            from distributed.comm import get_address_host_port
        except ModuleNotFoundError:
            raise RunError("a cluster needs Dask: pip install 'kqj-sim[cluster]'") from None
        self.address = address
        self._notify = notify
        try:
            get_address_host_port(address)  # raises ValueError, after which a client would hang
            with warnings.catch_warnings():
                # Dask warns of differing versions; those that matter are checked below.
                warnings.simplefilter("ignore")
                self._client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except Exception as error:
            # Dask reads the answer of another service as sizes of arrays, and fails in any way.
            is_clear = isinstance(error, OSError | ValueError)
            reason = _first_line(error) if is_clear else "what answers is not a Dask scheduler"
            raise RunError(
                f"no cluster at {address}: {reason}; `dask scheduler` starts one and prints its "
                "address"
            ) from None
        try:
            with self._convert_errors():
                self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
                self._check_workers()
                self._update_thread_count()
        except TimeoutError:
            self.close()
            raise RunError(
                f"the cluster at {address} has no workers: `dask worker {address}` starts one"
            ) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> DaskCluster:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect; the cluster drops unfinished ranges."""
        self._client.close()

    @property
    def thread_count(self) -> int:
        """The number of threads of all workers; 1 while there are no workers."""
        if time.monotonic() - self._thread_count_time > POLL_SECONDS:
            self._update_thread_count()
        return max(1, self._threads)

    def _update_thread_count(self) -> None:
        self._threads: int = sum(self._client.nthreads().values())
        self._thread_count_time = time.monotonic()

    def _check_workers(self) -> None:
        """Raise RunError or ImportError if a worker lacks a module or has another version."""
        try:
            self._client.run(_check_versions, get_software_versions())
        except Exception as error:
            # Dask raises a bare Exception if a worker cannot import the function.
            if type(error) is Exception:
                raise ImportError(str(error)) from None
            raise

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        """Convert errors of Dask to RunError; TimeoutError passes."""
        from distributed import CancelledError, KilledWorker

        try:
            yield
        except KilledWorker as error:
            raise RunError(
                f"workers of the cluster died one after another of the same task: "
                f"{_first_line(error)}"
            ) from None
        except ImportError as error:
            raise RunError(
                f"a worker of the cluster lacks what it needs ({error}): install kqj-sim "
                f"{__version__} there"
            ) from None
        except TimeoutError:
            raise
        except CancelledError:
            raise RunError(
                f"the cluster at {self.address} is lost: its scheduler has gone"
            ) from None
        except OSError as error:
            raise RunError(f"the cluster at {self.address} failed: {_first_line(error)}") from None

    def map_ranges(
        self,
        function: Callable[[int, int], R],
        first: int,
        end: int,
        min_size: int,
        max_size: int | None = None,
    ) -> Generator[R]:
        """Yield results as `Executor.map_ranges`; raise RunError if the cluster fails."""
        import cloudpickle

        pickled = cloudpickle.dumps(function)
        size = min_size
        waiting: deque[tuple[int, Any]] = deque()
        with self._convert_errors():
            try:
                while first < end or waiting:
                    while first < end and len(waiting) < RANGES_IN_FLIGHT * self.thread_count:
                        # The last ranges are smaller, to keep all workers busy to the end.
                        share = max(min_size, -(-(end - first) // (2 * self.thread_count)))
                        count = min(size, share, end - first)
                        arguments = get_software_versions(), pickled, first, count
                        waiting.append(
                            (count, self._client.submit(_run_on_worker, *arguments, pure=False))
                        )
                        first += count
                    count, future = waiting.popleft()
                    seconds, result = self._wait_for_result(future)
                    size = int(count * TARGET_RANGE_SECONDS / max(seconds, 1e-9))
                    size = max(min_size, min(size, MAX_RANGE_GROWTH * count, max_size or size))
                    yield result
            finally:
                self._client.cancel([future for _, future in waiting])

    def _wait_for_result(self, future: Any) -> tuple[float, Any]:
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
                answer: tuple[float, Any] = future.result()
                return answer


def _first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or its type."""
    return (str(error) or type(error).__name__).splitlines()[0]
