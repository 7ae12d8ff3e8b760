"""Sends the parts of an upload to storage, several at the same time."""

from __future__ import annotations

from typing import Awaitable, Callable, Dict, List, Sequence

from .._flavour import AsyncFlavour
from .._source import Progress, Source
from .caller import AsyncCaller
from .storage import Put, store

#: Number of URLs to sign per request.
BATCH = 100

#: Default number of parallel parts, for a resumed upload without a recommendation of the API.
AT_ONCE = 4

#: Returns the URL of each part.
Sign = Callable[[List[int]], Awaitable[Dict[int, str]]]


class AsyncPartsSender:
    """Sends parts of one upload. Signs URLs in batches, and signs a URL again after it has expired."""

    def __init__(
        self, caller: AsyncCaller, source: Source, progress: Progress, upload_id: str, part_bytes: int, sign: Sign
    ) -> None:
        self._caller = caller
        self._source = source
        self._progress = progress
        self._id = upload_id
        self._part_bytes = part_bytes
        self._sign = sign

    async def send(self, numbers: Sequence[int], at_once: int, received: int) -> None:
        """Sends these parts. Storage already has `received` bytes."""
        self._progress.restart(received)
        for first in range(0, len(numbers), BATCH):
            urls = await self._sign(list(numbers[first : first + BATCH]))
            await AsyncFlavour.each(list(urls.items()), at_once, self._send_part)

    async def _send_part(self, part: tuple[int, str]) -> None:
        number, url = part
        offset = (number - 1) * self._part_bytes
        length = min(self._part_bytes, self._source.size - offset)
        data = await AsyncFlavour.run(self._source.read, offset, length)

        async def make(signature_is_over: bool) -> Put:
            fresh = (await self._sign([number]))[number] if signature_is_over else url
            return fresh, {}, data

        await store(self._caller.http, self._id, self._caller.settings.timeout, make)
        self._progress.add(length)
