# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import whatsapp as whatsapp_types
from ..caller import Caller
from ..pages import Page


class WhatsappMessages:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        direction: Literal["outbound", "inbound"] | Unset = UNSET,
        status: Literal["received", "queued", "unknown", "accepted", "sent", "failed", "delivered", "read"] | Unset = UNSET,
        phone: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[whatsapp_types.Message]:
        """List messages, newest first.

        Those that went out, and the answers of people whom the organisation wrote to.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        phone: Of the other side, in E.164; + is %2B in a URL
        """
        return self._caller.page(
            operations.WHATSAPP_MESSAGES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "direction": direction,
                "status": status,
                "phone": phone,
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
    ) -> whatsapp_types.MessagesReadReply:
        """Read a message and the history of its status.

        Returns the message with each status that WhatsApp has reported for it.
        """
        return self._caller.call(
            operations.WHATSAPP_MESSAGES_READ,
            (id,),
            {},
            timeout=timeout,
        )

    def send(
        self,
        *,
        to: str,
        type: Literal["text", "image", "video", "document", "audio", "sticker", "location", "interactive", "reaction"] | Unset = UNSET,
        text: whatsapp_types.MessagesSendText | str | Unset = UNSET,
        image: whatsapp_types.MessagesSendImage | Unset = UNSET,
        video: whatsapp_types.MessagesSendVideo | Unset = UNSET,
        document: whatsapp_types.MessagesSendDocument | Unset = UNSET,
        audio: whatsapp_types.MessagesSendAudio | Unset = UNSET,
        sticker: whatsapp_types.MessagesSendSticker | Unset = UNSET,
        location: whatsapp_types.MessagesSendLocation | Unset = UNSET,
        interactive: whatsapp_types.MessagesSendInteractiveButton | whatsapp_types.MessagesSendInteractiveList | whatsapp_types.MessagesSendInteractiveCtaUrl | Unset = UNSET,
        reaction: whatsapp_types.MessagesSendReaction | Unset = UNSET,
        context: whatsapp_types.MessagesSendContext | Unset = UNSET,
        fallback_template: whatsapp_types.TemplateForm | Unset = UNSET,
        client_reference: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> whatsapp_types.Sent:
        """Send a free-form message.

        To people who wrote within the last 24 hours; to others the `fallback_template` goes out, or nothing. Answers once WhatsApp has taken the message, or with `queued` when its turn comes later: messages to one recipient are paced.

        to: The recipient in E.164
        type: Needed only where it is not plain from the content
        context: The message that is answered
        fallback_template: Sent in its place when the 24-hour window is closed, or WhatsApp refuses the message
        """
        return self._caller.call(
            operations.WHATSAPP_MESSAGES_SEND,
            (),
            {
                "to": to,
                "type": type,
                "text": text,
                "image": image,
                "video": video,
                "document": document,
                "audio": audio,
                "sticker": sticker,
                "location": location,
                "interactive": interactive,
                "reaction": reaction,
                "context": context,
                "fallback_template": fallback_template,
                "client_reference": client_reference,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def send_template(
        self,
        *,
        to: str,
        template: whatsapp_types.TemplateForm,
        client_reference: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> whatsapp_types.Sent:
        """Send a template message.

        To anybody, at any time: an approved template in one of its languages, with what its variables stand for.

        to: The recipient in E.164
        """
        return self._caller.call(
            operations.WHATSAPP_MESSAGES_SENDTEMPLATE,
            (),
            {
                "to": to,
                "template": template,
                "client_reference": client_reference,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )


class WhatsappNumbers:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def connect(
        self,
        *,
        phone_number_id: str,
        business_account_id: str,
        access_token: str,
        app_secret: str,
        verify_token: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> whatsapp_types.NumbersConnectReply:
        """Connect a number of your own.

        Meta is asked for each part: what it refuses is named. From then on all messages of the organisation go out by this number, and templates are those of its business account. The secrets are sealed and never shown; the verify token is shown once.

        access_token: Of a system user of the business account
        app_secret: Of the Meta app (Settings → Basic): by it webhooks are signed
        verify_token: What Meta proves itself with when the webhook is set up; made up here unless given
        """
        return self._caller.call(
            operations.WHATSAPP_NUMBERS_CONNECT,
            (),
            {
                "phone_number_id": phone_number_id,
                "business_account_id": business_account_id,
                "access_token": access_token,
                "app_secret": app_secret,
                "verify_token": verify_token,
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
    ) -> Page[whatsapp_types.BusinessNumber]:
        """List your own numbers.

        Returns the business numbers that you have connected, without their access tokens.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.WHATSAPP_NUMBERS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
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
    ) -> whatsapp_types.BusinessNumber:
        """Read a number.

        Returns the number with the URL for its webhook. Access tokens are not returned.
        """
        return self._caller.call(
            operations.WHATSAPP_NUMBERS_READ,
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
    ) -> whatsapp_types.NumbersRemoveReply:
        """Remove a number.

        Its secrets are forgotten. What waits to be sent by it fails with `number_removed`; later messages go out by the platform’s number.
        """
        return self._caller.call(
            operations.WHATSAPP_NUMBERS_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )

    def rotate(
        self,
        id: str,
        /,
        *,
        access_token: str | Unset = UNSET,
        app_secret: str | Unset = UNSET,
        verify_token: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> whatsapp_types.BusinessNumber:
        """Change a number’s secrets.

        Meta is asked before they take effect; the next message goes out by them.

        access_token: Of a system user of the business account
        app_secret: Of the Meta app (Settings → Basic): by it webhooks are signed
        verify_token: What Meta proves itself with when the webhook is set up; made up here unless given
        """
        return self._caller.call(
            operations.WHATSAPP_NUMBERS_ROTATE,
            (id,),
            {
                "access_token": access_token,
                "app_secret": app_secret,
                "verify_token": verify_token,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class WhatsappTemplates:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        name: str,
        language: str,
        category: Literal["MARKETING", "UTILITY", "AUTHENTICATION"],
        components: List[whatsapp_types.TemplatesCreateComponentsItem1HEADER | whatsapp_types.TemplatesCreateComponentsItem1HEADER2 | whatsapp_types.TemplatesCreateComponentsItem1HEADER3 | whatsapp_types.TemplatesCreateComponentsItemBODY | whatsapp_types.TemplatesCreateComponentsItemFOOTER | whatsapp_types.TemplatesCreateComponentsItemBUTTONS],
        parameter_format: Literal["POSITIONAL", "NAMED"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> whatsapp_types.Template:
        """Hand a template in for review.

        In the form of WhatsApp, with an example of each variable. It can be sent once `status` is `APPROVED`: the event `whatsapp.template.changed` tells.
        """
        return self._caller.call(
            operations.WHATSAPP_TEMPLATES_CREATE,
            (),
            {
                "name": name,
                "language": language,
                "category": category,
                "components": components,
                "parameter_format": parameter_format,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: str | Unset = UNSET,
        category: str | Unset = UNSET,
        language: str | Unset = UNSET,
        name: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[whatsapp_types.Template]:
        """List approved templates.

        As they were within the last five minutes; while WhatsApp is away, as they were last.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        status: `ALL` for those of every status
        """
        return self._caller.page(
            operations.WHATSAPP_TEMPLATES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "category": category,
                "language": language,
                "name": name,
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
    ) -> whatsapp_types.Template:
        """Read a template and its review.

        Returns the template with the status of its review and the reason of a rejection.
        """
        return self._caller.call(
            operations.WHATSAPP_TEMPLATES_READ,
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
    ) -> whatsapp_types.TemplatesRemoveReply:
        """Delete a template.

        In this one language. WhatsApp keeps the name of one that was approved for 30 days.
        """
        return self._caller.call(
            operations.WHATSAPP_TEMPLATES_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )


class Whatsapp:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.messages = WhatsappMessages(caller)
        self.numbers = WhatsappNumbers(caller)
        self.templates = WhatsappTemplates(caller)
