"""Sends requests and retries them if that is safe."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple, TypeVar

import httpx

from .._flavour import AsyncFlavour
from .._operation import Operation, Request, Settings
from .events import AsyncEventStream
from .pages import AsyncPage

T = TypeVar("T")


class AsyncCaller:
    """Sends the requests of all areas."""

    def __init__(self, settings: Settings, http: httpx.AsyncClient) -> None:
        self.settings = settings
        self.http = http

    async def call(
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
            request.started()
            try:
                response = await self.http.request(
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
            await AsyncFlavour.pause(pause)

    async def page(
        self,
        operation: Operation[T],
        path: Tuple[str, ...],
        fields: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
    ) -> AsyncPage[T]:
        answer: Any = await self.call(operation, path, fields, timeout=timeout)

        async def behind(cursor: str) -> AsyncPage[T]:
            return await self.page(operation, path, {**fields, "cursor": cursor}, timeout=timeout)

        return AsyncPage(answer, behind)

    def events(
        self,
        operation: Operation[Any],
        path: Tuple[str, ...],
        fields: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> AsyncEventStream:
        # A watched stream never ends. A response to a question ends once.
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

        return AsyncEventStream(self.http, self.settings, request, resumes=resumes)
