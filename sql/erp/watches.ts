import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable } from '../table.ts'
import type { Company } from './companies.ts'

export const table = defineTable(
  'erp',
  'watches',
  z.object({
    id: Id,
    org_id: Id,
    jurisdiction: z.string(),
    code: z.string(),
    note: z.string().nullable(),
    changed_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

const Watch = table.Row.extend({ name: z.string().nullable(), status: z.string().nullable() })

export type Watch = z.infer<typeof Watch>

/** Maximum number of watched companies of an organisation. */
export const maxWatches = 1_000

const watches = sql.fragment`
  select ${table.columns('w')}, c.name, c.status from erp.watches as w
  left join erp.companies as c on c.jurisdiction = w.jurisdiction and c.code = w.code`

/**
 * Watches a company, in a transaction. If it is already watched, it keeps its ID, and a given note replaces its note.
 * Returns null if the organisation has reached the maximum.
 */
export async function put(
  tx: Db,
  { id, org_id, note }: { id: string; org_id: string; note: string | null | undefined },
  { jurisdiction, code }: Pick<Company, 'jurisdiction' | 'code'>,
): Promise<Watch | null> {
  await lockOrgLimit(tx, org_id, 'erp.watches')
  await tx.query(sql.typeAlias('void')`
    ${table.insert({ id, org_id, jurisdiction, code, note: note ?? null })}
    on conflict (org_id, jurisdiction, code) do update
      set note = ${note === undefined ? sql.fragment`watches.note` : sql.fragment`excluded.note`}`)
  const count = await tx.oneFirst(sql.typeAlias('count')`select count(*) from erp.watches where org_id = ${org_id}`)
  if (count > maxWatches) return null
  return await tx.one(sql.type(Watch)`
    ${watches} where w.org_id = ${org_id} and w.jurisdiction = ${jurisdiction} and w.code = ${code}`)
}

export const filters = { jurisdiction: table.equals('jurisdiction') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Watch[]> {
  return await db.any(sql.type(Watch)`
    select w.*, c.name, c.status from (
      select ${table.columns()} from erp.watches where org_id = ${orgId} and ${where} and ${isOlder(before)}
      order by id desc limit ${limit}) as w
    left join erp.companies as c on c.jurisdiction = w.jurisdiction and c.code = w.code
    order by w.id desc`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Watch | null> {
  return await db.maybeOne(sql.type(Watch)`${watches} where w.org_id = ${orgId} and w.id = ${id}`)
}

export async function findByCompany(
  db: Db,
  orgId: string,
  { jurisdiction, code }: Pick<Company, 'jurisdiction' | 'code'>,
): Promise<Watch | null> {
  return await db.maybeOne(sql.type(Watch)`
    ${watches} where w.org_id = ${orgId} and w.jurisdiction = ${jurisdiction} and w.code = ${code}`)
}

export async function update(tx: Db, orgId: string, id: string, note: string | null): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update erp.watches set note = ${note} where org_id = ${orgId} and id = ${id}`)
  return rowCount > 0
}

export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from erp.watches where org_id = ${orgId} and id = ${id}`)
  return rowCount > 0
}

const Columns = z.record(z.string(), z.unknown())

const Change = z.object({
  watch_id: Id,
  org_id: Id,
  jurisdiction: z.string(),
  code: z.string(),
  note: z.string().nullable(),
  name: z.string().nullable(),
  register: z.string(),
  before: Columns,
  after: Columns,
  changed_at: z.date(),
})

export type WatchedChange = z.infer<typeof Change>

/**
 * Takes the oldest changes whose events are not sent yet, and records their time in the watches, in a transaction. The
 * changes are deleted if it commits.
 */
export async function takeChanges(tx: Db, limit: number): Promise<readonly WatchedChange[]> {
  return await tx.any(sql.type(Change)`
    with taken as (
      delete from erp.watched_changes where id in (
        select id from erp.watched_changes order by id limit ${limit} for update skip locked)
      returning id, watch_id, before, after, register, changed_at),
    latest as (select watch_id, max(changed_at) as changed_at from taken group by watch_id),
    recorded as (
      update erp.watches as w set changed_at = l.changed_at from latest as l where w.id = l.watch_id)
    select t.watch_id, t.before, t.after, t.register, t.changed_at, w.org_id, w.jurisdiction, w.code, w.note, c.name
    from taken as t join erp.watches as w on w.id = t.watch_id
    left join erp.companies as c on c.jurisdiction = w.jurisdiction and c.code = w.code
    order by t.id`)
}
