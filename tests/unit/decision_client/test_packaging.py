"""What an application gets when it installs the client."""

import ast
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "decision_client"
PROJECT = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]


def imported() -> set[str]:
    """The top-level packages that the client imports when it runs, its own and the standard library's left out."""
    found: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        for_types = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if node in for_types:
                continue
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    return found - sys.stdlib_module_names - {"decision_client"}


def test_dependencies_are_what_is_imported() -> None:
    """No more and no less is installed with the client; botocore is boto3's own."""
    declared = {re.split(r"[<>=]", dependency)[0] for dependency in PROJECT["dependencies"]}

    assert imported() - {"botocore"} == declared


@pytest.mark.slow
def test_installed_client_is_whole(tmp_path: Path) -> None:
    """With pip alone, in an environment of its own and outside of the checkout, every module can be imported."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGE], check=True, cwd=tmp_path)
    names = [file.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for file in PACKAGE.rglob("*.py")]
    listed = "\n".join(f"import {name.removesuffix('.__init__')}" for name in sorted(names))
    program = f"{listed}\nimport pathlib\nprint(pathlib.Path(decision_client.__file__).with_name('py.typed').is_file())"

    ran = subprocess.run([python, "-c", program], check=True, cwd=tmp_path, capture_output=True, text=True)

    assert ran.stdout.strip() == "True"
    assert not list(PACKAGE.glob("*.egg-info"))
