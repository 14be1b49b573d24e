"""JAX's own view of the emulated devices. Tests in this process see neuron and cpu; programs that must see one of them,
or leave it in a certain way, run in processes of their own (see processes.py)."""

import os
import sys
import zlib

import pytest

import openneuron

os.environ["JAX_PLATFORMS"] = "neuron,cpu"


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also run the tests marked full")
    parser.addoption("--shard", default="1/1", help="I/N: run the I-th of N parts, for N processes side by side")


def pytest_sessionstart():
    if not openneuron.library_path().is_file():
        pytest.exit(f"{openneuron.library_path()} is missing: make build", returncode=3)


def pytest_collection_modifyitems(config, items):
    """Without --full the long tests are deselected (the summary line counts them)."""
    full = config.getoption("--full") or os.environ.get("OPENNEURON_TEST_ALL") == "1"
    part, parts = map(int, config.getoption("--shard").split("/"))

    def wanted(item):
        return (full or "full" not in item.keywords) and zlib.crc32(item.nodeid.encode()) % parts == part - 1

    config.hook.pytest_deselected(items=[item for item in items if not wanted(item)])
    items[:] = [item for item in items if wanted(item)]


@pytest.fixture(scope="session")
def neuron():
    """The first device of the plugin; what the tests in this process compute on unless they say otherwise."""
    import jax

    device = jax.devices("neuron")[0]
    assert jax.default_backend() == "neuron"
    return device
