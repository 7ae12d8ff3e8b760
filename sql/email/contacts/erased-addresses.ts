import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

/** Hashes of addresses of erased people. Suppressions and unsubscriptions of the addresses still apply. */
export const table = defineTable(
  'email',
  'erased_addresses',
  z.object({
    org_id: Id,
    hash: z.string(),
    reasons: z.array(z.string()),
    unsubscribed: z.boolean(),
    erased_at: z.date(),
  }),
)

/** Condition: the address belonged to an erased person who had unsubscribed or complained. */
export const hasObjected = (orgId: string, email: string): FragmentSqlToken => sql.fragment`exists (
  select from email.erased_addresses as e
  where e.org_id = ${orgId} and e.hash = email.address_hash(${orgId}, ${email})
    and (e.unsubscribed or 'complaint' = any(e.reasons)))`

/** Returns the addresses that belonged to erased people, and whether they had unsubscribed or complained. */
export async function findErased(
  tx: Db,
  orgId: string,
  wanted: readonly { email: string }[],
): Promise<ReadonlyMap<string, boolean>> {
  const emails = wanted.map(({ email }) => email)
  const found = await tx.any(sql.type(z.object({ email: z.string(), objected: z.boolean() }))`
    select w.email, e.unsubscribed or 'complaint' = any(e.reasons) as objected from unnest(${sql.array(emails, 'text')}) as w (email)
    join email.erased_addresses as e on e.org_id = ${orgId} and e.hash = email.address_hash(${orgId}, w.email)
    where not exists (select from email.contacts as c where c.org_id = ${orgId} and c.email = w.email)`)
  return new Map(found.map(({ email, objected }) => [email, objected]))
}

/** Stores the hashes of addresses with what applies to them. Returns the number of new hashes. */
export async function keep(tx: Db, orgId: string, emails: readonly string[]): Promise<number> {
  return await tx.oneFirst(sql.typeAlias('count')`
    with kept as (
      insert into ${table.name} as e (org_id, hash, reasons, unsubscribed)
      select ${orgId}::uuid, email.address_hash(${orgId}, w.email),
        array(select s.reason from email.suppressions as s where s.org_id = ${orgId} and s.email = w.email order by 1),
        exists (select from email.contacts as c
          where c.org_id = ${orgId} and c.email = w.email and c.status = 'unsubscribed')
      from (select distinct email from unnest(${sql.array([...emails], 'text')}) as w (email)) as w
      on conflict (org_id, hash) do update
      set reasons = array(select distinct unnest(e.reasons || excluded.reasons) order by 1),
        unsubscribed = e.unsubscribed or excluded.unsubscribed
      returning xmax = 0 as is_new)
    select count(*) from kept where is_new`)
}
