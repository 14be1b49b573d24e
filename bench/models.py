"""Run time of the test models on the emulated device against XLA:CPU, alternating in one run."""

from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np

MODELS = ("mlp", "gpt", "gpt_bf16", "decode", "decode_bf16", "gpt_sequence8", "gpt_batch8")
ROUNDS = 5
REPEAT = 20


def xla(folder: pathlib.Path, meta: dict, threads: int):
    """A callable that runs the exported module once on XLA:CPU with inputs on the device, milliseconds per call."""
    import functools

    import export
    import jax
    from common import Types

    scripts = export.table()
    (program,) = (p for p in export.load(scripts[folder.name]["script"]) if p.name == folder.name)
    function = jax.jit(functools.partial(program.function, Types.named(program.types)))
    arguments = [jax.device_put(a) for a in program.arguments()]
    jax.block_until_ready(function(*arguments))

    def measure() -> list[float]:
        times = []
        for _ in range(REPEAT):
            start = time.perf_counter()
            jax.block_until_ready(function(*arguments))
            times.append(1000 * (time.perf_counter() - start))
        return times

    return measure


def ours(binary: pathlib.Path, neff: pathlib.Path, folder: pathlib.Path, threads: int):
    """Best and median milliseconds of REPEAT runs in one process, and the report."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.json"
        subprocess.run(
            [binary, "run", neff, "--inputs", folder / "inputs.npz", "--repeat", str(REPEAT), "--threads", str(threads), "--report", report],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        return json.loads(report.read_text())


def measure(binary: pathlib.Path, folders: dict[str, pathlib.Path], threads: int, scratch: pathlib.Path) -> list[dict]:
    """One row per model. Both sides are measured in turn, ROUNDS times, so that a busy spell hits both."""
    rows = []
    for name, folder in folders.items():
        meta = json.loads((folder / "meta.json").read_text())
        neff = scratch / f"{name}.neff"
        subprocess.run([binary, "opt", folder / f"{name}.mlirbc", "--to", "neff", "-o", neff], check=True)
        native = xla(folder, meta, threads)
        best_ours, medians_ours, best_xla, medians_xla, report = [], [], [], [], {}
        for _ in range(ROUNDS):
            report = ours(binary, neff, folder, threads)
            best_ours.append(report["run_ms_best"])
            medians_ours.append(report["run_ms_median"])
            times = native()
            best_xla.append(min(times))
            medians_xla.append(statistics.median(times))
        rows.append(
            {
                "model": name,
                "ops": meta["ops"],
                "ours_ms_best": min(best_ours),
                "ours_ms_median": statistics.median(medians_ours),
                "xla_cpu_ms_best": min(best_xla),
                "xla_cpu_ms_median": statistics.median(medians_xla),
                "ratio_best": min(best_ours) / min(best_xla),
                "ratio_median": float(np.median([a / b for a, b in zip(medians_ours, medians_xla)])),
                "estimated_us_on_trn2": report["estimated_ns"] / 1000,
                "load_ms": report["load_ms"],
                "peak_rss_bytes": report["peak_rss_bytes"],
            }
        )
    return rows
