"""Sources of uploads: a path, an open file, or bytes."""

from __future__ import annotations

import hashlib
import os
import threading
from typing import BinaryIO, Callable, Optional, Union

#: A source: a path, bytes, or an open seekable binary file.
Uploadable = Union[str, "os.PathLike[str]", bytes, BinaryIO]

#: Called with the number of sent bytes and of all bytes.
OnProgress = Callable[[int, int], None]

_BLOCK = 1024 * 1024


class Source:
    """Bytes that can be read at any position, from several threads."""

    def __init__(self, given: Uploadable) -> None:
        self._lock = threading.Lock()
        self._bytes: Optional[bytes] = None
        self._file: Optional[BinaryIO] = None
        self._owned = False
        self._start = 0
        self.name: Optional[str] = None
        if isinstance(given, (bytes, bytearray, memoryview)):
            self._bytes = bytes(given)
            self.size = len(self._bytes)
            return
        if isinstance(given, (str, os.PathLike)):
            self._file = open(given, "rb")
            self._owned = True
            self.name = os.path.basename(os.fspath(given))
        else:
            self._file = given
            name = getattr(given, "name", None)
            self.name = os.path.basename(name) if isinstance(name, str) else None
            self._start = given.tell()
        self.size = self._file.seek(0, os.SEEK_END) - self._start

    def read(self, offset: int, length: int) -> bytes:
        """Returns exactly these bytes. Raises ValueError if the source has become shorter."""
        if self._bytes is not None:
            return self._bytes[offset : offset + length]
        assert self._file is not None
        with self._lock:
            self._file.seek(self._start + offset)
            data = self._file.read(length)
        if len(data) != length:
            raise ValueError(f"{self.name or 'The source'} became shorter during the upload.")
        return data

    def sha256(self) -> str:
        """Returns the SHA-256 of all bytes in hex."""
        digest = hashlib.sha256()
        for offset in range(0, self.size, _BLOCK):
            digest.update(self.read(offset, min(_BLOCK, self.size - offset)))
        return digest.hexdigest()

    def close(self) -> None:
        if self._owned and self._file is not None:
            self._file.close()


class Progress:
    """Counts sent bytes from several threads."""

    def __init__(self, total: int, tell: Optional[OnProgress]) -> None:
        self._lock = threading.Lock()
        self._sent = 0
        self._total = total
        self._tell = tell

    def add(self, count: int) -> None:
        with self._lock:
            self._sent += count
            if self._tell is not None:
                self._tell(self._sent, self._total)

    def restart(self, sent: int = 0) -> None:
        """Resets the count to the bytes that storage already has."""
        with self._lock:
            self._sent = sent
            if sent and self._tell is not None:
                self._tell(sent, self._total)
