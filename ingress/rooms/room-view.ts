import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as participants from '#sql/rooms/participants.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { Instant } from '../http/instant.ts'
import { problem } from '../http/problem-kinds.ts'

export const roomEnded = problem(409, 'room_ended', 'The room has ended.')

export const RoomView = z
  .object({
    roomId: Id,
    name: z.string(),
    state: z
      .enum(['idle', 'active', 'ended'])
      .describe('`active` while participants are in the room. `idle` while it is empty.'),
    maxParticipants: z.int(),
    record: z.boolean(),
    emptyTimeoutSeconds: z.int(),
    chat: rooms.ChatRule.describe(
      'Participants who can write: `all`, `publishers` (hosts and participants) or `off` (no one)',
    ),
    waitingRoom: z.boolean().describe('Whether everyone except hosts must wait until they are admitted'),
    layout: rooms.Layout.describe('Layout of a broadcast or recording'),
    participants: z.int().describe('Current number of participants in the room'),
    publishing: z.int().describe('Current number of participants who are publishing'),
    created_at: Instant,
    startedAt: Instant.nullable().describe('Time at which the first participant joined'),
    emptySince: Instant.nullable().describe(
      'Time since which the room has been empty, starting with its creation. `null` while participants are in the room.',
    ),
    endedAt: Instant.nullable(),
    endReason: rooms.EndReason.nullable().describe(
      '`ended`: ended by the API or a host. `empty`: no one was in the room for `emptyTimeoutSeconds`.',
    ),
  })
  .meta({ id: 'rooms.Room' })

export const presentRoom = (room: rooms.View): z.input<typeof RoomView> => ({
  roomId: room.id,
  name: room.name,
  state: room.ended_at ? 'ended' : room.present > 0 ? 'active' : 'idle',
  maxParticipants: room.max_participants,
  record: room.record,
  emptyTimeoutSeconds: room.empty_timeout_seconds,
  chat: room.chat,
  waitingRoom: room.waiting_room,
  layout: room.layout,
  participants: room.present,
  publishing: room.publishing,
  created_at: room.created_at,
  startedAt: room.started_at,
  emptySince: room.empty_since,
  endedAt: room.ended_at,
  endReason: room.end_reason,
})

export const ParticipantView = z
  .object({
    participantId: Id,
    identity: z.string(),
    displayName: z.string(),
    role: participants.Role,
    state: z.enum(['joined', 'publishing']).describe('`publishing` while the media server is receiving their media'),
    since: Instant,
    tracks: z.array(participants.Track),
  })
  .meta({ id: 'rooms.Participant' })

export const presentParticipant = (row: participants.Participant): z.input<typeof ParticipantView> => ({
  participantId: row.participant_id,
  identity: row.identity,
  displayName: row.display_name,
  role: row.role,
  state: row.state === 'publishing' ? 'publishing' : 'joined',
  since: row.joined_at,
  tracks: row.tracks,
})

export const RoomSettings = z.strictObject({
  chat: rooms.ChatRule.optional().describe('Participants who can write. Default: `all`.'),
  waitingRoom: z.boolean().optional().describe('Whether everyone except hosts must wait until they are admitted'),
  layout: rooms.Layout.optional().describe(
    'Layout of a broadcast or recording: equal sizes (`grid`, default), the last speaker large (`speaker`), or a shared screen large (`screen`)',
  ),
})

export const toSettingsColumns = ({
  chat,
  waitingRoom,
  layout,
}: z.infer<typeof RoomSettings>): rooms.SettingsChange => ({
  chat,
  waiting_room: waitingRoom,
  layout,
})
