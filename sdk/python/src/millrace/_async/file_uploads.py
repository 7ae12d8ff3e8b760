"""Uploads of files, each in one request."""

from __future__ import annotations

from typing import Any, AsyncIterator, Mapping

from .. import _operations as operations
from .._flavour import AsyncFlavour
from .._source import Progress, Source
from ..errors import ConnectionError, UploadError
from ..types import files as files_types
from .caller import AsyncCaller
from .storage import Put, store

#: Bytes per chunk.
BLOCK = 256 * 1024


class AsyncFileUpload:
    """One upload of a file."""

    def __init__(self, caller: AsyncCaller, source: Source, progress: Progress) -> None:
        self._caller = caller
        self._source = source
        self._progress = progress

    async def send(self, fields: Mapping[str, Any]) -> files_types.Object:
        """Starts an upload, sends the bytes and starts the scan."""
        checksum = await AsyncFlavour.run(self._source.sha256)
        given = {"checksum_sha256": checksum, **fields, "byte_size": self._source.size}
        upload = await self._caller.call(operations.FILES_UPLOADS_START, (), given)

        async def make(signature_is_over: bool) -> Put:
            nonlocal upload
            if signature_is_over:
                upload = await self._caller.call(operations.FILES_UPLOADS_START, (), given)
            self._progress.restart()
            headers = {**upload["upload_headers"], "content-length": str(self._source.size)}
            return upload["upload_url"], headers, self._blocks()

        object_id = upload["object_id"]
        try:
            await store(self._caller.http, object_id, self._caller.settings.timeout, make)
            owner = {"tenant_id": fields["tenant_id"]}
            return await self._caller.call(operations.FILES_UPLOADS_COMPLETE, (upload["object_id"],), owner)
        except ConnectionError as lost:
            raise UploadError(str(lost), object_id) from lost

    async def _blocks(self) -> AsyncIterator[bytes]:
        for offset in range(0, self._source.size, BLOCK):
            length = min(BLOCK, self._source.size - offset)
            yield await AsyncFlavour.run(self._source.read, offset, length)
            self._progress.add(length)
