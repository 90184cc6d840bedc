"""Everything an environment needs, looked at from the credentials to what runs, each with what to do next."""

from collections.abc import Callable, Iterable, Iterator

from botocore.exceptions import BotoCoreError, ClientError

from config.settings import Settings
from ops.doctor import account, content, deployment
from ops.refusals import next_action
from ops.report import Line, State, wrong
from ops.services import Services
from ops.stacks import outputs

Check = Callable[[Services, Settings], Iterable[Line]]


def examine(services: Services, settings: Settings) -> list[Line]:
    """Look at everything, and go on where one thing cannot be looked at.

    Nothing but the credentials is looked at while they are wrong: every further line would say the same.
    """
    lines = list(account.credentials(services, settings))
    if any(line.state is State.WRONG for line in lines):
        return lines
    checks: tuple[tuple[str, Check], ...] = (
        ("quotas", account.quotas),
        ("registry", _registry),
        ("stacks", deployment.stacks),
        ("artifacts", content.kept),
        ("builds", content.builds),
        ("endpoints", deployment.endpoints),
    )
    for subject, check in checks:
        lines += _guarded(subject, check(services, settings))
    return [_of_environment(line, settings.environment.name) for line in lines]


def _registry(services: Services, settings: Settings) -> Iterator[Line]:
    image_uri = outputs(services.cloudformation, f"semif-{settings.environment.name}-chat").get("ImageUri", "")
    yield from account.registry(services, settings, image_uri)


def _guarded(subject: str, lines: Iterable[Line]) -> Iterator[Line]:
    try:
        yield from lines
    except (ClientError, BotoCoreError) as error:
        yield wrong(subject, f"cannot be looked at: {error}", next_action(error))


def _of_environment(line: Line, name: str) -> Line:
    """Complete the commands of a line with the environment's name."""
    action = line.action.replace("make deploy", f"make deploy ENV={name}").replace("make diff", f"make diff ENV={name}")
    return Line(line.subject, line.state, line.says, action.replace(" ENV ", f" {name} "))
