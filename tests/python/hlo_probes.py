"""Small JAX functions around each HLO opcode that JAX reaches, with inputs that tell wrong readings apart: unequal sizes,
asymmetric values, dimensions in unusual orders."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def floats(*shape, seed=0, low=-2.0, high=2.0):
    return np.random.default_rng([seed, *shape]).uniform(low, high, shape).astype(np.float32)


def ints(*shape, seed=0, low=-9, high=9, dtype=np.int32):
    return np.random.default_rng([seed, *shape]).integers(low, high, shape, endpoint=True).astype(dtype)


def complexes(*shape):
    return (floats(*shape) + 1j * floats(*shape, seed=1)).astype(np.complex64)


X, Y, P = floats(3, 5), floats(3, 5, seed=1), floats(3, 5, seed=2, low=0.1)
I, J = ints(3, 5), ints(3, 5, seed=1, low=1)
U = ints(3, 5, seed=3, low=0, high=2**31 - 1, dtype=np.uint32)

UNARY = {
    "abs": (jnp.abs, X), "acos": (lax.acos, X / 3), "acosh": (lax.acosh, P + 1), "asin": (lax.asin, X / 3), "asinh": (lax.asinh, X),
    "atan": (lax.atan, X), "atanh": (lax.atanh, X / 3), "cbrt": (lax.cbrt, X), "ceil": (lax.ceil, X), "cosh": (lax.cosh, X),
    "cosine": (lax.cos, X), "erf": (lax.erf, X), "exponential": (lax.exp, X), "exponential_minus_one": (lax.expm1, X),
    "floor": (lax.floor, X), "is_finite": (lax.is_finite, X), "log": (lax.log, P), "log_plus_one": (lax.log1p, P),
    "logistic": (lax.logistic, X), "negate": (lax.neg, X), "not": (lax.bitwise_not, I), "popcnt": (lax.population_count, U),
    "count_leading_zeros": (lax.clz, U), "round_nearest_afz": (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), X),
    "round_nearest_even": (jnp.round, X * 2), "rsqrt": (lax.rsqrt, P), "sign": (lax.sign, X), "sine": (lax.sin, X),
    "sinh": (lax.sinh, X), "sqrt": (lax.sqrt, P), "tan": (lax.tan, X / 2), "tanh": (lax.tanh, X), "square": (jnp.square, X),
    "real": (lax.real, complexes(3, 5)), "imag": (lax.imag, complexes(3, 5)), "conjugate": (lax.conj, complexes(3, 5)),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 5, 2), X),
    "convert_to_s32": (lambda x: x.astype(jnp.int32), X * 4), "convert_to_bf16": (lambda x: x.astype(jnp.bfloat16).astype(jnp.float32), X),
    "convert_to_f16": (lambda x: x.astype(jnp.float16).astype(jnp.float32), X), "convert_pred": (lambda x: (x > 0).astype(jnp.int8), X),
    "bitcast_convert": (lambda x: lax.bitcast_convert_type(x, jnp.uint32), X), "bitcast_narrower": (lambda x: lax.bitcast_convert_type(x, jnp.uint8), U),
    "opt_barrier": (lambda x: lax.optimization_barrier((x, x * 2))[1], X),
}  # fmt: skip

BINARY = {
    "add": (lax.add, X, Y), "add_pred": (lambda x, y: (x > 0) + (y > 0), X, Y), "and": (lax.bitwise_and, I, J), "atan2": (lax.atan2, X, Y),
    "complex": (lax.complex, X, Y), "divide": (lax.div, X, P), "divide_s32": (lax.div, I, J), "maximum": (lax.max, X, Y),
    "minimum": (lax.min, X, Y), "multiply": (lax.mul, X, Y), "or": (lax.bitwise_or, I, J), "power": (lax.pow, P, Y),
    "remainder": (lax.rem, X, P), "shift_left": (lambda x, n: lax.shift_left(x, n & 7), I, J),
    "shift_right_arithmetic": (lambda x, n: lax.shift_right_arithmetic(x, n & 7), I, J),
    "shift_right_logical": (lambda x, n: lax.shift_right_logical(x, n & 7), I, J), "subtract": (lax.sub, X, Y), "xor": (lax.bitwise_xor, I, J),
}  # fmt: skip


def convolution(x, w):
    return lax.conv_general_dilated(
        x, w, window_strides=(2, 1), padding=((1, 2), (0, -1)), lhs_dilation=(1, 2), rhs_dilation=(2, 1),
        dimension_numbers=lax.ConvDimensionNumbers((0, 3, 1, 2), (3, 2, 0, 1), (1, 3, 0, 2)), feature_group_count=2,
    )  # fmt: skip


def convolution_gradient(x, w):
    def loss(w):
        return jnp.sum(lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=2) ** 2)

    return jax.grad(loss)(w)


def gather(x, at):
    numbers = lax.GatherDimensionNumbers(offset_dims=(0, 2), collapsed_slice_dims=(1,), start_index_map=(2, 1))
    return lax.gather(x, at, numbers, slice_sizes=(2, 1, 3), mode="clip")


def batched_take(x, at):
    return jnp.take_along_axis(x, at, axis=1)


def scatter(x, at, updates):
    numbers = lax.ScatterDimensionNumbers(update_window_dims=(0,), inserted_window_dims=(1,), scatter_dims_to_operand_dims=(1,))
    return lax.scatter_add(x, at, updates, numbers, indices_are_sorted=False, unique_indices=False, mode=lax.GatherScatterMode.FILL_OR_DROP)


def scatter_apply(x, at, updates):
    return x.at[at].min(updates), x.at[at].max(updates), x.at[at].multiply(updates)


def variadic_reduce(x, n):
    def larger(a, b):
        first = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
        return jnp.where(first, a[0], b[0]), jnp.where(first, a[1], b[1])

    return lax.reduce((x, n), (np.float32(-np.inf), np.int32(99)), larger, dimensions=(0, 2))


def loop(x, n):
    def body(state):
        i, x, y = state
        return i + 1, y, x * 0.5 + y

    return lax.while_loop(lambda s: s[0] < n, body, (np.int32(0), x, x + 1))[1:]


def nested_branches(n, x, y):
    def inner(a, b):
        return lax.cond(a.sum() > 0, lambda: a - b, lambda: b)

    return lax.switch(n, [lambda: x + 1, lambda: inner(x, y), lambda: inner(y, x * 2), lambda: y], *())


def scan(x, c):
    return lax.scan(lambda c, a: (c * 0.5 + a, (c, a.sum())), c, x)


def inner_calls(x):
    @jax.jit
    def twice(v):
        return v * 2 + 1

    @jax.jit
    def four(v):
        return twice(twice(v))

    return four(x) + twice(x)


OTHERS = {
    "argmax": (lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0)), X),
    "bf16_constant": (lambda x: x.astype(jnp.bfloat16) * np.asarray([1.5, -2, 3, 0.125, 7], jnp.bfloat16), X),
    "broadcast": (lambda x: lax.broadcast_in_dim(x, (2, 5, 4, 3), (3, 1)), X),
    "broadcast_ones": (lambda x: lax.broadcast_in_dim(x, (2, 4, 3, 5), (1, 2)), floats(1, 3)),
    "case": (nested_branches, np.int32(1), X, Y),
    "cholesky": (lambda x: lax.linalg.cholesky(x @ x.T + 3 * jnp.eye(3)), X),
    "clamp": (lambda x, a: lax.clamp(a, x, a + 1), X, np.float32(-0.5)),
    "clamp_arrays": (lambda x, a: lax.clamp(a, x, a + 1), X, Y),
    "compare": (lambda x, y: (x < y, x <= y, x == y, x != y, x > y, x >= y), np.round(X), np.round(Y)),
    "compare_unsigned": (lambda x: x < x[::-1], U),
    "concatenate": (lambda x, y: jnp.concatenate([x, y[:, :2], x], 1), X, Y),
    "conditional": (lambda x, y: lax.cond(x.sum() > 100, lambda a, b: a - b, lambda a, b: b - a * 2, x, y), X, Y),
    "constants": (lambda x: (x + np.arange(5, dtype=np.float32), np.asarray([[True], [False], [True]]) & (x > 0), np.asarray([-1, 2**31 - 1, 0], np.int32)), X),
    "constants_narrow": (lambda x: (x.astype(jnp.int8) + np.asarray([-128, 5, 127, 0, 1], np.int8), x.astype(jnp.uint16) + np.asarray([0, 1, 65535, 2, 3], np.uint16)), P),
    "convolution": (convolution, floats(2, 6, 7, 4), floats(2, 3, 2, 6)),
    "convolution_gradient": (convolution_gradient, floats(2, 7, 6, 4), floats(3, 2, 2, 6)),
    "cumsum": (lambda x: (jnp.cumsum(x, 1), lax.cumprod(x, 0, reverse=True)), X),
    "dot": (lambda x, y: x @ y, floats(3, 4), floats(4, 5)),
    "dot_general": (lambda x, y: lax.dot_general(x, y, (((2, 0), (1, 3)), ((3,), (2,)))), floats(4, 5, 3, 2), floats(6, 3, 2, 4)),
    "dot_precision": (lambda x, y: jnp.matmul(x, y, precision=("highest", "high")), floats(3, 4), floats(4, 5)),
    "dot_algorithm": (lambda x, y: lax.batch_matmul(x, y, precision="BF16_BF16_F32_X3"), floats(2, 3, 4), floats(2, 4, 5)),
    "dot_mixed": (lambda x, y: lax.dot(x.astype(jnp.bfloat16), y.astype(jnp.bfloat16), preferred_element_type=jnp.float32), floats(3, 4), floats(4, 5)),
    "dynamic_slice": (lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 3)), X, np.int32(4), np.int32(1)),
    "dynamic_update_slice": (lambda x, y, i: lax.dynamic_update_slice(x, y[:2, :3], (i, 1)), X, Y, np.int32(1)),
    "fft": (lambda x: jnp.fft.fft(x), complexes(3, 8)), "ifft": (lambda x: jnp.fft.ifft(x), complexes(3, 8)),
    "rfft": (lambda x: jnp.fft.rfft(x), floats(3, 8)), "irfft": (lambda x: jnp.fft.irfft(x, 8), complexes(3, 5)),
    "gather": (gather, floats(4, 5, 6), np.asarray([[1, 2], [3, 0], [9, 4]], np.int32)),
    "gather_batched": (batched_take, X, np.asarray([[1, 0], [4, 4], [2, 3]], np.int32)),
    "inner_calls": (inner_calls, X),
    "iota": (lambda x: x + lax.broadcasted_iota(jnp.float32, (3, 5), 1), X),
    "pad": (lambda x, v: lax.pad(x, v, ((1, 2, 1), (-1, 3, 0))), X, np.float32(7)),
    "reduce": (lambda x, i: (x.sum(1), x.max(0), x.min(), jnp.prod(x, 1), (x > 0).all(0), (x > 1).any(1), lax.reduce(i, np.int32(0), lax.bitwise_xor, (0,))), X, I),
    "reduce_variadic": (variadic_reduce, np.round(floats(3, 4, 5)), ints(3, 4, 5)),
    "reduce_window": (lambda x: lax.reduce_window(x, -np.inf, lax.max, (1, 2, 3), (1, 2, 1), ((0, 0), (1, 0), (0, 2)), (1, 1, 2), (1, 2, 1)), floats(2, 5, 6)),
    "reshape": (lambda x: x.reshape(5, 3), X), "reverse": (lambda x: lax.rev(x, (1,)), X),
    "rng_bit_generator": (lambda k: lax.rng_bit_generator(k, (3, 4)), np.asarray([1, 2, 3, 4], np.uint32)),
    "scan": (scan, X, floats(5, seed=4)),
    "scatter": (scatter, floats(4, 5), np.asarray([[1], [9], [0], [1]], np.int32), floats(4, 4, seed=5)),
    "scatter_apply": (scatter_apply, floats(6, 2), np.asarray([1, 4, 1], np.int32), floats(3, 2, seed=6)),
    "select": (lambda x, y: jnp.where(x > y, x, -y), X, Y),
    "select_and_scatter": (jax.grad(lambda x: (lax.reduce_window(x, -np.inf, lax.max, (2, 3), (2, 2), ((0, 1), (1, 0))) ** 2).sum()), floats(5, 6)),
    "slice": (lambda x: lax.slice(x, (0, 1), (3, 5), (2, 3)), X),
    "sort": (lambda x, i: lax.sort((x, i), dimension=0, num_keys=1), X, I),
    "sort_stable": (lambda i, x: lax.sort((i % 3, x), dimension=1, is_stable=True, num_keys=1), I, X),
    "top_k": (lambda x: lax.top_k(x, 3), X),
    "threefry": (lambda k: jax.random.uniform(jax.random.wrap_key_data(k), (4, 3)), np.asarray([7, 8], np.uint32)),
    "transpose": (lambda x: lax.transpose(x, (2, 0, 1)), floats(2, 3, 4)),
    "triangular_solve": (lambda a, b: lax.linalg.triangular_solve(a + 4 * jnp.eye(3), b, left_side=True, lower=True, transpose_a=True), floats(3, 3), floats(3, 2)),
    "tuple": (lambda x, y: (y, x, y), X, Y),
    "while": (loop, X, np.int32(5)),
    "unused": (lambda x, y: x * 2, X, Y),
    "empty": (lambda x: (x[:0], x.sum() + jnp.zeros((0, 3)).sum()), X),
}  # fmt: skip

PROBES = {**UNARY, **BINARY, **OTHERS}
DONATED = (lambda state, x: (state + x, (state * x).sum()), X, Y)


def lowered(function, *arguments, **options):
    specs = [jax.ShapeDtypeStruct(np.shape(a), a.dtype) for a in arguments]
    return jax.jit(function, keep_unused=True, **options).trace(*specs).lower(lowering_platforms=("neuron",))


def proto(function, *arguments, **options) -> bytes:
    return lowered(function, *arguments, **options).compiler_ir("hlo").as_serialized_hlo_module_proto()


def right_values(function, *arguments) -> list[np.ndarray]:
    """On XLA:CPU, where JAX runs it."""
    return [np.asarray(r) for r in jax.tree.leaves(jax.jit(function)(*arguments))]
