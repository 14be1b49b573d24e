"""One block of GPT-2-small, which bench/fidelity schedules by hand: 512 tokens, bf16."""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np

import gpt
from common import Program, cast, normal

TOKENS, WIDTH, HEADS = 512, 768, 12
SHAPE = gpt.Shape(layers=1, width=WIDTH, heads=HEADS, batch=1, sequence=TOKENS, vocabulary=1, positions=1)


def block(types, x, s1, b1, qkv, qkv_b, out, out_b, s2, b2, up, up_b, down, down_b):
    """x [tokens, width] -> the same after attention and the hidden layer."""
    visible = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool))
    query, key, value = jnp.split(gpt.layer_norm(types, x, s1, b1)[None] @ qkv + qkv_b, 3, axis=-1)
    heads = (gpt.split_heads(SHAPE, part) for part in (query, key, value))
    x = x + (gpt.merge_heads(gpt.attend(types, *heads, visible)) @ out)[0] + out_b
    return x + gpt.mlp(gpt.layer_norm(types, x, s2, b2), up, up_b, down, down_b)


def arguments(types) -> list[np.ndarray]:
    return [cast(normal((TOKENS, WIDTH), "block input"), types), *gpt.parameters(SHAPE, types)[2:-2]]


def programs() -> list[Program]:
    return [Program("gpt2_block_bf16", block, functools.partial(arguments, "bfloat16"), types="bfloat16", group="full")]
