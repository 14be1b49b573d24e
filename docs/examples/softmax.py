"""Exports a small program: a contraction, a sum and a softmax."""
import jax
import jax.numpy as jnp
from jax import export


def classify(x, w):
    return jax.nn.softmax(x @ w + 1.0)


x = jax.ShapeDtypeStruct((4, 3), jnp.float32)
w = jax.ShapeDtypeStruct((3, 5), jnp.float32)
program = export.export(jax.jit(classify), platforms=["neuron"], disabled_checks=[export.DisabledSafetyCheck.platform()])(x, w)
open("softmax.mlirbc", "wb").write(program.mlir_module_serialized)
