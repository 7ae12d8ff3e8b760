# Made by `npm run sdk` from its like in `_async`.
"""Sends bytes to storage, with URLs that the service has signed."""

from __future__ import annotations

from typing import Iterator, Callable, Mapping, Tuple, Union

import httpx

from .._flavour import Flavour
from .._operation import connection_error
from .._retries import pause_before, retry_after_of
from ..errors import UploadError

#: Tries of one PUT in all.
TRIES = 6

#: Statuses after which another try may help; 403 says that the signature is over.
_PASSING = frozenset({403, 408, 429, 500, 502, 503, 504})

#: What a PUT sends: the URL, the headers beyond those of HTTP itself, and the bytes.
Put = Tuple[str, Mapping[str, str], Union[bytes, Iterator[bytes]]]


def store(http: httpx.Client, upload_id: str, timeout: float, make: Callable[[bool], Put]) -> None:
    """PUTs until storage has it. `make` is asked anew for each try, and with True when the URL must be signed again."""
    signature_is_over, pause = False, 0.0
    for attempt in range(1, TRIES + 1):
        url, headers, content = make(signature_is_over)
        try:
            response = http.put(url, headers=headers, content=content, timeout=timeout)
        except httpx.TransportError as failure:
            reason = str(connection_error(failure))
            pause = pause_before(attempt) or 0.0
        else:
            if response.is_success:
                return
            reason = f"Storage answered {response.status_code}."
            if response.status_code not in _PASSING:
                break
            signature_is_over = response.status_code == 403
            pause = 0.0 if signature_is_over else pause_before(attempt, retry_after_of(response.headers)) or 0.0
        if attempt < TRIES:
            Flavour.pause(pause)
    raise UploadError(reason, upload_id)
