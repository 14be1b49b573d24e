"""`openneuron ref` op by op against JAX in float64: the oracle's own evidence.

The inputs are float64 and so are the programs, so both sides should agree to a few units of double; sums are allowed
their order. Integers and booleans are equal.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from programs import load, run

KEY = np.random.default_rng(20240607)


def normal(*shape):
    return KEY.standard_normal(shape)


def positive(*shape):
    return KEY.uniform(0.1, 4, shape)


def integers(*shape, low=-50, high=50, dtype=np.int32):
    return KEY.integers(low, high, shape).astype(dtype)


# No subnormals: XLA:CPU flushes them in float64 too.
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e300, -1e300, 1e-300, np.inf, -np.inf, np.nan])
EXTREMES = np.array([0, 1, -1, 7, -7, 2**31 - 1, -(2**31), 31, 32, 1000], np.int32)
PAIRS = tuple(np.meshgrid(EXTREMES, EXTREMES))
FLOAT_PAIRS = tuple(np.meshgrid(SPECIAL, SPECIAL))


CASES = {
    # name: function returning (JAX function, arguments)
    **{
        f"special_{f.__name__}": (lambda f=f: (f, (SPECIAL,)))
        for f in (jnp.exp, jnp.log, jnp.tanh, jnp.sqrt, lax.rsqrt, jnp.abs, jnp.sign, jnp.floor, jnp.ceil, jnp.round,
                  jnp.log1p, jnp.expm1, jnp.cbrt, jax.nn.sigmoid, jnp.isfinite, jnp.negative, lax.square)  # fmt: skip
    },
    **{
        f"float_pairs_{f.__name__}": (lambda f=f: (f, FLOAT_PAIRS))
        for f in (jnp.add, jnp.multiply, jnp.divide, jnp.maximum, jnp.minimum, jnp.power, jnp.arctan2, lax.rem, jnp.equal,
                  jnp.less, jnp.greater_equal)  # fmt: skip
    },
    **{
        f"integer_pairs_{f.__name__}": (lambda f=f: (f, PAIRS))
        for f in (lax.add, lax.sub, lax.mul, lax.div, lax.rem, lax.max, lax.min, lax.bitwise_and, lax.bitwise_xor,
                  lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic, jnp.floor_divide, jnp.mod)  # fmt: skip
    },
    "trigonometry": lambda: (lambda x: (jnp.sin(x), jnp.cos(x), jnp.tan(x), jnp.arctan(x)), (normal(64) * 3,)),
    "hyperbolic": lambda: (lambda x: (jnp.sinh(x), jnp.cosh(x), jnp.arcsinh(x), jnp.arctanh(x / 9)), (normal(64),)),
    "inverse": lambda: (lambda x: (jnp.arcsin(x), jnp.arccos(x), jnp.arccosh(x + 2)), (KEY.uniform(-1, 1, 64),)),
    "error_functions": lambda: (lambda x: (lax.erf(x), lax.erfc(x), lax.erf_inv(x / 5)), (normal(64),)),
    "gammas": lambda: (lambda x: (lax.lgamma(x), lax.digamma(x), lax.bessel_i1e(x)), (positive(64) * 5,)),
    "complex": lambda: (
        lambda a, b: (a * b, a / b, jnp.exp(a), jnp.log(a), jnp.sqrt(a), jnp.tanh(a), jnp.abs(a), a.real, jnp.conj(b)),
        (normal(17) + 1j * normal(17), normal(17) + 1j * normal(17)),
    ),
    "integer_bits": lambda: (lambda x: (lax.population_count(x), lax.clz(x), ~x), (integers(33, low=-(2**31), high=2**31 - 1),)),
    "unsigned": lambda: (
        lambda a, b: (a + b, a * b, a // b, a % b, a < b, jnp.maximum(a, b), a >> 3),
        (integers(40, low=0, high=2**32 - 1, dtype=np.uint32), integers(40, low=1, high=2**32 - 1, dtype=np.uint32)),
    ),
    "integer_conversions": lambda: (
        lambda x: (x.astype(jnp.int8), x.astype(jnp.uint16), x.astype(jnp.int64), x.astype(jnp.float64), x.astype(bool)),
        (integers(50, low=-(2**31), high=2**31 - 1),),
    ),
    "float_to_integer": lambda: (
        lambda x: (lax.convert_element_type(x, jnp.int32), lax.convert_element_type(x, jnp.int8)),
        (np.array([2.9, -2.9, 0.0, -0.0, 126.5, -127.5, 1e3]),),
    ),
    "bitcast": lambda: (
        lambda x, y: (lax.bitcast_convert_type(x, jnp.int64), lax.bitcast_convert_type(x, jnp.uint16), lax.bitcast_convert_type(y, jnp.int32)),
        (normal(5), integers(3, 4, dtype=np.int8)),
    ),
    "clamp": lambda: (lambda x: lax.clamp(-0.5, x, 1.0), (SPECIAL,)),
    "reduce_precision": lambda: (
        lambda x: (lax.reduce_precision(x, 5, 10), lax.reduce_precision(x, 8, 7), lax.reduce_precision(x, 4, 3)),
        (np.concatenate([normal(200) * 10.0 ** KEY.integers(-8, 8, 200), SPECIAL[:6]]),),
    ),
    "threefry": lambda: (lambda k: jax.random.normal(jax.random.wrap_key_data(k), (7, 11)), (np.array([3, 9], np.uint32),)),
    # movement
    "pads": lambda: (lambda x: lax.pad(x, -1.0, ((2, -1, 2), (-2, 3, 0), (0, 0, 1))), (normal(4, 5, 3),)),
    "reverse_and_slices": lambda: (lambda x: (lax.rev(x, (0, 2)), x[1:9:3, ::2, 4:]), (normal(11, 6, 7),)),
    "concatenates": lambda: (lambda a, b, c: lax.concatenate((a, b, c), 1), (normal(3, 1, 5), normal(3, 4, 5), normal(3, 0, 5))),
    "dynamic_slices": lambda: (
        lambda x, i: (lax.dynamic_slice(x, (i, -i), (3, 2)), lax.dynamic_update_slice(x, x[:2, :2] * 9, (i, i + 1))),
        (normal(6, 5), np.int32(4)),
    ),
    "gather_rows": lambda: (lambda x, i: (x[i], x[:, i[0]], jnp.take(x, i, axis=1, mode="clip")), (normal(9, 8), integers(4, 3, low=-8, high=8))),
    "gather_points": lambda: (lambda x, i, j: x[i, :, j], (normal(5, 6, 7), integers(4, low=0, high=5), integers(4, low=0, high=7))),
    "gather_batched": lambda: (lambda x, i: jnp.take_along_axis(x, i, 1), (normal(5, 6, 7), integers(5, 3, 7, low=0, high=6))),
    "scatter_add": lambda: (
        lambda x, i, u: x.at[i].add(u),
        (normal(9, 4), integers(12, low=-3, high=14), normal(12, 4)),
    ),
    "scatter_windows": lambda: (
        lambda x, i, u: lax.scatter_add(x, i, u, lax.ScatterDimensionNumbers((1, 2), (), (0, 1)), mode="drop"),
        (normal(7, 8), integers(10, 2, low=-2, high=8), normal(10, 2, 3)),
    ),
    "scatter_max_batched": lambda: (
        jax.vmap(lambda x, i, u: x.at[i].max(u)),
        (normal(3, 8), integers(3, 5, low=0, high=8), normal(3, 5)),
    ),
    # contraction
    "dot_batched": lambda: (lambda a, b: jnp.einsum("bikc,bkjc->cbij", a, b), (normal(3, 4, 5, 2), normal(3, 5, 6, 2))),
    "dot_integers": lambda: (
        lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32),
        (integers(5, 40, low=-128, high=127, dtype=np.int8), integers(40, 6, low=-128, high=127, dtype=np.int8)),
    ),
    "dot_complex": lambda: (lambda a, b: a @ b, (normal(4, 5) + 1j * normal(4, 5), normal(5, 3) + 1j * normal(5, 3))),
    "convolution": lambda: (
        lambda x, w: lax.conv_general_dilated(x, w, (2, 1), ((1, 2), (0, -1)), (1, 2), (2, 1), ("NHWC", "HWIO", "NHWC")),
        (normal(2, 9, 8, 3), normal(3, 2, 3, 5)),
    ),
    "convolution_feature_groups": lambda: (
        lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", feature_group_count=3),
        (normal(2, 6, 11), normal(9, 2, 3)),
    ),
    "convolution_batch_groups": lambda: (
        lambda x, w: lax.conv_general_dilated(x, w, (1,), "VALID", batch_group_count=2),
        (normal(4, 3, 11), normal(6, 3, 3)),
    ),
    "convolution_gradients": lambda: (
        jax.grad(lambda x, w: jnp.sum(lax.conv_general_dilated(x, w, (2, 2), ((1, 1), (0, 2))) ** 2), (0, 1)),
        (normal(2, 3, 9, 7), normal(4, 3, 3, 2)),
    ),
    # regions
    "reductions": lambda: (lambda x: (x.sum((0, 2)), x.max(1), x.min(), x.prod(2), (x > 0).all(1), (x > 1).any()), (normal(4, 5, 6),)),
    "empty_reductions": lambda: (lambda x: (x.sum(1), x.prod(1)), (normal(4, 0),)),
    "argmax": lambda: (lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0)), (np.where(normal(7, 9) > 1.3, np.nan, np.round(normal(7, 9))),)),
    "cumulative": lambda: (lambda x: (jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 0, reverse=True), lax.cumlogsumexp(x)), (normal(6, 5),)),
    "max_pool": lambda: (
        jax.value_and_grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 2), (1, 2, 2), ((0, 0), (1, 1), (0, 1))) ** 3)),
        (normal(2, 9, 8),),
    ),
    "window_dilations": lambda: (
        lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 3), (1, 2), ((1, 0), (2, 2)), (2, 1), (1, 2)),
        (normal(5, 9),),
    ),
    "sorts": lambda: (
        lambda x, y: (jnp.sort(x), jnp.argsort(x, 0), lax.sort((y, x), dimension=0, num_keys=2), jnp.sort(x, descending=True)),
        (np.where(normal(9, 8) > 1.5, np.nan, np.round(normal(9, 8))), integers(9, 8, low=0, high=3)),
    ),
    "top_k": lambda: (lambda x: lax.top_k(x, 4), (np.round(normal(5, 11)),)),
    "map_by_vmap": lambda: (jax.vmap(lambda x, y: jnp.where(x > y, x * y, x - y)), (normal(31), normal(31))),
    # control
    "while_loop": lambda: (lambda n: lax.while_loop(lambda c: c[0] > 0, lambda c: (c[0] - 3, c[1] * 1.5 + c[0]), (n, 1.0)), (np.int32(20),)),
    "scan": lambda: (lambda xs: lax.scan(lambda c, x: (c * 0.5 + x, c - x), jnp.zeros(4), xs), (normal(7, 4),)),
    "cond_and_switch": lambda: (
        lambda i, x: (lax.cond(i > 1, jnp.sin, jnp.cos, x), lax.switch(i, (jnp.exp, jnp.tanh, jnp.negative), x)),
        (np.int32(2), normal(6)),
    ),
    # linear algebra
    "cholesky": lambda: (lambda a: jnp.linalg.cholesky(a @ a.T + 5 * jnp.eye(6)), (normal(6, 6),)),
    "triangular_solve": lambda: (
        lambda a, b: tuple(
            lax.linalg.triangular_solve(a, b if left else b.T, left_side=left, lower=lower, transpose_a=transpose, unit_diagonal=unit)
            for left in (True, False) for lower in (True, False) for transpose in (True, False) for unit in (True, False)
        ),  # fmt: skip
        (normal(5, 5) * 0.3 + 3 * np.eye(5), normal(5, 3)),
    ),
    "lu_and_solve": lambda: (lambda a, b: jnp.linalg.solve(a, b), (normal(6, 6), normal(6, 2))),
    "ffts": lambda: (
        lambda x, z: (jnp.fft.fft(z), jnp.fft.ifft2(z), jnp.fft.rfftn(x), jnp.fft.irfft(z, 9), jnp.fft.irfft2(z)),
        (normal(5, 12), normal(5, 7) + 1j * normal(5, 7)),
    ),
    "softmax_gradient": lambda: (jax.grad(lambda x: jnp.sum(jax.nn.log_softmax(x) ** 2)), (normal(5, 9),)),
}


@pytest.mark.parametrize("name", CASES)
def test_oracle_against_jax(name, tmp_path):
    with jax.enable_x64(True):
        function, arguments = CASES[name]()
        jitted = jax.jit(function, keep_unused=True)
        # Lowered for a platform without rules of its own, so that chlo ops, cholesky and the like stay ops.
        text = tmp_path / "program.mlir"
        text.write_text(jitted.trace(*arguments).lower(lowering_platforms=("neuron",)).as_text())
        want = jax.tree.leaves(jitted(*arguments))
    want = [np.asarray(w) for w in want]
    np.savez(tmp_path / "in.npz", **{f"input{i}": np.asarray(a) for i, a in enumerate(arguments)})
    result = run("openneuron", "ref", text, "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
    assert result.status == 0, str(result)
    got = load(tmp_path / "out.npz")
    assert len(got) == len(want)
    for i, array in enumerate(want):
        actual = got[f"output{i}"]
        assert actual.dtype == array.dtype and actual.shape == array.shape
        if array.dtype.kind in "fc":
            scale = np.max(np.abs(array[np.isfinite(array)]), initial=1e-300)
            # XLA's own double functions are a few ulp off (its digamma and lgamma more); sums differ in order.
            np.testing.assert_allclose(actual, array, rtol=5e-13, atol=1e-14 * scale if scale < 1e200 else 0)
            zero = array == 0
            if array.dtype.kind == "f" and name.startswith("special"):
                np.testing.assert_array_equal(np.signbit(actual[zero]), np.signbit(array[zero]))
        else:
            np.testing.assert_array_equal(actual, array)
