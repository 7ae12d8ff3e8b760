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
        """The OpenAPI document of the whole API."""
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
        """List every operation of every area."""
        return self._caller.call(
            operations.ACCOUNT_CATALOGUE_LIST,
            (),
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

        limit: Items on a page
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

        limit: Items on a page
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
        """Read whether events are kept."""
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

        limit: Items on a page
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
        """Withdraw an invitation."""
        return self._caller.call(
            operations.ACCOUNT_INVITATIONS_REMOVE,
            (id,),
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

        limit: Items on a page
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

        limit: Items on a page
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
        """Read a webhook."""
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
        type: Literal["account.key.created", "account.key.expiring", "account.key.revoked", "account.key.rotated", "account.member.added", "account.member.changed", "account.member.removed", "account.usage.threshold", "bots.answer.completed", "bots.answer.failed", "email.accepted", "email.bounced", "email.complained", "email.contact.confirmed", "email.contact.unsubscribed", "email.deferred", "email.delivered", "email.domain.failed", "email.domain.verified", "email.failed", "email.marketing.paused", "email.marketing.resumed", "email.reputation.warning", "email.sent", "email.suppressed", "files.object.clean", "files.object.infected", "guard.site.changed", "guard.site.created", "guard.site.deleted", "guard.site.key_rotated", "identity.check.rejected", "identity.check.submitted", "identity.check.verified", "notify.event.accepted", "push.delivered", "push.failed", "push.installation.invalidated", "push.opened", "trust.listing.removed", "trust.listing.set", "video.asset.failed", "video.asset.playable", "video.asset.ready", "video.captions.ready", "video.live.ended", "video.live.recorded", "video.live.started", "video.room.ended", "video.room.participant.joined", "video.room.participant.left", "video.room.started", "voice.call.answered", "voice.call.ended", "voice.call.ringing", "webhooks.endpoint.disabled", "webhooks.test", "whatsapp.message.accepted", "whatsapp.message.delivered", "whatsapp.message.failed", "whatsapp.message.read", "whatsapp.message.received", "whatsapp.message.sent", "whatsapp.message.unknown", "wiki.article.published", "wiki.article.withdrawn"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> webhooks_types.TestResult:
        """Send a test event, or a sample of a type.

        A signed event, once; answers what the endpoint made of it. Disabled and paused ones get it, too, whatever they ask for.

        type: The type of the sample
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

        limit: Items on a page
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


class Account:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.catalogue = AccountCatalogue(caller)
        self.audit = AccountAudit(caller)
        self.events = AccountEvents(caller)
        self.invitations = AccountInvitations(caller)
        self.members = AccountMembers(caller)
        self.webhooks = AccountWebhooks(caller)
        self.webhook_deliveries = AccountWebhookDeliveries(caller)
