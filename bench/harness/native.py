"""XLA:CPU's side, by JAX. How many threads it has follows from the CPUs that this process may use when JAX starts."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import time

import numpy as np

XLA_ISA = {"avx2": "AVX2"}

# glibc gives large blocks back to the system when they are freed, and XLA:CPU allocates its temporary buffers in every
# run: their pages are then new ones each time. In this environment freed memory is kept and used again.
KEPT_MEMORY = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}


def restrict(isa: str | None) -> None:
    """XLA compiles for nothing beyond `isa`. Before JAX is imported."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    if isa in XLA_ISA:
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_max_isa={XLA_ISA[isa]}".strip()


class Native:
    """One exported program under jax.jit, with the same inputs."""

    def __init__(self, folder: pathlib.Path):
        import export
        import jax
        from common import Types

        self.jax = jax
        script = export.table()[folder.name]["script"]
        (self.program,) = (p for p in export.load(script) if p.name == folder.name)
        self.function = functools.partial(self.program.function, Types.named(self.program.types))
        self.meta = json.loads((folder / "meta.json").read_text())
        self.folder = folder

    def lowered(self):
        specs = [self.jax.ShapeDtypeStruct(i["shape"], self.jax.numpy.dtype(i["type"])) for i in self.meta["inputs"]]
        return self.jax.jit(self.function, donate_argnums=self.program.donated, keep_unused=True).lower(*specs)

    def arguments(self):
        """The exported inputs, on the device."""
        import ml_dtypes

        arrays = []
        with np.load(self.folder / "inputs.npz") as stored:
            for i, described in enumerate(self.meta["inputs"]):
                array = stored[f"input{i}"]
                if described["type"] == "bfloat16":
                    array = array.view(ml_dtypes.bfloat16)
                arrays.append(self.jax.device_put(array))
        return self.jax.block_until_ready(arrays)

    def run(self, executable, arguments, count: int) -> list[float]:
        """Milliseconds of `count` runs after one that warms up. Donated inputs are copied outside the timer, outputs stay."""
        times = []
        for _ in range(count + 1):
            given = [a.copy() if i in self.program.donated else a for i, a in enumerate(arguments)]
            self.jax.block_until_ready(given)
            start = time.perf_counter()
            outputs = self.jax.block_until_ready(executable(*given))
            times.append(1000 * (time.perf_counter() - start))
            del outputs, given
        return times[1:]
