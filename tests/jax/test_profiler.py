"""`jax.profiler` on neuron: stages of compiles, steps and engines in the chip's estimated time, read by jaxlib's own reader."""

import collections
import glob
import gzip
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.profiler import ProfileData

DEVICE = "/device:CUSTOM:"


def weigh(x, w):
    return jax.nn.softmax(x @ w)


def read(folder) -> dict:
    """plane -> line -> events"""
    (path,) = glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)
    planes = collections.defaultdict(dict)
    for plane in ProfileData.from_file(path).planes:
        for line in plane.lines:
            planes[plane.name][line.name] = list(line.events)
    return planes


@pytest.fixture
def profiled(neuron, tmp_path):
    """A program that is compiled and run three times under the profiler."""
    x = jax.device_put(np.ones((256, 256), np.float32), neuron)
    jax.clear_caches()
    with jax.profiler.trace(tmp_path, create_perfetto_trace=True):
        compiled = jax.jit(weigh).lower(x, x).compile()
        for _ in range(3):
            compiled(x, x).block_until_ready()
    return tmp_path, compiled


def test_stages_of_a_compile(profiled):
    compiler = read(profiled[0])[DEVICE + "OpenNeuron compiler"]
    assert "compile jit_weigh" in [e.name for e in compiler["compiles"]]
    whole = next(e for e in compiler["compiles"] if e.name == "compile jit_weigh")
    stages = [e for e in compiler["stages"] if whole.start_ns <= e.start_ns < whole.end_ns]
    assert [e.name for e in stages] == ["read", "partition", "compile", "load"]
    assert all(a.end_ns <= b.start_ns for a, b in zip(stages, stages[1:])) and stages[-1].end_ns <= whole.end_ns
    passes = [e for e in compiler["passes"] if stages[2].start_ns <= e.start_ns <= stages[2].end_ns]
    assert {"legalise", "lower", "allocate", "emit_streams"} <= {e.name for e in passes}
    assert sum(e.duration_ns for e in passes) <= stages[2].duration_ns


def test_steps_take_the_estimated_time(profiled):
    core = read(profiled[0])[DEVICE + "NeuronCore 0"]
    steps = [e for e in core["Steps"] if e.name == "jit_weigh"]
    assert len(steps) == 3
    analysis = profiled[1].cost_analysis()
    for step in steps:
        assert dict(step.stats)["flops"] == 2 * 256**3 == analysis["flops"]
        assert step.duration_ns * 1e-9 == pytest.approx(analysis["optimal_seconds"], rel=1e-3)
    assert all(a.end_ns <= b.start_ns for a, b in zip(steps, steps[1:]))
    emulation = [e for e in core["emulation, in host time"] if e.name == "jit_weigh"]
    assert all(run.start_ns <= step.start_ns for run, step in zip(emulation, steps)) and len(emulation) == 3
    # 256 x 256 by 256: at least 2 x 2 tiles of K and M, each loaded and multiplied
    for line, name, least in (("PE", "dot_general", 4), ("PE load", "dot_general", 4), ("Vector", "reduce_max", 2)):
        for step in steps:
            inside = [e for e in core[line] if step.start_ns <= e.start_ns < step.end_ns and e.name == name]
            assert len(inside) >= least and all(e.end_ns <= step.end_ns + 1 for e in inside), line


def test_perfetto_shows_engines_and_lines_of_the_program(profiled):
    (path,) = glob.glob(f"{profiled[0]}/**/perfetto_trace.json.gz", recursive=True)
    events = json.loads(gzip.open(path).read())["traceEvents"]
    threads = {e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    assert {"Steps", "PE", "Vector", "Scalar"} <= threads
    dots = [e for e in events if e.get("name") == "dot_general" and e["args"].get("instruction") == "Matmul"]
    assert dots and all(e["args"]["source"].startswith("test_profiler.py:18") for e in dots)


def test_one_program_more_often_than_a_trace_shows(neuron, tmp_path):
    """Every step is there; instructions of the later ones are counted, not shown."""

    def many(x):
        return jax.lax.fori_loop(0, 20_000, lambda i, c: jnp.sin(c) + i, x)

    f, x = jax.jit(many), jax.device_put(np.ones((128, 4), np.float32), neuron)
    f(x).block_until_ready()
    with jax.profiler.trace(tmp_path):
        for _ in range(30):
            f(x).block_until_ready()
    core = read(tmp_path)[DEVICE + "NeuronCore 0"]
    steps = [dict(e.stats) for e in core["Steps"] if e.name == "jit_many"]
    assert len(steps) == 30
    shown = sum(s["instructions"] for s in steps if "instructions_not_shown" not in s)
    left_out = [s for s in steps if "instructions_not_shown" in s]
    assert shown <= 1_000_000 and left_out and all(s["instructions_not_shown"] == s["instructions"] for s in left_out)


def test_a_second_trace_is_whole(neuron, tmp_path):
    x = jax.device_put(np.ones((4, 4), np.float32), neuron)
    f = jax.jit(lambda x: x + 1)
    for number in range(2):
        with jax.profiler.trace(tmp_path / str(number)):
            f(x).block_until_ready()
        assert len(read(tmp_path / str(number))[DEVICE + "NeuronCore 0"]["Steps"]) == 1


def test_data_decides_how_long_a_step_takes(neuron, tmp_path):
    """Each step is timed by its own turns: the same program, 2 turns and 50."""
    loop = jax.jit(lambda n: jax.lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 1.5), (0, jnp.ones((128, 64)))))
    few, many = jax.device_put(np.int32(2), neuron), jax.device_put(np.int32(50), neuron)
    loop(few)[1].block_until_ready()
    with jax.profiler.trace(tmp_path):
        loop(few)[1].block_until_ready()
        loop(many)[1].block_until_ready()
    first, second = read(tmp_path)[DEVICE + "NeuronCore 0"]["Steps"]
    assert second.duration_ns > 4 * first.duration_ns
