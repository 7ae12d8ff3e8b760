import type { RoomError } from './room-error.js'

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

export interface Device {
  deviceId: string
  /** Empty until the user allowed the browser to use one of the devices. */
  label: string
}

/** A room’s events, each with a `detail`. */
export interface RoomEventTarget extends EventTarget {
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
