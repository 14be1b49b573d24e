"""The plugin's behaviour behind the C API as a JAX program sees it."""

import os
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from processes import environment, python


def code_of(error) -> str:
    """The diagnostic's code in a message, e.g. ON-E2305."""
    text = str(error.value)
    return text[text.index("[") + 1 : text.index("]")]


# -- devices


def devices(**more) -> list[str]:
    return python("import jax\nfor d in jax.devices(): print(d.id, d.device_kind)", **more).split("\n")[:-1]


def test_the_default_is_eight_cores_of_trn2():
    assert devices() == [f"{i} NC_v3" for i in range(8)]


@pytest.mark.parametrize("settings, count, kind", [
    ({"NEURON_RT_NUM_CORES": "2"}, 2, "NC_v3"),
    ({"NEURON_RT_VISIBLE_CORES": "1-3,6"}, 4, "NC_v3"),
    ({"OPENNEURON_INSTANCE_TYPE": "trn1.2xlarge"}, 2, "NC_v2"),
    ({"OPENNEURON_INSTANCE_TYPE": "trn1.32xlarge", "NEURON_RT_NUM_CORES": "5"}, 5, "NC_v2"),
])  # fmt: skip
def test_environment_chooses_cores(settings, count, kind):
    assert devices(**settings) == [f"{i} {kind}" for i in range(count)]


@pytest.mark.parametrize("settings, code", [
    ({"NEURON_RT_NUM_CORES": "9"}, "ON-E2303"),
    ({"NEURON_RT_VISIBLE_CORES": "1,1"}, "ON-E2302"),
    ({"OPENNEURON_INSTANCE_TYPE": "trn9.xlarge"}, "ON-E2301"),
])  # fmt: skip
def test_impossible_cores_are_an_error(settings, code):
    with pytest.raises(AssertionError, match=code):
        devices(**settings)


def test_attributes_and_memories(neuron):
    assert neuron.platform == "neuron"
    assert neuron.instance_type == "trn2.3xlarge"
    assert {m.kind for m in neuron.addressable_memories()} == {"device", "pinned_host", "unpinned_host"}
    assert neuron.default_memory().kind == "device"


# -- arrays in and out


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32", "uint32", "float16", "bfloat16", "float32",
                                   "complex64", "int4", "float8_e4m3fn"])  # fmt: skip
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (5, 7), (2, 3, 4, 5)])
def test_arrays_come_back_as_they_went(dtype, shape):
    values = np.random.default_rng(0).integers(0, 2, shape).astype(jnp.dtype(dtype))
    back = np.asarray(jax.device_put(values))
    assert back.dtype == values.dtype and back.shape == values.shape
    assert back.tobytes() == values.tobytes()


def test_strided_arrays_come_back():
    base = np.arange(4 * 6 * 8, dtype=np.float32).reshape(4, 6, 8)
    for view in [base.T, base[:, ::2], base[::-1], base.transpose(1, 0, 2), base[1:3, 2, ::-3], np.broadcast_to(base[0, 0], (3, 8))]:
        np.testing.assert_array_equal(np.asarray(jax.device_put(view)), view)


def test_large_arrays_come_back_and_are_not_written():
    values = np.random.default_rng(1).standard_normal((1 << 20) + 3, dtype=np.float32)
    kept = values.copy()
    x = jax.device_put(values)
    y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)  # in place would be the host's array
    np.testing.assert_array_equal(np.asarray(y), kept + 1)
    np.testing.assert_array_equal(values, kept)


def test_copies_between_devices_and_memories(neuron):
    x = jax.device_put(np.arange(300000, dtype=np.float32))
    other = jax.devices()[3]
    y = jax.device_put(x, other)
    assert y.devices() == {other}
    host = jax.device_put(y, jax.sharding.SingleDeviceSharding(other, memory_kind="pinned_host"))
    assert host.sharding.memory_kind == "pinned_host"
    np.testing.assert_array_equal(np.asarray(host), np.arange(300000, dtype=np.float32))


def test_programs_run_where_their_inputs_are():
    for device in jax.devices():
        y = jax.jit(lambda x: x * 2)(jax.device_put(np.float32(device.id), device))
        assert y.devices() == {device} and float(y) == 2 * device.id


def test_a_short_program_is_done_when_its_first_call_returns():
    assert jax.jit(lambda x: x * 3 + 1)(jax.device_put(np.ones(64, np.float32))).is_ready()


@pytest.mark.parametrize("kind", ("bytes", "trips", "operations", "a loop on data"))
def test_a_long_program_does_not_run_on_the_thread_of_its_first_call(kind):
    """All have few instructions: what makes them long is elsewhere. Three first calls: a machine under load may keep the
    caller away until one of them is done, and a program on the caller's thread is done all three times."""
    f, x = {
        "bytes": (lambda x: x + 1, np.ones((8192, 4096), np.float32)),
        "trips": (lambda x: jax.lax.fori_loop(0, 100_000, lambda i, c: c * 0.5 + 1, x), np.ones((64, 64), np.float32)),
        "operations": (lambda x: x @ x, np.ones((2048, 2048), np.float32)),
        "a loop on data": (lambda x: jax.lax.while_loop(lambda c: c[0] < 1e5, lambda c: c + 1, x), np.ones(64, np.float32)),
    }[kind]
    x = jax.device_put(x)
    ready = []
    for _ in range(3):
        jax.clear_caches()
        first_call = jax.jit(lambda x: f(x)).lower(x).compile()
        y = first_call(x)
        ready.append(y.is_ready())
        y.block_until_ready()
    assert not all(ready)


# -- donation


def in_use(device) -> int:
    return device.memory_stats()["bytes_in_use"]


def test_donated_memory_is_reused_in_place(neuron):
    step = jax.jit(lambda x: x * 0.5 + 1, donate_argnums=0)
    x = step(jnp.zeros((512, 512)))
    x.block_until_ready()
    pointer, before = x.unsafe_buffer_pointer(), in_use(neuron)
    after = []
    for _ in range(5):
        x = step(x)
        x.block_until_ready()
        after.append(in_use(neuron))
    assert x.unsafe_buffer_pointer() == pointer
    assert set(after) == {before}


def test_peak_of_a_donating_step_is_one_array():
    peaks = python("""
        import jax, jax.numpy as jnp
        d = jax.devices()[0]
        for donate in [(), (0,)]:
            f = jax.jit(lambda x: x + 1, donate_argnums=donate)
            f.lower(jnp.zeros((1024, 1024))).compile()
            x = f(jnp.zeros((1024, 1024)))
            for _ in range(3): x = f(x)
            x.block_until_ready()
            print(d.memory_stats()["peak_bytes_in_use"] >> 20)
            del x
    """).split()  # fmt: skip
    assert int(peaks[0]) >= 8
    fresh = python("""
        import jax, jax.numpy as jnp
        f = jax.jit(lambda x: x + 1, donate_argnums=0)
        x = jax.device_put(jnp.zeros((1024, 1024)))
        for _ in range(5): x = f(x)
        x.block_until_ready()
        print(jax.devices()[0].memory_stats()["peak_bytes_in_use"])
    """)  # fmt: skip
    assert int(fresh) < 5 << 20  # one array of 4 MiB and the program's own


def test_a_donated_array_is_gone():
    x = jnp.arange(4.0)
    y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    assert x.is_deleted() and not y.is_deleted()
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(x)
    with pytest.raises(RuntimeError, match="deleted"):
        jax.jit(lambda x: x * 3)(x)


def test_an_array_donated_and_used_is_refused_and_kept():
    x = jnp.arange(4.0)
    with pytest.raises(jax.errors.JaxRuntimeError) as error:
        jax.jit(lambda a, b: a + b, donate_argnums=0)(x, x)
    assert code_of(error) == "ON-E2306"
    np.testing.assert_array_equal(np.asarray(x), np.arange(4.0))


def test_a_fetch_that_began_sees_the_array_before_donation():
    values = np.arange(1 << 20, dtype=np.float32)
    step = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = step(jax.device_put(values))
    for turn in range(5):
        x.copy_to_host_async()
        kept = x
        x = step(x)
        del kept
    np.testing.assert_array_equal(np.asarray(x), values + 6)


# -- errors


@pytest.mark.parametrize("call", [
    lambda x: jax.pure_callback(lambda y: y, x, x),
    lambda x: jax.experimental.io_callback(lambda y: y, x, x),
    lambda x: jax.debug.callback(print, x),
    lambda x: jax.debug.print("{}", x),
], ids=["pure_callback", "io_callback", "debug_callback", "debug_print"])  # fmt: skip
def test_host_callbacks_are_refused_with_a_way_out(call, request):
    name = request.node.callspec.id
    with pytest.raises(NotImplementedError, match=f"{name}: a NeuronCore cannot call the host.*outside"):
        jax.jit(lambda x: (call(x), x))(jnp.ones(3))
    jax.jit(lambda x: (call(x), x))(jax.device_put(jnp.ones(3), jax.devices("cpu")[0]))  # there it works


def test_results_go_to_the_memory_asked_for(neuron):
    host = jax.sharding.SingleDeviceSharding(neuron, memory_kind="pinned_host")
    y = jax.jit(lambda x: x * 2, out_shardings=host)(jnp.arange(4.0))
    assert y.sharding.memory_kind == "pinned_host" and y.tolist() == [0, 2, 4, 6]
    z = jax.jit(lambda x: jax.device_put(x + 1, jax.memory.Space.Device))(y)
    assert z.sharding.memory_kind == "device" and z.tolist() == [1, 3, 5, 7]


def test_a_compile_error_names_code_op_line_and_hint():
    with pytest.raises(jax.errors.JaxRuntimeError) as error:
        jax.jit(lambda x: jax.ffi.ffi_call("no_such_target", x)(x))(jnp.ones(3))
    text = str(error.value)
    assert code_of(error).startswith("ON-E") or code_of(error).startswith("NCC_")
    assert "hint:" in text and "test_plugin.py" in text and "no_such_target" in text


def test_unknown_compiler_options_are_refused():
    compiled = jax.jit(lambda x: x + 1, compiler_options={"optlevel": 1})
    assert float(compiled(jnp.float32(1))) == 2
    for options in [{"optlevel": 9}, {"speed": True}]:
        with pytest.raises(jax.errors.JaxRuntimeError) as error:
            jax.jit(lambda x: x + 1, compiler_options=options)(jnp.float32(1))
        assert code_of(error) == "ON-E2603"


def test_flags_in_the_environment_reach_the_compiler():
    with pytest.raises(AssertionError, match="ON-E2603"):
        python("import jax; jax.jit(lambda x: x + 1)(1.0)", NEURON_CC_FLAGS="--model-type=transformer --optlevel=9")
    python("import jax; jax.jit(lambda x: x + 1)(1.0)", NEURON_CC_FLAGS="--model-type transformer -O1 --auto-cast=none")


def test_full_memory_names_the_largest_arrays():
    out = python("""
        import jax, jax.numpy as jnp, numpy as np
        kept, zeros = [], np.broadcast_to(np.float32(0), (1 << 28,))
        f = jax.jit(lambda: jnp.zeros(1 << 28, jnp.float32))
        try:
            for _ in range(20): kept.append(f())
        except (ValueError, jax.errors.JaxRuntimeError) as error:
            print(len(kept), str(error).replace("\\n", " "))
    """)  # fmt: skip
    count, text = out.split(" ", 1)
    assert int(count) <= 12 and text.startswith("RESOURCE_EXHAUSTED")
    assert "ON-E2304" in text and "The largest: " in text and "1.00 GiB" in text


# -- execution


def test_short_and_long_programs_mix_in_order():
    long = jax.jit(lambda x: jax.lax.fori_loop(0, 50, lambda i, x: jnp.tanh(x @ x) + 0.01, x))
    short = jax.jit(lambda x: x[0, 0] * 2)
    x = jnp.eye(256)
    values = []
    for _ in range(3):
        x = long(x)
        values.append(short(x))
    cpu = jax.devices("cpu")[0]
    y = jax.device_put(jnp.eye(256), cpu)
    for value in values:
        y = long(y)
        np.testing.assert_allclose(float(value), float(short(y)), rtol=1e-4)


def test_many_threads_share_programs_and_devices():
    f = jax.jit(lambda x, k: jnp.sum(x * k))
    x = [jax.device_put(np.arange(1000, dtype=np.float32), d) for d in jax.devices()]
    failures = []

    def work(k):
        for i in range(50):
            got = float(f(x[(k + i) % 8], np.float32(k)))
            if got != 499500.0 * k:
                failures.append((k, i, got))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_programs_without_arguments_or_results():
    assert float(jax.jit(lambda: jnp.float32(3))()) == 3
    assert jax.jit(lambda x: ())(jnp.ones(3)) == ()
    assert jax.jit(lambda x: x[:0])(jnp.ones(3)).shape == (0,)


def test_a_process_may_end_with_work_pending():
    python("""
        import jax, jax.numpy as jnp
        f = jax.jit(lambda x: jax.lax.fori_loop(0, 300, lambda i, x: jnp.tanh(x @ x), x))
        x = f(jnp.eye(300))
        for _ in range(3): x = f(x)
    """)  # fmt: skip


def test_small_calls_do_not_grow():
    out = python("""
        import jax, jax.numpy as jnp, numpy as np, psutil
        f = jax.jit(lambda x, y: (x + y, x * y))
        x = jnp.ones(8)
        def turn(n):
            global x
            for _ in range(n): x, _ = f(x, jnp.float32(0))
            np.asarray(x)
        turn(3000)
        before = psutil.Process().memory_info().rss
        turn(10000)
        print(psutil.Process().memory_info().rss - before, jax.devices()[0].memory_stats()["bytes_in_use"])
    """)  # fmt: skip
    grown, used = map(int, out.split())
    assert grown < 4 << 20
    assert used < 1 << 20


# -- ahead of time, analyses, cache


def test_compiled_programs_tell_about_themselves():
    compiled = jax.jit(lambda a, b: a @ b).lower(jnp.ones((64, 32)), jnp.ones((32, 16))).compile()
    assert compiled.cost_analysis()["flops"] >= 2 * 64 * 32 * 16
    memory = compiled.memory_analysis()
    assert memory.argument_size_in_bytes == 4 * (64 * 32 + 32 * 16) and memory.output_size_in_bytes == 4 * 64 * 16
    assert "dot" in compiled.as_text()
    np.testing.assert_array_equal(np.asarray(compiled(jnp.ones((64, 32)), jnp.ones((32, 16)))), np.full((64, 16), 32.0))


def test_serialised_programs_run_again():
    from jax.experimental import serialize_executable as s

    compiled = jax.jit(lambda x: jnp.sin(x) + 1).lower(jnp.ones(7)).compile()
    payload, in_tree, out_tree = s.serialize(compiled)
    again = s.deserialize_and_load(payload, in_tree, out_tree, execution_devices=jax.devices()[:1])
    x = jnp.linspace(0, 1, 7)
    np.testing.assert_array_equal(np.asarray(again(x)), np.asarray(compiled(x)))


def test_a_damaged_cache_entry_is_refused_and_compiled_again(tmp_path):
    import zlib

    code = "import jax\nprint(jax.jit(lambda x: x * 3 + 2)(2.0))"
    settings = {
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1", "JAX_ENABLE_COMPILATION_CACHE": "true",
    }  # fmt: skip
    python(code, **settings)
    (entry,) = tmp_path.glob("jit__lambda*-cache")
    good = entry.read_bytes()
    plain = bytearray(zlib.decompress(good))
    plain[-100] ^= 1
    entry.write_bytes(zlib.compress(bytes(plain)))
    import subprocess
    import sys

    shown = subprocess.run([sys.executable, "-c", code], env=environment("neuron", **settings), text=True, capture_output=True)
    assert shown.returncode == 0, shown.stderr
    assert "ON-E2604" in shown.stderr
    assert "8.0" in shown.stdout  # 2 * 3 + 2


def guarded(values: np.ndarray) -> np.ndarray:
    """A copy whose last byte is the last one that may be read: a page that may not follows it."""
    import ctypes
    import mmap

    page, size = mmap.PAGESIZE, values.nbytes
    pages = -(-size // page)
    area = mmap.mmap(-1, (pages + 1) * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(start + pages * page), ctypes.c_size_t(page), 0) == 0
    copy = np.frombuffer(area, values.dtype, values.size, pages * page - size).reshape(values.shape)
    copy[...] = values
    return copy


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "int32"])
def test_nothing_is_read_behind_an_array_used_where_it_lies(dtype):
    values = guarded(np.random.default_rng(2).integers(-3, 4, (1024, 1040)).astype(jnp.dtype(dtype)))
    assert values.ctypes.data % 16 == 0
    square = (lambda x: x @ x.T) if "float" in dtype else jnp.negative
    f = jax.jit(lambda x: (x + 1, x.sum(0), x.T, x[3:, 5:], square(x)))
    cpu = f(jax.device_put(values, jax.devices("cpu")[0]))
    for got, right in zip(f(jax.device_put(values)), cpu):
        np.testing.assert_allclose(np.asarray(got, np.float64), np.asarray(right, np.float64), rtol=1e-2, atol=64 if dtype == "bfloat16" else 1e-3)
