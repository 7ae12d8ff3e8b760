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


class Media(TypedDict):
    state: Literal["pending", "stored", "refused", "failed"]
    """`stored`: found clean, and to be had"""
    object_id: str | None
    """Once it is stored: POST /v1/files/objects/{id}/download-url"""
    reason: str | None
    """Why the gate refused it, or it could not be fetched"""


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
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
    caption: NotRequired[str]


class TemplateFormComponentsItemParametersItemVideo(TypedDict):
    type: Literal["video"]
    video: TemplateFormComponentsItemParametersItemVideoVideo


class TemplateFormComponentsItemParametersItemVideoVideo(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
    caption: NotRequired[str]


class TemplateFormComponentsItemParametersItemDocument(TypedDict):
    type: Literal["document"]
    document: TemplateFormComponentsItemParametersItemDocumentDocument


class TemplateFormComponentsItemParametersItemDocumentDocument(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
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


class BusinessNumber(TypedDict):
    id: str
    phone_number_id: str
    business_account_id: str
    display_phone: str | None
    """As people see it"""
    verified_name: str | None
    webhook_url: str
    """Where Meta sends what people write and what becomes of messages"""
    webhook_subscribed: bool
    """Meta has taken `webhook_url`; else give it to the Meta app by hand, with the verify token"""
    created_at: str
    rotated_at: str | None
    """When a secret was last changed"""


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
    reason: str | None
    """Why it was rejected"""
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
        "media": "NotRequired[Media]",
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
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
    caption: NotRequired[str]


class MessagesSendVideo(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
    caption: NotRequired[str]


class MessagesSendDocument(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
    caption: NotRequired[str]
    filename: NotRequired[str]


class MessagesSendAudio(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""


class MessagesSendSticker(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""


class MessagesSendLocation(TypedDict):
    latitude: float
    longitude: float
    name: NotRequired[str]
    address: NotRequired[str]


class MessagesSendInteractiveButton(TypedDict):
    type: Literal["button"]
    header: NotRequired[MessagesSendInteractiveButtonHeaderText | MessagesSendInteractiveButtonHeaderImage | MessagesSendInteractiveButtonHeaderVideo | MessagesSendInteractiveButtonHeaderDocument]
    body: MessagesSendInteractiveButtonBody
    footer: NotRequired[MessagesSendInteractiveButtonFooter]
    action: MessagesSendInteractiveButtonAction


class MessagesSendInteractiveButtonHeaderText(TypedDict):
    type: Literal["text"]
    text: str


class MessagesSendInteractiveButtonHeaderImage(TypedDict):
    type: Literal["image"]
    image: MessagesSendInteractiveButtonHeaderImageImage


class MessagesSendInteractiveButtonHeaderImageImage(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
    caption: NotRequired[str]


class MessagesSendInteractiveButtonHeaderVideo(TypedDict):
    type: Literal["video"]
    video: MessagesSendInteractiveButtonHeaderVideoVideo


class MessagesSendInteractiveButtonHeaderVideoVideo(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
    caption: NotRequired[str]


class MessagesSendInteractiveButtonHeaderDocument(TypedDict):
    type: Literal["document"]
    document: MessagesSendInteractiveButtonHeaderDocumentDocument


class MessagesSendInteractiveButtonHeaderDocumentDocument(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
    caption: NotRequired[str]
    filename: NotRequired[str]


class MessagesSendInteractiveButtonBody(TypedDict):
    text: str


class MessagesSendInteractiveButtonFooter(TypedDict):
    text: str


class MessagesSendInteractiveButtonAction(TypedDict):
    buttons: List[MessagesSendInteractiveButtonActionButtonsItem]


class MessagesSendInteractiveButtonActionButtonsItem(TypedDict):
    type: Literal["reply"]
    reply: MessagesSendInteractiveButtonActionButtonsItemReply


class MessagesSendInteractiveButtonActionButtonsItemReply(TypedDict):
    id: str
    title: str


class MessagesSendInteractiveList(TypedDict):
    type: Literal["list"]
    header: NotRequired[MessagesSendInteractiveListHeader]
    body: MessagesSendInteractiveListBody
    footer: NotRequired[MessagesSendInteractiveListFooter]
    action: MessagesSendInteractiveListAction


class MessagesSendInteractiveListHeader(TypedDict):
    type: Literal["text"]
    text: str


class MessagesSendInteractiveListBody(TypedDict):
    text: str


class MessagesSendInteractiveListFooter(TypedDict):
    text: str


class MessagesSendInteractiveListAction(TypedDict):
    button: str
    sections: List[MessagesSendInteractiveListActionSectionsItem]


class MessagesSendInteractiveListActionSectionsItem(TypedDict):
    title: NotRequired[str]
    rows: List[MessagesSendInteractiveListActionSectionsItemRowsItem]


class MessagesSendInteractiveListActionSectionsItemRowsItem(TypedDict):
    id: str
    title: str
    description: NotRequired[str]


class MessagesSendInteractiveCtaUrl(TypedDict):
    type: Literal["cta_url"]
    header: NotRequired[MessagesSendInteractiveCtaUrlHeaderText | MessagesSendInteractiveCtaUrlHeaderImage | MessagesSendInteractiveCtaUrlHeaderVideo | MessagesSendInteractiveCtaUrlHeaderDocument]
    body: MessagesSendInteractiveCtaUrlBody
    footer: NotRequired[MessagesSendInteractiveCtaUrlFooter]
    action: MessagesSendInteractiveCtaUrlAction


class MessagesSendInteractiveCtaUrlHeaderText(TypedDict):
    type: Literal["text"]
    text: str


class MessagesSendInteractiveCtaUrlHeaderImage(TypedDict):
    type: Literal["image"]
    image: MessagesSendInteractiveCtaUrlHeaderImageImage


class MessagesSendInteractiveCtaUrlHeaderImageImage(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
    caption: NotRequired[str]


class MessagesSendInteractiveCtaUrlHeaderVideo(TypedDict):
    type: Literal["video"]
    video: MessagesSendInteractiveCtaUrlHeaderVideoVideo


class MessagesSendInteractiveCtaUrlHeaderVideoVideo(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
    caption: NotRequired[str]


class MessagesSendInteractiveCtaUrlHeaderDocument(TypedDict):
    type: Literal["document"]
    document: MessagesSendInteractiveCtaUrlHeaderDocumentDocument


class MessagesSendInteractiveCtaUrlHeaderDocumentDocument(TypedDict):
    link: NotRequired[str]
    id: NotRequired[str]
    object_id: NotRequired[str]
    """A clean object of the area files; the key needs `files:read`, too"""
    caption: NotRequired[str]
    filename: NotRequired[str]


class MessagesSendInteractiveCtaUrlBody(TypedDict):
    text: str


class MessagesSendInteractiveCtaUrlFooter(TypedDict):
    text: str


class MessagesSendInteractiveCtaUrlAction(TypedDict):
    name: Literal["cta_url"]
    parameters: MessagesSendInteractiveCtaUrlActionParameters


class MessagesSendInteractiveCtaUrlActionParameters(TypedDict):
    display_text: str
    url: str


class MessagesSendReaction(TypedDict):
    message_id: str
    emoji: str
    """Empty takes a reaction back"""


class MessagesSendContext(TypedDict):
    """The message that is answered"""
    message_id: str


class NumbersConnectReply(TypedDict):
    id: str
    phone_number_id: str
    business_account_id: str
    display_phone: str | None
    """As people see it"""
    verified_name: str | None
    webhook_url: str
    """Where Meta sends what people write and what becomes of messages"""
    webhook_subscribed: bool
    """Meta has taken `webhook_url`; else give it to the Meta app by hand, with the verify token"""
    created_at: str
    rotated_at: str | None
    """When a secret was last changed"""
    verify_token: str
    """Shown this once"""


class NumbersRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class TemplatesCreateComponentsItem1HEADER(TypedDict):
    type: Literal["HEADER"]
    format: Literal["TEXT"]
    text: str
    example: NotRequired[TemplatesCreateComponentsItem1HEADERExample]


class TemplatesCreateComponentsItem1HEADERExample(TypedDict):
    header_text: NotRequired[List[str]]
    header_text_named_params: NotRequired[List[TemplatesCreateComponentsItem1HEADERExampleHeaderTextNamedParamsItem]]


class TemplatesCreateComponentsItem1HEADERExampleHeaderTextNamedParamsItem(TypedDict):
    param_name: str
    example: str


class TemplatesCreateComponentsItem1HEADER2(TypedDict):
    type: Literal["HEADER"]
    format: Literal["IMAGE", "VIDEO", "DOCUMENT"]
    example: TemplatesCreateComponentsItem1HEADER2Example


class TemplatesCreateComponentsItem1HEADER2Example(TypedDict):
    header_handle: List[str]
    """Of Meta’s resumable upload"""


class TemplatesCreateComponentsItem1HEADER3(TypedDict):
    type: Literal["HEADER"]
    format: Literal["LOCATION"]


class TemplatesCreateComponentsItemBODY(TypedDict):
    type: Literal["BODY"]
    text: NotRequired[str]
    example: NotRequired[TemplatesCreateComponentsItemBODYExample]
    add_security_recommendation: NotRequired[bool]
    """Of AUTHENTICATION alone, whose text Meta writes"""


class TemplatesCreateComponentsItemBODYExample(TypedDict):
    body_text: NotRequired[List[List[str]]]
    body_text_named_params: NotRequired[List[TemplatesCreateComponentsItemBODYExampleBodyTextNamedParamsItem]]


class TemplatesCreateComponentsItemBODYExampleBodyTextNamedParamsItem(TypedDict):
    param_name: str
    example: str


class TemplatesCreateComponentsItemFOOTER(TypedDict):
    type: Literal["FOOTER"]
    text: NotRequired[str]
    code_expiration_minutes: NotRequired[int]
    """Of AUTHENTICATION alone"""


class TemplatesCreateComponentsItemBUTTONS(TypedDict):
    type: Literal["BUTTONS"]
    buttons: List[TemplatesCreateComponentsItemBUTTONSButtonsItemQUICKREPLY | TemplatesCreateComponentsItemBUTTONSButtonsItemURL | TemplatesCreateComponentsItemBUTTONSButtonsItemPHONENUMBER | TemplatesCreateComponentsItemBUTTONSButtonsItemCOPYCODE | TemplatesCreateComponentsItemBUTTONSButtonsItemOTP]


class TemplatesCreateComponentsItemBUTTONSButtonsItemQUICKREPLY(TypedDict):
    type: Literal["QUICK_REPLY"]
    text: str


class TemplatesCreateComponentsItemBUTTONSButtonsItemURL(TypedDict):
    type: Literal["URL"]
    text: str
    url: str
    example: NotRequired[List[str]]


class TemplatesCreateComponentsItemBUTTONSButtonsItemPHONENUMBER(TypedDict):
    type: Literal["PHONE_NUMBER"]
    text: str
    phone_number: str


class TemplatesCreateComponentsItemBUTTONSButtonsItemCOPYCODE(TypedDict):
    type: Literal["COPY_CODE"]
    example: str


class TemplatesCreateComponentsItemBUTTONSButtonsItemOTP(TypedDict):
    type: Literal["OTP"]
    otp_type: Literal["COPY_CODE"]
    text: NotRequired[str]


class TemplatesRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]
