import type { Reading } from '#sql/identity/readings.ts'
import { isExpired, listFailedChecks } from '#tasks/identity/rules/document-told.ts'
import { type Html, html, quiet } from '../http/html/html.ts'

export function readingSummary(reading: Reading | undefined): Html {
  if (!reading) return quiet('–')
  if (reading.status === 'waiting') return quiet('pending')
  if (reading.reason !== null) return quiet('not read')
  if (listFailedChecks(reading).length > 0) return html`<span class="bad">checks failed</span>`
  return isExpired(reading) ? html`<span class="bad">expired</span>` : html`<span class="good">checks passed</span>`
}
