"""JAX's counter-based random numbers: the bits are integers and must be equal, what is made of them follows the rule."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from common import Program

PROBES: list[Program] = []


def register(function):
    name = "threefry_" + function.__name__

    def arguments():
        return [np.array([0x9E3779B9, 0x243F6A88], np.uint32), np.array(5, np.int32)]

    PROBES.append(Program(name, function, arguments, group="probe"))
    return function


def key_of(data):
    """The typed key that two 32-bit words hold."""
    return jax.random.wrap_key_data(data, impl="threefry2x32")


def uniform(types, key, shape, low=0.0, high=1.0):
    """Drawn in float32 whatever the program computes in, so that the float64 reference sees the same numbers."""
    return jax.random.uniform(key, shape, jnp.float32, low, high).astype(types.narrow)


def standard_normal(types, key, shape):
    """jax.random.normal of float32; the float64 reference takes the inverse error function of the same draws."""
    if types.wide == jnp.float32:
        return jax.random.normal(key, shape, jnp.float32).astype(types.narrow)
    low = np.nextafter(np.float32(-1), np.float32(0))
    draws = jax.random.uniform(key, shape, jnp.float32, low, 1.0)
    return np.sqrt(2) * jax.lax.erf_inv(draws.astype(types.wide))


def gumbel(types, key, shape):
    """jax.random.gumbel of float32; the float64 reference takes the logarithms of the same draws."""
    if types.wide == jnp.float32:
        return jax.random.gumbel(key, shape, jnp.float32)
    draws = jax.random.uniform(key, shape, jnp.float32, jnp.finfo(jnp.float32).tiny, 1.0).astype(types.wide)
    return -jnp.log(-jnp.log(draws))


def dropout(types, key, rate, x):
    """Zeroes a share `rate` of the elements and scales the others up."""
    keep = jax.random.bernoulli(key, jnp.float32(1 - rate), x.shape)
    return jnp.where(keep, x / jnp.asarray(1 - rate, x.dtype), jnp.zeros_like(x))


@register
def bits(types, data, number):
    key = key_of(data)
    return jax.random.bits(key, (7, 13), jnp.uint32), jax.random.bits(key, (), jnp.uint32), jax.random.bits(key, (300,), jnp.uint32)


@register
def narrow_bits(types, data, number):
    key = key_of(data)
    return jax.random.bits(key, (11, 5), jnp.uint8), jax.random.bits(key, (9, 3), jnp.uint16)


@register
def keys(types, data, number):
    """Splitting and folding in: the words of the new keys."""
    key = key_of(data)
    folded = jax.random.fold_in(key, number)
    return jax.random.key_data(jax.random.split(key, 5)), jax.random.key_data(folded), jax.random.key_data(jax.random.split(folded)[1])


@register
def uniforms(types, data, number):
    key = key_of(data)
    return uniform(types, key, (6, 70)), uniform(types, key, (33,), -2.0, 3.0)


@register
def normals(types, data, number):
    return standard_normal(types, key_of(data), (9, 130))


@register
def bernoullis(types, data, number):
    key = key_of(data)
    return jax.random.bernoulli(key, jnp.float32(0.3), (40, 9)), dropout(types, key, 0.1, jnp.ones((17, 8), types.narrow))


@register
def integers(types, data, number):
    key = key_of(data)
    return jax.random.randint(key, (7, 11), -5, 12, jnp.int32), jax.random.randint(key, (50,), 0, 1 << 20, jnp.int32)


@register
def gumbels(types, data, number):
    return gumbel(types, key_of(data), (5, 60))


@register
def permutation(types, data, number):
    return jax.random.permutation(key_of(data), jnp.arange(37, dtype=jnp.int32))


def programs() -> list[Program]:
    return PROBES
