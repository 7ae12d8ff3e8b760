import { type Html, html } from '../http/html/html.ts'
import type { DaySummary } from './summary.ts'

/** Width of the picture per day, and its height, in units of the picture. */
const [step, height] = [6, 28]

/** Number of bad minutes from which a day is shown as degraded or down. */
const fewest = 1

function stateOf({ measured, degraded, down }: DaySummary): string {
  if (measured === 0) return 'unknown'
  if (down >= fewest) return 'down'
  return degraded >= fewest ? 'degraded' : 'ok'
}

/** Draws one bar per day. The description names the days with problems, for readers who do not see the picture. */
export function bars(title: string, days: readonly DaySummary[]): Html {
  const bad = days.filter(({ degraded, down }) => degraded + down > 0)
  const told = bad.map(({ day, degraded, down }) => `${day}: ${down} minutes down, ${degraded} minutes degraded`)
  return html`<svg class="bars" viewBox="0 0 ${days.length * step} ${height}" preserveAspectRatio="none" role="img" aria-label="${title}: ${told.join('. ') || 'no day with problems'}">${days.map(
    (day, i) =>
      html`<rect class="${stateOf(day)}" x="${i * step}" y="0" width="${step - 1.5}" height="${height}"><title>${titleOf(day)}</title></rect>`,
  )}</svg>`
}

function titleOf({ day, measured, degraded, down }: DaySummary): string {
  if (measured === 0) return `${day}: not measured`
  return `${day}: ${down} minutes down, ${degraded} minutes degraded, ${measured} minutes measured`
}
