"""Solves the proof-of-work challenges of guard."""

from __future__ import annotations

import base64
import hashlib
import os
import struct
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, List, Optional, Union

from .types import guard as guard_types

#: A challenge from `client.guard.challenges.create`.
Challenge = Union[guard_types.ScryptChallenge, guard_types.Sha256Challenge]

#: Called with the progress from 0 to 1.
OnProgress = Callable[[float], None]


def solve(challenge: Challenge, *, threads: Optional[int] = None, on_progress: Optional[OnProgress] = None) -> str:
    """Returns the answer to a challenge, for `client.guard.answers.complete(challenge["id"], answer=…)`.

    Solving takes up to some seconds of CPU time. In asyncio, call it with `asyncio.to_thread`.

    threads: number of threads. Default: the number of processors, at most 4.
    """
    work = _scrypt_outputs if challenge["alg"] == "scrypt" else _sha256_counters
    at_once = threads if threads is not None else min(4, os.cpu_count() or 1)
    return work(challenge, max(1, at_once), on_progress or (lambda share: None))  # type: ignore[operator,no-any-return]


def _scrypt_outputs(challenge: guard_types.ScryptChallenge, threads: int, on_progress: OnProgress) -> str:
    salt = _bytes_of(challenge["nonce"])
    n, r, p, length = challenge["n"], challenge["r"], challenge["p"], challenge["key_length"]

    def find(index: int) -> bytes:
        puzzle = challenge["puzzles"][index]
        check = _bytes_of(puzzle["check"])
        for step in range(challenge["range"]):
            password = struct.pack(">HI", index, (puzzle["base"] + step) % 2**32)
            output = hashlib.scrypt(password, salt=salt, n=n, r=r, p=p, dklen=length)
            if output.startswith(check):
                return output[len(check) :]
        raise ValueError(f"Puzzle {index} of the challenge has no solution.")

    outputs = _all(find, len(challenge["puzzles"]), threads, on_progress)
    return _text_of(hashlib.sha256(b"".join(outputs)).digest())


def _sha256_counters(challenge: guard_types.Sha256Challenge, threads: int, on_progress: OnProgress) -> str:
    salt = hashlib.sha256(_bytes_of(challenge["nonce"]))
    limit = 1 << (256 - challenge["bits"])

    def find(index: int) -> bytes:
        begun = salt.copy()
        begun.update(struct.pack(">H", index))
        for counter in range(2**32):
            tried = begun.copy()
            tried.update(counter.to_bytes(4, "big"))
            if int.from_bytes(tried.digest(), "big") < limit:
                return counter.to_bytes(4, "big")
        raise ValueError(f"Puzzle {index} of the challenge has no solution.")

    # Short hashes keep the interpreter lock, so threads would not help.
    return _text_of(b"".join(_all(find, challenge["count"], 1, on_progress)))


def _all(find: Callable[[int], bytes], count: int, threads: int, on_progress: OnProgress) -> List[bytes]:
    found: List[bytes] = []
    with ThreadPoolExecutor(max_workers=threads) as pool:
        futures = [pool.submit(find, index) for index in range(count)]
        try:
            for future in futures:
                found.append(future.result())
                on_progress(len(found) / count)
        finally:
            for future in futures:
                future.cancel()
    return found


def _bytes_of(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
