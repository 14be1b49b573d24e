# `make demo` and `make test` do all the set-up on a fresh Debian 12 or 13. See README.md.
SHELL := /bin/sh
JOBS ?= $(shell nproc)
PYTHON := .venv/bin/python

.PHONY: help setup configure programs build test test-all demo demo-gpt bench conformance conformance-jax fuzzers clean

help:
	@echo "make demo         set up, build, train an MLP on the emulated core and draw its loss"
	@echo "make demo-gpt     train a small GPT on Python's documentation on the emulated core, and let it write"
	@echo "make test         set up, build and run the tests"
	@echo "make test-all     sanitizers, the configuration matrix, long fuzzing"
	@echo "make build        programs in build/bin, libraries in build/lib"
	@echo "make bench        speed against XLA:CPU, as ratios, in build/bench"
	@echo "make conformance  coverage tables"
	@echo "make conformance-jax  JAX's op harnesses on neuron, docs/coverage.md"
	@echo "make clean        remove build/"

setup:
	@sh scripts/setup.sh

configure: setup
	@mkdir -p build
	@cmake --preset default -Wno-dev > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }

programs: configure
	@cmake --build build -j $(JOBS) --target programs
	@sh scripts/link_programs.sh

build: configure
	@cmake --build build -j $(JOBS)
	@sh scripts/link_programs.sh

fuzzers: setup
	@clang=$$(sh scripts/find_clang.sh) || { echo "no clang 14 or newer with libFuzzer: apt-get install clang libclang-rt-14-dev"; exit 1; }; \
	OPENNEURON_CLANG=$$clang cmake --preset fuzz -Wno-dev > /dev/null && cmake --build build/fuzz -j $(JOBS) --target fuzzers

test: build fuzzers
	@$(PYTHON) scripts/run_tests.py --jobs $(JOBS)

test-all: build fuzzers
	@$(PYTHON) scripts/run_tests.py --jobs $(JOBS) --all

demo: programs
	@$(PYTHON) scripts/demo.py

demo-gpt: programs
	@$(PYTHON) scripts/demo_gpt.py

bench: programs
	@cmake --build build -j $(JOBS) --target benches
	@$(PYTHON) bench/run.py

conformance: setup
	@$(PYTHON) scripts/conformance.py

conformance-jax: build
	@$(PYTHON) scripts/coverage_page.py

clean:
	rm -rf build
