"""rng_bit_generator gives XLA's bits; rng has the right range, mean and spread, and is the same in every run."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

from programs import execute

jax.config.update("jax_platforms", "cpu")
ALGORITHMS = {
    "DEFAULT": lax.RandomAlgorithm.RNG_DEFAULT,
    "PHILOX": lax.RandomAlgorithm.RNG_PHILOX,
    "THREE_FRY": lax.RandomAlgorithm.RNG_THREE_FRY,
}
KEY = np.array([1, 2, 3, 4], np.uint32)
FULL = np.array([7, 9, 0xFFFFFFFE, 0xFFFFFFFF], np.uint32)  # the counter carries into the next words


def run_text(text: str, inputs, scratch, tmp_path, target="trn2"):
    program, arrays = tmp_path / "program.mlir", tmp_path / "inputs.npz"
    program.write_text(text)
    np.savez(arrays, **{f"input{i}": a for i, a in enumerate(inputs)})
    return execute(program, arrays, scratch, "--check", target=target)[0]


@pytest.mark.parametrize("target", ("trn2", "odd", "tiny"))
@pytest.mark.parametrize("key", (KEY, FULL), ids=("small", "carries"))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_bits_are_those_of_xla(algorithm, key, target, scratch, tmp_path):
    def generate(state):
        outputs = []
        for shape, kind in (((), jnp.uint32), ((5,), jnp.uint32), ((3, 5), jnp.uint16), ((7, 3, 5), jnp.uint8), ((3, 6, 9), jnp.uint32)):
            state, bits = lax.rng_bit_generator(state, shape, kind, algorithm=ALGORITHMS[algorithm])
            outputs.append(bits)
        return state, *outputs

    lowered = jax.jit(generate).lower(key)
    got = run_text(lowered.as_text(), [key], scratch, tmp_path, target)
    for i, want in enumerate(generate(key)):
        np.testing.assert_array_equal(got[f"output{i}"], np.asarray(want))


@pytest.mark.parametrize("implementation", ("rbg", "unsafe_rbg", "threefry2x32"))
def test_jax_random_draws_the_same_numbers(implementation, scratch, tmp_path):
    def draw(data):
        key = jax.random.wrap_key_data(data, impl=implementation)
        a, b = jax.random.split(key)
        return jax.random.bits(a, (33, 7)), jax.random.uniform(b, (9, 13)), jax.random.randint(a, (50,), -3, 1000)

    data = np.asarray(jax.random.key_data(jax.random.key(42, impl=implementation)))
    got = run_text(jax.jit(draw).lower(data).as_text(), [data], scratch, tmp_path)
    for i, want in enumerate(draw(data)):
        np.testing.assert_array_equal(got[f"output{i}"], np.asarray(want))


def test_rng_keeps_to_its_distribution(scratch, tmp_path):
    text = """func.func @main() -> (tensor<40x500xf32>, tensor<20000xf32>, tensor<20000xi32>, tensor<300xbf16>) {
    %n = stablehlo.constant dense<[40, 500]> : tensor<2xi64>
    %m = stablehlo.constant dense<20000> : tensor<1xi64>
    %k = stablehlo.constant dense<300> : tensor<1xi64>
    %a = stablehlo.constant dense<-2.0> : tensor<f32>
    %b = stablehlo.constant dense<3.0> : tensor<f32>
    %i = stablehlo.constant dense<-5> : tensor<i32>
    %j = stablehlo.constant dense<12> : tensor<i32>
    %h = stablehlo.constant dense<0.0> : tensor<bf16>
    %o = stablehlo.constant dense<1.0> : tensor<bf16>
    %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<40x500xf32>
    %1 = stablehlo.rng %a, %b, %m, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<20000xf32>
    %2 = stablehlo.rng %i, %j, %m, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<20000xi32>
    %3 = stablehlo.rng %h, %o, %k, distribution = UNIFORM : (tensor<bf16>, tensor<bf16>, tensor<1xi64>) -> tensor<300xbf16>
    return %0, %1, %2, %3 : tensor<40x500xf32>, tensor<20000xf32>, tensor<20000xi32>, tensor<300xbf16>
}
"""
    got = run_text(text, [], scratch, tmp_path)
    uniform, normal, integer = got["output0"], got["output1"], got["output2"]
    half = got["output3"].view(ml_dtypes.bfloat16).astype(np.float32)
    # Bounds: five standard deviations of the mean of 20,000 numbers.
    assert uniform.min() >= -2 and uniform.max() < 3
    assert abs(uniform.mean() - 0.5) < 5 * (5 / np.sqrt(12)) / np.sqrt(20000)
    assert np.unique(uniform).size > 19900
    assert abs(normal.mean() + 2) < 5 * 3 / np.sqrt(20000)
    assert abs(normal.std() - 3) < 5 * 3 / np.sqrt(2 * 20000)
    assert set(np.unique(integer)) == set(range(-5, 12))
    assert half.min() >= 0 and half.max() < 1
    again = run_text(text, [], scratch, tmp_path)
    assert all(got[k].tobytes() == again[k].tobytes() for k in got)
