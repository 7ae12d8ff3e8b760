import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import type { Stream } from './messages.ts'

export const engagementCounters = [
  'opened',
  'opens',
  'clicked',
  'clicks',
  'machine_opened',
  'machine_opens',
  'machine_clicked',
  'machine_clicks',
] as const

export type EngagementCounter = (typeof engagementCounters)[number]

const counts = Object.fromEntries(engagementCounters.map((name) => [name, z.number()])) as Record<
  EngagementCounter,
  z.ZodNumber
>

const Counts = z.object(counts)

export type EngagementCounts = z.infer<typeof Counts>

/** `opened` and `clicked` count messages, `opens` and `clicks` requests. */
const sums = sql.fragment`
  count(distinct e.message_id) filter (where e.kind = 'open' and not e.machine) as opened,
  coalesce(sum(e.count) filter (where e.kind = 'open' and not e.machine), 0) as opens,
  count(distinct e.message_id) filter (where e.kind = 'click' and not e.machine) as clicked,
  coalesce(sum(e.count) filter (where e.kind = 'click' and not e.machine), 0) as clicks,
  count(distinct e.message_id) filter (where e.kind = 'open' and e.machine) as machine_opened,
  coalesce(sum(e.count) filter (where e.kind = 'open' and e.machine), 0) as machine_opens,
  count(distinct e.message_id) filter (where e.kind = 'click' and e.machine) as machine_clicked,
  coalesce(sum(e.count) filter (where e.kind = 'click' and e.machine), 0) as machine_clicks`

export async function countOfCampaign(db: Db, orgId: string, campaignId: string): Promise<EngagementCounts> {
  return await db.one(sql.type(Counts)`
    select ${sums} from email.messages as m join email.engagements as e on e.message_id = m.id
    where m.org_id = ${orgId} and m.campaign_id = ${campaignId}`)
}

export const EngagementGroup = z.enum(['day', 'domain', 'campaign', 'tag'])

const Group = z.object({ key: z.string(), name: z.string().nullable(), ...counts })

interface Wanted {
  groupBy: z.infer<typeof EngagementGroup>
  days: number
  stream?: Stream | undefined
  campaignId?: string | undefined
  limit: number
}

const groups = {
  day: { key: sql.fragment`(e.first_at at time zone 'utc')::date::text`, join: sql.fragment`` },
  domain: { key: sql.fragment`split_part(m.from_email, '@', 2)`, join: sql.fragment`` },
  campaign: { key: sql.fragment`m.campaign_id::text`, join: sql.fragment`` },
  tag: {
    key: sql.fragment`t.name || ':' || t.value`,
    join: sql.fragment`join email.message_tags as t on t.message_id = m.id`,
  },
}

/** Returns the groups with the most opened messages, or all days, oldest first. The day is that of the first request. */
export async function countEngagement(
  db: Db,
  orgId: string,
  { groupBy, days, stream, campaignId, limit }: Wanted,
): Promise<readonly z.infer<typeof Group>[]> {
  const { key, join } = groups[groupBy]
  const ofStream = stream ? sql.fragment`and m.stream = ${stream}` : sql.fragment``
  const ofCampaign = campaignId ? sql.fragment`and m.campaign_id = ${campaignId}` : sql.fragment``
  const order = groupBy === 'day' ? sql.fragment`g.key` : sql.fragment`g.opened desc, g.clicked desc, g.key`
  return await db.any(sql.type(Group)`
    select g.*, c.name from (
      select ${key} as key, ${sums} from email.engagements as e join email.messages as m on m.id = e.message_id ${join}
      where e.org_id = ${orgId} ${ofStream} ${ofCampaign} and ${key} is not null
        and e.first_at >= ((now() at time zone 'utc')::date - ${days - 1}::integer)::timestamp at time zone 'utc'
      group by 1) as g
    left join email.campaigns as c on ${groupBy} = 'campaign' and c.id::text = g.key and c.org_id = ${orgId}
    order by ${order} limit ${limit}`)
}
