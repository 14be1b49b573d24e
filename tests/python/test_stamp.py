"""Groups that repeat are lowered once and copied: nobody can tell from the NEFF."""

import pytest

import export
from programs import model, source, succeed

FULL = ("unrolled_2k", "gpt2_prefill", "gpt2_decode", "gpt_train", "resnet50", "resnet18_train", "llama_1b")


def both(name: str, target: str, scratch) -> list[bytes]:
    out = []
    for folder, options in (("stamped", ()), ("one_by_one", ("--disable", "stamp"))):
        file = scratch / folder / f"{name}.{target}.neff"  # the file's name is in the NEFF
        file.parent.mkdir(exist_ok=True)
        succeed("openneuron", "opt", source(model(name)), "--to", "neff", "-o", file, "--target", target, *options)
        out.append(file.read_bytes())
    return out


@pytest.mark.parametrize("name", export.all_names())
def test_same_bytes(name, scratch):
    stamped, one_by_one = both(name, "trn2", scratch)
    assert stamped == one_by_one


@pytest.mark.parametrize("target", ("tiny", "odd"))  # where little fits
@pytest.mark.parametrize("name", export.all_names("network"))
def test_same_bytes_in_little_memory(name, target, scratch):
    stamped, one_by_one = both(name, target, scratch)
    assert stamped == one_by_one


@pytest.mark.full
@pytest.mark.parametrize("name", FULL)
def test_same_bytes_at_full_size(name, scratch):
    stamped, one_by_one = both(name, "trn2", scratch)
    assert stamped == one_by_one
