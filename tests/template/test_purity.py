"""Synthesis is a function of the commit and the environment's name, whatever surrounds it."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.template.test_synthesis import CHECKOUT, NO_NETWORK

ENVIRONMENT = "dev"
# A clock that stands in another year, in Python and in Node.
OTHER_CLOCK = {
    "other-clock.cjs": (
        "const Real = Date\n"
        "globalThis.Date = class extends Real { constructor(...a) { super(...(a.length ? a : [1e12])) } }\n"
        "Date.now = () => 1e12\n"
    ),
    "sitecustomize.py": (
        "import datetime, time\n"
        "time.time = lambda: 1e9\n"
        "time.time_ns = lambda: 10**18\n"
        "class Fixed(datetime.datetime):\n"
        "    @classmethod\n"
        "    def now(cls, tz=None): return cls.fromtimestamp(1e9, tz)\n"
        "datetime.datetime = Fixed\n"
    ),
}
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_PROFILE": "other",
    "AWS_REGION": "ap-south-1",
    "AWS_DEFAULT_REGION": "ap-south-1",
    "CDK_DEFAULT_ACCOUNT": "444455556666",
    "CDK_DEFAULT_REGION": "ap-south-1",
}
WHEN = {"TZ": "Asia/Kathmandu", "SOURCE_DATE_EPOCH": "1", "LC_ALL": "C", "LANG": "tr_TR.UTF-8"}
LITTER = [
    "__pycache__/old.cpython-311.pyc",
    ".pytest_cache/README.md",
    ".mypy_cache/x.json",
    ".ruff_cache/x",
    ".hypothesis/x",
]


def synthesis(
    folder: Path, settings: Mapping[str, str], *, checkout: Path = CHECKOUT, cwd: Path | None = None
) -> dict[str, str]:
    """Run app.py in an otherwise empty environment; return the digest of each file of the assembly."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(Path.home()),  # holds the unpacked CDK library, which saves seconds
        "PYTHONDONTWRITEBYTECODE": "1",
        "CDK_OUTDIR": str(folder / "out"),
        "CDK_VALIDATION": "false",
        "CDK_CONTEXT_JSON": json.dumps({"environment": ENVIRONMENT}),
    }
    done = subprocess.run(
        [sys.executable, str(checkout / "app.py")],
        cwd=cwd or checkout,
        env={**environment, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    files = [path for path in (folder / "out").rglob("*") if path.is_file()]
    return {str(path.relative_to(folder / "out")): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def loaded(folder: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Write what Python and Node load at their start; return the variables that make them do it."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    (node,) = folder.glob("*.cjs")
    return {"PYTHONPATH": str(folder), "NODE_OPTIONS": f"--require {node}"}


def copied(folder: Path) -> Path:
    """Copy the checkout's files, without what git ignores."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in names:
        if (CHECKOUT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The assembly of the checkout as it is."""
    return synthesis(tmp_path_factory.mktemp("usual"), {})


@pytest.mark.rule(
    "Synthesis does not see clock, time zone, hash seed, working directory, home, credentials or left-over caches",
    tool="CDK",
    emulated="",
)
def test_assembly_does_not_depend_on_its_surroundings(usual: dict[str, str], tmp_path: Path) -> None:
    """With all of them changed at once, in a copy of the checkout full of caches, every file has the same bytes."""
    checkout = copied(tmp_path / "copy")
    for folder in ("", "handlers", "builds/model_package", "builds/decision_image", "container/semif"):
        for name in (
            *LITTER,
            *(("build/x", "cdk.out/x.json", "node_modules/x/index.js", ".cache/x") if not folder else ()),
        ):
            path = checkout / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("left over")
    clock = loaded(tmp_path / "clock", OTHER_CLOCK)

    found = synthesis(
        tmp_path / "synthesis", clock | WHEN | CREDENTIALS | {"PYTHONHASHSEED": "7"}, checkout=checkout, cwd=tmp_path
    )

    assert found == usual


@pytest.mark.slow
@pytest.mark.parametrize(
    "surroundings", ["clock", "when", "seed", "other seed", "directory", "home", "credentials", "network"]
)
def test_assembly_does_not_depend_on_one_of_its_surroundings(
    usual: dict[str, str], tmp_path: Path, surroundings: str
) -> None:
    """One at a time, so that a failure has a name."""
    (tmp_path / "home").mkdir()
    changes: dict[str, Mapping[str, str]] = {
        "clock": loaded(tmp_path / "clock", OTHER_CLOCK),
        "when": WHEN,
        "seed": {"PYTHONHASHSEED": "1"},
        "other seed": {"PYTHONHASHSEED": "2"},
        "home": {"HOME": str(tmp_path / "home")},
        "credentials": CREDENTIALS,
        "network": loaded(tmp_path / "network", NO_NETWORK),
    }
    cwd = tmp_path if surroundings == "directory" else None

    assert synthesis(tmp_path / "synthesis", changes.get(surroundings, {}), cwd=cwd) == usual


def assets(files: Mapping[str, str]) -> set[str]:
    """Return the names of the assets' folders."""
    return {name.split("/")[0] for name in files if name.startswith("asset.")}


@pytest.mark.parametrize(
    "name", ["tests/new.py", "docs/new.md", "handlers/notes.txt", "ops/new.py", "new.txt", "builds/new.txt"]
)
@pytest.mark.slow
def test_file_that_is_not_shipped_changes_nothing(usual: dict[str, str], tmp_path: Path, name: str) -> None:
    """What no function, build or image gets leaves every file of the assembly as it was."""
    checkout = copied(tmp_path / "copy")
    (checkout / name).write_text("new")

    assert synthesis(tmp_path / "synthesis", {}, checkout=checkout) == usual


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("handlers/pin_image.py", "pin_image.py"),
        ("builds/model_package/publish.py", "publish.py"),
        ("builds/decision_image/build_image.sh", "builds/decision_image/build_image.sh"),
        ("container/semif/scoring.py", "container/semif/scoring.py"),
    ],
)
def test_shipped_file_changes_exactly_its_asset(usual: dict[str, str], tmp_path: Path, name: str, member: str) -> None:
    """One asset is replaced by another that holds the change, the rest keep their names."""
    checkout = copied(tmp_path / "copy")
    (checkout / name).write_text((checkout / name).read_text("utf-8") + "\n# changed\n", "utf-8")

    found = synthesis(tmp_path / "synthesis", {}, checkout=checkout)

    (gone,) = assets(usual) - assets(found)
    (new,) = assets(found) - assets(usual)
    members = {path.removeprefix(f"{new}/"): digest for path, digest in found.items() if path.startswith(f"{new}/")}
    before = {path.removeprefix(f"{gone}/"): digest for path, digest in usual.items() if path.startswith(f"{gone}/")}
    assert {path for path in members if members[path] != before.get(path)} == {member}
    assert members.keys() == before.keys()
