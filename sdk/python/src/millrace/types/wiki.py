# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict


class PublishedListed(TypedDict):
    id: str
    slug: str
    url: str
    """Its public page"""
    language: str
    version: int
    title: str
    summary: str
    tags: List[str]
    first_published_at: str
    published_at: str
    """When this version was published"""
    highlights: PublishedListedHighlights | None
    """With `q`: HTML, escaped, with the words that were found in `<mark>`"""


class PublishedListedHighlights(TypedDict):
    title: str
    excerpt: str


class Published(TypedDict):
    id: str
    slug: str
    redirected_from: str | None
    """The slug that was asked for, when the article has another now"""
    url: str
    """Its public page"""
    language: str
    status: Literal["published", "withdrawn"]
    version: int | None
    title: str | None
    """Null, like the rest of its text, of an article that is withdrawn"""
    summary: str | None
    body: str | None
    """Markdown"""
    html: str | None
    """With `format=html`: the body as HTML in which nothing is active"""
    tags: List[str]
    evidence: PublishedEvidence | None
    withdrawal: PublishedWithdrawal | None
    first_published_at: str | None
    updated_at: str


class PublishedEvidence(TypedDict):
    claims: int
    supported: int
    coverage: float | None
    """The supported part of the claims; null without any"""
    unproven: List[PublishedEvidenceUnprovenItem]
    """Claims that would be refused now; of a published article those that it was published with under earlier rules"""


class PublishedEvidenceUnprovenItem(TypedDict):
    claim_id: str
    problem: Literal["no_reference", "snapshot_pending", "snapshot_failed", "snapshot_outdated", "quote_not_found", "value_not_in_quote"]


class PublishedWithdrawal(TypedDict):
    reason: str
    at: str


class EntitySummary(TypedDict):
    id: str
    type: str
    labels: Dict[str, str]
    external_ids: Dict[str, str]
    created_at: str
    updated_at: str


class Claim(TypedDict):
    id: str
    entity_id: str
    property: str
    value: Dict[str, Any]
    qualifiers: List[Dict[str, Any]]
    rank: Literal["preferred", "normal", "deprecated"]
    deprecation_reason: str | None
    status: Literal["supported", "unsupported"]
    """Supported by one reference that proves it at least"""
    references: List[ClaimReferencesItem]
    article_ids: List[str]
    created_at: str
    updated_at: str


class ClaimReferencesItem(TypedDict):
    id: str
    source_id: str
    snapshot_id: str
    snapshot_status: Literal["pending", "ok", "failed"]
    quote: str
    quote_verified: bool
    """Whether the snapshot holds the quote"""
    problem: Literal["snapshot_pending", "snapshot_failed", "snapshot_outdated", "quote_not_found", "value_not_in_quote"] | None
    """Why it is no proof; null when it is one"""
    locator: str | None
    page: int | None
    """Of a document of pages: where the quote was found, from 1"""
    paragraph: int | None
    """On that page, from 1"""
    created_at: str


class Place(TypedDict):
    article_id: str
    parent_id: str | None
    position: int


class TreeArticle(TypedDict):
    id: str
    slug: str
    url: str
    """Its public page, if it is published"""
    title: str
    status: Literal["draft", "published", "withdrawn"]
    language: str
    parent_id: str | None
    """Null at the top, and where the article above is not shown"""
    position: int
    depth: int
    """0 at the top"""


class Article(TypedDict):
    id: str
    slug: str
    url: str
    """Its public page"""
    language: str
    status: Literal["draft", "published", "withdrawn"]
    version: int
    """Number of its newest version"""
    published_version: int | None
    """Number of the version that readers see"""
    revision: int
    """Grows with each change: the ETag"""
    title: str
    summary: str
    tags: List[str]
    withdrawal: ArticleWithdrawal | None
    first_published_at: str | None
    created_at: str
    updated_at: str
    body: str
    evidence: ArticleEvidence


class ArticleWithdrawal(TypedDict):
    reason: str
    at: str


class ArticleEvidence(TypedDict):
    claims: int
    supported: int
    coverage: float | None
    """The supported part of the claims; null without any"""
    unproven: List[ArticleEvidenceUnprovenItem]
    """Claims that would be refused now; of a published article those that it was published with under earlier rules"""


class ArticleEvidenceUnprovenItem(TypedDict):
    claim_id: str
    problem: Literal["no_reference", "snapshot_pending", "snapshot_failed", "snapshot_outdated", "quote_not_found", "value_not_in_quote"]


class ArticleListed(TypedDict):
    id: str
    slug: str
    url: str
    """Its public page"""
    language: str
    status: Literal["draft", "published", "withdrawn"]
    version: int
    """Number of its newest version"""
    published_version: int | None
    """Number of the version that readers see"""
    revision: int
    """Grows with each change: the ETag"""
    title: str
    summary: str
    tags: List[str]
    withdrawal: ArticleListedWithdrawal | None
    first_published_at: str | None
    created_at: str
    updated_at: str


class ArticleListedWithdrawal(TypedDict):
    reason: str
    at: str


class VersionListed(TypedDict):
    id: str
    version: int
    title: str
    summary: str
    tags: List[str]
    comment: str | None
    author: str | None
    key_id: str | None
    """The key that wrote it"""
    restored_from: int | None
    """The version whose text this is"""
    size: int
    """Bytes of the body"""
    sha256: str
    """Of the body"""
    created_at: str


class Version(TypedDict):
    id: str
    version: int
    title: str
    summary: str
    tags: List[str]
    comment: str | None
    author: str | None
    key_id: str | None
    """The key that wrote it"""
    restored_from: int | None
    """The version whose text this is"""
    size: int
    """Bytes of the body"""
    sha256: str
    """Of the body"""
    created_at: str
    body: str
    diff: VersionDiff | None
    """With `diff`: what of the body changed from that version to this one"""


VersionDiff = TypedDict(
    "VersionDiff",
    {
        "from": "int",
        "to": "int",
        "unified": "str",
        "hunks": "List[VersionDiffHunksItem]",
    },
)


class VersionDiffHunksItem(TypedDict):
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: List[str]
    """Each begins with a blank, + or -"""


class Review(TypedDict):
    id: str
    article_id: str
    version: int
    decision: Literal["approved", "rejected"]
    comment: str | None
    reviewer: str | None
    """Who reviewed it, as you call them"""
    key_id: str
    """The key that reviewed it"""
    created_at: str


class Settings(TypedDict):
    review: Literal["none", "required"]
    """`required`: a version is published by another key than wrote it, or once another has approved it"""


class Source(TypedDict):
    id: str
    uri: str
    """As it was registered first"""
    canonical_url: str
    """Without fragment and marks of trackers; what snapshots are taken of"""
    type: Literal["web", "document", "dataset"]
    title: str | None
    publisher: str | None
    authors: List[str]
    published_at: str | None
    created_at: str
    updated_at: str


class SourceWithSnapshots(TypedDict):
    id: str
    uri: str
    """As it was registered first"""
    canonical_url: str
    """Without fragment and marks of trackers; what snapshots are taken of"""
    type: Literal["web", "document", "dataset"]
    title: str | None
    publisher: str | None
    authors: List[str]
    published_at: str | None
    created_at: str
    updated_at: str
    snapshots: List[PublicSnapshot]
    """The newest 10"""


class PublicSnapshot(TypedDict):
    id: str
    source_id: str
    status: Literal["pending", "ok", "failed"]
    requested_at: str
    captured_at: str | None
    last_checked_at: str | None
    """When its source said the same for the last time"""
    http_status: int | None
    content_type: str | None
    """What the bytes are, whatever the server said"""
    title: str | None
    size: int | None
    """Bytes"""
    sha256: str | None
    """Of the bytes"""
    text_sha256: str | None
    """Of the readable text; null where the bytes hold none that is read"""
    text_length: int | None
    """Characters; the first million of them are kept"""
    unchanged: bool | None
    """Whether bytes or text are those of the last good snapshot before; null for the first"""
    error_code: str | None
    """Why nothing was captured"""


class Snapshot(TypedDict):
    id: str
    source_id: str
    status: Literal["pending", "ok", "failed"]
    requested_at: str
    captured_at: str | None
    last_checked_at: str | None
    """When its source said the same for the last time"""
    http_status: int | None
    content_type: str | None
    """What the bytes are, whatever the server said"""
    title: str | None
    size: int | None
    """Bytes"""
    sha256: str | None
    """Of the bytes"""
    text_sha256: str | None
    """Of the readable text; null where the bytes hold none that is read"""
    text_length: int | None
    """Characters; the first million of them are kept"""
    unchanged: bool | None
    """Whether bytes or text are those of the last good snapshot before; null for the first"""
    error_code: str | None
    """Why nothing was captured"""
    final_url: str | None
    """Where redirects led"""
    error_message: str | None
    bytes_pruned_at: str | None
    """Since when its bytes are kept no more, as no claim cited it"""


class Entity(TypedDict):
    id: str
    type: str
    labels: Dict[str, str]
    descriptions: Dict[str, str]
    aliases: Dict[str, List[str]]
    external_ids: Dict[str, str]
    created_at: str
    updated_at: str


class ArticlesRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class SearchFindReply(TypedDict):
    entities: List[EntitySummary]
    claims: List[Claim]


class TreeReadReply(TypedDict):
    articles: List[TreeArticle]
    """In the tree's order; 5000 at most"""


class TreeReadAllReply(TypedDict):
    articles: List[TreeArticle]
    """In the tree's order; 5000 at most"""


class TransferReadReply(TypedDict):
    filename: str
    document: str


class SourcesRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class SnapshotsDownloadUrlReply(TypedDict):
    snapshot_id: str
    download_url: str
    size: int
    sha256: str
    expires_in_seconds: int
    expires_at: str


class SnapshotsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class SnapshotsTextReply(TypedDict):
    snapshot_id: str
    text: str


class ClaimsCreateValueString(TypedDict):
    type: Literal["string"]
    content: str


class ClaimsCreateValueMonolingualText(TypedDict):
    type: Literal["monolingual_text"]
    content: str
    language: str


class ClaimsCreateValueQuantity(TypedDict):
    type: Literal["quantity"]
    content: str
    unit: NotRequired[str]


class ClaimsCreateValueTime(TypedDict):
    type: Literal["time"]
    content: str
    precision: NotRequired[Literal["century", "decade", "year", "month", "day", "minute", "second"]]


class ClaimsCreateValueUrl(TypedDict):
    type: Literal["url"]
    content: str


class ClaimsCreateValueEntity(TypedDict):
    type: Literal["entity"]
    content: str


class ClaimsCreateQualifiersItem(TypedDict):
    property: str
    value: ClaimsCreateQualifiersItemValueString | ClaimsCreateQualifiersItemValueMonolingualText | ClaimsCreateQualifiersItemValueQuantity | ClaimsCreateQualifiersItemValueTime | ClaimsCreateQualifiersItemValueUrl | ClaimsCreateQualifiersItemValueEntity


class ClaimsCreateQualifiersItemValueString(TypedDict):
    type: Literal["string"]
    content: str


class ClaimsCreateQualifiersItemValueMonolingualText(TypedDict):
    type: Literal["monolingual_text"]
    content: str
    language: str


class ClaimsCreateQualifiersItemValueQuantity(TypedDict):
    type: Literal["quantity"]
    content: str
    unit: NotRequired[str]


class ClaimsCreateQualifiersItemValueTime(TypedDict):
    type: Literal["time"]
    content: str
    precision: NotRequired[Literal["century", "decade", "year", "month", "day", "minute", "second"]]


class ClaimsCreateQualifiersItemValueUrl(TypedDict):
    type: Literal["url"]
    content: str


class ClaimsCreateQualifiersItemValueEntity(TypedDict):
    type: Literal["entity"]
    content: str


class ClaimsCreateReferencesItem(TypedDict):
    source_id: str
    snapshot_id: NotRequired[str]
    """The newest good one of the source unless said, or else the one that is pending"""
    quote: str
    """Words of one paragraph, cell or list item that the snapshot shows, with the value of the claim among them; kinds of quotes, white space and NFKC forms may differ, words and case not"""
    locator: NotRequired[str]
    """For people: a page, a section"""
