# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import List, Literal, TypedDict


class Officer(TypedDict):
    kind: Literal["person", "organisation"]
    name: str
    role: str | None
    """In the register’s own words"""
    role_code: str | None
    since: str | None
    """YYYY-MM-DD"""
    until: str | None
    """YYYY-MM-DD; a day to come, too"""
    source: OfficerSource


class OfficerSource(TypedDict):
    register: str
    retrieved_at: str | None
    licence: str | None


class Company(TypedDict):
    jurisdiction: str
    """ISO 3166-1 alpha-2, small, or a part of a country: ee, gb, us-de"""
    code: str
    """As the register writes it: a text, which may begin with zeros"""
    name: str
    previous_names: List[str]
    status: Literal["active", "in_liquidation", "bankrupt", "dissolved", "unknown"]
    status_raw: str | None
    """In the register’s own words"""
    legal_form: CompanyLegalForm
    vat_number: str | None
    lei: str | None
    """ISO 17442"""
    registered_at: str | None
    """YYYY-MM-DD"""
    dissolved_at: str | None
    """YYYY-MM-DD"""
    missing_since: str | None
    """When its register was first imported without it"""
    registered_address: CompanyRegisteredAddress
    capital: CompanyCapital | None
    activities: List[CompanyActivitiesItem]
    website: str | None
    source: CompanySource
    updated_at: str
    """When it last changed here"""


class CompanyLegalForm(TypedDict):
    code: str | None
    name: str | None
    elf_code: str | None
    """ISO 20275"""


class CompanyRegisteredAddress(TypedDict):
    full: str | None
    street: str | None
    city: str | None
    region: str | None
    postal_code: str | None
    country: str | None


class CompanyCapital(TypedDict):
    amount: float
    currency: str


class CompanyActivitiesItem(TypedDict):
    scheme: str
    code: str
    name: str | None
    primary: bool


class CompanySource(TypedDict):
    register: str
    record_url: str | None
    retrieved_at: str | None
    """When its register was last imported"""
    licence: str | None


class Found(TypedDict):
    jurisdiction: str
    """ISO 3166-1 alpha-2, small, or a part of a country: ee, gb, us-de"""
    code: str
    """As the register writes it: a text, which may begin with zeros"""
    name: str
    status: Literal["active", "in_liquidation", "bankrupt", "dissolved", "unknown"]
    legal_form: FoundLegalForm
    vat_number: str | None
    lei: str | None
    """ISO 17442"""
    registered_at: str | None
    """YYYY-MM-DD"""
    missing_since: str | None
    """When its register was first imported without it"""
    city: str | None
    match: FoundMatch


class FoundLegalForm(TypedDict):
    code: str | None
    name: str | None
    elf_code: str | None
    """ISO 20275"""


class FoundMatch(TypedDict):
    field: Literal["name", "code", "vat", "lei", "previous_name"]
    score: float
    """How like it is: 1 for the same"""


class Change(TypedDict):
    kind: Literal["added", "changed", "removed"]
    jurisdiction: str
    code: str
    name: str | None
    """As it is now"""


class Register(TypedDict):
    name: str
    what: Literal["companies", "officers"]
    entries: float
    """Companies, or officers, that its last file had"""
    licence: str | None
    import_id: str | None
    """Its last import, whose changes can be asked for"""
    imported_at: str | None


class CompaniesOfficersReply(TypedDict):
    data: List[Officer]
    known: bool


class RegistersListReply(TypedDict):
    data: List[Register]
