"""The same bytes whatever the threads, host kernels, source format or run: nothing but the program decides."""

import shutil

import pytest

from programs import NETWORKS, TARGETS, engine_code, execute, host_isas, model, neff, sampled, same_bytes, show, source, succeed

MODELS = ("mlp", "gpt", "gpt_bf16", "decode", "decode_bf16")
SMALL = ("tiny_dot_131x257x515", "tiny_dot_bf16", "tiny_reductions", "tiny_softmax", "tiny_elementwise", "tiny_while_unknown_trips")


@pytest.fixture(scope="module")
def plain(scratch):
    """Outputs of one run per (program, target): one thread, the baseline kernels."""
    known = {}

    def of(name, target="trn2"):
        if (name, target) not in known:
            folder = model(name)
            known[name, target], _ = execute(
                neff(folder, target, scratch), folder / "inputs.npz", scratch, "--threads", "1", env={"OPENNEURON_HOST_ISA": "baseline"}
            )
        return known[name, target]

    return of


@pytest.mark.parametrize("threads", ("1", "2"))
@pytest.mark.parametrize("isa", host_isas())
@pytest.mark.parametrize("name", MODELS + SMALL)
def test_threads_and_host_kernels(name, isa, threads, plain, scratch):
    folder = model(name)
    outputs, _ = execute(
        neff(folder, "trn2", scratch), folder / "inputs.npz", scratch, "--threads", threads, env={"OPENNEURON_HOST_ISA": isa}
    )
    assert same_bytes(plain(name), outputs) == []


@pytest.mark.parametrize("name", ("gpt_adamw", "gpt", "gpt_bf16", "llama_bf16", "resnet", "vae_step", "tiny_softmax"))
def test_fused_code(name, plain, scratch):
    folder = model(name)
    outputs, _ = execute(neff(folder, "trn2", scratch, "--disable", "fuse"), folder / "inputs.npz", scratch)
    assert same_bytes(plain(name), outputs) == []


@pytest.mark.parametrize("name, isa, threads", sampled(NETWORKS, host_isas(), ("1", "2")))
def test_networks_on_threads_and_host_kernels(name, isa, threads, plain, scratch):
    test_threads_and_host_kernels(name, isa, threads, plain, scratch)


@pytest.mark.parametrize("name, kind", sampled(NETWORKS, ("mlir", "generic.mlir")))
def test_networks_from_text(name, kind, scratch):
    folder = model(name)
    assert engine_code(neff(folder, "trn2", scratch, file=source(folder, kind))) == engine_code(neff(folder, "trn2", scratch))


def test_host_kernels_are_really_chosen(scratch):
    """An unknown name is refused, so a name that is accepted was understood; the report names the one in use."""
    folder = model("tiny_dot_3x5x7")
    for isa in host_isas():
        _, report = execute(neff(folder, "trn2", scratch), folder / "inputs.npz", scratch, env={"OPENNEURON_HOST_ISA": isa})
        assert report["host_isa"] == isa


@pytest.mark.parametrize("name", MODELS + SMALL)
def test_check_mode_on_trn2(name, plain, scratch):
    folder = model(name)
    outputs, _ = execute(neff(folder, "trn2", scratch), folder / "inputs.npz", scratch, "--check")
    assert same_bytes(plain(name), outputs) == []


@pytest.mark.full
@pytest.mark.parametrize("target", [t for t in TARGETS if t != "trn2"])
@pytest.mark.parametrize("name", MODELS + SMALL)
def test_check_mode_elsewhere(name, target, plain, scratch):
    folder = model(name)
    outputs, _ = execute(neff(folder, target, scratch), folder / "inputs.npz", scratch, "--check")
    assert same_bytes(plain(name, target), outputs) == []


@pytest.mark.parametrize("kind", ("mlir", "generic.mlir"))
@pytest.mark.parametrize("name", MODELS + SMALL)
def test_text_and_bytecode(name, kind, plain, scratch):
    """The text of the module that the bytecode holds, pretty and generic: same engine code, same outputs."""
    folder = model(name)
    text = neff(folder, "trn2", scratch, file=source(folder, kind))
    code = neff(folder, "trn2", scratch)
    assert engine_code(text) == engine_code(code)
    outputs, _ = execute(text, folder / "inputs.npz", scratch)
    assert same_bytes(plain(name), outputs) == []


@pytest.mark.parametrize("name", MODELS)
def test_text_before_export(name, scratch):
    """What `lower().as_text()` prints keeps chlo ops and repeated constants: the same outputs within the rule."""
    from compare import check_program

    folder = model(name)
    outputs, _ = execute(source(folder, "lowered.mlir"), folder / "inputs.npz", scratch)
    assert check_program(outputs, folder) == []


def test_run_compiles_what_opt_compiles(plain, scratch):
    for name in ("mlp", "decode"):
        folder = model(name)
        outputs, _ = execute(source(folder), folder / "inputs.npz", scratch)
        assert same_bytes(plain(name), outputs) == []


@pytest.mark.parametrize("name", ("mlp", "gpt_bf16", "decode"))
def test_twenty_compiles_are_the_same_bytes(name, scratch, tmp_path):
    """Also from another folder, under another locale and time zone, with and without address randomisation."""
    folder, seen = model(name), set()
    for attempt in range(20):
        place = tmp_path / str(attempt)
        place.mkdir()
        env = {"TZ": "Asia/Tokyo", "LC_ALL": "C"} if attempt % 2 else {"MALLOC_PERTURB_": str(attempt + 1)}
        succeed("openneuron", "opt", source(folder), "--to", "neff", "-o", "same.neff", cwd=place, env=env)
        seen.add((place / "same.neff").read_bytes())
        shutil.rmtree(place)
    assert len(seen) == 1


@pytest.mark.parametrize("name", MODELS)
def test_stripped_neff_gives_the_same_bytes(name, plain, scratch, tmp_path):
    folder = model(name)
    whole, bare = neff(folder, "trn2", scratch), tmp_path / "bare.neff"
    succeed("openneuron", "strip", whole, "-o", bare)
    assert bare.stat().st_size < whole.stat().st_size
    outputs, _ = execute(bare, folder / "inputs.npz", scratch)
    assert same_bytes(plain(name), outputs) == []
    assert show(bare)["engine_code_bytes"] <= show(whole)["engine_code_bytes"]


@pytest.mark.parametrize("name", MODELS)
def test_disassembly_assembles_back(name, plain, scratch, tmp_path):
    folder = model(name)
    text = tmp_path / "code.stream"
    text.write_text(engine_code(neff(folder, "trn2", scratch)))
    succeed("openneuron", "opt", text, "--to", "neff", "-o", tmp_path / "again.neff")
    assert engine_code(tmp_path / "again.neff") == text.read_text()
    outputs, _ = execute(tmp_path / "again.neff", folder / "inputs.npz", scratch)
    assert same_bytes(plain(name), outputs) == []


@pytest.mark.parametrize("level", ("graph", "tile", "stream"))
@pytest.mark.parametrize("name", ("mlp", "decode_bf16"))
def test_every_level_runs_from_its_text(name, level, plain, scratch, tmp_path):
    folder = model(name)
    text = tmp_path / f"program.{level}"
    text.write_text(succeed("openneuron", "opt", source(folder), "--to", level).stdout)
    outputs, _ = execute(text, folder / "inputs.npz", scratch)
    assert same_bytes(plain(name), outputs) == []
