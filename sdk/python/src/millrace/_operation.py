"""An operation of the API, and one request with its attempts. Shared by both clients, without network code."""

from __future__ import annotations

import json
import os
import time
import uuid
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, Generic, List, Mapping, Optional, Tuple, TypeVar
from urllib.parse import quote, urlencode

import httpx

from ._hooks import Hooks, RequestInfo, ResponseInfo, RetryInfo, masked
from ._model import Model, Response, read_json
from ._retries import is_worth_another_try, pause_before, retry_after_of
from ._version import __version__
from .errors import APIError, ConnectionError, MillraceError, TimeoutError, error_of

T = TypeVar("T")


class Unset:
    """Type of an omitted argument. None is sent as null, which some fields accept."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET = Unset()

#: These can safely be repeated. A PATCH of this API sets the fields that it contains.
_REPEATABLE_VERBS = frozenset({"GET", "HEAD", "PUT", "DELETE", "PATCH"})

#: Failures before anything was sent.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)

#: Body fields that are equivalent to the header Idempotency-Key.
_KEY_FIELDS = ("idempotency_key", "idempotencyKey")


@dataclass(frozen=True)
class Operation(Generic[T]):
    """An operation of the API with a response of type T."""

    id: str
    verb: str
    path: str
    #: For an operation with a body: the fields of the query.
    query: FrozenSet[str] = frozenset()
    body: bool = False
    #: Accepts an Idempotency-Key.
    idempotent: bool = False
    #: Can safely be repeated, regardless of its verb.
    repeatable: bool = False
    #: Needs no API key.
    open: bool = False
    #: The response is not JSON.
    text: bool = False


@dataclass(frozen=True)
class Settings:
    """Settings of a client."""

    base_url: str
    api_key: Optional[str]
    timeout: float
    max_retries: int
    hooks: Hooks = Hooks()

    def __repr__(self) -> str:
        return f"Settings(base_url={self.base_url!r}, timeout={self.timeout}, max_retries={self.max_retries})"


def settings_of(
    base_url: Optional[str], api_key: Optional[str], timeout: float, max_retries: int, hooks: Hooks = Hooks()
) -> Settings:
    """Returns valid settings. Omitted ones come from the environment. Raises ValueError, which never contains the key."""
    base_url = os.environ.get("MILLRACE_BASE_URL") or None if base_url is None else base_url
    api_key = os.environ.get("MILLRACE_API_KEY") or None if api_key is None else api_key
    if base_url is None:
        raise ValueError("The URL of the API is not set. Pass base_url, or set MILLRACE_BASE_URL.")
    parsed = httpx.URL(base_url)
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ValueError("base_url must be an http or https URL.")
    if parsed.userinfo or parsed.query or parsed.fragment:
        raise ValueError("base_url cannot have a user, query or fragment.")
    if api_key is not None and not (api_key.isascii() and api_key.isprintable() and api_key and " " not in api_key):
        raise ValueError("api_key must have only visible ASCII characters without spaces.")
    if timeout <= 0:
        raise ValueError("timeout must be more than 0 seconds.")
    if max_retries < 0:
        raise ValueError("max_retries must be at least 0.")
    # Paths of operations already contain the version.
    return Settings(base_url.rstrip("/").removesuffix("/v1"), api_key, timeout, max_retries, hooks)


class Request(Generic[T]):
    """One request and its attempts. All attempts use the same idempotency key."""

    def __init__(
        self,
        settings: Settings,
        operation: Operation[T],
        path: Tuple[str, ...],
        fields: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        accept: str = "application/json",
    ) -> None:
        given = {name: value for name, value in fields.items() if not isinstance(value, Unset)}
        self.operation = operation
        self.method = operation.verb
        in_query = operation.query if operation.body else given.keys()
        query = [pair for name in sorted(in_query) if name in given for pair in _pairs(name, given[name])]
        self.path = _path_of(operation, path)
        self.url = settings.base_url + self.path + (f"?{urlencode(query)}" if query else "")
        self.timeout = timeout if timeout is not None else settings.timeout
        self.headers: Dict[str, str] = {"accept": accept, "user-agent": f"millrace-python/{__version__}"}
        self.content: Optional[bytes] = None
        self._attempt = 0
        self._begun = 0.0
        self._max_retries = settings.max_retries
        self._hooks = settings.hooks
        body = {name: value for name, value in given.items() if name not in in_query}
        if operation.body:
            self.content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
            self.headers["content-type"] = "application/json"
        if settings.api_key is not None and not operation.open:
            self.headers["authorization"] = f"Bearer {settings.api_key}"
        named = any(name in body for name in _KEY_FIELDS)
        if operation.idempotent and (idempotency_key is not None or not named):
            self.headers["idempotency-key"] = idempotency_key if idempotency_key is not None else str(uuid.uuid4())
        self._repeatable = operation.verb in _REPEATABLE_VERBS or operation.idempotent or operation.repeatable

    def started(self) -> None:
        """Calls the hook of an attempt."""
        self._begun = time.monotonic()
        if self._hooks.on_request:
            self._hooks.on_request(RequestInfo(*self._info()))

    def answered(self, status: int, headers: Mapping[str, str]) -> Optional[float]:
        """Returns the seconds until the next attempt, or None if there is none."""
        if self._hooks.on_response:
            seconds = time.monotonic() - self._begun
            self._hooks.on_response(ResponseInfo(*self._info(), status, seconds, headers))
        if self._attempt >= self._max_retries or not is_worth_another_try(status, self._repeatable):
            return None
        pause = pause_before(self._attempt + 1, retry_after_of(headers))
        self._retried(pause, status, None)
        return pause

    def failed(self, failure: httpx.HTTPError) -> float:
        """Returns the seconds until the next attempt. Raises the caller's exception if there is none."""
        repeatable = isinstance(failure, _NOT_SENT) or (self._repeatable and isinstance(failure, httpx.TransportError))
        error = connection_error(failure)
        if repeatable and self._attempt < self._max_retries:
            pause = pause_before(self._attempt + 1) or 0.0
            self._retried(pause, None, error)
            return pause
        raise error from failure

    def _retried(self, pause: Optional[float], status: Optional[int], error: Optional[Exception]) -> None:
        if self._hooks.on_retry and pause is not None:
            self._hooks.on_retry(RetryInfo(*self._info(), status, error, pause))
        self._attempt += 1

    def _info(self) -> Tuple[str, str, int, Dict[str, str]]:
        return self.method, self.path, self._attempt + 1, masked(self.headers)

    def result(self, status: int, headers: Mapping[str, str], content: bytes) -> T:
        """Returns the result of the last response. Raises APIError for an error."""
        if not 200 <= status < 300:
            keyless = status == 401 and "authorization" not in self.headers
            needs = f"{self.operation.verb} {self.operation.path} needs an API key"
            lacking = f"{needs}. Pass api_key, or set MILLRACE_API_KEY." if keyless else None
            raise error_of(status, headers, content, lacking)
        if self.operation.text:
            return content.decode("utf-8", "replace")  # type: ignore[return-value]
        if not content:
            return None  # type: ignore[return-value]
        try:
            value = read_json(content)
        except ValueError:
            request_id = headers.get("x-request-id")
            raise APIError(status, "bad_answer", "The response is not JSON.", request_id=request_id) from None
        if isinstance(value, Model):
            value._response = Response(status, headers)
        return value  # type: ignore[no-any-return]


def connection_error(failure: httpx.HTTPError) -> MillraceError:
    """Returns our exception for one of the transport. It does not contain the URL, which may contain a token."""
    if isinstance(failure, httpx.TimeoutException):
        return TimeoutError(f"The API did not respond in time ({type(failure).__name__}).")
    return ConnectionError(f"The connection failed ({type(failure).__name__}): {failure}")


def _path_of(operation: Operation[Any], values: Tuple[str, ...]) -> str:
    pieces: List[str] = []
    rest = iter(values)
    for piece in operation.path.split("/"):
        pieces.append(_segment(next(rest), piece) if piece.startswith("{") else piece)
    return "/".join(pieces)


def _segment(value: str, name: str) -> str:
    """Encodes a value as one path segment. Rejects values that would change the path."""
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise MillraceError(f"{name.strip('{}')} must be a non-empty text that is valid in a path, not {value!r}.")
    return quote(value, safe="")


def _pairs(name: str, value: Any) -> List[Tuple[str, str]]:
    if value is None:
        return []
    if isinstance(value, bool):
        return [(name, "true" if value else "false")]
    if isinstance(value, (list, tuple)):
        return [pair for one in value for pair in _pairs(name, one)]
    return [(name, str(value))]
