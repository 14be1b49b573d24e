"""Training over 2, 4 and 8 devices gives the loss curve of one: cpu's, so that nothing is compared with itself."""

import functools

import numpy as np
import pytest

from processes import model

STEPS = 100
KINDS = ("data", "tensor", "fsdp", "shard_map")


@functools.cache
def on_one_device() -> np.ndarray:
    (found,) = model("sharded", "single:1", STEPS, platforms="cpu")
    return np.array(found["loss"])


@pytest.mark.parametrize("kind", KINDS)
def test_loss_curve(kind):
    right = on_one_device()
    assert right[0] > 3 and right[-1] < 0.3, "one device does not learn"
    for found in model("sharded", *(f"{kind}:{count}" for count in (2, 4, 8)), STEPS):
        worst = np.abs(np.array(found["loss"]) / right - 1)
        assert worst.max() <= 1e-3, f"{found['count']} devices: step {worst.argmax()} is off by {worst.max():.2e}"
        assert parts(found["shards"]) == {"data": 0, "shard_map": 0, "tensor": 4, "fsdp": 6}[kind], found["shards"]


def parts(shards: dict[str, list[int]]) -> int:
    """How many of the parameters are cut: their shards hold less than the whole shape."""
    whole = {"embedding": [24, 32], "qkv": [32, 3, 32], "out": [32, 32], "up": [32, 128], "down": [128, 32], "head": [32, 24]}
    return sum(shards[name] != whole[name] for name in whole)


def test_one_neuron_device():
    (found,) = model("sharded", "single:1", STEPS)
    assert np.abs(np.array(found["loss"]) / on_one_device() - 1).max() <= 1e-3
