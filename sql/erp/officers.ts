import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'

/** What an officer is. */
export const kinds = ['person', 'organisation'] as const

const Facts = z.object({
  jurisdiction: z.string(),
  code: z.string(),
  digest: z.string(),
  kind: z.enum(kinds),
  name: z.string(),
  role_code: z.string().nullable(),
  role: z.string().nullable(),
  since: z.union([z.string(), z.date()]).nullable(),
  until: z.union([z.string(), z.date()]).nullable(),
})

/** Who acts for companies. */
export const table = defineTable('erp', 'officers', Facts.extend({ register: z.string() }))

/** What imports have read of officers, before it takes effect. */
export const staged = defineTable('erp', 'staged_officers', Facts.extend({ import_id: Id }))

/** An officer as an import has read it. */
export type StagedOfficer = z.infer<typeof staged.Row>

const Officer = Facts.pick({ kind: true, name: true, role_code: true, role: true }).extend({
  since: z.string().nullable(),
  until: z.string().nullable(),
  register: z.string(),
  licence: z.string().nullable(),
  imported_at: z.date().nullable(),
})

/** An officer with the register that tells of it. */
type Officer = z.infer<typeof Officer>

/** Officers of a company, by their roles and names. */
export async function listOf(
  db: Db,
  { jurisdiction, code }: { jurisdiction: string; code: string },
  limit: number,
): Promise<readonly Officer[]> {
  return await db.any(sql.type(Officer)`
    select o.kind, o.name, o.role_code, o.role, o.since::text, o.until::text, o.register, r.licence, r.imported_at
    from erp.officers as o join erp.registers as r on r.name = o.register
    where o.jurisdiction = ${jurisdiction} and o.code = ${code}
    order by o.role, o.name, o.digest limit ${limit}`)
}

/** Whether a register tells of officers of a jurisdiction's companies. */
export async function areKnown(db: Db, jurisdiction: string): Promise<boolean> {
  return await db.exists(sql.typeAlias('void')`
    select from erp.officers where jurisdiction = ${jurisdiction} limit 1`)
}

/** Keeps what an import has read so far. */
export async function stage(db: Db, read: readonly StagedOfficer[]): Promise<void> {
  await db.query(sql.typeAlias('void')`${staged.insertMany(read)}`)
}

/** Deletes what an import has read. */
export async function discard(db: Db, importId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from erp.staged_officers where import_id = ${importId}`)
}

/** Deletes what imports have read that have ended, or never began. */
export async function discardStrays(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from erp.staged_officers as s
    where not exists (select from erp.imports as i where i.id = s.import_id and i.state = 'waiting')`)
}

const Count = z.object({ n: z.number() })

/** How many different officers an import has read, and how many rows that took. */
export async function countStaged(tx: Db, importId: string): Promise<{ rows: number; read: number }> {
  return await tx.one(sql.type(z.object({ rows: z.number(), read: z.number() }))`
    select count(*) as rows, count(distinct (jurisdiction, code, digest)) as read
    from erp.staged_officers where import_id = ${importId}`)
}

/** Puts what an import has read in place of a register's officers; those that are the same stay. */
export async function exchange(
  tx: Db,
  importId: string,
  register: string,
  { partial }: { partial: boolean },
): Promise<{ added: number; missing: number }> {
  const same = sql.fragment`s.import_id = ${importId} and s.jurisdiction = o.jurisdiction and s.code = o.code
    and s.digest = o.digest`
  const gone = partial
    ? 0
    : (
        await tx.query(sql.typeAlias('void')`
          delete from erp.officers as o where o.register = ${register}
            and not exists (select from erp.staged_officers as s where ${same})`)
      ).rowCount
  const { rowCount: added } = await tx.query(sql.typeAlias('void')`
    insert into ${table.name} (${columnsOf(Facts)}, register)
    select ${columnsOf(Facts)}, ${register} from erp.staged_officers where import_id = ${importId}
    on conflict do nothing`)
  await discard(tx, importId)
  return { added, missing: gone }
}

/** Officers of a register. */
export async function countOf(tx: Db, register: string): Promise<number> {
  return await tx.oneFirst(sql.type(Count)`select count(*) as n from erp.officers where register = ${register}`)
}
