import type { DatabasePool } from '#sql/db.ts'
import { type Point, plot, type Span, spans } from '#sql/jobs/history.ts'
import { poolNames } from '#tasks/pools.ts'
import { type Html, html } from '../../http/html/html.ts'
import { figure, type Plot, type Series } from '../../http/html/plot.ts'

export const spanNames = Object.keys(spans) as [Span, ...Span[]]

const stepSeconds: Record<Span, number> = { '1h': 60, '24h': 300, '7d': 3_600 }

/** Maximum number of lines per plot. The pages of the pools show the other lines. */
const mostLines = 6

export async function queuePlots(db: DatabasePool, [span = '', pool]: readonly string[]): Promise<Html | null> {
  if (!isSpan(span)) return null
  const points = await plot(db, { span, pools: pool ? [pool] : poolNames })
  const byPool = [...Map.groupBy(points, (point) => point.pool)].map(([name, own]) => ({ name, own }))
  const first = byPool[0]?.own ?? []
  const time = { from: (first[0]?.at.getTime() ?? 0) / 1000, step: stepSeconds[span] }
  const minutes = time.step / 60
  // The last step is incomplete and would look like a drop, so it is removed.
  const whole = first.slice(0, -1)
  const total = (of: (point: Point) => number): number[] =>
    whole.map((_, i) => byPool.reduce((sum, { own }) => sum + of(own[i] as Point), 0) / minutes)
  const each = (of: (point: Point) => number | null): Series[] =>
    most(byPool.map(({ name, own }) => ({ label: name, values: own.map(of) })))

  const plots: Plot[] = [
    {
      ...time,
      name: 'throughput',
      title: 'Throughput',
      unit: 'per minute',
      series: [
        { label: 'done', values: total(({ done }) => done) },
        { label: 'rejected', values: total(({ rejected }) => rejected) },
      ],
    },
    {
      ...time,
      name: 'failures',
      title: 'Failures',
      unit: 'per minute',
      series: [
        { label: 'failed permanently', values: total(({ failed }) => failed), bad: true },
        { label: 'retried', values: total(({ retried }) => retried) },
      ],
    },
    { ...time, name: 'depth', title: 'Pending jobs', unit: 'count', series: each(({ waiting }) => waiting) },
    {
      ...time,
      name: 'age',
      title: 'Age of the oldest pending job',
      unit: 'seconds',
      series: each(({ oldest_s }) => oldest_s),
    },
    ...(pool ? [times(first, time)] : []),
  ]
  return html`<div class="plots">${plots.map(figure)}</div>`
}

function times(points: readonly Point[], time: { from: number; step: number }): Plot {
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1000)
  return {
    ...time,
    name: 'times',
    title: 'Average times',
    unit: 'seconds',
    series: [
      { label: 'waited', values: points.map((point) => seconds(point.wait_mean_ms)) },
      { label: 'ran', values: points.map((point) => seconds(point.run_mean_ms)) },
    ],
  }
}

const isSpan = (text: string): text is Span => Object.hasOwn(spans, text)

function most(series: readonly Series[]): Series[] {
  const peak = ({ values }: Series) => values.reduce<number>((top, value) => Math.max(top, value ?? 0), 0)
  const kept = new Set([...series].sort((a, b) => peak(b) - peak(a)).slice(0, mostLines))
  return series.filter((one) => kept.has(one))
}
