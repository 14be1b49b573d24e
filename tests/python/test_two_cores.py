"""The hand-written two-core tile program: oracle, device and check mode give what its comment says."""

import pathlib

import numpy as np
import pytest

from programs import load, succeed

PROGRAM = pathlib.Path(__file__).parents[1] / "golden" / "tile" / "two_core_matmul.tile"


def expected(at: np.ndarray, b: np.ndarray, tiles: int) -> np.ndarray:
    k = 128 * tiles
    c = np.maximum(at[:k].astype(np.int64).T @ b[:k].astype(np.int64), 0)
    return (c + np.roll(c, 128, axis=0)).astype(np.float32)


@pytest.mark.parametrize("tiles", (1, 2, 4))
@pytest.mark.parametrize("command", (("ref",), ("run",), ("run", "--threads", "1"), ("run", "--check")), ids=" ".join)
def test_two_cores(command, tiles, tmp_path):
    random = np.random.default_rng(5)
    at, b = (random.integers(-5, 6, size).astype(np.float32) for size in ((512, 256), (512, 512)))  # sums are exact
    np.savez(tmp_path / "in.npz", at=at, b=b, k_tiles=np.array([tiles], np.int32))
    succeed("openneuron", command[0], PROGRAM, "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz", *command[1:])
    assert (load(tmp_path / "out.npz")["out"] == expected(at, b, tiles)).all()
