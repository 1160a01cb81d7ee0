# herald: `make demo` shows it at work, `make test` holds it to its word. `make help` lists the rest.

SHELL := /bin/bash
PREFIX ?= /usr/local
SWIFT ?= swift
# The same flags everywhere, so that tests, lint and demo share one debug build.
FLAGS := --explicit-target-dependency-import-check error
UNAME := $(shell uname -s)
STATIC := $(if $(filter Linux,$(UNAME)),--static-swift-stdlib,)
VENV := .venv
SDK := .venv-sdk

.DEFAULT_GOAL := help
.PHONY: help libraries setup herald build release install uninstall package test test-sdk test-personal test-timing test-kills test-browser test-deploy test-docs \
        lint format golden reference screenshots demo bench bench-check bench-compare bench-baseline fuzz torture lives clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-15s %s\n", $$1, $$2 }'

libraries:
	@Scripts/setup.sh

setup: ## Install what the build and the checks need and the system lacks (apt or brew)
	@Scripts/setup.sh --for-checks

herald: libraries ## Build herald alone for debugging
	$(SWIFT) build --product herald $(FLAGS)

build: libraries ## Build everything for debugging, tests included
	$(SWIFT) build --build-tests $(FLAGS)

release: libraries ## Build the optimised herald, with the Swift runtime inside
	$(SWIFT) build -c release --product herald $(STATIC)

install: release ## Install herald, its man pages and completions below PREFIX (default /usr/local)
	Scripts/install.sh "$$($(SWIFT) build -c release --show-bin-path $(STATIC))/herald" "$(DESTDIR)$(PREFIX)"

uninstall: ## Remove what make install put below PREFIX
	Scripts/install.sh --remove "$(DESTDIR)$(PREFIX)"

OUT ?= dist

package: release ## Make what a release offers in OUT (dist): an archive, and a Debian package where dpkg is
	mkdir -p "$(OUT)"
	set -e; herald="$$($(SWIFT) build -c release --show-bin-path $(STATIC))/herald"; \
	  Scripts/make-archive.sh "$$herald" "$(OUT)"; \
	  ! command -v dpkg-shlibdeps >/dev/null || Scripts/make-deb.sh "$$herald" "$(OUT)"

test: build ## Run all tests
	Scripts/check-wire.py --self-test
	python3 -B Tests/benchmarks/test_check.py
	SWIFT="$(SWIFT)" Scripts/test.sh $(FLAGS)

test-sdk: herald $(SDK)/done ## Drive the emulator with Google's own SDK for Python, from PyPI
	HERALD="$${HERALD:-$$($(SWIFT) build --show-bin-path)/herald}" $(SDK)/bin/python -B -m pytest Tests/sdk

test-personal: herald $(VENV)/done ## Compare 10,000 personal messages with those of an independent renderer
	HERALD="$${HERALD:-$$($(SWIFT) build --show-bin-path)/herald}" $(VENV)/bin/python -B Tests/personal

test-timing: herald $(VENV)/done ## Live a year of send windows beside an independent model of when each person gets a message
	HERALD="$${HERALD:-$$($(SWIFT) build --show-bin-path)/herald}" $(VENV)/bin/python -B Tests/timing

test-kills: herald $(VENV)/done ## Kill 'fetch', 'run' and 'drift' KILLS (20) times, with an app's database that fails meanwhile
	HERALD="$${HERALD:-$$($(SWIFT) build --show-bin-path)/herald}" $(VENV)/bin/python -B Tests/killing

test-browser: setup herald $(VENV)/done ## Look at all pages in a headless Chromium, through Selenium
	HERALD="$${HERALD:-$$($(SWIFT) build --show-bin-path)/herald}" $(VENV)/bin/python -B Tests/browser

test-deploy: setup herald $(VENV)/done ## Check what installs and runs herald elsewhere: deploy/, workflows, packages, man pages
	HERALD="$${HERALD:-$$($(SWIFT) build --show-bin-path)/herald}" $(VENV)/bin/python -B Tests/deploy

test-docs: herald ## Follow the README, the tutorial and the how-tos word by word, each in an empty folder
	python3 -B Scripts/follow-docs.py

lint: build $(VENV)/done ## Check format, imports, schemas, examples and docs
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Benchmarks
	$(VENV)/bin/python Tests/schemas/check.py --self-test
	$(VENV)/bin/python Tests/schemas/check.py
	Scripts/check-libpq.sh
	Scripts/check-documents.sh $(VENV)/bin/python
	$(VENV)/bin/python -B Tests/docs/test_scripts.py
	python3 -B Scripts/check-links.py
	python3 -B Scripts/reference.py --check
	$(VENV)/bin/python -B Scripts/readability.py

format: ## Format all Swift files
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Benchmarks

golden: libraries ## Record the golden files anew; read the difference before you commit it
	RECORD=1 $(SWIFT) test --no-parallel $(FLAGS) --filter 'HeraldCoreTests|WireTests' || true
	git diff --stat -- Tests

reference: herald ## Write the pages of docs/reference that come from the help, the codes and the schemas
	python3 -B Scripts/reference.py

screenshots: setup herald $(VENV)/done ## Make the pictures of the README anew; look at each
	$(VENV)/bin/python -B Scripts/screenshots.py

demo: herald ## Show herald at work on campaigns/, against its own emulator
	@Scripts/demo.sh

bench: release $(VENV)/done ## Measure; BENCH_LARGE=1 adds 10 million recipients
	Benchmarks/run.sh $(VENV)/bin/python $(SDK)/bin/python

bench-check: release $(VENV)/done $(SDK)/done ## Measure, and fail where a figure is worse than Benchmarks/baseline.json
	Benchmarks/run.sh $(VENV)/bin/python $(SDK)/bin/python
	Benchmarks/check.py Benchmarks/results.json Benchmarks/baseline.json

bench-compare: release $(VENV)/done ## Measure this herald beside another build in turn: make bench-compare BEFORE=path/to/herald
	Benchmarks/run.sh $(VENV)/bin/python "" "$(BEFORE)"

bench-baseline: ## Make the ratios of the last measurement the baseline; read the difference before you commit it
	Benchmarks/check.py Benchmarks/results.json Benchmarks/baseline.json --record
	git diff --stat -- Benchmarks/baseline.json

FUZZ_SECONDS ?= 60

fuzz: libraries ## Read files changed at random for FUZZ_SECONDS (60); finds stay in Tests/fixtures/fuzz
	FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$(FUZZ_SEED) $(SWIFT) test --no-parallel $(FLAGS) --filter 'HeraldCoreTests.FuzzTests'

TORTURE_SECONDS ?= 600
TORTURE_SEED ?= $(shell date +%s)

torture: libraries ## Crash herald, cut its power and live random lives for TORTURE_SECONDS (600); what fails names its seed
	TORTURE_SECONDS=$(TORTURE_SECONDS) TORTURE_SEED=$(TORTURE_SEED) TORTURE_CASE=$(TORTURE_CASE) TORTURE_CALL=$(TORTURE_CALL) \
	  TORTURE_LEASE_SPEED=$(TORTURE_LEASE_SPEED) \
	  SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) test --no-parallel $(FLAGS) --filter 'torture by (a database that fails|crashes|copies cut short|faults of a shared state|power cuts|random lives|random lives on servers that fail over|lives in stages|lives in local time|lives under caps)'

LIVES ?= 10000
LIVES_SEED ?= 1

# Each core lives its share, and a life stays on its core: its threads only take turns. Its own build, because only this
# one is optimised and open to tests. With sets in an order of their own, the same seed would not always give the same life.
lives: libraries ## Live LIVES (10000) random lives of a workspace, from seed LIVES_SEED (1) on; what fails tells its story
	$(SWIFT) build -c release --scratch-path .build/lives -Xswiftc -enable-testing --product Lives
	cores="$$(getconf _NPROCESSORS_ONLN)"; share=$$(( ($(LIVES) + cores - 1) / cores )); \
	  pin="$$(command -v taskset > /dev/null && echo 'taskset -c')"; \
	  for core in $$(seq 0 $$((cores - 1))); do \
	    echo "$${pin:+$$pin $$core} .build/lives/release/Lives $$share $$(($(LIVES_SEED) + core * share))"; \
	  done | SWIFT_DETERMINISTIC_HASHING=1 xargs -P "$$cores" -L 1 env

$(VENV)/done: Tests/requirements.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r Tests/requirements.txt
	touch $@

$(SDK)/done: Tests/sdk/requirements.txt
	python3 -m venv $(SDK)
	@$(SDK)/bin/pip install --quiet --disable-pip-version-check --retries 2 -r $< || { \
	  echo "make test-sdk: PyPI, or a mirror that pip knows, did not give what $< names; without it nothing was tested." >&2; \
	  exit 1; }
	touch $@

clean: ## Remove what was built
	$(SWIFT) package clean
	rm -rf $(VENV) $(SDK) dist
