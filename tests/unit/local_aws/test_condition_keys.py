import json

import pytest

from local_aws.emulator.condition_keys import (
    builds_project,
    creation_context,
    described_repository,
    log_stream,
    principal,
)


@pytest.mark.parametrize(
    ("query", "headers", "context"),
    [
        ({}, {}, {"s3:ObjectCreationOperation": "true"}),
        ({}, {"if-none-match": "*"}, {"s3:ObjectCreationOperation": "true", "s3:if-none-match": "*"}),
        ({"uploads": [""]}, {}, {"s3:ObjectCreationOperation": "false"}),
        ({"uploadId": ["u"], "partNumber": ["1"]}, {}, {"s3:ObjectCreationOperation": "false"}),
        ({"uploadId": ["u"]}, {}, {"s3:ObjectCreationOperation": "true"}),
    ],
)
def test_only_calls_that_create_an_object_are_said_to(
    query: dict[str, list[str]], headers: dict[str, str], context: dict[str, str]
) -> None:
    """A put and the completion of a multipart upload create the object; starting one and its parts do not."""
    assert context == creation_context("s3:PutObject", query, headers)


def test_other_actions_have_no_such_keys() -> None:
    """Reading carries neither key, even with the header of a conditional read."""
    assert creation_context("s3:GetObject", {}, {"if-none-match": "etag"}) == {}


@pytest.mark.parametrize(
    ("body", "resource"),
    [
        ({"ids": ["p:1", "p:2"]}, "arn:aws:codebuild:r:a:project/p"),
        ({"ids": ["p:1", "q:2"]}, "*"),
        ({"ids": ["arn:aws:codebuild:r:a:build/p:1"]}, "arn:aws:codebuild:r:a:project/p"),
        ({"ids": []}, "*"),
        ([], "*"),
    ],
)
def test_builds_are_authorized_on_their_project(body: object, resource: str) -> None:
    """BatchGetBuilds is about the one project that its builds belong to."""
    assert resource == builds_project(json.dumps(body).encode(), "r", "a")


@pytest.mark.parametrize(
    ("operation", "body", "resource"),
    [
        ("PutLogEvents", b'{"logStreamName": "s"}', "arn:g:log-stream:s"),
        ("CreateLogGroup", b"{}", "arn:g:log-stream:"),
        ("DescribeLogStreams", b"[", "arn:g:log-stream:"),
        ("PutRetentionPolicy", b"{}", "arn:g"),
    ],
)
def test_calls_about_streams_are_authorized_below_their_group(operation: str, body: bytes, resource: str) -> None:
    """A policy that names only the group, without `:*`, allows none of these calls."""
    assert resource == log_stream(f"Logs_20140328.{operation}", body, "arn:g")


@pytest.mark.parametrize(
    ("body", "resource"),
    [
        ({"repositoryNames": ["a/b"]}, "arn:aws:ecr:r:a:repository/a/b"),
        ({"repositoryNames": ["a", "b"]}, "*"),
        ({"repositoryNames": "ab"}, "*"),
        ({}, "*"),
        ([], "*"),
    ],
)
def test_described_repository_is_what_the_call_is_authorized_on(body: object, resource: str) -> None:
    """DescribeRepositories of one repository needs permission for that one only."""
    assert resource == described_repository(json.dumps(body).encode(), "r", "a")


@pytest.mark.parametrize(
    ("caller", "said"),
    [
        ("arn:aws:sts::000000000000:assumed-role/a-role/a-session", "arn:aws:iam::000000000000:role/a-role"),
        ("arn:aws:iam::000000000000:user/operator", "arn:aws:iam::000000000000:user/operator"),
        ("arn:aws:iam::000000000000:root", "arn:aws:iam::000000000000:root"),
        ("", ""),
    ],
)
def test_principal_of_a_session_is_its_role(caller: str, said: str) -> None:
    """Policies name the role, whatever its sessions are called."""
    assert principal(caller) == said
