# Everything around the code. Each target sets up what it needs inside the tree; `make help` lists
# them. Package indexes are pip's own business: whatever its environment or configuration says.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 1)
SECONDS ?= 60

# What is tested is the installed wheel, so the caller's import path stays out of it.
unexport PYTHONPATH
# Some machines name a BLAS kernel for everybody, which would slow numpy and every rival on top of it.
unexport OPENBLAS_CORETYPE
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# ---- virtual environments: one per purpose, named after what it may import ---------------------

TEST := .venv
HEAVY := .venv-heavy
LINT := .venv-lint
BENCH := .venv-bench
DEMO := .venv-demo

GROUPS_$(TEST) := build test
GROUPS_$(HEAVY) := test heavy lint
GROUPS_$(LINT) := test lint
GROUPS_$(BENCH) := test bench

# The dependency groups of pyproject.toml (pip reads them since 25.1).
%/.ready: pyproject.toml
	$(PYTHON) -m venv $*
	$*/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$*/bin/python -m pip install --quiet $(addprefix --group ,$(GROUPS_$*))
	touch $@

# CMake and ninja come from the system where it has them recent enough, else from pip: the build
# backend says which are missing.
$(TEST)/.tools: $(TEST)/.ready
	$(TEST)/bin/python -c 'from scikit_build_core.build import get_requires_for_build_wheel as r; print(*r(), sep="\n")' \
	  > $(TEST)/missing-tools.txt
	@if grep -q . $(TEST)/missing-tools.txt; then \
	  $(TEST)/bin/python -m pip install --quiet -r $(TEST)/missing-tools.txt; fi
	touch $@

# ---- the wheel: built once, installed into every environment that needs the package ------------

# Folders are listed too, so that a removed file makes a new wheel.
SOURCES := $(shell find cpp python -name __pycache__ -prune -o -print) CMakeLists.txt pyproject.toml \
  LICENSE README.md
WHEEL := build/wheel/.built

$(WHEEL): $(SOURCES) $(TEST)/.tools
	rm -rf $(@D)
	PATH="$(CURDIR)/$(TEST)/bin:$$PATH" $(TEST)/bin/python -m pip wheel --quiet --no-deps \
	  --no-build-isolation --wheel-dir $(@D) .
	touch $@

%/.wheel: $(WHEEL) %/.ready
	$*/bin/python -m pip install --quiet $(<D)/*.whl
	$*/bin/python -m pip install --quiet --no-deps --force-reinstall $(<D)/*.whl
	touch $@

.PHONY: wheel
wheel: $(WHEEL) ## build the wheel into build/wheel
	@ls -l $(<D)/*.whl

# ---- demo ---------------------------------------------------------------------------------------

# The way a user installs: pip builds in isolation; for the CPU only, which is quicker.
$(DEMO)/.wheel: $(SOURCES)
	$(PYTHON) -m venv $(DEMO)
	SKBUILD_BUILD_DIR=build/demo $(DEMO)/bin/python -m pip install --quiet \
	  --config-settings=cmake.define.FASTVBENCH_CUDA=OFF .
	touch $@

.PHONY: demo
demo: $(DEMO)/.wheel ## install into .venv-demo and score the bundled answers
	$(DEMO)/bin/fastvbench demo

.PHONY: demo-full
demo-full: $(DEMO)/.wheel ## from a made video over its frames to a score; installs torch and an OCR package
	SKBUILD_BUILD_DIR=build/demo $(DEMO)/bin/python -m pip install --quiet '.[demo]'
	$(DEMO)/bin/fastvbench demo --full

# ---- tests --------------------------------------------------------------------------------------

CONFIGURE = PATH="$(CURDIR)/$(TEST)/bin:$$PATH" cmake -S . -DFASTVBENCH_PYTHON=OFF
BUILD = PATH="$(CURDIR)/$(TEST)/bin:$$PATH" cmake --build
CTEST = PATH="$(CURDIR)/$(TEST)/bin:$$PATH" ctest --output-on-failure --no-tests=error --timeout 600 \
  --parallel $(JOBS)
# A file's tests stay in one process, so that what they share is made once.
PARALLEL = -n $(JOBS) --dist loadfile

.PHONY: test
test: test-cpp $(TEST)/.wheel ## C++ tests, then the Python tests on the installed wheel, base install only
	$(TEST)/bin/pytest $(PARALLEL) $(PYTEST_ARGS)

.PHONY: test-cpp
test-cpp: $(TEST)/.tools ## C++ tests, once per CPU level
	$(CONFIGURE) -B build/cpp -DFASTVBENCH_TESTS=ON -DFASTVBENCH_CUDA_SHIM=ON \
	  -DPython_EXECUTABLE="$(CURDIR)/$(TEST)/bin/python" \
	  -Dpybind11_DIR="$$($(TEST)/bin/python -m pybind11 --cmakedir)"
	$(BUILD) build/cpp
	$(CTEST) --test-dir build/cpp

.PHONY: test-all
test-all: sanitize fuzz-short browser ffmpeg $(HEAVY)/.wheel ## with every extra; C++ tests sanitized; a short fuzz run
	$(HEAVY)/bin/pytest $(PARALLEL) $(PYTEST_ARGS)

HAS_BROWSER = command -v chromium chromium-browser google-chrome google-chrome-stable >/dev/null

# tests/browser opens reports in it: root gets one by itself, others are told what is left out.
.PHONY: browser
browser:
	@mkdir -p build
	@if ! { $(HAS_BROWSER); } && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } \
	    </dev/null >build/apt-browser.log 2>&1 || tail -n 3 build/apt-browser.log; \
	fi
	@$(HAS_BROWSER) || echo 'SKIPPED tests/browser: no Chromium, and it could not be installed'

.PHONY: long
long: ffmpeg $(HEAVY)/.wheel ## tests that take minutes: memory of two hours of video, and others of that kind
	$(HEAVY)/bin/pytest -m long $(PYTEST_ARGS)

# Tests of video make their own files with this command, and TorchCodec needs the libraries that it
# comes with. Root gets it by itself, others are told what is left out.
.PHONY: ffmpeg
ffmpeg:
	@mkdir -p build
	@if ! command -v ffmpeg >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  { apt-get update -qq && apt-get install -y -qq ffmpeg; } </dev/null >build/apt-ffmpeg.log 2>&1 \
	    || tail -n 3 build/apt-ffmpeg.log; \
	fi
	@command -v ffmpeg >/dev/null \
	  || echo 'SKIPPED tests that make videos: no ffmpeg command, and it could not be installed'

.PHONY: exact
exact: $(TEST)/.wheel ## exact search and ranks in every configuration; the proof takes minutes
	$(TEST)/bin/python -m tests.exact $(EXACT_ARGS)

.PHONY: sanitize
sanitize: $(TEST)/.tools ## C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(CONFIGURE) -B build/sanitize -DFASTVBENCH_TESTS=ON -DFASTVBENCH_SANITIZE=ON
	$(BUILD) build/sanitize
	UBSAN_OPTIONS=print_stacktrace=1 $(CTEST) --test-dir build/sanitize

# ---- fuzzing ------------------------------------------------------------------------------------

FUZZ_PROBE = echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' \
  | clang++ -fsanitize=fuzzer,address -x c++ - -o build/fuzz-probe 2>/dev/null

# Runs each target for $(1) seconds from its seeds; findings stay in build/fuzz/findings.
define FUZZ
	$(CONFIGURE) -B build/fuzz -DFASTVBENCH_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++
	$(BUILD) build/fuzz
	@shopt -s nullglob; \
	for source in tests/fuzz/fuzz_*.cpp; do \
	  name=$$(basename $$source .cpp); \
	  mkdir -p build/fuzz/corpus/$$name build/fuzz/findings; \
	  seeds=tests/fuzz/seeds/$$name; [ -d $$seeds ] || seeds=; \
	  echo "fuzzing $$name for $(1) s"; \
	  build/fuzz/$$name -max_total_time=$(1) -timeout=10 -rss_limit_mb=4096 -max_len=65536 \
	    -print_final_stats=1 -verbosity=0 -artifact_prefix=build/fuzz/findings/$$name- \
	    build/fuzz/corpus/$$name $$seeds; \
	done
endef

.PHONY: fuzz
fuzz: $(TEST)/.tools ## fuzz each parser for SECONDS (60), with clang's libFuzzer
	@mkdir -p build
	@$(FUZZ_PROBE) || { echo 'fuzzing needs clang++ with libFuzzer'; exit 1; }
	$(call FUZZ,$(SECONDS))

# The short run of `make test-all`: root gets clang by itself, others are told what was left out.
.PHONY: fuzz-short
fuzz-short: $(TEST)/.tools
	@mkdir -p build
	@if ! $(FUZZ_PROBE) && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  { apt-get update -qq && apt-get install -y -qq clang; } </dev/null >build/apt.log 2>&1 \
	    || tail -n 3 build/apt.log; \
	fi
	@if $(FUZZ_PROBE); then $(MAKE) --no-print-directory fuzz SECONDS=10; \
	else echo 'SKIPPED fuzzing: no clang++ with libFuzzer, and it could not be installed'; fi

# ---- on a machine with a GPU, with what is installed there; needs no network -----------------------

.PHONY: gpu
gpu: ## build, test and measure on a GPU; GPU_PARTS="build tests sanitizer bench" picks parts
	$(PYTHON) -m benchmarks.gpu.run $(GPU_PARTS) $(GPU_ARGS)

# The bench environment has torch, and torch's compiler brings a disassembler.
.PHONY: cuda-report
cuda-report: $(BENCH)/.ready ## registers, spills and tensor-core products of each CUDA kernel, into cpp/cuda/README.md
	$(BENCH)/bin/python -m tests.cuda.kernel_report $(CUDA_REPORT_ARGS)

# ---- style, types, layers, stubs ------------------------------------------------------------------

CPP_FILES = $$(find cpp tests/cpp tests/cuda tests/fuzz benchmarks/count \
  -name '*.cpp' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh')

.PHONY: lint
lint: $(LINT)/.wheel ## ruff, mypy --strict, clang-format, import layers, stubs
	$(LINT)/bin/ruff check .
	$(LINT)/bin/ruff format --check .
	$(LINT)/bin/mypy
	$(LINT)/bin/clang-format --dry-run -Werror $(CPP_FILES)
	$(LINT)/bin/lint-imports --no-cache
	$(LINT)/bin/pytest -q tests/python/test_stubs.py

.PHONY: format
format: $(LINT)/.ready ## rewrite the sources in the house style
	$(LINT)/bin/ruff check --fix .
	$(LINT)/bin/ruff format .
	$(LINT)/bin/clang-format -i $(CPP_FILES)

.PHONY: stubs
stubs: $(LINT)/.wheel ## regenerate python/fastvbench/_core.pyi and _cuda.pyi from the built extensions
	$(LINT)/bin/python cpp/bindings/generate_stubs.py python/fastvbench/_core.pyi python/fastvbench/_cuda.pyi

.PHONY: lock
lock: $(LINT)/.wheel ## record the protocols' fingerprints; refuses a moved one whose version stayed
	$(LINT)/bin/python -m fastvbench.protocols._lock python/fastvbench/protocols/protocols.lock.json

# ---- speed ----------------------------------------------------------------------------------------

BENCHMARK = $(BENCH)/bin/pytest benchmarks --benchmark-only --benchmark-disable-gc $(PYTEST_ARGS)

.PHONY: bench
bench: ffmpeg $(BENCH)/.wheel ## measure against the rivals and print the table of ratios
	$(BENCHMARK)

.PHONY: gate
gate: count ffmpeg $(BENCH)/.wheel ## the same, and fail where a ratio is below its floor in benchmarks/gates.toml
	$(BENCHMARK) --gate

# Counts what callgrind sees of fixed cases: no noise, so a few percent more are found.
build/count/count_instructions: $(TEST)/.tools FORCE
	$(CONFIGURE) -B build/count -DFASTVBENCH_COUNT=ON
	$(BUILD) build/count --target count_instructions

.PHONY: FORCE
FORCE:

.PHONY: count
count: build/count/count_instructions ## count instructions, and fail where benchmarks/counts.toml has fewer
	$(TEST)/bin/python -m benchmarks.counts $<

.PHONY: count-update
count-update: build/count/count_instructions ## write benchmarks/counts.toml anew
	$(TEST)/bin/python -m benchmarks.counts $< --update

# ---- the rest -------------------------------------------------------------------------------------

.PHONY: clean
clean: ## remove everything that the targets above made
	rm -rf build dist .venv .venv-* .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks \
	  .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
