import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

export const table = defineTable(
  'files',
  'image_settings',
  z.object({ org_id: Id, only_presets: z.boolean(), updated_at: z.date() }),
)

export type Settings = Pick<z.infer<typeof table.Row>, 'only_presets'>

export async function read(db: Db, orgId: string): Promise<Settings> {
  const found = await db.maybeOne(sql.type(table.Row.pick({ only_presets: true }))`
    select only_presets from files.image_settings where org_id = ${orgId}`)
  return found ?? { only_presets: false }
}

export async function put(db: Db, orgId: string, settings: Settings): Promise<void> {
  await db.query(sql.typeAlias('void')`
    ${table.insert({ org_id: orgId, ...settings })}
    on conflict (org_id) do update set only_presets = excluded.only_presets, updated_at = now()`)
}
