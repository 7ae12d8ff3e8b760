# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Dict, List, Literal, NotRequired, TypedDict


class Health(TypedDict):
    status: Literal["ok", "degraded"]
    """degraded: uploads are taken, and wait for what is away"""
    database: Literal["ok", "away"]
    storage: Literal["ok", "away", "not_configured"]
    scanner: Literal["up", "away"]
    signatures: Literal["official", "test"] | None
    """test: only test files are recognised, no real malware; null while no scanner has been seen"""
    notice: str | None


class Object(TypedDict):
    object_id: str
    product_key: str
    tenant_id: str
    filename: str
    content_type: str
    """As the uploader declared it"""
    detected_type: str | None
    """As the bytes tell it"""
    byte_size: int
    sha256: str | None
    """Of the bytes that were scanned, in hex"""
    scan_status: Literal["awaiting_upload", "pending", "scanning", "clean", "infected", "suspicious", "unscannable", "error"]
    """Only `clean` objects can be downloaded: found so, or `released`"""
    quarantined: bool
    """The bytes were found infected and are put away, or deleted by now"""
    released: bool
    """An operator lets it be downloaded, whatever the verdict says"""
    version: int
    """Of the bytes that all of this is about: the newest clean ones, if any are"""
    uploaded_at: str | None
    created_at: str
    verdict: Verdict | None
    """Null while no scan has ended"""
    newest_version: ObjectNewestVersion | None
    """A newer version that is not served, as it is not found clean"""


class ObjectNewestVersion(TypedDict):
    object_id: str
    version: int
    scan_status: Literal["awaiting_upload", "pending", "scanning", "clean", "infected", "suspicious", "unscannable", "error"]


class Verdict(TypedDict):
    scan_id: str
    engine: str | None
    signature_version: str | None
    heuristics_version: str | None
    reasons: List[Reason]
    """Why it is not clean"""
    scanned_at: str | None


class Reason(TypedDict):
    code: str
    detail: str
    entry: NotRequired[str]


class Upload(TypedDict):
    object_id: str
    upload_url: str
    """PUT the bytes to it"""
    upload_method: Literal["PUT"]
    upload_headers: Dict[str, str]
    """What the PUT must carry, as signed; the size is signed as well"""
    expires_in_seconds: int
    expires_at: str
    scan_status: Literal["awaiting_upload", "pending", "scanning", "clean", "infected", "suspicious", "unscannable", "error"]
    upload_token: NotRequired[str]
    """For the page, when `browser` was asked for; it ends with the upload, and with the key that started it"""
    upload_token_expires_at: NotRequired[str]


class ObjectSummary(TypedDict):
    object_id: str
    product_key: str
    tenant_id: str
    filename: str
    content_type: str
    """As the uploader declared it"""
    detected_type: str | None
    """As the bytes tell it"""
    byte_size: int
    sha256: str | None
    """Of the bytes that were scanned, in hex"""
    scan_status: Literal["awaiting_upload", "pending", "scanning", "clean", "infected", "suspicious", "unscannable", "error"]
    """Only `clean` objects can be downloaded: found so, or `released`"""
    quarantined: bool
    """The bytes were found infected and are put away, or deleted by now"""
    released: bool
    """An operator lets it be downloaded, whatever the verdict says"""
    version: int
    """Of the bytes that all of this is about: the newest clean ones, if any are"""
    uploaded_at: str | None
    created_at: str


class Version(TypedDict):
    object_id: str
    """The id of this version alone"""
    version: int
    served: bool
    """Whether it is what a download of the object answers with"""
    filename: str
    content_type: str
    byte_size: int
    sha256: str | None
    scan_status: Literal["awaiting_upload", "pending", "scanning", "clean", "infected", "suspicious", "unscannable", "error"]
    uploaded_at: str | None
    created_at: str


class VersionUpload(TypedDict):
    object_id: str
    upload_url: str
    """PUT the bytes to it"""
    upload_method: Literal["PUT"]
    upload_headers: Dict[str, str]
    """What the PUT must carry, as signed; the size is signed as well"""
    expires_in_seconds: int
    expires_at: str
    scan_status: Literal["awaiting_upload", "pending", "scanning", "clean", "infected", "suspicious", "unscannable", "error"]
    upload_token: NotRequired[str]
    """For the page, when `browser` was asked for; it ends with the upload, and with the key that started it"""
    upload_token_expires_at: NotRequired[str]
    version_of: str
    version: int


class Scan(TypedDict):
    scan_id: str
    cause: Literal["upload", "requested", "signatures", "same_bytes"]
    status: Literal["pending", "scanning", "clean", "infected", "suspicious", "unscannable", "error"]
    engine: str | None
    signature_version: str | None
    heuristics_version: str | None
    reasons: List[Reason]
    created_at: str
    finished_at: str | None


class UploadsStartBrowser(TypedDict):
    """Lets a page send the bytes without a key: the answer has an `upload_token`, which goes as `Authorization: Bearer`"""
    origins: List[str]
    """Origins of the pages that may use the token"""
    expires_in: NotRequired[int]
    """Seconds until the token ends"""


class ObjectsDownloadUrlReply(TypedDict):
    object_id: str
    version: int
    """Of the bytes"""
    download_url: str
    filename: str
    byte_size: int
    sha256: str
    expires_in_seconds: int
    expires_at: str


class ObjectsRemoveReply(TypedDict):
    object_id: str
    deleted: Literal[True]


class VersionsListReply(TypedDict):
    data: List[Version]
    """All of them, 100 at most"""


class VersionsStartBrowser(TypedDict):
    """Lets a page send the bytes without a key: the answer has an `upload_token`, which goes as `Authorization: Bearer`"""
    origins: List[str]
    """Origins of the pages that may use the token"""
    expires_in: NotRequired[int]
    """Seconds until the token ends"""


class PreviewsCreateReply(TypedDict):
    object_id: str
    version: int
    page: int
    preview_url: str
    content_type: Literal["image/jpeg"]
    expires_in_seconds: int


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


class RescansListReply(TypedDict):
    data: List[Scan]
