# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Dict, List, Literal, NotRequired, TypedDict


class Did(TypedDict):
    id: str
    number: str
    """E.164"""
    friendly_name: str
    country: str
    """ISO 3166-1, two letters"""
    type: Literal["local", "mobile", "toll_free"]
    capabilities: DidCapabilities
    status: Literal["active", "suspended"]
    created_at: str


class DidCapabilities(TypedDict):
    voice: bool
    sms: bool


class Status(TypedDict):
    status: Literal["ok", "degraded", "down"]
    """`degraded`: some trunk does not answer; `down`: none does, or there is none"""
    trunks: StatusTrunks
    active_calls: int
    """Calls of the organisation that are up or wait"""
    capacity: int
    """Calls that all workers together hold at once"""
    calls_per_second: float
    """Calls that all workers together begin a second"""


class StatusTrunks(TypedDict):
    known: int
    """Trunks that workers take calls to"""
    reachable: int
    """Those that answer"""
    last_checked_at: str | None
    """When one of them was asked last"""


Call = TypedDict(
    "Call",
    {
        "id": "str",
        "status": "Literal['queued', 'initiated', 'ringing', 'in_progress', 'completed', 'busy', 'no_answer', 'failed', 'canceled']",
        "from": "str",
        "to": "str",
        "caller_id": "str",
        "legs": "List[CallLegsItem]",
        "ring_timeout_seconds": "int",
        "max_duration_seconds": "int",
        "metadata": "Dict[str, str]",
        "reason": "str | None",
        "ended_by": "Literal['a', 'b', 'api', 'limit', 'platform'] | None",
        "hangup_requested_at": "str | None",
        "duration_seconds": "float | None",
        "created_at": "str",
        "answered_at": "str | None",
        "ended_at": "str | None",
        "sandbox": "NotRequired[Literal[True]]",
    },
)


class CallLegsItem(TypedDict):
    leg: Literal["a", "b"]
    number: str
    status: Literal["queued", "initiated", "ringing", "answered", "completed", "busy", "no_answer", "failed", "canceled"]
    sip_status: int | None
    """The final status of SIP to the call, as far as there is one"""
    ringing_at: str | None
    answered_at: str | None
    ended_at: str | None
