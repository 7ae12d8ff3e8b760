# Made by `npm run sdk` from its like in `_async`.
"""Uploads of videos: in parts, some at once, and resumed from what storage has."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional

from .. import _operations as operations
from .._flavour import Flavour
from .._source import Progress, Source
from ..errors import ConflictError, ConnectionError, UploadError
from ..types import video as video_types
from .caller import Caller
from .storage import Put, store

#: Parts whose URLs are signed together.
BATCH = 100

#: Parts that are sent at once where the service recommends nothing, as of an upload that is resumed.
AT_ONCE = 4


class VideoUpload:
    """One upload of a video."""

    def __init__(self, caller: Caller, source: Source, progress: Progress) -> None:
        self._caller = caller
        self._source = source
        self._progress = progress
        self._id = ""
        self._part_bytes = 0
        self._at_once = AT_ONCE

    def begin(
        self, fields: Mapping[str, Any], idempotency_key: Optional[str], on_start: Optional[Callable[[str], None]]
    ) -> video_types.UploadsCompleteReply:
        """Starts an upload and sends all of it, or what is missing where the key has started one before."""
        given = {**fields, "bytes": self._source.size}
        session = self._caller.call(
            operations.VIDEO_UPLOADS_START, (), given, idempotency_key=idempotency_key
        )
        self._at_once = session["recommendedConcurrency"]
        if on_start is not None:
            on_start(session["uploadId"])
        return self.resume(session["uploadId"])

    def resume(self, upload_id: str) -> video_types.UploadsCompleteReply:
        """Sends what storage does not have yet of an upload, and completes it."""
        self._id = upload_id
        try:
            return self._send_and_complete()
        except ConnectionError as lost:
            raise UploadError(str(lost), upload_id) from lost

    def _send_and_complete(self) -> video_types.UploadsCompleteReply:
        status = self._caller.call(operations.VIDEO_UPLOADS_STATUS, (self._id,), {})
        if status["bytes"] != self._source.size:
            raise ValueError(
                f"The upload is of {status['bytes']} bytes and the source has {self._source.size}: it is another one."
            )
        if status["state"] == "paused":
            self._caller.call(operations.VIDEO_UPLOADS_RESUME, (self._id,), {})
        self._send(status)
        try:
            return self._caller.call(operations.VIDEO_UPLOADS_COMPLETE, (self._id,), {})
        except ConflictError:
            # Storage has lost a part, or never had one that it said it has.
            status = self._caller.call(operations.VIDEO_UPLOADS_STATUS, (self._id,), {})
            if status["state"] != "open" or not _missing(status):
                raise
            self._send(status)
            return self._caller.call(operations.VIDEO_UPLOADS_COMPLETE, (self._id,), {})

    def _send(self, status: video_types.UploadStatus) -> None:
        self._part_bytes = status["partSizeBytes"]
        self._progress.restart(status["bytesReceived"])
        numbers = _missing(status)
        for first in range(0, len(numbers), BATCH):
            urls = self._sign(numbers[first : first + BATCH])
            Flavour.each(list(urls.items()), self._at_once, self._send_part)

    def _sign(self, numbers: List[int]) -> Dict[int, str]:
        signed = self._caller.call(operations.VIDEO_UPLOAD_PARTS_SIGN, (self._id,), {"partNumbers": numbers})
        return {part["partNumber"]: part["url"] for part in signed["parts"]}

    def _send_part(self, part: tuple[int, str]) -> None:
        number, url = part
        offset = (number - 1) * self._part_bytes
        length = min(self._part_bytes, self._source.size - offset)
        data = Flavour.run(self._source.read, offset, length)

        def make(signature_is_over: bool) -> Put:
            fresh = (self._sign([number]))[number] if signature_is_over else url
            return fresh, {}, data

        store(self._caller.http, self._id, self._caller.settings.timeout, make)
        self._progress.add(length)


def _missing(status: video_types.UploadStatus) -> List[int]:
    received = set(status["partsReceived"])
    return [number for number in range(1, status["partsExpected"] + 1) if number not in received]
