"""Options and fixtures of the tests that drive the built programs. OPENNEURON_BIN says where those are."""

import os
import pathlib

import pytest


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also run the tests marked full")


def pytest_collection_modifyitems(config, items):
    """Without --full the long tests are deselected (the summary line counts them)."""
    if config.getoption("--full") or os.environ.get("OPENNEURON_TEST_ALL") == "1":
        return
    long = [item for item in items if "full" in item.keywords]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if "full" not in item.keywords]


@pytest.fixture(scope="session")
def scratch(tmp_path_factory) -> pathlib.Path:
    """One folder for the compiled programs and outputs of this session."""
    return tmp_path_factory.mktemp("programs")
