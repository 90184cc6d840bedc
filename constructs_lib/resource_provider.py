import ast
import hashlib
from dataclasses import dataclass
from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import custom_resources as cr
from constructs import Construct

from constructs_lib import nag
from constructs_lib.log_group import EncryptedLogGroup, LogSettings

HANDLERS = Path(__file__).parents[1] / "handlers"
# CloudFormation gives a custom resource one hour at most, whatever is asked for.
LONGEST_WAIT = cdk.Duration.minutes(55)


@dataclass(frozen=True)
class HandlerSize:
    """What one call of a handler may use: minutes (at most 15) and MiB, which also buy CPU time."""

    timeout_minutes: int
    memory_mib: int


class ResourceProvider(Construct):
    """The functions behind one custom resource: our handler, with a role of its own, and the provider framework.

    Attributes:
        role: The handler's role; whoever owns the custom resource adds what the handler may do.
        handler_version: Digest of the handler's code: as a property of the resource it makes new code run.
        service_token: What the custom resource names as its provider.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        handler: str,
        size: HandlerSize,
        logs: LogSettings,
        poll_interval: cdk.Duration | None = None,
    ) -> None:
        """Create the functions.

        Args:
            scope: The parent.
            construct_id: The id below it.
            handler: Name of the module in handlers/; its on_event is called.
            size: Time and memory of one call.
            logs: Key and retention of the two log groups.
            poll_interval: With it, the module's is_complete is called that often until it says so.
        """
        super().__init__(scope, construct_id)
        self.handler_version = handler_version(handler)
        self.role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        handler_log = EncryptedLogGroup(self, "HandlerLog", settings=logs).log_group
        handler_log.grant_write(self.role)
        self._code = lambda_.Code.from_asset(str(HANDLERS), exclude=["*", "!*.py"])
        self._log_group = handler_log
        on_event = self._function("OnEvent", f"{handler}.on_event", size)
        is_complete = self._function("IsComplete", f"{handler}.is_complete", size) if poll_interval else None
        framework_log = EncryptedLogGroup(self, "FrameworkLog", settings=logs).log_group
        # Without roles of ours the framework attaches a managed policy that may write to every log group.
        roles = [self._framework_role("FrameworkRole"), self._framework_role("WaiterRole") if is_complete else None]
        for role in roles:
            if role:
                framework_log.grant_write(role)
        provider = cr.Provider(
            self,
            "Framework",
            on_event_handler=on_event,
            is_complete_handler=is_complete,
            query_interval=poll_interval,
            total_timeout=LONGEST_WAIT if is_complete else None,
            log_group=framework_log,
            framework_on_event_role=roles[0],
            framework_complete_and_timeout_role=roles[1],
        )
        self.service_token = provider.service_token
        nag.acknowledge_provider_framework(self, provider)

    def _function(self, construct_id: str, handler: str, size: HandlerSize) -> lambda_.Function:
        return lambda_.Function(
            self,
            construct_id,
            code=self._code,
            handler=handler,
            runtime=lambda_.Runtime.PYTHON_3_14,
            architecture=lambda_.Architecture.ARM_64,
            memory_size=size.memory_mib,
            timeout=cdk.Duration.minutes(size.timeout_minutes),
            log_group=self._log_group,
            role=self.role,
        )

    def _framework_role(self, construct_id: str) -> iam.Role:
        return iam.Role(self, construct_id, assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))


def handler_version(handler: str, directory: Path = HANDLERS) -> str:
    """Return a digest over a handler's module and the modules beside it that it imports, directly or not."""
    digest = hashlib.sha256()
    for path in sorted(_with_imports(directory / f"{handler}.py", set())):
        digest.update(f"{path.name} {len(path.read_bytes())}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _with_imports(path: Path, seen: set[Path]) -> set[Path]:
    seen.add(path)
    for statement in ast.walk(ast.parse(path.read_bytes())):
        names = [statement.module or ""] if isinstance(statement, ast.ImportFrom) else []
        names += [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else []
        for name in names:
            imported = path.parent / f"{name}.py"
            if imported.is_file() and imported not in seen:
                _with_imports(imported, seen)
    return seen
