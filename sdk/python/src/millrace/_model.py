"""Responses: dictionaries whose fields are also attributes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

from ._known_names import OPTIONAL_FIELDS


@dataclass(frozen=True)
class Response:
    """Status and headers of the response to a call."""

    status: int
    #: Headers. The case of names does not matter.
    headers: Mapping[str, str]

    @property
    def request_id(self) -> Optional[str]:
        """ID of the request in the request log."""
        return self.headers.get("x-request-id")


class Model(Dict[str, Any]):
    """An object of a response: `message.id` and `message["id"]` are the same.

    A field whose name Python or a dictionary uses gets an underscore: `from_`, `items_`.
    """

    __slots__ = ("_response",)

    _response: Response

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in self:
                return self[name]
            plain = name[:-1] if name.endswith("_") else name
            if plain in self:
                return self[plain]
            if plain in OPTIONAL_FIELDS:
                return None
            raise AttributeError(f"The response has no field {name}. Its fields are: {', '.join(self)}.")


def read_json(content: bytes) -> Any:
    """Returns JSON with models as its objects."""
    return json.loads(content, object_hook=Model)


def response_of(result: Any) -> Response:
    """Returns the response of a call from its result: an object or a page."""
    response = getattr(result, "_response", None)
    if not isinstance(response, Response):
        raise ValueError("response_of needs the result of a call, which is an object or a page.")
    return response
