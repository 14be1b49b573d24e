"""A training step of a variational autoencoder on the digits: its noise is drawn inside, Adam's state is donated."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import mlp
import optimisers
import threefry
from common import Program, normal

BATCH, STEPS, RATE = 32, 100, 2e-3
PIXELS, HIDDEN, LATENT = 64, 96, 8
SHAPES = (
    (PIXELS, HIDDEN), (HIDDEN,), (HIDDEN, 2 * LATENT), (2 * LATENT,),
    (LATENT, HIDDEN), (HIDDEN,), (HIDDEN, PIXELS), (PIXELS,),
)  # fmt: skip
COUNT = len(SHAPES)


def loss_of(types, parameters, images, key):
    """Binary cross-entropy of the pixels plus the divergence of the latent distribution from N(0, 1)."""
    w1, b1, w2, b2, w3, b3, w4, b4 = parameters
    hidden = jax.nn.softplus(images @ w1 + b1)
    mean, log_variance = jnp.split(hidden @ w2 + b2, 2, axis=-1)
    latent = mean + jnp.exp(log_variance * 0.5) * threefry.standard_normal(types, key, mean.shape)
    logits = jax.nn.softplus(latent @ w3 + b3) @ w4 + b4
    pixels = jnp.sum(jax.nn.softplus(logits) - images * logits, axis=-1)
    divergence = -0.5 * jnp.sum(1 + log_variance - mean * mean - jnp.exp(log_variance), axis=-1)
    return jnp.mean(pixels + divergence)


def training_step(types, *arguments):
    """Parameters, first moments, second moments, step, key data, images -> the state after the step, step + 1, the loss."""
    parameters, means, squares = (list(arguments[i * COUNT : (i + 1) * COUNT]) for i in range(3))
    step, key_data, images = arguments[3 * COUNT :]
    key = jax.random.fold_in(threefry.key_of(key_data), step)
    value, gradients = jax.value_and_grad(lambda p: loss_of(types, p, images, key))(parameters)
    parameters, means, squares = optimisers.adamw(types, parameters, means, squares, gradients, step, RATE, decay=0)
    return (*parameters, *means, *squares, step + 1, value)


def parameters() -> list[np.ndarray]:
    return [normal(s, "vae", i, scale=s[0] ** -0.5 if len(s) > 1 else 0.02) for i, s in enumerate(SHAPES)]


def images(count: int) -> np.ndarray:
    pixels, _ = mlp.digits()
    return pixels[: count * BATCH].reshape(count, BATCH, PIXELS) if count * BATCH <= len(pixels) else np.resize(pixels, (count, BATCH, PIXELS))


KEY = np.array([0x6A09E667, 0xBB67AE85], np.uint32)


def arguments() -> list[np.ndarray]:
    means = [normal(s, "vae mean", i, scale=0.01) for i, s in enumerate(SHAPES)]
    squares = [np.square(0.01 + np.abs(normal(s, "vae square", i, scale=0.02))) for i, s in enumerate(SHAPES)]
    return [*parameters(), *means, *squares, np.array(40, np.int32), KEY, images(1)[0]]


def steps() -> list[np.ndarray]:
    zeros = [np.zeros(s, np.float32) for s in SHAPES]
    return [*parameters(), *zeros, *zeros, np.array(0, np.int32), KEY, images(STEPS)]


def programs() -> list[Program]:
    return [Program("vae_step", training_step, arguments, tuple(range(3 * COUNT + 1)), steps=steps)]
