#!/usr/bin/env bash
# Install what package_model.py imports, hashed, into an environment outside the source.
set -euo pipefail

environment="${TMPDIR:-/tmp}/model-package-${CODEBUILD_BUILD_ID##*:}"
trap '(($? == 0)) || rm -rf "$environment"' EXIT
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r requirements.txt
