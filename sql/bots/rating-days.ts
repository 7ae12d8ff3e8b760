import { z } from 'zod'
import { firstIdAt, Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Rows are counted by triggers of `bots.ratings`, and deleted with the last rating that they count. */
export const table = defineTable(
  'bots',
  'rating_days',
  z.object({
    org_id: Id,
    /** Day (UTC) of the ID of the ratings. */
    day: z.string(),
    bot_id: Id,
    /** Empty for conversations without an assignee. */
    assignee_id: z.string(),
    week: z.string(),
    score: z.number(),
    ratings: z.number(),
  }),
)

const Group = z.object({
  key: z.string().nullable(),
  name: z.string().nullable(),
  ratings: z.number(),
  average: z.number(),
  scores: z.array(z.number()),
})

/** Ratings of a bot, member or week: their number, average, and number of each score from 1 to 5. */
export type Group = z.infer<typeof Group>

const keys = {
  bot: sql.fragment`bot_id::text`,
  assignee: sql.fragment`nullif(assignee_id, '')`,
  week: sql.fragment`week::text`,
}

const names = {
  bot: sql.fragment`(select name from bots.bots where id = key::uuid)`,
  assignee: sql.fragment`(select coalesce(nullif(name, ''), email) from account.users where id = key::uuid)`,
  week: sql.fragment`null`,
}

interface Wanted {
  by: keyof typeof keys
  botId?: string
  since: Date
  until: Date
  limit: number
}

/** Returns up to `limit` groups of ratings between two times. Weeks start on Monday (UTC). */
export async function summarise(db: Db, orgId: string, wanted: Wanted): Promise<readonly Group[]> {
  const { by, limit } = wanted
  const order = by === 'week' ? sql.fragment`key desc` : sql.fragment`ratings desc, key`
  const scores = [1, 2, 3, 4, 5].map((score) => sql.fragment`coalesce(sum(ratings) filter (where score = ${score}), 0)`)
  return await db.any(sql.type(Group)`
    with counted as (${countPeriod(orgId, wanted)}),
    groups as (
      select ${keys[by]} as key, sum(ratings)::bigint as ratings, (sum(score * ratings)::numeric / sum(ratings))::float8 as average,
        array[${sql.join(scores, sql.fragment`, `)}]::int4[] as scores
      from counted group by 1
    )
    select key, ${names[by]} as name, ratings, average, scores from groups order by ${order} limit ${limit}`)
}

const dayMs = 86_400_000

/** Counts whole days from this table, and ratings of the days on which the period starts and ends from their rows. */
function countPeriod(orgId: string, { botId, since, until }: Wanted) {
  const ofBot = botId === undefined ? sql.fragment`` : sql.fragment`and bot_id = ${botId}`
  const start = Math.ceil(since.getTime() / dayMs) * dayMs
  const end = Math.max(start, Math.floor(until.getTime() / dayMs) * dayMs)
  const dayAt = (ms: number) => sql.fragment`${new Date(ms).toISOString().slice(0, 10)}::date`
  const rowsBetween = (from: Date, to: Date) => sql.fragment`
    select bot_id, coalesce(assignee_id::text, ''), bots.rating_week(created_at), score, 1
    from bots.ratings where org_id = ${orgId} and id >= ${firstIdAt(from)} and id < ${firstIdAt(to)} ${ofBot}`
  return sql.fragment`
    select bot_id, assignee_id, week, score, ratings
    from ${table.name} where org_id = ${orgId} and day >= ${dayAt(start)} and day < ${dayAt(end)} ${ofBot}
    union all ${rowsBetween(since, new Date(Math.min(start, until.getTime())))}
    union all ${rowsBetween(new Date(end), until)}`
}
