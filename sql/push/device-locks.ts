import { z } from 'zod'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import type { Installation } from './installations.ts'

/**
 * Locks devices by token until the transaction ends. The order is fixed, so that requests that swap two tokens cannot
 * deadlock.
 */
export async function lockTokens(
  tx: Db,
  devices: readonly Pick<Installation, 'app_id' | 'provider' | 'token'>[],
): Promise<void> {
  await tx.query(sql.type(z.object({ locked: z.unknown() }))`
    select pg_advisory_xact_lock(${advisoryLockSpaces.device}, key) as locked from (
      select distinct hashtext(app_id::text || provider || token) as key
      from ${sql.unnest(
        devices.map(({ app_id, provider, token }) => [app_id, provider, token]),
        ['uuid', 'text', 'text'],
      )} as d (app_id, provider, token) order by key) as keys`)
}

/**
 * Locks an installation until the transaction ends. Concurrent renewals of one browser run one after the other, so that
 * each reads the token that the previous one stored. Take this lock before `lockTokens`.
 */
export async function lockInstallation(tx: Db, id: string): Promise<void> {
  await tx.query(sql.type(z.object({ locked: z.unknown() }))`
    select pg_advisory_xact_lock(${advisoryLockSpaces.installation}, hashtext(${id})) as locked`)
}
