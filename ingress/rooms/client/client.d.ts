/** Hosts publish and moderate, participants publish, viewers only watch. */
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
  /** Time at which the hand was raised (ISO 8601). `null` if it is not raised. */
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
  /** Participants who can write: everyone, hosts and participants, or no one. */
  chat: 'all' | 'publishers' | 'off'
  /** Whether everyone except hosts waits until they are admitted. */
  waitingRoom: boolean
  /** Layout of a broadcast or recording. */
  layout: 'grid' | 'speaker' | 'screen'
}

export interface ChatMessage {
  messageId: string
  /** The `participantId` of the sender. */
  from: string
  name: string
  /** The `participantId` of the only recipient. Undefined if the message is for everyone. */
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
  /** Default: the room of the token. */
  roomId?: string | undefined
  /** Token of a participant, from `POST /v1/stream/rooms/{roomId}/tokens`. */
  token: string
  /** Origin of the API. Default: the origin that served this file. */
  base?: string | undefined
  /** Aborting it leaves the room, or stops joining it. */
  signal?: AbortSignal | undefined
  /** Called if a host must admit this client first. */
  onWaiting?: ((room: { roomId: string; name: string }) => void) | undefined
}

export interface CaptureOptions {
  deviceId?: string | undefined
  /** Height of the camera video in lines. Default: 720. */
  height?: number
}

export interface LocalTrack {
  /** `null` while a camera or a screen is muted. */
  track: MediaStreamTrack | null
  muted: boolean
}

export interface RoomEvents {
  /** `error` is set when the room has ended, and contains the reason. */
  state: { state: State; error?: RoomError }
  participant: { event: 'joined' | 'updated' | 'left'; participant: Participant; reason?: string }
  /** A received track. `null` when it has ended. */
  media: { participantId: string; source: Source; track: MediaStreamTrack | null }
  /** The media that this client sends has changed. */
  local: { source: Source }
  speaking: { participantId: string; speaking: boolean }
  /** A host muted this client. */
  muted: { kind: Kind; by: string }
  role: { role: Role; can: LocalParticipant['can'] }
  air: { broadcast: boolean; recording: boolean }
  chat: ChatMessage
  data: { from: string; to?: string; topic?: string; data: unknown }
  settings: Settings
  /** For hosts: everyone who waits, sent after each change. */
  waiting: { waiting: Waiting[] }
  /** An error that does not end the room. */
  trouble: { error: RoomError }
}

/**
 * `code` is an error code of the API, or one of: `token_invalid`, `forbidden`, `room_ended`, `room_full`, `replaced`, `kicked`, `refused`,
 * `too_many_messages`, `unavailable` (try again in a moment), `left`, `network`, `timeout`, `media_lost` (the client reconnects),
 * `picture_too_large` (participants see the video, a broadcast or recording does not contain it). Errors of devices have the codes
 * `device_refused`, `device_missing`, `device_busy`, `device_lost` and `device_failed`; `details.source` is the device.
 */
export declare class RoomError extends Error {
  readonly code: string
  readonly details: unknown
  /** Seconds after which to try again, if the API returned them. */
  readonly retryAfter: number | undefined
}

export declare class Room extends EventTarget {
  private constructor()
  readonly state: State
  readonly info: RoomInfo
  readonly self: LocalParticipant
  /** The other participants, by `participantId`. */
  readonly participants: ReadonlyMap<string, Participant>
  /** Received tracks, by `participantId` and then by source. */
  readonly media: ReadonlyMap<string, ReadonlyMap<Source, MediaStreamTrack>>
  /** Media that this client sends. */
  readonly local: ReadonlyMap<Source, LocalTrack>
  readonly air: { broadcast: boolean; recording: boolean }
  readonly settings: Settings
  /** The last messages to everyone or to this client. */
  readonly chat: readonly ChatMessage[]
  /** For hosts: people who wait to be admitted. */
  readonly waiting: readonly Waiting[]
  /** Captures a device and sends it. If the source is already sent, changes its device or unmutes it. */
  start(source: Source, options?: CaptureOptions): Promise<void>
  /** Sends your own track as this source. */
  publish(source: Source, track: MediaStreamTrack): Promise<void>
  stop(source: Source): Promise<void>
  /** Mutes or unmutes a source. A muted camera is released until it is unmuted. */
  setMuted(source: Source, muted: boolean): Promise<void>
  /**
   * Selects the layer of a video, for example by the size at which it is shown. With `none`, the video is not received until you select
   * another layer. The selection stays after a reconnect.
   */
  prefer(participantId: string, source: Source, layer: Layer): void
  /** Sends a chat message of up to 2,000 characters to everyone, or to one participant. */
  say(text: string, options?: { to?: string }): Promise<void>
  /** Sends a value of up to 8,192 characters of JSON to all other participants, or to one. It is not stored. */
  send(value: unknown, options?: { to?: string; topic?: string }): Promise<void>
  /** Raises or lowers the hand of this client. Hosts can lower the hand of other participants. */
  raiseHand(raised?: boolean, participantId?: string): Promise<void>
  kick(participantId: string): Promise<void>
  mute(participantId: string, kind?: Kind): Promise<void>
  setRole(participantId: string, role: Role): Promise<void>
  admit(waitingId: string): Promise<void>
  refuse(waitingId: string): Promise<void>
  set(settings: Partial<Settings>): Promise<void>
  /** Ends the room for everyone. This method and the six before it are for hosts. */
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

/** Joins a room. Throws a `RoomError` if the token is rejected or there is no response. */
export declare function join(options: JoinOptions): Promise<Room>

export interface Device {
  deviceId: string
  /** Empty until the user allowed the browser to use one of the devices. */
  label: string
}

/** Returns the microphones, cameras and speakers. */
export declare function devices(): Promise<Record<'microphone' | 'camera' | 'speaker', Device[]>>
