"""Compiling stays linear and small: counted in machine instructions by valgrind, not by the clock."""

import functools
import math
import pathlib
import re
import resource
import subprocess
import sys

import pytest

import export
import large_programs
from programs import ROOT, meta, model, refused, run, source, succeed

KILO, MEGA = 1 << 10, 1 << 20


def written(scratch: pathlib.Path, name: str, text: str) -> pathlib.Path:
    file = scratch / f"{name}.mlir"
    file.write_text(text)
    return file


@functools.cache
def counted(file: pathlib.Path) -> int:
    return large_programs.instructions(file)


def exported(name: str, script: str) -> pathlib.Path:
    """What a script of JAX, given a file to write, exports; kept beside the models."""
    folder = export.default_out() / "scaling"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.{export.stamp('unrolled')[:12]}.mlirbc"
    if not file.exists():
        part = file.with_suffix(".part")
        head = f"import sys; sys.path.insert(0, {str(ROOT / 'tests/models')!r})\nimport functools, jax, jax.numpy as jnp\nfrom jax import export\n"
        subprocess.run([sys.executable, "-c", head + script, str(part)], check=True, env={"JAX_PLATFORMS": "cpu", "PATH": "/usr/bin:/bin"})
        part.rename(file)
    return file


def unrolled_200k() -> pathlib.Path:
    return exported(
        "unrolled_200k",
        """
import gpt, unrolled
from common import Types
shape = unrolled.shape(1720)
specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in gpt.forward_arguments(shape, "float32")]
function = functools.partial(gpt.forward, shape, Types.named("float32"))
data = export.export(jax.jit(function, keep_unused=True), platforms=["neuron"])(*specs).mlir_module_serialized
open(sys.argv[1], "wb").write(bytes(data))
""",
    )


OPS_200K = 200_000  # a little less than there are: bounds per op are the stricter for it


def slope(small: tuple[float, float], large: tuple[float, float]) -> float:
    """Of the line through two points (ops, cost) on log-log paper."""
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])


def test_instructions_from_2k_to_20k_ops():
    points = [(meta(model(name))["ops"], counted(source(model(name)))) for name in ("unrolled_2k", "unrolled_20k")]
    print(f"{points[1][1] / points[1][0]:.0f} instructions per op, slope {slope(*points):.3f}")
    assert slope(*points) <= 1.05


def test_memory_of_20k_ops(scratch):
    out = scratch / "unrolled_20k.neff"
    _, peak = large_programs.cost(source(model("unrolled_20k")), out)
    _, least = large_programs.cost(source(model("tiny_add")), scratch / "tiny.neff")  # the program itself, its libraries
    ops = meta(model("unrolled_20k"))["ops"]
    print(f"{(peak - least) / ops:.0f} bytes per op")
    # 1.02 KiB an op are measured where 1.00 is the target (README, known misses).
    assert peak - least <= 1.05 * KILO * ops + 2 * out.stat().st_size


@pytest.mark.full
def test_200k_ops(scratch):
    """At most 1 KiB per op and twice the NEFF; instructions from 2k to 200k ops grow with a slope of 1.05 at most."""
    file, out = unrolled_200k(), scratch / "unrolled_200k.neff"
    seconds, peak = large_programs.cost(file, out)
    print(f"{1e6 * seconds / OPS_200K:.1f} us and {peak / OPS_200K:.0f} bytes per op")
    assert peak <= KILO * OPS_200K + 2 * out.stat().st_size
    small = model("unrolled_2k")
    points = (meta(small)["ops"], counted(source(small))), (OPS_200K, counted(file))
    print(f"slope {slope(*points):.3f}")
    assert slope(*points) <= 1.05


# Programs by formula: the size that is counted, also at a quarter of it, and the size that --full counts.
LINEAR = {
    large_programs.chain: (8_000, 50_000),
    large_programs.users: (800, 2_000),
    large_programs.whiles: (200, 500),
    large_programs.donated: (1_000, 1_000),
    large_programs.parameters: (2_000, 5_000),
    large_programs.calls: (2_000, 2_000),
    large_programs.locations: (20_000, 100_000),
}


def grows(make, n: int, scratch: pathlib.Path) -> None:
    name = make.__name__
    nothing = counted(written(scratch, "chain_1", large_programs.chain(1)))
    small, large = (counted(written(scratch, f"{name}_{k}", make(k))) - nothing for k in (n // 4, n))
    print(f"{name}: {large / n:.0f} instructions each, {large / small:.2f}x for 4x")
    assert large <= 4 * 1.15 * small


@pytest.mark.parametrize("make", LINEAR, ids=lambda make: make.__name__)
def test_linear(make, scratch):
    grows(make, LINEAR[make][0], scratch)


@pytest.mark.full
@pytest.mark.parametrize("make", [m for m, (some, all) in LINEAR.items() if all > some], ids=lambda make: make.__name__)
def test_linear_at_full_size(make, scratch):
    grows(make, LINEAR[make][1], scratch)


def test_a_chain_of_50000_additions_compiles_in_1_kib_each(scratch):
    _, peak = large_programs.cost(written(scratch, "chain", large_programs.chain(50_000)), scratch / "chain.neff")
    assert peak < 50_000 * KILO + 16 * MEGA


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (256 * KILO, 256 * KILO))


@pytest.mark.parametrize("text", (large_programs.nested(250), large_programs.deep_calls(500)), ids=("regions", "calls"))
def test_deep_programs_compile_on_a_small_stack(text, scratch):
    succeed("openneuron", "opt", written(scratch, "deep", text), "--to", "neff", "-o", scratch / "deep.neff", preexec=small_stack)


def test_models_run_on_a_small_stack():
    succeed("openneuron", "run", source(model("mlp")), "--inputs", model("mlp") / "inputs.npz", preexec=small_stack)


@pytest.mark.parametrize("text, code", ((large_programs.nested(100_000), "ON-E1306"), (large_programs.deep_calls(2_000), "ON-E1711")), ids=("regions", "calls"))
def test_too_deep_programs_are_refused(text, code, scratch):
    refused(run("openneuron", "opt", written(scratch, "deeper", text), "--to", "neff", preexec=small_stack), code=code)


def test_a_splat_of_100_million_elements_costs_as_much_as_a_small_one(scratch):
    files = {}
    for n in (1_000_000, 100_000_000):
        vector = f"tensor<{n}xf32>"
        body = f"    %c = stablehlo.constant dense<1.5> : {vector}\n    %0 = stablehlo.add %x, %c : {vector}\n    return %0 : {vector}\n"
        files[n] = written(scratch, f"splat_{n}", large_programs.module(body, f"%x: {vector}", vector))
    small, large = (counted(files[n]) for n in files)
    assert large <= 1.1 * small
    for n, file in files.items():
        _, peak = large_programs.cost(file, scratch / f"splat_{n}.neff", "-O1")
        assert peak < 64 * MEGA
    sizes = [(scratch / f"splat_{n}.neff").stat().st_size for n in files]
    assert sizes[1] <= 1.1 * sizes[0]


def weights(megabytes: int, scratch: pathlib.Path) -> tuple[pathlib.Path, int]:
    """A module with a literal that makes its text so long, and the bytes of the literal."""
    n = megabytes * 1_000_000 // 14
    file = scratch / f"weights_{megabytes}.mlir"
    with open(file, "w") as out:
        vector = f"tensor<{n}xf32>"
        out.write(f"module @m {{\n  func.func public @main(%x: {vector}) -> {vector} {{\n    %c = stablehlo.constant dense<[")
        for start in range(0, n, 100_000):
            out.write(", ".join(f"{1 + i / n:.6e}" for i in range(start, min(n, start + 100_000))) + (", " if start + 100_000 < n else ""))
        out.write(f"]> : {vector}\n    %0 = stablehlo.add %x, %c : {vector}\n    return %0 : {vector}\n  }}\n}}\n")
    return file, 4 * n


@pytest.mark.parametrize("megabytes", (15, pytest.param(151, marks=pytest.mark.full)))
def test_long_text_is_read_in_bounded_memory(megabytes, scratch):
    """At most the text, four times the literal's bytes (as read, and on their way into the NEFF) and 32 MB."""
    file, literal = weights(megabytes, scratch)
    _, peak = large_programs.cost(file, scratch / "weights.neff")
    print(f"{peak / 1e6:.0f} MB for {file.stat().st_size / 1e6:.0f} MB of text")
    assert peak <= file.stat().st_size + 4 * literal + 32 * MEGA


def test_locations_change_neither_code_nor_key(scratch):
    """The same program called from another depth: its locations differ, its stripped NEFF does not."""
    text = source(model("mlp"), "mlir").read_text()
    assert "loc(" in text
    deeper = re.sub(r'^(#loc\d*) = loc\("([^"]*)":(\d+):(\d+).*\)$', r'\1 = loc(callsite("caller.py":7:1 at "\2":\g<3>1:\4))', text, flags=re.M)
    assert deeper != text
    stripped = []
    for folder, content in (("shallow", text), ("deep", deeper)):
        (scratch / folder).mkdir()
        file = written(scratch / folder, "same", content)
        succeed("openneuron", "opt", file, "--to", "neff", "-o", scratch / folder / "same.neff")
        succeed("openneuron", "strip", scratch / folder / "same.neff", "-o", scratch / folder / "stripped.neff")
        stripped.append((scratch / folder / "stripped.neff").read_bytes())
    assert stripped[0] == stripped[1]


def stack_of_layers() -> pathlib.Path:
    return exported(
        "layers_40",
        """
def loss(x, weights):
    for w in weights:
        x = jax.nn.gelu(x @ w)
    return jnp.mean(x * x)
specs = jax.ShapeDtypeStruct((128, 2048), jnp.float32), [jax.ShapeDtypeStruct((2048, 2048), jnp.float32)] * 40
data = export.export(jax.jit(jax.grad(loss, argnums=1)), platforms=["neuron"])(*specs).mlir_module_serialized
open(sys.argv[1], "wb").write(bytes(data))
""",
    )


def test_instructions_are_told_before_code_generation(scratch):
    file = stack_of_layers()
    told = succeed("openneuron", "opt", file, "--to", "neff", "-o", scratch / "layers.neff", "--time-passes")
    count = int(re.search(r"^(\d+) instructions before code generation$", told.stderr, re.M)[1])
    print(f"{count} instructions")
    assert 40 * 10 < count < 40 * 1000
    few = run("openneuron", "opt", file, "--to", "neff", "--max-instructions", count - 1, "--time-passes")
    refused(few, code="NCC_EVRF007")
    assert str(count) in few.stderr and "lax.scan" in few.stderr and "emit_streams" not in few.stderr
    succeed("openneuron", "opt", file, "--to", "neff", "-o", scratch / "layers.neff", "--max-instructions", count)
