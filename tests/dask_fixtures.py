"""Where dask computes in tests: in this thread, or in worker processes."""

import pytest


@pytest.fixture
def in_this_thread():
    """Tasks run one after the other, without threads."""
    import dask

    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def client():
    """Two worker processes, each under a nanny that starts it again when it dies."""
    import dask
    from distributed import Client, LocalCluster

    quiet = {"distributed.worker.profile.enabled": False, "logging.distributed": "critical"}
    with (
        dask.config.set(quiet),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            # Any port: that of another cluster on this machine would be a warning.
            dashboard_address=":0",
            host="127.0.0.1",
            memory_limit="2GB",
            silence_logs=50,
        ) as cluster,
        Client(cluster, set_as_default=True) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        yield client
