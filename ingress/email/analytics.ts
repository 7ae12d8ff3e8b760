import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import * as daily from '#sql/email/daily.ts'
import {
  countEngagement,
  type EngagementCounter,
  EngagementGroup as EngagementGroupBy,
  engagementCounters,
} from '#sql/email/engagement-counts.ts'
import { Stream } from '#sql/email/messages.ts'
import { route } from '../http/route.ts'

const Counts = z
  .object(Object.fromEntries(daily.counters.map((name) => [name, z.int()])) as Record<daily.Counter, z.ZodInt>)
  .meta({ id: 'email.Counts' })

const share = z.number().min(0).max(1)

export const overview = route({
  method: 'GET',
  path: '/analytics/overview',
  summary: 'Count messages by day',
  description:
    'Results are counted on the day (UTC) on which the message was accepted. Test messages are not counted. `hard_bounced`: bounces because the address does not exist. `taken`: messages that the recipient’s server or a smarthost accepted and that did not bounce later.',
  scope: 'email:manage',
  reads: 'replica',
  query: z.object({
    days: queryInt(1, 90).default(30).describe('Number of days, including today'),
    stream: Stream.optional(),
  }),
  status: 200,
  reply: z.object({
    days: z
      .array(Counts.extend({ day: z.iso.date() }))
      .describe('Counts by day, oldest first, including days without messages'),
    totals: Counts,
    rates: z.object({
      delivery: share.describe('Share of accepted messages that were delivered or sent'),
      bounce: share.describe('Hard bounces as a share of `taken` plus hard bounces'),
      complaint: share.describe('Complaints as a share of `taken`'),
    }),
  }),
  async handle({ query, org, db }) {
    const days = await daily.listByDay(db, org.id, query)
    const totals = Object.fromEntries(
      daily.counters.map((name) => [name, days.reduce((sum, day) => sum + day[name], 0)]),
    ) as Record<daily.Counter, number>
    return { days: [...days], totals, rates: ratesOf(totals) }
  },
})

function ratesOf({ accepted, sent, delivered, taken, hard_bounced, complained }: Record<daily.Counter, number>) {
  const of = (part: number, whole: number) => (whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0)
  return {
    delivery: of(Math.max(sent, delivered), accepted),
    bounce: of(hard_bounced, taken + hard_bounced),
    complaint: of(complained, taken),
  }
}

const EngagementGroup = z.object(
  Object.fromEntries(engagementCounters.map((name) => [name, z.int()])) as Record<EngagementCounter, z.ZodInt>,
)

const mostGroups = 200

export const engagement = route({
  method: 'GET',
  path: '/analytics/engagement',
  summary: 'Count opens and clicks',
  description:
    'Counts tracked opens and clicks by day, domain, campaign or tag. `opened` and `clicked` count messages. `opens` and `clicks` count requests. Requests by machines, such as image proxies and security scanners, have their own counts. A request counts on the day (UTC) of the first one of its message and link.',
  scope: 'email:manage',
  reads: 'replica',
  query: z.object({
    days: queryInt(1, 90).default(30).describe('Number of days, including today'),
    group_by: EngagementGroupBy.default('day'),
    stream: Stream.optional(),
    campaign_id: Id.optional(),
  }),
  status: 200,
  reply: z.object({
    group_by: EngagementGroupBy,
    data: z
      .array(
        EngagementGroup.extend({
          key: z.string().describe('Day, domain, campaign ID, or `name:value` of a tag'),
          name: z.string().nullable().describe('Name of the campaign'),
        }),
      )
      .describe(`Days with requests, oldest first, or up to ${mostGroups} groups with the most opened messages`),
  }),
  async handle({ query: { days, group_by: groupBy, stream, campaign_id: campaignId }, org, db }) {
    const data = await countEngagement(db, org.id, { groupBy, days, stream, campaignId, limit: mostGroups })
    return { group_by: groupBy, data: [...data] }
  },
})
