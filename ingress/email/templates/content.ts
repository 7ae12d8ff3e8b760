import { badRequest, type Fault, unavailable } from '#lib/errors.ts'
import { checkLiquid, TemplatesBusyError } from '#lib/liquid/render.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/email/templates.ts'
import { findPartFault } from './fields.ts'
import { convertMjml } from './mjml.ts'

/** Content that a request gives. Missing fields keep their value. */
export interface GivenContent {
  name?: string | undefined
  subject?: string | undefined
  html?: string | undefined
  mjml?: string | undefined
  text?: string | null | undefined
  syntax?: rows.Template['syntax'] | undefined
}

/** Maximum number of characters of HTML that is converted from MJML. */
const maxHtml = 1024 * 1024

type Owner = Pick<rows.Template, 'org_id' | 'kind' | 'alias'>

const nothing: rows.TemplateContent = {
  ...{ name: '', subject: '', html: '', text: null, syntax: 'placeholders', mjml: null, uses: [], variables: [] },
}

/**
 * Returns the content of a template after a change: with the HTML of its MJML, its variables, and the partials that it
 * uses. Throws 400 with everything that is wrong with it, and 503 if too many templates wait.
 */
export async function resolveContent(
  db: Db,
  owner: Owner,
  given: GivenContent,
  before: rows.TemplateContent = nothing,
): Promise<rows.TemplateContent> {
  const { html, mjml, ...rest } = given
  const set = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const merged: rows.TemplateContent = { ...before, ...set }
  const faults = findKindFaults(owner, given, merged)
  if (mjml !== undefined) {
    const made = await convertMjml(owner.org_id, mjml)
    faults.push(...made.faults.map((issue) => ({ field: 'body.mjml', issue })))
    if (made.html.length > maxHtml)
      faults.push({ field: 'body.mjml', issue: `must give at most ${maxHtml} characters of HTML` })
    Object.assign(merged, { mjml, html: made.html })
  } else if (html !== undefined) Object.assign(merged, { mjml: null, html })
  if (merged.html === '' && mjml === undefined) faults.push({ field: 'body.html', issue: 'is required, or mjml' })
  if (faults.length > 0) throw badRequest(faults)
  return merged.syntax === 'liquid' ? await asLiquid(db, owner, merged) : asPlaceholders(owner, merged)
}

function findKindFaults({ kind, alias }: Owner, given: GivenContent, { subject }: rows.TemplateContent): Fault[] {
  const faults: Fault[] = []
  if (kind === 'email' && subject === '') faults.push({ field: 'body.subject', issue: 'is required' })
  if (kind !== 'email' && given.subject !== undefined)
    faults.push({ field: 'body.subject', issue: `cannot be set for a ${kind}` })
  if (kind !== 'email' && alias === null)
    faults.push({ field: 'body.alias', issue: `is required for a ${kind}, because templates name it` })
  return faults
}

/** The field of a fault in the HTML is the MJML if the HTML comes from it. */
const fieldOf = (part: string, { mjml }: rows.TemplateContent) =>
  part === 'html' && mjml !== null ? 'body.mjml' : `body.${part}`

function asPlaceholders({ kind }: Owner, content: rows.TemplateContent): rows.TemplateContent {
  const { subject, html, text } = content
  if (kind !== 'email') throw badRequest([{ field: 'body.syntax', issue: `must be \`liquid\` for a ${kind}` }])
  const faults = Object.entries({ subject, html, text }).flatMap(([part, said]) => {
    const issue = said === null ? undefined : findPartFault(said)
    return issue === undefined ? [] : [{ field: fieldOf(part, content), issue }]
  })
  if (faults.length > 0) throw badRequest(faults)
  return { ...content, uses: [], variables: listPlaceholders(subject, html, text) }
}

async function asLiquid(db: Db, owner: Owner, content: rows.TemplateContent): Promise<rows.TemplateContent> {
  const { subject, html, text } = content
  const sources = { ...(owner.kind === 'email' && { subject }), html, text }
  const { faults, variables, uses } = await check(owner.org_id, sources)
  const named: Fault[] = faults.map(({ part, issue }) => ({ field: fieldOf(part, content), issue }))
  if (named.length === 0) named.push(...(await findUseFaults(db, owner, uses, fieldOf('html', content))))
  if (named.length > 0) throw badRequest(named)
  return { ...content, uses, variables }
}

async function check(orgId: string, sources: Parameters<typeof checkLiquid>[1]['sources']) {
  try {
    return await checkLiquid(orgId, { sources })
  } catch (error) {
    throw error instanceof TemplatesBusyError ? unavailable(error.message) : error
  }
}

async function findUseFaults(
  db: Db,
  { org_id, alias, kind }: Owner,
  uses: readonly string[],
  field: string,
): Promise<Fault[]> {
  const { mostPartials } = rows
  const found = await rows.listPartials(db, org_id, uses)
  const known = new Set(found.map(({ alias }) => alias))
  const missing = uses.filter((name) => !known.has(name) && name !== alias)
  const faults = missing.map((name) => ({
    field,
    issue: `uses "${name.slice(0, 100)}", which is not the alias of a partial or layout. Create the partial first.`,
  }))
  if (found.length > mostPartials)
    faults.push({ field, issue: `must use at most ${mostPartials} partials and layouts, together with theirs` })
  if (kind !== 'email' && alias !== null && (known.has(alias) || uses.includes(alias)))
    faults.push({ field, issue: 'must not use itself, directly or through other partials' })
  return faults
}

export const contentOf = ({
  name,
  subject,
  html,
  text,
  syntax,
  mjml,
  uses,
  variables,
}: rows.TemplateContent): rows.TemplateContent => ({ name, subject, html, text, syntax, mjml, uses, variables })
