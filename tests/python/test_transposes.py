"""How many tiles the PE turns: none in a chain of projections, and in attention what its shapes force.

The PE contracts over partitions, so an operand needs its contracted dim there. Counted by hand, in tiles of 128 x 128:

projection   x [tokens, width] lies in HBM by rows of width, which is contracted: x is turned once. Weights [width, out] have
             width in rows already. A result [tokens, out] can be made either way round: [out, tokens] when it is contracted
             over out next. So a chain turns x, and nothing when x is given as [width, tokens].
attention    x is turned once for q, k and v: q and k are made as [size, tokens] and v as [tokens, size], which is what
             scores (over size) and the mix (over keys) contract. A softmax over keys reduces along the free dim, so its
             result has queries on partitions; the mix contracts keys: every tile of the weights is turned once. The mix is
             made as [size, queries], which the output projection contracts. heads * (tokens / 128)^2 + x's tiles in all.
"""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import pytest

from programs import succeed


def turned(function, tmp_path, *shapes) -> int:
    """Transposes that the program executes, those in loops as often as they run."""
    arguments = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    (tmp_path / "program.mlir").write_text(jax.jit(function).lower(*arguments).as_text())
    count, times = 0, [1]
    for line in succeed("openneuron", "opt", tmp_path / "program.mlir", "--to", "tile").stdout.splitlines():
        if loop := re.match(r" *loop_begin L\d+, (\d+)", line):
            times.append(times[-1] * int(loop[1]))
        elif re.match(r" *loop_end", line):
            times.pop()
        elif re.match(r" *transpose ", line):
            count += times[-1]
    return count


@pytest.mark.parametrize("links", (1, 2, 3, 6))
@pytest.mark.parametrize("rows_first", (True, False), ids=("tokens x width", "width x tokens"))
def test_chain_of_projections(links, rows_first, tmp_path):
    def chain(x, *weights):
        x = x if rows_first else x.T
        for w in weights:
            x = x @ w
        return x

    widths = [384, 512, 256, 384, 128, 640, 256][: links + 1]
    x = (256, 384) if rows_first else (384, 256)
    assert turned(chain, tmp_path, x, *zip(widths, widths[1:])) == (2 * 3 if rows_first else 0)


@pytest.mark.parametrize("tokens, heads, size", ((256, 4, 64), (384, 2, 128)))
def test_attention(tokens, heads, size, tmp_path):
    width = heads * size

    def attention(x, wq, wk, wv, wo):
        split = lambda w: (x @ w).reshape(tokens, heads, size).transpose(1, 0, 2)
        q, k, v = map(split, (wq, wk, wv))
        weights = jax.nn.softmax(jnp.einsum("hqd,hkd->hqk", q, k) * size**-0.5, axis=-1)
        mixed = jnp.einsum("hqk,hkd->hqd", weights, v).transpose(1, 0, 2).reshape(tokens, width)
        return mixed @ wo

    tiles = tokens // 128
    assert turned(attention, tmp_path, (tokens, width), *[(width, width)] * 4) == heads * tiles**2 + tiles * width // 128
