// Made by `npm run sdk` from the document of the API.

/** What somebody may do: hosts publish and moderate, participants publish, viewers watch. */
export type Role = 'host' | 'participant' | 'viewer'
export type Source = 'microphone' | 'camera' | 'screen'
export type Kind = 'audio' | 'video'
export type Layer = 'none' | 'low' | 'middle' | 'high'
export type State = 'connecting' | 'waiting' | 'joined' | 'reconnecting' | 'ended'

export interface Participant {
  participantId: string
  identity: string
  displayName: string
  role: Role
  state: 'joined' | 'publishing'
  /** ISO 8601. */
  since: string
  /** Since when their hand is raised, ISO 8601. */
  hand: string | null
  tracks: { kind: Kind; source: Source; muted: boolean }[]
}

export interface LocalParticipant extends Participant {
  can: { publish: boolean; moderate: boolean; chat: boolean }
}

export interface RoomInfo {
  roomId: string
  name: string
  maxParticipants: number
  record: boolean
}

export interface Settings {
  /** Who may write to others: all, hosts and participants, or nobody. */
  chat: 'all' | 'publishers' | 'off'
  /** Whether whoever is no host waits until they are let in. */
  waitingRoom: boolean
  /** How a broadcast or recording is laid out. */
  layout: 'grid' | 'speaker' | 'screen'
}

export interface ChatMessage {
  messageId: string
  /** The participantId of who wrote it. */
  from: string
  name: string
  /** Of whom it was written to alone; undefined when to all. */
  to?: string
  text: string
  /** ISO 8601. */
  at: string
}

export interface Waiting {
  waitingId: string
  identity: string
  displayName: string
  role: Role
  /** ISO 8601. */
  since: string
}

export interface JoinOptions {
  /** By default the room of the token. */
  roomId?: string | undefined
  /** A participant's token: `POST /v1/stream/rooms/{roomId}/tokens`. */
  token: string
  /** The API's origin; by default the one that served this file. */
  base?: string | undefined
  /** Leaves the room, or stops joining it. */
  signal?: AbortSignal | undefined
  /** Called when a host has to let this client in first. */
  onWaiting?: ((room: { roomId: string; name: string }) => void) | undefined
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
  chat: ChatMessage
  data: { from: string; to?: string; topic?: string; data: unknown }
  settings: Settings
  /** For hosts: all who wait, each time that it changes. */
  waiting: { waiting: Waiting[] }
  /** Something failed that does not end the room. */
  trouble: { error: RoomError }
}

/**
 * What went wrong. `code` is one of the API's, or: `token_invalid`, `forbidden`, `room_ended`, `room_full`, `replaced`, `kicked`, `refused`,
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
  readonly settings: Settings
  /** The last that was written to all or to this client. */
  readonly chat: readonly ChatMessage[]
  /** For hosts: who waits to be let in. */
  readonly waiting: readonly Waiting[]
  /** Captures a device and sends it; one that is sent gets another device or is unmuted. */
  start(source: Source, options?: CaptureOptions): Promise<void>
  /** Sends a track of your own as that source. */
  publish(source: Source, track: MediaStreamTrack): Promise<void>
  stop(source: Source): Promise<void>
  /** A muted camera is given back until it is unmuted. */
  setMuted(source: Source, muted: boolean): Promise<void>
  /**
   * Which layer of a picture is wanted, as by the size at which it is shown; `none` while it is not: nothing of it comes until another is
   * wanted. It holds until it is said anew, also when the connection comes back.
   */
  prefer(participantId: string, source: Source, layer: Layer): void
  /** Writes at most 2,000 characters to all, or to one. */
  say(text: string, options?: { to?: string }): Promise<void>
  /** Sends a value of at most 8,192 characters of JSON to all others, or to one; nothing of it is kept. */
  send(value: unknown, options?: { to?: string; topic?: string }): Promise<void>
  /** Raises or lowers one's own hand; hosts lower those of others. */
  raiseHand(raised?: boolean, participantId?: string): Promise<void>
  kick(participantId: string): Promise<void>
  mute(participantId: string, kind?: Kind): Promise<void>
  setRole(participantId: string, role: Role): Promise<void>
  admit(waitingId: string): Promise<void>
  refuse(waitingId: string): Promise<void>
  set(settings: Partial<Settings>): Promise<void>
  /** Ends the room for everybody; this and the six before it are for hosts. */
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

type Global<Name extends string> = typeof globalThis extends { [Key in Name]: { prototype: infer Instance } } ? Instance : unknown
type MediaStreamTrack = Global<'MediaStreamTrack'>
type RTCStatsReport = Global<'RTCStatsReport'>
type Listening = Parameters<EventTarget['addEventListener']>
type EventListenerOrEventListenerObject = Listening[1]
type AddEventListenerOptions = Exclude<Listening[2], boolean | undefined>
