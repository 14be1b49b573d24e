"""Collectives of every element type, on all devices and along one axis of a mesh, against as many devices of the host."""

import json
import os

import pytest

from processes import python

TYPES = ("bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "complex64")

# Prints, as bytes in hexadecimal, what each collective makes of a type.
PROGRAM = """
    import json, sys
    import jax, jax.numpy as jnp, numpy as np
    from jax import lax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
    jax.config.update("jax_enable_x64", True)
    name = sys.argv[1]
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(2, 4), ("a", "b"))
    numbers = np.random.default_rng(7).integers(0, 2 if name == "bool" else 4, (16, 8))
    x = numbers.astype(jnp.dtype(name)) if name != "complex64" else (numbers + 1j * numbers[::-1]).astype(name)
    if name in ("int64", "uint64"): x = x * np.array(1 << 40, name) + 1
    number = name not in ("bool",) and not name.startswith("complex")
    made = {}
    for axis, label in (("b", "one axis"), (("a", "b"), "both"), ("a", "the other")):
        size = {"b": 4, "a": 2}.get(axis, 8)
        ops = {
            "all_gather": lambda x: lax.all_gather(x, axis, tiled=True),
            "all_to_all": lambda x: lax.all_to_all(x, axis, 1, 0, tiled=True),
            "ppermute": lambda x: lax.ppermute(x, axis, [(i, (i + 1) % size) for i in range(size)]),
            "ppermute in part": lambda x: lax.ppermute(x, axis, [(0, 1)]),
        }
        if name != "bool":
            ops["psum"] = lambda x: lax.psum(x, axis)
            ops["psum_scatter"] = lambda x: lax.psum_scatter(x, axis, scatter_dimension=1, tiled=True)
            ops["psum in a scan"] = lambda x: lax.scan(lambda c, _: (c + lax.psum(c, axis), c[0]), x, length=2)[0]
        if number: ops["pmax"], ops["pmin"] = lambda x: lax.pmax(x, axis), lambda x: lax.pmin(x, axis)
        for op, f in ops.items():
            mapped = jax.shard_map(f, mesh=mesh, in_specs=P(("a", "b")), out_specs=P(("a", "b")), check_vma=False)
            got = np.asarray(jax.jit(mapped)(jax.device_put(x, NamedSharding(mesh, P(("a", "b"))))))
            made[f"{op}, {label}"] = [str(got.dtype), list(got.shape), got.tobytes().hex()]
    print(json.dumps(made))
    """


def library():
    """The plugin that the environment names, if it names one."""
    return {k: v for k, v in os.environ.items() if k == "NEURON_LIBRARY_PATH"}


@pytest.mark.parametrize("kind", TYPES)
def test_every_collective_equals_the_host(kind):
    want = json.loads(python(PROGRAM, kind, platforms="cpu", XLA_FLAGS="--xla_force_host_platform_device_count=8"))
    got = json.loads(python(PROGRAM, kind, **library()))
    assert got.keys() == want.keys() and len(want) >= 12
    wrong = [op for op in want if got[op] != want[op]]
    assert not wrong, wrong
