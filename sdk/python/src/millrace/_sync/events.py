# Made by `npm run sdk` from its like in `_async`.
"""Streams of server-sent events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Generator, Callable, Optional

import httpx

from .._events import Event, EventParser
from .._flavour import Flavour
from .._operation import Request, Settings, connection_error

#: Seconds without a byte after which a connection is lost: the service says something every 15.
SILENCE = 45.0

#: Seconds before coming back, unless the service has said.
COME_BACK = 3.0

#: Tries to come back, in vain and one after another, before the stream is given up.
TRIES = 10


class EventStream:
    """Events as they come. One that is watched comes back after a lost connection and misses nothing that the service still has."""

    def __init__(
        self,
        http: httpx.Client,
        settings: Settings,
        request: Callable[[Settings], Request[Any]],
        *,
        resumes: bool,
    ) -> None:
        self._source = Source(http, settings, request, resumes)
        self._events = self._source.all()

    def __iter__(self) -> EventStream:
        return self

    def __next__(self) -> Event:
        return self._events.__next__()

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the stream."""
        self._events.close()
        if self._source.response is not None:
            self._source.response.close()


class Source:
    """What a stream reads from. It knows nothing of the stream: one that is left ends at once, not when the collector of cycles
    comes by, which may be in the middle of a request that holds the lock of the connections."""

    def __init__(
        self,
        http: httpx.Client,
        settings: Settings,
        request: Callable[[Settings], Request[Any]],
        resumes: bool,
    ) -> None:
        self._http = http
        self._settings = settings
        self._request = request
        self._resumes = resumes
        self.response: Optional[httpx.Response] = None

    def all(self) -> Generator[Event, None, None]:
        settings, last_id, pause = self._settings, None, COME_BACK
        while True:
            response = self._open(self._request(settings), last_id)
            parser = EventParser()
            parser.last_id = last_id
            try:
                for piece in response.iter_bytes():
                    for event in parser.feed(piece):
                        last_id = parser.last_id
                        yield event
            except httpx.HTTPError as failure:
                if not self._resumes:
                    raise connection_error(failure) from failure
            finally:
                response.close()
            if not self._resumes:
                return
            pause = parser.retry if parser.retry is not None else pause
            Flavour.pause(pause)
            settings = replace(settings, max_retries=max(TRIES, settings.max_retries))

    def _open(self, request: Request[Any], last_id: Optional[str]) -> httpx.Response:
        if last_id is not None:
            request.headers["last-event-id"] = last_id
        timeout = httpx.Timeout(request.timeout, read=max(SILENCE, request.timeout))
        while True:
            try:
                response = self._http.send(
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
                content = response.read()
            except httpx.HTTPError as failure:
                pause = request.failed(failure)
            else:
                again = request.answered(response.status_code, response.headers)
                if again is None:
                    request.result(response.status_code, response.headers, content)
                    raise AssertionError("An answer that is no success has no result.")
                pause = again
            Flavour.pause(pause)
