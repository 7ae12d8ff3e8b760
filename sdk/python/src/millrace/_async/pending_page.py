"""A page that has been asked for."""

from __future__ import annotations

from typing import Any, AsyncIterator, Coroutine, Generator, Generic, TypeVar

from .pages import AsyncPage

T = TypeVar("T")


class AsyncPendingPage(Generic[T]):
    """`await` gives the first page; `async for` goes through all items."""

    def __init__(self, first: Coroutine[Any, Any, AsyncPage[T]]) -> None:
        self._first = first

    def __await__(self) -> Generator[Any, None, AsyncPage[T]]:
        return self._first.__await__()

    async def pages(self) -> AsyncIterator[AsyncPage[T]]:
        """All pages."""
        async for page in (await self._first).pages():
            yield page

    async def __aiter__(self) -> AsyncIterator[T]:
        async for item in await self._first:
            yield item
