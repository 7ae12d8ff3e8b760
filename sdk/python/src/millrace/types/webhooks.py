# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import List, Literal, TypedDict


class TestResult(TypedDict):
    event_id: str
    delivered: bool
    response_status: int | None
    latency_ms: int
    response_head: str | None
    error: str | None


class Delivery(TypedDict):
    id: str
    event_id: str
    """The `webhook-id` of every attempt"""
    type: str
    status: Literal["pending", "delivered", "failed"]
    attempts: int
    response_status: int | None
    """Of the last attempt; null when no answer came"""
    latency_ms: int | None
    response_head: str | None
    """The beginning of the answered body, at most 1 KiB"""
    error: str | None
    attempted_at: str | None
    next_attempt_at: str | None
    """Null when there is none"""
    created_at: str


class EndpointWithSecret(TypedDict):
    id: str
    url: str
    events: List[str]
    """The events it is told of; `*` is all"""
    status: Literal["enabled", "disabled"]
    """A disabled one is told of nothing"""
    disabled_reason: str | None
    disabled_at: str | None
    failing_since: str | None
    """Since then every attempt has failed; after 5 days it is disabled"""
    previous_secret_until: str | None
    """Deliveries are signed with the secret before, too, until then"""
    created_at: str
    secret: str
    """Verifies the signatures; shown this once"""


class Endpoint(TypedDict):
    id: str
    url: str
    events: List[str]
    """The events it is told of; `*` is all"""
    status: Literal["enabled", "disabled"]
    """A disabled one is told of nothing"""
    disabled_reason: str | None
    disabled_at: str | None
    failing_since: str | None
    """Since then every attempt has failed; after 5 days it is disabled"""
    previous_secret_until: str | None
    """Deliveries are signed with the secret before, too, until then"""
    created_at: str
