import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { table } from './endpoints.ts'

export async function recordSuccess(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update webhooks.endpoints set failing_since = null, failures = 0, resume_at = null
    where id = ${id} and failing_since is not null`)
}

const FailureStreak = table.Row.pick({ failures: true }).extend({ failing_ms: z.number() })

/** Returns the number of consecutive failures and their duration. Null if the endpoint is deleted or disabled. */
export async function recordFailure(tx: Db, id: string): Promise<z.infer<typeof FailureStreak> | null> {
  return await tx.maybeOne(sql.type(FailureStreak)`
    update webhooks.endpoints set failing_since = coalesce(failing_since, now()), failures = failures + 1
    where id = ${id} and status = 'enabled'
    returning failures, extract(epoch from now() - failing_since)::float8 * 1000 as failing_ms`)
}

/** Opens the circuit breaker for `ms` milliseconds, unless it is already open for longer. */
export async function openBreaker(tx: Db, id: string, ms: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update webhooks.endpoints set resume_at = greatest(resume_at, now() + ${Math.round(ms)} * interval '1 ms')
    where id = ${id} and status = 'enabled'`)
}

/** Disables an endpoint. Waiting events keep waiting. Returns false if the endpoint was already disabled. */
export async function disable(tx: Db, id: string, reason: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update webhooks.endpoints set status = 'disabled', disabled_reason = ${reason}, disabled_at = now()
    where id = ${id} and status = 'enabled'`)
  return rowCount === 1
}
