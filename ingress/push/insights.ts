import { z } from 'zod'
import { queryInt } from '#lib/input-types.ts'
import type { Db } from '#sql/db.ts'
import * as credentials from '#sql/push/credentials.ts'
import * as daily from '#sql/push/daily.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import * as deviceCounts from '#sql/push/device-counts.ts'
import { CountsOf } from '../http/lists/counts.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { findOwnApp } from './apps/own-app.ts'
import { Fault, listFaults } from './faults.ts'

const params = z.object({ app_id: pathId('app') })
const dayMs = 24 * 3_600_000

const counted = ['sent', 'delivered', 'displayed', 'opened', 'failed', 'expired'] as const

const Counts = z
  .object(Object.fromEntries(counted.map((name) => [name, z.int()])) as Record<(typeof counted)[number], z.ZodInt>)
  .meta({ id: 'push.Counts' })

const zero = () => Object.fromEntries(counted.map((name) => [name, 0])) as z.infer<typeof Counts>

type Sums = Map<string, z.infer<typeof Counts>>

function add(sums: Sums, name: string, status: string, count: number): void {
  const counts = sums.get(name) ?? zero()
  if (status in counts) counts[status as keyof typeof counts] += count
  sums.set(name, counts)
}

const Part = z.object({ name: z.string(), ...Counts.shape })

export const stats = route({
  method: 'GET',
  path: '/apps/{app_id}/stats',
  summary: 'Read device counts and last 24 hours',
  description: 'Returns the number of devices by provider and status, and the deliveries of the last 24 hours.',
  scope: 'push:manage',
  locks: ['app_id'],
  reads: 'replica',
  params,
  status: 200,
  reply: z
    .object({
      devices: z.object({
        total: z.int().describe('Number of active devices'),
        invalidated: z.int(),
        by_provider: z.record(z.string(), z.int()),
      }),
      faults: z.array(Fault).describe('Credentials that a provider is rejecting. Their deliveries are waiting.'),
      last_24_hours: z.object({ deliveries: z.int(), by_status: CountsOf(deliveries.Status) }),
    })
    .meta({ id: 'push.Stats' }),
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    const devices = await deviceCounts.count(db, app.id)
    const by_status = await deliveries.countSince(db, app.id, new Date(Date.now() - dayMs))
    const active = devices.filter(({ status }) => status === 'active')
    const sum = (counts: readonly { count: number }[]) => counts.reduce((all, { count }) => all + count, 0)
    return {
      devices: {
        total: sum(active),
        invalidated: sum(devices) - sum(active),
        by_provider: Object.fromEntries(active.map(({ provider, count }) => [provider, count])),
      },
      faults: listFaults(await credentials.listForApp(db, app.id)),
      last_24_hours: { deliveries: Object.values(by_status).reduce((a, b) => a + b, 0), by_status },
    }
  },
})

export const insights = route({
  method: 'GET',
  path: '/apps/{app_id}/insights',
  summary: 'Read totals, daily series and breakdowns',
  description:
    'Counts deliveries by the day (UTC) on which they were created. A delivery counts once for each status. For example, an opened delivery also counts as sent and delivered. Dry runs are not included.',
  scope: 'push:manage',
  locks: ['app_id'],
  reads: 'replica',
  params,
  query: z.object({ days: queryInt(1, 90).default(30).describe('Number of days, including today. Default: 30.') }),
  status: 200,
  reply: z
    .object({
      days: z.int(),
      totals: Counts,
      series: z.array(z.object({ day: z.iso.date(), ...Counts.shape })),
      breakdowns: z.object({
        status: z.array(z.object({ name: z.string(), count: z.int() })),
        provider: z.array(Part),
        platform: z.array(Part),
        reason: z
          .array(z.object({ name: z.string(), count: z.int() }))
          .describe('Reasons for failed and expired deliveries'),
      }),
    })
    .meta({ id: 'push.Insights' }),
  problems: ['not_found'],
  async handle({ params, query: { days }, org, key, db }) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    const list = Array.from({ length: days }, (_, i) => dayOf(Date.now() - (days - 1 - i) * dayMs))
    const since = list[0] as string
    const [byDay, totals]: [Sums, Sums] = [new Map(list.map((day) => [day, zero()])), new Map([['', zero()]])]
    for (const { day, status, count } of await daily.listByDay(db, app.id, since)) {
      add(byDay, day, status, count)
      add(totals, '', status, count)
    }
    const total = totals.get('') ?? zero()
    return {
      days,
      totals: total,
      series: [...byDay].map(([day, counts]) => ({ day, ...counts })),
      breakdowns: {
        status: counted.map((name) => ({ name, count: total[name] })),
        provider: await parts(db, app.id, since, 'provider'),
        platform: await parts(db, app.id, since, 'platform'),
        reason: await reasons(db, app.id, since),
      },
    }
  },
})

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

async function parts(db: Db, appId: string, since: string, by: 'provider' | 'platform') {
  const sums: Sums = new Map()
  for (const { name, status, count } of await daily.listByDimension(db, appId, since, by)) {
    add(sums, name === '' ? 'unknown' : name, status, count)
  }
  return [...sums].map(([name, counts]) => ({ name, ...counts }))
}

async function reasons(db: Db, appId: string, since: string) {
  const sums = new Map<string, number>()
  for (const { name, count } of await daily.listByDimension(db, appId, since, 'reason')) {
    sums.set(name, (sums.get(name) ?? 0) + count)
  }
  return [...sums].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count)
}
