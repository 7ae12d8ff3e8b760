import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { isOlder, type Page } from '../../filters.ts'
import { defineTable } from '../../table.ts'

/** Named transformations of an organisation. */
export const table = defineTable(
  'files',
  'image_presets',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    fit: z.enum(['inside', 'cover', 'contain', 'outside', 'fill']),
    position: z.string(),
    background: z.string().nullable(),
    format: z.enum(['auto', 'avif', 'webp', 'jpeg', 'png', 'gif']),
    quality: z.int().nullable(),
    enlarge: z.boolean(),
    animated: z.boolean(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const Preset = table.Row

export type Preset = z.infer<typeof Preset>

/** Maximum number of presets of an organisation. */
export const maxPresets = 100

const columns = table.columns()

/** Creates or replaces a preset. */
export async function put(db: Db, preset: Omit<Preset, 'id' | 'created_at' | 'updated_at'>): Promise<Preset> {
  const { org_id: _, name: __, ...values } = preset
  return await db.one(sql.type(Preset)`
    ${table.insert({ id: newId(), ...preset })}
    on conflict (org_id, name) do update set ${table.set({ ...values, updated_at: sql.fragment`now()` })}
    returning ${columns}`)
}

export async function find(db: Db, orgId: string, name: string): Promise<Preset | null> {
  return await db.maybeOne(sql.type(Preset)`
    select ${columns} from files.image_presets where org_id = ${orgId} and name = ${name}`)
}

export const filters = { format: table.equals('format') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Preset[]> {
  return await db.any(sql.type(Preset)`
    select ${columns} from files.image_presets
    where org_id = ${orgId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function count(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from files.image_presets where org_id = ${orgId}`)
}

export async function remove(db: Db, orgId: string, name: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from files.image_presets where org_id = ${orgId} and name = ${name}`)
  return rowCount > 0
}
