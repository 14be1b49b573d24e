"""64-bit integers inside a program: sums, products, shifts, comparisons and indices against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from programs import execute

COUNT = 40
CORNERS = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


def words(seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    some = generator.integers(0, 2**32, COUNT, dtype=np.uint64)
    some[: len(CORNERS)] = generator.permutation(CORNERS)
    return some.astype(np.uint32)


# name -> (StableHLO of %r from %a and %b, the same in numpy)
BINARY = {
    "add": ("stablehlo.add %a, %b : {t}", lambda a, b: a + b),
    "subtract": ("stablehlo.subtract %a, %b : {t}", lambda a, b: a - b),
    "multiply": ("stablehlo.multiply %a, %b : {t}", lambda a, b: a * b),
    "and": ("stablehlo.and %a, %b : {t}", lambda a, b: a & b),
    "xor": ("stablehlo.xor %a, %b : {t}", lambda a, b: a ^ b),
    "maximum": ("stablehlo.maximum %a, %b : {t}", np.maximum),
    "minimum": ("stablehlo.minimum %a, %b : {t}", np.minimum),
}
SHIFTS = {
    "shift_left": lambda a, n: a << a.dtype.type(n),
    "shift_right_logical": lambda a, n: (a.view(np.uint64) >> np.uint64(n)).view(a.dtype),
    "shift_right_arithmetic": lambda a, n: (a.view(np.int64) >> np.int64(n)).view(a.dtype),
}


def run(body: str, element: str, inputs, results: str, scratch, tmp_path, target):
    """`body` makes %r0, ... from the 64-bit %a and %b, which are made of the words of four inputs."""
    t, w = f"tensor<{COUNT}x{element}>", f"tensor<{COUNT}xui32>"
    lines = [f"func.func public @main(%h0: {w}, %l0: {w}, %h1: {w}, %l1: {w}) -> ({results}) {{"]
    lines.append(f"  %c32 = stablehlo.constant dense<32> : {t}")
    for name, high, low in (("a", "h0", "l0"), ("b", "h1", "l1")):
        lines.append(f"  %{name}h = stablehlo.convert %{high} : ({w}) -> {t}")
        lines.append(f"  %{name}l = stablehlo.convert %{low} : ({w}) -> {t}")
        lines.append(f"  %{name}s = stablehlo.shift_left %{name}h, %c32 : {t}")
        lines.append(f"  %{name} = stablehlo.or %{name}s, %{name}l : {t}")
    program, arrays = tmp_path / "words.mlir", tmp_path / "inputs.npz"
    program.write_text("\n".join(lines) + body + "\n}\n")
    np.savez(arrays, **{f"input{i}": x for i, x in enumerate(inputs)})
    return execute(program, arrays, scratch, "--check", target=target)[0]


def halves(element: str) -> str:
    t, w = f"tensor<{COUNT}x{element}>", f"tensor<{COUNT}xui32>"
    return (
        f"\n  %rs = stablehlo.shift_right_logical %r, %c32 : {t}"
        f"\n  %high = stablehlo.convert %rs : ({t}) -> {w}\n  %low = stablehlo.convert %r : ({t}) -> {w}"
        f"\n  return %high, %low : {w}, {w}"
    )


def joined(high, low, kind):
    return ((high.astype(np.uint64) << np.uint64(32)) | low.astype(np.uint64)).view(kind)


INPUTS = [words(seed) for seed in range(4)]
KINDS = {"i64": np.int64, "ui64": np.uint64}


@pytest.mark.parametrize("target", ("trn2", "tiny"))
@pytest.mark.parametrize("element", KINDS)
@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name, element, target, scratch, tmp_path):
    text, numpy_op = BINARY[name]
    kind = KINDS[element]
    w = f"tensor<{COUNT}xui32>"
    body = f"\n  %r = {text.format(t=f'tensor<{COUNT}x{element}>')}" + halves(element)
    out = run(body, element, INPUTS, f"{w}, {w}", scratch, tmp_path, target)
    with np.errstate(over="ignore"):
        expected = numpy_op(joined(INPUTS[0], INPUTS[1], kind), joined(INPUTS[2], INPUTS[3], kind))
    np.testing.assert_array_equal(joined(out["output0"], out["output1"], kind), expected)


@pytest.mark.parametrize("by", (0, 1, 7, 31, 32, 33, 63))
@pytest.mark.parametrize(
    "name, element",  # an unsigned number has no sign to fill with
    [(name, element) for name in SHIFTS for element in KINDS if (name, element) != ("shift_right_arithmetic", "ui64")],
)
def test_shifts(name, element, by, scratch, tmp_path):
    kind = KINDS[element]
    t, w = f"tensor<{COUNT}x{element}>", f"tensor<{COUNT}xui32>"
    body = f"\n  %by = stablehlo.constant dense<{by}> : {t}\n  %r = stablehlo.{name} %a, %by : {t}" + halves(element)
    out = run(body, element, INPUTS, f"{w}, {w}", scratch, tmp_path, "trn2")
    np.testing.assert_array_equal(joined(out["output0"], out["output1"], kind), SHIFTS[name](joined(INPUTS[0], INPUTS[1], kind), by))


@pytest.mark.parametrize("element", KINDS)
@pytest.mark.parametrize("direction", ("EQ", "NE", "LT", "LE", "GT", "GE"))
def test_comparisons(direction, element, scratch, tmp_path):
    kind = KINDS[element]
    inputs = [x.copy() for x in INPUTS]
    inputs[2][:20], inputs[3][10:30] = inputs[0][:20], inputs[1][10:30]  # equal words, one or both
    t, f = f"tensor<{COUNT}x{element}>", f"tensor<{COUNT}xi1>"
    sign = "SIGNED" if element == "i64" else "UNSIGNED"
    body = f"\n  %r = stablehlo.compare {direction}, %a, %b, {sign} : ({t}, {t}) -> {f}\n  return %r : {f}"
    out = run(body, element, inputs, f, scratch, tmp_path, "trn2")
    a, b = joined(inputs[0], inputs[1], kind), joined(inputs[2], inputs[3], kind)
    compare = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}
    np.testing.assert_array_equal(out["output0"].astype(bool), compare[direction](a, b))


@pytest.mark.parametrize("element", KINDS)
def test_indices_saturate(element, scratch, tmp_path):
    """A start index is clamped, however far off it is: beyond 32 bits as well."""
    kind = KINDS[element]
    t, s, v = f"tensor<{COUNT}x{element}>", f"tensor<{element}>", f"tensor<{COUNT}xf32>"
    body = f"\n  %f = stablehlo.iota dim = 0 : {v}"
    for i in range(8):
        body += f"\n  %s{i} = stablehlo.slice %a [{i}:{i + 1}] : ({t}) -> tensor<1x{element}>"
        body += f"\n  %i{i} = stablehlo.reshape %s{i} : (tensor<1x{element}>) -> {s}"
        body += f"\n  %d{i} = stablehlo.dynamic_slice %f, %i{i}, sizes = [4] : ({v}, {s}) -> tensor<4xf32>"
    results = ", ".join(["tensor<4xf32>"] * 8)
    body += f"\n  return {', '.join(f'%d{i}' for i in range(8))} : {results}"
    inputs = [x.copy() for x in INPUTS]
    inputs[0][:8] = [0, 0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0, 0xFFFFFFFF]
    inputs[1][:8] = [3, 0x80000000, 5, 0xFFFFFFFE, 0, 7, 36, 0x7FFFFFFF]
    out = run(body, element, inputs, results, scratch, tmp_path, "trn2")
    starts = np.clip(joined(inputs[0], inputs[1], kind)[:8], kind(0), kind(COUNT - 4)).astype(int)
    for i, start in enumerate(starts):
        np.testing.assert_array_equal(out[f"output{i}"], np.arange(start, start + 4, dtype=np.float32))
