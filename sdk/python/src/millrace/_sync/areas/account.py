# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import account as account_types
from ...types import webhooks as webhooks_types
from ..caller import Caller
from ..pages import Page


class AccountCatalogue:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def document(
        self,
        *,
        timeout: float | None = None,
    ) -> Dict[str, Any]:
        """The OpenAPI document of the whole API.

        Returns the OpenAPI 3.1 document of every area. It needs no API key.
        """
        return self._caller.call(
            operations.ACCOUNT_CATALOGUE_DOCUMENT,
            (),
            {},
            timeout=timeout,
        )

    def list(
        self,
        *,
        timeout: float | None = None,
    ) -> account_types.Catalogue:
        """List every operation of every area.

        Returns the areas and, for each operation, its method, path, summary and scope. It needs no API key.
        """
        return self._caller.call(
            operations.ACCOUNT_CATALOGUE_LIST,
            (),
            {},
            timeout=timeout,
        )


class AccountOrganisation:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def read(
        self,
        *,
        timeout: float | None = None,
    ) -> account_types.Organisation:
        """Read the organisation, its plan and limits.

        Returns the organisation of this API key, with its plan, its limits and the mode of the key.
        """
        return self._caller.call(
            operations.ACCOUNT_ORGANISATION_READ,
            (),
            {},
            timeout=timeout,
        )

    def update(
        self,
        *,
        name: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.Organisation:
        """Rename the organisation.

        Changes the name that members see in the dashboard and in emails.
        """
        return self._caller.call(
            operations.ACCOUNT_ORGANISATION_UPDATE,
            (),
            {
                "name": name,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AccountKeys:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        name: str,
        scopes: List[Literal["account:read", "account:write", "account:keys", "account:members", "account:logs", "account:webhooks", "account:audit", "ai:invoke", "bots:chat", "bots:read", "bots:write", "email:send", "email:manage", "erp:read", "files:read", "files:write", "geo:read", "guard:challenge", "guard:manage", "guard:verify", "identity:read", "identity:verify", "notify:read", "notify:write", "push:manage", "push:receipt", "push:send", "push:subscribe", "stream:read", "stream:write", "streaming:read", "streaming:write", "trust:read", "trust:write", "voice:call", "voice:read", "whatsapp:manage", "whatsapp:read", "whatsapp:send", "wiki:read", "wiki:write"]],
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
        public: It stands in a page: for bots:chat, guard:challenge, push:receipt, push:subscribe, locked to one site or app, or to origins
        """
        return self._caller.call(
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
    ) -> Page[account_types.Key]:
        """List API keys, newest first.

        Returns each key without its secret. Set `revoked` to list revoked keys.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        revoked: Those that are revoked, in place of the others
        """
        return self._caller.page(
            operations.ACCOUNT_KEYS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "revoked": revoked,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.Key:
        """Read an API key.

        Returns the key without its secret, including its scopes, locks, networks and expiry.
        """
        return self._caller.call(
            operations.ACCOUNT_KEYS_READ,
            (id,),
            {},
            timeout=timeout,
        )

    def remove(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.KeysRemoveReply:
        """Revoke an API key.

        For good; every process refuses it within seconds.
        """
        return self._caller.call(
            operations.ACCOUNT_KEYS_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )

    def update(
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
        return self._caller.call(
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

    def rotate(
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
        return self._caller.call(
            operations.ACCOUNT_KEYS_ROTATE,
            (id,),
            {
                "keep_hours": keep_hours,
                "from": from_,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AccountKeyChecks:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
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
        return self._caller.call(
            operations.ACCOUNT_KEY_CHECKS_CREATE,
            (id,),
            {
                "operation": operation,
                "facts": facts,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def locks(
        self,
        *,
        timeout: float | None = None,
    ) -> account_types.KeyChecksLocksReply:
        """List which lock of keys binds which operation.

        Returns each key lock with the scopes that it limits and the operations that refuse a locked key.
        """
        return self._caller.call(
            operations.ACCOUNT_KEY_CHECKS_LOCKS,
            (),
            {},
            timeout=timeout,
        )


class AccountMembers:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[account_types.Member]:
        """List members.

        Returns the people who can sign in to the organisation, with their role and their number of passkeys.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.ACCOUNT_MEMBERS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def remove(
        self,
        user_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> None:
        """Remove a member.

        Their sessions end at once. Keys that they made go on: a key is judged by its own scopes.
        """
        return self._caller.call(
            operations.ACCOUNT_MEMBERS_REMOVE,
            (user_id,),
            {},
            timeout=timeout,
        )

    def update(
        self,
        user_id: str,
        /,
        *,
        role: Literal["owner", "admin", "developer", "viewer"],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.Member:
        """Give a member another role.

        Their sessions end: they sign in anew. Owners are made and changed by an owner in the dashboard, by no key.
        """
        return self._caller.call(
            operations.ACCOUNT_MEMBERS_UPDATE,
            (user_id,),
            {
                "role": role,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AccountInvitations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def again(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.Invitation:
        """Send an invitation again.

        It is good for seven days from now; the link that was sent before is good no more.
        """
        return self._caller.call(
            operations.ACCOUNT_INVITATIONS_AGAIN,
            (id,),
            {},
            timeout=timeout,
        )

    def create(
        self,
        *,
        email: str,
        role: Literal["owner", "admin", "developer", "viewer"],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.Invitation:
        """Invite somebody by mail.

        The link is good for seven days, and is in the mail alone. A key invites to every role but `owner`.
        """
        return self._caller.call(
            operations.ACCOUNT_INVITATIONS_CREATE,
            (),
            {
                "email": email,
                "role": role,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[account_types.Invitation]:
        """List invitations that wait for an answer.

        Returns pending invitations. Accepted, withdrawn and expired invitations are not included.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.ACCOUNT_INVITATIONS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def remove(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> None:
        """Withdraw an invitation.

        The link in the invitation email stops working immediately.
        """
        return self._caller.call(
            operations.ACCOUNT_INVITATIONS_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )


class AccountAudit:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def exported(
        self,
        *,
        timeout: float | None = None,
    ) -> None:
        """Export the audit log.

        NDJSON in the order of the chain: each line is a row as it was hashed, and its hash.
        """
        return self._caller.call(
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
    ) -> Page[account_types.AuditEntry]:
        """List who did what to the organisation, newest first.

        Each entry contains the actor, the action and the values before and after. Entries form a hash chain that you can verify.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        actor: The id of the key or user who acted
        """
        return self._caller.page(
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
        )


class AccountRequests:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(
        self,
        request_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.RequestDetail:
        """Read a request and what followed from it.

        Returns a logged API request together with the jobs, messages and webhook deliveries that it caused.
        """
        return self._caller.call(
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
    ) -> Page[account_types.Request]:
        """List requests of the organisation’s keys, newest first.

        Errors and others, some a second of each, no 429: a sample, which is no count.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        class_: The first digit of the status
        """
        return self._caller.page(
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
        )

    def open(
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
        return self._caller.call(
            operations.ACCOUNT_REQUESTS_OPEN,
            (),
            {
                "key_id": key_id,
                "minutes": minutes,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AccountUsage:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def daily(
        self,
        *,
        metric: Literal["requests", "email.messages", "email.delivered", "ai.tokens", "ai.requests", "bots.answers", "storage.bytes", "push.messages", "push.deliveries", "guard.challenges", "video.stored", "video.encoded", "video.delivered", "video.views", "video.bytes", "live.broadcast", "rooms.participants", "voice.seconds", "voice.calls", "whatsapp.messages", "whatsapp.received", "identity.checks", "trust.checks", "geo.lookups", "erp.lookups", "notify.events", "files.scans", "wiki.snapshots"],
        from_: str | Unset = UNSET,
        to: str | Unset = UNSET,
        by: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.DailyUsage:
        """Read a metric by day.

        Returns one value per day in UTC for the metric, from `from` to `to`.

        from_: The first day, in UTC; 30 days before the last unless given
        to: The last day; today unless given
        by: What the parts are named by, as `key`, `domain` or `app`
        """
        return self._caller.call(
            operations.ACCOUNT_USAGE_DAILY,
            (),
            {
                "metric": metric,
                "from": from_,
                "to": to,
                "by": by,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read(
        self,
        *,
        timeout: float | None = None,
    ) -> account_types.UsageReadReply:
        """Read what is used of every metric in its period.

        What is billed is counted in the moment of its effect; the rest, and the parts of everything, are summed once an hour.
        """
        return self._caller.call(
            operations.ACCOUNT_USAGE_READ,
            (),
            {},
            timeout=timeout,
        )


class AccountBudgets:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        timeout: float | None = None,
    ) -> account_types.BudgetsListReply:
        """List your own limits.

        Returns the soft and hard limits that the organisation has set for itself, by metric.
        """
        return self._caller.call(
            operations.ACCOUNT_BUDGETS_LIST,
            (),
            {},
            timeout=timeout,
        )

    def put(
        self,
        metric: str,
        /,
        *,
        period: Literal["month", "day"] | Unset = UNSET,
        soft: int | None | Unset = UNSET,
        hard: int | None | Unset = UNSET,
        alert_at: List[int] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.Budget:
        """Set your own limit of a metric.

        A hard limit refuses with 429 what would pass it, exactly, however many ask at once: new requests from now on; what was accepted before goes on. Work whose amount is known at its end, as calls and language work, reserves the most it can come to. A soft limit only tells. Codes and links to sign in are mailed in any case.

        period: Of UTC
        alert_at: Percentages of `soft`, else of `hard`, at which you are told, each once in a period; 80 and 100 unless given
        """
        return self._caller.call(
            operations.ACCOUNT_BUDGETS_PUT,
            (metric,),
            {
                "period": period,
                "soft": soft,
                "hard": hard,
                "alert_at": alert_at,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def remove(
        self,
        metric: str,
        /,
        *,
        timeout: float | None = None,
    ) -> None:
        """Remove your own limit of a metric.

        Only the plan limits the metric afterwards.
        """
        return self._caller.call(
            operations.ACCOUNT_BUDGETS_REMOVE,
            (metric,),
            {},
            timeout=timeout,
        )


class AccountEvents:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        type: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[account_types.Event]:
        """List events, newest first.

        Those that a webhook is told of; and all while `keep_events` is on.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.ACCOUNT_EVENTS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "type": type,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read_settings(
        self,
        *,
        timeout: float | None = None,
    ) -> account_types.EventSettings:
        """Read whether events are kept.

        Returns whether Millrace stores events so that you can list and replay them.
        """
        return self._caller.call(
            operations.ACCOUNT_EVENTS_READSETTINGS,
            (),
            {},
            timeout=timeout,
        )

    def update_settings(
        self,
        *,
        keep_events: bool,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.EventSettings:
        """Have events kept, or not.

        Those kept can be listed, and told to webhooks that come later; each is kept for its time.
        """
        return self._caller.call(
            operations.ACCOUNT_EVENTS_UPDATESETTINGS,
            (),
            {
                "keep_events": keep_events,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AccountWebhooks:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        url: str,
        types: List[str],
        name: str | None | Unset = UNSET,
        mode: Literal["live", "test"] | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.WebhookWithSecret:
        """Add a webhook for all areas.

        Answers the secret by which its deliveries are verified (Standard Webhooks 1.0), this once.

        types: Types such as `email.bounced`, groups such as `email.*`, or `*`: those to come included
        name: For people
        mode: Null for events of both; those of sandbox keys are test
        """
        return self._caller.call(
            operations.ACCOUNT_WEBHOOKS_CREATE,
            (),
            {
                "url": url,
                "types": types,
                "name": name,
                "mode": mode,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[account_types.Webhook]:
        """List the webhooks of all areas.

        Returns the endpoints that receive events of any area, without their signing secrets.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.ACCOUNT_WEBHOOKS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def pause(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.Webhook:
        """Pause a webhook.

        What happens waits for it, for as long as events are kept.
        """
        return self._caller.call(
            operations.ACCOUNT_WEBHOOKS_PAUSE,
            (id,),
            {},
            timeout=timeout,
        )

    def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.Webhook:
        """Read a webhook.

        Returns the endpoint without its signing secret, including why it was disabled.
        """
        return self._caller.call(
            operations.ACCOUNT_WEBHOOKS_READ,
            (id,),
            {},
            timeout=timeout,
        )

    def remove(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.WebhooksRemoveReply:
        """Remove a webhook.

        With it goes what is still to be delivered to it, and its log.
        """
        return self._caller.call(
            operations.ACCOUNT_WEBHOOKS_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )

    def update(
        self,
        id: str,
        /,
        *,
        url: str | Unset = UNSET,
        types: List[str] | Unset = UNSET,
        name: str | None | Unset = UNSET,
        mode: Literal["live", "test"] | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.Webhook:
        """Change a webhook.

        What is not given stays; `types` replaces all. What waits to be delivered goes to the new URL.

        types: Types such as `email.bounced`, groups such as `email.*`, or `*`: those to come included
        name: For people
        mode: Null for events of both; those of sandbox keys are test
        """
        return self._caller.call(
            operations.ACCOUNT_WEBHOOKS_UPDATE,
            (id,),
            {
                "url": url,
                "types": types,
                "name": name,
                "mode": mode,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def resume(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.Webhook:
        """Resume a paused or disabled webhook.

        What waited for it is delivered.
        """
        return self._caller.call(
            operations.ACCOUNT_WEBHOOKS_RESUME,
            (id,),
            {},
            timeout=timeout,
        )

    def rotate_secret(
        self,
        id: str,
        /,
        *,
        keep_hours: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.WebhookWithSecret:
        """Replace the secret of a webhook.

        Deliveries carry two signatures for as long as the secret before is kept.

        keep_hours: Hours for which the secret before is kept
        """
        return self._caller.call(
            operations.ACCOUNT_WEBHOOKS_ROTATESECRET,
            (id,),
            {
                "keep_hours": keep_hours,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def test(
        self,
        id: str,
        /,
        *,
        type: Literal["account.key.created", "account.key.expiring", "account.key.revoked", "account.key.rotated", "account.member.added", "account.member.changed", "account.member.removed", "account.usage.threshold", "bots.answer.completed", "bots.answer.failed", "bots.conversation.handed_over", "bots.conversation.replied", "bots.conversation.returned", "email.accepted", "email.bounced", "email.campaign.cancelled", "email.campaign.finished", "email.campaign.paused", "email.campaign.sent", "email.cancelled", "email.complained", "email.contact.confirmed", "email.contact.unsubscribed", "email.deferred", "email.delivered", "email.domain.failed", "email.domain.verified", "email.failed", "email.inbound_storage.warning", "email.marketing.paused", "email.marketing.resumed", "email.received", "email.reputation.warning", "email.sent", "email.suppressed", "erp.register.changed", "files.object.clean", "files.object.infected", "guard.site.changed", "guard.site.created", "guard.site.deleted", "guard.site.key_rotated", "identity.check.decided", "identity.check.rejected", "identity.check.submitted", "identity.check.verified", "identity.document.read", "notify.event.accepted", "notify.run.ended", "push.delivered", "push.failed", "push.installation.invalidated", "push.opened", "trust.listing.removed", "trust.listing.set", "trust.watch.changed", "video.asset.deleted", "video.asset.failed", "video.asset.playable", "video.asset.ready", "video.asset.updated", "video.captions.ready", "video.live.ended", "video.live.recorded", "video.live.started", "video.room.ended", "video.room.participant.joined", "video.room.participant.left", "video.room.participant.waiting", "video.room.started", "voice.call.answered", "voice.call.ended", "voice.call.ringing", "webhooks.endpoint.disabled", "webhooks.test", "whatsapp.media.failed", "whatsapp.media.refused", "whatsapp.media.stored", "whatsapp.message.accepted", "whatsapp.message.delivered", "whatsapp.message.failed", "whatsapp.message.read", "whatsapp.message.received", "whatsapp.message.sent", "whatsapp.message.unknown", "whatsapp.number.connected", "whatsapp.number.removed", "whatsapp.template.changed", "wiki.article.published", "wiki.article.withdrawn"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> webhooks_types.TestResult:
        """Send a test event, or a sample of a type.

        A signed event, once; answers what the endpoint made of it. Disabled and paused ones get it, too, whatever they ask for.

        type: Type of the sample event. Default: `webhooks.test`
        """
        return self._caller.call(
            operations.ACCOUNT_WEBHOOKS_TEST,
            (id,),
            {
                "type": type,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AccountWebhookDeliveries:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: Literal["pending", "delivered", "failed"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[webhooks_types.Delivery]:
        """List deliveries to a webhook, newest first.

        Each delivery contains the status, the number of attempts and the last response of the endpoint.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.ACCOUNT_WEBHOOK_DELIVERIES_LIST,
            (id,),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def replay(
        self,
        id: str,
        delivery_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.WebhookDeliveriesReplayReply:
        """Deliver an event again.

        With the same `webhook-id`, and as many attempts as a new one.
        """
        return self._caller.call(
            operations.ACCOUNT_WEBHOOK_DELIVERIES_REPLAY,
            (id, delivery_id,),
            {},
            timeout=timeout,
        )

    def replay_since(
        self,
        id: str,
        /,
        *,
        since: str,
        status: Literal["failed", "all", "missed"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> account_types.WebhookDeliveriesReplaySinceReply:
        """Deliver events since an instant again, or for the first time.

        The oldest first, as many as one request can: the next one is `since` `next_since`.

        status: all: those that were delivered, too; missed: events that are kept, and that it was never told of
        """
        return self._caller.call(
            operations.ACCOUNT_WEBHOOK_DELIVERIES_REPLAYSINCE,
            (id,),
            {
                "since": since,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AccountTestMessages:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def clear(
        self,
        *,
        timeout: float | None = None,
    ) -> account_types.TestMessagesClearReply:
        """Empty the test inbox.

        The email area keeps its own rows of test mails, each for 7 days.
        """
        return self._caller.call(
            operations.ACCOUNT_TEST_MESSAGES_CLEAR,
            (),
            {},
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        channel: Literal["email", "push", "whatsapp", "voice", "notify"] | Unset = UNSET,
        to: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[account_types.TestMessage]:
        """List what test keys would have sent, newest first.

        Mail, push, WhatsApp, calls and notifications: the last 1000, for 7 days.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        to: + is %2B in a URL
        """
        return self._caller.page(
            operations.ACCOUNT_TEST_MESSAGES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "channel": channel,
                "to": to,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read(
        self,
        message_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> account_types.TestMessageDetail:
        """Read what a test key would have sent.

        Returns a message that a test key created. Millrace stores it and does not send it.
        """
        return self._caller.call(
            operations.ACCOUNT_TEST_MESSAGES_READ,
            (message_id,),
            {},
            timeout=timeout,
        )


class Account:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.catalogue = AccountCatalogue(caller)
        self.organisation = AccountOrganisation(caller)
        self.keys = AccountKeys(caller)
        self.key_checks = AccountKeyChecks(caller)
        self.members = AccountMembers(caller)
        self.invitations = AccountInvitations(caller)
        self.audit = AccountAudit(caller)
        self.requests = AccountRequests(caller)
        self.usage = AccountUsage(caller)
        self.budgets = AccountBudgets(caller)
        self.events = AccountEvents(caller)
        self.webhooks = AccountWebhooks(caller)
        self.webhook_deliveries = AccountWebhookDeliveries(caller)
        self.test_messages = AccountTestMessages(caller)
