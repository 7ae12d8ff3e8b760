import { type Benchmark, median } from './benchmark.ts'
import { runChild } from './child.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkFolder } from './ground.ts'
import type { Comparison } from './report.ts'
import type { LoadResult, LoadSettings } from './store/load.ts'
import { getPeakMemory, type Server, startPlain, startStore } from './store/servers.ts'

interface Measurement {
  mibPerSecond: number
  /** CPU of the server. Other load on the machine hardly changes it. */
  mibPerCpuSecond: number
  share: number
}

const passes = { 'PUT, 1 parallel': 1, 'PUT, 4 parallel': 4, 'GET, 1 parallel': 1, 'GET, 4 parallel': 4 }

type Pass = keyof typeof passes
type Measurements = Record<Pass, Measurement[]>

const demands: Record<Pass, number> = {
  'PUT, 1 parallel': 0.4,
  'PUT, 4 parallel': 0.4,
  'GET, 1 parallel': 0.7,
  'GET, 4 parallel': 0.7,
}

const partBytes = 64 * 1024 ** 2

export const store: Benchmark = {
  summary:
    'the object store: MiB/s of signed 64 MiB parts written and read, and its memory, compared with a plain file server',
  options: {
    parts: { about: 'parts of the object', default: 8 },
    rounds: { about: 'rounds', default: 3 },
  },
  async run({ parts = 8, rounds = 3 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const servers = { plain: await startPlain(folder, ends), store: await startStore(folder, ends) }
    const found = { plain: nothing(), store: nothing() }
    const joins: number[] = []
    for (let round = 0; round < rounds; round++) {
      for (const name of ['plain', 'store'] as const) {
        const server = servers[name]
        for (const atOnce of [1, 4] as const) {
          const puts = await server.putTargets(parts, partBytes)
          found[name][`PUT, ${atOnce} parallel`].push(await measure(server, { method: 'PUT', bodies: puts, atOnce }))
          const begun = performance.now()
          const gets = await server.finish(puts)
          if (name === 'store') joins.push(performance.now() - begun)
          found[name][`GET, ${atOnce} parallel`].push(await measure(server, { method: 'GET', bodies: gets, atOnce }))
          await server.clear()
        }
        console.log(`  ${name}: ${Object.entries(found[name]).map(lastOf).join('; ')}`)
      }
    }
    const [plainRss, storeRss] = [await getPeakMemory(servers.plain.pid), await getPeakMemory(servers.store.pid)]
    return {
      comparisons: [
        ...(Object.keys(passes) as Pass[]).map((pass) => compare(pass, found)),
        { what: 'most memory', unit: 'MiB', limit: plainRss, product: storeRss, demand: { atMost: 1.5 } },
      ],
      notes: [
        `medians of ${rounds} rounds of ${parts} × 64 MiB on 127.0.0.1; both sync each body to disk before they respond`,
        `the limit streams to a file and sends it; the store checks signatures, computes the MD5 of every part and keeps a ledger`,
        `joining ${parts} parts took ${median(joins).toFixed(0)} ms, regardless of their size`,
        ...(Object.keys(passes) as Pass[]).map((pass) => noteOf(pass, found)),
      ],
      rounds: found,
    }
  },
}

const nothing = (): Measurements => ({
  'PUT, 1 parallel': [],
  'PUT, 4 parallel': [],
  'GET, 1 parallel': [],
  'GET, 4 parallel': [],
})

async function measure(server: Server, load: LoadSettings): Promise<Measurement> {
  const before = await measureTreeCpu(server.pid)
  const { seconds, share } = await runChild<LoadResult>('./store/load.ts', load)
  const cpu = cpuSum(subtractCpu(before, await measureTreeCpu(server.pid)))
  const mib = load.bodies.reduce((sum, { bytes }) => sum + bytes, 0) / 1024 ** 2
  return { mibPerSecond: mib / seconds, mibPerCpuSecond: mib / cpu, share }
}

const of = (measured: Measurement[], fact: keyof Measurement) => median(measured.map((one) => one[fact]))

const lastOf = ([pass, measured]: [string, Measurement[]]) =>
  `${pass} ${measured.at(-1)?.mibPerSecond.toFixed(0)} MiB/s`

const compare = (pass: Pass, { plain, store }: { plain: Measurements; store: Measurements }): Comparison => ({
  what: pass,
  unit: 'MiB/s',
  demand: { atLeast: demands[pass] },
  limit: of(plain[pass], 'mibPerSecond'),
  product: of(store[pass], 'mibPerSecond'),
})

function noteOf(pass: Pass, { plain, store }: { plain: Measurements; store: Measurements }): string {
  const cpu = (found: Measurements) => of(found[pass], 'mibPerCpuSecond').toFixed(0)
  return `${pass}: ${cpu(store)} MiB per CPU second of the store, ${cpu(plain)} of the limit; the load generator used ${of(store[pass], 'share').toFixed(2)} of a core`
}
