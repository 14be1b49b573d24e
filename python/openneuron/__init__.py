"""OpenNeuron: an emulated AWS Neuron stack. JAX finds its devices by the entry point openneuron.jax_plugin."""

from __future__ import annotations

import os
import pathlib

__version__ = "0.1.0"

LIBRARY = "libneuronpjrt.so"


def library_path() -> pathlib.Path:
    """The PJRT plugin: NEURON_LIBRARY_PATH if set, else beside this file, else in the build folder of a checkout."""
    if named := os.environ.get("NEURON_LIBRARY_PATH"):
        return pathlib.Path(named)
    package = pathlib.Path(__file__).resolve().parent
    checkout = package.parent.parent
    if (package / LIBRARY).exists() or not (checkout / "CMakeLists.txt").exists():
        return package / LIBRARY
    return checkout / "build" / "lib" / LIBRARY
