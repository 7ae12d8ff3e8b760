import { z } from 'zod'
import { firstIdAt, Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'bots',
  'ratings',
  z.object({
    conversation_id: Id,
    id: Id,
    org_id: Id,
    bot_id: Id,
    assignee_id: Id.nullable(),
    score: z.number(),
    comment: z.string().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Rating = z.infer<typeof table.Row>

const columns = table.columns()

export async function insert(tx: Db, rating: Omit<Rating, 'created_at' | 'updated_at'>): Promise<Rating> {
  return await tx.one(sql.type(table.Row)`${table.insert(rating)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, conversationId: string): Promise<Rating | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.ratings where conversation_id = ${conversationId} and org_id = ${orgId}`)
}

export async function update(
  tx: Db,
  conversationId: string,
  { score, comment }: Pick<Rating, 'score' | 'comment'>,
): Promise<Rating> {
  return await tx.one(sql.type(table.Row)`
    update bots.ratings set score = ${score}, comment = ${comment}, updated_at = now()
    where conversation_id = ${conversationId} returning ${columns}`)
}

export const filters = {
  bot_id: table.equals('bot_id'),
  assignee_id: (id: string) => (id === 'none' ? sql.fragment`assignee_id is null` : sql.fragment`assignee_id = ${id}`),
  score: table.equals('score'),
  since: (at: string) => sql.fragment`id >= ${firstIdAt(new Date(at))}`,
  until: (at: string) => sql.fragment`id < ${firstIdAt(new Date(at))}`,
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Rating[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from bots.ratings where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

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
  assignee: sql.fragment`assignee_id::text`,
  week: sql.fragment`date_trunc('week', created_at at time zone 'utc')::date::text`,
}

const names = {
  bot: sql.fragment`(select name from bots.bots where id = key::uuid)`,
  assignee: sql.fragment`(select coalesce(nullif(name, ''), email) from account.users where id = key::uuid)`,
  week: sql.fragment`null`,
}

/** Returns up to `limit` groups of ratings between two times. Weeks start on Monday (UTC). */
export async function summarise(
  db: Db,
  orgId: string,
  {
    by,
    botId,
    since,
    until,
    limit,
  }: { by: keyof typeof keys; botId?: string; since: Date; until: Date; limit: number },
): Promise<readonly Group[]> {
  const ofBot = botId === undefined ? sql.fragment`` : sql.fragment`and bot_id = ${botId}`
  const order = by === 'week' ? sql.fragment`key desc` : sql.fragment`ratings desc, key`
  return await db.any(sql.type(Group)`
    with groups as (
      select ${keys[by]} as key, count(*) as ratings, avg(score)::float8 as average,
        array[${sql.join(
          [1, 2, 3, 4, 5].map((score) => sql.fragment`count(*) filter (where score = ${score})`),
          sql.fragment`, `,
        )}]::int4[] as scores
      from bots.ratings
      where org_id = ${orgId} and id >= ${firstIdAt(since)} and id < ${firstIdAt(until)} ${ofBot}
      group by 1
    )
    select key, ${names[by]} as name, ratings, average, scores from groups order by ${order} limit ${limit}`)
}
