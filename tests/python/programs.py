"""Runs the built programs and reads what they leave behind."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import json
import os
import pathlib
import re
import subprocess
import zlib
from typing import Iterable, Sequence

import numpy as np
import pytest

import export

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ.get("OPENNEURON_BIN", ROOT / "build" / "bin")).resolve()
TARGETS = ("trn1", "trn2", "trn3", "odd", "tiny")

# The networks, tested by samples (see sampled) and by all combinations with --full.
NETWORKS = export.all_names("network")

# A coded message: ON-E1234 or NCC_EABC123, the first word of a diagnostic.
CODE = re.compile(r"\b(ON-E\d{4}|NCC_[EI][A-Z]{3}\d{3})\b")


@dataclasses.dataclass
class Result:
    """What a program did."""

    command: list[str]
    status: int
    stdout: str
    stderr: str

    @property
    def codes(self) -> list[str]:
        """Diagnostic codes in the order printed, on both streams."""
        return CODE.findall(self.stdout + "\n" + self.stderr)

    def __str__(self) -> str:
        return f"$ {' '.join(self.command)}\nstatus {self.status}\n{self.stdout[-4000:]}\n{self.stderr[-4000:]}"


def run(program: str, *arguments, cwd=None, env=None, timeout: float = 300, preexec=None) -> Result:
    """Runs build/bin/`program` with stdout and stderr piped. A hang is a failure: TimeoutExpired."""
    command = [str(BIN / program), *map(str, arguments)]
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        timeout=timeout,
        preexec_fn=preexec,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return Result(command, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def succeed(program: str, *arguments, **options) -> Result:
    result = run(program, *arguments, **options)
    assert result.status == 0, str(result)
    return result


def refused(result: Result, status: int = 1, code: str | None = None, place: str | None = None) -> Result:
    """Asserts that `result` is one coded message with the right exit status, and no crash."""
    assert result.status == status, str(result)
    assert len(set(result.codes)) == 1, f"one coded message expected, got {result.codes}\n{result}"
    lines = [line for line in result.stderr.splitlines() if CODE.search(line)]
    assert len(lines) <= 1, f"more than one message\n{result}"
    if code:
        assert re.fullmatch(code, result.codes[0]), str(result)
    if place:
        assert re.search(place, result.stderr), f"no place {place}\n{result}"
    assert "hint" in result.stderr.lower(), f"no hint\n{result}"
    return result


@functools.cache
def model(name: str) -> pathlib.Path:
    """Folder of an exported program. Asking once is enough: the scripts do not change while the tests run."""
    (folder,) = export.ensure([name])
    return folder


def meta(folder: pathlib.Path) -> dict:
    return json.loads((folder / "meta.json").read_text())


def source(folder: pathlib.Path, kind: str = "mlirbc") -> pathlib.Path:
    return folder / f"{folder.name}.{kind}"


def load(path: pathlib.Path) -> dict[str, np.ndarray]:
    with np.load(path) as arrays:
        return {key: arrays[key] for key in arrays.files}


def same_bytes(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> list[str]:
    """Names of the arrays that differ in type, shape or any bit."""
    if sorted(a) != sorted(b):
        return [f"names {sorted(a)} and {sorted(b)}"]
    return [k for k in a if a[k].dtype != b[k].dtype or a[k].shape != b[k].shape or a[k].tobytes() != b[k].tobytes()]


_compiled: dict[tuple, pathlib.Path] = {}


def neff(folder: pathlib.Path, target: str, scratch: pathlib.Path, *options: str, file: pathlib.Path | None = None) -> pathlib.Path:
    """A program compiled for `target`, once per test session and set of options."""
    file = file or source(folder)
    key = (str(file), target, options)
    if key not in _compiled:
        tag = hashlib.sha256(repr(key).encode()).hexdigest()[:10]
        out = scratch / f"{folder.name}.{pathlib.Path(target).stem}.{tag}.neff"
        succeed("openneuron", "opt", file, "--to", "neff", "-o", out, "--target", target, *options)
        _compiled[key] = out
    return _compiled[key]


def execute(file: pathlib.Path, inputs: pathlib.Path, scratch: pathlib.Path, *options, target: str | None = None, env=None, **kw):
    """`openneuron run`: the outputs and the report."""
    tag = hashlib.sha256(repr((str(file), str(inputs), options, target, env)).encode()).hexdigest()[:10]
    out, report = scratch / f"{tag}.out.npz", scratch / f"{tag}.report.json"
    aim = ["--target", target] if target else []
    succeed("openneuron", "run", file, "--inputs", inputs, "--outputs", out, "--report", report, *aim, *options, env=env, **kw)
    outputs = load(out)
    numbers = json.loads(report.read_text())
    out.unlink()
    return outputs, numbers


def show(file: pathlib.Path) -> dict:
    return json.loads(succeed("openneuron", "show", file, "--json").stdout)


def engine_code(file: pathlib.Path) -> str:
    """The whole disassembly, which assembles back: what two equal programs have in common."""
    return succeed("openneuron", "opt", file, "--to", "stream").stdout


def routines(file: pathlib.Path) -> list[str]:
    return list(show(file)["routines"])


def engine_code_bytes(file: pathlib.Path) -> int:
    return int(show(file)["engine_code_bytes"])


def left_behind(folder: pathlib.Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*")}


def host_isas() -> list[str]:
    """Host kernels that this CPU can run, by what /proc/cpuinfo says."""
    flags = set()
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("flags"):
                flags = set(line.split(":", 1)[1].split())
                break
    isas = ["baseline"]
    if {"avx2", "fma"} <= flags:
        isas.append("avx2")
    if {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= flags:
        isas.append("avx512")
        if "avx512_bf16" in flags:
            isas.append("avx512_bf16")
    if {"amx_bf16", "amx_tile"} <= flags:
        isas.append("amx")
    return isas


def sampled(names: Iterable[str], *axes: Sequence) -> list:
    """Parameters for every name with every combination of the axes. One combination per name, chosen by its checksum and
    so the same each time, belongs to every run of the tests; the others are marked full."""
    result = []
    for name in names:
        combinations = list(itertools.product(*axes))
        chosen = zlib.crc32(name.encode()) % len(combinations)
        for number, values in enumerate(combinations):
            result.append(pytest.param(name, *values, marks=() if number == chosen else pytest.mark.full))
    return result


def targets(names: Iterable[str] = TARGETS) -> list[str]:
    return list(names)
