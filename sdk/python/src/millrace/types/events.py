# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict


class AccountKeyCreated(TypedDict):
    """A key was made."""
    type: Literal["account.key.created"]
    timestamp: str
    """When it happened"""
    data: AccountKeyCreatedData


class AccountKeyCreatedData(TypedDict):
    id: str
    """The key"""
    name: str
    mode: Literal["live", "test"]
    expires_at: str | None


class AccountKeyExpiring(TypedDict):
    """A key ends soon."""
    type: Literal["account.key.expiring"]
    timestamp: str
    """When it happened"""
    data: AccountKeyExpiringData


class AccountKeyExpiringData(TypedDict):
    id: str
    """The key"""
    name: str
    mode: Literal["live", "test"]
    expires_at: str | None


class AccountKeyRevoked(TypedDict):
    """A key is good for nothing any more."""
    type: Literal["account.key.revoked"]
    timestamp: str
    """When it happened"""
    data: AccountKeyRevokedData


class AccountKeyRevokedData(TypedDict):
    id: str
    """The key"""
    name: str
    mode: Literal["live", "test"]
    expires_at: str | None


class AccountKeyRotated(TypedDict):
    """A key has another secret."""
    type: Literal["account.key.rotated"]
    timestamp: str
    """When it happened"""
    data: AccountKeyRotatedData


class AccountKeyRotatedData(TypedDict):
    id: str
    """The key"""
    name: str
    mode: Literal["live", "test"]
    expires_at: str | None
    previous_until: str | None
    """Until then the secret before is good, too"""


class AccountMemberAdded(TypedDict):
    """Somebody has joined the organisation."""
    type: Literal["account.member.added"]
    timestamp: str
    """When it happened"""
    data: AccountMemberAddedData


class AccountMemberAddedData(TypedDict):
    id: str
    """The member"""
    role: str


class AccountMemberChanged(TypedDict):
    """A member has another role."""
    type: Literal["account.member.changed"]
    timestamp: str
    """When it happened"""
    data: AccountMemberChangedData


class AccountMemberChangedData(TypedDict):
    id: str
    """The member"""
    role: str
    previous_role: str


class AccountMemberRemoved(TypedDict):
    """Somebody is a member no more."""
    type: Literal["account.member.removed"]
    timestamp: str
    """When it happened"""
    data: AccountMemberRemovedData


class AccountMemberRemovedData(TypedDict):
    id: str
    """The member"""
    role: str


class AccountUsageThreshold(TypedDict):
    """Usage of a metric has come to a part of its budget."""
    type: Literal["account.usage.threshold"]
    timestamp: str
    """When it happened"""
    data: AccountUsageThresholdData


class AccountUsageThresholdData(TypedDict):
    metric: str
    period: str
    """The day or month that is counted"""
    used: float
    budget: float
    percent: float
    """The threshold that was passed"""


class BotsAnswerCompleted(TypedDict):
    """A bot has answered."""
    type: Literal["bots.answer.completed"]
    timestamp: str
    """When it happened"""
    data: BotsAnswerCompletedData


class BotsAnswerCompletedData(TypedDict):
    message_id: str
    bot_id: str
    conversation_id: str
    finish_reason: str | None
    model: str | None


class BotsAnswerFailed(TypedDict):
    """A bot has no answer."""
    type: Literal["bots.answer.failed"]
    timestamp: str
    """When it happened"""
    data: BotsAnswerFailedData


class BotsAnswerFailedData(TypedDict):
    message_id: str
    bot_id: str
    conversation_id: str
    code: str
    retryable: bool


class BotsConversationHandedOver(TypedDict):
    """A conversation waits for a person."""
    type: Literal["bots.conversation.handed_over"]
    timestamp: str
    """When it happened"""
    data: BotsConversationHandedOverData


class BotsConversationHandedOverData(TypedDict):
    bot_id: str
    conversation_id: str
    reason: Literal["asked", "unanswered", "requested"]


class BotsConversationReplied(TypedDict):
    """A person has answered in a bot’s place."""
    type: Literal["bots.conversation.replied"]
    timestamp: str
    """When it happened"""
    data: BotsConversationRepliedData


class BotsConversationRepliedData(TypedDict):
    message_id: str
    bot_id: str
    conversation_id: str


class BotsConversationReturned(TypedDict):
    """A person handles a conversation no more: the bot does again, or it is closed."""
    type: Literal["bots.conversation.returned"]
    timestamp: str
    """When it happened"""
    data: BotsConversationReturnedData


class BotsConversationReturnedData(TypedDict):
    bot_id: str
    conversation_id: str
    closed: bool


class EmailAccepted(TypedDict):
    """A message was taken, and will be sent."""
    type: Literal["email.accepted"]
    timestamp: str
    """When it happened"""
    data: EmailAcceptedData


EmailAcceptedData = TypedDict(
    "EmailAcceptedData",
    {
        "id": "str",
        "message_id": "str",
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "from": "str",
        "to": "str",
        "subject": "str",
        "status": "str",
        "campaign_id": "str | None",
        "reply_class": "str | None",
        "reason": "str | None",
        "sandbox": "bool",
        "recipient": "Literal['to', 'cc', 'bcc']",
        "copy_of": "str | None",
        "send_at": "str | None",
        "tags": "List[EmailAcceptedDataTagsItem]",
        "metadata": "Dict[str, Any] | None",
    },
)


class EmailAcceptedDataTagsItem(TypedDict):
    name: str
    value: str


class EmailBounced(TypedDict):
    """The recipient’s server refuses a message for good."""
    type: Literal["email.bounced"]
    timestamp: str
    """When it happened"""
    data: EmailBouncedData


EmailBouncedData = TypedDict(
    "EmailBouncedData",
    {
        "id": "str",
        "message_id": "str",
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "from": "str",
        "to": "str",
        "subject": "str",
        "status": "str",
        "campaign_id": "str | None",
        "reply_class": "str | None",
        "reason": "str | None",
        "sandbox": "bool",
        "recipient": "Literal['to', 'cc', 'bcc']",
        "copy_of": "str | None",
        "send_at": "str | None",
        "tags": "List[EmailBouncedDataTagsItem]",
        "metadata": "Dict[str, Any] | None",
    },
)


class EmailBouncedDataTagsItem(TypedDict):
    name: str
    value: str


class EmailCampaignCancelled(TypedDict):
    """A campaign was cancelled: what had not left stays."""
    type: Literal["email.campaign.cancelled"]
    timestamp: str
    """When it happened"""
    data: EmailCampaignCancelledData


class EmailCampaignCancelledData(TypedDict):
    id: str
    """The campaign"""
    name: str
    subject: str
    recipients: int
    """Confirmed contacts when it began"""
    expanded: int
    """Contacts that were gone through"""
    blocked: int
    """Contacts that get none"""
    reason: str | None
    """Why it is paused"""
    sandbox: bool
    """Of a sandbox key: nothing was sent"""


class EmailCampaignFinished(TypedDict):
    """The last message of a campaign has come to an end."""
    type: Literal["email.campaign.finished"]
    timestamp: str
    """When it happened"""
    data: EmailCampaignFinishedData


class EmailCampaignFinishedData(TypedDict):
    id: str
    """The campaign"""
    name: str
    subject: str
    recipients: int
    """Confirmed contacts when it began"""
    expanded: int
    """Contacts that were gone through"""
    blocked: int
    """Contacts that get none"""
    reason: str | None
    """Why it is paused"""
    sandbox: bool
    """Of a sandbox key: nothing was sent"""


class EmailCampaignPaused(TypedDict):
    """A campaign stopped before its end, or could not begin."""
    type: Literal["email.campaign.paused"]
    timestamp: str
    """When it happened"""
    data: EmailCampaignPausedData


class EmailCampaignPausedData(TypedDict):
    id: str
    """The campaign"""
    name: str
    subject: str
    recipients: int
    """Confirmed contacts when it began"""
    expanded: int
    """Contacts that were gone through"""
    blocked: int
    """Contacts that get none"""
    reason: str | None
    """Why it is paused"""
    sandbox: bool
    """Of a sandbox key: nothing was sent"""


class EmailCampaignSent(TypedDict):
    """Every recipient of a campaign has a message that is with delivery."""
    type: Literal["email.campaign.sent"]
    timestamp: str
    """When it happened"""
    data: EmailCampaignSentData


class EmailCampaignSentData(TypedDict):
    id: str
    """The campaign"""
    name: str
    subject: str
    recipients: int
    """Confirmed contacts when it began"""
    expanded: int
    """Contacts that were gone through"""
    blocked: int
    """Contacts that get none"""
    reason: str | None
    """Why it is paused"""
    sandbox: bool
    """Of a sandbox key: nothing was sent"""


class EmailCancelled(TypedDict):
    """A message was cancelled before it left."""
    type: Literal["email.cancelled"]
    timestamp: str
    """When it happened"""
    data: EmailCancelledData


EmailCancelledData = TypedDict(
    "EmailCancelledData",
    {
        "id": "str",
        "message_id": "str",
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "from": "str",
        "to": "str",
        "subject": "str",
        "status": "str",
        "campaign_id": "str | None",
        "reply_class": "str | None",
        "reason": "str | None",
        "sandbox": "bool",
        "recipient": "Literal['to', 'cc', 'bcc']",
        "copy_of": "str | None",
        "send_at": "str | None",
        "tags": "List[EmailCancelledDataTagsItem]",
        "metadata": "Dict[str, Any] | None",
    },
)


class EmailCancelledDataTagsItem(TypedDict):
    name: str
    value: str


class EmailComplained(TypedDict):
    """A recipient has called a message spam."""
    type: Literal["email.complained"]
    timestamp: str
    """When it happened"""
    data: EmailComplainedData


EmailComplainedData = TypedDict(
    "EmailComplainedData",
    {
        "id": "str",
        "message_id": "str",
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "from": "str",
        "to": "str",
        "subject": "str",
        "status": "str",
        "campaign_id": "str | None",
        "reply_class": "str | None",
        "reason": "str | None",
        "sandbox": "bool",
        "recipient": "Literal['to', 'cc', 'bcc']",
        "copy_of": "str | None",
        "send_at": "str | None",
        "tags": "List[EmailComplainedDataTagsItem]",
        "metadata": "Dict[str, Any] | None",
    },
)


class EmailComplainedDataTagsItem(TypedDict):
    name: str
    value: str


class EmailContactConfirmed(TypedDict):
    """A contact has confirmed that they want mail."""
    type: Literal["email.contact.confirmed"]
    timestamp: str
    """When it happened"""
    data: EmailContactConfirmedData


class EmailContactConfirmedData(TypedDict):
    id: str
    """The contact"""
    email: str
    source: Literal["api", "page", "one_click", "mail", "complaint"]
    """How it is known"""
    message_id: str | None
    """The message whose link, header or mailbox was used"""
    sandbox: NotRequired[Literal[True]]
    """Of a contact whom only sandbox keys know"""


class EmailContactUnsubscribed(TypedDict):
    """A contact wants no more mail."""
    type: Literal["email.contact.unsubscribed"]
    timestamp: str
    """When it happened"""
    data: EmailContactUnsubscribedData


class EmailContactUnsubscribedData(TypedDict):
    id: str
    """The contact"""
    email: str
    source: Literal["api", "page", "one_click", "mail", "complaint"]
    """How it is known"""
    message_id: str | None
    """The message whose link, header or mailbox was used"""
    sandbox: NotRequired[Literal[True]]
    """Of a contact whom only sandbox keys know"""


class EmailDeferred(TypedDict):
    """The recipient’s server wants a message later; it is tried again."""
    type: Literal["email.deferred"]
    timestamp: str
    """When it happened"""
    data: EmailDeferredData


EmailDeferredData = TypedDict(
    "EmailDeferredData",
    {
        "id": "str",
        "message_id": "str",
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "from": "str",
        "to": "str",
        "subject": "str",
        "status": "str",
        "campaign_id": "str | None",
        "reply_class": "str | None",
        "reason": "str | None",
        "sandbox": "bool",
        "recipient": "Literal['to', 'cc', 'bcc']",
        "copy_of": "str | None",
        "send_at": "str | None",
        "tags": "List[EmailDeferredDataTagsItem]",
        "metadata": "Dict[str, Any] | None",
    },
)


class EmailDeferredDataTagsItem(TypedDict):
    name: str
    value: str


class EmailDelivered(TypedDict):
    """A message is in the recipient’s mailbox, as far as can be known."""
    type: Literal["email.delivered"]
    timestamp: str
    """When it happened"""
    data: EmailDeliveredData


EmailDeliveredData = TypedDict(
    "EmailDeliveredData",
    {
        "id": "str",
        "message_id": "str",
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "from": "str",
        "to": "str",
        "subject": "str",
        "status": "str",
        "campaign_id": "str | None",
        "reply_class": "str | None",
        "reason": "str | None",
        "sandbox": "bool",
        "recipient": "Literal['to', 'cc', 'bcc']",
        "copy_of": "str | None",
        "send_at": "str | None",
        "tags": "List[EmailDeliveredDataTagsItem]",
        "metadata": "Dict[str, Any] | None",
    },
)


class EmailDeliveredDataTagsItem(TypedDict):
    name: str
    value: str


class EmailDomainFailed(TypedDict):
    """Records of a verified domain are gone: nothing is sent from it."""
    type: Literal["email.domain.failed"]
    timestamp: str
    """When it happened"""
    data: EmailDomainFailedData


class EmailDomainFailedData(TypedDict):
    id: str
    domain: str
    status: str
    amiss: List[str]
    """The records that are clearly amiss"""


class EmailDomainVerified(TypedDict):
    """All required records of a domain are found."""
    type: Literal["email.domain.verified"]
    timestamp: str
    """When it happened"""
    data: EmailDomainVerifiedData


class EmailDomainVerifiedData(TypedDict):
    id: str
    domain: str
    status: str


class EmailFailed(TypedDict):
    """A message could not be delivered in time, or at all."""
    type: Literal["email.failed"]
    timestamp: str
    """When it happened"""
    data: EmailFailedData


EmailFailedData = TypedDict(
    "EmailFailedData",
    {
        "id": "str",
        "message_id": "str",
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "from": "str",
        "to": "str",
        "subject": "str",
        "status": "str",
        "campaign_id": "str | None",
        "reply_class": "str | None",
        "reason": "str | None",
        "sandbox": "bool",
        "recipient": "Literal['to', 'cc', 'bcc']",
        "copy_of": "str | None",
        "send_at": "str | None",
        "tags": "List[EmailFailedDataTagsItem]",
        "metadata": "Dict[str, Any] | None",
    },
)


class EmailFailedDataTagsItem(TypedDict):
    name: str
    value: str


class EmailInboundStorageWarning(TypedDict):
    """Received mail uses 80 or 100 percent of its share of your storage. At 100 percent, further mail is refused."""
    type: Literal["email.inbound_storage.warning"]
    timestamp: str
    """When it happened"""
    data: EmailInboundStorageWarningData


class EmailInboundStorageWarningData(TypedDict):
    used_bytes: int
    """Received mail with its files"""
    limit_bytes: int
    """The share of your storage that received mail may use"""
    percent: Literal[80] | Literal[100]
    """The threshold that is reached"""


class EmailMarketingPaused(TypedDict):
    """Marketing mail is held, as too much of it bounced or was called spam."""
    type: Literal["email.marketing.paused"]
    timestamp: str
    """When it happened"""
    data: EmailMarketingPausedData


class EmailMarketingPausedData(TypedDict):
    reason: str | None


class EmailMarketingResumed(TypedDict):
    """Marketing mail is sent again."""
    type: Literal["email.marketing.resumed"]
    timestamp: str
    """When it happened"""
    data: Dict[str, Any]


class EmailReceived(TypedDict):
    """A mail has come in by one of your inbound routes."""
    type: Literal["email.received"]
    timestamp: str
    """When it happened"""
    data: EmailReceivedData


EmailReceivedData = TypedDict(
    "EmailReceivedData",
    {
        "id": "str",
        "route_id": "str",
        "recipient": "str",
        "sender": "str",
        "from": "EmailReceivedDataFrom | None",
        "to": "List[str]",
        "subject": "str | None",
        "message_id": "str | None",
        "replies_to": "str | None",
        "auto_submitted": "bool",
        "no_auto_reply": "bool",
        "text": "str | None",
        "reply": "str | None",
        "is_cut": "bool",
        "headers": "List[EmailReceivedDataHeadersItem]",
        "authentication": "EmailReceivedDataAuthentication | None",
        "attachments": "List[EmailReceivedDataAttachmentsItem]",
        "fault": "str | None",
        "received_at": "str",
    },
)


class EmailReceivedDataFrom(TypedDict):
    email: str
    name: str | None


class EmailReceivedDataHeadersItem(TypedDict):
    name: str
    value: str


class EmailReceivedDataAuthentication(TypedDict):
    spf: EmailReceivedDataAuthenticationSpf
    dkim: List[EmailReceivedDataAuthenticationDkimItem]
    dmarc: EmailReceivedDataAuthenticationDmarc


class EmailReceivedDataAuthenticationSpf(TypedDict):
    result: Literal["pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror"]
    domain: str


class EmailReceivedDataAuthenticationDkimItem(TypedDict):
    result: Literal["pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror"]
    domain: str
    selector: str
    aligned: bool


class EmailReceivedDataAuthenticationDmarc(TypedDict):
    result: Literal["pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror"]
    domain: str
    policy: str | None


class EmailReceivedDataAttachmentsItem(TypedDict):
    object_id: str | None
    """The object of the area files"""
    filename: str
    content_type: str
    bytes: float
    content_id: str | None
    inline: bool
    scan_status: Literal["awaiting_upload", "pending", "scanning", "clean", "infected", "suspicious", "unscannable", "error", "refused", "deleted"]
    """refused: it does not fit the plan"""
    url: str | None
    """POST to it with your key for a link to the bytes; null unless the file is clean"""


class EmailReputationWarning(TypedDict):
    """Mail is near the rates at which marketing is paused."""
    type: Literal["email.reputation.warning"]
    timestamp: str
    """When it happened"""
    data: EmailReputationWarningData


class EmailReputationWarningData(TypedDict):
    reason: str | None


class EmailSent(TypedDict):
    """The recipient’s server has taken a message."""
    type: Literal["email.sent"]
    timestamp: str
    """When it happened"""
    data: EmailSentData


EmailSentData = TypedDict(
    "EmailSentData",
    {
        "id": "str",
        "message_id": "str",
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "from": "str",
        "to": "str",
        "subject": "str",
        "status": "str",
        "campaign_id": "str | None",
        "reply_class": "str | None",
        "reason": "str | None",
        "sandbox": "bool",
        "recipient": "Literal['to', 'cc', 'bcc']",
        "copy_of": "str | None",
        "send_at": "str | None",
        "tags": "List[EmailSentDataTagsItem]",
        "metadata": "Dict[str, Any] | None",
    },
)


class EmailSentDataTagsItem(TypedDict):
    name: str
    value: str


class EmailSuppressed(TypedDict):
    """A message was not sent, as its recipient is suppressed."""
    type: Literal["email.suppressed"]
    timestamp: str
    """When it happened"""
    data: EmailSuppressedData


EmailSuppressedData = TypedDict(
    "EmailSuppressedData",
    {
        "id": "str",
        "message_id": "str",
        "stream": "Literal['transactional', 'security', 'subscribed', 'repermission']",
        "from": "str",
        "to": "str",
        "subject": "str",
        "status": "str",
        "campaign_id": "str | None",
        "reply_class": "str | None",
        "reason": "str | None",
        "sandbox": "bool",
        "recipient": "Literal['to', 'cc', 'bcc']",
        "copy_of": "str | None",
        "send_at": "str | None",
        "tags": "List[EmailSuppressedDataTagsItem]",
        "metadata": "Dict[str, Any] | None",
    },
)


class EmailSuppressedDataTagsItem(TypedDict):
    name: str
    value: str


class ErpRegisterChanged(TypedDict):
    """A register has been imported, and is not what it was."""
    type: Literal["erp.register.changed"]
    timestamp: str
    """When it happened"""
    data: ErpRegisterChangedData


class ErpRegisterChangedData(TypedDict):
    register: str
    import_id: str
    first: bool
    """Whether the register was not known before: its companies are then not listed"""
    entries: int
    """Companies, or officers, that its file has"""
    added: int
    changed: int
    removed: int
    changes: List[ErpRegisterChangedDataChangesItem]
    """The first hundred companies; `GET /v1/erp/imports/{id}/changes` has all of them. Officers are counted alone"""


class ErpRegisterChangedDataChangesItem(TypedDict):
    kind: Literal["added", "changed", "removed"]
    jurisdiction: str
    code: str
    name: str | None


class FilesObjectClean(TypedDict):
    """A file has passed the malware gate."""
    type: Literal["files.object.clean"]
    timestamp: str
    """When it happened"""
    data: FilesObjectCleanData


class FilesObjectCleanData(TypedDict):
    object_id: str
    product_key: str
    tenant_id: str | None
    filename: str
    content_type: str
    byte_size: float
    sha256: str
    version_of: str | None
    """The object of which this is a later version"""
    version: int
    scan_status: Literal["clean", "infected"]
    reasons: List[Any]
    """What was found, and by which scanner"""
    released: bool
    """An operator has released it, whatever was found"""


class FilesObjectInfected(TypedDict):
    """A file is kept from everybody, as malware was found in it."""
    type: Literal["files.object.infected"]
    timestamp: str
    """When it happened"""
    data: FilesObjectInfectedData


class FilesObjectInfectedData(TypedDict):
    object_id: str
    product_key: str
    tenant_id: str | None
    filename: str
    content_type: str
    byte_size: float
    sha256: str
    version_of: str | None
    """The object of which this is a later version"""
    version: int
    scan_status: Literal["clean", "infected"]
    reasons: List[Any]
    """What was found, and by which scanner"""
    released: bool
    """An operator has released it, whatever was found"""


class GuardSiteChanged(TypedDict):
    """A site’s name, origins or policy were changed."""
    type: Literal["guard.site.changed"]
    timestamp: str
    """When it happened"""
    data: GuardSiteChangedData


class GuardSiteChangedData(TypedDict):
    id: str
    name: str
    origins: List[str]


class GuardSiteCreated(TypedDict):
    """A site was made."""
    type: Literal["guard.site.created"]
    timestamp: str
    """When it happened"""
    data: GuardSiteCreatedData


class GuardSiteCreatedData(TypedDict):
    id: str
    name: str
    origins: List[str]


class GuardSiteDeleted(TypedDict):
    """A site and its key are gone."""
    type: Literal["guard.site.deleted"]
    timestamp: str
    """When it happened"""
    data: GuardSiteDeletedData


class GuardSiteDeletedData(TypedDict):
    id: str


class GuardSiteKeyRotated(TypedDict):
    """A site has another public key."""
    type: Literal["guard.site.key_rotated"]
    timestamp: str
    """When it happened"""
    data: GuardSiteKeyRotatedData


class GuardSiteKeyRotatedData(TypedDict):
    id: str
    name: str
    origins: List[str]


class IdentityCheckDecided(TypedDict):
    """It was decided whether a subject meets a requirement, with the reasons; told once of each decision."""
    type: Literal["identity.check.decided"]
    timestamp: str
    """When it happened"""
    data: IdentityCheckDecidedData


class IdentityCheckDecidedData(TypedDict):
    id: str
    subject: str
    requirement: str
    status: Literal["verified", "rejected"]
    method: str
    """How it is known"""
    expires_at: str | None
    decision_id: str
    reasons: List[IdentityCheckDecidedDataReasonsItem]
    document: IdentityCheckDecidedDataDocument | None
    """What was read on the document, if one was handed in"""


class IdentityCheckDecidedDataReasonsItem(TypedDict):
    code: str
    reason: str


class IdentityCheckDecidedDataDocument(TypedDict):
    status: Literal["waiting", "read", "unread"]
    reason: Literal["reader_unavailable", "reader_failed", "format_not_read", "unreadable_picture", "too_many_pixels", "too_small", "blurred", "no_lines", "unclear"] | None
    """Why nothing was read"""
    format: Literal["TD1", "TD2", "TD3"] | None
    failed_checks: List[Literal["document_number", "birth_date", "expiry_date", "optional_data", "composite", "dates"]]
    """Of its machine-readable lines"""
    expired: bool | None
    shared_with: int
    """Other subjects who have handed in the same document"""


class IdentityCheckRejected(TypedDict):
    """What a subject handed in does not do."""
    type: Literal["identity.check.rejected"]
    timestamp: str
    """When it happened"""
    data: IdentityCheckRejectedData


class IdentityCheckRejectedData(TypedDict):
    id: str
    subject: str
    requirement: str
    status: Literal["submitted", "verified", "rejected"]
    method: str
    """How it is known"""
    reason_code: str | None
    reason: str | None
    expires_at: str | None


class IdentityCheckSubmitted(TypedDict):
    """Somebody has handed in what a requirement asks for."""
    type: Literal["identity.check.submitted"]
    timestamp: str
    """When it happened"""
    data: IdentityCheckSubmittedData


class IdentityCheckSubmittedData(TypedDict):
    id: str
    subject: str
    requirement: str
    status: Literal["submitted", "verified", "rejected"]
    method: str
    """How it is known"""
    reason_code: str | None
    reason: str | None
    expires_at: str | None


class IdentityCheckVerified(TypedDict):
    """A subject meets a requirement."""
    type: Literal["identity.check.verified"]
    timestamp: str
    """When it happened"""
    data: IdentityCheckVerifiedData


class IdentityCheckVerifiedData(TypedDict):
    id: str
    subject: str
    requirement: str
    status: Literal["submitted", "verified", "rejected"]
    method: str
    """How it is known"""
    reason_code: str | None
    reason: str | None
    expires_at: str | None


class IdentityDocumentRead(TypedDict):
    """The machine-readable lines of a document that was handed in were read, or cannot be; the facts themselves are told to who asks for them."""
    type: Literal["identity.document.read"]
    timestamp: str
    """When it happened"""
    data: IdentityDocumentReadData


class IdentityDocumentReadData(TypedDict):
    status: Literal["waiting", "read", "unread"]
    reason: Literal["reader_unavailable", "reader_failed", "format_not_read", "unreadable_picture", "too_many_pixels", "too_small", "blurred", "no_lines", "unclear"] | None
    """Why nothing was read"""
    format: Literal["TD1", "TD2", "TD3"] | None
    failed_checks: List[Literal["document_number", "birth_date", "expiry_date", "optional_data", "composite", "dates"]]
    """Of its machine-readable lines"""
    expired: bool | None
    shared_with: int
    """Other subjects who have handed in the same document"""
    id: str
    object_id: str
    subject: str


class NotifyEventAccepted(TypedDict):
    """A person is told of something, by the channels that they prefer."""
    type: Literal["notify.event.accepted"]
    timestamp: str
    """When it happened"""
    data: NotifyEventAcceptedData


class NotifyEventAcceptedData(TypedDict):
    id: str
    user_id: str
    product_key: str
    type: str
    channels: List[str]
    """The channels by which the person is told"""
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it reached nobody"""


class NotifyRunEnded(TypedDict):
    """A person has come to the end of a workflow, or it was stopped before."""
    type: Literal["notify.run.ended"]
    timestamp: str
    """When it happened"""
    data: NotifyRunEndedData


class NotifyRunEndedData(TypedDict):
    id: str
    """The run, whose trace has each step"""
    workflow: str
    """Its key"""
    version: float
    event_id: str
    """The event that it began with"""
    user_id: str
    state: str
    """`completed`, `stopped`, `cancelled` or `failed`"""
    reason: str | None
    """Why it went no further"""


class PushDelivered(TypedDict):
    """A device reports that a message came."""
    type: Literal["push.delivered"]
    timestamp: str
    """When it happened"""
    data: PushDeliveredData


class PushDeliveredData(TypedDict):
    message_id: str
    delivery_id: str
    app_id: str
    user_id: str | None
    installation_id: str
    provider: str
    delivered_at: NotRequired[str]
    opened_at: NotRequired[str]


class PushFailed(TypedDict):
    """A message did not reach a device."""
    type: Literal["push.failed"]
    timestamp: str
    """When it happened"""
    data: PushFailedData


class PushFailedData(TypedDict):
    message_id: str
    delivery_id: str
    app_id: str
    user_id: str | None
    installation_id: str
    provider: str
    status: Literal["failed", "expired"]
    reason: str | None


class PushInstallationInvalidated(TypedDict):
    """The token of a device is dead: it gets nothing any more."""
    type: Literal["push.installation.invalidated"]
    timestamp: str
    """When it happened"""
    data: PushInstallationInvalidatedData


class PushInstallationInvalidatedData(TypedDict):
    app_id: str
    user_id: str | None
    installation_id: str
    provider: str
    reason: str | None


class PushOpened(TypedDict):
    """A device reports that a message was opened."""
    type: Literal["push.opened"]
    timestamp: str
    """When it happened"""
    data: PushOpenedData


class PushOpenedData(TypedDict):
    message_id: str
    delivery_id: str
    app_id: str
    user_id: str | None
    installation_id: str
    provider: str
    delivered_at: NotRequired[str]
    opened_at: NotRequired[str]


class TrustListingRemoved(TypedDict):
    """A listing was taken back."""
    type: Literal["trust.listing.removed"]
    timestamp: str
    """When it happened"""
    data: TrustListingRemovedData


class TrustListingRemovedData(TypedDict):
    id: str


class TrustListingSet(TypedDict):
    """A host is allowed or denied."""
    type: Literal["trust.listing.set"]
    timestamp: str
    """When it happened"""
    data: TrustListingSetData


class TrustListingSetData(TypedDict):
    id: str
    hostname: str
    policy: Literal["allow", "deny"]


class TrustWatchChanged(TypedDict):
    """What is known of a watched URL is something else."""
    type: Literal["trust.watch.changed"]
    timestamp: str
    """When it happened"""
    data: TrustWatchChangedData


class TrustWatchChangedData(TypedDict):
    id: str
    url: str
    verdict: Literal["unknown", "suspicious", "malicious"]
    before: Literal["unknown", "suspicious", "malicious"]
    categories: List[str]


class VideoAssetDeleted(TypedDict):
    """An asset was deleted; this is how it was."""
    type: Literal["video.asset.deleted"]
    timestamp: str
    """When it happened"""
    data: VideoAssetDeletedData


class VideoAssetDeletedData(TypedDict):
    id: str
    """The asset"""
    title: str | None
    description: str | None
    metadata: Dict[str, str]
    externalRef: str | None
    filename: str | None
    status: str
    failure_code: str | None
    """Why it failed, for programs"""
    failure_summary: str | None
    """Why it failed, in a sentence for its owner"""
    visibility: str
    durationSeconds: float | None
    width: float | None
    height: float | None


class VideoAssetFailed(TypedDict):
    """An asset could not be processed."""
    type: Literal["video.asset.failed"]
    timestamp: str
    """When it happened"""
    data: VideoAssetFailedData


class VideoAssetFailedData(TypedDict):
    id: str
    """The asset"""
    title: str | None
    description: str | None
    metadata: Dict[str, str]
    externalRef: str | None
    filename: str | None
    status: str
    failure_code: str | None
    """Why it failed, for programs"""
    failure_summary: str | None
    """Why it failed, in a sentence for its owner"""
    visibility: str
    durationSeconds: float | None
    width: float | None
    height: float | None


class VideoAssetPlayable(TypedDict):
    """An asset can be watched, while its other renditions may still be made."""
    type: Literal["video.asset.playable"]
    timestamp: str
    """When it happened"""
    data: VideoAssetPlayableData


class VideoAssetPlayableData(TypedDict):
    id: str
    """The asset"""
    title: str | None
    description: str | None
    metadata: Dict[str, str]
    externalRef: str | None
    filename: str | None
    status: str
    failure_code: str | None
    """Why it failed, for programs"""
    failure_summary: str | None
    """Why it failed, in a sentence for its owner"""
    visibility: str
    durationSeconds: float | None
    width: float | None
    height: float | None


class VideoAssetReady(TypedDict):
    """All renditions of an asset are made."""
    type: Literal["video.asset.ready"]
    timestamp: str
    """When it happened"""
    data: VideoAssetReadyData


class VideoAssetReadyData(TypedDict):
    id: str
    """The asset"""
    title: str | None
    description: str | None
    metadata: Dict[str, str]
    externalRef: str | None
    filename: str | None
    status: str
    failure_code: str | None
    """Why it failed, for programs"""
    failure_summary: str | None
    """Why it failed, in a sentence for its owner"""
    visibility: str
    durationSeconds: float | None
    width: float | None
    height: float | None


class VideoAssetUpdated(TypedDict):
    """What is said of an asset, or who may play it, was changed."""
    type: Literal["video.asset.updated"]
    timestamp: str
    """When it happened"""
    data: VideoAssetUpdatedData


class VideoAssetUpdatedData(TypedDict):
    id: str
    """The asset"""
    title: str | None
    description: str | None
    metadata: Dict[str, str]
    externalRef: str | None
    filename: str | None
    status: str
    failure_code: str | None
    """Why it failed, for programs"""
    failure_summary: str | None
    """Why it failed, in a sentence for its owner"""
    visibility: str
    durationSeconds: float | None
    width: float | None
    height: float | None


class VideoCaptionsReady(TypedDict):
    """Captions of an asset are written."""
    type: Literal["video.captions.ready"]
    timestamp: str
    """When it happened"""
    data: VideoCaptionsReadyData


class VideoCaptionsReadyData(TypedDict):
    id: str
    asset_id: str
    language: str
    cues: int


class VideoLiveEnded(TypedDict):
    """A broadcast that could be watched is over."""
    type: Literal["video.live.ended"]
    timestamp: str
    """When it happened"""
    data: VideoLiveEndedData


class VideoLiveEndedData(TypedDict):
    broadcastId: str
    channelId: str
    name: str
    slug: str
    startedAt: str
    endedAt: str | None
    endReason: str | None
    assetId: str | None
    """The asset of its recording"""


class VideoLiveRecorded(TypedDict):
    """The recording of a broadcast can be watched."""
    type: Literal["video.live.recorded"]
    timestamp: str
    """When it happened"""
    data: VideoLiveRecordedData


class VideoLiveRecordedData(TypedDict):
    broadcastId: str
    channelId: str
    name: str
    slug: str
    startedAt: str
    endedAt: str | None
    endReason: str | None
    assetId: str | None
    """The asset of its recording"""


class VideoLiveStarted(TypedDict):
    """A broadcast can be watched."""
    type: Literal["video.live.started"]
    timestamp: str
    """When it happened"""
    data: VideoLiveStartedData


class VideoLiveStartedData(TypedDict):
    broadcastId: str
    channelId: str
    name: str
    slug: str
    startedAt: str
    endedAt: str | None
    endReason: str | None
    assetId: str | None
    """The asset of its recording"""


class VideoRoomEnded(TypedDict):
    """A room is over."""
    type: Literal["video.room.ended"]
    timestamp: str
    """When it happened"""
    data: VideoRoomEndedData


class VideoRoomEndedData(TypedDict):
    roomId: str
    name: str
    startedAt: str | None
    endedAt: str | None
    reason: str | None


class VideoRoomParticipantJoined(TypedDict):
    """Somebody has come into a room."""
    type: Literal["video.room.participant.joined"]
    timestamp: str
    """When it happened"""
    data: VideoRoomParticipantJoinedData


class VideoRoomParticipantJoinedData(TypedDict):
    roomId: str
    participantId: str
    identity: str | None
    displayName: str | None
    role: str
    joinedAt: str


class VideoRoomParticipantLeft(TypedDict):
    """Somebody has left a room."""
    type: Literal["video.room.participant.left"]
    timestamp: str
    """When it happened"""
    data: VideoRoomParticipantLeftData


class VideoRoomParticipantLeftData(TypedDict):
    roomId: str
    participantId: str
    identity: str | None
    displayName: str | None
    role: str
    joinedAt: str
    leftAt: str | None
    reason: str | None


class VideoRoomParticipantWaiting(TypedDict):
    """Somebody waits to be let into a room that has a waiting room."""
    type: Literal["video.room.participant.waiting"]
    timestamp: str
    """When it happened"""
    data: VideoRoomParticipantWaitingData


class VideoRoomParticipantWaitingData(TypedDict):
    roomId: str
    waitingId: str
    identity: str
    displayName: str
    role: str
    since: str


class VideoRoomStarted(TypedDict):
    """The first participant is in a room."""
    type: Literal["video.room.started"]
    timestamp: str
    """When it happened"""
    data: VideoRoomStartedData


class VideoRoomStartedData(TypedDict):
    roomId: str
    name: str
    startedAt: str


class VoiceCallAnswered(TypedDict):
    """Both sides of a call are connected."""
    type: Literal["voice.call.answered"]
    timestamp: str
    """When it happened"""
    data: VoiceCallAnsweredData


class VoiceCallAnsweredData(TypedDict):
    id: str
    """The call"""
    status: str
    reason: str | None
    """Why it ended"""
    ended_by: str | None
    metadata: Dict[str, str]
    created_at: str
    answered_at: str | None
    ended_at: str | None
    duration_seconds: float | None
    """For how long it was connected; null until it has ended"""
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it reached nobody"""


class VoiceCallEnded(TypedDict):
    """A call is over, or never came about."""
    type: Literal["voice.call.ended"]
    timestamp: str
    """When it happened"""
    data: VoiceCallEndedData


class VoiceCallEndedData(TypedDict):
    id: str
    """The call"""
    status: str
    reason: str | None
    """Why it ended"""
    ended_by: str | None
    metadata: Dict[str, str]
    created_at: str
    answered_at: str | None
    ended_at: str | None
    duration_seconds: float | None
    """For how long it was connected; null until it has ended"""
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it reached nobody"""


class VoiceCallRinging(TypedDict):
    """A telephone of a call rings."""
    type: Literal["voice.call.ringing"]
    timestamp: str
    """When it happened"""
    data: VoiceCallRingingData


class VoiceCallRingingData(TypedDict):
    id: str
    """The call"""
    status: str
    reason: str | None
    """Why it ended"""
    ended_by: str | None
    metadata: Dict[str, str]
    created_at: str
    answered_at: str | None
    ended_at: str | None
    duration_seconds: float | None
    """For how long it was connected; null until it has ended"""
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it reached nobody"""


class WebhooksEndpointDisabled(TypedDict):
    """An endpoint is delivered to no more; told to the organisation’s others, whatever they ask for."""
    type: Literal["webhooks.endpoint.disabled"]
    timestamp: str
    """When it happened"""
    data: WebhooksEndpointDisabledData


class WebhooksEndpointDisabledData(TypedDict):
    endpoint_id: str
    area: str | None
    url: str
    reason: str


class WebhooksTest(TypedDict):
    """A test: nothing has happened."""
    type: Literal["webhooks.test"]
    timestamp: str
    """When it happened"""
    data: WebhooksTestData


class WebhooksTestData(TypedDict):
    endpoint_id: str
    area: str | None
    note: str


class WhatsappMediaFailed(TypedDict):
    """A file that somebody sent could not be fetched."""
    type: Literal["whatsapp.media.failed"]
    timestamp: str
    """When it happened"""
    data: WhatsappMediaFailedData


WhatsappMediaFailedData = TypedDict(
    "WhatsappMediaFailedData",
    {
        "message_id": "str",
        "from": "str",
        "type": "str",
        "object_id": "str | None",
        "content_type": "str | None",
        "byte_size": "float | None",
        "reason": "str | None",
    },
)


class WhatsappMediaRefused(TypedDict):
    """A file that somebody sent did not pass the malware gate."""
    type: Literal["whatsapp.media.refused"]
    timestamp: str
    """When it happened"""
    data: WhatsappMediaRefusedData


WhatsappMediaRefusedData = TypedDict(
    "WhatsappMediaRefusedData",
    {
        "message_id": "str",
        "from": "str",
        "type": "str",
        "object_id": "str | None",
        "content_type": "str | None",
        "byte_size": "float | None",
        "reason": "str | None",
    },
)


class WhatsappMediaStored(TypedDict):
    """A file that somebody sent was found clean and can be downloaded."""
    type: Literal["whatsapp.media.stored"]
    timestamp: str
    """When it happened"""
    data: WhatsappMediaStoredData


WhatsappMediaStoredData = TypedDict(
    "WhatsappMediaStoredData",
    {
        "message_id": "str",
        "from": "str",
        "type": "str",
        "object_id": "str | None",
        "content_type": "str | None",
        "byte_size": "float | None",
        "reason": "str | None",
    },
)


class WhatsappMessageAccepted(TypedDict):
    """The provider has taken a message."""
    type: Literal["whatsapp.message.accepted"]
    timestamp: str
    """When it happened"""
    data: WhatsappMessageAcceptedData


class WhatsappMessageAcceptedData(TypedDict):
    id: str
    """The message"""
    to: str
    status: Literal["accepted", "sent", "delivered", "read", "failed", "unknown"]
    error: WhatsappMessageAcceptedDataError | None
    client_reference: str | None
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it reached nobody"""


class WhatsappMessageAcceptedDataError(TypedDict):
    code: str
    message: str
    provider_code: float | None


class WhatsappMessageDelivered(TypedDict):
    """A message is on the telephone."""
    type: Literal["whatsapp.message.delivered"]
    timestamp: str
    """When it happened"""
    data: WhatsappMessageDeliveredData


class WhatsappMessageDeliveredData(TypedDict):
    id: str
    """The message"""
    to: str
    status: Literal["accepted", "sent", "delivered", "read", "failed", "unknown"]
    error: WhatsappMessageDeliveredDataError | None
    client_reference: str | None
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it reached nobody"""


class WhatsappMessageDeliveredDataError(TypedDict):
    code: str
    message: str
    provider_code: float | None


class WhatsappMessageFailed(TypedDict):
    """A message was not sent, or did not arrive."""
    type: Literal["whatsapp.message.failed"]
    timestamp: str
    """When it happened"""
    data: WhatsappMessageFailedData


class WhatsappMessageFailedData(TypedDict):
    id: str
    """The message"""
    to: str
    status: Literal["accepted", "sent", "delivered", "read", "failed", "unknown"]
    error: WhatsappMessageFailedDataError | None
    client_reference: str | None
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it reached nobody"""


class WhatsappMessageFailedDataError(TypedDict):
    code: str
    message: str
    provider_code: float | None


class WhatsappMessageRead(TypedDict):
    """A message was read."""
    type: Literal["whatsapp.message.read"]
    timestamp: str
    """When it happened"""
    data: WhatsappMessageReadData


class WhatsappMessageReadData(TypedDict):
    id: str
    """The message"""
    to: str
    status: Literal["accepted", "sent", "delivered", "read", "failed", "unknown"]
    error: WhatsappMessageReadDataError | None
    client_reference: str | None
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it reached nobody"""


class WhatsappMessageReadDataError(TypedDict):
    code: str
    message: str
    provider_code: float | None


class WhatsappMessageReceived(TypedDict):
    """Somebody wrote to the business number."""
    type: Literal["whatsapp.message.received"]
    timestamp: str
    """When it happened"""
    data: WhatsappMessageReceivedData


WhatsappMessageReceivedData = TypedDict(
    "WhatsappMessageReceivedData",
    {
        "id": "str",
        "from": "str",
        "type": "str",
        "content": "Dict[str, Any]",
        "in_reply_to": "str | None",
        "reply": "WhatsappMessageReceivedDataReply | None",
        "has_media": "bool",
        "sent_at": "str",
    },
)


class WhatsappMessageReceivedDataReply(TypedDict):
    id: str
    title: str


class WhatsappMessageSent(TypedDict):
    """A message is on its way."""
    type: Literal["whatsapp.message.sent"]
    timestamp: str
    """When it happened"""
    data: WhatsappMessageSentData


class WhatsappMessageSentData(TypedDict):
    id: str
    """The message"""
    to: str
    status: Literal["accepted", "sent", "delivered", "read", "failed", "unknown"]
    error: WhatsappMessageSentDataError | None
    client_reference: str | None
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it reached nobody"""


class WhatsappMessageSentDataError(TypedDict):
    code: str
    message: str
    provider_code: float | None


class WhatsappMessageUnknown(TypedDict):
    """It is not known whether a message was sent: no answer came."""
    type: Literal["whatsapp.message.unknown"]
    timestamp: str
    """When it happened"""
    data: WhatsappMessageUnknownData


class WhatsappMessageUnknownData(TypedDict):
    id: str
    """The message"""
    to: str
    status: Literal["accepted", "sent", "delivered", "read", "failed", "unknown"]
    error: WhatsappMessageUnknownDataError | None
    client_reference: str | None
    sandbox: NotRequired[Literal[True]]
    """Of a test key: it reached nobody"""


class WhatsappMessageUnknownDataError(TypedDict):
    code: str
    message: str
    provider_code: float | None


class WhatsappNumberConnected(TypedDict):
    """A number of your own is connected: messages go out by it."""
    type: Literal["whatsapp.number.connected"]
    timestamp: str
    """When it happened"""
    data: WhatsappNumberConnectedData


class WhatsappNumberConnectedData(TypedDict):
    id: str
    """The number"""
    phone_number_id: str
    business_account_id: str
    display_phone: str | None
    verified_name: str | None


class WhatsappNumberRemoved(TypedDict):
    """A number of your own was removed."""
    type: Literal["whatsapp.number.removed"]
    timestamp: str
    """When it happened"""
    data: WhatsappNumberRemovedData


class WhatsappNumberRemovedData(TypedDict):
    id: str
    """The number"""
    phone_number_id: str
    business_account_id: str
    display_phone: str | None
    verified_name: str | None


class WhatsappTemplateChanged(TypedDict):
    """The review of a template went on."""
    type: Literal["whatsapp.template.changed"]
    timestamp: str
    """When it happened"""
    data: WhatsappTemplateChangedData


class WhatsappTemplateChangedData(TypedDict):
    id: str
    """The template’s id at WhatsApp"""
    name: str
    language: str
    category: str
    status: str
    """`APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`, …"""
    previous_status: str
    reason: str | None
    """Why it was rejected"""


class WikiArticlePublished(TypedDict):
    """Readers see a version of an article."""
    type: Literal["wiki.article.published"]
    timestamp: str
    """When it happened"""
    data: WikiArticlePublishedData


class WikiArticlePublishedData(TypedDict):
    id: str
    slug: str
    language: str
    version: int


class WikiArticleWithdrawn(TypedDict):
    """Readers see an article no more."""
    type: Literal["wiki.article.withdrawn"]
    timestamp: str
    """When it happened"""
    data: WikiArticleWithdrawnData


class WikiArticleWithdrawnData(TypedDict):
    id: str
    slug: str
    language: str
    version: int
    reason: str | None
