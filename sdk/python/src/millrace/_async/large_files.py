"""Uploads of files in parallel parts, which can be resumed."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional

from .. import _operations as operations
from .._source import Progress, Source
from ..errors import ConnectionError, UploadError
from ..types import files as files_types
from .caller import AsyncCaller
from .parts import AT_ONCE, AsyncPartsSender

#: Files above this size in bytes are sent in parts, unless `parts` is given.
LARGE = 64 * 1024 * 1024


class AsyncLargeFileUpload:
    """One upload of a file in parts."""

    def __init__(self, caller: AsyncCaller, source: Source, progress: Progress, tenant_id: str) -> None:
        self._caller = caller
        self._source = source
        self._progress = progress
        self._owner = {"tenant_id": tenant_id}
        self._id = ""
        self._at_once = AT_ONCE

    async def begin(
        self, fields: Mapping[str, Any], idempotency_key: Optional[str], on_start: Optional[Callable[[str], None]]
    ) -> files_types.Object:
        """Starts an upload and sends all parts. If the idempotency key has started one before, sends only missing parts."""
        given = {**fields, "byte_size": self._source.size}
        started = await self._caller.call(operations.FILES_MULTIPART_START, (), given, idempotency_key=idempotency_key)
        self._at_once = started["recommended_concurrency"]
        if on_start is not None:
            on_start(started["object_id"])
        return await self.resume(started["object_id"])

    async def resume(self, object_id: str) -> files_types.Object:
        """Sends the missing parts of an upload and completes it."""
        self._id = object_id
        try:
            return await self._send_and_complete()
        except ConnectionError as lost:
            raise UploadError(str(lost), object_id) from lost

    async def _send_and_complete(self) -> files_types.Object:
        status = await self._caller.call(operations.FILES_MULTIPART_READ, (self._id,), self._owner)
        if status["byte_size"] != self._source.size:
            raise ValueError(
                f"The upload has {status['byte_size']} bytes, but this source has {self._source.size}."
            )
        if status["state"] == "open":
            received = set(status["parts_received"])
            numbers = [number for number in range(1, status["parts_expected"] + 1) if number not in received]
            size = status["part_size"]
            sender = AsyncPartsSender(self._caller, self._source, self._progress, self._id, size, self._sign)
            await sender.send(numbers, self._at_once, status["bytes_received"])
        return await self._caller.call(operations.FILES_UPLOADS_COMPLETE, (self._id,), self._owner)

    async def _sign(self, numbers: List[int]) -> Dict[int, str]:
        given: Dict[str, Any] = {"part_numbers": numbers, **self._owner}
        signed = await self._caller.call(operations.FILES_MULTIPART_SIGN, (self._id,), given)
        return {part["part_number"]: part["url"] for part in signed["parts"]}
