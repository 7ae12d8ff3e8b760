import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { days } from '../../retention.ts'
import { defineTable } from '../../table.ts'

export const table = defineTable(
  'account',
  'request_windows',
  z.object({ key_id: Id, org_id: Id, opened_at: z.date(), ends_at: z.date() }),
  { retention: days(1, 'ends_at') },
)

export type Window = z.infer<typeof table.Row>

export async function open(
  tx: Db,
  { orgId, keyId, minutes, testOnly }: { orgId: string; keyId: string; minutes: number; testOnly: boolean },
): Promise<Window | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    insert into account.request_windows (key_id, org_id, opened_at, ends_at)
    select id, org_id, now(), now() + ${minutes} * interval '1 minute' from account.keys
    where org_id = ${orgId} and id = ${keyId} and revoked_at is null and (not ${testOnly} or mode = 'test')
    on conflict (key_id) do update set opened_at = excluded.opened_at, ends_at = excluded.ends_at
    returning ${table.columns()}`)
}

/** Returns the end of the open window of a key, or `null`. */
export async function findEnd(db: Db, orgId: string, keyId: string): Promise<Date | null> {
  const Row = z.object({ ends_at: z.date() })
  const found = await db.maybeOne(sql.type(Row)`
    select ends_at from account.request_windows where org_id = ${orgId} and key_id = ${keyId} and ends_at > now()`)
  return found?.ends_at ?? null
}

export async function listOpen(db: Db): Promise<readonly Window[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.request_windows where ends_at > now() order by ends_at desc limit 1000`)
}
