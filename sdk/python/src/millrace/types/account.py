# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict


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


class Organisation(TypedDict):
    id: str
    name: str
    plan: str
    created_at: str
    limits: Dict[str, float]
    """What the plan allows, by the name of the limit"""
    mode: Literal["live", "test"]
    """That of the asking key"""


class KeyWithSecret(TypedDict):
    id: str
    name: str
    prefix: str
    start: str
    """How its newest secret begins"""
    scopes: List[str]
    locks: KeyWithSecretLocks
    mode: Literal["live", "test"]
    public: bool
    created_by: str | None
    """The kind of actor and its id, as `user:…`; null where it was not noted"""
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None
    rate_per_minute: float | None
    networks: List[str] | None
    note: str | None
    secrets: List[KeySecret]
    """Those that are good, newest first: two while it is rotated"""
    secret: str
    """The key itself, this once"""


class KeyWithSecretLocks(TypedDict):
    from_domains: NotRequired[List[str]]
    app_id: NotRequired[str]
    site_id: NotRequired[str]
    origins: NotRequired[List[str]]
    tenant_id: NotRequired[str]
    calls: NotRequired[Literal[False]]


class KeySecret(TypedDict):
    id: str
    start: str
    """How it begins: the prefix, and four characters where they are known"""
    created_at: str
    expires_at: str | None
    first_used_at: str | None
    last_used_at: str | None


class Key(TypedDict):
    id: str
    name: str
    prefix: str
    start: str
    """How its newest secret begins"""
    scopes: List[str]
    locks: KeyLocks
    mode: Literal["live", "test"]
    public: bool
    created_by: str | None
    """The kind of actor and its id, as `user:…`; null where it was not noted"""
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None
    rate_per_minute: float | None
    networks: List[str] | None
    note: str | None
    secrets: List[KeySecret]
    """Those that are good, newest first: two while it is rotated"""


class KeyLocks(TypedDict):
    from_domains: NotRequired[List[str]]
    app_id: NotRequired[str]
    site_id: NotRequired[str]
    origins: NotRequired[List[str]]
    tenant_id: NotRequired[str]
    calls: NotRequired[Literal[False]]


class KeyVerdict(TypedDict):
    allowed: bool
    why: List[KeyVerdictWhyItem]
    """All that would refuse it"""
    depends_on: List[Literal["from", "app_id", "site_id", "tenant_id", "origin", "network"]]
    """Facts that were not given, by which it may be refused"""


class KeyVerdictWhyItem(TypedDict):
    kind: Literal["state", "public_key", "scope", "lock", "network"]
    name: str
    message: str


class Lock(TypedDict):
    name: str
    scopes: List[str] | None
    """A key with this lock has one of these; null is any"""
    binds: List[str]
    """Operations that it allows or refuses by what they are about"""
    refuses: List[str]
    """Operations that it refuses"""


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


class Invitation(TypedDict):
    id: str
    email: str
    role: Literal["owner", "admin", "developer", "viewer"]
    created_at: str
    sent_at: str | None
    """When its link was last mailed; null while it waits to be"""
    expires_at: str


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
    created_at: str
    finished_at: str | None
    attempts: List[RequestDetailThreadJobsItemAttemptsItem]


class RequestDetailThreadJobsItemAttemptsItem(TypedDict):
    attempt: float
    started_at: str
    ended_at: str | None
    outcome: str | None


class RequestDetailThreadFailuresItem(TypedDict):
    job: str
    task: str
    attempt: float
    final: bool
    ended_at: str


class RequestDetailThreadEmailItem(TypedDict):
    number: float
    outcome: Literal["delivered", "sent", "deferred", "bounced", "failed", "unknown"]
    reply_class: str | None
    mx_host: str | None
    replies: List[RequestDetailThreadEmailItemRepliesItem]
    started_at: str
    ended_at: str


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
    created_at: str


class RequestDetailThreadWebhooksItem(TypedDict):
    id: str
    endpoint_id: str
    status: Literal["pending", "delivered", "failed"]
    attempts: float
    attempted_at: str | None
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


DailyUsage = TypedDict(
    "DailyUsage",
    {
        "metric": "Literal['requests', 'email.messages', 'email.delivered', 'ai.tokens', 'ai.requests', 'bots.answers', 'storage.bytes', 'push.messages', 'push.deliveries', 'guard.challenges', 'video.stored', 'video.encoded', 'video.delivered', 'video.views', 'video.bytes', 'live.broadcast', 'rooms.participants', 'voice.seconds', 'voice.calls', 'whatsapp.messages', 'whatsapp.received', 'identity.checks', 'trust.checks', 'geo.lookups', 'erp.lookups', 'notify.events', 'files.scans', 'wiki.snapshots']",
        "unit": "str",
        "from": "str",
        "to": "str",
        "data": "List[DailyUsageDataItem]",
    },
)


class DailyUsageDataItem(TypedDict):
    day: str
    name: str | None
    amount: float


class MetricUsage(TypedDict):
    metric: Literal["requests", "email.messages", "email.delivered", "ai.tokens", "ai.requests", "bots.answers", "storage.bytes", "push.messages", "push.deliveries", "guard.challenges", "video.stored", "video.encoded", "video.delivered", "video.views", "video.bytes", "live.broadcast", "rooms.participants", "voice.seconds", "voice.calls", "whatsapp.messages", "whatsapp.received", "identity.checks", "trust.checks", "geo.lookups", "erp.lookups", "notify.events", "files.scans", "wiki.snapshots"]
    area: str
    unit: str
    words: str
    billable: bool
    period: Literal["month", "day"]
    """Of UTC; a day if your budget counts by days"""
    used: float
    limit: float | None
    """The least of the plan’s limit and your own hard one"""
    soft: float | None
    forecast: float | None
    """What the period comes to if it goes on as it did"""
    resets_at: str


class Budget(TypedDict):
    metric: str
    period: Literal["month", "day"]
    soft: float | None
    hard: float | None
    alert_at: List[int]
    updated_at: str


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


class TestMessage(TypedDict):
    id: str
    """What its area names the message, call or event by"""
    channel: Literal["email", "push", "whatsapp", "voice", "notify"]
    """`notify` is an event; its mail and push stand beside it"""
    to: str
    """An address, a telephone number, or your id of the person"""
    title: str
    """The subject or title, or how the text begins"""
    key_id: str | None
    created_at: str


class TestMessageDetail(TypedDict):
    id: str
    """What its area names the message, call or event by"""
    channel: Literal["email", "push", "whatsapp", "voice", "notify"]
    """`notify` is an event; its mail and push stand beside it"""
    to: str
    """An address, a telephone number, or your id of the person"""
    title: str
    """The subject or title, or how the text begins"""
    key_id: str | None
    created_at: str
    content: Dict[str, Any] | None
    """By channel; null once it is forgotten"""


class KeysCreateLocks(TypedDict):
    """What the key is restricted to; a lock that is left out restricts nothing"""
    from_domains: NotRequired[List[str]]
    app_id: NotRequired[str]
    site_id: NotRequired[str]
    origins: NotRequired[List[str]]
    tenant_id: NotRequired[str]
    calls: NotRequired[Literal[False]]
    """False if the key can neither place nor end calls"""


class KeysRemoveReply(TypedDict):
    id: str
    revoked: Literal[True]


KeyChecksCreateFacts = TypedDict(
    "KeyChecksCreateFacts",
    {
        "from": "NotRequired[str]",
        "app_id": "NotRequired[str]",
        "site_id": "NotRequired[str]",
        "tenant_id": "NotRequired[str]",
        "origin": "NotRequired[str]",
        "network": "NotRequired[str]",
    },
)


class KeyChecksLocksReply(TypedDict):
    data: List[Lock]


class UsageReadReply(TypedDict):
    data: List[MetricUsage]


class BudgetsListReply(TypedDict):
    data: List[Budget]


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


class TestMessagesClearReply(TypedDict):
    deleted: int
