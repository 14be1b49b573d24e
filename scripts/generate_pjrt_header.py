#!/usr/bin/env python3
"""Writes src/pjrt/pjrt_c_api.h from data/pjrt_abi.json: the PJRT C API's structs, enums and table of functions.

The data says each field's type, offset and size; the header asserts them all. `--check` compares instead of writing.
`--from FILE` first takes over the parts that the plugin uses from a full description of the ABI.
"""
import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA, HEADER = ROOT / "data/pjrt_abi.json", ROOT / "src/pjrt/pjrt_c_api.h"
EXTENSIONS = ["Profiler", "Layouts", "Shardings"]
METHODS = ("PJRT_Layouts_", "PJRT_Shardings_", "PLUGIN_Profiler_")  # of an extension's table: types are named ..._Fn
FIELD_KEYS = ("name", "type", "offset", "bytes", "union")


def trimmed(full):
    """The part of a full description that the header needs."""
    def structs(table):
        return {name: {"fields": [{k: f[k] for k in FIELD_KEYS if k in f} for f in s["fields"]],
                       "size": s["size"]} for name, s in table.items()}
    out = {
        "version": {k: full["version"][k] for k in ("major", "minor")},
        "functions": [{"name": f["name"], "offset": f["offset"], "returns": f["returns"], "args": f["args"]}
                      for f in full["api_table"]["functions"]],
        "table_bytes": full["api_table"]["sizeof"],
        "enums": {name: [[v["name"], v["value"]] for v in e["values"]] for name, e in full["enums"].items()},
        "opaque": full["opaque_types"],
        "callbacks": {n: {"returns": f["ret"], "args": f["args"]} for n, f in full["function_pointer_types"].items()},
        "structs": structs(full["structs"]),
        "extensions": {},
    }
    for name in EXTENSIONS:
        e = full["extensions"][name]
        own = full["auxiliary_headers"]["profiler_c_api"] if name == "Profiler" else {"opaque": [], "structs": {}, "function_types": {}}
        callbacks = {**own["function_types"], **e["function_types"]}
        out["extensions"][name] = {
            "opaque": own["opaque"] + e["opaque"], "structs": structs({**own["structs"], **e["structs"]}),
            "callbacks": {n: {"returns": f["ret"], "args": f["args"]} for n, f in callbacks.items()}}
    return out


def declare(kind, name, methods):
    """`kind name;` where kind may be a function pointer or an array type; `methods`: what is pointed to by an extension's table."""
    if "(*)" in kind:
        return re.sub(r"\s+", " ", kind.replace("(*)", f"(*{name})")) + ";"
    if kind.startswith(METHODS) and kind.endswith("*") and kind[:-1] in methods:
        return f"{kind[:-1]}_Fn* {name};"
    array = re.fullmatch(r"(.*?)(\[[^\]]*\])", kind)
    return f"{array[1]} {name}{array[2]};" if array else f"{kind} {name};"


def body(fields, methods):
    lines, union = [], []
    for field in fields + [None]:
        if union and (field is None or not field.get("union")):
            lines += ["  union {"] + [f"    {d}" for d in union] + ["  };"]
            union = []
        if field is not None:
            text = declare(field["type"], field["name"], methods)
            if field.get("union"):
                union.append(text)
            else:
                lines.append(f"  {text}")
    return lines


def struct_text(name, struct, methods):
    lines = [f"struct {name} {{"] + body(struct["fields"], methods) + ["};"]
    lines.append(f"static_assert(sizeof({name}) == {struct['size']});")
    for f in struct["fields"]:
        lines.append(f"static_assert(offsetof({name}, {f['name']}) == {f['offset']});")
    return lines


def callback_text(name, f):
    if name.startswith(METHODS):
        return f"typedef {f['returns']} {name}_Fn({f['args']});"
    return f"typedef {f['returns']} (*{name})({f['args']});"


def generate(abi):
    out = ["// The PJRT C API: its structs, enums and table of functions.",
           "// Written by scripts/generate_pjrt_header.py from data/pjrt_abi.json; do not edit.",
           "#pragma once", "#include <cstddef>", "#include <cstdint>", "",
           f"#define PJRT_API_MAJOR {abi['version']['major']}", f"#define PJRT_API_MINOR {abi['version']['minor']}", "",
           'extern "C" {', ""]
    tables = [abi] + list(abi["extensions"].values())
    for name, values in abi["enums"].items():
        out += [f"enum {name} : int {{"] + [f"  {n} = {v}," for n, v in values] + ["};"]
    out.append("")
    out += [f"struct {n};" for t in tables for n in list(t["opaque"]) + list(t["structs"])]
    out.append("")
    methods = {n for table in tables for n in table["callbacks"] if n.startswith(METHODS)}
    for table in tables:
        out += [callback_text(n, f) for n, f in table["callbacks"].items()]
    out.append("")
    for f in abi["functions"]:
        out.append(f"typedef {f['returns']} {f['name']}_Fn({f['args']}* args);")
    out.append("")
    done = set()
    order = [(n, s) for t in tables for n, s in t["structs"].items() if n != "PJRT_Api"]

    def emit(name, struct):
        if name in done:
            return
        done.add(name)
        named = dict(order)
        for f in struct["fields"]:  # a struct held by value comes first
            if f["type"] in named:
                emit(f["type"], named[f["type"]])
        out.extend(struct_text(name, struct, methods) + [""])

    for name, struct in order:
        emit(name, struct)
    out += ["struct PJRT_Api {", "  size_t struct_size;", "  PJRT_Extension_Base* extension_start;",
            "  PJRT_Api_Version pjrt_api_version;"]
    out += [f"  {f['name']}_Fn* {f['name']};" for f in abi["functions"]]
    out += ["};", f"static_assert(sizeof(PJRT_Api) == {abi['table_bytes']});"]
    out += [f"static_assert(offsetof(PJRT_Api, {f['name']}) == {f['offset']});" for f in abi["functions"]]
    out += ["", '}  // extern "C"', ""]
    out += ["// Every function of the table that returns an error: PJRT_FUNCTION(name without PJRT_)."]
    out += ["#define PJRT_FUNCTIONS(PJRT_FUNCTION) \\"]
    out += [" \\\n".join(f"  PJRT_FUNCTION({f['name'][5:]})" for f in abi["functions"] if f["returns"] != "void"), ""]
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--from", dest="source", type=pathlib.Path)
    options = parser.parse_args()
    if options.source:
        abi = trimmed(json.loads(options.source.read_text()))
        rows = ",\n".join(f"{json.dumps(k)}: " + (
            "{\n" + ",\n".join(f"{json.dumps(n)}: {json.dumps(v, separators=(',', ':'))}" for n, v in part.items()) + "}"
            if isinstance(part, dict) else json.dumps(part, separators=(",", ":"))) for k, part in abi.items())
        DATA.write_text("{\n" + rows + "\n}\n")
    text = generate(json.loads(DATA.read_text()))
    if options.check:
        if HEADER.read_text() != text:
            sys.exit(f"{HEADER} is not what {DATA} gives: run scripts/generate_pjrt_header.py")
    else:
        HEADER.write_text(text)


if __name__ == "__main__":
    main()
