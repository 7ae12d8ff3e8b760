# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import video as video_types
from ...types import webhooks as webhooks_types
from ..caller import AsyncCaller
from ..pending_page import AsyncPendingPage


class AsyncVideoHealth:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def check(
        self,
        *,
        timeout: float | None = None,
    ) -> video_types.Health:
        """Service health: database, storage and workers.

        Returns whether the database, object storage and the media workers are available. The response contains no secrets.
        """
        return await self._caller.call(
            operations.VIDEO_HEALTH_CHECK,
            (),
            {},
            timeout=timeout,
        )

    async def live(
        self,
        *,
        timeout: float | None = None,
    ) -> video_types.HealthLiveReply:
        """Liveness probe.

        Returns `200` while the process runs. It does not check the database.
        """
        return await self._caller.call(
            operations.VIDEO_HEALTH_LIVE,
            (),
            {},
            timeout=timeout,
        )


class AsyncVideoUploads:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def abort(
        self,
        upload_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.UploadsAbortReply:
        """Abort an upload.

        Deletes the uploaded parts and releases the reserved storage.
        """
        return await self._caller.call(
            operations.VIDEO_UPLOADS_ABORT,
            (upload_id,),
            {},
            timeout=timeout,
        )

    async def status(
        self,
        upload_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.UploadStatus:
        """Status and progress of an upload.

        Returns the parts that have arrived, so that a client can resume the upload.
        """
        return await self._caller.call(
            operations.VIDEO_UPLOADS_STATUS,
            (upload_id,),
            {},
            timeout=timeout,
        )

    async def complete(
        self,
        upload_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.UploadsCompleteReply:
        """Complete an upload.

        Verifies every part in storage and starts processing. Completing twice answers the same.
        """
        return await self._caller.call(
            operations.VIDEO_UPLOADS_COMPLETE,
            (upload_id,),
            {},
            timeout=timeout,
        )

    async def pause(
        self,
        upload_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.UploadStatus:
        """Pause an upload.

        The upload cannot be completed until it is resumed. Parts can still arrive.
        """
        return await self._caller.call(
            operations.VIDEO_UPLOADS_PAUSE,
            (upload_id,),
            {},
            timeout=timeout,
        )

    async def resume(
        self,
        upload_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.UploadStatus:
        """Resume a paused upload.

        The upload can be completed again. Parts that have arrived are kept.
        """
        return await self._caller.call(
            operations.VIDEO_UPLOADS_RESUME,
            (upload_id,),
            {},
            timeout=timeout,
        )

    async def start(
        self,
        *,
        bytes: int,
        filename: str | Unset = UNSET,
        mimeType: str | Unset = UNSET,
        title: str | Unset = UNSET,
        description: str | Unset = UNSET,
        externalRef: str | Unset = UNSET,
        metadata: Dict[str, str] | Unset = UNSET,
        captions: List[video_types.UploadsStartCaptionsItem] | Unset = UNSET,
        idempotencyKey: str | Unset = UNSET,
        processingProfile: Literal["standard_vod", "fast_social"] | Unset = UNSET,
        watermark: video_types.UploadsStartWatermark | Unset = UNSET,
        browser: video_types.UploadsStartBrowser | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.UploadSession:
        """Start a resumable upload.

        Creates an upload session and an asset. The bytes go straight to storage with signed part URLs. With `browser` a page sends them: the `upload_token` opens status, part signing, completion and abort of this upload alone.

        bytes: Exact size of the file
        externalRef: Echoed on the asset; lists are filtered by it
        metadata: Texts of your own, by their names; lists are filtered by them
        idempotencyKey: The same key returns the same session
        watermark: A logo to lay over every picture; such an asset is playable when its ladder is ready
        browser: Lets a page send the bytes without a key: the answer has an `upload_token`, which goes as `Authorization: Bearer`
        """
        return await self._caller.call(
            operations.VIDEO_UPLOADS_START,
            (),
            {
                "bytes": bytes,
                "filename": filename,
                "mimeType": mimeType,
                "title": title,
                "description": description,
                "externalRef": externalRef,
                "metadata": metadata,
                "captions": captions,
                "idempotencyKey": idempotencyKey,
                "processingProfile": processingProfile,
                "watermark": watermark,
                "browser": browser,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )


class AsyncVideoUploadParts:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def sign(
        self,
        upload_id: str,
        /,
        *,
        partNumbers: List[int],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.UploadPartsSignReply:
        """Sign URLs for parts.

        PUT each part to its URL with exactly the bytes it should have, then complete the upload. The `content-length` is signed: storage answers 403 to any other, and to a chunked body.

        partNumbers: 1-based
        """
        return await self._caller.call(
            operations.VIDEO_UPLOAD_PARTS_SIGN,
            (upload_id,),
            {
                "partNumbers": partNumbers,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncVideoImports:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def start(
        self,
        *,
        url: str,
        filename: str | Unset = UNSET,
        title: str | Unset = UNSET,
        description: str | Unset = UNSET,
        externalRef: str | Unset = UNSET,
        metadata: Dict[str, str] | Unset = UNSET,
        captions: List[video_types.ImportsStartCaptionsItem] | Unset = UNSET,
        processingProfile: Literal["standard_vod", "fast_social"] | Unset = UNSET,
        watermark: video_types.ImportsStartWatermark | Unset = UNSET,
        idempotencyKey: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.Import:
        """Make an asset of the file at a URL.

        Answers at once; a worker fetches the file, within a day, and goes on by ranges where a connection breaks off. The asset tells how far that is (`import`), and why it ended (`failure_code`). It may be as large as your plan allows. Only public addresses are asked, over at most five redirects.

        url: `http` or `https`; what signs it may stand in its query, which is not shown again
        filename: By default the last part of the URL’s path
        externalRef: Echoed on the asset; lists are filtered by it
        metadata: Texts of your own, by their names; lists are filtered by them
        watermark: A logo to lay over every picture; such an asset is playable when its ladder is ready
        idempotencyKey: The same key returns the same asset
        """
        return await self._caller.call(
            operations.VIDEO_IMPORTS_START,
            (),
            {
                "url": url,
                "filename": filename,
                "title": title,
                "description": description,
                "externalRef": externalRef,
                "metadata": metadata,
                "captions": captions,
                "processingProfile": processingProfile,
                "watermark": watermark,
                "idempotencyKey": idempotencyKey,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )


class AsyncVideoWatermarks:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        imageBase64: str,
        name: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.Watermark:
        """Upload a logo.

        A PNG or JPEG of at most 1 MiB and 4096 by 4096 pixels. Uploads name it as their watermark.

        imageBase64: The image in base64, with or without a `data:` prefix
        """
        return await self._caller.call(
            operations.VIDEO_WATERMARKS_CREATE,
            (),
            {
                "imageBase64": imageBase64,
                "name": name,
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
    ) -> AsyncPendingPage[video_types.Watermark]:
        """List logos.

        Returns the logos that can be placed on videos, without their image data.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.VIDEO_WATERMARKS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def image(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.WatermarksImageReply:
        """Preview URL of a logo.

        Returns a signed URL of the image. It expires after `expiresInSeconds`.
        """
        return await self._caller.call(
            operations.VIDEO_WATERMARKS_IMAGE,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncVideoAssets:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: Literal["uploading", "processing", "ready", "failed", "aborted"] | Unset = UNSET,
        visibility: Literal["private", "signed", "unlisted", "public"] | Unset = UNSET,
        externalRef: str | Unset = UNSET,
        metadata: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[video_types.AssetSummary]:
        """List assets, newest first.

        Returns videos. Filters select a status, a visibility, your `externalRef` or a metadata value.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        metadata: Those whose metadata has that value: `key:value`
        """
        return AsyncPendingPage(self._caller.page(
            operations.VIDEO_ASSETS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "visibility": visibility,
                "externalRef": externalRef,
                "metadata": metadata,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        asset_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.Asset:
        """Read one asset.

        Returns the video with its status. While it is processed, the response contains the progress and an estimate.
        """
        return await self._caller.call(
            operations.VIDEO_ASSETS_READ,
            (asset_id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        asset_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.AssetsRemoveReply:
        """Delete an asset.

        Viewers lose it with their next request; storage is freed soon after. It cannot be undone.
        """
        return await self._caller.call(
            operations.VIDEO_ASSETS_REMOVE,
            (asset_id,),
            {},
            timeout=timeout,
        )

    async def set_visibility(
        self,
        asset_id: str,
        /,
        *,
        visibility: Literal["private", "signed", "unlisted", "public"] | Unset = UNSET,
        title: str | None | Unset = UNSET,
        description: str | None | Unset = UNSET,
        externalRef: str | None | Unset = UNSET,
        metadata: Dict[str, str | None] | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.AssetsSetVisibilityReply:
        """Change an asset: who may play it, and what is said of it.

        What is given is changed, the rest stays; null takes a text away. Visibility takes effect with a viewer’s next request: the copy of the poster that needs no token is removed before the answer.

        metadata: Entries that are given are set, those that are null are taken away, the others stay; null takes all away
        """
        return await self._caller.call(
            operations.VIDEO_ASSETS_SETVISIBILITY,
            (asset_id,),
            {
                "visibility": visibility,
                "title": title,
                "description": description,
                "externalRef": externalRef,
                "metadata": metadata,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncVideoMp4s:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        asset_id: str,
        /,
        *,
        rendition: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.Mp4:
        """Have a rendition made into an MP4.

        Picture and the first sound track in one file, by copy, of a ready asset. Asking again answers the same; one that failed is made again.

        rendition: As the asset names it: `720p`, `audio`
        """
        return await self._caller.call(
            operations.VIDEO_MP4S_CREATE,
            (asset_id,),
            {
                "rendition": rendition,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read(
        self,
        asset_id: str,
        rendition: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.Mp4:
        """The MP4 of a rendition.

        Returns the state of the MP4 file and, when it is ready, a signed URL.
        """
        return await self._caller.call(
            operations.VIDEO_MP4S_READ,
            (asset_id, rendition,),
            {},
            timeout=timeout,
        )


class AsyncVideoFrames:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        asset_id: str,
        /,
        *,
        time: float,
        height: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.FramesCreateReply:
        """Take a frame at a time given.

        Answers with a link to a JPEG that works for five minutes. The frame is taken from what is served of the asset.

        time: Seconds from the beginning
        height: Lines at most; never more than are served
        """
        return await self._caller.call(
            operations.VIDEO_FRAMES_CREATE,
            (asset_id,),
            {
                "time": time,
                "height": height,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncVideoCaptions:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def change(
        self,
        asset_id: str,
        language: str,
        /,
        *,
        name: str | None | Unset = UNSET,
        default: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.CaptionTrack:
        """Rename captions, or make them the default.

        Omitted fields keep their values. Only one language can be the default.
        """
        return await self._caller.call(
            operations.VIDEO_CAPTIONS_CHANGE,
            (asset_id, language,),
            {
                "name": name,
                "default": default,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def put(
        self,
        asset_id: str,
        language: str,
        /,
        *,
        text: str,
        name: str | Unset = UNSET,
        default: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.CaptionTrack:
        """Give captions of your own.

        WebVTT or SRT, in any language, at any time after the upload has begun. Viewers get them with their next playlist, in place of those that there were in the language; what a program wrote is corrected so. `text/vtt` and `application/x-subrip` are taken as they are.

        text: WebVTT, or SRT
        name: What players call the track; by default the name of its language
        default: Shown to viewers who have not chosen; no other track is, then
        """
        return await self._caller.call(
            operations.VIDEO_CAPTIONS_PUT,
            (asset_id, language,),
            {
                "text": text,
                "name": name,
                "default": default,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read(
        self,
        asset_id: str,
        language: str,
        /,
        *,
        timeout: float | None = None,
    ) -> str:
        """Captions as a WebVTT file.

        `file` is the language and `.vtt`. For their owner: players find them in the playlists.
        """
        return await self._caller.call(
            operations.VIDEO_CAPTIONS_READ,
            (asset_id, language,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        asset_id: str,
        language: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.CaptionsRemoveReply:
        """Take captions away.

        Players lose the track with their next playlist; those that are being made are made no further.
        """
        return await self._caller.call(
            operations.VIDEO_CAPTIONS_REMOVE,
            (asset_id, language,),
            {},
            timeout=timeout,
        )

    async def create(
        self,
        asset_id: str,
        /,
        *,
        language: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.CaptionRequest:
        """Have captions made.

        Queues the transcription of a ready asset and answers at once. Asking again answers the same; captions that failed are made again. Viewers are offered them as soon as they are ready.

        language: `en`
        """
        return await self._caller.call(
            operations.VIDEO_CAPTIONS_CREATE,
            (asset_id,),
            {
                "language": language,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncVideoSources:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        asset_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.SourcesReadReply:
        """Download link of the original.

        Works for a minute. For servers: hand it to nobody who may not have the original.
        """
        return await self._caller.call(
            operations.VIDEO_SOURCES_READ,
            (asset_id,),
            {},
            timeout=timeout,
        )


class AsyncVideoPlaybackSessions:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        viewerId: str | Unset = UNSET,
        assetId: str | Unset = UNSET,
        channelId: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[video_types.ListedSession]:
        """List playback sessions, newest first.

        Sessions of assets and of live channels, without their tokens. Those that are over are listed for a day more.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.VIDEO_PLAYBACK_SESSIONS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "viewerId": viewerId,
                "assetId": assetId,
                "channelId": channelId,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def mint(
        self,
        asset_id: str,
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
    ) -> video_types.PlaybackSession:
        """Mint a viewer token.

        Mint one per viewer. The token is bound to the host it will be presented on.

        host: Default: the host of this API. Else an active domain of your own; any other is refused
        viewerId: Your own name for the person who watches
        allowedCountries: ISO 3166-1 alpha-2; empty means everywhere
        maxConcurrent: Sessions the viewer may have at once, this one included
        """
        return await self._caller.call(
            operations.VIDEO_PLAYBACK_SESSIONS_MINT,
            (asset_id,),
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

    async def revoke(
        self,
        session_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.PlaybackSessionsRevokeReply:
        """Revoke a playback session.

        Players that use the token of this session stop at their next request.
        """
        return await self._caller.call(
            operations.VIDEO_PLAYBACK_SESSIONS_REVOKE,
            (session_id,),
            {},
            timeout=timeout,
        )

    async def revoke_viewer(
        self,
        *,
        viewerId: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.PlaybackSessionsRevokeViewerReply:
        """Revoke all playback sessions of a viewer.

        Ends every session that was minted with that `viewerId`: the next request of each is refused. New ones may be minted.
        """
        return await self._caller.call(
            operations.VIDEO_PLAYBACK_SESSIONS_REVOKEVIEWER,
            (),
            {
                "viewerId": viewerId,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncVideoDomains:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        hostname: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.Domain:
        """Add a custom playback domain.

        Answers the DNS record that proves the domain yours. A claim that is not proven keeps nobody else from it.

        hostname: Such as `video.example.com`; international letters are fine
        """
        return await self._caller.call(
            operations.VIDEO_DOMAINS_CREATE,
            (),
            {
                "hostname": hostname,
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
    ) -> AsyncPendingPage[video_types.Domain]:
        """List custom playback domains.

        Returns the domains from which players can load your videos, with the DNS record to create.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.VIDEO_DOMAINS_LIST,
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
        domain_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.Domain:
        """Status of a custom playback domain.

        Returns whether control of the domain is proven and whether its certificate was issued.
        """
        return await self._caller.call(
            operations.VIDEO_DOMAINS_READ,
            (domain_id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        domain_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.DomainsRemoveReply:
        """Remove a custom playback domain.

        Playback URLs on this domain stop working.
        """
        return await self._caller.call(
            operations.VIDEO_DOMAINS_REMOVE,
            (domain_id,),
            {},
            timeout=timeout,
        )

    async def verify(
        self,
        domain_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.Domain:
        """Check the DNS record and issue a certificate.

        Answers once the domain is proven; the certificate follows within minutes (`status` becomes `active`). For a domain that is proven already, an order that failed is tried again as soon as the certificate authority may be asked.
        """
        return await self._caller.call(
            operations.VIDEO_DOMAINS_VERIFY,
            (domain_id,),
            {},
            timeout=timeout,
        )


class AsyncVideoEmbedding:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        *,
        timeout: float | None = None,
    ) -> video_types.Embedding:
        """Read which sites may embed your players.

        Returns the origins whose pages can embed your players. An empty list allows every origin.
        """
        return await self._caller.call(
            operations.VIDEO_EMBEDDING_READ,
            (),
            {},
            timeout=timeout,
        )

    async def set(
        self,
        *,
        origins: List[str],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.Embedding:
        """Set which sites may embed your players.

        Replaces the list; an empty one lets every site. Players say so to browsers (`frame-ancestors`), of videos and broadcasts, with or without a token, from the next page that is loaded on. Pages of this service may always.

        origins: Origins, such as `https://www.example.com` or `https://*.example.com`
        """
        return await self._caller.call(
            operations.VIDEO_EMBEDDING_SET,
            (),
            {
                "origins": origins,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncVideoBeacons:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def collect(
        self,
        *,
        token: str,
        viewId: str,
        sequence: int,
        playSeconds: float,
        startupSeconds: float | Unset = UNSET,
        rebufferSeconds: float | Unset = UNSET,
        rebuffers: int | Unset = UNSET,
        meanBitrate: float | Unset = UNSET,
        decodedFrames: int | Unset = UNSET,
        droppedFrames: int | Unset = UNSET,
        switches: int | Unset = UNSET,
        errors: List[video_types.BeaconsCollectErrorsItem] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> None:
        """Player quality beacon.

        Called by the player, from pages on any origin, also as `text/plain` by `navigator.sendBeacon`. All numbers are sums from the begin of the view, so a lost beacon loses nothing. A genuine token that ended at most ten minutes ago still counts; one that ended earlier is answered 204 and not counted. The first that tells of a picture counts a view of a listed video: each viewer once a day, programs left out.

        token: The playback token
        viewId: Chosen at random by the player when it loads a video
        sequence: Grows with each beacon of the view: late and repeated ones change nothing
        playSeconds: Time spent playing, by the clock on the wall
        startupSeconds: From the wish to play to the first picture; left out until then
        rebufferSeconds: Time spent waiting for media after the first picture, but for seeking
        meanBitrate: Bits per second, over the time played
        droppedFrames: Of the decoded ones, those that were not shown
        switches: Changes of rendition
        errors: A fatal one has ended the view
        """
        return await self._caller.call(
            operations.VIDEO_BEACONS_COLLECT,
            (),
            {
                "token": token,
                "viewId": viewId,
                "sequence": sequence,
                "playSeconds": playSeconds,
                "startupSeconds": startupSeconds,
                "rebufferSeconds": rebufferSeconds,
                "rebuffers": rebuffers,
                "meanBitrate": meanBitrate,
                "decodedFrames": decodedFrames,
                "droppedFrames": droppedFrames,
                "switches": switches,
                "errors": errors,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncVideoQuality:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        asset_id: str,
        /,
        *,
        from_: str | Unset = UNSET,
        to: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.Quality:
        """Playback quality of an asset.

        What players have told by beacon. A view counts in the hour it begins, time in the hour it is told.

        from_: Default: seven days before `to`; rounded down to the hour
        to: Default: now
        """
        return await self._caller.call(
            operations.VIDEO_QUALITY_READ,
            (asset_id,),
            {
                "from": from_,
                "to": to,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncVideoWebhooks:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        url: str,
        events: List[Literal["*", "asset.playable", "asset.ready", "asset.failed", "asset.updated", "asset.deleted", "captions.ready", "live.started", "live.ended", "live.recorded", "room.started", "room.participant.joined", "room.participant.waiting", "room.participant.left", "room.ended", "video.asset.playable", "video.asset.ready", "video.asset.failed", "video.asset.updated", "video.asset.deleted", "video.captions.ready", "video.live.started", "video.live.ended", "video.live.recorded", "video.room.started", "video.room.participant.joined", "video.room.participant.waiting", "video.room.participant.left", "video.room.ended"]],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> webhooks_types.EndpointWithSecret:
        """Add a webhook.

        Answers the secret by which its deliveries are verified (Standard Webhooks 1.0), this once.

        events: Of video.asset.playable, video.asset.ready, video.asset.failed, video.asset.updated, video.asset.deleted, video.captions.ready, video.live.started, video.live.ended, video.live.recorded, video.room.started, video.room.participant.joined, video.room.participant.waiting, video.room.participant.left, video.room.ended; the prefix may be left out; `*` is all, those to come included
        """
        return await self._caller.call(
            operations.VIDEO_WEBHOOKS_CREATE,
            (),
            {
                "url": url,
                "events": events,
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
    ) -> AsyncPendingPage[webhooks_types.Endpoint]:
        """List webhooks.

        Returns the endpoints that receive events of this area, without their signing secrets.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.VIDEO_WEBHOOKS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def enable(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> webhooks_types.Endpoint:
        """Enable a disabled webhook.

        What waited for it when it was disabled is delivered.
        """
        return await self._caller.call(
            operations.VIDEO_WEBHOOKS_ENABLE,
            (id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.WebhooksRemoveReply:
        """Remove a webhook.

        With it goes what is still to be delivered to it, and its log.
        """
        return await self._caller.call(
            operations.VIDEO_WEBHOOKS_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )

    async def rotate_secret(
        self,
        id: str,
        /,
        *,
        keep_hours: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> webhooks_types.EndpointWithSecret:
        """Replace the secret of a webhook.

        Deliveries carry two signatures for as long as the secret before is kept.

        keep_hours: Hours for which the secret before is kept
        """
        return await self._caller.call(
            operations.VIDEO_WEBHOOKS_ROTATESECRET,
            (id,),
            {
                "keep_hours": keep_hours,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def test(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> webhooks_types.TestResult:
        """Send a test event.

        A signed event `webhooks.test`, once; answers what the endpoint made of it. Disabled ones get it, too.
        """
        return await self._caller.call(
            operations.VIDEO_WEBHOOKS_TEST,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncVideoWebhookDeliveries:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: Literal["pending", "delivered", "failed"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[webhooks_types.Delivery]:
        """List deliveries to a webhook, newest first.

        Each delivery contains the status, the number of attempts and the last response of the endpoint.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.VIDEO_WEBHOOK_DELIVERIES_LIST,
            (id,),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def replay(
        self,
        id: str,
        delivery_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> video_types.WebhookDeliveriesReplayReply:
        """Deliver an event again.

        With the same `webhook-id`, and as many attempts as a new one.
        """
        return await self._caller.call(
            operations.VIDEO_WEBHOOK_DELIVERIES_REPLAY,
            (id, delivery_id,),
            {},
            timeout=timeout,
        )

    async def replay_since(
        self,
        id: str,
        /,
        *,
        since: str,
        status: Literal["failed", "all"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> video_types.WebhookDeliveriesReplaySinceReply:
        """Deliver events since an instant again.

        The oldest first, at most 10000 in one request: the next one is `since` `next_since`.

        status: all: those that were delivered, too
        """
        return await self._caller.call(
            operations.VIDEO_WEBHOOK_DELIVERIES_REPLAYSINCE,
            (id,),
            {
                "since": since,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncVideoContract:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def docs(
        self,
        *,
        timeout: float | None = None,
    ) -> str:
        """Human-readable documentation.

        Returns a page that lists the operations of the video area.
        """
        return await self._caller.call(
            operations.VIDEO_CONTRACT_DOCS,
            (),
            {},
            timeout=timeout,
        )

    async def document(
        self,
        *,
        timeout: float | None = None,
    ) -> Dict[str, Any]:
        """Machine-readable contract.

        Returns the OpenAPI 3.1 document of the video area.
        """
        return await self._caller.call(
            operations.VIDEO_CONTRACT_DOCUMENT,
            (),
            {},
            timeout=timeout,
        )


class AsyncVideo:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.health = AsyncVideoHealth(caller)
        self.uploads = AsyncVideoUploads(caller)
        self.upload_parts = AsyncVideoUploadParts(caller)
        self.imports = AsyncVideoImports(caller)
        self.watermarks = AsyncVideoWatermarks(caller)
        self.assets = AsyncVideoAssets(caller)
        self.mp4s = AsyncVideoMp4s(caller)
        self.frames = AsyncVideoFrames(caller)
        self.captions = AsyncVideoCaptions(caller)
        self.sources = AsyncVideoSources(caller)
        self.playback_sessions = AsyncVideoPlaybackSessions(caller)
        self.domains = AsyncVideoDomains(caller)
        self.embedding = AsyncVideoEmbedding(caller)
        self.beacons = AsyncVideoBeacons(caller)
        self.quality = AsyncVideoQuality(caller)
        self.webhooks = AsyncVideoWebhooks(caller)
        self.webhook_deliveries = AsyncVideoWebhookDeliveries(caller)
        self.contract = AsyncVideoContract(caller)
