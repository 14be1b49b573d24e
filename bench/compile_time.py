"""Compile time per StableHLO op at about 2k and 20k ops, with peak memory, beside XLA:CPU's on the same module."""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import time

PROGRAMS = ("unrolled_2k", "unrolled_20k")
ROUNDS = 9


def ours(binary: pathlib.Path, folder: pathlib.Path, scratch: pathlib.Path) -> dict:
    """The program's own report, and `cpu_ms`: processor time of the whole process, which a busy machine disturbs less."""
    report = scratch / "compile.json"
    process = subprocess.Popen(
        [binary, "opt", folder / f"{folder.name}.mlirbc", "--to", "neff", "-o", scratch / "out.neff", "--report", report]
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{folder.name} does not compile: status {process.returncode}")
    return {**json.loads(report.read_text()), "cpu_ms": 1000 * (usage.ru_utime + usage.ru_stime)}


def xla_seconds(folder: pathlib.Path) -> float:
    """XLA:CPU compiling the same bytecode, from its text on: no JAX tracing in it."""
    import jax
    from jax._src.interpreters import mlir as jax_mlir
    from jax._src.lib.mlir import ir
    from jax._src.lib import xla_client

    backend = jax.devices("cpu")[0].client
    with jax_mlir.make_ir_context():
        module = ir.Module.parse((folder / f"{folder.name}.mlir").read_text())
        options = xla_client.CompileOptions()
        devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
        start = time.perf_counter()
        backend.compile_and_load(module, devices, options)
        return time.perf_counter() - start


def measure(binary: pathlib.Path, folders: dict[str, pathlib.Path], scratch: pathlib.Path) -> list[dict]:
    """Programs alternate over the rounds, so that a busy spell does not fall on one size only."""
    samples: dict[str, list[dict]] = {name: [] for name in folders}
    for _ in range(ROUNDS):
        for name, folder in folders.items():
            samples[name].append(ours(binary, folder, scratch))
    rows = []
    for name, folder in folders.items():
        ops = json.loads((folder / "meta.json").read_text())["ops"]
        times = [s["compile_ms"] for s in samples[name]]
        row = {
            "program": name,
            "ops": ops,
            "compile_ms_best": min(times),
            "compile_ms_median": statistics.median(times),
            "us_per_op": 1000 * min(times) / ops,
            "cpu_us_per_op": 1000 * min(s["cpu_ms"] for s in samples[name]) / ops,
            "peak_rss_bytes": max(s["peak_rss_bytes"] for s in samples[name]),
        }
        row["peak_rss_bytes_per_op"] = row["peak_rss_bytes"] / ops
        try:
            row["xla_cpu_us_per_op"] = 1e6 * xla_seconds(folder) / ops
        except Exception as problem:  # the module API of jaxlib is not a stable one; the ratio is a nice-to-have
            row["xla_cpu_us_per_op"] = None
            row["xla_cpu_problem"] = str(problem).splitlines()[0]
        rows.append(row)
    return rows
