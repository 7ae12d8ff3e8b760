import * as minutes from '#sql/account/usage/request-minutes.ts'
import type { DatabasePool } from '#sql/db.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { figure } from '../../http/html/plot.ts'

const minuteMs = 60_000

const spans = {
  '1h': { minutes: 60, step: 1, line: 5 },
  '6h': { minutes: 360, step: 5, line: 30 },
  '24h': { minutes: 1_440, step: 15, line: 120 },
} as const

export const spanNames = Object.keys(spans) as [keyof typeof spans, ...(keyof typeof spans)[]]

const classes = [2, 3, 4, 5] as const

const words: Record<(typeof classes)[number], string> = {
  2: 'successful, 2xx',
  3: 'redirected, 3xx',
  4: 'rejected, 4xx',
  5: 'failed, 5xx',
}

interface Step {
  from: Date
  counts: readonly number[]
}

export async function requestCounts(db: DatabasePool, orgId: string, span: keyof typeof spans): Promise<Html> {
  const { minutes: long, step, line } = spans[span]
  const stepMs = step * minuteMs
  const end = Math.ceil(Date.now() / stepMs) * stepMs
  const start = end - long * minuteMs
  const rows = await minutes.sums(db, orgId, { since: new Date(start), until: new Date(end), by: 'at' })
  const summed = (size: number): Step[] => {
    const all = Array.from({ length: long / size }, () => classes.map(() => 0))
    for (const { by, class: group, count: more } of rows) {
      const counts = all[Math.floor((Date.parse(by) - start) / (size * minuteMs))]
      const i = classes.indexOf(group as (typeof classes)[number])
      if (counts?.[i] !== undefined) counts[i] += more
    }
    return all.map((counts, i) => ({ from: new Date(start + i * size * minuteMs), counts }))
  }
  const steps = summed(step)
  const seen = classes.filter((_, i) => i === 0 || steps.some(({ counts }) => counts[i]))
  const series = seen.map((one) => ({
    label: words[one],
    values: steps.map(({ counts }) => counts[classes.indexOf(one)] ?? 0),
    ...(one === 5 && { bad: true }),
  }))
  const title = step === 1 ? 'Requests per minute' : `Requests per ${step} minutes`
  return html`${figure({ name: 'requests', title, unit: 'count', from: start / 1000, step: step * 60, tabled: true, series })}
<details class="numbers"><summary>Values as a table</summary>${tableOf(summed(line))}</details>`
}

const tableOf = (lines: readonly Step[]): Html =>
  dataTable({ caption: 'Requests by status class', stacks: false }, lines, {
    'Start (UTC)': ({ from }) => from.toISOString().slice(11, 16),
    ...Object.fromEntries(
      classes.map((one, i) => [`${one}xx`, ['number', ({ counts }: Step) => count(counts[i] ?? 0)] as const]),
    ),
  })
