# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import trust as trust_types
from ..caller import AsyncCaller
from ..pending_page import AsyncPendingPage


class AsyncTrustCheckUrl:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def check(
        self,
        *,
        url: str,
        expand: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> trust_types.CheckUrlCheckReply:
        """Check what is known of a URL.

        Says which feeds of threats list the URL, how fresh each is, and what is odd about it. With `expand`, redirects are followed (five at most), and the verdict is the worst of all on the way.

        expand: Follow its redirects and judge each; takes up to 12 s
        """
        return await self._caller.call(
            operations.TRUST_CHECK_URL_CHECK,
            (),
            {
                "url": url,
                "expand": expand,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncTrustLists:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[trust_types.ListsListItem]:
        """List allowed and denied hosts.

        limit: Items on a page
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.TRUST_LISTS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def put(
        self,
        *,
        hostname: str,
        policy: Literal["allow", "deny"],
        note: str | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> trust_types.ListsPutReply:
        """Allow or deny a host.

        A host with all below it; `policy` of a checked URL tells what the nearest listed host says.
        """
        return await self._caller.call(
            operations.TRUST_LISTS_PUT,
            (),
            {
                "hostname": hostname,
                "policy": policy,
                "note": note,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def remove(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> trust_types.ListsRemoveReply:
        """Take a listing back."""
        return await self._caller.call(
            operations.TRUST_LISTS_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncTrust:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.check_url = AsyncTrustCheckUrl(caller)
        self.lists = AsyncTrustLists(caller)
