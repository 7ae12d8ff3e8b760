import type pg from 'pg'
import { type BigStep, explain, type Statement } from './plans.ts'
import type { Subject } from './subjects.ts'

/** Maximum number of rows that a sequential scan reads. */
export const mostScanned = 10_000

/** After this time in milliseconds, a slow subject is not run again. */
const patienceMs = 5_000

export interface Point {
  p99: number
  /** Rows that all statements read. `null` if a statement was not explained in time. */
  read: number | null
  /** Steps that read or sort more than `mostScanned` rows. */
  big: BigStep[]
}

/** Measures the time of a subject, and explains its statements. */
export async function measure(client: pg.Client, subject: Subject, times: number): Promise<Point> {
  const p99 = await measureP99(times, subject.run)
  return { p99, ...(await explainAll(client, await subject.record())) }
}

async function explainAll(client: pg.Client, statements: readonly Statement[]): Promise<Omit<Point, 'p99'>> {
  const facts: Omit<Point, 'p99'> = { read: 0, big: [] }
  for (const statement of statements) {
    const plan = await explain(client, statement, mostScanned).catch(() => undefined)
    facts.read = plan && facts.read !== null ? facts.read + plan.read : null
    facts.big.push(...(plan?.big ?? []))
  }
  return facts
}

/** Returns the minimum over several rounds, because other load can only add time. */
async function measureP99(times: number, work: () => Promise<unknown>): Promise<number> {
  await work()
  const until = performance.now() + patienceMs
  const rounds: number[] = []
  while (rounds.length === 0 || (rounds.length < 3 && performance.now() < until))
    rounds.push(await measureRound(times, until, work))
  return Math.min(...rounds)
}

async function measureRound(times: number, until: number, work: () => Promise<unknown>): Promise<number> {
  const figures: number[] = []
  do {
    const begun = performance.now()
    await work()
    figures.push(performance.now() - begun)
  } while (figures.length < times && performance.now() < until)
  return figures.sort((a, b) => a - b)[Math.ceil(figures.length * 0.99) - 1] ?? Number.NaN
}
