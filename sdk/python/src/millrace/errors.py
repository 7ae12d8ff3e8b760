"""What can go wrong, as exceptions; every one is a MillraceError."""

from __future__ import annotations

import builtins
import json
from typing import Any, Dict, List, Mapping, Optional, Type

from ._retries import retry_after_of


class MillraceError(Exception):
    """The root of everything that this package raises of its own."""


class ConnectionError(MillraceError, builtins.ConnectionError):
    """The service could not be reached, or the connection was lost before the answer was whole."""


class TimeoutError(ConnectionError, builtins.TimeoutError):
    """The service did not answer in time."""


class UploadError(MillraceError):
    """Storage did not take the bytes; `upload_id` says with what the upload can be resumed."""

    def __init__(self, message: str, upload_id: str) -> None:
        super().__init__(message)
        self.upload_id = upload_id


class WebhookVerificationError(MillraceError):
    """A webhook's signature is not right, or it is too old: it must not be trusted."""


class APIError(MillraceError):
    """The service answered with an error."""

    #: The HTTP status.
    status: int
    #: The kind of error, for programs: `not_found`, `rate_limited`, …
    code: str
    #: What went wrong, for people.
    message: str
    #: More about it: of a 400 the fields at fault, each with `field` and `issue`.
    details: Any
    #: Names the request in the service's logs.
    request_id: Optional[str]
    #: Seconds after which to try again, where the service says so.
    retry_after: Optional[float]

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        details: Any = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        named = f" (request {request_id})" if request_id else ""
        super().__init__(f"{status} {code}: {message}{named}")
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after


class BadRequestError(APIError):
    """400: the request is malformed; `details` names every field at fault."""

    @property
    def fields(self) -> List[str]:
        """The fields at fault, as the API names them: `body.title`."""
        faults = self.details if isinstance(self.details, list) else []
        return [one["field"] for one in faults if isinstance(one, dict) and isinstance(one.get("field"), str)]


class UnauthorizedError(APIError):
    """401: no API key, or one that is unknown or revoked."""


class ForbiddenError(APIError):
    """403: the key may not do this."""


class NotFoundError(APIError):
    """404: no such thing, or it belongs to somebody else."""


class ConflictError(APIError):
    """409: the state of things forbids this, or the idempotency key stood for another request."""


class RateLimitedError(APIError):
    """429: too many requests; `retry_after` says when to come back."""


class ServerError(APIError):
    """5xx: a fault of the service."""


_by_status: Dict[int, Type[APIError]] = {
    400: BadRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitedError,
}


def error_of(
    status: int, headers: Mapping[str, str], content: bytes, message: Optional[str] = None
) -> APIError:
    """The exception for an answer that is no success; `message` is what is said in place of its own."""
    kind = _by_status.get(status, ServerError if status >= 500 else APIError)
    error = _body_of(content)
    return kind(
        status,
        str(error.get("code") or ("server_error" if status >= 500 else f"http_{status}")),
        message or str(error.get("message") or f"The server answered {status}."),
        details=error.get("details"),
        request_id=error.get("request_id") or headers.get("x-request-id"),
        retry_after=retry_after_of(headers),
    )


def _body_of(content: bytes) -> Dict[str, Any]:
    try:
        body = json.loads(content)
    except ValueError:
        return {}
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}

