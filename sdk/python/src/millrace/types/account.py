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


class Event(TypedDict):
    id: str
    """The `webhook-id` of its deliveries"""
    type: str
    timestamp: str
    """When it happened"""
    data: Dict[str, Any]


class EventSettings(TypedDict):
    keep_events: bool
    """Events are kept without a subscriber, too; off by default"""


class Invitation(TypedDict):
    id: str
    email: str
    role: Literal["owner", "admin", "developer", "viewer"]
    created_at: str
    sent_at: str | None
    """When its link was last mailed; null while it waits to be"""
    expires_at: str


class Member(TypedDict):
    user_id: str
    email: str
    name: str
    role: Literal["owner", "admin", "developer", "viewer"]
    created_at: str
    """Since when they belong to the organisation"""
    seen_at: str | None
    """When a session of theirs was last used; null when none is open"""
    disabled_at: str | None
    passkeys: int
    """How many they can sign in with"""


class WebhookWithSecret(TypedDict):
    id: str
    name: str | None
    url: str
    types: List[str]
    mode: Literal["live", "test"] | None
    """Null for events of both; those of sandbox keys are test"""
    area: str | None
    """The area at whose address it was made, and of which alone it is told"""
    status: Literal["enabled", "paused", "disabled"]
    """What happens while it is paused waits for it"""
    disabled_reason: str | None
    disabled_at: str | None
    paused_at: str | None
    failing_since: str | None
    """Since then every attempt has failed; after 5 days it is disabled"""
    previous_secret_until: str | None
    """Deliveries are signed with the secret before, too, until then"""
    created_at: str
    secret: str
    """Verifies the signatures; shown this once"""


class Webhook(TypedDict):
    id: str
    name: str | None
    url: str
    types: List[str]
    mode: Literal["live", "test"] | None
    """Null for events of both; those of sandbox keys are test"""
    area: str | None
    """The area at whose address it was made, and of which alone it is told"""
    status: Literal["enabled", "paused", "disabled"]
    """What happens while it is paused waits for it"""
    disabled_reason: str | None
    disabled_at: str | None
    paused_at: str | None
    failing_since: str | None
    """Since then every attempt has failed; after 5 days it is disabled"""
    previous_secret_until: str | None
    """Deliveries are signed with the secret before, too, until then"""
    created_at: str


class WebhooksRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class WebhookDeliveriesReplayReply(TypedDict):
    id: str
    status: Literal["pending", "delivered", "failed"]


class WebhookDeliveriesReplaySinceReply(TypedDict):
    replayed: int
    next_since: str | None
    """Null when none is left"""
