"""What a JAX user waits for, on neuron and on cpu in one process, in turn. Prints a JSON object a row.

The process sees both platforms; XLA:CPU's threads follow from the CPUs it may use when JAX starts.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "tests" / "models")]

BULK_BYTES = 256 << 20
CALLS = 2000  # of a tiny function in a round


class Sides:
    """The two platforms' first devices."""

    def __init__(self):
        os.environ["JAX_PLATFORMS"] = "neuron,cpu"
        import jax

        self.jax = jax
        self.devices = {"ours": jax.devices("neuron")[0], "cpu": jax.devices("cpu")[0]}

    def alternate(self, rounds: int, measure) -> dict:
        """measure(device, round) -> seconds, on both sides in every round: best and median, and the ratios."""
        times: dict[str, list[float]] = {side: [] for side in self.devices}
        for number in range(rounds):
            for side, device in self.devices.items():
                with self.jax.default_device(device):
                    times[side].append(1000 * measure(device, number))
        return compared(times)


def compared(times: dict[str, list[float]]) -> dict:
    ours, theirs = times["ours"], times["cpu"]
    ratios = [a / b for a, b in zip(ours, theirs)]
    return {
        "ours_ms_best": min(ours), "ours_ms_median": statistics.median(ours),
        "xla_ms_best": min(theirs), "xla_ms_median": statistics.median(theirs),
        "ratio_best": min(ours) / min(theirs), "ratio_median": statistics.median(ratios), "spread": [min(ratios), max(ratios)],
    }  # fmt: skip


def seconds(run, count: int = 1) -> float:
    begin = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - begin) / count


def tiny(sides: Sides, rounds: int, finish) -> dict:
    """A jitted x + 1 on four floats, called and finished."""
    increment = sides.jax.jit(lambda x: x + 1)

    def measure(device, _):
        x = sides.jax.device_put(sides.jax.numpy.ones(4), device)
        finish(increment(x))
        return seconds(lambda: finish(increment(x)), CALLS)

    return sides.alternate(rounds, measure)


def tiny_call(sides: Sides, rounds: int) -> dict:
    return tiny(sides, rounds, lambda result: result.block_until_ready())


def tiny_fetch(sides: Sides, rounds: int) -> dict:
    import numpy as np

    return tiny(sides, rounds, np.asarray)


def first_call(sides: Sides, rounds: int) -> dict:
    """A function that JAX has not seen: traced, compiled, run."""
    jnp = sides.jax.numpy

    def measure(device, number):
        x = sides.jax.device_put(jnp.ones((4, 5)), device)

        def fresh(x):
            return jnp.tanh(x) * (number + 0.5) + x.sum()

        return seconds(lambda: sides.jax.jit(fresh)(x).block_until_ready())

    return sides.alternate(2 * rounds + 1, measure)


def training(model: str, sides: Sides, rounds: int) -> dict:
    """Steps in a row, the state donated and never leaving the device; what is fed is on the device already."""
    import numpy as np

    from harness import measure as measured
    from harness import native

    jax, program = sides.jax, native.Native(measured.folder(model))
    step = jax.jit(program.function, donate_argnums=program.program.donated, keep_unused=True)
    donated, inputs = program.program.donated, [np.asarray(x) for x in program.arguments()]
    states: dict = {}

    def measure(device, _):
        given = states.get(device) or [jax.device_put(x, device) for x in inputs]
        compiled = device in states

        def run():
            nonlocal given
            results = jax.tree.leaves(step(*given))
            for place, result in zip(donated, results):
                given[place] = result
            jax.block_until_ready(results)

        if not compiled:
            run()
        taken = seconds(run, 3)
        states[device] = given
        return taken

    return sides.alternate(rounds, measure)


def compiling(model: str, sides: Sides, rounds: int) -> dict:
    """The back end alone: JAX's own tracing and lowering stand before the timer."""
    from harness import measure as measured
    from harness import native

    program = native.Native(measured.folder(model))

    def measure(_, __):
        sides.jax.clear_caches()
        return seconds(program.lowered().compile)

    return sides.alternate(rounds, measure)


def put(sides: Sides, rounds: int) -> dict:
    """device_put of a large array against copying it."""
    import numpy as np

    source = np.ones(BULK_BYTES // 4, np.float32)
    target, device, times = np.empty_like(source), sides.devices["ours"], {"ours": [], "cpu": []}
    for _ in range(rounds):
        times["cpu"].append(1000 * seconds(lambda: np.copyto(target, source)))
        times["ours"].append(1000 * seconds(lambda: sides.jax.device_put(source, device).block_until_ready()))
    return compared(times)


def fetch(sides: Sides, rounds: int) -> dict:
    """np.asarray of a large result against a copy into new memory, which it needs too."""
    import numpy as np

    jax, device, times = sides.jax, sides.devices["ours"], {"ours": [], "cpu": []}
    source = np.ones(BULK_BYTES // 4, np.float32)
    x = jax.device_put(source, device)
    for _ in range(rounds):
        times["cpu"].append(1000 * seconds(source.copy))
        result = jax.block_until_ready(x + 1)
        times["ours"].append(1000 * seconds(lambda: np.asarray(result)))
    return compared(times)


KINDS = {"call": tiny_call, "fetch": tiny_fetch, "first": first_call, "put": put, "get": fetch}
MODEL_KINDS = {"train": training, "compile": compiling}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=[*KINDS, *MODEL_KINDS])
    parser.add_argument("--model")
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--cpus", type=int, nargs="+", required=True)
    options = parser.parse_args()
    os.sched_setaffinity(0, options.cpus)
    sides = Sides()
    if options.kind in KINDS:
        print(json.dumps(KINDS[options.kind](sides, options.rounds)))
    else:
        print(json.dumps(MODEL_KINDS[options.kind](options.model, sides, options.rounds)))


if __name__ == "__main__":
    main()
