# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping

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


class AsyncAccountOrganisation:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        *,
        timeout: float | None = None,
    ) -> account_types.Organisation:
        """Read the organisation, its plan and limits."""
        return await self._caller.call(
            operations.ACCOUNT_ORGANISATION_READ,
            (),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        *,
        name: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.Organisation:
        """Rename the organisation."""
        return await self._caller.call(
            operations.ACCOUNT_ORGANISATION_UPDATE,
            (),
            {
                "name": name,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncAccountKeys:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        name: str,
        scopes: List[Literal["account:read", "account:write", "account:keys", "account:members", "account:logs", "account:webhooks", "account:audit", "ai:invoke", "bots:read", "bots:write", "email:send", "email:manage", "erp:read", "files:read", "files:write", "geo:read", "guard:challenge", "guard:manage", "guard:verify", "identity:read", "identity:verify", "notify:read", "notify:write", "push:manage", "push:receipt", "push:send", "stream:read", "stream:write", "streaming:read", "streaming:write", "trust:read", "trust:write", "voice:call", "voice:read", "whatsapp:read", "whatsapp:send", "wiki:read", "wiki:write"]],
        note: str | None | Unset = UNSET,
        expires_at: str | None | Unset = UNSET,
        rate_per_minute: int | None | Unset = UNSET,
        networks: List[str] | None | Unset = UNSET,
        locks: account_types.KeysCreateLocks | Unset = UNSET,
        mode: Literal["live", "test"] | Unset = UNSET,
        public: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.KeyWithSecret:
        """Make an API key.

        Answers `secret`, this once: so no idempotency key is taken, and a name that is repeated within a minute is a 409. The key can do no more than the one that asks: locks, networks, rate and expiry that are left out are taken over from it.

        name: What it is for
        expires_at: When it ends; never, unless said
        rate_per_minute: Requests it may make within a minute, beside its plan’s limit
        networks: Addresses and CIDR ranges from which alone it may be used
        locks: What the key is restricted to; a lock that is left out restricts nothing
        mode: What a `test` key sends is recorded and not delivered; `live`, unless said
        public: It stands in a page: for guard:challenge and push:receipt, locked to one site or app
        """
        return await self._caller.call(
            operations.ACCOUNT_KEYS_CREATE,
            (),
            {
                "name": name,
                "scopes": scopes,
                "note": note,
                "expires_at": expires_at,
                "rate_per_minute": rate_per_minute,
                "networks": networks,
                "locks": locks,
                "mode": mode,
                "public": public,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        revoked: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[account_types.Key]:
        """List API keys, newest first.

        limit: Items on a page
        cursor: `next_cursor` of the page before, of the same filter
        revoked: Those that are revoked, in place of the others
        """
        return AsyncPendingPage(self._caller.page(
            operations.ACCOUNT_KEYS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "revoked": revoked,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.Key:
        """Read an API key."""
        return await self._caller.call(
            operations.ACCOUNT_KEYS_READ,
            (id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.KeysRemoveReply:
        """Revoke an API key.

        For good; every process refuses it within seconds.
        """
        return await self._caller.call(
            operations.ACCOUNT_KEYS_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        id: str,
        /,
        *,
        name: str | Unset = UNSET,
        note: str | None | Unset = UNSET,
        expires_at: str | None | Unset = UNSET,
        rate_per_minute: int | None | Unset = UNSET,
        networks: List[str] | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.Key:
        """Change an API key.

        Scopes and locks stay as they were made. What does not fit the asking key, as a later end than its own, is a 403.

        name: What it is for
        expires_at: When it ends; never, unless said
        rate_per_minute: Requests it may make within a minute, beside its plan’s limit
        networks: Addresses and CIDR ranges from which alone it may be used
        """
        return await self._caller.call(
            operations.ACCOUNT_KEYS_UPDATE,
            (id,),
            {
                "name": name,
                "note": note,
                "expires_at": expires_at,
                "rate_per_minute": rate_per_minute,
                "networks": networks,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def rotate(
        self,
        id: str,
        /,
        *,
        keep_hours: int | Unset = UNSET,
        from_: Literal["now", "first_use"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.KeyWithSecret:
        """Give an API key another secret.

        Answers `secret`, this once. Until the one before ends, both are good; meanwhile the only rotation is one that ends both at once: `keep_hours` 0 from `now`.

        keep_hours: Hours for which the secret before is good
        from_: Whether those hours begin now, or when the new secret is used for the first time
        """
        return await self._caller.call(
            operations.ACCOUNT_KEYS_ROTATE,
            (id,),
            {
                "keep_hours": keep_hours,
                "from": from_,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncAccountKeyChecks:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        id: str,
        /,
        *,
        operation: str,
        facts: account_types.KeyChecksCreateFacts | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.KeyVerdict:
        """Ask what would refuse a key an operation.

        Nothing is called: the key’s state, scopes, locks and networks are compared with the operation and the given facts.

        operation: Its id, as `GET /v1` lists it: `email.messages.create`
        """
        return await self._caller.call(
            operations.ACCOUNT_KEY_CHECKS_CREATE,
            (id,),
            {
                "operation": operation,
                "facts": facts,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def locks(
        self,
        *,
        timeout: float | None = None,
    ) -> account_types.KeyChecksLocksReply:
        """List which lock of keys binds which operation."""
        return await self._caller.call(
            operations.ACCOUNT_KEY_CHECKS_LOCKS,
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


class AsyncAccount:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.catalogue = AsyncAccountCatalogue(caller)
        self.organisation = AsyncAccountOrganisation(caller)
        self.keys = AsyncAccountKeys(caller)
        self.key_checks = AsyncAccountKeyChecks(caller)
        self.audit = AsyncAccountAudit(caller)
