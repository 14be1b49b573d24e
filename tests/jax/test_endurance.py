"""Many calls, many threads, long lives: nothing grows, nothing tears."""

import json

from processes import python


def test_memory_does_not_grow_over_50000_calls():
    found = json.loads(python("""
        import gc, json, os
        import jax, jax.numpy as jnp

        def resident():
            gc.collect()
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        step = jax.jit(lambda x, y: (x + y, y * 0.5))
        donated = jax.jit(lambda x: x + 1, donate_argnums=0)
        y, z = jnp.ones(4), jnp.zeros(4)

        def calls(count):
            global z
            x = jnp.zeros(4)
            for _ in range(count):
                x, _ = step(x, y)
                z = donated(z)
            return x.block_until_ready()

        def held():
            return jax.devices()[0].memory_stats()["bytes_in_use"], len(jax.live_arrays())

        calls(2000)
        before, held_before = resident(), held()
        x = calls(24000)
        print(json.dumps({"grown": resident() - before, "held": [held_before, held()], "x": x.tolist(), "z": z.tolist()}))
    """))
    assert found["x"] == [24000.0] * 4 and found["z"] == [26000.0] * 4
    before, after = found["held"]
    assert after[0] - before[0] <= 64 and after[1] - before[1] <= 1  # x, which outlives the second measurement
    assert found["grown"] < 1 << 20, "a call that leaked 21 bytes would show"


def test_memory_does_not_grow_as_programs_come_and_go():
    """Compiled, run and dropped: instructions, arenas and buffers go with the program."""
    found = json.loads(python("""
        import gc, json, os
        import jax, jax.numpy as jnp

        def resident():
            gc.collect()
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        x = jnp.ones((64, 64))

        def programs(first, last):
            for number in range(first, last):
                compiled = jax.jit(lambda x: jnp.tanh(x @ x + number).sum(0)).lower(x).compile()
                compiled(x).block_until_ready()
            jax.clear_caches()

        programs(0, 60)
        before = resident()
        programs(60, 360)
        print(json.dumps({"grown": resident() - before}))
    """))
    assert found["grown"] < 24 << 20, "300 programs that stay leave more"


def test_threads():
    """Sixteen threads with programs of their own, and one that all share; values and errors come to their caller."""
    python("""
        import threading
        import jax, jax.numpy as jnp, numpy as np

        shared = jax.jit(lambda x, n: jnp.sin(x) * n)
        x = np.linspace(0, 1, 33, dtype=np.float32)
        failures = []

        def work(number):
            try:
                own = jax.jit(lambda x: jnp.cumsum(x * number)[-1])
                place = jax.devices()[number % len(jax.devices())]
                for turn in range(40):
                    here = jax.device_put(x + turn, place)
                    np.testing.assert_allclose(shared(here, float(number)), np.sin(x + turn) * number, rtol=3e-5, atol=1e-6)
                    np.testing.assert_allclose(own(here), ((x + turn) * number).sum(), rtol=1e-5)
                    assert shared(here, 2.0).devices() == {place}
            except BaseException as problem:
                failures.append(problem)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 17)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert not failures, failures
    """)


def test_one_thread_waits_while_another_computes():
    """A fetch of a result that is not there yet leaves Python to the other threads."""
    python("""
        import threading, time
        import jax, jax.numpy as jnp, numpy as np

        slow = jax.jit(lambda x: jax.lax.fori_loop(0, 3000, lambda _, y: jnp.tanh(y @ x), x))
        x = jnp.eye(192) * 0.5
        slow(x).block_until_ready()
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.001)

        ticker = threading.Thread(target=tick)
        ticker.start()
        begin = time.monotonic()
        np.asarray(slow(x))
        seconds = time.monotonic() - begin
        done.set()
        ticker.join()
        longest = max(b - a for a, b in zip(ticks, ticks[1:]))
        assert longest < 0.5 * seconds, (longest, seconds, len(ticks))
    """)
