# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict


class Domain(TypedDict):
    id: str
    domain: str
    status: Literal["pending", "verified", "failed"]
    """verified: mail is sent from it"""
    verified_by: Literal["dns", "operator"] | None
    """operator: vouched for, and not judged by its records"""
    spf_verified: bool
    """The return path has the SPF record and the MX"""
    dkim_verified: bool
    """The RSA key is published; the Ed25519 key comes in addition"""
    created_at: str
    checked_at: str | None
    verified_at: str | None
    return_path: str
    """Host of the envelope sender"""
    spf_include: str
    """Host that SPF records include"""
    records: List[DomainRecordsItem]


class DomainRecordsItem(TypedDict):
    kind: Literal["dkim_rsa", "dkim_ed25519", "return_path_mx", "return_path_spf", "spf", "dmarc"]
    name: str
    type: Literal["TXT", "MX"]
    value: str
    priority: int | None
    purpose: str
    required: bool
    state: Literal["not_checked", "found", "missing", "different", "unknown"]
    """different: there is another; unknown: its name servers gave no answer"""
    found: str | None
    """What is there, or what is wrong with it"""


class DomainSummary(TypedDict):
    id: str
    domain: str
    status: Literal["pending", "verified", "failed"]
    """verified: mail is sent from it"""
    verified_by: Literal["dns", "operator"] | None
    """operator: vouched for, and not judged by its records"""
    spf_verified: bool
    """The return path has the SPF record and the MX"""
    dkim_verified: bool
    """The RSA key is published; the Ed25519 key comes in addition"""
    created_at: str
    checked_at: str | None
    verified_at: str | None


class Contact(TypedDict):
    id: str
    email: str
    status: Literal["confirmed", "unconfirmed", "unsubscribed"]
    """Only confirmed contacts receive the subscribed stream"""
    consent_source: str | None
    created_at: str
    confirmed_at: str | None
    unsubscribed_at: str | None
    asked_at: str | None
    """When it was last asked to confirm"""
    name: str | None
    attributes: Dict[str, Any]
    """What mails to it may say, and segments ask"""
    tags: List[str]


class ContactWithHistory(TypedDict):
    id: str
    email: str
    status: Literal["confirmed", "unconfirmed", "unsubscribed"]
    """Only confirmed contacts receive the subscribed stream"""
    consent_source: str | None
    created_at: str
    confirmed_at: str | None
    unsubscribed_at: str | None
    asked_at: str | None
    """When it was last asked to confirm"""
    name: str | None
    attributes: Dict[str, Any]
    """What mails to it may say, and segments ask"""
    tags: List[str]
    history: List[ContactWithHistoryHistoryItem]
    """Oldest first"""


class ContactWithHistoryHistoryItem(TypedDict):
    at: str
    kind: Literal["added", "imported", "asked", "confirmed", "unsubscribed"]
    source: Literal["api", "import", "page", "one_click", "mail", "complaint"]
    message_id: str | None
    detail: str | None


class Import(TypedDict):
    imported: int
    existing: int
    """There already, or earlier in the list"""
    invalid: int
    errors: List[ImportErrorsItem]
    """The first 100 bad lines"""


class ImportErrorsItem(TypedDict):
    line: int
    issue: str


class Segment(TypedDict):
    id: str
    name: str
    match: Literal["all", "any"]
    conditions: List[SegmentConditionsItem]
    groups: List[SegmentGroupsItem]
    created_at: str
    updated_at: str


class SegmentConditionsItem(TypedDict):
    field: str
    op: Literal["has", "lacks", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "exists", "missing", "before", "after"]
    value: NotRequired[str | float | bool]


class SegmentGroupsItem(TypedDict):
    match: Literal["all", "any"]
    conditions: List[SegmentGroupsItemConditionsItem]


class SegmentGroupsItemConditionsItem(TypedDict):
    field: str
    op: Literal["has", "lacks", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "exists", "missing", "before", "after"]
    value: NotRequired[str | float | bool]


class SegmentPreview(TypedDict):
    contacts: SegmentPreviewContacts | None
    """Contacts by their consent, as of now; campaigns go to `confirmed` ones. Null when they are too many to be counted at once"""
    some: List[Contact] | None
    """Up to 10 of the confirmed ones"""


class SegmentPreviewContacts(TypedDict):
    confirmed: int
    unconfirmed: int
    unsubscribed: int


class SegmentWithCounts(TypedDict):
    id: str
    name: str
    match: Literal["all", "any"]
    conditions: List[SegmentWithCountsConditionsItem]
    groups: List[SegmentWithCountsGroupsItem]
    created_at: str
    updated_at: str
    contacts: SegmentWithCountsContacts | None
    """Contacts by their consent, as of now; campaigns go to `confirmed` ones. Null when they are too many to be counted at once"""


class SegmentWithCountsConditionsItem(TypedDict):
    field: str
    op: Literal["has", "lacks", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "exists", "missing", "before", "after"]
    value: NotRequired[str | float | bool]


class SegmentWithCountsGroupsItem(TypedDict):
    match: Literal["all", "any"]
    conditions: List[SegmentWithCountsGroupsItemConditionsItem]


class SegmentWithCountsGroupsItemConditionsItem(TypedDict):
    field: str
    op: Literal["has", "lacks", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "exists", "missing", "before", "after"]
    value: NotRequired[str | float | bool]


class SegmentWithCountsContacts(TypedDict):
    confirmed: int
    unconfirmed: int
    unsubscribed: int


class Reconfirmation(TypedDict):
    id: str | None
    """Null when nobody is asked"""
    contacts: int
    """How many there are to ask"""
    from_email: str
    sandbox: bool


class Verdict(TypedDict):
    email: str
    """In its stored form, or as it was given when it is no address"""
    verdict: Literal["deliverable", "risky", "undeliverable", "unknown"]
    valid: bool | None
    """Whether mail to it can arrive; null: unknown"""
    reason: Literal["ok", "syntax", "no_mail_server", "bad_mx", "null_mx", "dns", "disposable", "typo", "implicit_mx", "role"]
    """ok: its domain takes mail, and nothing speaks against it; syntax: it is no address; no_mail_server: its domain is not there or takes no mail; bad_mx: no MX record of its domain names a host on the internet: an IP address, or localhost; null_mx: its domain says that it takes no mail (RFC 7505); dns: its domain could not be looked up now; disposable: addresses of its domain are made to be thrown away; typo: its domain is written like a well-known one; implicit_mx: its domain has no MX record, only an address; role: it names a task, not a person"""
    detail: str | None
    """What is wrong with its syntax"""
    did_you_mean: str | None
    checks: VerdictChecks
    """Null: not known"""


class VerdictChecks(TypedDict):
    """Null: not known"""
    syntax: bool
    mx: bool | None
    null_mx: bool | None
    free_provider: bool | None
    role: bool | None
    disposable: bool | None
    typo: bool | None


Message = TypedDict(
    "Message",
    {
        "id": "str",
        "message_id": "str",
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "status": "Literal['scheduled', 'queued', 'sent', 'delivered', 'deferred', 'bounced', 'failed', 'suppressed', 'complained', 'cancelled']",
        "from": "MessageFrom",
        "to": "str",
        "subject": "str",
        "reply_class": "str | None",
        "reason": "str | None",
        "sandbox": "bool",
        "campaign_id": "str | None",
        "template_id": "str | None",
        "created_at": "str",
        "sent_at": "str | None",
        "delivered_at": "str | None",
        "deferred_at": "str | None",
        "bounced_at": "str | None",
        "failed_at": "str | None",
        "suppressed_at": "str | None",
        "complained_at": "str | None",
        "recipient": "Literal['to', 'cc', 'bcc']",
        "copy_of": "str | None",
        "send_at": "str | None",
        "cancelled_at": "str | None",
        "tags": "List[MessageTagsItem]",
        "metadata": "Dict[str, Any] | None",
        "copies": "List[MessageCopiesItem]",
        "route": "List[Attempt]",
    },
)


class MessageFrom(TypedDict):
    email: str
    name: str | None


class MessageTagsItem(TypedDict):
    name: str
    value: str


class MessageCopiesItem(TypedDict):
    id: str
    recipient: Literal["to", "cc", "bcc"]
    to: str
    status: Literal["scheduled", "queued", "sent", "delivered", "deferred", "bounced", "failed", "suppressed", "complained", "cancelled"]
    reply_class: str | None
    reason: str | None


class Attempt(TypedDict):
    number: int
    outcome: Literal["delivered", "sent", "deferred", "bounced", "failed", "unknown", "waiting"]
    """`unknown`: the connection ended between the final dot and its reply, so the message may have arrived. `waiting`: the next attempt, and why it waits"""
    reply_class: str | None
    """What the deciding reply meant"""
    reason: str | None
    """The reply that decided the attempt. Of `waiting`, why the message waits. `null` when the message was accepted"""
    pool: Literal["transactional", "campaign"]
    """The addresses that it left from"""
    local_address: str | None
    mx_host: str | None
    mx_address: str | None
    tls: AttemptTls | None
    replies: List[AttemptRepliesItem]
    """Every reply of the other side, with its milliseconds"""
    started_at: str
    """Of `waiting`, when the wait started"""
    ended_at: str
    """Of `waiting`, the earliest time of the next attempt"""


class AttemptTls(TypedDict):
    version: str
    cipher: str
    verified: bool


class AttemptRepliesItem(TypedDict):
    stage: str
    code: float | None
    enhanced: str | None
    text: str
    ms: float


class Accepted(TypedDict):
    accepted: Literal[True]
    stream: Literal["transactional", "security", "subscribed", "repermission"]
    id: str
    status: Literal["scheduled", "queued", "sent", "delivered", "deferred", "bounced", "failed", "suppressed", "complained", "cancelled"]
    """`queued`, `scheduled`, `suppressed`, of a sandbox key `sent`; after a wait, what became of it by then"""
    message_id: str
    """Message-ID, without its brackets"""
    send_at: NotRequired[str]
    """When its turn is, of one that was given a time ahead"""
    copies: NotRequired[List[AcceptedCopiesItem]]
    """The copies to `cc` and `bcc`, each with a status of its own"""


class AcceptedCopiesItem(TypedDict):
    id: str
    recipient: Literal["to", "cc", "bcc"]
    to: str
    status: Literal["scheduled", "queued", "sent", "delivered", "deferred", "bounced", "failed", "suppressed", "complained", "cancelled"]


MessageSummary = TypedDict(
    "MessageSummary",
    {
        "id": "str",
        "message_id": "str",
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "status": "Literal['scheduled', 'queued', 'sent', 'delivered', 'deferred', 'bounced', 'failed', 'suppressed', 'complained', 'cancelled']",
        "from": "MessageSummaryFrom",
        "to": "str",
        "subject": "str",
        "reply_class": "str | None",
        "reason": "str | None",
        "sandbox": "bool",
        "campaign_id": "str | None",
        "template_id": "str | None",
        "created_at": "str",
        "sent_at": "str | None",
        "delivered_at": "str | None",
        "deferred_at": "str | None",
        "bounced_at": "str | None",
        "failed_at": "str | None",
        "suppressed_at": "str | None",
        "complained_at": "str | None",
        "recipient": "Literal['to', 'cc', 'bcc']",
        "copy_of": "str | None",
        "send_at": "str | None",
        "cancelled_at": "str | None",
        "tags": "List[MessageSummaryTagsItem]",
        "metadata": "Dict[str, Any] | None",
    },
)


class MessageSummaryFrom(TypedDict):
    email: str
    name: str | None


class MessageSummaryTagsItem(TypedDict):
    name: str
    value: str


class InboundRoute(TypedDict):
    id: str
    address: str
    """`*@…`: all of the host that no other route has"""
    record: InboundRouteRecord | None
    """What to publish so that mail comes here; null at this installation’s own host, which has it"""
    created_at: str


class InboundRouteRecord(TypedDict):
    name: str
    type: Literal["MX"]
    value: str
    priority: int


ReceivedSummary = TypedDict(
    "ReceivedSummary",
    {
        "id": "str",
        "route_id": "str",
        "recipient": "str",
        "sender": "str",
        "from": "ReceivedSummaryFrom | None",
        "to": "List[str]",
        "subject": "str | None",
        "message_id": "str | None",
        "replies_to": "str | None",
        "auto_submitted": "bool",
        "no_auto_reply": "bool",
        "authentication": "ReceivedSummaryAuthentication | None",
        "bytes": "int",
        "is_read": "bool",
        "fault": "str | None",
        "received_at": "str",
    },
)


class ReceivedSummaryFrom(TypedDict):
    email: str
    name: str | None


class ReceivedSummaryAuthentication(TypedDict):
    spf: ReceivedSummaryAuthenticationSpf
    dkim: List[ReceivedSummaryAuthenticationDkimItem]
    dmarc: ReceivedSummaryAuthenticationDmarc


class ReceivedSummaryAuthenticationSpf(TypedDict):
    result: Literal["pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror"]
    domain: str


class ReceivedSummaryAuthenticationDkimItem(TypedDict):
    result: Literal["pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror"]
    domain: str
    selector: str
    aligned: bool


class ReceivedSummaryAuthenticationDmarc(TypedDict):
    result: Literal["pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror"]
    domain: str
    policy: str | None


Received = TypedDict(
    "Received",
    {
        "id": "str",
        "route_id": "str",
        "recipient": "str",
        "sender": "str",
        "from": "ReceivedFrom | None",
        "to": "List[str]",
        "subject": "str | None",
        "message_id": "str | None",
        "replies_to": "str | None",
        "auto_submitted": "bool",
        "no_auto_reply": "bool",
        "authentication": "ReceivedAuthentication | None",
        "bytes": "int",
        "is_read": "bool",
        "fault": "str | None",
        "received_at": "str",
        "text": "str | None",
        "reply": "str | None",
        "html": "str | None",
        "headers": "List[ReceivedHeadersItem]",
        "attachments": "List[ReceivedFile]",
    },
)


class ReceivedFrom(TypedDict):
    email: str
    name: str | None


class ReceivedAuthentication(TypedDict):
    spf: ReceivedAuthenticationSpf
    dkim: List[ReceivedAuthenticationDkimItem]
    dmarc: ReceivedAuthenticationDmarc


class ReceivedAuthenticationSpf(TypedDict):
    result: Literal["pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror"]
    domain: str


class ReceivedAuthenticationDkimItem(TypedDict):
    result: Literal["pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror"]
    domain: str
    selector: str
    aligned: bool


class ReceivedAuthenticationDmarc(TypedDict):
    result: Literal["pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror"]
    domain: str
    policy: str | None


class ReceivedHeadersItem(TypedDict):
    name: str
    value: str


class ReceivedFile(TypedDict):
    object_id: str | None
    """The object of the area files"""
    filename: str
    content_type: str
    bytes: float
    content_id: str | None
    inline: bool
    scan_status: Literal["awaiting_upload", "pending", "scanning", "clean", "infected", "suspicious", "unscannable", "error", "refused", "deleted"]
    """Where it is at the malware gate; `refused`: it does not fit the plan"""
    url: str | None
    """POST to it for a link to the bytes; null unless the file is clean"""


class Template(TypedDict):
    id: str
    name: str
    subject: str
    html: str
    text: str | None
    variables: List[str]
    """The names of its placeholders: a message must give each that has no fallback, but for `contact.…` and `unsubscribe_url`"""
    created_at: str
    updated_at: str


class TemplateSummary(TypedDict):
    id: str
    name: str
    subject: str
    variables: List[str]
    """The names of its placeholders: a message must give each that has no fallback, but for `contact.…` and `unsubscribe_url`"""
    created_at: str
    updated_at: str


class TemplatePreview(TypedDict):
    subject: str
    html: str | None
    text: str | None


class Campaign(TypedDict):
    id: str
    name: str
    subject: str
    from_email: str
    from_name: str | None
    status: Literal["draft", "scheduled", "sending", "paused", "sent", "cancelled"]
    """`sent`: every recipient’s message is with delivery; `progress` tells how far that is"""
    reason: str | None
    """Why it is paused"""
    sandbox: bool
    """Of a sandbox key: recorded, never delivered"""
    recipients: int
    """Confirmed contacts that it is for, when it began"""
    blocked: CampaignBlocked
    """Contacts that get none: `unconfirmed`, `unsubscribed`, or suppressed for `bounce`, `complaint` or `manual`"""
    created_at: str
    started_at: str | None
    finished_at: str | None
    preheader: str | None
    segment_id: str | None
    """Whom it is for; null for all who are confirmed"""
    send_at: str | None
    """When it begins, or was to"""
    ended_at: str | None
    """When its last message had come to an end"""
    html: str
    text: str | None
    sent: int
    """Messages that have left, whatever came of them: sent, delivered, bounced, complained"""
    progress: float
    """The share of recipients who are blocked, or whose message has come to an end"""
    by_status: CampaignByStatus
    """Messages by where they stand now"""


class CampaignBlocked(TypedDict):
    """Contacts that get none: `unconfirmed`, `unsubscribed`, or suppressed for `bounce`, `complaint` or `manual`"""
    total: int
    by_reason: Dict[str, int]


class CampaignByStatus(TypedDict):
    """Messages by where they stand now"""
    scheduled: int
    queued: int
    sent: int
    delivered: int
    deferred: int
    bounced: int
    failed: int
    suppressed: int
    complained: int
    cancelled: int


class CampaignSummary(TypedDict):
    id: str
    name: str
    subject: str
    from_email: str
    from_name: str | None
    status: Literal["draft", "scheduled", "sending", "paused", "sent", "cancelled"]
    """`sent`: every recipient’s message is with delivery; `progress` tells how far that is"""
    reason: str | None
    """Why it is paused"""
    sandbox: bool
    """Of a sandbox key: recorded, never delivered"""
    recipients: int
    """Confirmed contacts that it is for, when it began"""
    blocked: CampaignSummaryBlocked
    """Contacts that get none: `unconfirmed`, `unsubscribed`, or suppressed for `bounce`, `complaint` or `manual`"""
    created_at: str
    started_at: str | None
    finished_at: str | None
    preheader: str | None
    segment_id: str | None
    """Whom it is for; null for all who are confirmed"""
    send_at: str | None
    """When it begins, or was to"""
    ended_at: str | None
    """When its last message had come to an end"""


class CampaignSummaryBlocked(TypedDict):
    """Contacts that get none: `unconfirmed`, `unsubscribed`, or suppressed for `bounce`, `complaint` or `manual`"""
    total: int
    by_reason: Dict[str, int]


class Preview(TypedDict):
    contact: str | None
    subject: str
    preheader: str | None
    html: str
    text: str | None
    """Null where the plain part is made from the HTML"""
    empty_fields: List[str]
    """Fields that have neither a value nor a fallback: nothing stands there"""


class CampaignTest(TypedDict):
    messages: List[CampaignTestMessagesItem]


class CampaignTestMessagesItem(TypedDict):
    id: str
    to: str
    status: Literal["scheduled", "queued", "sent", "delivered", "deferred", "bounced", "failed", "suppressed", "complained", "cancelled"]


class Suppression(TypedDict):
    email: str
    reason: Literal["bounce", "complaint", "manual"]
    detail: str | None
    """What the other side said"""
    message_id: str | None
    """The id of the message by which it came"""
    created_at: str


class Counts(TypedDict):
    accepted: int
    sent: int
    delivered: int
    taken: int
    deferred: int
    bounced: int
    hard_bounced: int
    failed: int
    suppressed: int
    complained: int


class DomainsRemoveReply(TypedDict):
    domain: str
    deleted: Literal[True]


class ContactsRemoveReply(TypedDict):
    email: str
    deleted: Literal[True]


class ContactImportsCreateContactsItem(TypedDict):
    email: str
    """A bad one is told in `errors`, like all else that is amiss with a contact"""
    line: NotRequired[int]
    """By which a bad one is named; its place in the list unless said"""
    name: NotRequired[str]
    attributes: NotRequired[Dict[str, Any]]
    """Beside those that a contact has that is there"""
    tags: NotRequired[List[str]]
    """Beside those that it has"""


class SegmentsCreateConditionsItem(TypedDict):
    field: str
    """`tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip`"""
    op: Literal["has", "lacks", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "exists", "missing", "before", "after"]
    """Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte"""
    value: NotRequired[str | float | bool]
    """What the field is compared with; none for exists and missing"""


class SegmentsCreateGroupsItem(TypedDict):
    match: Literal["all", "any"]
    conditions: List[SegmentsCreateGroupsItemConditionsItem]


class SegmentsCreateGroupsItemConditionsItem(TypedDict):
    field: str
    """`tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip`"""
    op: Literal["has", "lacks", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "exists", "missing", "before", "after"]
    """Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte"""
    value: NotRequired[str | float | bool]
    """What the field is compared with; none for exists and missing"""


class SegmentsPreviewConditionsItem(TypedDict):
    field: str
    """`tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip`"""
    op: Literal["has", "lacks", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "exists", "missing", "before", "after"]
    """Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte"""
    value: NotRequired[str | float | bool]
    """What the field is compared with; none for exists and missing"""


class SegmentsPreviewGroupsItem(TypedDict):
    match: Literal["all", "any"]
    conditions: List[SegmentsPreviewGroupsItemConditionsItem]


class SegmentsPreviewGroupsItemConditionsItem(TypedDict):
    field: str
    """`tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip`"""
    op: Literal["has", "lacks", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "exists", "missing", "before", "after"]
    """Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte"""
    value: NotRequired[str | float | bool]
    """What the field is compared with; none for exists and missing"""


class SegmentsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class SegmentsUpdateConditionsItem(TypedDict):
    field: str
    """`tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip`"""
    op: Literal["has", "lacks", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "exists", "missing", "before", "after"]
    """Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte"""
    value: NotRequired[str | float | bool]
    """What the field is compared with; none for exists and missing"""


class SegmentsUpdateGroupsItem(TypedDict):
    match: Literal["all", "any"]
    conditions: List[SegmentsUpdateGroupsItemConditionsItem]


class SegmentsUpdateGroupsItemConditionsItem(TypedDict):
    field: str
    """`tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip`"""
    op: Literal["has", "lacks", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "exists", "missing", "before", "after"]
    """Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte"""
    value: NotRequired[str | float | bool]
    """What the field is compared with; none for exists and missing"""


class VerifyBulkReply(TypedDict):
    results: List[Verdict]
    """In the order of `emails`"""


MessageBatchesCreateMessagesItem = TypedDict(
    "MessageBatchesCreateMessagesItem",
    {
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "from": "MessageBatchesCreateMessagesItemFrom",
        "to": "str",
        "cc": "NotRequired[List[str]]",
        "bcc": "NotRequired[List[str]]",
        "subject": "NotRequired[str]",
        "text": "NotRequired[str]",
        "html": "NotRequired[str]",
        "reply_to": "NotRequired[str]",
        "headers": "NotRequired[Dict[str, str]]",
        "attachments": "NotRequired[List[MessageBatchesCreateMessagesItemAttachmentsItem]]",
        "template_id": "NotRequired[str]",
        "variables": "NotRequired[Dict[str, Any]]",
        "send_at": "NotRequired[str]",
        "tags": "NotRequired[List[MessageBatchesCreateMessagesItemTagsItem]]",
        "metadata": "NotRequired[Dict[str, Any]]",
    },
)


class MessageBatchesCreateMessagesItemFrom(TypedDict):
    email: str
    """On a verified domain of yours, which the key may send from"""
    name: NotRequired[str]


class MessageBatchesCreateMessagesItemAttachmentsItem(TypedDict):
    filename: str
    content_type: NotRequired[str]
    """Media type, with its parameters. A `text/calendar` with a `method` is also an alternative of the text, so that mail clients show the invitation"""
    content: str
    """In base64. Empty for a file of zero bytes"""
    content_id: NotRequired[str]
    """HTML shows the file by it: `cid:…` (RFC 2392)"""


class MessageBatchesCreateMessagesItemTagsItem(TypedDict):
    name: str
    value: str


class MessageBatchesCreateReply(TypedDict):
    accepted: int
    """How many were taken, suppressed ones with them"""
    refused: int
    data: List[MessageBatchesCreateReplyDataItem1 | MessageBatchesCreateReplyDataItem2]
    """An answer for each message, in their order"""


class MessageBatchesCreateReplyDataItem1(TypedDict):
    accepted: Literal[True]
    stream: Literal["transactional", "security", "subscribed", "repermission"]
    id: str
    status: Literal["scheduled", "queued", "sent", "delivered", "deferred", "bounced", "failed", "suppressed", "complained", "cancelled"]
    """`queued`, `scheduled`, `suppressed`, of a sandbox key `sent`; after a wait, what became of it by then"""
    message_id: str
    """Message-ID, without its brackets"""
    send_at: NotRequired[str]
    """When its turn is, of one that was given a time ahead"""
    copies: NotRequired[List[MessageBatchesCreateReplyDataItem1CopiesItem]]
    """The copies to `cc` and `bcc`, each with a status of its own"""
    index: int


class MessageBatchesCreateReplyDataItem1CopiesItem(TypedDict):
    id: str
    recipient: Literal["to", "cc", "bcc"]
    to: str
    status: Literal["scheduled", "queued", "sent", "delivered", "deferred", "bounced", "failed", "suppressed", "complained", "cancelled"]


class MessageBatchesCreateReplyDataItem2(TypedDict):
    accepted: Literal[False]
    index: int
    error: MessageBatchesCreateReplyDataItem2Error


class MessageBatchesCreateReplyDataItem2Error(TypedDict):
    code: str
    message: str
    details: NotRequired[Any]
    """As the same message is refused by itself: of `bad_request` each field at fault"""


class MessagesCreateFrom(TypedDict):
    email: str
    """On a verified domain of yours, which the key may send from"""
    name: NotRequired[str]


class MessagesCreateAttachmentsItem(TypedDict):
    filename: str
    content_type: NotRequired[str]
    """Media type, with its parameters. A `text/calendar` with a `method` is also an alternative of the text, so that mail clients show the invitation"""
    content: str
    """In base64. Empty for a file of zero bytes"""
    content_id: NotRequired[str]
    """HTML shows the file by it: `cid:…` (RFC 2392)"""


class MessagesCreateTagsItem(TypedDict):
    name: str
    value: str


class InboundRoutesRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class InboundRoutesVerifyReply(TypedDict):
    id: str
    address: str
    """`*@…`: all of the host that no other route has"""
    record: InboundRoutesVerifyReplyRecord | None
    """What to publish so that mail comes here; null at this installation’s own host, which has it"""
    created_at: str
    state: Literal["found", "missing", "different", "unknown"]
    """Of the MX record; different: mail goes elsewhere; unknown: no answer"""
    found: str | None


class InboundRoutesVerifyReplyRecord(TypedDict):
    name: str
    type: Literal["MX"]
    value: str
    priority: int


class InboundStorageReadReply(TypedDict):
    used_bytes: int
    """Received mail with its files"""
    limit_bytes: int
    """The share of your storage that received mail may use"""
    is_full: bool
    """True if further mail is refused"""


class ReceivedAttachmentUrlReply(TypedDict):
    download_url: str
    expires_in_seconds: int
    expires_at: str
    filename: str
    byte_size: int


class ReceivedDownloadUrlReply(TypedDict):
    download_url: str
    expires_in_seconds: int
    expires_at: str


class ReceivedRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class TemplatesRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class SuppressionsCreateReply(TypedDict):
    email: str
    reason: Literal["bounce", "complaint", "manual"]


class SuppressionsRemoveReply(TypedDict):
    email: str
    deleted: Literal[True]


class AnalyticsOverviewReply(TypedDict):
    days: List[AnalyticsOverviewReplyDaysItem]
    """The oldest first, days without messages included"""
    totals: Counts
    rates: AnalyticsOverviewReplyRates


class AnalyticsOverviewReplyDaysItem(TypedDict):
    accepted: int
    sent: int
    delivered: int
    taken: int
    deferred: int
    bounced: int
    hard_bounced: int
    failed: int
    suppressed: int
    complained: int
    day: str


class AnalyticsOverviewReplyRates(TypedDict):
    delivery: float
    """Of those accepted, delivered or sent"""
    bounce: float
    """Hard bounces among what was taken or bounced so"""
    complaint: float
    """Complaints about what was taken"""


class UsageReadReply(TypedDict):
    month: str
    """In UTC, such as 2026-01"""
    messages: int
    cap: int
    """Of the plan; the next message is refused with 429 `monthly_limit_reached`"""
    remaining: int
    resets_at: str


class StatusReadReply(TypedDict):
    marketing: Literal["active", "paused"]
    marketing_paused: bool
    reason: str | None
    """Why it is paused, or its sender is warned"""
    paused_at: str | None
    warned_at: str | None
    window_days: int
    """Days over which rates are taken, today included"""
    counted_from: str | None
    """Earlier days count no more: an operator has resumed marketing"""
    delivered: int
    taken: int
    """Delivered, or taken by a smarthost; less what bounced later"""
    hard_bounced: int
    complained: int
    bounce_rate: float
    """Hard bounces among what was taken or bounced so"""
    complaint_rate: float
    """Complaints about what was taken"""
    thresholds: StatusReadReplyThresholds
    """Rates above which its sender is warned, and paused"""
    samples: StatusReadReplySamples
    """With fewer, a rate says nothing"""
    resumption: str


class StatusReadReplyThresholds(TypedDict):
    """Rates above which its sender is warned, and paused"""
    bounce: StatusReadReplyThresholdsBounce
    complaint: StatusReadReplyThresholdsComplaint


class StatusReadReplyThresholdsBounce(TypedDict):
    warn: float
    pause: float


class StatusReadReplyThresholdsComplaint(TypedDict):
    warn: float
    pause: float


class StatusReadReplySamples(TypedDict):
    """With fewer, a rate says nothing"""
    bounce: StatusReadReplySamplesBounce
    complaint: StatusReadReplySamplesComplaint


class StatusReadReplySamplesBounce(TypedDict):
    tried: int
    hard: int


class StatusReadReplySamplesComplaint(TypedDict):
    delivered: int
    complaints: int


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
