# Made by `npm run sdk` from its like in `_async`.
"""Lists, page by page or item by item."""

from __future__ import annotations

from typing import Any, Iterator, Callable, Dict, Generic, List, Optional, TypeVar

T = TypeVar("T")


class Page(Generic[T]):
    """A page of a list; iterating over it goes on through all pages behind it."""

    #: The items of this page.
    data: List[T]
    #: Where the next page begins; None on the last one.
    next_cursor: Optional[str]
    #: The whole answer.
    raw: Dict[str, Any]

    def __init__(self, raw: Dict[str, Any], behind: Callable[[str], Page[T]]) -> None:
        self.raw = raw
        self.data = raw["data"]
        self.next_cursor = raw.get("next_cursor")
        self._behind = behind

    def next_page(self) -> Optional[Page[T]]:
        """The page behind this one; None behind the last."""
        return None if self.next_cursor is None else self._behind(self.next_cursor)

    def pages(self) -> Iterator[Page[T]]:
        """This page and all behind it."""
        page: Optional[Page[T]] = self
        while page is not None:
            yield page
            page = page.next_page()

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            for item in page.data:
                yield item

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.data)}, next_cursor={self.next_cursor!r}>"
