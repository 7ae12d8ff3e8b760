# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypeAlias, TypedDict


Message = TypedDict(
    "Message",
    {
        "id": "str",
        "provider_message_id": "str | None",
        "direction": "Literal['outbound', 'inbound']",
        "to": "str | None",
        "from": "str | None",
        "wa_id": "str",
        "type": "str",
        "content": "Dict[str, Any]",
        "status": "Literal['received', 'queued', 'unknown', 'accepted', 'sent', 'failed', 'delivered', 'read']",
        "error": "Failure | None",
        "fallback": "bool",
        "fallback_of": "str | None",
        "context": "MessageContext | None",
        "client_reference": "str | None",
        "send_at": "str",
        "created_at": "str",
        "sandbox": "NotRequired[Literal[True]]",
    },
)


class MessageContext(TypedDict):
    message_id: str


class Failure(TypedDict):
    code: str
    message: str
    provider_code: float | None
    """The Cloud API’s error code"""
    retryable: bool


Window: TypeAlias = "Window2 | None"


class Window2(TypedDict):
    open: bool
    """Free-form messages may go out, whichever organisation of the number the person wrote to"""
    expires_at: str | None
    """24 hours from their last message to you; null if it is open by another"""


class TemplateForm(TypedDict):
    name: str
    language: TemplateFormLanguage
    components: NotRequired[List[TemplateFormComponentsItem]]


class TemplateFormLanguage(TypedDict):
    code: str


class TemplateFormComponentsItem(TypedDict):
    type: Literal["header", "body", "button"]
    sub_type: NotRequired[Literal["url", "quick_reply", "copy_code"]]
    """Of a button"""
    index: NotRequired[int]
    """Of a button: 0 is the first"""
    parameters: List[TemplateFormComponentsItemParametersItemText | TemplateFormComponentsItemParametersItemCurrency | TemplateFormComponentsItemParametersItemDateTime | TemplateFormComponentsItemParametersItemImage | TemplateFormComponentsItemParametersItemVideo | TemplateFormComponentsItemParametersItemDocument | TemplateFormComponentsItemParametersItemPayload | TemplateFormComponentsItemParametersItemCouponCode]


class TemplateFormComponentsItemParametersItemText(TypedDict):
    type: Literal["text"]
    text: str
    parameter_name: NotRequired[str]


class TemplateFormComponentsItemParametersItemCurrency(TypedDict):
    type: Literal["currency"]
    currency: TemplateFormComponentsItemParametersItemCurrencyCurrency
    parameter_name: NotRequired[str]


class TemplateFormComponentsItemParametersItemCurrencyCurrency(TypedDict):
    fallback_value: str
    code: str
    amount_1000: int


class TemplateFormComponentsItemParametersItemDateTime(TypedDict):
    type: Literal["date_time"]
    date_time: TemplateFormComponentsItemParametersItemDateTimeDateTime
    parameter_name: NotRequired[str]


class TemplateFormComponentsItemParametersItemDateTimeDateTime(TypedDict):
    fallback_value: str


class TemplateFormComponentsItemParametersItemImage(TypedDict):
    type: Literal["image"]
    image: TemplateFormComponentsItemParametersItemImageImage


class TemplateFormComponentsItemParametersItemImageImage(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    caption: NotRequired[str]


class TemplateFormComponentsItemParametersItemVideo(TypedDict):
    type: Literal["video"]
    video: TemplateFormComponentsItemParametersItemVideoVideo


class TemplateFormComponentsItemParametersItemVideoVideo(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    caption: NotRequired[str]


class TemplateFormComponentsItemParametersItemDocument(TypedDict):
    type: Literal["document"]
    document: TemplateFormComponentsItemParametersItemDocumentDocument


class TemplateFormComponentsItemParametersItemDocumentDocument(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    caption: NotRequired[str]
    filename: NotRequired[str]


class TemplateFormComponentsItemParametersItemPayload(TypedDict):
    type: Literal["payload"]
    payload: str


class TemplateFormComponentsItemParametersItemCouponCode(TypedDict):
    type: Literal["coupon_code"]
    coupon_code: str


class Sent(TypedDict):
    id: str
    provider_message_id: str | None
    """wamid.…, once WhatsApp has taken it"""
    to: str | None
    """The recipient in E.164; null for one that came in"""
    wa_id: str
    """The person’s account"""
    type: str
    status: Literal["received", "queued", "unknown", "accepted", "sent", "failed", "delivered", "read"]
    """`accepted` by WhatsApp, `sent` by it, `delivered` and `read`, or `failed`; `unknown` while no answer tells whether WhatsApp has it"""
    error: Failure | None
    fallback: bool
    """The fallback template went out in place of the message"""
    client_reference: str | None
    send_at: str
    """When its turn is: messages to one recipient are paced"""
    created_at: str
    sandbox: NotRequired[Literal[True]]
    """Of a test key: recorded as delivered, and sent to nobody"""
    window: Window


class Template(TypedDict):
    id: str
    """At WhatsApp"""
    name: str
    language: str
    status: str
    """`APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`"""
    category: str
    """`MARKETING`, `UTILITY`, `AUTHENTICATION`"""
    parameter_format: str
    """`POSITIONAL` or `NAMED`"""
    components: List[Dict[str, Any]]
    """As WhatsApp has them"""
    variables: List[TemplateVariablesItem]
    """What the template leaves open"""


class TemplateVariablesItem(TypedDict):
    component: Literal["header", "body", "button"]
    index: int | None
    name: str | None
    type: str
    example: str | None


MessagesReadReply = TypedDict(
    "MessagesReadReply",
    {
        "id": "str",
        "provider_message_id": "str | None",
        "direction": "Literal['outbound', 'inbound']",
        "to": "str | None",
        "from": "str | None",
        "wa_id": "str",
        "type": "str",
        "content": "Dict[str, Any]",
        "status": "Literal['received', 'queued', 'unknown', 'accepted', 'sent', 'failed', 'delivered', 'read']",
        "error": "Failure | None",
        "fallback": "bool",
        "fallback_of": "str | None",
        "context": "MessagesReadReplyContext | None",
        "client_reference": "str | None",
        "send_at": "str",
        "created_at": "str",
        "sandbox": "NotRequired[Literal[True]]",
        "window": "Window",
        "statuses": "List[MessagesReadReplyStatusesItem]",
    },
)


class MessagesReadReplyContext(TypedDict):
    message_id: str


class MessagesReadReplyStatusesItem(TypedDict):
    status: str
    at: str
    """When it happened, as WhatsApp says"""
    error: Failure | None


class MessagesSendText(TypedDict):
    body: str
    preview_url: NotRequired[bool]


class MessagesSendImage(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    caption: NotRequired[str]


class MessagesSendVideo(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    caption: NotRequired[str]


class MessagesSendDocument(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    caption: NotRequired[str]
    filename: NotRequired[str]


class MessagesSendAudio(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]


class MessagesSendLocation(TypedDict):
    latitude: float
    longitude: float
    name: NotRequired[str]
    address: NotRequired[str]


class MessagesSendInteractive(TypedDict):
    type: Literal["button", "list", "cta_url"]
    header: NotRequired[MessagesSendInteractiveHeader]
    body: MessagesSendInteractiveBody
    footer: NotRequired[MessagesSendInteractiveFooter]
    action: MessagesSendInteractiveAction1 | MessagesSendInteractiveAction2 | MessagesSendInteractiveActionCtaUrl


class MessagesSendInteractiveHeader(TypedDict):
    type: Literal["text"]
    text: str


class MessagesSendInteractiveBody(TypedDict):
    text: str


class MessagesSendInteractiveFooter(TypedDict):
    text: str


class MessagesSendInteractiveAction1(TypedDict):
    buttons: List[MessagesSendInteractiveAction1ButtonsItem]


class MessagesSendInteractiveAction1ButtonsItem(TypedDict):
    type: Literal["reply"]
    reply: MessagesSendInteractiveAction1ButtonsItemReply


class MessagesSendInteractiveAction1ButtonsItemReply(TypedDict):
    id: str
    title: str


class MessagesSendInteractiveAction2(TypedDict):
    button: str
    sections: List[MessagesSendInteractiveAction2SectionsItem]


class MessagesSendInteractiveAction2SectionsItem(TypedDict):
    title: NotRequired[str]
    rows: List[MessagesSendInteractiveAction2SectionsItemRowsItem]


class MessagesSendInteractiveAction2SectionsItemRowsItem(TypedDict):
    id: str
    title: str
    description: NotRequired[str]


class MessagesSendInteractiveActionCtaUrl(TypedDict):
    name: Literal["cta_url"]
    parameters: MessagesSendInteractiveActionCtaUrlParameters


class MessagesSendInteractiveActionCtaUrlParameters(TypedDict):
    display_text: str
    url: str


class MessagesSendReaction(TypedDict):
    message_id: str
    emoji: str
    """Empty takes a reaction back"""


class MessagesSendContext(TypedDict):
    """The message that is answered"""
    message_id: str
