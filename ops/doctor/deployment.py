"""How the stacks and endpoints are, and whether what runs is what the file asks for."""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from config.content import image_tag
from config.settings import Settings
from ops.deployment.failures import STACKS, reasons
from ops.endpoints.deployed import IN_SERVICE, KINDS, Deployed, Kind, deployed, endpoint_name
from ops.pins.images import ImageError, find, registry_account
from ops.refusals import code_of, is_missing, next_action
from ops.report import Line, ok, warning, wrong
from ops.services import Services
from ops.stacks import find as find_stack
from ops.stacks import outputs

_DEPLOY = "make deploy"


def stacks(services: Services, settings: Settings) -> Iterator[Line]:
    """Say how each stack's last operation ended, and why it was taken back."""
    for stack in (f"semif-{settings.environment.name}-{name}" for name in STACKS):
        subject = f"stack {stack}"
        found = find_stack(services.cloudformation, stack)
        if not found:
            yield wrong(subject, "is not there", _DEPLOY)
            continue
        status = found["StackStatus"]
        if status in ("CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE"):
            yield ok(subject, status)
            continue
        why = "; ".join(reasons(services.cloudformation, stack)) or "no event says why"
        if status.endswith("_IN_PROGRESS"):
            yield warning(subject, f"{status}", "wait until it is done")
        elif status == "UPDATE_ROLLBACK_COMPLETE":
            yield warning(subject, f"{status}, the deployment before it stands: {why}", "mend the cause, then deploy")
        elif status == "ROLLBACK_COMPLETE":
            yield wrong(subject, f"{status}, its first deployment failed: {why}", "mend the cause, then deploy")
        else:
            yield wrong(subject, f"{status}: {why}", "docs/operations.md, Deploying and recovering")


def endpoints(services: Services, settings: Settings) -> Iterator[Line]:
    """Say how both endpoints are, and whether they run the image and the model of the file."""
    for kind in KINDS:
        name = endpoint_name(settings, kind)
        try:
            found = deployed(services.sagemaker, name)
        except ClientError as error:
            says = f"{name}: {code_of(error)}: {error.response['Error'].get('Message', '')}"
            action = f"destroy semif-{settings.environment.name}-{kind} if it is still there, then deploy"
            yield wrong(f"{kind} endpoint", says, action if is_missing(error) else next_action(error))
            continue
        yield _status(kind, found)
        yield _image(services, settings, kind, found)
        yield _model(services, settings, kind, found)


def _status(kind: Kind, found: Deployed) -> Line:
    subject = f"{kind} endpoint"
    if found.status == IN_SERVICE:
        return ok(subject, f"{found.name} {found.status}")
    if found.status in ("Failed", "OutOfService", "UpdateRollbackFailed"):
        return wrong(
            subject, f"{found.name} {found.status}: {found.failure}", "docs/operations.md, Why … failed its check"
        )
    return warning(subject, f"{found.name} {found.status}", "wait until it is InService")


def _image(services: Services, settings: Settings, kind: Kind, found: Deployed) -> Line:
    subject, digest = f"{kind} image", found.image_digest
    differs = f"make diff shows why; {_DEPLOY} brings the file's"
    if kind == "chat":
        pin = settings.images.chat
        account, _ = registry_account(settings, found.image_uri)
        try:
            # The pin may be a list, which is resolved to the one image of the platform when it is deployed.
            same = digest == pin.digest or digest in find(services.ecr, account, pin.repository, pin.digest).digests()
        except (ImageError, ClientError):
            same = False
        return ok(subject, digest) if same else wrong(subject, f"runs {digest}, the file has {pin.digest}", differs)
    tag = image_tag(settings.images.decision_base.digest)
    repository = found.image_uri.partition("/")[2].partition("@")[0]
    try:
        details = services.ecr.describe_images(repositoryName=repository, imageIds=[{"imageDigest": digest}])
    except ClientError as error:
        return wrong(subject, f"runs {found.image_uri}: {code_of(error)}", _DEPLOY)
    tags = [each for detail in details["imageDetails"] for each in detail.get("imageTags", [])]
    if tag in tags:
        return ok(subject, f"{digest}, content {tag}")
    return wrong(subject, f"runs {digest} of content {', '.join(tags) or 'unknown'}, this checkout is {tag}", differs)


def _model(services: Services, settings: Settings, kind: Kind, found: Deployed) -> Line:
    subject = f"{kind} model"
    if kind == "chat" and (hub := settings.chat.hub_model):
        return warning(subject, f"UNVERIFIED: {hub.repository}/{hub.file} of the hub", "pin it: docs/operations.md")
    bucket = outputs(services.cloudformation, f"semif-{settings.environment.name}-artifact").get("BucketName", "")
    wanted = f"s3://{bucket}/{settings.model.object_key}"
    if found.runs_key(wanted):
        return ok(subject, settings.model.object_key)
    return wrong(subject, f"runs {found.model_url}, the file has {wanted}", f"make diff shows why; {_DEPLOY}")
