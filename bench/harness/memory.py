"""Peak memory of a run over what it may need: weights + 1.3 x the peak live bytes + the memories on chip."""

from __future__ import annotations

import pathlib

from harness import ours, useful

SLACK = 1.3


def on_chip_bytes(described: dict) -> int:
    """SBUF and PSUM as the host keeps them: a partition of SBUF has 192 bytes of padding."""
    sizes = described["sizes"]
    return sizes["partitions"] * (sizes["sbuf_partition_bytes"] + 192 + sizes["psum_banks"] * sizes["psum_bank_bytes"])


def live_bytes(report: dict) -> int:
    """The most that lies in HBM at once beside the inputs: outputs that are no donated input, constants, spilled tensors
    from their first use to their last."""
    (hbm,) = (o for o in report["occupancy"] if o["space"] == "HBM")
    inputs = sum(v["bytes"] for v in report["variables"] if v["kind"] == "input")
    return max(0, hbm["peak_bytes"] - inputs)


def measure(folder: pathlib.Path, described: dict, threads: int, scratch: pathlib.Path) -> dict:
    neff, _ = ours.compiled(folder, scratch)
    report = ours.run(neff, folder, scratch, "--threads", threads)
    weights = useful.bytes_of_weights_and_caches(useful.meta_of(folder))
    live = live_bytes(ours.explained(neff))
    allowed = weights + SLACK * live + on_chip_bytes(described)
    return {
        "model": folder.name,
        "peak_rss_bytes": report["peak_rss_bytes"],
        "weights_bytes": weights,
        "live_bytes": live,
        "allowed_bytes": allowed,
        "ratio": report["peak_rss_bytes"] / allowed,
    }
