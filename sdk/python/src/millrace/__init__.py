"""The client for Millrace. `Millrace` is blocking, `AsyncMillrace` is asynchronous, and both have the same methods."""

from . import guard, jobs, types, webhooks
from ._async.client import AsyncMillrace
from ._async.events import AsyncEventStream
from ._async.pages import AsyncPage
from ._events import Event
from ._hooks import RequestInfo, ResponseInfo, RetryInfo
from ._known_names import ErrorCode
from ._model import Model, Response, response_of
from ._operation import UNSET, Unset
from ._sync.client import Millrace
from ._sync.events import EventStream
from ._sync.pages import Page
from ._version import __version__
from .errors import (
    APIError,
    BadRequestError,
    ConflictError,
    ConnectionError,
    ForbiddenError,
    MillraceError,
    NotFoundError,
    RateLimitedError,
    ServerError,
    TimeoutError,
    UnauthorizedError,
    UploadError,
    WebhookVerificationError,
)
from .jobs import VerifiedJob, verify_job, verify_job_async

__all__ = [
    "APIError",
    "AsyncEventStream",
    "AsyncMillrace",
    "AsyncPage",
    "BadRequestError",
    "ConflictError",
    "ConnectionError",
    "ErrorCode",
    "Event",
    "EventStream",
    "ForbiddenError",
    "Millrace",
    "MillraceError",
    "Model",
    "NotFoundError",
    "Page",
    "RateLimitedError",
    "RequestInfo",
    "Response",
    "ResponseInfo",
    "RetryInfo",
    "ServerError",
    "TimeoutError",
    "UNSET",
    "UnauthorizedError",
    "Unset",
    "UploadError",
    "VerifiedJob",
    "WebhookVerificationError",
    "__version__",
    "guard",
    "jobs",
    "response_of",
    "types",
    "verify_job",
    "verify_job_async",
    "webhooks",
]
