"""64-bit integers and complex numbers as inputs and outputs, and matrix factors: the device against XLA on the CPU.

JAX's 64-bit mode is on for the cases that want it. Integers must be equal; the interpreter `openneuron ref` must agree.
"""

import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from programs import load, refused, run, succeed

jax.config.update("jax_platforms", "cpu")
RANDOM = np.random.default_rng(0)
NEAR = 2e-5  # of the largest value: functions of fp32 parts, and sums


def whole(*shape, kind=np.int64):
    """Numbers of every size, signs and corners among them."""
    bits = RANDOM.integers(0, 64, shape)
    some = (RANDOM.integers(0, 2**64, shape, dtype=np.uint64) >> bits.astype(np.uint64)).astype(np.uint64)
    corners = np.array([0, 1, 2**24 + 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**32], np.uint64)
    flat = some.reshape(-1)
    flat[: len(corners)] = corners[: flat.size]
    return some.view(np.int64) * np.where(RANDOM.integers(0, 2, shape), 1, -1) if kind == np.int64 else some


def other(*shape, kind=np.int64):
    some = whole(*shape, kind=kind)
    return some[::-1].copy()


def z(*shape):
    return (RANDOM.normal(size=shape) + 1j * RANDOM.normal(size=shape)).astype(np.complex64)


def real(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def positive(n, batch=(), kind=np.float32):
    a = (z(*batch, n, n) if kind == np.complex64 else real(*batch, n, n)).astype(kind)
    return (a @ np.conj(np.swapaxes(a, -1, -2)) + n * np.eye(n)).astype(kind)


def triangle(n, lower, kind=np.float32):
    a = z(n, n) if kind == np.complex64 else real(n, n)
    return (np.tril(a) if lower else np.triu(a)).astype(kind) + 3 * np.eye(n, dtype=kind)


def count_up(x):
    return lax.fori_loop(0, 20, lambda i, sum: sum * 3 + i + x, x)


def scan_i64(xs):
    def body(state, x):
        total, at = state
        return (total + x, at + 1), total

    return lax.scan(body, (jnp.int64(2**40), jnp.int64(0)), xs)


def either(choice, a, b):
    return lax.cond(choice > 0, lambda: (a, b), lambda: (b, a))


A, B = whole(5, 8), other(5, 8)
U, V = whole(40, kind=np.uint64), other(40, kind=np.uint64)
SMALL = RANDOM.integers(-9, 9, (5, 8))
I = np.array([3, -1, 0, 2, 2**40, -(2**40)])

WORDS = {
    "same": (lambda a: a, A),
    "add": (lambda a, b: a + b, A, B),
    "scalar": (lambda a, b: a - b, np.int64(2**53 + 1), np.int64(-(2**60))),
    "product": (lambda a, b: a * b, A, B),
    "divide": (lax.div, A, np.where(B == 0, 7, B)),
    "divide_small": (lax.div, A, SMALL + (SMALL == 0)),
    "divide_by_zero": (lax.div, U, np.zeros_like(U)),
    "remainder": (lax.rem, A, np.where(B == 0, 7, B)),
    "divide_unsigned": (lax.div, U, np.maximum(V, 1)),
    "remainder_unsigned": (lax.rem, U, np.maximum(V >> np.uint64(20), 1)),
    "floor_divide": (lambda a, b: (a // b, a % b), A, SMALL + (SMALL == 0)),
    "abs_sign_not": (lambda a: (jnp.abs(a), jnp.sign(a), ~a, -a), A),
    "counts": (lambda a: (lax.population_count(a), lax.clz(a)), A),
    "clip": (lambda a: jnp.clip(a, -(2**35), 2**50), A),
    "shift_by": (lambda a, b: (a << b, lax.shift_right_logical(a, b), a >> b), A, RANDOM.integers(0, 70, (5, 8))),
    "shift_by_unsigned": (lambda a, b: (lax.shift_left(a, b), lax.shift_right_logical(a, b)), U, np.arange(40, dtype=np.uint64) * 2),
    "to_float": (lambda a: (a.astype(jnp.float32), a.astype(jnp.bfloat16)), A),
    "to_float_unsigned": (lambda a: a.astype(jnp.float32), U),
    "from_float": (lambda x: x.astype(jnp.int64), real(6, 7) * np.float32(2.0) ** RANDOM.integers(0, 62, (6, 7)).astype(np.float32)),
    "from_float_unsigned": (lambda x: x.astype(jnp.uint64), np.abs(real(6, 7)) * np.float32(2.0) ** RANDOM.integers(0, 62, (6, 7)).astype(np.float32)),
    "from_corners": (lambda x: x.astype(jnp.int64), np.array([np.nan, np.inf, -np.inf, -0.5, 1e30, -(2.0**63)], np.float32)),
    "narrow": (lambda a: (a.astype(jnp.int32), a.astype(jnp.uint8), a.astype(bool)), A),
    "sum": (lambda a: (a.sum(0), a.sum()), A),
    "products": (lambda a: jnp.prod(a, axis=1), A),
    "extremes": (lambda a: (a.max(1), a.min(0), jnp.argmax(a, 1)), A),
    "bits": (lambda a: (lax.reduce_and(a, (0,)), lax.reduce_xor(a, (1,))), A),
    "cumsum": (lambda a: jnp.cumsum(a, 1), A),
    "dot": (lambda a, b: a @ b.T, A, B),
    "dot_u": (lambda a, b: jnp.einsum("i,i", a, b), U, V),
    "sort": (lambda a: jnp.sort(a, 1), A),
    "sort_unsigned": (lambda a: jnp.sort(a), U),
    "argsort": (lambda a: jnp.argsort(a, axis=1), A),
    "sort_pair": (lambda a, b: lax.sort((a, b), num_keys=1), U.view(np.int64), V),
    "gather": (lambda a, i: a[i], A.reshape(-1), I),
    "take": (lambda a, i: jnp.take(a, i, axis=1), A, np.array([[1, 7], [0, 3]])),
    "set": (lambda a, i, u: a.at[i].set(u), A, np.array([1, 3]), B[:2]),
    "add_at": (lambda a, i, u: a.at[i].add(u), A, np.array([1, 1, 4]), B[:3]),
    "max_at": (lambda a, i, u: a.at[i].max(u), U, np.array([1, 1, 4]), V[:3]),
    "slices": (lambda a, i: (lax.dynamic_slice(a, (i, i), (2, 3)), lax.dynamic_update_slice(a, a[:2, :2] + 1, (i, i))), A, np.int64(2)),
    "pad_reverse": (lambda a: jnp.pad(a[::-1, ::2], 1, constant_values=-(2**40)), A),
    "where": (lambda a, b: jnp.where(a < b, a, b), A, B),
    "compare": (lambda a, b: (a == b, a <= b, a > b), A, np.where(RANDOM.integers(0, 2, A.shape), A, B)),
    "iota": (lambda a: jnp.arange(8) * 2**40 + a, A),
    "loop": (count_up, A),
    "scan": (scan_i64, A.reshape(-1)),
    "while": (lambda a: lax.while_loop(lambda s: s[0] < 2**40, lambda s: (s[0] * 3, s[1] + 1), (a, jnp.int64(0))), np.int64(7)),
    "cond": (either, np.int64(1), A, B),
    "window": (lambda a: lax.reduce_window(a, np.int64(-(2**63)), lax.max, (2, 2), (1, 2), "VALID"), A),
    "vmap": (jax.vmap(lambda a, i: a[i]), A, np.array([0, 1, 2, 3, 7])),
    "bitcast": (lambda a: (lax.bitcast_convert_type(a, jnp.uint32), lax.bitcast_convert_type(a, jnp.int16)), A),
    "bitcast_back": (lambda a: lax.bitcast_convert_type(a, jnp.int64), A.view(np.int32).reshape(5, 8, 2)),
    "random": (lambda k: jax.random.randint(jax.random.wrap_key_data(k), (9,), -(2**40), 2**50), np.array([1, 2], np.uint32)),
    "empty": (lambda a: a * 2, A[:0]),
    "mixed": (lambda a, x: (a * 2, x * 2), A, real(3)),
}

Z, W = z(6, 7), z(6, 7)
COMPLEX = {
    "same": (lambda a: a, Z),
    "arithmetic": (lambda a, b: (a + b, a - b, a * b, a / b, -a), Z, W),
    "parts": (lambda a: (a.real, a.imag, jnp.abs(a), jnp.conj(a), jnp.angle(a)), Z),
    "make": (lambda a, b: lax.complex(a, b), real(5), real(5)),
    "exponentials": (lambda a: (jnp.exp(a), jnp.log(a), jnp.expm1(a), jnp.log1p(a), jnp.sqrt(a), lax.rsqrt(a)), Z),
    "trigonometric": (lambda a: (jnp.sin(a), jnp.cos(a), jnp.tan(a), jnp.tanh(a), jnp.sinh(a), jnp.cosh(a)), Z),
    "inverse": (lambda a: (jnp.asinh(a), jnp.acosh(a), jnp.atanh(a), jnp.asin(a), jnp.acos(a), jnp.atan(a)), Z),
    "power": (lambda a, b: (a**b, a**3, jnp.sign(a), jax.nn.sigmoid(a)), Z, W),
    "corners": (lambda a: (jnp.abs(a), jnp.exp(a), jnp.sqrt(a)), np.array([0, 1e20 + 1e20j, -4, 1e-30j, 3 - 0j], np.complex64)),
    "compare": (lambda a, b: (a == b, a != b), Z, np.where(RANDOM.integers(0, 2, Z.shape), Z, W)),
    "convert": (lambda a, x: (a.real.astype(jnp.int32), x.astype(jnp.complex64), a.astype(bool)), Z, real(4)),
    "dot": (lambda a, b: a @ b.T, Z, W),
    "sum": (lambda a: (a.sum(1), jnp.prod(a, 0), jnp.cumsum(a, 0)), Z),
    "move": (lambda a: (a.T, a[::-1, 1::2], jnp.pad(a, 1), a[jnp.array([1, 3])]), Z),
    "scatter": (lambda a, u: (a.at[jnp.array([0, 0])].add(u), a.at[jnp.array([1, 2])].set(u)), Z, W[:2]),
    "sort": (lambda a: jnp.sort(a), z(12)),
    "loop": (lambda a: lax.fori_loop(0, 5, lambda i, x: x * a + i, a), Z),
    "gradient": (jax.grad(lambda x: jnp.abs(jnp.exp(1j * x) * (x + 2j)).sum()), real(5)),
    "convolution": (lambda a, k: lax.conv(a, k, (1, 1), "SAME"), z(1, 2, 6, 5), z(3, 2, 3, 3)),
}
for length in (1, 2, 7, 16, 60, 131, 256, 300):
    COMPLEX[f"fft{length}"] = (lambda a: (jnp.fft.fft(a), jnp.fft.ifft(a)), z(3, length))
    COMPLEX[f"rfft{length}"] = (lambda a: jnp.fft.rfft(a), real(2, length))
    COMPLEX[f"irfft{length}"] = (lambda a, n=length: jnp.fft.irfft(a, n), np.fft.rfft(real(2, length)).astype(np.complex64))
COMPLEX["fft2"] = (lambda a: (jnp.fft.fft2(a), jnp.fft.ifft2(a)), z(2, 6, 10))
COMPLEX["rfftn"] = (lambda a: (jnp.fft.rfftn(a), jnp.fft.irfftn(jnp.fft.rfftn(a), a.shape)), real(3, 4, 10))

FACTORS = {
    "cholesky": (lambda a: jnp.linalg.cholesky(a), positive(6)),
    "cholesky_upper": (lambda a: jnp.linalg.cholesky(a, upper=True), positive(5)),
    "cholesky_batch": (lambda a: jnp.linalg.cholesky(a), positive(4, (2, 3))),
    "cholesky_40": (lambda a: jnp.linalg.cholesky(a), positive(40)),
    "cholesky_complex": (lambda a: jnp.linalg.cholesky(a), positive(5, (), np.complex64)),
    "cholesky_fails": (lambda a: jnp.linalg.cholesky(a), -positive(3)),
    "solve": (lambda a, b: jnp.linalg.solve(a, b), positive(6), real(6, 2)),
    "inverse": (lambda a: jnp.linalg.inv(a), positive(5)),
    "determinant": (lambda a: jnp.linalg.slogdet(a), positive(5)),
    "qr": (lambda a: jnp.linalg.qr(a), real(6, 4)),
    "qr_wide": (lambda a: jnp.linalg.qr(a), real(2, 3, 5)),
    "qr_full": (lambda a: jnp.linalg.qr(a, mode="complete"), real(5, 3)),
    "qr_complex": (lambda a: jnp.linalg.qr(a), z(5, 4)),
    "lu": (lambda a: lax.linalg.lu(a), positive(6)),
    "approx": (lambda a: lax.approx_max_k(a, 3), real(4, 20)),
    "approx_least": (lambda a: lax.approx_min_k(a, 3, reduction_dimension=0), real(20, 4)),
}
for side in (True, False):
    for lower in (True, False):
        for how in ("none", "transpose", "adjoint"):
            kind = np.complex64 if how == "adjoint" else np.float32
            FACTORS[f"triangular_{'left' if side else 'right'}_{'lower' if lower else 'upper'}_{how}"] = (
                lambda a, b, side=side, lower=lower, how=how: lax.linalg.triangular_solve(
                    a, b, left_side=side, lower=lower, transpose_a=how != "none", conjugate_a=how == "adjoint"
                ),
                triangle(5, lower, kind),
                (real(5, 5) + 0j).astype(kind) if kind == np.complex64 else real(5, 5),
            )
def integers(kind, *shape):
    return RANDOM.integers(np.iinfo(kind).min, np.iinfo(kind).max, shape, dtype=kind, endpoint=True)


CONTRACTIONS = {"all_100": (lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), np.full((16, 8), 100, np.int8), np.full((8, 4), 100, np.int8))}
for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
    CONTRACTIONS[f"dot_{kind.__name__}"] = (lambda a, b: a @ b, integers(kind, 3, 5, 70), integers(kind, 3, 70, 4))
    CONTRACTIONS[f"convolution_{kind.__name__}"] = (
        lambda a, b: lax.conv_general_dilated(a, b, (2, 1), "SAME", rhs_dilation=(1, 2)), integers(kind, 2, 3, 8, 9), integers(kind, 5, 3, 3, 2)
    )
CONTRACTIONS["many_terms"] = (lambda a, b: a @ b, integers(np.int32, 3, 1500), integers(np.int32, 1500, 2))
CONTRACTIONS["truths"] = (lambda a, b: lax.dot(a, b), real(4, 6) > 0.8, real(6, 5) > 0.8)
CONTRACTIONS["mixed"] = (lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), integers(np.uint8, 3, 9), integers(np.int16, 9, 2))
CONTRACTIONS["integers_to_f32"] = (lambda a, b: lax.dot(a, b, preferred_element_type=jnp.float32), integers(np.int16, 3, 9), integers(np.int16, 9, 2))
CONTRACTIONS["convolution_to_f32"] = (
    lambda a, b: lax.conv_general_dilated(a, b, (1, 1), "SAME", preferred_element_type=jnp.float32),
    integers(np.int8, 2, 3, 8, 9), integers(np.int8, 5, 3, 3, 2),
)  # fmt: skip

FACTORS["triangular_unit"] = (
    lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True, unit_diagonal=True), triangle(4, True), real(4, 3)
)


def check(function, arguments, tmp_path, wide: bool, oracle: bool, near: float = NEAR):
    with jax.enable_x64(True) if wide else contextlib.nullcontext():
        compiled = jax.jit(function, keep_unused=True)
        wanted = [np.asarray(x) for x in jax.tree.leaves(compiled(*arguments))]
        text = compiled.trace(*arguments).lower(lowering_platforms=("neuron",)).as_text()
    (tmp_path / "program.mlir").write_text(text)
    np.savez(tmp_path / "in.npz", **{f"input{i}": a for i, a in enumerate(arguments)})
    commands = [("run", "--check")] + ([("ref",)] if oracle else [])
    for command, *options in commands:
        succeed("openneuron", command, tmp_path / "program.mlir", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz", *options)
        outputs = load(tmp_path / "out.npz")
        for i, want in enumerate(wanted):
            got = outputs[f"output{i}"]
            got = got.view(want.dtype) if got.dtype.kind == "V" else got
            assert got.dtype == want.dtype and got.shape == want.shape, (command, i)
            if want.dtype.kind in "iub":
                np.testing.assert_array_equal(got, want, err_msg=f"{command} output{i}")
                continue
            to = np.complex128 if want.dtype.kind == "c" else np.float64
            tolerance = 1e-2 if want.dtype.itemsize == 2 else near
            a, b = got.astype(to), want.astype(to)
            scale = np.max(np.abs(b[np.isfinite(b)]), initial=1e-30)
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale, err_msg=f"{command} output{i}")


@pytest.mark.parametrize("name", WORDS)
def test_words(name, tmp_path):
    check(WORDS[name][0], WORDS[name][1:], tmp_path, wide=True, oracle=True)


@pytest.mark.parametrize("name", COMPLEX)
def test_complex(name, tmp_path):
    check(COMPLEX[name][0], COMPLEX[name][1:], tmp_path, wide=False, oracle=True)


@pytest.mark.parametrize("name", FACTORS)
def test_factors(name, tmp_path):
    check(FACTORS[name][0], FACTORS[name][1:], tmp_path, wide=False, oracle=False, near=1e-4)


@pytest.mark.parametrize("name", CONTRACTIONS)
def test_integer_contractions(name, tmp_path):
    check(CONTRACTIONS[name][0], CONTRACTIONS[name][1:], tmp_path, wide=False, oracle=True)


def test_float64_is_refused(tmp_path):
    with jax.enable_x64(True):
        text = jax.jit(lambda x: x + 1).lower(np.ones(3)).as_text()
    (tmp_path / "program.mlir").write_text(text)
    refused(run("openneuron", "run", tmp_path / "program.mlir", "--seed", "1"), code="ON-E1703")
