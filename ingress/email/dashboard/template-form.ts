import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import type { Template } from '#sql/email/templates.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type FormState, linesField, repeatedField, selectField, textField, textOf } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { tokenField } from '../../http/html/parts.ts'
import { defaultExample, type Examples, type ExampleTemplate, type RenderedExample } from '../templates/example.ts'
import { Kind, Syntax } from '../templates/fields.ts'
import { mailFrame, viewChoice } from './mail-views.ts'

/** Maximum size of a form in bytes. HTML and text can have a megabyte each, and the form encodes some characters. */
export const templateBytes = 4 * 1024 * 1024

const part = z
  .string()
  .max(1024 * 1024)
  .default('')

export const exampleFields = {
  variable: repeatedField(z.string().max(400)),
  example: repeatedField(z.string().max(10_000)),
}

export const templateFormFields = z.object({
  name: z.string().max(1_000).default(''),
  kind: Kind.default('email'),
  alias: z.string().max(1_000).default(''),
  syntax: Syntax.default('placeholders'),
  source: z.enum(['html', 'mjml']).default('html'),
  subject: part,
  html: part,
  text: part,
  test_data: z.string().max(200_000).default(''),
  view: z.string().max(20).default('desktop'),
  do: z.enum(['save', 'draft']).default('save'),
  ...exampleFields,
})

type Given = z.output<typeof templateFormFields>

/** Returns the content of a form as the API takes it. A partial or layout has no subject. */
export const toContent = ({ name, kind, subject, syntax, source, html, text }: Given) => ({
  name: name.trim(),
  ...((kind === 'email' || subject !== '') && { subject }),
  syntax,
  ...(source === 'mjml' ? { mjml: html } : { html }),
  text: text.trim() === '' ? null : text,
})

export const toAlias = ({ alias }: Given) => (alias.trim() === '' ? null : alias.trim())

/** Returns the test data of a form. Throws 400 if it is not a JSON object. */
export function toTestData({ test_data }: Pick<Given, 'test_data'>): Record<string, unknown> | null {
  if (test_data.trim() === '') return null
  const found = parseJson(test_data)
  if (found !== undefined) return found
  throw badRequest([{ field: 'form.test_data', issue: 'must be a JSON object, such as {"name": "Ann"}' }])
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Returns what the preview of a form shows. Invalid test data is a fault of the preview. */
export function toExample(given: Given, orgId: string): [ExampleTemplate, Examples, Template['test_data']] {
  const { subject, syntax, source, html, text } = given
  const shown = {
    ...{ org_id: orgId, subject, syntax, html: source === 'mjml' ? '' : html },
    ...{ mjml: source === 'mjml' ? html : null, text: text.trim() === '' ? null : text },
  }
  return [shown, toExamples(given), parseJson(given.test_data) ?? null]
}

export const toExamples = ({ variable, example }: Pick<Given, 'variable' | 'example'>): Examples =>
  new Map(variable.map((name, i) => [name, example[i] ?? '']))

const kinds = [
  ['email', 'Email'],
  ['partial', 'Partial: a piece of other templates'],
  ['layout', 'Layout: a frame around other templates'],
] as const

const syntaxes = [
  ['placeholders', 'Placeholders: {{name}}'],
  ['liquid', 'Liquid: conditions, loops and filters'],
] as const

const sources = [
  ['html', 'HTML'],
  ['mjml', 'MJML'],
] as const

type Edited = Pick<Template, 'name' | 'kind' | 'alias' | 'subject' | 'html' | 'mjml' | 'text' | 'syntax' | 'test_data'>

/** The form of a template next to its preview. */
export function templateEditor(
  member: Member,
  filled: FormState,
  { now, shown, words }: { now?: Edited; shown?: string; words: string },
): Html {
  const testData = now?.test_data ? JSON.stringify(now.test_data, null, 2) : ''
  const source = now?.mjml != null ? 'mjml' : 'html'
  return html`<form class="form editor" method="post" data-editor="/app/templates/preview" data-panel="/app/templates/check">${tokenField(member)}
<div class="editor-fields">
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now?.name ?? '', hint: 'Only visible to members.' })}
${
  now
    ? html`<input type="hidden" name="kind" value="${now.kind}">`
    : selectField(filled, { name: 'kind', label: 'Kind', options: kinds, otherwise: 'email' })
}
${textField(filled, { name: 'alias', label: 'Alias', otherwise: now?.alias ?? '', hint: 'Name for calls and other templates, such as receipt. Required for partials and layouts.' })}
${selectField(filled, { name: 'syntax', label: 'Syntax', options: syntaxes, otherwise: now?.syntax ?? 'placeholders' })}
${(now?.kind ?? 'email') === 'email' && textField(filled, { name: 'subject', label: 'Subject', otherwise: now?.subject ?? '', hint: 'For example, Your order {{order.number}}. Leave blank for partials and layouts.' })}
${selectField(filled, { name: 'source', label: 'Source', options: sources, otherwise: source })}
${linesField(filled, { name: 'html', label: 'HTML or MJML', required: true, rows: 16, otherwise: now?.mjml ?? now?.html ?? '', hint: 'Placeholders: {{name}}, {{order.number}}, or {{name|"there"}} with a fallback. Liquid: {% for item in items %}, {% render "footer" %}. Up to 1 MB.' })}
${linesField(filled, { name: 'text', label: 'Text', rows: 6, otherwise: now?.text ?? '', hint: 'Optional. Leave blank to create it from the HTML.' })}
${linesField(filled, { name: 'test_data', label: 'Test data (JSON)', rows: 6, otherwise: testData, hint: 'Optional. Variables for previews and tests, such as {"name": "Ann"}.' })}
<p class="actions"><button name="do" value="save">${words}</button>${now && html` <button class="plain" name="do" value="draft">Save as draft</button>`}</p>
</div>
<section class="editor-preview" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2>
${viewChoice(textOf(filled, 'view', 'desktop'))}
<div data-fresh><p class="quiet">The subject, problems and example values appear here.</p></div>
<div class="mail-stage">${mailFrame(shown)}</div>
<p class="actions"><button class="plain" formaction="/app/templates/preview" formtarget="preview" formnovalidate data-scriptless>Update preview</button></p>
</section></form>`
}

/** What the preview says about a template: subject, problems, and the values of its variables. */
export function examplePanel(
  { syntax }: Pick<ExampleTemplate, 'syntax'>,
  rendered: RenderedExample,
  examples: Examples,
  testData: Template['test_data'] = null,
): Html {
  const { subject, names } = rendered
  return html`<dl class="facts"><div><dt>Subject</dt><dd>${subject || html`<span class="quiet">none yet</span>`}</dd></div>${
    syntax === 'liquid' &&
    html`<div><dt>Variables</dt><dd>${names.length === 0 ? html`<span class="quiet">none</span>` : names.map((name, i) => html`${i > 0 && ', '}<code>${name}</code>`)}</dd></div>`
  }</dl>
${problemList(sentencesOf(rendered))}
${
  syntax === 'placeholders' &&
  html`<fieldset class="field examples"><legend>Example values</legend>${
    names.length === 0
      ? html`<p class="hint">Placeholders that you write appear here.</p>`
      : names.map((name, i) => exampleField(name, examples.get(name) ?? defaultExample(name, testData), i))
  }</fieldset>`
}`
}

export const exampleField = (name: string, value: string, i: number): Html =>
  html`<div id="example-of-${name}" class="example"><input type="hidden" name="variable" value="${name}">
<label for="example-${i}"><code>${name}</code></label><input id="example-${i}" name="example" value="${value}" autocomplete="off"></div>`

function problemList(faults: readonly string[]): Html {
  return html`<div role="status">${faults.length > 0 && html`<ul class="problems">${faults.map((fault) => html`<li>${fault}</li>`)}</ul>`}</div>`
}

const labels: Readonly<Record<string, string>> = {
  ...{ 'body.subject': 'Subject', 'body.html': 'HTML', 'body.mjml': 'MJML', 'body.text': 'Text' },
  'body.template_id': 'The template',
}

/** Returns sentences about parts that cannot be saved and variables without a value. */
export const sentencesOf = ({ faults }: Pick<RenderedExample, 'faults'>): string[] =>
  faults.map(({ field, issue }) => `${labels[field] ?? field.replace(/^body\.variables\./, '')} ${issue}`)
