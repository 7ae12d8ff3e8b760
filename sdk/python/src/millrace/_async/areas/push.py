# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import push as push_types
from ...types import webhooks as webhooks_types
from ..caller import AsyncCaller
from ..events import AsyncEventStream
from ..pending_page import AsyncPendingPage


class AsyncPushMessages:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def cancel(
        self,
        message_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> push_types.MessagesCancelReply:
        """Cancel a scheduled message, or the rest of one to many.

        409 once a message to one person is being sent. Of one to many no device is sent to any more that has not been.
        """
        return await self._caller.call(
            operations.PUSH_MESSAGES_CANCEL,
            (message_id,),
            {},
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        app_id: str | Unset = UNSET,
        user_id: str | Unset = UNSET,
        target: Literal["users", "topic", "segment", "all"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[push_types.ListedMessage]:
        """List messages, newest first.

        Returns messages. Filters select an app, a user or a type of target.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        user_id: To this one person
        target: To many of this kind
        """
        return AsyncPendingPage(self._caller.page(
            operations.PUSH_MESSAGES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "app_id": app_id,
                "user_id": user_id,
                "target": target,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))


class AsyncPushInstallations:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def claim(
        self,
        installation_id: str,
        /,
        *,
        user_id: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.Installation:
        """Claim a device of nobody for a user.

        As on sign-in: its tags and subscriptions stay. A stream that is open ends, and resumes. 409 for a device of somebody else, which moves by registering again.

        user_id: Your own id of the person
        """
        return await self._caller.call(
            operations.PUSH_INSTALLATIONS_CLAIM,
            (installation_id,),
            {
                "user_id": user_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def remove(
        self,
        installation_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> push_types.InstallationsRemoveReply:
        """Remove a device.

        As on sign-out. What is queued for it is not sent.
        """
        return await self._caller.call(
            operations.PUSH_INSTALLATIONS_REMOVE,
            (installation_id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        installation_id: str,
        /,
        *,
        tags: List[str] | Unset = UNSET,
        time_zone: str | None | Unset = UNSET,
        locale: str | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.Installation:
        """Change a device’s tags, time zone or language.

        Omitted fields keep their values. `tags` replaces all tags of the device.

        tags: In place of those that it has
        """
        return await self._caller.call(
            operations.PUSH_INSTALLATIONS_UPDATE,
            (installation_id,),
            {
                "tags": tags,
                "time_zone": time_zone,
                "locale": locale,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncPushUsers:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def remove(
        self,
        app_id: str,
        user_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> push_types.UsersRemoveReply:
        """Remove a user with all of theirs.

        Devices, streams and subscriptions go at once; what waits for them is not sent, and messages to them alone are deleted within moments.
        """
        return await self._caller.call(
            operations.PUSH_USERS_REMOVE,
            (app_id, user_id,),
            {},
            timeout=timeout,
        )


class AsyncPushTopics:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        app_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[push_types.Topic]:
        """List topics by their names.

        Returns the topics of the app that have at least one subscription.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.PUSH_TOPICS_LIST,
            (app_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def subscribe(
        self,
        app_id: str,
        topic: str,
        /,
        *,
        user_ids: List[str] | Unset = UNSET,
        installation_ids: List[str] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.TopicsSubscribeReply:
        """Subscribe people or devices to a topic.

        A topic is there as soon as somebody is subscribed to it. People are registered with it; a device that the app does not have is a fault.

        user_ids: People, with all devices that they have and will have
        installation_ids: Single devices
        """
        return await self._caller.call(
            operations.PUSH_TOPICS_SUBSCRIBE,
            (app_id, topic,),
            {
                "user_ids": user_ids,
                "installation_ids": installation_ids,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def subscriptions(
        self,
        app_id: str,
        topic: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[push_types.Subscription]:
        """List who is subscribed to a topic, newest first.

        Returns the users and devices that are subscribed to the topic.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.PUSH_TOPICS_SUBSCRIPTIONS,
            (app_id, topic,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def unsubscribe(
        self,
        app_id: str,
        topic: str,
        /,
        *,
        user_ids: List[str] | Unset = UNSET,
        installation_ids: List[str] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.TopicsUnsubscribeReply:
        """End subscriptions to a topic.

        What is queued for them is not sent. A person’s subscription and those of their devices are apart: who is to get nothing leaves both.

        user_ids: People, with all devices that they have and will have
        installation_ids: Single devices
        """
        return await self._caller.call(
            operations.PUSH_TOPICS_UNSUBSCRIBE,
            (app_id, topic,),
            {
                "user_ids": user_ids,
                "installation_ids": installation_ids,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncPushApps:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def remove(
        self,
        app_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> push_types.AppsRemoveReply:
        """Delete an app.

        With it go its credentials, users, installations, messages and counts; what is queued is not sent.
        """
        return await self._caller.call(
            operations.PUSH_APPS_REMOVE,
            (app_id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        app_id: str,
        /,
        *,
        name: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.App:
        """Rename an app.

        Changes the name of the app. Devices and credentials are not affected.
        """
        return await self._caller.call(
            operations.PUSH_APPS_UPDATE,
            (app_id,),
            {
                "name": name,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncPushCredentials:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def put(
        self,
        app_id: str,
        provider: str,
        /,
        *,
        timeout: float | None = None,
        **fields: Any
    ) -> push_types.Credential:
        """Set a credential.

        apns: `key` (the .p8 text), `key_id`, `team_id`, `topic`, `environment`. fcm: `service_account` (the JSON object). webpush: a new VAPID pair is made, and browsers must subscribe again; `subject`. The provider is asked whether it is good: `check`. What waited for the one before is sent.
        """
        return await self._caller.call(
            operations.PUSH_CREDENTIALS_PUT,
            (app_id, provider,),
            {
                **fields,
            },
            timeout=timeout,
        )

    async def read(
        self,
        app_id: str,
        provider: str,
        /,
        *,
        timeout: float | None = None,
    ) -> push_types.CredentialsReadReply:
        """Read what is known of credentials.

        Never the secrets.
        """
        return await self._caller.call(
            operations.PUSH_CREDENTIALS_READ,
            (app_id, provider,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        app_id: str,
        provider: str,
        /,
        *,
        environment: Literal["production", "sandbox"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.CredentialsRemoveReply:
        """Remove a credential.

        Of one environment, or of all. What is queued for the provider fails with `no_credential`.
        """
        return await self._caller.call(
            operations.PUSH_CREDENTIALS_REMOVE,
            (app_id, provider,),
            {
                "environment": environment,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def retry(
        self,
        app_id: str,
        provider: str,
        /,
        *,
        environment: Literal["production", "sandbox"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.Credential:
        """Try a refused credential again.

        Its breaker waits no longer: a few of the deliveries that wait are sent now, and the others once one of them was taken. For one that is not refused it changes nothing.
        """
        return await self._caller.call(
            operations.PUSH_CREDENTIALS_RETRY,
            (app_id, provider,),
            {
                "environment": environment,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncPushStream:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def watch(
        self,
        *,
        token: str | Unset = UNSET,
        last_event_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncEventStream:
        """Receive messages as server-sent events.

        For an installation whose `push_provider` is `sse`, with the token that its registration has answered, in `token` or as `Authorization: Bearer`. Each event `message` has the number of the person’s event as `id`, and `delivery_id`, `message_id`, `title`, `body`, `image`, `data` and `receipt_token` as data. It counts as delivered when its receipt has come (`POST /receipts`). A client that comes back with `Last-Event-ID` gets what it has missed and is still of use; one without gets what no receipt has confirmed. `reset`: some of what was missed is not kept. 204 when the installation is removed, invalidated or another person’s, 401 when the token is over, or the API key is that it was made with: register again.

        last_event_id: Before the first `Last-Event-ID`: the last event seen
        """
        return self._caller.events(
            operations.PUSH_STREAM_WATCH,
            (),
            {
                "token": token,
                "last_event_id": last_event_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncPushTemplates:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        template_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> push_types.Template:
        """Read a template.

        Returns the template with its text in each locale and the names of its variables.
        """
        return await self._caller.call(
            operations.PUSH_TEMPLATES_READ,
            (template_id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        template_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> push_types.TemplatesRemoveReply:
        """Delete a template.

        Messages that were accepted with it are sent.
        """
        return await self._caller.call(
            operations.PUSH_TEMPLATES_REMOVE,
            (template_id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        template_id: str,
        /,
        *,
        name: str | Unset = UNSET,
        locales: Dict[str, push_types.TemplatesUpdateLocalesValue] | Unset = UNSET,
        default_locale: str | Unset = UNSET,
        version: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.Template:
        """Change a template.

        `locales` replaces all texts. With `version` it is refused when another change was first.

        locales: Texts by language, with `{{variables}}`
        version: The version that was read
        """
        return await self._caller.call(
            operations.PUSH_TEMPLATES_UPDATE,
            (template_id,),
            {
                "name": name,
                "locales": locales,
                "default_locale": default_locale,
                "version": version,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncPushWebhooks:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

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
            operations.PUSH_WEBHOOKS_ENABLE,
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
    ) -> push_types.WebhooksRemoveReply:
        """Remove a webhook.

        With it goes what is still to be delivered to it, and its log.
        """
        return await self._caller.call(
            operations.PUSH_WEBHOOKS_REMOVE,
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
            operations.PUSH_WEBHOOKS_ROTATESECRET,
            (id,),
            {
                "keep_hours": keep_hours,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncPushWebhookDeliveries:
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
            operations.PUSH_WEBHOOK_DELIVERIES_LIST,
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
    ) -> push_types.WebhookDeliveriesReplayReply:
        """Deliver an event again.

        With the same `webhook-id`, and as many attempts as a new one.
        """
        return await self._caller.call(
            operations.PUSH_WEBHOOK_DELIVERIES_REPLAY,
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
    ) -> push_types.WebhookDeliveriesReplaySinceReply:
        """Deliver events since an instant again.

        The oldest first, at most 10000 in one request: the next one is `since` `next_since`.

        status: all: those that were delivered, too
        """
        return await self._caller.call(
            operations.PUSH_WEBHOOK_DELIVERIES_REPLAYSINCE,
            (id,),
            {
                "since": since,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncPushBrowser:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        *,
        timeout: float | None = None,
    ) -> push_types.BrowserSetup:
        """Read what a page subscribes its browser with.

        Returns the VAPID public key that the page passes to `pushManager.subscribe`. Call it with a public key.
        """
        return await self._caller.call(
            operations.PUSH_BROWSER_READ,
            (),
            {},
            timeout=timeout,
        )

    async def register(
        self,
        *,
        subscription: push_types.BrowserRegisterSubscription,
        installation_token: str | Unset = UNSET,
        user_token: str | Unset = UNSET,
        locale: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.RegisteredBrowser:
        """Register or renew the browser that a page runs in.

        By a public key with `push:subscribe`, from a page of its origins. `user_token` says whose browser it is; without it the person stays, and a new browser is anonymous until one is given. A new subscription takes the place of the one before by `installation_token`, at once; a subscription that another browser has registered is refused. 404: the installation was removed, so nothing is renewed.

        subscription: What `PushManager.subscribe` has returned
        installation_token: Of the installation that is renewed
        user_token: What your server has made for who is signed in: POST /user-tokens
        """
        return await self._caller.call(
            operations.PUSH_BROWSER_REGISTER,
            (),
            {
                "subscription": subscription,
                "installation_token": installation_token,
                "user_token": user_token,
                "locale": locale,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def unsubscribe(
        self,
        *,
        installation_token: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.BrowserUnsubscribeReply:
        """Remove the browser that a page runs in.

        As on sign-out. What is queued for it is not sent.
        """
        return await self._caller.call(
            operations.PUSH_BROWSER_UNSUBSCRIBE,
            (),
            {
                "installation_token": installation_token,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncPushUserTokens:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        app_id: str,
        user_id: str,
        expires_in: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.UserToken:
        """Make a token by which a page registers its browser for a user.

        Your server makes it for who is signed in and puts it into the page, which hands it to `subscribe`. It registers the user, and ends with the key that made it and with the user.

        user_id: Your own id of the person
        expires_in: Seconds
        """
        return await self._caller.call(
            operations.PUSH_USER_TOKENS_CREATE,
            (),
            {
                "app_id": app_id,
                "user_id": user_id,
                "expires_in": expires_in,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncPushPublicKeys:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        app_id: str,
        /,
        *,
        name: str,
        origins: List[str],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.ShownPublicKey:
        """Make a public key for pages of some origins.

        It stands in the page: it registers the browser that the page runs in, reports receipts, and does nothing else. Answers `key`, this once: so no idempotency key is taken, and a name that is repeated within a minute is a 409.

        origins: Origins of the pages that the key is good on
        """
        return await self._caller.call(
            operations.PUSH_PUBLIC_KEYS_CREATE,
            (app_id,),
            {
                "name": name,
                "origins": origins,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        app_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[push_types.PublicKey]:
        """List public keys of an app, newest first.

        Returns the keys that browsers use to register for push, with their allowed origins.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.PUSH_PUBLIC_KEYS_LIST,
            (app_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def remove(
        self,
        app_id: str,
        key_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> push_types.PublicKeysRemoveReply:
        """Revoke a public key.

        For good; every process refuses it within seconds. Browsers that it has registered stay.
        """
        return await self._caller.call(
            operations.PUSH_PUBLIC_KEYS_REMOVE,
            (app_id, key_id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        app_id: str,
        key_id: str,
        /,
        *,
        origins: List[str],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.PublicKey:
        """Change the origins of a public key.

        `origins` replaces all. In force on every process within seconds.

        origins: Origins of the pages that the key is good on
        """
        return await self._caller.call(
            operations.PUSH_PUBLIC_KEYS_UPDATE,
            (app_id, key_id,),
            {
                "origins": origins,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def rotate(
        self,
        app_id: str,
        key_id: str,
        /,
        *,
        keep_hours: int | Unset = UNSET,
        from_: Literal["now", "first_use"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.ShownPublicKey:
        """Rotate a public key.

        Answers another `key`, this once; the one before is good for `keep_hours` more, in which pages that are open go on with it.

        keep_hours: Hours for which the secret before is good
        from_: Whether those hours begin now, or when the new secret is used for the first time
        """
        return await self._caller.call(
            operations.PUSH_PUBLIC_KEYS_ROTATE,
            (app_id, key_id,),
            {
                "keep_hours": keep_hours,
                "from": from_,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncPush:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.messages = AsyncPushMessages(caller)
        self.installations = AsyncPushInstallations(caller)
        self.users = AsyncPushUsers(caller)
        self.topics = AsyncPushTopics(caller)
        self.apps = AsyncPushApps(caller)
        self.credentials = AsyncPushCredentials(caller)
        self.stream = AsyncPushStream(caller)
        self.templates = AsyncPushTemplates(caller)
        self.webhooks = AsyncPushWebhooks(caller)
        self.webhook_deliveries = AsyncPushWebhookDeliveries(caller)
        self.browser = AsyncPushBrowser(caller)
        self.user_tokens = AsyncPushUserTokens(caller)
        self.public_keys = AsyncPushPublicKeys(caller)

    async def get_message(
        self,
        message_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> push_types.Message:
        """Read a message and what became of it.

        Returns the message with the number of deliveries in each status.
        """
        return await self._caller.call(
            operations.PUSH_MESSAGES_READ,
            (message_id,),
            {},
            timeout=timeout,
        )

    async def send(
        self,
        *,
        app_id: str,
        target: push_types.SendTargetUser | push_types.SendTargetUsers | push_types.SendTargetTopic | push_types.SendTargetSegment | push_types.SendTargetAll,
        title: str | Unset = UNSET,
        body: str | Unset = UNSET,
        data: Dict[str, str] | Unset = UNSET,
        image: str | Unset = UNSET,
        actions: List[push_types.SendActionsItem] | Unset = UNSET,
        badge: int | Unset = UNSET,
        sound: str | Unset = UNSET,
        ios: push_types.SendIos | Unset = UNSET,
        android: push_types.SendAndroid | Unset = UNSET,
        web: push_types.SendWeb | Unset = UNSET,
        rate: int | Unset = UNSET,
        quiet_hours: push_types.SendQuietHours | Unset = UNSET,
        priority: int | Unset = UNSET,
        ttl: int | Unset = UNSET,
        collapse_key: str | Unset = UNSET,
        send_at: str | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        template_id: str | Unset = UNSET,
        variables: Dict[str, str | float | bool] | Unset = UNSET,
        overrides: push_types.SendOverrides | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.Accepted:
        """Send to every device of a person, or of many.

        `target` is one person, up to 1,000 by their ids, who subscribed to a topic, devices by their tags, or everybody. Accepted once for each idempotency key, in the header or the body. A payload that a provider would refuse is refused here, with its size. `status`: queued, scheduled, or no_devices when the person has none.

        data: For the app; with neither title nor body nothing is shown
        actions: Buttons; iOS shows those of its `category`
        badge: The number on the app’s icon; 0 takes it away
        sound: `default`, or a file of the app
        rate: To more than one person: deliveries a second that are made of it at most
        quiet_hours: By each person’s clock: what would come between waits until they end, and is expired if it is over by then
        priority: 1 low, 5 normal, 10 high; high wakes a sleeping device
        ttl: Seconds that a device may be away; 0: each device is tried once, now
        collapse_key: A newer message takes the place of an older one with the same key that is not shown yet
        send_at: Not before this instant, at most 30 days ahead
        dry_run: FCM checks it, nobody delivers it
        template_id: In place of title and body, in the language of each device
        variables: What the template’s `{{variables}}` stand for
        """
        return await self._caller.call(
            operations.PUSH_MESSAGES_CREATE,
            (),
            {
                "app_id": app_id,
                "target": target,
                "title": title,
                "body": body,
                "data": data,
                "image": image,
                "actions": actions,
                "badge": badge,
                "sound": sound,
                "ios": ios,
                "android": android,
                "web": web,
                "rate": rate,
                "quiet_hours": quiet_hours,
                "priority": priority,
                "ttl": ttl,
                "collapse_key": collapse_key,
                "send_at": send_at,
                "dry_run": dry_run,
                "template_id": template_id,
                "variables": variables,
                "overrides": overrides,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def message_trace(
        self,
        message_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[push_types.TracedDelivery]:
        """Trace a message: every delivery with every attempt.

        Returns each delivery of the message with each attempt and the response of the push provider.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.PUSH_TRACE_READ,
            (message_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def register_installation(
        self,
        *,
        app_id: str,
        push_provider: Literal["apns", "fcm", "webpush", "sse"],
        user_id: str | Unset = UNSET,
        token: str | Unset = UNSET,
        device_id: str | Unset = UNSET,
        previous_token: str | Unset = UNSET,
        subscription: push_types.RegisterInstallationSubscription | Unset = UNSET,
        platform: str | Unset = UNSET,
        locale: str | Unset = UNSET,
        time_zone: str | None | Unset = UNSET,
        tags: List[str] | Unset = UNSET,
        environment: Literal["production", "sandbox"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.RegisteredInstallation:
        """Register a device.

        Registering again with the same token or, for a stream, the same `device_id` moves the device to the person it is registered for now; it is never doubled. Without a `user_id` it is nobody’s, and can be claimed. `previous_token` replaces a token. A person has 20 streams at most: those used longest ago go. The user is registered with it.

        user_id: Your own id of the person; without one the device is nobody’s until it is claimed
        token: apns, fcm: the device token. sse: the installation’s id, to renew its stream
        device_id: sse: your own id of the device, which has one stream
        previous_token: The token (webpush: the endpoint) whose place this one takes
        subscription: webpush: what `PushManager.subscribe` has returned
        time_zone: Before that of its person; not given, it stays as it is
        tags: By which segments choose it; not given, they stay as they are
        environment: apns alone has a sandbox
        """
        return await self._caller.call(
            operations.PUSH_INSTALLATIONS_CREATE,
            (),
            {
                "app_id": app_id,
                "push_provider": push_provider,
                "user_id": user_id,
                "token": token,
                "device_id": device_id,
                "previous_token": previous_token,
                "subscription": subscription,
                "platform": platform,
                "locale": locale,
                "time_zone": time_zone,
                "tags": tags,
                "environment": environment,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list_installations(
        self,
        app_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: Literal["active", "invalidated"] | Unset = UNSET,
        push_provider: Literal["apns", "fcm", "webpush", "sse"] | Unset = UNSET,
        user_id: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[push_types.Installation]:
        """List devices, newest first.

        Returns the registered devices of the app. Only the last characters of a device token are shown.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.PUSH_INSTALLATIONS_LIST,
            (app_id,),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "push_provider": push_provider,
                "user_id": user_id,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def register_user(
        self,
        *,
        app_id: str,
        user_id: str,
        locale: str | None | Unset = UNSET,
        time_zone: str | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.User:
        """Register a user.

        Maps your own user id; registering again changes the locale and the time zone that are given. Installations register their user by themselves.

        user_id: Your own id of the person
        time_zone: Quiet hours are by it
        """
        return await self._caller.call(
            operations.PUSH_USERS_CREATE,
            (),
            {
                "app_id": app_id,
                "user_id": user_id,
                "locale": locale,
                "time_zone": time_zone,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def create_app(
        self,
        *,
        name: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.App:
        """Create an app.

        With a VAPID key pair of its own: it can send to browsers and streams at once, to APNs and FCM with your credentials.
        """
        return await self._caller.call(
            operations.PUSH_APPS_CREATE,
            (),
            {
                "name": name,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list_apps(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[push_types.App]:
        """List apps, newest first.

        Returns apps without the credentials of their push providers.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.PUSH_APPS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def get_app(
        self,
        app_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> push_types.App:
        """Read an app.

        Returns the app without the credentials of its push providers. `faults` lists credentials that a provider has rejected.
        """
        return await self._caller.call(
            operations.PUSH_APPS_READ,
            (app_id,),
            {},
            timeout=timeout,
        )

    async def receipt(
        self,
        *,
        delivery_id: str | Unset = UNSET,
        event: Literal["delivered", "displayed", "opened", "dismissed"] | Unset = UNSET,
        token: str | Unset = UNSET,
        receipts: List[push_types.ReceiptReceiptsItem] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.Receipt | push_types.ReceiptReply:
        """Report that messages were delivered, displayed, opened or dismissed.

        By your server with `push:receipt` or `push:send`, or by the device itself with a public key that is bound to the app and the `receipt_token` that came with the message. Reported again, nothing changes. Up to 100 at once in `receipts`: each is answered in its place.

        event: opened and dismissed imply displayed, which implies delivered
        token: The `receipt_token` of the delivery: needed with a public key
        receipts: Many at once, in place of the other fields
        """
        return await self._caller.call(
            operations.PUSH_RECEIPTS_CREATE,
            (),
            {
                "delivery_id": delivery_id,
                "event": event,
                "token": token,
                "receipts": receipts,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def app_insights(
        self,
        app_id: str,
        /,
        *,
        days: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.Insights:
        """Totals, daily series and breakdowns.

        By the day (UTC) on which a delivery was made. A delivery counts once for each status it came to: one that was opened was sent and delivered, too. Dry runs are left out.

        days: Days, today included
        """
        return await self._caller.call(
            operations.PUSH_INSIGHTS_INSIGHTS,
            (app_id,),
            {
                "days": days,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def app_stats(
        self,
        app_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> push_types.Stats:
        """Device counts and the volume of 24 hours.

        Returns the number of devices by provider and status, and the deliveries of the last 24 hours.
        """
        return await self._caller.call(
            operations.PUSH_INSIGHTS_STATS,
            (app_id,),
            {},
            timeout=timeout,
        )

    def list_deliveries(
        self,
        app_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: Literal["queued", "sent", "delivered", "failed", "expired", "cancelled"] | Unset = UNSET,
        provider: Literal["apns", "fcm", "webpush", "sse"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[push_types.Delivery]:
        """List recent deliveries, newest first.

        Returns deliveries to single devices. Filters select a status or a provider.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.PUSH_DELIVERIES_LIST,
            (app_id,),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "provider": provider,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def create_template(
        self,
        *,
        name: str,
        locales: Dict[str, push_types.CreateTemplateLocalesValue],
        default_locale: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> push_types.Template:
        """Create a template.

        A template contains a title and a body for each locale. `{{variable}}` placeholders are filled in when a message is sent.

        locales: Texts by language, with `{{variables}}`
        """
        return await self._caller.call(
            operations.PUSH_TEMPLATES_CREATE,
            (),
            {
                "name": name,
                "locales": locales,
                "default_locale": default_locale,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list_templates(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[push_types.TemplateSummary]:
        """List templates, newest first.

        Returns each template with the names of its variables. Read a template for its `locales`.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.PUSH_TEMPLATES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def create_webhook(
        self,
        *,
        url: str,
        events: List[Literal["*", "delivered", "failed", "opened", "installation.invalidated", "push.delivered", "push.failed", "push.opened", "push.installation.invalidated"]],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> webhooks_types.EndpointWithSecret:
        """Add a webhook.

        Answers the secret by which its deliveries are verified (Standard Webhooks 1.0), this once.

        events: Of push.delivered, push.failed, push.opened, push.installation.invalidated; the prefix may be left out; `*` is all, those to come included
        """
        return await self._caller.call(
            operations.PUSH_WEBHOOKS_CREATE,
            (),
            {
                "url": url,
                "events": events,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list_webhooks(
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
            operations.PUSH_WEBHOOKS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def test_webhook(
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
            operations.PUSH_WEBHOOKS_TEST,
            (id,),
            {},
            timeout=timeout,
        )
