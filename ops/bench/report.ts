import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { config } from '#lib/config.ts'

/** The product beside the limit, and what their ratio must be. */
export interface Comparison {
  what: string
  unit: string
  limit: number
  product: number
  demand: { atLeast: number } | { atMost: number }
}

/** What a benchmark has found. */
export interface Report {
  comparisons: Comparison[]
  /** Said beside the table. */
  notes: string[]
  /** The single figures of all rounds, for the file. */
  rounds: unknown
}

const ratioOf = ({ product, limit }: Comparison) => product / limit

/** Whether the product does what is demanded of it. */
export function holds(comparison: Comparison): boolean {
  const { demand } = comparison
  return 'atLeast' in demand ? ratioOf(comparison) >= demand.atLeast : ratioOf(comparison) <= demand.atMost
}

/** Prints the table and the notes. */
export function print(name: string, { comparisons, notes }: Report): void {
  const rows = comparisons.map((comparison) => [
    comparison.what,
    figure(comparison.limit, comparison.unit),
    figure(comparison.product, comparison.unit),
    ratioOf(comparison).toFixed(2),
    'atLeast' in comparison.demand ? `>= ${comparison.demand.atLeast}` : `<= ${comparison.demand.atMost}`,
    holds(comparison) ? 'holds' : 'falls short',
  ])
  const table = [[name, 'limit', 'product', 'ratio', 'demand', ''], ...rows]
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)))
  for (const row of table) {
    const cells = row.map((cell, i) =>
      i === 0 || i === 5 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
    )
    console.log(`  ${cells.join('  ')}`)
  }
  for (const note of notes) console.log(`  ${note}`)
}

const figure = (value: number, unit: string) =>
  `${value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)} ${unit}`

/** Writes the report to the data folder; returns where. */
export async function save(name: string, report: Report): Promise<string> {
  const folder = resolve(config.MILLRACE_DATA, 'bench')
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${name}.json`)
  const comparisons = report.comparisons.map((c) => ({ ...c, ratio: ratioOf(c), holds: holds(c) }))
  const machine = { cores: cpus().length, model: cpus()[0]?.model, node: process.version, load: loadavg() }
  const written = { name, at: new Date().toISOString(), machine, ...report, comparisons }
  await writeFile(path, `${JSON.stringify(written, null, 2)}\n`)
  return path
}
