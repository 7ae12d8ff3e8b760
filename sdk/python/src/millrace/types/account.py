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


class KeysCreateLocks(TypedDict):
    """What the key is restricted to; a lock that is left out restricts nothing"""
    from_domains: NotRequired[List[str]]
    app_id: NotRequired[str]
    site_id: NotRequired[str]
    origins: NotRequired[List[str]]
    tenant_id: NotRequired[str]


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
