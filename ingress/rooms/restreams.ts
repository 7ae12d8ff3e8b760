import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import type { Db } from '#sql/db.ts'
import { Reason, State } from '#sql/live/restreams.ts'
import * as restreams from '#sql/rooms/restreams.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { restreamMessage } from '#tasks/live/rules/restream-messages.ts'
import { maxRestreams, RestreamChange, RestreamTarget } from '#tasks/live/rules/restream-target.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { findRoomGateway } from './place.ts'
import { roomEnded } from './room-view.ts'

const params = z.object({ roomId: pathId('room') })
const oneParams = params.extend({ restreamId: pathId('restream') })

const tooMany = problem(409, 'restream_limit', `The room already has ${maxRestreams} restream targets.`)

const planFull = problem(
  403,
  'plan_limit_exceeded',
  'The plan does not allow another room with enabled restream targets.',
)

const RestreamView = z
  .object({
    restreamId: Id,
    roomId: Id,
    name: z.string(),
    url: z.string(),
    enabled: z.boolean(),
    state: z
      .enum(['idle', ...State.options])
      .describe(
        '`idle`: no worker has the room, or the target is turned off. `connecting`: Millrace is connecting to the target. `live`: the target is receiving the video. `failed`: Millrace retries after one second, then after up to 30 seconds.',
      ),
    reason: Reason.nullable().describe('Reason why the target is not live. `null` if there is none.'),
    message: z.string().nullable().describe('Explanation of `reason`'),
    changedAt: Instant.nullable().describe('Time of the last change of `state`'),
    createdAt: Instant,
  })
  .meta({ id: 'rooms.Restream' })

export const getRestreamStatus = ({ shown, state, reason, told_at }: restreams.RestreamView) => {
  const isTold = shown !== 'idle' && shown === state
  return { state: shown, reason: isTold ? reason : null, changedAt: isTold ? told_at : null }
}

function present(restream: restreams.RestreamView): z.input<typeof RestreamView> {
  const standing = getRestreamStatus(restream)
  return {
    restreamId: restream.id,
    roomId: restream.room_id,
    name: restream.name,
    url: restream.url,
    enabled: restream.enabled,
    ...standing,
    message: standing.reason && roomRestreamMessage(standing.reason),
    createdAt: restream.created_at,
  }
}

export const roomRestreamMessage = (reason: Reason): string =>
  reason === 'publisher_away'
    ? 'The video of the room is interrupted. The target receives the video again when it is available.'
    : restreamMessage(reason)

const sealed = (services: Services, id: string, key: string): string =>
  createSeal(services(signingSecret), restreams.sealPurpose).close(key, id)

/** Throws 409 if the room has ended. */
async function openRoom(tx: Db, orgId: string, roomId: string): Promise<void> {
  const room = await mustFind(rooms.find(tx, orgId, roomId), 'room')
  // The room is locked, because the keys of the targets are deleted when the room ends.
  if (room.ended_at || !(await rooms.lockOpen(tx, roomId)))
    throw roomEnded('The room has ended.', { endedAt: room.ended_at ?? new Date() })
}

/** Throws 403 if the number of other rooms with enabled targets has reached the plan's number of live channels. */
async function demandRoomOnAir(tx: Db, orgId: string, roomId: string, most: number): Promise<void> {
  if ((await restreams.lockRoomsOnAir(tx, orgId, roomId)) >= most)
    throw planFull(
      `Your plan allows ${most} rooms with enabled restream targets. Turn off the targets of another room.`,
      { max: most },
    )
}

/**
 * Notifies the worker of the room that its targets changed. If no worker has the room, the one with the lowest load
 * opens it.
 */
async function notifyTargetsChanged(tx: Db, { room_id: roomId, enabled }: restreams.Restream): Promise<void> {
  if (enabled) await findRoomGateway(tx, roomId)
  await rooms.notifyChanged(tx, roomId)
}

export const create = route({
  method: 'POST',
  path: '/rooms/{roomId}/restreams',
  summary: 'Create a restream target for a room',
  description: `Combines the video and audio of all publishers and sends the result to the target. Restreaming starts immediately, even in an empty room, unless \`enabled\` is \`false\`. It ends with the room, and Millrace then deletes the key. A room can have up to ${maxRestreams} targets. The number of rooms with enabled targets is limited to the number of live channels in the plan.`,
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: RestreamTarget.extend({ enabled: z.boolean().default(true) }),
  status: 201,
  reply: RestreamView,
  problems: ['not_found', tooMany, planFull, roomEnded],
  example: {
    body: { name: 'Another platform', url: 'rtmps://live.example.com:443/app', streamKey: 'key-from-that-platform' },
  },
  async handle({ params: { roomId }, body, org, plan, db, services }) {
    const id = newId()
    return await db.transaction(async (tx) => {
      await openRoom(tx, org.id, roomId)
      if ((await restreams.lockCount(tx, org.id, roomId)) >= maxRestreams)
        throw tooMany(`A room can have up to ${maxRestreams} restream targets. Delete a target first.`, {
          max: maxRestreams,
        })
      if (body.enabled) await demandRoomOnAir(tx, org.id, roomId, plan.live_channels)
      await restreams.insert(tx, {
        id,
        org_id: org.id,
        room_id: roomId,
        name: body.name,
        url: body.url,
        stream_key: sealed(services, id, body.streamKey),
        enabled: body.enabled,
      })
      const made = await mustFind(restreams.find(tx, roomId, id), 'restream')
      await notifyTargetsChanged(tx, made)
      return present(await mustFind(restreams.find(tx, roomId, id), 'restream'))
    })
  },
})

export const list = listRoute({
  path: '/rooms/{roomId}/restreams',
  summary: 'List restream targets of a room',
  description: 'Returns the restream targets of the room with their state. Stream keys in their URLs are masked.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  problems: ['not_found'],
  item: RestreamView,
  async rows({ params: { roomId }, org, db }, page) {
    await mustFind(rooms.find(db, org.id, roomId), 'room')
    return await restreams.list(db, roomId, page)
  },
  present,
})

export const read = route({
  method: 'GET',
  path: '/rooms/{roomId}/restreams/{restreamId}',
  summary: 'Read a restream target of a room',
  description: 'Returns the state of the target and the last error. The stream key in its URL is masked.',
  scope: 'stream:read',
  beyondContract: true,
  params: oneParams,
  status: 200,
  reply: RestreamView,
  problems: ['not_found'],
  async handle({ params: { roomId, restreamId }, org, db }) {
    await mustFind(rooms.find(db, org.id, roomId), 'room')
    return present(await mustFind(restreams.find(db, roomId, restreamId), 'restream'))
  },
})

/** Updates a target. If its URL or key changes during a broadcast, Millrace reconnects. */
export const update = route({
  method: 'PATCH',
  path: '/rooms/{roomId}/restreams/{restreamId}',
  summary: 'Update a restream target of a room',
  description:
    'Applies within two seconds, even during a broadcast. `enabled: false` stops sending to the target, and `true` starts it.',
  scope: 'stream:write',
  beyondContract: true,
  params: oneParams,
  body: RestreamChange,
  status: 200,
  reply: RestreamView,
  problems: ['not_found', planFull, roomEnded],
  example: { body: { enabled: false } },
  async handle({ params: { roomId, restreamId }, body: { streamKey: key, ...body }, org, plan, db, services }) {
    return await db.transaction(async (tx) => {
      await openRoom(tx, org.id, roomId)
      if (body.enabled) await demandRoomOnAir(tx, org.id, roomId, plan.live_channels)
      const changes = { ...body, stream_key: key === undefined ? undefined : sealed(services, restreamId, key) }
      if (!(await restreams.update(tx, roomId, restreamId, changes))) throw notFound('restream')
      await notifyTargetsChanged(tx, await mustFind(restreams.find(tx, roomId, restreamId), 'restream'))
      return present(await mustFind(restreams.find(tx, roomId, restreamId), 'restream'))
    })
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/rooms/{roomId}/restreams/{restreamId}',
  summary: 'Delete a restream target of a room',
  description: 'The room is no longer broadcast to the target.',
  scope: 'stream:write',
  beyondContract: true,
  params: oneParams,
  status: 200,
  reply: z.object({ restreamId: Id, deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ params: { roomId, restreamId }, org, db }) {
    return await db.transaction(async (tx) => {
      await mustFind(rooms.find(tx, org.id, roomId), 'room')
      if (!(await restreams.remove(tx, roomId, restreamId))) throw notFound('restream')
      await rooms.notifyChanged(tx, roomId)
      return { restreamId, deleted: true as const }
    })
  },
})
