import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import type { Reference } from './moved.ts'
import { references as moved } from './moved.ts'
import { tableOf } from './owned-rows.ts'
import type { MovedTable } from './tables.ts'

const Row = z.object({ kind: moved.Row.shape.kind, value: z.string() })

/**
 * Returns references that requests of an organisation contain: hashes of its keys, sessions and invitations, and its
 * host names.
 */
export async function readReferences(db: Db, orgId: string): Promise<readonly Reference[]> {
  return await db.any(sql.type(Row)`
    select 'key' as kind, s.hash as value from account.key_secrets as s join account.keys as k on k.id = s.key_id
    where k.org_id = ${orgId}
    union select 'token', hash from account.browser_sessions where org_id = ${orgId}
    union select 'token', hash from account.invitations where org_id = ${orgId}
    union select 'host', hostname from video.domains where org_id = ${orgId} and verified_at is not null
    union select 'id', ${orgId}`)
}

export async function referToIds(db: Db, table: MovedTable, orgId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`
      insert into account.moved_references (kind, value, org_id)
      select 'id', t0.id::text, ${orgId}::uuid from ${tableOf(table.name)} as t0 where ${table.belongs(orgId)}
      on conflict (kind, value) do update set org_id = excluded.org_id`)
  })
}
