import { z } from 'zod'
import { Fallbacks } from '#lib/config/ai-fallbacks.ts'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const CompletionError = z.object({
  code: z.string(),
  upstream_status: z.number().nullable(),
  retryable: z.boolean(),
  retry_after: z.number().optional(),
  request_fault: z.object({ kind: z.string(), code: z.string().optional(), param: z.string().optional() }).optional(),
})

export type CompletionError = z.infer<typeof CompletionError>

export const table = defineTable(
  'ai',
  'completions',
  z.object({
    id: Id,
    org_id: Id,
    request: z.string(),
    streamed: z.boolean(),
    api: z.enum(['chat', 'responses', 'messages']),
    status: z.enum(['pending', 'done', 'failed']),
    generation: z.number(),
    error: CompletionError.nullable(),
    created_at: z.date(),
    key_id: Id.nullable(),
    /** `null`: the fallbacks of the operator. */
    fallbacks: Fallbacks.nullable(),
    /** Requested model or fallback that responded. `null` until the end. */
    answered: z.string().nullable(),
  }),
  { retention: days(1, 'created_at') },
)

export type Completion = z.infer<typeof table.Row>

/** Postgres channel for completions with new parts. The payload is the ID of the completion. */
export const completionsChannel = 'ai_completions'

const notified = (id: string) => sql.fragment`pg_notify(${completionsChannel}, ${id})`

const NotifyRow = z.object({ notified: z.unknown() })

export type CompletionAttempt = Pick<Completion, 'id' | 'generation'>

export async function insert(
  tx: Db,
  completion: Pick<Completion, 'id' | 'org_id' | 'request' | 'streamed' | 'api' | 'key_id' | 'fallbacks'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(completion)}`)
}

const StartedCompletion = table.Row.pick({
  id: true,
  org_id: true,
  request: true,
  streamed: true,
  api: true,
  generation: true,
  key_id: true,
  fallbacks: true,
}).extend({ told: z.number() })

/**
 * A completion that a worker has started. `told` is the number of characters that an earlier attempt has already
 * written.
 */
export type StartedCompletion = z.infer<typeof StartedCompletion>

/**
 * Starts a pending completion. After this, no earlier attempt can write or end it. Returns `null` if it has ended or
 * was deleted.
 */
export async function begin(db: Db, id: string): Promise<StartedCompletion | null> {
  return await db.maybeOne(sql.type(StartedCompletion)`
    update ai.completions as c set generation = c.generation + 1
    where c.id = ${id} and c.status = 'pending'
    returning c.id, c.org_id, c.request, c.streamed, c.api, c.generation, c.key_id, c.fallbacks,
      (select coalesce(sum(length(p.data)), 0)::float8 from ai.pieces as p where p.completion_id = c.id) as told`)
}

/**
 * Adds a part for requests that follow a completion. Returns false if another attempt has the completion or no request
 * waits for it.
 */
export async function addPiece(
  db: Db,
  { id, generation }: CompletionAttempt,
  n: number,
  data: string,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.type(NotifyRow)`
    with added as (
      insert into ai.pieces (completion_id, n, data)
      select c.id, ${n}::int, ${data}::text from ai.completions as c
      where c.id = ${id} and c.status = 'pending' and c.generation = ${generation}
      for key share
      returning completion_id
    )
    select ${notified(id)} as notified from added`)
  return rowCount > 0
}

/** Ends a completion. `answered` is the requested model or the fallback that responded. */
export async function complete(tx: Db, { id, generation }: CompletionAttempt, answered: string): Promise<void> {
  await tx.query(sql.type(NotifyRow)`
    with ended as (
      update ai.completions set status = 'done', answered = ${answered}
      where id = ${id} and status = 'pending' and generation = ${generation} returning id
    )
    select ${notified(id)} as notified from ended`)
}

export async function fail(
  tx: Db,
  { id, generation }: Pick<Completion, 'id'> & { generation?: number },
  error: CompletionError,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(NotifyRow)`
    with ended as (
      update ai.completions set status = 'failed', error = ${sql.jsonb(error as never)}
      where id = ${id} and status = 'pending' and (${generation ?? null}::int is null or generation = ${generation ?? null}::int)
      returning id
    )
    select ${notified(id)} as notified from ended`)
  return rowCount > 0
}

const News = table.Row.pick({ status: true, error: true, answered: true }).extend({
  pieces: z.array(z.string()),
  first: z.number().nullable(),
})

/** Maximum number of parts per read. A part has up to `mostPiece` characters or is a complete answer. */
export const mostPieces = 16

export type News = z.infer<typeof News>

/**
 * Returns the new parts of a completion after its first `n` parts. `first` is the number of the first new part. Returns
 * `null` if the completion was deleted.
 */
export async function readNews(db: Db, id: string, n: number): Promise<News | null> {
  return await db.maybeOne(sql.type(News)`
    select c.status, c.error, c.answered, p.pieces, p.first
    from ai.completions as c cross join lateral (
      select coalesce(json_agg(data order by n), '[]') as pieces, min(n) as first from (
        select n, data from ai.pieces where completion_id = c.id and n > ${n} order by n limit ${mostPieces}
      ) as new
    ) as p
    where c.id = ${id}`)
}

export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from ai.completions where id = ${id}`)
}
