#!/usr/bin/env python3
"""Writes the pages that hold real output: docs/pipeline.md, and the example of README.md.

Run after a change of lowering, scheduling or text forms. `--check` compares instead and fails on a difference.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("OPENNEURON_BIN", ROOT / "build" / "bin"))
os.environ["JAX_PLATFORMS"] = "cpu"


def output(folder, *command):
    done = subprocess.run([str(c) for c in command], cwd=folder, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.rstrip("\n")


def export(folder):
    """The example, under its bare file name so that no path of this computer enters the locations."""
    text = (ROOT / "docs/examples/softmax.py").read_text()
    code = f"exec(compile({text!r}, 'softmax.py', 'exec'))"
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    return text


def block(text, language=""):
    return f"```{language}\n{text.rstrip()}\n```\n"


def pipeline(folder, source):
    tool = BIN / "openneuron"
    show = output(folder, tool, "show", "softmax.neff", "--header")
    sections = [
        "# A program's way to the device\n",
        "Written by `scripts/write_pages.py`: all that follows is real output. The program is a contraction, a sum and a\n"
        "softmax, exported by JAX ([softmax.py](examples/softmax.py)):\n",
        block(source, "python"),
        "## Graph\n",
        "The bytecode is read into columns and verified; locations are kept to the end. `openneuron opt softmax.mlirbc`:\n",
        block(output(folder, tool, "opt", "softmax.mlirbc"), "mlir"),
        "The graph passes inline private functions, replace ops that others express, fold and merge. `--to graph`:\n",
        block(output(folder, tool, "opt", "softmax.mlirbc", "--to", "graph"), "mlir"),
        "## Tile\n",
        "The graph is cut into groups, one loop nest each; layouts are chosen; each op becomes engine instructions over\n"
        "buffers of bytes. Program order is the meaning. `--to tile` ([the text](tile.md), [the instructions](isa.md)):\n",
        block(output(folder, tool, "opt", "softmax.mlirbc", "--to", "tile")),
        "`openneuron ref` interprets both levels above, slowly and obviously: the oracle.\n",
        "## Stream\n",
        "Buffers get addresses, instructions get engines, and each engine and DMA queue its own list; semaphores follow from\n"
        "the data dependences. `--to stream` is exactly the disassembly of the NEFF ([the text](stream.md)):\n",
        block(output(folder, tool, "opt", "softmax.mlirbc", "--to", "stream")),
        "## NEFF\n",
        "`openneuron opt softmax.mlirbc --to neff -o softmax.neff`, or `neuronx-cc compile`; `openneuron show --header`\n"
        "([the container](neff.md)):\n",
        block(show),
        "## Device\n",
        "The device decodes the lists into host operations and executes them in program order, or, in check mode, in any order\n"
        "that the semaphores allow. `openneuron run softmax.neff --seed 1`:\n",
        block(output(folder, tool, "run", "softmax.neff", "--seed", "1")),
        "The clock times the same instructions by the machine file. `openneuron report softmax.neff`:\n",
        block(output(folder, tool, "report", "softmax.neff")),
    ]
    return "\n".join(sections)


def readme_example(folder):
    lines = ["```"]
    tool = BIN / "openneuron"
    for shown, command in (
        ("python softmax.py     # docs/examples: writes softmax.mlirbc", None),
        ("neuronx-cc compile --framework XLA softmax.mlirbc --target trn2 --output softmax.neff",
         [BIN / "neuronx-cc", "compile", "--framework", "XLA", "softmax.mlirbc", "--target", "trn2", "--output", "softmax.neff"]),
        ("openneuron run softmax.neff --seed 1 --check", [tool, "run", "softmax.neff", "--seed", "1", "--check"]),
        ("openneuron report softmax.neff", [tool, "report", "softmax.neff"]),
    ):
        lines.append("$ " + shown)
        if command:
            lines += output(folder, *command).splitlines()[:14]
    return "\n".join(lines) + "\n```"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = export(folder)
        output(folder, BIN / "openneuron", "opt", "softmax.mlirbc", "--to", "neff", "-o", "softmax.neff")
        page, example = pipeline(folder, source), readme_example(folder)
    readme = (ROOT / "README.md").read_text()
    new = re.sub(r"(## An example\n\n).*?(\n\n## )", lambda m: m[1] + example + m[2], readme, flags=re.S)
    wanted = {ROOT / "docs/pipeline.md": page, ROOT / "README.md": new}
    if sys.argv[1:] == ["--check"]:
        old = [p.name for p, text in wanted.items() if not p.exists() or p.read_text() != text]
        if old:
            sys.exit(f"out of date: {', '.join(old)}; run scripts/write_pages.py")
        return
    for path, text in wanted.items():
        path.write_text(text)


if __name__ == "__main__":
    main()
