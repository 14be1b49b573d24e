"""Arrays over several devices: values against NumPy, and the shardings that come back against those that were asked."""

import functools
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P

from processes import python

X = np.arange(8 * 12, dtype=np.float32).reshape(8, 12) / 7


def devices(count=None):
    return np.array(jax.devices("neuron")[:count])


def auto(shape, names, first=0):
    return Mesh(devices()[first : first + int(np.prod(shape))].reshape(shape), names)


def explicit(shape, names):
    return jax.make_mesh(shape, names, (AxisType.Explicit,) * len(names), devices=list(devices(int(np.prod(shape)))))


def put(x, mesh, *spec):
    return jax.device_put(x, NamedSharding(mesh, P(*spec)))


def same(got, want, tolerance=1e-5):
    np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance)


def lies(x, mesh, *spec):
    assert x.sharding.is_equivalent_to(NamedSharding(mesh, P(*spec)), x.ndim), x.sharding
    for shard in x.addressable_shards:  # and each shard holds its part
        assert shard.data.devices() == {shard.device}


SPECS = [(), ("a",), ("b",), (None, "a"), (None, "b"), ("a", "b"), ("b", "a"), (("a", "b"),), (None, ("b", "a")), (("b", "a"), None)]


@pytest.mark.parametrize("spec", SPECS, ids=str)
@pytest.mark.parametrize("make", (auto, explicit))
def test_put_and_elementwise(make, spec):
    mesh = make((2, 2), ("a", "b"))
    x = put(X, mesh, *spec)
    y = jax.jit(lambda x: jnp.sin(x) * 2 + x)(x)
    same(y, np.sin(X) * 2 + X)
    lies(y, mesh, *spec)
    for shard in y.addressable_shards:
        same(shard.data, (np.sin(X) * 2 + X)[shard.index])


@pytest.mark.parametrize("count", (1, 2, 4, 8))
def test_counts_of_devices(count):
    mesh = auto((count,), ("i",))
    x = put(X, mesh, "i")
    y = jax.jit(lambda x: x @ x.T)(x)
    same(y, X @ X.T, 1e-4)
    lies(y, mesh, "i")


def test_reversed_and_partial_meshes():
    mesh = Mesh(devices(4)[::-1], ("i",))
    x = put(X, mesh, "i")
    y = jax.jit(lambda x: x + 1)(x)
    same(y, X + 1)
    assert [s.device for s in sorted(y.addressable_shards, key=lambda s: s.index[0].start or 0)] == list(devices(4)[::-1])
    part = auto((2,), ("i",), first=2)
    y = jax.jit(lambda x: x.sum(0))(put(X, part, None, "i"))
    same(y, X.sum(0), 1e-4)
    assert y.sharding.device_set == set(devices()[2:4])
    lies(y, part, "i")


def test_stated_results_are_reported_as_stated():
    mesh = auto((2, 4), ("a", "b"))
    for out in SPECS:
        y = jax.jit(lambda x: x[:, :8] * 3, out_shardings=NamedSharding(mesh, P(*out)))(put(X, mesh, "a"))
        same(y, X[:, :8] * 3)
        lies(y, mesh, *out)


def test_propagation_from_arguments():
    mesh = auto((2, 2), ("a", "b"))
    x, w = put(X, mesh, "a"), put(X.T.copy(), mesh, None, "b")
    dot, turned, total, flat, row = jax.jit(lambda x, w: (x @ w, (x @ w).T, (x @ w).sum(1), x.reshape(-1), x[:, None] + 1))(x, w)
    lies(dot, mesh, "a", "b")
    lies(turned, mesh, "b", "a")
    lies(total, mesh, "a")
    lies(flat, mesh, "a")
    lies(row, mesh, "a")
    same(dot, X @ X.T, 1e-4)
    same(total, (X @ X.T).sum(1), 1e-4)


def test_constraints():
    mesh = auto((4,), ("i",))

    @jax.jit
    def f(x):
        x = lax.with_sharding_constraint(x * 2, NamedSharding(mesh, P(None, "i")))
        y = lax.with_sharding_constraint(x[:7, :5], NamedSharding(mesh, P("i")))  # 7 rows over 4 devices
        return x + 1, y.sum()

    x, total = f(put(X, mesh, "i"))
    same(x, X * 2 + 1)
    lies(x, mesh, None, "i")
    same(total, (X * 2)[:7, :5].sum(), 1e-4)


def test_uneven_arguments_are_refused():
    mesh = auto((4,), ("i",))
    with pytest.raises(ValueError, match="divide"):
        put(X[:7], mesh, "i")


def test_donated_shards():
    mesh = auto((4,), ("i",))
    step = jax.jit(lambda x, y: (x + y, y * 2), donate_argnums=0)
    x, y = put(X, mesh, "i"), put(X, mesh, "i")
    for turn in range(3):
        old = x
        x, _ = step(x, y)
        assert old.is_deleted()
    same(x, X * 4)
    lies(x, mesh, "i")


def test_donated_shards_of_shard_map_stay_in_place():
    mesh = auto((4,), ("i",))
    f = jax.jit(jax.shard_map(lambda x: x + lax.axis_index("i"), mesh=mesh, in_specs=P("i"), out_specs=P("i")), donate_argnums=0)
    x = put(X, mesh, "i")
    before = [s.data.unsafe_buffer_pointer() for s in x.addressable_shards]
    y = f(x)
    assert [s.data.unsafe_buffer_pointer() for s in y.addressable_shards] == before
    same(y, X + np.arange(4).repeat(2)[:, None])


def mapped(f, mesh, in_specs, out_specs, **more):
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, **more))


T = X.reshape(4, 2, 12)  # by device

COLLECTIVES = {
    "psum": (lambda x: lax.psum(x, "i"), P(), T.sum(0)),
    "pmean": (lambda x: lax.pmean(x, "i"), P(), T.mean(0)),
    "pmax": (lambda x: lax.pmax(x, "i"), P(), T.max(0)),
    "pmin": (lambda x: lax.pmin(-x, "i"), P(), (-T).min(0)),
    "all_gather": (lambda x: lax.all_gather(x, "i")[None], P("i"), np.broadcast_to(T, (4, 4, 2, 12))),
    "all_gather tiled": (lambda x: lax.all_gather(x, "i", axis=1, tiled=True), P("i"), np.tile(T.transpose(1, 0, 2).reshape(2, 48), (4, 1))),
    "psum_scatter": (lambda x: lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True), P(None, "i"), T.sum(0)),
    "all_to_all": (lambda x: lax.all_to_all(x, "i", split_axis=1, concat_axis=0, tiled=True), P("i"),
                   np.concatenate([T[:, :, 3 * i : 3 * i + 3].reshape(8, 3) for i in range(4)])),
    "ppermute": (lambda x: lax.ppermute(x, "i", [(0, 1), (1, 2), (2, 3), (3, 0)]), P("i"), np.roll(X, 2, 0)),
    "ppermute in part": (lambda x: lax.ppermute(x, "i", [(0, 3)]), P("i"), np.concatenate([np.zeros((6, 12), np.float32), X[:2]])),
    "axis_index": (lambda x: x * 0 + lax.axis_index("i"), P("i"), np.broadcast_to(np.arange(4.0).repeat(2)[:, None], X.shape)),
}  # fmt: skip


@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives(name):
    f, out, want = COLLECTIVES[name]
    mesh = auto((4,), ("i",))
    got = mapped(f, mesh, P("i"), out, check_vma=False)(put(X, mesh, "i"))
    same(got, want)
    lies(got, mesh, *out)


@pytest.mark.parametrize("kind", ("float16", "bfloat16", "int8", "uint16", "int32", "uint32", "bool"))
def test_types(kind):
    mesh = auto((4,), ("i",))
    x = jnp.asarray(np.arange(32).reshape(8, 4) % 2 if kind == "bool" else np.arange(32).reshape(8, 4) % 8).astype(kind)
    want = np.asarray(x).reshape(4, 2, 4)
    got = mapped(lambda x: lax.all_gather(x, "i", tiled=True), mesh, P("i"), P(), check_vma=False)(put(x, mesh, "i"))
    assert got.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(got).astype(float), want.reshape(8, 4).astype(float))
    if kind != "bool":
        got = mapped(lambda x: lax.psum(x, "i"), mesh, P("i"), P())(put(x, mesh, "i"))
        np.testing.assert_array_equal(np.asarray(got).astype(float), want.astype(float).sum(0))


def test_groups_are_kept():
    """Each of 8 ranks alone in its group keeps its own values; a sum over everybody would be 28."""
    mesh = auto((8,), ("i",))
    rank = np.arange(8, dtype=np.float32).repeat(2)
    f = lambda x: lax.psum(x, "i", axis_index_groups=[[i] for i in range(8)])
    same(mapped(f, mesh, P("i"), P("i"), check_vma=False)(put(rank, mesh, "i")), rank)


def test_gathers_on_a_process_grid():
    mesh = auto((2, 2), ("a", "b"))
    f = lambda x: (lax.all_gather(x, "b", axis=1, tiled=True), lax.psum(x, "a"), lax.psum(x, ("a", "b")))
    gathered, columns, total = mapped(f, mesh, P("a", "b"), (P("a"), P(None, "b"), P()), check_vma=False)(put(X, mesh, "a", "b"))
    same(gathered, X)
    same(columns, X[:4] + X[4:])
    same(total, X.reshape(2, 4, 2, 6).sum((0, 2)), 1e-4)


def test_sums_do_not_depend_on_who_comes_first():
    mesh = auto((4,), ("i",))
    x = np.array([1e8, 1, -1e8, 1], np.float32)  # ((1e8 + 1) - 1e8) + 1 is 1 in float32
    f = mapped(lambda x: lax.psum(x, "i"), mesh, P("i"), P())
    assert {float(f(put(x, mesh, "i"))[0]) for _ in range(10)} == {1.0}


def test_scan_and_grad_in_shard_map():
    mesh = auto((4,), ("i",))

    def loss(w, x):
        def turn(carry, _):
            carry = jnp.tanh(carry @ w)
            return carry + lax.pmean(carry, "i"), None

        y, _ = lax.scan(turn, x, length=3)
        return lax.psum((y * y).sum(), "i")

    def reference(w, x):
        x = x.reshape(4, 2, 12)
        for _ in range(3):
            x = jnp.tanh(x @ w)
            x = x + x.mean(0, keepdims=True)
        return (x * x).sum()

    w = np.random.default_rng(0).normal(size=(12, 12)).astype(np.float32) / 4
    f = jax.shard_map(loss, mesh=mesh, in_specs=(P(), P("i")), out_specs=P())
    value, gradient = jax.jit(jax.value_and_grad(f))(put(w, mesh), put(X, mesh, "i"))
    with jax.default_device(jax.devices("cpu")[0]):
        want, slope = jax.value_and_grad(reference)(jnp.asarray(w), jnp.asarray(X))
    same(value, want, 1e-4)
    same(gradient, slope, 2e-3)


def test_shard_map_inside_scan_and_jit():
    mesh = auto((4,), ("i",))
    add = jax.shard_map(lambda x: x + lax.psum(x, "i"), mesh=mesh, in_specs=P("i"), out_specs=P("i"))

    @jax.jit
    def f(x):
        x, sums = lax.scan(lambda x, _: (add(x) / 4, x.sum()), x * 2, length=3)
        return x, sums

    x, want = X * 2, []
    for _ in range(3):
        want.append(x.sum())
        x = (x.reshape(4, 2, 12) + x.reshape(4, 2, 12).sum(0)).reshape(8, 12) / 4
    got, sums = f(put(X, mesh, "i"))
    same(got, x, 1e-4)
    same(sums, np.array(want), 1e-4)


def test_one_axis_manual():
    mesh = auto((2, 2), ("a", "b"))
    f = jax.shard_map(lambda x: lax.psum(x, "a"), mesh=mesh, in_specs=P("a"), out_specs=P(), axis_names={"a"})
    same(jax.jit(f)(put(X, mesh, "a", "b")), X[:4] + X[4:])


def test_explicit_axes_know_their_types():
    mesh = explicit((2, 2), ("a", "b"))
    with jax.set_mesh(mesh):
        x = put(X, mesh, "a", "b")
        y = jax.jit(lambda x: (x * 2).sum(1))(x)
        same(y, (X * 2).sum(1), 1e-4)
        assert jax.typeof(y).sharding.spec == P("a")


def test_pmap():
    got = jax.pmap(lambda x: lax.psum(x, "i") + x, axis_name="i", devices=list(devices(4)))(T)
    same(got, T + T.sum(0))


def test_scalars_and_single_devices_beside_a_mesh():
    mesh = explicit((4,), ("i",))
    same(jax.jit(lambda x, k: x * k)(put(X, mesh, "i"), 3.0), X * 3)
    third = jax.device_put(X, devices()[3])
    y = jax.jit(lambda x: x + 1)(third)
    assert y.devices() == {devices()[3]} and isinstance(y.sharding, SingleDeviceSharding)


def test_without_shardy():
    code = """
        import jax, json, numpy as np
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
        jax.config.update("jax_use_shardy_partitioner", False)
        mesh = Mesh(np.array(jax.devices()[:4]), ("i",))
        x = jax.device_put(np.arange(8.0, dtype=np.float32), NamedSharding(mesh, P("i")))
        total = jax.jit(jax.shard_map(lambda x: jax.lax.psum(x, "i"), mesh=mesh, in_specs=P("i"), out_specs=P()))(x)
        moved = jax.jit(lambda x: x * 2, out_shardings=NamedSharding(mesh, P("i")))(x)
        print(json.dumps([total.tolist(), moved.tolist(), list(moved.sharding.spec)]))
        """
    assert json.loads(python(code)) == [[12.0, 16.0], [2.0 * i for i in range(8)], ["i"]]


def test_64_devices():
    code = """
        import jax, numpy as np
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
        assert jax.device_count() == 64
        mesh = Mesh(np.array(jax.devices()).reshape(8, 8), ("a", "b"))
        x = jax.device_put(np.arange(256.0, dtype=np.float32).reshape(16, 16), NamedSharding(mesh, P("a", "b")))
        f = jax.shard_map(lambda x: jax.lax.psum(x, ("a", "b")), mesh=mesh, in_specs=P("a", "b"), out_specs=P())
        print(jax.jit(f)(x).tolist(), jax.jit(lambda x: x.sum())(x))
        """
    x = np.arange(256.0).reshape(8, 2, 8, 2).sum((0, 2))
    assert python(code, OPENNEURON_INSTANCE_TYPE="trn2.48xlarge", NEURON_RT_NUM_CORES="64").split() == f"{x.tolist()} {np.arange(256.0).sum()}".split()


def test_a_collective_that_one_device_leaves_out_is_named():
    f = lambda x: lax.cond(lax.axis_index("i") == 0, lambda x: lax.psum(x, "i"), lambda x: x * 2, x)
    run = mapped(f, auto((2,), ("i",)), P("i"), P("i"), check_vma=False)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"ON-E2502\] .*all_reduce .*core 1,? (which )?has ended"):
        jax.block_until_ready(run(np.ones(2, np.float32)))
    same(mapped(lambda x: x + 1, auto((2,), ("i",)), P("i"), P("i"))(np.ones(2, np.float32)), np.full(2, 2.0))  # the next one runs


def test_errors_reach_every_device():
    """A loop whose length depends on the core meets its collective unequally often."""
    mesh = auto((2,), ("i",))

    def f(x):
        n = lax.axis_index("i") + 1
        return lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] + lax.psum(s[1], "i")), (jnp.int32(0), x))[1]

    with pytest.raises(jax.errors.JaxRuntimeError, match="ON-E250"):
        jax.block_until_ready(mapped(f, mesh, P("i"), P("i"), check_vma=False)(put(X, mesh, "i")))


def test_many_calls_from_many_threads():
    """Groups that share devices, called at the same time, do not wait for each other."""
    from concurrent.futures import ThreadPoolExecutor

    one, other = auto((4,), ("i",)), Mesh(devices(4)[::-1], ("i",))
    sums = [functools.partial(mapped(lambda x: lax.psum(x, "i"), m, P("i"), P()), put(X, m, "i")) for m in (one, other)]
    with ThreadPoolExecutor(4) as pool:
        for got in pool.map(lambda k: np.asarray(sums[k % 2]()), range(40)):
            same(got, T.sum(0))
