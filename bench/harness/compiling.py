"""Compile time beside XLA:CPU's, in turn.

Ours is the report's compile_ms: StableHLO bytecode to instructions. XLA's is `lowered.compile()`: the module to machine
code, tracing and lowering excluded. XLA works in a process of its own (this file), which is stopped when its patience
ends: the time that it had compiled by then is a lower bound of what it needs.
"""

from __future__ import annotations

import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "tests" / "models")]

from harness import native, ours  # noqa: E402

LONG_MS = 10_000  # XLA is asked once where it takes longer


def xla_ms(folder: pathlib.Path, patience: float) -> tuple[float, bool]:
    """Milliseconds, and whether it finished."""
    command = [sys.executable, __file__, folder]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    if not process.stdout.readline().startswith("lowered"):
        raise subprocess.CalledProcessError(process.wait(), command)
    start = time.monotonic()
    try:
        text, _ = process.communicate(timeout=patience)
        return float(text), True
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return 1000 * (time.monotonic() - start), False


def measure(folder: pathlib.Path, rounds: int, patience: float, with_xla: bool, scratch: pathlib.Path) -> dict:
    mine, theirs, finished = [], [], True
    for _ in range(rounds):
        # Ours is short: as many as fit into half a second, so that its best is not one sample.
        mine += [ours.compiled(folder, scratch)[1] for _ in range(3 if not mine else times_in(0.5, mine[0]["compile_ms"]))]
        if with_xla and finished and (not theirs or max(theirs) < LONG_MS):
            milliseconds, finished = xla_ms(folder, patience)
            theirs.append(milliseconds)
    ops = json.loads((folder / "meta.json").read_text())["ops"]
    best = min(m["compile_ms"] for m in mine)
    return {
        "model": folder.name,
        "ops": ops,
        "ours_ms_best": best,
        "ours_ms_median": statistics.median(m["compile_ms"] for m in mine),
        "cpu_ms_best": min(m["cpu_ms"] for m in mine),
        "us_per_op": 1000 * best / ops,
        "peak_rss_bytes": max(m["peak_rss_bytes"] for m in mine),
        "xla_ms_best": min(theirs, default=None),
        "xla_finished": finished,
        "ratio_best": best / min(theirs) if theirs else None,
    }


def times_in(seconds: float, milliseconds: float) -> int:
    return max(1, min(10, int(1000 * seconds / max(milliseconds, 1.0))))


def slope(rows: list[dict]) -> float:
    """Of the logarithm of time over that of ops, least squares: 1 is proportional."""
    points = [(math.log(r["ops"]), math.log(r["ours_ms_best"])) for r in rows]
    x, y = (statistics.fmean(axis) for axis in zip(*points))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def loaded_ms(folder: pathlib.Path, scratch: pathlib.Path, processes: int = 20) -> list[float]:
    """A small program from bytes to a loaded executable: compile_ms + load_ms, each in a fresh process, checkers off."""
    reports = [ours.run(ours.source(folder), folder, scratch, "--threads", 1) for _ in range(processes)]
    return sorted(r["compile_ms"] + r["load_ms"] for r in reports)


def main() -> None:
    native.restrict(None)
    import jax

    jax.block_until_ready(jax.jit(lambda x: x + 1)(1.0))  # what starts once per process starts here
    program = native.Native(pathlib.Path(sys.argv[1]))
    lowered = program.lowered()
    print("lowered", flush=True)
    start = time.perf_counter()
    lowered.compile()
    print(1000 * (time.perf_counter() - start), flush=True)


if __name__ == "__main__":
    main()
