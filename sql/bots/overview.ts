import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { AnswerError } from './messages.ts'

const since = (days: number) =>
  sql.fragment`((now() at time zone 'utc')::date - ${days - 1}::int)::timestamp at time zone 'utc'`

const Day = z.object({ day: z.string(), answered: z.number(), failed: z.number(), conversations: z.number() })

export type Day = z.infer<typeof Day>

export async function series(db: Db, days: number): Promise<readonly Day[]> {
  return await db.any(sql.type(Day)`
    with answers as (
      select (created_at at time zone 'utc')::date as day,
        count(*) filter (where status = 'completed') as answered, count(*) filter (where status = 'failed') as failed
      from bots.messages where role = 'assistant' and created_at >= ${since(days)} group by 1
    ), conversations as (
      select (created_at at time zone 'utc')::date as day, count(*) as begun
      from bots.conversations where created_at >= ${since(days)} group by 1
    )
    select g.day::date::text as day, coalesce(a.answered, 0) as answered, coalesce(a.failed, 0) as failed,
      coalesce(c.begun, 0) as conversations
    from generate_series((now() at time zone 'utc')::date - ${days - 1}::int, (now() at time zone 'utc')::date, interval '1 day') as g (day)
    left join answers as a on a.day = g.day::date left join conversations as c on c.day = g.day::date
    order by g.day`)
}

const PendingCount = z.object({ count: z.number(), oldest: z.date().nullable() })

export async function pending(db: Db): Promise<z.infer<typeof PendingCount>> {
  return await db.one(sql.type(PendingCount)`
    select count(*) as count, min(created_at) as oldest from bots.messages where status = 'pending'`)
}

const BotRow = z.object({
  id: Id,
  slug: z.string(),
  name: z.string(),
  org: z.string(),
  version: z.number(),
  published: z.boolean(),
  documents: z.number(),
  conversations: z.number(),
  answered: z.number(),
  failed: z.number(),
  withheld: z.number(),
  seconds: z.number().nullable(),
})

export type BotRow = z.infer<typeof BotRow>

export async function bots(db: Db, days: number, limit: number): Promise<readonly BotRow[]> {
  return await db.any(sql.type(BotRow)`
    with asked as (
      select bot_id, count(distinct conversation_id) as conversations,
        count(*) filter (where status = 'completed') as answered, count(*) filter (where status = 'failed') as failed,
        count(*) filter (where finish_reason = 'content_filter') as withheld,
        percentile_cont(0.5) within group (order by extract(epoch from ended_at - created_at)::float8)
          filter (where status = 'completed') as seconds
      from bots.messages where role = 'assistant' and created_at >= ${since(days)} group by bot_id
    )
    select b.id, b.slug, b.name, o.name as org, b.version, b.published_at is not null as published,
      (select count(*) from bots.documents as d where d.bot_id = b.id) as documents,
      coalesce(a.conversations, 0) as conversations, coalesce(a.answered, 0) as answered,
      coalesce(a.failed, 0) as failed, coalesce(a.withheld, 0) as withheld, a.seconds
    from bots.bots as b join account.orgs as o on o.id = b.org_id left join asked as a on a.bot_id = b.id
    order by coalesce(a.conversations, 0) desc, b.id desc limit ${limit}`)
}

const Failure = z.object({
  code: AnswerError.shape.code,
  upstream_status: z.number().nullable(),
  count: z.number(),
  last_at: z.date(),
})

export type Failure = z.infer<typeof Failure>

export async function failures(db: Db, days: number, limit: number): Promise<readonly Failure[]> {
  return await db.any(sql.type(Failure)`
    select error ->> 'code' as code, (error ->> 'upstream_status')::int as upstream_status, count(*) as count,
      max(ended_at) as last_at
    from bots.messages where status = 'failed' and created_at >= ${since(days)}
    group by 1, 2 order by count desc, code limit ${limit}`)
}

/** Returns the days of one bot: its conversations with an organisation, and their answers. */
export async function seriesOf(
  db: Db,
  { orgId, botId }: { orgId: string; botId: string },
  days: number,
): Promise<readonly Day[]> {
  return await db.any(sql.type(Day)`
    with answers as (
      select (created_at at time zone 'utc')::date as day,
        count(*) filter (where status = 'completed' and role = 'assistant') as answered,
        count(*) filter (where status = 'failed') as failed, count(*) filter (where seq = 1) as begun
      from bots.messages where org_id = ${orgId} and bot_id = ${botId} and created_at >= ${since(days)} group by 1
    )
    select g.day::date::text as day, coalesce(a.answered, 0) as answered, coalesce(a.failed, 0) as failed,
      coalesce(a.begun, 0) as conversations
    from generate_series((now() at time zone 'utc')::date - ${days - 1}::int, (now() at time zone 'utc')::date, interval '1 day') as g (day)
    left join answers as a on a.day = g.day::date
    order by g.day`)
}

const Counts = z.object({ documents: z.number(), actions: z.number(), unanswered: z.number(), waiting: z.number() })

/** Counts what a bot has: documents, actions, unanswered questions and conversations that wait for a person. */
export async function countsOf(
  db: Db,
  { orgId, botId }: { orgId: string; botId: string },
): Promise<z.infer<typeof Counts>> {
  return await db.one(sql.type(Counts)`
    select (select count(*) from bots.documents where bot_id = ${botId}) as documents,
      (select count(*) from bots.actions where bot_id = ${botId}) as actions,
      (select count(*) from bots.unanswered where bot_id = ${botId}) as unanswered,
      (select count(*) from bots.handovers where org_id = ${orgId} and bot_id = ${botId} and waits) as waiting`)
}
