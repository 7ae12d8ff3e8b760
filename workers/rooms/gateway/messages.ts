import { z } from 'zod'
import { ChatRule, Kind, Layout, Role, Track } from '#tasks/rooms/engine.ts'
import type { IceServer } from '#tasks/rooms/rules/ice-servers.ts'
import type { Permissions } from '#tasks/rooms/rules/permissions.ts'

export const subprotocol = 'millrace.room.1'

/** Maximum length of a session description in characters. A subscription to a hundred streams has about this many. */
const longestSdp = 200_000

const id = z.union([z.string().min(1).max(64), z.number()])
const mid = z.string().min(1).max(32)
const sdp = z.string().startsWith('v=0').max(longestSdp)
const to = z.guid().optional()

/** `RTCIceCandidateInit`. */
const Candidate = z.strictObject({
  candidate: z.string().max(1024),
  sdpMid: z.string().max(32).nullish(),
  sdpMLineIndex: z.int().min(0).max(512).nullish(),
  usernameFragment: z.string().max(256).nullish(),
})

export const ClientMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('join'), token: z.string().min(1).max(4_096) }),
  z.strictObject({
    type: z.literal('publish'),
    id,
    sdp,
    tracks: z.array(z.strictObject({ mid, kind: Kind, source: Track.shape.source })).max(8),
  }),
  z.strictObject({ type: z.literal('unpublish'), id }),
  z.strictObject({ type: z.literal('answer'), sdp }),
  z.strictObject({
    type: z.literal('candidate'),
    connection: z.enum(['publisher', 'subscriber']),
    candidate: Candidate.nullable(),
  }),
  z.strictObject({
    type: z.literal('state'),
    id,
    tracks: z.array(z.strictObject({ mid, muted: z.boolean() })).max(8),
  }),
  z.strictObject({
    type: z.literal('layers'),
    tracks: z.array(z.strictObject({ mid, layer: z.enum(['none', 'low', 'middle', 'high']) })).max(100),
  }),
  z.strictObject({ type: z.literal('kick'), id, participantId: z.guid() }),
  z.strictObject({ type: z.literal('mute'), id, participantId: z.guid(), kind: Kind }),
  z.strictObject({ type: z.literal('setRole'), id, participantId: z.guid(), role: Role }),
  z.strictObject({ type: z.literal('chat'), id, to, text: z.string().trim().min(1).max(2_000) }),
  z.strictObject({
    type: z.literal('data'),
    id,
    to,
    topic: z.string().max(64).optional(),
    data: z.string().max(8_192),
  }),
  z.strictObject({ type: z.literal('hand'), id, raised: z.boolean(), participantId: z.guid().optional() }),
  z.strictObject({ type: z.literal('admit'), id, waitingId: z.guid() }),
  z.strictObject({ type: z.literal('refuse'), id, waitingId: z.guid() }),
  z
    .strictObject({
      type: z.literal('set'),
      id,
      chat: ChatRule.optional(),
      waitingRoom: z.boolean().optional(),
      layout: Layout.optional(),
    })
    .refine((set) => [set.chat, set.waitingRoom, set.layout].some((value) => value !== undefined), {
      path: ['chat'],
      message: 'must change chat, waitingRoom or layout',
    }),
  z.strictObject({ type: z.literal('end'), id }),
  z.strictObject({ type: z.literal('leave') }),
])

export type ClientMessage = z.infer<typeof ClientMessage>

export type MessageOf<Type extends ClientMessage['type']> = Extract<ClientMessage, { type: Type }>

export interface ParticipantMessage {
  participantId: string
  identity: string
  displayName: string
  role: z.infer<typeof Role>
  state: 'joined' | 'publishing'
  since: string
  hand: string | null
  tracks: readonly z.infer<typeof Track>[]
}

/** A chat message. All participants receive it unless `to` is set. */
export interface ChatMessage {
  messageId: string
  from: string
  name: string
  to?: string | undefined
  text: string
  at: string
}

export interface WaitingMessage {
  waitingId: string
  identity: string
  displayName: string
  role: z.infer<typeof Role>
  since: string
}

export interface SettingsMessage {
  chat: z.infer<typeof ChatRule>
  waitingRoom: boolean
  layout: z.infer<typeof Layout>
}

export type ServerMessage =
  | {
      type: 'joined'
      room: { roomId: string; name: string; maxParticipants: number; record: boolean }
      self: ParticipantMessage & { can: Permissions }
      participants: readonly ParticipantMessage[]
      iceServers: readonly IceServer[]
      broadcast: boolean
      recording: boolean
      settings: SettingsMessage
      chat: readonly ChatMessage[]
    }
  /** Sent instead of `joined` until a host admits the client. */
  | { type: 'wait'; room: { roomId: string; name: string } }
  /** Sent to hosts after each change: all people in the waiting room. */
  | { type: 'waiting'; waiting: readonly WaitingMessage[] }
  | ({ type: 'chat' } & ChatMessage)
  | { type: 'data'; from: string; to?: string | undefined; topic?: string | undefined; data: string }
  | ({ type: 'settings'; can: Permissions } & SettingsMessage)
  | { type: 'published'; id: string | number; sdp: string }
  | {
      type: 'participant'
      event: 'joined' | 'updated' | 'left'
      participant: ParticipantMessage
      reason?: string | undefined
    }
  | {
      type: 'offer'
      sdp: string
      tracks: readonly { mid: string; participantId: string; kind: string; source: string }[]
    }
  | { type: 'speaking'; participantId: string; speaking: boolean }
  | { type: 'muted'; kind: z.infer<typeof Kind>; by: string }
  | { type: 'role'; role: z.infer<typeof Role>; can: Permissions }
  | { type: 'air'; broadcast: boolean; recording: boolean }
  | { type: 'done'; id: string | number }
  | { type: 'error'; id?: string | number | undefined; code: string; message: string; details?: unknown }

export const closeCodes = {
  token: 4001,
  forbidden: 4003,
  roomEnded: 4004,
  roomFull: 4008,
  replaced: 4009,
  kicked: 4010,
  refused: 4012,
  /** The client must reconnect through `connect`. */
  goingAway: 4011,
  messages: 4029,
} as const

export type CloseCode = keyof typeof closeCodes
