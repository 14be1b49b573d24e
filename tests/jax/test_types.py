"""Types through JAX: 64-bit mode on and off, integers that no float holds, complex numbers, and what JAX's
transformations make of them."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

pytestmark = pytest.mark.usefixtures("neuron")


def on_cpu(function, *arguments):
    with jax.default_device(jax.devices("cpu")[0]):
        return jax.tree.map(np.asarray, jax.jit(function)(*arguments))


def same(function, *arguments, tolerance=0.0):
    ours = jax.tree.map(np.asarray, jax.jit(function)(*arguments))
    theirs = on_cpu(function, *arguments)
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        if tolerance:
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_array_equal(a, b)
    return ours


LARGE = np.array([2**24 + 1, -(2**24) - 1, 2**31 - 1, 2**32 + 1, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)])


def test_integers_beyond_float64_are_exact():
    with jax.enable_x64(True):
        assert same(lambda x: x, LARGE).tolist() == LARGE.tolist()
        there = jax.device_put(LARGE)
        assert there.dtype == np.int64 and np.asarray(there).tolist() == LARGE.tolist()
        assert same(lambda x: x + 1, LARGE)[4] == 2**53 + 2
        same(lambda x: (x * 3, x // 7, x % 7, jnp.sort(x), jnp.cumsum(x), x >> 3), LARGE)
        assert int(jax.jit(lambda a, b: a @ b)(np.array([2**31, 3]), np.array([2**31, 5]))) == 2**62 + 15


def test_unsigned_64_bits():
    with jax.enable_x64(True):
        x = LARGE.view(np.uint64)
        same(lambda x: (x // 10, x % 10, x.max(), x * x, x < np.uint64(2**63)), x)


def test_without_64_bits_numbers_are_of_32():
    assert not jax.config.jax_enable_x64
    x = np.array([2**24 + 1, -(2**24) - 1, 2**31 - 1])
    assert same(lambda x: x + 0, x).dtype == np.int32
    assert same(lambda x: x - 1, x)[0] == 2**24


def test_the_mode_may_change_between_calls():
    function = jax.jit(lambda x: x + 1)
    assert function(np.int64(5)).dtype == np.int32
    with jax.enable_x64(True):
        assert int(function(np.int64(2**53))) == 2**53 + 1
    assert function(np.int64(6)).dtype == np.int32


def test_float64_is_a_coded_error():
    with jax.enable_x64(True), pytest.raises(jax.errors.JaxRuntimeError, match="ON-E1703"):
        jax.jit(lambda x: x * 2.0)(np.ones(3)).block_until_ready()


@pytest.mark.parametrize("kind", (np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.float16, jnp.bfloat16, np.float32, np.complex64))
def test_every_type_goes_in_and_out(kind):
    x = np.arange(-6, 6).reshape(3, 4).astype(kind)
    same(lambda x: (x, x.T, x[1:, ::2], x[0, 0], jnp.where(x == x[1, 1], x, x[::-1])), x)
    assert same(lambda x: x[:0], x).shape == (0, 4)


def test_donated_words_are_reused():
    with jax.enable_x64(True):
        step = jax.jit(lambda x: x + 2**40, donate_argnums=0)
        x = jax.device_put(LARGE[:4])
        for _ in range(3):
            x = step(x)
        assert np.asarray(x).tolist() == [int(n) + 3 * 2**40 for n in LARGE[:4]]


def test_training_in_64_bit_mode():
    """Counters and labels are i64 there, what is trained stays f32."""
    with jax.enable_x64(True):
        x = np.random.default_rng(0).standard_normal((16, 4)).astype(np.float32)
        labels = np.arange(16) % 3

        def loss(w):
            logits = x @ w
            return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean(dtype=np.float32)

        def train(w):
            return lax.fori_loop(0, 10, lambda i, w: w - np.float32(0.3) * jax.grad(loss)(w), w)

        same(train, np.zeros((4, 3), np.float32), tolerance=1e-5)


def wave(x):
    return jnp.sum(jnp.abs(jnp.fft.fft(x * jnp.exp(1j * x))) ** 2) + jnp.sum(jnp.sin(x) ** 3)


@jax.custom_vjp
def clipped(x):
    return jnp.sum(x**2)


clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (jnp.clip(g * 2 * x, -1, 1),))

TRANSFORMED = {
    "vmap": jax.vmap(wave),
    "grad": jax.vmap(jax.grad(wave)),
    "jvp": lambda x: jax.jvp(wave, (x[0],), (x[1],)),
    "vjp": lambda x: jax.vjp(jnp.cumsum, x[0])[1](x[1]),
    "hessian": lambda x: jax.hessian(lambda y: jnp.sum(jnp.sin(y) * jnp.exp(y)))(x[0]),
    "custom_vjp": lambda x: jax.vmap(jax.grad(clipped))(x),
    "checkpoint": lambda x: jax.grad(lambda y: jnp.sum(jax.checkpoint(jnp.tanh)(y @ y.T)))(x),
    "jacobians": lambda x: (jax.jacfwd(jnp.sort)(x[0]), jax.jacrev(jnp.cumprod)(x[1])),
    "linearize": lambda x: jax.linearize(lambda y: jnp.linalg.inv(y @ y.T + 3 * jnp.eye(3)), x)[1](x),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformations(name):
    same(TRANSFORMED[name], np.random.default_rng(1).standard_normal((3, 5)).astype(np.float32), tolerance=1e-3)


@pytest.mark.parametrize("kind", (np.float32, np.int64, np.complex64))
def test_export_round_trip(kind):
    with jax.enable_x64(kind == np.int64):
        x = (np.arange(12).reshape(3, 4) * (2**40 if kind == np.int64 else 1)).astype(kind)
        function = jax.jit(lambda x: (x * 3 - x.T[0, 0], x.sum(0)))
        stored = jax.export.export(function, platforms=("neuron", "cpu"))(x).serialize()
        ours = jax.tree.map(np.asarray, jax.jit(jax.export.deserialize(stored).call)(x))
        for a, b in zip(ours, on_cpu(function, x), strict=True):
            np.testing.assert_array_equal(a, b)


def test_linear_algebra():
    a = np.random.default_rng(2).standard_normal((6, 6)).astype(np.float32)
    spd = a @ a.T + 6 * np.eye(6, dtype=np.float32)
    same(lambda a: (jnp.linalg.cholesky(a), jnp.linalg.solve(a, a[0]), jnp.linalg.slogdet(a)), spd, tolerance=1e-4)
    q, r = jax.jit(functools.partial(jnp.linalg.qr))(a)
    np.testing.assert_allclose(np.asarray(q) @ np.asarray(r), a, atol=1e-5)
