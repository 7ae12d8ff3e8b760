import type { z } from 'zod'
import type { Broadcast, EndReason } from '#sql/rooms/broadcasts.ts'
import type { LeftReason, Participant, Role, ParticipantRequest as WishRow } from '#sql/rooms/participants.ts'
import type { Room, Settings, SettingsChange } from '#sql/rooms/rooms.ts'
import type { Waiting, WaitingState } from '#sql/rooms/waiting.ts'
import type { KeepChunk, RecordingStart } from '../live/engine.ts'
import type { RoomClaims } from './rules/room-token.ts'

export { Kind, Role, Track } from '#sql/rooms/participants.ts'
export { ChatRule, Layout } from '#sql/rooms/rooms.ts'

export type RequestedChange = z.infer<typeof WishRow>

export interface RoomAir {
  broadcast: boolean
  restreamed: boolean
  recording: boolean
}

export interface RoomState {
  hasEnded: boolean
  air: RoomAir
  settings: Settings
  wishes: readonly RequestedChange[]
  waiting: readonly z.infer<typeof WaitingState>[]
}

export interface RoomHosting {
  /** Calls back with the ID of each room for which the API requests a change. */
  watch(onChange: (roomId: string) => void): { close(): Promise<void> }
  /** Registers this worker, or updates its `load`: the number of participants in its rooms. */
  offer(gatewayUrl: string, load: number): Promise<void>
  withdraw(): Promise<void>
  /**
   * Claims a room. Returns undefined while another worker has it, while this worker has no lease, or if the room has
   * ended.
   */
  claim(roomId: string, gatewayUrl: string): Promise<Room | undefined>
  renew(rooms: { open: readonly string[]; reconciled: readonly string[] }): Promise<ReadonlySet<string>>
  release(roomId: string): Promise<void>
  releaseOthers(heldRoomIds: readonly string[]): Promise<void>
  hasEnded(roomId: string): Promise<boolean>
  listWaiting(): Promise<readonly string[]>
  read(roomIds: readonly string[]): Promise<ReadonlyMap<string, RoomState>>
  /** Ends rooms that stay empty, and removes participants of dead workers. */
  sweep(): Promise<void>
}

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

export interface RoomPresence {
  admit<Opened>(
    roomId: string,
    token: string,
    open: () => Promise<Opened | undefined>,
  ): Promise<{ opened: Opened; participant: Participant } | ({ opened: Opened } & WaitingEntry) | EntryRefusal>
  letIn(claims: RoomClaims): Promise<Participant | EntryRefusal>
  endWait(connectionId: string): Promise<void>
  update(connection: Pick<Participant, 'connection_id' | 'state' | 'tracks'>): Promise<void>
  clearMute(connectionId: string): Promise<void>
  leave(connectionId: string, reason: z.infer<typeof LeftReason>): Promise<void>
}

/** Thrown if the database is unavailable and the moderation action was not stored. */
export class NotStoredError extends Error {
  override name = 'NotStoredError'
}

/**
 * Moderation actions of hosts. They are stored, so that they outlast the connection. Throws `NotStoredError` while the
 * database is unavailable.
 */
export interface RoomModeration {
  kick(participant: Participant): Promise<void>
  setRole(participant: Participant, role: z.infer<typeof Role>): Promise<void>
  /** Admits or rejects a person who waits. Returns false if a decision already exists, or if the person has left. */
  decide(waiting: Waiting, decision: 'admitted' | 'refused'): Promise<boolean>
  /** Changes the settings. Its worker receives them like a change through the API. */
  set(roomId: string, settings: SettingsChange): Promise<void>
  end(roomId: string): Promise<void>
}

export interface BroadcastAttempt {
  /** Milliseconds since 1970. */
  since: number
  isPublished: boolean
  /** Error message of the last refusal by ingest, or empty. */
  failure: string
}

export interface BroadcastEnd {
  reason: EndReason
  message?: string
}

export interface RoomBroadcasts {
  findOpen(roomId: string): Promise<Broadcast | null>
  /** Returns the stream key, or null if it cannot be decrypted. */
  keyOf(broadcast: Broadcast): string | null
  whyOver(broadcast: Broadcast, attempt: BroadcastAttempt): Promise<BroadcastEnd | undefined>
  /** Marks a published broadcast as live when its channel is live. */
  follow(broadcast: Broadcast): Promise<void>
  end(broadcast: Broadcast, end: BroadcastEnd): Promise<void>
}

export interface RoomRecordings {
  open(room: { id: string; orgId: string }): Promise<{ id: string; start: RecordingStart; keep: KeepChunk }>
  /** Ends this recording, or the open one of the room, and enqueues the job for its asset. */
  close(roomId: string, recordingId: string | undefined): Promise<void>
}
