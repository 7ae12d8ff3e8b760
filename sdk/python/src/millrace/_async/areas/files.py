# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import files as files_types
from ...types import webhooks as webhooks_types
from ..caller import AsyncCaller
from ..pending_page import AsyncPendingPage


class AsyncFilesHealth:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def check(
        self,
        *,
        timeout: float | None = None,
    ) -> files_types.Health:
        """Service health: database, storage and scanner.

        Returns whether the database, object storage and the malware scanner are available. The response contains no secrets.
        """
        return await self._caller.call(
            operations.FILES_HEALTH_CHECK,
            (),
            {},
            timeout=timeout,
        )


class AsyncFilesUploads:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def complete(
        self,
        id: str,
        /,
        *,
        tenant_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> files_types.Object:
        """Complete an upload and scan it.

        Waits a moment for the verdict; `scan_status` is `pending` or `scanning` when it takes longer. Later PUTs to the upload URL change nothing. Completing twice answers the same.

        tenant_id: Only an object of this tenant; any other is not found
        """
        return await self._caller.call(
            operations.FILES_UPLOADS_COMPLETE,
            (id,),
            {
                "tenant_id": tenant_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def start(
        self,
        *,
        product_key: str,
        tenant_id: str,
        filename: str,
        content_type: str,
        byte_size: int,
        checksum_sha256: str | Unset = UNSET,
        browser: files_types.UploadsStartBrowser | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> files_types.Upload:
        """Start an upload.

        PUT the bytes to `upload_url` with exactly `upload_headers`, then complete the upload. With `browser` a page does both: the `upload_token` opens reading, completion and deletion of this object, until it is completed.

        product_key: The product that the object belongs to
        tenant_id: The tenant that the object belongs to
        byte_size: Exact size; it is signed into the URL
        checksum_sha256: Of the bytes, in hex; other bytes are refused then
        browser: Lets a page send the bytes without a key: the answer has an `upload_token`, which goes as `Authorization: Bearer`
        """
        return await self._caller.call(
            operations.FILES_UPLOADS_START,
            (),
            {
                "product_key": product_key,
                "tenant_id": tenant_id,
                "filename": filename,
                "content_type": content_type,
                "byte_size": byte_size,
                "checksum_sha256": checksum_sha256,
                "browser": browser,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncFilesObjects:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def download_url(
        self,
        id: str,
        /,
        *,
        tenant_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> files_types.ObjectsDownloadUrlReply:
        """Sign a download URL of a clean object.

        Fails closed: 409 with `scan_status` for whatever is not found clean. Browsers save it, never show it.

        tenant_id: Only an object of this tenant; any other is not found
        """
        return await self._caller.call(
            operations.FILES_OBJECTS_DOWNLOADURL,
            (id,),
            {
                "tenant_id": tenant_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        tenant_id: str | Unset = UNSET,
        product_key: str | Unset = UNSET,
        scan_status: Literal["awaiting_upload", "pending", "scanning", "clean", "infected", "suspicious", "unscannable", "error"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[files_types.ObjectSummary]:
        """List objects, newest first.

        Each once, with the facts of the version that is served; `scan_status` filters by the first version.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.FILES_OBJECTS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "tenant_id": tenant_id,
                "product_key": product_key,
                "scan_status": scan_status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        id: str,
        /,
        *,
        tenant_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> files_types.Object:
        """Read an object and its verdict.

        Returns the metadata of the object, its `scan_status` and the verdict of the last scan.

        tenant_id: Only an object of this tenant; any other is not found
        """
        return await self._caller.call(
            operations.FILES_OBJECTS_READ,
            (id,),
            {
                "tenant_id": tenant_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def remove(
        self,
        id: str,
        /,
        *,
        tenant_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> files_types.ObjectsRemoveReply:
        """Delete an object.

        Nobody finds it any more, nor its later versions; by the id of a later version that one alone goes. Storage is freed, and signed URLs stop working, soon after.

        tenant_id: Only an object of this tenant; any other is not found
        """
        return await self._caller.call(
            operations.FILES_OBJECTS_REMOVE,
            (id,),
            {
                "tenant_id": tenant_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncFilesVersions:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        id: str,
        /,
        *,
        tenant_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> files_types.VersionsListReply:
        """List the versions of an object, newest first.

        Returns each version of the object with its own scan status, and which version is served.

        tenant_id: Only an object of this tenant; any other is not found
        """
        return await self._caller.call(
            operations.FILES_VERSIONS_LIST,
            (id,),
            {
                "tenant_id": tenant_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def start(
        self,
        id: str,
        /,
        *,
        content_type: str,
        byte_size: int,
        filename: str | Unset = UNSET,
        checksum_sha256: str | Unset = UNSET,
        browser: files_types.VersionsStartBrowser | Unset = UNSET,
        tenant_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> files_types.VersionUpload:
        """Start an upload of new bytes for an object.

        The answer is that of an upload, and is completed in the same way, by the `object_id` in it. The version before is served until the new one is found clean; one that is not is never served.

        byte_size: Exact size; it is signed into the URL
        filename: The name of the version before unless given
        checksum_sha256: Of the bytes, in hex; other bytes are refused then
        browser: Lets a page send the bytes without a key: the answer has an `upload_token`, which goes as `Authorization: Bearer`
        tenant_id: Only an object of this tenant; any other is not found
        """
        return await self._caller.call(
            operations.FILES_VERSIONS_START,
            (id,),
            {
                "content_type": content_type,
                "byte_size": byte_size,
                "filename": filename,
                "checksum_sha256": checksum_sha256,
                "browser": browser,
                "tenant_id": tenant_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncFilesPreviews:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        id: str,
        /,
        *,
        page: int | Unset = UNSET,
        size: int | Unset = UNSET,
        tenant_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> files_types.PreviewsCreateReply:
        """Make a preview of a clean PDF or picture.

        Answers with a link to a JPEG that works for five minutes: of a page of a PDF, or of a picture (PNG, JPEG, WebP, GIF, BMP). It is drawn in a sandbox, by what the bytes are and not by what they are called; 409 for whatever is not found clean.

        size: Pixels of the longer side, at most
        tenant_id: Only an object of this tenant; any other is not found
        """
        return await self._caller.call(
            operations.FILES_PREVIEWS_CREATE,
            (id,),
            {
                "page": page,
                "size": size,
                "tenant_id": tenant_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncFilesWebhooks:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        url: str,
        events: List[Literal["*", "object.clean", "object.infected", "files.object.clean", "files.object.infected"]],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> webhooks_types.EndpointWithSecret:
        """Add a webhook.

        Answers the secret by which its deliveries are verified (Standard Webhooks 1.0), this once.

        events: Of files.object.clean, files.object.infected; the prefix may be left out; `*` is all, those to come included
        """
        return await self._caller.call(
            operations.FILES_WEBHOOKS_CREATE,
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
            operations.FILES_WEBHOOKS_LIST,
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
            operations.FILES_WEBHOOKS_ENABLE,
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
    ) -> files_types.WebhooksRemoveReply:
        """Remove a webhook.

        With it goes what is still to be delivered to it, and its log.
        """
        return await self._caller.call(
            operations.FILES_WEBHOOKS_REMOVE,
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
            operations.FILES_WEBHOOKS_ROTATESECRET,
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
            operations.FILES_WEBHOOKS_TEST,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncFilesWebhookDeliveries:
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
            operations.FILES_WEBHOOK_DELIVERIES_LIST,
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
    ) -> files_types.WebhookDeliveriesReplayReply:
        """Deliver an event again.

        With the same `webhook-id`, and as many attempts as a new one.
        """
        return await self._caller.call(
            operations.FILES_WEBHOOK_DELIVERIES_REPLAY,
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
    ) -> files_types.WebhookDeliveriesReplaySinceReply:
        """Deliver events since an instant again.

        The oldest first, at most 10000 in one request: the next one is `since` `next_since`.

        status: all: those that were delivered, too
        """
        return await self._caller.call(
            operations.FILES_WEBHOOK_DELIVERIES_REPLAYSINCE,
            (id,),
            {
                "since": since,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncFilesRescans:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        id: str,
        /,
        *,
        tenant_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> files_types.RescansListReply:
        """The latest 50 scans of an object, newest first.

        Each scan contains its cause, its result and the version of the signatures that were used.

        tenant_id: Only an object of this tenant; any other is not found
        """
        return await self._caller.call(
            operations.FILES_RESCANS_LIST,
            (id,),
            {
                "tenant_id": tenant_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def request(
        self,
        id: str,
        /,
        *,
        tenant_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> files_types.Object:
        """Scan an object again.

        The object is `pending` until the verdict and cannot be downloaded meanwhile. Waits a moment for the verdict. An infected object that is found clean leaves the quarantine.

        tenant_id: Only an object of this tenant; any other is not found
        """
        return await self._caller.call(
            operations.FILES_RESCANS_REQUEST,
            (id,),
            {
                "tenant_id": tenant_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncFiles:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.health = AsyncFilesHealth(caller)
        self.uploads = AsyncFilesUploads(caller)
        self.objects = AsyncFilesObjects(caller)
        self.versions = AsyncFilesVersions(caller)
        self.previews = AsyncFilesPreviews(caller)
        self.webhooks = AsyncFilesWebhooks(caller)
        self.webhook_deliveries = AsyncFilesWebhookDeliveries(caller)
        self.rescans = AsyncFilesRescans(caller)
