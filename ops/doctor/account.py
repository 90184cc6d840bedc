"""Who asks, where, and how many machines the account may have."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from config.hosting import Hosting
from config.settings import Settings
from ops.pins.images import ImageError, find, registry_account
from ops.refusals import code_of, is_missing, next_action
from ops.report import Line, ok, warning, wrong
from ops.services import Services

_RAISE: Final = "ask for more: Service Quotas, Amazon SageMaker, this quota; a new account has none of the larger types"


def credentials(services: Services, settings: Settings) -> Iterator[Line]:
    """Say who asks, and whether this is the environment's account and region."""
    try:
        caller = services.sts.get_caller_identity()
    except ClientError as error:
        yield wrong("credentials", f"refused: {code_of(error)}", next_action(error))
        return
    except BotoCoreError as error:
        yield wrong("credentials", str(error), next_action(error))
        return
    wanted = settings.environment.account
    if wanted and caller["Account"] != wanted:
        says = f"{caller['Arn']} is of account {caller['Account']}, the environment's is {wanted}"
        yield wrong("credentials", says, f"choose a profile of account {wanted}")
        return
    yield ok("credentials", caller["Arn"])
    yield ok("region", services.region)


def quotas(services: Services, settings: Settings) -> Iterator[Line]:
    """Say whether the account may have the instances of both endpoints, and twice as many while fleets are replaced."""
    try:
        allowed = _endpoint_quotas(services)
    except (ClientError, BotoCoreError) as error:
        says = f"cannot be looked up: {code_of(error) if isinstance(error, ClientError) else error}"
        yield warning("quotas", says, "allow servicequotas:ListServiceQuotas, or look in the console of Service Quotas")
        return
    fixed: Counter[str] = Counter()
    for kind, hosting in (("chat", settings.chat), ("decision", settings.decision)):
        names = [member.name for member in hosting.instance_types]
        if len(names) == 1:
            fixed[names[0]] += _most(hosting)
        else:
            yield _of_pool(kind, {name: allowed.get(name, 0) for name in names}, _most(hosting))
    for name, needed in sorted(fixed.items()):
        yield _of_type(name, allowed.get(name, 0), needed)


def registry(services: Services, settings: Settings, image_uri: str) -> Iterator[Line]:
    """Say whether the pinned images of the deep learning containers are there."""
    account, known_by = registry_account(settings, image_uri)
    pins = {"chat": settings.images.chat, "decision_base": settings.images.decision_base}
    for name, pin in pins.items():
        subject, where = f"images.{name}", f"{account}/{pin.repository}"
        try:
            find(services.ecr, account, pin.repository, pin.digest)
        except ImageError as error:
            yield wrong(subject, str(error), f"python -m ops pin update ENV {subject} --tag TAG")
        except ClientError as error:
            action = "name the registry's account of this region: environment.registry_account"
            says = f"{where} ({known_by}): {code_of(error)}"
            yield wrong(subject, says, action if is_missing(error) else next_action(error))
        else:
            yield ok(subject, f"{where}@{pin.digest}")


def _endpoint_quotas(services: Services) -> dict[str, float]:
    """Return how many of each instance type endpoints may have; what was never raised is there as a default."""
    found: dict[str, float] = {}
    for operation in ("list_aws_default_service_quotas", "list_service_quotas"):
        for page in services.quotas.get_paginator(operation).paginate(ServiceCode="sagemaker"):
            for quota in page["Quotas"]:
                instance_type, _, usage = str(quota["QuotaName"]).partition(" for ")
                if usage == "endpoint usage":
                    found[instance_type] = quota["Value"]
    return found


def _most(hosting: Hosting) -> int:
    return hosting.scaling.max_instance_count if hosting.scaling else hosting.initial_instance_count


def _of_type(name: str, allowed: float, needed: int) -> Line:
    subject, says = f"quota {name}", f"{allowed:g} allowed, {needed} needed"
    if allowed < needed:
        return wrong(subject, says, _RAISE)
    if allowed < 2 * needed:
        return warning(subject, f"{says}, {2 * needed} while a fleet is replaced beside the old one", _RAISE)
    return ok(subject, says)


def _of_pool(kind: str, allowed: dict[str, float], needed: int) -> Line:
    told = ", ".join(f"{name} {count:g}" for name, count in allowed.items())
    subject, says = f"quota {kind} pool", f"{needed} needed, allowed are {told}"
    enough = [name for name, count in allowed.items() if count >= needed]
    if not enough:
        return wrong(subject, says, _RAISE)
    if len(enough) < len(allowed):
        return warning(subject, f"{says}: the others cannot stand in", _RAISE)
    return ok(subject, says)
