"""A Llama-style block: RMSNorm, rotary positions, grouped-query attention, SwiGLU; bfloat16 and float32."""

from __future__ import annotations

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

from common import Program, cast, normal


@dataclasses.dataclass(frozen=True)
class Shape:
    batch: int = 2
    sequence: int = 24
    width: int = 96
    heads: int = 6
    key_heads: int = 2
    size: int = 16
    hidden: int = 256


def rms_norm(types, x, scale):
    wide = x.astype(types.wide)
    wide = wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + jnp.asarray(1e-5, types.wide))
    return (wide * scale.astype(types.wide)).astype(types.narrow)


def rotate(types, x):
    """Rotary positions on [batch, sequence, heads, size]: the halves of `size` are the two coordinates."""
    half = x.shape[-1] // 2
    rates = jnp.asarray(10000.0 ** (-np.arange(half) / half), jnp.float32).astype(types.wide)
    angles = jnp.arange(x.shape[1], dtype=jnp.int32).astype(types.wide)[:, None] * rates
    cosine, sine = jnp.cos(angles)[:, None, :], jnp.sin(angles)[:, None, :]
    first, second = x[..., :half].astype(types.wide), x[..., half:].astype(types.wide)
    return jnp.concatenate([first * cosine - second * sine, second * cosine + first * sine], -1).astype(types.narrow)


def block(shape, types, x, norm1, query_w, key_w, value_w, out_w, norm2, gate_w, up_w, down_w):
    batch, sequence, _ = x.shape
    normed = rms_norm(types, x, norm1)
    query = rotate(types, (normed @ query_w).reshape(batch, sequence, shape.heads, shape.size))
    key = rotate(types, (normed @ key_w).reshape(batch, sequence, shape.key_heads, shape.size))
    value = (normed @ value_w).reshape(batch, sequence, shape.key_heads, shape.size)
    grouped = query.reshape(batch, sequence, shape.key_heads, shape.heads // shape.key_heads, shape.size)
    scores = jnp.einsum("bqkgd,bskd->bkgqs", grouped, key, preferred_element_type=types.wide)
    visible = jnp.tril(jnp.ones((sequence, sequence), bool))
    scores = jnp.where(visible, scores * jnp.asarray(shape.size**-0.5, types.wide), jnp.asarray(-1e9, types.wide))
    shares = jax.nn.softmax(scores, axis=-1).astype(types.narrow)
    mixed = jnp.einsum("bkgqs,bskd->bqkgd", shares, value).reshape(batch, sequence, shape.heads * shape.size)
    x = x + mixed @ out_w
    normed = rms_norm(types, x, norm2)
    return x + (jax.nn.silu(normed @ gate_w) * (normed @ up_w)) @ down_w


def gradients(shape, types, *arguments):
    def loss(arguments):
        return jnp.mean(block(shape, types, *arguments).astype(types.wide) ** 2)

    value, found = jax.value_and_grad(loss)(arguments)
    return value, *found


def arguments(shape, types) -> list[np.ndarray]:
    def weight(rows, columns, name):
        return normal((rows, columns), "llama", name, scale=rows**-0.5)

    arrays = [
        normal((shape.batch, shape.sequence, shape.width), "llama x"),
        1 + normal((shape.width,), "llama norm1", scale=0.1),
        weight(shape.width, shape.heads * shape.size, "query"),
        weight(shape.width, shape.key_heads * shape.size, "key"),
        weight(shape.width, shape.key_heads * shape.size, "value"),
        weight(shape.heads * shape.size, shape.width, "out"),
        1 + normal((shape.width,), "llama norm2", scale=0.1),
        weight(shape.width, shape.hidden, "gate"),
        weight(shape.width, shape.hidden, "up"),
        weight(shape.hidden, shape.width, "down"),
    ]
    return [cast(a, types) for a in arrays]


def programs() -> list[Program]:
    shape = Shape()
    return [
        Program(name, functools.partial(function, shape), functools.partial(arguments, shape, types), types=types)
        for name, function, types in (
            ("llama_bf16", block, "bfloat16"),
            ("llama_grads", gradients, "float32"),
            ("llama_grads_bf16", gradients, "bfloat16"),
        )
    ]
