import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'
import { Template } from './templates.ts'

/** States of templates. The database adds a row after each change and keeps the 50 newest of a template. */
export const table = defineTable(
  'email',
  'template_versions',
  z.object({
    id: Id,
    template_id: Id,
    number: z.number(),
    name: z.string(),
    subject: z.string(),
    html: z.string(),
    text: z.string().nullable(),
    syntax: Template.shape.syntax,
    mjml: z.string().nullable(),
    uses: z.array(z.string()),
    /** Null for versions of the syntax `placeholders` that are older than this column. */
    variables: z.array(z.string()).nullable(),
    created_at: z.date(),
  }),
)

export type TemplateVersion = z.infer<typeof table.Row>

/** Without HTML and text, which can be a megabyte each. */
const Summary = table.Row.omit({ html: true, text: true, mjml: true, uses: true, variables: true })
export type VersionSummary = z.infer<typeof Summary>

/** Returns the versions of a template, newest first. `before` is a version number. */
export async function list(
  db: Db,
  orgId: string,
  templateId: string,
  { before, limit }: Part<number>,
): Promise<readonly VersionSummary[]> {
  const older = before === undefined ? sql.fragment`` : sql.fragment`and v.number < ${before}`
  return await db.any(sql.type(Summary)`
    select ${getColumns(Summary, 'v')} from email.template_versions as v
    join email.templates as t on t.id = v.template_id
    where t.org_id = ${orgId} and t.id = ${templateId} ${older} order by v.number desc limit ${limit}`)
}

export async function find(db: Db, orgId: string, templateId: string, number: number): Promise<TemplateVersion | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns('v')} from email.template_versions as v
    join email.templates as t on t.id = v.template_id
    where t.org_id = ${orgId} and t.id = ${templateId} and v.number = ${number}`)
}

/** Returns the restored template, or null if the template or the version does not exist. */
export async function restore(db: Db, orgId: string, templateId: string, number: number): Promise<Template | null> {
  return await db.maybeOne(sql.type(Template)`
    update email.templates as t
    set name = v.name, subject = v.subject, html = v.html, text = v.text, syntax = v.syntax, mjml = v.mjml, uses = v.uses,
      variables = v.variables, updated_at = now()
    from email.template_versions as v
    where t.org_id = ${orgId} and t.id = ${templateId} and v.template_id = t.id and v.number = ${number}
    returning ${getColumns(Template, 't')}`)
}
