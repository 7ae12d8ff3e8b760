import { isSteppedUp, type Member } from '../../http/dashboard/session.ts'
import { type Content, type Html, html, queryString } from '../../http/html/html.ts'

const groupTitles: Readonly<Record<string, string>> = { ai: 'AI', erp: 'Company registry', whatsapp: 'WhatsApp' }

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

/** Returns the notice that a form requires a confirmation. Returns `undefined` if the member has confirmed recently. */
export const confirmationNotice = (member: Member, path: string, words: string): Html | undefined =>
  isSteppedUp(member)
    ? undefined
    : html`<p class="note">${words} <a href="/app/step-up${queryString({ to: path })}">Confirm your identity</a></p>`

export const factList = (facts: readonly (readonly [string, Content])[]): Html =>
  html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
