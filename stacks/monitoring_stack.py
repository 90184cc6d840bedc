import aws_cdk as cdk
from constructs import Construct

from config.settings import Settings
from constructs_lib.alarm_topic import AlarmTopic
from constructs_lib.endpoint_monitoring import DecisionMonitoring, EndpointMonitoring
from constructs_lib.environment_dashboard import EnvironmentDashboard
from stacks.environment_stack import EnvironmentStack


class MonitoringStack(EnvironmentStack):
    """Who is told what about the endpoints; it names them and touches neither."""

    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings) -> None:
        """Compose the stack."""
        super().__init__(scope, construct_id, settings=settings, description="Alarms and dashboard")
        key = self.artifacts.key(self)
        names = f"{self.stack_name_prefix}-*"
        topic = AlarmTopic(self, "AlarmTopic", encryption_key=key, alarm_names=names).topic
        thresholds = settings.monitoring
        chat = EndpointMonitoring(self, "Chat", hosting=settings.chat, thresholds=thresholds.chat, topic=topic)
        decision = DecisionMonitoring(
            self, "Decision", hosting=settings.decision, thresholds=thresholds.decision, topic=topic
        )
        dashboard = EnvironmentDashboard(self, "Dashboard", chat=chat, decision=decision)
        cdk.CfnOutput(self, "TopicArn", value=topic.topic_arn)
        cdk.CfnOutput(self, "DashboardName", value=dashboard.dashboard.dashboard_name)
