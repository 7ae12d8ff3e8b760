import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { firstIdAt, Id, newId } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import * as rows from '#sql/intake/requests.ts'
import * as sources from '#sql/intake/sources.ts'
import { enqueueReplay, replay as replayTask } from '#tasks/intake/replay.ts'
import { forwardRequests } from '#tasks/intake/rules/forward.ts'
import { createSourceSeal } from '#tasks/intake/rules/source-secrets.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { endOfPeriod } from '../http/request/period.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { listJobIds } from './request-jobs.ts'
import { present, presentWithBody, ReadRequest, Request } from './request-view.ts'

const params = z.object({ id: pathId('request') })

const Flag = z.enum(['true', 'false']).transform((text) => text === 'true')

const cannotReplay = problem(409, 'cannot_replay', 'The signature is invalid, or the source does not forward requests.')

export const list = listRoute({
  path: '/requests',
  summary: 'List received webhooks, newest first',
  description: 'Returns received webhooks without their headers and bodies.',
  scope: 'intake:read',
  filters: rows.filters,
  query: {
    source_id: Id.optional(),
    verified: Flag.optional().describe('`false`: only requests with an invalid signature'),
    status: rows.Status.optional(),
    job_status: rows.JobStatus.optional(),
    event_type: z.string().min(1).max(200).optional(),
    event_id: z.string().min(1).max(200).optional(),
    since: InstantInput.optional().describe('Received at this time or later'),
    until: InstantInput.optional().describe('Received before this time'),
  },
  item: Request,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/requests/{id}',
  summary: 'Read a received webhook',
  description: 'Returns the webhook with its headers, its exact body, the result of the check and its jobs.',
  scope: 'intake:read',
  params,
  status: 200,
  reply: ReadRequest,
  problems: ['not_found'],
  async handle({ params: { id }, org, db }) {
    const found = await mustFind(rows.find(db, org.id, id), 'request')
    const body = await mustFind(rows.findBody(db, org.id, id), 'request')
    return presentWithBody(found, body, await listJobIds(db, org.id, id))
  },
})

export const remove = removeRoute({
  path: '/requests/{id}',
  summary: 'Delete a received webhook',
  description: 'Also deletes its body. If a job has not forwarded it yet, the job fails.',
  scope: 'intake:write',
  params,
  what: 'request',
  remove: ({ params: { id }, org, db }) => rows.remove(db, org.id, id),
})

export const replay = route({
  method: 'POST',
  path: '/requests/{id}/replay',
  summary: 'Forward a received webhook again',
  description: 'Creates a new job with the current settings of the source. The filter of the source does not apply.',
  scope: 'intake:write',
  idempotent: true,
  enqueues: replayTask,
  params,
  status: 200,
  reply: z.object({ job_id: Id }),
  problems: ['not_found', cannotReplay],
  async handle({ params: { id }, org, db, services }) {
    const found = await mustFind(rows.find(db, org.id, id), 'request')
    const source = await mustFind(sources.find(db, org.id, found.source_id), 'source')
    if (!found.verified || source.forward === null) throw cannotReplay(cannotReplay.when)
    const seal = createSourceSeal(services(signingSecret))
    const [job_id] = await forwardRequests(db, [found], new Map([[source.id, source]]), { seal })
    if (job_id === undefined) throw conflict('The source does not forward requests.')
    await rows.release(db, [id], 'forwarded')
    return { job_id }
  },
})

export const replayMany = route({
  method: 'POST',
  path: '/sources/{id}/replay',
  summary: 'Forward the webhooks of a period again',
  description:
    'Creates a new job for each webhook with a valid signature, oldest first, in the background. Held webhooks are not included.',
  scope: 'intake:write',
  idempotent: true,
  enqueues: replayTask,
  params: z.object({ id: pathId('source') }),
  body: z.strictObject({
    since: InstantInput.describe('Time of the first webhook'),
    until: InstantInput.optional().describe('Time before which the last webhook was received. Default: now.'),
  }),
  status: 200,
  reply: z.object({ replay_id: Id.describe('ID of this replay') }),
  problems: ['not_found', cannotReplay],
  async handle({ params: { id }, body, org, db }) {
    const end = endOfPeriod(body)
    const source = await mustFind(sources.find(db, org.id, id), 'source')
    if (source.forward === null) throw cannotReplay('The source does not forward requests. Set `forward` first.')
    const replayId = newId()
    const until = firstIdAt(end)
    const after = firstIdAt(new Date(body.since))
    await enqueueReplay(db, { replayId, sourceId: id, orgId: org.id, after, until })
    return { replay_id: replayId }
  },
})
