# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import notify as notify_types
from ..caller import AsyncCaller
from ..events import AsyncEventStream
from ..pending_page import AsyncPendingPage


class AsyncNotifyHealth:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def check(
        self,
        *,
        timeout: float | None = None,
    ) -> notify_types.Health:
        """Service health: the database."""
        return await self._caller.call(
            operations.NOTIFY_HEALTH_CHECK,
            (),
            {},
            timeout=timeout,
        )


class AsyncNotifyEvents:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        product_key: str,
        type: str,
        subject_user_id: str,
        title: str,
        body: str | Unset = UNSET,
        data: Dict[str, str] | Unset = UNSET,
        url: str | Unset = UNSET,
        dedupe_key: str | Unset = UNSET,
        channels: List[Literal["in_app", "email", "push"]] | Unset = UNSET,
        email: str | notify_types.EventsCreateEmail | Unset = UNSET,
        push: notify_types.EventsCreatePush | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.EventsCreateReply:
        """Tell a person of something.

        The person’s preferences choose the channels: that of the type, else that of the product, else the inbox alone. An email copy goes out on the stream `transactional`.

        product_key: The product that owns it
        type: Type of events in the product’s own words, such as `order.shipped`
        subject_user_id: Your own id of the person, a UUID
        data: What programs need: texts by names
        url: Where it leads to
        dedupe_key: A repeated event with the key, for the same user and product, is answered with the first one
        channels: In place of what the person prefers
        email: Where the email copy goes, if there is to be one: an address, or more
        push: The app of the push area whose devices of the person are pushed to, if there is to be a push
        """
        return await self._caller.call(
            operations.NOTIFY_EVENTS_CREATE,
            (),
            {
                "product_key": product_key,
                "type": type,
                "subject_user_id": subject_user_id,
                "title": title,
                "body": body,
                "data": data,
                "url": url,
                "dedupe_key": dedupe_key,
                "channels": channels,
                "email": email,
                "push": push,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> notify_types.EventsReadReply:
        """Read an event and what became of its copies."""
        return await self._caller.call(
            operations.NOTIFY_EVENTS_READ,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncNotifyInbox:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        user_id: str,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        product_key: str | Unset = UNSET,
        unread: Literal["true", "false"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[notify_types.Item]:
        """List a person’s inbox, newest first.

        user_id: Your own id of the person, a UUID
        limit: Items on a page
        cursor: `next_cursor` of the page before, of the same filter
        product_key: The product that owns it
        unread: `true`: only what is unread; `false`: only what is read
        """
        return AsyncPendingPage(self._caller.page(
            operations.NOTIFY_INBOX_LIST,
            (),
            {
                "user_id": user_id,
                "limit": limit,
                "cursor": cursor,
                "product_key": product_key,
                "unread": unread,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        id: str,
        /,
        *,
        user_id: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.Item:
        """Mark an item as read.

        user_id: Your own id of the person, a UUID
        """
        return await self._caller.call(
            operations.NOTIFY_INBOX_READ,
            (id,),
            {
                "user_id": user_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read_all(
        self,
        *,
        user_id: str,
        product_key: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.InboxReadAllReply:
        """Mark all items as read.

        user_id: Your own id of the person, a UUID
        product_key: The product that owns it
        """
        return await self._caller.call(
            operations.NOTIFY_INBOX_READALL,
            (),
            {
                "user_id": user_id,
                "product_key": product_key,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def unread_count(
        self,
        *,
        user_id: str,
        product_key: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.InboxUnreadCountReply:
        """Count what is unread.

        user_id: Your own id of the person, a UUID
        product_key: The product that owns it
        """
        return await self._caller.call(
            operations.NOTIFY_INBOX_UNREADCOUNT,
            (),
            {
                "user_id": user_id,
                "product_key": product_key,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncNotifyPreferences:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        user_id: str,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        product_key: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[notify_types.Preference]:
        """List a person’s preferences, newest first.

        Where there is none for a type, that of the type `*` holds; where there is none either, the inbox alone.

        user_id: Your own id of the person, a UUID
        limit: Items on a page
        cursor: `next_cursor` of the page before, of the same filter
        product_key: The product that owns it
        """
        return AsyncPendingPage(self._caller.page(
            operations.NOTIFY_PREFERENCES_LIST,
            (),
            {
                "user_id": user_id,
                "limit": limit,
                "cursor": cursor,
                "product_key": product_key,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def put(
        self,
        *,
        user_id: str,
        product_key: str,
        type: str,
        channels: List[Literal["in_app", "email", "push"]],
        digest: notify_types.PreferencesPutDigest | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.Preference:
        """Set the channels of a type of events.

        Without `in_app` such events do not come into the inbox; with no channel at all, nobody is told. With `digest` mail is collected and sent as one when the window ends, which the first event opens.

        user_id: Your own id of the person, a UUID
        product_key: The product that owns it
        type: A type of events, or `*`: all that have no preference of their own
        """
        return await self._caller.call(
            operations.NOTIFY_PREFERENCES_PUT,
            (),
            {
                "user_id": user_id,
                "product_key": product_key,
                "type": type,
                "channels": channels,
                "digest": digest,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def remove(
        self,
        *,
        user_id: str,
        product_key: str,
        type: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.PreferencesRemoveReply:
        """Delete a preference.

        user_id: Your own id of the person, a UUID
        product_key: The product that owns it
        type: A type of events, or `*`: all that have no preference of their own
        """
        return await self._caller.call(
            operations.NOTIFY_PREFERENCES_REMOVE,
            (),
            {
                "user_id": user_id,
                "product_key": product_key,
                "type": type,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncNotifyStream:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create_token(
        self,
        *,
        user_id: str,
        product_key: str | Unset = UNSET,
        ttl_seconds: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.StreamCreateTokenReply:
        """Make a token for the stream of an inbox.

        For a page, which must never have an API key. Load the inbox after this, then open `url` with `EventSource`: the stream begins with what has happened since. When the token ends, or the API key that it was made with is revoked, so does the stream, and the page needs another one.

        user_id: Your own id of the person, a UUID
        product_key: The product that owns it
        """
        return await self._caller.call(
            operations.NOTIFY_STREAM_CREATETOKEN,
            (),
            {
                "user_id": user_id,
                "product_key": product_key,
                "ttl_seconds": ttl_seconds,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def watch(
        self,
        *,
        user_id: str,
        token: str,
        last_event_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncEventStream:
        """Watch an inbox.

        Server-sent events: `item` (as the inbox has it), `read` (`ids`, `read_at`), `unread_count`, and `reset`: too much has happened since the last event, so load the inbox anew. A client that comes back gets what it missed (`Last-Event-ID`). 401 when the token is over: make another one.

        user_id: Your own id of the person, a UUID
        last_event_id: Before the first `Last-Event-ID`: the last event seen
        """
        return self._caller.events(
            operations.NOTIFY_STREAM_WATCH,
            (),
            {
                "user_id": user_id,
                "token": token,
                "last_event_id": last_event_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncNotify:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.health = AsyncNotifyHealth(caller)
        self.events = AsyncNotifyEvents(caller)
        self.inbox = AsyncNotifyInbox(caller)
        self.preferences = AsyncNotifyPreferences(caller)
        self.stream = AsyncNotifyStream(caller)
