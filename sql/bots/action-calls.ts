import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

export const CallError = z.object({ code: z.string(), message: z.string() })

/** `unknown` while the call is in progress, and if its worker stopped during the call. */
export const CallStatus = z.enum(['ok', 'failed', 'unknown'])

export const table = defineTable(
  'bots',
  'action_calls',
  z.object({
    id: Id,
    action_id: Id,
    message_id: Id,
    number: z.number().nullable(),
    arguments: z.record(z.string(), z.unknown()).nullable(),
    status: CallStatus,
    http_status: z.number().nullable(),
    answer: z.string().nullable(),
    error: CallError.nullable(),
    ms: z.number(),
    asked_at: z.date(),
    created_at: z.date(),
  }),
)

type Row = z.infer<typeof table.Row>

const Shown = table.Row.omit({ number: true, asked_at: true })
const View = Shown.extend({ conversation_id: Id })

export type Call = z.infer<typeof View>

export type CallAttempt = Pick<Row, 'id' | 'action_id' | 'message_id' | 'arguments'> & { generation: number }

/**
 * Records a call before it is made and returns its number. Returns `null` if another attempt has the answer, or if the
 * message or action was deleted. Do not make the call if the result is `null`.
 */
export async function begin(
  db: Db,
  { id, action_id, message_id, generation, ...call }: CallAttempt,
): Promise<number | null> {
  const begun = await db.maybeOne(sql.type(z.object({ number: z.number() }))`
    insert into bots.action_calls (id, action_id, message_id, number, arguments, status, ms)
    select ${id}, a.id, m.id, 1 + coalesce((select max(number) from bots.action_calls where message_id = m.id), 0),
      nullif(${sql.jsonb(call.arguments)}, 'null'), 'unknown', 0
    from bots.actions as a, bots.messages as m
    where a.id = ${action_id} and m.id = ${message_id} and m.status = 'pending' and m.generation = ${generation}
    for share of m for key share of a
    returning number`)
  return begun?.number ?? null
}

export async function repeatCall(
  db: Db,
  { id, message_id, generation }: Omit<CallAttempt, 'action_id' | 'arguments'>,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update bots.action_calls as c
    set status = 'unknown', http_status = null, answer = null, error = null, asked_at = now()
    from (
      select id from bots.messages where id = ${message_id} and status = 'pending' and generation = ${generation} for share
    ) as m
    where c.id = ${id} and m.id = c.message_id`)
  return rowCount === 1
}

export type CallResult = Pick<Row, 'id' | 'status' | 'http_status' | 'answer' | 'error' | 'ms'> & {
  /** True if the server timed out. Undefined if no request was sent. */
  timedOut: boolean | undefined
}

/** Number of consecutive timeouts after which an action is paused, and the length of the pause in seconds. */
const [mostTimeouts, pauseSeconds] = [3, 60]

/** Records the result of a call. Pauses an action for all workers if its server times out too often. */
export async function end(db: Db, { id, status, http_status, answer, error, ms, timedOut }: CallResult): Promise<void> {
  await db.query(sql.typeAlias('void')`
    with ended as (
      update bots.action_calls set status = ${status}, http_status = ${http_status}::int, answer = ${answer},
        error = nullif(${sql.jsonb(error)}, 'null'), ms = ${ms}::int
      where id = ${id} returning action_id
    )
    update bots.actions as a
    set timeouts = case when ${timedOut === true} then least(a.timeouts + 1, ${mostTimeouts}) else 0 end,
      paused_until = case
        when ${timedOut === true} and a.timeouts + 1 >= ${mostTimeouts} then now() + make_interval(secs => ${pauseSeconds})
      end
    from ended where a.id = ended.action_id and ${timedOut !== undefined} and (${timedOut === true} or a.timeouts > 0)`)
}

const EarlierCall = table.Row.pick({
  id: true,
  action_id: true,
  arguments: true,
  status: true,
  answer: true,
  error: true,
  ms: true,
}).extend({ number: z.number(), is_old: z.boolean() })

/** An earlier call for a message. If the call is old, its result is no longer used. */
export type Made = z.infer<typeof EarlierCall>

const freshMinutes = 10

export async function listEarlierCalls(db: Db, messageId: string): Promise<readonly Made[]> {
  return await db.any(sql.type(EarlierCall)`
    select ${getColumns(EarlierCall.omit({ is_old: true }))}, asked_at < now() - make_interval(mins => ${freshMinutes}) as is_old
    from bots.action_calls where message_id = ${messageId} and number is not null order by number`)
}

/** Records why an answer called none of its actions, unless the last record has the same reason. */
export async function recordUnsupported(
  db: Db,
  notes: readonly Pick<Row, 'id' | 'action_id'>[],
  messageId: string,
  error: z.infer<typeof CallError>,
): Promise<void> {
  const ids = notes.map(({ id, action_id }) => [id, action_id])
  await db.query(sql.typeAlias('void')`
    insert into bots.action_calls (id, action_id, message_id, status, error, ms)
    select n.id, a.id, m.id, 'failed', ${sql.jsonb(error)}, 0
    from ${sql.unnest(ids, ['uuid', 'uuid'])} as n (id, action_id)
    join bots.actions as a on a.id = n.action_id join bots.messages as m on m.id = ${messageId}
    left join lateral (
      select error from bots.action_calls where action_id = a.id order by id desc limit 1) as c on true
    where c.error ->> 'code' is distinct from ${error.code}
    for key share of m, a`)
}

export async function list(db: Db, actionId: string, { before, limit }: Part): Promise<readonly Call[]> {
  return await db.any(sql.type(View)`
    select ${getColumns(Shown, 'c')}, m.conversation_id
    from bots.action_calls as c join bots.messages as m on m.id = c.message_id
    where c.action_id = ${actionId} and (${before ?? null}::uuid is null or c.id < ${before ?? null})
    order by c.id desc limit ${limit}`)
}
