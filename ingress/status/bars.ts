import { type Html, html } from '../http/html/html.ts'
import type { DaySummary } from './summary.ts'

/** Width of the picture per day, width of a bar, and height, in units of the picture. */
const [step, width, height] = [6, 4.5, 28]

function stateOf({ measured, degraded, down }: DaySummary): 'unknown' | 'ok' | 'degraded' | 'down' {
  if (down > 0) return 'down'
  if (degraded > 0) return 'degraded'
  return measured === 0 ? 'unknown' : 'ok'
}

/**
 * Draws one bar per day. Bars of the same state are one path, because a page has 90 bars for each area. The description
 * names the days with problems, for readers who do not see the picture.
 */
export function bars(title: string, days: readonly DaySummary[]): Html {
  const paths = new Map<string, string>()
  for (const [i, day] of days.entries()) {
    const state = stateOf(day)
    paths.set(state, `${paths.get(state) ?? ''}M${i * step} 0h${width}v${height}h-${width}z`)
  }
  return html`<svg class="bars" viewBox="0 0 ${days.length * step} ${height}" preserveAspectRatio="none" role="img" aria-label="${title}: ${describe(days)}">${[
    ...paths,
  ].map(([state, path]) => html`<path class="${state}" d="${path}"/>`)}</svg>`
}

export function describe(days: readonly DaySummary[]): string {
  const bad = days.filter(({ degraded, down }) => degraded + down > 0)
  const told = bad.map(({ day, degraded, down }) => `${day}: ${down} minutes down, ${degraded} minutes degraded`)
  return told.join('. ') || 'no day with problems'
}
