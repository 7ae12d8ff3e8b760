"""Verifies webhooks (Standard Webhooks 1.0)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Iterable, Mapping, Optional, Union, cast

from ._known_events import KNOWN_EVENT_TYPES as _KNOWN_EVENT_TYPES
from ._known_events import KnownEvent as KnownEvent
from ._typing import TypedDict, TypeGuard
from .errors import WebhookVerificationError

#: Maximum seconds between the signature and this clock, in the past or future.
TOLERANCE = 300


class UnknownEvent(TypedDict):
    """An event of a later API version than this client."""

    type: str
    timestamp: str
    data: Dict[str, Any]


#: A webhook event. `is_known` distinguishes both.
WebhookEvent = Union[KnownEvent, UnknownEvent]


def is_known(event: WebhookEvent) -> TypeGuard[KnownEvent]:
    """Returns True if this version of the client knows the event type. Then `type` determines the type of `data`."""
    return event["type"] in _KNOWN_EVENT_TYPES


def verify(
    payload: Union[str, bytes],
    headers: Mapping[str, str],
    secret: Union[str, Iterable[str]],
    *,
    tolerance: float = TOLERANCE,
    now: Optional[float] = None,
) -> WebhookEvent:
    """Returns the event of a webhook with a valid signature. Raises WebhookVerificationError otherwise.

    payload: the unchanged body.
    headers: headers of the request. The case of names does not matter.
    secret: `whsec_…`, or both secrets during a rotation.
    now: time in seconds that replaces the clock.
    """
    body = payload.encode() if isinstance(payload, str) else bytes(payload)
    given = {name.lower(): value for name, value in headers.items()}
    check_signature(body, given, secret, tolerance=tolerance, now=now)
    try:
        return cast(WebhookEvent, json.loads(body))
    except ValueError:
        raise WebhookVerificationError("The webhook's body is not JSON.") from None


def check_signature(
    body: bytes,
    given: Mapping[str, str],
    secret: Union[str, Iterable[str]],
    *,
    tolerance: float,
    now: Optional[float],
) -> None:
    """Raises WebhookVerificationError unless the body was signed with the secret. `given` has names in lower case."""
    missing = [name for name in ("webhook-id", "webhook-timestamp", "webhook-signature") if not given.get(name)]
    if missing:
        raise WebhookVerificationError(f"The webhook does not have {', '.join(missing)}.")
    timestamp = given["webhook-timestamp"]
    _check_age(timestamp, tolerance, time.time() if now is None else now)
    signed = f"{given['webhook-id']}.{timestamp}.".encode() + body
    secrets = [secret] if isinstance(secret, str) else list(secret)
    expected = [hmac.new(_key_of(one), signed, hashlib.sha256).digest() for one in secrets]
    # Compares every pair, so that the duration does not show which one matched.
    matches = [hmac.compare_digest(one, shown) for one in expected for shown in _signatures(given["webhook-signature"])]
    if not any(matches):
        raise WebhookVerificationError("The webhook has no valid signature.")


def _check_age(timestamp: str, tolerance: float, now: float) -> None:
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 15):
        raise WebhookVerificationError("The webhook's timestamp is not a number of seconds.")
    age = now - int(timestamp)
    if age > tolerance:
        raise WebhookVerificationError("The webhook is too old.")
    if age < -tolerance:
        raise WebhookVerificationError("The webhook's timestamp is in the future.")


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("secret must be whsec_ followed by base64.")
    return key


def _signatures(header: str) -> list[bytes]:
    found = []
    for one in header.split(" "):
        version, _, text = one.partition(",")
        if version != "v1":
            continue
        try:
            found.append(base64.b64decode(text, validate=True))
        except (binascii.Error, ValueError):
            continue
    return found
