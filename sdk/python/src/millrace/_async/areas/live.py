# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import live as live_types
from ..caller import AsyncCaller
from ..pending_page import AsyncPendingPage


class AsyncLiveChannels:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        name: str,
        slug: str | Unset = UNSET,
        record: bool | Unset = UNSET,
        dvrSeconds: int | Unset = UNSET,
        visibility: Literal["signed", "unlisted", "public"] | Unset = UNSET,
        renditions: List[Literal[720] | Literal[480] | Literal[360]] | Unset = UNSET,
        slate: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> live_types.NewChannel:
        """Create a live channel.

        Keep the keys and the address for SRT: they are shown in this answer only. Use the addresses exactly as given.

        slug: Default: from the name
        record: Make an asset of each broadcast
        dvrSeconds: How far back viewers can go
        visibility: `signed`: playback sessions alone open it; `unlisted`: whoever has `playback.open`; `public`: the streaming directory lists its broadcasts, too
        renditions: Heights that are made beside what the encoder sends, of those that are lower than it
        slate: Show viewers a still picture with silence while the publisher is away, rather than nothing
        """
        return await self._caller.call(
            operations.LIVE_CHANNELS_CREATE,
            (),
            {
                "name": name,
                "slug": slug,
                "record": record,
                "dvrSeconds": dvrSeconds,
                "visibility": visibility,
                "renditions": renditions,
                "slate": slate,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[live_types.ChannelSummary]:
        """List live channels.

        Returns live channels without their stream keys.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.LIVE_CHANNELS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        channel_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> live_types.Channel:
        """Status of a live channel.

        Returns the state of the channel. `live` means that a viewer can watch now.
        """
        return await self._caller.call(
            operations.LIVE_CHANNELS_READ,
            (channel_id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        channel_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> live_types.ChannelsRemoveReply:
        """Delete a live channel.

        A broadcast that is under way ends; recordings stay, as assets.
        """
        return await self._caller.call(
            operations.LIVE_CHANNELS_REMOVE,
            (channel_id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        channel_id: str,
        /,
        *,
        name: str | Unset = UNSET,
        slug: str | Unset = UNSET,
        record: bool | Unset = UNSET,
        dvrSeconds: int | Unset = UNSET,
        visibility: Literal["signed", "unlisted", "public"] | Unset = UNSET,
        renditions: List[Literal[720] | Literal[480] | Literal[360]] | Unset = UNSET,
        slate: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> live_types.Channel:
        """Change a live channel.

        `record`, `dvrSeconds`, `renditions` and `slate` hold from the next broadcast on.

        visibility: `signed`: playback sessions alone open it; `unlisted`: whoever has `playback.open`; `public`: the streaming directory lists its broadcasts, too
        renditions: Heights that are made beside what the encoder sends, of those that are lower than it
        slate: Show viewers a still picture with silence while the publisher is away, rather than nothing
        """
        return await self._caller.call(
            operations.LIVE_CHANNELS_UPDATE,
            (channel_id,),
            {
                "name": name,
                "slug": slug,
                "record": record,
                "dvrSeconds": dvrSeconds,
                "visibility": visibility,
                "renditions": renditions,
                "slate": slate,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncLiveKeys:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def rotate(
        self,
        channel_id: str,
        /,
        *,
        which: Literal["primary", "backup", "srt"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> live_types.Key:
        """Rotate a stream key.

        The new key is shown in this answer only. Whoever publishes with the old one is dropped within three seconds; the other keys go on. `srt` makes a new passphrase.
        """
        return await self._caller.call(
            operations.LIVE_KEYS_ROTATE,
            (channel_id,),
            {
                "which": which,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncLivePlaybackSessions:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def mint(
        self,
        channel_id: str,
        /,
        *,
        host: str | Unset = UNSET,
        expiresInSeconds: int | Unset = UNSET,
        viewerId: str | Unset = UNSET,
        allowedCountries: List[str] | Unset = UNSET,
        blockedCountries: List[str] | Unset = UNSET,
        maxConcurrent: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> live_types.PlaybackSession:
        """Mint a live viewer token.

        Mint one per viewer; it opens no asset. Revoke it as any other: `DELETE /v1/stream/assets/playback-sessions/{sessionId}`.

        host: Default: the host of this API. Else an active domain of your own; any other is refused
        viewerId: Your own name for the person who watches
        allowedCountries: ISO 3166-1 alpha-2; empty means everywhere
        maxConcurrent: Sessions the viewer may have at once, this one included
        """
        return await self._caller.call(
            operations.LIVE_PLAYBACK_SESSIONS_MINT,
            (channel_id,),
            {
                "host": host,
                "expiresInSeconds": expiresInSeconds,
                "viewerId": viewerId,
                "allowedCountries": allowedCountries,
                "blockedCountries": blockedCountries,
                "maxConcurrent": maxConcurrent,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncLiveBroadcasts:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def end(
        self,
        channel_id: str,
        /,
        *,
        holdSeconds: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> live_types.BroadcastsEndReply:
        """End the broadcast of a live channel.

        Encoders reconnect by themselves: publishers are refused for `holdSeconds`.
        """
        return await self._caller.call(
            operations.LIVE_BROADCASTS_END,
            (channel_id,),
            {
                "holdSeconds": holdSeconds,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        channel_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[live_types.Broadcast]:
        """List broadcasts of a live channel, newest first.

        Returns the broadcasts of the channel with their duration, end reason and recording.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.LIVE_BROADCASTS_LIST,
            (channel_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))


class AsyncLiveRestreams:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        channel_id: str,
        /,
        *,
        name: str,
        url: str,
        streamKey: str,
        enabled: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> live_types.Restream:
        """Send a live channel’s broadcasts on to another platform.

        What the encoder sends is passed on as it is, while it is broadcast. A channel has 3 targets at most.

        url: `rtmp://…` or `rtmps://…` with the application and without the stream key
        streamKey: Sealed as soon as it is here, and never shown
        """
        return await self._caller.call(
            operations.LIVE_RESTREAMS_CREATE,
            (channel_id,),
            {
                "name": name,
                "url": url,
                "streamKey": streamKey,
                "enabled": enabled,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        channel_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[live_types.Restream]:
        """List where a live channel’s broadcasts are sent on to, each with its state.

        Returns the servers to which each broadcast is also sent. Stream keys in their URLs are masked.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.LIVE_RESTREAMS_LIST,
            (channel_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        channel_id: str,
        restream_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> live_types.Restream:
        """Status of a target that broadcasts are sent on to.

        Returns the state of the target and the last error. The stream key in its URL is masked.
        """
        return await self._caller.call(
            operations.LIVE_RESTREAMS_READ,
            (channel_id, restream_id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        channel_id: str,
        restream_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> live_types.RestreamsRemoveReply:
        """Send broadcasts on to a target no longer.

        Broadcasts are no longer sent to the target. A broadcast in progress stops there.
        """
        return await self._caller.call(
            operations.LIVE_RESTREAMS_REMOVE,
            (channel_id, restream_id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        channel_id: str,
        restream_id: str,
        /,
        *,
        name: str | Unset = UNSET,
        url: str | Unset = UNSET,
        streamKey: str | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> live_types.Restream:
        """Change a target that broadcasts are sent on to.

        Holds within two seconds, also during a broadcast; `enabled: false` ends what the target gets.

        url: `rtmp://…` or `rtmps://…` with the application and without the stream key
        streamKey: Sealed as soon as it is here, and never shown
        """
        return await self._caller.call(
            operations.LIVE_RESTREAMS_UPDATE,
            (channel_id, restream_id,),
            {
                "name": name,
                "url": url,
                "streamKey": streamKey,
                "enabled": enabled,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncLive:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.channels = AsyncLiveChannels(caller)
        self.keys = AsyncLiveKeys(caller)
        self.playback_sessions = AsyncLivePlaybackSessions(caller)
        self.broadcasts = AsyncLiveBroadcasts(caller)
        self.restreams = AsyncLiveRestreams(caller)
