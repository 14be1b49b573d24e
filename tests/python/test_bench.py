"""The parts of `make bench` that measure nothing: counts from shapes, judging, tables, the page. No time is asserted."""

import argparse
import json
import math
import pathlib
import subprocess
import sys

import pytest

import export

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench"))

from harness import clock, compiling, host, judge, measure, memory, page, plan, sections, tables, useful  # noqa: E402

# Useful FLOPs


def test_gpt_by_hand():
    """One layer, width 4, 3 tokens, vocabulary 10: 3 rows x (4x12 + 4x4 + 4x16 + 16x4), 3x3 scores of 4 twice, 3x4x10 logits."""
    assert useful.gpt_forward(1, 4, 1, 3, 3, 10) == 3 * (48 + 16 + 64 + 64) + 2 * 9 * 4 + 120
    # A decode step against a cache of 7: one row, seven keys.
    assert useful.gpt_forward(2, 4, 1, 1, 7, 10) == 2 * (192 + 2 * 7 * 4) + 40


def test_llama_by_hand():
    """2 tokens, width 6, 2 heads and 1 key head of 3, hidden 5: q 6x6, k and v 6x3, out 6x6, three of 6x5, 2x2 scores of 6 twice."""
    assert useful.llama_block(1, 2, 6, 2, 1, 3, 5) == 2 * (36 + 18 + 18 + 36 + 90) + 2 * 4 * 6


def test_resnet50_is_the_published_count():
    """4.09 G multiply-adds at 224 x 224, torchvision's figure for ResNet-50."""
    assert round(useful.multiply_adds("resnet50") / 1e9, 2) == 4.09


def test_gpt2_small_by_hand():
    rows, width = 512, 768
    layer = rows * 12 * width * width + 2 * rows * rows * width
    assert useful.flops("gpt2_prefill") == 2 * (12 * layer + rows * width * 50257) == useful.flops("gpt2_prefill_bf16")


def test_a_training_step_has_three_products_for_one():
    """128 images, 64-256-256-10: forward, the weights' gradients, and the inputs' gradients of all layers but the first."""
    first, second, third = 128 * 64 * 256, 128 * 256 * 256, 128 * 256 * 10
    assert useful.multiply_adds("mlp") == 2 * first + 3 * second + 3 * third


def counted(jaxpr) -> int:
    """Multiply-adds of the contractions that a traced program has: another way to the same number."""
    total = 0
    for equation in jaxpr.eqns:
        out = math.prod(equation.outvars[0].aval.shape) if equation.outvars else 0
        if equation.primitive.name == "dot_general":
            (contracting, _), _ = equation.params["dimension_numbers"]
            total += out * math.prod(equation.invars[0].aval.shape[axis] for axis in contracting)
        elif equation.primitive.name == "conv_general_dilated":
            kernel, numbers = equation.invars[1].aval.shape, equation.params["dimension_numbers"]
            total += out * math.prod(kernel) // kernel[numbers.rhs_spec[0]]
        for value in equation.params.values():
            for inner in value if isinstance(value, (tuple, list)) else (value,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    total += counted(inner)
    return total


@pytest.mark.parametrize("name", ("gpt2_prefill", "gpt2_decode", "gpt_train", "llama_1b", "resnet50", "mlp"))
def test_formulas_agree_with_the_traced_programs(name):
    import functools

    import jax
    from common import Types

    (program,) = (p for p in export.load(export.table()[name]["script"]) if p.name == name)
    arguments = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in program.arguments()]
    traced = jax.make_jaxpr(functools.partial(program.function, Types.named(program.types)))(*arguments)
    assert useful.multiply_adds(name) == counted(traced.jaxpr)


def test_bytes_once():
    meta = {
        "name": "x",
        "donated": [0],
        "inputs": [{"shape": [2, 3], "type": "float32"}, {"shape": [], "type": "int32"}],
        "outputs": [{"shape": [2, 3], "type": "float32"}, {"shape": [5], "type": "bfloat16"}],
    }
    assert useful.bytes_once(meta) == 24 + 4 + 24 + 10
    # A decode step writes one of the four positions of its cache [batch, heads, positions, size].
    cache = {"shape": [1, 2, 4, 3], "type": "float32"}
    meta = {"name": "gpt2_decode", "donated": [0], "inputs": [cache], "outputs": [cache, {"shape": [7], "type": "float32"}]}
    assert useful.bytes_once(meta) == 96 + 24 + 28


# By the clock


def test_clock_row():
    machine = {
        "sizes": {"pe_rows": 4, "pe_columns": 8},
        "clocks": {"pe_hz": 1e9},
        "costs": {"pe_matmul_16": {"rate": 1.0}, "pe_matmul_32": {"rate": 0.25}},
        "figures": {"hbm_bytes_per_ns": 100},
    }
    assert clock.peak_flops(machine, "bfloat16") == 64e9 and clock.peak_flops(machine, "float32") == 16e9
    assert clock.roofline_us(machine, "bfloat16", 64e6, 1e6) == pytest.approx(1000)  # 64 MFLOP at 64 GFLOP/s
    assert clock.roofline_us(machine, "bfloat16", 64e3, 1e6) == pytest.approx(10)  # 1 MB at 100 GB/s

    meta = {"name": "mlp", "types": "float32", "inputs": [{"shape": [1000], "type": "float32"}], "outputs": [], "donated": []}
    report = {
        "estimated_ns": 1e7, "hbm_read_bytes": 5000, "hbm_written_bytes": 1000, "routine_share": 0.0,
        "engines": [{"name": "PE", "busy_ns": 8e6}, {"name": "Vector", "busy_ns": 1e6}],
    }  # fmt: skip
    row = clock.row({"useful": 0.5, "busiest": 1.3, "traffic": 1.2}, meta, report, machine)
    assert row["useful_share"] == pytest.approx(useful.flops("mlp") / (16e9 * 0.01))
    assert row["busiest"] == "PE" and row["over_busiest"] == pytest.approx(1.25) and row["traffic"] == pytest.approx(1.5)
    assert row["verdicts"] == {"useful": judge.MISSED, "busiest": judge.MUST, "traffic": judge.MISSED, "roofline": judge.MUST}


def test_an_estimate_below_the_roofline_is_missed():
    machine = clock.machine()
    meta = {"name": "mlp", "types": "float32", "inputs": [], "outputs": [], "donated": []}
    meta["inputs"] = [{"shape": [10**9], "type": "float32"}]  # 4 GB take 10 ms
    report = {"estimated_ns": 1e6, "hbm_read_bytes": 1, "hbm_written_bytes": 0, "routine_share": 0, "engines": [{"name": "PE", "busy_ns": 1}]}
    assert clock.row({}, meta, report, machine)["verdicts"]["roofline"] == judge.MISSED


# Judging


def test_verdicts():
    assert judge.verdict(0.7, 0.85, 0.7) == judge.AIM
    assert judge.verdict(0.85, 0.85, 0.7) == judge.MUST
    assert judge.verdict(0.86, 0.85, 0.7) == judge.MISSED
    assert judge.verdict(1.7, 1.7, 1.9, "higher") == judge.MUST
    assert judge.verdict(1.69, 1.7, 1.9, "higher") == judge.MISSED
    assert judge.verdict(1.95, 1.7, 1.9, "higher") == judge.AIM
    assert judge.verdict(0.5, None) == judge.verdict(None, 0.5) == judge.SHOWN


MEASURED = {
    "threads": 2, "isa": "avx512", "ours_ms_best": 0.8, "ours_ms_median": 1.0, "xla_ms_best": 1.0, "xla_ms_median": 1.1,
    "ratio_best": 0.8, "ratio_median": 0.9, "spread": [0.78, 0.95], "load_ms": 0.02, "others": 0.01,
    "load_before": 0.1, "load_after": 1.2, "read_bytes_per_second": None,
}  # fmt: skip
WANTED = {"id": "x", "label": "a row", "model": "mlp", "must": 0.85, "aim": 0.7, "must_amx": 0.95}


def test_best_and_median_must_both_reach():
    assert measure.judge_run(WANTED, MEASURED, "avx512", True)["verdict"] == judge.MISSED
    assert measure.judge_run(WANTED, {**MEASURED, "ratio_median": 0.84}, "avx512", True)["verdict"] == judge.MUST
    assert measure.judge_run(WANTED, MEASURED, "amx", True)["verdict"] == judge.MUST  # must_amx


def test_what_is_shown_only():
    assert measure.judge_run(WANTED, MEASURED, "avx512", False)["verdict"] == judge.SHOWN  # two threads of one core
    assert measure.judge_run(WANTED, {**MEASURED, "threads": 1}, "avx512", True)["verdict"] == judge.SHOWN
    assert measure.judge_run(WANTED, MEASURED, "avx2", True)["verdict"] == judge.SHOWN


def test_a_row_in_microseconds_is_judged_by_its_time():
    wanted = {"id": "x", "label": "a row", "model": "ten_ops", "unit": "us", "must": 20.0, "aim": 10.0}
    fast = {**MEASURED, "ours_ms_best": 0.009, "ours_ms_median": 0.012, "ratio_best": 50.0, "ratio_median": 50.0}
    assert measure.judge_run(wanted, fast, "avx512", True)["verdict"] == judge.MUST
    assert measure.judge_run(wanted, {**fast, "ours_ms_median": 0.021}, "avx512", True)["verdict"] == judge.MISSED


def test_one_broken_program_does_not_take_the_other_rows_with_it(monkeypatch):
    def alternate(wanted, cpus, isa, rounds):
        if wanted["id"] == "broken":
            raise subprocess.CalledProcessError(3, ["/somewhere/openneuron", "run"])
        return {**MEASURED, "threads": len(cpus)}

    monkeypatch.setattr(measure, "alternate", alternate)
    options = argparse.Namespace(only=None, threads=[1], isa=None, quick=True)
    failures = measure.Failures()
    rows = measure.run_rows({"run": [{**WANTED, "id": "broken"}, WANTED]}, options, 3, failures)
    assert [r["id"] for r in rows] == ["x"]
    assert failures == ["a row, 1 threads: openneuron ended with status 3"]
    assert "- not measured: a row, 1 threads: openneuron ended" in page.write({**results(), "failures": failures}, {})


def test_values_of_the_rows(monkeypatch):
    """Reading 8 MB at 2 GB/s takes 4 ms; from 9 ms at one thread to 5 at two."""
    monkeypatch.setattr(measure, "folder", lambda name: pathlib.Path(name))
    monkeypatch.setattr(useful, "meta_of", lambda folder: {"inputs": [{"shape": [2_000_000], "type": "float32"}]})
    rows = [{**MEASURED, "id": "decode", "model": "m", "verdict": judge.MISSED, "ours_ms_best": 5.0, "read_bytes_per_second": 2e9}]
    plan = {"run": [{"id": "decode", "label": "d", "bandwidth": {"must": 1.35, "aim": 1.15}}], "derived": [{"label": "s", "must": 1.7, "better": "higher"}]}
    (one,) = measure.bandwidth_values(plan, rows)
    assert one["value"] == pytest.approx(1.25) and one["verdict"] == judge.MUST and one["id"] == "decode_bandwidth"
    prefill = [{**rows[0], "id": "prefill"}, {**rows[0], "id": "prefill", "threads": 1, "ours_ms_best": 9.0}]
    (two,) = measure.speedup_values(plan, prefill)
    assert two["value"] == pytest.approx(1.8) and two["verdict"] == judge.MUST
    assert measure.speedup_values(plan, prefill[:1]) == []


def test_slope_is_the_power_of_growth():
    rows = [{"ops": n, "ours_ms_best": 0.003 * n**1.1} for n in (2_000, 20_000, 200_000)]
    assert compiling.slope(rows) == pytest.approx(1.1)


def test_live_bytes_are_the_peak_of_hbm_beside_the_inputs():
    report = {
        "occupancy": [{"space": "SBUF", "peak_bytes": 7}, {"space": "HBM", "peak_bytes": 1127}],
        "variables": [{"kind": "input", "bytes": 1000}, {"kind": "scratch", "bytes": 500}],
    }
    assert memory.live_bytes(report) == 127


# The computer


def cores(folder, groups):
    for number, group in enumerate(groups):
        place = folder / f"cpu{number}" / "topology"
        place.mkdir(parents=True)
        (place / "thread_siblings_list").write_text(group + "\n")


def test_lists_of_cpus():
    assert host.numbers("0-2,5\n") == [0, 1, 2, 5] and host.numbers("7") == [7] and host.numbers("") == []


def test_threads_go_to_different_cores_first(tmp_path):
    cores(tmp_path, ["0-1", "0-1", "2-3", "2-3"])
    assert host.choose(2, [0, 1, 2, 3], tmp_path) == ([0, 2], True)
    assert host.choose(3, [0, 1, 2, 3], tmp_path) == ([0, 2, 1], False)
    assert host.choose(2, [2, 3], tmp_path) == ([2, 3], False)
    assert host.choose(2, [3], tmp_path) == ([3], False)


# Tables and the page


def test_tables():
    columns = [("row", lambda r: r["name"], ""), ("value", lambda r: r.get("value"), ".2f")]
    rows = [{"name": "a|b", "value": 1.234}, {"name": "c"}]
    assert tables.plain("T", columns, rows) == "T\n  row  value\n  ---  -----\n  a|b   1.23\n  c        -\n"
    assert tables.markdown(columns, rows) == "| row | value |\n| --- | ---: |\n| a\\|b | 1.23 |\n| c | - |\n"


def results():
    wanted = {"must": 1.7, "better": "higher"}
    return {
        "time": "2000-01-01 00:00 UTC", "commit": "abc", "command": "make bench", "rounds": 7, "patience": 60,
        "host": {"cpu": "a CPU", "family": "family 6", "cpus": 2, "cores": 2, "isa": "avx512", "memory_gib": 8.0, "system": "Linux"},
        "versions": {"jax": "1", "jaxlib": "2", "numpy": "3"}, "load": {"before": 0.1, "after": 0.2},
        "run": [measure.judge_run(WANTED, MEASURED, "avx512", True)],
        "values": [measure.value(wanted, "speedup", "speed-up", 1.5, "3 ms to 2 ms")],
        "compile": [{
            "id": "compile_y", "model": "y", "ops": 1234, "ours_ms_best": 5.0, "ours_ms_median": 6.0, "us_per_op": 4.05,
            "peak_rss_bytes": 3 << 20, "xla_ms_best": 60_000.0, "xla_finished": False, "ratio_best": 5 / 60_000, "must": 0.1,
            "verdict": judge.MUST,
        }],
        "clock": [], "failures": [],
    }  # fmt: skip


def test_every_miss_stands_on_the_page_with_its_reason():
    text = page.write(results(), {"x": {"reason": "it waits.", "next": "wait less."}})
    assert "| a row | 2 | 0.800 | 1.000 | - | 0.80 | 0.90 | 0.78 to 0.95 | 0.020 | 1% | 0.85 | 0.7 | missed |" in text
    assert "- **a row**: it waits. Next: wait less.\n" in text
    assert "- **speed-up**: not yet understood.\n" in text
    assert "| y | 1,234 | 5.000 | 6.000 | 4.05 | 3 | > 60000 | < 0.000 | 0.1 | reached |" in text
    assert "stopped after 60 s" in text and "Written by `make bench`" in text
    assert json.loads(json.dumps(results())) == results()  # bench.json holds it all


def test_avx2_has_a_column_where_it_was_measured():
    measured = results()
    assert "AVX2" not in page.write(measured, {}).split("##")[1]
    measured["run"][0]["ratio_avx2"] = 0.66
    assert "| 0.80 | 0.90 | 0.66 |" in page.write(measured, {})


def test_rows_name_programs_and_notes_name_rows():
    """A row or a note that nothing matches any more is found here."""
    rows, known = plan.rows(), export.table()
    models = [r["model"] for part in ("run", "memory", "clock") for r in rows[part]] + rows["compile"]["models"] + rows["jax_compile"]["models"]
    models += [r["model"] for r in rows["jax"] if "model" in r]
    assert set(models) <= known.keys()
    ids = [r["id"] for part in ("run", "derived", "kernel", "jax") for r in rows[part]]
    assert len(set(ids)) == len(ids)
    ids += [r["id"] + "_bandwidth" for r in rows["run"] if "bandwidth" in r]
    ids += [f"memory_{r['model']}" for r in rows["memory"]] + [f"compile_{m}" for m in rows["compile"]["models"]]
    ids += [f"jax_compile_{m}" for m in rows["jax_compile"]["models"]]
    ids += ["us_per_op", "slope", "ten_op_load"]
    ids += [f"clock_{r['model']}_{name}" for r in rows["clock"] for name in sections.CLOCK_NAMES]
    assert set(plan.notes()) <= set(ids)
    assert all(note.keys() <= {"reason", "next"} and "reason" in note for note in plan.notes().values())
