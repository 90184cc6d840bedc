"""Measurements of the product; the container's folder becomes an import root, as it is where the container runs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "container"))
