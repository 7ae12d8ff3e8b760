import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { Contact, table, tableFor } from '../contacts.ts'
import { askAgainDays } from './past-asked.ts'

const columns = table.columns()

/**
 * Returns up to `count` unconfirmed contacts with IDs after `after` that were not asked recently. Locked until the
 * transaction ends, so that concurrent rounds do not ask the same contact twice.
 */
export async function lockUnasked(
  tx: Db,
  orgId: string,
  after: string | null,
  count: number,
): Promise<readonly Contact[]> {
  return await tx.any(sql.type(Contact)`
    select ${columns} from email.contacts
    where org_id = ${orgId} and status = 'unconfirmed' and (${after}::uuid is null or id > ${after}) and ${unasked}
    order by id limit ${count} for update`)
}

const unasked = sql.fragment`
  (asked_at is null or asked_at < now() - make_interval(days => ${askAgainDays}))`

export async function countUnasked(db: Db, orgId: string, sandbox = false): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from ${tableFor(sandbox)} as c
    where org_id = ${orgId} and status = 'unconfirmed' and ${unasked}`)
}

export async function setAsked(tx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update email.contacts set asked_at = now() where id = any(${sql.array([...ids], 'uuid')})`)
}

/** Locks the contacts with these email addresses in a fixed order until the transaction ends. */
export async function lock(tx: Db, wanted: readonly { org_id: string; email: string }[]): Promise<void> {
  if (wanted.length === 0) return
  await tx.query(sql.typeAlias('void')`
    select from email.contacts as c
    join ${sql.unnest(
      wanted.map(({ org_id, email }) => [org_id, email]),
      ['uuid', 'text'],
    )} as w (org_id, email) on c.org_id = w.org_id and c.email = w.email
    order by c.id for update of c`)
}
