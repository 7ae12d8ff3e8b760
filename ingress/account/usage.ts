import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { metricNames, metricOf } from '#sql/account/metrics.ts'
import * as rows from '#sql/account/usage.ts'
import { type Standing, standings } from '#tasks/account/rules/standing.ts'
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
    period: z.enum(['month', 'day']).describe('Of UTC; a day if your budget counts by days'),
    used: z.number(),
    limit: z.number().nullable().describe('The least of the plan’s limit and your own hard one'),
    soft: z.number().nullable(),
    forecast: z.number().nullable().describe('What the period comes to if it goes on as it did'),
    resets_at: Instant,
  })
  .meta({ id: 'account.MetricUsage' })

/** `GET /v1/account/usage`: how much is used of everything that is counted. */
export const read = route({
  method: 'GET',
  path: '/account/usage',
  summary: 'Read what is used of every metric in its period',
  description:
    'What is billed is counted in the moment of its effect; the rest, and the parts of everything, are summed once an hour.',
  scope: 'account:read',
  beyondContract: true,
  status: 200,
  reply: z.object({ data: z.array(MetricUsage) }),
  async handle({ db, org, plan }) {
    return { data: (await standings(db, org.id, plan)).map(present) }
  },
})

const present = ({ resetsAt, ...standing }: Standing): z.input<typeof MetricUsage> => ({
  ...standing,
  resets_at: resetsAt,
})

const mostDays = 400

/** Nothing was counted before. */
const Day = z.iso.date().refine((day) => day >= '2000-01-01', 'must be on or after 2000-01-01')

/** `GET /v1/account/usage/daily`: one metric by day of UTC. */
export const daily = route({
  method: 'GET',
  path: '/account/usage/daily',
  summary: 'Read a metric by day',
  description: 'Returns one value per day in UTC for the metric, from `from` to `to`.',
  scope: 'account:read',
  beyondContract: true,
  query: z.object({
    metric: MetricField,
    from: Day.optional().describe('The first day, in UTC; 30 days before the last unless given'),
    to: Day.optional().describe('The last day; today unless given'),
    by: z.string().max(40).optional().describe('What the parts are named by, as `key`, `domain` or `app`'),
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
    const { unit, dimensions } = metricOf(metric)
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
