"""Reductions of every form, select_and_scatter and batch norms, against numpy by the specification."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from programs import execute

TARGETS = ("trn2", "odd", "tiny")
NAN, INF = np.nan, np.inf


def run_text(text: str, inputs, scratch, tmp_path, target="trn2"):
    program, arrays = tmp_path / "program.mlir", tmp_path / "inputs.npz"
    program.write_text(text)
    np.savez(arrays, **{f"input{i}": a for i, a in enumerate(inputs)})
    return execute(program, arrays, scratch, "--check", target=target)[0]


def tensor(shape, kind="f32") -> str:
    return "tensor<" + "".join(f"{d}x" for d in shape) + kind + ">"


def reduce_text(shape, axis, region: str, kinds=("f32",), initial=("0.0",)) -> str:
    """A reduce whose region's lines use %a0, %a1 (so far) and %b0, %b1 and return %r0, %r1."""
    kept = [s for d, s in enumerate(shape) if d not in axis]
    ins = [tensor(shape, k) for k in kinds]
    outs = [tensor(kept, k) for k in kinds]
    scalars = [f"tensor<{k}>" for k in kinds]
    n = len(kinds)
    block = ", ".join([f"%a{i}: {scalars[i]}" for i in range(n)] + [f"%b{i}: {scalars[i]}" for i in range(n)])
    constants = "\n".join(f"    %i{i} = stablehlo.constant dense<{initial[i]}> : {scalars[i]}" for i in range(n))
    names = ", ".join(f"%arg{i}" for i in range(n)) + ", " + ", ".join(f"%i{i}" for i in range(n))
    results = ", ".join(f"%0#{i}" for i in range(n)) if n > 1 else "%0"
    returned = ", ".join(f"%r{i}" for i in range(n))
    return f"""func.func @main({", ".join(f"%arg{i}: {ins[i]}" for i in range(n))}) -> ({", ".join(outs)}) {{
{constants}
    %0{f":{n}" if n > 1 else ""} = "stablehlo.reduce"({names}) <{{dimensions = array<i64: {", ".join(map(str, axis))}>}}> ({{
    ^bb0({block}):
{region}
      stablehlo.return {returned} : {", ".join(scalars)}
    }}) : ({", ".join(ins + scalars)}) -> ({", ".join(outs)})
    return {results} : {", ".join(outs)}
}}
"""


def values(shape, *specials) -> np.ndarray:
    generator = np.random.default_rng(3)
    x = (generator.integers(-16, 17, shape) / 8).astype(np.float32)
    flat = x.reshape(-1)
    for number, value in enumerate(specials):
        flat[generator.integers(0, flat.size, 3)] = value
    return x


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("initial", ("-3.5", "0.75", "0x7F800000"))
@pytest.mark.parametrize("op", ("add", "maximum", "minimum", "multiply"))
def test_any_initial_value(op, initial, target, scratch, tmp_path):
    x = np.sign(values((5, 33, 7))) if op == "multiply" else values((5, 33, 7))
    text = reduce_text(x.shape, (1,), f"      %r0 = stablehlo.{op} %a0, %b0 : tensor<f32>", initial=(initial,))
    start = np.float64(INF if initial.startswith("0x") else float(initial))
    function = {"add": np.add, "maximum": np.maximum, "minimum": np.minimum, "multiply": np.multiply}[op]
    with np.errstate(invalid="ignore"):
        want = function(start, function.reduce(x.astype(np.float64), axis=1))  # eighths: exact in fp32
    np.testing.assert_array_equal(run_text(text, [x], scratch, tmp_path, target)["output0"], want.astype(np.float32))


@pytest.mark.parametrize("kind", ("i8", "ui8", "i16", "ui16", "i32", "ui32"))
def test_narrow_integers_start_at_their_own_ends(kind, scratch, tmp_path):
    dtype = np.dtype(("u" if kind[0] == "u" else "") + "int" + kind.lstrip("ui"))
    info = np.iinfo(dtype)
    x = np.random.default_rng(4).integers(info.min, info.max, (9, 40), dtype=dtype, endpoint=True)
    for op, initial, want in (("maximum", info.min, x.max(1)), ("minimum", info.max, x.min(1)), ("add", 0, x.sum(1, dtype=dtype))):
        text = reduce_text(x.shape, (1,), f"      %r0 = stablehlo.{op} %a0, %b0 : tensor<{kind}>", (kind,), (str(initial),))
        np.testing.assert_array_equal(run_text(text, [x], scratch, tmp_path)["output0"], want)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("count", (1, 2, 3, 7, 64, 100, 129, 3001))
def test_unknown_regions_fold_neighbours_in_order(count, target, scratch, tmp_path):
    """Affine maps x -> p x + q under composition: associative, and no two orders agree."""
    region = """      %r0 = stablehlo.multiply %a0, %b0 : tensor<i32>
      %t = stablehlo.multiply %a1, %b0 : tensor<i32>
      %r1 = stablehlo.add %t, %b1 : tensor<i32>"""
    generator = np.random.default_rng(count)
    p, q = (generator.integers(-9, 10, (5, count, 3)).astype(np.int32) for _ in range(2))
    got = run_text(reduce_text(p.shape, (1,), region, ("i32", "i32"), ("3", "-1")), [p, q], scratch, tmp_path, target)
    a, b = np.full((5, 3), 3, np.uint32), np.full((5, 3), -1, np.int32).astype(np.uint32)
    for j in range(count):
        x, y = p[:, j].astype(np.uint32), q[:, j].astype(np.uint32)
        a, b = a * x, b * x + y
    np.testing.assert_array_equal(got["output0"].view(np.uint32), a)
    np.testing.assert_array_equal(got["output1"].view(np.uint32), b)


def test_results_that_do_not_meet_are_reduced_apart(scratch, tmp_path):
    region = """      %r1 = stablehlo.maximum %b1, %a1 : tensor<i32>
      %r0 = stablehlo.add %a0, %b0 : tensor<f32>"""
    x, i = values((6, 35)), np.arange(210, dtype=np.int32).reshape(6, 35) * 7919 % 1000 - 500
    got = run_text(reduce_text(x.shape, (0, 1), region, ("f32", "i32"), ("1.5", "-2147483648")), [x, i], scratch, tmp_path)
    assert got["output0"] == x.sum() + 1.5
    assert got["output1"] == i.max()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "size, stride, dilation, base, padding",
    ((20, 1, 1, 1, (19, 0)), (20, 1, 1, 1, (0, 19)), (3, 2, 1, 1, (1, 1)), (5, 3, 2, 1, (0, 4)), (6, 1, 1, 2, (2, -3)), (1, 2, 1, 1, (0, 0)), (7, 1, 1, 1, (0, 0))),
)
def test_windows_with_unknown_regions(size, stride, dilation, base, padding, target, scratch, tmp_path):
    """Affine maps again; cells of padding and holes hold the initial values, here the identity map."""
    generator = np.random.default_rng(size)
    p, q = (generator.integers(-9, 10, (4, 20, 3)).astype(np.int32) for _ in range(2))
    n = (20 - 1) * base + 1 + sum(padding)
    count = (n - (size - 1) * dilation - 1) // stride + 1
    t, r, s = tensor((4, 20, 3), "i32"), tensor((4, count, 3), "i32"), "tensor<i32>"
    text = f"""func.func @main(%p: {t}, %q: {t}) -> ({r}, {r}) {{
    %one = stablehlo.constant dense<1> : {s}
    %zero = stablehlo.constant dense<0> : {s}
    %0:2 = "stablehlo.reduce_window"(%p, %q, %one, %zero) <{{window_dimensions = array<i64: 1, {size}, 1>, window_strides = array<i64: 1, {stride}, 1>, base_dilations = array<i64: 1, {base}, 1>, window_dilations = array<i64: 1, {dilation}, 1>, padding = dense<[[0, 0], [{padding[0]}, {padding[1]}], [0, 0]]> : tensor<3x2xi64>}}> ({{
    ^bb0(%a0: {s}, %a1: {s}, %b0: {s}, %b1: {s}):
      %r0 = stablehlo.multiply %a0, %b0 : {s}
      %t = stablehlo.multiply %a1, %b0 : {s}
      %r1 = stablehlo.add %t, %b1 : {s}
      stablehlo.return %r0, %r1 : {s}, {s}
    }}) : ({t}, {t}, {s}, {s}) -> ({r}, {r})
    return %0#0, %0#1 : {r}, {r}
}}
"""
    got = run_text(text, [p, q], scratch, tmp_path, target)
    a, b = np.ones((4, count, 3), np.uint32), np.zeros((4, count, 3), np.uint32)
    for at in range(count):
        for k in range(size):
            cell = at * stride + k * dilation - padding[0]
            if cell % base == 0 and 0 <= cell // base < 20 and cell < (20 - 1) * base + 1 + min(padding[1], 0):
                x, y = p[:, cell // base].astype(np.uint32), q[:, cell // base].astype(np.uint32)
                a[:, at], b[:, at] = a[:, at] * x, b[:, at] * x + y
    np.testing.assert_array_equal(got["output0"].view(np.uint32), a)
    np.testing.assert_array_equal(got["output1"].view(np.uint32), b)


def chooser(compare: str, nan: bool) -> str:
    pick = """      %c1 = stablehlo.compare NE, %a0, %a0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c2 = stablehlo.or %c0, %c1 : tensor<i1>""" if nan else "      %c2 = stablehlo.or %c0, %c0 : tensor<i1>"  # fmt: skip
    return f"""      %c0 = stablehlo.compare {compare}, %a0, %b0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
{pick}
      %c3 = stablehlo.compare EQ, %a0, %b0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c4 = stablehlo.compare LT, %a1, %b1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c5 = stablehlo.and %c3, %c4 : tensor<i1>
      %c6 = stablehlo.or %c2, %c5 : tensor<i1>
      %r0 = stablehlo.select %c2, %a0, %b0 : tensor<i1>, tensor<f32>
      %r1 = stablehlo.select %c6, %a1, %b1 : tensor<i1>, tensor<i32>"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("direction", ("GT", "LT"))
@pytest.mark.parametrize("shape, axis", (((5, 33), 1), ((300, 6), 0), ((4, 7, 9), 1), ((3, 9001), 1), ((5000,), 0)))
def test_argmax_takes_the_first_and_nan_before_all(shape, axis, direction, target, scratch, tmp_path):
    x = values(shape, NAN, INF, -INF)
    x.reshape(-1)[:] = np.where(np.arange(x.size) % 3 == 0, -INF if direction == "GT" else INF, x.reshape(-1))
    moved = np.moveaxis(x, axis, 0)
    moved[(slice(None),) + (0,) * (x.ndim - 1)] = -INF if direction == "GT" else INF  # nothing but the initial value
    kept = tensor([s for d, s in enumerate(shape) if d != axis], "i32")
    text = reduce_text(shape, (axis,), chooser(direction, True), ("f32", "i32"), ("0xFF800000" if direction == "GT" else "0x7F800000", "0"))
    text = text.replace(", %arg1: " + tensor(shape, "i32"), "").replace(
        "    %0:2 =", f"    %arg1 = stablehlo.iota dim = {axis} : {tensor(shape, 'i32')}\n    %0:2 ="
    )  # fmt: skip
    got = run_text(text, [x], scratch, tmp_path, target)
    index = (np.argmax if direction == "GT" else np.argmin)(x, axis)
    np.testing.assert_array_equal(got["output1"], index)
    np.testing.assert_array_equal(got["output0"], np.take_along_axis(x, np.expand_dims(index, axis), axis).squeeze(axis))
    assert got["output1"].dtype == np.int32 and kept


def test_a_chooser_without_nan_is_folded_as_it_says(scratch, tmp_path):
    """Where a value is NaN every comparison fails and the later one is taken."""
    x = values((6, 21), NAN)
    text = reduce_text(x.shape, (1,), chooser("GT", False), ("f32", "i32"), ("0xFF800000", "0"))
    index = np.tile(np.arange(21, dtype=np.int32), (6, 1))
    got = run_text(text, [x, index], scratch, tmp_path)
    for r in range(6):  # not associative with NaN: only rows without it have one answer
        if not np.isnan(x[r]).any():
            assert got["output1"][r] == np.argmax(x[r])


def test_over_nothing_is_the_initial_value(scratch, tmp_path):
    region = """      %t = stablehlo.multiply %a0, %b0 : tensor<f32>
      %r0 = stablehlo.add %t, %a0 : tensor<f32>"""
    got = run_text(reduce_text((3, 0), (1,), region, initial=("2.5",)), [np.zeros((3, 0), np.float32)], scratch, tmp_path)
    np.testing.assert_array_equal(got["output0"], [2.5] * 3)


def test_map_works_element_by_element(scratch, tmp_path):
    x, y = values((7, 30)), values((7, 30))[::-1].copy()
    text = """func.func @main(%x: tensor<7x30xf32>, %y: tensor<7x30xf32>) -> tensor<7x30xf32> {
    %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.constant dense<0.5> : tensor<f32>
      %p = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %m = stablehlo.multiply %a, %b : tensor<f32>
      %r = stablehlo.select %p, %m, %c : tensor<i1>, tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<7x30xf32>, tensor<7x30xf32>) -> tensor<7x30xf32>
    return %0 : tensor<7x30xf32>
}
"""
    np.testing.assert_array_equal(run_text(text, [x, y], scratch, tmp_path)["output0"], np.where(x > 0.5, x * y, np.float32(0.5)))


def test_einsums_sum_contract_and_turn(scratch, tmp_path):
    generator = np.random.default_rng(5)
    a, b, c = (generator.integers(-4, 5, shape).astype(np.float32) for shape in ((2, 3, 5, 7), (5, 2, 11), (3, 4)))
    types = tensor(a.shape), tensor(b.shape), tensor(c.shape)
    text = f"""func.func @main(%a: {types[0]}, %b: {types[1]}, %c: {types[2]}) -> (tensor<11x2x3xf32>, tensor<4xf32>, tensor<2x3x5x7x3x4xf32>) {{
    %0 = "stablehlo.einsum"(%a, %b) <{{einsum_config = "abck,cad->dab"}}> : ({types[0]}, {types[1]}) -> tensor<11x2x3xf32>
    %1 = "stablehlo.unary_einsum"(%c) <{{einsum_config = "ab->b"}}> : ({types[2]}) -> tensor<4xf32>
    %2 = "stablehlo.einsum"(%a, %c) <{{einsum_config = "abcd,ef->abcdef"}}> : ({types[0]}, {types[2]}) -> tensor<2x3x5x7x3x4xf32>
    return %0, %1, %2 : tensor<11x2x3xf32>, tensor<4xf32>, tensor<2x3x5x7x3x4xf32>
}}
"""
    got = run_text(text, [a, b, c], scratch, tmp_path)
    np.testing.assert_array_equal(got["output0"], np.einsum("abck,cad->dab", a, b))
    np.testing.assert_array_equal(got["output1"], c.sum(0))
    np.testing.assert_array_equal(got["output2"], np.einsum("abcd,ef->abcdef", a, c))


# -- select_and_scatter


def select_and_scatter(x, source, initial, window, strides, padding, keeps, combine) -> np.ndarray:
    """The specification's loops."""
    result = np.full(x.shape, initial, np.float64)
    for at in np.ndindex(*source.shape):
        chosen = None
        for tap in itertools.product(*(range(w) for w in window)):
            cell = tuple(a * s + t - p[0] for a, s, t, p in zip(at, strides, tap, padding))
            if any(c < 0 or c >= n for c, n in zip(cell, x.shape)):
                continue
            if chosen is None or not keeps(x[chosen], x[cell]):
                chosen = cell
        if chosen is not None:
            result[chosen] = combine(result[chosen], source[at])
    return result


CASES = {
    "pool2": ((1, 9, 12, 3), (1, 2, 2, 1), (1, 2, 2, 1), ((0, 0), (0, 0), (0, 0), (0, 0))),
    "pool3_overlapping": ((2, 11, 9, 2), (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (0, 0), (0, 0), (0, 0))),
    "same_padding": ((2, 7, 8, 3), (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (0, 1), (0, 0))),
    "dense": ((2, 5, 13), (1, 3, 4), (1, 1, 1), ((0, 0), (1, 1), (2, 1))),
    "gaps": ((40, 11), (1, 2), (1, 5), ((0, 0), (0, 0))),
    "much_padding": ((6, 5), (2, 2), (2, 2), ((3, 3), (0, 3))),
    "one_dim": ((257,), (3,), (2,), ((1, 1),)),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("direction, combiner, initial", (("GE", "add", 0.0), ("GT", "add", 0.5), ("LE", "add", 0.0), ("GE", "maximum", -1.0)))
def test_select_and_scatter(name, direction, combiner, initial, target, scratch, tmp_path):
    shape, window, strides, padding = CASES[name]
    out = tuple((n + sum(p) - w) // s + 1 for n, p, w, s in zip(shape, padding, window, strides))
    x = values(shape, NAN, -INF, INF, -0.0) if direction == "GE" else values(shape)  # ties, and NaN that nothing keeps
    source = values(out)
    text = f"""func.func @main(%x: {tensor(shape)}, %s: {tensor(out)}) -> {tensor(shape)} {{
    %i = stablehlo.constant dense<{initial}> : tensor<f32>
    %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{{window_dimensions = array<i64: {", ".join(map(str, window))}>, window_strides = array<i64: {", ".join(map(str, strides))}>, padding = dense<{[list(p) for p in padding]}> : tensor<{len(padding)}x2xi64>}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare {direction}, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }}, {{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %r = stablehlo.{combiner} %a, %b : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }}) : ({tensor(shape)}, {tensor(out)}, tensor<f32>) -> {tensor(shape)}
    return %0 : {tensor(shape)}
}}
"""
    keeps = {"GE": np.greater_equal, "GT": np.greater, "LE": np.less_equal}[direction]
    combine = {"add": np.add, "maximum": np.maximum}[combiner]
    want = select_and_scatter(x, source, initial, window, strides, padding, keeps, combine)  # eighths: sums are exact
    np.testing.assert_array_equal(run_text(text, [x, source], scratch, tmp_path, target)["output0"], want.astype(np.float32))


# -- batch norms


def check_norm(got, want, ulps=64.0):
    for i, w in enumerate(want):
        g = got[f"output{i}"].astype(np.float64)
        assert np.max(np.abs(g - w)) <= ulps * 2.0**-24 * max(np.max(np.abs(w)), 1e-3), f"output{i}"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape, feature", (((8, 5, 6, 17), 3), ((8, 17, 5, 6), 1), ((130, 3), 1)))
def test_batch_norms(shape, feature, target, scratch, tmp_path):
    generator = np.random.default_rng(9)
    features = shape[feature]
    x, g = (generator.normal(0.5, 2, shape).astype(np.float32) for _ in range(2))
    scale, offset, mean = (generator.normal(1, 0.5, features).astype(np.float32) for _ in range(3))
    variance = generator.uniform(0.5, 4, features).astype(np.float32)
    axes = tuple(d for d in range(len(shape)) if d != feature)
    spread = tuple(features if d == feature else 1 for d in range(len(shape)))
    wide = lambda a: a.astype(np.float64)  # noqa: E731
    per = lambda a: wide(a).reshape(spread)  # noqa: E731
    epsilon, count = float(np.float32(1e-3)), x.size / features
    t, f = tensor(shape), tensor((features,))
    attributes = f"<{{epsilon = 1.0e-3 : f32, feature_index = {feature} : i64}}>"

    text = f"""func.func @main(%x: {t}, %s: {f}, %o: {f}) -> ({t}, {f}, {f}) {{
    %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) {attributes} : ({t}, {f}, {f}) -> ({t}, {f}, {f})
    return %0#0, %0#1, %0#2 : {t}, {f}, {f}
}}
"""
    m, v = wide(x).mean(axes), wide(x).var(axes)
    y = (wide(x) - m.reshape(spread)) / np.sqrt(v.reshape(spread) + epsilon) * per(scale) + per(offset)
    check_norm(run_text(text, [x, scale, offset], scratch, tmp_path, target), [y, m, v])

    text = f"""func.func @main(%x: {t}, %s: {f}, %o: {f}, %m: {f}, %v: {f}) -> {t} {{
    %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {attributes} : ({t}, {f}, {f}, {f}, {f}) -> {t}
    return %0 : {t}
}}
"""
    y = (wide(x) - per(mean)) / np.sqrt(per(variance) + epsilon) * per(scale) + per(offset)
    check_norm(run_text(text, [x, scale, offset, mean, variance], scratch, tmp_path, target), [y])

    text = f"""func.func @main(%x: {t}, %s: {f}, %m: {f}, %v: {f}, %g: {t}) -> ({t}, {f}, {f}) {{
    %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) {attributes} : ({t}, {f}, {f}, {f}, {t}) -> ({t}, {f}, {f})
    return %0#0, %0#1, %0#2 : {t}, {f}, {f}
}}
"""
    centred, root = wide(x) - per(mean), np.sqrt(per(variance) + epsilon)
    total = wide(g).sum(axes).reshape(spread)
    along = (wide(g) * centred).sum(axes).reshape(spread)
    dx = per(scale) / root / count * (count * wide(g) - total - along * centred / (per(variance) + epsilon))
    ds = (wide(g) * centred / root).sum(axes)
    check_norm(run_text(text, [x, scale, mean, variance, g], scratch, tmp_path, target), [dx, ds, wide(g).sum(axes)], 400)


@pytest.mark.parametrize("target", TARGETS)
def test_windows_combine_in_row_major_order(target, scratch, tmp_path):
    """Composition of affine maps is associative and does not commute: the order of a window's elements shows."""
    import jax
    from jax import lax

    random = np.random.default_rng(5)
    factors, offsets = (random.integers(-2, 3, (6, 7)).astype(np.float32) for _ in range(2))

    def compose(first, second):
        return first[0] * second[0], first[1] * second[0] + second[1]

    def windows(a, b):
        return lax.reduce_window((a, b), (np.float32(1), np.float32(0)), compose, (3, 2), (2, 1), "VALID")

    program, arrays = tmp_path / "windows.mlir", tmp_path / "inputs.npz"
    program.write_text(jax.jit(windows).lower(factors, offsets).as_text())
    np.savez(arrays, input0=factors, input1=offsets)
    out = execute(program, arrays, scratch, "--check", target=target)[0]
    expected = np.zeros((2, 2, 6), np.float32)
    for i in range(2):
        for j in range(6):
            state = (1.0, 0.0)
            for row in range(3):
                for column in range(2):
                    at = 2 * i + row, j + column
                    state = compose(state, (factors[at], offsets[at]))
            expected[:, i, j] = state
    np.testing.assert_array_equal(np.stack([out["output0"], out["output1"]]), expected)
