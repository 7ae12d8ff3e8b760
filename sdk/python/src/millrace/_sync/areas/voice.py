# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import voice as voice_types
from ..caller import Caller
from ..pages import Page


class VoiceDids:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[voice_types.Did]:
        """List your phone numbers, newest first.

        Operators give numbers to organisations: `npx millrace voice add-number`.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.VOICE_DIDS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class VoiceStatus:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def read(
        self,
        *,
        timeout: float | None = None,
    ) -> voice_types.Status:
        """Whether calls can be made now.

        Returns whether a SIP trunk is available, the calls in progress and the capacity.
        """
        return self._caller.call(
            operations.VOICE_STATUS_READ,
            (),
            {},
            timeout=timeout,
        )


class VoiceClickToCall:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        from_: str,
        to: str,
        caller_id: str | Unset = UNSET,
        ring_timeout_seconds: int | Unset = UNSET,
        max_duration_seconds: int | Unset = UNSET,
        metadata: Dict[str, str] | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> voice_types.Call:
        """Connect two numbers.

        Calls `from`, then `to`, and connects the two. `from` hears nothing while `to` rings. The answer comes at once; `GET /calls/{call_id}` tells how it goes.

        from_: E.164; rings first
        to: E.164
        caller_id: One of your numbers, which both see; your oldest unless given
        ring_timeout_seconds: For each of the two
        """
        return self._caller.call(
            operations.VOICE_CLICK_TO_CALL_CREATE,
            (),
            {
                "from": from_,
                "to": to,
                "caller_id": caller_id,
                "ring_timeout_seconds": ring_timeout_seconds,
                "max_duration_seconds": max_duration_seconds,
                "metadata": metadata,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )


class VoiceCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def hang_up(
        self,
        call_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> voice_types.Call:
        """Hang a call up.

        A call that waits is over at once; both telephones of any other are hung up within a second. Repeating it changes nothing.
        """
        return self._caller.call(
            operations.VOICE_CALLS_HANGUP,
            (call_id,),
            {},
            timeout=timeout,
        )

    def read(
        self,
        call_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> voice_types.Call:
        """Read a call.

        Returns the call with the state of both legs and the reason of its end.
        """
        return self._caller.call(
            operations.VOICE_CALLS_READ,
            (call_id,),
            {},
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: Literal["queued", "initiated", "ringing", "in_progress", "completed", "busy", "no_answer", "failed", "canceled"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[voice_types.Call]:
        """List calls, newest first.

        Returns calls. `status` selects calls in one state.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.VOICE_CALLS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "status": status,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class Voice:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.dids = VoiceDids(caller)
        self.status = VoiceStatus(caller)
        self.click_to_call = VoiceClickToCall(caller)
        self.calls = VoiceCalls(caller)
