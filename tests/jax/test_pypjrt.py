"""An independent PJRT client's checks. Its exit status passes what is unimplemented, so the ids that must pass stand here;
what is absent stands in docs/pjrt.md with the reason."""

import json

import pytest

import openneuron
from processes import ROOT, run

ABSENT = {
    "abi.unknown_slot_is_clean_error",
    "abi_version.executable_proto",
    "abi_version.extension_present",
    "abi_version.is_compatible_with_executable",
    "device.coords",
    "device.execute_context",
    "stream.external_ready_events",
    "topology.create_by_name",
    "transfer.async_host_to_device",
    "triton.compile",
}


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    out = tmp_path_factory.mktemp("pypjrt") / "checks.json"
    run("-m", "pypjrt.conform", openneuron.library_path(), "--json", out)
    return json.loads(out.read_text())


def test_every_check_passes_or_is_known_to_be_absent(checks):
    results = {check["id"]: check["result"] for check in checks["checks"]}
    assert len(results) >= 60
    assert {name for name, result in results.items() if result != "pass"} == ABSENT, checks


def test_what_is_absent_is_documented():
    page = (ROOT / "docs" / "pjrt.md").read_text()
    for name in ABSENT:
        assert f"`{name}`" in page
