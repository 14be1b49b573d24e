#!/usr/bin/env python3
"""`make conformance`: which ops each part knows, from the op table and the sources that name them.

verify: the op has a row, so reader, printer, shape rule and verifier know it. oracle: `src/ref` names it. compile:
`src/opt` or `src/lower` names it; others are refused with a code. Writes build/conformance/ops.json too.
"""
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'^OP\((\w+),\s*"([^"]+)"', re.M)


def named(*folders):
    text = "\n".join(p.read_text() for f in folders for p in (ROOT / "src" / f).glob("*.cpp"))
    return set(re.findall(r"OpKind::(\w+)", text)) | set(re.findall(r"\b(?:case|CASE)\s+(\w+):", text))


def main():
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
