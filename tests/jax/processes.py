"""Python programs in processes of their own, on the platform asked for."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE / "models"
ROOT = HERE.parent.parent


def environment(platforms: str | None, **more: str) -> dict[str, str]:
    """As a user's shell has it: nothing of this project but what `platforms` and `more` say."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_", "XLA_", "NEURON_", "OPENNEURON_"))}
    kept["PYTHONPATH"] = str(ROOT / "python")
    if platforms is not None:
        kept["JAX_PLATFORMS"] = platforms
    return kept | more


def as_at_a_terminal():
    """A shell starts background jobs with SIGINT ignored, and that is inherited."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*command, platforms: str | None = "neuron", **more: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, *map(str, command)], env=environment(platforms, **more), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        preexec_fn=as_at_a_terminal,
    )  # fmt: skip


def finish(process: subprocess.Popen, timeout: float = 300) -> str:
    """What it printed. A failure shows its message, a hang is one."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with its children, which hold the pipes
        out, err = process.communicate()
        raise AssertionError(f"no end after {timeout} s\n{out[-2000:]}\n{err[-4000:]}") from None
    assert process.returncode == 0, f"status {process.returncode}\n{out[-2000:]}\n{err[-6000:]}"
    return out


def run(*command, timeout: float = 300, **options) -> str:
    return finish(start(*command, **options), timeout)


def python(code: str, *arguments, **options) -> str:
    """Runs a piece of Python, written indented as the test around it is."""
    return run("-c", textwrap.dedent(code), *arguments, **options)


def model(name: str, *arguments, **options) -> list[dict]:
    """The JSON lines that a program of models/ prints."""
    return [json.loads(line) for line in run(MODELS / f"{name}.py", *arguments, **options).splitlines()]
