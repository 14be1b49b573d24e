"""A variational autoencoder of the digits: its noise is drawn on the device, its steps run inside one lax.scan an epoch."""

import functools
import json
import sys

import jax
import jax.numpy as jnp
import optax
from sklearn.datasets import load_digits

PIXELS, HIDDEN, LATENT, BATCH, EPOCH = 64, 96, 8, 64, 25


def initial(key):
    k = jax.random.split(key, 4)
    dense = lambda key, rows, columns: (jax.random.normal(key, (rows, columns)) * rows**-0.5, jnp.zeros(columns))
    return [dense(k[0], PIXELS, HIDDEN), dense(k[1], HIDDEN, 2 * LATENT), dense(k[2], LATENT, HIDDEN), dense(k[3], HIDDEN, PIXELS)]


def layer(x, weights):
    return x @ weights[0] + weights[1]


def loss(parameters, images, key):
    """Binary cross-entropy of the pixels, and the divergence of the latent distribution from N(0, 1)."""
    encode, code, decode, draw = parameters
    mean, log_variance = jnp.split(layer(jax.nn.softplus(layer(images, encode)), code), 2, axis=-1)
    latent = mean + jnp.exp(log_variance / 2) * jax.random.normal(key, mean.shape)
    scores = layer(jax.nn.softplus(layer(latent, decode)), draw)
    pixels = optax.sigmoid_binary_cross_entropy(scores, images).sum(-1)
    divergence = -0.5 * (1 + log_variance - mean**2 - jnp.exp(log_variance)).sum(-1)
    return jnp.mean(pixels + divergence)


optimizer = optax.adam(2e-3)


@functools.partial(jax.jit, donate_argnums=0)
def epoch(state, images, key):
    """EPOCH steps, each on a batch of its own draw -> the state after them, and their losses."""

    def one(state, key):
        parameters, moments = state
        chosen, noise = jax.random.split(key)
        batch = images[jax.random.permutation(chosen, len(images))[:BATCH]]
        value, gradients = jax.value_and_grad(loss)(parameters, batch, noise)
        updates, moments = optimizer.update(gradients, moments)
        return (optax.apply_updates(parameters, updates), moments), value

    return jax.lax.scan(one, state, jax.random.split(key, EPOCH))


def main(steps):
    images = jnp.asarray(load_digits().data / 16, jnp.float32)[:512]
    parameters = initial(jax.random.key(8))
    state = (parameters, optimizer.init(parameters))
    losses = []
    for number in range(-(-steps // EPOCH)):
        state, values = epoch(state, images, jax.random.key(number))
        losses += values.tolist()
    print(json.dumps({"loss": losses[:steps]}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
