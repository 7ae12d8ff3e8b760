import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const Metadata = z.record(z.string(), z.string())

export type Metadata = z.infer<typeof Metadata>

export interface MetadataEntry {
  key: string
  value: string
}

export const table = defineTable(
  'files',
  'object_metadata',
  z.object({ object_id: Id, key: z.string(), org_id: Id, value: z.string() }),
)

/** Stores the metadata of an object again for lists. Later versions are not in lists. */
export async function updateIndex(tx: Db, objectId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from ${table.name} where object_id = ${objectId}`)
  await tx.query(sql.typeAlias('void')`
    insert into ${table.name} (object_id, key, org_id, value)
    select o.id, e.key, o.org_id, e.value
    from files.objects as o cross join jsonb_each_text(o.metadata) as e
    where o.id = ${objectId} and o.version_of is null`)
}

/** Condition that an object of the list has a metadata entry. */
export const hasEntry = (orgId: string, { key, value }: MetadataEntry) => sql.fragment`
  id in (select m.object_id from ${table.name} as m
    where m.org_id = ${orgId} and m.key = ${key} and m.value = ${value})`
