"""What JAX makes of functions, run on neuron: each against cpu."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from test_cases import both, numbers, same, same_or_refused

pytestmark = pytest.mark.usefixtures("neuron")


def f(x):
    return jnp.sum(jnp.tanh(x) * jnp.sin(x) + jnp.exp(-x * x))


def test_vmap():
    both(jax.vmap(jax.vmap(lambda x, y: x @ y, (0, None)), (None, 2)), numbers(3, 4, 5), numbers(5, 6, 7))


def test_jvp_and_vjp():
    x, t = numbers(3, 4), numbers(3, 4, seed=1)
    both(lambda x, t: jax.jvp(f, (x,), (t,)), x, t, tolerance=1e-5)
    both(lambda x: jax.vjp(f, x)[1](2.0), x, tolerance=1e-5)


def test_hessian():
    both(jax.hessian(f), numbers(5), tolerance=1e-5)
    both(jax.jacfwd(jax.jacrev(lambda x: x**3 / (1 + x * x))), numbers(4), tolerance=1e-5)


def test_custom_vjp_and_jvp():
    @jax.custom_vjp
    def clipped(x):
        return x

    clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -1, 1),))

    @jax.custom_jvp
    def softplus(x):
        return jnp.log1p(jnp.exp(x))

    softplus.defjvp(lambda p, t: (softplus(p[0]), jax.nn.sigmoid(p[0]) * t[0]))
    found = both(jax.grad(lambda x: jnp.sum(clipped(x * 3) ** 2)), numbers(6))
    assert np.abs(found).max() == 3
    both(jax.grad(lambda x: jnp.sum(softplus(x))), numbers(6), tolerance=1e-5)


def test_checkpoint():
    def layers(x, w):
        step = jax.checkpoint(lambda x: jnp.tanh(x @ w))
        for _ in range(3):
            x = step(x)
        return jnp.sum(x * x)

    both(jax.grad(layers, argnums=(0, 1)), numbers(4, 8), numbers(8, 8, seed=1) * 0.3, tolerance=1e-5)


def test_export_comes_back():
    """Written for neuron, read, run; and one written for both platforms."""
    x = numbers(4, 5)
    for platforms in (["neuron"], ["cpu", "neuron"]):
        blob = jax.export.export(jax.jit(lambda x: jnp.cumsum(x, 1) * 2), platforms=platforms)(x).serialize()
        same(jax.export.deserialize(blob).call(x), np.cumsum(x, 1) * 2, tolerance=1e-5)


def test_export_of_a_gradient():
    exported = jax.export.export(jax.jit(f), platforms=["neuron"])(numbers(3))
    again = jax.export.deserialize(exported.serialize(vjp_order=1))
    same(jax.jit(jax.grad(again.call))(numbers(3)), both(jax.grad(f), numbers(3), tolerance=1e-5), tolerance=1e-6)


def test_export_of_unknown_sizes():
    """One program for all of them, and the gradient of one."""
    sizes = jax.export.export(jax.jit(lambda x: jnp.cumsum(x, 1) @ x.T + x.shape[0]), platforms=["neuron"])
    read = jax.export.deserialize(sizes(jax.ShapeDtypeStruct(jax.export.symbolic_shape("a, b"), np.float32)).serialize())
    for shape in ((4, 5), (2, 7), (1, 1)):
        x = numbers(*shape)
        same(read.call(x), np.cumsum(x, 1) @ x.T + shape[0], tolerance=1e-5)
    wave = jax.export.export(jax.jit(lambda x: jnp.sin(x) * x), platforms=["cpu", "neuron"])
    read = jax.export.deserialize(wave(jax.ShapeDtypeStruct(jax.export.symbolic_shape("a, b"), np.float32)).serialize(vjp_order=1))
    x = numbers(3, 4)
    same(jax.jit(jax.grad(lambda x: read.call(x).sum()))(x), np.sin(x) + x * np.cos(x), tolerance=1e-5)


def newton(x):
    root = lambda y: y**3 - x
    steps = lambda f, start: jax.lax.fori_loop(0, 20, lambda i, y: y - f(y) / (3 * y**2), start)
    return jax.lax.custom_root(root, jnp.ones_like(x), steps, lambda g, y: y / g(jnp.ones_like(y)))


X, NESTED = numbers(4, 5), {
    "gradient of a custom root": lambda x: jax.vmap(jax.grad(newton))(jnp.abs(x[0]) + 1),
    "gradient of a linear solve": jax.grad(lambda x: jnp.sum(jnp.linalg.solve(x[:, :4] + 4 * jnp.eye(4), x[:, 0]))),
    "jvp of while": lambda x: jax.jvp(lambda y: jax.lax.while_loop(lambda s: s[1] < 5, lambda s: (jnp.sin(s[0]) * 1.1, s[1] + 1), (y, 0))[0], (x,), (x,)),
    "vmap of grad of scan": jax.vmap(jax.grad(lambda r: jax.lax.scan(lambda c, _: (jnp.tanh(c * r[0] + r[1]), c), r[2], None, length=7)[1].sum())),
    "vmap of cond": jax.vmap(lambda r: jax.lax.cond(r[0] > 0, jnp.sin, jnp.cos, r)),
    "vmap of while": jax.vmap(lambda r: jax.lax.while_loop(lambda s: jnp.abs(s).sum() < 10, lambda s: s * 1.5, r)),
    "jvp of grad": lambda x: jax.jvp(jax.grad(lambda y: jnp.sum(jax.nn.softmax(y) ** 2)), (x,), (jnp.ones_like(x),)),
    "checkpoint by a policy": jax.grad(lambda x: jnp.sum(jax.checkpoint(lambda x: jnp.tanh(jnp.sin(x) @ x.T), policy=jax.checkpoint_policies.dots_saveable)(x))),
    "checkpoint in scan": jax.grad(lambda x: jax.lax.scan(jax.checkpoint(lambda c, _: (jnp.tanh(c * 1.1), None)), x, None, length=6)[0].sum()),
    "linear_transpose": lambda x: jax.linear_transpose(lambda y: jnp.cumsum(y, 1)[:, ::2], x)(x[:, ::2]),
    "named axis": jax.vmap(lambda r: r - jax.lax.pmean(r, "rows"), axis_name="rows"),
    "jacrev of a loop": lambda x: jax.jacrev(lambda y: jax.lax.fori_loop(0, 4, lambda i, s: s * jnp.roll(s, 1), y))(x[0]),
}  # fmt: skip


@pytest.mark.parametrize("name", NESTED)
def test_transformations_of_each_other(name):
    both(NESTED[name], X, tolerance=2e-5)


def test_serialized_executable():
    from jax.experimental.serialize_executable import deserialize_and_load, serialize

    x = numbers(3, 3)
    compiled = jax.jit(lambda x: (x @ x, {"t": x.T})).lower(x).compile()
    loaded = deserialize_and_load(*serialize(compiled), execution_devices=jax.devices()[:1])
    same(loaded(x), compiled(x), tolerance=0)


@pytest.mark.parametrize("value", (2**24 + 1, 2**31 + 3, 2**53 + 1, -(2**53) - 7, 2**62 + 5))
def test_large_integers_are_exact(value):
    with jax.enable_x64(True):
        x = jax.device_put(np.array([value, 3]))
        assert np.asarray(x).tolist() == [value, 3]
        for function in (lambda x: x + 1, lambda x: x - x // 3 * 3, lambda x: -x, lambda x: x > 2**24, lambda x: x ^ 0x5555):
            same_or_refused(lambda: jax.jit(function)(x), function(np.array([value, 3])))
        same_or_refused(lambda: jax.jit(jnp.sort)(x), np.sort([value, 3]))


def test_x64_off_narrows():
    assert jnp.arange(3).dtype == jnp.int32 and (jnp.arange(3) / 2).dtype == jnp.float32
    with jax.enable_x64(True):
        assert jnp.arange(3).dtype == jnp.int64


def test_x64_training_step_in_float32():
    """With x64 on, loop counters and indices are 64-bit: they must not stand in a program's way."""

    def run(w, x):
        return jax.lax.fori_loop(0, 4, lambda i, y: jnp.tanh(y @ w) + x[i], x)

    w, x = numbers(5, 5), numbers(5, 5, seed=1)
    with jax.enable_x64(True):
        with jax.default_device(jax.devices("cpu")[0]):
            right = np.asarray(jax.jit(run)(w, x))
        same_or_refused(lambda: jax.jit(run)(w, x), right, tolerance=1e-5)


def test_costs_are_by_the_clock_and_by_engine():
    costs = jax.jit(lambda x, y: jnp.tanh(x @ y)).lower(numbers(128, 256), numbers(256, 64)).compile().cost_analysis()
    busy = {name.removeprefix("busy seconds "): value for name, value in costs.items() if name.startswith("busy seconds ")}
    assert {"PE", "Scalar", "queue 0"} <= busy.keys()
    assert all(0 < value < costs["optimal_seconds"] for value in busy.values())
