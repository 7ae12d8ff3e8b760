import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Part } from '../filters.ts'
import { defineTable } from '../table.ts'

export const Color = z.enum(['grey', 'red', 'orange', 'yellow', 'green', 'blue', 'purple', 'pink'])

export const table = defineTable(
  'bots',
  'labels',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    color: Color,
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Label = z.infer<typeof table.Row>

const columns = table.columns()

/** Maximum number of labels of an organisation. */
export const maxLabels = 100

/** Adds a label. Returns `null` if the organisation has a label with this name. The caller must hold the limit’s lock. */
export async function insert(tx: Db, label: Pick<Label, 'id' | 'org_id' | 'name' | 'color'>): Promise<Label | null> {
  return await tx.maybeOne(sql.type(table.Row)`${table.insert(label)} on conflict do nothing returning ${columns}`)
}

export async function countOf(tx: Db, orgId: string): Promise<number> {
  return await tx.oneFirst(sql.typeAlias('count')`select count(*) from bots.labels where org_id = ${orgId}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Label | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.labels where id = ${id} and org_id = ${orgId}`)
}

/** Returns another label with the name, ignoring case. */
export async function findNamed(db: Db, orgId: string, name: string, except: string): Promise<Label | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.labels where org_id = ${orgId} and lower(name) = lower(${name}) and id <> ${except}`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly Label[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from bots.labels where org_id = ${orgId} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function update(
  tx: Db,
  orgId: string,
  id: string,
  changes: { name?: string | undefined; color?: Label['color'] | undefined },
): Promise<Label | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update bots.labels set ${table.set({ ...changes, updated_at: sql.fragment`now()` as never })}
    where id = ${id} and org_id = ${orgId} returning ${columns}`)
}

/** Deletes a label, also from its conversations. */
export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from bots.labels where id = ${id} and org_id = ${orgId}`)
  return rowCount === 1
}

/** Returns labels of an organisation, locked against deletion until the transaction ends. */
export async function lockMany(tx: Db, orgId: string, ids: readonly string[]): Promise<readonly Label[]> {
  if (ids.length === 0) return []
  return await tx.any(sql.type(table.Row)`
    select ${columns} from bots.labels where org_id = ${orgId} and id = any(${sql.array([...ids], 'uuid')})
    order by id for key share`)
}
