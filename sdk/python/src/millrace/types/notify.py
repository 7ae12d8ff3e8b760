# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Dict, List, Literal, NotRequired, TypedDict


class Health(TypedDict):
    status: Literal["ok"]
    database: Literal["ok"]


class Copy(TypedDict):
    channel: Literal["in_app", "email", "push", "whatsapp"]
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
    seen_at: str | None
    """Null until it was shown; what is read was seen"""
    archived_at: str | None
    created_at: str


class Preference(TypedDict):
    user_id: str
    product_key: str
    type: str
    channels: List[Literal["in_app", "email", "push", "whatsapp"]]
    digest: PreferenceDigest | None
    updated_at: str


class PreferenceDigest(TypedDict):
    window_minutes: int


class Person(TypedDict):
    user_id: str
    name: str | None
    email: str | None
    phone: str | None
    push: PersonPush | None
    locale: str | None
    time_zone: str | None
    data: Dict[str, str]
    created_at: str
    updated_at: str


class PersonPush(TypedDict):
    app_id: str
    user_id: str


class WorkflowSummary(TypedDict):
    key: str
    name: str
    product_key: str
    type: str
    fallback_locale: str
    version: int
    """The last one that was published; 0: none was"""
    published_version: int | None
    """The version that events start; null: none"""
    created_at: str
    updated_at: str


class Workflow(TypedDict):
    key: str
    name: str
    product_key: str
    type: str
    fallback_locale: str
    steps: List[WorkflowStepsItemChannel | WorkflowStepsItemWait | WorkflowStepsItemDigest]
    """As they are written; what runs is a version"""
    version: int
    """The last one that was published; 0: none was"""
    published_version: int | None
    """The version that events start; null: none"""
    created_at: str
    updated_at: str


class WorkflowStepsItemChannel(TypedDict):
    type: Literal["channel"]
    channel: Literal["in_app", "email", "push", "whatsapp"]
    text: NotRequired[str]
    """The type of its text; default: that of the event"""
    template: NotRequired[WorkflowStepsItemChannelTemplate]
    """What goes out by WhatsApp to who has not written within 24 hours"""
    conditions: NotRequired[List[WorkflowStepsItemChannelConditionsItem]]
    """The step is skipped unless all of them hold"""


class WorkflowStepsItemChannelTemplate(TypedDict):
    """What goes out by WhatsApp to who has not written within 24 hours"""
    name: str
    language: str
    variables: NotRequired[List[str]]
    """Texts with placeholders, in their order"""


class WorkflowStepsItemChannelConditionsItem(TypedDict):
    field: str
    operator: Literal["equal_to", "not_equal_to", "greater_than", "less_than", "contains", "not_contains", "empty", "not_empty"]
    value: NotRequired[str]
    """Numbers are compared as numbers"""


class WorkflowStepsItemWait(TypedDict):
    type: Literal["wait"]
    minutes: int
    until: NotRequired[Literal["unread", "unseen"]]
    """Goes on when the item has been that for so long, and ends the run when it is not any more"""
    conditions: NotRequired[List[WorkflowStepsItemWaitConditionsItem]]
    """The step is skipped unless all of them hold"""


class WorkflowStepsItemWaitConditionsItem(TypedDict):
    field: str
    operator: Literal["equal_to", "not_equal_to", "greater_than", "less_than", "contains", "not_contains", "empty", "not_empty"]
    value: NotRequired[str]
    """Numbers are compared as numbers"""


class WorkflowStepsItemDigest(TypedDict):
    type: Literal["digest"]
    minutes: int
    """Events of the window, which the first one opens, go through the other steps as one"""
    key: NotRequired[str]
    """Events with another value of it have a window of their own"""


class Text(TypedDict):
    type: str
    locale: str
    version: int
    title: str
    body: str | None
    created_at: str


class Run(TypedDict):
    id: str
    workflow: str
    """The workflow’s key"""
    version: int
    event_id: str
    """The event that it began with"""
    user_id: str
    product_key: str
    type: str
    title: str
    state: Literal["waiting", "completed", "stopped", "cancelled", "failed"]
    """`waiting` for a step’s time, `completed`, `stopped` before its end, `cancelled`, `failed`"""
    reason: str | None
    """Why it went no further: `read`, `person_removed`, `key_revoked`, …"""
    due_at: str | None
    """When it goes on"""
    created_at: str
    ended_at: str | None


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
    chosen_by: Literal["event", "workflow", "type", "product", "default"]
    """What chose the channels: `default` when nobody did"""
    channels: List[EventsCreateReplyChannelsItem]
    """Every channel: whether it was used, and why not"""
    run_id: NotRequired[str | None]
    """The run of the workflow that it has started, or joined"""
    created_at: str
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it is in the test inbox, and in no person’s"""
    deduplicated: bool
    """The first event with the key, recorded before"""


class EventsCreateReplyChannelsItem(TypedDict):
    channel: Literal["in_app", "email", "push", "whatsapp"]
    used: bool
    reason: Literal["not_chosen", "no_address", "no_app", "no_phone", "workflow"] | None
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
    chosen_by: Literal["event", "workflow", "type", "product", "default"]
    """What chose the channels: `default` when nobody did"""
    channels: List[EventsReadReplyChannelsItem]
    """Every channel: whether it was used, and why not"""
    run_id: NotRequired[str | None]
    """The run of the workflow that it has started, or joined"""
    created_at: str
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it is in the test inbox, and in no person’s"""
    copies: List[Copy]


class EventsReadReplyChannelsItem(TypedDict):
    channel: Literal["in_app", "email", "push", "whatsapp"]
    used: bool
    reason: Literal["not_chosen", "no_address", "no_app", "no_phone", "workflow"] | None
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


class MarksCountsReply(TypedDict):
    unread_count: int
    unseen_count: int


class MarksCreateReply(TypedDict):
    marked: int
    """Items that were not so before"""
    unread_count: int
    unseen_count: int


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


class FeedMarkReply(TypedDict):
    marked: int
    """Items that were not so before"""
    unread_count: int
    unseen_count: int


class PeoplePutPush(TypedDict):
    app_id: str
    user_id: NotRequired[str]
    """Their id in that app; default: `user_id`"""


class PeopleRemoveReply(TypedDict):
    user_id: str
    deleted: Literal[True]


class PeoplePutManyPeopleItem(TypedDict):
    user_id: str
    """Your own id of the person, such as a UUID"""
    name: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    """In E.164, for WhatsApp"""
    push: NotRequired[PeoplePutManyPeopleItemPush | None]
    """The app of the push area whose devices of the person are pushed to"""
    locale: NotRequired[str | None]
    """The language of their texts, such as `de` or `de-AT`"""
    time_zone: NotRequired[str | None]
    """Such as `Europe/Vienna`"""
    data: NotRequired[Dict[str, str]]
    """What conditions and texts may name: `person.data.plan`"""


class PeoplePutManyPeopleItemPush(TypedDict):
    app_id: str
    user_id: NotRequired[str]
    """Their id in that app; default: `user_id`"""


class PeoplePutManyReply(TypedDict):
    data: List[Person]
    """In the order of the request"""


class WorkflowsPutStepsItemChannel(TypedDict):
    type: Literal["channel"]
    channel: Literal["in_app", "email", "push", "whatsapp"]
    text: NotRequired[str]
    """The type of its text; default: that of the event"""
    template: NotRequired[WorkflowsPutStepsItemChannelTemplate]
    """What goes out by WhatsApp to who has not written within 24 hours"""
    conditions: NotRequired[List[WorkflowsPutStepsItemChannelConditionsItem]]
    """The step is skipped unless all of them hold"""


class WorkflowsPutStepsItemChannelTemplate(TypedDict):
    """What goes out by WhatsApp to who has not written within 24 hours"""
    name: str
    language: str
    variables: NotRequired[List[str]]
    """Texts with placeholders, in their order"""


class WorkflowsPutStepsItemChannelConditionsItem(TypedDict):
    field: str
    operator: Literal["equal_to", "not_equal_to", "greater_than", "less_than", "contains", "not_contains", "empty", "not_empty"]
    value: NotRequired[str]
    """Numbers are compared as numbers"""


class WorkflowsPutStepsItemWait(TypedDict):
    type: Literal["wait"]
    minutes: int
    until: NotRequired[Literal["unread", "unseen"]]
    """Goes on when the item has been that for so long, and ends the run when it is not any more"""
    conditions: NotRequired[List[WorkflowsPutStepsItemWaitConditionsItem]]
    """The step is skipped unless all of them hold"""


class WorkflowsPutStepsItemWaitConditionsItem(TypedDict):
    field: str
    operator: Literal["equal_to", "not_equal_to", "greater_than", "less_than", "contains", "not_contains", "empty", "not_empty"]
    value: NotRequired[str]
    """Numbers are compared as numbers"""


class WorkflowsPutStepsItemDigest(TypedDict):
    type: Literal["digest"]
    minutes: int
    """Events of the window, which the first one opens, go through the other steps as one"""
    key: NotRequired[str]
    """Events with another value of it have a window of their own"""


class WorkflowsReadReply(TypedDict):
    key: str
    name: str
    product_key: str
    type: str
    fallback_locale: str
    steps: List[WorkflowsReadReplyStepsItemChannel | WorkflowsReadReplyStepsItemWait | WorkflowsReadReplyStepsItemDigest]
    """As they are written; what runs is a version"""
    version: int
    """The last one that was published; 0: none was"""
    published_version: int | None
    """The version that events start; null: none"""
    created_at: str
    updated_at: str
    versions: List[WorkflowsReadReplyVersionsItem]
    """The latest ones, newest first: up to 100, and up to 1 MiB of steps"""


class WorkflowsReadReplyStepsItemChannel(TypedDict):
    type: Literal["channel"]
    channel: Literal["in_app", "email", "push", "whatsapp"]
    text: NotRequired[str]
    """The type of its text; default: that of the event"""
    template: NotRequired[WorkflowsReadReplyStepsItemChannelTemplate]
    """What goes out by WhatsApp to who has not written within 24 hours"""
    conditions: NotRequired[List[WorkflowsReadReplyStepsItemChannelConditionsItem]]
    """The step is skipped unless all of them hold"""


class WorkflowsReadReplyStepsItemChannelTemplate(TypedDict):
    """What goes out by WhatsApp to who has not written within 24 hours"""
    name: str
    language: str
    variables: NotRequired[List[str]]
    """Texts with placeholders, in their order"""


class WorkflowsReadReplyStepsItemChannelConditionsItem(TypedDict):
    field: str
    operator: Literal["equal_to", "not_equal_to", "greater_than", "less_than", "contains", "not_contains", "empty", "not_empty"]
    value: NotRequired[str]
    """Numbers are compared as numbers"""


class WorkflowsReadReplyStepsItemWait(TypedDict):
    type: Literal["wait"]
    minutes: int
    until: NotRequired[Literal["unread", "unseen"]]
    """Goes on when the item has been that for so long, and ends the run when it is not any more"""
    conditions: NotRequired[List[WorkflowsReadReplyStepsItemWaitConditionsItem]]
    """The step is skipped unless all of them hold"""


class WorkflowsReadReplyStepsItemWaitConditionsItem(TypedDict):
    field: str
    operator: Literal["equal_to", "not_equal_to", "greater_than", "less_than", "contains", "not_contains", "empty", "not_empty"]
    value: NotRequired[str]
    """Numbers are compared as numbers"""


class WorkflowsReadReplyStepsItemDigest(TypedDict):
    type: Literal["digest"]
    minutes: int
    """Events of the window, which the first one opens, go through the other steps as one"""
    key: NotRequired[str]
    """Events with another value of it have a window of their own"""


class WorkflowsReadReplyVersionsItem(TypedDict):
    version: int
    product_key: str
    type: str
    fallback_locale: str
    steps: List[WorkflowsReadReplyVersionsItemStepsItemChannel | WorkflowsReadReplyVersionsItemStepsItemWait | WorkflowsReadReplyVersionsItemStepsItemDigest]
    created_at: str


class WorkflowsReadReplyVersionsItemStepsItemChannel(TypedDict):
    type: Literal["channel"]
    channel: Literal["in_app", "email", "push", "whatsapp"]
    text: NotRequired[str]
    """The type of its text; default: that of the event"""
    template: NotRequired[WorkflowsReadReplyVersionsItemStepsItemChannelTemplate]
    """What goes out by WhatsApp to who has not written within 24 hours"""
    conditions: NotRequired[List[WorkflowsReadReplyVersionsItemStepsItemChannelConditionsItem]]
    """The step is skipped unless all of them hold"""


class WorkflowsReadReplyVersionsItemStepsItemChannelTemplate(TypedDict):
    """What goes out by WhatsApp to who has not written within 24 hours"""
    name: str
    language: str
    variables: NotRequired[List[str]]
    """Texts with placeholders, in their order"""


class WorkflowsReadReplyVersionsItemStepsItemChannelConditionsItem(TypedDict):
    field: str
    operator: Literal["equal_to", "not_equal_to", "greater_than", "less_than", "contains", "not_contains", "empty", "not_empty"]
    value: NotRequired[str]
    """Numbers are compared as numbers"""


class WorkflowsReadReplyVersionsItemStepsItemWait(TypedDict):
    type: Literal["wait"]
    minutes: int
    until: NotRequired[Literal["unread", "unseen"]]
    """Goes on when the item has been that for so long, and ends the run when it is not any more"""
    conditions: NotRequired[List[WorkflowsReadReplyVersionsItemStepsItemWaitConditionsItem]]
    """The step is skipped unless all of them hold"""


class WorkflowsReadReplyVersionsItemStepsItemWaitConditionsItem(TypedDict):
    field: str
    operator: Literal["equal_to", "not_equal_to", "greater_than", "less_than", "contains", "not_contains", "empty", "not_empty"]
    value: NotRequired[str]
    """Numbers are compared as numbers"""


class WorkflowsReadReplyVersionsItemStepsItemDigest(TypedDict):
    type: Literal["digest"]
    minutes: int
    """Events of the window, which the first one opens, go through the other steps as one"""
    key: NotRequired[str]
    """Events with another value of it have a window of their own"""


class WorkflowsRemoveReply(TypedDict):
    key: str
    deleted: Literal[True]
    stopped: int
    """Runs that waited"""


class TextsRemoveReply(TypedDict):
    type: str
    locale: str
    deleted: Literal[True]


class RunsReadReply(TypedDict):
    id: str
    workflow: str
    """The workflow’s key"""
    version: int
    event_id: str
    """The event that it began with"""
    user_id: str
    product_key: str
    type: str
    title: str
    state: Literal["waiting", "completed", "stopped", "cancelled", "failed"]
    """`waiting` for a step’s time, `completed`, `stopped` before its end, `cancelled`, `failed`"""
    reason: str | None
    """Why it went no further: `read`, `person_removed`, `key_revoked`, …"""
    due_at: str | None
    """When it goes on"""
    created_at: str
    ended_at: str | None
    steps: List[RunsReadReplyStepsItem]
    """Those that were taken or wait, in their order"""


class RunsReadReplyStepsItem(TypedDict):
    step: int
    """Its place in the workflow, from 0"""
    type: Literal["channel", "wait", "digest"]
    channel: Literal["in_app", "email", "push", "whatsapp"] | None
    state: Literal["waiting", "done", "skipped", "refused", "failed"]
    """`waiting` while a wait lasts, `done`, `skipped`, `refused` by the area of its channel, `failed`"""
    reason: str | None
    """`condition`, `preference`, `no_address`, …, or that of the channel’s area"""
    detail: str | None
    message_id: str | None
    """The message in the channel’s area, where its way is told"""
    text_locale: str | None
    text_version: int | None
    due_at: str | None
    """When a wait ends"""
    at: str
