# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import trust as trust_types
from ..caller import Caller
from ..pages import Page


class TrustCheckUrl:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def check(
        self,
        *,
        url: str,
        expand: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> trust_types.CheckUrlCheckReply:
        """Check what is known of a URL.

        Says which feeds of threats list the URL, how fresh each is, and what is odd about it. With `expand`, redirects are followed (five at most), and the verdict is the worst of all on the way.

        expand: Follow its redirects and judge each; takes up to 12 s
        """
        return self._caller.call(
            operations.TRUST_CHECK_URL_CHECK,
            (),
            {
                "url": url,
                "expand": expand,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class TrustCheckUrls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def check(
        self,
        *,
        urls: List[str],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> trust_types.CheckUrlsCheckReply:
        """Check what is known of up to 100 URLs.

        Answers in the order of the question, duplicates included; one that is no URL of the web fails alone. Redirects are not followed.
        """
        return self._caller.call(
            operations.TRUST_CHECK_URLS_CHECK,
            (),
            {
                "urls": urls,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class TrustLists:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[trust_types.ListsListItem]:
        """List allowed and denied hosts.

        Returns the hosts that you allow or deny. Your entries take precedence over the verdict of a check.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.TRUST_LISTS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def put(
        self,
        *,
        hostname: str,
        policy: Literal["allow", "deny"],
        note: str | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> trust_types.ListsPutReply:
        """Allow or deny a host.

        A host with all below it; `policy` of a checked URL tells what the nearest listed host says.
        """
        return self._caller.call(
            operations.TRUST_LISTS_PUT,
            (),
            {
                "hostname": hostname,
                "policy": policy,
                "note": note,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def remove(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> trust_types.ListsRemoveReply:
        """Take a listing back.

        The next check of the host uses its own verdict again.
        """
        return self._caller.call(
            operations.TRUST_LISTS_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )


class TrustWatches:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        verdict: Literal["unknown", "suspicious", "malicious"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[trust_types.Watch]:
        """List watched URLs.

        Returns the URLs that Millrace checks repeatedly, with their present verdict.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.TRUST_WATCHES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "verdict": verdict,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def make(
        self,
        *,
        url: str,
        note: str | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> trust_types.Watch:
        """Watch a URL.

        The event `trust.watch.changed` tells when its verdict is another. A URL that is watched already keeps its id, and takes the note, if one is given.
        """
        return self._caller.call(
            operations.TRUST_WATCHES_MAKE,
            (),
            {
                "url": url,
                "note": note,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def make_many(
        self,
        *,
        urls: List[str],
        note: str | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> trust_types.WatchesMakeManyReply:
        """Watch up to 100 URLs.

        All of them, or, where one is no URL of the web, none.
        """
        return self._caller.call(
            operations.TRUST_WATCHES_MAKEMANY,
            (),
            {
                "urls": urls,
                "note": note,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> trust_types.Watch:
        """Get a watched URL.

        Returns the present verdict of the URL and the time when it changed.
        """
        return self._caller.call(
            operations.TRUST_WATCHES_READ,
            (id,),
            {},
            timeout=timeout,
        )

    def remove(
        self,
        id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> trust_types.WatchesRemoveReply:
        """Watch a URL no more.

        Millrace stops checking the URL.
        """
        return self._caller.call(
            operations.TRUST_WATCHES_REMOVE,
            (id,),
            {},
            timeout=timeout,
        )


class Trust:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.check_url = TrustCheckUrl(caller)
        self.check_urls = TrustCheckUrls(caller)
        self.lists = TrustLists(caller)
        self.watches = TrustWatches(caller)
