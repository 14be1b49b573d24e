"""Programs of a few ops each, one per behaviour, with unequal and odd sizes so that a wrong order or a lost tail shows."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from common import Program, cast, generator, normal

TINY: list[Program] = []


def program(*shapes, types="float32", donated=(), name=None, margins=None, values=None):
    """Registers `function(types, *arrays)` with N(0, 1) inputs of these shapes, or with `values()`."""

    def register(function):
        title = name or function.__name__
        label = "tiny_" + title

        def arguments():
            if values is not None:
                return [cast(np.asarray(v), types) for v in values()]
            return [cast(normal(s, label, i), types) for i, s in enumerate(shapes)]

        TINY.append(Program(label, function, arguments, donated, types, margins=margins or {}, group="probe"))
        return function

    return register


def integers(shape, *label, low=-50, high=50):
    return generator("tiny", *label).integers(low, high, shape).astype(np.int32)


# Contractions. Sizes: within one tile, several tiles with tails on all axes, one row, one column, batches.


def dot(types, a, b):
    return a @ b


for m, k, n in ((3, 5, 7), (128, 128, 512), (131, 257, 515), (1, 300, 33), (77, 300, 1), (200, 1, 130)):
    program((m, k), (k, n), name=f"dot_{m}x{k}x{n}")(dot)
program((131, 257), (257, 140), types="bfloat16", name="dot_bf16")(dot)
program((131, 257), (257, 140), types="float16", name="dot_fp16")(dot)


@program((67, 96), (96, 131), types="bfloat16")
def dot_bf16_to_fp32(types, a, b):
    return jnp.matmul(a, b, preferred_element_type=types.wide)


@program((257, 131), (140, 257))
def dot_both_transposed(types, a, b):
    return lax.dot_general(a, b, (((0,), (1,)), ((), ())))


@program((3, 2, 17, 33), (3, 2, 33, 21))
def dot_batched(types, a, b):
    return jnp.einsum("abmk,abkn->abmn", a, b)


@program((3, 17, 2, 33), (3, 21, 2, 33))
def dot_batch_inside(types, a, b):
    return jnp.einsum("amhk,anhk->ahmn", a, b)


@program((9, 5, 33), (5, 33, 14))
def dot_two_contracting(types, a, b):
    return jnp.einsum("mjk,jkn->mn", a, b)


@program((257,), (257,))
def dot_vectors(types, a, b):
    return a @ b


@program((33, 65), (65, 130), (130,))
def dot_bias_relu(types, a, b, c):
    return jnp.maximum(a @ b + c, 0)


@program((40, 3000), (3000, 24))
def dot_long_sum(types, a, b):
    return a @ b


# Elementwise, broadcasts, types.


@program((7, 13), (7, 13))
def add(types, a, b):
    return a + b


@program((130, 1030), (130, 1030))
def add_wide(types, a, b):
    return a + b


@program((), ())
def add_scalars(types, a, b):
    return a + b


@program((100_003,))
def add_long_vector(types, a):
    return a + a * 3


@program((5, 131, 9))
def elementwise(types, a):
    positive = jnp.abs(a) + 0.5
    return (
        jnp.exp(a), jnp.log(positive), jnp.tanh(a), lax.rsqrt(positive), jnp.sqrt(positive), lax.logistic(a), jnp.sin(a),
        -a, jnp.sign(a),
    )  # fmt: skip


@program((33, 70), (33, 70))
def elementwise_two(types, a, b):
    return a - b, a * b, a / (jnp.abs(b) + 0.25), jnp.maximum(a, b), jnp.minimum(a, b), (jnp.abs(a) + 0.1) ** b


@program((33, 70), (33, 70), types="bfloat16")
def elementwise_bf16(types, a, b):
    return a + b, a * b, jnp.exp(a), jnp.tanh(b), a.astype(types.wide) - b.astype(types.wide)


@program((17, 1), (1, 23), (23,), ())
def broadcasts(types, a, b, c, d):
    return a + b * c + d


@program((6, 50), types="float32")
def gelu(types, a):
    return jax.nn.gelu(a, approximate=True)


@program((29, 11), (29, 11), margins={0: lambda types, a, b: abs(a - b) / jnp.maximum(abs(a), abs(b))})
def compare_select(types, a, b):
    return a < b, jnp.where(a < b, a, b * 2), lax.clamp(jnp.asarray(-0.5, types.narrow), a, jnp.asarray(0.75, types.narrow))


@program(values=lambda: [integers((19, 37), "a"), integers((19, 37), "b", low=1)])
def integer_arithmetic(types, a, b):
    return a + b, a - b, a * b, lax.div(a, b), lax.shift_left(a, b & 7), a ^ b, a & b, a | b, lax.neg(a), jnp.abs(a)


@program(values=lambda: [integers((5, 9), "a"), normal((5, 9), "tiny convert") * 20])
def converts(types, a, b):
    return a.astype(types.narrow), b.astype(jnp.int32), a > 3, (a > 3).astype(types.narrow), b.astype(jnp.bfloat16).astype(types.narrow)


@program(values=lambda: [np.array([[0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 1e-30, -3e38]], np.float32).repeat(3, 0)])
def special_values(types, a):
    return a + 1, a * 2, jnp.maximum(a, 0), jnp.exp(a), a - a, jnp.tanh(a), jnp.isnan(a)


@program((40, 33))
def zeros(types, a):
    return a * 0, jnp.zeros((40, 33), types.narrow), (a - a) @ jnp.ones((33, 7), types.narrow)


@program((11, 6))
def iota(types, a):
    return a * lax.broadcasted_iota(jnp.int32, (11, 6), 0).astype(types.narrow) + jnp.arange(6, dtype=jnp.int32).astype(types.narrow)


@program((9, 14))
def constant_dense(types, a):
    return a * jnp.asarray(normal((9, 14), "tiny constant"), types.narrow)


# Ops that no model here uses: they run right or are refused with a code.


@program((17, 9))
def cosine(types, a):
    return jnp.cos(a)


@program((17, 9))
def expm1_log1p(types, a):
    return lax.expm1(a * jnp.asarray(0.01, types.narrow)), lax.log1p(jnp.abs(a) * jnp.asarray(0.01, types.narrow))


@program((17, 9))
def floor_ceil(types, a):
    return jnp.floor(a * 3), jnp.ceil(a * 3)


@program(values=lambda: [integers((19, 37), "a"), integers((19, 37), "b", low=1)])
def remainder(types, a, b):
    return lax.rem(a, b)


# Reductions.


@program((13, 37, 50))
def reductions(types, a):
    return a.sum(-1), a.sum(0), a.sum((0, 2)), a.max(-1), a.min(1), a.sum(), (a * a).mean(-1)


@program((7, 40000))
def reduce_long(types, a):
    return a.sum(-1)


@program((5000, 9))
def reduce_tall(types, a):
    return a.sum(0), a.max(0)


@program((130, 257))
def softmax(types, a):
    return jax.nn.softmax(a, axis=-1)


@program((37, 130), types="bfloat16")
def softmax_bf16(types, a):
    return jax.nn.softmax(a.astype(types.wide), axis=-1).astype(types.narrow)


@program((45, 31))
def softmax_rows(types, a):
    return jax.nn.softmax(a, axis=0)


@program((35, 192), (192,), (192,))
def layernorm(types, x, scale, bias):
    centred = x - jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean(centred * centred, -1, keepdims=True)
    return centred * lax.rsqrt(variance + jnp.asarray(1e-5, types.narrow)) * scale + bias


# Movement.


@program((33, 65))
def transpose(types, a):
    return a.T


@program((3, 5, 130, 7))
def transpose_four(types, a):
    return a.transpose(2, 0, 3, 1), a.transpose(0, 2, 1, 3)


@program((260, 390), types="bfloat16")
def transpose_bf16(types, a):
    return a.T


@program((12, 35))
def reshapes(types, a):
    return a.reshape(35, 12), a.reshape(4, 3, 5, 7), a.reshape(-1) + 1


@program((20, 31))
def slices(types, a):
    return a[3:17, 5:29], a[::2, ::3], lax.rev(a, (1,)), lax.rev(a, (0,)) + 1


@program((20, 31), (20, 5), (4, 31))
def concatenates(types, a, b, c):
    return jnp.concatenate([a, b], 1), jnp.concatenate([c, a, c], 0)


@program((6, 9))
def pads(types, a):
    value = jnp.asarray(-1.5, types.narrow)
    return lax.pad(a, value, ((1, 2, 0), (0, 3, 1))), lax.pad(a, value, ((-1, 2, 0), (0, -3, 0)))


@program(values=lambda: [normal((300, 40), "tiny gather"), integers((7, 11), "gather", low=0, high=300)])
def gather(types, table, rows):
    return table[rows]


@program(values=lambda: [normal((6, 50, 8), "tiny gather2"), integers((6, 3), "gather2", low=0, high=50)])
def gather_batched(types, table, rows):
    return jnp.take_along_axis(table, rows[:, :, None], axis=1)


@program(values=lambda: [normal((30, 41), "tiny ds"), np.array(11, np.int32), np.array(38, np.int32)])
def dynamic_slices(types, a, i, j):
    """The second start is out of range and is clamped."""
    return lax.dynamic_slice(a, (i, j), (7, 9))


@program(values=lambda: [normal((30, 41), "tiny dus"), normal((4, 41), "tiny dus2"), np.array(28, np.int32)], donated=(0,))
def update_donated(types, a, b, i):
    """In place, and the start is clamped to 26."""
    return lax.dynamic_update_slice(a, b, (i, jnp.int32(0)))


@program(values=lambda: [normal((30, 41), "tiny dus"), normal((4, 7), "tiny dus3"), np.array(5, np.int32), np.array(9, np.int32)])
def update_copied(types, a, b, i, j):
    return lax.dynamic_update_slice(a, b, (i, j)), a * 2


# Control flow.


@program((12, 12))
def while_known_trips(types, a):
    return lax.fori_loop(0, 5, lambda i, x: x @ a * jnp.asarray(0.3, types.narrow) + i.astype(types.narrow), a)


@program(values=lambda: [normal((9, 14), "tiny while"), np.array(6, np.int32)])
def while_input_trips(types, a, n):
    return lax.fori_loop(0, n, lambda i, x: x * jnp.asarray(0.9, types.narrow) + i.astype(types.narrow), a)


@program(values=lambda: [normal((9, 14), "tiny while"), np.array(0, np.int32)])
def while_zero_trips(types, a, n):
    return lax.fori_loop(0, n, lambda i, x: x + 1, a)


@program((8, 8))
def while_unknown_trips(types, a):
    def go_on(state):
        return jnp.sum(jnp.abs(state[1])) > 2.0

    return lax.while_loop(go_on, lambda state: (state[0] + 1, state[1] * 0.75), (jnp.int32(0), a))


@program((6, 10), (6, 10))
def while_swapped_carries(types, a, b):
    return lax.fori_loop(0, 3, lambda i, s: (s[1], s[0] + 1), (a, b))


@program(values=lambda: [normal((40, 16), "tiny while dus"), normal((16,), "tiny while dus row")])
def while_update_rows(types, a, row):
    """A while carry updated in place row by row: what a scan lowers to."""

    def body(i, x):
        return lax.dynamic_update_slice(x, (x[i] * 2 + row)[None], (i, jnp.zeros_like(i)))

    return lax.fori_loop(0, 7, body, a)


@program((5, 12, 8), (12, 8))
def scan(types, xs, x0):
    def body(carry, x):
        carry = carry * jnp.asarray(0.5, types.narrow) + x
        return carry, jnp.sum(carry, -1)

    return lax.scan(body, x0, xs)


@program((6, 8))
def while_nested(types, a):
    return lax.fori_loop(0, 3, lambda i, x: lax.fori_loop(0, i + 1, lambda j, y: y + j.astype(types.narrow), x) * 0.5, a)


for taken in (0, 1):

    @program(name=f"cond_{taken}", values=lambda taken=taken: [normal((21, 9), "tiny cond"), np.array(taken, np.int32)])
    def cond(types, a, which):
        return lax.cond(which > 0, lambda x: x * 2, lambda x: jnp.exp(x), a)


for taken in (-3, 0, 1, 2, 9):

    @program(name=f"switch_{taken}".replace("-", "m"), values=lambda taken=taken: [normal((21, 9), "tiny sw"), np.array(taken, np.int32)])
    def switch(types, a, which):
        return lax.switch(which, [lambda x: x + 1, lambda x: x * x, lambda x: -x], a)


@program((10, 6))
def private_calls(types, a):
    double = jax.jit(lambda x: x * 2)
    return double(double(a)) + jax.nn.silu(a)


@program((8, 8))
def output_is_input(types, a):
    return a, a + 1, a


@program((0, 5), (3, 5))
def empty_tensors(types, a, b):
    return jnp.concatenate([a, b], 0), a * 2, jnp.sum(a, 0)


# Larger than SBUF (24 MiB), so that it must be cut.


@program((500, 1536), (1536, 3001), name="dot_large")
def dot_large(types, a, b):
    return a @ b


@program((2500, 2701), name="transpose_large")
def transpose_large(types, a):
    return a.T + 1


def programs() -> list[Program]:
    return TINY
