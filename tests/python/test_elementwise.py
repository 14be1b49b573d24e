"""Ops that work element by element, on special and random values, against numpy in float64 or Python's integers.

One program holds all ops of a family, each with an output of its own; each output is judged by itself. Signs of zeros
count, NaNs are all alike.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Callable

import ml_dtypes
import numpy as np
import pytest
from scipy import special

from programs import execute

TARGETS = ("trn2", "odd", "tiny")
NUMPY = {
    "f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "i1": np.bool_, "i8": np.int8, "i16": np.int16,
    "i32": np.int32, "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32,
}  # fmt: skip
UINT = {1: np.uint8, 2: np.uint16, 4: np.uint32}


def tensor(kind: str, shape) -> str:
    return "tensor<" + "".join(f"{d}x" for d in shape) + kind + ">"


@dataclasses.dataclass
class Case:
    """One op: its text with {0}, {1} for operands and {t}, {r} for the operand's and the result's type."""

    name: str
    text: str
    operands: list[np.ndarray]
    expected: np.ndarray  # float64 for floats
    ulps: float = 0.0
    result: str = ""  # element type when it is not the operand's
    signed_zero: bool = True


def kind_of(array: np.ndarray) -> str:
    return next(k for k, t in NUMPY.items() if array.dtype == t)


def check(cases: list[Case], scratch, tmp_path, target: str) -> None:
    """Runs all cases as one program and collects what is wrong."""
    inputs, names, lines, results, types = [], [], [], [], []
    for i, case in enumerate(cases):
        operands = []
        for a in case.operands:
            key = (a.dtype.str, a.shape, a.tobytes())
            if key not in names:
                names.append(key)
                inputs.append(a)
            operands.append(f"%arg{names.index(key)}")
        kind = kind_of(case.operands[0])
        t, r = tensor(kind, case.operands[0].shape), tensor(case.result or kind, case.expected.shape)
        lines.append(f"    %r{i} = " + case.text.format(*operands, t=t, r=r))
        results.append(f"%r{i}")
        types.append(r)
    parameters = ", ".join(f"%arg{i}: {tensor(kind_of(a), a.shape)}" for i, a in enumerate(inputs))
    text = (
        f"func.func @main({parameters}) -> ({', '.join(types)}) {{\n" + "\n".join(lines)
        + f"\n    return {', '.join(results)} : {', '.join(types)}\n}}\n"
    )  # fmt: skip
    program, arrays = tmp_path / "program.mlir", tmp_path / "inputs.npz"
    program.write_text(text)
    np.savez(arrays, **{f"input{i}": a for i, a in enumerate(inputs)})
    outputs, _ = execute(program, arrays, scratch, "--check", target=target)
    wrong = []
    for i, case in enumerate(cases):
        got = outputs[f"output{i}"]
        got = got.view(NUMPY[case.result or kind_of(case.operands[0])]) if got.dtype.kind == "V" else got
        wrong += complaints(case, got)
    assert not wrong, "\n".join(wrong)


def complaints(case: Case, got: np.ndarray) -> list[str]:
    wanted = NUMPY[case.result or kind_of(case.operands[0])]
    if got.dtype != wanted or got.shape != case.expected.shape:
        return [f"{case.name}: {got.dtype}{got.shape}"]
    if got.dtype.kind in "iub":
        bad = got != case.expected
    else:
        with np.errstate(all="ignore"):
            rounded = case.expected.astype(wanted)  # where it overflows, and the size of a unit
            low = np.nextafter(np.abs(rounded), np.zeros_like(rounded)) if wanted == np.float32 else None
        exact = rounded.astype(np.float64)
        finite = np.isfinite(exact)
        if low is None:
            info = ml_dtypes.finfo(wanted)
            unit = np.exp2(np.maximum(np.floor(np.log2(np.maximum(np.abs(exact), float(info.tiny)))), math.log2(float(info.tiny)))) * float(info.eps)
        else:
            unit = np.spacing(np.abs(rounded)).astype(np.float64)
        value = got.astype(np.float64)
        with np.errstate(all="ignore"):
            # A result that overflows may stop a step short of it.
            bad = np.where(finite & np.isfinite(value), np.abs(value - case.expected) > (case.ulps + 0.501) * unit, value != exact)
        bad = np.where(np.isnan(exact) | np.isnan(value), np.isnan(exact) != np.isnan(value), bad)
        if case.signed_zero:
            bad |= (exact == 0) & (value == 0) & (np.signbit(exact) != np.signbit(value))
    if not bad.any():
        return []
    at = tuple(int(k) for k in np.unravel_index(np.argmax(bad), bad.shape))
    operands = ", ".join(str(a[at]) if a.shape == bad.shape else "..." for a in case.operands)
    return [f"{case.name}({operands}) is {got[at]!r}, expected {case.expected[at]!r}; {int(bad.sum())} of {bad.size} differ"]


SPECIAL = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.5, 0.49999997, -0.49999997, 0.3, -0.3, 8388607.5, 8388609.0,
    -8388607.5, 2.0**23, 2.0**31, -(2.0**31), 1e-30, -1e-30, 1e-45, -1e-45, 1.1754942e-38, 3e38, -3e38, 88.0, 89.2, -89.2,
    100.0, -103.0, math.pi, -math.pi, math.pi / 2, 0.99999994, -0.99999994, 1.0000001, 2.0**-24, 1e10, -1e10, math.inf,
    -math.inf, math.nan,
)  # fmt: skip


def float_values(kind: str = "f32") -> np.ndarray:
    generator = np.random.default_rng(5)
    random = np.concatenate([generator.normal(0, 1, 400), generator.normal(0, 30, 200), generator.uniform(-1, 1, 355)])
    return np.concatenate([np.array(SPECIAL), random]).astype(NUMPY[kind]).reshape(8, 125)


def wide(function: Callable, x: np.ndarray, *more: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(function(x.astype(np.float64), *(m.astype(np.float64) for m in more)), np.float64)


def round_away(x):
    return np.where(np.isfinite(x), np.copysign(np.floor(np.abs(x) + 0.5), x), x)


# Function, and the ulps of fp32 beyond correct rounding.
UNARY = {
    "stablehlo.floor": (np.floor, 0), "stablehlo.ceil": (np.ceil, 0), "stablehlo.round_nearest_even": (np.rint, 0),
    "stablehlo.round_nearest_afz": (round_away, 0), "stablehlo.cosine": (np.cos, 0.1), "stablehlo.tan": (np.tan, 0.1),
    "stablehlo.log_plus_one": (np.log1p, 0.1), "stablehlo.exponential_minus_one": (np.expm1, 0.1), "stablehlo.cbrt": (np.cbrt, 1),
    "chlo.sinh": (np.sinh, 3), "chlo.cosh": (np.cosh, 3), "chlo.asin": (np.arcsin, 3), "chlo.acos": (np.arccos, 3),
    "chlo.atan": (np.arctan, 0.1), "chlo.asinh": (np.arcsinh, 3), "chlo.acosh": (np.arccosh, 3), "chlo.atanh": (np.arctanh, 2),
    "chlo.erf": (special.erf, 0.1), "chlo.erfc": (special.erfc, 4), "chlo.erf_inv": (special.erfinv, 3), "chlo.square": (np.square, 0),
    "stablehlo.sign": (np.sign, 0), "stablehlo.abs": (np.abs, 0), "stablehlo.negate": (np.negative, 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", ("f32", "bf16", "f16"))
@pytest.mark.parametrize("target", TARGETS)
def test_unary(kind, target, scratch, tmp_path):
    x = float_values(kind)
    cases = []
    for name, (function, ulps) in UNARY.items():
        expected = wide(function, x)
        if name in ("stablehlo.sign", "chlo.erf_inv"):
            expected = np.where(x == 0, x.astype(np.float64), expected)  # the sign of zero stays
        cases.append(Case(name, f"{name} {{0}} : {{t}}", [x], expected, ulps if kind == "f32" else 0.02))
    check(cases, scratch, tmp_path, target)


# Functions without an engine near their zeros: the error is that of values of size one at least.
SPECIAL_FUNCTIONS = {
    "chlo.lgamma": special.gammaln, "chlo.digamma": special.digamma, "chlo.bessel_i1e": special.i1e,
}  # fmt: skip


def near_enough(name: str, got: np.ndarray, want: np.ndarray, ulps: float) -> list[str]:
    with np.errstate(all="ignore"):
        rounded = want.astype(np.float32).astype(np.float64)
        size = np.maximum(np.abs(rounded), 1.0)
        bad = ~(np.abs(got - rounded) <= ulps * 2.0**-23 * size) & ~(np.isnan(got) & np.isnan(want)) & (got != rounded)
    return [f"{name}: {int(bad.sum())} of {bad.size}, first {got[bad][0]} for {want[bad][0]}"] if bad.any() else []


@pytest.mark.parametrize("target", ("trn2", "odd"))
def test_special_functions(target, scratch, tmp_path):
    generator = np.random.default_rng(11)
    x = np.concatenate([generator.uniform(0, 20, 300), generator.uniform(-7.5, 0, 200), 10 ** generator.uniform(-6, 30, 93),
                        [0.5, 1.0, 2.0, 3.0, math.inf, math.nan, 8.0]]).astype(np.float32).reshape(6, 100)  # fmt: skip
    away = np.abs(x - np.rint(x)) < 0.02
    x = np.where(away & (x < 0), x + np.float32(0.4), x)  # beside a pole the argument's own rounding is magnified
    s = generator.uniform(1.2, 12, (6, 100)).astype(np.float32)
    n = generator.integers(0, 6, (6, 100)).astype(np.float32)
    q = generator.uniform(0.1, 30, (6, 100)).astype(np.float32)
    t = tensor("f32", x.shape)
    unary = "\n".join(f"    %{i} = {name} %x : {t} -> {t}" for i, name in enumerate(SPECIAL_FUNCTIONS))
    program, arrays = tmp_path / "program.mlir", tmp_path / "inputs.npz"
    program.write_text(f"""func.func @main(%x: {t}, %s: {t}, %q: {t}, %n: {t}) -> ({", ".join([t] * 5)}) {{
{unary}
    %3 = chlo.zeta %s, %q : {t}, {t} -> {t}
    %4 = chlo.polygamma %n, %q : {t}, {t} -> {t}
    return %0, %1, %2, %3, %4 : {", ".join([t] * 5)}
}}
""")
    np.savez(arrays, input0=x, input1=s, input2=q, input3=n)
    got, _ = execute(program, arrays, scratch, "--check", target=target)
    wrong = []
    for i, (name, function) in enumerate(SPECIAL_FUNCTIONS.items()):
        wrong += near_enough(name, got[f"output{i}"].astype(np.float64), wide(function, x), 32 if name == "chlo.lgamma" else 16)
    wrong += near_enough("chlo.zeta", got["output3"].astype(np.float64), wide(special.zeta, s, q), 16)
    wrong += near_enough("chlo.polygamma", got["output4"].astype(np.float64), wide(lambda a, b: special.polygamma(a.astype(int), b), n, q), 64)
    assert not wrong, "\n".join(wrong)


PAIRS = (
    0.0, -0.0, 1.0, -1.0, 2.0, -2.5, 3.0, 0.1, -0.1, 1e-45, 1e30, -1e30, 1e38, 3e-39, 16777217.0, 0.75, math.inf, -math.inf, math.nan,
)  # fmt: skip


def pairs(kind: str) -> tuple[np.ndarray, np.ndarray]:
    one = np.array(PAIRS)
    generator = np.random.default_rng(6)
    a = np.concatenate([np.repeat(one, one.size), generator.normal(0, 10, 639)])
    b = np.concatenate([np.tile(one, one.size), generator.normal(0, 1, 639)])
    return a.astype(NUMPY[kind]).reshape(8, 125), b.astype(NUMPY[kind]).reshape(8, 125)


def bits(x: np.ndarray) -> np.ndarray:
    return x.view(UINT[x.dtype.itemsize]).astype(np.int64)


def total_order(x: np.ndarray) -> np.ndarray:
    top = 1 << (8 * x.dtype.itemsize - 1)
    b = bits(x)
    return np.where(b >= top, top - 1 - b, b)


@pytest.mark.parametrize("kind", ("f32", "bf16", "f16"))
@pytest.mark.parametrize("target", TARGETS)
def test_binary(kind, target, scratch, tmp_path):
    a, b = pairs(kind)
    cases = [
        Case("remainder", "stablehlo.remainder {0}, {1} : {t}", [a, b], wide(np.fmod, a, b)),
        Case("atan2", "stablehlo.atan2 {0}, {1} : {t}", [a, b], wide(np.arctan2, a, b), 2 if kind == "f32" else 0.02),
        Case("power", "stablehlo.power {0}, {1} : {t}", [a, b], wide(np.power, a, b), 0.1),
        Case("maximum", "stablehlo.maximum {0}, {1} : {t}", [a, b], np.where(a == b, np.where(np.signbit(a), b, a), wide(np.maximum, a, b)).astype(np.float64)),
        Case("minimum", "stablehlo.minimum {0}, {1} : {t}", [a, b], np.where(a == b, np.where(np.signbit(a), a, b), wide(np.minimum, a, b)).astype(np.float64)),
        Case("next_after", "chlo.next_after {0}, {1} : {t}, {t} -> {t}", [a, b], np.where(a == b, b, np.nextafter(a, b)).astype(np.float64)),
    ]  # fmt: skip
    orders = {"LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal, "EQ": np.equal, "NE": np.not_equal}
    for direction, function in orders.items():
        for how, view in (("FLOAT", lambda x: x.astype(np.float64)), ("TOTALORDER", total_order)):
            text = f"stablehlo.compare {direction}, {{0}}, {{1}}, {how} : ({{t}}, {{t}}) -> {{r}}"
            cases.append(Case(f"{direction} {how}", text, [a, b], function(view(a), view(b)), result="i1"))
    for name, function in (("is_inf", np.isinf), ("is_pos_inf", np.isposinf), ("is_neg_inf", np.isneginf)):
        cases.append(Case(name, f"chlo.{name} {{0}} : {{t}} -> {{r}}", [a], function(a.astype(np.float64)), result="i1"))
    check(cases, scratch, tmp_path, target)


def reduced(x: np.ndarray, exponent: int, mantissa: int) -> np.ndarray:
    """By arithmetic: round to `mantissa` bits at the number's own exponent, then the range of the reduced format."""
    wide_x = x.astype(np.float64)
    with np.errstate(all="ignore"):
        scale = np.exp2(np.floor(np.log2(np.abs(np.where(wide_x == 0, 1.0, wide_x)))) - mantissa)
        rounded = np.rint(wide_x / scale) * scale
        bias = 2.0 ** (exponent - 1) - 1
        largest, smallest = (2 - 2.0**-mantissa) * 2.0**bias, 2.0 ** (1 - bias)
        out = np.where(np.abs(rounded) > largest, np.copysign(np.inf, wide_x), rounded)
        out = np.where(np.abs(rounded) < smallest, np.copysign(0.0, wide_x), out)
    out = np.where(np.isinf(wide_x) | (wide_x == 0), wide_x, out)
    return np.where(np.isnan(wide_x), np.nan if mantissa else np.copysign(np.inf, wide_x), out)


@pytest.mark.parametrize("target", TARGETS)
def test_reduce_precision(target, scratch, tmp_path):
    x = float_values()
    x[np.isnan(x)] = np.nan
    normal = np.where((x != 0) & (np.abs(x) < 1.2e-38), np.float32(0.25), x)  # bits of subnormals round elsewhere
    cases = []
    for exponent, mantissa in ((8, 23), (8, 7), (5, 10), (5, 2), (4, 3), (2, 1), (8, 0), (1, 4)):
        text = f"stablehlo.reduce_precision {{0}}, format = e{exponent}m{mantissa} : {{t}}"
        cases.append(Case(f"e{exponent}m{mantissa}", text, [normal], reduced(normal, exponent, mantissa)))
    half = np.where((x != 0) & (np.abs(x) < 6.2e-5), np.float32(0.25), x).astype(np.float16)
    cases.append(Case("f16 e4m3", "stablehlo.reduce_precision {0}, format = e4m3 : {t}", [half], reduced(half, 4, 3)))
    check(cases, scratch, tmp_path, target)


INTEGERS = ("i8", "ui8", "i16", "ui16", "i32", "ui32")


def integer_pairs(kind: str) -> tuple[np.ndarray, np.ndarray]:
    info = np.iinfo(NUMPY[kind])
    one = np.array([info.min, info.min + 1, -1 if info.min else 255, 0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 100, info.max - 1, info.max])
    one = one[(one >= info.min) & (one <= info.max)]
    generator = np.random.default_rng(7)
    a = np.concatenate([np.repeat(one, one.size), generator.integers(info.min, info.max, 400)])
    b = np.concatenate([np.tile(one, one.size), generator.integers(0, 40, 400)])
    return a[:660].reshape(6, 110).astype(NUMPY[kind]), b[:660].reshape(6, 110).astype(NUMPY[kind])


def of_integers(kind: str, function: Callable, *operands: np.ndarray) -> np.ndarray:
    """The function of Python's integers, wrapped to the type."""
    width = 8 * NUMPY[kind](0).dtype.itemsize
    values = [function(*map(int, items)) & ((1 << width) - 1) for items in zip(*(o.ravel() for o in operands))]
    return np.array(values, UINT[width // 8]).view(NUMPY[kind]).reshape(operands[0].shape)


def quotient(a: int, b: int) -> int:
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def power(a: int, b: int) -> int:
    if b < 0:
        return 1 if a == 1 else (1 if b % 2 == 0 else -1) if a == -1 else 0
    return pow(a, b, 1 << 32)


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("target", TARGETS)
def test_integers(kind, target, scratch, tmp_path):
    a, b = integer_pairs(kind)
    width = 8 * a.dtype.itemsize
    mask = (1 << width) - 1

    def signed(x):
        return ((x & mask) ^ (1 << (width - 1))) - (1 << (width - 1))

    functions = {
        "stablehlo.remainder": lambda x, y: x if y == 0 else x - quotient(x, y) * y,
        "stablehlo.divide": quotient,
        "stablehlo.power": power,
        "stablehlo.shift_left": lambda x, y: (x << y) if 0 <= y < width else 0,
        "stablehlo.shift_right_logical": lambda x, y: ((x & mask) >> y) if 0 <= y < width else 0,
        "stablehlo.shift_right_arithmetic": lambda x, y: signed(x) >> (y if 0 <= y < width else width - 1),
        "stablehlo.add": lambda x, y: x + y,
        "stablehlo.multiply": lambda x, y: x * y,
        "stablehlo.maximum": max,
        "stablehlo.minimum": min,
        "chlo.mulhi": lambda x, y: (x * y) >> width,
    }
    cases = []
    for name, function in functions.items():
        types = "{t}, {t} -> {t}" if name.startswith("chlo") else "{t}"
        cases.append(Case(name, f"{name} {{0}}, {{1}} : {types}", [a, b], of_integers(kind, function, a, b)))
    unary = {
        "stablehlo.popcnt": lambda x: bin(x & mask).count("1"),
        "stablehlo.count_leading_zeros": lambda x: width - (x & mask).bit_length(),
        "stablehlo.not": lambda x: ~x,
        "stablehlo.negate": lambda x: -x,
    }
    if kind.startswith("i"):
        unary |= {"stablehlo.sign": lambda x: (x > 0) - (x < 0), "stablehlo.abs": abs}
    for name, function in unary.items():
        cases.append(Case(name, f"{name} {{0}} : {{t}}", [a], of_integers(kind, function, a)))
    check(cases, scratch, tmp_path, target)


@pytest.mark.parametrize("target", TARGETS)
def test_bitcasts(target, scratch, tmp_path):
    """Between types of one width, as views of inputs and inside of a group."""
    f, h = float_values(), float_values("f16")
    i = np.random.default_rng(8).integers(-(2**31), 2**31, f.shape).astype(np.int32)
    text = "stablehlo.bitcast_convert {0} : ({t}) -> {r}"
    cases = [
        Case("f32 -> i32", text, [f], f.view(np.int32), result="i32"),
        Case("f32 -> ui32", text, [f], f.view(np.uint32), result="ui32"),
        Case("f16 -> i16", text, [h], h.view(np.int16), result="i16"),
        Case("i32 -> ui32", text, [i], i.view(np.uint32), result="ui32"),
        Case("i8 -> ui8", text, [i.view(np.int8)], i.view(np.uint8), result="ui8"),
        Case("f32 -> ui8", text, [f], f.view(np.uint8).reshape(*f.shape, 4), result="ui8"),
        Case("i32 -> i16", text, [i], i.view(np.int16).reshape(*i.shape, 2), result="i16"),
        Case("f16 -> i8", text, [h], h.view(np.int8).reshape(*h.shape, 2), result="i8"),
        Case("i16 -> i32", text, [i.view(np.int16).reshape(*i.shape, 2)], i, result="i32"),
        Case("ui8 -> f32", text, [np.nan_to_num(f).view(np.uint8).reshape(*f.shape, 4)], np.nan_to_num(f).astype(np.float64), result="f32"),
    ]
    check(cases, scratch, tmp_path, target)
