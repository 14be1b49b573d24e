"""LSTM and GRU under lax.scan: forward, all gradients, and a training loop of the LSTM."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

import optimisers
from common import Program, generator, normal

SEQUENCE, BATCH, INPUTS, WIDTH = 12, 6, 20, 48
VOCABULARY, STEPS, RATE = 16, 100, 0.3


def lstm_cell(types, weights, state, x):
    """Gates in the order input, forget, cell, output, in one contraction."""
    kernel, recurrent, bias = weights
    hidden, cell = state
    gates = x @ kernel + hidden @ recurrent + bias
    i, f, g, o = jnp.split(gates, 4, axis=-1)
    cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
    hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
    return (hidden, cell), hidden


def gru_cell(types, weights, state, x):
    kernel, recurrent, bias = weights
    (hidden,) = state
    from_x, from_hidden = x @ kernel + bias, hidden @ recurrent
    update = jax.nn.sigmoid(from_x[:, :WIDTH] + from_hidden[:, :WIDTH])
    reset = jax.nn.sigmoid(from_x[:, WIDTH : 2 * WIDTH] + from_hidden[:, WIDTH : 2 * WIDTH])
    proposed = jnp.tanh(from_x[:, 2 * WIDTH :] + reset * from_hidden[:, 2 * WIDTH :])
    hidden = (1 - update) * proposed + update * hidden
    return (hidden,), hidden


CELLS = {"lstm": (lstm_cell, 4, 2), "gru": (gru_cell, 3, 1)}


def forward(kind, types, xs, *rest):
    """xs [sequence, batch, inputs], initial states, weights -> all hidden states, the last states."""
    cell, _, states = CELLS[kind]
    last, hidden = jax.lax.scan(functools.partial(cell, types, rest[states:]), rest[:states], xs)
    return hidden, *last


def gradients(kind, types, xs, *rest):
    """Of a loss that reads every hidden state, for the inputs, the initial states and the weights."""

    def loss(arguments):
        hidden, *last = forward(kind, types, *arguments)
        return jnp.mean(hidden * hidden) + sum(jnp.mean(state) for state in last)

    value, found = jax.value_and_grad(loss)((xs, *rest))
    return value, *found


def arguments(kind) -> list[np.ndarray]:
    _, gates, states = CELLS[kind]
    return [
        normal((SEQUENCE, BATCH, INPUTS), kind, "inputs"),
        *(normal((BATCH, WIDTH), kind, "state", i, scale=0.5) for i in range(states)),
        *weights(kind, INPUTS),
    ]


def weights(kind, inputs) -> list[np.ndarray]:
    gates = CELLS[kind][1]
    return [
        normal((inputs, gates * WIDTH), kind, "kernel", scale=inputs**-0.5),
        normal((WIDTH, gates * WIDTH), kind, "recurrent", scale=WIDTH**-0.5),
        normal((gates * WIDTH,), kind, "bias", scale=0.1),
    ]


def training_step(types, *arguments):
    """An embedding, an LSTM and a head learn to predict the next token; SGD with a clipped gradient."""
    *parameters, tokens = arguments

    def loss(parameters):
        embedding, kernel, recurrent, bias, head, head_bias = parameters
        xs = embedding[tokens[:-1]]
        zeros = jnp.zeros((tokens.shape[1], WIDTH), types.narrow)
        _, hidden = jax.lax.scan(functools.partial(lstm_cell, types, (kernel, recurrent, bias)), (zeros, zeros), xs)
        return optimisers.cross_entropy(types, hidden @ head + head_bias, tokens[1:])

    value, found = jax.value_and_grad(loss)(parameters)
    found, _ = optimisers.clip_by_global_norm(types, found, 1.0)
    return (*(p - jnp.asarray(RATE, types.narrow) * g for p, g in zip(parameters, found)), value)


def training_parameters() -> list[np.ndarray]:
    return [
        normal((VOCABULARY, INPUTS), "lstm embedding"),
        *weights("lstm", INPUTS),
        normal((WIDTH, VOCABULARY), "lstm head", scale=WIDTH**-0.5),
        np.zeros(VOCABULARY, np.float32),
    ]


def text(count: int) -> np.ndarray:
    """Counting modulo 16 with a stride that each sequence keeps: [count, sequence + 1, batch]."""
    chance = generator("lstm text")
    start, stride = (chance.integers(low, high, (count, 1, BATCH)) for low, high in ((0, VOCABULARY), (1, 5)))
    return ((start + stride * np.arange(SEQUENCE + 1)[:, None]) % VOCABULARY).astype(np.int32)


def programs() -> list[Program]:
    result = []
    for kind in CELLS:
        result.append(Program(kind, functools.partial(forward, kind), functools.partial(arguments, kind)))
        result.append(Program(f"{kind}_grads", functools.partial(gradients, kind), functools.partial(arguments, kind)))
    result.append(
        Program(
            "lstm_step",
            training_step,
            lambda: [*training_parameters(), text(1)[0]],
            tuple(range(len(training_parameters()))),
            steps=lambda: [*training_parameters(), text(STEPS)],
        )
    )
    return result
