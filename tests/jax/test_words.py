"""64-bit integers in every kind of op, complex numbers in linear algebra, arrays without elements."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from test_types import LARGE, on_cpu, same

pytestmark = pytest.mark.usefixtures("neuron")
GRID = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, (5, 6))
PLACES = np.array([4, 0, 4, 2])

ON_WORDS = {
    "sum": lambda x: (x.sum(), x.sum(0), x.sum(1)),
    "product": lambda x: (x.prod(), x.prod(1)),
    "largest": lambda x: (x.max(), x.min(0), jnp.argmax(x, 1), jnp.argmin(x)),
    "any": lambda x: ((x > 2**53).any(0), (x == x[0]).all(1)),
    "bits": lambda x: (lax.reduce(x, np.int64(0), lax.bitwise_xor, (0,)), lax.population_count(x), lax.clz(x)),
    "cumulative": lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, axis=1), lax.cummin(x, reverse=True)),
    "sort": lambda x: (jnp.sort(x, 1), jnp.argsort(x, 0), lax.sort((x, -x), num_keys=2)),
    "top_k": lambda x: lax.top_k(x, 3),
    "gather": lambda x: (x[PLACES], jnp.take_along_axis(x, jnp.argsort(x, 1), 1), x.at[99].get(mode="fill", fill_value=-1)),
    "scatter": lambda x: (x.at[PLACES].set(x[:4]), x.at[PLACES].add(x[:4]), x.at[PLACES].max(x[:4]), x.at[PLACES, 1].multiply(3)),
    "dynamic": lambda x: (lax.dynamic_slice(x, (x[0, 0] % 3, 1), (2, 2)), lax.dynamic_update_slice(x, x[:2, :2], (3, x[1, 1]))),
    "scan": lambda x: lax.scan(lambda total, row: (total * 3 + row, total ^ row), x[0], x),
    "associative_scan": lambda x: lax.associative_scan(jnp.add, x, axis=1),
    "while": lambda x: lax.while_loop(lambda s: s[0] < 2**40, lambda s: (s[0] * 7 + 1, s[1] - s[0]), (jnp.int64(3), x)),
    "cond": lambda x: lax.cond(x[0, 0] > 0, lambda x: x + 1, lambda x: x - 2**33, x),
    "contractions": lambda x: (x @ x.T, jnp.einsum("ij,ij->j", x, x), lax.dot(x.astype(np.int32), x.T.astype(np.int32), preferred_element_type=np.int64)),
    "shapes": lambda x: (jnp.pad(x, 1, constant_values=2**40), jnp.concatenate([x, -x]), x[::-1, ::2].T, jnp.where(x > 0, x, 7)),
    "convert": lambda x: (x.astype(np.float32), x.astype(np.int8), x.astype(np.uint64), x.astype(bool), x.astype(jnp.bfloat16)),
    "divide": lambda x: (x // 1000003, x % -17, lax.div(x, x[::-1]), lax.rem(x, x[:, ::-1]), jnp.divmod(x, 2**33)[0]),
    "search": lambda x: (jnp.searchsorted(jnp.sort(x[0]), x[1]), jnp.unique(x[0] % 3, size=3), jnp.bincount(x[0] % 4, length=4)),
}


@pytest.mark.parametrize("name", ON_WORDS)
def test_words(name):
    with jax.enable_x64(True):
        same(ON_WORDS[name], GRID)


@pytest.mark.parametrize("kind", (np.int64, np.uint64))
def test_largest_words_of_rows_with_ties(kind):
    """Equal ones in the order of their places; the sign counts of one type only."""
    x = np.array([[2**63 - 1, 5, -1, 5, -(2**63)], [2**32, 2**32 + 1, 2**32, 7, 2**33]]).astype(kind)
    order = np.argsort(-x.astype(object), axis=1, kind="stable")[:, :4]
    with jax.enable_x64(True):
        values, places = jax.jit(lambda x: lax.top_k(x, 4))(x)
    assert np.asarray(places).tolist() == order.tolist()
    assert np.asarray(values).tolist() == np.take_along_axis(x, order, 1).tolist()


@pytest.mark.parametrize("kind", (np.int64, np.uint64))
@pytest.mark.parametrize("select", (lax.ge_p, lax.le_p))
def test_words_go_where_windows_chose(kind, select):
    from jax._src.lax.windowed_reductions import _select_and_scatter_add

    x, updates = GRID.astype(kind), GRID[:4, :3].astype(kind) // 16
    with jax.enable_x64(True):
        same(lambda u, x: _select_and_scatter_add(u, x, select, (2, 2), (1, 2), ((0, 0), (0, 0))), updates, x)


@pytest.mark.parametrize("kinds", ((np.int8, np.int8), (np.int32, np.uint8), (np.int64, np.int16)))
def test_contraction_into_words(kinds):
    a, b = (np.random.default_rng(i).integers(np.iinfo(k).min, np.iinfo(k).max, (4, 4)).astype(k) for i, k in enumerate(kinds))
    with jax.enable_x64(True):
        found = jax.jit(lambda a, b: lax.dot(a, b, preferred_element_type=np.int64))(a, b)
        assert np.asarray(found).tolist() == (a.astype(np.int64) @ b.astype(np.int64)).tolist()


@pytest.mark.parametrize("kind", (np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64))
def test_convolution_into_words(kind):
    """Among the elements are the largest and the least; 64-bit results wrap."""
    wide = np.uint64 if np.iinfo(kind).min == 0 else np.int64
    edges = np.array([np.iinfo(kind).max, np.iinfo(kind).min], kind)
    x, w = (np.resize(np.r_[edges, edges[::-1] // 3, edges // 7, edges // 5], shape) for shape in ((1, 3, 5, 6), (4, 3, 2, 2)))
    with jax.enable_x64(True):
        found = jax.jit(lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", preferred_element_type=wide))(x, w)
    padded = np.pad(x.astype(wide), ((0, 0), (0, 0), (0, 1), (0, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2, 2), (2, 3))
    right = (windows[:, None] * w.astype(wide)[None, :, :, None, None]).sum((2, 5, 6))
    assert np.asarray(found).tolist() == right.tolist()


@pytest.mark.parametrize("algorithm", (lax.RandomAlgorithm.RNG_THREE_FRY, lax.RandomAlgorithm.RNG_PHILOX))
@pytest.mark.parametrize("shape", ((), (5, 7), (129,)))
def test_random_words(algorithm, shape):
    key = np.array([0x123456789ABCDEF0, 0xFFFFFFFFFFFFFFFE], np.uint64)
    with jax.enable_x64(True):
        same(lambda key: lax.rng_bit_generator(key, shape, np.uint64, algorithm=algorithm), key)
        same(lambda key: jax.random.bits(jax.random.wrap_key_data(key.astype(np.uint32)), shape, np.uint64), key)


def test_words_in_collectives():
    devices = jax.devices("neuron")[:4]
    x = np.tile(LARGE[:4], 4) + np.arange(16)
    own = x.reshape(4, 4)

    def each(x):
        return lax.psum(x, "d"), lax.pmax(x, "d"), lax.all_gather(x, "d"), lax.ppermute(x, "d", [(i, (i + 1) % 4) for i in range(4)]), lax.psum_scatter(x, "d", tiled=True)

    with jax.enable_x64(True):
        mesh = Mesh(np.array(devices), ("d",))
        spread = jax.device_put(x, NamedSharding(mesh, PartitionSpec("d")))
        specs = (PartitionSpec(), PartitionSpec(), PartitionSpec(), PartitionSpec("d"), PartitionSpec("d"))
        run = jax.jit(jax.shard_map(each, mesh=mesh, in_specs=PartitionSpec("d"), out_specs=specs, check_vma=False))
        total, largest, gathered, moved, scattered = jax.tree.map(np.asarray, run(spread))
    assert total.tolist() == own.sum(0).tolist() and largest.tolist() == own.max(0).tolist()
    assert gathered.tolist() == own.tolist() and moved.tolist() == np.roll(own, 1, 0).ravel().tolist()
    assert scattered.tolist() == own.sum(0).tolist()


def test_donated_words_keep_their_place():
    with jax.enable_x64(True):
        step = jax.jit(lambda x, y: (x * 3 + y, y - 2**50), donate_argnums=(0, 1))
        a, b = jax.device_put(GRID), jax.device_put(GRID[::-1].copy())
        right = GRID, GRID[::-1]
        for _ in range(3):
            old = a
            a, b = step(a, b)
            assert old.is_deleted()
            right = right[0] * 3 + right[1], right[1] - 2**50
        assert np.asarray(a).tolist() == right[0].tolist() and np.asarray(b).tolist() == right[1].tolist()


def complex_numbers(*shape):
    parts = np.random.default_rng(5).standard_normal((2, *shape)).astype(np.float32)
    return parts[0] + 1j * parts[1]


COMPLEX = {
    "fft": lambda z: (jnp.fft.fft(z), jnp.fft.ifft(z, axis=0), jnp.fft.fft2(z), jnp.fft.rfft(z.real), jnp.fft.irfft(z, n=9)),
    "solve": lambda z: jnp.linalg.solve(z + 4 * jnp.eye(6), z[:, :2]),
    "inverse": lambda z: jnp.linalg.inv(z + 4 * jnp.eye(6)),
    "determinant": lambda z: jnp.linalg.det(z / 2),
    "cholesky": lambda z: jnp.linalg.cholesky(z @ z.conj().T + 6 * jnp.eye(6)),
    "triangular": lambda z: jax.scipy.linalg.solve_triangular(jnp.tril(z) + 4 * jnp.eye(6), z, lower=True),
    "clamp": lambda z: (lax.clamp(z - 1, z[::-1], z + 1), lax.clamp(jnp.complex64(-0.5), z, jnp.complex64(0.5 + 1j))),
    "gradient": lambda z: jax.grad(lambda x: jnp.sum(jnp.abs(jnp.fft.fft(x * z[0])) ** 2))(z.real[1]),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers(name):
    same(COMPLEX[name], complex_numbers(6, 6), tolerance=2e-4)


def test_complex_qr():
    """Columns may differ by a factor of size one: judged by what they multiply to."""
    z = complex_numbers(6, 4)
    q, r = (np.asarray(x).astype(np.complex128) for x in jax.jit(jnp.linalg.qr)(z))
    np.testing.assert_allclose(q @ r, z, atol=1e-5)
    np.testing.assert_allclose(q.conj().T @ q, np.eye(4), atol=1e-5)
    assert np.abs(np.tril(r, -1)).max() == 0


WITHOUT_ELEMENTS = {
    "sum": lambda x: (x.sum(), x.sum(0), x.prod(1)),
    "sort": lambda x: (jnp.sort(x), jnp.cumsum(x, 1)),
    "shapes": lambda x: (x.T, x.reshape(0, 6), jnp.concatenate([x, x]), x[:, 1:]),
    "join": lambda x: jnp.concatenate([x, jnp.ones((2, 3), x.dtype)]),
    "arithmetic": lambda x: (x * 2 + 1, x == x, x.astype(jnp.float32)),
    "scan": lambda x: lax.scan(lambda c, row: (c + row, row), jnp.zeros(3, x.dtype), x),
    "gather": lambda x: (x.T[jnp.array([0, 2])], jnp.zeros(4, x.dtype).at[jnp.zeros(0, int)].add(x[:, 0])),
    "dot": lambda x: (x.T @ x, x @ x.T),
}


@pytest.mark.parametrize("kind", (np.float32, np.int64, np.complex64, np.bool_))
@pytest.mark.parametrize("name", WITHOUT_ELEMENTS)
def test_arrays_without_elements(name, kind):
    if kind == np.bool_ and name in ("arithmetic", "dot"):
        kind = np.int8
    with jax.enable_x64(kind == np.int64):
        same(WITHOUT_ELEMENTS[name], np.zeros((0, 3), kind))


def test_words_as_captured_literals_and_static_values():
    with jax.enable_x64(True):
        table = np.array([2**53 + 1, -(2**62) - 3, 2**24 + 1])
        assert np.asarray(jax.jit(lambda i: jnp.asarray(table)[i])(np.array([2, 0, 1]))).tolist() == table[[2, 0, 1]].tolist()
        assert on_cpu(lambda: jnp.int64(2**53 + 1)) == jax.jit(lambda: jnp.int64(2**53 + 1))()
