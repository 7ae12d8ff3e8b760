# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import rooms as rooms_types
from ..caller import Caller
from ..pages import Page


class RoomsBroadcasts:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def read(
        self,
        room_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.Broadcast:
        """State of a room’s broadcast.

        The last one, also when it is over.
        """
        return self._caller.call(
            operations.ROOMS_BROADCASTS_READ,
            (room_id,),
            {},
            timeout=timeout,
        )

    def start(
        self,
        room_id: str,
        /,
        *,
        channelId: str,
        streamKey: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> rooms_types.Broadcast:
        """Broadcast a room to a live channel.

        Composes one picture and one sound of all who publish and sends them to the channel with its stream key, as an encoder would. People come and go without a gap; while nobody publishes, the room’s name is shown. It begins at once and ends with the room.

        streamKey: The primary or the backup key of the channel
        """
        return self._caller.call(
            operations.ROOMS_BROADCASTS_START,
            (room_id,),
            {
                "channelId": channelId,
                "streamKey": streamKey,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def stop(
        self,
        room_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.Broadcast:
        """Stop a room’s broadcast.

        The room stays open. The broadcast ends when the live channel has received the last frame.
        """
        return self._caller.call(
            operations.ROOMS_BROADCASTS_STOP,
            (room_id,),
            {},
            timeout=timeout,
        )


class RoomsRestreams:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        room_id: str,
        /,
        *,
        name: str,
        url: str,
        streamKey: str,
        enabled: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> rooms_types.Restream:
        """Broadcast a room to a server of RTMP.

        Composes one picture and one sound of all who publish and sends them to the target, beside a live channel or without one. It begins at once unless `enabled` is false, also while nobody is in the room, and ends with the room, which forgets the key. A room has 3 targets at most, and as many rooms may have enabled ones as the plan has live channels.

        url: `rtmp://…` or `rtmps://…` with the application and without the stream key
        streamKey: Sealed as soon as it is here, and never shown
        """
        return self._caller.call(
            operations.ROOMS_RESTREAMS_CREATE,
            (room_id,),
            {
                "name": name,
                "url": url,
                "streamKey": streamKey,
                "enabled": enabled,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        room_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[rooms_types.Restream]:
        """List the servers of RTMP that a room is broadcast to, each with its state.

        Returns the servers to which the room is also broadcast. Stream keys in their URLs are masked.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.ROOMS_RESTREAMS_LIST,
            (room_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read(
        self,
        room_id: str,
        restream_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.Restream:
        """Status of a server of RTMP that a room is broadcast to.

        Returns the state of the target and the last error. The stream key in its URL is masked.
        """
        return self._caller.call(
            operations.ROOMS_RESTREAMS_READ,
            (room_id, restream_id,),
            {},
            timeout=timeout,
        )

    def remove(
        self,
        room_id: str,
        restream_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.RestreamsRemoveReply:
        """Broadcast a room to a server of RTMP no longer.

        The room is no longer broadcast to the target.
        """
        return self._caller.call(
            operations.ROOMS_RESTREAMS_REMOVE,
            (room_id, restream_id,),
            {},
            timeout=timeout,
        )

    def update(
        self,
        room_id: str,
        restream_id: str,
        /,
        *,
        name: str | Unset = UNSET,
        url: str | Unset = UNSET,
        streamKey: str | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> rooms_types.Restream:
        """Change a server of RTMP that a room is broadcast to.

        Holds within two seconds, also while the room is on the air; `enabled: false` ends what the target gets, `true` begins it.

        url: `rtmp://…` or `rtmps://…` with the application and without the stream key
        streamKey: Sealed as soon as it is here, and never shown
        """
        return self._caller.call(
            operations.ROOMS_RESTREAMS_UPDATE,
            (room_id, restream_id,),
            {
                "name": name,
                "url": url,
                "streamKey": streamKey,
                "enabled": enabled,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class RoomsRecordings:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        room_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.RecordingsListReply:
        """Recordings of a room, newest first.

        A room that was made with `record` is recorded while somebody publishes; when it ends, that becomes an asset.
        """
        return self._caller.call(
            operations.ROOMS_RECORDINGS_LIST,
            (room_id,),
            {},
            timeout=timeout,
        )


class RoomsTokens:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def issue(
        self,
        room_id: str,
        /,
        *,
        identity: str,
        displayName: str | Unset = UNSET,
        role: Literal["host", "participant", "viewer"] | Unset = UNSET,
        ttlSeconds: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> rooms_types.Token:
        """Issue a join token for a participant.

        One for each person; give it to nobody else. Who joins again under the same `identity` replaces their former connection. A `host` publishes and moderates, a `participant` publishes, a `viewer` only watches.

        identity: Who this is to you, such as the id of your user
        displayName: What others are shown; default: the identity
        ttlSeconds: It lets in until then; who is in stays
        """
        return self._caller.call(
            operations.ROOMS_TOKENS_ISSUE,
            (room_id,),
            {
                "identity": identity,
                "displayName": displayName,
                "role": role,
                "ttlSeconds": ttlSeconds,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class RoomsParticipants:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def kick(
        self,
        room_id: str,
        participant_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.ParticipantsKickReply:
        """Remove a participant from a room.

        They are disconnected, and the token with which they came lets them in no more; a new one does.
        """
        return self._caller.call(
            operations.ROOMS_PARTICIPANTS_KICK,
            (room_id, participant_id,),
            {},
            timeout=timeout,
        )

    def set_role(
        self,
        room_id: str,
        participant_id: str,
        /,
        *,
        role: Literal["host", "participant", "viewer"],
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> rooms_types.Participant:
        """Change the role of a participant.

        Who becomes a `viewer` is cut off from publishing. It holds for the token with which they came.
        """
        return self._caller.call(
            operations.ROOMS_PARTICIPANTS_SETROLE,
            (room_id, participant_id,),
            {
                "role": role,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        room_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.ParticipantsListReply:
        """Participants of a room, reconciled against the media server.

        Returns the people who are connected now, with their tracks.
        """
        return self._caller.call(
            operations.ROOMS_PARTICIPANTS_LIST,
            (room_id,),
            {},
            timeout=timeout,
        )

    def mute(
        self,
        room_id: str,
        participant_id: str,
        /,
        *,
        kinds: List[Literal["audio", "video"]] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> rooms_types.ParticipantsMuteReply:
        """Mute a participant.

        They are told, and can unmute themselves.
        """
        return self._caller.call(
            operations.ROOMS_PARTICIPANTS_MUTE,
            (room_id, participant_id,),
            {
                "kinds": kinds,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class RoomsWaiting:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def admit(
        self,
        room_id: str,
        waiting_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.WaitingAdmitReply:
        """Let somebody in who waits.

        With the same token they come back without waiting.
        """
        return self._caller.call(
            operations.ROOMS_WAITING_ADMIT,
            (room_id, waiting_id,),
            {},
            timeout=timeout,
        )

    def list(
        self,
        room_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.WaitingListReply:
        """Who waits to be let into a room.

        In the order in which they came, at most 200.
        """
        return self._caller.call(
            operations.ROOMS_WAITING_LIST,
            (room_id,),
            {},
            timeout=timeout,
        )

    def refuse(
        self,
        room_id: str,
        waiting_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.WaitingRefuseReply:
        """Send somebody away who waits.

        Their token lets them in no more; a new one has them wait again.
        """
        return self._caller.call(
            operations.ROOMS_WAITING_REFUSE,
            (room_id, waiting_id,),
            {},
            timeout=timeout,
        )


class Rooms:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.broadcasts = RoomsBroadcasts(caller)
        self.restreams = RoomsRestreams(caller)
        self.recordings = RoomsRecordings(caller)
        self.tokens = RoomsTokens(caller)
        self.participants = RoomsParticipants(caller)
        self.waiting = RoomsWaiting(caller)

    def create(
        self,
        *,
        name: str,
        maxParticipants: int | Unset = UNSET,
        record: bool | Unset = UNSET,
        emptyTimeoutSeconds: int | Unset = UNSET,
        chat: Literal["all", "publishers", "off"] | Unset = UNSET,
        waitingRoom: bool | Unset = UNSET,
        layout: Literal["grid", "speaker", "screen"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> rooms_types.Room:
        """Create an interactive room.

        People come in with a token each: `POST /v1/stream/rooms/{roomId}/tokens`.

        maxParticipants: Default, and at most: what the plan allows
        record: Make an asset of the room when it ends
        emptyTimeoutSeconds: The room ends when nobody has been in it for so long, also when nobody ever came
        chat: Who may write to others; `all` unless said
        waitingRoom: Whether whoever is no host waits until they are let in
        layout: How a broadcast or recording is laid out: all alike (`grid`, unless said), who spoke last large (`speaker`), or a shared screen large (`screen`)
        """
        return self._caller.call(
            operations.ROOMS_ROOMS_CREATE,
            (),
            {
                "name": name,
                "maxParticipants": maxParticipants,
                "record": record,
                "emptyTimeoutSeconds": emptyTimeoutSeconds,
                "chat": chat,
                "waitingRoom": waitingRoom,
                "layout": layout,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[rooms_types.Room]:
        """List rooms.

        Returns rooms with their state and the number of participants.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.ROOMS_ROOMS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def end(
        self,
        room_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.EndReply:
        """End a room.

        Everybody is disconnected, and its tokens let nobody in any more.
        """
        return self._caller.call(
            operations.ROOMS_ROOMS_END,
            (room_id,),
            {},
            timeout=timeout,
        )

    def read(
        self,
        room_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> rooms_types.Room:
        """Read a room.

        Returns the state of the room, its settings and the number of participants.
        """
        return self._caller.call(
            operations.ROOMS_ROOMS_READ,
            (room_id,),
            {},
            timeout=timeout,
        )

    def update(
        self,
        room_id: str,
        /,
        *,
        chat: Literal["all", "publishers", "off"] | Unset = UNSET,
        waitingRoom: bool | Unset = UNSET,
        layout: Literal["grid", "speaker", "screen"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> rooms_types.Room:
        """Change how a room is set.

        It holds from the next moment on: who is in is told, and a picture that is on the air is laid out anew. When the waiting room is closed, all who wait come in.

        chat: Who may write to others; `all` unless said
        waitingRoom: Whether whoever is no host waits until they are let in
        layout: How a broadcast or recording is laid out: all alike (`grid`, unless said), who spoke last large (`speaker`), or a shared screen large (`screen`)
        """
        return self._caller.call(
            operations.ROOMS_ROOMS_UPDATE,
            (room_id,),
            {
                "chat": chat,
                "waitingRoom": waitingRoom,
                "layout": layout,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )
