#!/usr/bin/env python3
"""JAX's own op harnesses (`jax._src.internal_test_util.test_harnesses`) against XLA:CPU.

    python tests/jax/harnesses.py export DIR [--x64] [--most N] [GROUP ...]
    python tests/jax/harnesses.py run DIR [--table FILE] [GROUP ...]
    python tests/jax/harnesses.py jax DIR [--x64] [--table FILE] [GROUP ...]

`export` lowers each case for the platform "neuron" and runs it on the CPU; what it leaves in DIR holds a case's module,
inputs and right outputs, a file a group. `run` compiles and runs the modules with `openneuron`, one process a case.
`jax` runs the cases through JAX on `neuron`, many in a process; a crash is a row, and a new process goes on behind it.
Both say what failed for which reason, and write a row for each case. `--most N` takes N cases of a group, evenly.
"""
from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ.get("OPENNEURON_BIN", ROOT / "build" / "bin")).resolve()
CODE = re.compile(r"\b(ON-E\d{4}|NCC_[EI][A-Z]{3}\d{3})\b")
NARROW = ("bfloat16", "float16")
# Of the wider of the two types that a case takes and makes: JAX's own tolerances (jax._src.public_test_util), but for
# float32, whose 1e-6 XLA:CPU itself misses in sums.
TOLERANCE = {"bfloat16": 1e-2, "float16": 1e-3, "float32": 2e-5, "float64": 1e-14, "complex64": 2e-5, "complex128": 1e-14}


def sample(cases: list, most: int) -> list:
    if not most or len(cases) <= most:
        return cases
    return [cases[i * len(cases) // most] for i in range(most)]


def harnesses() -> list:
    """JAX's cases. Some draw numbers from NumPy's global generator where they are imported, as does what they import."""
    import jax._src.test_util  # noqa: F401

    np.random.seed(0)
    from jax._src.internal_test_util.test_harnesses import all_harnesses

    return all_harnesses


def by_group(most: int, names: list[str]) -> dict[str, list]:
    groups = collections.defaultdict(list)
    for harness in harnesses():
        if not names or harness.group_name in names:
            groups[harness.group_name].append(harness)
    return {name: sample(cases, most) for name, cases in sorted(groups.items())}


def plain(tree):
    """The leaves as arrays that NumPy knows: keys as their data."""
    import jax

    leaves = jax.tree_util.tree_leaves(tree)
    return [jax.random.key_data(x) if jax.numpy.issubdtype(getattr(x, "dtype", np.float32), jax.dtypes.prng_key) else x for x in leaves]


def parts(harness):
    """The harness as a function of arrays, and the arrays."""
    import jax

    flat, tree = jax.tree_util.tree_flatten(harness.dyn_args_maker(np.random.RandomState(0)))
    return (lambda *leaves: plain(harness.dyn_fun(*jax.tree_util.tree_unflatten(tree, leaves)))), flat


def reference(harness) -> dict:
    """What the case gives on JAX's default device, or why it gives nothing."""
    import jax

    made = {"name": harness.name, "dtype": np.dtype(harness.dtype).name}
    try:
        function, flat = parts(harness)
        right = [np.asarray(x) for x in jax.jit(function)(*flat)]
    except Exception as error:  # noqa: BLE001 the harness asks for what the CPU has not
        return made | {"cpu": f"{type(error).__name__}: {error}"[:300]}
    made |= {"inputs": [np.asarray(jax.numpy.asarray(x)) for x in flat], "outputs": right}
    if np.dtype(harness.dtype).name in NARROW:
        made["wide"] = in_float32(function, flat, right)
    return made


def export_case(harness) -> dict:
    """A case with its module, its inputs and outputs, or why there is none."""
    import jax

    made = reference(harness)
    if "cpu" in made:
        return made
    function, flat = parts(harness)
    try:
        exported = jax.export.export(jax.jit(function), platforms=("neuron",))(*flat)
    except Exception as error:  # noqa: BLE001
        return made | {"lowering": f"{type(error).__name__}: {error}"[:300]}
    kept = [made["inputs"][i] for i in exported.module_kept_var_idx]
    return made | {"module": bytes(exported.mlir_module_serialized), "inputs": kept}


def in_float32(function, flat: list, right: list) -> list | None:
    """The same in float32 on the same inputs, where the case takes them: sums of 16-bit floats have many right values."""
    import jax

    try:
        widened = [np.asarray(x).astype(np.float32) if getattr(x, "dtype", np.dtype("i4")).name in NARROW else x for x in flat]
        wide = [np.asarray(x) for x in jax.jit(function)(*widened)]
    except Exception:  # noqa: BLE001 the case holds its type
        return None
    same = len(wide) == len(right) and all(a.shape == b.shape for a, b in zip(wide, right))
    return wide if same else None


def export(folder: pathlib.Path, most: int, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, cases in by_group(most, names).items():
        path = folder / f"{name}.pickle"
        if path.exists():
            continue
        made = [export_case(harness) for harness in cases]
        path.with_suffix(".part").write_bytes(pickle.dumps(made))
        path.with_suffix(".part").rename(path)


def reason_of(text: str, status: int) -> str:
    """A diagnostic without what differs from case to case."""
    code = CODE.search(text)
    if status < 0 or not code:
        return f"crash: status {status}"
    line = next(l for l in text.splitlines() if CODE.search(l))
    message = line[line.index(code[0]):]
    message = re.sub(r"0x[0-9a-f]+|\b\d+\b", "N", message[len(code[0]):])
    return f"{code[0]}{message}"[:160]


def difference(got: np.ndarray, right: np.ndarray, tolerance: float, truth: np.ndarray | None) -> str | None:
    if got.shape != right.shape:
        return f"shape {got.shape}, not {right.shape}"
    if got.dtype.name.startswith("void") and got.dtype.itemsize == right.dtype.itemsize:  # bfloat16 and float8 in a .npz
        got = got.view(right.dtype)
    if got.dtype != right.dtype:
        return f"type {got.dtype}, not {right.dtype}"
    if tolerance == 0 or right.dtype.kind in "biu":
        wrong = int(np.sum(got != right))
        return f"{wrong} of {right.size} values" if wrong else None
    wide = np.complex128 if right.dtype.kind == "c" else np.float64
    a, b = got.astype(wide), right.astype(wide)
    close = np.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
    if truth is not None and truth.dtype.kind == "f":  # or no farther from it than XLA:CPU is somewhere
        close |= np.abs(a - truth) <= np.abs(b - truth).max(initial=0)
    if close.all():
        return None
    at = tuple(int(i[0]) for i in np.nonzero(~close)) if a.ndim else ()
    return f"{int((~close).sum())} of {right.size} values, first {a[at]!r} for {b[at]!r}"


def is_factor(lower: np.ndarray, symmetric: np.ndarray) -> bool:
    """Whether lower lower^H is the matrix, to the n roundings that each of its elements takes."""
    wide = np.complex128 if lower.dtype.kind == "c" else np.float64
    a, factor = np.asarray(symmetric, wide), np.asarray(lower, wide)
    error = np.abs(factor @ np.conj(np.swapaxes(factor, -1, -2)) - a).max(initial=0)
    return bool(error <= a.shape[-1] * np.finfo(symmetric.dtype).eps * np.abs(a).max(initial=0))  # false for NaN


def rows_of(arrays: list[np.ndarray]) -> list:
    """What stands at each place of arrays of one shape, in an order that is the same for the same rows."""
    return sorted(zip(*(a.ravel().tolist() for a in arrays)), key=repr)


def settled(group: str, case: dict, outputs: list[np.ndarray]) -> list[np.ndarray]:
    """The outputs with what the operation leaves open as XLA:CPU has it, where they keep to the operation's rule."""
    right = case["outputs"]
    if group == "cholesky":  # the other triangle is anything; the factor is judged by its product
        lower = [np.where(np.tril(np.ones(b.shape[-2:], bool)), a, b) for a, b in zip(outputs, right)]
        return right if is_factor(np.tril(lower[0]), case["inputs"][0]) else lower
    if group == "sort" and "isstable_False" in case["name"]:  # equal keys in any order: the rows are the same ones
        if rows_of(outputs) == rows_of(right):
            return [outputs[0], *right[1:]]
    if group == "approx_top_k" and len(outputs) == 2:  # equal values in any order: places say where each stands
        places = outputs[1].astype(np.int64)
        if ((places >= 0) & (places < case["inputs"][0].shape[-1])).all():
            if np.array_equal(np.take_along_axis(case["inputs"][0], places, -1), outputs[0].view(case["inputs"][0].dtype)):
                return [outputs[0], right[1]]
    return outputs


def compare(group: str, case: dict, outputs: list[np.ndarray]) -> str | None:
    """None when all outputs are right."""
    if [a.shape for a in outputs] == [b.shape for b in case["outputs"]]:
        outputs = settled(group, case, outputs)
    truths = case.get("wide") or [None] * len(outputs)
    for got, right, truth in zip(outputs, case["outputs"], truths):
        types = {right.dtype.name, case["dtype"]} if right.dtype.kind not in "biu" else {right.dtype.name}
        scale = 1.0
        if group == "fft":  # each value is a sum of all
            scale = float(np.max(np.abs(right), initial=1))
        elif group in ("reduce", "reduce_window_add") and right.dtype.name in NARROW:  # a sum rounds as its terms are large
            scale = max(float(np.max(np.abs(x.astype(np.float64)), initial=1)) for x in case["inputs"])
        wrong = difference(got, right, scale * max(TOLERANCE.get(t, 0.1 if t.startswith("float8") else 0.0) for t in types), truth)
        if wrong:
            return wrong
    return None


def run_case(group: str, case: dict, scratch: pathlib.Path) -> tuple[str, str]:
    """(verdict, reason)"""
    if "cpu" in case:
        return "no reference", case["cpu"].splitlines()[0]
    if "lowering" in case:
        return "not lowered by JAX", case["lowering"].splitlines()[0]
    (scratch / "m.mlirbc").write_bytes(case["module"])
    np.savez(scratch / "in.npz", **{f"input{i}": x for i, x in enumerate(case["inputs"])})
    command = [BIN / "openneuron", "run", scratch / "m.mlirbc", "--inputs", scratch / "in.npz", "--outputs", scratch / "out.npz", "--threads", "1"]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
    except subprocess.TimeoutExpired:
        return "refused", "more than two minutes"
    if done.returncode:
        return "refused", reason_of(done.stderr.decode(errors="replace"), done.returncode)
    with np.load(scratch / "out.npz") as arrays:
        outputs = [arrays[f"output{i}"] for i in range(len(case["outputs"]))]
    wrong = compare(group, case, outputs)
    return ("wrong", wrong) if wrong else ("right", "")


def run_on_neuron(group: str, case: dict, harness) -> tuple[str, str]:
    import jax

    if "cpu" in case:
        return "no reference", case["cpu"].splitlines()[0]
    try:
        function, flat = parts(harness)
        outputs = [np.asarray(x) for x in jax.jit(function)(*flat)]
    except Exception as error:  # noqa: BLE001
        text = f"{type(error).__name__}: {error}"
        if CODE.search(text):
            return "refused", reason_of(text, 1)
        return ("not lowered by JAX" if isinstance(error, NotImplementedError) else "refused"), text.splitlines()[0][:160]
    wrong = compare(group, case, outputs)
    return ("wrong", wrong) if wrong else ("right", "")


def worker(folder: pathlib.Path, rows: pathlib.Path, names: list[str]) -> None:
    """Cases from the first that has no row on; a row says "crash" until its case has ended."""
    import jax

    known = {(h.group_name, h.name): h for h in harnesses()}
    done = len(rows.read_text().splitlines()) if rows.exists() else 0
    with rows.open("a") as out:
        for number, (group, case) in enumerate(cases_of(folder, names)):
            if number < done:
                continue
            row = {"group": group, "case": case["name"], "dtype": case["dtype"], "verdict": "refused", "reason": "crash"}
            (rows.parent / "running.json").write_text(json.dumps(row))
            row["verdict"], row["reason"] = run_on_neuron(group, case, known[group, case["name"]])
            out.write(json.dumps(row) + "\n")
            out.flush()
            if number % 200 == 199:
                jax.clear_caches()


def run_in_jax(folder: pathlib.Path, table: pathlib.Path | None, names: list[str]) -> int:
    environment = {**os.environ, "JAX_PLATFORMS": "neuron,cpu", "PYTHONPATH": str(ROOT / "python")}
    with tempfile.TemporaryDirectory() as scratch:
        rows = pathlib.Path(scratch) / "rows"
        while True:
            status = subprocess.run([sys.executable, __file__, "worker", folder, rows, *names], env=environment).returncode
            if status == 0:
                break
            if not (rows.parent / "running.json").exists():  # it never began
                return 2
            with rows.open("a") as out:
                out.write((rows.parent / "running.json").read_text() + "\n")
        return finish([json.loads(line) for line in rows.read_text().splitlines()], table)


def cases_of(folder: pathlib.Path, names: list[str]):
    for path in sorted(folder.glob("*.pickle")):
        if not names or path.stem in names:
            for case in pickle.loads(path.read_bytes()):
                yield path.stem, case


def run(folder: pathlib.Path, table: pathlib.Path | None, names: list[str]) -> int:
    rows = []
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        for group, case in cases_of(folder, names):
            verdict, reason = run_case(group, case, pathlib.Path(scratch))
            rows.append({"group": group, "case": case["name"], "dtype": case["dtype"], "verdict": verdict, "reason": reason})
    return finish(rows, table)


def finish(rows: list[dict], table: pathlib.Path | None) -> int:
    if table:
        table.write_text(json.dumps(rows, indent=0))
    report(rows)
    return 1 if any(row["verdict"] == "wrong" or row["reason"].startswith("crash") for row in rows) else 0


def report(rows: list[dict]) -> None:
    verdicts = collections.Counter(row["verdict"] for row in rows)
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    reasons = collections.defaultdict(collections.Counter)
    for row in rows:
        if row["verdict"] != "right":
            reason = "wrong values" if row["verdict"] == "wrong" else row["reason"]
            reasons[(row["verdict"], reason)][row["group"]] += 1
    for (verdict, reason), groups in sorted(reasons.items(), key=lambda r: -sum(r[1].values())):
        print(f"{sum(groups.values()):5d}  {verdict}: {reason}  [{', '.join(f'{g} {n}' for g, n in groups.most_common(8))}]")


def main() -> int:
    if sys.argv[1:2] == ["worker"]:
        folder, rows, *names = sys.argv[2:]
        sys.argv = sys.argv[:1]
        worker(pathlib.Path(folder), pathlib.Path(rows), names)
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=("export", "run", "jax"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("groups", nargs="*")
    parser.add_argument("--x64", action="store_true")
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    os.environ["JAX_ENABLE_X64"] = "1" if options.x64 else "0"
    if options.action != "export":
        return {"run": run, "jax": run_in_jax}[options.action](options.folder, options.table, options.groups)
    os.environ["JAX_PLATFORMS"] = "cpu"
    sys.argv = sys.argv[:1]  # JAX's harnesses read flags when imported
    export(options.folder, options.most, options.groups)
    return 0


if __name__ == "__main__":
    sys.exit(main())
