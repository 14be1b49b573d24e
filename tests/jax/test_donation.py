"""Donated arrays: updated in place where every element is read before it is overwritten, and right where it is not."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

MIB = 1 << 20


def shape(mib, *dims, dtype=jnp.float32):
    rows = mib * MIB // (int(np.prod(dims)) * jnp.dtype(dtype).itemsize)
    return jax.ShapeDtypeStruct((rows, *dims), dtype)


def scratch(f, *arguments, donate=0) -> int:
    """MiB that the compiled program takes beside its arguments and results."""
    compiled = jax.jit(f, donate_argnums=donate).lower(*arguments).compile()
    return compiled.memory_analysis().temp_size_in_bytes >> 20


X, ROW = shape(64, 4096), jax.ShapeDtypeStruct((4096,), jnp.float32)
CACHE, TOKEN = jax.ShapeDtypeStruct((4, 16, 2048, 128), jnp.float32), jax.ShapeDtypeStruct((4, 16, 1, 128), jnp.float32)
AT = jax.ShapeDtypeStruct((), jnp.int32)


def descend(w, a):
    loss, slope = jax.value_and_grad(lambda w: (jnp.tanh(a @ w) ** 2).sum())(w)
    return w - 0.01 * slope, loss


def momentum(w, m, g):
    return w - 0.1 * (0.9 * m + g), 0.9 * m + g


def attend(cache, token, at, query):
    cache = lax.dynamic_update_slice(cache, token, (0, 0, at, 0))
    weights = jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", query, cache), -1)
    return cache, jnp.einsum("bhqk,bhkd->bhqd", weights, cache)


IN_PLACE = {
    "x + 1": (lambda x: x + 1, X),
    "256 MiB": (lambda x: x * 0.5 + 1, shape(256, 4096)),
    "a row is added": (lambda x, row: x + row, X, ROW),
    "gradient": (lambda x, g: x - 0.1 * g, X, X),
    "gradient, turned": (lambda x, g: x - 0.1 * g.T, X, X),
    "gradient of a product": (lambda w, a: w - 0.1 * (a.T @ a), X, shape(2, 4096)),
    "gradient, clipped": (lambda x, g: x - g * jnp.minimum(1, lax.rsqrt((g * g).sum())), X, X),
    "gradient, by value_and_grad": (descend, X, shape(2, 4096)),
    "divided by its own norm": (lambda x: x * lax.rsqrt((x * x).sum()), X),
    "centred": (lambda x: x - x.mean(0), X),
    "bf16": (lambda x, g: (x.astype(jnp.float32) - 0.1 * g.astype(jnp.float32)).astype(x.dtype), *[shape(64, 4096, dtype=jnp.bfloat16)] * 2),
    "scan": (lambda x: lax.scan(lambda c, _: (c * 0.5 + 1, None), x, length=4)[0], X),
    "cache": (attend, CACHE, TOKEN, AT, TOKEN),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_PLACE)
def test_no_copy_of_what_is_donated(name):
    f, *arguments = IN_PLACE[name]
    assert scratch(f, *arguments) < 8


def test_states_of_an_optimiser():
    assert scratch(momentum, X, X, X, donate=(0, 1)) < 72  # one of the two at most beside them


def test_peak_of_a_run_in_place(neuron):
    step = jax.jit(lambda x: x * 0.5 + 1, donate_argnums=0)
    x = jax.device_put(np.full((4096, 8192), 4, np.float32)) * 1  # 128 MiB, not the host's
    for _ in range(3):
        x = step(x)
    x.block_until_ready()
    stats = neuron.memory_stats()
    before = stats["bytes_in_use"]
    pointer = x.unsafe_buffer_pointer()
    for _ in range(3):
        x = step(x)
    x.block_until_ready()
    assert x.unsafe_buffer_pointer() == pointer and neuron.memory_stats()["bytes_in_use"] == before
    assert float(x[17, 4000]) == float(x[4095, 8191]) == 2 + 2 / 64


# -- what is read after its place is written must be kept

R = C = 2600  # 26 MB: two do not fit on a chip


def draw(seed, count):
    random = np.random.default_rng(seed)
    return [random.integers(-8, 8, (R, C)).astype(np.float32) for _ in range(count)]


HAZARDS = {
    "swapped": (lambda x, y: (y + 1, x * 2), 2, (0, 1)),
    "turned": (lambda x: x + x.T, 1, 0),
    "turned alone": (lambda x: x.T * 2, 1, 0),
    "rolled": (lambda x: jnp.roll(x, 1, 0) + 1, 1, 0),
    "rolled within rows": (lambda x: jnp.roll(x, 3, 1) - x, 1, 0),
    "reversed": (lambda x: x[::-1] + 2 * x, 1, 0),
    "a row for all": (lambda x: x + x[:1], 1, 0),
    "the last row for all": (lambda x: x - x[-1:], 1, 0),
    "a column for all": (lambda x: x + x[:, 5:6], 1, 0),
    "the sum for all": (lambda x: x + x.sum(), 1, 0),
    "centred": (lambda x: x - x.sum(0), 1, 0),
    "two results of one": (lambda x: (x + 1, x * 2), 1, 0),
    "read afterwards": (lambda x: (x + 1, x.T - 3), 1, 0),
    "its sum afterwards": (lambda x, y: (x + y, (x * y).sum(1)), 2, 0),
    "itself is a result": (lambda x, y: (x + y, x), 2, 0),
    "a part is a result": (lambda x, y: (x + y, x[3:9]), 2, 0),
    "the product with itself": (lambda x: x @ x, 1, 0),
    "a product added to it": (lambda x, y: x + x @ y, 2, 0),
    "updated, then read": (lambda x, y: (lambda z: z * 2 + z.T)(x.at[5].set(y[0])), 2, 0),
    "updated, added, read": (lambda x, y: (x * 2, x.at[7].add(y[1]).T), 2, 0),
    "shaped anew": (lambda x: (x.reshape(C, R) + 1).reshape(R, C), 1, 0),
    "chained": (lambda x, y: (x + y, (x + y).T + y), 2, (0, 1)),
    "three in a circle": (lambda x, y, z: (y + 1, z + 1, x + 1), 3, (0, 1, 2)),
    "scan, turned": (lambda x: lax.scan(lambda c, _: (c.T + c, c[0, 1]), x, length=3), 1, 0),
    "scan, two carried": (lambda x, y: lax.scan(lambda c, _: ((c[1] + 1, c[0] - c[1]), None), (x, y), length=3)[0], 2, (0, 1)),
    "loop": (lambda x: lax.fori_loop(0, 3, lambda i, c: c + c[i], x), 1, 0),
}  # fmt: skip


def run_both(f, arguments, donate):
    with jax.default_device(jax.devices("cpu")[0]):
        want = jax.tree.map(np.asarray, jax.jit(f)(*[jnp.asarray(a) for a in arguments]))
    device = jax.devices("neuron")[0]
    given = [jax.device_put(a, device) * 1 for a in arguments]  # a large array of the host's would be copied first
    got = jax.tree.map(np.asarray, jax.jit(f, donate_argnums=donate)(*given))
    jax.tree.map(np.testing.assert_array_equal, got, want)


@pytest.mark.parametrize("name", HAZARDS)
def test_values_read_after_a_part_is_written(name):
    f, count, donate = HAZARDS[name]
    run_both(f, draw(1, count), donate)


def random_program(seed):
    """A graph of ops that keep shape and stay exact in float32, over two or three arguments; some of what it makes."""
    random = np.random.default_rng(seed)
    count = int(random.integers(2, 4))
    unary = [lambda a: a.T, lambda a: a[::-1], lambda a: jnp.roll(a, 7, 1), lambda a: -a, lambda a: a + 1, lambda a: a[2:3] + 0 * a,
             lambda a: a.at[3].set(a[9]), lambda a: lax.dynamic_update_slice(a, a[:4, :4], (9, 9)), lambda a: jnp.abs(a), lambda a: a]  # fmt: skip
    binary = [jnp.add, jnp.subtract, jnp.maximum, jnp.minimum, lambda a, b: a + b.T, lambda a, b: jnp.where(a > b, a, b[::-1])]
    steps = []
    for made in range(int(random.integers(3, 9))):
        known = count + made
        a, b = (int(k) for k in random.integers(0, known, 2))
        if random.random() < 0.4:
            steps.append((unary[random.integers(len(unary))], (a,)))
        else:
            steps.append((binary[random.integers(len(binary))], (a, b)))
    results = [int(k) for k in random.choice(count + len(steps), int(random.integers(1, 4)), replace=False)]

    def f(*arguments):
        values = list(arguments)
        for op, operands in steps:
            values.append(op(*[values[k] for k in operands]))
        return [values[k] for k in results]

    return f, count


@pytest.mark.parametrize("part", range(8))
def test_random_programs_with_everything_donated(part):
    for seed in range(6 * part, 6 * part + 6):
        f, count = random_program(seed)
        run_both(functools.partial(f), draw(seed, count), tuple(range(count)))


# -- on several devices


def pointers(x):
    return [shard.data.unsafe_buffer_pointer() for shard in x.addressable_shards]


def test_replicated_parameters_of_a_step_on_every_core():
    """Data-parallel descent: each device has its own copy of the parameters, and writes it in place."""
    mesh = Mesh(np.array(jax.devices("neuron")[:4]), ("i",))
    w0, a = draw(3, 2)
    w0, a = w0[:96, :80] / 8, a[:64, :96] / 8

    def step(w, a):
        return w - lax.pmean(a.T @ (a @ w), "i") / 64

    mapped = jax.shard_map(step, mesh=mesh, in_specs=(P(), P("i")), out_specs=P(), check_vma=False)
    w = jax.device_put(w0, NamedSharding(mesh, P()))
    data = jax.device_put(a, NamedSharding(mesh, P("i")))
    go = jax.jit(mapped, donate_argnums=0)
    before = pointers(w)
    want = w0.astype(np.float64)
    for _ in range(3):
        old, w = w, go(w, data)
        assert old.is_deleted() and pointers(w) == before
        want = want - a.T @ (a @ want) / 4 / 64
    for shard in w.addressable_shards:
        np.testing.assert_allclose(np.asarray(shard.data), want, rtol=1e-4, atol=1e-4)


def test_one_host_array_put_on_every_device_is_not_written():
    mesh = Mesh(np.array(jax.devices("neuron")[:4]), ("i",))
    host = np.ones((512, 512), np.float32)  # large enough to be used where it lies
    f = jax.shard_map(lambda x: x + lax.axis_index("i") * 0 + 1, mesh=mesh, in_specs=P(), out_specs=P(), check_vma=False)
    y = jax.jit(f, donate_argnums=0)(jax.device_put(host, NamedSharding(mesh, P())))
    assert (host == 1).all()
    for shard in y.addressable_shards:
        assert (np.asarray(shard.data) == 2).all()


def test_a_replicated_argument_that_is_read_after_its_copy_is_written():
    mesh = Mesh(np.array(jax.devices("neuron")[:2]), ("i",))
    (x,) = draw(4, 1)
    f = jax.shard_map(lambda x: x.T + lax.psum(x, "i"), mesh=mesh, in_specs=P(), out_specs=P(), check_vma=False)
    y = jax.jit(f, donate_argnums=0)(jax.device_put(x, NamedSharding(mesh, P())))
    np.testing.assert_array_equal(np.asarray(y), x.T + 2 * x)


def test_a_call_that_one_device_refuses_takes_nothing_from_the_others():
    mesh = Mesh(np.array(jax.devices("neuron")[:2]), ("i",))
    sharding = NamedSharding(mesh, P("i"))
    x = jax.device_put(np.ones((8, 4), np.float32), sharding)
    go = jax.jit(lambda x: x * 2, donate_argnums=0)
    go(jax.device_put(np.ones((8, 4), np.float32), sharding))
    first, second = (shard.data for shard in x.addressable_shards)
    second.delete()
    with pytest.raises(ValueError, match="is deleted"):
        jax.block_until_ready(go(x))
    np.testing.assert_array_equal(np.asarray(first), np.ones((4, 4)))
