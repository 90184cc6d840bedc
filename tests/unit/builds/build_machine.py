"""A docker and an AWS command line that only remember and answer, and the image build's script run with them."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
BASE, OURS = "763104351884.dkr.ecr.eu-central-1.amazonaws.com", "111122223333.dkr.ecr.eu-west-1.amazonaws.com"
TAG, DIGEST = "0123456789abcdef" * 4, "sha256:" + "d" * 64
DOCKER_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
STORED, NONE = f"{DIGEST}\t{DOCKER_TYPE}", "None"

AWS = """#!/usr/bin/env bash
echo "aws $*" >> "$CALLS"
case "$1 $2" in
  "ecr batch-get-image")
    [[ ! -e $CALLS.denied ]] || exit 254
    head -n1 "$CALLS.stored"
    [[ $(wc -l < "$CALLS.stored") == 1 ]] || sed -i 1d "$CALLS.stored" ;;
  "ecr get-login-password") echo secret ;;
  "s3 cp") case "$*" in *wheels.json*) cp wheels.json "$CALLS.wheels" ;; *) cat > "$CALLS.report" ;; esac ;;
esac
"""
DOCKER = """#!/usr/bin/env bash
set -e
echo "docker $*" >> "$CALLS"
case "$1 $2" in
  "login --username") [[ $(cat) == secret ]] ;;
  "buildx build") [[ ! -e $CALLS.broken ]] ;;
  "buildx imagetools")
    [[ ! -e $CALLS.absent || $* == *json* ]]
    echo "{\\"os\\": \\"linux\\", \\"config\\": {\\"Labels\\": {\\"semif.content\\": \\"$(cat "$CALLS.label")\\"}}}" ;;
  "run --rm") echo "[]" ;;
  "push $IMAGE_REPOSITORY_URI:$IMAGE_TAG") [[ ! -e $CALLS.taken ]] ;;
  "image inspect") case "$*" in *RepoDigests*) cat "$CALLS.pushed" ;; *) cat "$CALLS.built" ;; esac ;;
esac
"""
SLEEP = '#!/usr/bin/env bash\necho "sleep $*" >> "$CALLS"\n'


class Machine:
    """A PATH with our commands first, and what they remember."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, folder / "calls"
        self.variables = {
            "PATH": f"{folder}:/usr/bin:/bin",
            "CALLS": str(self.calls),
            "BASE_REPOSITORY_URI": f"{BASE}/llama-cpp",
            "BASE_DIGEST": "sha256:" + "b" * 64,
            "BASE_REGISTRY_ACCOUNT": "763104351884",
            "IMAGE_REPOSITORY_URI": f"{OURS}/semif-decision",
            "IMAGE_TAG": TAG,
            "IMAGE_PLATFORM": "linux/amd64",
            "ARTIFACT_BUCKET": "semif-artifacts",
            "CODEBUILD_BUILD_ID": "decision-image:42",
        }
        for name, text in (("aws", AWS), ("docker", DOCKER), ("sleep", SLEEP)):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        self.answer("stored", NONE, STORED)
        self.answer("built", f"linux/amd64 {TAG}")
        self.answer("label", TAG)
        self.answer("pushed", f"{OURS}/other@sha256:e {OURS}/semif-decision@{DIGEST}")

    def answer(self, name: str, *lines: str) -> None:
        """Prepare what a command answers, one line a call, the last one again and again."""
        Path(f"{self.calls}.{name}").write_text("".join(f"{line}\n" for line in lines))

    def run(self) -> tuple[int, str, list[str]]:
        """Run the script; return its code, the message of its report, and the calls."""
        ended = subprocess.run(
            ["bash", ROOT / "builds/decision_image/build_image.sh"],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        report = json.loads(Path(f"{self.calls}.report").read_text())
        calls = self.calls.read_text().splitlines()
        assert report["status"] == ("succeeded" if ended.returncode == 0 else "failed"), ended.stdout + ended.stderr
        assert "s3://semif-artifacts/reports/decision-image/42.json" in calls[-1]
        assert "secret" not in ended.stdout + ended.stderr + "".join(calls)
        return ended.returncode, report["message"], [call for call in calls if call.startswith("docker")]
