import { setTimeout as pause } from 'node:timers/promises'
import { addOrg, type CellTestBed, startCells, type TestCell } from './bed.ts'
import { reload } from './haproxy.ts'
import { type Visit, Visitors, type VisitResults } from './visitor.ts'

export interface RunOptions {
  /** Duration of each phase in milliseconds. */
  phase: number
  /** Number of requests per second on each path. */
  rate: number
  workers: boolean
}

export interface Phase {
  name: string
  seen: readonly VisitResults[]
}

export const [sound, harmed] = ['a', 'b']

export async function run(options: RunOptions, say: (text: string) => void): Promise<Phase[]> {
  await using ends = new AsyncDisposableStack()
  const bed = await startCells({ names: [sound, harmed], workers: options.workers }, ends)
  const b = bed.cells[harmed] as TestCell
  const visits = await visitsOf(bed)
  const visitors = new Visitors(visits, options.rate)
  ends.defer(() => visitors.close())
  await visitors.watch(2_000)
  const phases: Phase[] = []
  const watch = async (name: string, meanwhile: () => Promise<void> = async () => {}) => {
    const [seen] = await Promise.all([visitors.watch(options.phase), meanwhile()])
    phases.push({ name, seen })
    say(formatPhases(phases.slice(-1)))
  }
  await watch('before')
  await b.freeze()
  try {
    await watch(`Postgres of ${harmed} frozen`)
  } finally {
    await b.thaw()
  }
  await answers(visits)
  await watch('thawed')
  await b.kill()
  await watch(`${harmed} killed`)
  await b.back()
  await answers(visits)
  await watch('back', async () => {
    await bed.front.write(bed.known)
    reload(bed.haproxy)
  })
  return phases
}

async function visitsOf({ cells, front }: CellTestBed): Promise<Visit[]> {
  const all = Object.values(cells)
  const made = await Promise.all(
    all.map(async (cell) => ({ cell, key: (await addOrg(cell, `of ${cell.name}`, ['stream:read'])).key })),
  )
  const path = '/v1/stream/assets?limit=1'
  return made.flatMap(({ cell, key }) => [
    ...all.map(({ name, url }) => ({ name: `${cell.name} by ${name}`, url: url + path, key })),
    { name: `${cell.name} by HAProxy`, url: front.url + path, key },
  ])
}

async function answers(visits: readonly Visit[]): Promise<void> {
  const isAnswered = async ({ url, key }: Visit) =>
    (await fetch(url, { headers: { authorization: `Bearer ${key}` } }).catch(() => undefined))?.ok
  const end = performance.now() + 60_000
  for (const visit of visits) {
    while (!(await isAnswered(visit))) {
      if (performance.now() > end) throw new Error(`${visit.name} did not respond again within a minute.`)
      await pause(50)
    }
  }
}

export function formatPhases(phases: readonly Phase[]): string {
  const head = ['phase', 'way', 'sent', 'ok', '503', 'other', 'median', 'worst']
  const ms = (value: number) => (Number.isNaN(value) ? '-' : `${value.toFixed(1)} ms`)
  const rows = phases.flatMap(({ name, seen }) =>
    seen.map((one) =>
      [name, one.name, one.sent, one.ok, one.away, one.other, ms(one.median), ms(one.worst)].map(String),
    ),
  )
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]?.length ?? 0)))
  const line = (row: string[]) =>
    row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  return [head, ...rows].map(line).join('\n')
}

/** Returns the failed checks. No request of the healthy cell may fail in any phase. */
export function findFailedChecks(phases: readonly Phase[]): string[] {
  return phases.flatMap(({ name, seen }) =>
    seen.flatMap((one) => {
      const [cell, door] = one.name.split(' by ') as [string, string]
      const away = one.away + one.other
      const mayFail = cell === harmed || (door === harmed && name.endsWith('killed'))
      const faults = !mayFail && away > 0 ? [`${name}, ${one.name}: ${away} of ${one.sent} failed: ${one.first}`] : []
      const strange = cell === harmed && door !== harmed && one.other > 0
      return [...faults, ...(strange ? [`${name}, ${one.name}: ${one.other} without Retry-After: ${one.first}`] : [])]
    }),
  )
}

/** Returns the median of each path of the healthy cell in each phase, as a ratio to the previous phase. */
export function formatMedianRatios(phases: readonly Phase[]): string[] {
  const [before, ...others] = phases
  const ways = before?.seen.filter(({ name }) => name.startsWith(`${sound} by `)) ?? []
  return ways.map(({ name, median }) => {
    const ratios = others.map((phase) => {
      const now = phase.seen.find((one) => one.name === name)?.median ?? Number.NaN
      return `${phase.name} ${Number.isNaN(now / median) ? '-' : (now / median).toFixed(2)}`
    })
    return `${name}, median compared with the median before: ${ratios.join(', ')}`
  })
}
