import type pg from 'pg'
import { empty, type Filling, fill } from './fill.ts'
import { type Group, readSizes } from './groups.ts'
import { measure, type Point } from './measure.ts'
import type { Results } from './results.ts'

/** Slower requests are printed immediately. */
const slowMs = 500

export interface Sizes {
  fewer: number
  rows: number
  /** Requests of each kind. */
  times: number
}

/** Measures the subjects of a group with both numbers of rows, and empties its tables. */
export async function measureGroup(
  client: pg.Client,
  filling: Filling,
  group: Group,
  { fewer, rows, times }: Sizes,
): Promise<Results> {
  const begun = performance.now()
  const before = await measureAt(client, filling, group, { rows: fewer, times })
  const after = await measureAt(client, filling, group, { rows, times })
  const bytes = [...(await readSizes(client, group.tables)).values()].reduce((sum, each) => sum + each, 0)
  await empty(client, group.tables)
  const seconds = Math.round((performance.now() - begun) / 1_000)
  console.log(
    `  ${group.area}: ${group.subjects.length} measured, ${group.tables.length} tables with ${(bytes / 1e9).toFixed(1)} GB, ${seconds} s`,
  )
  return Object.fromEntries([...after].map(([name, more]) => [name, { fewer: before.get(name) ?? more, more }]))
}

async function measureAt(
  client: pg.Client,
  filling: Filling,
  { tables, subjects }: Group,
  { rows, times }: Omit<Sizes, 'fewer'>,
): Promise<Map<string, Point>> {
  await fill(filling, tables, rows)
  const points = new Map<string, Point>()
  for (const subject of subjects) {
    const point = await measure(client, subject, times)
    points.set(subject.name, point)
    if (point.p99 > slowMs) console.log(`    ${Math.round(point.p99)} ms with ${rows} rows: ${subject.name}`)
  }
  return points
}
