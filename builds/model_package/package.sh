#!/usr/bin/env bash
# Package and publish the model; the environment that install.sh made is removed whatever happens.
set -euo pipefail

environment="${TMPDIR:-/tmp}/model-package-${CODEBUILD_BUILD_ID##*:}"
trap 'rm -rf "$environment"' EXIT
"$environment/bin/python" package_model.py
