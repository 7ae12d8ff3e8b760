import type { FormState } from '../../http/html/form.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'

export interface BoxGroup {
  title: string
  options: readonly (readonly [string, string, Content?])[]
}

export function groupedBoxes(
  filled: FormState,
  given: { name: string; label: string; hint?: Content; groups: readonly BoxGroup[]; otherwise?: readonly string[] },
): Html {
  const { name, label, hint, groups, otherwise = [] } = given
  const sent = Object.keys(filled.given).length > 0
  const ticked = new Set([filled.given[name] ?? (sent ? [] : otherwise)].flat())
  const fault = filled.faults[name]
  return html`<fieldset class="field"${fault && html` aria-describedby="${name}-fault"`}><legend>${label}</legend>
${hint && html`<p class="hint">${hint}</p>`}
${fault && html`<p class="fault" id="${name}-fault">${fault}</p>`}
${groups.map(
  ({ title, options }) =>
    html`<div class="box-group" role="group" aria-label="${title}"><p>${title}</p><div class="boxes">${options.map(
      ([value, words, more]) =>
        html`<label><input type="checkbox" name="${name}" value="${value}"${ticked.has(value) && html` checked`}> <span>${words}${more && html` <span class="quiet">${more}</span>`}</span></label>`,
    )}</div></div>`,
)}</fieldset>`
}

const groupTitles: Readonly<Record<string, string>> = { ai: 'AI', erp: 'Company registry', whatsapp: 'WhatsApp' }

export const groupTitle = (area: string): string => groupTitles[area] ?? area

/** Displays text in back-ticks as code. */
export const codeSpans = (text: string): Content[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))

/** Groups names such as `email:send` by the part before the first `separator`. */
export function groupByArea<T extends string>(names: readonly T[], separator: string): [string, T[]][] {
  const groups = new Map<string, T[]>()
  for (const name of names) {
    const area = name.split(separator)[0] as string
    groups.set(area, [...(groups.get(area) ?? []), name])
  }
  return [...groups]
}

export const factList = (facts: readonly (readonly [string, Content])[]): Html =>
  html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
