"""Random well-typed StableHLO programs that have one right answer.

A program is grown op by op, and numpy evaluates each op in float64 beside it. Each value carries a bound on the
absolute error that rounding may have brought in, at the precision of the types that the program states. An op is taken
only where that error cannot decide anything (a comparison, a truncation, a divisor near zero), so integers and
booleans have exact answers and floats have answers within their bound: whoever disagrees is wrong.

    python random_graphs.py 17 --ops 30 --out folder      program.mlir, inputs.npz, expected.npz of seed 17

The same seed with fewer ops gives a prefix of the same program; `only_last` makes the last value the only output. That
is how a failure is cut down to the op that fails.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import pathlib
import random
from typing import Callable

import ml_dtypes
import numpy as np

# Sizes on both sides of what hardware likes, and small ones.
SIZES = (1, 2, 3, 5, 7, 8, 13, 16, 31, 33, 64, 65, 96, 127, 128, 129, 130, 200, 257, 515)
LARGEST = 40_000  # elements of one value
# Half a unit in the last place, doubled: implementations may round at different places.
UNIT = {"f32": 2.0**-23, "bf16": 2.0**-7, "f16": 2.0**-10}
NUMPY = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "i32": np.int32, "i1": np.bool_}
FLOATS = tuple(UNIT)
# Functions of exact hardware come within a few units.
FUNCTION_ULPS = 8

FAMILIES = (
    "unary", "binary", "integer", "compare", "select", "convert", "broadcast", "reduce", "dot", "transpose", "reshape",
    "slice", "concatenate", "pad", "reverse", "gather", "dynamic_slice", "dynamic_update_slice", "iota", "while", "case",
    "bits", "bitcast", "argument",
)  # fmt: skip

# What real programs are made of is taken three times as often.
COMMON = ("unary", "binary", "reduce", "dot")


@dataclasses.dataclass
class Value:
    """An SSA value: its name, element type, what it is in float64 or int64, and how far a float may be off."""

    name: str
    kind: str
    array: np.ndarray
    error: float = 0.0

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def type(self) -> str:
        return tensor(self.kind, self.shape)

    @property
    def largest(self) -> float:
        return float(np.max(np.abs(self.array), initial=0.0))


@dataclasses.dataclass
class RandomProgram:
    seed: int
    ops: int
    text: str
    inputs: list[np.ndarray]
    outputs: list[Value]

    def save_inputs(self, path: pathlib.Path) -> None:
        np.savez(path, **{f"input{i}": a for i, a in enumerate(self.inputs)})

    def complaints(self, actual: dict[str, np.ndarray]) -> list[str]:
        """What is wrong with `actual` (output0, ...), empty when nothing is."""
        found = []
        for i, want in enumerate(self.outputs):
            name = f"output{i} ({want.name}: {want.type})"
            if f"output{i}" not in actual:
                found.append(f"{name} is missing")
                continue
            got = actual[f"output{i}"]
            if got.dtype.kind == "V":
                got = got.view(NUMPY[want.kind])
            if got.shape != want.shape:
                found.append(f"{name} has shape {got.shape}")
                continue
            # A float64 reference is welcome too: it is only nearer to the answer.
            if got.dtype != NUMPY[want.kind] and not (want.kind in FLOATS and got.dtype == np.float64):
                found.append(f"{name} has type {got.dtype}")
                continue
            difference = np.abs(np.asarray(got, np.float64) - want.array)
            wrong = ~(difference <= want.error)
            if wrong.any():
                at = tuple(int(k) for k in np.unravel_index(np.argmax(wrong), wrong.shape))
                found.append(
                    f"{name}: {int(wrong.sum())} of {wrong.size} elements differ, first at {at}: "
                    f"{got[at]} for {want.array[at]}, bound {want.error:.3g}"
                )
        return found


def tensor(kind: str, shape) -> str:
    return "tensor<" + "".join(f"{d}x" for d in shape) + kind + ">"


def dims(numbers) -> str:
    return "[" + ", ".join(map(str, numbers)) + "]"


def wrapped(array: np.ndarray) -> np.ndarray:
    """int64 to the range of int32."""
    return ((np.asarray(array, np.int64) + 2**31) % 2**32) - 2**31


def scalar_text(kind: str, number) -> str:
    if kind == "i1":
        return "true" if number else "false"
    if kind == "i32":
        return str(int(number))
    if math.isinf(number):
        return {"f32": "0x7F800000", "bf16": "0x7F80", "f16": "0x7C00"}[kind].replace("0x7", "0x7" if number > 0 else "0xF")
    return repr(float(number))


class Skip(Exception):
    """The op cannot be taken here; another is tried."""


class Builder:
    """Grows one program; `without` names ops ("ceil") that it is to leave out."""

    def __init__(self, seed: int, ops: int, families=FAMILIES, kinds=("f32", "bf16", "i32"), without=()):
        self.without = {f"stablehlo.{name}" for name in without}
        self.random = random.Random(seed)
        self.seed, self.wanted, self.families = seed, ops, families
        self.kinds = kinds
        self.floats = [k for k in kinds if k in FLOATS]
        self.lines: list[str] = []
        self.inputs: list[np.ndarray] = []
        self.parameters: list[Value] = []
        self.values: list[Value] = []
        self.used: set[str] = set()
        self.names = 0

    # -- pieces

    def fresh(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        rank = self.random.choice((0, 1, 1, 2, 2, 2, 3, 3, 4)) if rank is None else rank
        while True:
            shape = tuple(self.random.choice(SIZES if rank <= 2 else SIZES[:12]) for _ in range(rank))
            if math.prod(shape) <= LARGEST:
                return shape

    def parameter(self, kind: str, shape: tuple[int, ...]) -> Value:
        generator = np.random.default_rng(self.random.getrandbits(64))
        if kind == "i1":
            array = generator.integers(0, 2, shape).astype(np.bool_)
        elif kind == "i32":
            array = generator.integers(-9, 10, shape).astype(np.int32)
        else:
            # Eighths: comparing and truncating them has one answer.
            array = (generator.integers(-24, 25, shape) / 8).astype(NUMPY[kind])
        self.inputs.append(array)
        wide = np.asarray(array, np.float64 if kind in FLOATS else np.int64)
        value = Value(f"%arg{len(self.inputs) - 1}", kind, wide)
        self.parameters.append(value)
        self.values.append(value)
        return value

    def emit(self, text: str, kind: str, array: np.ndarray, error: float = 0.0) -> Value:
        """Adds a line and its value. `error` is what the operands bring in; rounding the result comes on top."""
        if array.size > LARGEST or text.split()[0] in self.without:
            raise Skip
        if kind in FLOATS:
            array = np.asarray(array, np.float64)
            largest = float(np.max(np.abs(array), initial=0.0))
            error = error + UNIT[kind] * largest
            # Values that overflow, or whose error drowns them, prove nothing.
            if not math.isfinite(largest) or largest > 1e4 or error > 0.05 * max(largest, 1e-3):
                raise Skip
        value = Value(self.fresh(), kind, array, error)
        self.lines.append(f"{value.name} = {text}")
        self.values.append(value)
        return value

    def exact(self, text: str, like: Value, array: np.ndarray) -> Value:
        """Elements that only move keep their error."""
        value = self.emit(text, like.kind, array)
        value.error = like.error
        return value

    def constant(self, kind: str, number, shape=()) -> Value:
        array = np.full(shape, number, np.float64 if kind in FLOATS else np.int64)
        value = Value(self.fresh(), kind, array)
        self.lines.append(f"{value.name} = stablehlo.constant dense<{scalar_text(kind, number)}> : {value.type}")
        return value

    def pick(self, condition: Callable[[Value], bool] = lambda v: True) -> Value:
        fitting = [v for v in self.values if condition(v)]
        if not fitting:
            raise Skip
        # Recent values more often: chains grow, instead of many ops on the inputs.
        fitting = fitting[-6:] if self.random.random() < 0.6 else fitting
        value = self.random.choice(fitting)
        self.used.add(value.name)
        return value

    def float_value(self) -> Value:
        return self.pick(lambda v: v.kind in FLOATS)

    def like(self, value: Value) -> Value:
        """A value of the same type: another one, or the value itself broadcast from something smaller."""
        same = [v for v in self.values if v.kind == value.kind and v.shape == value.shape and v.name != value.name]
        if same and self.random.random() < 0.7:
            chosen = self.random.choice(same)
            self.used.add(chosen.name)
            return chosen
        if self.random.random() < 0.5:
            number = self.random.choice((2, 3, -1, 5)) if value.kind == "i32" else self.random.choice((0.5, -1.25, 2.0, 0.125))
            return self.constant(value.kind, bool(number > 0) if value.kind == "i1" else number, value.shape)
        return self.broadcast_to(value.kind, value.shape)

    def broadcast_to(self, kind: str, shape: tuple[int, ...]) -> Value:
        """A parameter or value of some of these dimensions, broadcast to all of them."""
        kept = sorted(self.random.sample(range(len(shape)), self.random.randint(0, len(shape))))
        small = tuple(shape[d] for d in kept)
        existing = [v for v in self.values if v.kind == kind and v.shape == small]
        source = self.random.choice(existing) if existing else self.parameter(kind, small)
        self.used.add(source.name)
        return self.broadcast(source, shape, kept)

    def broadcast(self, source: Value, shape, kept) -> Value:
        spread = [1] * len(shape)
        for d, size in zip(kept, source.shape):
            spread[d] = size
        array = np.broadcast_to(source.array.reshape(spread), shape)
        text = f"stablehlo.broadcast_in_dim {source.name}, dims = {dims(kept)} : ({source.type}) -> {tensor(source.kind, shape)}"
        return self.exact(text, source, array)

    # -- families

    def unary(self) -> Value:
        x = self.float_value()
        a, u = x.array, UNIT[x.kind] * FUNCTION_ULPS
        name = self.random.choice(
            ("negate", "abs", "tanh", "logistic", "exponential", "log", "sqrt", "rsqrt", "cosine", "sine", "floor", "log_plus_one",
             "exponential_minus_one", "sign", "ceil", "round_nearest_even", "round_nearest_afz", "cbrt")  # fmt: skip
        )
        smallest = float(np.min(a, initial=math.inf))
        if name in ("log", "sqrt", "rsqrt") and smallest - x.error < 0.1:
            raise Skip
        if name == "log_plus_one" and smallest - x.error < -0.9:
            raise Skip
        if name in ("exponential", "exponential_minus_one") and x.largest > 6:
            raise Skip
        if name in ("cosine", "sine") and x.largest > 20:
            raise Skip
        if name == "cbrt" and float(np.min(np.abs(a), initial=math.inf)) - x.error < 0.1:
            raise Skip
        if name in ("floor", "ceil", "sign", "round_nearest_even", "round_nearest_afz"):
            far = np.abs(a) if name == "sign" else np.abs(a - np.round(a))
            if name.startswith("round"):
                far = np.abs(a - np.floor(a) - 0.5)
            if x.error > 0 and np.min(far, initial=1.0) <= 4 * x.error:
                raise Skip
        function, slope = {
            "negate": (np.negative, 1.0),
            "abs": (np.abs, 1.0),
            "tanh": (np.tanh, 1.0),
            "logistic": (lambda v: 1 / (1 + np.exp(-v)), 0.25),
            "exponential": (np.exp, math.exp(min(x.largest, 6) + 0.1)),
            "exponential_minus_one": (np.expm1, math.exp(min(x.largest, 6) + 0.1)),
            "log": (np.log, 20.0),
            "log_plus_one": (np.log1p, 20.0),
            "sqrt": (np.sqrt, 3.0),
            "rsqrt": (lambda v: 1 / np.sqrt(v), 30.0),
            "cosine": (np.cos, 1.0),
            "sine": (np.sin, 1.0),
            "floor": (np.floor, 0.0),
            "ceil": (np.ceil, 0.0),
            "round_nearest_even": (np.rint, 0.0),
            "round_nearest_afz": (lambda v: np.copysign(np.floor(np.abs(v) + 0.5), v), 0.0),
            "cbrt": (np.cbrt, 2.0),
            "sign": (np.sign, 0.0),
        }[name]
        with np.errstate(all="ignore"):
            result = function(a)
        error = slope * x.error
        if name not in ("negate", "abs", "floor", "ceil", "sign", "round_nearest_even", "round_nearest_afz"):
            error += u * float(np.max(np.abs(result), initial=0.0))
        return self.emit(f"stablehlo.{name} {x.name} : {x.type}", x.kind, result, error)

    def binary(self) -> Value:
        x = self.float_value()
        y = self.like(x)
        name = self.random.choice(("add", "subtract", "multiply", "divide", "maximum", "minimum", "add", "multiply"))
        if name == "divide":
            smallest = float(np.min(np.abs(y.array), initial=math.inf))
            if smallest < 0.1 or y.error > 0.01 * smallest:
                raise Skip
            result = x.array / y.array
            largest = float(np.max(np.abs(result), initial=0.0))
            error = 1.1 * (x.error + largest * y.error) / smallest
        elif name == "multiply":
            result = x.array * y.array
            error = x.error * y.largest + y.error * x.largest + x.error * y.error
        else:
            function = {"add": np.add, "subtract": np.subtract, "maximum": np.maximum, "minimum": np.minimum}[name]
            result = function(x.array, y.array)
            error = x.error + y.error
        return self.emit(f"stablehlo.{name} {x.name}, {y.name} : {x.type}", x.kind, result, error)

    def integer(self) -> Value:
        x = self.pick(lambda v: v.kind in ("i32", "i1"))
        y = self.like(x)
        a, b = x.array, y.array
        if x.kind == "i1":
            name = self.random.choice(("and", "or", "xor"))
        else:
            name = self.random.choice(("add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor", "divide", "remainder"))
        if name in ("divide", "remainder"):
            zero = b == 0
            quotient = np.where(zero, -1, np.trunc(a / np.where(zero, 1, b)).astype(np.int64))
            result = quotient if name == "divide" else np.where(zero, a, a - quotient * b)
        else:
            function = {
                "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum,
                "minimum": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
            }[name]  # fmt: skip
            result = function(a, b)
        return self.emit(f"stablehlo.{name} {x.name}, {y.name} : {x.type}", x.kind, wrapped(result))

    def bits(self) -> Value:
        """Shifts and counts of bits."""
        x = self.pick(lambda v: v.kind == "i32")
        name = self.random.choice(("popcnt", "count_leading_zeros", "shift_left", "shift_right_logical", "shift_right_arithmetic"))
        word = x.array & 0xFFFFFFFF
        if name in ("popcnt", "count_leading_zeros"):
            count = np.vectorize(lambda w: bin(w).count("1") if name == "popcnt" else 32 - int(w).bit_length(), otypes=[np.int64])
            return self.emit(f"stablehlo.{name} {x.name} : {x.type}", "i32", count(word) if word.size else word)
        y = self.like(x)
        far = (y.array < 0) | (y.array >= 32)
        by = np.where(far, 0, y.array)
        result = {
            "shift_left": np.where(far, 0, word << by),
            "shift_right_logical": np.where(far, 0, word >> by),
            "shift_right_arithmetic": x.array >> np.where(far, 31, by),
        }[name]
        return self.emit(f"stablehlo.{name} {x.name}, {y.name} : {x.type}", "i32", wrapped(result))

    def bitcast(self) -> Value:
        """The bits of exact fp32 values as integers."""
        x = self.pick(lambda v: v.kind == "f32" and v.error == 0)
        result = (x.array + 0.0).astype(np.float32)
        if not np.array_equal(result.astype(np.float64), x.array) or np.any(x.array == 0):
            raise Skip  # a zero's sign is not followed
        text = f"stablehlo.bitcast_convert {x.name} : ({x.type}) -> {tensor('i32', x.shape)}"
        return self.emit(text, "i32", result.view(np.int32).astype(np.int64))

    def argument(self) -> Value:
        """argmax and argmin as JAX spells them."""
        x = self.pick(lambda v: v.kind in ("f32", "i32") and len(v.shape) >= 1)
        axis = self.random.randrange(len(x.shape))
        largest = self.random.random() < 0.5
        ordered = np.sort(x.array, axis)
        best, second = (ordered.take(-1, axis), ordered.take(-min(2, x.shape[axis]), axis)) if largest else (ordered.take(0, axis), ordered.take(min(1, x.shape[axis] - 1), axis))
        if x.error > 0 and x.shape[axis] > 1 and np.min(np.abs(best - second), initial=math.inf) <= 4 * x.error:
            raise Skip
        index = Value(self.fresh(), "i32", np.zeros(x.shape, np.int64))
        self.lines.append(f"{index.name} = stablehlo.iota dim = {axis} : {index.type}")
        limit = -1 if largest else 1
        start = self.constant(x.kind, limit * math.inf if x.kind == "f32" else (2**31 - 1 if limit > 0 else -(2**31)))
        zero = self.constant("i32", 0)
        kind = "FLOAT" if x.kind == "f32" else "SIGNED"
        e, pair = x.kind, f"(tensor<{x.kind}>, tensor<{x.kind}>) -> tensor<i1>"
        shape = tuple(s for d, s in enumerate(x.shape) if d != axis)
        result = self.fresh()
        self.lines.append(
            f'''{result}:2 = "stablehlo.reduce"({x.name}, {index.name}, {start.name}, {zero.name}) <{{dimensions = array<i64: {axis}>}}> ({{
    ^bb0(%a: tensor<{e}>, %i: tensor<i32>, %b: tensor<{e}>, %j: tensor<i32>):
      %c0 = stablehlo.compare {"GT" if largest else "LT"}, %a, %b, {kind} : {pair}
      %c1 = stablehlo.compare NE, %a, %a, {kind} : {pair}
      %c2 = stablehlo.or %c0, %c1 : tensor<i1>
      %c3 = stablehlo.compare EQ, %a, %b, {kind} : {pair}
      %c4 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c5 = stablehlo.and %c3, %c4 : tensor<i1>
      %c6 = stablehlo.or %c2, %c5 : tensor<i1>
      %p = stablehlo.select %c2, %a, %b : tensor<i1>, tensor<{e}>
      %q = stablehlo.select %c6, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %p, %q : tensor<{e}>, tensor<i32>
    }}) : ({x.type}, {index.type}, {start.type}, {zero.type}) -> ({tensor(e, shape)}, {tensor("i32", shape)})'''
        )
        array = np.argmax(x.array, axis) if largest else np.argmin(x.array, axis)
        value = Value(f"{result}#1", "i32", np.asarray(array, np.int64))
        self.values.append(value)
        return value

    def compare(self) -> Value:
        x = self.pick(lambda v: v.kind != "i1")
        y = self.like(x)
        if x.error + y.error > 0 and np.min(np.abs(x.array - y.array), initial=1.0) <= 4 * (x.error + y.error):
            raise Skip
        direction = self.random.choice(("EQ", "NE", "LT", "LE", "GT", "GE"))
        function = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}[direction]
        kind = "SIGNED" if x.kind == "i32" else "FLOAT"
        text = f"stablehlo.compare {direction}, {x.name}, {y.name}, {kind} : ({x.type}, {y.type}) -> {tensor('i1', x.shape)}"
        return self.emit(text, "i1", function(x.array, y.array).astype(np.int64))

    def select(self) -> Value:
        p = self.pick(lambda v: v.kind == "i1")
        data = [v for v in self.values if v.kind != "i1" and v.shape == p.shape]
        x = self.random.choice(data) if data else self.broadcast_to(self.random.choice(self.kinds), p.shape)
        self.used.add(x.name)
        y = self.like(x)
        text = f"stablehlo.select {p.name}, {x.name}, {y.name} : {p.type}, {x.type}"
        value = self.emit(text, x.kind, np.where(p.array != 0, x.array, y.array))
        value.error = max(x.error, y.error)
        return value

    def convert(self) -> Value:
        x = self.pick()
        to = self.random.choice([k for k in (*self.kinds, "i1") if k != x.kind])
        result, error = x.array, x.error
        if to == "i1":
            if x.kind in FLOATS and x.error > 0:
                raise Skip
            result, error = (result != 0).astype(np.int64), 0.0
        elif to == "i32":
            if x.kind in FLOATS:
                if x.error > 0 and np.min(np.abs(result - np.round(result)), initial=1.0) <= 4 * x.error:
                    raise Skip
                result, error = np.trunc(result).astype(np.int64), 0.0
        elif x.kind == "i32" and x.largest > 1e4:
            raise Skip
        return self.emit(f"stablehlo.convert {x.name} : ({x.type}) -> {tensor(to, x.shape)}", to, result, error)

    def broadcast_op(self) -> Value:
        x = self.pick(lambda v: len(v.shape) < 4)
        extra = self.random.randint(1, 4 - len(x.shape))
        rank = len(x.shape) + extra
        kept = sorted(self.random.sample(range(rank), len(x.shape)))
        shape = [self.random.choice(SIZES[:10]) for _ in range(rank)]
        for d, size in zip(kept, x.shape):
            shape[d] = size
        if math.prod(shape) > LARGEST:
            raise Skip
        return self.broadcast(x, tuple(shape), kept)

    def reduce(self) -> Value:
        x = self.pick(lambda v: len(v.shape) > 0)
        axes = tuple(sorted(self.random.sample(range(len(x.shape)), self.random.randint(1, len(x.shape)))))
        count = math.prod(x.shape[d] for d in axes)
        names = {"i1": ("and", "or"), "i32": ("add", "maximum", "minimum")}.get(x.kind, ("add", "maximum", "minimum", "add"))
        name = self.random.choice(names)
        initial = {"add": 0, "and": 1, "or": 0}.get(name)
        if initial is None:
            limit = 1 if name == "minimum" else -1
            initial = (2**31 - 1 if limit > 0 else -(2**31)) if x.kind == "i32" else limit * math.inf
        function = {"add": np.sum, "maximum": np.max, "minimum": np.min, "and": np.min, "or": np.max}[name]
        result = function(x.array, axis=axes)
        error = x.error
        if name == "add" and x.kind in FLOATS:
            if count > 600 and x.kind != "f32":
                raise Skip
            magnitude = float(np.max(np.sum(np.abs(x.array), axis=axes), initial=0.0))
            error = count * x.error + UNIT[x.kind] * min(count, 2 * math.log2(count + 1) + 40) * magnitude
        if x.kind == "i32":
            result = wrapped(result)
        start = self.constant(x.kind, initial)
        shape = tuple(s for d, s in enumerate(x.shape) if d not in axes)
        text = (
            f"stablehlo.reduce({x.name} init: {start.name}) applies stablehlo.{name} across dimensions = {dims(axes)} : "
            f"({x.type}, {start.type}) -> {tensor(x.kind, shape)}"
        )
        return self.emit(text, x.kind, np.asarray(result), error)

    def dot(self) -> Value:
        x = self.pick(lambda v: v.kind in FLOATS and len(v.shape) >= 1 and v.array.size > 1)
        rank = len(x.shape)
        contracted = self.random.randrange(rank)
        batch = [d for d in range(rank) if d != contracted and x.shape[d] <= 8 and self.random.random() < 0.4][:2]
        k = x.shape[contracted]
        free = self.random.choice((1, 3, 7, 16, 33, 64, 129, 200))
        order = ["k", "n", *range(len(batch))]
        self.random.shuffle(order)
        sizes = {"k": k, "n": free, **{i: x.shape[d] for i, d in enumerate(batch)}}
        shape = tuple(sizes[o] for o in order)
        if math.prod(shape) > LARGEST:
            raise Skip
        fitting = [v for v in self.values if v.kind == x.kind and v.shape == shape]
        y = self.random.choice(fitting) if fitting else self.parameter(x.kind, shape)
        self.used.add(y.name)
        y_batch, y_contracted = [order.index(i) for i in range(len(batch))], order.index("k")

        left = np.moveaxis(x.array, [*batch, contracted], [*range(len(batch)), rank - 1])
        right = np.moveaxis(y.array, [*y_batch, y_contracted, order.index("n")], [*range(len(batch)), len(batch), len(batch) + 1])
        rest = left.shape[len(batch) : -1]
        flat = left.reshape(*left.shape[: len(batch)], -1, k)
        result_shape = (*left.shape[: len(batch)], *rest, free)
        if math.prod(result_shape) > LARGEST:
            raise Skip
        result = np.matmul(flat, right).reshape(result_shape)
        magnitude = float(np.max(np.matmul(np.abs(flat), np.abs(right)), initial=0.0))
        # Products of 16-bit floats are exact in fp32, where sums are kept.
        error = k * (x.error * y.largest + y.error * x.largest + x.error * y.error) + UNIT["f32"] * (k + 2) * magnitude
        kind = "f32" if x.kind != "f32" and "f32" in self.kinds and self.random.random() < 0.4 else x.kind
        batching = f"batching_dims = {dims(batch)} x {dims(y_batch)}, " if batch else ""
        text = (
            f"stablehlo.dot_general {x.name}, {y.name}, {batching}contracting_dims = [{contracted}] x [{y_contracted}] : "
            f"({x.type}, {y.type}) -> {tensor(kind, result_shape)}"
        )
        return self.emit(text, kind, result, error)

    def transpose(self) -> Value:
        x = self.pick(lambda v: len(v.shape) >= 2)
        order = list(range(len(x.shape)))
        self.random.shuffle(order)
        result = np.transpose(x.array, order)
        return self.exact(f"stablehlo.transpose {x.name}, dims = {dims(order)} : ({x.type}) -> {tensor(x.kind, result.shape)}", x, result)

    def reshape(self) -> Value:
        x = self.pick()
        left, shape = math.prod(x.shape), []
        while left > 1 and len(shape) < 3 and self.random.random() < 0.8:
            divisors = [d for d in range(1, min(left, 600) + 1) if left % d == 0]
            shape.append(self.random.choice(divisors))
            left //= shape[-1]
        shape.append(left)
        self.random.shuffle(shape)
        return self.exact(f"stablehlo.reshape {x.name} : ({x.type}) -> {tensor(x.kind, shape)}", x, x.array.reshape(shape))

    def slice(self) -> Value:
        x = self.pick(lambda v: len(v.shape) >= 1)
        parts, text = [], []
        for size in x.shape:
            start = self.random.randint(0, size - 1)
            stop = self.random.randint(start + 1, size)
            step = self.random.choice((1, 1, 1, 2, 3))
            parts.append(slice(start, stop, step))
            text.append(f"{start}:{stop}" + (f":{step}" if step > 1 else ""))
        result = x.array[tuple(parts)]
        return self.exact(f"stablehlo.slice {x.name} [{', '.join(text)}] : ({x.type}) -> {tensor(x.kind, result.shape)}", x, result)

    def concatenate(self) -> Value:
        x = self.pick(lambda v: len(v.shape) >= 1)
        axis = self.random.randrange(len(x.shape))
        parts = [x]
        for _ in range(self.random.randint(1, 2)):
            shape = list(x.shape)
            shape[axis] = self.random.choice(SIZES[:8])
            fitting = [v for v in self.values if v.kind == x.kind and len(v.shape) == len(shape)
                       and all(a == b for d, (a, b) in enumerate(zip(v.shape, shape)) if d != axis)]  # fmt: skip
            parts.append(self.random.choice(fitting) if fitting else self.parameter(x.kind, tuple(shape)))
            self.used.add(parts[-1].name)
        result = np.concatenate([p.array for p in parts], axis)
        types = ", ".join(p.type for p in parts)
        text = f"stablehlo.concatenate {', '.join(p.name for p in parts)}, dim = {axis} : ({types}) -> {tensor(x.kind, result.shape)}"
        value = self.emit(text, x.kind, result)
        value.error = max(p.error for p in parts)
        return value

    def pad(self) -> Value:
        x = self.pick(lambda v: len(v.shape) >= 1 and v.kind != "i1")
        number = self.random.choice((0, 1, -2))
        rank = len(x.shape)
        interior = [self.random.choice((0, 0, 0, 1)) for _ in range(rank)]
        spread = [s + (s - 1) * i for s, i in zip(x.shape, interior)]
        low = [self.random.choice((0, 0, 1, 2, 5, -1 if s > 2 else 0)) for s in spread]
        high = [self.random.choice((0, 0, 1, 3, -1 if s > 2 else 0)) for s in spread]
        holes = np.full(spread, number, x.array.dtype)
        holes[tuple(slice(None, None, i + 1) for i in interior)] = x.array
        result = np.full([s + a + b for s, a, b in zip(spread, low, high)], number, x.array.dtype)
        target = tuple(slice(max(a, 0), max(a, 0) + s + min(a, 0) + min(b, 0)) for s, a, b in zip(spread, low, high))
        source = tuple(slice(max(-a, 0), s - max(-b, 0)) for s, a, b in zip(spread, low, high))
        result[target] = holes[source]
        filler = self.constant(x.kind, number)
        text = (
            f"stablehlo.pad {x.name}, {filler.name}, low = {dims(low)}, high = {dims(high)}, interior = {dims(interior)} : "
            f"({x.type}, {filler.type}) -> {tensor(x.kind, result.shape)}"
        )
        return self.exact(text, x, result)

    def reverse(self) -> Value:
        x = self.pick(lambda v: len(v.shape) >= 1)
        axes = sorted(self.random.sample(range(len(x.shape)), self.random.randint(1, len(x.shape))))
        return self.exact(f"stablehlo.reverse {x.name}, dims = {dims(axes)} : {x.type}", x, np.flip(x.array, axes))

    def gather(self) -> Value:
        x = self.pick(lambda v: 1 <= len(v.shape) <= 3)
        axis = self.random.randrange(len(x.shape))
        indices = self.random.choice([v for v in self.values if v.kind == "i32" and len(v.shape) == 1] or [None])
        if indices is None:
            indices = self.parameter("i32", (self.random.choice(SIZES[:12]),))
        self.used.add(indices.name)
        rows = np.clip(indices.array, 0, x.shape[axis] - 1)  # starts are clamped
        result = np.take(x.array, rows, axis)
        offset = [d for d in range(len(x.shape)) if d != axis]
        sizes = [1 if d == axis else s for d, s in enumerate(x.shape)]
        text = (
            f'"stablehlo.gather"({x.name}, {indices.name}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {dims(offset)}, '
            f"collapsed_slice_dims = [{axis}], start_index_map = [{axis}], index_vector_dim = 1>, indices_are_sorted = false, "
            f"slice_sizes = array<i64: {', '.join(map(str, sizes))}>}}> : ({x.type}, {indices.type}) -> {tensor(x.kind, result.shape)}"
        )
        return self.exact(text, x, result)

    def starts(self, sizes, window) -> tuple[list[Value], list[int]]:
        """A start per dimension: a scalar of the program or a constant, and where it is clamped to."""
        scalars = [v for v in self.values if v.kind == "i32" and v.shape == ()]
        values = [self.random.choice(scalars) if scalars and self.random.random() < 0.5
                  else self.constant("i32", self.random.randint(-1, s)) for s in sizes]  # fmt: skip
        self.used.update(v.name for v in values)
        return values, [min(max(int(v.array), 0), s - w) for v, s, w in zip(values, sizes, window)]

    def dynamic_slice(self) -> Value:
        x = self.pick(lambda v: len(v.shape) >= 1)
        sizes = [self.random.randint(1, s) for s in x.shape]
        values, at = self.starts(x.shape, sizes)
        result = x.array[tuple(slice(a, a + s) for a, s in zip(at, sizes))]
        names, types = ", ".join(v.name for v in values), ", ".join(v.type for v in values)
        text = f"stablehlo.dynamic_slice {x.name}, {names}, sizes = {dims(sizes)} : ({x.type}, {types}) -> {tensor(x.kind, sizes)}"
        return self.exact(text, x, result)

    def dynamic_update_slice(self) -> Value:
        x = self.pick(lambda v: len(v.shape) >= 1)
        sizes = tuple(self.random.randint(1, s) for s in x.shape)
        fitting = [v for v in self.values if v.kind == x.kind and len(v.shape) == len(sizes) and all(a <= b for a, b in zip(v.shape, x.shape))]
        u = self.random.choice(fitting) if fitting and self.random.random() < 0.6 else self.parameter(x.kind, sizes)
        self.used.add(u.name)
        values, at = self.starts(x.shape, u.shape)
        result = x.array.copy()
        result[tuple(slice(a, a + s) for a, s in zip(at, u.shape))] = u.array
        names, types = ", ".join(v.name for v in values), ", ".join(v.type for v in values)
        value = self.emit(f"stablehlo.dynamic_update_slice {x.name}, {u.name}, {names} : ({x.type}, {u.type}, {types}) -> {x.type}", x.kind, result)
        value.error = max(x.error, u.error)
        return value

    def iota(self) -> Value:
        shape = self.shape(self.random.randint(1, 3))
        axis = self.random.randrange(len(shape))
        spread = [1] * len(shape)
        spread[axis] = shape[axis]
        array = np.broadcast_to(np.arange(shape[axis]).reshape(spread), shape).astype(np.int64)
        return self.emit(f"stablehlo.iota dim = {axis} : {tensor('i32', shape)}", "i32", array)

    def while_op(self) -> Value:
        """One of a few bodies: a float recurrence that stays tame, a wrapping integer one, rows read or written one by one."""
        trips = self.constant("i32", self.random.choice((0, 1, 2, 3, 5)))
        if self.random.random() < 0.5:
            scalars = [v for v in self.values if v.kind == "i32" and v.shape == () and -3 <= int(v.array) <= 7]
            trips = self.random.choice(scalars) if scalars else self.parameter("i32", ())
            self.used.add(trips.name)
        if not -20 <= int(trips.array) <= 12:
            raise Skip
        n = max(int(trips.array), 0)
        style = self.random.choice(("float", "integer", "read rows", "write rows"))
        zero, one = self.constant("i32", 0), self.constant("i32", 1)
        tag = self.names
        i, acc = f"%i{tag}", f"%acc{tag}"
        if style == "float":
            x = self.float_value()
            y = self.like(x)
            body = [f"%t{tag} = stablehlo.tanh {acc} : {x.type}", f"%r{tag} = stablehlo.add %t{tag}, {y.name} : {x.type}"]
            result, error = x.array, x.error
            for _ in range(n):
                result = np.tanh(result) + y.array
                error += y.error + UNIT[x.kind] * (FUNCTION_ULPS + 1) * (1 + y.largest)
        elif style == "integer":
            x = self.pick(lambda v: v.kind == "i32")
            y = self.like(x)
            body = [f"%t{tag} = stablehlo.multiply {acc}, {y.name} : {x.type}", f"%r{tag} = stablehlo.add %t{tag}, {x.name} : {x.type}"]
            result, error = x.array, 0.0
            for _ in range(n):
                result = wrapped(wrapped(result * y.array) + x.array)
        else:
            table = self.pick(lambda v: len(v.shape) == 2 and v.kind != "i1")
            rows, width = table.shape
            row = tensor(table.kind, (1, width))
            read = [f"%s{tag} = stablehlo.dynamic_slice {table.name}, {i}, {zero.name}, sizes = [1, {width}] : ({table.type}, {zero.type}, {zero.type}) -> {row}"]
            at = [min(max(k, 0), rows - 1) for k in range(n)]
            if style == "read rows":
                x = self.constant(table.kind, 0, (1, width))
                body = [*read, f"%r{tag} = stablehlo.add {acc}, %s{tag} : {row}"]
                result, error = x.array, 0.0
                for k in at:
                    result = result + table.array[k : k + 1]
                    error += table.error + (UNIT[table.kind] * float(np.max(np.abs(result), initial=0)) if table.kind in FLOATS else 0)
                result = wrapped(result) if table.kind == "i32" else result
            else:
                x = table
                body = [*read, f"%n{tag} = stablehlo.negate %s{tag} : {row}",
                        f"%r{tag} = stablehlo.dynamic_update_slice {acc}, %n{tag}, {i}, {zero.name} : ({table.type}, {row}, {zero.type}, {zero.type}) -> {table.type}"]  # fmt: skip
                result, error = table.array.copy(), table.error
                for k in at:
                    result[k] = wrapped(-table.array[k]) if table.kind == "i32" else -table.array[k]
        count = tensor("i32", ())
        text = "\n      ".join(
            [
                f"stablehlo.while({i} = {zero.name}, {acc} = {x.name}) : {count}, {x.type}",
                " cond {",
                f"  %c{tag} = stablehlo.compare LT, {i}, {trips.name}, SIGNED : ({count}, {count}) -> tensor<i1>",
                f"  stablehlo.return %c{tag} : tensor<i1>",
                "} do {",
                *["  " + line for line in body],
                f"  %j{tag} = stablehlo.add {i}, {one.name} : {count}",
                f"  stablehlo.return %j{tag}, %r{tag} : {count}, {x.type}",
                "}",
            ]
        )
        value = self.emit(text, x.kind, result, error)
        self.lines[-1] = f"{value.name}:2" + self.lines[-1][len(value.name) :]
        value.name += "#1"
        return value

    def case(self) -> Value:
        x = self.pick(lambda v: v.kind in ("i32", *FLOATS))
        scalars = [v for v in self.values if v.kind == "i32" and v.shape == ()]
        index = self.random.choice(scalars) if scalars else self.parameter("i32", ())
        self.used.add(index.name)
        y = self.like(x)
        branches = []
        results = []
        for name in self.random.sample(("add", "subtract", "maximum", "minimum"), self.random.randint(1, 3)):
            label = f"%b{self.names}_{name}"
            branches.append(f"{{\n        {label} = stablehlo.{name} {x.name}, {y.name} : {x.type}\n        stablehlo.return {label} : {x.type}\n      }}")
            function = {"add": np.add, "subtract": np.subtract, "maximum": np.maximum, "minimum": np.minimum}[name]
            results.append(function(x.array, y.array))
        chosen = int(index.array)
        result = results[chosen if 0 <= chosen < len(results) else -1]
        text = f'"stablehlo.case"({index.name}) ({", ".join(branches)}) : ({index.type}) -> {x.type}'
        return self.emit(text, x.kind, wrapped(result) if x.kind == "i32" else result, x.error + y.error)

    # -- the whole

    def build(self, only_last: bool = False) -> RandomProgram:
        for kind in self.kinds:
            self.parameter(kind, self.shape())
        self.parameter(self.random.choice(self.floats), self.shape(2))
        self.parameter("i32", (self.random.choice(SIZES[:10]),))
        methods = {"broadcast": self.broadcast_op, "while": self.while_op}
        made = 0
        last = self.values[-1]
        attempts = 0
        while made < self.wanted and attempts < 60 * self.wanted:
            attempts += 1
            family = self.random.choice(self.families + tuple(f for f in self.families if f in COMMON) * 2)
            before = (len(self.lines), len(self.values), len(self.inputs), set(self.used), self.names)
            try:
                last = methods.get(family, getattr(self, family, None))()
                made += 1
            except Skip:
                lines, values, inputs, self.used, self.names = before
                del self.lines[lines:], self.values[values:], self.inputs[inputs:], self.parameters[inputs:]
        if only_last:
            outputs = [last]
        else:
            unread = [v for v in self.values if v.name not in self.used and v not in self.parameters]
            outputs = unread[-8:] or [last]
        return RandomProgram(self.seed, self.wanted, self.text(outputs), self.inputs, outputs)

    def text(self, outputs: list[Value]) -> str:
        parameters = ", ".join(f"{p.name}: {p.type}" for p in self.parameters)
        types = ", ".join(o.type for o in outputs)
        body = "\n".join("    " + line for line in self.lines)
        returned = ", ".join(o.name for o in outputs)
        return (
            f"// random_graphs.py, seed {self.seed}, {self.wanted} ops\nmodule @random_{self.seed} {{\n"
            f"  func.func public @main({parameters}) -> ({types}) {{\n{body}\n    return {returned} : {types}\n  }}\n}}\n"
        )


def generate(seed: int, ops: int = 25, only_last: bool = False, **options) -> RandomProgram:
    return Builder(seed, ops, **options).build(only_last)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("--ops", type=int, default=25)
    parser.add_argument("--only-last", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, help="folder for program.mlir, inputs.npz and expected.npz; default: print the text")
    arguments = parser.parse_args()
    program = generate(arguments.seed, arguments.ops, arguments.only_last)
    if arguments.out is None:
        print(program.text, end="")
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "program.mlir").write_text(program.text)
    program.save_inputs(arguments.out / "inputs.npz")
    np.savez(arguments.out / "expected.npz", **{f"output{i}": v.array for i, v in enumerate(program.outputs)},
             **{f"bound{i}": v.error for i, v in enumerate(program.outputs)})  # fmt: skip


if __name__ == "__main__":
    main()
