import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { endRoom } from '#tasks/rooms/rules/presence.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { presentRoom, RoomSettings, RoomView, roomEnded, toSettingsColumns } from './room-view.ts'

const params = z.object({ roomId: pathId('room') })

const tooMany = problem(400, 'plan_limit_exceeded', 'The plan allows fewer participants in a room.')

export const create = route({
  method: 'POST',
  path: '/rooms',
  summary: 'Create a room',
  description:
    'Creates an interactive room. Each person joins with a separate token: `POST /v1/stream/rooms/{roomId}/tokens`.',
  scope: 'stream:write',
  body: z.strictObject({
    name: z.string().trim().min(1).max(200),
    maxParticipants: z
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .describe('Maximum number of participants. Default and maximum: the limit of the plan.'),
    record: z.boolean().default(false).describe('Create an asset from the room when it ends'),
    emptyTimeoutSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .default(300)
      .describe('Seconds after which an empty room ends, even if no one has joined yet'),
    ...RoomSettings.shape,
  }),
  status: 201,
  reply: RoomView,
  problems: [tooMany],
  example: { body: { name: 'Stand-up', maxParticipants: 8, emptyTimeoutSeconds: 600 } },
  async handle({ body, org, plan, db }) {
    const max = plan.room_participants
    const wanted = body.maxParticipants ?? max
    if (wanted > max) throw tooMany(`body.maxParticipants must be at most ${max}, the limit of your plan.`, { max })
    const room = await rooms.insert(db, {
      id: newId(),
      org_id: org.id,
      name: body.name,
      max_participants: wanted,
      record: body.record,
      empty_timeout_seconds: body.emptyTimeoutSeconds,
      ...toSettingsColumns(body),
    })
    return presentRoom({ ...room, present: 0, publishing: 0 })
  },
})

export const list = listRoute({
  path: '/rooms',
  summary: 'List rooms',
  description: 'Returns rooms with their state and the number of participants.',
  scope: 'stream:read',
  item: RoomView,
  rows: ({ org, db }, page) => rooms.list(db, org.id, page),
  present: presentRoom,
})

export const read = route({
  method: 'GET',
  path: '/rooms/{roomId}',
  summary: 'Read a room',
  description: 'Returns the state of the room, its settings and the number of participants.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  status: 200,
  reply: RoomView,
  problems: ['not_found'],
  handle: async ({ params: { roomId }, org, db }) =>
    presentRoom(await mustFind(rooms.find(db, org.id, roomId), 'room')),
})

export const update = route({
  method: 'PATCH',
  path: '/rooms/{roomId}',
  summary: 'Update the settings of a room',
  description:
    'Applies immediately. Participants are notified, and a broadcast changes its layout. If you turn off the waiting room, everyone in it is admitted.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: RoomSettings.refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'must change `chat`, `waitingRoom` or `layout`',
  }),
  status: 200,
  reply: RoomView,
  problems: ['not_found', roomEnded],
  example: { body: { layout: 'speaker', waitingRoom: true } },
  async handle({ params: { roomId }, body, org, db }) {
    return await db.transaction(async (tx) => {
      const before = await mustFind(rooms.find(tx, org.id, roomId), 'room')
      if (!(await rooms.setSettings(tx, roomId, toSettingsColumns(body))))
        throw roomEnded('The room has ended.', { endedAt: before.ended_at })
      return presentRoom(await mustFind(rooms.find(tx, org.id, roomId), 'room'))
    })
  },
})

/** Ends a room. All participants are disconnected within a second, and the tokens no longer work. */
export const end = route({
  method: 'DELETE',
  path: '/rooms/{roomId}',
  summary: 'End a room',
  description: 'Disconnects all participants. The tokens of the room no longer work.',
  scope: 'stream:write',
  params,
  status: 200,
  reply: z.object({ roomId: Id, state: z.literal('ended') }),
  problems: ['not_found', roomEnded],
  async handle({ params: { roomId }, org, db }) {
    await db.transaction(async (tx) => {
      const room = await rooms.find(tx, org.id, roomId)
      if (!room) throw notFound('room')
      if (!(await endRoom(tx, roomId, 'ended'))) throw roomEnded('The room has ended.', { endedAt: room.ended_at })
    })
    return { roomId, state: 'ended' as const }
  },
})
