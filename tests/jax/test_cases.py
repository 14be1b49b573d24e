"""Small programs that went wrong on some compiler or device, each with its known answer."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import sparse

pytestmark = pytest.mark.usefixtures("neuron")
INF, NAN = np.inf, np.nan


def same(found, right, tolerance=2e-6):
    """Every result: integers and booleans exactly, floats within a few roundings, NaN and infinities in their places."""
    found, right = jax.tree.leaves(found), jax.tree.leaves(right, is_leaf=lambda node: isinstance(node, list))
    assert len(found) == len(right)
    for ours, theirs in zip(found, right):
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        assert ours.shape == theirs.shape
        if ours.dtype.kind in "biu":
            np.testing.assert_array_equal(ours, theirs)
        else:
            np.testing.assert_allclose(ours.astype(np.float64), theirs.astype(np.float64), rtol=tolerance, atol=tolerance)


def both(function, *arguments, tolerance=2e-6):
    """`function` jitted on neuron against cpu."""
    found = jax.jit(function)(*arguments)
    assert {d.platform for leaf in jax.tree.leaves(found) for d in leaf.devices()} == {"neuron"}
    with jax.default_device(jax.devices("cpu")[0]):
        right = jax.jit(function)(*arguments)
    same(found, right, tolerance)
    return found


def same_or_refused(run, right, tolerance=2e-6):
    """The right values; or, where the compiler lacks a type or an op, a refusal that carries a code and names the op."""
    try:
        found = jax.block_until_ready(run())
    except jax.errors.JaxRuntimeError as refusal:
        assert str(refusal).startswith("UNIMPLEMENTED") and re.search(r"ON-E170[23]\] \S+: .+\n +hint: .+", str(refusal)), refusal
        return
    same(found, right, tolerance)


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


# Integers, 64-bit, narrow types


def test_64_bit_elements_have_a_64_bit_stride():
    with jax.enable_x64(True):
        fives = np.full(10, 5 + (1 << 40))
        for i in range(10):
            same_or_refused(lambda: jax.jit(lambda x, i: x[i])(fives, i), np.int64(5 + (1 << 40)))


def test_high_half_of_a_product():
    """Philox's multiplication, as it is written without 64-bit words."""

    def high(a, b):
        al, ah, bl, bh = a & 0xFFFF, a >> 16, b & 0xFFFF, b >> 16
        middle = ah * bl + ((al * bl) >> 16)
        return ah * bh + (middle >> 16) + ((al * bh + (middle & 0xFFFF)) >> 16), a * b

    found = jax.jit(high)(jnp.uint32(0x7FFFFFFF), jnp.uint32(0xD2511F53))
    assert [int(x) for x in found] == [1764265896, 0xADAEE0AD]
    found = jax.jit(high)(jnp.uint32(0xFFFFFFFF), jnp.uint32(0xD2511F53))
    assert [int(x) for x in found] == [0xFFFFFFFF * 0xD2511F53 >> 32, 0xFFFFFFFF * 0xD2511F53 & 0xFFFFFFFF]


def test_product_of_8_bit_numbers_is_kept_wide():
    product = jax.jit(lambda a, b: jnp.matmul(a, b, preferred_element_type=jnp.int32))
    hundreds = np.full((16, 8), 100, np.int8), np.full((8, 4), 100, np.int8)
    same_or_refused(lambda: product(*hundreds), np.full((16, 4), 80000))


@pytest.mark.parametrize("size, index, kind", ((300, 200, "uint8"), (70000, 30000, "int16")))
def test_scatter_by_narrow_indices(size, index, kind):
    one_row = lax.ScatterDimensionNumbers((), (0,), (0,))
    set_one = jax.jit(lambda x, i: lax.scatter(x, i, jnp.ones(1), one_row, mode="promise_in_bounds"))
    found = set_one(jnp.zeros(size), jnp.array([[index]], kind))
    same(found, np.eye(1, size, index)[0])


@pytest.mark.parametrize("rows", (64, 128, 300))
def test_rows_by_index(rows):
    table, chosen = numbers(rows, 7), np.random.default_rng(rows).permutation(rows).astype(np.int32)
    same(jax.jit(lambda t, i: t[i])(table, chosen), table[chosen], tolerance=0)


def test_reduce_by_logaddexp():
    x = numbers(5, 9) * 20
    found = jax.jit(lambda x: lax.reduce(x, -jnp.inf, jnp.logaddexp, (1,)))(x)
    same(found, np.logaddexp.reduce(x.astype(np.float64), axis=1))


def test_reciprocal_of_an_integer():
    same(jax.jit(lambda n: 1 / n)(jnp.arange(1, 9)), 1 / np.arange(1, 9))


def test_truncation_between_integers_is_kept():
    with jax.enable_x64(True):
        x = np.array([1, (1 << 32) + 5, -(1 << 33) - 7, (1 << 31)])
        same_or_refused(lambda: jax.jit(lambda x: x.astype(jnp.int32).astype(jnp.int64))(x), np.array([1, 5, -7, -(1 << 31)]))


def test_integers_that_float32_lacks():
    same(jax.jit(lambda x: (x, x.reshape(1, 3).T, x + 1))(jnp.array([16777217, -16777219, 2**31 - 2])), (
        np.array([16777217, -16777219, 2**31 - 2]), np.array([[16777217], [-16777219], [2**31 - 2]]),
        np.array([16777218, -16777218, 2**31 - 1]),
    ))  # fmt: skip


# NaN, infinities, rounding


def test_softmax_of_infinite_rows():
    found = jax.jit(jax.nn.softmax)(jnp.array([[1, INF, 2], [-INF, -INF, -INF], [0, 0, -INF]]))
    same(found, [[NAN, NAN, NAN], [NAN, NAN, NAN], [0.5, 0.5, 0]])


def test_overflow_is_not_simplified_away():
    found = jax.jit(lambda a, b: (jnp.log(jnp.exp(a)), jnp.sqrt(b * b)))(jnp.array([89.0, 3.0]), jnp.array([-1.9e19, -3.0]))
    same(found, ([INF, 3], [INF, 3]))


def test_arctangent_of_zeros():
    same(jax.jit(lambda c: jnp.arctan2(*[jnp.float32(c ^ c)] * 2))(jnp.array([1, 2, 3])), [0, 0, 0])


def test_sort_puts_nan_last():
    found = jax.jit(jnp.sort)(jnp.array([0, 1, NAN, 0, 2, -NAN, -INF, INF]))
    same(found, [-INF, 0, 0, 1, 2, INF, NAN, NAN])
    same(jax.jit(jnp.argsort)(jnp.array([0, 1, np.copysign(NAN, -1), 0, 2])), [0, 3, 1, 4, 2])


def test_logarithm_of_an_impossible_power():
    same(jax.jit(lambda x: jnp.log(x**x))(jnp.array([-1.5, 2.0])), [NAN, 2 * np.log(2)])


def test_largest_of_rows_with_nan():
    x = numbers(512, 32)
    x[77] = NAN
    _, places = jax.jit(lambda x: lax.top_k(x, 4))(x)
    places = np.asarray(places)
    assert places.min() >= 0 and places.max() < 32
    other = np.delete(np.arange(512), 77)
    np.testing.assert_array_equal(places[other], np.argsort(-x[other], axis=1, kind="stable")[:, :4])


def test_scatter_multiply_by_nan_ends():
    same(jax.jit(lambda x: x.at[jnp.array([0, 0])].multiply(jnp.array([NAN, 2.0])))(jnp.ones(3)), [NAN, 1, 1])


# Gather, scatter, indexing


def test_masked_rows_reversed():
    stored, chosen = numbers(8, 5), np.array([3, 0, 7, 7, 2, 5])
    mask = np.array([True, False, True, True, False, False])
    found = jax.jit(lambda s, i, m: jnp.where(m[:, None], s[i][:, ::-1], s[i]))(stored, chosen, mask)
    rows = stored[chosen]
    rows[mask] = rows[mask][:, ::-1]
    same(found, rows, tolerance=0)


def test_put_along_axis():
    x, at = numbers(3, 4), np.array([[0], [3], [1]])
    right = x.copy()
    np.put_along_axis(right, at, 9.0, axis=1)
    same(jax.jit(lambda x, i: jnp.put_along_axis(x, i, 9.0, axis=1, inplace=False))(x, at), right)


def test_an_index_for_each_row():
    state = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    same(jax.jit(lambda s, i: jnp.take_along_axis(s, i[:, None], 1)[:, 0])(state, np.array([0, 1])), [1, 4])
    same(jax.jit(jax.vmap(lambda row, i: row[i]))(state, np.array([0, 1])), [1, 4])


def test_gradient_of_sort_is_a_permutation():
    x, weights = numbers(3, 6), np.arange(18, dtype=np.float32).reshape(3, 6)
    right = np.empty_like(x)
    np.put_along_axis(right, np.argsort(x, axis=1), weights, axis=1)
    same(jax.jit(jax.grad(lambda x: jnp.sum(jnp.sort(x, axis=1) * weights)))(x), right)


@pytest.mark.parametrize("name, ufunc", (("add", np.add), ("multiply", np.multiply), ("min", np.minimum), ("max", np.maximum)))
def test_scatter_over_two_axes(name, ufunc):
    x, updates = numbers(4, 5, 3), numbers(6, 3, seed=1)
    i, j = np.array([0, 3, 1, 0, 3, 3]), np.array([4, 2, 0, 4, 2, 1])
    right = x.copy()
    ufunc.at(right, (i, j), updates)
    same(jax.jit(lambda x, u: getattr(x.at[i, j], name)(u))(x, updates), right)


def test_an_update_of_zero_is_an_update():
    same(jax.jit(lambda x: x.at[jnp.arange(4)].set(jnp.array([1.0, 2, 0, 0])))(jnp.full(4, 7.0)), [1, 2, 0, 0])


def test_gather_of_a_large_table():
    table = numbers(913, 1280)
    chosen = np.random.default_rng(3).integers(0, 913, (5, 1280))
    same(jax.jit(lambda t, i: jnp.take_along_axis(t, i, 0))(table, chosen), np.take_along_axis(table, chosen, 0), tolerance=0)


def test_tokens_added_to_their_experts_rows():
    at, updates = np.random.default_rng(4).integers(0, 64, 256), numbers(256, 704)
    right = np.zeros((64, 704))
    np.add.at(right, at, updates)
    same(jax.jit(lambda i, u: jnp.zeros((64, 704)).at[i].add(u))(at, updates), right, tolerance=1e-5)


def test_gradient_of_scatter_max_with_clipped_indices():
    at = np.array([1, 9, 1, -7])

    def loss(x, u):
        return jnp.sum(x.at[at].max(u, mode="clip") ** 2)

    both(jax.grad(loss, argnums=(0, 1)), numbers(4), numbers(4, seed=1))


@pytest.mark.parametrize("mode, right", (("drop", [1, 5, 5, 1]), ("clip", [1, 5, 5, 5])))
def test_indices_outside(mode, right):
    same(jax.jit(lambda x: x.at[jnp.array([1, 2, 9])].set(5.0, mode=mode))(jnp.ones(4)), right)
    found = jax.jit(lambda x: x.at[jnp.array([0, 9])].get(mode="fill" if mode == "drop" else mode))(jnp.arange(1.0, 4))
    same(found, [1, NAN if mode == "drop" else 3])


def test_scatter_into_a_scalar():
    same(jax.jit(lambda x: x.at[()].add(2.0))(jnp.float32(1)), 3)


# Sort, largest


def test_argsort_along_an_axis_of_one():
    same(jax.jit(lambda x: jnp.argsort(x, axis=1))(jnp.arange(10).reshape(10, 1)), np.zeros((10, 1)))


@pytest.mark.parametrize("kind", ("int32", "float32"))
def test_sort_carries_its_payload_and_is_stable(kind):
    keys = np.random.default_rng(0).integers(0, 5, 40).astype(kind)
    order = np.argsort(keys, kind="stable")
    same(jax.jit(lambda k, v: lax.sort((k, v), num_keys=1, is_stable=True))(keys, np.arange(40)), (keys[order], order))


def test_searchsorted_in_a_loop():
    grid = np.sort(numbers(11))

    def turn(_, x):
        return None, jnp.searchsorted(grid, x)

    x = numbers(6, 4, seed=2)
    same(jax.jit(lambda x: lax.scan(turn, None, x)[1])(x), np.searchsorted(grid, x))


# Control flow


def test_random_numbers_over_704_turns():
    def turn(_, state):
        key, total = state
        key, now = jax.random.split(key)
        return key, total + jax.random.randint(now, (), 0, 1000)

    both(lambda key: lax.fori_loop(0, 704, turn, (jax.random.wrap_key_data(key), 0))[1], np.array([1, 2], np.uint32))


def test_gradient_through_a_condition_in_a_loop():
    """Times 3 while below 10, else times 2: from 2 to 6, 18, 36, 72; three of that are 216, their slope 3 * 3 * 3 * 2 * 2."""

    def f(x):
        def turn(x, _):
            return lax.cond(x < 10, lambda x: x * 3, lambda x: x * 2, x), None

        last, _ = lax.scan(turn, x, None, length=4)
        return 3 * last

    assert float(jax.jit(jax.grad(f))(2.0)) == 108 and float(jax.jit(f)(2.0)) == 216


def test_branches_that_swap():
    swap = jax.jit(lambda p, a, b: lax.cond(p, lambda a, b: (b, a), lambda a, b: (a, b), a, b))
    same(swap(True, jnp.ones(3), jnp.zeros(3)), (np.zeros(3), np.ones(3)))
    same(swap(False, jnp.ones(3), jnp.zeros(3)), (np.ones(3), np.zeros(3)))


def test_inner_loop_bounded_by_the_outer():
    def outer(i, total):
        return lax.fori_loop(0, i, lambda j, t: t + j * i, total)

    assert int(jax.jit(lambda n: lax.fori_loop(0, n, outer, 0))(jnp.int32(9))) == sum(j * i for i in range(9) for j in range(i))


def test_while_over_a_tuple():
    def turn(state):
        a, b, n = state
        return b, (a + b) % jnp.uint32(1000007), n - 1

    a, b = 0, 1
    for _ in range(50):
        a, b = b, (a + b) % 1000007
    found = jax.jit(lambda: lax.while_loop(lambda s: s[2] > 0, turn, (jnp.uint32(0), jnp.uint32(1), 50)))()
    assert [int(x) for x in found] == [a, b, 0]


def test_keys_split_in_a_loop():
    def turn(key, _):
        key, out = jax.random.split(key)
        return key, jax.random.bits(out)

    both(lambda k: lax.scan(turn, jax.random.wrap_key_data(k), None, length=20)[1], np.array([7, 8], np.uint32))


# Convolution, pooling, windows


def test_large_strided_convolution_backwards():
    """7x7, stride 2, padding 3, batch norm, relu, gradients of the sum."""

    def loss(x, w, scale, bias):
        y = lax.conv_general_dilated(x, w, (2, 2), ((3, 3), (3, 3)))
        mean, var = y.mean((0, 2, 3), keepdims=True), y.var((0, 2, 3), keepdims=True)
        y = (y - mean) * lax.rsqrt(var + 1e-5) * scale[:, None, None] + bias[:, None, None]
        return jnp.sum(jax.nn.relu(y) * 1e-2)

    arguments = numbers(1, 3, 32, 64), numbers(16, 3, 7, 7, seed=1) * 0.1, numbers(16, seed=2), numbers(16, seed=3)
    both(jax.grad(loss, argnums=(0, 1, 2, 3)), *arguments, tolerance=2e-4)


def test_skip_connection_joined():
    def f(x, w, skip):
        up = lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))
        return lax.conv(jnp.concatenate([up, skip], 1), jnp.ones((4, 24, 3, 3)), (1, 1), "VALID")

    both(f, numbers(1, 16, 16, 16), numbers(8, 16, 2, 2, seed=1), numbers(1, 16, 32, 32, seed=2), tolerance=1e-4)


def test_prefix_sums():
    x = np.random.default_rng(1).integers(-9, 9, (3, 50))
    same(jax.jit(lambda x: jnp.cumsum(x, axis=1))(x), np.cumsum(x, axis=1))


def test_inference_by_batch_norm():
    x, (scale, bias, mean, var) = numbers(2, 3, 4, 5), numbers(4, 3, 1, 1, seed=1)
    var = np.abs(var)
    found = jax.jit(lambda x: (x - mean) * lax.rsqrt(var + 1e-5) * scale + bias)(x)
    same(found, (x - mean) / np.sqrt(var + 1e-5) * scale + bias, tolerance=1e-5)


# Small whole graphs


def test_two_products_with_transposes():
    a, b = np.array([[1.0, 2], [3, 4]], np.float32), np.array([[5.0, 6], [7, 8]], np.float32)
    same(jax.jit(lambda a, b: (a @ a, b @ a.T + a.T @ b))(a, b), (a @ a, b @ a.T + a.T @ b))


def test_softmax_by_hand():
    def f(x):
        e = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
        return (e / e.sum(-1, keepdims=True)).reshape(3, 5, 7, 1).reshape(3, 5, 7)

    both(f, numbers(3, 5, 7))


def test_lower_triangle():
    x = numbers(3, 6, 4)
    same(jax.jit(jnp.tril)(x), np.tril(x), tolerance=0)


def test_ways_to_write_a_slice():
    x = numbers(9, 6)
    for cut in (lambda x: x[1:8, 2:6], lambda x: lax.slice(x, (1, 2), (8, 6), (1, 1)), lambda x: x[1:][:7][:, 2:]):
        same(jax.jit(cut)(x), x[1:8, 2:6], tolerance=0)


def test_product_summed_over_the_broadcast_axis():
    x, w = numbers(6, 128), numbers(128, seed=1)
    same(jax.jit(lambda x, w: jnp.sum(x[:, None] * jnp.broadcast_to(w, (6, 3, 128)), (1, 2)))(x, w), 3 * (x @ w), tolerance=1e-4)


def test_scalar_times_vector():
    same(jax.jit(lambda x, s: x * s)(jnp.arange(128.0), 3.0), 3 * np.arange(128))


def test_a_constant_of_many_elements():
    table = numbers(200, 300)
    same(jax.jit(lambda i: jnp.asarray(table)[i])(jnp.array([3, 150])), table[[3, 150]], tolerance=0)


# Eight-bit floats, complex numbers, linear algebra


@pytest.mark.parametrize("kind", ("float8_e4m3fn", "float8_e5m2"))
def test_eight_bit_floats_as_storage(kind):
    x = numbers(16, 24).astype(kind)
    same_or_refused(lambda: jax.jit(lambda x: x.astype(jnp.bfloat16) * 2)(x), np.asarray(x, np.float32) * 2)


def test_products_of_eight_bit_floats_are_added_wide():
    a, b = (numbers(4, 300, seed=s).astype("float8_e4m3fn") for s in (0, 1))
    right = np.asarray(a, np.float64) @ np.asarray(b, np.float64).T
    dot = jax.jit(lambda a, b: lax.dot_general(a, b, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32))
    same_or_refused(lambda: dot(a, b), right, tolerance=1e-4)


def test_grouped_convolution_of_eight_bit_floats():
    x, w = np.ones((1, 4, 5, 5)).astype("float8_e5m2"), np.full((4, 2, 3, 3), 0.5).astype("float8_e5m2")
    conv = jax.jit(lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "VALID", feature_group_count=2, preferred_element_type=jnp.float32))
    same_or_refused(lambda: conv(x, w), np.full((1, 4, 3, 3), 9.0))


def test_reduced_precision_and_sparse():
    x = np.float32([1 + 2**-3, 1 + 2**-4 + 2**-5, -(2**-20), 70000])
    same(jax.jit(lambda x: lax.reduce_precision(x, 5, 3))(x), [1.125, 1.125, 0, INF], tolerance=0)
    a = numbers(4, 5) * (numbers(4, 5, seed=1) > 0)
    same(jax.jit(lambda a: sparse.BCOO.fromdense(a, nse=20) @ a.T)(a), a @ a.T, tolerance=1e-5)


def test_random_integers_are_spread_evenly():
    drawn = jax.jit(lambda key: jax.random.randint(key, (16000,), 0, 16))(jax.random.key(0))
    counts = np.bincount(np.asarray(drawn), minlength=16)
    assert np.sum((counts - 1000) ** 2 / 1000) < 37.7  # chi squared with 15 degrees of freedom, one in a thousand


def test_a_triangular_system():
    a = np.tril(numbers(3, 3)) + 3 * np.eye(3, dtype=np.float32)
    b = numbers(3, 2, seed=1)
    solve = jax.jit(lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True))
    same_or_refused(lambda: solve(a, b), np.linalg.solve(a, b), tolerance=1e-5)


def test_a_small_fourier_transform():
    x = numbers(8)
    same_or_refused(lambda: jax.jit(lambda x: jnp.abs(jnp.fft.rfft(x)))(x), np.abs(np.fft.rfft(x)), tolerance=1e-5)
