import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'

/** Why a call brought nothing. */
export const CallError = z.object({ code: z.string(), message: z.string() })

/** Requests that bots have made. */
export const table = defineTable(
  'bots',
  'action_calls',
  z.object({
    id: Id,
    action_id: Id,
    message_id: Id,
    arguments: z.record(z.string(), z.unknown()).nullable(),
    digest: z.string(),
    status: z.enum(['ok', 'failed']),
    http_status: z.number().nullable(),
    answer: z.string().nullable(),
    error: CallError.nullable(),
    ms: z.number(),
    created_at: z.date(),
  }),
)

const View = table.Row.omit({ digest: true }).extend({ conversation_id: Id })

/** A call as its bot's owner sees it. */
export type Call = z.infer<typeof View>

/** What a call came to. */
export type Ended = Omit<z.infer<typeof table.Row>, 'created_at'>

/** Notes a call; nothing when its message or action is gone by now. */
export async function insert(db: Db, { id, action_id, message_id, ...call }: Ended): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into bots.action_calls (id, action_id, message_id, arguments, digest, status, http_status, answer, error, ms)
    select ${id}, a.id, m.id, nullif(${sql.jsonb(call.arguments)}, 'null'), ${call.digest}, ${call.status},
      ${call.http_status}::int, ${call.answer}, nullif(${sql.jsonb(call.error)}, 'null'), ${call.ms}::int
    from bots.actions as a, bots.messages as m
    where a.id = ${action_id} and m.id = ${message_id} for key share of a, m`)
}

/** What an action has answered for a message by the same arguments; null when it has not. */
export async function findAnswer(
  db: Db,
  { action_id, message_id, digest }: Pick<Ended, 'action_id' | 'message_id' | 'digest'>,
): Promise<string | null> {
  const found = await db.maybeOne(sql.type(table.Row.pick({ answer: true }))`
    select answer from bots.action_calls
    where message_id = ${message_id} and action_id = ${action_id} and digest = ${digest} and status = 'ok' limit 1`)
  return found?.answer ?? null
}

/** Calls of an action, newest first. */
export async function list(
  db: Db,
  actionId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<readonly Call[]> {
  return await db.any(sql.type(View)`
    select ${columnsOf(table.Row.omit({ digest: true }), 'c')}, m.conversation_id
    from bots.action_calls as c join bots.messages as m on m.id = c.message_id
    where c.action_id = ${actionId} and (${before ?? null}::uuid is null or c.id < ${before ?? null})
    order by c.id desc limit ${limit}`)
}
