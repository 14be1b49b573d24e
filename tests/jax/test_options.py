"""Options of the compiler and of the client, as users give them: NEURON_CC_FLAGS, compiler_options, the environment."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest

from processes import environment, python

RUN = "import jax, jax.numpy as jnp; print(jax.jit(lambda x: x + 1)(jnp.float32(1)))"


def message(code: str, **settings: str) -> str:
    """What a failing program says, on one line: terminals and tracebacks break it."""
    shown = subprocess.run([sys.executable, "-c", code], env=environment("neuron", **settings), text=True, capture_output=True, timeout=120)
    assert shown.returncode == 1, shown.stdout + shown.stderr
    return " ".join(shown.stderr.split())


def add_one(options: dict) -> float:
    return float(jax.jit(lambda x: x + 1, compiler_options=options)(jnp.float32(1)))


def refused(options: dict) -> str:
    with pytest.raises(jax.errors.JaxRuntimeError) as error:
        add_one(options)
    return str(error.value)


# Command lines of open frameworks, and one of each shape of option.
@pytest.mark.parametrize("flags", [
    "--enable-saturate-infinity --auto-cast=none --model-type=transformer -O1 --verbose=35 --logfile=/tmp/x/log-neuron-cc.txt",
    "--model-type=transformer --auto-cast=none --execute-repetition=1 --lnc 1 --target=trn2",
    "--tensorizer-options='--enable-ccop-compute-overlap --cc-pipeline-tiling-factor=2' --internal-hoist-allgather "
    "--internal-enable-dge-levels vector_dynamic_offsets spill_reload --distribution-strategy llm-training --optlevel 2",
    "",
])  # fmt: skip
def test_flags_of_real_scripts_are_taken(flags, monkeypatch):
    monkeypatch.setenv("NEURON_CC_FLAGS", flags)
    assert add_one({}) == 2


@pytest.mark.parametrize("flags, parts", [
    ("--optlevl=1", ["ON-E2603", '"--optlevl=1"', 'nearest is "--optlevel"']),
    ("--auto-cats none", ["ON-E2603", 'nearest is "--auto-cast"']),
    ("--auto-cast=some", ["ON-E2603", "none,matmult,all"]),
    ("--model-type", ["ON-E2603", "--model-type has no value"]),
    ("-O1 transformer", ["ON-E2603", '"transformer"']),
    ("--target=trn1", ["ON-E2603", "OPENNEURON_INSTANCE_TYPE"]),
    ("--lnc=2", ["NCC_EARG001"]),
    ("--help", ["ON-E2603", "command line"]),
])  # fmt: skip
def test_wrong_flags_are_refused(flags, parts, monkeypatch):
    monkeypatch.setenv("NEURON_CC_FLAGS", flags)
    text = refused({})
    assert all(part in text for part in parts), text[-600:]


def test_compiler_options_are_the_same_options():
    for options in [{"optlevel": 1}, {"auto-cast": "none"}, {"model_type": "transformer", "enable_saturate_infinity": True}, {"lnc": 1}]:
        assert add_one(options) == 2
    assert 'nearest is "optlevel"' in refused({"optlevl": 1})
    assert "generic,transformer" in refused({"model_type": "mamba"})
    assert "true or false" in refused({"enable_saturate_infinity": 3})
    assert "NCC_EARG001" in refused({"logical-nc-config": 2})


def test_the_persistent_cache_keeps_options_apart(tmp_path):
    """JAX's key has no variable of ours in it but by the plugin's fingerprint: a program compiled with other options is
    not taken, one with the same is."""
    cache = {"JAX_COMPILATION_CACHE_DIR": str(tmp_path), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
             "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}  # fmt: skip

    def entries(**more):
        assert python(RUN, **cache, **more) == "2.0\n"
        return len(list(tmp_path.glob("jit__lambda*-cache")))

    chip, strict, level = {"OPENNEURON_NUMERICS": "chip"}, {"OPENNEURON_STRICT": "1"}, {"NEURON_CC_FLAGS": "-O1"}
    assert [entries(**more) for more in ({}, chip, strict, level, {}, chip)] == [1, 2, 3, 4, 4, 4]


def test_numerics_are_judged_as_an_option():
    assert add_one({"numerics": "chip"}) == 2
    assert "exact or chip" in refused({"numerics": "fast"})


# -- several processes


def test_several_processes_are_refused_with_the_way_out():
    code = """if True:
        import jax, socket
        with socket.socket() as s:
            s.bind(("localhost", 0))
            port = s.getsockname()[1]
        from jax._src import distributed
        # The service of a group of two; the second never comes, and is not needed to be refused.
        distributed.global_state.num_processes = 2
        distributed.global_state.process_id = 0
        distributed.global_state.service = jax._src.lib._jax.get_distributed_runtime_service(f"[::]:{port}", 2)
        distributed.global_state.client = jax._src.lib._jax.get_distributed_runtime_client(f"localhost:{port}", 0)
        jax.devices()
    """
    text = message(code)
    assert "ON-E2601" in text and "2 processes" in text and "OPENNEURON_INSTANCE_TYPE" in text, text[-800:]


def test_the_launchers_variable_is_refused():
    text = message("import jax; jax.devices()", NEURON_PJRT_PROCESSES_NUM_DEVICES="4,4", NEURON_PJRT_PROCESS_INDEX="0")
    assert "ON-E2601" in text and '"4,4"' in text


def test_a_group_of_one_process_works():
    assert python("""
        import jax, socket
        with socket.socket() as s:
            s.bind(("localhost", 0))
            port = s.getsockname()[1]
        jax.distributed.initialize(f"localhost:{port}", 1, 0)
        print(len(jax.devices()), jax.process_count(), jax.jit(lambda x: x + 1)(1.0))
    """) == "8 1 2.0\n"  # fmt: skip


# -- wrong values in the environment


@pytest.mark.parametrize("settings, parts", [
    ({"NEURON_RT_NUM_CORES": "99"}, ["ON-E2303", "NEURON_RT_NUM_CORES", "99", "8"]),
    ({"NEURON_RT_NUM_CORES": "two"}, ["ON-E2302", "NEURON_RT_NUM_CORES", "two"]),
    ({"NEURON_RT_VISIBLE_CORES": "3-1"}, ["ON-E230", "NEURON_RT_VISIBLE_CORES", "3-1"]),
    ({"NEURON_RT_VISIBLE_CORES": "0-99"}, ["ON-E230", "NEURON_RT_VISIBLE_CORES"]),
    ({"OPENNEURON_INSTANCE_TYPE": "trn2.3xlrge"}, ["ON-E2301", "OPENNEURON_INSTANCE_TYPE", "trn2.3xlarge"]),
    ({"OPENNEURON_NUMERICS": "fast"}, ["ON-E2603", "OPENNEURON_NUMERICS", "exact or chip"]),
])  # fmt: skip
def test_wrong_values_name_variable_and_way_out(settings, parts):
    text = message(RUN, **settings)
    assert all(part in text for part in parts), text[-600:]


def test_without_neuron_nothing_of_it_is_judged():
    assert python(RUN, platforms="cpu", NEURON_RT_NUM_CORES="99") == "2.0\n"


# -- a full disk


def test_a_cache_that_cannot_be_written_costs_a_warning(tmp_path):
    """Every write of a file fails after its first KB, as on a full disk: the program runs, and nothing broken is found
    by the next one."""
    settings = {"JAX_COMPILATION_CACHE_DIR": str(tmp_path), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}  # fmt: skip
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))\n"
    assert python(full + RUN, **settings) == "2.0\n"
    assert python(RUN, **settings) == "2.0\n"
