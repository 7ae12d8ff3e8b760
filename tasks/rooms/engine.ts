import type { z } from 'zod'
import type { Broadcast, EndReason } from '#sql/rooms/broadcasts.ts'
import type { LeftReason, Participant, Role, ParticipantRequest as WishRow } from '#sql/rooms/participants.ts'
import type { Room, Settings, SettingsChange } from '#sql/rooms/rooms.ts'
import type { Waiting, WaitingState } from '#sql/rooms/waiting.ts'
import type { KeepChunk, RecordingStart } from '../live/engine.ts'
import type { RoomClaims } from './rules/room-token.ts'

/** Types that signalling uses. */
export { Kind, Role, Track } from '#sql/rooms/participants.ts'
export { ChatRule, Layout } from '#sql/rooms/rooms.ts'

/** A change that the API requests for a participant. */
export type Wish = z.infer<typeof WishRow>

/** Whether a room is broadcast to a live channel, sent to its own targets, and recorded. */
export interface RoomAir {
  broadcast: boolean
  restreamed: boolean
  recording: boolean
}

export interface RoomState {
  hasEnded: boolean
  air: RoomAir
  settings: Settings
  wishes: readonly Wish[]
  /** Decisions on people who wait with this worker. */
  waiting: readonly z.infer<typeof WaitingState>[]
}

/** Assignment of rooms to workers. A worker has a room as long as its lease is valid. */
export interface RoomHosting {
  /** Calls back with the ID of each room for which the API requests a change. */
  watch(onChange: (roomId: string) => void): { close(): Promise<void> }
  /** Registers this worker, or updates its `load`: the number of participants in its rooms. */
  offer(gatewayUrl: string, load: number): Promise<void>
  /** Unregisters this worker and releases its rooms. */
  withdraw(): Promise<void>
  /**
   * Claims a room. Returns undefined while another worker has it, while this worker has no lease, or if the room has
   * ended.
   */
  claim(roomId: string, gatewayUrl: string): Promise<Room | undefined>
  /**
   * Records which rooms were compared with the media server. Returns the open rooms that still belong to this worker.
   */
  renew(rooms: { open: readonly string[]; reconciled: readonly string[] }): Promise<ReadonlySet<string>>
  release(roomId: string): Promise<void>
  /** Releases all rooms of this worker except these. */
  releaseOthers(heldRoomIds: readonly string[]): Promise<void>
  hasEnded(roomId: string): Promise<boolean>
  /** Returns rooms with a broadcast that no worker has opened and that this worker may open. */
  listWaiting(): Promise<readonly string[]>
  read(roomIds: readonly string[]): Promise<ReadonlyMap<string, RoomState>>
  /** Ends rooms that stay empty, and removes participants of dead workers. */
  sweep(): Promise<void>
}

/** Reason why a person cannot join. */
export interface EntryRefusal {
  code: 'token' | 'roomEnded' | 'roomFull' | 'kicked' | 'goingAway'
  reason: string
}

/**
 * A person who must wait, with the claims of their token. The token was valid when they arrived, which is sufficient
 * when they are admitted later.
 */
export interface WaitingEntry {
  waiting: Waiting
  claims: RoomClaims
}

/** Participants in the rooms of a worker. */
export interface RoomPresence {
  /** Lets a person join with a token. Opens the room when the person may join. */
  admit<Opened>(
    roomId: string,
    token: string,
    open: () => Promise<Opened | undefined>,
  ): Promise<{ opened: Opened; participant: Participant } | ({ opened: Opened } & WaitingEntry) | EntryRefusal>
  /** Lets a person join who has waited. */
  letIn(claims: RoomClaims): Promise<Participant | EntryRefusal>
  /** Records that a person no longer waits. */
  endWait(connectionId: string): Promise<void>
  /** Stores the tracks that a participant publishes. */
  update(connection: Pick<Participant, 'connection_id' | 'state' | 'tracks'>): Promise<void>
  /** Records that requested mutes of a connection are done. */
  clearMute(connectionId: string): Promise<void>
  leave(connectionId: string, reason: z.infer<typeof LeftReason>): Promise<void>
}

/** The database is unavailable, and the moderation action was not stored. */
export class NotWritten extends Error {
  override name = 'NotWritten'
}

/**
 * Moderation actions of hosts. They are stored, so that they outlast the connection. Throws `NotWritten` while the
 * database is unavailable.
 */
export interface RoomModeration {
  kick(participant: Participant): Promise<void>
  setRole(participant: Participant, role: z.infer<typeof Role>): Promise<void>
  /** Admits or rejects a person who waits. Returns false if it was already decided, or if the person has left. */
  decide(waiting: Waiting, decision: 'admitted' | 'refused'): Promise<boolean>
  /** Changes the settings. Its worker receives them like a change through the API. */
  set(roomId: string, settings: SettingsChange): Promise<void>
  /** Ends a room. All workers are notified. */
  end(roomId: string): Promise<void>
}

/** State of a room's broadcast on its worker. */
export interface BroadcastAttempt {
  /** Milliseconds since 1970. */
  since: number
  isPublished: boolean
  /** Error message of the last refusal by ingest, or empty. */
  failure: string
}

/** Reason why a broadcast ended, with a message if it failed. */
export interface BroadcastEnd {
  reason: EndReason
  message?: string
}

export interface RoomBroadcasts {
  findOpen(roomId: string): Promise<Broadcast | null>
  /** Returns the stream key, or null if it cannot be decrypted. */
  keyOf(broadcast: Broadcast): string | null
  /** Returns the reason why the broadcast has ended, or undefined. */
  whyOver(broadcast: Broadcast, attempt: BroadcastAttempt): Promise<BroadcastEnd | undefined>
  /** Marks a published broadcast as live when its channel is live. */
  follow(broadcast: Broadcast): Promise<void>
  end(broadcast: Broadcast, end: BroadcastEnd): Promise<void>
}

export interface RoomRecordings {
  /** Returns the open recording of a room, or creates one. */
  open(room: { id: string; orgId: string }): Promise<{ id: string; start: RecordingStart; keep: KeepChunk }>
  /** Ends this recording, or the open one of the room, and enqueues the job for its asset. */
  close(roomId: string, recordingId: string | undefined): Promise<void>
}
