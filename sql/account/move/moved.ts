import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable, getColumns } from '../../table.ts'

export const table = defineTable('account', 'moved', z.object({ org_id: Id, cell: z.string(), moved_at: z.date() }))

/** Keys and tokens are stored as the hash from `hashSecret`, hosts and IDs as text. */
export const ReferenceKind = z.enum(['key', 'host', 'id', 'token'])

export type ReferenceKind = z.infer<typeof ReferenceKind>

export const references = defineTable(
  'account',
  'moved_references',
  z.object({ kind: ReferenceKind, value: z.string(), org_id: Id }),
)

export type Reference = Pick<z.infer<typeof references.Row>, 'kind' | 'value'>

/** Marks an organisation as moved to another cell and adds references. References are in lower case, except hashes. */
export async function markMoved(
  tx: Db,
  { orgId, cell, references: given }: { orgId: string; cell: string; references: readonly Reference[] },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    ${table.insert({ org_id: orgId, cell })}
    on conflict (org_id) do update set cell = excluded.cell, moved_at = excluded.moved_at`)
  const rows = given.map(({ kind, value }) => ({ kind, value: value.toLowerCase(), org_id: orgId }))
  const once = [...new Map(rows.map((row) => [`${row.kind} ${row.value}`, row])).values()]
  await tx.query(sql.typeAlias('void')`
    ${references.insertMany(once)} on conflict (kind, value) do update set org_id = excluded.org_id`)
}

export async function unmarkMoved(tx: Db, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from account.moved where org_id = ${orgId}`)
}

const Found = table.Row.pick({ cell: true })

/** Returns the cell of the moved organisation that a reference identifies. `null` if no organisation matches. */
export async function findCell(db: Db, kind: ReferenceKind, value: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(Found)`
    select ${getColumns(Found, 'm')} from account.moved_references as r join account.moved as m on m.org_id = r.org_id
    where r.kind = ${kind} and r.value = ${value}`)
}

/**
 * Returns the cell of the moved organisation that one of these references identifies. `null` if no organisation
 * matches.
 */
export async function findCellOfAny(db: Db, any: readonly Reference[]): Promise<string | null> {
  const rows = any.map(({ kind, value }) => [kind, value])
  return await db.maybeOneFirst(sql.type(Found)`
    select ${getColumns(Found, 'm')} from ${sql.unnest(rows, ['text', 'text'])} as wanted (kind, value)
    join account.moved_references as r on r.kind = wanted.kind and r.value = wanted.value
    join account.moved as m on m.org_id = r.org_id
    limit 1`)
}
