import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { getMetric, metricNames } from '#sql/account/usage/metrics.ts'
import * as rows from '#sql/account/usage.ts'
import { listStandings, type Standing } from '#tasks/account/rules/standing.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'

export const MetricField = z.enum(metricNames)

const MetricUsage = z
  .object({
    metric: MetricField,
    area: z.string(),
    unit: z.string(),
    words: z.string(),
    billable: z.boolean(),
    period: z.enum(['month', 'day']).describe('Usage period in UTC. `day` if your budget is per day.'),
    used: z.number(),
    limit: z.number().nullable().describe('The lower of the plan limit and your hard limit'),
    soft: z.number().nullable(),
    forecast: z.number().nullable().describe('Expected usage at the end of the period at the current rate'),
    resets_at: Instant,
  })
  .meta({ id: 'account.MetricUsage' })

export const read = route({
  method: 'GET',
  path: '/account/usage',
  summary: 'Read the usage of all metrics',
  description: 'Billable usage is counted immediately. Other usage and all dimensions are updated every hour.',
  tool: { name: 'get_usage' },
  scope: 'account:read',
  beyondContract: true,
  status: 200,
  reply: z.object({ data: z.array(MetricUsage) }),
  async handle({ db, org, plan }) {
    return { data: (await listStandings(db, org.id, plan)).map(present) }
  },
})

const present = ({ resetsAt, ...standing }: Standing): z.input<typeof MetricUsage> => ({
  ...standing,
  resets_at: resetsAt,
})

const mostDays = 400

/** Schema of a day. Millrace has no usage data from before 2000. */
const Day = z.iso.date().refine((day) => day >= '2000-01-01', 'must be on or after 2000-01-01')

export const daily = route({
  method: 'GET',
  path: '/account/usage/daily',
  summary: 'Read a metric by day',
  description: 'Returns one value per day in UTC for the metric, from `from` to `to`.',
  scope: 'account:read',
  beyondContract: true,
  query: z.object({
    metric: MetricField,
    from: Day.optional().describe('First day in UTC. Default: 29 days before `to`.'),
    to: Day.optional().describe('Last day in UTC. Default: today.'),
    by: z.string().max(40).optional().describe('Dimension to group by. For example, `key`, `domain` or `app`.'),
  }),
  status: 200,
  reply: z
    .object({
      metric: MetricField,
      unit: z.string(),
      from: z.string(),
      to: z.string(),
      data: z.array(z.object({ day: z.string(), name: z.string().nullable(), amount: z.number() })),
    })
    .meta({ id: 'account.DailyUsage' }),
  async handle({ db, org, query: { metric, by, from: first, to: last } }) {
    const { unit, dimensions } = getMetric(metric)
    const to = last ?? dayOf(Date.now())
    const from = first ?? dayOf(Date.parse(to) - 29 * 86_400_000)
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000
    if (by !== undefined && !dimensions.includes(by)) {
      const issue =
        dimensions.length > 0
          ? `must be a dimension of ${metric}: ${dimensions.join(', ')}`
          : `is not available for ${metric}, which has no dimensions`
      throw badRequest([{ field: 'query.by', issue }])
    }
    if (days < 0) throw badRequest([{ field: 'query.from', issue: 'must not be after `to`' }])
    if (days >= mostDays)
      throw badRequest([{ field: 'query.from', issue: `must be less than ${mostDays} days before \`to\`` }])
    const data = await rows.daily(db, org.id, { metric, from, to, by })
    return { metric, unit, from, to, data: data.map((row) => ({ ...row, name: by === undefined ? null : row.name })) }
  },
})

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
