# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict


class Accepted(TypedDict):
    id: str
    status: Literal["scheduled", "queued", "sending", "sent", "failed", "cancelled", "expired", "no_devices"]


class ListedMessage(TypedDict):
    id: str
    app_id: str
    target: ListedMessageTargetUser | ListedMessageTargetUsers | ListedMessageTargetTopic | ListedMessageTargetSegment | ListedMessageTargetAll
    status: Literal["scheduled", "queued", "sending", "sent", "failed", "cancelled", "expired", "no_devices"]
    """sent: a device’s provider took it; `counts` says how many"""
    priority: int
    collapse_key: str | None
    dry_run: bool
    rate: int | None
    quiet_hours: ListedMessageQuietHours | None
    template: ListedMessageTemplate | None
    created_at: str
    send_at: str
    expires_at: str
    """Nothing is tried again after it"""
    ended_at: str | None
    """When no delivery was open any more"""


class ListedMessageTargetUser(TypedDict):
    type: Literal["user"]
    id: str


class ListedMessageTargetUsers(TypedDict):
    type: Literal["users"]
    ids: List[str]


class ListedMessageTargetTopic(TypedDict):
    type: Literal["topic"]
    id: str


class ListedMessageTargetSegment(TypedDict):
    type: Literal["segment"]
    tags: ListedMessageTargetSegmentTags


class ListedMessageTargetSegmentTags(TypedDict):
    all: List[str]
    any: List[str]
    none: List[str]


class ListedMessageTargetAll(TypedDict):
    type: Literal["all"]


ListedMessageQuietHours = TypedDict(
    "ListedMessageQuietHours",
    {
        "from": "str",
        "to": "str",
        "time_zone": "str",
    },
)


class ListedMessageTemplate(TypedDict):
    id: str
    version: int


class Message(TypedDict):
    id: str
    app_id: str
    target: MessageTargetUser | MessageTargetUsers | MessageTargetTopic | MessageTargetSegment | MessageTargetAll
    status: Literal["scheduled", "queued", "sending", "sent", "failed", "cancelled", "expired", "no_devices"]
    """sent: a device’s provider took it; `counts` says how many"""
    counts: MessageCounts
    priority: int
    collapse_key: str | None
    dry_run: bool
    rate: int | None
    quiet_hours: MessageQuietHours | None
    template: MessageTemplate | None
    created_at: str
    send_at: str
    expires_at: str
    """Nothing is tried again after it"""
    ended_at: str | None
    """When no delivery was open any more"""
    sandbox: NotRequired[Literal[True]]
    """Of a test key: recorded as on one device, and sent to none"""


class MessageTargetUser(TypedDict):
    type: Literal["user"]
    id: str


class MessageTargetUsers(TypedDict):
    type: Literal["users"]
    ids: List[str]


class MessageTargetTopic(TypedDict):
    type: Literal["topic"]
    id: str


class MessageTargetSegment(TypedDict):
    type: Literal["segment"]
    tags: MessageTargetSegmentTags


class MessageTargetSegmentTags(TypedDict):
    all: List[str]
    any: List[str]
    none: List[str]


class MessageTargetAll(TypedDict):
    type: Literal["all"]


class MessageCounts(TypedDict):
    devices: int
    queued: int
    sent: int
    """Taken by the provider, with those that were delivered"""
    delivered: int
    """The device said so"""
    displayed: int
    opened: int
    failed: int
    expired: int
    cancelled: int
    """With the message, or as their devices were not meant any more"""


MessageQuietHours = TypedDict(
    "MessageQuietHours",
    {
        "from": "str",
        "to": "str",
        "time_zone": "str",
    },
)


class MessageTemplate(TypedDict):
    id: str
    version: int


class TracedDelivery(TypedDict):
    id: str
    message_id: str
    user_id: str | None
    """Null for a device of nobody yet"""
    installation_id: str
    provider: Literal["apns", "fcm", "webpush", "sse"]
    environment: Literal["production", "sandbox"]
    platform: str | None
    status: Literal["queued", "sent", "delivered", "failed", "expired", "cancelled"]
    """sent: the provider took it; delivered: the device said so"""
    reason: str | None
    """Why it is not sent, or what the last attempt met"""
    attempt_count: int
    next_attempt_at: str | None
    held: TracedDeliveryHeld | None
    """The provider refuses the credential: the delivery waits until the next try, or for another one"""
    created_at: str
    sent_at: str | None
    delivered_at: str | None
    displayed_at: str | None
    opened_at: str | None
    dismissed_at: str | None
    attempts: List[Attempt]


class TracedDeliveryHeld(TypedDict):
    reason: str | None
    until: str


class Attempt(TypedDict):
    id: str
    number: int
    outcome: Literal["sent", "retry", "invalid_token", "rejected", "credential", "unknown"]
    """unknown: no answer came, so the device may have it"""
    provider_status: int | None
    """HTTP status of the provider"""
    reason: str | None
    """The provider’s own word"""
    retry_after_seconds: float | None
    provider_message_id: str | None
    latency_ms: float | None
    error: str | None
    at: str


class Installation(TypedDict):
    id: str
    app_id: str
    user_id: str | None
    """Null for a device of nobody yet"""
    push_provider: Literal["apns", "fcm", "webpush", "sse"]
    environment: Literal["production", "sandbox"]
    device_id: str | None
    """Your own id of the device (sse)"""
    token_end: str
    """The last characters of its token or endpoint"""
    platform: str | None
    locale: str | None
    time_zone: str | None
    tags: List[str]
    status: Literal["active", "invalidated"]
    """Nothing is sent to an invalidated one, until it registers again"""
    invalidated_reason: str | None
    invalidated_at: str | None
    registered_at: str
    created_at: str


class RegisteredInstallation(TypedDict):
    id: str
    app_id: str
    user_id: str | None
    """Null for a device of nobody yet"""
    push_provider: Literal["apns", "fcm", "webpush", "sse"]
    environment: Literal["production", "sandbox"]
    device_id: str | None
    """Your own id of the device (sse)"""
    token_end: str
    """The last characters of its token or endpoint"""
    platform: str | None
    locale: str | None
    time_zone: str | None
    tags: List[str]
    status: Literal["active", "invalidated"]
    """Nothing is sent to an invalidated one, until it registers again"""
    invalidated_reason: str | None
    invalidated_at: str | None
    registered_at: str
    created_at: str
    stream: NotRequired[RegisteredInstallationStream]
    """sse: what the device opens its stream with; register again to renew it"""


class RegisteredInstallationStream(TypedDict):
    """sse: what the device opens its stream with; register again to renew it"""
    url: str
    token: str
    expires_at: str


class User(TypedDict):
    id: str
    app_id: str
    user_id: str
    locale: str | None
    time_zone: str | None
    created_at: str


class Topic(TypedDict):
    topic: str


class Subscription(TypedDict):
    id: str
    user_id: str | None
    installation_id: str | None
    """The one device; null for all of the person"""
    created_at: str


class App(TypedDict):
    id: str
    name: str
    vapid_public_key: str | None
    """What pages subscribe to Web Push with: `applicationServerKey` (RFC 8292)"""
    faults: List[Fault]
    """Credentials that their providers refuse: nothing is sent with them until the next try"""
    created_at: str


class Fault(TypedDict):
    provider: Literal["apns", "fcm", "webpush"]
    environment: Literal["production", "sandbox"]
    reason: str | None
    """The provider’s word"""
    next_try_at: str
    """A few deliveries are tried then, or once another credential is set"""


class Credential(TypedDict):
    provider: Literal["apns", "fcm", "webpush"]
    environment: Literal["production", "sandbox"]
    facts: Dict[str, str]
    """What is no secret: key id, team and topic, project, or public key"""
    check: Literal["ok", "failed", "unreachable"] | None
    """What the provider made of it when it was set; null when it was not asked"""
    check_reason: str | None
    checked_at: str | None
    breaker: CredentialBreaker | None
    """The provider refused it: nothing is sent with it until then"""
    created_at: str


class CredentialBreaker(TypedDict):
    open_until: str
    reason: str | None


class Receipt(TypedDict):
    delivery_id: str
    message_id: str
    status: str
    delivered_at: str | None
    displayed_at: str | None
    opened_at: str | None
    dismissed_at: str | None


class Insights(TypedDict):
    days: int
    totals: Counts
    series: List[InsightsSeriesItem]
    breakdowns: InsightsBreakdowns


class InsightsSeriesItem(TypedDict):
    day: str
    sent: int
    delivered: int
    displayed: int
    opened: int
    failed: int
    expired: int


class InsightsBreakdowns(TypedDict):
    status: List[InsightsBreakdownsStatusItem]
    provider: List[InsightsBreakdownsProviderItem]
    platform: List[InsightsBreakdownsPlatformItem]
    reason: List[InsightsBreakdownsReasonItem]
    """Of failed and expired deliveries"""


class InsightsBreakdownsStatusItem(TypedDict):
    name: str
    count: int


class InsightsBreakdownsProviderItem(TypedDict):
    name: str
    sent: int
    delivered: int
    displayed: int
    opened: int
    failed: int
    expired: int


class InsightsBreakdownsPlatformItem(TypedDict):
    name: str
    sent: int
    delivered: int
    displayed: int
    opened: int
    failed: int
    expired: int


class InsightsBreakdownsReasonItem(TypedDict):
    name: str
    count: int


class Counts(TypedDict):
    sent: int
    delivered: int
    displayed: int
    opened: int
    failed: int
    expired: int


class Stats(TypedDict):
    devices: StatsDevices
    faults: List[Fault]
    """Credentials that their providers refuse: what they would send waits"""
    last_24_hours: StatsLast24Hours


class StatsDevices(TypedDict):
    total: int
    """Those that are active"""
    invalidated: int
    by_provider: Dict[str, int]


class StatsLast24Hours(TypedDict):
    deliveries: int
    by_status: StatsLast24HoursByStatus


class StatsLast24HoursByStatus(TypedDict):
    queued: int
    sent: int
    delivered: int
    failed: int
    expired: int
    cancelled: int


class Delivery(TypedDict):
    id: str
    message_id: str
    user_id: str | None
    """Null for a device of nobody yet"""
    installation_id: str
    provider: Literal["apns", "fcm", "webpush", "sse"]
    environment: Literal["production", "sandbox"]
    platform: str | None
    status: Literal["queued", "sent", "delivered", "failed", "expired", "cancelled"]
    """sent: the provider took it; delivered: the device said so"""
    reason: str | None
    """Why it is not sent, or what the last attempt met"""
    attempt_count: int
    next_attempt_at: str | None
    held: DeliveryHeld | None
    """The provider refuses the credential: the delivery waits until the next try, or for another one"""
    created_at: str
    sent_at: str | None
    delivered_at: str | None
    displayed_at: str | None
    opened_at: str | None
    dismissed_at: str | None


class DeliveryHeld(TypedDict):
    reason: str | None
    until: str


class Template(TypedDict):
    id: str
    name: str
    default_locale: str
    """For devices and people of other languages, or none"""
    variables: List[str]
    """What a message must give"""
    version: int
    """Grows with each change; messages have the texts as they were accepted"""
    created_at: str
    updated_at: str
    locales: Dict[str, TemplateLocalesValue]


class TemplateLocalesValue(TypedDict):
    title: NotRequired[str]
    body: NotRequired[str]
    data: NotRequired[Dict[str, str]]


class TemplateSummary(TypedDict):
    id: str
    name: str
    default_locale: str
    """For devices and people of other languages, or none"""
    variables: List[str]
    """What a message must give"""
    version: int
    """Grows with each change; messages have the texts as they were accepted"""
    created_at: str
    updated_at: str


class BrowserSetup(TypedDict):
    app_id: str
    vapid_public_key: str | None
    """`applicationServerKey` of `PushManager.subscribe` (RFC 8292)"""


class RegisteredBrowser(TypedDict):
    installation_id: str
    installation_token: str
    """By which the browser renews and removes its installation; nobody else has it"""
    anonymous: bool
    """Nobody has said yet whose browser it is"""
    vapid_public_key: str | None
    """`applicationServerKey` of `PushManager.subscribe` (RFC 8292)"""
    registered_at: str


class UserToken(TypedDict):
    token: str
    expires_at: str


class ShownPublicKey(TypedDict):
    id: str
    name: str
    start: str
    """How its newest secret begins"""
    origins: List[str] | None
    """null: a key that reports receipts alone, from anywhere"""
    scopes: List[str]
    rate_per_minute: float | None
    created_at: str
    last_used_at: str | None
    key: str
    """The key itself, this once"""


class PublicKey(TypedDict):
    id: str
    name: str
    start: str
    """How its newest secret begins"""
    origins: List[str] | None
    """null: a key that reports receipts alone, from anywhere"""
    scopes: List[str]
    rate_per_minute: float | None
    created_at: str
    last_used_at: str | None


class MessagesCancelReply(TypedDict):
    id: str
    status: Literal["cancelled"]


class SendTargetUser(TypedDict):
    type: Literal["user"]
    id: str
    """Your own id of the person"""


class SendTargetUsers(TypedDict):
    type: Literal["users"]
    ids: List[str]


class SendTargetTopic(TypedDict):
    type: Literal["topic"]
    id: str


class SendTargetSegment(TypedDict):
    type: Literal["segment"]
    tags: SendTargetSegmentTags


class SendTargetSegmentTags(TypedDict):
    all: NotRequired[List[str]]
    """It has all of these"""
    any: NotRequired[List[str]]
    """It has one of these"""
    none: NotRequired[List[str]]
    """It has none of these"""


class SendTargetAll(TypedDict):
    type: Literal["all"]


class SendActionsItem(TypedDict):
    action: str
    """By which the app knows what was pressed"""
    title: str
    icon: NotRequired[str]
    url: NotRequired[str]
    """What is opened"""


class SendIos(TypedDict):
    image: NotRequired[str]
    badge: NotRequired[int]
    sound: NotRequired[str]
    category: NotRequired[str]
    """By which the app shows its buttons"""
    thread_id: NotRequired[str]
    """Notifications of one thread are grouped"""
    push_type: NotRequired[Literal["alert", "background", "voip", "complication", "location", "fileprovider", "liveactivity", "pushtotalk", "widgets"]]
    """`apns-push-type`; by default alert, or background"""


class SendAndroid(TypedDict):
    image: NotRequired[str]
    sound: NotRequired[str]
    channel_id: NotRequired[str]
    """The app’s notification channel"""
    icon: NotRequired[str]
    color: NotRequired[str]


class SendWeb(TypedDict):
    image: NotRequired[str]
    icon: NotRequired[str]
    badge: NotRequired[str]
    """The small picture where there is no room for the icon"""
    url: NotRequired[str]
    """What a click opens"""


SendQuietHours = TypedDict(
    "SendQuietHours",
    {
        "from": "str",
        "to": "str",
        "time_zone": "NotRequired[str]",
    },
)


class SendOverrides(TypedDict):
    apns: NotRequired[Dict[str, Any]]
    """Merged into the APNs payload: `{"aps": {"sound": "default"}}`"""
    fcm: NotRequired[Dict[str, Any]]
    """Merged into the FCM message"""
    webpush: NotRequired[Dict[str, Any]]
    """Merged into what the service worker, or the stream, gets"""


class RegisterInstallationSubscription(TypedDict):
    """webpush: what `PushManager.subscribe` has returned"""
    endpoint: str
    expirationTime: NotRequired[float | None]
    keys: RegisterInstallationSubscriptionKeys


class RegisterInstallationSubscriptionKeys(TypedDict):
    p256dh: str
    auth: str


class InstallationsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class UsersRemoveReply(TypedDict):
    user_id: str
    installations: int
    deleted: Literal[True]


class TopicsSubscribeReply(TypedDict):
    topic: str
    users: int
    installations: int


class TopicsUnsubscribeReply(TypedDict):
    topic: str
    ended: int


class AppsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class CredentialsReadReply(TypedDict):
    data: List[Credential]


class CredentialsRemoveReply(TypedDict):
    provider: Literal["apns", "fcm", "webpush"]
    deleted: Literal[True]


class ReceiptReceiptsItem(TypedDict):
    delivery_id: str
    event: Literal["delivered", "displayed", "opened", "dismissed"]
    """opened and dismissed imply displayed, which implies delivered"""
    token: NotRequired[str]
    """The `receipt_token` of the delivery: needed with a public key"""


class ReceiptReply(TypedDict):
    receipts: List[Receipt | ReceiptReplyReceiptsItem]


class ReceiptReplyReceiptsItem(TypedDict):
    delivery_id: str
    error: ReceiptReplyReceiptsItemError


class ReceiptReplyReceiptsItemError(TypedDict):
    code: str
    message: str


class CreateTemplateLocalesValue(TypedDict):
    title: NotRequired[str]
    body: NotRequired[str]
    data: NotRequired[Dict[str, str]]


class TemplatesRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class TemplatesUpdateLocalesValue(TypedDict):
    title: NotRequired[str]
    body: NotRequired[str]
    data: NotRequired[Dict[str, str]]


class WebhooksRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class WebhookDeliveriesReplayReply(TypedDict):
    id: str
    status: Literal["pending", "delivered", "failed"]


class WebhookDeliveriesReplaySinceReply(TypedDict):
    replayed: int
    next_since: str | None
    """Null when none is left"""


class BrowserRegisterSubscription(TypedDict):
    """What `PushManager.subscribe` has returned"""
    endpoint: str
    expirationTime: NotRequired[float | None]
    keys: BrowserRegisterSubscriptionKeys


class BrowserRegisterSubscriptionKeys(TypedDict):
    p256dh: str
    auth: str


class BrowserUnsubscribeReply(TypedDict):
    installation_id: str
    deleted: Literal[True]


class PublicKeysRemoveReply(TypedDict):
    id: str
    revoked: Literal[True]
