"""Each optional pass switched off in turn, and all at once: the results stay within the rule."""

import pytest

from compare import check_program
from programs import BIN, NETWORKS, execute, model, run, sampled, source

MODELS = ("mlp", "gpt", "gpt_bf16", "decode", "decode_bf16")
SMALL = ("tiny_softmax", "tiny_transpose_four", "tiny_while_swapped_carries", "tiny_layernorm", "tiny_update_copied", "tiny_gather")


def optional_passes():
    """Names in the first column of `openneuron opt --list-passes` on lines that say optional. At collection time."""
    if not (BIN / "openneuron").exists():
        return ["programs-not-built"]
    lines = run("openneuron", "opt", "--list-passes").stdout.splitlines()
    return [line.split()[0] for line in lines if "optional" in line.split()] or ["no-optional-pass-listed"]


@pytest.mark.parametrize("name", optional_passes())
def test_each_pass_off(name, scratch):
    for program in ("mlp", "decode_bf16", *SMALL):
        folder = model(program)
        outputs, _ = execute(source(folder), folder / "inputs.npz", scratch, "--disable", name)
        assert check_program(outputs, folder) == [], f"{program} without {name}"


@pytest.mark.full
@pytest.mark.parametrize("target", ("trn1", "trn3", "odd", "tiny"))
@pytest.mark.parametrize("name", optional_passes())
def test_each_pass_off_elsewhere(name, target, scratch):
    for program in MODELS + SMALL:
        folder = model(program)
        outputs, _ = execute(source(folder), folder / "inputs.npz", scratch, "--disable", name, target=target)
        assert check_program(outputs, folder) == [], f"{program} without {name} on {target}"


@pytest.mark.parametrize("program", MODELS + SMALL)
def test_all_passes_off(program, scratch):
    folder = model(program)
    switches = [word for name in optional_passes() for word in ("--disable", name)]
    outputs, _ = execute(source(folder), folder / "inputs.npz", scratch, *switches)
    assert check_program(outputs, folder) == []


@pytest.mark.parametrize("program, switched_off", sampled(NETWORKS, [*optional_passes(), "all"]))
def test_networks_without_passes(program, switched_off, scratch):
    folder = model(program)
    names = optional_passes() if switched_off == "all" else [switched_off]
    switches = [word for name in names for word in ("--disable", name)]
    outputs, _ = execute(source(folder), folder / "inputs.npz", scratch, *switches)
    assert check_program(outputs, folder) == []


def test_unknown_pass_is_refused():
    from programs import refused

    result = run("openneuron", "opt", source(model("tiny_add")), "--to", "tile", "--disable", "no_such_pass")
    refused(result, status=result.status if result.status in (1, 2) else 2)
    assert "no_such_pass" in result.stderr
