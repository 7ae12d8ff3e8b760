"""Verifies the requests with which Millrace runs jobs (Standard Webhooks 1.0)."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Iterable, Mapping, Optional, Union
from urllib.parse import unquote

from .errors import WebhookVerificationError
from .webhooks import TOLERANCE, check_signature


@dataclass(frozen=True)
class VerifiedJob:
    """A job whose signature is valid."""

    #: ID of the job. It is the same in all attempts, so you can use it to recognise repeated calls.
    job_id: str
    #: Number of the attempt, from 1.
    attempt: int
    #: Time for which the schedule planned the job. None if no schedule created the job.
    scheduled_for: Optional[datetime]
    #: Group of the job, or None.
    group: Optional[str]
    #: Body of the job.
    body: bytes

    def text(self) -> str:
        """Returns the body as text."""
        return self.body.decode()

    def json(self) -> Any:
        """Parses the body as JSON. Raises ValueError if it is not JSON."""
        return json.loads(self.body)


def verify(
    payload: Union[str, bytes],
    headers: Mapping[str, str],
    secret: Union[str, Iterable[str]],
    *,
    tolerance: float = TOLERANCE,
    now: Optional[float] = None,
) -> VerifiedJob:
    """Returns the job of a request with a valid signature. Raises WebhookVerificationError otherwise.

    payload: the unchanged body.
    headers: headers of the request. The case of names does not matter.
    secret: the signing secret of jobs, or both secrets during a rotation.
    now: time in seconds that replaces the clock.
    """
    given = {name.lower(): value for name, value in headers.items()}
    body = payload.encode() if isinstance(payload, str) else bytes(payload)
    check_signature(body, given, secret, tolerance=tolerance, now=now)
    attempt = given.get("millrace-attempt", "")
    if not (attempt.isascii() and attempt.isdigit() and int(attempt[:9]) > 0):
        raise WebhookVerificationError("The request is not an attempt of a job: millrace-attempt is not a number.")
    return VerifiedJob(
        job_id=given["webhook-id"],
        attempt=int(attempt[:9]),
        scheduled_for=_to_time(given.get("millrace-scheduled-for")),
        group=_decode(given.get("millrace-group")),
        body=body,
    )


def verify_job(
    request: Any,
    secret: Union[str, Iterable[str]],
    *,
    tolerance: float = TOLERANCE,
    now: Optional[float] = None,
) -> VerifiedJob:
    """Returns the job of a request of Flask or Django. Raises WebhookVerificationError if the signature is invalid.

    In FastAPI and Starlette, use verify_job_async. In other frameworks, use `jobs.verify`.
    """
    if callable(getattr(request, "get_data", None)):  # Flask and Werkzeug
        payload = request.get_data(cache=True)
    else:
        payload = getattr(request, "body", None)  # Django
    if not isinstance(payload, (bytes, str)):
        raise TypeError("The request has no body as bytes. Use verify_job_async or jobs.verify.")
    return verify(payload, dict(request.headers.items()), secret, tolerance=tolerance, now=now)


async def verify_job_async(
    request: Any,
    secret: Union[str, Iterable[str]],
    *,
    tolerance: float = TOLERANCE,
    now: Optional[float] = None,
) -> VerifiedJob:
    """Returns the job of a request of FastAPI, Starlette, Quart or asynchronous Django. Raises WebhookVerificationError
    if the signature is invalid."""
    read = getattr(request, "get_data", None) or getattr(request, "body", None)
    payload = read() if callable(read) else read
    if inspect.isawaitable(payload):
        payload = await payload
    if not isinstance(payload, (bytes, str)):
        raise TypeError("The request has no body as bytes. Call jobs.verify(payload, headers, secret).")
    return verify(payload, dict(request.headers.items()), secret, tolerance=tolerance, now=now)


def _decode(text: Optional[str]) -> Optional[str]:
    return None if text is None else unquote(text)


def _to_time(text: Optional[str]) -> Optional[datetime]:
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None
    except ValueError:
        return None
