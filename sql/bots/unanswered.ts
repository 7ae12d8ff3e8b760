import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Unanswered questions to a bot from users of its own organisation. */
export const table = defineTable(
  'bots',
  'unanswered',
  z.object({
    id: Id,
    bot_id: Id,
    fingerprint: z.string(),
    question: z.string(),
    times: z.number(),
    first_at: z.date(),
    last_at: z.date(),
  }),
  { retention: days('BOTS_RETENTION_DAYS', 'last_at') },
)

export type Unanswered = z.infer<typeof table.Row>

const columns = table.columns()

const most = 1_000

/**
 * Counts a question, ignoring differences in spelling. Returns true if it is new. Questions of other organisations are
 * not stored. At the limit, the least frequent question is replaced, so random questions only replace other random
 * questions.
 */
export async function countQuestion(
  tx: Db,
  {
    bot_id,
    org_id,
    fingerprint,
    question,
  }: Pick<Unanswered, 'bot_id' | 'fingerprint' | 'question'> & { org_id: string },
): Promise<boolean> {
  const added = await tx.maybeOneFirst(sql.type(z.object({ added: z.boolean() }))`
    with own as (select id from bots.bots where id = ${bot_id} and org_id = ${org_id}), least as (
      select id from bots.unanswered
      where bot_id = (select id from own) and (select count(*) from bots.unanswered where bot_id = ${bot_id}) >= ${most}
        and not exists (select from bots.unanswered where bot_id = ${bot_id} and fingerprint = ${fingerprint})
      order by times, last_at limit 1
    ), displaced as (delete from bots.unanswered where id = (select id from least))
    insert into bots.unanswered as u (id, bot_id, fingerprint, question)
    select ${newId()}, id, ${fingerprint}, ${question} from own
    on conflict (bot_id, fingerprint) do update
      set times = u.times + 1, last_at = now(), question = excluded.question
    returning times = 1 as added`)
  return added === true
}

export async function list(
  db: Db,
  botId: string,
  { before, limit }: Part<readonly [number, string]>,
): Promise<readonly Unanswered[]> {
  const behind = before ? sql.fragment`and (times, id) < (${before[0]}, ${before[1]}::uuid)` : sql.fragment``
  return await db.any(sql.type(table.Row)`
    select ${columns} from bots.unanswered where bot_id = ${botId} ${behind} order by times desc, id desc limit ${limit}`)
}

export async function find(db: Db, botId: string, id: string): Promise<Unanswered | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.unanswered where id = ${id} and bot_id = ${botId}`)
}

export async function remove(tx: Db, botId: string, id: string): Promise<Unanswered | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    delete from bots.unanswered where id = ${id} and bot_id = ${botId} returning ${columns}`)
}
