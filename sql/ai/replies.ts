import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Cached responses to exact repeats of a request. */
export const table = defineTable(
  'ai',
  'replies',
  z.object({
    org_id: Id,
    digest: z.instanceof(Buffer),
    /** Requested model, and the model that responded. */
    models: z.array(z.string()),
    sealed: z.string(),
    created_at: z.date(),
    expires_at: z.date(),
  }),
  { retention: hours(0, 'expires_at', { batch: 500 }) },
)

export const sealPurpose = 'ai.replies'

const Found = table.Row.pick({ models: true, sealed: true }).extend({ age: z.number() })

export type FoundReply = z.infer<typeof Found>

/** Returns a cached response that has not expired. `age` is in seconds. `digest` is hexadecimal. */
export async function find(db: Db, orgId: string, digest: string): Promise<FoundReply | null> {
  return await db.maybeOne(sql.type(Found)`
    select models, sealed, floor(extract(epoch from now() - created_at))::int as age from ai.replies
    where org_id = ${orgId} and digest = decode(${digest}, 'hex') and expires_at > now()`)
}

export interface NewReply {
  orgId: string
  /** Completion of the response, and its maximum age in seconds. */
  completionId: string
  maxAge: number
  digest: string
  models: readonly string[]
  sealed: string
  seconds: number
}

/**
 * Adds or replaces a response. Does nothing for a closed organisation, or if the completion is too old: a repeat with an
 * idempotency key returns an old response.
 */
export async function put(db: Db, reply: NewReply): Promise<void> {
  const { orgId, completionId, maxAge, digest, models, sealed, seconds } = reply
  await db.query(sql.typeAlias('void')`
    insert into ai.replies (org_id, digest, models, sealed, expires_at)
    select org_id, decode(${digest}, 'hex'), ${sql.array([...new Set(models)], 'text')}, ${sealed},
      now() + make_interval(secs => ${seconds})
    from ai.completions where id = ${completionId} and org_id = ${orgId}
      and created_at > now() - make_interval(secs => ${maxAge}) and not account.is_closing(org_id)
    on conflict (org_id, digest) do update set models = excluded.models, sealed = excluded.sealed,
      created_at = now(), expires_at = excluded.expires_at`)
}

export async function clear(db: Db, orgId: string): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`delete from ai.replies where org_id = ${orgId}`)
  return rowCount
}

const Over = z.object({ org_id: Id, over: z.number() })

export async function listOverLimit(db: Db, most: number): Promise<readonly z.infer<typeof Over>[]> {
  return await db.any(sql.type(Over)`
    select org_id, count(*) - ${most} as over from ai.replies group by org_id having count(*) > ${most}`)
}

export async function removeOldest(db: Db, orgId: string, count: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from ai.replies where ctid = any(array(
      select ctid from ai.replies where org_id = ${orgId} order by created_at limit ${count} for update skip locked))`)
  return rowCount
}
