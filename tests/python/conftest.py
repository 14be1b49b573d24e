"""Options and fixtures of the tests that drive the built programs. OPENNEURON_BIN says where those are."""

import os
import pathlib
import zlib

import pytest

os.environ["JAX_PLATFORMS"] = "cpu"  # JAX is the oracle here, and the installed plugin its default device


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also run the tests marked full")
    parser.addoption("--shard", default="1/1", help="I/N: run the I-th of N parts, for N processes side by side")


def pytest_collection_modifyitems(config, items):
    """Without --full the long tests are deselected (the summary line counts them)."""
    full = config.getoption("--full") or os.environ.get("OPENNEURON_TEST_ALL") == "1"
    part, parts = map(int, config.getoption("--shard").split("/"))

    def wanted(item):
        return (full or "full" not in item.keywords) and zlib.crc32(item.nodeid.encode()) % parts == part - 1

    config.hook.pytest_deselected(items=[item for item in items if not wanted(item)])
    items[:] = [item for item in items if wanted(item)]


@pytest.fixture(scope="session")
def scratch(tmp_path_factory) -> pathlib.Path:
    """One folder for the compiled programs and outputs of this session."""
    return tmp_path_factory.mktemp("programs")
