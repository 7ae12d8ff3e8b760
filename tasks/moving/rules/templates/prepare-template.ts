import { checkLiquid } from '#lib/liquid/render.ts'
import { maxLength } from '#lib/placeholders.ts'
import type { Issue } from '#sql/moving/rows.ts'
import { aliasForm } from '../../../email/rules/templates/names.ts'
import { type Dialect, translate } from './translate.ts'

/** A template as the provider returned it. */
export interface GivenTemplate {
  id: string
  name: string
  alias: string | null
  kind: 'email' | 'layout'
  subject: string
  html: string
  text: string | null
  /** Alias of the layout of the template. */
  layout: string | null
  dialect: Dialect
  fallbacks?: Readonly<Record<string, string>>
}

/** A template that can be stored. */
export interface PreparedTemplate {
  name: string
  alias: string
  kind: 'email' | 'layout'
  subject: string
  html: string
  text: string | null
  variables: string[]
  uses: string[]
}

/** Translates and checks a template. With issues, the template cannot be stored. */
export async function prepareTemplate(
  orgId: string,
  provider: string,
  given: GivenTemplate,
): Promise<{ template: PreparedTemplate; issues: Issue[] }> {
  const issues: Issue[] = []
  const parts = (['subject', 'html', 'text'] as const).map((field) => {
    const source = given[field]
    if (source === null || source === '') return [field, source] as const
    if (source.length > maxLength[field]) {
      issues.push({ field, line: null, text: '', issue: `must have at most ${maxLength[field]} characters.` })
      return [field, ''] as const
    }
    const { fallbacks } = given
    const made = translate(source, { dialect: given.dialect, field, ...(fallbacks && { fallbacks }) })
    issues.push(...made.issues)
    return [field, made.text] as const
  })
  const { subject, html, text } = Object.fromEntries(parts) as Pick<GivenTemplate, 'subject' | 'html' | 'text'>
  const layout = given.layout === null ? null : aliasOf(provider, given.layout, given.layout)
  const within = (body: string) =>
    layout === null ? body : `{% layout "${layout}" %}{% block content %}${body}{% endblock %}`
  const template: PreparedTemplate = {
    name: lineOf(given.name, 200) || 'Untitled',
    alias: aliasOf(provider, given.alias, given.id),
    kind: given.kind,
    subject: given.kind === 'email' ? lineOf(subject, maxLength.subject) : '',
    html: within(html || paragraphsOf(text ?? '')),
    text: text ? within(text) : null,
    variables: [],
    uses: [],
  }
  if (given.kind === 'email' && template.subject === '')
    issues.push({ field: 'subject', line: null, text: '', issue: 'is required. Add a subject at the provider.' })
  if (html === '' && !text) issues.push({ field: 'html', line: null, text: '', issue: 'is empty.' })
  if (issues.length > 0) return { template, issues }
  const { faults, variables, uses } = await checkLiquid(orgId, { sources: partsOf(template) })
  for (const { part, issue } of faults) issues.push({ field: part, line: null, text: '', issue })
  return { template: { ...template, variables, uses }, issues }
}

const partsOf = ({ kind, subject, html, text }: PreparedTemplate) => ({
  ...(kind === 'email' && { subject }),
  html,
  text,
})

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Returns HTML for a template that has only plain text. Tags of Liquid stay as they are. */
const paragraphsOf = (text: string): string =>
  text === ''
    ? ''
    : `<p>${text
        .split(/(\{\{[^{}]*\}\}|\{%[^%]*%\})/)
        .map((piece, i) =>
          i % 2 === 1 ? piece : piece.replaceAll(/[&<>]/g, (c) => escapes[c] ?? c).replaceAll('\n', '<br>'),
        )
        .join('')}</p>`

const lineOf = (text: string, max: number): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, max)

/** Returns the alias under which a template is stored. The same template always gets the same alias. */
export function aliasOf(provider: string, alias: string | null, id: string): string {
  const made = (alias ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .slice(0, 100)
  if (aliasForm.test(made)) return made
  return `${provider}-${id.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-')}`.slice(0, 100)
}
