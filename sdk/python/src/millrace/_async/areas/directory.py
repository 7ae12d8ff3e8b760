# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import directory as directory_types
from ..caller import AsyncCaller
from ..pending_page import AsyncPendingPage


class AsyncDirectoryChannels:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        name: str,
        handle: str,
        description: str | Unset = UNSET,
        language: str | None | Unset = UNSET,
        links: List[str] | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> directory_types.Channel:
        """Create a channel.

        It is public from now on. Its handle is its own on the whole installation, and stays.

        handle: Its name in links
        description: Plain text
        """
        return await self._caller.call(
            operations.DIRECTORY_CHANNELS_CREATE,
            (),
            {
                "name": name,
                "handle": handle,
                "description": description,
                "language": language,
                "links": links,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        own: str | Unset = UNSET,
        language: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[directory_types.Channel]:
        """List channels, newest first.

        Returns public channels. Set `own` to list only the channels of your organisation.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        own: Only what the caller’s organisation has
        language: A language tag, such as `de` or `pt-BR`
        """
        return AsyncPendingPage(self._caller.page(
            operations.DIRECTORY_CHANNELS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "own": own,
                "language": language,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        handle: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.Channel:
        """Read a channel.

        Returns a public channel by its handle, with its number of videos and whether it is live.
        """
        return await self._caller.call(
            operations.DIRECTORY_CHANNELS_READ,
            (handle,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        handle: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.ChannelsRemoveReply:
        """Delete a channel.

        Its videos stay listed, without a channel.
        """
        return await self._caller.call(
            operations.DIRECTORY_CHANNELS_REMOVE,
            (handle,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        handle: str,
        /,
        *,
        name: str | Unset = UNSET,
        description: str | Unset = UNSET,
        language: str | None | Unset = UNSET,
        links: List[str] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> directory_types.Channel:
        """Change a channel.

        Omitted fields keep their values.

        description: Plain text
        """
        return await self._caller.call(
            operations.DIRECTORY_CHANNELS_UPDATE,
            (handle,),
            {
                "name": name,
                "description": description,
                "language": language,
                "links": links,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncDirectoryChannelVideos:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def assign(
        self,
        handle: str,
        uuid: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.Described:
        """Put a video of yours into a channel of yours.

        By the id of its asset, also before it is public. It leaves the channel that it was in.
        """
        return await self._caller.call(
            operations.DIRECTORY_CHANNEL_VIDEOS_ASSIGN,
            (handle, uuid,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        handle: str,
        uuid: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.ChannelVideosRemoveReply:
        """Take a video out of a channel of yours.

        It stays listed, without a channel.
        """
        return await self._caller.call(
            operations.DIRECTORY_CHANNEL_VIDEOS_REMOVE,
            (handle, uuid,),
            {},
            timeout=timeout,
        )

    def list(
        self,
        handle: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        kind: Literal["video", "short"] | Unset = UNSET,
        language: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[directory_types.Video]:
        """List the videos of a channel, the last published first.

        Returns the public videos and shorts of the channel. `kind` selects one of the two.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        language: A language tag, such as `de` or `pt-BR`
        """
        return AsyncPendingPage(self._caller.page(
            operations.DIRECTORY_CHANNEL_VIDEOS_LIST,
            (handle,),
            {
                "limit": limit,
                "cursor": cursor,
                "kind": kind,
                "language": language,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))


class AsyncDirectoryChannelLive:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def assign(
        self,
        handle: str,
        channel_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.LiveChannel:
        """Put a live channel of yours into a channel of yours.

        By the id that the video area gave it. Its broadcasts are listed while its `visibility` is `public`.
        """
        return await self._caller.call(
            operations.DIRECTORY_CHANNEL_LIVE_ASSIGN,
            (handle, channel_id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        handle: str,
        channel_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.ChannelLiveRemoveReply:
        """Take a live channel out of a channel of yours.

        Its broadcasts stay listed, without a channel.
        """
        return await self._caller.call(
            operations.DIRECTORY_CHANNEL_LIVE_REMOVE,
            (handle, channel_id,),
            {},
            timeout=timeout,
        )


class AsyncDirectoryVideos:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def describe(
        self,
        uuid: str,
        /,
        *,
        title: str | None | Unset = UNSET,
        description: str | Unset = UNSET,
        tags: List[str] | Unset = UNSET,
        language: str | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> directory_types.Described:
        """Describe a video of yours.

        By the id of its asset, also before it is public. Without a `title` it has that of the asset.

        description: Plain text
        """
        return await self._caller.call(
            operations.DIRECTORY_VIDEOS_DESCRIBE,
            (uuid,),
            {
                "title": title,
                "description": description,
                "tags": tags,
                "language": language,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read(
        self,
        uuid: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.Video:
        """Read a video.

        Shorts are found here, too. What is not public, or not ready, is not found.
        """
        return await self._caller.call(
            operations.DIRECTORY_VIDEOS_READ,
            (uuid,),
            {},
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        own: str | Unset = UNSET,
        language: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[directory_types.Video]:
        """List videos and shorts, the last published first.

        Returns public videos and shorts. Set `own` to list only those of your organisation.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        own: Only what the caller’s organisation has
        language: A language tag, such as `de` or `pt-BR`
        """
        return AsyncPendingPage(self._caller.page(
            operations.DIRECTORY_VIDEOS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "own": own,
                "language": language,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))


class AsyncDirectoryShorts:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        own: str | Unset = UNSET,
        language: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[directory_types.Video]:
        """List shorts, the last published first.

        Returns public vertical videos of short duration. Set `own` to list only those of your organisation.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        own: Only what the caller’s organisation has
        language: A language tag, such as `de` or `pt-BR`
        """
        return AsyncPendingPage(self._caller.page(
            operations.DIRECTORY_SHORTS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "own": own,
                "language": language,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        uuid: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.Video:
        """Read a short.

        Returns a public short with its playback URL, captions and thumbnails.
        """
        return await self._caller.call(
            operations.DIRECTORY_SHORTS_READ,
            (uuid,),
            {},
            timeout=timeout,
        )


class AsyncDirectoryPlaylists:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        title: str,
        description: str | Unset = UNSET,
        visibility: Literal["public", "unlisted"] | Unset = UNSET,
        videos: List[str] | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> directory_types.Playlist:
        """Create a playlist.

        It is `public` unless said otherwise.

        description: Plain text
        videos: Ids of videos in their order: of assets of yours, listed or not, and of what others have listed
        """
        return await self._caller.call(
            operations.DIRECTORY_PLAYLISTS_CREATE,
            (),
            {
                "title": title,
                "description": description,
                "visibility": visibility,
                "videos": videos,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        own: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[directory_types.Playlist]:
        """List playlists, newest first.

        Those that are public, of all organisations; with `own=true` all of yours.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        own: Only what the caller’s organisation has
        """
        return AsyncPendingPage(self._caller.page(
            operations.DIRECTORY_PLAYLISTS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "own": own,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        playlist_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.Playlist:
        """Read a playlist.

        Returns the playlist with the number of its videos. Read the videos with a separate call.
        """
        return await self._caller.call(
            operations.DIRECTORY_PLAYLISTS_READ,
            (playlist_id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        playlist_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.PlaylistsRemoveReply:
        """Delete a playlist.

        Its videos stay as they are.
        """
        return await self._caller.call(
            operations.DIRECTORY_PLAYLISTS_REMOVE,
            (playlist_id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        playlist_id: str,
        /,
        *,
        title: str | Unset = UNSET,
        description: str | Unset = UNSET,
        visibility: Literal["public", "unlisted"] | Unset = UNSET,
        videos: List[str] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> directory_types.Playlist:
        """Change a playlist.

        `videos` replaces all of them, and so gives them another order.

        description: Plain text
        videos: Ids of videos in their order: of assets of yours, listed or not, and of what others have listed
        """
        return await self._caller.call(
            operations.DIRECTORY_PLAYLISTS_UPDATE,
            (playlist_id,),
            {
                "title": title,
                "description": description,
                "visibility": visibility,
                "videos": videos,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncDirectoryPlaylistVideos:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        playlist_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[directory_types.PlaylistEntry]:
        """List the videos of a playlist, in its order.

        Returns the videos with their position in the playlist.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.DIRECTORY_PLAYLIST_VIDEOS_LIST,
            (playlist_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def put(
        self,
        playlist_id: str,
        uuid: str,
        /,
        *,
        position: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> directory_types.Playlist:
        """Put a video into a playlist.

        At its end, or at a `position` from 1 on; one that is in it already is moved. Made twice it is as made once.

        position: Behind the last one it is the end
        """
        return await self._caller.call(
            operations.DIRECTORY_PLAYLIST_VIDEOS_PUT,
            (playlist_id, uuid,),
            {
                "position": position,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def remove(
        self,
        playlist_id: str,
        uuid: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.PlaylistVideosRemoveReply:
        """Take a video out of a playlist.

        Removes the video from the playlist. The video itself is not deleted.
        """
        return await self._caller.call(
            operations.DIRECTORY_PLAYLIST_VIDEOS_REMOVE,
            (playlist_id, uuid,),
            {},
            timeout=timeout,
        )


class AsyncDirectoryLive:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: Literal["scheduled", "live", "ended"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[directory_types.Live]:
        """List live streams, newest first.

        Returns public live streams. `status` selects scheduled, live or ended streams.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.DIRECTORY_LIVE_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        uuid: str,
        /,
        *,
        timeout: float | None = None,
    ) -> directory_types.Live:
        """Read a live stream.

        Returns a public live stream with its playback URL and whether it is live now.
        """
        return await self._caller.call(
            operations.DIRECTORY_LIVE_READ,
            (uuid,),
            {},
            timeout=timeout,
        )


class AsyncDirectorySearch:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def find(
        self,
        *,
        q: str,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        type: Literal["video", "short", "live", "channel"] | Unset = UNSET,
        channel: str | Unset = UNSET,
        language: str | Unset = UNSET,
        duration: Literal["short", "medium", "long"] | Unset = UNSET,
        published_after: str | Unset = UNSET,
        sort: Literal["relevance", "-published_at"] | Unset = UNSET,
        own: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[directory_types.Found]:
        """Search videos, shorts, live streams and channels.

        Words, `"phrases"`, `or`, `-without`; case and accents do not matter. A word that nothing has is taken for the one nearest to it.

        q: What is looked for
        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        channel: The handle of a channel
        language: A language tag, such as `de` or `pt-BR`
        duration: Below four minutes, up to twenty, longer
        own: Only what the caller’s organisation has
        """
        return AsyncPendingPage(self._caller.page(
            operations.DIRECTORY_SEARCH_FIND,
            (),
            {
                "q": q,
                "limit": limit,
                "cursor": cursor,
                "type": type,
                "channel": channel,
                "language": language,
                "duration": duration,
                "published_after": published_after,
                "sort": sort,
                "own": own,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))


class AsyncDirectory:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.channels = AsyncDirectoryChannels(caller)
        self.channel_videos = AsyncDirectoryChannelVideos(caller)
        self.channel_live = AsyncDirectoryChannelLive(caller)
        self.videos = AsyncDirectoryVideos(caller)
        self.shorts = AsyncDirectoryShorts(caller)
        self.playlists = AsyncDirectoryPlaylists(caller)
        self.playlist_videos = AsyncDirectoryPlaylistVideos(caller)
        self.live = AsyncDirectoryLive(caller)
        self.search = AsyncDirectorySearch(caller)
