import { duration } from '../../../ingress/http/html/format.ts'
import type { SoakReport } from './run.ts'
import type { CheckedSeries, Measure } from './verdict.ts'

const MiB = 1024 ** 2

const formats: Partial<Record<Measure, (value: number) => string>> = {
  memory: (value) => `${(value / MiB).toFixed(1)} MiB`,
  bytes: (value) => `${(value / MiB).toFixed(1)} MiB`,
  'loop delay': (value) => (value > 0 ? duration(value) : '0 s'),
  'dead rows': (value) => `${(value * 100).toFixed(1)} %`,
}

export const formatValue = (measure: Measure, value: number): string =>
  formats[measure]?.(value) ?? String(Math.round(value * 10) / 10)

export const formatTrendRow = ({ of, measure, before, after, perHour, rises }: CheckedSeries): string[] => [
  of,
  measure,
  formatValue(measure, before),
  formatValue(measure, after),
  perHour < 0 ? `−${formatValue(measure, -perHour)}` : formatValue(measure, perHour),
  rises ? 'RISES' : 'level',
]

export const trendHeads = ['of', 'measure', 'middle third', 'last third', 'an hour', 'verdict']

export function formatReport(report: SoakReport): string {
  const rows = [trendHeads, ...report.trends.map(formatTrendRow)]
  const widths = trendHeads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const areas = Object.entries(report.areas).map(
    ([area, { done, excused, failed }]) =>
      `${area}: ${done} done, ${excused} without effect during a fault, ${failed} failed`,
  )
  const { accepted, effects, duplicates } = report.ledger
  const ledger = `${accepted} accepted, ${effects} effects, ${duplicates} twice at the external server; ${report.strikes.length} faults`
  const verdict = report.broken.length === 0 ? ['holds'] : report.broken.map((claim) => `BROKEN ${claim}`)
  return [...lines, '', ...areas, '', ledger, ...verdict].join('\n')
}
