"""What JAX writes for indexing, sorting and top_k, and for gradients of them: the device against XLA on the CPU.

Each case is one function of jax.numpy or lax; what moves values only must give the same bits.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from programs import load, succeed

jax.config.update("jax_platforms", "cpu")
RANDOM = np.random.default_rng(0)
# Sums, products and functions of a few numbers, rounded in another order or to another last place.
NEAR = 1e-5


def real(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def coarse(*shape):
    """Few different values: ties decide."""
    return np.round(real(*shape) * 3)


def whole(below, *shape):
    return RANDOM.integers(0, below, shape).astype(np.int32)


def any_index(below, *shape):
    """A fifth below zero: those count from the end, or lie outside."""
    return RANDOM.integers(-below // 4, below + 2, shape).astype(np.int32)


def rows(*numbers):
    return np.array(numbers, np.int32)


def repeat(step, times):
    return lambda value: lax.fori_loop(0, times, step, value)


def scattered_in_scan(table, index, updates):
    def body(table, given):
        x, u = given
        table = table.at[x].add(u)
        return table, table[x].sum()

    return lax.scan(body, table, (index, updates))


def old_table_in_scan(table, index, updates):
    """The carried table is read after its successor was made: it must not be written in place."""

    def body(table, given):
        x, u = given
        new = table.at[x].set(u)
        return new, (table * 1.5).sum() + new[0, 0]

    return lax.scan(body, table, (index, updates))


def top_k_in_while(values):
    def body(state):
        values, count = state
        _, place = lax.top_k(values, 3)
        return values.at[jnp.arange(values.shape[0])[:, None], place].multiply(0.5), count + 1

    return lax.while_loop(lambda state: state[1] < 5, body, (values, 0))


def either(choice, table, index):
    return lax.cond(choice > 0, lambda t: t[index], lambda t: t.at[index].max(1.0)[index] * 2, table)


def beam(logits):
    values, place = lax.top_k(logits.reshape(2, -1), 4)
    return values, place // logits.shape[-1], place % logits.shape[-1]


def one_operand_two_scatters(table, index, updates):
    doubled = table * 2
    return doubled.at[index].add(updates) + doubled.at[index].set(updates), doubled[0]


def chain(table, index, updates):
    return (table + 1).at[index].add(updates).at[index].max(updates).at[index].set(updates * 2)


CASES = {
    "lexsort": (lambda a, b: jnp.lexsort((a, b)), (whole(5, 200), whole(9, 200)), 0),
    "argsort": (lambda a: jnp.argsort(a, axis=0), (real(40, 7),), 0),
    "argsort_descending": (lambda a: jnp.argsort(a, descending=True), (coarse(5, 90),), 0),
    "sort_descending": (lambda a: jnp.sort(a, descending=True), (real(5, 90),), 0),
    "sort_two_keys": (lambda a, b, c: lax.sort((a, b, c), num_keys=2, dimension=0), (coarse(60, 3), coarse(60, 3), real(60, 3)), 0),
    "sort_booleans": (lambda a: jnp.sort(a > 0), (real(60),), 0),
    "sort_bytes": (lambda a: jnp.sort(a.astype(jnp.uint8)), (whole(250, 60),), 0),
    "sort_gradient": (jax.grad(lambda a: (jnp.sort(a) * jnp.arange(40.0)).sum()), (real(6, 40),), 0),
    "sort_in_loop": (repeat(lambda k, a: jnp.sort(a, axis=-1)[:, ::-1] * 0.5 + k, 4), (real(7, 33),), 0),
    "median": (lambda a: jnp.median(a, axis=1), (real(6, 51),), NEAR),
    "quantile": (lambda a: jnp.quantile(a, jnp.array([0.1, 0.5, 0.93]), axis=0), (real(60, 4),), NEAR),
    "rank_of_data": (jax.scipy.stats.rankdata, (coarse(40),), NEAR),
    "partition": (lambda a: jnp.sort(jnp.partition(a, 5)[:5]), (real(50),), 0),
    "permutation": (lambda a: jax.random.permutation(jax.random.key(3), a), (real(50, 3),), 0),
    "choice": (lambda a: jax.random.choice(jax.random.key(3), a, (9,), replace=False), (real(50),), 0),
    "unique": (lambda a: jnp.unique(a, size=12, fill_value=-1, return_inverse=True, return_counts=True), (whole(9, 50),), 0),
    "intersect": (lambda a, b: jnp.intersect1d(a, b, size=10), (whole(30, 40), whole(30, 9)), 0),
    "search": (jnp.searchsorted, (np.sort(real(60)), real(30)), 0),
    "search_by_sort": (lambda a, b: jnp.searchsorted(a, b, method="sort"), (np.sort(real(60)), real(30)), 0),
    "top_k_gradient": (jax.grad(lambda a: (lax.top_k(a, 3)[0] ** 2).sum()), (real(6, 40),), NEAR),
    "top_k_integers": (lambda a: lax.top_k(a, 5), (whole(1000, 3, 77),), 0),
    "top_k_with_nans": (lambda a: lax.top_k(a, 7), (np.where(RANDOM.random((4, 30)) < 0.2, np.nan, real(4, 30)).astype(jnp.bfloat16),), 0),
    "top_k_in_while": (top_k_in_while, (real(7, 33),), 0),
    "beam": (beam, (real(2, 5, 50),), 0),
    "take_fill": (lambda a, x: jnp.take(a, x, axis=0, mode="fill"), (real(20, 6), any_index(20, 9, 3)), 0),
    "take_clip": (lambda a, x: jnp.take(a, x, axis=1, mode="clip"), (real(20, 6), any_index(6, 9)), 0),
    "take_along_rows": (lambda a, x: jnp.take_along_axis(a, x, axis=1), (real(20, 6), whole(6, 20, 3)), 0),
    "take_along_columns": (lambda a, x: jnp.take_along_axis(a, x, axis=0), (real(20, 6), whole(20, 11, 6)), 0),
    "index_from_the_end": (lambda a, x: a[x], (real(20, 6), rows(-1, -20, 19, -5)), 0),
    "index_by_two": (lambda a, x, y: a[x[:, None], y[None, :], 1:3], (real(20, 9, 6), whole(20, 7), whole(9, 5)), 0),
    "gather_of_each": (jax.vmap(lambda a, x: a[x]), (real(9, 20, 4), whole(20, 9, 6)), 0),
    "slice_of_each": (jax.vmap(lambda a, k: lax.dynamic_slice(a, (k, 0), (3, 4))), (real(9, 20, 4), whole(20, 9)), 0),
    "roll": (lambda a, k: jnp.roll(a, k[0]), (real(40), whole(9, 1)), 0),
    "nonzero": (lambda a: jnp.nonzero(a > 0, size=30, fill_value=0)[0], (real(50),), 0),
    "interpolate": (jnp.interp, (real(30), np.sort(real(20)), real(20)), NEAR),
    "either_read": (either, (np.int32(1), real(20, 6), whole(20, 7)), 0),
    "either_write": (either, (np.int32(-1), real(20, 6), whole(20, 7)), 0),
    "set": (lambda a, x, u: a.at[x].set(u), (real(20, 6), rows(3, 1, 19, 5), real(4, 6)), 0),
    "set_one_number": (lambda a, x: a.at[x, 2].set(7.0), (real(20, 6), rows(3, 1, 19, 5)), 0),
    "add_by_two": (lambda a, x, y, u: a.at[x, :, y].add(u), (real(20, 3, 6), any_index(20, 14), any_index(6, 14), real(14, 3)), NEAR),
    "min_by_two": (lambda a, x, y, u: a.at[x, y].min(u), (real(20, 6), any_index(20, 14), any_index(6, 14), real(14)), 0),
    "multiply": (lambda a, x, u: a.at[x].multiply(u), (real(20, 6), any_index(20, 14), real(14, 6)), NEAR),
    "divide": (lambda a, x, u: a.at[x].divide(u), (real(20, 6), any_index(20, 5), real(5, 6)), NEAR),
    "power": (lambda a, x, u: a.at[x].power(u), (np.abs(real(20, 6)), rows(1, 5, 7, 2, 4), real(5, 6)), NEAR),
    "apply": (lambda a, x: a.at[x].apply(jnp.tanh), (real(20, 6), rows(3, 1, 19)), NEAR),
    "add_to_each": (jax.vmap(lambda a, x, u: a.at[x].add(u)), (real(9, 20, 4), any_index(20, 9, 6), real(9, 6, 4)), NEAR),
    "max_of_each": (jax.vmap(lambda a, x, u: a.at[x].max(u)), (real(5, 20, 4), any_index(20, 5, 6), real(5, 6, 4)), 0),
    "update_of_each": (jax.vmap(lambda a, u, k: lax.dynamic_update_slice(a, u, (k, 0))), (real(9, 20, 4), real(9, 3, 4), whole(20, 9)), 0),
    "cache": (lambda a, u, k: a.at[jnp.arange(4), k].set(u), (real(4, 16, 8), real(4, 8), rows(1, 4, 9, 2)), 0),
    "segment_sum": (lambda a, s: jax.ops.segment_sum(a, s, num_segments=7), (real(500, 65), whole(7, 500)), NEAR),
    "segment_product": (lambda a, s: jax.ops.segment_prod(a, s, num_segments=7), (real(50, 5), whole(7, 50)), NEAR),
    "segment_maximum": (lambda a, s: jax.ops.segment_max(a, s, num_segments=9), (real(50, 5), whole(7, 50)), 0),
    "count": (lambda s: jnp.bincount(s, length=9), (whole(9, 300),), 0),
    "histogram": (lambda a: jnp.histogram(a, bins=12, range=(-3, 3))[0], (real(400),), 0),
    "embedding_gradient": (jax.grad(lambda t, x, g: (t[x] * g + t[x] ** 2).sum()), (real(100, 64), whole(100, 8, 32), real(8, 32, 64)), NEAR),
    "cross_entropy_gradient": (
        jax.grad(lambda a, y: -jnp.take_along_axis(jax.nn.log_softmax(a), y[:, None], axis=1).mean()), (real(64, 100), whole(100, 64)), NEAR),
    "two_scatters_of_one": (one_operand_two_scatters, (real(20, 6), rows(1, 4, 9), real(3, 6)), 0),
    "chain": (chain, (real(200, 60), whole(200, 140), real(140, 60)), 0),
    "in_scan": (scattered_in_scan, (real(30, 9), whole(30, 5, 11), real(5, 11, 9)), NEAR),
    "old_table_in_scan": (old_table_in_scan, (real(30, 9), rows(*range(15)).reshape(5, 3), real(5, 3, 9)), NEAR),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_case(name, tmp_path):
    function, arguments, near = CASES[name]
    compiled = jax.jit(function, keep_unused=True)
    wanted = [np.asarray(x) for x in jax.tree.leaves(compiled(*arguments))]
    (tmp_path / "program.mlir").write_text(compiled.lower(*arguments).as_text())
    np.savez(tmp_path / "in.npz", **{f"input{i}": a for i, a in enumerate(arguments)})
    succeed("openneuron", "run", tmp_path / "program.mlir", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz", "--check")
    outputs = load(tmp_path / "out.npz")
    for i, want in enumerate(wanted):
        got = outputs[f"output{i}"].reshape(want.shape)
        got = got.view(want.dtype) if got.dtype.kind == "V" else got
        assert got.dtype == want.dtype
        if near == 0 or want.dtype.kind in "iub":
            assert np.array_equal(got, want, equal_nan=want.dtype.kind not in "iub"), f"output{i}"
        else:
            scale = np.max(np.abs(want[np.isfinite(want)]), initial=1e-30)
            off = np.where(got == want, 0, np.abs(got.astype(np.float64) - want))
            assert np.all((off <= near * scale) | (np.isnan(got) & np.isnan(want))), f"output{i}"
