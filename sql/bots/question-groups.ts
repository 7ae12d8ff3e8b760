import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { table } from './unanswered.ts'

const Compared = table.Row.pick({ id: true, question: true, times: true }).extend({
  group_id: Id.nullable(),
  model: z.string().nullable(),
  vector: z.instanceof(Uint8Array).nullable(),
})

export type Compared = z.infer<typeof Compared>

/** Returns the questions of a bot that are in a group, or those that are not compared yet, oldest first. */
export async function listCompared(
  db: Db,
  botId: string,
  which: 'grouped' | 'ungrouped',
  limit: number,
): Promise<readonly Compared[]> {
  const isWanted = which === 'grouped' ? sql.fragment`group_id is not null` : sql.fragment`group_id is null`
  return await db.any(sql.type(Compared)`
    select id, question, times, group_id, model, vector from bots.unanswered
    where bot_id = ${botId} and ${isWanted} order by id limit ${limit}`)
}

/** Stores the groups of questions that have none. */
export async function setGroups(db: Db, questions: readonly Compared[]): Promise<void> {
  const rows = questions.map(({ id, group_id, model, vector }) => [id, group_id, model, vector && Buffer.from(vector)])
  await db.query(sql.typeAlias('void')`
    update bots.unanswered as u set group_id = x.group_id, model = x.model, vector = x.vector
    from ${sql.unnest(rows, ['uuid', 'uuid', 'text', 'bytea'])} as x (id, group_id, model, vector)
    where u.id = x.id and u.group_id is null`)
}

const Group = z.object({
  id: Id,
  bot_id: Id,
  question: z.string(),
  questions: z.array(z.object({ id: Id, question: z.string(), times: z.number() })),
  count: z.number(),
  times: z.number(),
  first_at: z.date(),
  last_at: z.date(),
})

export type Group = z.infer<typeof Group>

/** Maximum number of wordings that a group shows. */
const mostShown = 10

const groups = (botId: string) => sql.fragment`
  select coalesce(group_id, id) as id, bot_id, count(*)::int4 as count, sum(times)::int4 as times,
    min(first_at) as first_at, max(last_at) as last_at,
    (array_agg(question order by times desc, id))[1] as question,
    to_jsonb((array_agg(jsonb_build_object('id', id, 'question', question, 'times', times)
      order by times desc, id))[1:${mostShown}::int4]) as questions
  from bots.unanswered where bot_id = ${botId} group by coalesce(group_id, id), bot_id`

/** Returns groups of a bot, most frequent first. A bot has up to 1,000 questions. */
export async function list(
  db: Db,
  botId: string,
  { before, limit }: { before: readonly [number, string] | undefined; limit: number },
): Promise<readonly Group[]> {
  const behind = before ? sql.fragment`(times, id) < (${before[0]}, ${before[1]}::uuid)` : sql.fragment`true`
  return await db.any(sql.type(Group)`
    select * from (${groups(botId)}) as g where ${behind} order by times desc, id desc limit ${limit}`)
}

export async function find(db: Db, botId: string, id: string): Promise<Group | null> {
  return await db.maybeOne(sql.type(Group)`select * from (${groups(botId)}) as g where id = ${id}`)
}

/** Deletes the questions of a group. Returns the most frequent one, or `null` if the group does not exist. */
export async function remove(tx: Db, botId: string, id: string): Promise<string | null> {
  const Removed = table.Row.pick({ question: true, times: true, id: true })
  const removed = await tx.any(sql.type(Removed)`
    delete from bots.unanswered where bot_id = ${botId} and coalesce(group_id, id) = ${id}
    returning question, times, id`)
  return removed.toSorted((one, other) => other.times - one.times)[0]?.question ?? null
}
