"""An MLP learns scikit-learn's handwritten digits: relu, softmax cross-entropy, SGD with momentum."""

import json
import sys

import jax
import jax.numpy as jnp
from sklearn.datasets import load_digits

WIDTHS, BATCH, RATE, MOMENTUM = (64, 128, 128, 10), 128, 0.05, 0.9


def initial(key):
    keys = jax.random.split(key, len(WIDTHS) - 1)
    return [
        {"w": jax.random.normal(k, (a, b)) * jnp.sqrt(2 / a), "b": jnp.zeros(b)}
        for k, a, b in zip(keys, WIDTHS[:-1], WIDTHS[1:])
    ]


def logits(parameters, images):
    *hidden, last = parameters
    for layer in hidden:
        images = jax.nn.relu(images @ layer["w"] + layer["b"])
    return images @ last["w"] + last["b"]


def loss(parameters, images, labels):
    scores = jax.nn.log_softmax(logits(parameters, images))
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


@jax.jit
def step(parameters, velocities, images, labels):
    value, gradients = jax.value_and_grad(loss)(parameters, images, labels)
    velocities = jax.tree.map(lambda v, g: MOMENTUM * v + g, velocities, gradients)
    return jax.tree.map(lambda p, v: p - RATE * v, parameters, velocities), velocities, value


def main(steps):
    data = load_digits()
    images, labels = jnp.asarray(data.data / 16, jnp.float32), jnp.asarray(data.target)
    key = jax.random.key(3)
    parameters = initial(key)
    velocities = jax.tree.map(jnp.zeros_like, parameters)
    losses = []
    for number in range(steps):
        chosen = jax.random.randint(jax.random.fold_in(key, number), (BATCH,), 0, len(images))
        parameters, velocities, value = step(parameters, velocities, images[chosen], labels[chosen])
        losses.append(value)
    right = jnp.mean(jnp.argmax(logits(parameters, images), axis=1) == labels)
    print(json.dumps({"loss": [float(value) for value in losses], "accuracy": float(right)}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
