# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import account as account_types
from ..caller import AsyncCaller
from ..pending_page import AsyncPendingPage


class AsyncAccountCatalogue:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def document(
        self,
        *,
        timeout: float | None = None,
    ) -> Dict[str, Any]:
        """The OpenAPI document of the whole API."""
        return await self._caller.call(
            operations.ACCOUNT_CATALOGUE_DOCUMENT,
            (),
            {},
            timeout=timeout,
        )

    async def list(
        self,
        *,
        timeout: float | None = None,
    ) -> account_types.Catalogue:
        """List every operation of every area."""
        return await self._caller.call(
            operations.ACCOUNT_CATALOGUE_LIST,
            (),
            {},
            timeout=timeout,
        )


class AsyncAccountAudit:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def exported(
        self,
        *,
        timeout: float | None = None,
    ) -> None:
        """Export the audit log.

        NDJSON in the order of the chain: each line is a row as it was hashed, and its hash.
        """
        return await self._caller.call(
            operations.ACCOUNT_AUDIT_EXPORTED,
            (),
            {},
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        action: str | Unset = UNSET,
        actor: str | Unset = UNSET,
        target: str | Unset = UNSET,
        since: str | Unset = UNSET,
        until: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[account_types.AuditEntry]:
        """List who did what to the organisation, newest first.

        limit: Items on a page
        cursor: `next_cursor` of the page before, of the same filter
        actor: The id of the key or user who acted
        """
        return AsyncPendingPage(self._caller.page(
            operations.ACCOUNT_AUDIT_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "action": action,
                "actor": actor,
                "target": target,
                "since": since,
                "until": until,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))


class AsyncAccountRequests:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get(
        self,
        request_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.RequestDetail:
        """Read a request and what followed from it."""
        return await self._caller.call(
            operations.ACCOUNT_REQUESTS_GET,
            (request_id,),
            {},
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        key: str | Unset = UNSET,
        operation: str | Unset = UNSET,
        status: int | Unset = UNSET,
        class_: int | Unset = UNSET,
        code: str | Unset = UNSET,
        client_id: str | Unset = UNSET,
        since: str | Unset = UNSET,
        until: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[account_types.Request]:
        """List requests of the organisation’s keys, newest first.

        Every error, and of other requests a few a second: a sample, which is no count.

        limit: Items on a page
        cursor: `next_cursor` of the page before, of the same filter
        class_: The first digit of the status
        """
        return AsyncPendingPage(self._caller.page(
            operations.ACCOUNT_REQUESTS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "key": key,
                "operation": operation,
                "status": status,
                "class": class_,
                "code": code,
                "client_id": client_id,
                "since": since,
                "until": until,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def open(
        self,
        *,
        key_id: str,
        minutes: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.RequestWindow:
        """Log the heads of a key’s bodies for a while.

        Masked, 2 KiB of each at most; the audit log says who opened it, and who was shown them.
        """
        return await self._caller.call(
            operations.ACCOUNT_REQUESTS_OPEN,
            (),
            {
                "key_id": key_id,
                "minutes": minutes,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncAccount:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.catalogue = AsyncAccountCatalogue(caller)
        self.audit = AsyncAccountAudit(caller)
        self.requests = AsyncAccountRequests(caller)
