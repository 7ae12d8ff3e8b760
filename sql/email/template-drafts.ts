import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'
import { Template, type TemplateContent } from './templates.ts'

/** Changes of templates that are not published yet. A draft contains all of the content. */
export const table = defineTable(
  'email',
  'template_drafts',
  z.object({
    template_id: Id,
    org_id: Id,
    name: z.string(),
    subject: z.string(),
    html: z.string(),
    text: z.string().nullable(),
    syntax: Template.shape.syntax,
    mjml: z.string().nullable(),
    uses: z.array(z.string()),
    variables: z.array(z.string()),
    updated_at: z.date(),
  }),
)

export type TemplateDraft = z.infer<typeof table.Row>

export async function find(db: Db, orgId: string, templateId: string): Promise<TemplateDraft | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.template_drafts where org_id = ${orgId} and template_id = ${templateId}`)
}

/** Stores the draft of a template. Replaces an earlier draft. */
export async function put(
  db: Db,
  orgId: string,
  templateId: string,
  { uses, variables, ...content }: TemplateContent,
): Promise<TemplateDraft> {
  const { array } = sql
  const row = { ...content, uses: array(uses, 'text'), variables: array(variables ?? [], 'text') }
  return await db.one(sql.type(table.Row)`
    ${table.insert({ template_id: templateId, org_id: orgId, ...row })}
    on conflict (template_id) do update set ${table.set({ ...row, updated_at: sql.fragment`now()` })}
    returning ${table.columns()}`)
}

export async function remove(db: Db, orgId: string, templateId: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from email.template_drafts where org_id = ${orgId} and template_id = ${templateId}`)
  return rowCount > 0
}

/** Replaces the content of a template by its draft. Returns null if the template has no draft. */
export async function publish(db: Db, orgId: string, templateId: string): Promise<Template | null> {
  return await db.maybeOne(sql.type(Template)`
    with d as (
      delete from email.template_drafts where org_id = ${orgId} and template_id = ${templateId} returning *
    )
    update email.templates as t
    set name = d.name, subject = d.subject, html = d.html, text = d.text, syntax = d.syntax, mjml = d.mjml, uses = d.uses,
      variables = d.variables, updated_at = now()
    from d where t.org_id = d.org_id and t.id = d.template_id
    returning ${getColumns(Template, 't')}`)
}
