import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from '../../embedded/postgres.ts'
import { readPrivate } from '../../private-file.ts'
import { preferPort } from '../../start/ports.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild } from './child.ts'
import { cpuSum, measureTreeCpu, measureTreeMemory, subtractCpu } from './cpu.ts'
import { createBenchmarkFolder } from './ground.ts'
import { npmStart, type StartedStack } from './start/stack.ts'

/** Time in seconds after which the background work of a start has finished. */
const settleSeconds = 20

export const start: Benchmark = {
  summary: 'seconds until npm start is ready in an existing folder, CPU of loading, memory and CPU while idle',
  options: {
    rounds: { about: 'warm starts', default: 3 },
    seconds: { about: 'measured idle seconds', default: 30 },
  },
  async run({ rounds = 3, seconds = 30 }, ends) {
    const data = join(await createBenchmarkFolder(ends), 'data')
    const settings = { MILLRACE_DATA: data, PORT: String(await preferPort('127.0.0.1', undefined)) }
    const cold = await npmStart(settings, ends)
    await cold.end()
    const ready: { ours: number; postgres: number }[] = []
    let stack: StartedStack | undefined
    for (let i = 0; i < rounds; i++) {
      await stack?.end()
      const postgres = await postgresSeconds(data)
      stack = await npmStart(settings, ends)
      ready.push({ ours: stack.seconds, postgres })
    }
    const pid = stack?.pid ?? 0
    await pause(settleSeconds * 1000)
    const before = await measureTreeCpu(pid)
    await pause(seconds * 1000)
    const idle = subtractCpu(before, await measureTreeCpu(pid))
    const memory = await measureTreeMemory(pid)
    await stack?.end()
    const loads = await loading(rounds)
    const share = (names: Record<string, number>) => (cpuSum(names) / seconds) * 100
    return {
      comparisons: [
        {
          what: 'npm start until ready, compared with only the embedded Postgres',
          unit: 's',
          limit: median(ready.map(({ postgres }) => postgres)),
          product: median(ready.map(({ ours }) => ours)),
          demand: { productAtMost: 4 },
        },
        ...(['areas', 'pools'] as const).map((what) => ({
          what: `CPU to load all ${what}, compared with a process that loads nothing`,
          unit: 's',
          limit: median(loads.map(({ nothing }) => nothing)),
          product: median(loads.map((load) => load[what])),
          demand: { productAtMost: what === 'areas' ? 1.4 : 0.9 },
        })),
        {
          what: 'memory while idle (PSS), compared with external programs',
          unit: 'MB',
          limit: cpuSum(others(memory)),
          product: cpuSum(memory),
          demand: { productAtMost: 900 },
        },
        {
          what: 'CPU while idle, compared with external programs',
          unit: '% of a core',
          limit: share(others(idle)),
          product: share(idle),
          demand: { productAtMost: 5 },
        },
      ],
      notes: [
        `the first start, in an empty folder, took ${cold.seconds.toFixed(1)} s`,
        `MB: ${listed(memory, (value) => value >= 5)}`,
        `CPU seconds of ${seconds}: ${listed(idle, (value) => value > 0)}`,
      ],
      rounds: { ready, loads, memory, idle },
    }
  },
}

async function postgresSeconds(data: string): Promise<number> {
  const { postgres_password: password } = (await readPrivate(join(data, 'secrets.json'))) as Record<string, string>
  const port = await preferPort('127.0.0.1', undefined)
  const begun = performance.now()
  const postgres = await startPostgres({ dir: join(data, 'postgres'), port, password: password ?? '' })
  const seconds = (performance.now() - begun) / 1000
  await postgres.stop()
  return seconds
}

async function loading(rounds: number) {
  const load = (...paths: string[]) => runChild<number>('start/load.ts', paths)
  const measured: { nothing: number; areas: number; pools: number }[] = []
  for (let i = 0; i <= rounds; i++) {
    const round = {
      nothing: await load(),
      areas: await load('ingress/areas.ts'),
      pools: await load('workers/pools.ts'),
    }
    if (i > 0) measured.push(round)
  }
  return measured
}

const others = (figures: Record<string, number>) =>
  Object.fromEntries(Object.entries(figures).filter(([name]) => !/\.ts\b|^npm/.test(name)))

const listed = (figures: Record<string, number>, wanted: (value: number) => boolean) =>
  Object.entries(figures)
    .filter(([, value]) => wanted(value))
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => `${name} ${value >= 5 ? Math.round(value) : value.toFixed(2)}`)
    .join(', ')
