import { z } from 'zod'
import { InstantInput } from '#lib/input-types.ts'
import { call } from '#tasks/work/call.ts'
import { mostReplayed, replayMany } from '#tasks/work/rules/replay-jobs.ts'
import { Instant } from '../http/instant.ts'
import { endOfPeriod } from '../http/request/period.ts'
import { route } from '../http/route.ts'

export const create = route({
  method: 'POST',
  path: '/replay',
  summary: 'Replay failed jobs',
  description: `Starts failed jobs again, oldest first, up to ${mostReplayed.toLocaleString('en')} per call. To continue, call it again with \`next\` as \`since\`. Replay a flow to repeat its jobs.`,
  scope: 'jobs:write',
  idempotent: true,
  enqueues: call,
  body: z.strictObject({
    since: InstantInput.describe('Creation time of the first job'),
    group: z.string().min(1).max(255).optional().describe('Only jobs of this group'),
  }),
  status: 200,
  reply: z.object({
    replayed: z.int(),
    next: Instant.nullable().describe('Creation time of the next failed job. `null` if none is left.'),
  }),
  example: { body: { since: '2026-01-01T00:00:00Z', group: 'thumbnails' } },
  async handle({ body, org, db }) {
    endOfPeriod(body)
    return await replayMany(db, org.id, body)
  },
})
