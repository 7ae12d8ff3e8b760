# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import List, Literal, NotRequired, TypedDict


class Location(TypedDict):
    ip: str
    """As it is written shortest; IPv4 within IPv6 as IPv4"""
    version: Literal[4] | Literal[6]
    bogon: bool
    """Nowhere on the internet: nothing else is known of it"""
    bogon_type: Literal["unspecified", "broadcast", "multicast", "link_local", "loopback", "carrier_grade_nat", "private", "documentation", "benchmarking", "reserved", "translated"] | None
    continent: LocationContinent | None
    country: LocationCountry | None
    region: LocationRegion | None
    """The first subdivision of the country (ISO 3166-2)"""
    city: str | None
    postal_code: str | None
    location: LocationLocation | None
    """The middle of the place, not of the address: it is somewhere within the radius"""
    timezone: str | None
    """IANA time zone"""
    asn: LocationAsn | None
    network: str | None
    """The network that all of this holds for"""
    source: LocationSource
    attribution: str


class LocationContinent(TypedDict):
    code: str
    name: str | None


class LocationCountry(TypedDict):
    code: str
    name: str | None
    is_eu: bool
    """A member state of the European Union"""


class LocationRegion(TypedDict):
    code: str
    name: str | None


class LocationLocation(TypedDict):
    latitude: float
    longitude: float
    accuracy_radius_km: float | None


class LocationAsn(TypedDict):
    number: int
    organization: str | None


class LocationSource(TypedDict):
    provider: Literal["mmdb", "geoip-lite"]
    """A file of the operator’s, or the data of the npm package"""
    database: str
    built_at: str
    """How old the data are"""


class LookupsBatchReply(TypedDict):
    results: List[LookupsBatchReplyResultsItem]
    count: int
    source: LookupsBatchReplySource
    attribution: str


class LookupsBatchReplyResultsItem(TypedDict):
    ip: str
    version: NotRequired[Literal[4] | Literal[6]]
    bogon: NotRequired[bool]
    """Nowhere on the internet: nothing else is known of it"""
    bogon_type: NotRequired[Literal["unspecified", "broadcast", "multicast", "link_local", "loopback", "carrier_grade_nat", "private", "documentation", "benchmarking", "reserved", "translated"] | None]
    continent: NotRequired[LookupsBatchReplyResultsItemContinent | None]
    country: NotRequired[LookupsBatchReplyResultsItemCountry | None]
    region: NotRequired[LookupsBatchReplyResultsItemRegion | None]
    """The first subdivision of the country (ISO 3166-2)"""
    city: NotRequired[str | None]
    postal_code: NotRequired[str | None]
    location: NotRequired[LookupsBatchReplyResultsItemLocation | None]
    """The middle of the place, not of the address: it is somewhere within the radius"""
    timezone: NotRequired[str | None]
    """IANA time zone"""
    asn: NotRequired[LookupsBatchReplyResultsItemAsn | None]
    network: NotRequired[str | None]
    """The network that all of this holds for"""
    status: Literal["ok", "bogon", "not_found", "invalid"]


class LookupsBatchReplyResultsItemContinent(TypedDict):
    code: str
    name: str | None


class LookupsBatchReplyResultsItemCountry(TypedDict):
    code: str
    name: str | None
    is_eu: bool
    """A member state of the European Union"""


class LookupsBatchReplyResultsItemRegion(TypedDict):
    code: str
    name: str | None


class LookupsBatchReplyResultsItemLocation(TypedDict):
    latitude: float
    longitude: float
    accuracy_radius_km: float | None


class LookupsBatchReplyResultsItemAsn(TypedDict):
    number: int
    organization: str | None


class LookupsBatchReplySource(TypedDict):
    provider: Literal["mmdb", "geoip-lite"]
    """A file of the operator’s, or the data of the npm package"""
    database: str
    built_at: str
    """How old the data are"""
