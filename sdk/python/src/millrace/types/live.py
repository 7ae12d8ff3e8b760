# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import List, Literal, TypedDict


class NewChannel(TypedDict):
    channelId: str
    name: str
    slug: str
    record: bool
    dvrSeconds: int
    visibility: Literal["signed", "unlisted", "public"]
    renditions: List[Literal[720] | Literal[480] | Literal[360]]
    slate: bool
    ingest: NewChannelIngest
    playback: NewChannelPlayback
    created_at: str


class NewChannelIngest(TypedDict):
    rtmp: NewChannelIngestRtmp
    backup: NewChannelIngestBackup
    """Takes over while the primary is silent"""
    srt: str | None
    """Null when the range of ports had none left"""
    whip: NewChannelIngestWhip
    """Pages publish there by WebRTC (WHIP), with a stream key as the Bearer token"""


class NewChannelIngestRtmp(TypedDict):
    url: str
    secureUrl: str | None
    """The same in TLS; null when no port is open for it"""
    streamKey: str


class NewChannelIngestBackup(TypedDict):
    """Takes over while the primary is silent"""
    url: str
    secureUrl: str | None
    """The same in TLS; null when no port is open for it"""
    streamKey: str


class NewChannelIngestWhip(TypedDict):
    """Pages publish there by WebRTC (WHIP), with a stream key as the Bearer token"""
    url: str


class NewChannelPlayback(TypedDict):
    hls: str
    """Low-latency HLS; `?token=` of a playback session opens it"""
    open: str | None
    """Low-latency HLS without a token; null while `visibility` is `signed`"""


class ChannelSummary(TypedDict):
    channelId: str
    name: str
    slug: str
    state: Literal["idle", "connecting", "live"]
    """`live` while viewers can watch; `connecting` while a publisher is there and they cannot yet"""
    record: bool
    dvrSeconds: int
    """How far back viewers can go"""
    ingest: ChannelSummaryIngest
    visibility: Literal["signed", "unlisted", "public"]
    renditions: List[Literal[720] | Literal[480] | Literal[360]]
    """Heights that are made beside what the encoder sends"""
    slate: bool
    """Whether viewers are shown a slate while the publisher is away"""
    playback: ChannelSummaryPlayback
    created_at: str


class ChannelSummaryIngest(TypedDict):
    rtmp: ChannelSummaryIngestRtmp
    srt: ChannelSummaryIngestSrt | None
    """Null when the range of ports had none left"""
    whip: ChannelSummaryIngestWhip
    """Pages publish there by WebRTC (WHIP), with a stream key as the Bearer token"""


class ChannelSummaryIngestRtmp(TypedDict):
    url: str
    secureUrl: str | None
    """RTMPS; null when it is closed"""


class ChannelSummaryIngestSrt(TypedDict):
    port: int


class ChannelSummaryIngestWhip(TypedDict):
    """Pages publish there by WebRTC (WHIP), with a stream key as the Bearer token"""
    url: str


class ChannelSummaryPlayback(TypedDict):
    hls: str
    """Low-latency HLS; `?token=` of a playback session opens it"""
    open: str | None
    """Low-latency HLS without a token; null while `visibility` is `signed`"""


class Channel(TypedDict):
    channelId: str
    name: str
    slug: str
    state: Literal["idle", "connecting", "live"]
    """`live` while viewers can watch; `connecting` while a publisher is there and they cannot yet"""
    record: bool
    dvrSeconds: int
    """How far back viewers can go"""
    ingest: ChannelIngest
    visibility: Literal["signed", "unlisted", "public"]
    renditions: List[Literal[720] | Literal[480] | Literal[360]]
    """Heights that are made beside what the encoder sends"""
    slate: bool
    """Whether viewers are shown a slate while the publisher is away"""
    playback: ChannelPlayback
    created_at: str
    stream: Stream | None
    """Null while the channel is idle"""
    closedUntil: str | None
    """Publishers are refused until then, as a broadcast was ended"""
    lastRefusal: Refusal | None
    """The last publisher that was refused, dropped or kept waiting, and why"""


class ChannelIngest(TypedDict):
    rtmp: ChannelIngestRtmp
    srt: ChannelIngestSrt | None
    """Null when the range of ports had none left"""
    whip: ChannelIngestWhip
    """Pages publish there by WebRTC (WHIP), with a stream key as the Bearer token"""


class ChannelIngestRtmp(TypedDict):
    url: str
    secureUrl: str | None
    """RTMPS; null when it is closed"""


class ChannelIngestSrt(TypedDict):
    port: int


class ChannelIngestWhip(TypedDict):
    """Pages publish there by WebRTC (WHIP), with a stream key as the Bearer token"""
    url: str


class ChannelPlayback(TypedDict):
    hls: str
    """Low-latency HLS; `?token=` of a playback session opens it"""
    open: str | None
    """Low-latency HLS without a token; null while `visibility` is `signed`"""


class Stream(TypedDict):
    broadcastId: str
    source: Literal["primary", "backup", "srt"]
    """Which key its publisher came with"""
    startedAt: str
    lastPartAt: str | None
    lastPart: StreamLastPart | None
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
    transcode: Literal["on", "unavailable", "failed"] | None
    """Whether `renditions` are made; `unavailable` where the host had no room for them, or more than 60 pictures come a second; `failed` while they are tried again"""
    warnings: List[str]
    """What the publisher should change, such as B-frames"""
    thumbnailUrl: str | None
    """A picture of the last seconds; the address works for two minutes"""


class StreamLastPart(TypedDict):
    segment: int
    """Media sequence number of its segment"""
    part: int
    """Its place in that, from 0"""
    duration: float
    """Seconds"""
    at: str


class Refusal(TypedDict):
    source: Literal["primary", "backup", "srt"]
    """Which key it came with"""
    reason: Literal["key_rotated", "key_in_use", "standby", "closed", "plan_full", "elsewhere", "silent", "no_key_frame", "unsupported_codecs", "port_taken"]
    message: str
    """For whoever runs the encoder"""
    at: str


class Key(TypedDict):
    channelId: str
    which: Literal["primary", "backup", "srt"]
    streamKey: str
    """Of `srt`, the passphrase"""
    url: str
    """The whole address to publish to, the key included"""


class PlaybackSession(TypedDict):
    sessionId: str
    token: str
    hlsUrl: str
    embedUrl: str
    expiresAt: str
    whepUrl: str
    """Sends the same by WebRTC, half a second behind at most, while its publisher came by WHIP"""
    durationSeconds: Literal[0]
    """A broadcast has no length yet"""


class Broadcast(TypedDict):
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


class Restream(TypedDict):
    restreamId: str
    channelId: str
    name: str
    url: str
    enabled: bool
    state: Literal["idle", "connecting", "live", "failed"]
    """`idle` while nothing is broadcast or it is not enabled, `connecting`, `live` while the target takes the broadcast, `failed` until it is tried again: after a second, then later and later, half a minute at most"""
    reason: Literal["address_refused", "unresolved", "connection_failed", "tls_failed", "timed_out", "refused", "ended", "too_slow", "protocol", "key_unreadable", "publisher_away"] | None
    """Why it is not live"""
    message: str | None
    """The same in a sentence"""
    changedAt: str | None
    """When its state became this"""
    createdAt: str


class ChannelsRemoveReply(TypedDict):
    channelId: str
    deleted: Literal[True]


class BroadcastsEndReply(TypedDict):
    channelId: str
    broadcastId: str
    holdSeconds: int


class RestreamsRemoveReply(TypedDict):
    restreamId: str
    deleted: Literal[True]
