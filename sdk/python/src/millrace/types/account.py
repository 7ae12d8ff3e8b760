# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import List, TypedDict


class Catalogue(TypedDict):
    version: str
    areas: List[CatalogueAreasItem]


class CatalogueAreasItem(TypedDict):
    name: str
    title: str
    base_path: str
    operations: List[CatalogueAreasItemOperationsItem]


class CatalogueAreasItemOperationsItem(TypedDict):
    id: str
    method: str
    path: str
    summary: str
    scope: str | List[str] | None
