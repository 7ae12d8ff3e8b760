# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List

from ... import _operations as operations
from ...types import account as account_types
from ..caller import Caller


class AccountCatalogue:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def document(
        self,
        *,
        timeout: float | None = None,
    ) -> Dict[str, Any]:
        """The OpenAPI document of the whole API."""
        return self._caller.call(
            operations.ACCOUNT_CATALOGUE_DOCUMENT,
            (),
            {},
            timeout=timeout,
        )

    def list(
        self,
        *,
        timeout: float | None = None,
    ) -> account_types.Catalogue:
        """List every operation of every area."""
        return self._caller.call(
            operations.ACCOUNT_CATALOGUE_LIST,
            (),
            {},
            timeout=timeout,
        )


class Account:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.catalogue = AccountCatalogue(caller)
