"""What a dask computation can count on: the memory of a worker, and that there is one."""

from __future__ import annotations

import os
import sys
from typing import Any

from topofs.memory_size import machine_memory

__all__ = ["active_client", "least_worker_memory", "most_worker_threads"]


def active_client() -> Any | None:
    """The client of dask.distributed that computations will use; None without one."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        client = distributed.default_client()
    except ValueError:
        return None
    if client.status != "running":
        raise ConnectionError(
            f"the dask cluster of {client!r} cannot be reached (its client is "
            f"{client.status!r}): check that the scheduler runs, close this client and connect "
            "a new one, or leave it closed to compute on this machine"
        )
    return client


def least_worker_memory() -> int:
    """Bytes that every worker has; this machine's without a cluster, or if it sets no limits."""
    limits: list[int] = []
    client = active_client()
    if client is not None:
        workers = client.scheduler_info()["workers"].values()
        limits = [worker["memory_limit"] for worker in workers if worker.get("memory_limit")]
    return min(limits, default=machine_memory())


def most_worker_threads() -> int:
    """Tasks that a worker runs at once; the cores of this machine without a cluster."""
    client = active_client()
    workers = [] if client is None else client.scheduler_info()["workers"].values()
    return max((worker["nthreads"] for worker in workers), default=os.cpu_count() or 1)
