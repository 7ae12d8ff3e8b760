import type { Row } from './round.ts'

const head = ['fault', 'accepted', 'repeated', 'effects', 'external repeats', 'recovery', 'live gap', 'verdict']

export function formatRounds(rows: readonly Row[]): string {
  const cells = [head, ...rows.map(cellsOf)]
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const aligned = cells.map((row) =>
    row
      .map((cell, i) => align(cell, i, widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const broken = rows.flatMap((row) => row.broken.map((claim) => `round ${row.number}, ${named(row)}: ${claim}`))
  return [...aligned, ...broken].join('\n')
}

const named = ({ faults }: Row) => faults.join(' + ')

function cellsOf(row: Row): string[] {
  if (row.skipped) return [named(row), '', '', '', '', '', '', `skipped: ${row.skipped}`]
  const seconds = (ms: number | undefined) => `${((ms ?? 0) / 1000).toFixed(2)} s`
  const gap = row.seen ? `${seconds(row.seen.gap)}${row.seen.isJudged ? '' : ' unjudged'}` : ''
  const figures = [row.accepted, row.repeated, row.effects, row.duplicates].map(String)
  return [named(row), ...figures, seconds(row.recovery), gap, row.broken.length === 0 ? 'holds' : 'BROKEN']
}

const align = (cell: string, column: number, width: number) =>
  column === 0 || column === head.length - 1 ? cell.padEnd(width) : cell.padStart(width)
