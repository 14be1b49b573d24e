#!/usr/bin/env python3
"""Writes the tables of docs/isa.md, between its two marks, from src/isa/isa.def. --check only compares."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/isa.md"
BEGIN, END = "<!-- generated from src/isa/isa.def by scripts/generate_isa_docs.py -->", "<!-- end of the generated part -->"
INSTRUCTION = re.compile(r'^INSTRUCTION\((\w+), ([A-Z_ |]+), (\w+), "([^"]*)", Forms::(\w+),\s*((?:"[^"]*"\s*)+)\)(.*?)^END\(\1\)',
                         re.M | re.S)
FIELD = re.compile(r'^\s*FIELD\((\w+), (\w+), (\w+), ([A-Z_ |]+), (\w+), "([^"]*)"\)', re.M)
ENGINES = {"E_PE": "PE", "E_VECTOR": "Vector", "E_SCALAR": "Scalar", "E_GPSIMD": "GpSimd", "E_SYNC": "Sync",
           "E_DMA": "DMA", "E_ALL": "every engine"}
SPACES = {"S_SBUF": "SBUF", "S_PSUM": "PSUM", "S_HBM": "HBM", "S_NONE": ""}
USES = {"Reads": "reads", "Writes": "writes", "ReadsWrites": "reads, writes", "Predicates": "predicate"}


def instructions(text):
    """(name, engines, cost class, equals, forms, meaning, fields), in the order of the table, that of the opcodes."""
    found = []
    for name, engines, cost, equals, forms, meaning, body in INSTRUCTION.findall(text):
        fields = FIELD.findall(body)
        found.append((name, [e.strip() for e in engines.split("|")], cost, equals, forms,
                      "".join(re.findall(r'"([^"]*)"', meaning)), fields))
    if len(found) != len(re.findall(r"^INSTRUCTION\(", text, re.M)):
        sys.exit("generate_isa_docs: a row of isa.def is not understood")
    return found


def operand(kind, use, spaces, types, limits):
    places = [SPACES[s.strip()] for s in spaces.split("|") if SPACES[s.strip()]]
    kinds = {"Access": "access", "Scalar": "immediate" if not places else "immediate or [P, 1] access", "Pattern": "pattern",
             "Count": "immediate or register", "Register": "register", "Alu": "operator", "Function": "function",
             "Flag": "0 or 1", "Number": "number"}
    if kind == "Access" and "S_NONE" in spaces:
        kinds["Access"] = "access or none"
    name = {"kAnyTypes": "any", "kNoTypes": "", "kF32Only": "f32"}.get(types, types[1:].replace("Types", "").lower())
    return f"{kinds[kind]} | {USES[use] if kind in ('Access', 'Scalar', 'Register') else ''} | {', '.join(places)} | {name} | {limits}"


def page_part():
    lines = [BEGIN, ""]
    table = instructions((ROOT / "src/isa/isa.def").read_text())
    lines += ["| opcode | instruction | engines | equals |", "|---|---|---|---|"]
    for number, (name, engines, _, equals, _, _, _) in enumerate(table):
        lines.append(f"| {number} | [{name}](#{name.lower()}) | {', '.join(ENGINES[e] for e in engines)} | {equals} |")
    for name, engines, cost, equals, forms, meaning, fields in table:
        lines += ["", f"### {name}", "", meaning, "",
                  f"Cost class {cost}." + (" An exact and a chip form." if forms == "Split" else "")]
        if fields:
            lines += ["", "| field | kind | use | memory | types | limits |", "|---|---|---|---|---|---|"]
            lines += [f"| {field} | {operand(kind, use, spaces, types, limits)} |" for kind, field, use, spaces, types, limits in fields]
    return "\n".join(lines + ["", END])


def updated(page):
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or not after:
        sys.exit(f"docs/isa.md has lost its marks:\n{BEGIN}\n{END}")
    return before + page_part() + after


def main():
    page = PAGE.read_text()
    new = updated(page)
    if "--check" not in sys.argv:
        PAGE.write_text(new)
    elif page != new:
        sys.exit("docs/isa.md is not what isa.def says: run scripts/generate_isa_docs.py")


if __name__ == "__main__":
    main()
