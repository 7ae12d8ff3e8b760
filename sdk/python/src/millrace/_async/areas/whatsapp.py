# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import whatsapp as whatsapp_types
from ..caller import AsyncCaller
from ..pending_page import AsyncPendingPage


class AsyncWhatsappMessages:
    def __init__(self, caller: AsyncCaller) -> None:
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
    ) -> AsyncPendingPage[whatsapp_types.Message]:
        """List messages, newest first.

        Those that went out, and the answers of people whom the organisation wrote to.

        limit: Items on a page
        cursor: `next_cursor` of the page before, of the same filter
        phone: Of the other side, in E.164; + is %2B in a URL
        """
        return AsyncPendingPage(self._caller.page(
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
        ))

    async def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> whatsapp_types.MessagesReadReply:
        """Read a message and the history of its status."""
        return await self._caller.call(
            operations.WHATSAPP_MESSAGES_READ,
            (id,),
            {},
            timeout=timeout,
        )

    async def send(
        self,
        *,
        to: str,
        type: Literal["text", "image", "video", "document", "audio", "location", "interactive", "reaction"] | Unset = UNSET,
        text: whatsapp_types.MessagesSendText | str | Unset = UNSET,
        image: whatsapp_types.MessagesSendImage | Unset = UNSET,
        video: whatsapp_types.MessagesSendVideo | Unset = UNSET,
        document: whatsapp_types.MessagesSendDocument | Unset = UNSET,
        audio: whatsapp_types.MessagesSendAudio | Unset = UNSET,
        location: whatsapp_types.MessagesSendLocation | Unset = UNSET,
        interactive: whatsapp_types.MessagesSendInteractive | Unset = UNSET,
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
        return await self._caller.call(
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

    async def send_template(
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
        return await self._caller.call(
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


class AsyncWhatsappTemplates:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

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
    ) -> AsyncPendingPage[whatsapp_types.Template]:
        """List approved templates.

        As they were within the last five minutes; while WhatsApp is away, as they were last.

        limit: Items on a page
        cursor: `next_cursor` of the page before, of the same filter
        status: `ALL` for those of every status
        """
        return AsyncPendingPage(self._caller.page(
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
        ))


class AsyncWhatsapp:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.messages = AsyncWhatsappMessages(caller)
        self.templates = AsyncWhatsappTemplates(caller)
