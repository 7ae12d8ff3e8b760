import { amountOf, count, duration, rate } from './format.ts'
import { type Html, html } from './html.ts'

export type Unit = 'count' | 'bytes' | 'per minute' | 'seconds' | 'share' | 'bits'

export interface Series {
  label: string
  values: readonly (number | null)[]
  bad?: boolean
}

export interface Plot {
  name: string
  title: string
  unit: Unit
  /** Start of the first interval in seconds since 1970, and the step in seconds. */
  from: number
  step: number
  sparse?: boolean
  /** What a `count` counts, and in which time: `messages per day`. */
  noun?: string
  /** Meaning of `from` and `step`. Default: `time`. `position` is a position in a recording, in seconds. */
  axis?: 'time' | 'position'
  /** True if the page shows the values as a table elsewhere. */
  tabled?: true
  series: readonly Series[]
}

const [width, height] = [600, 150]

export const percent = (share: number | null): string =>
  share === null ? '–' : `${Number((share * 100).toPrecision(2))} %`

const formats: Record<Unit, (value: number) => string> = {
  count,
  bytes: (value) => amountOf('bytes', value),
  'per minute': (value) => `${rate(value)}/min`,
  seconds: duration,
  share: percent,
  bits: (value) => `${Number((value / 1e6).toPrecision(3))} Mbit/s`,
}

const say = (unit: Unit, value: number | null | undefined) => (value == null ? '–' : formats[unit](value))

export function figure(plot: Plot): Html {
  const { name, title, unit, series, noun, tabled } = plot
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const legend = series.map(
    ({ label, values, bad }, i) =>
      html`<li class="${tone(i, bad)}"><svg viewBox="0 0 22 6" aria-hidden="true"><path d="M0 3h22"/></svg>${label} <b>${say(unit, latest(values))}</b></li>`,
  )
  const values = series.flatMap((one) => one.values)
  // A live chart shows a line of zeros, because its first value can arrive at any time.
  if (values.every((value) => value === null || (plot.sparse && value === 0)))
    return html`<figure class="plot" data-key="plot-${name}"><figcaption><b>${title}</b></figcaption><p class="plot-empty">Nothing in this period.</p></figure>`
  return html`<figure class="plot" data-key="plot-${name}">
<figcaption><b>${title}</b><p class="quiet">${noun && `${noun}, `}highest ${say(unit, most)}</p></figcaption>
<div class="canvas" data-own data-plot="${JSON.stringify(plot)}" role="img" aria-label="${title}: ${inWords(plot, most)}">${drawing(plot, most)}</div>
<ul class="legend">${legend}</ul>
${!tabled && html`<details class="plot-values scripted-only"><summary>Values as a table</summary><div data-own data-values></div></details>`}
</figure>`
}

const tone = (i: number, bad = false) => (bad ? 'tone-bad' : `tone-${(i % 6) + 1}`)

const latest = (values: Series['values']) => values.findLast((value) => value !== null)

function inWords({ unit, series }: Plot, most: number): string {
  const now = series.map(({ label, values }) => `${label} ${say(unit, latest(values))}`).join(', ')
  return `now ${now || 'nothing'}; highest ${say(unit, most)}.`
}

function drawing({ series }: Plot, most: number): Html {
  const lines = series.map(({ values, bad }, i) => html`<path class="${tone(i, bad)}" d="${line(values, most || 1)}"/>`)
  return html`<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">${lines}</svg>`
}

function line(values: Series['values'], most: number): string {
  const step = width / Math.max(1, values.length - 1)
  let drawn = ''
  let pen = 'M'
  values.forEach((value, i) => {
    if (value === null) {
      pen = 'M'
      return
    }
    // If both neighbours of a value are missing, a line without length shows the value as a dot.
    const dot = pen === 'M' ? 'h0' : ''
    drawn += `${pen}${Math.round(i * step * 10) / 10} ${Math.round((height - (value / most) * (height - 4)) * 10) / 10}${dot}`
    pen = 'L'
  })
  return drawn
}

export function spanLinks(path: string, chosen: string, names: readonly string[]): Html {
  const links = names.map(
    (span) => html`<a href="${path}?span=${span}"${span === chosen && html` aria-current="true"`}>${span}</a>`,
  )
  return html`<nav class="spans" aria-label="Time range of the charts">${links}</nav>`
}

export function byDay<Day extends { day: string }>(series: readonly Day[]) {
  return {
    time: { from: Date.parse(series[0]?.day ?? '') / 1000 || 0, step: 86_400, sparse: true, unit: 'count' } as const,
    line: (label: string, of: (day: Day) => number, bad = false): Series => ({
      label,
      values: series.map(of),
      ...(bad && { bad }),
    }),
  }
}
