"""Programs in a loop: donated outputs stay in device memory and are the next step's inputs."""

import numpy as np
import pytest

import mlp
from compare import check_program
from programs import execute, load, model, same_bytes, source


def train(scratch, target, *options):
    folder = model("mlp")
    outputs, report = execute(source(folder), folder / "steps.npz", scratch, "--steps", "200", *options, target=target)
    return folder, outputs, report


def follows(folder, outputs):
    known = load(folder / "steps_references.npz")
    curve, cpu = outputs["output6"], known["cpu6"]
    assert curve.shape == (200,) and curve.dtype == np.float32
    worst = np.max(np.abs(curve - cpu) / np.abs(cpu))
    assert worst <= 1e-3, f"step {np.argmax(np.abs(curve - cpu) / np.abs(cpu))} is off by {worst:.2e} of XLA:CPU's loss"
    assert mlp.accuracy([outputs[f"output{i}"] for i in range(6)]) > 0.97


def test_reference_itself_trains():
    """XLA:CPU and float64 reach the accuracy: the bar is one that right numbers pass."""
    known = load(model("mlp") / "steps_references.npz")
    for side in ("cpu", "wide"):
        assert mlp.accuracy([known[f"{side}{i}"] for i in range(6)]) > 0.97
    assert known["cpu6"][0] > 2.0 and known["cpu6"][-1] < 0.2


def test_the_curve_does_not_hang_on_rounding():
    """XLA:CPU's fp32 curve is float64's: no relu of this seed's trajectory flips with the order of a sum."""
    known = load(model("mlp") / "steps_references.npz")
    assert np.max(np.abs(known["cpu6"] / known["wide6"] - 1)) < 1e-5


def test_loss_curve_of_200_steps(scratch):
    folder, outputs, report = train(scratch, "trn2")
    follows(folder, outputs)
    assert report["routine_share"] == 0


# Networks of 100 steps: name -> what the loss begins above and ends below, so that the curve is one of learning.
CURVES = {"gpt_adamw": (4, 2.5), "resnet_step": (2.3, 1.9), "lstm_step": (2.7, 1.7), "vae_step": (45, 30)}


@pytest.mark.parametrize(
    "name, target",
    [pytest.param(name, target, marks=() if target == "trn2" else pytest.mark.full) for name in CURVES for target in ("trn2", "trn1", "trn3", "odd", "tiny")],
)
def test_loss_curve_of_100_steps(name, target, scratch):
    folder = model(name)
    known, loss = load(folder / "steps_references.npz"), donated_count(folder)
    curve, cpu = f"output{loss}", known[f"cpu{loss}"]
    outputs, _ = execute(source(folder), folder / "steps.npz", scratch, "--steps", "100", target=target, timeout=600)
    above, below = CURVES[name]
    assert cpu.shape == (100,) and cpu[:5].mean() > above and cpu[-5:].mean() < below, "XLA:CPU does not learn"
    worst = np.abs(outputs[curve] / cpu - 1)
    assert worst.max() <= 1e-3, f"step {worst.argmax()} is off by {worst.max():.2e} of XLA:CPU's loss"


@pytest.mark.full
@pytest.mark.parametrize("target", ("trn1", "trn3", "odd", "tiny"))
def test_loss_curve_elsewhere(target, scratch):
    folder, outputs, _ = train(scratch, target)
    follows(folder, outputs)


@pytest.mark.full
def test_loss_curve_in_check_mode(scratch):
    _, plain, _ = train(scratch, "trn2")
    _, checked, _ = train(scratch, "trn2", "--check")
    assert same_bytes(plain, checked) == []


def feed(folder, scratch, tmp_path, steps):
    """The loop done by hand: one process per step, donated outputs written to a file and fed again."""
    streamed, one = load(folder / "steps.npz"), load(folder / "inputs.npz")
    state, results = {}, []
    for step in range(steps):
        arrays = {}
        for key, array in streamed.items():
            arrays[key] = state.get(key, array[step] if array.ndim == one[key].ndim + 1 else array)
        np.savez(tmp_path / f"step{step}.npz", **arrays)
        outputs, _ = execute(source(folder), tmp_path / f"step{step}.npz", scratch)
        state = {f"input{i}": outputs[f"output{i}"] for i in range(donated_count(folder))}
        results.append(outputs)
    return results


def donated_count(folder):
    from programs import meta

    return len(meta(folder)["donated"])


@pytest.mark.parametrize("name", ("mlp", "decode", "vae_step"))
def test_steps_equal_single_runs(name, scratch, tmp_path):
    """Three steps in one run give the bytes of three runs that pass the donated tensors on by hand."""
    folder = model(name)
    streamed, one = load(folder / "steps.npz"), load(folder / "inputs.npz")
    short = {k: a[:3] if a.ndim == one[k].ndim + 1 else a for k, a in streamed.items()}
    np.savez(tmp_path / "short.npz", **short)
    looped, _ = execute(source(folder), tmp_path / "short.npz", scratch, "--steps", "3")
    single = feed(folder, scratch, tmp_path, 3)
    donated = donated_count(folder)
    for i in range(donated):
        assert looped[f"output{i}"].tobytes() == single[-1][f"output{i}"].tobytes(), i
    stacked = np.stack([outputs[f"output{donated}"] for outputs in single])
    assert looped[f"output{donated}"].tobytes() == stacked.tobytes()


@pytest.mark.parametrize("name", ("decode", "decode_bf16"))
def test_sixteen_decode_steps(name, scratch):
    folder = model(name)
    outputs, _ = execute(source(folder), folder / "steps.npz", scratch, "--steps", "16")
    assert check_program(outputs, folder, "steps_references") == []


def test_repeat_restores_donated_inputs(scratch):
    """--repeat runs again with the donated inputs restored, so that its outputs are those of one run."""
    folder = model("mlp")
    once, _ = execute(source(folder), folder / "inputs.npz", scratch)
    again, report = execute(source(folder), folder / "inputs.npz", scratch, "--repeat", "3")
    assert same_bytes(once, again) == []
    assert 0 < report["run_ms_best"] <= report["run_ms_median"]
