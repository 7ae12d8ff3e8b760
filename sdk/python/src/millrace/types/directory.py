# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import List, Literal, TypedDict


class Channel(TypedDict):
    handle: str
    """Its name in links"""
    name: str
    description: str
    language: str | None
    links: List[str]
    counts: ChannelCounts
    is_live: bool
    last_published_at: str | None
    created_at: str
    url: str
    """The page of the channel"""


class ChannelCounts(TypedDict):
    videos: int
    shorts: int


class Described(TypedDict):
    uuid: str
    title: str | None
    description: str
    tags: List[str]
    language: str | None
    channel: DescribedChannel | None
    listed: bool
    """Whether the asset is public and ready, and so found by all"""


class DescribedChannel(TypedDict):
    handle: str
    name: str
    url: str


class Video(TypedDict):
    uuid: str
    title: str | None
    description: str
    language: str | None
    channel: VideoChannel | None
    kind: Literal["video", "short"]
    """`short`: taller than wide and at most three minutes long"""
    tags: List[str]
    duration_seconds: float | None
    width: int | None
    height: int | None
    thumbnails: List[VideoThumbnailsItem]
    playback: VideoPlayback
    captions: List[VideoCaptionsItem]
    """Those that the playlist offers"""
    is_live: Literal[False]
    was_live: bool
    """Whether it is the recording of a broadcast"""
    views: int
    """Viewers, each once a day; programs are left out"""
    published_at: str
    url: str
    """The page to watch it on"""


class VideoChannel(TypedDict):
    handle: str
    name: str
    url: str


class VideoThumbnailsItem(TypedDict):
    url: str


class VideoPlayback(TypedDict):
    hls_url: str
    embed_url: str
    """A page with the player, for an iframe on any site"""


class VideoCaptionsItem(TypedDict):
    language: str


class LiveChannel(TypedDict):
    channelId: str
    handle: str
    name: str
    visibility: Literal["signed", "unlisted", "public"]


class Playlist(TypedDict):
    id: str
    title: str
    description: str
    visibility: Literal["public", "unlisted"]
    """`public`: listed; `unlisted`: found by whoever has its address"""
    video_count: int
    """Those of its videos that are listed, and so shown"""
    created_at: str
    updated_at: str
    url: str
    """The page of the playlist"""


class PlaylistEntry(TypedDict):
    uuid: str
    title: str | None
    description: str
    language: str | None
    channel: PlaylistEntryChannel | None
    kind: Literal["video", "short"]
    """`short`: taller than wide and at most three minutes long"""
    tags: List[str]
    duration_seconds: float | None
    width: int | None
    height: int | None
    thumbnails: List[PlaylistEntryThumbnailsItem]
    playback: PlaylistEntryPlayback
    captions: List[PlaylistEntryCaptionsItem]
    """Those that the playlist offers"""
    is_live: Literal[False]
    was_live: bool
    """Whether it is the recording of a broadcast"""
    views: int
    """Viewers, each once a day; programs are left out"""
    published_at: str
    url: str
    """The page to watch it on"""
    position: int
    """Its place, from 1 on; those of videos that are not listed are left out"""


class PlaylistEntryChannel(TypedDict):
    handle: str
    name: str
    url: str


class PlaylistEntryThumbnailsItem(TypedDict):
    url: str


class PlaylistEntryPlayback(TypedDict):
    hls_url: str
    embed_url: str
    """A page with the player, for an iframe on any site"""


class PlaylistEntryCaptionsItem(TypedDict):
    language: str


class Live(TypedDict):
    uuid: str
    title: str | None
    description: str
    language: str | None
    channel: LiveChannel2 | None
    kind: Literal["live"]
    playback: LivePlayback
    is_live: bool
    live: LiveLive
    published_at: str


class LiveChannel2(TypedDict):
    handle: str
    name: str
    url: str


class LivePlayback(TypedDict):
    hls_url: str | None


class LiveLive(TypedDict):
    status: Literal["scheduled", "live", "ended"]
    scheduled_start_at: str | None
    started_at: str | None
    ended_at: str | None
    viewer_count: int


class Found(TypedDict):
    type: Literal["video", "short", "live", "channel"]
    score: float
    """How well it fits, to compare with others of the same search; 0 by date"""
    highlight: FoundHighlight
    """HTML with what was found in `<mark>`"""
    item: Video | Live | Channel


class FoundHighlight(TypedDict):
    """HTML with what was found in `<mark>`"""
    title: str | None
    description: str | None


class ChannelsRemoveReply(TypedDict):
    handle: str
    deleted: Literal[True]


class ChannelVideosRemoveReply(TypedDict):
    uuid: str
    removed: Literal[True]


class ChannelLiveRemoveReply(TypedDict):
    channelId: str
    removed: Literal[True]


class PlaylistsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class PlaylistVideosRemoveReply(TypedDict):
    uuid: str
    removed: Literal[True]
