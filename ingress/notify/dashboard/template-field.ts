import type { Db } from '#sql/db.ts'
import * as templates from '#sql/email/templates.ts'
import { type FormState, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

export type NamedTemplate = Pick<templates.TemplateSummary, 'id' | 'name' | 'alias'>

/** Lists email templates of a kind for suggestions, newest first. */
export async function listTemplates(
  db: Db,
  orgId: string,
  kind: templates.Template['kind'],
): Promise<readonly NamedTemplate[]> {
  const found = await templates.list(db, orgId, { before: undefined, limit: 100 })
  return found.filter((one) => one.kind === kind)
}

/** Renders a field for the ID or alias of an email template, with suggestions. */
export const templateField = (
  filled: FormState,
  known: readonly NamedTemplate[],
  hint: string,
  { name = 'template_id', label = 'Email template', otherwise = '' } = {},
): Html =>
  html`${textField(filled, { name, label, list: `${name}-known`, otherwise, hint: html`${hint} An ID or an alias. <a href="/app/templates">Templates</a>` })}
<datalist id="${name}-known">${known.map((one) => html`<option value="${one.alias ?? one.id}">${one.name}</option>`)}</datalist>`
