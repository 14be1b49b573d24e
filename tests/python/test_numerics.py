"""Every program, on every machine, within the acceptance rule against the float64 reference."""

import pytest

import export
from compare import check_program
from programs import NETWORKS, TARGETS, execute, model, same_bytes, source

MODELS = ("mlp", "gpt", "gpt_bf16", "decode", "decode_bf16")
LARGE = ("tiny_dot_large", "tiny_transpose_large", "tiny_add_long_vector", "tiny_reduce_long")
TINY = sorted(export.all_names("probe"))


def accepted(name, target, scratch, *options):
    folder = model(name)
    outputs, _ = execute(source(folder), folder / "inputs.npz", scratch, *options, target=target)
    complaints = check_program(outputs, folder)
    assert not complaints, f"{name} on {target}: {complaints}"
    # Check mode and the stream checkers, on every program: nothing to report, and the same bytes.
    checked, _ = execute(source(folder), folder / "inputs.npz", scratch, *options, "--check", target=target)
    assert same_bytes(outputs, checked) == []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MODELS)
def test_models(name, target, scratch):
    accepted(name, target, scratch)


def accepted_in_check_mode(name, target, scratch, *options):
    """One run instead of two. That check mode changes no byte is seen on other machines."""
    folder = model(name)
    outputs, _ = execute(source(folder), folder / "inputs.npz", scratch, "--check", *options, target=target)
    complaints = check_program(outputs, folder)
    assert not complaints, f"{name} on {target}: {complaints}"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name, target, scratch):
    (accepted if target == "trn2" else accepted_in_check_mode)(name, target, scratch)


@pytest.mark.parametrize("name", TINY)
def test_tiny_on_trn2(name, scratch):
    accepted(name, "trn2", scratch)


@pytest.mark.parametrize("name", [name for name in TINY if name not in LARGE])
def test_tiny_on_the_odd_machine(name, scratch):
    """96 partitions, a PE of 96x80, 3 PSUM banks: hard-coded sizes show here."""
    accepted_in_check_mode(name, "odd", scratch)


@pytest.mark.full
@pytest.mark.parametrize("target", ("trn1", "trn3", "tiny"))
@pytest.mark.parametrize("name", TINY)
def test_tiny_elsewhere(name, target, scratch):
    accepted(name, target, scratch)


@pytest.mark.full
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ("mlp_batch8", "gpt_sequence8", "gpt_batch8", "decode_sequence8", "decode_batch8", "unrolled_2k"))
def test_larger_models(name, target, scratch):
    accepted(name, target, scratch)


@pytest.mark.parametrize("name", MODELS)
def test_tiny_sbuf_spills_and_stays_right_with_two_threads(name, scratch):
    accepted(name, "tiny", scratch, "--threads", "2")


@pytest.mark.parametrize("level", ("-O1", "-O3"))
def test_optimisation_levels(level, scratch):
    for name in ("mlp", "decode"):
        accepted(name, "trn2", scratch, level)
