# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import List, Literal, NotRequired, TypedDict


class Watch(TypedDict):
    id: str
    url: str
    note: str | None
    verdict: Literal["unknown", "suspicious", "malicious"]
    """`malicious`: listed by a feed that is fresh; `unknown` is not `safe`"""
    categories: List[str]
    changed_at: str
    """Since when the verdict is what it is"""
    created_at: str


class CheckUrlCheckReply(TypedDict):
    url: str
    """The URL in the canonical form of Safe Browsing"""
    verdict: Literal["unknown", "suspicious", "malicious"]
    """`malicious`: listed by a feed that is fresh; `unknown` is not `safe`"""
    categories: List[str]
    reasons: List[CheckUrlCheckReplyReasonsItem]
    """Why it is suspicious"""
    sources: List[CheckUrlCheckReplySourcesItem]
    disagreement: CheckUrlCheckReplyDisagreement | None
    """Where some sources list it and others, fresh as well, do not"""
    degraded: bool
    """A source is stale or could not say; or there is none"""
    policy: Literal["allow", "deny"] | None
    """What your own lists say of its host, and of each on the way with `expand`: `deny` when they deny one, `allow` when they allow all; the verdict is without it"""
    hops: List[CheckUrlCheckReplyHopsItem] | None
    """With `expand`: each URL on the way, the one that was given first"""
    expansion: CheckUrlCheckReplyExpansion | None
    """With `expand`: how far the way was followed"""


class CheckUrlCheckReplyReasonsItem(TypedDict):
    code: str
    detail: str


class CheckUrlCheckReplySourcesItem(TypedDict):
    name: str
    kind: Literal["list", "urlhaus", "safe_browsing"]
    listed: bool | None
    """null: it cannot be said, as the feed was never imported, or its keeper did not answer"""
    categories: List[str]
    matched: str | None
    """The part of the URL that is listed: a host with a path"""
    detail: str | None
    first_seen: str | None
    entries: float
    age_seconds: float | None
    """Since it was last known to be current"""
    stale: bool


class CheckUrlCheckReplyDisagreement(TypedDict):
    listed_by: List[str]
    not_listed_by: List[str]


class CheckUrlCheckReplyHopsItem(TypedDict):
    url: str
    """The URL in the canonical form of Safe Browsing"""
    verdict: Literal["unknown", "suspicious", "malicious"]
    """`malicious`: listed by a feed that is fresh; `unknown` is not `safe`"""
    categories: List[str]
    reasons: List[CheckUrlCheckReplyHopsItemReasonsItem]
    """Why it is suspicious"""
    sources: List[CheckUrlCheckReplyHopsItemSourcesItem]
    disagreement: CheckUrlCheckReplyHopsItemDisagreement | None
    """Where some sources list it and others, fresh as well, do not"""
    degraded: bool
    """A source is stale or could not say; or there is none"""
    policy: Literal["allow", "deny"] | None
    """What your own lists say of its host"""
    status: float | None
    """What it answered; null when it could not be asked"""
    by: Literal["location", "meta_refresh"] | None
    """How it leads on"""


class CheckUrlCheckReplyHopsItemReasonsItem(TypedDict):
    code: str
    detail: str


class CheckUrlCheckReplyHopsItemSourcesItem(TypedDict):
    name: str
    kind: Literal["list", "urlhaus", "safe_browsing"]
    listed: bool | None
    """null: it cannot be said, as the feed was never imported, or its keeper did not answer"""
    categories: List[str]
    matched: str | None
    """The part of the URL that is listed: a host with a path"""
    detail: str | None
    first_seen: str | None
    entries: float
    age_seconds: float | None
    """Since it was last known to be current"""
    stale: bool


class CheckUrlCheckReplyHopsItemDisagreement(TypedDict):
    listed_by: List[str]
    not_listed_by: List[str]


class CheckUrlCheckReplyExpansion(TypedDict):
    complete: bool
    """Whether the way was followed to its end"""
    fault: Literal["bad_url", "address_refused", "port_refused", "unresolved", "timed_out", "too_large", "too_many_redirects", "bad_encoding", "connection_failed", "busy", "failed"] | None
    """Why not; `busy` when Millrace had no capacity for it: ask again"""


class CheckUrlsCheckReply(TypedDict):
    results: List[CheckUrlsCheckReplyResultsItem]
    count: int


class CheckUrlsCheckReplyResultsItem(TypedDict):
    url: NotRequired[str]
    """The URL in the canonical form of Safe Browsing"""
    verdict: NotRequired[Literal["unknown", "suspicious", "malicious"]]
    """`malicious`: listed by a feed that is fresh; `unknown` is not `safe`"""
    categories: NotRequired[List[str]]
    reasons: NotRequired[List[CheckUrlsCheckReplyResultsItemReasonsItem]]
    """Why it is suspicious"""
    sources: NotRequired[List[CheckUrlsCheckReplyResultsItemSourcesItem]]
    disagreement: NotRequired[CheckUrlsCheckReplyResultsItemDisagreement | None]
    """Where some sources list it and others, fresh as well, do not"""
    degraded: NotRequired[bool]
    """A source is stale or could not say; or there is none"""
    policy: NotRequired[Literal["allow", "deny"] | None]
    """What your own lists say of its host"""
    asked: str
    """The URL as it was given"""
    status: Literal["ok", "invalid"]
    """`invalid`: no URL with http, https or ftp and a host"""


class CheckUrlsCheckReplyResultsItemReasonsItem(TypedDict):
    code: str
    detail: str


class CheckUrlsCheckReplyResultsItemSourcesItem(TypedDict):
    name: str
    kind: Literal["list", "urlhaus", "safe_browsing"]
    listed: bool | None
    """null: it cannot be said, as the feed was never imported, or its keeper did not answer"""
    categories: List[str]
    matched: str | None
    """The part of the URL that is listed: a host with a path"""
    detail: str | None
    first_seen: str | None
    entries: float
    age_seconds: float | None
    """Since it was last known to be current"""
    stale: bool


class CheckUrlsCheckReplyResultsItemDisagreement(TypedDict):
    listed_by: List[str]
    not_listed_by: List[str]


class ListsListItem(TypedDict):
    id: str
    hostname: str
    policy: Literal["allow", "deny"]
    note: str | None
    created_at: str


class ListsPutReply(TypedDict):
    id: str
    hostname: str
    policy: Literal["allow", "deny"]
    note: str | None
    created_at: str


class ListsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class WatchesMakeManyReply(TypedDict):
    watches: List[Watch]
    """Each URL once, the newest first"""


class WatchesRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]
