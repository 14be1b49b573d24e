"""Processes: how they begin, fork, are killed and end; what they leave to each other in the persistent cache."""

import os
import pathlib
import signal
import textwrap
import time
import zlib

import pytest

from processes import finish, python, start

TRAIN = """
    import jax, jax.numpy as jnp, numpy as np

    hits = []
    jax.monitoring.register_event_listener(lambda name, **_: hits.append(name) if name.endswith("cache_hits") else None)

    @jax.jit
    def step(ws, x):
        def loss(ws):
            y = x
            for w in ws:
                y = jnp.tanh(y @ w)
            return jnp.sum(y * y)
        return [w - 0.1 * g for w, g in zip(ws, jax.grad(loss)(ws))]

    ws = [np.eye(16, dtype=np.float32) * (1 + i / 10) for i in range(4)]
    x = np.linspace(0, 1, 8 * 16, dtype=np.float32).reshape(8, 16)
    for _ in range(5):
        ws = step(ws, x)
    print(float(sum(np.asarray(w).sum() for w in ws)), len(hits))
"""


def cache(folder: pathlib.Path) -> dict[str, str]:
    return {
        "JAX_COMPILATION_CACHE_DIR": str(folder),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }


def training(**options):
    return start("-c", textwrap.dedent(TRAIN), **options)


def result(process) -> tuple[float, int]:
    value, hits = finish(process).split()
    return float(value), int(hits)


def test_two_processes_share_the_cache(tmp_path):
    right, _ = result(training(platforms="cpu"))
    first = [training(**cache(tmp_path)) for _ in range(2)]  # at once: both may write the same entries
    assert [result(p)[0] for p in first] == [pytest.approx(right, rel=1e-5)] * 2
    assert list(tmp_path.glob("jit_step-*-cache"))
    value, hits = result(training(**cache(tmp_path)))
    assert value == pytest.approx(right, rel=1e-5) and hits >= 1


@pytest.mark.parametrize("damage", ("cut", "turned", *(pytest.param(kind, marks=pytest.mark.full) for kind in ("foreign", "empty"))))
def test_a_damaged_entry_is_refused_and_compiled_again(damage, tmp_path):
    right, _ = result(training(**cache(tmp_path)))
    for entry in tmp_path.glob("*-cache"):
        content = zlib.decompress(entry.read_bytes())
        middle = len(content) // 2
        content = {
            "cut": content[:middle],
            "turned": content[:middle] + bytes([content[middle] ^ 0x40]) + content[middle + 1 :],
            "foreign": content[:64] + b"another plugin's bytes" * 40,
            "empty": b"",
        }[damage]
        entry.write_bytes(zlib.compress(content))
    value, _ = result(training(**cache(tmp_path)))
    assert value == right


def test_killed_in_mid_compile(tmp_path):
    """At some moments around the compile: what is left in the cache is whole or not there."""
    for moment in range(3):
        victim = training(**cache(tmp_path))
        deadline = time.monotonic() + 120
        maps = pathlib.Path(f"/proc/{victim.pid}/maps")
        while victim.poll() is None and time.monotonic() < deadline and "libneuronpjrt" not in maps.read_text():
            time.sleep(0.005)  # once the plugin is loaded the compile is near
        time.sleep(0.2 * moment)
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
    right, _ = result(training(platforms="cpu"))
    value, _ = result(training(**cache(tmp_path)))
    assert value == pytest.approx(right, rel=1e-5)


def test_fork():
    """A child that leaves JAX alone and ends by _exit (in a child that finalizes, jaxlib waits for its own threads, which
    fork left behind: on every platform) harms nothing; the parent goes on, and forks while it computes."""
    python("""
        import os, warnings
        warnings.simplefilter("ignore")
        import jax, jax.numpy as jnp

        f = jax.jit(lambda x: jax.lax.fori_loop(0, 300, lambda _, y: y + 1, x))
        for turn in range(3):
            x = f(jnp.ones(3))
            child = os.fork()
            if child == 0:
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            assert x.tolist() == [301] * 3
        assert f(jnp.zeros(3)).tolist() == [300] * 3
    """, timeout=120)


@pytest.mark.parametrize(
    "ending",
    (
        "pass",
        "import jax",
        "import jax; jax.devices()",
        "import jax, jax.numpy as jnp; x = jax.jit(lambda x: x + 1)(jnp.ones(3))",
        # Half a second of work is still on its way.
        "import jax, jax.numpy as jnp; x = jax.jit(lambda x: jax.lax.fori_loop(0, 20000, lambda _, y: jnp.tanh(y @ y), x))(jnp.eye(128))",
        # A thread calls until the main one is through (one that goes on into the interpreter's end aborts in jaxlib, on cpu too).
        "import jax, jax.numpy as jnp, threading, time; f = jax.jit(lambda x: x + 1); done = False\n"
        "def loop():\n    while not done: f(jnp.ones(3)).block_until_ready()\n"
        "threading.Thread(target=loop).start(); time.sleep(0.3); done = True",
        "import atexit, jax, jax.numpy as jnp; f = jax.jit(lambda x: x + 1); x = f(jnp.ones(3)); atexit.register(lambda: print(f(x)))",
        "import jax, jax.extend.backend as b, jax.numpy as jnp; x = jnp.ones(3); b.clear_backends(); print(jnp.ones(3) + 1)",
    ),
)
def test_the_interpreter_ends(ending):
    finish(start("-c", ending), timeout=120)


@pytest.mark.parametrize("begin, wait", [
    # 6,000 ops to compile; the first run of a long loop.
    ("g = jax.jit(lambda x: functools.reduce(lambda y, i: jnp.sin(y) + i, range(6000), x)).lower(jnp.ones((64, 64)))", "g.compile()"),
    ("y = jax.jit(lambda x: jax.lax.fori_loop(0, 200000, lambda _, y: jnp.tanh(y @ y), x))(jnp.eye(128))", "y.block_until_ready()"),
])  # fmt: skip
def test_keyboard_interrupt_while_it_compiles_or_runs(begin, wait):
    """Ctrl-C is heard at once, though the work itself goes on to its end."""
    process = start("-c", (
        "import functools, jax, jax.numpy as jnp, os, signal\n"
        f"{begin}\n"
        f"try: print('ready', flush=True); {wait}; print('too late', flush=True)\n"
        "except KeyboardInterrupt: print('interrupted', flush=True); os._exit(0)\n"
    ))  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    os.kill(process.pid, signal.SIGINT)
    assert finish(process) == "interrupted\n"


def test_keyboard_interrupt():
    """Ctrl-C in a loop of calls ends it as any Python loop, and the device still works."""
    process = start("-c", (
        "import jax, jax.numpy as jnp\n"
        "f = jax.jit(lambda x: x + 1)\n"
        "x = f(jnp.ones(3))\n"
        "print('ready', flush=True)\n"
        # A call before the loop: CPython 3.11 does not catch what comes at the loop's jump when the loop is a try's first statement.
        "try:\n    x = f(x)\n    while True: x = f(x)\n"
        "except KeyboardInterrupt: print('interrupted', f(jnp.ones(3)).tolist())\n"
    ))  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGINT)
    assert finish(process) == "interrupted [2.0, 2.0, 2.0]\n"
