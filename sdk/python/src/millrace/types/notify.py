# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Dict, List, Literal, NotRequired, TypedDict


class Health(TypedDict):
    status: Literal["ok"]
    database: Literal["ok"]


class Copy(TypedDict):
    channel: Literal["in_app", "email", "push"]
    status: Literal["waiting", "accepted", "refused", "failed"]
    """`waiting`, `accepted` by the area that delivers it, `refused`, `failed`"""
    reason: str | None
    detail: str | None
    message_id: str | None
    """The message in that area, where its way is told"""
    ended_at: str | None


class Item(TypedDict):
    id: str
    """Also that of its event"""
    user_id: str
    product_key: str
    type: str
    title: str
    body: str | None
    data: Dict[str, str]
    url: str | None
    read_at: str | None
    """Null while it is unread"""
    created_at: str


class Preference(TypedDict):
    user_id: str
    product_key: str
    type: str
    channels: List[Literal["in_app", "email", "push"]]
    digest: PreferenceDigest | None
    updated_at: str


class PreferenceDigest(TypedDict):
    window_minutes: int


EventsCreateEmail = TypedDict(
    "EventsCreateEmail",
    {
        "to": "NotRequired[str]",
        "contact": "NotRequired[str]",
        "from": "NotRequired[str]",
    },
)


class EventsCreatePush(TypedDict):
    """The app of the push area whose devices of the person are pushed to, if there is to be a push"""
    app_id: str


class EventsCreateReply(TypedDict):
    id: str
    """Also that of its item in the inbox"""
    product_key: str
    type: str
    subject_user_id: str
    title: str
    body: str | None
    data: Dict[str, str]
    url: str | None
    dedupe_key: str | None
    chosen_by: Literal["event", "type", "product", "default"]
    """What chose the channels: `default` when nobody did"""
    channels: List[EventsCreateReplyChannelsItem]
    """Every channel: whether it was used, and why not"""
    created_at: str
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it is in the test inbox, and in no person’s"""
    deduplicated: bool
    """The first event with the key, recorded before"""


class EventsCreateReplyChannelsItem(TypedDict):
    channel: Literal["in_app", "email", "push"]
    used: bool
    reason: Literal["not_chosen", "no_address", "no_app"] | None
    digest: bool


class EventsReadReply(TypedDict):
    id: str
    """Also that of its item in the inbox"""
    product_key: str
    type: str
    subject_user_id: str
    title: str
    body: str | None
    data: Dict[str, str]
    url: str | None
    dedupe_key: str | None
    chosen_by: Literal["event", "type", "product", "default"]
    """What chose the channels: `default` when nobody did"""
    channels: List[EventsReadReplyChannelsItem]
    """Every channel: whether it was used, and why not"""
    created_at: str
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it is in the test inbox, and in no person’s"""
    copies: List[Copy]


class EventsReadReplyChannelsItem(TypedDict):
    channel: Literal["in_app", "email", "push"]
    used: bool
    reason: Literal["not_chosen", "no_address", "no_app"] | None
    digest: bool


class InboxReadAllReply(TypedDict):
    user_id: str
    unread_count: int
    marked: int
    """Items that were unread"""


class InboxUnreadCountReply(TypedDict):
    user_id: str
    unread_count: int
    by_product: Dict[str, int]


class PreferencesPutDigest(TypedDict):
    window_minutes: int


class PreferencesRemoveReply(TypedDict):
    user_id: str
    product_key: str
    type: str
    deleted: Literal[True]


class StreamCreateTokenReply(TypedDict):
    url: str
    """With everything in it that `EventSource` needs"""
    token: str
    last_event_id: str
    expires_at: str
