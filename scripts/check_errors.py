#!/usr/bin/env python3
"""Each row of src/base/errors.def has its own code, a page docs/errors/<code>.md, and is named by a test; no page is
left over. Prints what is missing; exit status 1 when something is."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'^ERROR\((\w+), "([A-Za-z0-9_-]+)",', re.M)


def main():
    rows = ROW.findall((ROOT / "src/base/errors.def").read_text())
    problems = []
    seen = {}
    for name, code in rows:
        if code in seen:
            problems.append(f"{code} stands for {seen[code]} and {name}")
        seen[code] = name
    pages = {p.stem for p in (ROOT / "docs/errors").glob("*.md")} - {"README"}
    for name, code in rows:
        if code not in pages:
            problems.append(f"{code} ({name}) has no page docs/errors/{code}.md")
    for page in sorted(pages - set(seen)):
        problems.append(f"docs/errors/{page}.md explains a code that errors.def does not have")
    tests = "\n".join(p.read_text(errors="replace") for p in (ROOT / "tests").rglob("*")
                      if p.is_file() and p.suffix in (".cpp", ".h", ".py", ".mlir", ".tile", ".stream", ".txt"))
    for name, code in rows:
        if code not in tests and not re.search(r"Code::%s\b" % name, tests):
            problems.append(f"{code} ({name}) is named by no test")
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(1)
    print(f"check_errors: {len(rows)} codes, each with a page and a test")


if __name__ == "__main__":
    main()
