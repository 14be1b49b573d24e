#!/usr/bin/env python3
"""`make demo`: a training step written in JAX, compiled for a Trainium core, trained with for 200 steps on the emulated one."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "models")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")
BIN = pathlib.Path(os.environ.get("OPENNEURON_BIN", ROOT / "build" / "bin"))
STYLED = sys.stdout.isatty() and "NO_COLOR" not in os.environ
BRAILLE_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # [row][column] of one character cell


def style(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if STYLED else text


def say(step: str, text: str) -> None:
    print(f"{style(step.ljust(9), '1')} {text}", flush=True)


def run(*command, cwd=None) -> str:
    """Runs one of our programs; on failure its own message is all that is worth reading."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed with status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Plot:
    """Curves in braille: each character cell is 2 dots wide and 4 high."""

    def __init__(self, columns: int, rows: int, top: float):
        self.columns, self.rows, self.top = columns, rows, top
        self.cells = [[0] * columns for _ in range(rows)]
        self.owner = [[""] * columns for _ in range(rows)]

    def curve(self, values, colour: str) -> None:
        width, height = self.columns * 2, self.rows * 4
        before = None
        for x in range(width):
            value = values[round(x * (len(values) - 1) / (width - 1))]
            y = height - 1 - round(min(max(value / self.top, 0), 1) * (height - 1))
            steps = range(min(before, y), max(before, y) + 1) if before is not None else (y,)
            for dot in steps:  # joined to the dot before, so that a steep curve has no gaps
                self.cells[dot // 4][x // 2] |= BRAILLE_DOTS[dot % 4][x % 2]
                self.owner[dot // 4][x // 2] = colour
            before = y

    def draw(self, steps: int) -> None:
        for row in range(self.rows):
            label = f"{self.top * (1 - row / (self.rows - 1)):5.2f}" if row % 3 == 0 or row == self.rows - 1 else " " * 5
            line = ""
            for cell, colour in zip(self.cells[row], self.owner[row]):
                character = chr(0x2800 + cell)
                line += style(character, colour) if cell else " "
            print(f"  {label} ┤{line}")
        print("        └" + "─" * self.columns)
        print("         " + "0".ljust(self.columns - 4) + str(steps).rjust(4) + " steps")


def table(rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"  {name.ljust(width)}  {value}")


def count(value: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.2f} {unit}"
    return f"{value:.0f} "


def device_report(report: dict) -> None:
    print(style("\nOne step on the device", "1"))
    nanoseconds = report["estimated_ns"]
    rows = [("estimated time on trn2", f"{nanoseconds / 1000:.1f} us a step, {1e9 / nanoseconds:,.0f} steps a second")]
    if "hbm_read_bytes" in report:
        rows.append(("HBM traffic", f"{count(report['hbm_read_bytes'])}B read, {count(report['hbm_written_bytes'])}B written"))
    if report.get("flops"):
        rows.append(("floating point work", f"{count(report['flops'])}FLOP, {report['flops'] / nanoseconds:,.1f} GFLOP/s"))
    rows.append(("share run as library routines", f"{100 * report['routine_share']:.0f} %"))
    rows.append(("emulated on this computer in", f"{report['run_ms_median']:.2f} ms a step"))
    table(rows)
    engines = [e for e in report.get("engines", ()) if e.get("instructions")]
    if engines:
        print("\n  engine          instructions   busy")
        for engine in engines:
            share = min(engine["busy_ns"] / nanoseconds, 1.0)
            bar = "█" * round(30 * share)
            print(f"  {engine['name'].ljust(14)} {engine['instructions']:>13,d}   {100 * share:5.1f} %  {style(bar, '36')}")


def draw_losses(loss, cpu) -> None:
    """The core's curve over XLA:CPU's, as wide as the terminal."""
    print(style("\nTraining loss", "1") + f"   {style('━', '32')} the emulated core   {style('━', '35')} XLA:CPU (visible where they differ)")
    columns = max(40, min(shutil.get_terminal_size((80, 24)).columns - 12, 100))
    plot = Plot(columns, 13, top=float(max(loss.max(), cpu.max())) * 1.02)
    plot.curve(cpu, "35")
    plot.curve(loss, "32")
    plot.draw(len(loss))


def main() -> None:
    started = time.monotonic()
    import numpy as np

    import export

    say("export", "tests/models/mlp.py with jax.export for platform neuron, and XLA:CPU's own 200 steps to compare with")
    (folder,) = export.ensure(["mlp"])
    import mlp

    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        say("compile", "neuronx-cc compile --framework XLA mlp.mlirbc --target trn2 --output mlp.neff")
        before = time.monotonic()
        printed = run(BIN / "neuronx-cc", "compile", "--framework", "XLA", folder / "mlp.mlirbc", "--target", "trn2", "--output", "mlp.neff", cwd=scratch)
        size = (scratch / "mlp.neff").stat().st_size
        say("", f"{printed.strip().splitlines()[-1]}: {size:,d} bytes in {1000 * (time.monotonic() - before):.0f} ms")

        say("run", "openneuron run mlp.neff --inputs steps.npz --steps 200: parameters never leave device memory")
        before = time.monotonic()
        run(
            BIN / "openneuron", "run", scratch / "mlp.neff", "--inputs", folder / "steps.npz", "--steps", "200",
            "--outputs", scratch / "out.npz", "--report", scratch / "report.json",
        )  # fmt: skip
        seconds = time.monotonic() - before
        with np.load(scratch / "out.npz") as outputs:
            loss = outputs["output6"]
            parameters = [outputs[f"output{i}"] for i in range(6)]
        report = json.loads((scratch / "report.json").read_text())
    with np.load(folder / "steps_references.npz") as references:
        cpu = references["cpu6"]
        cpu_parameters = [references[f"cpu{i}"] for i in range(6)]

    worst = float(np.max(np.abs(loss - cpu) / np.abs(cpu)))
    ours, theirs = mlp.accuracy(parameters), mlp.accuracy(cpu_parameters)
    say("", f"200 steps in {seconds:.2f} s")

    draw_losses(loss, cpu)
    print()
    table(
        [
            ("loss, first and last", f"{loss[0]:.4f}, {loss[-1]:.4f}   (XLA:CPU {cpu[0]:.4f}, {cpu[-1]:.4f})"),
            ("largest relative difference", f"{worst:.1e} of XLA:CPU's curve (allowed 1e-3)"),
            ("training accuracy", f"{100 * ours:.2f} %   (XLA:CPU {100 * theirs:.2f} %)"),
        ]
    )
    device_report(report)
    good = worst <= 1e-3 and ours > 0.97
    print(f"\n{style('The core trained right.', '32') if good else style('The core did NOT train right.', '31')}  Whole demo: {time.monotonic() - started:.0f} s")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
