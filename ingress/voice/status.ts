import { z } from 'zod'
import * as calls from '#sql/voice/calls.ts'
import * as switchboards from '#sql/voice/switchboards.ts'
import * as trunks from '#sql/voice/trunks.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'

const Status = z
  .object({
    status: z
      .enum(['ok', 'degraded', 'down'])
      .describe('`degraded`: at least one trunk is not responding. `down`: no trunk is responding, or there is none.'),
    trunks: z.object({
      known: z.int().describe('Number of trunks that workers use'),
      reachable: z.int().describe('Number of trunks that are responding'),
      last_checked_at: Instant.nullable().describe('Time of the last check of a trunk'),
    }),
    active_calls: z.int().describe('Queued and active calls of the organisation'),
    capacity: z.int().describe('Maximum number of concurrent calls on all workers together'),
    calls_per_second: z.number().describe('Maximum number of calls that all workers together can start per second'),
  })
  .meta({ id: 'voice.Status' })

export const read = route({
  method: 'GET',
  path: '/status',
  summary: 'Read the voice status',
  description: 'Returns whether a SIP trunk is available, the calls in progress and the capacity.',
  scope: 'voice:read',
  testKeys: 'shared',
  status: 200,
  reply: Status,
  async handle({ org, db }) {
    const [known, sum, active] = await Promise.all([
      trunks.latest(db),
      switchboards.readCapacity(db),
      calls.countOpen(db, org.id),
    ])
    const times = known.map(({ last_checked_at }) => last_checked_at.getTime())
    const reachable = known.filter((trunk) => trunk.reachable).length
    const status = reachable === 0 ? 'down' : reachable < known.length ? 'degraded' : 'ok'
    const { capacity, calls_per_second } = sum
    const trunksNow = {
      known: known.length,
      reachable,
      last_checked_at: times.length > 0 ? new Date(Math.max(...times)) : null,
    }
    return { status, trunks: trunksNow, active_calls: active, capacity, calls_per_second } as const
  },
})
