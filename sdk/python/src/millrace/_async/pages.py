"""Lists, page by page or item by item."""

from __future__ import annotations

from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Generic, List, Optional, TypeVar

from .._model import response_of
from ..errors import MillraceError

T = TypeVar("T")


class AsyncPage(Generic[T]):
    """A page of a list. Iterating over it continues with the following pages."""

    #: The items of this page.
    data: List[T]
    #: Cursor of the next page. None on the last page.
    next_cursor: Optional[str]
    #: The complete response.
    raw: Dict[str, Any]

    def __init__(self, raw: Dict[str, Any], behind: Callable[[str], Awaitable[AsyncPage[T]]]) -> None:
        self.raw = raw
        self.data = raw["data"]
        self.next_cursor = raw.get("next_cursor") or None
        self._behind = behind
        self._response = response_of(raw)

    async def next_page(self) -> Optional[AsyncPage[T]]:
        """Returns the next page, or None after the last."""
        if self.next_cursor is None:
            return None
        page = await self._behind(self.next_cursor)
        if page.next_cursor == self.next_cursor:
            raise MillraceError("The server returned the same page again. Read the list again from its start.")
        return page

    async def pages(self) -> AsyncIterator[AsyncPage[T]]:
        """Returns this page and all following pages."""
        page: Optional[AsyncPage[T]] = self
        while page is not None:
            yield page
            page = await page.next_page()

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.data:
                yield item

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.data)}, next_cursor={self.next_cursor!r}>"
