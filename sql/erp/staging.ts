import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'
import { Facts } from './companies.ts'
import type { Counts } from './imports.ts'
import * as registers from './registers.ts'

/** What imports have read, before it takes effect. */
export const table = defineTable('erp', 'staging', Facts.extend({ import_id: Id, line: z.number(), id: Id }))

/** A company as an import has read it, with the line it stands on. */
export type StagedCompany = z.infer<typeof table.Row>

/** Why an import must not take effect; the message says it to operators. */
export class ImportRefusal extends Error {
  override name = 'ImportRefusal'
}

/** What is to take effect, and how. */
export interface Exchange {
  importId: string
  register: registers.RegisterFacts
  /** Companies that the import has staged. */
  staged: number
  /** What a company becomes that the register has no more; null when the file is a part of the register. */
  missing: 'dissolved' | 'unknown' | null
  /** Companies of other registers are given their LEI alone. */
  adds: boolean
  anyway: boolean
}

/** The longest that an exchange may take: a million new rows take a minute or two, most of it the index of trigrams. */
const exchangeMs = 30 * 60_000

const facts = Object.keys(Facts.shape).filter((column) => !['jurisdiction', 'code', 'lei'].includes(column))
const rowOf = (alias: string) =>
  sql.join(
    [...facts, 'lei', 'register'].map((column) => sql.identifier([alias, column])),
    sql.fragment`, `,
  )

/** Keeps what an import has read so far. */
export async function add(db: Db, read: readonly StagedCompany[]): Promise<void> {
  await db.query(sql.typeAlias('void')`${table.insertMany(read)}`)
}

/** Deletes what an import has read. */
export async function discard(db: Db, importId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from erp.staging where import_id = ${importId}`)
}

/** Deletes what imports have read that have ended, or never began. */
export async function discardStrays(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from erp.staging as s
    where not exists (select from erp.imports as i where i.id = s.import_id and i.state = 'waiting')`)
}

const Effect = z.object({ added: z.number(), changed: z.number() })

/**
 * Puts what an import has read in place of its register, at once: companies are added and changed, and those that the register
 * has no more are marked. Throws `Refused` when more than half of them would be, unless `anyway`, and when a later import was
 * faster.
 */
export async function exchange(
  tx: Db,
  { importId, register, staged, missing, adds, anyway }: Exchange,
): Promise<Pick<Counts, 'read' | 'added' | 'changed' | 'missing'>> {
  // Entries of the index of trigrams are gathered and merged at the end: one by one they take several times as long.
  await tx.query(sql.unsafe`
    select set_config('statement_timeout', ${String(exchangeMs)}, true), set_config('gin_pending_list_limit', '256MB', true),
      set_config('work_mem', '64MB', true), set_config('maintenance_work_mem', '256MB', true)`)
  const { import_id: last, companies } = await registers.lock(tx, register)
  if (last !== null && last > importId)
    throw new ImportRefusal('A later file of this register has taken effect by now.')
  // Counted before the table is analyzed: it is unlogged, and a crash of Postgres empties it unnoticed by who reads the file.
  const there = await tx.oneFirst(sql.type(z.object({ n: z.number() }))`
    select count(*) as n from erp.staging where import_id = ${importId}`)
  if (there !== staged) throw new Error(`Of ${staged} companies that were read, ${there} are there.`)
  await tx.query(sql.typeAlias('void')`analyze erp.staging`)
  const own = sql.fragment`erp.companies as c where c.register = ${register.name}`
  const gone = sql.fragment`${own} and not exists (
    select from erp.staging as s where s.import_id = ${importId} and s.jurisdiction = c.jurisdiction and s.code = c.code)`
  const read = await tx.oneFirst(sql.type(z.object({ n: z.number() }))`
    select count(*) as n from (
      select from erp.staging where import_id = ${importId} group by jurisdiction, code) as s`)
  if (missing !== null && !anyway && read * 2 < companies)
    throw new ImportRefusal(`It has ${read} companies, and the one before had ${companies}.`)
  const marked =
    missing === null
      ? 0
      : (
          await tx.query(sql.typeAlias('void')`
            update erp.companies as u set status = ${missing}, missing_since = now(), updated_at = now()
            where u.id in (select c.id from ${gone} and c.missing_since is null)`)
        ).rowCount
  let given = 0
  if (adds) {
    given = (
      await tx.query(sql.typeAlias('void')`
        update erp.companies as c set lei = s.lei, updated_at = now() from erp.staging as s
        where s.import_id = ${importId} and s.jurisdiction = c.jurisdiction and s.code = c.code
          and c.register <> ${register.name} and s.lei is not null and c.lei is distinct from s.lei`)
    ).rowCount
  }
  const { added, changed } = await tx.one(sql.type(Effect)`
    with upserted as (
      insert into erp.companies as c (id, jurisdiction, code, ${columns}, lei, register)
      select distinct on (jurisdiction, code) id, jurisdiction, code, ${columns}, lei, ${register.name}
      from erp.staging where import_id = ${importId} order by jurisdiction, code, line desc
      on conflict (jurisdiction, code) do update set ${assignments},
        lei = coalesce(excluded.lei, c.lei), register = excluded.register, missing_since = null, updated_at = now()
      where (c.register = excluded.register or not ${adds}) and (c.missing_since is not null
        or (${rowOf('c')}) is distinct from (${rowOf('excluded')}))
      returning (xmax = 0) as is_new)
    select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as changed from upserted`)
  // What waited to be merged would have to be read by every search.
  await tx.query(sql.unsafe`
    select gin_clean_pending_list('erp.companies_name_trigrams'), gin_clean_pending_list('erp.companies_previous_trigrams')`)
  await discard(tx, importId)
  const now =
    missing === null
      ? await tx.oneFirst(sql.type(z.object({ n: z.number() }))`
    select count(*) as n from ${own} and c.missing_since is null`)
      : read
  await registers.noteImport(tx, register, { importId, companies: now })
  return { read, added, changed: changed + given, missing: marked }
}

const columns = columnsOf(z.object(Object.fromEntries(facts.map((column) => [column, z.unknown()]))))
const assignments = sql.join(
  facts.map((column) => sql.fragment`${sql.identifier([column])} = ${sql.identifier(['excluded', column])}`),
  sql.fragment`, `,
)
