#!/usr/bin/env python3
"""Every row of src/isa/isa.def equals documented calls: the column `equals` against tests/data/documented_calls.txt.

A row's column is one call, a part of one ("call, part") or a short sequence ("call; call"); what equals none says
"routine". The list has a line per call, `call | source | words`, where `words` stand in that section of that page of
public facts. With --facts DIR the list itself is checked against those pages: each line's words are found in its
section, and the list holds every call of the table of nki.isa.
"""
import argparse
import pathlib
import re
import sys

from generate_isa_docs import ROOT, instructions

LIST = ROOT / "tests/data/documented_calls.txt"


def documented():
    calls = {}
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            call, source, words = (part.strip() for part in line.split("|", 2))
            calls[call] = (source, words)
    return calls


def check_table(calls):
    problems, routines = [], []
    for name, _, _, equals, _, _, _ in instructions((ROOT / "src/isa/isa.def").read_text()):
        if equals == "routine":
            routines.append(name)
            continue
        for piece in equals.split(";"):
            call = piece.split(",")[0].strip()
            if call not in calls:
                problems.append(f"{name} equals {call!r}, which is no documented call: name one, or say \"routine\"")
    return problems, routines


def section(text, number):
    found = re.search(rf"^## {number}\b.*?(?=^## |\Z)", text, re.M | re.S)
    return found[0] if found else ""


def names_of_nki_isa(text):
    """First column of the table of section 3: "a / b", "a, b", "register_alloc/move"."""
    names = set()
    for row in re.findall(r"^\| ([a-z][\w ,/]*?) \|", text, re.M):
        if row == "call":
            continue
        for part in re.split(r" / |, ", row):
            first, *others = part.split("/")
            names.add(first)
            names.update(first.rsplit("_", 1)[0] + "_" + other for other in others)
    return names


def check_list(calls, facts):
    problems = []
    for call, (source, words) in calls.items():
        page, number = source.split()
        if words not in section((facts / page).read_text(), number):
            problems.append(f"{call}: {words!r} is not in section {number} of {page}")
    names = names_of_nki_isa(section((facts / "nki_facts.md").read_text(), 3))
    listed = {call[len("nki.isa."):] for call in calls if call.startswith("nki.isa.")}
    problems += [f"nki.isa.{name} is missing from the list" for name in sorted(names - listed)]
    problems += [f"nki.isa.{name} is in the list and not in the table" for name in sorted(listed - names)]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facts", type=pathlib.Path)
    options = parser.parse_args()
    calls = documented()
    problems, routines = check_table(calls)
    if options.facts:
        problems += check_list(calls, options.facts)
    if problems:
        sys.exit("\n".join(problems))
    print(f"check_isa_calls: every row equals documented calls; routines: {', '.join(routines) or 'none'}")


if __name__ == "__main__":
    main()
