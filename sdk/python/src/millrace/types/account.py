# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict


class Catalogue(TypedDict):
    version: str
    areas: List[CatalogueAreasItem]


class CatalogueAreasItem(TypedDict):
    name: str
    title: str
    base_path: str
    operations: List[CatalogueAreasItemOperationsItem]


class CatalogueAreasItemOperationsItem(TypedDict):
    id: str
    method: str
    path: str
    summary: str
    scope: str | List[str] | None


class AuditEntry(TypedDict):
    id: str
    number: int
    """Counts the organisation’s entries from 1, without a gap"""
    created_at: str
    actor: AuditEntryActor
    action: str
    """`<resource>.<verb>`, as `key.created`"""
    target: str | None
    """What it was done to"""
    request_id: str | None
    network: str | None
    """The /24 or /48 from which it was asked for"""
    before: Dict[str, Any] | None
    after: Dict[str, Any] | None
    previous_hash: str
    hash: str
    """SHA-256 over the hash before and this entry; `millrace audit check` verifies an export"""


class AuditEntryActor(TypedDict):
    kind: Literal["key", "user", "operator", "system"]
    id: str | None
    name: str


class RequestDetail(TypedDict):
    id: str
    created_at: str
    client_id: str | None
    """The `X-Request-Id` that came with it, which others may have, too"""
    key_id: str
    secret_id: str | None
    operation: str
    status: int
    code: str | None
    """The code of the error that was answered"""
    fields: List[str]
    """Fields that the error named"""
    ms: float
    bytes_in: int | None
    bytes_out: int | None
    network: str
    """The /24 or /48 from which it came"""
    sdk: str | None
    """Name and version of our client that sent it"""
    resource_id: str | None
    """What it made"""
    request_head: str | None
    """Of the body, masked, while a window of its key was open"""
    response_head: str | None
    thread: RequestDetailThread
    """What followed: jobs, their attempts, and what providers answered"""


class RequestDetailThread(TypedDict):
    """What followed: jobs, their attempts, and what providers answered"""
    jobs: List[RequestDetailThreadJobsItem]
    failures: List[RequestDetailThreadFailuresItem]
    email: List[RequestDetailThreadEmailItem]
    push: List[RequestDetailThreadPushItem]
    webhooks: List[RequestDetailThreadWebhooksItem]


class RequestDetailThreadJobsItem(TypedDict):
    id: str
    task: str
    state: Literal["waiting", "running", "done", "failed", "rejected", "cancelled"]
    created_at: Any
    finished_at: Any
    attempts: List[RequestDetailThreadJobsItemAttemptsItem]


class RequestDetailThreadJobsItemAttemptsItem(TypedDict):
    attempt: float
    started_at: Any
    ended_at: Any
    outcome: str | None


class RequestDetailThreadFailuresItem(TypedDict):
    job: str
    task: str
    attempt: float
    final: bool
    ended_at: Any


class RequestDetailThreadEmailItem(TypedDict):
    number: float
    outcome: Literal["delivered", "sent", "deferred", "bounced", "failed", "unknown"]
    reply_class: str | None
    mx_host: str | None
    replies: List[RequestDetailThreadEmailItemRepliesItem]
    started_at: Any
    ended_at: Any


class RequestDetailThreadEmailItemRepliesItem(TypedDict):
    stage: str
    code: float | None
    enhanced: str | None
    text: str
    ms: float


class RequestDetailThreadPushItem(TypedDict):
    number: float
    outcome: Literal["sent", "retry", "invalid_token", "rejected", "credential", "unknown"]
    provider_status: float | None
    reason: str | None
    latency_ms: float | None
    created_at: Any


class RequestDetailThreadWebhooksItem(TypedDict):
    id: str
    endpoint_id: str
    status: Literal["pending", "delivered", "failed"]
    attempts: float
    attempted_at: Any
    response_status: float | None
    latency_ms: float | None
    type: str


class Request(TypedDict):
    id: str
    created_at: str
    client_id: str | None
    """The `X-Request-Id` that came with it, which others may have, too"""
    key_id: str
    secret_id: str | None
    operation: str
    status: int
    code: str | None
    """The code of the error that was answered"""
    fields: List[str]
    """Fields that the error named"""
    ms: float
    bytes_in: int | None
    bytes_out: int | None
    network: str
    """The /24 or /48 from which it came"""
    sdk: str | None
    """Name and version of our client that sent it"""
    resource_id: str | None
    """What it made"""


class RequestWindow(TypedDict):
    key_id: str
    ends_at: str
