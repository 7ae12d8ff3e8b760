# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import List, Literal, NotRequired, TypedDict


class Health(TypedDict):
    status: Literal["ok", "degraded"]
    """degraded: uploads are taken, and wait for workers"""
    database: NotRequired[Literal["ok", "away"]]
    storage: NotRequired[Literal["ok", "away"]]
    workers: Literal["ok", "away"]
    """whether there are workers for each step of a video"""
    notice: str | None


class UploadSession(TypedDict):
    uploadId: str
    assetId: str
    partSizeBytes: int
    """All parts have exactly this size, except the last"""
    partsExpected: int
    recommendedConcurrency: int
    """Parts to send at once"""
    expiresAt: str


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
    externalRef: str | None
    filename: str | None
    mimeType: str | None
    bytes: int
    processingProfile: Literal["standard_vod", "fast_social"]
    visibility: Literal["private", "signed", "unlisted", "public"]
    status: Literal["uploading", "processing", "ready", "failed", "aborted"]
    current_stage: Literal["uploading", "queued", "probing", "remuxing", "packaging_source", "encoding", "packaging", "ready", "failed", "aborted"]
    stage: str
    """What to tell people"""
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


class Asset(TypedDict):
    id: str
    title: str | None
    externalRef: str | None
    filename: str | None
    mimeType: str | None
    bytes: int
    processingProfile: Literal["standard_vod", "fast_social"]
    visibility: Literal["private", "signed", "unlisted", "public"]
    status: Literal["uploading", "processing", "ready", "failed", "aborted"]
    current_stage: Literal["uploading", "queued", "probing", "remuxing", "packaging_source", "encoding", "packaging", "ready", "failed", "aborted"]
    stage: str
    """What to tell people"""
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
    progress_percent: float
    """0 while nothing has happened to it yet"""
    upload_id: NotRequired[str]
    """While uploading"""
    encoding: NotRequired[bool]
    """While processing: whether anything is happening to this video yet"""
    queuePosition: NotRequired[int | None]
    """While it waits: 1 is next"""
    stageLabel: NotRequired[str]
    estimatedReadyAt: NotRequired[str | None]
    """Null without enough history"""
    etaBasis: NotRequired[Literal["progress", "historical", "paused"] | None]
    """What the estimate rests on; `paused` while operators have paused what it waits for, and there is none"""
    renditions: List[AssetRenditionsItem]
    """What is served now"""
    left_out: List[AssetLeftOutItem]
    """Tracks of the upload that viewers do not get: more than eight of sound, or undecodable; `track` counts its sound tracks from 1"""
    captions: List[Captions]
    """Those that were asked for"""


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
    kind: Literal["audio"]
    track: int
    language: str | None
    name: str | None
    reason: Literal["limit", "undecodable"]


class Captions(TypedDict):
    language: str
    state: Literal["queued", "processing", "ready", "failed"]
    progress_percent: float
    failure_summary: str | None
    """Why they could not be made, in plain English"""
    captionPath: str


class CaptionRequest(TypedDict):
    assetId: str
    language: str
    requestId: str
    """The same for every request for these captions"""
    state: Literal["queued", "processing", "ready", "failed"]
    captionPath: str
    """Where the WebVTT file will appear"""


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


class NewLiveChannel(TypedDict):
    channelId: str
    name: str
    slug: str
    record: bool
    dvrSeconds: int
    visibility: Literal["signed", "unlisted", "public"]
    ingest: NewLiveChannelIngest
    playback: NewLiveChannelPlayback
    created_at: str


class NewLiveChannelIngest(TypedDict):
    rtmp: NewLiveChannelIngestRtmp
    backup: NewLiveChannelIngestBackup
    """Takes over while the primary is silent"""
    srt: str | None
    """Null when the range of ports had none left"""


class NewLiveChannelIngestRtmp(TypedDict):
    url: str
    secureUrl: str | None
    """The same in TLS; null when no port is open for it"""
    streamKey: str


class NewLiveChannelIngestBackup(TypedDict):
    """Takes over while the primary is silent"""
    url: str
    secureUrl: str | None
    """The same in TLS; null when no port is open for it"""
    streamKey: str


class NewLiveChannelPlayback(TypedDict):
    hls: str
    """Low-latency HLS; `?token=` of a playback session opens it"""
    open: str | None
    """Low-latency HLS without a token; null while `visibility` is `signed`"""


class LiveChannelSummary(TypedDict):
    channelId: str
    name: str
    slug: str
    state: Literal["idle", "connecting", "live"]
    """`live` while viewers can watch; `connecting` while a publisher is there and they cannot yet"""
    record: bool
    dvrSeconds: int
    """How far back viewers can go"""
    ingest: LiveChannelSummaryIngest
    visibility: Literal["signed", "unlisted", "public"]
    playback: LiveChannelSummaryPlayback
    created_at: str


class LiveChannelSummaryIngest(TypedDict):
    rtmp: LiveChannelSummaryIngestRtmp
    srt: LiveChannelSummaryIngestSrt | None
    """Null when the range of ports had none left"""


class LiveChannelSummaryIngestRtmp(TypedDict):
    url: str
    secureUrl: str | None
    """RTMPS; null when it is closed"""


class LiveChannelSummaryIngestSrt(TypedDict):
    port: int


class LiveChannelSummaryPlayback(TypedDict):
    hls: str
    """Low-latency HLS; `?token=` of a playback session opens it"""
    open: str | None
    """Low-latency HLS without a token; null while `visibility` is `signed`"""


class LiveChannel(TypedDict):
    channelId: str
    name: str
    slug: str
    state: Literal["idle", "connecting", "live"]
    """`live` while viewers can watch; `connecting` while a publisher is there and they cannot yet"""
    record: bool
    dvrSeconds: int
    """How far back viewers can go"""
    ingest: LiveChannelIngest
    visibility: Literal["signed", "unlisted", "public"]
    playback: LiveChannelPlayback
    created_at: str
    stream: LiveStream | None
    """Null while the channel is idle"""
    closedUntil: str | None
    """Publishers are refused until then, as a broadcast was ended"""
    lastRefusal: LiveRefusal | None
    """The last publisher that was refused, dropped or kept waiting, and why"""


class LiveChannelIngest(TypedDict):
    rtmp: LiveChannelIngestRtmp
    srt: LiveChannelIngestSrt | None
    """Null when the range of ports had none left"""


class LiveChannelIngestRtmp(TypedDict):
    url: str
    secureUrl: str | None
    """RTMPS; null when it is closed"""


class LiveChannelIngestSrt(TypedDict):
    port: int


class LiveChannelPlayback(TypedDict):
    hls: str
    """Low-latency HLS; `?token=` of a playback session opens it"""
    open: str | None
    """Low-latency HLS without a token; null while `visibility` is `signed`"""


class LiveStream(TypedDict):
    broadcastId: str
    source: Literal["primary", "backup", "srt"]
    """Which key its publisher came with"""
    startedAt: str
    lastPartAt: str | None
    lastPart: LiveStreamLastPart | None
    """The newest part that viewers can ask for"""
    bitRate: int | None
    """Bits a second over the last seconds"""
    frameRate: float | None
    videoCodec: str | None
    """As in RFC 6381, such as `avc1.64001f`"""
    audioCodec: str | None
    width: int | None
    height: int | None
    gopSeconds: float | None
    """Seconds from one key frame to the next"""
    viewers: int | None
    warnings: List[str]
    """What the publisher should change, such as B-frames"""
    thumbnailUrl: str | None
    """A picture of the last seconds; the address works for two minutes"""


class LiveStreamLastPart(TypedDict):
    segment: int
    """Media sequence number of its segment"""
    part: int
    """Its place in that, from 0"""
    duration: float
    """Seconds"""
    at: str


class LiveRefusal(TypedDict):
    source: Literal["primary", "backup", "srt"]
    """Which key it came with"""
    reason: Literal["key_rotated", "key_in_use", "standby", "closed", "plan_full", "elsewhere", "silent", "no_key_frame", "unsupported_codecs", "port_taken"]
    message: str
    """For whoever runs the encoder"""
    at: str


class LiveKey(TypedDict):
    channelId: str
    which: Literal["primary", "backup", "srt"]
    streamKey: str
    """Of `srt`, the passphrase"""
    url: str
    """The whole address to publish to, the key included"""


class LivePlaybackSession(TypedDict):
    sessionId: str
    token: str
    hlsUrl: str
    embedUrl: str
    expiresAt: str
    durationSeconds: Literal[0]
    """A broadcast has no length yet"""


class LiveBroadcast(TypedDict):
    broadcastId: str
    startedAt: str
    liveAt: str | None
    """When it could first be watched"""
    endedAt: str | None
    endReason: Literal["stopped", "silent", "ended", "deleted", "lost", "failed"] | None
    """`stopped` by the encoder, `silent` as nothing came any more, `ended` or `deleted` by the API, `lost` with its worker, `failed` as it could not be packaged"""
    recording: Literal["none", "recording", "processing", "ready"]
    """`processing` until the asset can be played; `none` if the channel did not record"""
    assetId: str | None
    """The recording"""
    recordedAt: str | None
    """When the recording could first be played"""


class Room(TypedDict):
    roomId: str
    name: str
    state: Literal["idle", "active", "ended"]
    """`active` while somebody is in it; `idle` before anybody came and while it is empty"""
    maxParticipants: int
    record: bool
    emptyTimeoutSeconds: int
    participants: int
    """How many are in it now"""
    publishing: int
    """How many of them publish"""
    created_at: str
    startedAt: str | None
    """When the first participant came"""
    emptySince: str | None
    """Since when nobody is in it; from the start, until somebody comes"""
    endedAt: str | None
    endReason: Literal["ended", "empty"] | None
    """`ended` by the API; `empty` as nobody came in time"""


class RoomBroadcast(TypedDict):
    broadcastId: str
    roomId: str
    channelId: str
    state: Literal["starting", "live", "ended", "failed"]
    """`live` once the channel could be watched"""
    startedAt: str
    liveAt: str | None
    endedAt: str | None
    endReason: Literal["stopped", "room_ended", "channel_ended", "channel_deleted", "key_changed", "refused"] | None
    message: str | None
    """Why it failed"""


class RoomRecording(TypedDict):
    recordingId: str
    state: Literal["starting", "recording", "stored", "recorded", "failed"]
    """`stored` when the room has ended, `recorded` when it is an asset"""
    startedAt: str
    endedAt: str | None
    assetId: str | None
    message: str | None
    """Why it failed"""


class RoomToken(TypedDict):
    token: str
    roomId: str
    identity: str
    displayName: str
    role: Literal["host", "participant", "viewer"]
    url: str | None
    """Where clients connect to now; null while no worker takes rooms"""
    joinUrl: str
    """The ready page"""
    expiresAt: str


class RoomParticipant(TypedDict):
    participantId: str
    identity: str
    displayName: str
    role: Literal["host", "participant", "viewer"]
    state: Literal["joined", "publishing"]
    """`publishing` while the media server receives their media"""
    since: str
    tracks: List[RoomParticipantTracksItem]


class RoomParticipantTracksItem(TypedDict):
    kind: Literal["audio", "video"]
    source: Literal["microphone", "camera", "screen"]
    muted: bool


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


class UploadsStartWatermark(TypedDict):
    """A logo to lay over every picture; such an asset is playable when its ladder is ready"""
    watermarkId: str
    position: NotRequired[Literal["tl", "tr", "bl", "br"]]
    opacity: NotRequired[float]


class UploadsAbortReply(TypedDict):
    uploadId: str
    assetId: str
    state: Literal["aborted"]


class UploadsCompleteReply(TypedDict):
    uploadId: str
    assetId: str
    status: Literal["uploading", "processing", "ready", "failed", "aborted"]


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


class WatermarksImageReply(TypedDict):
    url: str
    contentType: str
    expiresInSeconds: int


class AssetsSetVisibilityReply(TypedDict):
    id: str
    visibility: Literal["private", "signed", "unlisted", "public"]
    poster: Literal["open", "signed", "none"]
    """Whether the poster is served to all, with a token, or not at all"""


class AssetsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class SourcesReadReply(TypedDict):
    url: str
    bytes: int
    expiresInSeconds: int


class PlaybackSessionsRevokeReply(TypedDict):
    sessionId: str
    revoked: Literal[True]


class DomainsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class LiveChannelsRemoveReply(TypedDict):
    channelId: str
    deleted: Literal[True]


class LiveBroadcastsEndReply(TypedDict):
    channelId: str
    broadcastId: str
    holdSeconds: int


class RoomsEndReply(TypedDict):
    roomId: str
    state: Literal["ended"]


class RoomRecordingsListReply(TypedDict):
    data: List[RoomRecording]


class RoomParticipantsListReply(TypedDict):
    data: List[RoomParticipant]
    reconciledAt: str | None
    """Of when this is; null while no worker has the room, and nobody is in it"""


class RoomParticipantsKickReply(TypedDict):
    roomId: str
    participantId: str


class RoomParticipantsMuteReply(TypedDict):
    roomId: str
    participantId: str
    kinds: List[Literal["audio", "video"]]


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
