import type { z } from 'zod'
import type { Broadcast, EndReason } from '#sql/rooms/broadcasts.ts'
import type { LeftReason, Participant, Role, ParticipantRequest as WishRow } from '#sql/rooms/participants.ts'
import type { Room, Settings, SettingsChange } from '#sql/rooms/rooms.ts'
import type { Waiting, WaitingState } from '#sql/rooms/waiting.ts'
import type { KeepChunk, RecordingStart } from '../live/engine.ts'
import type { RoomClaims } from './rules/room-token.ts'

/** Roles, kinds of media and tracks, as signalling names them. */
export { Kind, Role, Track } from '#sql/rooms/participants.ts'
export { ChatRule, Layout } from '#sql/rooms/rooms.ts'

/** What the API wants of somebody who is in. */
export type Wish = z.infer<typeof WishRow>

/** Whether a room is on the air, by a live channel and by targets of its own, and recorded. */
export interface RoomAir {
  broadcast: boolean
  restreamed: boolean
  recording: boolean
}

/** Where a worker's rooms stand. */
export interface RoomState {
  hasEnded: boolean
  air: RoomAir
  settings: Settings
  wishes: readonly Wish[]
  /** What was decided of those who wait with this worker. */
  waiting: readonly z.infer<typeof WaitingState>[]
}

/** Which rooms a worker has. It has a room for as long as its lease holds. */
export interface RoomHosting {
  /** Calls back with the id of each room about which the API wants something. */
  watch(onChange: (roomId: string) => void): { close(): Promise<void> }
  /** Says that this worker takes rooms, or goes on to; `load` is how many are in those that it has. */
  offer(gatewayUrl: string, load: number): Promise<void>
  /** Takes no rooms any more, and gives up those that it has. */
  withdraw(): Promise<void>
  /** Takes a room; undefined while another worker has it, while this one has no lease, or when it has ended. */
  claim(roomId: string, gatewayUrl: string): Promise<Room | undefined>
  /** Notes which rooms were compared with the media server; returns those open ones that are still this worker's. */
  renew(rooms: { open: readonly string[]; reconciled: readonly string[] }): Promise<ReadonlySet<string>>
  release(roomId: string): Promise<void>
  /** Gives up all rooms on record but those that this worker has. */
  releaseOthers(heldRoomIds: readonly string[]): Promise<void>
  hasEnded(roomId: string): Promise<boolean>
  /** Rooms on the air that nobody has opened and this worker may. */
  listWaiting(): Promise<readonly string[]>
  read(roomIds: readonly string[]): Promise<ReadonlyMap<string, RoomState>>
  /** Ends what dead workers left, and rooms that stay empty. */
  sweep(): Promise<void>
}

/** Why somebody is not let in. */
export interface EntryRefusal {
  code: 'token' | 'roomEnded' | 'roomFull' | 'kicked' | 'goingAway'
  reason: string
}

/** Somebody who is to wait, with what their token says: it held as they came, which is enough once they are let in. */
export interface WaitingEntry {
  waiting: Waiting
  claims: RoomClaims
}

/** Who is in the rooms of a worker. */
export interface RoomPresence {
  /** Lets somebody in by their token; the room is opened once they may come. */
  admit<Opened>(
    roomId: string,
    token: string,
    open: () => Promise<Opened | undefined>,
  ): Promise<{ opened: Opened; participant: Participant } | ({ opened: Opened } & WaitingEntry) | EntryRefusal>
  /** Lets one in who has waited. */
  letIn(claims: RoomClaims): Promise<Participant | EntryRefusal>
  /** Notes that somebody's wait is over, however it ended. */
  endWait(connectionId: string): Promise<void>
  /** Notes what somebody publishes. */
  update(connection: Pick<Participant, 'connection_id' | 'state' | 'tracks'>): Promise<void>
  /** Notes that wishes to mute a connection were met. */
  clearMute(connectionId: string): Promise<void>
  leave(connectionId: string, reason: z.infer<typeof LeftReason>): Promise<void>
}

/** The database is away: nothing was moderated. */
export class NotWritten extends Error {
  override name = 'NotWritten'
}

/** What hosts do to others, written down so that it outlasts the connection; throws `NotWritten` while that cannot be. */
export interface RoomModeration {
  kick(participant: Participant): Promise<void>
  setRole(participant: Participant, role: z.infer<typeof Role>): Promise<void>
  /** Decides of one who waits; false when it was decided, or they are gone. */
  decide(waiting: Waiting, decision: 'admitted' | 'refused'): Promise<boolean>
  /** Sets the room anew; it comes to its worker like what the API sets. */
  set(roomId: string, settings: SettingsChange): Promise<void>
  /** Ends a room for everybody; that it has ended comes to all workers. */
  end(roomId: string): Promise<void>
}

/** How the publication of a room's picture goes on its worker. */
export interface BroadcastAttempt {
  /** Milliseconds since 1970. */
  since: number
  isPublished: boolean
  /** Why ingest did not take it the last time; empty if that never was. */
  failure: string
}

/** Why a room's broadcast is over, with a sentence when it failed. */
export interface BroadcastEnd {
  reason: EndReason
  message?: string
}

/** The broadcasts of rooms. */
export interface RoomBroadcasts {
  /** The room's that is under way. */
  findOpen(roomId: string): Promise<Broadcast | null>
  /** Its stream key; null when that cannot be opened. */
  keyOf(broadcast: Broadcast): string | null
  /** Why it is over, if it is. */
  whyOver(broadcast: Broadcast, attempt: BroadcastAttempt): Promise<BroadcastEnd | undefined>
  /** Notes that one that is published can be watched, once its channel can. */
  follow(broadcast: Broadcast): Promise<void>
  end(broadcast: Broadcast, end: BroadcastEnd): Promise<void>
}

/** The recordings of rooms. */
export interface RoomRecordings {
  /** The room's that is under way, or a new one. */
  open(room: { id: string; orgId: string }): Promise<{ id: string; start: RecordingStart; keep: KeepChunk }>
  /** Ends one, or the room's that is under way, and has an asset made of it. */
  close(roomId: string, recordingId: string | undefined): Promise<void>
}
