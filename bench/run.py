#!/usr/bin/env python3
"""`make bench`: compile time per op, and run time against XLA:CPU. A table on the terminal, JSON in build/bench."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "models"), str(ROOT / "bench")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")


def table(title: str, columns: list[tuple[str, str, str]], rows: list[dict]) -> None:
    """columns: heading, key, format."""
    cells = [[heading for heading, _, _ in columns]]
    for row in rows:
        cells.append(["-" if row.get(key) is None else format(row[key], form) for _, key, form in columns])
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    print(f"\n{title}")
    for number, line in enumerate(cells):
        print("  " + "  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))))
        if number == 0:
            print("  " + "  ".join("-" * w for w in widths))


def cpu_model() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures compile time and run time.")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--models", nargs="*", help="only these (default: all of bench/models.py)")
    parser.add_argument("--only", choices=("compile", "models"))
    options = parser.parse_args()
    # XLA:CPU takes its threads from the cores it may run on: both sides get the same number.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])

    import compile_time as compile_bench
    import export
    import models as models_bench

    binary = pathlib.Path(os.environ.get("OPENNEURON_BIN", ROOT / "build" / "bin")) / "openneuron"
    out = ROOT / "build" / "bench"
    out.mkdir(parents=True, exist_ok=True)
    results: dict = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "cpu": cpu_model(), "threads": options.threads}

    def folders(names):
        return dict(zip(names, export.ensure(list(names))))

    with tempfile.TemporaryDirectory() as scratch:
        if options.only != "models":
            rows = results["compile"] = compile_bench.measure(binary, folders(compile_bench.PROGRAMS), pathlib.Path(scratch))
            table(
                "Compile time, StableHLO bytecode to NEFF",
                [("program", "program", ""), ("ops", "ops", ",d"), ("best ms", "compile_ms_best", ".1f"), ("us/op", "us_per_op", ".2f"),
                 ("CPU us/op", "cpu_us_per_op", ".2f"),
                 ("peak MiB", "peak_mib", ".1f"), ("KiB/op", "kib_per_op", ".2f"), ("XLA:CPU us/op", "xla_cpu_us_per_op", ".1f")],
                [{**r, "peak_mib": r["peak_rss_bytes"] / 2**20, "kib_per_op": r["peak_rss_bytes_per_op"] / 1024} for r in rows],
            )  # fmt: skip
            ratio = results["compile_scaling"] = rows[1]["us_per_op"] / rows[0]["us_per_op"]
            results["compile_scaling_cpu"] = rows[1]["cpu_us_per_op"] / rows[0]["cpu_us_per_op"]
            print(
                f"  time per op, 20k against 2k: {ratio:.2f} ({'within' if 0.8 <= ratio <= 1.2 else 'NOT within'} 20 %);"
                f" of processor time, process start included: {results['compile_scaling_cpu']:.2f}"
            )
        if options.only != "compile":
            names = options.models or models_bench.MODELS
            rows = results["models"] = models_bench.measure(binary, folders(names), options.threads, pathlib.Path(scratch))
            table(
                f"Run time, {options.threads} threads, alternating with XLA:CPU",
                [("model", "model", ""), ("ours ms", "ours_ms_best", ".3f"), ("XLA:CPU ms", "xla_cpu_ms_best", ".3f"), ("ratio best", "ratio_best", ".2f"),
                 ("ratio median", "ratio_median", ".2f"), ("trn2 est. us", "estimated_us_on_trn2", ".1f"), ("load ms", "load_ms", ".2f")],
                rows,
            )  # fmt: skip
    (out / "bench.json").write_text(json.dumps(results, indent=1) + "\n")
    print(f"\nwritten: {(out / 'bench.json').relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
