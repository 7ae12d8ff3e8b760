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
    kind: z.enum(['email', 'partial', 'layout']),
    alias: z.string().nullable(),
    syntax: z.enum(['placeholders', 'liquid']),
    /** Source of the HTML. Null if the HTML was not created from MJML. */
    mjml: z.string().nullable(),
    /** Aliases of the partials and layouts that the template uses. */
    uses: z.array(z.string()),
    test_data: z.record(z.string(), z.unknown()).nullable(),
    /** Names of the variables, in order. The database sets those of the syntax `placeholders`. */
    variables: z.array(z.string()).nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const Template = table.Row

export type Template = z.infer<typeof Template>

/** The content of a template that its versions keep and that drafts change. */
export type TemplateContent = Pick<
  Template,
  'name' | 'subject' | 'html' | 'text' | 'syntax' | 'mjml' | 'uses' | 'variables'
>

const columns = table.columns()

/** Without HTML and text, which can be a megabyte each. */
export const TemplateSummary = Template.omit({ html: true, text: true, mjml: true, test_data: true })
export type TemplateSummary = z.infer<typeof TemplateSummary>

export type TemplateParts = Pick<Template, 'name' | 'subject' | 'html' | 'text'>

const { array } = sql

const toRow = ({ uses, variables, ...rest }: Partial<Template>) => ({
  ...rest,
  ...(uses && { uses: array(uses, 'text') }),
  ...(variables && { variables: array(variables, 'text') }),
})

export type NewTemplate = TemplateContent & Pick<Template, 'id' | 'org_id' | 'kind' | 'alias' | 'test_data'>

export async function insert(db: Db, template: NewTemplate): Promise<Template> {
  return await db.one(sql.type(Template)`${table.insert(toRow(template))} returning ${columns}`)
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

/** Finds templates by ID or alias. */
export async function findNamed(
  db: Db,
  wanted: readonly { org_id: string; id: string | null; alias: string | null }[],
): Promise<readonly Template[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Template)`
    select distinct on (t.id) ${table.columns('t')} from email.templates as t
    join ${sql.unnest(
      wanted.map(({ org_id, id, alias }) => [org_id, id, alias]),
      ['uuid', 'uuid', 'text'],
    )} as w (org_id, id, alias) on t.org_id = w.org_id and (t.id = w.id or t.alias = w.alias)`)
}

export async function findByAlias(db: Db, orgId: string, alias: string): Promise<Template | null> {
  return await db.maybeOne(
    sql.type(Template)`select ${columns} from email.templates where org_id = ${orgId} and alias = ${alias}`,
  )
}

/** Maximum number of partials and layouts of one template. */
export const mostPartials = 50

const PartialTemplate = Template.pick({ alias: true, kind: true, html: true, text: true })

/** Lists partials and layouts by alias, with the ones that they use, up to 51. */
export async function listPartials(
  db: Db,
  orgId: string,
  uses: readonly string[],
): Promise<readonly z.infer<typeof PartialTemplate>[]> {
  if (uses.length === 0) return []
  return await db.any(sql.type(PartialTemplate)`
    with recursive used (id, uses) as (
      select id, uses from email.templates
      where org_id = ${orgId} and alias = any(${array([...uses], 'text')}) and kind <> 'email'
      union
      select t.id, t.uses from used as u
      join email.templates as t on t.org_id = ${orgId} and t.alias = any(u.uses) and t.kind <> 'email'
    )
    select alias, kind, html, text from email.templates where id in (select id from used limit ${mostPartials + 1})`)
}

const User = z.object({ kind: z.enum(['template', 'draft', 'campaign', 'brand']), name: z.string() })

export type TemplateUser = z.infer<typeof User>

/**
 * Lists what uses a partial or layout, up to 5: templates, their drafts, campaigns whose content is still read, and
 * brands. Brands name a layout by its alias or its ID.
 */
export async function listUsers(
  db: Db,
  orgId: string,
  alias: string,
  id: string | null,
): Promise<readonly TemplateUser[]> {
  const uses = sql.fragment`uses @> ${array([alias], 'text')}`
  return await db.any(sql.type(User)`
    select 'template' as kind, name from email.templates where org_id = ${orgId} and ${uses}
    union all
    select 'draft', name from email.template_drafts where org_id = ${orgId} and ${uses}
    union all
    select 'campaign', name from email.campaigns
    where org_id = ${orgId} and status in ('draft', 'scheduled', 'sending', 'paused') and ${uses}
    union all
    select 'brand', name from notify.brands where org_id = ${orgId} and layout_id in (${alias}, ${id})
    limit 5`)
}

type TemplateChanges = { [Column in keyof Omit<Template, 'id' | 'org_id'>]?: Template[Column] | undefined }

export async function update(db: Db, orgId: string, id: string, changes: TemplateChanges): Promise<Template | null> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  return await db.maybeOne(sql.type(Template)`
    update email.templates set ${table.set({ ...toRow(given), updated_at: sql.fragment`now()` })}
    where org_id = ${orgId} and id = ${id} returning ${columns}`)
}

export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    sql.typeAlias('void')`delete from email.templates where org_id = ${orgId} and id = ${id}`,
  )
  return rowCount > 0
}
