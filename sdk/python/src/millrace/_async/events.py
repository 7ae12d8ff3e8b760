"""Streams of server-sent events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, AsyncGenerator, Callable, Optional

import httpx

from .._events import Event, EventParser
from .._flavour import AsyncFlavour
from .._operation import Request, Settings, connection_error

#: Seconds without data after which a connection counts as lost. The API sends data every 15.
SILENCE = 45.0

#: Default seconds before a reconnection.
COME_BACK = 3.0

#: Maximum number of failed reconnections in a row.
TRIES = 10


class AsyncEventStream:
    """Received events. A watched stream reconnects after a lost connection and misses no event that the API still has."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        settings: Settings,
        request: Callable[[Settings], Request[Any]],
        *,
        resumes: bool,
    ) -> None:
        self._source = AsyncSource(http, settings, request, resumes)
        self._events = self._source.all()

    def __aiter__(self) -> AsyncEventStream:
        return self

    async def __anext__(self) -> Event:
        return await self._events.__anext__()

    async def __aenter__(self) -> AsyncEventStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends the stream."""
        await self._events.aclose()
        if self._source.response is not None:
            await self._source.response.aclose()


class AsyncSource:
    """The source of a stream. It has no reference to the stream, so a stream that goes out of scope ends immediately and not
    in the garbage collector. That could run during a request that holds the lock of the connections."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        settings: Settings,
        request: Callable[[Settings], Request[Any]],
        resumes: bool,
    ) -> None:
        self._http = http
        self._settings = settings
        self._request = request
        self._resumes = resumes
        self.response: Optional[httpx.Response] = None

    async def all(self) -> AsyncGenerator[Event, None]:
        settings, last_id, pause = self._settings, None, COME_BACK
        while True:
            response = await self._open(self._request(settings), last_id)
            parser = EventParser()
            parser.last_id = last_id
            try:
                async for piece in response.aiter_bytes():
                    for event in parser.feed(piece):
                        last_id = parser.last_id
                        yield event
            except httpx.HTTPError as failure:
                if not self._resumes:
                    raise connection_error(failure) from failure
            finally:
                await response.aclose()
            if not self._resumes:
                return
            pause = parser.retry if parser.retry is not None else pause
            await AsyncFlavour.pause(pause)
            settings = replace(settings, max_retries=max(TRIES, settings.max_retries))

    async def _open(self, request: Request[Any], last_id: Optional[str]) -> httpx.Response:
        if last_id is not None:
            request.headers["last-event-id"] = last_id
        timeout = httpx.Timeout(request.timeout, read=max(SILENCE, request.timeout))
        while True:
            request.started()
            try:
                response = await self._http.send(
                    self._http.build_request(
                        request.method,
                        request.url,
                        content=request.content,
                        headers=request.headers,
                        timeout=timeout,
                    ),
                    stream=True,
                )
                self.response = response
                if response.is_success:
                    return response
                content = await response.aread()
            except httpx.HTTPError as failure:
                pause = request.failed(failure)
            else:
                again = request.answered(response.status_code, response.headers)
                if again is None:
                    request.result(response.status_code, response.headers, content)
                    raise AssertionError("An error response has no result.")
                pause = again
            await AsyncFlavour.pause(pause)
