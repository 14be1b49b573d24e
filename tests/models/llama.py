"""A Llama-style block: RMSNorm, rotary positions, grouped-query attention, SwiGLU; bfloat16 and float32."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from common import Program, cast, normal

BATCH, SEQUENCE, WIDTH, HEADS, KEY_HEADS, SIZE, HIDDEN = 2, 24, 96, 6, 2, 16, 256


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


def block(types, x, norm1, query_w, key_w, value_w, out_w, norm2, gate_w, up_w, down_w):
    batch, sequence, _ = x.shape
    normed = rms_norm(types, x, norm1)
    query = rotate(types, (normed @ query_w).reshape(batch, sequence, HEADS, SIZE))
    key = rotate(types, (normed @ key_w).reshape(batch, sequence, KEY_HEADS, SIZE))
    value = (normed @ value_w).reshape(batch, sequence, KEY_HEADS, SIZE)
    grouped = query.reshape(batch, sequence, KEY_HEADS, HEADS // KEY_HEADS, SIZE)
    scores = jnp.einsum("bqkgd,bskd->bkgqs", grouped, key, preferred_element_type=types.wide)
    visible = jnp.tril(jnp.ones((sequence, sequence), bool))
    scores = jnp.where(visible, scores * jnp.asarray(SIZE**-0.5, types.wide), jnp.asarray(-1e9, types.wide))
    shares = jax.nn.softmax(scores, axis=-1).astype(types.narrow)
    mixed = jnp.einsum("bkgqs,bskd->bqkgd", shares, value).reshape(batch, sequence, HEADS * SIZE)
    x = x + mixed @ out_w
    normed = rms_norm(types, x, norm2)
    return x + (jax.nn.silu(normed @ gate_w) * (normed @ up_w)) @ down_w


def gradients(types, *arguments):
    def loss(arguments):
        return jnp.mean(block(types, *arguments).astype(types.wide) ** 2)

    value, found = jax.value_and_grad(loss)(arguments)
    return value, *found


def arguments(types) -> list[np.ndarray]:
    def weight(rows, columns, name):
        return normal((rows, columns), "llama", name, scale=rows**-0.5)

    arrays = [
        normal((BATCH, SEQUENCE, WIDTH), "llama x"),
        1 + normal((WIDTH,), "llama norm1", scale=0.1),
        weight(WIDTH, HEADS * SIZE, "query"),
        weight(WIDTH, KEY_HEADS * SIZE, "key"),
        weight(WIDTH, KEY_HEADS * SIZE, "value"),
        weight(HEADS * SIZE, WIDTH, "out"),
        1 + normal((WIDTH,), "llama norm2", scale=0.1),
        weight(WIDTH, HIDDEN, "gate"),
        weight(WIDTH, HIDDEN, "up"),
        weight(HIDDEN, WIDTH, "down"),
    ]
    return [cast(a, types) for a in arrays]


def programs() -> list[Program]:
    return [
        Program("llama_bf16", block, lambda: arguments("bfloat16"), types="bfloat16"),
        Program("llama_grads", gradients, lambda: arguments("float32")),
        Program("llama_grads_bf16", gradients, lambda: arguments("bfloat16"), types="bfloat16"),
    ]
