import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'

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

export const table = defineTable('erp', 'officers', Facts.extend({ register: z.string() }))

export const staged = defineTable('erp', 'staged_officers', Facts.extend({ import_id: Id }))

export type StagedOfficer = z.infer<typeof staged.Row>

const Officer = Facts.pick({ kind: true, name: true, role_code: true, role: true }).extend({
  since: z.string().nullable(),
  until: z.string().nullable(),
  register: z.string(),
  licence: z.string().nullable(),
  imported_at: z.date().nullable(),
})

type Officer = z.infer<typeof Officer>

export async function listForCompany(
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

export async function hasOfficers(db: Db, jurisdiction: string): Promise<boolean> {
  return await db.exists(sql.typeAlias('void')`
    select from erp.officers where jurisdiction = ${jurisdiction} limit 1`)
}

export async function stage(db: Db, read: readonly StagedOfficer[]): Promise<void> {
  await db.query(sql.typeAlias('void')`${staged.insertMany(read)}`)
}

export async function discard(db: Db, importId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from erp.staged_officers where import_id = ${importId}`)
}

export async function discardStrays(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from erp.staged_officers as s
    where not exists (select from erp.imports as i where i.id = s.import_id and i.state = 'waiting')`)
}

const Count = z.object({ n: z.number() })

/** Returns the number of different officers that an import read, and the number of rows. */
export async function countStaged(tx: Db, importId: string): Promise<{ rows: number; read: number }> {
  return await tx.one(sql.type(z.object({ rows: z.number(), read: z.number() }))`
    select count(*) as rows, count(distinct (jurisdiction, code, digest)) as read
    from erp.staged_officers where import_id = ${importId}`)
}

/** Replaces the officers of a register. Unchanged rows stay. */
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
    insert into ${table.name} (${getColumns(Facts)}, register)
    select ${getColumns(Facts)}, ${register} from erp.staged_officers where import_id = ${importId}
    on conflict do nothing`)
  await discard(tx, importId)
  return { added, missing: gone }
}

export async function countForRegister(tx: Db, register: string): Promise<number> {
  return await tx.oneFirst(sql.type(Count)`select count(*) as n from erp.officers where register = ${register}`)
}
