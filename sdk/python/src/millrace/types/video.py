# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Dict, List, Literal, NotRequired, TypedDict


class Health(TypedDict):
    status: Literal["ok", "degraded"]
    """degraded: uploads are taken, and wait for workers"""
    database: NotRequired[Literal["ok", "away"]]
    storage: NotRequired[Literal["ok", "away"]]
    workers: Literal["ok", "away"]
    """whether there are workers for each step of a video"""
    notice: str | None


class UploadStatus(TypedDict):
    uploadId: str
    assetId: str
    state: Literal["open", "paused", "completed", "aborted", "expired"]
    bytes: int
    partSizeBytes: int
    partsExpected: int
    partsReceived: List[int]
    """Numbers of the parts that storage holds, whole"""
    bytesReceived: int
    progress_percent: float
    expiresAt: str


class UploadSession(TypedDict):
    uploadId: str
    assetId: str
    partSizeBytes: int
    """All parts have exactly this size, except the last"""
    partsExpected: int
    recommendedConcurrency: int
    """Parts to send at once"""
    expiresAt: str
    upload_token: NotRequired[str]
    """For the page, when `browser` was asked for; it ends with the upload, and with the key that started it"""
    upload_token_expires_at: NotRequired[str]


class Import(TypedDict):
    assetId: str
    status: Literal["uploading", "processing", "ready", "failed", "aborted"]
    expiresAt: str


class Watermark(TypedDict):
    id: str
    name: str | None
    bytes: int
    """Size of the decoded image"""
    contentType: Literal["image/png", "image/jpeg"]
    width: int
    height: int
    created_at: str


class AssetSummary(TypedDict):
    id: str
    title: str | None
    description: str | None
    metadata: Dict[str, str]
    externalRef: str | None
    filename: str | None
    mimeType: str | None
    bytes: int
    """0 while that of a file that is fetched is not known"""
    processingProfile: Literal["standard_vod", "fast_social"]
    visibility: Literal["private", "signed", "unlisted", "public"]
    status: Literal["uploading", "processing", "ready", "failed", "aborted"]
    current_stage: Literal["uploading", "queued", "probing", "remuxing", "packaging_source", "encoding", "packaging", "ready", "failed", "aborted"]
    stage: str
    """What to tell people"""
    failure_code: str | None
    """Why it failed, for programs"""
    failure_summary: str | None
    """Why it failed, in plain English"""
    playable: bool
    """Viewers can watch it now, if only in one quality so far"""
    durationSeconds: float | None
    width: int | None
    height: int | None
    frameRate: float | None
    posterUrl: str | None
    """The poster, for those visibilities that need no token"""
    playable_at: str | None
    ready_at: str | None
    created_at: str


Asset = TypedDict(
    "Asset",
    {
        "id": "str",
        "title": "str | None",
        "description": "str | None",
        "metadata": "Dict[str, str]",
        "externalRef": "str | None",
        "filename": "str | None",
        "mimeType": "str | None",
        "bytes": "int",
        "processingProfile": "Literal['standard_vod', 'fast_social']",
        "visibility": "Literal['private', 'signed', 'unlisted', 'public']",
        "status": "Literal['uploading', 'processing', 'ready', 'failed', 'aborted']",
        "current_stage": "Literal['uploading', 'queued', 'probing', 'remuxing', 'packaging_source', 'encoding', 'packaging', 'ready', 'failed', 'aborted']",
        "stage": "str",
        "failure_code": "str | None",
        "failure_summary": "str | None",
        "playable": "bool",
        "durationSeconds": "float | None",
        "width": "int | None",
        "height": "int | None",
        "frameRate": "float | None",
        "posterUrl": "str | None",
        "playable_at": "str | None",
        "ready_at": "str | None",
        "created_at": "str",
        "progress_percent": "float",
        "upload_id": "NotRequired[str]",
        "import": "NotRequired[AssetImport]",
        "encoding": "NotRequired[bool]",
        "queuePosition": "NotRequired[int | None]",
        "stageLabel": "NotRequired[str]",
        "estimatedReadyAt": "NotRequired[str | None]",
        "etaBasis": "NotRequired[Literal['progress', 'historical', 'paused'] | None]",
        "renditions": "List[AssetRenditionsItem]",
        "left_out": "List[AssetLeftOutItem]",
        "captions": "List[Captions]",
    },
)


class AssetImport(TypedDict):
    """Of one that is fetched by its address"""
    url: str
    """Without its query"""
    state: Literal["waiting", "fetching", "fetched", "failed"]
    bytesReceived: int
    bytes: int | None
    """Null while the server has not told"""
    progress_percent: float | None


class AssetRenditionsItem(TypedDict):
    name: str
    width: int
    height: int
    bytes: int
    bandwidth: int
    """Bits per second of the largest segment"""
    averageBandwidth: int
    codec: str


class AssetLeftOutItem(TypedDict):
    kind: Literal["audio", "video"]
    track: int
    language: str | None
    name: str | None
    reason: Literal["limit", "undecodable", "late"]


class Captions(TypedDict):
    language: str
    state: Literal["queued", "processing", "ready", "failed"]
    name: str | None
    """What players call the track; null for the name of its language"""
    default: bool
    """Shown to viewers who have not chosen"""
    source: Literal["automatic", "uploaded", "corrected"]
    """Written by a program, given by you, or written by a program and corrected by you"""
    progress_percent: float
    failure_summary: str | None
    """Why they could not be made, in plain English"""
    captionPath: str


class Mp4(TypedDict):
    assetId: str
    rendition: str
    state: Literal["queued", "ready", "failed"]
    bytes: int | None
    url: str | None
    """Works for an hour, once the file is there"""


class CaptionTrack(TypedDict):
    assetId: str
    captions: Captions


class CaptionRequest(TypedDict):
    assetId: str
    language: str
    requestId: str
    """The same for every request for these captions"""
    state: Literal["queued", "processing", "ready", "failed"]
    captionPath: str
    """Where the WebVTT file will appear"""


class ListedSession(TypedDict):
    sessionId: str
    assetId: str | None
    channelId: str | None
    """Of a live channel"""
    viewerId: str | None
    host: str
    allowedCountries: List[str]
    blockedCountries: List[str]
    expiresAt: str
    revokedAt: str | None
    createdAt: str


class PlaybackSession(TypedDict):
    sessionId: str
    token: str
    hlsUrl: str
    embedUrl: str
    expiresAt: str
    durationSeconds: int
    """Length of the video"""


class Domain(TypedDict):
    id: str
    hostname: str
    status: Literal["pending", "verified", "active"]
    """active: proven, and served with a certificate"""
    dnsRecord: DomainDnsRecord
    """Create it, then call verify"""
    target: str | None
    """Where to point the host name to, with a CNAME record; null: ask the operator"""
    verified_at: str | None
    certificate: DomainCertificate | None
    """Null until the domain is proven"""
    created_at: str


class DomainDnsRecord(TypedDict):
    """Create it, then call verify"""
    type: Literal["TXT"]
    name: str
    value: str


class DomainCertificate(TypedDict):
    state: Literal["off", "ordering", "issued", "failed"]
    message: str | None
    """What is being done, or why there is none yet"""
    expires_at: str | None
    next_attempt_at: str | None


class Embedding(TypedDict):
    origins: List[str]
    """Sites that may show your players in a frame; none: all may"""


Quality = TypedDict(
    "Quality",
    {
        "assetId": "str",
        "from": "str",
        "to": "str",
        "totals": "QualityTotals",
        "hours": "List[QualityHoursItem]",
        "errors": "List[QualityErrorsItem]",
    },
)


class QualityTotals(TypedDict):
    views: int
    playSeconds: float
    startupP50Seconds: float | None
    """From a histogram: good to about a tenth"""
    startupP95Seconds: float | None
    rebufferRatio: float | None
    """Of the time playing and waiting, the share spent waiting; null when there is nothing to divide by"""
    rebuffers: int
    meanBitrate: float | None
    """Bits per second of time played; null when there is nothing to divide by"""
    errorRate: float | None
    """Of the views, the share that an error has ended; null when there is nothing to divide by"""
    droppedFrameRatio: float | None
    """Of the decoded frames, the share that was not shown; null when there is nothing to divide by"""
    switches: int
    """Changes of rendition"""


class QualityHoursItem(TypedDict):
    views: int
    playSeconds: float
    startupP50Seconds: float | None
    """From a histogram: good to about a tenth"""
    startupP95Seconds: float | None
    rebufferRatio: float | None
    """Of the time playing and waiting, the share spent waiting; null when there is nothing to divide by"""
    rebuffers: int
    meanBitrate: float | None
    """Bits per second of time played; null when there is nothing to divide by"""
    errorRate: float | None
    """Of the views, the share that an error has ended; null when there is nothing to divide by"""
    droppedFrameRatio: float | None
    """Of the decoded frames, the share that was not shown; null when there is nothing to divide by"""
    switches: int
    """Changes of rendition"""
    at: str


class QualityErrorsItem(TypedDict):
    code: str
    fatal: bool
    count: int


class HealthLiveReply(TypedDict):
    status: Literal["ok"]


class UploadsAbortReply(TypedDict):
    uploadId: str
    assetId: str
    state: Literal["aborted"]


class UploadsCompleteReply(TypedDict):
    uploadId: str
    assetId: str
    status: Literal["uploading", "processing", "ready", "failed", "aborted"]


class UploadsStartCaptionsItem(TypedDict):
    language: str
    """BCP 47"""
    text: NotRequired[str]
    """WebVTT or SRT; without it a program writes them once the asset is ready (`en`)"""
    name: NotRequired[str]
    default: NotRequired[bool]


class UploadsStartWatermark(TypedDict):
    """A logo to lay over every picture; such an asset is playable when its ladder is ready"""
    watermarkId: str
    position: NotRequired[Literal["tl", "tr", "bl", "br"]]
    opacity: NotRequired[float]


class UploadsStartBrowser(TypedDict):
    """Lets a page send the bytes without a key: the answer has an `upload_token`, which goes as `Authorization: Bearer`"""
    origins: List[str]
    """Origins of the pages that may use the token"""
    expires_in: NotRequired[int]
    """Seconds until the token ends"""


class UploadPartsSignReply(TypedDict):
    uploadId: str
    parts: List[UploadPartsSignReplyPartsItem]
    expiresInSeconds: int
    expiresAt: str


class UploadPartsSignReplyPartsItem(TypedDict):
    partNumber: int
    url: str
    bytes: int
    """What the PUT must send; it is signed"""


class ImportsStartCaptionsItem(TypedDict):
    language: str
    """BCP 47"""
    text: NotRequired[str]
    """WebVTT or SRT; without it a program writes them once the asset is ready (`en`)"""
    name: NotRequired[str]
    default: NotRequired[bool]


class ImportsStartWatermark(TypedDict):
    """A logo to lay over every picture; such an asset is playable when its ladder is ready"""
    watermarkId: str
    position: NotRequired[Literal["tl", "tr", "bl", "br"]]
    opacity: NotRequired[float]


class WatermarksImageReply(TypedDict):
    url: str
    contentType: str
    expiresInSeconds: int


class AssetsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class AssetsSetVisibilityReply(TypedDict):
    id: str
    visibility: Literal["private", "signed", "unlisted", "public"]
    poster: Literal["open", "signed", "none"]
    """Whether the poster is served to all, with a token, or not at all"""
    title: NotRequired[str | None]
    """Where it was given, as are the following"""
    description: NotRequired[str | None]
    externalRef: NotRequired[str | None]
    metadata: NotRequired[Dict[str, str]]


class FramesCreateReply(TypedDict):
    url: str
    time: float
    contentType: Literal["image/jpeg"]
    expiresInSeconds: int


class CaptionsRemoveReply(TypedDict):
    assetId: str
    language: str
    deleted: Literal[True]


class SourcesReadReply(TypedDict):
    url: str
    bytes: int
    expiresInSeconds: int


class PlaybackSessionsRevokeReply(TypedDict):
    sessionId: str
    revoked: Literal[True]


class PlaybackSessionsRevokeViewerReply(TypedDict):
    viewerId: str
    revoked: int
    """Sessions that were not over"""


class DomainsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class BeaconsCollectErrorsItem(TypedDict):
    code: Literal["network", "timeout", "server", "rate_limited", "not_found", "expired", "revoked", "forbidden", "country", "manifest", "segment", "decode", "unsupported", "other"]
    fatal: NotRequired[bool]
    count: NotRequired[int]


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
