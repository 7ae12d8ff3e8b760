import { type Html, html } from '../../../ingress/http/html/html.ts'
import type { SoakReport } from './run.ts'

/** A line of a plot. It is interrupted when its process restarts. */
export interface Line {
  label: string
  points: readonly { at: number; value: number | undefined; life?: number }[]
}

export interface Plot {
  title: string
  lines: readonly Line[]
  say: (value: number) => string
}

const [width, height, left, bottom] = [760, 220, 62, 20]

export function drawPlot({ title, lines, say }: Plot, report: Pick<SoakReport, 'warm' | 'strikes' | 'samples'>): Html {
  const end = report.samples.at(-1)?.at || 1
  const most = Math.max(0, ...lines.flatMap(({ points }) => points.map(({ value }) => value ?? 0))) || 1
  const x = (at: number) => round(left + (at / end) * (width - left))
  const y = (value: number) => round((1 - value / most) * (height - bottom - 6) + 6)
  const grid = [0, 0.5, 1].map(
    (share) =>
      html`<path class="grid" d="M${left} ${y(share * most)}H${width}"/><text x="${left - 6}" y="${y(share * most) + 4}" text-anchor="end">${say(share * most)}</text>`,
  )
  const minutes = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      html`<text x="${Math.min(x(share * end), width - 14)}" y="${height - 4}" text-anchor="middle">${Math.round((share * end) / 6) / 10}</text>`,
  )
  const faults = report.strikes.map(
    ({ name, from, to }) =>
      html`<rect class="fault" x="${x(from)}" y="6" width="${Math.max(1.5, x(Math.min(to, end)) - x(from))}" height="${height - bottom - 6}"><title>${name}</title></rect>`,
  )
  const drawn = lines.map(
    ({ points, label }, i) =>
      html`<path class="line tone-${i % 8}" d="${path(points, x, y)}"><title>${label}</title></path>`,
  )
  const legend = lines.map(({ label, points }, i) => {
    const last = points.findLast(({ value }) => value !== undefined)?.value
    return html`<li><svg viewBox="0 0 18 6" aria-hidden="true"><path class="line tone-${i % 8}" d="M0 3h18"/></svg>${label} <b>${last === undefined ? '–' : say(last)}</b></li>`
  })
  return html`<figure><figcaption><h2>${title}</h2></figcaption>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}: maximum ${say(most)}"><rect class="warm" x="${left}" y="6" width="${Math.max(0, x(report.warm) - left)}" height="${height - bottom - 6}"/>${faults}${grid}${drawn}${minutes}</svg>
<ul>${legend}</ul></figure>`
}

const round = (value: number) => Math.round(value * 10) / 10

function path(points: Line['points'], x: (at: number) => number, y: (value: number) => number): string {
  let drawn = ''
  let before: number | undefined
  let pen = false
  for (const { at, value, life } of points) {
    if (value === undefined) {
      pen = false
      continue
    }
    drawn += `${pen && life === before ? 'L' : 'M'}${x(at)} ${y(value)}`
    before = life
    pen = true
  }
  return drawn
}
