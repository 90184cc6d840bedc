"""A check that fails takes the deployment back to what answered before, whether it was made or changed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from config.loader import load
from local_aws.checkout import ROOT
from local_aws.deployment import Deployment
from local_aws.questions import DECISION, Answers, ask, processes
from local_aws.session import Address, LocalAws
from ops.ask import RUNTIME_CONFIG, ask_decision
from tests.local_aws.edited_assembly import edited
from tests.local_aws.edited_check import allowing_bodies_of, editing, wanting
from tests.local_aws.test_story import status

pytestmark = pytest.mark.local_aws
PROMPT = load("local").model.known_prompt_sha256
WRONG_THREADS = (
    "Endpoint semif-local-decision does not answer as pinned: answer.result.model.threads: wanted 3, found 2."
)


def outputs(address: Address, stack: str) -> dict[str, str]:
    """Return a stack's outputs."""
    (found,) = address.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    return {each["OutputKey"]: each["OutputValue"] for each in found.get("Outputs", [])}


def body_limit(address: Address) -> str:
    """Return a variable of the model that the decision endpoint runs."""
    sagemaker = address.client("sagemaker")
    config = sagemaker.describe_endpoint(EndpointName=DECISION)["EndpointConfigName"]
    (variant,) = sagemaker.describe_endpoint_config(EndpointConfigName=config)["ProductionVariants"]
    model = sagemaker.describe_model(ModelName=variant["ModelName"])
    limit: str = model["PrimaryContainer"]["Environment"]["SEMIF_MAX_BODY_BYTES"]
    return limit


def test_outputs_say_what_answered_the_check(deployment: Deployment, answers: Answers) -> None:
    """Each stack tells what served its check's question: model, library, backend and layers."""
    model = answers.decision["model"]
    layers = f"0 of {model['layers_total']} layers on no GPU, {model['threads']} threads"
    library = f"llama.cpp {model['llama_cpp']['version']}, {model['backend']}"

    assert outputs(deployment.address, "semif-local-decision")["Serves"] == f"{model['name']}, {library}, {layers}"
    chat = outputs(deployment.address, "semif-local-chat")["Serves"]
    assert chat == f"{model['gguf']['file']}, llama.cpp {answers.chat['system_fingerprint']}"


@pytest.mark.rule(
    "a failing post-deploy check names the field, and the configuration before it answers again",
    tool="the check's handler and the decision container themselves",
    emulated="CloudFormation's rollback, what SageMaker describes",
)
def test_new_check_that_fails_takes_the_update_back(deployment: Deployment, answers: Answers, tmp_path: Path) -> None:
    """The new process was in service and is gone again; the stack can be updated, and the same logits come back."""
    before = processes(deployment.address)[DECISION][0]
    edit = editing(allowing_bodies_of(300_000), wanting('"threads":2', '"threads":3'), anew=True)
    assembly = edited(ROOT / deployment.assembly, tmp_path / "app", "semif-local-decision", edit)

    outcome = deployment.deploy(assembly=assembly)

    assert outcome.code != 0
    assert WRONG_THREADS in outcome.output
    assert status(deployment.address, "semif-local-decision") == "UPDATE_ROLLBACK_COMPLETE"
    assert (processes(deployment.address)[DECISION][0], body_limit(deployment.address)) == (before, "262144")
    assert ask(deployment.address).comparable() == answers.comparable()


@pytest.mark.slow
def test_check_fails_a_creation_and_passes_after_it_is_put_right(tmp_path: Path) -> None:
    """One account's story: refused on create, created, updated, refused on two kinds of update, and still answering."""
    with LocalAws(name="checked") as aws:
        address, deployment = aws.address, Deployment(aws.address)
        deployment.synthesize()
        deployment.bootstrap()

        def deployed(name: str, stack: str, edit: Callable[[str], str]) -> str:
            """Deploy an edited app and return all that was printed if it failed."""
            outcome = deployment.deploy(assembly=edited(ROOT / deployment.assembly, tmp_path / name, stack, edit))
            return outcome.output if outcome.code else ""

        said = deployed("create", "semif-local-decision", editing(wanting('"threads":2', '"threads":3'), anew=False))
        assert WRONG_THREADS in said
        assert status(address, "semif-local-decision") == "ROLLBACK_COMPLETE"
        names = [each["EndpointName"] for each in address.client("sagemaker").list_endpoints()["Endpoints"]]
        assert DECISION not in names

        assert deployment.deploy().code == 0
        logits = asked(address)

        update = editing(allowing_bodies_of(300_000), anew=True)
        assert deployed("update", "semif-local-decision", update) == ""
        assert (body_limit(address), asked(address)) == ("300000", logits)

        # What a check compares may also change without its text: then it is the same resource with other properties.
        wrong_prompt = wanting(f'"prompt_sha256":"{PROMPT}"', f'"prompt_sha256":"{PROMPT[::-1]}"')
        in_place = editing(allowing_bodies_of(400_000), wrong_prompt, anew=True)
        said = deployed("in-place", "semif-local-decision", in_place)
        assert f'answer.result.prompt_sha256: wanted "{PROMPT[::-1]}", found "{PROMPT}"' in said
        assert status(address, "semif-local-decision") == "UPDATE_ROLLBACK_COMPLETE"
        assert (body_limit(address), asked(address)) == ("300000", logits)

        other = editing(wanting(r'"model":"SmolLM2', '"model":"Other'), anew=True)
        said = deployed("chat", "semif-local-chat", other)
        assert 'Endpoint semif-local-chat does not answer as pinned: answer.model: wanted "Other-135M' in said
        assert status(address, "semif-local-chat") == "UPDATE_ROLLBACK_COMPLETE"

        assert deployment.deploy().code == 0
        assert (body_limit(address), asked(address)) == ("262144", logits)


def asked(address: Address) -> object:
    """Return the decision endpoint's logits, as text to compare."""
    runtime = address.client("sagemaker-runtime", config=RUNTIME_CONFIG)
    return json.dumps(ask_decision(runtime, DECISION)["option_logits"])
