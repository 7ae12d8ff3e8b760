# Made by `npm run sdk` from its like in `_async`.
"""Sends requests, and sends them again where that is safe."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple, TypeVar

import httpx

from .._flavour import Flavour
from .._operation import Operation, Request, Settings
from .events import EventStream
from .pages import Page

T = TypeVar("T")


class Caller:
    """What every area of a client calls through."""

    def __init__(self, settings: Settings, http: httpx.Client) -> None:
        self.settings = settings
        self.http = http

    def call(
        self,
        operation: Operation[T],
        path: Tuple[str, ...],
        fields: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> T:
        request = Request(
            self.settings, operation, path, fields, idempotency_key=idempotency_key, timeout=timeout
        )
        while True:
            try:
                response = self.http.request(
                    request.method,
                    request.url,
                    content=request.content,
                    headers=request.headers,
                    timeout=request.timeout,
                )
            except httpx.HTTPError as failure:
                pause = request.failed(failure)
            else:
                again = request.answered(response.status_code, response.headers)
                if again is None:
                    return request.result(response.status_code, response.headers, response.content)
                pause = again
            Flavour.pause(pause)

    def page(
        self,
        operation: Operation[T],
        path: Tuple[str, ...],
        fields: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
    ) -> Page[T]:
        answer: Any = self.call(operation, path, fields, timeout=timeout)

        def behind(cursor: str) -> Page[T]:
            return self.page(operation, path, {**fields, "cursor": cursor}, timeout=timeout)

        return Page(answer, behind)

    def events(
        self,
        operation: Operation[Any],
        path: Tuple[str, ...],
        fields: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> EventStream:
        # What is watched goes on for ever; what was asked is answered once.
        resumes = operation.verb == "GET"

        def request(settings: Settings) -> Request[Any]:
            return Request(
                settings,
                operation,
                path,
                fields,
                idempotency_key=idempotency_key,
                timeout=timeout,
                accept="text/event-stream",
            )

        return EventStream(self.http, self.settings, request, resumes=resumes)
