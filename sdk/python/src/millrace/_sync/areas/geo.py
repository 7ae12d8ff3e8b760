# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import geo as geo_types
from ..caller import Caller


class GeoLookups:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def batch(
        self,
        *,
        ips: List[str],
        lang: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> geo_types.LookupsBatchReply:
        """Locate up to 100 addresses.

        Answers in the order of the question, duplicates included; one that is no address fails alone.

        lang: Language of names (BCP 47)
        """
        return self._caller.call(
            operations.GEO_LOOKUPS_BATCH,
            (),
            {
                "ips": ips,
                "lang": lang,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def caller(
        self,
        *,
        lang: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> geo_types.Location:
        """Locate the calling address.

        The address past trusted proxies; `X-Forwarded-For` counts only where a proxy in TRUSTED_PROXIES set it.

        lang: Language of names (BCP 47)
        """
        return self._caller.call(
            operations.GEO_LOOKUPS_CALLER,
            (),
            {
                "lang": lang,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def me(
        self,
        *,
        lang: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> geo_types.Location:
        """Locate the calling address, as `GET /v1/geo`.

        The address past trusted proxies; `X-Forwarded-For` counts only where a proxy in TRUSTED_PROXIES set it.

        lang: Language of names (BCP 47)
        """
        return self._caller.call(
            operations.GEO_LOOKUPS_ME,
            (),
            {
                "lang": lang,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read(
        self,
        ip: str,
        /,
        *,
        lang: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> geo_types.Location:
        """Locate an address.

        Addresses that are nowhere on the internet are answered with `bogon: true` and their kind; unknown ones with nulls.

        lang: Language of names (BCP 47)
        """
        return self._caller.call(
            operations.GEO_LOOKUPS_READ,
            (ip,),
            {
                "lang": lang,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class Geo:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.lookups = GeoLookups(caller)
