import { type Content, type Html, html } from '../../http/html/html.ts'

const groupTitles: Readonly<Record<string, string>> = {
  ai: 'AI',
  erp: 'Company registry',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
}

export const groupTitle = (area: string): string => groupTitles[area] ?? `${area[0]?.toUpperCase()}${area.slice(1)}`

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
