import type { Sample, TableSample } from './sampler.ts'
import { type Bound, findTrend, type Point, type Trend } from './trend.ts'

export type Measure =
  | 'memory'
  | 'handles'
  | 'threads'
  | 'loop delay'
  | 'connections'
  | 'waiting jobs'
  | 'dead rows'
  | 'bytes'
  | 'bytes a row'

export interface CheckedSeries extends Trend {
  of: string
  measure: Measure
}

const MiB = 1024 ** 2

/**
 * Maximum rise from the middle third of the checked time to the last third. In an hour, a third is 17 minutes. The test
 * then detects 54 MiB per hour for 300 MiB of memory, and 30 per hour for 90 descriptors.
 */
const bounds: Record<Measure, Bound> = {
  memory: { share: 0.05, least: 10 * MiB },
  handles: { share: 0.1, least: 8 },
  threads: { share: 0.1, least: 3 },
  'loop delay': { share: 0.5, least: 0.03 },
  connections: { share: 0.05, least: 5 },
  'waiting jobs': { share: 0.5, least: 50 },
  'dead rows': { share: 0, least: 0.1 },
  bytes: { share: 0.15, least: 2 * MiB },
  'bytes a row': { share: 0.15, least: 40 },
}

/**
 * A process is checked if it ran for this share of the time after its warm-up. A restarted process counts as a new
 * process.
 */
const leastLife = 0.3

const leastTable = MiB

/** Checks all samples from `warm` seconds on. For a process, the warm-up begins with its start. */
export function checkTrends(samples: readonly Sample[], tables: readonly TableSample[], warm: number): CheckedSeries[] {
  const late = samples.filter(({ at }) => at >= warm)
  const span = (late.at(-1)?.at ?? 0) - warm
  const found: CheckedSeries[] = []
  const add = (of: string, measure: Measure, points: readonly Point[]) => {
    const trend = findTrend(points, bounds[measure])
    if (trend) found.push({ of, measure, ...trend })
  }
  for (const { name, pid, from } of lives(samples, warm, span)) {
    const own = (value: (sample: Sample['processes'][string]) => number | undefined) =>
      late.flatMap(({ at, processes }) => {
        const sample = processes[name]
        const one = sample?.pid === pid && at >= from ? value(sample) : undefined
        return one === undefined ? [] : [{ at, value: one }]
      })
    add(
      name,
      'memory',
      own(({ pss }) => pss),
    )
    add(
      name,
      'handles',
      own(({ handles }) => handles),
    )
    add(
      name,
      'threads',
      own(({ threads }) => threads),
    )
    add(
      name,
      'loop delay',
      own(({ delay }) => delay),
    )
  }
  const asked = late.flatMap(({ at, database }) => (database ? [{ at, ...database }] : []))
  add(
    'database',
    'connections',
    asked.map(({ at, connections }) => ({ at, value: connections })),
  )
  add(
    'queues',
    'waiting jobs',
    asked.map(({ at, waiting }) => ({ at, value: waiting })),
  )
  for (const name of new Set(tables.flatMap((sample) => sample.tables.map((table) => table.name))))
    judgeTable(name, tables, warm, add)
  return found
}

/** Returns processes that ran long enough, from start to end, and the time from which they are checked. */
function lives(samples: readonly Sample[], warm: number, span: number): { name: string; pid: number; from: number }[] {
  const found = new Map<string, { name: string; pid: number; from: number; to: number }>()
  for (const { at, processes } of samples) {
    for (const [name, { pid }] of Object.entries(processes)) {
      const key = `${name} ${pid}`
      const life = found.get(key) ?? { name, pid, from: at + warm, to: at }
      found.set(key, { ...life, to: at })
    }
  }
  return [...found.values()].filter(({ from, to }) => to - from >= leastLife * span)
}

/**
 * Checks one table. A table with temporary rows must not grow. A table with permanent rows may grow, but not per row.
 */
function judgeTable(
  name: string,
  samples: readonly TableSample[],
  warm: number,
  add: (of: string, measure: Measure, points: readonly Point[]) => void,
): void {
  const looks = samples.flatMap(({ at, tables }) => {
    const table = at >= warm ? tables.find((one) => one.name === name) : undefined
    return table ? [{ at, ...table, bytes: table.heap + table.indexes }] : []
  })
  const [first, last] = [looks[0], looks.at(-1)]
  if (!first || !last || last.bytes < leastTable) return
  add(
    name,
    'dead rows',
    looks.map(({ at, dead }) => ({ at, value: dead })),
  )
  const grows = last.rows > first.rows * 1.1
  if (grows)
    add(
      name,
      'bytes a row',
      looks.map(({ at, bytes, rows }) => ({ at, value: bytes / Math.max(1, rows) })),
    )
  else
    add(
      name,
      'bytes',
      looks.map(({ at, bytes }) => ({ at, value: bytes })),
    )
}
