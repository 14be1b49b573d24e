"""The Python package: how JAX finds the devices, and what is said when it cannot."""

import importlib.metadata
import json
import subprocess
import sys

import pytest

import openneuron
from processes import environment, python, start

DEVICES = "import jax, json; print(json.dumps([str(d.platform) for d in jax.devices()]))"


def devices(**options) -> list[str]:
    return json.loads(python(DEVICES, **options))


def failure(code: str = DEVICES, **options) -> str:
    process = start("-c", code, **options)
    out, err = process.communicate(timeout=120)
    assert process.returncode != 0, out
    return err


def test_jax_finds_it_by_the_entry_point():
    (entry,) = importlib.metadata.entry_points(group="jax_plugins", name="neuron")
    assert entry.value == "openneuron.jax_plugin"
    assert importlib.metadata.version("openneuron") == openneuron.__version__


def test_neuron_is_the_default_device():
    assert devices(platforms=None) == ["neuron"] * 8


def test_cpu_by_choice():
    assert devices(platforms="cpu") == ["cpu"]


def test_both_platforms():
    python("""
        import jax, jax.numpy as jnp
        assert jax.default_backend() == "neuron" and jax.devices("cpu")[0].platform == "cpu"
        there = jax.device_put(jnp.arange(5.0) + 1, jax.devices("cpu")[0])
        assert (there * 2).devices() == {jax.devices("cpu")[0]}
        assert jax.device_put(there, jax.devices("neuron")[3]).tolist() == [1, 2, 3, 4, 5]
    """, platforms="neuron,cpu")


@pytest.mark.parametrize(
    "variables",
    (
        {"NEURON_RT_VISIBLE_CORES": "1-3,5-7,3-5"},
        {"NEURON_RT_VISIBLE_CORES": "1-3,5-7-5"},
        {"NEURON_RT_VISIBLE_CORES": "a"},
    ),
)
def test_impossible_devices_are_an_error(variables):
    ((name, value),) = variables.items()
    message = failure(**variables)
    assert name in message and value in message, message
    assert "Unable to initialize backend 'neuron'" in message


def test_a_missing_library_is_loud(tmp_path):
    """The computation does not go to cpu unseen."""
    message = failure(platforms=None, NEURON_LIBRARY_PATH=str(tmp_path / "libneuronpjrt.so"))
    assert "libneuronpjrt.so is missing" in message and "make build" in message
    assert devices(platforms="cpu", NEURON_LIBRARY_PATH=str(tmp_path / "libneuronpjrt.so")) == ["cpu"]


def test_a_broken_library_is_loud(tmp_path):
    broken = tmp_path / "libneuronpjrt.so"
    broken.write_bytes(b"\x7fELF, cut")
    message = failure(platforms=None, NEURON_LIBRARY_PATH=str(broken))
    assert "OpenNeuron's plugin cannot be loaded" in message


def test_the_package_is_cheap():
    """Neither JAX nor the library is loaded before JAX asks."""
    code = "import sys, openneuron, openneuron.jax_plugin; print('jax' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(None), capture_output=True, text=True, timeout=60)
    assert done.stdout == "False False\n", done.stderr


def test_one_exported_symbol():
    done = subprocess.run(["nm", "-D", "--defined-only", openneuron.library_path()], capture_output=True, text=True, timeout=60)
    assert [line.split()[-1] for line in done.stdout.splitlines()] == ["GetPjrtApi"]
