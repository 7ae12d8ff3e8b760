import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'erp',
  'registers',
  z.object({
    name: z.string(),
    licence: z.string().nullable(),
    record_url: z.string().nullable(),
    companies: z.number(),
    import_id: Id.nullable(),
    imported_at: z.date().nullable(),
    what: z.enum(['companies', 'officers', 'relations']),
  }),
)

export type Register = z.infer<typeof table.Row>

export type RegisterFacts = Pick<Register, 'name' | 'licence' | 'record_url' | 'what'>

export async function list(db: Db): Promise<readonly Register[]> {
  return await db.any(sql.type(table.Row)`select ${table.columns()} from erp.registers order by name`)
}

/** Locks a register for an import. Adds the register if it is new. Returns its previous state. */
export async function lock(tx: Db, { name, licence, record_url, what }: RegisterFacts): Promise<Register> {
  await tx.query(
    sql.typeAlias('void')`${table.insert({ name, licence, record_url, what })} on conflict (name) do nothing`,
  )
  return await tx.one(sql.type(table.Row)`
    select ${table.columns()} from erp.registers where name = ${name} for update`)
}

export async function recordImport(
  tx: Db,
  { name, licence, record_url }: RegisterFacts,
  { importId, companies }: { importId: string; companies: number },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update erp.registers set licence = ${licence}, record_url = ${record_url}, companies = ${companies},
      import_id = ${importId}, imported_at = now()
    where name = ${name}`)
}
