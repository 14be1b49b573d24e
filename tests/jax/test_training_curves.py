"""The programs of models/ learn on neuron as they do on cpu."""

import json

import numpy as np
import pytest

from processes import MODELS, finish, start

STEPS = 100

# What the mean loss of the first and of the last five steps are at least and at most: a curve of learning.
PROGRAMS = {"mlp_digits": (2.0, 0.2), "cnn_batchnorm": (2.0, 0.3), "gpt_sampling": (4.0, 0.9), "lstm": (2.7, 2.2), "vae": (45, 27)}


@pytest.mark.parametrize("name", PROGRAMS)
def test_loss_curve(name):
    sides = {platform: start(MODELS / f"{name}.py", STEPS, platforms=platform) for platform in ("neuron", "cpu")}
    neuron, cpu = (json.loads(finish(process)) for process in sides.values())
    loss, right = np.array(neuron.pop("loss")), np.array(cpu.pop("loss"))
    begins, ends = PROGRAMS[name]
    assert right.shape == (STEPS,) and right[:5].mean() > begins and right[-5:].mean() < ends, "cpu does not learn"
    worst = np.abs(loss / right - 1)
    assert worst.max() <= 1e-3, f"step {worst.argmax()} is off by {worst.max():.2e} of cpu's loss"
    if "accuracy" in cpu:
        assert neuron.pop("accuracy") == pytest.approx(cpu.pop("accuracy"), abs=3e-3)
    assert neuron == cpu  # the tokens that the GPT writes
