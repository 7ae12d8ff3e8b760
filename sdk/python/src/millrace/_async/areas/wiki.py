# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import wiki as wiki_types
from ..caller import AsyncCaller
from ..pending_page import AsyncPendingPage


class AsyncWikiReaders:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        q: str | Unset = UNSET,
        tag: str | Unset = UNSET,
        language: str | Unset = UNSET,
        organisation: Literal["own", "all"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[wiki_types.PublishedListed]:
        """List or search published articles.

        Without `q` the newest first, page by page. With it the best `limit` articles that have its words: `"a phrase"`, `this or that`, `-without`; accents and case do not matter. Words of titles, and slugs, are found by their beginnings, too.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        language: BCP 47, in lower case
        organisation: `all`: what every organisation of the installation has published, as `/wiki` shows it
        """
        return AsyncPendingPage(self._caller.page(
            operations.WIKI_READERS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "q": q,
                "tag": tag,
                "language": language,
                "organisation": organisation,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        slug: str,
        /,
        *,
        format: Literal["markdown", "html"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Published:
        """Read a published article.

        By its slug, one that it had before, or its id; of any organisation, as what is published is public. One that is withdrawn has its reason and no text.
        """
        return await self._caller.call(
            operations.WIKI_READERS_READ,
            (slug,),
            {
                "format": format,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncWikiArticles:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        title: str,
        body: str,
        summary: str | Unset = UNSET,
        tags: List[str] | Unset = UNSET,
        slug: str | Unset = UNSET,
        language: str | Unset = UNSET,
        comment: str | Unset = UNSET,
        author: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Article:
        """Create a draft.

        Without `slug` it gets one by its title. Claims are attached to it by their own requests; then it can be published.

        body: Markdown; `[^`*id of a claim*`]` cites a claim. HTML in it is shown as text
        slug: Its place on the public pages, unique in the installation; those it had before lead to it
        language: BCP 47, in lower case
        comment: What this version changes
        author: Who wrote it, as you call them
        """
        return await self._caller.call(
            operations.WIKI_ARTICLES_CREATE,
            (),
            {
                "title": title,
                "body": body,
                "summary": summary,
                "tags": tags,
                "slug": slug,
                "language": language,
                "comment": comment,
                "author": author,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def remove(
        self,
        slug: str,
        /,
        *,
        timeout: float | None = None,
    ) -> wiki_types.ArticlesRemoveReply:
        """Delete a draft or a withdrawn article.

        With all its versions and slugs. What is published is withdrawn first.
        """
        return await self._caller.call(
            operations.WIKI_ARTICLES_REMOVE,
            (slug,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        slug_: str,
        /,
        *,
        title: str | Unset = UNSET,
        summary: str | Unset = UNSET,
        body: str | Unset = UNSET,
        tags: List[str] | Unset = UNSET,
        slug: str | Unset = UNSET,
        language: str | Unset = UNSET,
        comment: str | Unset = UNSET,
        author: str | Unset = UNSET,
        base_version: int | Unset = UNSET,
        status: Literal["published", "withdrawn"] | Unset = UNSET,
        reason: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Article:
        """Update, publish or withdraw an article.

        What is left out stays. A change of the text makes a new version; readers see the published one until `status: "published"` has them see the newest, in the same request or a later one. A change or a publication says what it is based on: `If-Match` with the ETag that was read, or `base_version`; `If-Match: *` asks only that the article exists. Publishing needs a claim, and for each claim a snapshot that holds its quote.

        body: Markdown; `[^`*id of a claim*`]` cites a claim. HTML in it is shown as text
        slug: Its place on the public pages, unique in the installation; those it had before lead to it
        language: BCP 47, in lower case
        comment: What this version changes
        author: Who wrote it, as you call them
        base_version: The newest version as it was read
        status: Publishes the newest version, or withdraws the article
        reason: Why it is withdrawn; readers are told
        """
        return await self._caller.call(
            operations.WIKI_ARTICLES_UPDATE,
            (slug_,),
            {
                "title": title,
                "summary": summary,
                "body": body,
                "tags": tags,
                "slug": slug,
                "language": language,
                "comment": comment,
                "author": author,
                "base_version": base_version,
                "status": status,
                "reason": reason,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncWikiSearch:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def find(
        self,
        *,
        q: str,
        type: Literal["entity", "claim"] | Unset = UNSET,
        limit: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.SearchFindReply:
        """Search entities and claims.

        Entities by their labels and aliases, claims by their property and value: whole words, `"a phrase"`, `or`, `-without`. Returns the newest first, and of each kind as many as fit into half a megabyte. Read an entity for its descriptions and aliases. Articles are searched at `GET /v1/wiki/articles?q=`.

        type: Both unless said
        limit: Of each kind; there may be fewer where they are large
        """
        return await self._caller.call(
            operations.WIKI_SEARCH_FIND,
            (),
            {
                "q": q,
                "type": type,
                "limit": limit,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncWikiTree:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def put(
        self,
        id: str,
        /,
        *,
        parent_id: str | None,
        position: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Place:
        """Put an article below another.

        At once for readers, without a new version. Articles lie at most 10 deep, and none below itself.

        parent_id: The article above; null puts it at the top
        position: Among those below the same article, the least first
        """
        return await self._caller.call(
            operations.WIKI_TREE_PUT,
            (id,),
            {
                "parent_id": parent_id,
                "position": position,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read(
        self,
        *,
        timeout: float | None = None,
    ) -> wiki_types.TreeReadReply:
        """Read the tree of published articles.

        Returns published articles as a tree, with their titles and URLs.
        """
        return await self._caller.call(
            operations.WIKI_TREE_READ,
            (),
            {},
            timeout=timeout,
        )

    async def read_all(
        self,
        *,
        timeout: float | None = None,
    ) -> wiki_types.TreeReadAllReply:
        """Read the tree of all articles, drafts included.

        Returns articles in every state as a tree.
        """
        return await self._caller.call(
            operations.WIKI_TREE_READALL,
            (),
            {},
            timeout=timeout,
        )


class AsyncWikiAdminArticles:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: Literal["draft", "published", "withdrawn"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[wiki_types.ArticleListed]:
        """List articles by status, drafts included.

        Returns articles without their text. `status` selects one state.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.WIKI_ADMIN_ARTICLES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))


class AsyncWikiArticleVersions:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[wiki_types.VersionListed]:
        """List the versions of an article, newest first.

        Returns each version with its author and comment, without its text.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.WIKI_ARTICLE_VERSIONS_LIST,
            (id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        id: str,
        version_id: str,
        /,
        *,
        diff: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Version:
        """Read a version of an article.

        `diff` is the number of another version: what changed from it to this one, as a unified diff and as its hunks.
        """
        return await self._caller.call(
            operations.WIKI_ARTICLE_VERSIONS_READ,
            (id, version_id,),
            {
                "diff": diff,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def restore(
        self,
        id: str,
        version_id: str,
        /,
        *,
        comment: str | Unset = UNSET,
        author: str | Unset = UNSET,
        base_version: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Article:
        """Restore a version of an article.

        Its text becomes a new version, as nothing of the history is lost. Readers see it when it is published.

        comment: What this version changes
        author: Who wrote it, as you call them
        """
        return await self._caller.call(
            operations.WIKI_ARTICLE_VERSIONS_RESTORE,
            (id, version_id,),
            {
                "comment": comment,
                "author": author,
                "base_version": base_version,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncWikiReviews:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        id: str,
        version_id: str,
        /,
        *,
        decision: Literal["approved", "rejected"],
        comment: str | Unset = UNSET,
        reviewer: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Review:
        """Approve or reject a version.

        Of each key the last word counts. A version that any key rejects is not published where reviews are required. An approval is of the text with the claims and references that there are: with others it is asked for again.

        reviewer: Who reviews it, as you call them
        """
        return await self._caller.call(
            operations.WIKI_REVIEWS_CREATE,
            (id, version_id,),
            {
                "decision": decision,
                "comment": comment,
                "reviewer": reviewer,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        id: str,
        version_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[wiki_types.Review]:
        """List the reviews of a version, newest first.

        Returns each decision with its reviewer and comment.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.WIKI_REVIEWS_LIST,
            (id, version_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def set_settings(
        self,
        *,
        review: Literal["none", "required"],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Settings:
        """Have articles be reviewed, or not.

        From the next publication on; what is published stays so. It is the organisation’s, not for each who writes: the key may change that (`account:write`), too, and the audit log tells of it.

        review: `required`: a version is published by another key than wrote it, or once another has approved it
        """
        return await self._caller.call(
            operations.WIKI_REVIEWS_SETSETTINGS,
            (),
            {
                "review": review,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def settings(
        self,
        *,
        timeout: float | None = None,
    ) -> wiki_types.Settings:
        """Read how articles are published.

        Returns whether a second person must approve a version before it is published.
        """
        return await self._caller.call(
            operations.WIKI_REVIEWS_SETTINGS,
            (),
            {},
            timeout=timeout,
        )


class AsyncWikiTransfer:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        document: str,
        comment: str | Unset = UNSET,
        author: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Article:
        """Import an article with its evidence.

        Takes what an export gave, of this or another installation: a draft, by another slug where its own is taken, its entities (those that the organisation has by their ids stay as they are), its claims, and their sources, of which snapshots are taken anew. All of it, or nothing.

        comment: What this version changes
        author: Who wrote it, as you call them
        """
        return await self._caller.call(
            operations.WIKI_TRANSFER_CREATE,
            (),
            {
                "document": document,
                "comment": comment,
                "author": author,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> wiki_types.TransferReadReply:
        """Export an article as Markdown with its evidence.

        The newest version: Markdown, and in front of it what it rests on, in JSON between two lines `---`: entities, claims that are not deprecated, quotes, where and when each was found. An import takes it as it is: at most 100 claims, with 2,000 references to 200 sources together, and a million characters.
        """
        return await self._caller.call(
            operations.WIKI_TRANSFER_READ,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncWikiSources:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        uri: str,
        type: Literal["web", "document", "dataset"] | Unset = UNSET,
        title: str | Unset = UNSET,
        publisher: str | Unset = UNSET,
        authors: List[str] | Unset = UNSET,
        published_at: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Source:
        """Register a source.

        Once by its canonical URL: a second time answers the same source, with what is told of it now. What is registered may be read by everybody who has its id.

        uri: `https://…`, `http://…` or `doi:10.…`
        type: `web` unless said
        published_at: When its publisher says that it was published
        """
        return await self._caller.call(
            operations.WIKI_SOURCES_CREATE,
            (),
            {
                "uri": uri,
                "type": type,
                "title": title,
                "publisher": publisher,
                "authors": authors,
                "published_at": published_at,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        uri: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[wiki_types.Source]:
        """List sources, newest first.

        Returns the registered sources. Use `uri` to search for one source.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        uri: `https://…`, `http://…` or `doi:10.…`
        """
        return AsyncPendingPage(self._caller.page(
            operations.WIKI_SOURCES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "uri": uri,
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
    ) -> wiki_types.SourceWithSnapshots:
        """Read a source and its recent snapshots.

        Takes no key: readers of an article can see what it rests on. Texts and bytes are not part of it.
        """
        return await self._caller.call(
            operations.WIKI_SOURCES_READ,
            (id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> wiki_types.SourcesRemoveReply:
        """Delete a source.

        With its snapshots and the references to them. Refused when a published article would be left unproven. A snapshot that is pending is not taken.
        """
        return await self._caller.call(
            operations.WIKI_SOURCES_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncWikiSnapshots:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Snapshot:
        """Take a snapshot of a source.

        A worker fetches it (5 MiB at most, public addresses only) and keeps its bytes and its readable text; the source tells of it. While one is pending, that one is the answer. When the source says what it said before, its id leads to the snapshot of that, whose `last_checked_at` tells of it.
        """
        return await self._caller.call(
            operations.WIKI_SNAPSHOTS_CREATE,
            (id,),
            {
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[wiki_types.Snapshot]:
        """List snapshots of a source, newest first.

        Returns each capture of the source with its HTTP status, size and hash.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.WIKI_SNAPSHOTS_LIST,
            (id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def download_url(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.SnapshotsDownloadUrlReply:
        """Sign a download URL of the bytes of a snapshot.

        Browsers save them, never show them: they are what a stranger’s server sent.
        """
        return await self._caller.call(
            operations.WIKI_SNAPSHOTS_DOWNLOADURL,
            (id,),
            {
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> wiki_types.Snapshot:
        """Read a snapshot.

        Returns the status of the capture, its hash, and the error if it failed.
        """
        return await self._caller.call(
            operations.WIKI_SNAPSHOTS_READ,
            (id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> wiki_types.SnapshotsRemoveReply:
        """Delete a snapshot.

        With the references to it, and its bytes. Refused while it is pending, and when a published article would be left unproven.
        """
        return await self._caller.call(
            operations.WIKI_SNAPSHOTS_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )

    async def text(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> wiki_types.SnapshotsTextReply:
        """Read the text of a snapshot.

        What quotes are taken from. For those who write, as it is the work of somebody else.
        """
        return await self._caller.call(
            operations.WIKI_SNAPSHOTS_TEXT,
            (id,),
            {},
            timeout=timeout,
        )


class AsyncWikiEntities:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        type: str,
        labels: Dict[str, str],
        descriptions: Dict[str, str] | Unset = UNSET,
        aliases: Dict[str, List[str]] | Unset = UNSET,
        external_ids: Dict[str, str] | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Entity:
        """Create an entity.

        What claims are about.

        type: What kind of thing it is, such as `company`
        labels: Its name, by language
        external_ids: What others know it by: `wikidata`, `lei`, …
        """
        return await self._caller.call(
            operations.WIKI_ENTITIES_CREATE,
            (),
            {
                "type": type,
                "labels": labels,
                "descriptions": descriptions,
                "aliases": aliases,
                "external_ids": external_ids,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        type: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[wiki_types.EntitySummary]:
        """List entities, newest first.

        Returns entities with their labels and external ids. Read an entity for its descriptions and aliases.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        type: What kind of thing it is, such as `company`
        """
        return AsyncPendingPage(self._caller.page(
            operations.WIKI_ENTITIES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "type": type,
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
    ) -> wiki_types.Entity:
        """Read an entity.

        Returns the entity with its labels, descriptions, aliases and external ids.
        """
        return await self._caller.call(
            operations.WIKI_ENTITIES_READ,
            (id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        id: str,
        /,
        *,
        type: str | Unset = UNSET,
        labels: Dict[str, str] | Unset = UNSET,
        descriptions: Dict[str, str] | Unset = UNSET,
        aliases: Dict[str, List[str]] | Unset = UNSET,
        external_ids: Dict[str, str] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Entity:
        """Change an entity.

        Each field that is given replaces what was there. Quotes that name it must still do so where it is the value of a claim.

        type: What kind of thing it is, such as `company`
        labels: Its name, by language
        external_ids: What others know it by: `wikidata`, `lei`, …
        """
        return await self._caller.call(
            operations.WIKI_ENTITIES_UPDATE,
            (id,),
            {
                "type": type,
                "labels": labels,
                "descriptions": descriptions,
                "aliases": aliases,
                "external_ids": external_ids,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncWikiClaims:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def add_reference(
        self,
        id: str,
        /,
        *,
        source_id: str,
        quote: str,
        snapshot_id: str | Unset = UNSET,
        locator: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Claim:
        """Add a reference to a claim.

        Links the claim to a source. `quote` must appear in the text of the snapshot.

        quote: Words of one paragraph, cell or list item that the snapshot shows, with the value of the claim among them; kinds of quotes, white space and NFKC forms may differ, words and case not
        snapshot_id: The newest good one of the source unless said, or else the one that is pending
        locator: For people: a page, a section
        """
        return await self._caller.call(
            operations.WIKI_CLAIMS_ADDREFERENCE,
            (id,),
            {
                "source_id": source_id,
                "quote": quote,
                "snapshot_id": snapshot_id,
                "locator": locator,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def create(
        self,
        *,
        entity_id: str,
        property: str,
        value: wiki_types.ClaimsCreateValueString | wiki_types.ClaimsCreateValueMonolingualText | wiki_types.ClaimsCreateValueQuantity | wiki_types.ClaimsCreateValueTime | wiki_types.ClaimsCreateValueUrl | wiki_types.ClaimsCreateValueEntity,
        qualifiers: List[wiki_types.ClaimsCreateQualifiersItem] | Unset = UNSET,
        rank: Literal["preferred", "normal", "deprecated"] | Unset = UNSET,
        deprecation_reason: str | Unset = UNSET,
        references: List[wiki_types.ClaimsCreateReferencesItem] | Unset = UNSET,
        article_ids: List[str] | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Claim:
        """Attach a claim to an entity.

        A quote is looked for in its snapshot at once, or when that is captured: `quote_verified` tells. An article is published only when each of its claims has a verified quote.

        deprecation_reason: Why it is deprecated, and only then
        article_ids: The articles that make it
        """
        return await self._caller.call(
            operations.WIKI_CLAIMS_CREATE,
            (),
            {
                "entity_id": entity_id,
                "property": property,
                "value": value,
                "qualifiers": qualifiers,
                "rank": rank,
                "deprecation_reason": deprecation_reason,
                "references": references,
                "article_ids": article_ids,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        entity_id: str | Unset = UNSET,
        article_id: str | Unset = UNSET,
        property: str | Unset = UNSET,
        rank: Literal["preferred", "normal", "deprecated", "best"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[wiki_types.Claim]:
        """List claims, newest first.

        Returns claims with their references. Filters select an entity, an article, a property or a rank.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        rank: `best`: of each property the preferred claims, or else the normal ones
        """
        return AsyncPendingPage(self._caller.page(
            operations.WIKI_CLAIMS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "entity_id": entity_id,
                "article_id": article_id,
                "property": property,
                "rank": rank,
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
    ) -> wiki_types.Claim:
        """Read a claim and its references.

        Returns the claim with its value, qualifiers and references.
        """
        return await self._caller.call(
            operations.WIKI_CLAIMS_READ,
            (id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        id: str,
        /,
        *,
        rank: Literal["preferred", "normal", "deprecated"] | Unset = UNSET,
        deprecation_reason: str | Unset = UNSET,
        article_ids: List[str] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> wiki_types.Claim:
        """Rank or deprecate a claim, or name the articles that make it.

        What a claim says is never changed: deprecate it and make another. `article_ids` replaces the whole list. What would leave a published article unproven is refused.

        deprecation_reason: Why it is deprecated, and only then
        """
        return await self._caller.call(
            operations.WIKI_CLAIMS_UPDATE,
            (id,),
            {
                "rank": rank,
                "deprecation_reason": deprecation_reason,
                "article_ids": article_ids,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncWiki:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.readers = AsyncWikiReaders(caller)
        self.articles = AsyncWikiArticles(caller)
        self.search = AsyncWikiSearch(caller)
        self.tree = AsyncWikiTree(caller)
        self.admin_articles = AsyncWikiAdminArticles(caller)
        self.article_versions = AsyncWikiArticleVersions(caller)
        self.reviews = AsyncWikiReviews(caller)
        self.transfer = AsyncWikiTransfer(caller)
        self.sources = AsyncWikiSources(caller)
        self.snapshots = AsyncWikiSnapshots(caller)
        self.entities = AsyncWikiEntities(caller)
        self.claims = AsyncWikiClaims(caller)
