import { z } from 'zod'
import type { TemplateParts } from '#sql/email/templates.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type FormState, linesField, repeatedField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { tokenField } from '../../http/html/parts.ts'
import { Part, Subject } from '../fields.ts'
import { defaultExample, type Examples, listExampleNames, renderExample } from '../templates/example.ts'
import { findPartFault } from '../templates/fields.ts'
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
  subject: part,
  html: part,
  text: part,
  view: z.string().max(20).default('desktop'),
  ...exampleFields,
})

type Given = z.output<typeof templateFormFields>

export const toParts = ({ name, subject, html, text }: Pick<Given, 'name' | 'subject' | 'html' | 'text'>) => ({
  name: name.trim(),
  subject,
  html,
  text: text.trim() === '' ? null : text,
})

export const toExamples = ({ variable, example }: Pick<Given, 'variable' | 'example'>): Examples =>
  new Map(variable.map((name, i) => [name, example[i] ?? '']))

const textIn = (filled: FormState, name: string): string | undefined =>
  filled.given[name] === undefined ? undefined : String([filled.given[name]].flat()[0] ?? '')

const all = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat()

/** The form of a template next to its preview. */
export function templateEditor(
  member: Member,
  filled: FormState,
  { now, shown, words }: { now?: TemplateParts; shown?: string; words: string },
): Html {
  const parts = {
    subject: textIn(filled, 'subject') ?? now?.subject ?? '',
    html: textIn(filled, 'html') ?? now?.html ?? '',
    text: textIn(filled, 'text') ?? now?.text ?? null,
  }
  const examples = toExamples({ variable: [...all(filled.given.variable)], example: [...all(filled.given.example)] })
  return html`<form class="form editor" method="post" data-editor="/app/templates/preview" data-panel="/app/templates/check">${tokenField(member)}
<div class="editor-fields">
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now?.name ?? '', hint: 'Only visible to members.' })}
${textField(filled, { name: 'subject', label: 'Subject', required: true, otherwise: parts.subject, hint: 'For example, Your order {{order.number}}' })}
${linesField(filled, { name: 'html', label: 'HTML', required: true, rows: 16, otherwise: parts.html, hint: 'Placeholders: {{name}}, {{order.number}}, or {{name|"there"}} with a fallback. Up to 1 MB.' })}
${linesField(filled, { name: 'text', label: 'Text', rows: 6, otherwise: parts.text ?? '', hint: 'Optional. Leave blank to create it from the HTML.' })}
<p class="actions"><button>${words}</button></p>
</div>
<section class="editor-preview" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2>
${viewChoice(textIn(filled, 'view') ?? 'desktop')}
<div data-fresh>${examplePanel(parts, examples)}</div>
<div class="mail-stage">${mailFrame(shown)}</div>
<p class="actions"><button class="plain" formaction="/app/templates/preview" formtarget="preview" formnovalidate data-scriptless>Update preview</button></p>
</section></form>`
}

/** What the preview says about a template: subject, problems, and a field per placeholder. */
export function examplePanel(parts: Omit<TemplateParts, 'name'>, examples: Examples): Html {
  const names = listExampleNames(parts)
  return html`<dl class="facts"><div><dt>Subject</dt><dd>${subjectOf(parts, examples) || html`<span class="quiet">none yet</span>`}</dd></div></dl>
${problemList(faultsOf(parts, examples))}
<fieldset class="field examples"><legend>Example values</legend>${
    names.length === 0
      ? html`<p class="hint">Placeholders that you write appear here.</p>`
      : names.map((name, i) => exampleField(name, examples.get(name) ?? defaultExample(name), i))
  }</fieldset>`
}

export const exampleField = (name: string, value: string, i: number): Html =>
  html`<div id="example-of-${name}" class="example"><input type="hidden" name="variable" value="${name}">
<label for="example-${i}"><code>${name}</code></label><input id="example-${i}" name="example" value="${value}" autocomplete="off"></div>`

const subjectOf = (parts: Omit<TemplateParts, 'name'>, examples: Examples): string =>
  renderExample({ ...parts, html: '', text: null }, examples).subject

function problemList(faults: readonly string[]): Html {
  return html`<div role="status">${faults.length > 0 && html`<ul class="problems">${faults.map((fault) => html`<li>${fault}</li>`)}</ul>`}</div>`
}

const labels = { subject: 'Subject', html: 'HTML', text: 'Text' } as const

/** Returns sentences about parts that cannot be saved and placeholders without a value. */
export function faultsOf(parts: Omit<TemplateParts, 'name'>, examples: Examples): string[] {
  const given = Object.entries(labels).flatMap(([name, label]) => {
    const value = parts[name as keyof typeof labels]
    if (value === null || value === '') return []
    const { error } = (name === 'subject' ? Subject : Part).safeParse(value)
    const issues = [...(error?.issues ?? []).map(({ message }) => message), findPartFault(value) ?? []].flat()
    return issues.map((issue) => `${label} ${issue}`)
  })
  const { faults } = renderExample(parts, examples)
  return [...given, ...faults.map(({ field, issue }) => `${field.replace(/^body\.variables\./, '')} ${issue}`)]
}
