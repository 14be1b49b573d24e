"""Our side: the programs of build/bin, and what their reports say."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ.get("OPENNEURON_BIN", ROOT / "build" / "bin"))
PROGRAM = BIN / "openneuron"


def source(folder: pathlib.Path) -> pathlib.Path:
    return folder / f"{folder.name}.mlirbc"


def compiled(folder: pathlib.Path, scratch: pathlib.Path) -> tuple[pathlib.Path, dict]:
    """The NEFF, and the report of its compilation: time, memory, and the program by the clock."""
    neff, report = scratch / f"{folder.name}.neff", scratch / f"{folder.name}.compile.json"
    command = [PROGRAM, "opt", source(folder), "--to", "neff", "-o", neff, "--report", report]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return neff, {**json.loads(report.read_text()), "cpu_ms": 1000 * (usage.ru_utime + usage.ru_stime)}


def run(file: pathlib.Path, folder: pathlib.Path, scratch: pathlib.Path, *options: object) -> dict:
    """One process: inputs are read, the program is loaded and run once to warm up, then as often as --repeat says."""
    report = scratch / f"{folder.name}.run.json"
    command = [PROGRAM, "run", file, "--inputs", folder / "inputs.npz", "--report", report, *options]
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())


def explained(neff: pathlib.Path) -> dict:
    """The compiler's report on a program."""
    return json.loads(subprocess.run([PROGRAM, "report", neff, "--json"], check=True, stdout=subprocess.PIPE).stdout)


def program(name: str, *options: object) -> dict | None:
    """A program of bench/kernels, which prints JSON; None where it was not built."""
    path = BIN / f"bench_{name}"
    if not path.exists():
        return None
    return json.loads(subprocess.run([path, *map(str, options)], check=True, stdout=subprocess.PIPE).stdout)
