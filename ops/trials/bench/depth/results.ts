import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { config } from '#lib/config.ts'
import type { Comparison } from '../report.ts'
import { bounds, countBounds } from './bounds.ts'
import { mostScanned, type Point } from './measure.ts'
import type { BigStep } from './plans.ts'

/**
 * Maximum factor for ten times as many rows. Durations below `negligibleMs` milliseconds and `negligibleRows` rows are
 * equal.
 */
const most = 2
export const negligibleMs = 5
const negligibleRows = 10_000

export interface Result {
  fewer: Point
  more: Point
}

/** Results of finished groups by name. An interrupted run continues with them. */
export type Results = Record<string, Result>

const pathOf = (sizes: string) => resolve(config.MILLRACE_DATA, 'bench', `depth-${sizes}.json`)

export async function loadResults(sizes: string): Promise<Results> {
  const text = await readFile(pathOf(sizes), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  return JSON.parse(text) as Results
}

export async function saveResults(sizes: string, results: Results): Promise<string> {
  await mkdir(dirname(pathOf(sizes)), { recursive: true })
  await writeFile(pathOf(sizes), JSON.stringify(results, null, 1))
  return pathOf(sizes)
}

const boundOf = (name: string): string | undefined =>
  [...bounds, ...countBounds].find(([names]) => names.test(name))?.[1]

/** Compares all results. Leaves out requests with another bound. */
export function compare(results: Results): Comparison[] {
  const compared = Object.entries(results).filter(([name]) => boundOf(name) === undefined)
  return compared.flatMap(([name, { fewer, more }]) => [
    {
      what: `p99 of ${name}`,
      unit: 'ms',
      limit: Math.max(fewer.p99, negligibleMs / most),
      product: more.p99,
      demand: { atMost: most },
    },
    ...compareRead(name, fewer, more),
    ...more.big.filter(isSequential).map(({ step, rows }) => ({
      what: `${step} in ${name}`,
      unit: 'rows',
      limit: mostScanned,
      product: rows,
      demand: { atMost: 1 },
    })),
  ])
}

const isSequential = ({ step }: BigStep) => step.includes('Seq Scan')

function compareRead(name: string, fewer: Point, more: Point): Comparison[] {
  if (more.read === null || more.read <= negligibleRows) return []
  const limit = Math.max(fewer.read ?? 0, negligibleRows / most)
  return [{ what: `rows read by ${name}`, unit: 'rows', limit, product: more.read, demand: { atMost: most } }]
}

/** Returns a sentence for each result that is not compared. */
export const describeBounded = (results: Results): string[] =>
  Object.entries(results).flatMap(([name, { fewer, more }]) => {
    const bound = boundOf(name)
    if (bound === undefined) return []
    return `not compared: ${name}, ${fewer.p99.toFixed(1)} and ${more.p99.toFixed(1)} ms: ${bound}`
  })

/** Names of subjects with a statement that was not explained within its time. */
export const listUnexplained = (results: Results): string[] =>
  Object.entries(results)
    .filter(([, { fewer, more }]) => fewer.read === null || more.read === null)
    .map(([name]) => name)
