"""The demos do what they show, on a terminal and into a pipe; and a NEFF of `neuronx-cc` trains as the loop of commands says."""

import os
import subprocess
import sys

import numpy as np
import pytest

import mlp
from programs import BIN, ROOT, load, model, succeed


@pytest.mark.parametrize("terminal", (False, pytest.param(True, marks=pytest.mark.full)))
def test_demo(terminal, tmp_path):
    command = [sys.executable, str(ROOT / "scripts" / "demo.py")]
    env = {**os.environ, "OPENNEURON_BIN": str(BIN), "COLUMNS": "80"}
    if terminal:
        command = ["script", "-qec", " ".join(command), "/dev/null"]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
    for word in ("jax.devices()", "Training loss", "training accuracy", "estimated chip time", "at most, of", "PE  ", "trained right"):
        assert word in done.stdout, done.stdout
    assert any(0x2800 < ord(c) < 0x2900 for c in done.stdout), "the curve is drawn"
    assert ("\x1b[" in done.stdout) is terminal
    assert list(tmp_path.iterdir()) == []


def test_the_commands_alone_train(tmp_path):
    """neuronx-cc compiles what JAX exported; openneuron runs 200 steps with the parameters in device memory."""
    folder = model("mlp")
    neff, out = tmp_path / "mlp.neff", tmp_path / "out.npz"
    printed = succeed("neuronx-cc", "compile", "--framework", "XLA", folder / "mlp.mlirbc", "--target", "trn2", "--output", neff, cwd=tmp_path)
    assert "Compiler status PASS" in printed.stdout
    succeed("openneuron", "run", neff, "--inputs", folder / "steps.npz", "--steps", "200", "--outputs", out)
    outputs, cpu = load(out), load(folder / "steps_references.npz")["cpu6"]
    assert np.max(np.abs(outputs["output6"] / cpu - 1)) <= 1e-3
    assert mlp.accuracy([outputs[f"output{i}"] for i in range(6)]) > 0.97


@pytest.mark.parametrize("steps", (12, pytest.param(500, marks=pytest.mark.full)))
def test_demo_gpt(steps, tmp_path):
    """A few steps compare with XLA:CPU's and sample just as the whole demo does."""
    command = [sys.executable, str(ROOT / "scripts" / "demo_gpt.py"), "--steps", str(steps)]
    env = {**os.environ, "OPENNEURON_BIN": str(BIN), "COLUMNS": "80"}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=300 + 4 * steps)
    assert done.returncode == 0, done.stdout + done.stderr
    for word in ("byte-pair vocabulary", "Training loss", "apart at the end", "estimated time on trn2", "Return a list of ", "trained right"):
        assert word in done.stdout, done.stdout
    assert list(tmp_path.iterdir()) == []
