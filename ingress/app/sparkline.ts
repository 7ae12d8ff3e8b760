import { type Html, html } from '../http/html/html.ts'

const [width, height] = [120, 28]

/** Draws a small chart without axes. `words` describes it for screen readers. */
export function sparkline(values: readonly number[], words: string): Html {
  const most = Math.max(1, ...values)
  const step = width / Math.max(1, values.length - 1)
  const points = values.map((value, i) => `${round(i * step)} ${round(height - 2 - (value / most) * (height - 4))}`)
  const line = `M${points.join('L')}`
  return html`<svg class="sparkline" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${words}"><path class="area" d="${line}L${width} ${height}L0 ${height}Z"/><path class="line" d="${line}"/></svg>`
}

const round = (value: number): number => Math.round(value * 10) / 10
