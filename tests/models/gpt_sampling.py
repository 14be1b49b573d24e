"""The GPT's sampling loop as one program: a scan of decode steps over its KV cache, each token drawn by its key."""

from __future__ import annotations


import jax
import jax.numpy as jnp
import numpy as np

import gpt
import threefry
from common import Program, generator

SHAPE = gpt.Shape(layers=2, width=64, heads=4, batch=2, positions=24, vocabulary=96)
LENGTH = 16


def sample(types, key_data, first, *parameters):
    """Key data, first tokens [batch], parameters -> tokens [length, batch], the last logits."""
    key = threefry.key_of(key_data)
    size = (SHAPE.batch, SHAPE.heads, SHAPE.positions, SHAPE.width // SHAPE.heads)
    empty = [jnp.zeros(size, types.narrow) for _ in range(2 * SHAPE.layers)]

    def step(state, position):
        caches, tokens, _ = state
        *caches, logits = gpt.decode(SHAPE, types, *caches, tokens, position, *parameters)
        noise = threefry.gumbel(types, jax.random.fold_in(key, position), logits.shape)
        tokens = jnp.argmax(logits * jnp.asarray(0.8, types.wide) + noise.astype(types.wide), axis=-1).astype(jnp.int32)
        return (caches, tokens, logits), tokens

    start = (empty, first, jnp.zeros((SHAPE.batch, SHAPE.vocabulary), types.wide))
    (_, _, logits), tokens = jax.lax.scan(step, start, jnp.arange(LENGTH, dtype=jnp.int32))
    return tokens, logits


def sample_until(types, key_data, first, *parameters):
    """The same in a while loop that ends when both sequences drew a token below 9, or the cache is full."""
    key = threefry.key_of(key_data)
    size = (SHAPE.batch, SHAPE.heads, SHAPE.positions, SHAPE.width // SHAPE.heads)
    empty = [jnp.zeros(size, types.narrow) for _ in range(2 * SHAPE.layers)]

    def go_on(state):
        _, _, done, position, _ = state
        return (position < SHAPE.positions) & ~jnp.all(done)

    def step(state):
        caches, tokens, done, position, drawn = state
        *caches, logits = gpt.decode(SHAPE, types, *caches, tokens, position, *parameters)
        new = jax.random.categorical(jax.random.fold_in(key, position), logits.astype(jnp.float32), axis=-1).astype(jnp.int32)
        new = jnp.where(done, tokens, new)
        drawn = jax.lax.dynamic_update_slice(drawn, new[:, None], (jnp.int32(0), position))
        return caches, new, done | (new < 9), position + 1, drawn

    drawn = jnp.full((SHAPE.batch, SHAPE.positions), -1, jnp.int32)
    state = (empty, first, jnp.zeros(SHAPE.batch, bool), jnp.int32(0), drawn)
    _, _, done, position, drawn = jax.lax.while_loop(go_on, step, state)
    return drawn, position, done


def arguments() -> list[np.ndarray]:
    first = generator("gpt sampling").integers(0, SHAPE.vocabulary, SHAPE.batch).astype(np.int32)
    return [np.array([0x510E527F, 0x9B05688C], np.uint32), first, *gpt.parameters(SHAPE, "float32")]


def programs() -> list[Program]:
    return [Program("gpt_sample", sample, arguments), Program("gpt_sample_until", sample_until, arguments)]
