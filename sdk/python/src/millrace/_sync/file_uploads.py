# Made by `npm run sdk` from its like in `_async`.
"""Uploads of files, each in one piece."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from .. import _operations as operations
from .._flavour import Flavour
from .._source import Progress, Source
from ..errors import ConnectionError, UploadError
from ..types import files as files_types
from .caller import Caller
from .storage import Put, store

#: Bytes that are read and sent at once.
BLOCK = 256 * 1024


class FileUpload:
    """One upload of a file."""

    def __init__(self, caller: Caller, source: Source, progress: Progress) -> None:
        self._caller = caller
        self._source = source
        self._progress = progress

    def send(self, fields: Mapping[str, Any]) -> files_types.Object:
        """Starts an upload, sends the bytes and has them scanned."""
        checksum = Flavour.run(self._source.sha256)
        given = {"checksum_sha256": checksum, **fields, "byte_size": self._source.size}
        upload = self._caller.call(operations.FILES_UPLOADS_START, (), given)

        def make(signature_is_over: bool) -> Put:
            nonlocal upload
            if signature_is_over:
                upload = self._caller.call(operations.FILES_UPLOADS_START, (), given)
            self._progress.restart()
            headers = {**upload["upload_headers"], "content-length": str(self._source.size)}
            return upload["upload_url"], headers, self._blocks()

        object_id = upload["object_id"]
        try:
            store(self._caller.http, object_id, self._caller.settings.timeout, make)
            owner = {"tenant_id": fields["tenant_id"]}
            return self._caller.call(operations.FILES_UPLOADS_COMPLETE, (upload["object_id"],), owner)
        except ConnectionError as lost:
            raise UploadError(str(lost), object_id) from lost

    def _blocks(self) -> Iterator[bytes]:
        for offset in range(0, self._source.size, BLOCK):
            length = min(BLOCK, self._source.size - offset)
            yield Flavour.run(self._source.read, offset, length)
            self._progress.add(length)
