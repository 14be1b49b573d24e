"""(a) One training step of an MLP 64-256-256-10 on scikit-learn's digits: softmax cross-entropy, SGD 0.1."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

from common import Program, generator, normal

WIDTHS = (64, 256, 256, 10)
BATCH = 128
STEPS = 200
RATE = 0.1
# Where a relu's input lies within rounding of zero, the order of a sum decides whether its gradient flows, and the loss
# curve of a right fp32 run moves by 1e-4 to 1e-3. On this seed's trajectory no input lies that near (2e-7 at the
# nearest): sixteen orders of summation agree with float64 within 6e-7, so the curve tests arithmetic, not luck.
SEED = 27


def logits(parameters, images):
    """Hidden layers use relu; `parameters` is w0, b0, w1, b1, w2, b2."""
    hidden = images
    for layer in range(0, len(parameters) - 2, 2):
        hidden = jax.nn.relu(hidden @ parameters[layer] + parameters[layer + 1])
    return hidden @ parameters[-2] + parameters[-1]


def loss(parameters, images, labels):
    scores = jax.nn.log_softmax(logits(parameters, images))
    chosen = jax.nn.one_hot(labels, scores.shape[-1], dtype=scores.dtype)
    return -jnp.mean(jnp.sum(scores * chosen, axis=-1))


def training_step(types, *arguments):
    """Six parameters, images [batch, 64], labels [batch] -> the six new parameters and the loss before the step."""
    *parameters, images, labels = arguments
    value, gradients = jax.value_and_grad(loss)(parameters, images, labels)
    rate = jnp.asarray(RATE, types.narrow)
    return (*(p - rate * g for p, g in zip(parameters, gradients)), value)


@functools.cache
def digits() -> tuple[np.ndarray, np.ndarray]:
    """1797 images of 8x8 pixels in 0..1, and their labels."""
    from sklearn.datasets import load_digits

    data = load_digits()
    return (data.data / 16.0).astype(np.float32), data.target.astype(np.int32)


def initial_parameters() -> list[np.ndarray]:
    parameters = []
    for layer, (fan_in, fan_out) in enumerate(zip(WIDTHS[:-1], WIDTHS[1:])):
        parameters.append(normal((fan_in, fan_out), SEED, "mlp", layer, scale=np.sqrt(2.0 / fan_in)))
        parameters.append(np.zeros(fan_out, np.float32))
    return parameters


def batches(steps: int, batch: int) -> tuple[np.ndarray, np.ndarray]:
    """Images [steps, batch, 64] and labels [steps, batch]: every epoch is a new seeded shuffle."""
    images, labels = digits()
    shuffle = generator(SEED, "mlp", "shuffle")
    order: list[np.ndarray] = []
    while sum(map(len, order)) < steps * batch:
        order.append(shuffle.permutation(len(labels)))
    chosen = np.concatenate(order)[: steps * batch].reshape(steps, batch)
    return images[chosen], labels[chosen]


def arguments(batch: int = BATCH) -> list[np.ndarray]:
    images, labels = batches(1, batch)
    return [*initial_parameters(), images[0], labels[0]]


def steps() -> list[np.ndarray]:
    return [*initial_parameters(), *batches(STEPS, BATCH)]


def accuracy(parameters) -> float:
    """Share of all digits that the parameters classify right, computed in float64 by numpy."""
    images, labels = digits()
    hidden = images.astype(np.float64)
    for layer in range(0, 6, 2):
        hidden = hidden @ np.asarray(parameters[layer], np.float64) + np.asarray(parameters[layer + 1], np.float64)
        hidden = np.maximum(hidden, 0) if layer < 4 else hidden
    return float(np.mean(np.argmax(hidden, axis=-1) == labels))


def programs() -> list[Program]:
    donated = tuple(range(6))
    return [
        Program("mlp", training_step, arguments, donated, steps=steps, group="model"),
        Program("mlp_batch8", training_step, functools.partial(arguments, BATCH * 8), donated, group="larger"),
    ]
