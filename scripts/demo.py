#!/usr/bin/env python3
"""`make demo`: a plain JAX program trains on the emulated devices that the installed plugin brings."""

from __future__ import annotations

import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "docs" / "examples"), str(ROOT / "scripts")]
os.environ["JAX_PLATFORMS"] = "neuron,cpu"  # cpu only to compare with

from terminal import count, draw_losses, engine_bars, say, style, table  # noqa: E402

ALLOWED_STEPS, ALLOWED = 100, 1e-3  # of cpu's loss, over the first steps


def curve(program, device):
    """The example's training on one device: losses, accuracy, seconds of the steps after the first, device memory at the end."""
    import jax
    import numpy as np

    with jax.default_device(device):
        state, images, labels = program.start()
        state, value = program.train(state, images, labels)
        began, losses = time.monotonic(), [jax.block_until_ready(value)]
        for _ in range(program.STEPS - 1):
            state, value = program.train(state, images, labels)
            losses.append(value)
        losses = np.array([float(value) for value in losses])
        seconds = time.monotonic() - began
        return losses, program.accuracy(state[0], images, labels), seconds, device.memory_stats()


def over_all_devices(program):
    """The loss of all digits, sharded over every device, and on one."""
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(np.array(jax.devices()), ("data",))
    state, images, labels = program.start()
    whole = len(images) // len(jax.devices()) * len(jax.devices())
    cut = lambda x: jax.device_put(x[:whole], NamedSharding(mesh, PartitionSpec("data")))
    everywhere = jax.device_put(state, NamedSharding(mesh, PartitionSpec()))
    loss = jax.jit(program.loss)
    spread = float(loss(everywhere[0], cut(images), cut(labels)))
    alone = float(loss(state[0], images[:whole], labels[:whole]))
    return spread, alone


def device_report(devices, compiled, memory: dict, steps: int, seconds: float) -> None:
    print(style("\nThe devices", "1"))
    costs = compiled.cost_analysis()
    one = costs["optimal_seconds"]
    table(
        [
            ("devices", f"{len(devices)} x {devices[0].device_kind}; this program ran on {devices[0]!r}"),
            ("memory of that device", f"{count(memory['bytes_in_use'])}B in use, {count(memory['peak_bytes_in_use'])}B at most, of {count(memory['bytes_limit'])}B"),
            ("estimated chip time", f"{1e6 * one:.1f} us a step, {1e3 * one * steps:.2f} ms for {steps} steps"),
            ("emulated here in", f"{1e3 * seconds / (steps - 1):.2f} ms a step"),
            ("work of a step", f"{count(costs['flops'])}FLOP, {count(costs['bytes accessed'])}B of HBM traffic"),
        ]
    )
    busy = {name.removeprefix("busy seconds "): value for name, value in costs.items() if name.startswith("busy seconds ")}
    queues = [busy.pop(name) for name in list(busy) if name.startswith("queue")]
    busy[f"{len(queues)} DMA queues"] = sum(queues) / len(queues)
    print("\n  engine              busy us   share of the time")
    engine_bars([(name, f"{1e6 * value:.2f}", value / one) for name, value in sorted(busy.items(), key=lambda entry: -entry[1])])


def main() -> None:
    started = time.monotonic()
    import jax
    import train_digits as program

    devices, cpu = jax.devices("neuron"), jax.devices("cpu")[0]
    say("devices", f"jax.devices() lists {len(devices)}: {', '.join(map(repr, devices[:4]))}{', ...' if len(devices) > 4 else ''}")
    say("compile", "docs/examples/train_digits.py, a plain JAX program: jax.jit compiles its training step for the NeuronCore")
    lowered = program.train.lower(*program.start())
    before = time.monotonic()
    compiled = lowered.compile()
    say("", f"{1000 * (time.monotonic() - before):.0f} ms")

    say("train", f"{program.STEPS} steps on {devices[0]!r}; parameters and digits stay in its memory")
    ours, accuracy, seconds, memory = curve(program, devices[0])
    say("", f"{seconds:.2f} s")
    say("compare", "the same on JAX's own cpu")
    theirs, cpu_accuracy, cpu_seconds, _ = curve(program, cpu)
    say("", f"{cpu_seconds:.2f} s")
    spread, alone = over_all_devices(program)

    draw_losses(ours, theirs)
    apart = float(abs(ours / theirs - 1)[:ALLOWED_STEPS].max())
    print()
    table(
        [
            ("loss, first and last", f"{ours[0]:.4f}, {ours[-1]:.4f}   (cpu {theirs[0]:.4f}, {theirs[-1]:.4f})"),
            ("largest relative difference", f"{apart:.1e} of cpu's curve in the first {ALLOWED_STEPS} steps (allowed {ALLOWED:.0e})"),
            ("training accuracy", f"{100 * accuracy:.2f} %   (cpu {100 * cpu_accuracy:.2f} %)"),
            (f"loss over {len(devices)} devices", f"{spread:.6f} with the digits sharded, {alone:.6f} on one"),
        ]
    )
    device_report(devices, compiled, memory, program.STEPS, seconds)
    good = apart <= ALLOWED and accuracy > 0.97 and abs(spread / alone - 1) < 1e-5
    print(f"\n{style('The device trained right.', '32') if good else style('The device did NOT train right.', '31')}  Whole demo: {time.monotonic() - started:.0f} s")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
