"""Parses server-sent events (HTML standard §9.2.6)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, List, Optional

#: Maximum bytes of a line. Millrace sends no longer ones.
LONGEST_LINE = 16 * 1024 * 1024

#: Limits of the reconnection time that the server sends, in seconds.
SHORTEST_RETRY = 0.1
LONGEST_RETRY = 60.0


@dataclass(frozen=True)
class Event:
    """A server-sent event."""

    #: Event type.
    event: str
    #: Parsed JSON data, or the text if it is not JSON.
    data: Any
    #: ID to continue with after a lost connection.
    id: Optional[str]


class EventParser:
    """Parses events from bytes in arbitrary chunks."""

    def __init__(self) -> None:
        #: Reconnection time in seconds, once the server has sent it.
        self.retry: Optional[float] = None
        self.last_id: Optional[str] = None
        self._rest = bytearray()
        self._after_cr = False
        self._begun = False
        self._event = ""
        self._data: List[str] = []

    def feed(self, piece: bytes) -> List[Event]:
        """Returns the events that end in this chunk."""
        events: List[Event] = []
        for line in self._lines(piece):
            event = self._take(line.decode("utf-8", "replace"))
            if event is not None:
                events.append(event)
        return events

    def _lines(self, piece: bytes) -> List[bytes]:
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
        if piece:
            self._after_cr = piece.endswith(b"\r")
        self._rest += piece
        if b"\n" not in piece and b"\r" not in piece:
            if len(self._rest) > LONGEST_LINE:
                raise ValueError("A line of the event stream is too long.")
            return []
        *lines, rest = self._rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = bytearray(rest)
        if lines and not self._begun:
            self._begun = True
            lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
        return [bytes(line) for line in lines]

    def _take(self, line: str) -> Optional[Event]:
        if line == "":
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self.last_id = value
        elif name == "retry" and value.isascii() and value.isdigit() and len(value) < 10:
            self.retry = min(max(int(value) / 1000, SHORTEST_RETRY), LONGEST_RETRY)
        return None

    def _dispatch(self) -> Optional[Event]:
        kind, lines = self._event or "message", self._data
        self._event, self._data = "", []
        if not lines:
            return None
        text = "\n".join(lines)
        try:
            data = json.loads(text)
        except ValueError:
            data = text
        return Event(kind, data, self.last_id)
