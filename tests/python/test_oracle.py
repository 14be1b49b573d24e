"""`openneuron ref`: the interpreters written from the specification, against JAX and against the device."""

import numpy as np
import pytest

import export
from compare import check_program
from programs import NETWORKS, execute, load, meta, model, source, succeed

MODELS = ("mlp", "gpt", "gpt_bf16", "decode", "decode_bf16")
TINY = sorted(n for n in export.all_names("probe") if not n.endswith("_large"))


def interpret(file, folder, scratch, *options):
    out = scratch / f"{folder.name}.ref.npz"
    succeed("openneuron", "ref", file, "--inputs", folder / "inputs.npz", "--outputs", out, *options)
    return load(out)


@pytest.mark.parametrize("name", (*MODELS, *TINY, *NETWORKS))
def test_graph_interpreter(name, scratch):
    folder = model(name)
    assert check_program(interpret(source(folder), folder, scratch), folder) == []


@pytest.mark.parametrize("target", ("trn2", pytest.param("odd", marks=pytest.mark.full), pytest.param("tiny", marks=pytest.mark.full)))
@pytest.mark.parametrize("name", ("mlp", "decode", "decode_bf16", "tiny_softmax", "tiny_dot_131x257x515", "tiny_while_unknown_trips"))
def test_tile_interpreter(name, target, scratch, tmp_path):
    """Tile text, interpreted: within the rule of the reference, and next to the device.

    Both follow the stated sum orders, so they differ by the last bits of transcendental functions only; those pass
    through contractions, hence a bound on the whole tensor.
    """
    folder = model(name)
    text = tmp_path / "program.tile"
    text.write_text(succeed("openneuron", "opt", source(folder), "--to", "tile", "--target", target).stdout)
    interpreted = interpret(text, folder, scratch, "--target", target)
    assert check_program(interpreted, folder) == []
    device, _ = execute(source(folder), folder / "inputs.npz", scratch, target=target)
    coarse = meta(folder)["coarsest"] == "bfloat16"
    for key, array in device.items():
        if array.dtype.kind == "f":
            scale = np.max(np.abs(array[np.isfinite(array)]), initial=0)
            np.testing.assert_allclose(interpreted[key], array, rtol=0, atol=scale * (1e-2 if coarse else 1e-6))


@pytest.mark.parametrize("name", ("tiny_dot_131x257x515", "tiny_dot_bf16", "tiny_reductions", "tiny_add", "tiny_transpose", "tiny_gather"))
def test_tile_interpreter_bit_for_bit(name, scratch, tmp_path):
    """Without transcendental functions the device's bytes are the interpreter's: the sum order is part of the meaning."""
    folder = model(name)
    text = tmp_path / "program.tile"
    text.write_text(succeed("openneuron", "opt", source(folder), "--to", "tile").stdout)
    device, _ = execute(source(folder), folder / "inputs.npz", scratch)
    interpreted = interpret(text, folder, scratch)
    for key, array in device.items():
        assert array.tobytes() == interpreted[key].tobytes(), key
