#!/usr/bin/env python3
"""Runs every test: scripts, test programs, Python tests, fuzzers. Ends with `N passed, N failed`.

--all adds the sanitizer builds, the full configuration matrix (OPENNEURON_TEST_ALL=1) and ten minutes a fuzzer.
A test program counts as its test cases, a fuzzer and a script as one each.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
CASES = re.compile(r"\[doctest\] test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed")
PYTEST = re.compile(r"(\d+) (passed|failed|error)")


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def report(self, name, passed, failed, seconds, output=""):
        self.passed += passed
        self.failed += failed
        print(f"{'FAIL' if failed else 'ok  '}  {name:<34} {passed:>6} passed {failed:>4} failed  {seconds:7.1f} s",
              flush=True)
        if failed:
            print("    " + "\n    ".join(output.splitlines()[-200:]), flush=True)


def run(command, timeout, environment=None):
    start = time.monotonic()
    try:
        done = subprocess.run([str(c) for c in command], cwd=ROOT, text=True, errors="replace", timeout=timeout,
                              env={**os.environ, **(environment or {})},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout, time.monotonic() - start
    except subprocess.TimeoutExpired as late:
        text = late.stdout or b""
        return -1, (text if isinstance(text, str) else text.decode(errors="replace")) + \
            f"\nstopped after {timeout} s", time.monotonic() - start


def one_script(tally, name, command):
    status, output, seconds = run(command, 600)
    tally.report(name, int(status == 0), int(status != 0), seconds, output)


def run_program(path, environment, timeout):
    status, output, seconds = run([path], timeout, environment)
    found = CASES.search(output)
    passed, failed = (int(found[2]), int(found[3])) if found else (0, 0)
    if status != 0 and failed == 0:
        failed = 1  # it crashed, hung or leaked
    return path, passed, failed, seconds, output


def run_programs(tally, folder, jobs, label="", environment=None, timeout=900):
    programs = sorted(folder.glob("test_*"), key=lambda p: p.name)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(run_program, p, environment, timeout) for p in programs]
        for future in concurrent.futures.as_completed(futures):
            path, passed, failed, seconds, output = future.result()
            tally.report(label + path.name, passed, failed, seconds, output)


def run_python(tally, jobs, environment, timeout):
    """The programs, and JAX on the plugin. Some tests need programs that JAX exports: those are made first, side by side,
    and kept."""
    python = ROOT / ".venv/bin/python"
    status, output, seconds = run([python, ROOT / "tests/models/export.py"], timeout)
    tally.report("export of the test programs", int(status == 0), int(status != 0), seconds, output)
    for folder in ("tests/python", "tests/jax"):
        run_pytest(tally, jobs, folder, environment, timeout)


def run_pytest(tally, jobs, folder, environment, timeout):
    """As many processes as jobs, each with its share of the tests."""
    command = [ROOT / ".venv/bin/python", "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", ROOT / folder]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        shards = [pool.submit(run, [*command, "--shard", f"{part + 1}/{jobs}"], timeout, environment) for part in range(jobs)]
        for part, shard in enumerate(shards):
            status, output, seconds = shard.result()
            counts = {"passed": 0, "failed": 0, "error": 0}
            summary = output.strip().splitlines()[-1] if output.strip() else ""
            for number, kind in PYTEST.findall(summary):
                counts[kind] += int(number)
            failed = counts["failed"] + counts["error"]
            if status != 0 and failed == 0:
                failed = 1  # it crashed, or found no plugin
            tally.report(f"{folder}, part {part + 1} of {jobs}", counts["passed"], failed, seconds, output)


def run_fuzzer(path, seconds_each):
    name = path.name[len("fuzz_"):]
    corpus = BUILD / "fuzz/corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    artifacts = BUILD / "fuzz/artifacts"
    artifacts.mkdir(parents=True, exist_ok=True)
    seeds = ROOT / "tests/fuzz/seeds" / name
    command = [path, f"-max_total_time={seconds_each}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
               f"-artifact_prefix={artifacts}/{name}-", corpus] + ([seeds] if seeds.is_dir() else [])
    status, output, seconds = run(command, seconds_each * 3 + 120)
    return path, int(status == 0), int(status != 0), seconds, output


def run_fuzzers(tally, jobs, seconds_each):
    programs = sorted((BUILD / "fuzz/bin").glob("fuzz_*"))
    sources = {p.stem for p in (ROOT / "tests/fuzz").glob("*.cpp")}
    for missing in sorted(sources - {p.name[len("fuzz_"):] for p in programs}):
        tally.report(f"fuzz_{missing}", 0, 1, 0, "the program was not built: make fuzzers")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(lambda p: run_fuzzer(p, seconds_each), [p for p in programs if p.name[5:] in sources]):
            path, passed, failed, seconds, output = result
            tally.report(path.name, passed, failed, seconds, output)


def build_preset(tally, preset, jobs):
    status, output, seconds = run(["sh", "-c", f"cmake --preset {preset} -Wno-dev && cmake --build build/{preset} -j {jobs}"],
                                  3600)
    tally.report(f"build {preset}", int(status == 0), int(status != 0), seconds, output)
    return status == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    environment = {"OPENNEURON_BIN": str(BUILD / "bin")}
    if options.all:
        environment["OPENNEURON_TEST_ALL"] = "1"
    tally = Tally()
    start = time.monotonic()

    python = ROOT / ".venv/bin/python"
    one_script(tally, "layers, self-test", [python, "scripts/check_layers.py", "--self-test"])
    one_script(tally, "layers", [python, "scripts/check_layers.py"])
    one_script(tally, "error pages", [python, "scripts/check_errors.py"])
    for script in sorted((ROOT / "scripts").glob("check_*.py")):
        if script.name not in ("check_layers.py", "check_errors.py"):
            one_script(tally, script.stem, [python, script])
    run_programs(tally, BUILD / "bin", options.jobs, environment=environment, timeout=3600 if options.all else 900)
    run_python(tally, options.jobs, environment, 7200 if options.all else 1800)
    run_fuzzers(tally, options.jobs, 600 if options.all else 10)
    if options.all:
        one_script(tally, "pages with real output", [python, "scripts/write_pages.py", "--check"])
        for preset in ("asan", "tsan"):
            if build_preset(tally, preset, options.jobs):
                run_programs(tally, BUILD / preset / "bin", options.jobs, f"{preset}/", timeout=3600)

    print(f"\n{time.monotonic() - start:.0f} s")
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
