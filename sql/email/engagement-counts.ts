import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { Stream } from './messages.ts'

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

/** Rows are counted by triggers of `email.engagements`, and deleted with the last message that they count. */
export const table = defineTable(
  'email',
  'engagement_daily',
  z.object({
    org_id: Id,
    /** `name:value`. Empty in rows that count all messages. */
    tag: z.string(),
    day: z.string(),
    stream: Stream,
    /** Empty for messages without a campaign. */
    campaign_id: z.string(),
    domain: z.string(),
    machine: z.boolean(),
    opened: z.number(),
    opens: z.number(),
    clicked: z.number(),
    clicks: z.number(),
    /** Messages with their newest clicked link on this day. The sum of several days counts each message once. */
    last_clicked: z.number(),
  }),
)

/** Sums of several days. `opened` and `clicked` count messages, `opens` and `clicks` requests. */
const sumsWith = (clicked: FragmentSqlToken) => sql.fragment`
  coalesce(sum(d.opened) filter (where not d.machine), 0)::bigint as opened,
  coalesce(sum(d.opens) filter (where not d.machine), 0)::bigint as opens,
  coalesce(sum(${clicked}) filter (where not d.machine), 0)::bigint as clicked,
  coalesce(sum(d.clicks) filter (where not d.machine), 0)::bigint as clicks,
  coalesce(sum(d.opened) filter (where d.machine), 0)::bigint as machine_opened,
  coalesce(sum(d.opens) filter (where d.machine), 0)::bigint as machine_opens,
  coalesce(sum(${clicked}) filter (where d.machine), 0)::bigint as machine_clicked,
  coalesce(sum(d.clicks) filter (where d.machine), 0)::bigint as machine_clicks`

const sumsOfDays = sumsWith(sql.fragment`d.last_clicked`)
const sumsOfDay = sumsWith(sql.fragment`d.clicked`)

export async function countOfCampaign(db: Db, orgId: string, campaignId: string): Promise<EngagementCounts> {
  return await db.one(sql.type(Counts)`
    select ${sumsOfDays} from ${table.name} as d
    where d.org_id = ${orgId} and d.campaign_id <> '' and d.campaign_id = ${campaignId} and d.tag = ''`)
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
  day: { key: sql.fragment`d.day::text`, sums: sumsOfDay },
  domain: { key: sql.fragment`d.domain`, sums: sumsOfDays },
  campaign: { key: sql.fragment`nullif(d.campaign_id, '')`, sums: sumsOfDays },
  tag: { key: sql.fragment`nullif(d.tag, '')`, sums: sumsOfDays },
}

/** Returns the groups with the most opened messages, or all days, oldest first. The day is that of the first request. */
export async function countEngagement(
  db: Db,
  orgId: string,
  { groupBy, days, stream, campaignId, limit }: Wanted,
): Promise<readonly z.infer<typeof Group>[]> {
  const { key, sums } = groups[groupBy]
  const ofStream = stream ? sql.fragment`and d.stream = ${stream}` : sql.fragment``
  const ofCampaign = campaignId
    ? sql.fragment`and d.campaign_id <> '' and d.campaign_id = ${campaignId}`
    : sql.fragment``
  const ofTags = groupBy === 'tag' ? sql.fragment`d.tag <> ''` : sql.fragment`d.tag = ''`
  const order = groupBy === 'day' ? sql.fragment`g.key` : sql.fragment`g.opened desc, g.clicked desc, g.key`
  return await db.any(sql.type(Group)`
    select g.*, c.name from (
      select ${key} as key, ${sums} from ${table.name} as d
      where d.org_id = ${orgId} and ${ofTags} ${ofStream} ${ofCampaign} and ${key} is not null
        and d.day > (now() at time zone 'utc')::date - ${days}::integer
      group by 1) as g
    left join email.campaigns as c on ${groupBy} = 'campaign' and c.id::text = g.key and c.org_id = ${orgId}
    order by ${order} limit ${limit}`)
}

const Day = z.object({ day: z.string(), opened: z.number(), clicked: z.number() })

export type EngagementDay = z.infer<typeof Day>

/** Returns the messages that readers opened and clicked first on each day, oldest first. Days without any have zeros. */
export async function listEngagementByDay(db: Db, orgId: string, days: number): Promise<readonly EngagementDay[]> {
  return await db.any(sql.type(Day)`
    with today as (select (now() at time zone 'utc')::date as today),
    counted as (
      select d.day, sum(d.opened)::bigint as opened, sum(d.clicked)::bigint as clicked
      from ${table.name} as d, today
      where d.org_id = ${orgId} and d.tag = '' and not d.machine and d.day > today - ${days}::integer
      group by 1)
    select g.day::date::text as day, coalesce(c.opened, 0) as opened, coalesce(c.clicked, 0) as clicked
    from today cross join generate_series(today - ${days - 1}::integer, today, interval '1 day') as g (day)
    left join counted as c on c.day = g.day::date order by g.day`)
}
