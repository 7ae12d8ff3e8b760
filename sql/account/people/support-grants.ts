import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { days } from '../../retention.ts'
import { defineTable } from '../../table.ts'

export const table = defineTable(
  'account',
  'support_grants',
  z.object({
    id: Id,
    org_id: Id,
    granted_by: Id.nullable(),
    reason: z.string(),
    created_at: z.date(),
    expires_at: z.date(),
    ended_at: z.date().nullable(),
  }),
  { retention: days(400, 'expires_at') },
)

export type Grant = z.infer<typeof table.Row>

export async function insert(
  tx: Db,
  grant: { orgId: string; grantedBy: string; reason: string; hours: number },
): Promise<Grant> {
  const row = {
    id: newId(),
    org_id: grant.orgId,
    granted_by: grant.grantedBy,
    reason: grant.reason,
    expires_at: sql.fragment`now() + ${grant.hours} * interval '1 hour'`,
  }
  return await tx.one(sql.type(table.Row)`${table.insert(row)} returning ${table.columns()}`)
}

const running = sql.fragment`ended_at is null and expires_at > now()`

export async function listRunning(db: Db, orgId: string): Promise<readonly Grant[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.support_grants where org_id = ${orgId} and ${running} order by expires_at desc`)
}

export async function end(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.support_grants set ended_at = now() where org_id = ${orgId} and id = ${id} and ${running}`)
  return rowCount === 1
}
