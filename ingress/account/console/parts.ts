import { z } from 'zod'
import { count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'

export const optionalText = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .optional()
    .transform((text) => text || undefined)

export function shareBar(used: number, limit: number | null, of: string): Html {
  if (limit === null) return quiet('no limit')
  const percent = limit > 0 ? Math.floor((used / limit) * 100) : used > 0 ? 100 : 0
  const words = percent >= 100 ? html`<span class="bad">${count(percent)} %</span>` : html`${percent} %`
  return html`<span class="progress"><progress max="100" value="${Math.min(percent, 100)}" aria-label="Share of ${of}"></progress> ${words}</span>`
}

export const orgPath = (id: string): string => `/ops/organisations/${id}`

export const orgLink = (id: string, name: string): Html => html`<a href="${orgPath(id)}" title="${id}">${name}</a>`
