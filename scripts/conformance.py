#!/usr/bin/env python3
"""`make conformance`: which ops each part knows, from the op table and the sources that name them.

verify: the op has a row, so reader, printer, shape rule and verifier know it. oracle: `src/ref` names it. compile:
`src/opt` or `src/lower` names it; others are refused with a code. Writes build/conformance/ops.json too.

`make conformance-jax` (--jax) runs JAX's op harnesses through the plugin as well (tests/jax/harnesses.py; the cases are
exported once, to build/conformance/harnesses), and writes docs/coverage.md and tests/jax/passing_groups.txt.
--rows FILE writes them from rows that are there.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'^OP\((\w+),\s*"([^"]+)"', re.M)


def named(*folders):
    text = "\n".join(p.read_text() for f in folders for p in (ROOT / "src" / f).glob("*.cpp"))
    return set(re.findall(r"OpKind::(\w+)", text)) | set(re.findall(r"\b(?:case|CASE)\s+(\w+):", text))


INTRODUCTION = """# Coverage: JAX's op harnesses on `neuron`

`make conformance-jax` writes this page. It runs the single-op cases that JAX's own wheel carries
(`jax._src.internal_test_util.test_harnesses`) {how}, and compares with XLA:CPU: integers exactly, floats by
JAX's tolerances (fp32 2e-5), 16-bit sums also by their distance from the same case in fp32. What an op leaves open
(the other triangle of a Cholesky factor, the order of equal keys in an unstable sort) is not compared.

| what | cases |
|---|---:|
"""
MEANINGS = {
    "right": "right",
    "wrong": "wrong values",
    "refused": "refused with a coded error",
    "not lowered by JAX": "JAX has no lowering for the platform: an error before our compiler is asked",
    "no reference": "no reference: XLA:CPU does not take the case",
}


def page(rows, how):
    verdicts = collections.Counter(row["verdict"] for row in rows)
    asked = len(rows) - verdicts["no reference"]
    text = INTRODUCTION.format(how=how) + f"| in all, in {len({row['group'] for row in rows})} groups | {len(rows)} |\n"
    for verdict, meaning in MEANINGS.items():
        if verdicts[verdict]:
            text += f"| {meaning} | {verdicts[verdict]} |\n"
    reached = asked - verdicts["not lowered by JAX"]
    text += f"\n**{verdicts['right'] / reached:.2%}** of the cases that reach the compiler and have a reference are right; {verdicts['right'] / asked:.2%} of all that have one.\n"
    reasons = collections.defaultdict(collections.Counter)
    for row in rows:
        if row["verdict"] not in ("right", "no reference"):
            reason = "wrong values" if row["verdict"] == "wrong" else row["reason"].replace("]", "", 1).replace("|", "/")
            reasons[reason][row["group"]] += 1
    text += "\n## Failures by reason\n\n| cases | reason | groups |\n|---:|---|---|\n"
    for reason, groups in sorted(reasons.items(), key=lambda item: (-sum(item[1].values()), item[0])):
        text += f"| {sum(groups.values())} | {reason} | {', '.join(f'{g} {n}' for g, n in groups.most_common())} |\n"
    text += "\n## By group\n\n| group | right | of | others |\n|---|---:|---:|---|\n"
    by_group = collections.defaultdict(collections.Counter)
    for row in rows:
        by_group[row["group"]][row["verdict"]] += 1
    for group, counts in sorted(by_group.items()):
        others = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common() if verdict != "right")
        text += f"| {group} | {counts['right']} | {sum(counts.values())} | {others} |\n"
    held = [g for g, c in sorted(by_group.items()) if c["right"] and c["right"] + c["no reference"] == sum(c.values())]
    return text, held


def run_harnesses(folder):
    tool = [sys.executable, ROOT / "tests/jax/harnesses.py"]
    subprocess.run([*tool, "export", folder], check=True)
    rows = folder.parent / "rows.json"
    subprocess.run([*tool, "jax", folder, "--table", rows])  # its status says whether all held; the page tells
    return rows


def write_page(rows, how):
    text, held = page(json.loads(rows.read_text()), how)
    (ROOT / "docs/coverage.md").write_text(text)
    (ROOT / "tests/jax/passing_groups.txt").write_text("\n".join(held) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jax", action="store_true")
    parser.add_argument("--rows", type=pathlib.Path)
    parser.add_argument("--how", default="through the plugin, in process")
    options = parser.parse_args()
    if options.rows:
        return write_page(options.rows, options.how)
    print_ops()
    if options.jax:
        write_page(run_harnesses(ROOT / "build/conformance/harnesses"), options.how)


def print_ops():
    rows = ROW.findall((ROOT / "src/graph/ops.def").read_text())
    oracle, compiled = named("ref"), named("opt", "lower")
    table = [{"op": op, "verify": True, "oracle": name in oracle, "compile": name in compiled} for name, op in rows]
    mark = {True: "yes", False: " - "}
    print(f"{'op':<40} verify  oracle  compile")
    for row in table:
        print(f"{row['op']:<40} {mark[row['verify']]:<7} {mark[row['oracle']]:<7} {mark[row['compile']]}")
    print()
    for dialect in ("stablehlo", "chlo"):
        own = [r for r in table if r["op"].startswith(dialect + ".")]
        print(f"{dialect}: {len(own)} ops, verified {len(own)}, oracle {sum(r['oracle'] for r in own)}, compiled {sum(r['compile'] for r in own)}")
    out = ROOT / "build/conformance"
    out.mkdir(parents=True, exist_ok=True)
    (out / "ops.json").write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
