# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import email as email_types
from ...types import webhooks as webhooks_types
from ..caller import AsyncCaller
from ..pending_page import AsyncPendingPage


class AsyncEmailDomains:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        domain: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Domain:
        """Add a domain to send from.

        Answers the DNS records to publish. Mail is sent from the domain once the required ones are found: by `verify`, or by the hourly pass.

        domain: Such as `example.com`; international letters are fine
        """
        return await self._caller.call(
            operations.EMAIL_DOMAINS_CREATE,
            (),
            {
                "domain": domain,
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
    ) -> AsyncPendingPage[email_types.DomainSummary]:
        """List domains and whether they are verified.

        Returns the sending domains with the result of the last check of SPF and DKIM.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.EMAIL_DOMAINS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        domain: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.Domain:
        """Records of a domain, and whether SPF and DKIM verify.

        Returns the DNS records to publish and the result of the last check of SPF and DKIM.
        """
        return await self._caller.call(
            operations.EMAIL_DOMAINS_READ,
            (domain,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        domain: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.DomainsRemoveReply:
        """Remove a domain.

        Its keys go with it: what is still to be delivered from the domain fails, as it can no longer be signed.
        """
        return await self._caller.call(
            operations.EMAIL_DOMAINS_REMOVE,
            (domain,),
            {},
            timeout=timeout,
        )

    async def verify(
        self,
        domain: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.Domain:
        """Verify a domain now.

        Asks the name servers of the domain itself, so that a record counts as soon as it is published. A record that is amiss is told in the answer; a verified domain stays verified until three hourly passes in a row have found one amiss.
        """
        return await self._caller.call(
            operations.EMAIL_DOMAINS_VERIFY,
            (domain,),
            {},
            timeout=timeout,
        )


class AsyncEmailContacts:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        email: str,
        consent_source: str | Unset = UNSET,
        name: str | Unset = UNSET,
        attributes: Dict[str, Any] | Unset = UNSET,
        tags: List[str] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Contact:
        """Add a contact who agreed.

        The contact is `confirmed`, and where it agreed is on record; an unconfirmed one becomes so, a confirmed one stays as it is.

        email: Returned in lower case. Mail goes to the address as you wrote it last
        consent_source: Where the person agreed
        attributes: In place of those that it has
        tags: In place of those that it has
        """
        return await self._caller.call(
            operations.EMAIL_CONTACTS_CREATE,
            (),
            {
                "email": email,
                "consent_source": consent_source,
                "name": name,
                "attributes": attributes,
                "tags": tags,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: Literal["confirmed", "unconfirmed", "unsubscribed"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[email_types.Contact]:
        """List contacts, newest first.

        Returns contacts with their consent state. `status` selects one state.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.EMAIL_CONTACTS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        email: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.ContactWithHistory:
        """Consent state and history of a contact.

        Returns the contact with each change of its consent: the time, the source and the new state.
        """
        return await self._caller.call(
            operations.EMAIL_CONTACTS_READ,
            (email,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        email: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.ContactsRemoveReply:
        """Remove a contact.

        Deletes the contact with its history. A contact who has unsubscribed is kept and returns `409`.
        """
        return await self._caller.call(
            operations.EMAIL_CONTACTS_REMOVE,
            (email,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        email: str,
        /,
        *,
        name: str | None | Unset = UNSET,
        attributes: Dict[str, Any] | Unset = UNSET,
        tags: List[str] | Unset = UNSET,
        add_tags: List[str] | Unset = UNSET,
        remove_tags: List[str] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Contact:
        """Change what is known of a contact.

        Name, attributes and tags: what mails to it may say, and segments ask. Its consent stays as it is.

        attributes: Each takes the place of the one of its name; null removes it, the others stay
        tags: In place of all that it has
        """
        return await self._caller.call(
            operations.EMAIL_CONTACTS_UPDATE,
            (email,),
            {
                "name": name,
                "attributes": attributes,
                "tags": tags,
                "add_tags": add_tags,
                "remove_tags": remove_tags,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def unsubscribe(
        self,
        email: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.Contact:
        """Record that a contact has unsubscribed.

        For good: it never receives the subscribed stream again. An address that is no contact yet becomes one.
        """
        return await self._caller.call(
            operations.EMAIL_CONTACTS_UNSUBSCRIBE,
            (email,),
            {},
            timeout=timeout,
        )


class AsyncEmailContactImports:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        contacts: List[email_types.ContactImportsCreateContactsItem],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Import:
        """Import contacts.

        The contacts are `unconfirmed`: `reconfirm` asks them. Takes JSON, or a CSV file (`content-type: text/csv`) that has a column `email`, or others as `map` says. Contacts that are there already keep their state, and get what is said of them; a bad line keeps no other from being imported.
        """
        return await self._caller.call(
            operations.EMAIL_CONTACT_IMPORTS_CREATE,
            (),
            {
                "contacts": contacts,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncEmailSegments:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        name: str,
        match: Literal["all", "any"] | Unset = UNSET,
        conditions: List[email_types.SegmentsCreateConditionsItem] | Unset = UNSET,
        groups: List[email_types.SegmentsCreateGroupsItem] | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Segment:
        """Create a segment of contacts.

        Contacts by tags, names, addresses, attributes and age, looked up anew whenever a campaign begins.

        match: Whether all conditions and groups must hold, or one is enough
        groups: Conditions that count as one
        """
        return await self._caller.call(
            operations.EMAIL_SEGMENTS_CREATE,
            (),
            {
                "name": name,
                "match": match,
                "conditions": conditions,
                "groups": groups,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[email_types.Segment]:
        """List segments, newest first.

        Returns saved conditions that select contacts. Use a segment as the audience of a campaign.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.EMAIL_SEGMENTS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def preview(
        self,
        *,
        match: Literal["all", "any"] | Unset = UNSET,
        conditions: List[email_types.SegmentsPreviewConditionsItem] | Unset = UNSET,
        groups: List[email_types.SegmentsPreviewGroupsItem] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.SegmentPreview:
        """Count whom a segment would have.

        Returns the number of contacts that match the conditions, and a few of them. Nothing is stored.

        match: Whether all conditions and groups must hold, or one is enough
        groups: Conditions that count as one
        """
        return await self._caller.call(
            operations.EMAIL_SEGMENTS_PREVIEW,
            (),
            {
                "match": match,
                "conditions": conditions,
                "groups": groups,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.SegmentWithCounts:
        """Read a segment and count its contacts.

        Returns the conditions and the number of contacts that match them now.
        """
        return await self._caller.call(
            operations.EMAIL_SEGMENTS_READ,
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
    ) -> email_types.SegmentsRemoveReply:
        """Delete a segment.

        Contacts are not deleted.
        """
        return await self._caller.call(
            operations.EMAIL_SEGMENTS_REMOVE,
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
        match: Literal["all", "any"] | Unset = UNSET,
        conditions: List[email_types.SegmentsUpdateConditionsItem] | Unset = UNSET,
        groups: List[email_types.SegmentsUpdateGroupsItem] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Segment:
        """Change a segment.

        Omitted fields keep their values. Campaigns that have started keep their recipients.
        """
        return await self._caller.call(
            operations.EMAIL_SEGMENTS_UPDATE,
            (id,),
            {
                "name": name,
                "match": match,
                "conditions": conditions,
                "groups": groups,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncEmailReconfirmations:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        from_email: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        subject: str | Unset = UNSET,
        html: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Reconfirmation:
        """Ask all unconfirmed contacts to confirm.

        Each unconfirmed contact is sent one message on the stream `repermission`, with a link to a page on which it confirms; none who was asked within 30 days, none who is suppressed. With a sandbox key they are only counted.

        from_email: `hello@` your oldest verified domain unless said
        subject: “Would you like to hear from us?” unless said
        html: The message, with a link to `{{confirm_url}}`
        """
        return await self._caller.call(
            operations.EMAIL_RECONFIRMATIONS_CREATE,
            (),
            {
                "from_email": from_email,
                "from_name": from_name,
                "subject": subject,
                "html": html,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )


class AsyncEmailVerify:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def bulk(
        self,
        *,
        emails: List[str],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.VerifyBulkReply:
        """Verify many addresses.

        At most 1,000. Domains that could not be looked up within 20 s are `unknown`.
        """
        return await self._caller.call(
            operations.EMAIL_VERIFY_BULK,
            (),
            {
                "emails": emails,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def one(
        self,
        *,
        email: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Verdict:
        """Verify an address.

        By syntax, DNS and lists. No mail server is asked for the mailbox: many lie, and it harms the one who asks.
        """
        return await self._caller.call(
            operations.EMAIL_VERIFY_ONE,
            (),
            {
                "email": email,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncEmailMessageBatches:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        messages: List[email_types.MessageBatchesCreateMessagesItem],
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.MessageBatchesCreateReply:
        """Queue up to 100 messages.

        Each is taken or refused by itself, as one that comes alone, and answered in its place; those that are taken are recorded together. The idempotency key is the whole batch’s: repeated, it is answered as it was.
        """
        return await self._caller.call(
            operations.EMAIL_MESSAGE_BATCHES_CREATE,
            (),
            {
                "messages": messages,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )


class AsyncEmailMessages:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def cancel(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.Message:
        """Cancel a message that has not left.

        Takes back what waits for its `send_at`, or to be delivered, and its copies; `copies` tells of each whether it was `cancelled`. A message either leaves or is cancelled, never both: one that is being handed over is refused. Cancelling twice is fine.
        """
        return await self._caller.call(
            operations.EMAIL_MESSAGES_CANCEL,
            (id,),
            {},
            timeout=timeout,
        )

    async def create(
        self,
        *,
        stream: Literal["transactional", "security", "subscribed", "repermission"],
        from_: email_types.MessagesCreateFrom,
        to: str,
        cc: List[str] | Unset = UNSET,
        bcc: List[str] | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        reply_to: str | Unset = UNSET,
        headers: Dict[str, str] | Unset = UNSET,
        attachments: List[email_types.MessagesCreateAttachmentsItem] | Unset = UNSET,
        template_id: str | Unset = UNSET,
        variables: Dict[str, Any] | Unset = UNSET,
        send_at: str | Unset = UNSET,
        tags: List[email_types.MessagesCreateTagsItem] | Unset = UNSET,
        metadata: Dict[str, Any] | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Accepted:
        """Queue one message.

        Answers at once, or, with the header `Prefer: wait=10` (seconds, up to 30), when its outcome is known. Nothing is sent twice to a request that is repeated with the same idempotency key. Each recipient of `cc` and `bcc` gets a message of its own, which counts as one, and has a status, suppression and events of its own.

        stream: `transactional` and `security` always flow; `subscribed` is marketing; `repermission` asks to confirm
        to: One recipient
        cc: Who gets a copy that all others see; transactional and security mail alone
        bcc: Who gets a copy that no other sees; with `to` and `cc` 50 recipients
        html: Without `text`, the plain part is made from it
        headers: Further headers: letters, digits and dashes; none that the mail has anyway, no Content-*, List-*, DKIM-*, ARC-*
        template_id: What is given beside it takes the place of its part
        variables: What the template’s placeholders stand for
        send_at: Not before this instant, at most 30 days ahead; until then it can be cancelled
        tags: What you call it by, to find it again: its events repeat them
        metadata: What its events repeat: JSON of yours, up to 4 KiB
        """
        return await self._caller.call(
            operations.EMAIL_MESSAGES_CREATE,
            (),
            {
                "stream": stream,
                "from": from_,
                "to": to,
                "cc": cc,
                "bcc": bcc,
                "subject": subject,
                "text": text,
                "html": html,
                "reply_to": reply_to,
                "headers": headers,
                "attachments": attachments,
                "template_id": template_id,
                "variables": variables,
                "send_at": send_at,
                "tags": tags,
                "metadata": metadata,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: Literal["scheduled", "queued", "sent", "delivered", "deferred", "bounced", "failed", "suppressed", "complained", "cancelled"] | Unset = UNSET,
        stream: Literal["transactional", "security", "subscribed", "repermission"] | Unset = UNSET,
        to: str | Unset = UNSET,
        campaign_id: str | Unset = UNSET,
        from_: str | Unset = UNSET,
        tag: str | Unset = UNSET,
        since: str | Unset = UNSET,
        until: str | Unset = UNSET,
        scheduled: Literal["true"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[email_types.MessageSummary]:
        """List messages, newest first.

        Returns messages without their content. Filters can be combined.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        tag: `name` or `name:value`
        since: Accepted at this instant or later
        until: Accepted before this instant
        scheduled: Those alone that were given a time with `send_at`
        """
        return AsyncPendingPage(self._caller.page(
            operations.EMAIL_MESSAGES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "stream": stream,
                "to": to,
                "campaign_id": campaign_id,
                "from": from_,
                "tag": tag,
                "since": since,
                "until": until,
                "scheduled": scheduled,
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
    ) -> email_types.Message:
        """Read a message and its delivery route.

        Returns the status of the message and its delivery route: each attempt with the response of the receiving server.
        """
        return await self._caller.call(
            operations.EMAIL_MESSAGES_READ,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncEmailInboundRoutes:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        address: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.InboundRoute:
        """Take mail for an address.

        Without `address` an address at this installation’s own host is made up. For one at a domain of yours, or at a name below it, publish the MX record in the answer; mail is taken while the domain is verified.

        address: `support@example.com`, `*@example.com` for all that no other route of the host has, or `<name>@in.<host>`
        """
        return await self._caller.call(
            operations.EMAIL_INBOUND_ROUTES_CREATE,
            (),
            {
                "address": address,
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
    ) -> AsyncPendingPage[email_types.InboundRoute]:
        """List addresses that mail is taken for.

        Returns the addresses and domains whose email Millrace accepts for the organisation.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.EMAIL_INBOUND_ROUTES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def remove(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.InboundRoutesRemoveReply:
        """Take no more mail for an address.

        What has come stays until its time is over, or it is deleted.
        """
        return await self._caller.call(
            operations.EMAIL_INBOUND_ROUTES_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )

    async def verify(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.InboundRoutesVerifyReply:
        """Look up whether the mail of an inbound route comes here.

        Asks the name servers of the domain itself. Mail is taken whether the record is found or not.
        """
        return await self._caller.call(
            operations.EMAIL_INBOUND_ROUTES_VERIFY,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncEmailInboundStorage:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        *,
        timeout: float | None = None,
    ) -> email_types.InboundStorageReadReply:
        """Read the storage of received mail.

        Received mail uses a share of your storage, so that it leaves room for your own files. When the share is full, further mail is refused with 452.
        """
        return await self._caller.call(
            operations.EMAIL_INBOUND_STORAGE_READ,
            (),
            {},
            timeout=timeout,
        )


class AsyncEmailReceived:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def attachment_url(
        self,
        id: str,
        object_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.ReceivedAttachmentUrlReply:
        """Sign a link to a file of a mail that came in.

        Fails closed: 409 with `scan_status` for whatever is not found clean. Browsers save it, never show it.
        """
        return await self._caller.call(
            operations.EMAIL_RECEIVED_ATTACHMENTURL,
            (id, object_id,),
            {},
            timeout=timeout,
        )

    async def download_url(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.ReceivedDownloadUrlReply:
        """Sign a link to a mail as it came.

        The bytes are a stranger’s, and no malware gate has looked at them as a whole: parse them, show them to nobody.
        """
        return await self._caller.call(
            operations.EMAIL_RECEIVED_DOWNLOADURL,
            (id,),
            {},
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        from_: str | Unset = UNSET,
        route_id: str | Unset = UNSET,
        replies_to: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[email_types.ReceivedSummary]:
        """List mail that came in, newest first.

        Returns received emails without their content. `replies_to` selects the replies to a message that you sent.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.EMAIL_RECEIVED_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "from": from_,
                "route_id": route_id,
                "replies_to": replies_to,
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
    ) -> email_types.Received:
        """Read a mail that came in.

        Returns the email with its text, HTML, headers, attachments and authentication results.
        """
        return await self._caller.call(
            operations.EMAIL_RECEIVED_READ,
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
    ) -> email_types.ReceivedRemoveReply:
        """Delete a mail that came in.

        Its files go with it; storage is freed, and links stop working, soon after.
        """
        return await self._caller.call(
            operations.EMAIL_RECEIVED_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncEmailTemplates:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        name: str,
        subject: str,
        html: str,
        text: str | None | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Template:
        """Create a template.

        `{{name}}` and `{{order.number}}` take variables: escaped in HTML, in one line in the subject, as they are in text; `{{name|"there"}}` has a fallback. `{{contact.name}}`, `{{contact.email}}` and `{{contact.attributes.city}}` are the recipient’s.

        text: Without it, the plain part is made from the HTML
        """
        return await self._caller.call(
            operations.EMAIL_TEMPLATES_CREATE,
            (),
            {
                "name": name,
                "subject": subject,
                "html": html,
                "text": text,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[email_types.TemplateSummary]:
        """List templates, newest first.

        Returns each template with the names of its variables. Read a template for its `html` and `text`.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.EMAIL_TEMPLATES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def preview(
        self,
        id: str,
        /,
        *,
        variables: Dict[str, Any] | Unset = UNSET,
        contact: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.TemplatePreview:
        """See what a message made from a template would say.

        Returns the subject, HTML and text with the variables filled in. Nothing is sent.

        contact: The contact that it would be to
        """
        return await self._caller.call(
            operations.EMAIL_TEMPLATES_PREVIEW,
            (id,),
            {
                "variables": variables,
                "contact": contact,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.Template:
        """Read a template.

        Returns the template with its subject, HTML, text and the names of its variables.
        """
        return await self._caller.call(
            operations.EMAIL_TEMPLATES_READ,
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
    ) -> email_types.TemplatesRemoveReply:
        """Delete a template.

        Messages that were accepted before are still sent.
        """
        return await self._caller.call(
            operations.EMAIL_TEMPLATES_REMOVE,
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
        subject: str | Unset = UNSET,
        html: str | Unset = UNSET,
        text: str | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Template:
        """Change a template.

        Omitted fields keep their values. Messages that were accepted before keep the old content.

        text: Without it, the plain part is made from the HTML
        """
        return await self._caller.call(
            operations.EMAIL_TEMPLATES_UPDATE,
            (id,),
            {
                "name": name,
                "subject": subject,
                "html": html,
                "text": text,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncEmailCampaigns:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def cancel(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.Campaign:
        """Cancel a campaign.

        Messages that are with delivery and have not left end as `failed`, with the reply class `cancelled`. Cancelling twice is fine.
        """
        return await self._caller.call(
            operations.EMAIL_CAMPAIGNS_CANCEL,
            (id,),
            {},
            timeout=timeout,
        )

    async def create(
        self,
        *,
        name: str,
        subject: str,
        html: str,
        from_email: str,
        preheader: str | None | Unset = UNSET,
        text: str | None | Unset = UNSET,
        from_name: str | None | Unset = UNSET,
        segment_id: str | None | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.CampaignSummary:
        """Create a campaign.

        It goes to every confirmed contact, or those of a segment, on the subscribed stream, once it is sent. Its subject, HTML and text may name fields of the contact, each with a fallback: `{{contact.name|"there"}}`.

        subject: It may name fields: {{contact.name|"there"}}
        html: Fields: `{{contact.name|"there"}}`, `{{contact.email}}`, `{{contact.attributes.city}}`, `{{unsubscribe_url}}`
        preheader: What programs show beside the subject; nobody sees it in the mail itself
        text: Without it, the plain part is made from the HTML
        segment_id: Whom it is for, of those who are confirmed; without it, all of them
        """
        return await self._caller.call(
            operations.EMAIL_CAMPAIGNS_CREATE,
            (),
            {
                "name": name,
                "subject": subject,
                "html": html,
                "from_email": from_email,
                "preheader": preheader,
                "text": text,
                "from_name": from_name,
                "segment_id": segment_id,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[email_types.CampaignSummary]:
        """List campaigns, newest first.

        Returns campaigns with their status and their number of recipients.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.EMAIL_CAMPAIGNS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def preview(
        self,
        id: str,
        /,
        *,
        contact: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Preview:
        """See a campaign as a contact would get it.

        Returns the campaign with the merge fields of one contact filled in. Nothing is sent.

        contact: The contact whose name and attributes its fields show; without one they show their fallbacks
        """
        return await self._caller.call(
            operations.EMAIL_CAMPAIGNS_PREVIEW,
            (id,),
            {
                "contact": contact,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.Campaign:
        """Read a campaign and its counts.

        Returns the campaign with its content, its progress and the number of messages in each status.
        """
        return await self._caller.call(
            operations.EMAIL_CAMPAIGNS_READ,
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
        subject: str | Unset = UNSET,
        preheader: str | None | Unset = UNSET,
        html: str | Unset = UNSET,
        text: str | None | Unset = UNSET,
        from_email: str | Unset = UNSET,
        from_name: str | None | Unset = UNSET,
        segment_id: str | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Campaign:
        """Change a campaign that has not begun.

        A draft, or one that is scheduled: it then begins as it is by that time.

        subject: It may name fields: {{contact.name|"there"}}
        preheader: What programs show beside the subject; nobody sees it in the mail itself
        html: Fields: `{{contact.name|"there"}}`, `{{contact.email}}`, `{{contact.attributes.city}}`, `{{unsubscribe_url}}`
        text: Without it, the plain part is made from the HTML
        segment_id: Whom it is for, of those who are confirmed; without it, all of them
        """
        return await self._caller.call(
            operations.EMAIL_CAMPAIGNS_UPDATE,
            (id,),
            {
                "name": name,
                "subject": subject,
                "preheader": preheader,
                "html": html,
                "text": text,
                "from_email": from_email,
                "from_name": from_name,
                "segment_id": segment_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def schedule(
        self,
        id: str,
        /,
        *,
        send_at: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.Campaign:
        """Send a campaign later.

        It begins at `send_at`, as it is by then, to whom its segment has by then; until that it may be changed, put off, sent at once or cancelled.

        send_at: When it begins, within a year; what is past is now
        """
        return await self._caller.call(
            operations.EMAIL_CAMPAIGNS_SCHEDULE,
            (id,),
            {
                "send_at": send_at,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def send(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> email_types.Campaign:
        """Send a campaign.

        Refused while marketing is paused. A campaign that was paused midway goes on where it stopped: nobody gets it twice.
        """
        return await self._caller.call(
            operations.EMAIL_CAMPAIGNS_SEND,
            (id,),
            {},
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def test(
        self,
        id: str,
        /,
        *,
        to: List[str],
        contact: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.CampaignTest:
        """Send a test of a campaign.

        To up to five addresses, with `[Test]` before its subject; it is in none of the campaign’s counts, and its link unsubscribes nobody.

        to: They need not be contacts
        contact: The contact whose name and attributes its fields show; without one they show their fallbacks
        """
        return await self._caller.call(
            operations.EMAIL_CAMPAIGNS_TEST,
            (id,),
            {
                "to": to,
                "contact": contact,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )


class AsyncEmailSuppressions:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        email: str,
        detail: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.SuppressionsCreateReply:
        """Suppress an address.

        Nothing is sent to it any more, on any stream, until it is let go again.
        """
        return await self._caller.call(
            operations.EMAIL_SUPPRESSIONS_CREATE,
            (),
            {
                "email": email,
                "detail": detail,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        email: str | Unset = UNSET,
        reason: Literal["bounce", "complaint", "manual"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[email_types.Suppression]:
        """List suppressed addresses, newest first.

        Returns the addresses that receive no more email, with the reason. Use `email` to search for one address.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.EMAIL_SUPPRESSIONS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "email": email,
                "reason": reason,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def remove(
        self,
        email: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.SuppressionsRemoveReply:
        """Let an address be sent to again.

        One whose recipient has complained stays.
        """
        return await self._caller.call(
            operations.EMAIL_SUPPRESSIONS_REMOVE,
            (email,),
            {},
            timeout=timeout,
        )


class AsyncEmailAnalytics:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def overview(
        self,
        *,
        days: int | Unset = UNSET,
        stream: Literal["transactional", "security", "subscribed", "repermission"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.AnalyticsOverviewReply:
        """Messages by day.

        What happens to a message later counts for the day (UTC) on which it was accepted. Sandbox messages are not counted; `hard_bounced` are the bounces of addresses that are not there, `taken` what a server took, the recipient’s own or a smarthost, and did not bounce later.

        days: Days back, today included
        """
        return await self._caller.call(
            operations.EMAIL_ANALYTICS_OVERVIEW,
            (),
            {
                "days": days,
                "stream": stream,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncEmailUsage:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        *,
        timeout: float | None = None,
    ) -> email_types.UsageReadReply:
        """Messages this month against the plan’s cap.

        Sandbox messages and those to suppressed addresses are not counted.
        """
        return await self._caller.call(
            operations.EMAIL_USAGE_READ,
            (),
            {},
            timeout=timeout,
        )


class AsyncEmailStatus:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        *,
        timeout: float | None = None,
    ) -> email_types.StatusReadReply:
        """Whether marketing is paused, and the rates that decide it.

        Marketing is paused above the thresholds, once there is enough to judge by. It stays paused until an operator resumes it; rates count from the next day (UTC) on then. Transactional and security mail is never paused.
        """
        return await self._caller.call(
            operations.EMAIL_STATUS_READ,
            (),
            {},
            timeout=timeout,
        )


class AsyncEmailWebhooks:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        url: str,
        events: List[Literal["*", "accepted", "sent", "delivered", "deferred", "bounced", "failed", "suppressed", "complained", "cancelled", "contact.confirmed", "contact.unsubscribed", "campaign.sent", "campaign.finished", "campaign.paused", "campaign.cancelled", "domain.verified", "domain.failed", "inbound_storage.warning", "marketing.paused", "marketing.resumed", "received", "reputation.warning", "email.accepted", "email.sent", "email.delivered", "email.deferred", "email.bounced", "email.failed", "email.suppressed", "email.complained", "email.cancelled", "email.contact.confirmed", "email.contact.unsubscribed", "email.campaign.sent", "email.campaign.finished", "email.campaign.paused", "email.campaign.cancelled", "email.domain.verified", "email.domain.failed", "email.inbound_storage.warning", "email.marketing.paused", "email.marketing.resumed", "email.received", "email.reputation.warning"]],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> webhooks_types.EndpointWithSecret:
        """Add a webhook.

        Answers the secret by which its deliveries are verified (Standard Webhooks 1.0), this once.

        events: Of email.accepted, email.sent, email.delivered, email.deferred, email.bounced, email.failed, email.suppressed, email.complained, email.cancelled, email.contact.confirmed, email.contact.unsubscribed, email.campaign.sent, email.campaign.finished, email.campaign.paused, email.campaign.cancelled, email.domain.verified, email.domain.failed, email.inbound_storage.warning, email.marketing.paused, email.marketing.resumed, email.received, email.reputation.warning; the prefix may be left out; `*` is all, those to come included
        """
        return await self._caller.call(
            operations.EMAIL_WEBHOOKS_CREATE,
            (),
            {
                "url": url,
                "events": events,
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
    ) -> AsyncPendingPage[webhooks_types.Endpoint]:
        """List webhooks.

        Returns the endpoints that receive events of this area, without their signing secrets.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.EMAIL_WEBHOOKS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def enable(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> webhooks_types.Endpoint:
        """Enable a disabled webhook.

        What waited for it when it was disabled is delivered.
        """
        return await self._caller.call(
            operations.EMAIL_WEBHOOKS_ENABLE,
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
    ) -> email_types.WebhooksRemoveReply:
        """Remove a webhook.

        With it goes what is still to be delivered to it, and its log.
        """
        return await self._caller.call(
            operations.EMAIL_WEBHOOKS_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )

    async def rotate_secret(
        self,
        id: str,
        /,
        *,
        keep_hours: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> webhooks_types.EndpointWithSecret:
        """Replace the secret of a webhook.

        Deliveries carry two signatures for as long as the secret before is kept.

        keep_hours: Hours for which the secret before is kept
        """
        return await self._caller.call(
            operations.EMAIL_WEBHOOKS_ROTATESECRET,
            (id,),
            {
                "keep_hours": keep_hours,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def test(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> webhooks_types.TestResult:
        """Send a test event.

        A signed event `webhooks.test`, once; answers what the endpoint made of it. Disabled ones get it, too.
        """
        return await self._caller.call(
            operations.EMAIL_WEBHOOKS_TEST,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncEmailWebhookDeliveries:
    def __init__(self, caller: AsyncCaller) -> None:
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
    ) -> AsyncPendingPage[webhooks_types.Delivery]:
        """List deliveries to a webhook, newest first.

        Each delivery contains the status, the number of attempts and the last response of the endpoint.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.EMAIL_WEBHOOK_DELIVERIES_LIST,
            (id,),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def replay(
        self,
        id: str,
        delivery_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> email_types.WebhookDeliveriesReplayReply:
        """Deliver an event again.

        With the same `webhook-id`, and as many attempts as a new one.
        """
        return await self._caller.call(
            operations.EMAIL_WEBHOOK_DELIVERIES_REPLAY,
            (id, delivery_id,),
            {},
            timeout=timeout,
        )

    async def replay_since(
        self,
        id: str,
        /,
        *,
        since: str,
        status: Literal["failed", "all"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> email_types.WebhookDeliveriesReplaySinceReply:
        """Deliver events since an instant again.

        The oldest first, at most 10000 in one request: the next one is `since` `next_since`.

        status: all: those that were delivered, too
        """
        return await self._caller.call(
            operations.EMAIL_WEBHOOK_DELIVERIES_REPLAYSINCE,
            (id,),
            {
                "since": since,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncEmail:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.domains = AsyncEmailDomains(caller)
        self.contacts = AsyncEmailContacts(caller)
        self.contact_imports = AsyncEmailContactImports(caller)
        self.segments = AsyncEmailSegments(caller)
        self.reconfirmations = AsyncEmailReconfirmations(caller)
        self.verify = AsyncEmailVerify(caller)
        self.message_batches = AsyncEmailMessageBatches(caller)
        self.messages = AsyncEmailMessages(caller)
        self.inbound_routes = AsyncEmailInboundRoutes(caller)
        self.inbound_storage = AsyncEmailInboundStorage(caller)
        self.received = AsyncEmailReceived(caller)
        self.templates = AsyncEmailTemplates(caller)
        self.campaigns = AsyncEmailCampaigns(caller)
        self.suppressions = AsyncEmailSuppressions(caller)
        self.analytics = AsyncEmailAnalytics(caller)
        self.usage = AsyncEmailUsage(caller)
        self.status = AsyncEmailStatus(caller)
        self.webhooks = AsyncEmailWebhooks(caller)
        self.webhook_deliveries = AsyncEmailWebhookDeliveries(caller)
