"""Who plays: threads of this process, or the workers of a cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kqj_sim.cli.options import stack, threads_option

if TYPE_CHECKING:
    from kqj_sim.crew import Threads

crew_options = stack(
    threads_option,
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on the Dask cluster whose scheduler is at this address, such as "
        "tcp://192.168.1.5:8786; the results are the same.  `dask scheduler` starts one, "
        "`dask worker ADDRESS` adds a machine.",
    ),
)
"""Threads, or a cluster."""


@contextmanager
def take_crew(threads: int | None, cluster: str | None, quiet: bool) -> Iterator[Threads]:
    """Who plays, by the options; a cluster is left at the end.

    Raises UsageError for threads of a cluster, and ClusterError.
    """
    if cluster is None:
        yield threads
        return
    if threads is not None:
        raise click.UsageError(
            "--threads and --cluster: the workers of a cluster have threads of their own "
            "(dask worker --nthreads)"
        )
    from kqj_sim.cluster import Cluster

    # What matters of what Dask logs comes as an error.
    logging.disable(logging.CRITICAL)
    try:
        with Cluster(cluster, None if quiet else lambda line: click.echo(line, err=True)) as found:
            yield found
    finally:
        logging.disable(logging.NOTSET)
