import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { dirname, resolve } from 'node:path'
import { config } from '#lib/config.ts'

/** The product and the limit, and the demand: on their ratio, or on the product's figure in its unit. */
export interface Comparison {
  what: string
  unit: string
  limit: number
  product: number
  demand: Demand
}

type Demand = { atLeast: number } | { atMost: number } | { productAtLeast: number } | { productAtMost: number }

export interface Report {
  comparisons: Comparison[]
  notes: string[]
  rounds: unknown
}

const ratioOf = ({ product, limit }: Comparison) => product / limit

export function meetsDemand(comparison: Comparison): boolean {
  const { demand, product } = comparison
  if ('atLeast' in demand) return ratioOf(comparison) >= demand.atLeast
  if ('atMost' in demand) return ratioOf(comparison) <= demand.atMost
  return 'productAtLeast' in demand ? product >= demand.productAtLeast : product <= demand.productAtMost
}

function demanded({ demand, unit }: Comparison): string {
  if ('atLeast' in demand) return `>= ${demand.atLeast}`
  if ('atMost' in demand) return `<= ${demand.atMost}`
  return 'productAtLeast' in demand ? `>= ${demand.productAtLeast} ${unit}` : `<= ${demand.productAtMost} ${unit}`
}

export function print(name: string, { comparisons, notes }: Report): void {
  printTable(name, comparisons)
  for (const note of notes) console.log(`  ${note}`)
}

export function printTable(title: string, comparisons: readonly Comparison[]): void {
  const rows = comparisons.map((comparison) => [
    comparison.what,
    figure(comparison.limit, comparison.unit),
    figure(comparison.product, comparison.unit),
    ratioOf(comparison).toFixed(2),
    demanded(comparison),
    meetsDemand(comparison) ? 'holds' : 'falls short',
  ])
  const table = [[title, 'limit', 'today', 'ratio', 'goal', ''], ...rows]
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)))
  for (const row of table) {
    const cells = row.map((cell, i) =>
      i === 0 || i === 5 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
    )
    console.log(`  ${cells.join('  ')}`)
  }
}

const figure = (value: number, unit: string) =>
  `${value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)} ${unit}`

const reportPath = (name: string) => resolve(config.MILLRACE_DATA, 'bench', `${name}.json`)

export interface SavedReport extends Report {
  name: string
  /** ISO 8601. */
  at: string
}

/** Returns the last report of a benchmark, or `undefined` if it has not run in this data directory. */
export async function readReport(name: string): Promise<SavedReport | undefined> {
  const text = await readFile(reportPath(name), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : JSON.parse(text)
}

export async function save(name: string, report: Report): Promise<string> {
  const path = reportPath(name)
  await mkdir(dirname(path), { recursive: true })
  const comparisons = report.comparisons.map((c) => ({ ...c, ratio: ratioOf(c), holds: meetsDemand(c) }))
  const machine = { cores: cpus().length, model: cpus()[0]?.model, node: process.version, load: loadavg() }
  const written = { name, at: new Date().toISOString(), machine, ...report, comparisons }
  await writeFile(path, `${JSON.stringify(written, null, 2)}\n`)
  return path
}
