"""Retries: which requests, and after how long."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Mapping, Optional

#: Maximum seconds of the first pause, and of any pause.
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0

#: If Retry-After is longer than this number of seconds, the error is raised immediately.
LONGEST_RETRY_AFTER = 60.0

#: Statuses of requests that were not executed.
_REFUSED = frozenset({429, 503})

#: 5xx statuses that a retry does not change.
_LASTING = frozenset({501, 505})


def is_worth_another_try(status: int, repeatable: bool) -> bool:
    """Returns True if a request can be retried after that status. `repeatable` means that it can safely be repeated."""
    return status in _REFUSED or (repeatable and status >= 500 and status not in _LASTING)


def pause_before(attempt: int, retry_after: Optional[float] = None) -> Optional[float]:
    """Returns the seconds to wait before retry number `attempt`, from 1. None if Retry-After is too long."""
    if retry_after is not None:
        # Slightly later, so that rejected clients do not retry at the same time.
        return retry_after + random.uniform(0, 0.25) if retry_after <= LONGEST_RETRY_AFTER else None
    limit = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1))
    return random.uniform(limit / 2, limit)


def retry_after_of(headers: Mapping[str, str]) -> Optional[float]:
    """Returns the seconds of the header Retry-After (RFC 9110 §10.2.3), or None without one."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, (at.astimezone(timezone.utc) - datetime.now(timezone.utc)).total_seconds())
