# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import notify as notify_types
from ..caller import Caller
from ..events import EventStream
from ..pages import Page


class NotifyHealth:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def check(
        self,
        *,
        timeout: float | None = None,
    ) -> notify_types.Health:
        """Service health: the database.

        Returns whether the database is available. The response contains no secrets.
        """
        return self._caller.call(
            operations.NOTIFY_HEALTH_CHECK,
            (),
            {},
            timeout=timeout,
        )


class NotifyEvents:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
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
        channels: List[Literal["in_app", "email", "push", "whatsapp"]] | Unset = UNSET,
        email: str | notify_types.EventsCreateEmail | Unset = UNSET,
        push: notify_types.EventsCreatePush | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.EventsCreateReply:
        """Tell a person of something.

        The workflow of its product and type tells the person step by step. Where there is none, the person’s preferences choose the channels: that of the type, else that of the product, else the inbox alone. What the event does not say of where to, the directory of people does. An email copy goes out on the stream `transactional`.

        product_key: The product that owns it
        type: Type of events in the product’s own words, such as `order.shipped`
        subject_user_id: Your own id of the person, such as a UUID
        data: What programs need: texts by names
        url: Where it leads to
        dedupe_key: A repeated event with the key, for the same user and product, is answered with the first one
        channels: In place of what the person prefers
        email: Where the email copy goes, if there is to be one: an address, or more
        push: The app of the push area whose devices of the person are pushed to, if there is to be a push
        """
        return self._caller.call(
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

    def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> notify_types.EventsReadReply:
        """Read an event and what became of its copies.

        Returns the notification event and the status of its copy on each channel.
        """
        return self._caller.call(
            operations.NOTIFY_EVENTS_READ,
            (id,),
            {},
            timeout=timeout,
        )


class NotifyInbox:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        user_id: str,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        product_key: str | Unset = UNSET,
        unread: Literal["true", "false"] | Unset = UNSET,
        unseen: Literal["true", "false"] | Unset = UNSET,
        archived: Literal["true", "false"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[notify_types.Item]:
        """List a person’s inbox, newest first.

        Returns the in-app notifications of the person that `user_id` names.

        user_id: Your own id of the person, such as a UUID
        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        product_key: The product that owns it
        unread: `true`: only what is unread; `false`: only what is read
        unseen: `true`: only what was not shown yet; `false`: only what was
        archived: `true`: only what is archived; else only what is not
        """
        return self._caller.page(
            operations.NOTIFY_INBOX_LIST,
            (),
            {
                "user_id": user_id,
                "limit": limit,
                "cursor": cursor,
                "product_key": product_key,
                "unread": unread,
                "unseen": unseen,
                "archived": archived,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read(
        self,
        id: str,
        /,
        *,
        user_id: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.Item:
        """Mark an item as read.

        Sets `read_at` if the item is unread. A repeated call changes nothing.

        user_id: Your own id of the person, such as a UUID
        """
        return self._caller.call(
            operations.NOTIFY_INBOX_READ,
            (id,),
            {
                "user_id": user_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read_all(
        self,
        *,
        user_id: str,
        product_key: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.InboxReadAllReply:
        """Mark all items as read.

        Marks every unread item of the person as read. Set `product_key` to limit the call to one product.

        user_id: Your own id of the person, such as a UUID
        product_key: The product that owns it
        """
        return self._caller.call(
            operations.NOTIFY_INBOX_READALL,
            (),
            {
                "user_id": user_id,
                "product_key": product_key,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def unread_count(
        self,
        *,
        user_id: str,
        product_key: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.InboxUnreadCountReply:
        """Count what is unread.

        Returns the number of unread items of the person, in total and by product.

        user_id: Your own id of the person, such as a UUID
        product_key: The product that owns it
        """
        return self._caller.call(
            operations.NOTIFY_INBOX_UNREADCOUNT,
            (),
            {
                "user_id": user_id,
                "product_key": product_key,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class NotifyMarks:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def counts(
        self,
        *,
        user_id: str,
        product_key: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.MarksCountsReply:
        """Count what is unread and what was not shown yet.

        Returns the number of unread items and the number of items that the person has not seen in a list.

        user_id: Your own id of the person, such as a UUID
        product_key: The product that owns it
        """
        return self._caller.call(
            operations.NOTIFY_MARKS_COUNTS,
            (),
            {
                "user_id": user_id,
                "product_key": product_key,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def create(
        self,
        *,
        user_id: str,
        mark: Literal["read", "seen", "unread", "archived", "unarchived"],
        ids: List[str] | Unset = UNSET,
        product_key: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.MarksCreateReply:
        """Mark items as read, seen or archived.

        Items that are of another person, or in no inbox, are passed over.

        user_id: Your own id of the person, such as a UUID
        mark: `unread` takes `read` back, and `unarchived` takes `archived` back; what is read is seen, too
        ids: Items; without them all of the inbox, or of the product
        product_key: The product that owns it
        """
        return self._caller.call(
            operations.NOTIFY_MARKS_CREATE,
            (),
            {
                "user_id": user_id,
                "mark": mark,
                "ids": ids,
                "product_key": product_key,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class NotifyPreferences:
    def __init__(self, caller: Caller) -> None:
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
    ) -> Page[notify_types.Preference]:
        """List a person’s preferences, newest first.

        Where there is none for a type, that of the type `*` holds; where there is none either, the inbox alone.

        user_id: Your own id of the person, such as a UUID
        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        product_key: The product that owns it
        """
        return self._caller.page(
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
        )

    def put(
        self,
        *,
        user_id: str,
        product_key: str,
        type: str,
        channels: List[Literal["in_app", "email", "push", "whatsapp"]],
        digest: notify_types.PreferencesPutDigest | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.Preference:
        """Set the channels of a type of events.

        Without `in_app` such events do not come into the inbox; with no channel at all, nobody is told. With `digest` mail is collected and sent as one when the window ends, which the first event opens.

        user_id: Your own id of the person, such as a UUID
        product_key: The product that owns it
        type: A type of events, or `*`: all that have no preference of their own
        """
        return self._caller.call(
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

    def remove(
        self,
        *,
        user_id: str,
        product_key: str,
        type: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.PreferencesRemoveReply:
        """Delete a preference.

        The channels of the event type go back to their defaults.

        user_id: Your own id of the person, such as a UUID
        product_key: The product that owns it
        type: A type of events, or `*`: all that have no preference of their own
        """
        return self._caller.call(
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


class NotifyStream:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create_token(
        self,
        *,
        user_id: str,
        product_key: str | Unset = UNSET,
        ttl_seconds: int | Unset = UNSET,
        marks: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.StreamCreateTokenReply:
        """Make a token for the stream of an inbox.

        For a page, which must never have an API key. Load the inbox after this, then open `url` with `EventSource`: the stream begins with what has happened since. When the token ends, or the API key that it was made with is revoked, so does the stream, and the page needs another one.

        user_id: Your own id of the person, such as a UUID
        product_key: The product that owns it
        marks: The page may mark items, too, as `<mill-inbox>` does; the key needs the scope `notify:write`
        """
        return self._caller.call(
            operations.NOTIFY_STREAM_CREATETOKEN,
            (),
            {
                "user_id": user_id,
                "product_key": product_key,
                "ttl_seconds": ttl_seconds,
                "marks": marks,
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
    ) -> EventStream:
        """Watch an inbox.

        Server-sent events: `item` (as the inbox has it), `read` (`ids`, `read_at`), `marked` (`items`, each with its `id` and how it stands), `unread_count`, and `reset`: too much has happened since the last event, so load the inbox anew. A client that comes back gets what it missed (`Last-Event-ID`). 401 when the token is over: make another one.

        user_id: Your own id of the person, such as a UUID
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


class NotifyFeed:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        archived: Literal["true", "false"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[notify_types.Item]:
        """Read the inbox that a page’s token is for.

        For pages: the token of `POST /v1/notify/stream-tokens` is sent as `Authorization: Bearer …`.

        cursor: `next_cursor` of the page before
        """
        return self._caller.page(
            operations.NOTIFY_FEED_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "archived": archived,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def mark(
        self,
        *,
        mark: Literal["read", "seen", "unread", "archived", "unarchived"],
        ids: List[str] | Unset = UNSET,
        product_key: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.FeedMarkReply:
        """Mark items of the inbox that a page’s token is for.

        For pages, with a token that was made with `marks`.

        mark: `unread` takes `read` back, and `unarchived` takes `archived` back; what is read is seen, too
        ids: Items; without them all of the inbox, or of the product
        product_key: The product that owns it
        """
        return self._caller.call(
            operations.NOTIFY_FEED_MARK,
            (),
            {
                "mark": mark,
                "ids": ids,
                "product_key": product_key,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class NotifyPeople:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        email: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[notify_types.Person]:
        """List people, newest first.

        Returns the people whose contact details you have stored. Use `email` to search for one address.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.NOTIFY_PEOPLE_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "email": email,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def put(
        self,
        user_id: str,
        /,
        *,
        name: str | None | Unset = UNSET,
        email: str | None | Unset = UNSET,
        phone: str | None | Unset = UNSET,
        push: notify_types.PeoplePutPush | None | Unset = UNSET,
        locale: str | None | Unset = UNSET,
        time_zone: str | None | Unset = UNSET,
        data: Dict[str, str] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.Person:
        """Keep a person in the directory.

        In place of all that was known: what is not given is forgotten. Events then need not say where to.

        phone: In E.164, for WhatsApp
        push: The app of the push area whose devices of the person are pushed to
        locale: The language of their texts, such as `de` or `de-AT`
        time_zone: Such as `Europe/Vienna`
        data: What conditions and texts may name: `person.data.plan`
        """
        return self._caller.call(
            operations.NOTIFY_PEOPLE_PUT,
            (user_id,),
            {
                "name": name,
                "email": email,
                "phone": phone,
                "push": push,
                "locale": locale,
                "time_zone": time_zone,
                "data": data,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read(
        self,
        user_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> notify_types.Person:
        """Read a person.

        Returns the stored contact details, locale, time zone and data of the person.
        """
        return self._caller.call(
            operations.NOTIFY_PEOPLE_READ,
            (user_id,),
            {},
            timeout=timeout,
        )

    def remove(
        self,
        user_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> notify_types.PeopleRemoveReply:
        """Remove a person from the directory.

        Steps of workflows that wait for the person are not taken; their traces say `person_removed`. The inbox stays as long as events are kept.
        """
        return self._caller.call(
            operations.NOTIFY_PEOPLE_REMOVE,
            (user_id,),
            {},
            timeout=timeout,
        )

    def put_many(
        self,
        *,
        people: List[notify_types.PeoplePutManyPeopleItem],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.PeoplePutManyReply:
        """Keep up to 100 people in the directory.

        All of them or none: an answer of 400 names every fault of each.
        """
        return self._caller.call(
            operations.NOTIFY_PEOPLE_PUTMANY,
            (),
            {
                "people": people,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class NotifyWorkflows:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[notify_types.WorkflowSummary]:
        """List workflows, newest first.

        Returns workflows with their newest version and their published version. Read a workflow for its steps.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.NOTIFY_WORKFLOWS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def publish(
        self,
        key: str,
        /,
        *,
        timeout: float | None = None,
    ) -> notify_types.Workflow:
        """Publish a workflow.

        Makes a version of what is written. Events start it from now on; runs that have begun keep the version and the texts that they began with.
        """
        return self._caller.call(
            operations.NOTIFY_WORKFLOWS_PUBLISH,
            (key,),
            {},
            timeout=timeout,
        )

    def put(
        self,
        key: str,
        /,
        *,
        name: str,
        product_key: str,
        type: str,
        steps: List[notify_types.WorkflowsPutStepsItemChannel | notify_types.WorkflowsPutStepsItemWait | notify_types.WorkflowsPutStepsItemDigest],
        fallback_locale: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.Workflow:
        """Write a workflow.

        Keeps it as a draft, in place of what was written before. Nothing runs differently until `POST …/publish` makes a version of it.

        product_key: The product that owns it
        type: Events of the product and this type start it
        fallback_locale: The language of texts for people of no other
        """
        return self._caller.call(
            operations.NOTIFY_WORKFLOWS_PUT,
            (key,),
            {
                "name": name,
                "product_key": product_key,
                "type": type,
                "steps": steps,
                "fallback_locale": fallback_locale,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read(
        self,
        key: str,
        /,
        *,
        timeout: float | None = None,
    ) -> notify_types.WorkflowsReadReply:
        """Read a workflow and its versions.

        Returns the steps of the workflow and the list of its versions.
        """
        return self._caller.call(
            operations.NOTIFY_WORKFLOWS_READ,
            (key,),
            {},
            timeout=timeout,
        )

    def remove(
        self,
        key: str,
        /,
        *,
        timeout: float | None = None,
    ) -> notify_types.WorkflowsRemoveReply:
        """Delete a workflow and stop its runs.

        Runs in progress stop immediately. The response contains their number.
        """
        return self._caller.call(
            operations.NOTIFY_WORKFLOWS_REMOVE,
            (key,),
            {},
            timeout=timeout,
        )

    def unpublish(
        self,
        key: str,
        /,
        *,
        timeout: float | None = None,
    ) -> notify_types.Workflow:
        """Take a workflow out of use.

        Events go by preferences again. Runs that have begun go on.
        """
        return self._caller.call(
            operations.NOTIFY_WORKFLOWS_UNPUBLISH,
            (key,),
            {},
            timeout=timeout,
        )


class NotifyTexts:
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
    ) -> Page[notify_types.Text]:
        """List texts, newest first.

        Returns the titles and bodies that are stored for event types, by locale.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        type: Type of events in the product’s own words, such as `order.shipped`
        """
        return self._caller.page(
            operations.NOTIFY_TEXTS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "type": type,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def put(
        self,
        *,
        type: str,
        locale: str,
        title: str,
        body: str | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.Text:
        """Write a text of a type and language.

        Makes its next version, which runs have that begin from now on. A run has the text of the person’s language (`de-AT`, then `de`), else of the workflow’s `fallback_locale`, else what the event itself says.

        type: Type of events in the product’s own words, such as `order.shipped`
        title: With placeholders: `{{data.order}}`, `{{person.name}}`, `{{count}}`
        body: Likewise; `{{items}}` are the titles of a digest
        """
        return self._caller.call(
            operations.NOTIFY_TEXTS_PUT,
            (),
            {
                "type": type,
                "locale": locale,
                "title": title,
                "body": body,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def remove(
        self,
        *,
        type: str,
        locale: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> notify_types.TextsRemoveReply:
        """Remove a text.

        From now on there is none of this type and language; runs that have begun still have it.

        type: Type of events in the product’s own words, such as `order.shipped`
        """
        return self._caller.call(
            operations.NOTIFY_TEXTS_REMOVE,
            (),
            {
                "type": type,
                "locale": locale,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class NotifyRuns:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def cancel(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> notify_types.Run:
        """Cancel a run.

        No further step of it is taken; what has gone out has gone out. 409 when it has ended already.
        """
        return self._caller.call(
            operations.NOTIFY_RUNS_CANCEL,
            (id,),
            {},
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        workflow: str | Unset = UNSET,
        user_id: str | Unset = UNSET,
        state: Literal["waiting", "completed", "stopped", "cancelled", "failed"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[notify_types.Run]:
        """List runs of workflows, newest first.

        Returns workflow runs. Filters select a workflow, a person or a state.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        workflow: The key of a workflow, such as `order-shipped`
        user_id: Your own id of the person, such as a UUID
        """
        return self._caller.page(
            operations.NOTIFY_RUNS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "workflow": workflow,
                "user_id": user_id,
                "state": state,
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
    ) -> notify_types.RunsReadReply:
        """Read a run and the trace of its steps.

        Returns the run with each step: what it did, when, and why it was skipped.
        """
        return self._caller.call(
            operations.NOTIFY_RUNS_READ,
            (id,),
            {},
            timeout=timeout,
        )


class Notify:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.health = NotifyHealth(caller)
        self.events = NotifyEvents(caller)
        self.inbox = NotifyInbox(caller)
        self.marks = NotifyMarks(caller)
        self.preferences = NotifyPreferences(caller)
        self.stream = NotifyStream(caller)
        self.feed = NotifyFeed(caller)
        self.people = NotifyPeople(caller)
        self.workflows = NotifyWorkflows(caller)
        self.texts = NotifyTexts(caller)
        self.runs = NotifyRuns(caller)
