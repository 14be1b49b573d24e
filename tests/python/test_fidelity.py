"""The tile programs behind docs/fidelity.md: their bytes and FLOPs are the measured kernels', their values are right."""

from __future__ import annotations

import json
import sys

import ml_dtypes
import numpy as np
import pytest

import export
from programs import ROOT, load, succeed

sys.path.insert(0, str(ROOT / "bench/fidelity"))

import gpt2_block  # noqa: E402
import measured  # noqa: E402
import operations as op  # noqa: E402

ROWS = {row.name.split()[0]: row for row in measured.ROWS}

# What the profile table prints: MB read and written (spills included), hardware GFLOP, of which turning.
PRINTED = {
    "adamw": (358.6, 89.7, 0, 0),
    "bmm": (67.4, 1086.3, 70.87, 2.15),
    "matmul": (9059.8, 201.3, 1159.64, 128.85),
    "silu": (117.4, 117.4, 0, 0),
}


@pytest.mark.parametrize("name", ROWS)
def test_counts_are_the_measured_kernels(name, tmp_path):
    row = ROWS[name]
    for program in {row.plain("trn1"), row.scheduled("trn1")}:
        (tmp_path / "program.tile").write_text(program)
        report = json.loads(succeed("openneuron", "report", "--json", tmp_path / "program.tile", "--target", "trn1").stdout)
        assert (report["hbm_read_bytes"], report["hbm_written_bytes"], 2 * report["flops"]) == (row.read, row.written, row.flops)
    read, written = ((b / 1e6 + spilled) for b, spilled in zip((row.read, row.written), row.spilled))
    assert (round(read, 1), round(written, 1), round(row.flops / 1e9, 2), round(row.turning / 1e9, 2)) == PRINTED[name]


def outputs(text, inputs, tmp_path, *options, command="run"):
    (tmp_path / "program.tile").write_text(text)
    np.savez(tmp_path / "in.npz", **inputs)
    succeed("openneuron", command, tmp_path / "program.tile", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz", *options)
    return load(tmp_path / "out.npz")


def integers(*shape, seed=1):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


def normals(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


IDENTITY = np.eye(128, dtype=np.float32)
both = pytest.mark.parametrize("command", (("ref",), ("run", "--check")), ids=" ".join)


@pytest.mark.parametrize(
    "text",
    (
        op.matmul_columns("trn1", 256, 384, 1024, wide=512),
        op.matmul_columns("trn1", 256, 384, 1024),
        op.matmul_rows("trn2", 256, 384, 1024, 1),
        op.matmul_rows("trn2", 512, 384, 1024, 2),
    ),
    ids=("columns of 512", "columns of 1024", "rows", "two tiles of rows"),
)
def test_matmul(text, tmp_path):
    m = 512 if "lhs = private_hbm input f32[512" in text else 256
    lhs, rhs = integers(m, 384), integers(384, 1024, seed=2)  # all sums are exact
    out = outputs(text, {"lhs": lhs, "rhs": rhs, "identity": IDENTITY}, tmp_path, "--check")["out"]
    assert (out == lhs @ rhs).all()


@pytest.mark.parametrize("block", (1, 2))
def test_bmm(block, tmp_path):
    lhs, rhs = integers(2, 256, 64), integers(2, 64, 1024, seed=2)
    inputs = {"lhs": lhs.reshape(512, 64), "rhs": rhs.reshape(128, 1024), "identity": IDENTITY}
    out = outputs(op.bmm("trn1", 2, 256, 64, 1024, block), inputs, tmp_path, "--check")["out"]
    assert (out.reshape(2, 256, 1024) == lhs @ rhs).all()


@both
@pytest.mark.parametrize("options", ({}, {"way": "reciprocal", "copies": 2}, {"pieces": 4}, {"rows": 2, "copies": 1}), ids=str)
def test_silu(options, command, tmp_path):
    x = normals(512, 96)
    out = outputs(op.silu("trn1", 512, 96, **options), {"x": x}, tmp_path, *command[1:], command=command[0])["y"]
    wide = x.astype(np.float64)
    np.testing.assert_allclose(out, wide / (1 + np.exp(-wide)), rtol=1e-6)


def adamw(theta, gradient, mean, square):
    """Loshchilov and Hutter's decoupled weight decay, in float64."""
    mean = op.BETA1 * mean + (1 - op.BETA1) * gradient
    square = op.BETA2 * square + (1 - op.BETA2) * gradient**2
    mean, square = mean / (1 - op.BETA1**op.STEP), square / (1 - op.BETA2**op.STEP)
    return theta * (1 - op.RATE * op.DECAY) - op.RATE * mean / (np.sqrt(square) + op.EPSILON)


@both
@pytest.mark.parametrize("flat", (True, False))
def test_adamw(flat, command, tmp_path):
    shape = (192, 128)  # a full tile of rows and a rest
    state = {name: normals(*shape, seed=i) for i, name in enumerate(op.NAMES)}
    state["square"] = state["square"] ** 2
    wanted = adamw(*(state[name].astype(np.float64) for name in op.NAMES))
    text = op.adamw("trn1", *shape, 32) if flat else op.adamw_rows("trn1", *shape)
    inputs = {name: array.reshape(128, -1) if flat else array for name, array in state.items()}
    out = outputs(text, inputs, tmp_path, *command[1:], command=command[0])["updated"]
    np.testing.assert_allclose(out.reshape(shape), wanted, rtol=2e-6, atol=1e-9)


@pytest.mark.parametrize("skip", (False, pytest.param(True, marks=pytest.mark.full)), ids=("all keys", "visible keys"))
def test_block_scheduled_by_hand(skip, tmp_path):
    """As near to float64 as XLA:CPU is in the same types, and clean in check mode."""
    (folder,) = export.ensure(["gpt2_block_bf16"])
    references, inputs = load(folder / "references.npz"), load(folder / "inputs.npz")
    out = outputs(gpt2_block.gpt2_block(skip=skip), inputs, tmp_path, "--check")["output0"]
    error = lambda a: np.sqrt(((a.view(ml_dtypes.bfloat16).astype(np.float64) - references["wide0"]) ** 2).mean())
    assert error(out) <= 1.1 * error(references["cpu0"])  # XLA's sums differ from host to host
