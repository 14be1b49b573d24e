"""One row at one number of threads: rounds of ours and rounds of XLA:CPU in turn, on the same pinned cores.

A process of its own, because XLA:CPU fixes its number of threads when it starts. It prints one JSON object.
Our side is a fresh `openneuron run --repeat` in every round: inputs are read and the program is loaded outside its
timer, and one run warms up. XLA's inputs stay in this process, and a round of it begins with a run that warms up too.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "tests" / "models")]

from harness import host, native, ours  # noqa: E402

SIDE_SECONDS = 0.5  # one side's runs of one round, about
MOST_RUNS = 2000


def runs_in_a_round(milliseconds: float) -> int:
    return max(1, min(MOST_RUNS, math.ceil(1000 * SIDE_SECONDS / max(milliseconds, 1e-3))))


def measure(folder: pathlib.Path, threads: int, isa: str | None, rounds: int, bandwidth: bool, scratch: pathlib.Path) -> dict:
    xla = native.Native(folder)
    executable = xla.lowered().compile()
    arguments = xla.arguments()
    neff, _ = ours.compiled(folder, scratch)
    options = ["--threads", threads, *(["--host-isa", isa] if isa else [])]

    count = runs_in_a_round(ours.run(neff, folder, scratch, "--repeat", 1, *options)["run_ms_best"])
    native_count = runs_in_a_round(min(xla.run(executable, arguments, 1)))
    mine, theirs, bytes_per_second, report = [], [], [], {}
    load = host.Load(sorted(os.sched_getaffinity(0)))
    for _ in range(rounds):
        if bandwidth and (read := ours.program("read_bandwidth", threads, 1024, 3)):
            bytes_per_second.append(1e9 * read["gigabytes_per_second_best"])
        report = ours.run(neff, folder, scratch, "--repeat", count, *options)
        mine.append(report)
        times = xla.run(executable, arguments, native_count)
        theirs.append((min(times), statistics.median(times)))
    ratios = [m["run_ms_median"] / median for m, (_, median) in zip(mine, theirs)]
    best, native_best = min(m["run_ms_best"] for m in mine), min(b for b, _ in theirs)
    return {
        "threads": threads,
        "isa": report["host_isa"],
        "rounds": rounds,
        "runs": [rounds * count, rounds * native_count],
        "ours_ms_best": best,
        "ours_ms_median": statistics.median(m["run_ms_median"] for m in mine),
        "xla_ms_best": native_best,
        "xla_ms_median": statistics.median(m for _, m in theirs),
        "ratio_best": best / native_best,
        "ratio_median": statistics.median(ratios),
        "spread": [min(ratios), max(ratios)],  # of the rounds' medians
        "load_ms": statistics.median(m["load_ms"] for m in mine),
        "estimated_us": report["estimated_ns"] / 1000,
        "read_bytes_per_second": max(bytes_per_second, default=None),
        **load.read(),
    }


def native_alone(folder: pathlib.Path, rounds: int) -> dict:
    """The best of XLA:CPU's runs, without ours between them."""
    xla = native.Native(folder)
    executable, arguments = xla.lowered().compile(), xla.arguments()
    count = rounds * runs_in_a_round(min(xla.run(executable, arguments, 1)))
    return {"xla_ms_best": min(xla.run(executable, arguments, count))}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cpus", type=int, nargs="+", required=True)
    parser.add_argument("--isa")
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--bandwidth", action="store_true")
    parser.add_argument("--native-alone", action="store_true")
    options = parser.parse_args()
    os.sched_setaffinity(0, options.cpus)  # the programs that this process starts inherit it
    native.restrict(options.isa)
    if options.native_alone:
        print(json.dumps(native_alone(options.folder, options.rounds)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        row = measure(options.folder, len(options.cpus), options.isa, options.rounds, options.bandwidth, pathlib.Path(scratch))
    print(json.dumps(row))


if __name__ == "__main__":
    main()
