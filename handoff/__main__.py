"""Command line: `python -m handoff --environment prod --assets-bucket NAME` writes build/handoff/prod."""

import argparse
import sys
import tempfile
from pathlib import Path

from app import build
from config.assets_bucket import check_name
from config.loader import ENVIRONMENTS_DIRECTORY, load
from config.rules import ConfigurationError
from handoff.assembly import read
from handoff.folder import write

BUILD = Path(__file__).parents[1] / "build" / "handoff"


def hand_over(environment: str, assets_bucket: str, *, directory: Path, folder: Path) -> None:
    """Synthesize an environment without bootstrap and write its folder.

    Raises:
        ConfigurationError: There is no such environment, it cannot be deployed, or no bucket can have that name.
    """
    check_name(assets_bucket)
    settings = load(environment, directory)
    with tempfile.TemporaryDirectory(prefix="semif-handoff-") as assembly:
        build(environment, directory=directory, outdir=assembly, assets_bucket=assets_bucket).synth()
        write(folder, read(Path(assembly)), environment=settings.environment, assets_bucket=assets_bucket)


def main() -> int:
    """Write one environment's folder and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m handoff", description=__doc__)
    parser.add_argument("--environment", required=True)
    parser.add_argument("--assets-bucket", required=True)
    parser.add_argument("--environments-directory", type=Path, default=ENVIRONMENTS_DIRECTORY)
    parser.add_argument("--output", type=Path, help="the folder; build/handoff/<environment> without it")
    given = parser.parse_args()
    folder = given.output or BUILD / given.environment
    try:
        hand_over(given.environment, given.assets_bucket, directory=given.environments_directory, folder=folder)
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{folder}: read README.md, then run deploy.sh")
    return 0


if __name__ == "__main__":
    sys.exit(main())
