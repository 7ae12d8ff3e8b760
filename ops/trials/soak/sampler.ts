import { setTimeout as pause } from 'node:timers/promises'
import type { Actor } from '../chaos/actor.ts'
import { DatabaseMonitor, type DatabaseSample, type TableFigures } from './database.ts'
import { measureProcess, measureProcessTree, type ProcessResources } from './processes.ts'

/** Resources of a process and its event loop delay in seconds (p99 since the sample before). */
export interface ProcessSample extends ProcessResources {
  delay?: number | undefined
}

/** All figures at one time, in seconds since the start of sampling. */
export interface Sample {
  at: number
  processes: Record<string, ProcessSample>
  /** `undefined` while the database was not responding. */
  database?: DatabaseSample | undefined
  /** Cumulative numbers of repeated requests and of visits without effect. */
  repeated: number
  failed: number
}

export interface TableSample {
  at: number
  tables: TableFigures[]
}

export interface Sampler {
  readonly samples: Sample[]
  readonly tables: TableSample[]
  stop(): Promise<void>
}

export interface Watched {
  actors: readonly Actor[]
  postgres: Actor | undefined
  superuser: string
  metrics: Readonly<Record<string, number>>
  counts(): { repeated: number; failed: number }
}

export function startSampler(
  watched: Watched,
  { every, tablesEvery }: { every: number; tablesEvery: number },
): Sampler {
  const eye = new DatabaseMonitor(watched.superuser)
  const begun = performance.now()
  const over = new AbortController()
  const samples: Sample[] = []
  const tables: TableSample[] = []
  const seconds = () => Math.round((performance.now() - begun) / 100) / 10

  async function processes(): Promise<Record<string, ProcessSample>> {
    const all = watched.actors.map(async (actor) => {
      const { pid, part } = actor
      if (pid === undefined) return []
      const isTree = actor === watched.postgres
      const [holding, delay] = await Promise.all([
        isTree ? measureProcessTree(pid) : measureProcess(pid),
        delayOf(watched.metrics[part.name]),
      ])
      return holding ? [[part.name, { ...holding, delay }] as const] : []
    })
    return Object.fromEntries((await Promise.all(all)).flat())
  }

  async function keepOn(take: () => Promise<void>, everyMs: number): Promise<void> {
    while (!over.signal.aborted) {
      const at = performance.now()
      await take()
      await pause(Math.max(0, everyMs - (performance.now() - at)), undefined, { signal: over.signal }).catch(() => {})
    }
  }

  const running = [
    keepOn(async () => {
      const at = seconds()
      const [held, database] = await Promise.all([processes(), eye.look()])
      samples.push({ at, processes: held, database, ...watched.counts() })
    }, every),
    keepOn(async () => {
      const found = await eye.tables()
      if (found) tables.push({ at: seconds(), tables: found })
    }, tablesEvery),
  ]
  return {
    samples,
    tables,
    async stop() {
      over.abort()
      await Promise.all(running)
      await eye.close()
    },
  }
}

async function delayOf(port: number | undefined): Promise<number | undefined> {
  if (port === undefined) return undefined
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(3_000) })
    const lines = (await answer.text()).split('\n')
    const found = lines.find(
      (line) => line.startsWith('millrace_event_loop_delay_seconds{') && line.includes('stat="p99"'),
    )
    return found === undefined ? undefined : Number(found.slice(found.lastIndexOf(' ')))
  } catch {
    return undefined
  }
}
