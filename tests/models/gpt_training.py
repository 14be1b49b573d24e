"""The GPT's training step: dropout, softmax cross-entropy, gradients clipped by their global norm, AdamW, state donated;
the same with gradients accumulated over microbatches, and with rematerialised layers."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

import gpt
import optimisers
import threefry
from common import Program, generator, normal

SHAPE = gpt.Shape(layers=2, width=64, heads=4, batch=4, sequence=32, vocabulary=64, positions=32)
COUNT = 2 + gpt.PER_LAYER * SHAPE.layers + 2
STEPS, RATE, DROPOUT, LIMIT = 100, 3e-3, 0.1, 1.0


def layer(types, x, weights, keys, visible):
    s1, b1, qkv, qkv_b, out, out_b, s2, b2, up, up_b, down, down_b = weights
    query, key, value = jnp.split(gpt.layer_norm(types, x, s1, b1) @ qkv + qkv_b, 3, axis=-1)
    query, key, value = (gpt.split_heads(SHAPE, part) for part in (query, key, value))
    scores = jnp.einsum("bhqd,bhkd->bhqk", query, key) * jnp.asarray(query.shape[-1] ** -0.5, types.wide)
    shares = jax.nn.softmax(jnp.where(visible, scores, jnp.asarray(-1e9, types.wide)), axis=-1)
    mixed = jnp.einsum("bhqk,bhkd->bhqd", threefry.dropout(types, keys[0], DROPOUT, shares), value)
    x = x + threefry.dropout(types, keys[1], DROPOUT, gpt.merge_heads(mixed) @ out + out_b)
    inner = gpt.mlp(gpt.layer_norm(types, x, s2, b2), up, up_b, down, down_b)
    return x + threefry.dropout(types, keys[2], DROPOUT, inner)


def loss_of(types, parameters, tokens, key, remat=False):
    """Cross-entropy of each next token; tokens [batch, sequence + 1]."""
    embedding, positions, *rest = parameters
    inputs, labels = tokens[:, :-1], tokens[:, 1:]
    x = embedding[inputs] + positions[: inputs.shape[1]]
    visible = jnp.tril(jnp.ones((inputs.shape[1], inputs.shape[1]), bool))
    one = functools.partial(layer, types)
    for number in range(SHAPE.layers):
        weights = rest[number * gpt.PER_LAYER : (number + 1) * gpt.PER_LAYER]
        keys = jax.random.split(jax.random.fold_in(key, number), 3)
        x = (jax.checkpoint(one) if remat else one)(x, weights, keys, visible)
    x = gpt.layer_norm(types, x, rest[-2], rest[-1])
    return optimisers.cross_entropy(types, jnp.einsum("bsw,vw->bsv", x, embedding), labels)


def accumulated(types, parameters, tokens, key, parts):
    """Loss and gradients as means over microbatches: a scan whose carries are all gradients."""

    def one(totals, inputs):
        number, micro = inputs
        found = jax.value_and_grad(functools.partial(loss_of, types))(parameters, micro, jax.random.fold_in(key, number))
        return jax.tree.map(jnp.add, totals, found), None

    zeros = (jnp.asarray(0, types.wide), [jnp.zeros_like(p) for p in parameters])
    micro = tokens.reshape(parts, tokens.shape[0] // parts, *tokens.shape[1:])
    totals, _ = jax.lax.scan(one, zeros, (jnp.arange(parts, dtype=jnp.int32), micro))
    return jax.tree.map(lambda total: total / parts, totals)


def training_step(kind, types, *arguments):
    """Parameters, first moments, second moments, step, key data, tokens -> the state after the step, step + 1, the loss."""
    parameters, means, squares = (list(arguments[i * COUNT : (i + 1) * COUNT]) for i in range(3))
    step, key_data, tokens = arguments[3 * COUNT :]
    key = jax.random.fold_in(threefry.key_of(key_data), step)
    if kind == "accumulate":
        value, gradients = accumulated(types, parameters, tokens, key, 2)
    else:
        value, gradients = jax.value_and_grad(functools.partial(loss_of, types, remat=kind == "remat"))(parameters, tokens, key)
    gradients, _ = optimisers.clip_by_global_norm(types, gradients, LIMIT)
    parameters, means, squares = optimisers.adamw(types, parameters, means, squares, gradients, step, RATE)
    return (*parameters, *means, *squares, step + 1, value)


def gradients(types, tokens, key_data, *parameters):
    """The loss and its gradients alone, for judging them without the optimiser."""
    key = threefry.key_of(key_data)
    value, found = jax.value_and_grad(functools.partial(loss_of, types))(list(parameters), tokens, key)
    return value, *found


def text(count: int) -> np.ndarray:
    """Token sequences of a Markov chain in which each token has four followers: a loss far below log 64 can be learned."""
    chance = generator("gpt training text")
    followers = chance.integers(0, SHAPE.vocabulary, (SHAPE.vocabulary, 4))
    tokens = np.empty((count, SHAPE.batch, SHAPE.sequence + 1), np.int32)
    tokens[:, :, 0] = chance.integers(0, SHAPE.vocabulary, tokens.shape[:2])
    for place in range(1, tokens.shape[2]):
        tokens[:, :, place] = followers[tokens[:, :, place - 1], chance.integers(0, 4, tokens.shape[:2])]
    return tokens


KEY = np.array([0x3C6EF372, 0xA54FF53A], np.uint32)


def arguments() -> list[np.ndarray]:
    """In the middle of training: moments as a few hundred steps leave them, the second ones all above zero."""
    parameters = gpt.parameters(SHAPE, "float32")
    means = [normal(p.shape, "adamw mean", i, scale=0.01) for i, p in enumerate(parameters)]
    squares = [np.square(0.01 + np.abs(normal(p.shape, "adamw square", i, scale=0.02))) for i, p in enumerate(parameters)]
    return [*parameters, *means, *squares, np.array(300, np.int32), KEY, text(1)[0]]


def steps() -> list[np.ndarray]:
    parameters = gpt.parameters(SHAPE, "float32")
    zeros = [np.zeros_like(p) for p in parameters]
    return [*parameters, *zeros, *zeros, np.array(0, np.int32), KEY, text(STEPS)]


def programs() -> list[Program]:
    donated = tuple(range(3 * COUNT + 1))
    return [
        Program("gpt_grads", gradients, lambda: [text(1)[0], KEY, *gpt.parameters(SHAPE, "float32")]),
        Program("gpt_adamw", functools.partial(training_step, "plain"), arguments, donated, steps=steps),
        Program("gpt_adamw_accumulate", functools.partial(training_step, "accumulate"), arguments, donated),
        Program("gpt_adamw_remat", functools.partial(training_step, "remat"), arguments, donated),
    ]
