import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'
import { mostOfKind } from './changes.ts'
import { Facts } from './companies.ts'
import type { Counts } from './imports.ts'
import * as registers from './registers.ts'

export const table = defineTable('erp', 'staging', Facts.extend({ import_id: Id, line: z.number(), id: Id }))

export type StagedCompany = z.infer<typeof table.Row>

export class ImportRefusalError extends Error {
  override name = 'ImportRefusalError'
  /** True if the file has too few entries. An operator can still approve it. */
  readonly shrunk: boolean

  constructor(message: string, shrunk = false) {
    super(message)
    this.shrunk = shrunk
  }
}

export interface Exchange {
  importId: string
  register: registers.RegisterFacts
  staged: number
  /** Status for missing companies. `null` if the file is only a part of the register. */
  missing: 'dissolved' | 'unknown' | null
  /** True if the file has companies of other registers, to which only the LEI is added. */
  adds: boolean
  anyway: boolean
  /** Minimum size in percent of the previous file, unless `anyway`. */
  leastPercent: number
}

/** Result of a replacement. The first import of a register reports no changes. */
type Effect = Pick<Counts, 'read' | 'added' | 'changed' | 'missing'> & { isFirst: boolean }

/** Maximum duration in milliseconds. A million new rows take one or two minutes, most of it for the trigram index. */
const exchangeMs = 30 * 60_000

const facts = Object.keys(Facts.shape).filter((column) => !['jurisdiction', 'code', 'lei'].includes(column))
const rowOf = (alias: string) =>
  sql.join(
    [...facts, 'lei', 'register'].map((column) => sql.identifier([alias, column])),
    sql.fragment`, `,
  )

export async function add(db: Db, read: readonly StagedCompany[]): Promise<void> {
  await db.query(sql.typeAlias('void')`${table.insertMany(read)}`)
}

export async function discard(db: Db, importId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from erp.staging where import_id = ${importId}`)
}

export async function discardStrays(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from erp.staging as s
    where not exists (select from erp.imports as i where i.id = s.import_id and i.state = 'waiting')`)
}

const Upserted = z.object({ added: z.number(), changed: z.number() })
const Count = z.object({ n: z.number() })

export async function exchangeSettings(tx: Db): Promise<void> {
  // Merges entries of the trigram index at the end. This is several times faster.
  await tx.query(sql.unsafe`
    select set_config('statement_timeout', ${String(exchangeMs)}, true), set_config('gin_pending_list_limit', '256MB', true),
      set_config('work_mem', '64MB', true), set_config('maintenance_work_mem', '256MB', true)`)
}

export async function lockRegister(tx: Db, importId: string, facts: registers.RegisterFacts) {
  const before = await registers.lock(tx, facts)
  if (before.import_id !== null && before.import_id > importId)
    throw new ImportRefusalError('A later file of this register has already been imported.')
  if (before.what !== facts.what)
    throw new ImportRefusalError(`This register contains ${before.what}, but the file contains ${facts.what}.`)
  return { ...before, isFirst: before.import_id === null }
}

export function demandEnough(read: number, before: number, leastPercent: number, what: string): void {
  if (read * 100 < before * leastPercent)
    throw new ImportRefusalError(`The file has ${read} ${what}. The previous file had ${before}.`, true)
}

/**
 * Replaces a register in one transaction: adds and changes companies, and marks missing ones. Throws `ImportRefusalError` if
 * too many are missing, unless `anyway`, or if a later import finished first.
 */
export async function exchange(
  tx: Db,
  { importId, register, staged, missing, adds, anyway, leastPercent }: Exchange,
): Promise<Effect> {
  await exchangeSettings(tx)
  const { companies, isFirst } = await lockRegister(tx, importId, register)
  const note = (rows: ReturnType<typeof sql.fragment>) =>
    sql.fragment`insert into erp.changes (import_id, kind, jurisdiction, code) ${rows} limit ${isFirst ? 0 : mostOfKind}`
  // Counted before ANALYZE, because the table is unlogged: if Postgres crashes, the table becomes empty without an
  // error.
  const there = await tx.oneFirst(sql.type(Count)`
    select count(*) as n from erp.staging where import_id = ${importId}`)
  if (there !== staged) throw new Error(`Of ${staged} companies that were read, ${there} were stored.`)
  await tx.query(sql.typeAlias('void')`analyze erp.staging`)
  const own = sql.fragment`erp.companies as c where c.register = ${register.name}`
  const gone = sql.fragment`${own} and not exists (
    select from erp.staging as s where s.import_id = ${importId} and s.jurisdiction = c.jurisdiction and s.code = c.code)`
  const read = await tx.oneFirst(sql.type(Count)`
    select count(*) as n from (
      select from erp.staging where import_id = ${importId} group by jurisdiction, code) as s`)
  if (missing !== null && !anyway) demandEnough(read, companies, leastPercent, 'companies')
  const marked =
    missing === null
      ? 0
      : await tx.oneFirst(sql.type(Count)`
          with marked as (
            update erp.companies as u set status = ${missing}, missing_since = now(), updated_at = now()
            where u.id in (select c.id from ${gone} and c.missing_since is null)
            returning u.jurisdiction, u.code),
          noted as (${note(sql.fragment`select ${importId}::uuid, 'removed', jurisdiction, code from marked`)})
          select count(*) as n from marked`)
  const given = adds
    ? await tx.oneFirst(sql.type(Count)`
        with given as (
          update erp.companies as c set lei = s.lei, updated_at = now() from erp.staging as s
          where s.import_id = ${importId} and s.jurisdiction = c.jurisdiction and s.code = c.code
            and c.register <> ${register.name} and s.lei is not null and c.lei is distinct from s.lei
          returning c.jurisdiction, c.code),
        noted as (${note(sql.fragment`select ${importId}::uuid, 'changed', jurisdiction, code from given`)})
        select count(*) as n from given`)
    : 0
  const kindOf = (isNew: boolean) =>
    note(sql.fragment`
      select ${importId}::uuid, ${isNew ? 'added' : 'changed'}, jurisdiction, code from upserted where is_new = ${isNew}`)
  const { added, changed } = await tx.one(sql.type(Upserted)`
    with upserted as (
      insert into erp.companies as c (id, jurisdiction, code, ${columns}, lei, register)
      select distinct on (jurisdiction, code) id, jurisdiction, code, ${columns}, lei, ${register.name}
      from erp.staging where import_id = ${importId} order by jurisdiction, code, line desc
      on conflict (jurisdiction, code) do update set ${assignments},
        lei = coalesce(excluded.lei, c.lei), register = excluded.register, missing_since = null, updated_at = now()
      where (c.register = excluded.register or not ${adds}) and (c.missing_since is not null
        or (${rowOf('c')}) is distinct from (${rowOf('excluded')}))
      returning c.jurisdiction, c.code, (xmax = 0) as is_new),
    noted_new as (${kindOf(true)}), noted_changed as (${kindOf(false)})
    select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as changed from upserted`)
  // Pending entries would slow down every search.
  await tx.query(sql.unsafe`
    select gin_clean_pending_list('erp.companies_name_trigrams'), gin_clean_pending_list('erp.companies_previous_trigrams')`)
  await discard(tx, importId)
  const now =
    missing === null
      ? await tx.oneFirst(sql.type(Count)`
    select count(*) as n from ${own} and c.missing_since is null`)
      : read
  await registers.recordImport(tx, register, { importId, companies: now })
  return { read, added, changed: changed + given, missing: marked, isFirst }
}

const columns = getColumns(z.object(Object.fromEntries(facts.map((column) => [column, z.unknown()]))))
const assignments = sql.join(
  facts.map((column) => sql.fragment`${sql.identifier([column])} = ${sql.identifier(['excluded', column])}`),
  sql.fragment`, `,
)
