# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import erp as erp_types
from ..caller import AsyncCaller
from ..pending_page import AsyncPendingPage


class AsyncErpCompanies:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def officers(
        self,
        code: str,
        /,
        *,
        jurisdiction: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> erp_types.CompaniesOfficersReply:
        """List the officers of a company.

        As far as a register that has been imported tells of them; `known` is false where none tells of any company of the jurisdiction. The first 500, by their roles and names.

        jurisdiction: ISO 3166-1 alpha-2, or a part of a country (ISO 3166-2)
        """
        return await self._caller.call(
            operations.ERP_COMPANIES_OFFICERS,
            (code,),
            {
                "jurisdiction": jurisdiction,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read(
        self,
        code: str,
        /,
        *,
        jurisdiction: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> erp_types.Company:
        """Read a company.

        By the code its register gave it. Where several jurisdictions know that code, 400 `ambiguous_code` names them.

        jurisdiction: ISO 3166-1 alpha-2, or a part of a country (ISO 3166-2)
        """
        return await self._caller.call(
            operations.ERP_COMPANIES_READ,
            (code,),
            {
                "jurisdiction": jurisdiction,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def search(
        self,
        *,
        q: str | Unset = UNSET,
        jurisdiction: str | Unset = UNSET,
        status: Literal["active", "in_liquidation", "bankrupt", "dissolved", "unknown"] | Unset = UNSET,
        legal_form: str | Unset = UNSET,
        vat: str | Unset = UNSET,
        city: str | Unset = UNSET,
        registered_from: str | Unset = UNSET,
        registered_to: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[erp_types.Found]:
        """Search companies.

        By code, VAT number and LEI exactly, then by how names begin, then by words that are like those of names and previous names. Legal forms, marks and small or large letters make no difference. Without `q`, all that the filters let through, by their names.

        q: A code, a VAT number, an LEI, or a name or the beginning of one
        jurisdiction: ISO 3166-1 alpha-2, or a part of a country (ISO 3166-2)
        legal_form: Its code, its name or its ELF code
        limit: Companies on a page
        cursor: `next_cursor` of the page before
        """
        return AsyncPendingPage(self._caller.page(
            operations.ERP_COMPANIES_SEARCH,
            (),
            {
                "q": q,
                "jurisdiction": jurisdiction,
                "status": status,
                "legal_form": legal_form,
                "vat": vat,
                "city": city,
                "registered_from": registered_from,
                "registered_to": registered_to,
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))


class AsyncErpRegisters:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def changes(
        self,
        id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[erp_types.Change]:
        """List what an import has changed.

        Companies that an import has added, changed, and no longer has, with their counts. Kept for 90 days, at most 100,000 of a kind; of the first import of a register (`first`) none is listed, and officers are counted alone.

        limit: Changes on a page
        cursor: `next_cursor` of the page before
        """
        return AsyncPendingPage(self._caller.page(
            operations.ERP_REGISTERS_CHANGES,
            (id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def list(
        self,
        *,
        timeout: float | None = None,
    ) -> erp_types.RegistersListReply:
        """List registers.

        The registers that companies and officers are known from, by their names, and how fresh each is.
        """
        return await self._caller.call(
            operations.ERP_REGISTERS_LIST,
            (),
            {},
            timeout=timeout,
        )


class AsyncErp:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.companies = AsyncErpCompanies(caller)
        self.registers = AsyncErpRegisters(caller)
