#!/usr/bin/env python3
"""Checks every #include under src/ against src/layers.txt.

A folder includes itself and the folders on its line; a heavy third-party header stands in one .cpp per folder and in
no header of ours. Prints each breach with its place; exit status 1 when there is one. `--self-test` checks the checker.
"""
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')

# Headers that cost a second or more each (or are another project's API): one wrapping .cpp per folder.
HEAVY = {
    "CLI11": re.compile(r"^CLI/|^CLI11"),
    "nlohmann-json": re.compile(r"^nlohmann/(?!json_fwd)"),
    "toml++": re.compile(r"^toml\+\+/|^toml\.hpp"),
    "OpenSSL": re.compile(r"^openssl/"),
    "xxHash": re.compile(r"^xxhash"),
    "zlib": re.compile(r"^zlib\.h"),
    "zstd": re.compile(r"^zstd"),
    "protozero": re.compile(r"^protozero/"),
    "libcurl": re.compile(r"^curl/"),
}
# Allowed in several .cpp of a folder, in no header of ours: cheap enough, or needed per instruction set.
SOURCES_ONLY = {"fmt": re.compile(r"^fmt/"), "Highway": re.compile(r"^hwy/")}


def read_layers(path):
    layers = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, colon, below = line.partition(":")
        if not colon:
            sys.exit(f"{path}:{number}: expected 'folder: folders it may include'")
        for other in below.split():
            if other not in layers:
                sys.exit(f"{path}:{number}: {name} lists {other}, which does not stand above it")
        layers[name] = set(below.split()) | {name}
    return layers


def check(source_root):
    layers = read_layers(source_root / "layers.txt")
    breaches = []
    wrappers = {}  # (folder, library) -> files
    for path in sorted(source_root.rglob("*")):
        if path.suffix not in (".h", ".cpp", ".def", ".inc") or not path.is_file():
            continue
        folder = path.relative_to(source_root).parts[0]
        if folder not in layers:
            breaches.append(f"{path}:1: folder {folder} has no line in layers.txt")
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            quote, name = found.groups()
            first = name.split("/")[0]
            if quote == '"':
                if "/" not in name or first not in layers:
                    breaches.append(f'{path}:{number}: write "folder/file.h", not "{name}"')
                elif first not in layers[folder]:
                    breaches.append(f"{path}:{number}: {folder} may not include {first} (src/layers.txt)")
                continue
            for library, pattern in HEAVY.items():
                if pattern.search(name):
                    wrappers.setdefault((folder, library), set()).add(path)
                    if path.suffix != ".cpp":
                        breaches.append(f"{path}:{number}: {library} belongs into the one .cpp that wraps it")
            for library, pattern in SOURCES_ONLY.items():
                if pattern.search(name) and path.suffix == ".h" and not path.name.endswith("-inl.h"):
                    breaches.append(f"{path}:{number}: {library} belongs into .cpp files")
    for (folder, library), files in sorted(wrappers.items()):
        if len(files) > 1:
            names = ", ".join(str(f) for f in sorted(files))
            breaches.append(f"{folder}: {library} is included by {len(files)} files, one may wrap it: {names}")
    return breaches


def self_test():
    """A small tree with one breach of each kind, and one without any."""
    def tree(files):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return check(root)

    layers = "base:\nnum: base\ntop: base num\n"
    clean = {"layers.txt": layers, "base/a.h": "#include <vector>\n", "num/b.cpp": '#include "base/a.h"\n',
             "top/c.cpp": '#include "num/b.h"\n#include <zlib.h>\n'}
    assert tree(clean) == [], tree(clean)
    breaches = {
        "upward": {"base/up.cpp": '#include "num/b.h"\n'},
        "spaced": {"base/up.cpp": '  #  include "top/b.h"\n'},
        "no folder": {"num/x.h": '#include "b.h"\n'},
        "unknown folder": {"other/x.h": "\n"},
        "heavy header": {"top/x.h": "#include <toml++/toml.h>\n"},
        "two wrappers": {"top/d.cpp": "#include <zlib.h>\n"},
        "fmt in a header": {"top/x.h": "#include <fmt/format.h>\n"},
    }
    for what, files in breaches.items():
        assert len(tree({**clean, **files})) == 1, (what, tree({**clean, **files}))
    print(f"check_layers: self-test, {1 + len(breaches)} trees right")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    root = pathlib.Path(__file__).resolve().parent.parent / "src"
    breaches = check(root)
    for breach in breaches:
        print(breach)
    if breaches:
        sys.exit(1)
    print("check_layers: every #include is allowed")


if __name__ == "__main__":
    main()
