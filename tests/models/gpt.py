"""(b) A small pre-LN GPT forward and (c) its decode step with a KV cache updated in place."""

from __future__ import annotations

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

from common import Program, cast, generator, normal


@dataclasses.dataclass(frozen=True)
class Shape:
    layers: int = 2
    width: int = 128
    heads: int = 4
    batch: int = 2
    sequence: int = 64
    vocabulary: int = 512
    positions: int = 64


PER_LAYER = 12  # ln1 scale, ln1 bias, qkv w, qkv b, out w, out b, ln2 scale, ln2 bias, up w, up b, down w, down b


def layer_norm(types, x, scale, bias):
    wide = x.astype(types.wide)
    mean = jnp.mean(wide, axis=-1, keepdims=True)
    centred = wide - mean
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    normal_form = centred * jax.lax.rsqrt(variance + jnp.asarray(1e-5, types.wide))
    return (normal_form * scale.astype(types.wide) + bias.astype(types.wide)).astype(types.narrow)


def split_heads(shape, x):
    """[batch, sequence, width] -> [batch, heads, sequence, width / heads]."""
    batch, sequence, _ = x.shape
    return x.reshape(batch, sequence, shape.heads, shape.width // shape.heads).transpose(0, 2, 1, 3)


def merge_heads(x):
    batch, heads, sequence, size = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, sequence, heads * size)


def attend(types, query, key, value, visible):
    """Softmax in the wide type; `visible` is a mask broadcast over batch and heads."""
    scores = jnp.einsum("bhqd,bhkd->bhqk", query, key, preferred_element_type=types.wide)
    scores = scores * jnp.asarray(1.0 / np.sqrt(query.shape[-1]), types.wide)
    scores = jnp.where(visible, scores, jnp.asarray(-1e9, types.wide))
    weights = jax.nn.softmax(scores, axis=-1).astype(types.narrow)
    return jnp.einsum("bhqk,bhkd->bhqd", weights, value)


def mlp(x, up, up_bias, down, down_bias):
    return jax.nn.gelu(x @ up + up_bias, approximate=True) @ down + down_bias


def forward(shape, types, tokens, embedding, positions, *rest):
    """tokens [batch, sequence] -> logits [batch, sequence, vocabulary]; the head is the embedding (tied)."""
    x = embedding[tokens] + positions[: tokens.shape[1]]
    visible = jnp.tril(jnp.ones((tokens.shape[1], tokens.shape[1]), bool))
    for layer in range(shape.layers):
        s1, b1, qkv, qkv_b, out, out_b, s2, b2, up, up_b, down, down_b = rest[layer * PER_LAYER : (layer + 1) * PER_LAYER]
        query, key, value = jnp.split(layer_norm(types, x, s1, b1) @ qkv + qkv_b, 3, axis=-1)
        mixed = attend(types, split_heads(shape, query), split_heads(shape, key), split_heads(shape, value), visible)
        x = x + merge_heads(mixed) @ out + out_b
        x = x + mlp(layer_norm(types, x, s2, b2), up, up_b, down, down_b)
    x = layer_norm(types, x, rest[-2], rest[-1])
    return jnp.einsum("bsw,vw->bsv", x, embedding, preferred_element_type=types.wide)


def decode(shape, types, *arguments):
    """One token per sequence at `position`; keys and values are written into the donated caches.

    caches (layers of key then value, each [batch, heads, positions, size]), tokens [batch], position [], parameters
    -> the new caches, logits [batch, vocabulary].
    """
    caches = list(arguments[: 2 * shape.layers])
    tokens, position, embedding, positions, *rest = arguments[2 * shape.layers :]
    x = embedding[tokens] + jax.lax.dynamic_slice_in_dim(positions, position, 1, axis=0)
    x = x[:, None, :]
    visible = (jnp.arange(shape.positions) <= position)[None, None, None, :]
    for layer in range(shape.layers):
        s1, b1, qkv, qkv_b, out, out_b, s2, b2, up, up_b, down, down_b = rest[layer * PER_LAYER : (layer + 1) * PER_LAYER]
        query, key, value = jnp.split(layer_norm(types, x, s1, b1) @ qkv + qkv_b, 3, axis=-1)
        for which, new in enumerate((key, value)):
            caches[2 * layer + which] = jax.lax.dynamic_update_slice_in_dim(
                caches[2 * layer + which], split_heads(shape, new), position, axis=2
            )
        mixed = attend(types, split_heads(shape, query), caches[2 * layer], caches[2 * layer + 1], visible)
        x = x + merge_heads(mixed) @ out + out_b
        x = x + mlp(layer_norm(types, x, s2, b2), up, up_b, down, down_b)
    x = layer_norm(types, x, rest[-2], rest[-1])
    logits = jnp.einsum("bsw,vw->bsv", x, embedding, preferred_element_type=types.wide)
    return (*caches, logits[:, 0, :])


def parameters(shape, types) -> list[np.ndarray]:
    width, label = shape.width, ("gpt", shape.width, shape.vocabulary)
    arrays = [
        normal((shape.vocabulary, width), *label, "embedding", scale=0.05),
        normal((shape.positions, width), *label, "positions", scale=0.02),
    ]
    for layer in range(shape.layers):
        here = (*label, layer)
        arrays += [
            1 + normal((width,), *here, "ln1 scale", scale=0.1),
            normal((width,), *here, "ln1 bias", scale=0.1),
            normal((width, 3 * width), *here, "qkv", scale=width**-0.5),
            normal((3 * width,), *here, "qkv bias", scale=0.02),
            normal((width, width), *here, "out", scale=width**-0.5),
            normal((width,), *here, "out bias", scale=0.02),
            1 + normal((width,), *here, "ln2 scale", scale=0.1),
            normal((width,), *here, "ln2 bias", scale=0.1),
            normal((width, 4 * width), *here, "up", scale=width**-0.5),
            normal((4 * width,), *here, "up bias", scale=0.02),
            normal((4 * width, width), *here, "down", scale=(4 * width) ** -0.5),
            normal((width,), *here, "down bias", scale=0.02),
        ]
    arrays += [1 + normal((width,), *label, "lnf scale", scale=0.1), normal((width,), *label, "lnf bias", scale=0.1)]
    return [cast(array, types) for array in arrays]


def tokens_for(shape, *label) -> np.ndarray:
    return generator("gpt", "tokens", *label).integers(0, shape.vocabulary, (shape.batch, shape.sequence)).astype(np.int32)


def forward_arguments(shape, types) -> list[np.ndarray]:
    return [tokens_for(shape), *parameters(shape, types)]


def caches(shape, types, filled) -> list[np.ndarray]:
    """Caches with random entries before position `filled` and zeros behind it."""
    size = (shape.batch, shape.heads, shape.positions, shape.width // shape.heads)
    arrays = []
    for which in range(2 * shape.layers):
        cache = normal(size, "cache", which)
        cache[:, :, filled:] = 0
        arrays.append(cast(cache, types))
    return arrays


def decode_arguments(shape, types, filled=37) -> list[np.ndarray]:
    tokens = tokens_for(shape, "decode")[:, 0]
    return [*caches(shape, types, filled), tokens, np.array(filled, np.int32), *parameters(shape, types)]


DECODE_STEPS = 16


def decode_steps(shape, types) -> list[np.ndarray]:
    """16 tokens from an empty cache; parameters have no step axis: every step reads the same ones."""
    tokens = np.ascontiguousarray(tokens_for(shape, "decode")[:, :DECODE_STEPS].T)
    positions = np.arange(DECODE_STEPS, dtype=np.int32)
    return [*caches(shape, types, 0), tokens, positions, *parameters(shape, types)]


def programs() -> list[Program]:
    base = Shape()
    longer = dataclasses.replace(base, sequence=512, positions=512)
    wider = dataclasses.replace(base, batch=16)
    result = []
    for types in ("float32", "bfloat16"):
        suffix = "" if types == "float32" else "_bf16"
        result.append(
            Program(f"gpt{suffix}", functools.partial(forward, base), functools.partial(forward_arguments, base, types), types=types, group="model")
        )
        result.append(
            Program(
                f"decode{suffix}",
                functools.partial(decode, base),
                functools.partial(decode_arguments, base, types),
                donated=tuple(range(2 * base.layers)),
                types=types,
                steps=functools.partial(decode_steps, base, types),
                group="model",
            )
        )
    for name, shape in (("gpt_sequence8", longer), ("gpt_batch8", wider)):
        result.append(Program(name, functools.partial(forward, shape), functools.partial(forward_arguments, shape, "float32"), group="larger"))
    for name, shape in (("decode_sequence8", longer), ("decode_batch8", wider)):
        result.append(
            Program(
                name,
                functools.partial(decode, shape),
                functools.partial(decode_arguments, shape, "float32"),
                donated=tuple(range(2 * shape.layers)),
                group="larger",
            )
        )
    return result
