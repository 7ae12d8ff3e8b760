import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable, getColumns } from '../table.ts'

export const verdicts = ['unknown', 'suspicious', 'malicious'] as const

export type Verdict = (typeof verdicts)[number]

export const table = defineTable(
  'trust',
  'watches',
  z.object({
    id: Id,
    org_id: Id,
    url: z.string(),
    note: z.string().nullable(),
    verdict: z.enum(verdicts),
    categories: z.array(z.string()),
    changed_at: z.date(),
    created_at: z.date(),
  }),
)

export type Watch = z.infer<typeof table.Row>

/** Maximum number of watched URLs of an organisation. */
export const maxWatches = 10_000

export class TooManyWatchesError extends Error {}

export type NewWatch = Pick<Watch, 'url' | 'note' | 'verdict' | 'categories'>

/**
 * Watches URLs, each once, in a transaction. For a URL that is already watched, only a given note changes; the sweep
 * updates its verdict. Returns them by ID, newest first.
 */
export async function put(
  tx: Db,
  orgId: string,
  watches: readonly NewWatch[],
  { keepsNotes }: { keepsNotes: boolean },
): Promise<readonly Watch[]> {
  await lockOrgLimit(tx, orgId, 'trust.watches')
  const rows = watches.map((watch) => ({ ...watch, id: newId(), org_id: orgId }))
  const put = await tx.any(sql.type(table.Row)`
    insert into trust.watches as w (id, org_id, url, note, verdict, categories)
    select id, org_id, url, note, verdict, categories
    from json_populate_recordset(null::trust.watches, ${JSON.stringify(rows)}::json)
    on conflict (org_id, md5(url)) do update set note = case when ${keepsNotes} then w.note else excluded.note end
    returning ${table.columns('w')}`)
  const count = await tx.oneFirst(sql.type(Count)`select count(*)::int4 from trust.watches where org_id = ${orgId}`)
  if (count > maxWatches) throw new TooManyWatchesError(`An organisation can watch up to ${maxWatches} URLs.`)
  return put.toSorted((a, b) => (a.id < b.id ? 1 : -1))
}

const Count = z.object({ count: z.number() })

export const filters = { verdict: table.equals('verdict') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Watch[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from trust.watches where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Watch | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from trust.watches where org_id = ${orgId} and id = ${id}`)
}

/** Stops watching a URL. Returns false if it was not watched. */
export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from trust.watches where org_id = ${orgId} and id = ${id}`)
  return rowCount > 0
}

const SweptWatch = table.Row.pick({ id: true, org_id: true, url: true, verdict: true, categories: true })

export type Swept = z.infer<typeof SweptWatch>

/** Returns watches of all organisations after an ID, in ascending order of ID. */
export async function listPage(db: Db, after: string | undefined, limit: number): Promise<readonly Swept[]> {
  const behind = after === undefined ? sql.fragment`` : sql.fragment`where id > ${after}`
  return await db.any(sql.type(SweptWatch)`
    select ${getColumns(SweptWatch)} from trust.watches ${behind} order by id limit ${limit}`)
}

export type VerdictChange = Pick<Watch, 'id' | 'verdict' | 'categories'> & { before: Verdict }

const Changed = table.Row.pick({ id: true })

/** Stores changes. Returns the IDs that no other process has changed or deleted. */
export async function saveChanges(tx: Db, changes: readonly VerdictChange[]): Promise<ReadonlySet<string>> {
  const ids = await tx.anyFirst(sql.type(Changed)`
    update trust.watches as w set verdict = c.verdict, changed_at = now(),
      categories = array(select jsonb_array_elements_text(c.categories))
    from json_to_recordset(${JSON.stringify(changes)}::json) as c (id uuid, verdict text, before text, categories jsonb)
    where w.id = c.id and w.verdict = c.before
    returning w.id`)
  return new Set(ids)
}
