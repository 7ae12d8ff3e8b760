/** What somebody may do: hosts publish and moderate, participants publish, viewers watch. */
export type Role = 'host' | 'participant' | 'viewer'
export type Source = 'microphone' | 'camera' | 'screen'
export type Kind = 'audio' | 'video'
export type Layer = 'low' | 'middle' | 'high'
export type State = 'connecting' | 'joined' | 'reconnecting' | 'ended'

export interface Participant {
  participantId: string
  identity: string
  displayName: string
  role: Role
  state: 'joined' | 'publishing'
  /** ISO 8601. */
  since: string
  tracks: { kind: Kind; source: Source; muted: boolean }[]
}

export interface LocalParticipant extends Participant {
  can: { publish: boolean; moderate: boolean }
}

export interface RoomInfo {
  roomId: string
  name: string
  maxParticipants: number
  record: boolean
}

export interface JoinOptions {
  roomId: string
  /** A participant's token: `POST /v1/stream/rooms/{roomId}/tokens`. */
  token: string
  /** The API's origin; by default the one that served this file. */
  base?: string
  /** Leaves the room, or stops joining it. */
  signal?: AbortSignal
}

export interface CaptureOptions {
  deviceId?: string | undefined
  /** Height of the camera's picture; 720 unless said. */
  height?: number
}

export interface LocalTrack {
  /** Null while a camera or a screen is muted. */
  track: MediaStreamTrack | null
  muted: boolean
}

export interface RoomEvents {
  /** With the error that ended it, when it has ended. */
  state: { state: State; error?: RoomError }
  participant: { event: 'joined' | 'updated' | 'left'; participant: Participant; reason?: string }
  /** A track that comes; null when it is gone. */
  media: { participantId: string; source: Source; track: MediaStreamTrack | null }
  /** What this client sends has changed. */
  local: { source: Source }
  speaking: { participantId: string; speaking: boolean }
  /** A host has muted this client. */
  muted: { kind: Kind; by: string }
  role: { role: Role; can: LocalParticipant['can'] }
  air: { broadcast: boolean; recording: boolean }
  /** Something failed that does not end the room. */
  trouble: { error: RoomError }
}

/**
 * What went wrong. `code` is one of the API's, or: `token_invalid`, `forbidden`, `room_ended`, `room_full`, `replaced`, `kicked`,
 * `too_many_messages`, `unavailable` (once more in a moment), `left`, `network`, `timeout`, `media_lost` (it comes back by itself), `picture_too_large` (others see it, a broadcast or recording does not); of devices `device_refused`, `device_missing`, `device_busy`, `device_lost`,
 * `device_failed` (`details.source` says which).
 */
export declare class RoomError extends Error {
  readonly code: string
  readonly details: unknown
  /** Seconds, when the API has said when to come again. */
  readonly retryAfter: number | undefined
}

export declare class Room extends EventTarget {
  private constructor()
  readonly state: State
  readonly info: RoomInfo
  readonly self: LocalParticipant
  /** The others, by their participantId. */
  readonly participants: ReadonlyMap<string, Participant>
  /** Tracks that come, by participantId and then by source. */
  readonly media: ReadonlyMap<string, ReadonlyMap<Source, MediaStreamTrack>>
  /** What this client sends. */
  readonly local: ReadonlyMap<Source, LocalTrack>
  readonly air: { broadcast: boolean; recording: boolean }
  /** Captures a device and sends it; one that is sent gets another device or is unmuted. */
  start(source: Source, options?: CaptureOptions): Promise<void>
  /** Sends a track of your own as that source. */
  publish(source: Source, track: MediaStreamTrack): Promise<void>
  stop(source: Source): Promise<void>
  /** A muted camera is given back until it is unmuted. */
  setMuted(source: Source, muted: boolean): Promise<void>
  /** Which of the camera's layers is wanted, as by the size at which it is shown. */
  prefer(participantId: string, source: Source, layer: Layer): void
  kick(participantId: string): Promise<void>
  mute(participantId: string, kind?: Kind): Promise<void>
  setRole(participantId: string, role: Role): Promise<void>
  /** Ends the room for everybody; this and the three before it are for hosts. */
  end(): Promise<void>
  leave(): void
  stats(): Promise<{ sent: RTCStatsReport | undefined; received: RTCStatsReport | undefined }>
  addEventListener<Name extends keyof RoomEvents>(
    name: Name,
    listener: ((event: CustomEvent<RoomEvents[Name]>) => void) | null,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    name: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void
}

/** Joins a room; throws a `RoomError` when the token is refused or nobody answers. */
export declare function join(options: JoinOptions): Promise<Room>

export interface Device {
  deviceId: string
  /** Empty until the browser was allowed to use one of them. */
  label: string
}

/** Microphones, cameras and speakers of this machine. */
export declare function devices(): Promise<Record<'microphone' | 'camera' | 'speaker', Device[]>>
