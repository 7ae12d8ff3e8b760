import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

export const table = defineTable(
  'email',
  'templates',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    subject: z.string(),
    html: z.string(),
    text: z.string().nullable(),
    /** Names of the placeholders, in order. Set by the database. */
    variables: z.array(z.string()).nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const Template = table.Row

export type Template = z.infer<typeof Template>

const columns = table.columns()

/** Without HTML and text, which can be a megabyte each. */
export const TemplateSummary = Template.omit({ html: true, text: true })
export type TemplateSummary = z.infer<typeof TemplateSummary>

export type TemplateParts = Pick<Template, 'name' | 'subject' | 'html' | 'text'>

export async function insert(db: Db, template: TemplateParts & Pick<Template, 'id' | 'org_id'>): Promise<Template> {
  return await db.one(sql.type(Template)`${table.insert(template)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Template | null> {
  return await db.maybeOne(
    sql.type(Template)`select ${columns} from email.templates where org_id = ${orgId} and id = ${id}`,
  )
}

export async function findMany(
  db: Db,
  wanted: readonly { org_id: string; id: string }[],
): Promise<readonly Template[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Template)`
    select distinct on (t.id) ${table.columns('t')} from email.templates as t
    join ${sql.unnest(
      wanted.map(({ org_id, id }) => [org_id, id]),
      ['uuid', 'uuid'],
    )} as w (org_id, id) on t.org_id = w.org_id and t.id = w.id`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly TemplateSummary[]> {
  const older = before ? sql.fragment`and id < ${before}` : sql.fragment``
  return await db.any(sql.type(TemplateSummary)`
    select ${getColumns(TemplateSummary)} from email.templates where org_id = ${orgId} ${older} order by id desc limit ${limit}`)
}

export async function update(
  db: Db,
  orgId: string,
  id: string,
  changes: { [Part in keyof TemplateParts]?: TemplateParts[Part] | undefined },
): Promise<Template | null> {
  const { name, subject, html, text } = changes
  const set = [
    sql.fragment`updated_at = now()`,
    ...(name === undefined ? [] : [sql.fragment`name = ${name}`]),
    ...(subject === undefined ? [] : [sql.fragment`subject = ${subject}`]),
    ...(html === undefined ? [] : [sql.fragment`html = ${html}`]),
    ...(text === undefined ? [] : [sql.fragment`text = ${text}`]),
  ]
  return await db.maybeOne(sql.type(Template)`
    update email.templates set ${sql.join(set, sql.fragment`, `)} where org_id = ${orgId} and id = ${id} returning ${columns}`)
}

export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    sql.typeAlias('void')`delete from email.templates where org_id = ${orgId} and id = ${id}`,
  )
  return rowCount > 0
}
