"""Sends bytes to storage with URLs that the API has signed."""

from __future__ import annotations

from typing import AsyncIterator, Awaitable, Callable, Mapping, Tuple, Union

import httpx

from .._flavour import AsyncFlavour
from .._operation import connection_error
from .._retries import pause_before, retry_after_of
from ..errors import UploadError

#: Maximum attempts of one PUT.
TRIES = 6

#: Statuses after which a retry may succeed. 403 means that the signature has expired.
_PASSING = frozenset({403, 408, 429, 500, 502, 503, 504})

#: A PUT: URL, additional headers and bytes.
Put = Tuple[str, Mapping[str, str], Union[bytes, AsyncIterator[bytes]]]


async def store(http: httpx.AsyncClient, upload_id: str, timeout: float, make: Callable[[bool], Awaitable[Put]]) -> None:
    """Sends a PUT until it succeeds. Calls `make` for each attempt, with True if the URL must be signed again."""
    signature_is_over, pause = False, 0.0
    for attempt in range(1, TRIES + 1):
        url, headers, content = await make(signature_is_over)
        try:
            response = await http.put(url, headers=headers, content=content, timeout=timeout)
        except httpx.TransportError as failure:
            reason = str(connection_error(failure))
            pause = pause_before(attempt) or 0.0
        else:
            if response.is_success:
                return
            reason = f"Storage returned {response.status_code}."
            if response.status_code not in _PASSING:
                break
            signature_is_over = response.status_code == 403
            pause = 0.0 if signature_is_over else pause_before(attempt, retry_after_of(response.headers)) or 0.0
        if attempt < TRIES:
            await AsyncFlavour.pause(pause)
    raise UploadError(reason, upload_id)
