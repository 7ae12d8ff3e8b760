"""When a request is sent again, and after how long."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Mapping, Optional

#: Seconds of the first pause at most, and of any pause.
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0

#: Seconds that the service may ask to wait: what asks for more is raised at once.
LONGEST_RETRY_AFTER = 60.0

#: Statuses that say that the request was not carried out.
_REFUSED = frozenset({429, 503})

#: Statuses of 5xx that another try does not change.
_LASTING = frozenset({501, 505})


def is_worth_another_try(status: int, repeatable: bool) -> bool:
    """Whether an answer of that status may be followed by the same request; `repeatable` says that twice is as good as once."""
    return status in _REFUSED or (repeatable and status >= 500 and status not in _LASTING)


def pause_before(attempt: int, retry_after: Optional[float] = None) -> Optional[float]:
    """Seconds to wait before repeat `attempt`, from 1; None when the service asks for more than is waited."""
    if retry_after is not None:
        # A little later, so that those who were refused together do not come back together.
        return retry_after + random.uniform(0, 0.25) if retry_after <= LONGEST_RETRY_AFTER else None
    return random.uniform(0, min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1)))


def retry_after_of(headers: Mapping[str, str]) -> Optional[float]:
    """Seconds that the header Retry-After asks to wait (RFC 9110 §10.2.3); None without one."""
    text = headers.get("retry-after", "").strip()
    if text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, (at.astimezone(timezone.utc) - datetime.now(timezone.utc)).total_seconds())
