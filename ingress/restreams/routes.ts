import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { Reason, type RestreamView, State } from '#sql/live/restream-queries.ts'
import { maxRestreams, RestreamChange, RestreamTarget } from '#tasks/live/rules/restream-target.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { getRestreamStatus, type RestreamOwner } from './owner.ts'

const beyondContract = true

/** Returns the operations of the restream targets of a live channel or a room. */
export function restreamRoutes(owner: RestreamOwner) {
  const { texts, targets, param, noun, what } = owner
  const path = `${owner.path}/restreams`
  const params = z.object({ [param]: pathId(what) })
  const ofOne = {
    path: `${path}/{restreamId}`,
    params: params.extend({ restreamId: pathId('restream') }),
    beyondContract,
  } as const
  const of = texts.of && ` of ${texts.of}`
  const ownerOf = (given: Record<string, string>): string => given[param] as string
  const targetOf = (given: Record<string, string>): string => given.restreamId as string

  const tooMany = problem(409, 'restream_limit', `The ${noun} already has ${maxRestreams} restream targets.`)

  const View = z
    .object({
      restreamId: Id,
      [param]: Id,
      name: z.string(),
      url: z.string(),
      enabled: z.boolean(),
      state: z
        .enum(['idle', ...State.options])
        .describe(
          `\`idle\`: ${texts.idle}, or the target is turned off. \`connecting\`: Millrace is connecting to the target. \`live\`: the target is receiving the ${texts.live}. \`failed\`: Millrace retries after one second, then after up to 30 seconds.`,
        ),
      reason: Reason.nullable().describe('Reason why the target is not live. `null` if there is none.'),
      message: z.string().nullable().describe('Explanation of `reason`'),
      changedAt: Instant.nullable().describe('Time of the last change of `state`'),
      createdAt: Instant,
    })
    .meta({ id: `${owner.area}.Restream` })

  function present(target: RestreamView) {
    const status = getRestreamStatus(target)
    return {
      restreamId: target.id,
      [param]: target.owner_id,
      name: target.name,
      url: target.url,
      enabled: target.enabled,
      ...status,
      message: status.reason && owner.messageOf(status.reason),
      createdAt: target.created_at,
    }
  }

  const sealed = (services: Services, id: string, key: string): string =>
    createSeal(services(signingSecret), owner.sealPurpose).close(key, id)

  const create = route({
    method: 'POST',
    path,
    summary: `Create a restream target${texts.of && ` for ${texts.of}`}`,
    description: texts.create,
    scope: 'stream:write',
    beyondContract,
    params,
    body: RestreamTarget.extend({ enabled: z.boolean().default(true) }),
    status: 201,
    reply: View,
    problems: ['not_found', tooMany, ...(owner.createProblems ?? [])],
    example: {
      body: { name: 'Another platform', url: 'rtmps://live.example.com:443/app', streamKey: 'key-from-that-platform' },
    },
    async handle({ params: given, body: { streamKey, ...body }, org, plan, db, services }) {
      const [id, ownerId] = [newId(), ownerOf(given)]
      return await db.transaction(async (tx) => {
        await owner.hold(tx, org.id, ownerId)
        if ((await targets.lockCount(tx, org.id, ownerId)) >= maxRestreams)
          throw tooMany(`A ${noun} can have up to ${maxRestreams} restream targets. Delete a target first.`, {
            max: maxRestreams,
          })
        if (body.enabled) await owner.admitEnabled?.(tx, org.id, ownerId, plan)
        const stream_key = sealed(services, id, streamKey)
        await targets.insert(tx, { ...body, id, org_id: org.id, owner_id: ownerId, stream_key })
        await owner.changed?.(tx, ownerId, body.enabled)
        return present(await mustFind(targets.find(tx, ownerId, id), 'restream'))
      })
    },
  })

  const list = listRoute({
    path,
    summary: `List restream targets${of}`,
    description: texts.list,
    scope: 'stream:read',
    beyondContract,
    params,
    problems: ['not_found'],
    item: View,
    async rows({ params: given, org, db }, page) {
      await mustFind(owner.find(db, org.id, ownerOf(given)), what)
      return await targets.list(db, ownerOf(given), page)
    },
    present,
  })

  const read = route({
    method: 'GET',
    ...ofOne,
    summary: `Read a restream target${of}`,
    description: texts.read,
    scope: 'stream:read',
    status: 200,
    reply: View,
    problems: ['not_found'],
    async handle({ params: given, org, db }) {
      await mustFind(owner.find(db, org.id, ownerOf(given)), what)
      return present(await mustFind(targets.find(db, ownerOf(given), targetOf(given)), 'restream'))
    },
  })

  /** Updates a target. If its URL or key changes during a broadcast, Millrace reconnects. */
  const update = route({
    method: 'PATCH',
    ...ofOne,
    summary: `Update a restream target${of}`,
    description: texts.update,
    scope: 'stream:write',
    body: RestreamChange,
    status: 200,
    reply: View,
    problems: ['not_found', ...(owner.updateProblems ?? [])],
    example: { body: { enabled: false } },
    async handle({ params: given, body: { streamKey: key, ...body }, org, plan, db, services }) {
      const [id, ownerId] = [targetOf(given), ownerOf(given)]
      return await db.transaction(async (tx) => {
        await owner.hold(tx, org.id, ownerId)
        if (body.enabled) await owner.admitEnabled?.(tx, org.id, ownerId, plan)
        const changes = { ...body, stream_key: key === undefined ? undefined : sealed(services, id, key) }
        await targets.update(tx, ownerId, id, changes)
        const { enabled } = await mustFind(targets.find(tx, ownerId, id), 'restream')
        await owner.changed?.(tx, ownerId, enabled)
        return present(await mustFind(targets.find(tx, ownerId, id), 'restream'))
      })
    },
  })

  const remove = removeRoute({
    ...ofOne,
    summary: `Delete a restream target${of}`,
    description: texts.remove,
    scope: 'stream:write',
    reply: { restreamId: Id },
    what: 'restream',
    async remove({ params: given, org, db }) {
      const ownerId = ownerOf(given)
      await mustFind(owner.find(db, org.id, ownerId), what)
      if (!(await targets.remove(db, ownerId, targetOf(given)))) return false
      await owner.changed?.(db, ownerId, false)
    },
  })

  return { create, list, read, update, remove }
}
