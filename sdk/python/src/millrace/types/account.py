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
