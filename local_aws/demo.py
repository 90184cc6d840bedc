"""The whole product once: deployed, asked, broken, still answering, destroyed."""

import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from local_aws import process_session
from local_aws.checkout import DLC_REPOSITORY, ROOT
from local_aws.deployment import Deployment, reason, wrong_checksum
from local_aws.questions import Answers, ask, processes, stand_ins
from local_aws.session import Address, LocalAws
from local_aws.stand_in_image import dlc_image
from local_aws.steps import Step, StepFailedError, Steps, require
from ops.ask.chat_stream import StreamCutError

RECORD: Final = ROOT / "build" / "demo.json"


def run(port: int) -> int:
    """Tell the story and return 0 if all of it held.

    Raises:
        LocalAwsError: the embedded AWS did not start.
    """
    since = time.monotonic()
    with ExitStack() as running:
        aws = running.enter_context(LocalAws(name="demo", port=port))
        emulator = aws.address.emulator
        steps = Steps([Step("start the embedded AWS", round(time.monotonic() - since, 1), emulator.url)])
        print(f"▶ the embedded AWS is {emulator.url}", flush=True)
        answers, failure = None, ""
        try:
            answers = _story(aws.address, steps)
        except (StepFailedError, StreamCutError, ClientError, BotoCoreError) as error:
            failure = str(error)
        try:
            with steps.step("stop it") as step:
                running.close()
                left = process_session.members(emulator.pid)
                require(that=not left, otherwise=f"processes {left} are still there")
                require(that=not Path(emulator.folder).exists(), otherwise=f"{emulator.folder} is still there")
                step.result = "no process and no temporary folder is left"
        except StepFailedError as error:
            failure = failure or str(error)
    _write(steps, answers, held=not failure)
    print(f"\n{steps.table()}")
    return 1 if failure else 0


def _story(address: Address, steps: Steps) -> Answers:
    deployment = Deployment(address)
    with steps.step("synthesize and bootstrap with the CDK command line"):
        deployment.synthesize()
        deployment.bootstrap()
    with steps.step("deploy all stacks of the environment local"):
        outcome = deployment.deploy()
        require(that=outcome.code == 0, otherwise=f"cdk deploy failed: {reason(outcome)}")
        print(f"  {DLC_REPOSITORY}@{dlc_image().digest[:19]}… is a stand-in for AWS's Deep Learning Container.")
        for sentence in stand_ins(address):
            print(f"  {sentence}")
    with steps.step("ask both endpoints through boto3") as step:
        answers = ask(address)
        for line in answers.lines():
            print(f"  {line}")
        pieces = len(answers.streamed.pieces)
        require(that=pieces > 1, otherwise="the streamed chat answer came in one piece")
        step.result = f"both answered, chat also as a stream of {pieces} pieces"
    with steps.step("compare a second synthesis with what is deployed") as step:
        outcome = deployment.diff()
        require(that=outcome.code == 0, otherwise="the second cdk diff is not empty")
        step.result = "no difference"
    with steps.step("deploy with a wrong GGUF checksum") as step:
        step.result = _break(address, deployment)
    with steps.step("ask both endpoints again") as step:
        again = ask(address)
        require(
            that=again.comparable() == answers.comparable(),
            otherwise=f"the answers changed from {answers.comparable()} to {again.comparable()}",
        )
        step.result = "same processes, same logits, same text"
    with steps.step("destroy everything") as step:
        deployment.destroy()
        left = leftovers(address)
        require(that=not left, otherwise=f"left after cdk destroy: {left}")
        step.result = "no stack, endpoint, model or bucket of ours is left"
    return answers


def _break(address: Address, deployment: Deployment) -> str:
    before = processes(address)
    folder, right, wrong = wrong_checksum(Path(address.emulator.folder) / "environments")
    outcome = deployment.deploy(context=("--context", f"environments_directory={folder}"))
    require(that=outcome.code != 0, otherwise="a deploy with a wrong checksum succeeded")
    sentence = reason(outcome)
    require(
        that=right in sentence and wrong in sentence,
        otherwise=f"the failure does not name both digests: {sentence}",
    )
    require(that=processes(address) == before, otherwise="an endpoint has another process than before")
    print(f"  {sentence}")
    return "refused, both digests named"


def leftovers(address: Address) -> list[str]:
    """Return what a destroyed environment may not leave behind: stacks, endpoints, models, alarms, buckets."""
    sagemaker, scaling = address.client("sagemaker"), address.client("application-autoscaling")
    stacks = address.client("cloudformation").describe_stacks()["Stacks"]
    names = [stack["StackName"] for stack in stacks if stack["StackName"] != "CDKToolkit"]
    names += [endpoint["EndpointName"] for endpoint in sagemaker.list_endpoints()["Endpoints"]]
    names += [config["EndpointConfigName"] for config in sagemaker.list_endpoint_configs()["EndpointConfigs"]]
    names += [model["ModelName"] for model in sagemaker.list_models()["Models"]]
    names += [alarm["AlarmName"] for alarm in address.client("cloudwatch").describe_alarms()["MetricAlarms"]]
    targets = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    names += [target["ResourceId"] for target in targets]
    buckets = address.client("s3").list_buckets()["Buckets"]
    return names + [bucket["Name"] for bucket in buckets if bucket["Name"].startswith("semif-local-artifact")]


def _write(steps: Steps, answers: Answers | None, *, held: bool) -> None:
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    given: dict[str, Any] = {}
    if answers:
        given = {"decision": answers.decision, "chat": answers.chat, "chat_stream": answers.streamed.pieces}
    record = {"held": held, "steps": steps.records(), "answers": given}
    RECORD.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", "utf-8")
