"""A convolutional network with batch norm learns the digits: flax's nnx modules, optax's adam."""

import json
import sys

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from sklearn.datasets import load_digits

BATCH, RATE = 64, 3e-3


class Network(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        # No biases before a batch norm: their gradients are zero but for rounding, which adam would make steps of.
        self.conv1 = nnx.Conv(1, 16, (3, 3), use_bias=False, rngs=rngs)
        self.norm1 = nnx.BatchNorm(16, rngs=rngs)
        self.conv2 = nnx.Conv(16, 32, (3, 3), strides=2, use_bias=False, rngs=rngs)
        self.norm2 = nnx.BatchNorm(32, rngs=rngs)
        self.head = nnx.Linear(32 * 2 * 2, 10, rngs=rngs)

    def __call__(self, images):
        x = nnx.gelu(self.norm1(self.conv1(images)))
        x = nnx.gelu(self.norm2(self.conv2(x)))
        x = nnx.avg_pool(x, (2, 2), strides=(2, 2))
        return self.head(x.reshape(x.shape[0], -1))


def loss_of(model, images, labels):
    return optax.softmax_cross_entropy_with_integer_labels(model(images), labels).mean()


@nnx.jit
def step(model, optimizer, images, labels):
    value, gradients = nnx.value_and_grad(loss_of)(model, images, labels)
    optimizer.update(model, gradients)
    return value


def main(steps):
    data = load_digits()
    images, labels = jnp.asarray(data.images / 16, jnp.float32)[..., None], jnp.asarray(data.target)
    model = Network(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(RATE), wrt=nnx.Param)
    model.train()
    losses = []
    for number in range(steps):
        at = number * BATCH % (len(images) - BATCH)
        losses.append(step(model, optimizer, images[at : at + BATCH], labels[at : at + BATCH]))
    model.eval()
    right = jnp.mean(jnp.argmax(nnx.jit(lambda m, x: m(x))(model, images), axis=1) == labels)
    print(json.dumps({"loss": [float(value) for value in losses], "accuracy": float(right)}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
