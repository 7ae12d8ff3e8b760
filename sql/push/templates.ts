import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

export const Text = z.object({
  title: z.string().optional(),
  body: z.string().optional(),
  data: z.record(z.string(), z.string()).optional(),
})

export type Text = z.infer<typeof Text>

export const table = defineTable(
  'push',
  'templates',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    locales: z.record(z.string(), Text),
    default_locale: z.string(),
    /** Names of the variables in alphabetical order. Set by the database. */
    variables: z.array(z.string()).nullable(),
    version: z.number(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Template = z.infer<typeof table.Row>

const columns = table.columns()

/** A template without its texts, which can be half a megabyte. */
export const TemplateSummary = table.Row.omit({ locales: true })
export type TemplateSummary = z.infer<typeof TemplateSummary>

export async function insert(
  db: Db,
  template: Pick<Template, 'id' | 'org_id' | 'name' | 'locales' | 'default_locale'>,
): Promise<Template> {
  return await db.one(sql.type(table.Row)`${table.insert(template)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Template | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from push.templates where id = ${id} and org_id = ${orgId}`)
}

export async function findMany(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Template>> {
  if (ids.length === 0) return new Map()
  const rows = await db.any(sql.type(table.Row)`
    select ${columns} from push.templates where id = any(${sql.array([...new Set(ids)], 'uuid')})`)
  return new Map(rows.map((row) => [row.id, row]))
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly TemplateSummary[]> {
  return await db.any(sql.type(TemplateSummary)`
    select ${getColumns(TemplateSummary)} from push.templates
    where org_id = ${orgId} and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}

/**
 * Updates a template that still has this `version`. Returns `null` if the template has another version or was deleted.
 */
export async function update(
  db: Db,
  { org_id, id, version, name, locales, default_locale }: Omit<Template, 'created_at' | 'updated_at' | 'variables'>,
): Promise<Template | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update push.templates
    set name = ${name}, locales = ${sql.jsonb(locales as never)}, default_locale = ${default_locale},
      version = version + 1, updated_at = now()
    where id = ${id} and org_id = ${org_id} and version = ${version} returning ${columns}`)
}

/** Deletes a template. Returns false if it does not exist. Accepted messages keep its texts. */
export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from push.templates where id = ${id} and org_id = ${orgId}`)
  return rowCount === 1
}
