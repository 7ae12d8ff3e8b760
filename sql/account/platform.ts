import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import * as orgs from './orgs.ts'

export const table = defineTable(
  'account',
  'platform',
  z.object({ one: z.literal(true), org_id: Id.nullable(), rp_id: z.string().nullable() }),
)

const Rp = z.object({ rp_id: z.string() })
const Org = z.object({ org_id: Id })

export async function findRpId(db: Db): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(Rp)`select rp_id from account.platform where rp_id is not null`)
}

/** Returns the host name for passkeys. The first call stores it permanently. */
export async function fixRpId(db: Db, wanted: string): Promise<string> {
  const fixed = await findRpId(db)
  return (
    fixed ??
    (await db.oneFirst(sql.type(Rp)`
      ${table.insert({ one: true, rp_id: wanted })}
      on conflict (one) do update set rp_id = coalesce(platform.rp_id, excluded.rp_id) returning rp_id`))
  )
}

export async function findOrgId(db: Db): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(Org)`select org_id from account.platform where org_id is not null`)
}

/**
 * Returns the organisation of the platform and locks its row. Creates the organisation if needed. It is identified by
 * ID, because other organisations can have the same name.
 */
export async function makeOrg(tx: Db): Promise<string> {
  await tx.query(sql.typeAlias('void')`${table.insert({ one: true })} on conflict (one) do nothing`)
  await tx.query(sql.typeAlias('void')`select from account.platform for update`)
  const known = await findOrgId(tx)
  if (known) return known
  const { id } = await orgs.insert(tx, { name: 'platform', plan: 'unlimited' })
  await tx.query(sql.typeAlias('void')`update account.platform set org_id = ${id}`)
  return id
}

export async function countMailed(db: Db, email: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from email.messages
    where org_id = (select org_id from account.platform) and to_email = ${email} and created_at > now() - interval '1 day'`)
}
