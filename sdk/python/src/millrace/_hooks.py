"""Functions that the client calls for each attempt of a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Dict, Mapping, Optional

_SECRETS = frozenset({"authorization", "cookie", "proxy-authorization"})


@dataclass(frozen=True)
class RequestInfo:
    """One attempt of a request."""

    method: str
    #: Path without the query.
    path: str
    #: 1 for the first attempt.
    attempt: int
    #: Headers of the request. Secrets are masked.
    headers: Dict[str, str]


@dataclass(frozen=True)
class ResponseInfo(RequestInfo):
    """The response to one attempt."""

    status: int = 0
    #: Seconds until the response was complete.
    seconds: float = 0.0
    response_headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def request_id(self) -> Optional[str]:
        """ID of the request in the request log."""
        return self.response_headers.get("x-request-id")


@dataclass(frozen=True)
class RetryInfo(RequestInfo):
    """A retry before its delay."""

    #: Status of the attempt. None if there was no response.
    status: Optional[int] = None
    #: Error of the connection.
    error: Optional[Exception] = None
    #: Delay in seconds.
    delay: float = 0.0


@dataclass(frozen=True)
class Hooks:
    """Functions to call. An exception of a function is raised by the call."""

    on_request: Optional[Callable[[RequestInfo], None]] = None
    on_response: Optional[Callable[[ResponseInfo], None]] = None
    on_retry: Optional[Callable[[RetryInfo], None]] = None


def masked(headers: Mapping[str, str]) -> Dict[str, str]:
    """Returns headers without secrets."""
    return {name: "[masked]" if name.lower() in _SECRETS else value for name, value in headers.items()}
