#!/usr/bin/env python3
"""Exports the test programs to build/models: text, bytecode, inputs and references.

    python tests/models/export.py [--out DIR] [--list] [--force] [NAME or NAME* ...]

For each program the folder build/models/NAME holds

    NAME.mlir           StableHLO text of the exported module, with locations
    NAME.lowered.mlir   text as `lower().as_text()` gives it (chlo ops, constants repeated, no locations)
    NAME.generic.mlir   the exported module in MLIR's generic form
    NAME.mlirbc         MLIR bytecode with VHLO from jax.export, platform "neuron"
    NAME.hlo.pb         HloModuleProto, as XLA makes it of the text in NAME.lowered.mlir
    NAME.raw.mlirbc     bytecode of the StableHLO dialect itself, without VHLO: a form that must be refused
    inputs.npz          input0, input1, ... in argument order
    references.npz      cpu0, cpu1, ...: XLA:CPU in the program's types; wide0, wide1, ...: the same function in
                        float64 on the same inputs; margin<i>: see Program.margins
    steps.npz, steps_references.npz   the same for the looped run of programs that have one, outputs not donated stacked
    meta.json           types, donations, longest sum, op count

A program is exported again only when a script here or the JAX version changes. The float64 reference runs in a process
of its own, because JAX's 64-bit mode is a property of the process.
"""

from __future__ import annotations

import argparse
import fcntl
import fnmatch
import functools
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDERS = (HERE, ROOT / "bench")  # test programs, and the full-size models of the benchmarks (group "full")
# Every file there that has programs; none is named, so that adding one leaves the cached exports of the others right.
FILES = {p.stem: p for folder in FOLDERS for p in folder.glob("*.py")}
SCRIPTS = tuple(sorted(name for name, p in FILES.items() if "\ndef programs(" in p.read_text()))


def default_out() -> pathlib.Path:
    return pathlib.Path(os.environ.get("OPENNEURON_MODELS", ROOT / "build" / "models"))


@functools.cache
def stamp(script: str) -> str:
    """Changes when anything that shapes the export of `script` changes."""
    import importlib.metadata as metadata

    digest = hashlib.sha256()
    for name in sorted({"common", "export", *scripts_read(script)}):
        digest.update(FILES[name].read_bytes())
    for package in ("jax", "jaxlib", "numpy"):
        digest.update(metadata.version(package).encode())
    return digest.hexdigest()


def scripts_read(script: str) -> set[str]:
    """The script and the files beside it that it imports, directly or through others."""
    names = {script}
    for name in re.findall(r"^(?:import|from) (\w+)", FILES[script].read_text(), re.MULTILINE):
        if name in FILES:
            names |= scripts_read(name)
    return names


def load(script: str):
    folders = [str(folder) for folder in FOLDERS]
    sys.path[:0] = folders
    try:
        programs = __import__(script).programs()
    finally:
        del sys.path[: len(folders)]
    for program in programs:
        program.script = script
    return programs


def outputs_of(result) -> list:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def longest_sum(jaxpr) -> int:
    """The largest number of terms that one output element of one contraction or sum adds up."""
    longest = 1
    for equation in jaxpr.eqns:
        name, parameters = equation.primitive.name, equation.params
        if name == "dot_general":
            contracting = parameters["dimension_numbers"][0][0]
            terms = 1
            for axis in contracting:
                terms *= equation.invars[0].aval.shape[axis]
            longest = max(longest, terms)
        elif name in ("reduce_sum", "reduce_prod", "reduce"):
            terms = 1
            for axis in parameters.get("axes", parameters.get("dimensions", ())):
                terms *= equation.invars[0].aval.shape[axis]
            longest = max(longest, terms)
        elif name == "conv_general_dilated":
            kernel, numbers = equation.invars[1].aval.shape, parameters["dimension_numbers"]
            longest = max(longest, math.prod(kernel) // kernel[numbers.rhs_spec[0]])
        elif name.startswith("reduce_window"):
            longest = max(longest, math.prod(parameters["window_dimensions"]))
        elif name == "scatter-add":
            longest = max(longest, equation.invars[1].aval.size // equation.invars[1].aval.shape[-1])  # all rows into one
        elif name in ("cumsum", "cumprod", "cumlogsumexp"):
            longest = max(longest, equation.invars[0].aval.shape[parameters["axis"]])
        for value in parameters.values():
            for inner in value if isinstance(value, (tuple, list)) else (value,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    longest = max(longest, longest_sum(inner))
    return longest


def count_ops(module) -> int:
    """StableHLO ops of main with private functions expanded at each call, regions counted once."""
    functions = {str(f.attributes["sym_name"]).strip('"'): f for f in module.body.operations if "sym_name" in f.attributes}
    known: dict[str, int] = {}

    def inside(operation) -> int:
        total = 0
        for region in operation.regions:
            for block in region.blocks:
                for op in block.operations:
                    name = op.operation.name
                    if name == "func.call":
                        total += of(str(op.attributes["callee"]).lstrip("@").strip('"'))
                    elif name.startswith(("stablehlo.", "chlo.")):
                        total += 1
                    total += inside(op.operation)
        return total

    def of(function: str) -> int:
        if function not in known:
            known[function] = inside(functions[function].operation)
        return known[function]

    return of("main")


def save(path: pathlib.Path, **arrays) -> None:
    """Written beside and renamed, so that an interrupted export leaves no half file. Not compressed: read often."""
    import numpy as np

    beside = path.with_name(path.name + ".part.npz")
    np.savez(beside, **arrays)
    beside.rename(path)


def export_program(program, folder: pathlib.Path) -> None:
    """Runs in 32-bit mode: module texts, inputs, XLA:CPU's outputs."""
    import functools

    import jax
    import numpy as np
    from jax import export
    from common import Types

    folder.mkdir(parents=True, exist_ok=True)
    types = Types.named(program.types)
    arguments = list(program.arguments())
    function = functools.partial(program.function, types)
    jitted = jax.jit(function, donate_argnums=program.donated, keep_unused=True)
    specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arguments]
    exported = export.export(jitted, platforms=["neuron"])(*specs)
    (folder / f"{program.name}.mlirbc").write_bytes(bytes(exported.mlir_module_serialized))
    text = exported.mlir_module()
    (folder / f"{program.name}.mlir").write_text(text)
    lowered = jitted.trace(*specs).lower(lowering_platforms=("neuron",))
    (folder / f"{program.name}.lowered.mlir").write_text(lowered.as_text())
    (folder / f"{program.name}.hlo.pb").write_bytes(lowered.compiler_ir("hlo").as_serialized_hlo_module_proto())
    from jax._src.interpreters import mlir as jax_mlir
    from jax._src.lib.mlir import ir

    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text)
        ops = count_ops(module)
        generic = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
        with open(folder / f"{program.name}.raw.mlirbc", "wb") as raw:
            module.operation.write_bytecode(raw)
    (folder / f"{program.name}.generic.mlir").write_text(generic)

    results = exported.out_avals
    meta = {
        "name": program.name,
        "types": program.types,
        "donated": list(program.donated),
        "inputs": [{"shape": list(a.shape), "type": str(a.dtype)} for a in arguments],
        "outputs": [{"shape": list(r.shape), "type": str(r.dtype)} for r in results],
        "longest_sum": longest_sum(jax.make_jaxpr(function)(*specs).jaxpr),
        "ops": ops,
        "coarsest": coarsest(text),
        "steps": None,
    }
    save(folder / "inputs.npz", **{f"input{i}": a for i, a in enumerate(arguments)})
    if program.references:
        plain = jax.jit(function)
        save(folder / "references.cpu.npz", **named("cpu", outputs_of(plain(*arguments))))
        if program.steps:
            streamed = list(program.steps())
            count, outputs = run_steps(plain, program, arguments, streamed)
            meta["steps"] = count
            save(folder / "steps.npz", **{f"input{i}": a for i, a in enumerate(streamed)})
            save(folder / "steps_references.cpu.npz", **named("cpu", outputs))
    (folder / "meta.json").write_text(json.dumps(meta, indent=1) + "\n")


def named(prefix: str, outputs) -> dict:
    import numpy as np

    return {f"{prefix}{i}": np.asarray(o) for i, o in enumerate(outputs)}


def coarsest(text: str) -> str:
    """The float type with the largest unit roundoff that the module names."""
    for short, name in (("bf16", "bfloat16"), ("f16", "float16"), ("f32", "float32")):
        if re.search(rf"[x<]{short}>", text):
            return name
    return "float32"


def run_steps(function, program, arguments, streamed):
    """Feeds slices of arrays with an extra leading axis; donated argument i becomes output i of the step before."""
    import numpy as np

    counts = {s.shape[0] for a, s in zip(arguments, streamed) if s.ndim == a.ndim + 1}
    (count,) = counts
    state = {i: streamed[i] for i in program.donated}
    stacked: dict[int, list] = {}
    outputs: list = []
    for step in range(count):
        now = []
        for i, (one, many) in enumerate(zip(arguments, streamed)):
            now.append(state[i] if i in state else many[step] if many.ndim == one.ndim + 1 else many)
        outputs = outputs_of(function(*now))
        for number, output in enumerate(outputs):
            if number < len(program.donated):
                state[program.donated[number]] = output
            else:
                stacked.setdefault(number, []).append(np.asarray(output))
    return count, [np.stack(stacked[i]) if i in stacked else o for i, o in enumerate(outputs)]


def widen(array):
    import numpy as np

    return np.asarray(array, np.float64) if array.dtype.kind in "fV" else array


def reference_program(program, folder: pathlib.Path) -> None:
    """Runs in 64-bit mode: the same function in float64 on the same inputs, widened exactly."""
    import functools

    import jax
    import numpy as np
    from common import Types

    types = Types.named("float64")
    function = jax.jit(functools.partial(program.function, types))
    arguments = [widen(a) for a in program.arguments()]
    wide = named("wide", outputs_of(function(*arguments)))
    for number, margin in program.margins.items():
        wide[f"margin{number}"] = np.asarray(margin(types, *arguments))
    combine(folder, "references", wide)
    if program.steps:
        _, outputs = run_steps(function, program, arguments, [widen(a) for a in program.steps()])
        combine(folder, "steps_references", named("wide", outputs))


def combine(folder: pathlib.Path, name: str, wide: dict) -> None:
    import numpy as np

    part = folder / f"{name}.cpu.npz"
    with np.load(part) as cpu:
        save(folder / f"{name}.npz", **{key: cpu[key] for key in cpu.files}, **wide)
    part.unlink()


def worker(mode: str, out: pathlib.Path, names: list[str]) -> None:
    sys.path.insert(0, str(HERE))
    import jax

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", mode == "wide")
    wanted = set(names)
    for script in SCRIPTS:
        for program in load(script):
            if program.name not in wanted:
                continue
            if mode == "export":
                export_program(program, out / program.name)
            elif program.references:
                reference_program(program, out / program.name)
            if mode == "wide" or not program.references:
                (out / program.name / "stamp").write_text(stamp(script))


@functools.cache
def table() -> dict[str, dict]:
    """Program name -> its traits: script, group, donated, steps. Needs JAX, so the answer is kept beside the exports."""
    cache = default_out() / "names.json"
    stamps = {script: stamp(script) for script in SCRIPTS}
    if cache.exists():
        kept = json.loads(cache.read_text())
        if kept["stamps"] == stamps:
            return kept["names"]
    os.environ["JAX_PLATFORMS"] = "cpu"
    programs = [program for script in SCRIPTS for program in load(script)]
    assert len({p.name for p in programs}) == len(programs), "two programs of one name"
    names = {
        p.name: {"script": p.script, "group": p.group, "donated": len(p.donated), "steps": p.steps is not None}
        for p in programs
    }
    cache.parent.mkdir(parents=True, exist_ok=True)
    part = cache.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps({"stamps": stamps, "names": names}))
    part.rename(cache)
    return names


def all_names(*groups: str) -> list[str]:
    """Names of the programs of these groups (see Program.group); without one, of all but the full-size models."""
    return [name for name, traits in table().items() if (traits["group"] in groups if groups else traits["group"] != "full")]


def ensure(patterns: list[str], force: bool = False, out: pathlib.Path | None = None) -> list[pathlib.Path]:
    """Folders of the programs that match the patterns, exporting those that are missing or stale."""
    out = out or default_out()
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "lock", "w") as lock:  # two test runs at once: the second waits and finds the exports done
        fcntl.flock(lock, fcntl.LOCK_EX)
        return ensure_locked(patterns, force, out)


def ensure_locked(patterns: list[str], force: bool, out: pathlib.Path) -> list[pathlib.Path]:
    scripts = {name: traits["script"] for name, traits in table().items()}
    names = []
    for pattern in patterns:
        hits = fnmatch.filter(scripts, pattern)
        if not hits:
            raise KeyError(f"no program is named {pattern}")
        names += [hit for hit in hits if hit not in names]
    stamps = {script: stamp(script) for script in SCRIPTS}

    def fresh(name: str) -> bool:
        file = out / name / "stamp"
        return not force and file.exists() and file.read_text() == stamps[scripts[name]]

    stale = [name for name in names if not fresh(name)]
    for name in stale:
        (out / name / "stamp").unlink(missing_ok=True)
    if stale:
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "0"}
        parts = min(os.cpu_count() or 1, len(stale))
        for mode in ("export", "wide"):
            command = [sys.executable, str(HERE / "export.py"), "--worker", mode, "--out", str(out)]
            workers = [subprocess.Popen([*command, *stale[part::parts]], env=environment) for part in range(parts)]
            if any([worker.wait() for worker in workers]):
                raise RuntimeError(f"the export of some of {' '.join(stale)} failed")
    return [out / name for name in names]


def main() -> None:
    parser = argparse.ArgumentParser(description="Exports the test programs.")
    parser.add_argument("names", nargs="*", help="default: all but the full-size models")
    parser.add_argument("--out", type=pathlib.Path, default=default_out())
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--worker", choices=("export", "wide"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options.worker, options.out, options.names)
    elif options.list:
        print("\n".join(all_names()))
    else:
        for folder in ensure(options.names or all_names(), options.force, options.out):
            print(folder)


if __name__ == "__main__":
    main()
