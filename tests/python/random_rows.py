"""Random programs of gather, scatter, sort and top_k with every form of dimension numbers, and what they must give.

The answers come from the words of the StableHLO specification, index vector by index vector, in numpy. Values are small
whole numbers, so that sums are exact in every type and an answer is right to the bit or wrong.
"""

from __future__ import annotations

import dataclasses
import itertools
import random

import ml_dtypes
import numpy as np

NUMPY = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "i32": np.int32, "ui32": np.uint32, "i16": np.int16,
         "i8": np.int8, "ui8": np.uint8, "i1": np.bool_}  # fmt: skip
FLOATS = ("f32", "bf16", "f16")
INDEX_KINDS = ("i32", "i32", "ui32", "i16", "ui8")
SIZES = (1, 2, 3, 4, 5, 8, 13, 33, 130)


def tensor(kind, shape):
    return "tensor<" + "".join(f"{n}x" for n in shape) + kind + ">"


@dataclasses.dataclass
class Program:
    """Grown op by op: text, inputs, and the outputs that are right."""

    seed: int
    lines: list[str] = dataclasses.field(default_factory=list)
    inputs: list[tuple[str, np.ndarray]] = dataclasses.field(default_factory=list)
    outputs: list[tuple[str, str, np.ndarray]] = dataclasses.field(default_factory=list)

    def input(self, kind, array) -> str:
        self.inputs.append((kind, np.asarray(array, NUMPY[kind])))
        return f"%arg{len(self.inputs) - 1}"

    def output(self, name, kind, array) -> None:
        self.outputs.append((name, kind, np.asarray(array).astype(NUMPY[kind])))

    @property
    def text(self) -> str:
        given = ", ".join(f"%arg{i}: {tensor(kind, a.shape)}" for i, (kind, a) in enumerate(self.inputs))
        types = ", ".join(tensor(kind, a.shape) for _, kind, a in self.outputs)
        names = ", ".join(name for name, _, _ in self.outputs)
        body = "\n".join("    " + line for line in self.lines)
        return f"func.func public @main({given}) -> ({types}) {{\n{body}\n    return {names} : {types}\n}}\n"

    def complaints(self, actual: dict[str, np.ndarray]) -> list[str]:
        found = []
        for i, (name, kind, wanted) in enumerate(self.outputs):
            got = actual[f"output{i}"].reshape(wanted.shape)
            got = got.view(NUMPY[kind]) if kind == "bf16" and got.dtype != NUMPY[kind] else got
            same = (got == wanted) | ((got != got) & (wanted != wanted))
            if got.dtype != wanted.dtype or not np.all(same):
                found.append(f"output{i} {name} {tensor(kind, wanted.shape)}: {np.sum(~same)} of {same.size} differ")
        return found


class Generator:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.program = Program(seed)

    def numbers(self, kind, shape, low=-8, high=8):
        if kind == "i1":
            return self.numpy.integers(0, 2, shape).astype(np.bool_)
        return self.numpy.integers(max(low, 0) if kind.startswith("ui") else low, high + 1, shape).astype(NUMPY[kind])

    def indices(self, kind, shape, limits, vector_dim):
        """Mostly inside 0..limit, some outside on both sides, a few far away."""
        dtype = NUMPY[kind]
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        out = np.zeros(shape, np.int64)
        for where in np.ndindex(*shape):
            limit = limits[where[vector_dim] if vector_dim < len(shape) else 0]
            pick = self.random.random()
            value = self.random.randint(0, max(limit, 0))
            if pick < 0.08:
                value = self.random.choice((-1, -3, limit + 1, limit + 4))
            elif pick < 0.10:
                value = self.random.choice((low, high))
            out[where] = min(max(value, low), high)
        return out.astype(dtype)

    def dims(self):
        """What gather and scatter share: an operand's shape, the roles of its dims, the batch and the windows."""
        r = self.random
        rank = r.choice((1, 1, 2, 2, 2, 3, 3, 4))
        shape = [r.choice(SIZES) for _ in range(rank)]
        while np.prod(shape) > 20000:
            shape[r.randrange(rank)] = r.choice(SIZES[:5])
        order = list(range(rank))
        r.shuffle(order)
        batching = sorted(order[: r.choice((0, 0, 0, 1, 2))][: rank])
        rest = [d for d in range(rank) if d not in batching]
        dropped = sorted(d for d in rest if r.random() < 0.4)
        mapped = [d for d in rest if r.random() < 0.7]
        r.shuffle(mapped)
        sizes = [1 if d in batching or d in dropped else (shape[d] if r.random() < 0.5 else r.randint(1, shape[d])) for d in range(rank)]
        batch = [r.choice((1, 2, 3, 5, 9, 17, 140)) for _ in range(r.choice((0, 1, 1, 1, 2)))]
        while batch and np.prod(batch) > 300:
            batch[r.randrange(len(batch))] = 2
        places = sorted(r.sample(range(len(batch) + len(batching)), len(batching)))
        order = batching[:]
        r.shuffle(order)  # operand batching dims are listed sorted; which index dim each pairs with is free
        index_of = dict(zip(order, places))
        full, own = [], iter(batch)
        for p in range(len(batch) + len(batching)):
            full.append(shape[order[places.index(p)]] if p in places else next(own))
        vector_dim = r.randint(0, len(full))
        if len(mapped) == 1 and r.random() < 0.3:
            index_shape, vector_dim = list(full), len(full)
        else:
            index_shape = full[:vector_dim] + [len(mapped)] + full[vector_dim:]
        batch_to_index = [p if p < vector_dim else p + 1 for p in range(len(full))]
        index_batching = [batch_to_index[index_of[d]] for d in batching]
        window = [sizes[d] for d in range(rank) if d not in batching and d not in dropped]
        window_dims = sorted(r.sample(range(len(full) + len(window)), len(window)))
        rows, b, w = [], iter(full), iter(window)
        for d in range(len(full) + len(window)):
            rows.append(next(w) if d in window_dims else next(b))
        return shape, batching, dropped, mapped, sizes, full, index_shape, vector_dim, index_batching, window_dims, rows

    def index_input(self, kind, array):
        """The indices as an operand, at times made wider on the way."""
        name = self.program.input(kind, array)
        if kind != "i32" or self.random.random() < 0.7:
            return kind, name
        wide = f"%w{len(self.program.lines)}"
        self.program.lines.append(f"{wide} = stablehlo.convert {name} : ({tensor(kind, array.shape)}) -> {tensor('i64', array.shape)}")
        return "i64", wide

    @staticmethod
    def starts(where, indices, mapped, vector_dim, batching, index_batching, rank):
        """Index vector of a batch position -> start in the operand."""
        start = [0] * rank
        for k, d in enumerate(mapped):
            at = list(where)
            if vector_dim < indices.ndim:
                at.insert(vector_dim, k)
            start[d] = int(indices[tuple(at)])
        for d, index_dim in zip(batching, index_batching):
            start[d] = where[index_dim if index_dim < vector_dim else index_dim - 1]
        return start

    def gather(self):
        shape, batching, dropped, mapped, sizes, full, index_shape, vector_dim, index_batching, window_dims, rows = self.dims()
        kind, index_kind = self.random.choice(tuple(NUMPY)), self.random.choice(INDEX_KINDS)
        data = self.numbers(kind, shape)
        indices = self.indices(index_kind, index_shape, [shape[d] - sizes[d] for d in mapped] or [0], vector_dim)
        wanted = np.zeros(rows, NUMPY[kind])
        for where in np.ndindex(*full):
            start = self.starts(where, indices, mapped, vector_dim, batching, index_batching, len(shape))
            start = [min(max(s, 0), n - size) for s, n, size in zip(start, shape, sizes)]
            window = data[tuple(slice(s, s + size) for s, size in zip(start, sizes))]
            at, b = [], iter(where)
            for d in range(len(rows)):
                at.append(slice(None) if d in window_dims else next(b))
            wanted[tuple(at)] = window.reshape([sizes[d] for d in range(len(shape)) if d not in batching and d not in dropped])
        p = self.program
        a = p.input(kind, data)
        index_kind, i = self.index_input(index_kind, indices)
        name = f"%g{len(p.lines)}"
        if self.random.random() < 0.2:  # the sizes as an operand
            count = tensor("i32", (len(sizes),))
            p.lines += [
                f"%size{len(p.lines)} = stablehlo.constant dense<{sizes}> : {count}",
                f'{name} = "stablehlo.dynamic_gather"({a}, {i}, %size{len(p.lines)}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {window_dims}, '
                f"collapsed_slice_dims = {dropped}, operand_batching_dims = {batching}, start_indices_batching_dims = {index_batching}, "
                f"start_index_map = {mapped}, index_vector_dim = {vector_dim}>, indices_are_sorted = false}}> : "
                f"({tensor(kind, shape)}, {tensor(index_kind, index_shape)}, {count}) -> {tensor(kind, rows)}",
            ]
            p.output(name, kind, wanted)
            return
        p.lines.append(
            f'{name} = "stablehlo.gather"({a}, {i}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {window_dims}, '
            f"collapsed_slice_dims = {dropped}, operand_batching_dims = {batching}, start_indices_batching_dims = {index_batching}, "
            f"start_index_map = {mapped}, index_vector_dim = {vector_dim}>, indices_are_sorted = false, "
            f"slice_sizes = array<i64: {', '.join(map(str, sizes))}>}}> : ({tensor(kind, shape)}, {tensor(index_kind, index_shape)}) -> {tensor(kind, rows)}"
        )
        p.output(name, kind, wanted)

    REGIONS = {
        "add": (lambda a, b: a + b, "%r = stablehlo.add %a, %b : {t}"),
        "replace": (lambda a, b: b, "%r = stablehlo.add %b, %zero : {t}"),
        "keep": (lambda a, b: a, "%r = stablehlo.add %a, %zero : {t}"),
        "subtract": (lambda a, b: a - b, "%r = stablehlo.subtract %a, %b : {t}"),
        "maximum": (np.maximum, "%r = stablehlo.maximum %a, %b : {t}"),
        "minimum": (np.minimum, "%r = stablehlo.minimum %b, %a : {t}"),
        "and": (np.bitwise_and, "%r = stablehlo.and %a, %b : {t}"),
        "or": (np.bitwise_or, "%r = stablehlo.or %a, %b : {t}"),
        "formula": (
            lambda a, b: np.where(a > b, b, a - b - b.dtype.type(1)),
            "%c = stablehlo.compare GT, %a, %b : ({t}, {t}) -> tensor<i1>\n%d = stablehlo.subtract %a, %b : {t}\n"
            "%one = stablehlo.constant dense<1> : {t}\n%e = stablehlo.subtract %d, %one : {t}\n%r = stablehlo.select %c, %b, %e : tensor<i1>, {t}",
        ),
    }

    def scatter(self, regions=None):
        shape, batching, dropped, mapped, sizes, full, index_shape, vector_dim, index_batching, window_dims, rows = self.dims()
        region = self.random.choice(regions or ("add", "add", "replace", "overwrite", "subtract", "maximum", "minimum", "or", "formula"))
        kind = self.random.choice({"and": ("i32", "i1"), "or": ("i32", "ui8", "i1"), "subtract": ("f32", "i32", "i8"),
                                   "add": ("f32", "f32", "bf16", "i32", "i8", "i1"), "formula": ("f32", "i32")}.get(region, tuple(NUMPY)))  # fmt: skip
        if kind == "i1" and region in ("replace", "keep"):
            region = "overwrite"
        if region not in ("add", "overwrite") and np.prod(full) > 40:
            return self.scatter(("add", "overwrite"))
        index_kind = self.random.choice(INDEX_KINDS)
        data, updates = self.numbers(kind, shape), self.numbers(kind, rows, -3, 3)
        indices = self.indices(index_kind, index_shape, [shape[d] - sizes[d] for d in mapped] or [0], vector_dim)
        combine = (lambda a, b: b) if region == "overwrite" else np.logical_or if (kind, region) == ("i1", "add") else self.REGIONS[region][0]
        wanted = data.astype(np.float64) if kind in ("bf16", "f16") else data.copy()
        for where in np.ndindex(*full):
            start = self.starts(where, indices, mapped, vector_dim, batching, index_batching, len(shape))
            if any(s < 0 or s > n - size for s, n, size in zip(start, shape, sizes)):
                continue
            at, b = [], iter(where)
            for d in range(len(rows)):
                at.append(slice(None) if d in window_dims else next(b))
            window = tuple(slice(s, s + size) for s, size in zip(start, sizes))
            update = updates[tuple(at)].reshape(sizes).astype(wanted.dtype)
            wanted[window] = combine(wanted[window], update)
        p = self.program
        # Zeros added, so that the operand is no input: its memory may be the result's.
        a, u = p.input(kind, data), p.input(kind, updates)
        index_kind, i = self.index_input(index_kind, indices)
        n = len(p.lines)
        if kind != "i1" and self.random.random() < 0.6:
            p.lines += [f"%z{n} = stablehlo.constant dense<0> : {tensor(kind, shape)}".replace("dense<0>", "dense<0.0>" if kind in FLOATS else "dense<0>"),
                        f"%s{n} = stablehlo.add {a}, %z{n} : {tensor(kind, shape)}"]  # fmt: skip
            a = f"%s{n}"
        scalar = tensor(kind, ())
        text = "" if region == "overwrite" else self.REGIONS[region][1].format(t=scalar)
        if kind in FLOATS:
            text = text.replace("dense<1>", "dense<1.0>")
        zero = f"%zero = stablehlo.constant dense<{'0.0' if kind in FLOATS else '0'}> : {scalar}\n" if "%zero" in text else ""
        p.lines.append(
            f'%r{n} = "stablehlo.scatter"({a}, {i}, {u}) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {window_dims}, '
            f"inserted_window_dims = {dropped}, input_batching_dims = {batching}, scatter_indices_batching_dims = {index_batching}, "
            f"scatter_dims_to_operand_dims = {mapped}, index_vector_dim = {vector_dim}>, indices_are_sorted = false, unique_indices = false}}> ({{\n"
            f"^bb0(%a: {scalar}, %b: {scalar}):\n{zero}{text}\nstablehlo.return {'%b' if region == 'overwrite' else '%r'} : {scalar}\n"
            f"}}) : ({tensor(kind, shape)}, {tensor(index_kind, index_shape)}, {tensor(kind, rows)}) -> {tensor(kind, shape)}"
        )
        p.output(f"%r{n}", kind, wanted)

    def rows(self, kinds):
        r = self.random
        rank = r.choice((1, 1, 2, 2, 3))
        shape = [r.choice((1, 2, 3, 5, 8, 33, 130)) for _ in range(rank)]
        while np.prod(shape) > 6000:
            shape[r.randrange(rank)] = 3
        kind = r.choice(kinds)
        data = self.numbers(kind, shape, -20 if r.random() < 0.5 else -100, 20)
        if kind in FLOATS:
            for value in (np.nan, np.inf, -np.inf, -0.0, 0.0):
                data[self.numpy.random(shape) < 0.05] = value
            if r.random() < 0.3:
                data[self.numpy.random(shape) < 0.05] = -np.float32(np.nan)
        return shape, kind, data

    @staticmethod
    def order_keys(array, kind, total):
        """Whole numbers that order as the comparator does."""
        if kind not in FLOATS:
            return array.astype(np.int64)
        x = array.astype(np.float32)
        if not total:
            x = np.where(x == 0, np.float32(0), np.where(np.isnan(x), np.float32(np.nan), x))
        bits = np.ascontiguousarray(x).view(np.int32).astype(np.int64)
        return np.where(bits < 0, -1 - (bits & 0x7FFFFFFF), bits)

    def sort(self):
        r = self.random
        shape, _, _ = self.rows(("f32",))
        dim, count = r.randrange(len(shape)), r.choice((1, 1, 2, 2, 3))
        keys = r.sample(range(count), r.choice([k for k in (1, 1, 2) if k <= count]))
        operands = []
        for j in range(count):
            kind = r.choice(("f32", "f32", "bf16", "f16", "i32", "ui32", "i16", "i8", "ui8") + (("i1",) if j not in keys else ()))
            data = self.rows((kind,))[2]
            while data.size < np.prod(shape):
                data = np.concatenate([data.ravel(), data.ravel()])
            data = data.ravel()[: int(np.prod(shape))].reshape(shape)
            operands.append((kind, data))
        lines, orders, names = [], [], itertools.count()

        def emit(text):
            lines.append(f"%t{next(names)} = {text}")
            return lines[-1].split()[0]

        by_hand = r.random() < 0.2  # an order that no form is made for: x * 2 < y * 2
        parts = []
        for j in keys:
            kind, data = operands[j]
            t, descending, total = tensor(kind, ()), r.random() < 0.4, kind in FLOATS and r.random() < 0.3
            sides = [f"%x{j}", f"%y{j}"]
            if kind in FLOATS and not total:
                zero, nan = emit(f"stablehlo.constant dense<0.0> : {t}"), emit(f"stablehlo.constant dense<{'0x7FC00000' if kind == 'f32' else '0x7FC0' if kind == 'bf16' else '0x7E00'}> : {t}")
                for s in range(2):
                    x = sides[s]
                    is_zero = emit(f"stablehlo.compare EQ, {x}, {zero}, FLOAT : ({t}, {t}) -> tensor<i1>")
                    y = emit(f"stablehlo.select {is_zero}, {zero}, {x} : tensor<i1>, {t}")
                    is_nan = emit(f"stablehlo.compare NE, {x}, {x}, FLOAT : ({t}, {t}) -> tensor<i1>")
                    sides[s] = emit(f"stablehlo.select {is_nan}, {nan}, {y} : tensor<i1>, {t}")
            if by_hand and kind == "i32":
                two = emit(f"stablehlo.constant dense<2> : {t}")
                sides = [emit(f"stablehlo.multiply {x}, {two} : {t}") for x in sides]
            how = "TOTALORDER" if kind in FLOATS else "UNSIGNED" if kind.startswith("ui") else "SIGNED"
            less = emit(f"stablehlo.compare {'GT' if descending else 'LT'}, {sides[0]}, {sides[1]}, {how} : ({t}, {t}) -> tensor<i1>")
            same = emit(f"stablehlo.compare EQ, {sides[0]}, {sides[1]}, {how} : ({t}, {t}) -> tensor<i1>")
            parts.append((less, same))
            k = self.order_keys(data, kind, total)
            orders.append(-k if descending else k)
        result = parts[-1][0]
        for less, same in reversed(parts[:-1]):
            if r.random() < 0.7:
                result = emit(f"stablehlo.or {less}, {emit(f'stablehlo.and {same}, {result} : tensor<i1>')} : tensor<i1>")
            else:
                result = emit(f"stablehlo.select {same}, {result}, {less} : tensor<i1>, tensor<i1>")
        place = np.lexsort([np.moveaxis(o, dim, -1) for o in reversed(orders)], axis=-1)
        p = self.program
        n = len(p.lines)
        arguments = [p.input(kind, data) for kind, data in operands]
        types = ", ".join(tensor(kind, shape) for kind, _ in operands)
        block = ", ".join(f"%x{j}: {tensor(kind, ())}, %y{j}: {tensor(kind, ())}" for j, (kind, _) in enumerate(operands))
        p.lines.append(
            f'%q{n}{":" + str(count) if count > 1 else ""} = "stablehlo.sort"({", ".join(arguments)}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n^bb0({block}):\n'
            + "\n".join(lines) + f"\nstablehlo.return {result} : tensor<i1>\n}}) : ({types}) -> ({types})"
        )  # fmt: skip
        for j, (kind, data) in enumerate(operands):
            sorted_rows = np.take_along_axis(np.moveaxis(data, dim, -1), place, axis=-1)
            p.output(f"%q{n}#{j}" if count > 1 else f"%q{n}", kind, np.moveaxis(sorted_rows, -1, dim))

    def top_k(self):
        shape, kind, data = self.rows(("f32", "f32", "bf16", "f16", "i32", "ui32", "i8", "ui8"))
        k = self.random.randint(1, min(shape[-1], self.random.choice((1, 3, 8, 8, 20))))
        place = np.argsort(-self.order_keys(data, kind, True), axis=-1, kind="stable")[..., :k]
        p = self.program
        n, a, cut = len(p.lines), p.input(kind, data), list(shape[:-1]) + [k]
        p.lines.append(f"%v{n}, %i{n} = chlo.top_k({a}, k = {k}) : {tensor(kind, shape)} -> ({tensor(kind, cut)}, {tensor('i32', cut)})")
        p.output(f"%v{n}", kind, np.take_along_axis(data, place, axis=-1))
        p.output(f"%i{n}", "i32", place)


def generate(family: str, seed: int, ops: int = 5) -> Program:
    generator = Generator(seed)
    for _ in range(ops):
        getattr(generator, family)()
    return generator.program
