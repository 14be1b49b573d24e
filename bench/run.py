#!/usr/bin/env python3
"""`make bench`: our speed beside XLA:CPU's, compile time, and the program by the clock.

Writes build/bench/bench.json, and docs/performance.md after a whole run (--page writes it in any case).
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent
sys.path[:0] = [str(ROOT / "tests" / "models"), str(BENCH)]
os.environ["JAX_PLATFORMS"] = "cpu"

from harness import host, measure, page, plan, sections, tables  # noqa: E402

def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures run time, compile time and the program by the clock.")
    parser.add_argument("--quick", action="store_true", help="three rounds, XLA:CPU's compile time left out: for development")
    parser.add_argument("--only", nargs="+", metavar="ROW", help="ids of rows.toml, names of programs, or " + ", ".join(plan.PARTS))
    parser.add_argument("--threads", type=int, nargs="+", default=[2, 1])
    parser.add_argument("--isa", choices=("avx2",), help="measure the rows once more with both sides held to AVX2")
    parser.add_argument("--page", action="store_true", help="write docs/performance.md of a part, too")
    options = parser.parse_args()
    if unknown := set(options.only or []) - plan.known(plan.rows()):
        parser.error(f"--only: nothing is named {', '.join(sorted(unknown))}")
    return options


def commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()

    return git("rev-parse", "--short=12", "HEAD") + (" with changes" if git("status", "--porcelain", "--untracked-files=no") else "")


def main() -> int:
    options = arguments()
    results: dict = {
        "time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "command": "make bench" if len(sys.argv) == 1 else " ".join(["python", "bench/run.py", *sys.argv[1:]]),
        "host": host.describe(),
        "versions": {name: importlib.metadata.version(name) for name in ("jax", "jaxlib", "numpy")},
        "load": {"before": os.getloadavg()[0]},
    }
    print(f"{results['host']['cpu']}, {results['host']['cores']} cores, {results['host']['isa']}; load {results['load']['before']:.2f}")
    with tempfile.TemporaryDirectory() as scratch:
        results |= measure.everything(plan.rows(), options, pathlib.Path(scratch))
    results["load"]["after"] = os.getloadavg()[0]

    out = ROOT / "build" / "bench"
    out.mkdir(parents=True, exist_ok=True)
    (out / "bench.json").write_text(json.dumps(results, indent=1) + "\n")
    for section in sections.sections(results):
        print("\n" + tables.plain(section.title, section.columns, section.rows), end="")
    for failure in results["failures"]:
        print(f"\nnot measured: {failure}", end="")
    print(f"\nload {results['load']['before']:.2f} before, {results['load']['after']:.2f} after; written: build/bench/bench.json", end="")
    if options.page or not (options.quick or options.only):
        (ROOT / "docs" / "performance.md").write_text(page.write(results, plan.notes()))
        print(", docs/performance.md", end="")
    print()
    return 1 if results["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
