"""The client."""

from __future__ import annotations

from typing import Callable, Literal, Optional

import httpx

from .. import guard
from .._flavour import AsyncFlavour
from .._hooks import Hooks, RequestInfo, ResponseInfo, RetryInfo
from .._operation import UNSET, Unset, settings_of
from .._source import OnProgress, Progress, Source, Uploadable
from ..types import files as files_types
from ..types import guard as guard_types
from ..types import video as video_types
from .areas import AsyncAreas
from .caller import AsyncCaller
from .file_uploads import AsyncFileUpload
from .large_files import LARGE, AsyncLargeFileUpload
from .video_uploads import AsyncVideoUpload


class AsyncMillrace(AsyncAreas):
    """A client for one API URL with one key.

    base_url: URL of the API, with or without `/v1`: `https://api.example.com`. Default: MILLRACE_BASE_URL.
    api_key: sent with every operation that needs a key. Default: MILLRACE_API_KEY.
    timeout: seconds per attempt to wait for a connection, and for each part of the response.
    max_retries: number of retries of a request that is rejected, fails or is lost, if a retry is safe.
    on_request, on_response, on_retry: functions to call for each attempt, for example for logs. Secrets are masked.
    transport: an httpx transport that replaces the default one.
    """

    def __init__(
        self,
        *,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        timeout: float = 90.0,
        max_retries: int = 2,
        on_request: Optional[Callable[[RequestInfo], None]] = None,
        on_response: Optional[Callable[[ResponseInfo], None]] = None,
        on_retry: Optional[Callable[[RetryInfo], None]] = None,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        settings = settings_of(base_url, api_key, timeout, max_retries, Hooks(on_request, on_response, on_retry))
        self._settings = settings
        self._http = httpx.AsyncClient(transport=transport, timeout=timeout)
        self._caller = AsyncCaller(settings, self._http)
        super().__init__(self._caller)

    async def upload_video(
        self,
        source: Uploadable,
        *,
        resume: Optional[str] = None,
        on_start: Optional[Callable[[str], None]] = None,
        on_progress: Optional[OnProgress] = None,
        idempotency_key: Optional[str] = None,
        filename: str | Unset = UNSET,
        mimeType: str | Unset = UNSET,
        title: str | Unset = UNSET,
        externalRef: str | Unset = UNSET,
        processingProfile: Literal["standard_vod", "fast_social"] | Unset = UNSET,
        watermark: video_types.UploadsStartWatermark | Unset = UNSET,
    ) -> video_types.UploadsCompleteReply:
        """Upload a video from a path, an open file or bytes, in parallel parts.

        resume: ID of an interrupted upload. Parts that storage already has are not sent again.
        on_start: called with the ID of the upload, which is needed to resume. UploadError also contains it.
        on_progress: called with the number of bytes in storage and of all bytes.
        idempotency_key: a second call with the same key resumes the first upload.
        """
        opened = await AsyncFlavour.run(Source, source)
        try:
            upload = AsyncVideoUpload(self._caller, opened, Progress(opened.size, on_progress))
            if resume is not None:
                return await upload.resume(resume)
            fields = {
                "filename": opened.name if isinstance(filename, Unset) and opened.name else filename,
                "mimeType": mimeType,
                "title": title,
                "externalRef": externalRef,
                "processingProfile": processingProfile,
                "watermark": watermark,
            }
            return await upload.begin(fields, idempotency_key, on_start)
        finally:
            opened.close()

    async def upload_file(
        self,
        source: Uploadable,
        *,
        product_key: str,
        tenant_id: str,
        filename: Optional[str] = None,
        content_type: str = "application/octet-stream",
        on_progress: Optional[OnProgress] = None,
        parts: Optional[bool] = None,
        resume: Optional[str] = None,
        on_start: Optional[Callable[[str], None]] = None,
        idempotency_key: Optional[str] = None,
    ) -> files_types.Object:
        """Upload a file from a path, an open file or bytes, and start its scan. Its checksum is verified.

        parts: sends the file in parallel parts. Default: True for files above 64 MiB.
        resume: ID of an interrupted upload in parts. Parts that storage already has are not sent again.
        on_start: called with the ID of an upload in parts, which is needed to resume. UploadError also contains it.
        idempotency_key: a second call with the same key resumes the first upload in parts.
        """
        opened = await AsyncFlavour.run(Source, source)
        try:
            name = filename if filename is not None else opened.name
            progress = Progress(opened.size, on_progress)
            large = AsyncLargeFileUpload(self._caller, opened, progress, tenant_id)
            if resume is not None:
                return await large.resume(resume)
            if name is None:
                raise ValueError("filename is required, because the source has none.")
            fields = {
                "product_key": product_key,
                "tenant_id": tenant_id,
                "filename": name,
                "content_type": content_type,
            }
            if parts or (parts is None and opened.size > LARGE):
                return await large.begin(fields, idempotency_key, on_start)
            return await AsyncFileUpload(self._caller, opened, progress).send(fields)
        finally:
            opened.close()

    async def guard_token(
        self, action: str, *, threads: Optional[int] = None, on_progress: Optional[guard.OnProgress] = None
    ) -> guard_types.Earned:
        """Get a token for an action like the guard's widget. The key must be the public key of the site."""
        challenge = await self.guard.challenges.create(action=action)
        answer = await AsyncFlavour.run(
            lambda: guard.solve(challenge, threads=threads, on_progress=on_progress)
        )
        return await self.guard.answers.complete(challenge["id"], answer=answer)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncMillrace:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._settings.base_url!r})"
