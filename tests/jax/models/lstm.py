"""An LSTM under lax.scan learns to count: cross-entropy of the next token, gradients clipped, RMSProp by hand."""

import json
import sys

import jax
import jax.numpy as jnp
import numpy as np

VOCABULARY, INPUTS, WIDTH, LENGTH, BATCH, RATE = 16, 24, 48, 20, 16, 1e-2


def initial(key):
    k = jax.random.split(key, 4)
    uniform = lambda key, *shape: jax.random.uniform(key, shape, minval=-1, maxval=1) * shape[0] ** -0.5
    return {
        "embedding": uniform(k[0], VOCABULARY, INPUTS),
        "kernel": uniform(k[1], INPUTS, 4 * WIDTH),
        "recurrent": uniform(k[2], WIDTH, 4 * WIDTH),
        "bias": jnp.zeros(4 * WIDTH).at[WIDTH : 2 * WIDTH].set(1),
        "head": uniform(k[3], WIDTH, VOCABULARY),
    }


def logits(parameters, tokens):
    """tokens [length, batch] -> logits of the next ones."""

    def cell(state, x):
        hidden, memory = state
        gates = x @ parameters["kernel"] + hidden @ parameters["recurrent"] + parameters["bias"]
        enter, keep, new, leave = jnp.split(gates, 4, axis=-1)
        memory = jax.nn.sigmoid(keep) * memory + jax.nn.sigmoid(enter) * jnp.tanh(new)
        hidden = jax.nn.sigmoid(leave) * jnp.tanh(memory)
        return (hidden, memory), hidden

    zeros = jnp.zeros((tokens.shape[1], WIDTH))
    _, hidden = jax.lax.scan(cell, (zeros, zeros), parameters["embedding"][tokens])
    return hidden @ parameters["head"]


def loss(parameters, tokens):
    scores = jax.nn.log_softmax(logits(parameters, tokens[:-1]))
    return -jnp.mean(jnp.sum(jax.nn.one_hot(tokens[1:], VOCABULARY) * scores, axis=-1))


@jax.jit
def step(parameters, squares, tokens):
    value, gradients = jax.value_and_grad(loss)(parameters, tokens)
    length = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(gradients)))
    gradients = jax.tree.map(lambda g: g * jnp.minimum(1, 1 / length), gradients)
    squares = jax.tree.map(lambda s, g: 0.9 * s + 0.1 * g * g, squares, gradients)
    parameters = jax.tree.map(lambda p, s, g: p - RATE * g / (jnp.sqrt(s) + 1e-2), parameters, squares, gradients)
    return parameters, squares, value


def text(steps):
    """Counting modulo VOCABULARY by a stride that each sequence keeps: [steps, length + 1, batch]."""
    chance = np.random.default_rng(4)
    start, stride = (chance.integers(low, high, (steps, 1, BATCH)) for low, high in ((0, VOCABULARY), (1, 5)))
    return ((start + stride * np.arange(LENGTH + 1)[:, None]) % VOCABULARY).astype(np.int32)


def main(steps):
    parameters = initial(jax.random.key(0))
    squares = jax.tree.map(jnp.zeros_like, parameters)
    losses = []
    for tokens in text(steps):
        parameters, squares, value = step(parameters, squares, tokens)
        losses.append(value)
    print(json.dumps({"loss": [float(value) for value in losses]}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
