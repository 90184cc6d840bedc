"""`docker`, as far as the image's build calls it, carried out by buildah and a registry on this machine.

Whatever is not carried out here ends with docker's own status for a wrong call. Registries are reached under their
real names; where they are is in the settings.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from tests.image.buildah import Mount
from tests.image.docker_settings import SETTINGS, Settings
from tests.image.registry import RegistryError

WRONG_CALL = 125
PLATFORM_AND_CONTENT = '{{.Os}}/{{.Architecture}} {{index .Config.Labels "semif.content"}}'
REPOSITORY_DIGESTS = '{{join .RepoDigests " "}}'
CONFIGURATION = "{{json .Image}}"


class Docker:
    """The commands, each returning its status."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def login(self, given: argparse.Namespace) -> int:
        """Log in; the registry is the one of this machine, whatever its name."""
        storage = self._settings.open_storage()
        password = sys.stdin.read()
        arguments = (f"--username={given.username}", "--password-stdin", self._settings.registry)
        if (status := _show(storage.attempt("login", *arguments, given=password))) == 0:
            with (Path(self._settings.scratch) / "logged-in").open("a", encoding="utf-8") as file:
                file.write(f"{given.registry}\n")
        return status

    def build(self, given: argparse.Namespace) -> int:
        """Build and keep the image under the name in --output."""
        output = dict(part.split("=", 1) for part in given.output.split(","))
        if given.provenance != "false" or given.sbom != "false" or output.get("oci-mediatypes") != "false":
            _refuse("a build with attestations or OCI media types is not carried out here")
        (argument,), (label,) = given.build_arg, given.label
        base = argument.partition("=")[2]
        storage = self._settings.open_storage(self._logged_in(base))
        mounts = [f"--volume={mount.host}:{mount.inside}:ro" for mount in self._mounts()]
        return _show(
            storage.attempt(
                "build",
                *("--isolation=chroot", "--network=host", "--pull-always", "--format=docker", "--layers=false"),
                *(f"--platform={given.platform}", f"--build-arg={argument}", f"--label={label}"),
                *(f"--tag={output['name']}", *mounts, f"--file={given.file}", given.context),
            )
        )

    def push(self, given: argparse.Namespace) -> int:
        """Push an image of the storage under its own name."""
        host, _, path = given.image.partition("/")
        self._logged_in(given.image)
        digest_file = Path(self._settings.scratch) / "digest"
        to = f"docker://{self._settings.registry}/{path}"
        storage = self._settings.open_storage()
        options = ("--format=v2s2", f"--digestfile={digest_file}", "--retry=0")
        if status := _show(storage.attempt("push", *options, given.image, to)):
            return status
        name = f"{host}/{path.rpartition(':')[0]}@{digest_file.read_text('ascii').strip()}"
        self._pushed(given.image).write_text(name, "utf-8")
        return 0

    def inspect(self, given: argparse.Namespace) -> int:
        """Answer the two questions about an image of the storage."""
        if given.format == REPOSITORY_DIGESTS:
            return _say(self._pushed(given.image).read_text("utf-8"))
        if given.format != PLATFORM_AND_CONTENT:
            _refuse(f"--format {given.format} is not carried out here")
        done = self._settings.open_storage().attempt("inspect", "--type=image", given.image)
        if done.returncode:
            return _show(done)
        image: dict[str, Any] = json.loads(done.stdout)["Docker"]
        labels = image["config"].get("Labels") or {}
        return _say(f"{image['os']}/{image['architecture']} {labels.get('semif.content', '')}")

    def imagetools(self, given: argparse.Namespace) -> int:
        """Show what the registry says of an image that is named by digest."""
        self._logged_in(given.image)
        repository, _, digest = given.image.partition("/")[2].partition("@")
        try:
            manifest = self._settings.open_registry().manifest(repository, digest)
            if not given.format:
                return _say(f"Name: {given.image}\nMediaType: {manifest['mediaType']}\nDigest: {digest}")
            if given.format != CONFIGURATION:
                _refuse(f"--format {given.format} is not carried out here")
            return _say(json.dumps(self._settings.open_registry().config(repository, manifest)))
        except RegistryError as error:
            sys.stderr.write(f"ERROR: {given.image}: {error}\n")
            return 1

    def run(self, given: argparse.Namespace) -> int:
        """Show a file of an image of the storage."""
        if given.entrypoint != "cat" or given.network != "none":
            _refuse("only `cat` without a network is carried out here")
        with self._settings.open_storage().container(given.image) as root:
            return _say(root.joinpath(given.arguments.lstrip("/")).read_text("utf-8").rstrip("\n"))

    def _mounts(self) -> list[Mount]:
        return [Mount(Path(host), inside) for host, inside in self._settings.mounts]

    def _logged_in(self, image: str) -> str:
        """Return the registry of an image, which was logged in to before, or end."""
        host = image.partition("/")[0]
        known = Path(self._settings.scratch) / "logged-in"
        if not known.exists() or host not in known.read_text("utf-8").splitlines():
            _refuse(f"no basic auth credentials for {host}", status=1)
        return host

    def _pushed(self, image: str) -> Path:
        return Path(self._settings.scratch) / f"pushed-{image.replace('/', '_')}"


class _Parser(argparse.ArgumentParser):
    """Its commands' parsers are of the same class."""

    def error(self, message: str) -> NoReturn:
        """End with docker's status for a wrong call."""
        _refuse(message)


def _parser(docker: Docker) -> argparse.ArgumentParser:
    parser = _Parser(prog="docker", allow_abbrev=False)
    commands = parser.add_subparsers(required=True)

    def command(on: Any, name: str, call: Any, *options: str) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = on.add_parser(name, allow_abbrev=False)
        added.set_defaults(call=call)
        for option in options:
            added.add_argument(option, required=True)
        return added

    login = command(commands, "login", docker.login, "--username")
    login.add_argument("--password-stdin", action="store_true", required=True)
    login.add_argument("registry")
    command(commands, "push", docker.push).add_argument("image")
    command(
        commands.add_parser("image").add_subparsers(required=True), "inspect", docker.inspect, "--format"
    ).add_argument("image")
    run = command(commands, "run", docker.run, "--network", "--entrypoint")
    run.add_argument("--rm", action="store_true", required=True)
    run.add_argument("image")
    run.add_argument("arguments")
    buildx = commands.add_parser("buildx").add_subparsers(required=True)
    build = command(buildx, "build", docker.build, "--platform", "--provenance", "--sbom", "--output", "--file")
    for repeated in ("--build-arg", "--label"):
        build.add_argument(repeated, action="append", required=True)
    build.add_argument("context")
    tools = command(buildx.add_parser("imagetools").add_subparsers(required=True), "inspect", docker.imagetools)
    tools.add_argument("--format")
    tools.add_argument("image")
    return parser


def _show(done: Any) -> int:
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return int(done.returncode)


def _say(text: str) -> int:
    sys.stdout.write(f"{text}\n")
    return 0


def _refuse(sentence: str, status: int = WRONG_CALL) -> NoReturn:
    sys.stderr.write(f"docker: {sentence}\n")
    raise SystemExit(status)


def main(arguments: Sequence[str]) -> int:
    """Carry out one command and return its status."""
    given = _parser(Docker(Settings.read(Path(os.environ[SETTINGS])))).parse_args(arguments)
    status: int = given.call(given)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
