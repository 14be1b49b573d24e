"""A few of each group of JAX's op harnesses through the plugin; `make conformance-jax` runs all of them (docs/coverage.md)."""

import collections
import json
import os
import subprocess
import sys

import pytest

from processes import HERE

CASES = 2  # of a group, evenly: the whole is 5,594


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """By group. Exported and run by processes of their own: JAX's harnesses read flags, and a crash is a row."""
    folder = tmp_path_factory.mktemp("harnesses")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("JAX_")}
    for command in (["export", folder, "--most", str(CASES)], ["jax", folder, "--table", folder / "rows.json"]):
        done = subprocess.run([sys.executable, HERE / "harnesses.py", *command], env=environment, capture_output=True, text=True)
    groups = collections.defaultdict(list)
    for row in json.loads((folder / "rows.json").read_text()):
        groups[row["group"]].append(row)
    assert len(groups) > 100, done.stdout + done.stderr
    return groups


def test_groups_that_passed_whole_pass(rows):
    passing = (HERE / "passing_groups.txt").read_text().split()
    assert set(passing) <= set(rows)
    failed = [row for group in passing for row in rows[group] if row["verdict"] not in ("right", "no reference")]
    assert not failed, failed
    assert sum(row["verdict"] == "right" for group in passing for row in rows[group]) > len(passing)


def test_nothing_is_wrong_and_every_refusal_has_a_code(rows):
    for group in rows.values():
        for row in group:
            assert row["verdict"] != "wrong" and row["reason"] != "crash", row
            assert row["verdict"] != "refused" or row["reason"].startswith("ON-E"), row
