"""Uploads of videos in parallel parts, which can be resumed."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional

from .. import _operations as operations
from .._source import Progress, Source
from ..errors import ConflictError, ConnectionError, UploadError
from ..types import video as video_types
from .caller import AsyncCaller
from .parts import AT_ONCE, AsyncPartsSender


class AsyncVideoUpload:
    """One upload of a video."""

    def __init__(self, caller: AsyncCaller, source: Source, progress: Progress) -> None:
        self._caller = caller
        self._source = source
        self._progress = progress
        self._id = ""
        self._at_once = AT_ONCE

    async def begin(
        self, fields: Mapping[str, Any], idempotency_key: Optional[str], on_start: Optional[Callable[[str], None]]
    ) -> video_types.UploadsCompleteReply:
        """Starts an upload and sends all parts. If the idempotency key has started one before, sends only missing parts."""
        given = {**fields, "bytes": self._source.size}
        session = await self._caller.call(
            operations.VIDEO_UPLOADS_START, (), given, idempotency_key=idempotency_key
        )
        self._at_once = session["recommendedConcurrency"]
        if on_start is not None:
            on_start(session["uploadId"])
        return await self.resume(session["uploadId"])

    async def resume(self, upload_id: str) -> video_types.UploadsCompleteReply:
        """Sends the missing parts of an upload and completes it."""
        self._id = upload_id
        try:
            return await self._send_and_complete()
        except ConnectionError as lost:
            raise UploadError(str(lost), upload_id) from lost

    async def _send_and_complete(self) -> video_types.UploadsCompleteReply:
        status = await self._caller.call(operations.VIDEO_UPLOADS_STATUS, (self._id,), {})
        if status["bytes"] != self._source.size:
            raise ValueError(
                f"The upload has {status['bytes']} bytes, but this source has {self._source.size}."
            )
        if status["state"] == "paused":
            await self._caller.call(operations.VIDEO_UPLOADS_RESUME, (self._id,), {})
        await self._send(status)
        try:
            return await self._caller.call(operations.VIDEO_UPLOADS_COMPLETE, (self._id,), {})
        except ConflictError:
            # Storage lost a part, or never had a part that it reported.
            status = await self._caller.call(operations.VIDEO_UPLOADS_STATUS, (self._id,), {})
            if status["state"] != "open" or not _missing(status):
                raise
            await self._send(status)
            return await self._caller.call(operations.VIDEO_UPLOADS_COMPLETE, (self._id,), {})

    async def _send(self, status: video_types.UploadStatus) -> None:
        size = status["partSizeBytes"]
        sender = AsyncPartsSender(self._caller, self._source, self._progress, self._id, size, self._sign)
        await sender.send(_missing(status), self._at_once, status["bytesReceived"])

    async def _sign(self, numbers: List[int]) -> Dict[int, str]:
        signed = await self._caller.call(operations.VIDEO_UPLOAD_PARTS_SIGN, (self._id,), {"partNumbers": numbers})
        return {part["partNumber"]: part["url"] for part in signed["parts"]}


def _missing(status: video_types.UploadStatus) -> List[int]:
    received = set(status["partsReceived"])
    return [number for number in range(1, status["partsExpected"] + 1) if number not in received]
