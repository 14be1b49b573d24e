"""A network learns handwritten digits. Plain JAX: which device trains is JAX's choice, or JAX_PLATFORMS'."""

import jax
import jax.numpy as jnp
from sklearn.datasets import load_digits

WIDTHS, BATCH, STEPS, RATE = (64, 256, 256, 10), 128, 200, 1e-3


def initial():
    keys = jax.random.split(jax.random.key(27), len(WIDTHS) - 1)
    return [(jax.random.normal(k, (a, b)) * (2 / a) ** 0.5, jnp.zeros(b)) for k, a, b in zip(keys, WIDTHS, WIDTHS[1:])]


def logits(parameters, images):
    for weights, bias in parameters[:-1]:
        images = jax.nn.gelu(images @ weights + bias)
    return images @ parameters[-1][0] + parameters[-1][1]


def loss(parameters, images, labels):
    scores = jax.nn.log_softmax(logits(parameters, images))
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], 1))


def step(state, images, labels):
    """One step of Adam on a batch that is drawn on the device -> the state after it, and the loss before it."""
    parameters, means, squares, number = state
    chosen = jax.random.randint(jax.random.fold_in(jax.random.key(1), number), (BATCH,), 0, len(images))
    value, gradients = jax.value_and_grad(loss)(parameters, images[chosen], labels[chosen])
    number = number + 1
    means = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, means, gradients)
    squares = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, squares, gradients)
    rate = RATE * jnp.sqrt(1 - 0.999**number) / (1 - 0.9**number)
    parameters = jax.tree.map(lambda p, m, s: p - rate * m / (jnp.sqrt(s) + 1e-6), parameters, means, squares)
    return (parameters, means, squares, number), value


train = jax.jit(step, donate_argnums=0)


def start():
    data = load_digits()
    zeros = jax.tree.map(jnp.zeros_like, initial())
    state = (initial(), zeros, jax.tree.map(jnp.copy, zeros), jnp.int32(0))
    return state, jnp.asarray(data.images.reshape(-1, 64) / 16, jnp.float32), jnp.asarray(data.target, jnp.int32)


def accuracy(parameters, images, labels):
    return float(jnp.mean(jnp.argmax(logits(parameters, images), 1) == labels))


if __name__ == "__main__":
    state, images, labels = start()
    for number in range(STEPS):
        state, value = train(state, images, labels)
        if number % 40 == 0 or number == STEPS - 1:
            print(f"step {number:3d}  loss {value:.4f}  on {value.device}")
    print(f"accuracy {accuracy(state[0], images, labels):.4f}")
