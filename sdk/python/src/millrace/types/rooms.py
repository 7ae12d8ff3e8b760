# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import List, Literal, TypedDict


class Room(TypedDict):
    roomId: str
    name: str
    state: Literal["idle", "active", "ended"]
    """`active` while somebody is in it; `idle` before anybody came and while it is empty"""
    maxParticipants: int
    record: bool
    emptyTimeoutSeconds: int
    chat: Literal["all", "publishers", "off"]
    """Who may write to others: `all`, `publishers` (hosts and participants) or nobody (`off`)"""
    waitingRoom: bool
    """Whoever is no host waits until they are let in"""
    layout: Literal["grid", "speaker", "screen"]
    """How the picture of a broadcast or recording is laid out"""
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


class Broadcast(TypedDict):
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


class Restream(TypedDict):
    restreamId: str
    roomId: str
    name: str
    url: str
    enabled: bool
    state: Literal["idle", "connecting", "live", "failed"]
    """`idle` while no worker has the room or it is not enabled, `connecting`, `live` while the target takes the picture, `failed` until it is tried again: after a second, then later and later, half a minute at most"""
    reason: Literal["address_refused", "unresolved", "connection_failed", "tls_failed", "timed_out", "refused", "ended", "too_slow", "protocol", "key_unreadable", "publisher_away"] | None
    """Why it is not live"""
    message: str | None
    """The same in a sentence"""
    changedAt: str | None
    """When its state became this"""
    createdAt: str


class Recording(TypedDict):
    recordingId: str
    state: Literal["starting", "recording", "stored", "recorded", "failed"]
    """`stored` when the room has ended, `recorded` when it is an asset"""
    startedAt: str
    endedAt: str | None
    assetId: str | None
    message: str | None
    """Why it failed"""


class Token(TypedDict):
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


class Participant(TypedDict):
    participantId: str
    identity: str
    displayName: str
    role: Literal["host", "participant", "viewer"]
    state: Literal["joined", "publishing"]
    """`publishing` while the media server receives their media"""
    since: str
    tracks: List[ParticipantTracksItem]


class ParticipantTracksItem(TypedDict):
    kind: Literal["audio", "video"]
    source: Literal["microphone", "camera", "screen"]
    muted: bool


class Waiting(TypedDict):
    waitingId: str
    identity: str
    displayName: str
    role: Literal["host", "participant", "viewer"]
    since: str


class EndReply(TypedDict):
    roomId: str
    state: Literal["ended"]


class RestreamsRemoveReply(TypedDict):
    restreamId: str
    deleted: Literal[True]


class RecordingsListReply(TypedDict):
    data: List[Recording]


class ParticipantsKickReply(TypedDict):
    roomId: str
    participantId: str


class ParticipantsListReply(TypedDict):
    data: List[Participant]
    reconciledAt: str | None
    """Of when this is; null while no worker has the room, and nobody is in it"""


class ParticipantsMuteReply(TypedDict):
    roomId: str
    participantId: str
    kinds: List[Literal["audio", "video"]]


class WaitingAdmitReply(TypedDict):
    roomId: str
    waitingId: str


class WaitingListReply(TypedDict):
    data: List[Waiting]


class WaitingRefuseReply(TypedDict):
    roomId: str
    waitingId: str
