import { randomBytes } from 'node:crypto'
import { type Benchmark, median } from './benchmark.ts'
import { runChild } from './child.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { publishFile } from './delivery/files.ts'
import { createBenchmarkFolder } from './ground.ts'
import type { LoadSettings } from './origin/load.ts'
import { startNginx } from './origin/nginx.ts'
import type { Comparison } from './report.ts'
import type { LoadResult } from './tally.ts'
import { startStack } from './transcode/stack.ts'

type Measurement = LoadResult & { cpuMicroseconds: number }

const connections = 16

export const delivery: Benchmark = {
  summary: 'small and large files per second by their URLs, compared with nginx and the same bytes as files',
  options: {
    seconds: { about: 'seconds of each measurement', default: 3 },
    rounds: { about: 'rounds', default: 2 },
    small: { about: 'KiB of the small file, which is kept in memory', default: 64 },
    large: { about: 'KiB of the large file, which is streamed from the store', default: 2_048 },
  },
  async run({ seconds = 3, rounds = 2, small = 64, large = 2_048 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const stack = await startStack(folder, ends, { FRESHCLAM: 'false' })
    const api = { base: stack.facts.base_url, key: stack.facts.keys.platform ?? '' }
    const files = { 'small.bin': randomBytes(small * 1024), 'large.bin': randomBytes(large * 1024) }
    const nginx = await startNginx(folder, files, ends)
    const targets: Record<string, string> = {}
    for (const [name, bytes] of Object.entries(files)) {
      const { url, direct } = await publishFile(api, name, bytes)
      targets[`nginx, ${name}`] = `http://127.0.0.1:${nginx.port}/${name}`
      targets[`store, ${name}`] = direct
      targets[`delivery, ${name}`] = url
    }
    const found: Record<string, Measurement[]> = Object.fromEntries(Object.keys(targets).map((name) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [name, url] of Object.entries(targets)) {
        const pid = name.startsWith('nginx') ? nginx.pid : stack.pid
        const loaded = await measure(pid, { urls: [url], status: 200, follow: false, connections, seconds })
        if (loaded.refused > 0) throw new Error(`${loaded.refused} of ${name}: ${loaded.refusal}`)
        console.log(`  ${name}: ${Math.round(loaded.perSecond)}/s, p99 ${loaded.p99.toFixed(1)} ms`)
        found[name]?.push(loaded)
      }
    }
    return { comparisons: compare(found), notes: notesOf(found, nginx.version), rounds: found }
  },
}

async function measure(pid: number, load: LoadSettings): Promise<Measurement> {
  const before = await measureTreeCpu(pid)
  const loaded = await runChild<LoadResult>('./origin/load.ts', load)
  const cpu = cpuSum(subtractCpu(before, await measureTreeCpu(pid)))
  return { ...loaded, cpuMicroseconds: (cpu / loaded.perSecond / (load.seconds + 0.5)) * 1e6 }
}

function compare(found: Record<string, Measurement[]>): Comparison[] {
  const rateOf = (name: string) => median((found[name] ?? []).map(({ perSecond }) => perSecond))
  const rate = (file: string, beside: string, atLeast: number): Comparison => ({
    what: `delivery, ${file} (next to ${beside})`,
    unit: '/s',
    demand: { atLeast },
    limit: rateOf(`${beside}, ${file}`),
    product: rateOf(`delivery, ${file}`),
  })
  return [
    rate('small.bin', 'nginx', 0.05),
    rate('small.bin', 'store', 0.6),
    rate('large.bin', 'nginx', 0.05),
    rate('large.bin', 'store', 0.15),
  ]
}

const notesOf = (found: Record<string, Measurement[]>, version: string): string[] => [
  `${connections} connections; the limit is ${version}, and the store that a redirect would lead to`,
  ...Object.entries(found).map(([name, loads]) => {
    const of = (fact: 'p50' | 'p99' | 'cpuMicroseconds') => median(loads.map((load) => load[fact]))
    return `${name}: p50 ${of('p50').toFixed(2)} ms, p99 ${of('p99').toFixed(2)} ms, ${of('cpuMicroseconds').toFixed(0)} µs of CPU per request`
  }),
]
