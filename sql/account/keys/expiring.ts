import type { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { getColumns } from '../../table.ts'
import { Key, table } from '../keys.ts'

const columns = getColumns(Key)

const expiresUntold = (days: number) => sql.fragment`
  revoked_at is null and expiry_told_at is null and expires_at > now() and expires_at < now() + ${days} * interval '1 day'`

const ExpiringKey = table.Row.pick({ id: true, org_id: true })

export type Expiring = z.infer<typeof ExpiringKey>

export async function listExpiring(db: Db, days: number): Promise<readonly Expiring[]> {
  return await db.any(sql.type(ExpiringKey)`
    select id, org_id from account.keys where ${expiresUntold(days)} order by expires_at limit 100000`)
}

/** Marks keys that expire within `days` as reported. Returns the keys that were not reported before. */
export async function markReported(tx: Db, ids: readonly string[], days: number): Promise<readonly Key[]> {
  return await tx.any(sql.type(Key)`
    update account.keys set expiry_told_at = now() where id = any(array(
      select id from account.keys where id = any(${sql.array([...ids], 'uuid')}) and ${expiresUntold(days)}
      order by id for update skip locked))
    returning ${columns}`)
}
