"""Exceptions of this package. All of them are MillraceErrors."""

from __future__ import annotations

import builtins
import json
from typing import Any, Dict, List, Mapping, Optional, Type, Union

from ._known_names import ErrorCode
from ._retries import retry_after_of


class MillraceError(Exception):
    """Base class of all exceptions of this package."""


class ConnectionError(MillraceError, builtins.ConnectionError):
    """The connection failed, or was lost before the response was complete."""


class TimeoutError(ConnectionError, builtins.TimeoutError):
    """The API did not respond in time."""


class UploadError(MillraceError):
    """Storage did not accept the bytes. Pass `upload_id` as `resume` to continue."""

    def __init__(self, message: str, upload_id: str) -> None:
        super().__init__(message)
        self.upload_id = upload_id


class WebhookVerificationError(MillraceError):
    """The signature of a webhook is invalid or too old. Do not trust its content."""


class APIError(MillraceError):
    """The API returned an error."""

    #: HTTP status.
    status: int
    #: Error code for code to act on: `not_found`, `rate_limited`, … Later versions of the API can add codes.
    code: Union[ErrorCode, str]
    #: Message for people.
    message: str
    #: Details. For status 400: the invalid fields, each with `field` and `issue`.
    details: Any
    #: ID of the request in the logs of the server.
    request_id: Optional[str]
    #: Seconds to wait before a retry, if the API returned them.
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
    """400: the request is invalid. `details` contains every invalid field."""

    @property
    def fields(self) -> List[str]:
        """The invalid fields by their names in the API: `body.title`."""
        faults = self.details if isinstance(self.details, list) else []
        return [one["field"] for one in faults if isinstance(one, dict) and isinstance(one.get("field"), str)]


class UnauthorizedError(APIError):
    """401: the API key is missing, unknown or revoked."""


class ForbiddenError(APIError):
    """403: the key does not have the permission."""


class NotFoundError(APIError):
    """404: the object does not exist or belongs to another organisation."""


class ConflictError(APIError):
    """409: the request conflicts with the current state, or the idempotency key was used for another request."""


class RateLimitedError(APIError):
    """429: too many requests. `retry_after` is the time to wait."""


class ServerError(APIError):
    """5xx: the server failed."""


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
    """Returns the exception for an error response. `message` replaces its message."""
    kind = _by_status.get(status, ServerError if status >= 500 else APIError)
    error = _body_of(content)
    return kind(
        status,
        str(error.get("code") or ("server_error" if status >= 500 else f"http_{status}")),
        message or str(error.get("message") or f"The server returned {status}."),
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

