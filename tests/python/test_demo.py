"""`make demo` does what it shows, on a terminal and into a pipe."""

import os
import subprocess
import sys

import pytest

from programs import BIN, ROOT


@pytest.mark.parametrize("terminal", (False, pytest.param(True, marks=pytest.mark.full)))
def test_demo(terminal, tmp_path):
    command = [sys.executable, str(ROOT / "scripts" / "demo.py")]
    env = {**os.environ, "OPENNEURON_BIN": str(BIN), "COLUMNS": "80"}
    if terminal:
        command = ["script", "-qec", " ".join(command), "/dev/null"]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    for word in ("Compiler status PASS", "Training loss", "training accuracy", "estimated time on trn2", "trained right"):
        assert word in done.stdout, done.stdout
    assert any(0x2800 < ord(c) < 0x2900 for c in done.stdout), "the curve is drawn"
    assert ("\x1b[" in done.stdout) is terminal
    assert list(tmp_path.iterdir()) == []


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
