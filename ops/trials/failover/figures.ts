import type { Row } from '../chaos/round.ts'

/**
 * Figures of one round in milliseconds: the longest times without an accepted request over HTTP, without an accepted
 * row through HAProxy, and without an effect of a job.
 */
export interface Figures {
  fault: string
  accepted: number
  door: number
  effects: number
  /** Time in milliseconds until a disconnected primary stopped accepting writes. */
  fenced?: number | undefined
  /** True if a Postgres without Patroni was still writable while another server was primary. */
  orphan?: boolean | undefined
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)

export function formatSummary(figures: readonly Figures[], rows: readonly Row[]): string {
  const names = [...new Set(figures.map(({ fault }) => fault))]
  const cells = names.map((fault) => {
    const own = figures.filter((one) => one.fault === fault)
    const done = rows.filter(({ faults }) => faults.includes(fault))
    const sum = (of: (row: Row) => number) => String(done.reduce((all, row) => all + of(row), 0))
    return [
      fault,
      String(own.length),
      sum(({ accepted }) => accepted),
      sum(({ repeated }) => repeated),
      sum(({ duplicates }) => duplicates),
      spread(own.map(({ accepted }) => accepted)),
      spread(own.map(({ door }) => door)),
      spread(own.map(({ effects }) => effects)),
      spread(own.flatMap(({ fenced }) => fenced ?? [])),
      done.every(({ broken }) => broken.length === 0) ? 'holds' : 'BROKEN',
    ]
  })
  const table = [head, ...cells]
  const widths = head.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0)))
  return table
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const head = [
  'fault',
  'rounds',
  'accepted',
  'repeated',
  'external repeats',
  'accepts again',
  'door',
  'works again',
  'fenced',
  'verdict',
]

function spread(times: readonly number[]): string {
  if (times.length === 0) return ''
  const order = times.toSorted((a, b) => a - b)
  return `${seconds(order[Math.floor((order.length - 1) / 2)] as number)} / ${seconds(order.at(-1) as number)} s`
}
