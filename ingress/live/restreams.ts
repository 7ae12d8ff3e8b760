import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import * as channels from '#sql/live/channels.ts'
import * as restreams from '#sql/live/restreams.ts'
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

const params = z.object({ channelId: pathId('live channel') })
const oneParams = params.extend({ restreamId: pathId('restream') })

const tooMany = problem(409, 'restream_limit', `The channel already has ${maxRestreams} restream targets.`)

const RestreamView = z
  .object({
    restreamId: Id,
    channelId: Id,
    name: z.string(),
    url: z.string(),
    enabled: z.boolean(),
    state: z
      .enum(['idle', ...restreams.State.options])
      .describe(
        '`idle`: nothing is being broadcast, or the target is turned off. `connecting`: Millrace is connecting to the target. `live`: the target is receiving the broadcast. `failed`: Millrace retries after one second, then after up to 30 seconds.',
      ),
    reason: restreams.Reason.nullable().describe('Reason why the target is not live. `null` if there is none.'),
    message: z.string().nullable().describe('Explanation of `reason`'),
    changedAt: Instant.nullable().describe('Time of the last change of `state`'),
    createdAt: Instant,
  })
  .meta({ id: 'live.Restream' })

export const getRestreamStatus = ({ shown, state, reason, told_at }: restreams.RestreamView) => {
  const isTold = shown !== 'idle' && shown === state
  return { state: shown, reason: isTold ? reason : null, changedAt: isTold ? told_at : null }
}

function present(restream: restreams.RestreamView): z.input<typeof RestreamView> {
  const standing = getRestreamStatus(restream)
  return {
    restreamId: restream.id,
    channelId: restream.channel_id,
    name: restream.name,
    url: restream.url,
    enabled: restream.enabled,
    ...standing,
    message: standing.reason && restreamMessage(standing.reason),
    createdAt: restream.created_at,
  }
}

const sealed = (services: Services, id: string, key: string): string =>
  createSeal(services(signingSecret), restreams.sealPurpose).close(key, id)

export const create = route({
  method: 'POST',
  path: '/live/channels/{channelId}/restreams',
  summary: 'Create a restream target',
  description: `Sends each broadcast to another platform without changing it. A channel can have up to ${maxRestreams} targets.`,
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: RestreamTarget.extend({ enabled: z.boolean().default(true) }),
  status: 201,
  reply: RestreamView,
  problems: ['not_found', tooMany],
  example: {
    body: { name: 'Another platform', url: 'rtmps://live.example.com:443/app', streamKey: 'key-from-that-platform' },
  },
  async handle({ params: { channelId }, body, org, db, services }) {
    const id = newId()
    return await db.transaction(async (tx) => {
      await mustFind(channels.find(tx, org.id, channelId), 'live channel')
      if ((await restreams.lockCount(tx, org.id, channelId)) >= maxRestreams)
        throw tooMany(`A channel can have up to ${maxRestreams} restream targets. Delete a target first.`, {
          max: maxRestreams,
        })
      await restreams.insert(tx, {
        id,
        org_id: org.id,
        channel_id: channelId,
        name: body.name,
        url: body.url,
        stream_key: sealed(services, id, body.streamKey),
        enabled: body.enabled,
      })
      return present(await mustFind(restreams.find(tx, channelId, id), 'restream'))
    })
  },
})

export const list = listRoute({
  path: '/live/channels/{channelId}/restreams',
  summary: 'List restream targets',
  description: 'Returns the restream targets of the channel with their state. Stream keys in their URLs are masked.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  problems: ['not_found'],
  item: RestreamView,
  async rows({ params: { channelId }, org, db }, page) {
    await mustFind(channels.find(db, org.id, channelId), 'live channel')
    return await restreams.list(db, channelId, page)
  },
  present,
})

export const read = route({
  method: 'GET',
  path: '/live/channels/{channelId}/restreams/{restreamId}',
  summary: 'Read a restream target',
  description: 'Returns the state of the target and the last error. The stream key in its URL is masked.',
  scope: 'stream:read',
  beyondContract: true,
  params: oneParams,
  status: 200,
  reply: RestreamView,
  problems: ['not_found'],
  async handle({ params: { channelId, restreamId }, org, db }) {
    await mustFind(channels.find(db, org.id, channelId), 'live channel')
    return present(await mustFind(restreams.find(db, channelId, restreamId), 'restream'))
  },
})

/** Updates a target. If its URL or key changes during a broadcast, Millrace reconnects. */
export const update = route({
  method: 'PATCH',
  path: '/live/channels/{channelId}/restreams/{restreamId}',
  summary: 'Update a restream target',
  description: 'Applies within two seconds, even during a broadcast. `enabled: false` stops sending to the target.',
  scope: 'stream:write',
  beyondContract: true,
  params: oneParams,
  body: RestreamChange,
  status: 200,
  reply: RestreamView,
  problems: ['not_found'],
  example: { body: { enabled: false } },
  async handle({ params: { channelId, restreamId }, body: { streamKey: key, ...body }, org, db, services }) {
    return await db.transaction(async (tx) => {
      await mustFind(channels.find(tx, org.id, channelId), 'live channel')
      const changes = { ...body, stream_key: key === undefined ? undefined : sealed(services, restreamId, key) }
      if (!(await restreams.update(tx, channelId, restreamId, changes))) throw notFound('restream')
      return present(await mustFind(restreams.find(tx, channelId, restreamId), 'restream'))
    })
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/live/channels/{channelId}/restreams/{restreamId}',
  summary: 'Delete a restream target',
  description: 'Broadcasts are no longer sent to the target. A broadcast in progress also stops there.',
  scope: 'stream:write',
  beyondContract: true,
  params: oneParams,
  status: 200,
  reply: z.object({ restreamId: Id, deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ params: { channelId, restreamId }, org, db }) {
    await mustFind(channels.find(db, org.id, channelId), 'live channel')
    if (!(await restreams.remove(db, channelId, restreamId))) throw notFound('restream')
    return { restreamId, deleted: true as const }
  },
})
