import { join } from 'node:path'
import { createOrg } from '#sql/account/setup.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { readFeed } from '#tasks/trust/rules/formats.ts'
import { replaceEntries } from '#tasks/trust/rules/replace-entries.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild, startChild } from './child.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import type { LoadResult } from './tally.ts'
import type { LoadSettings } from './trust/load.ts'

type Measurement = LoadResult & { cpuMicroseconds: number }
type ServerAddress = { port: number }

/** Maximum CPU time of the ingress in microseconds per check. */
const mostMicroseconds = 300

export const trust: Benchmark = {
  summary: 'duration of a URL check among a million entries, at a steady rate',
  options: {
    entries: { about: 'entries of the feed', default: 1_000_000 },
    rate: { about: 'checks a second', default: 500 },
    seconds: { about: 'seconds of each measurement', default: 5 },
    rounds: { about: 'rounds', default: 2 },
  },
  async run({ entries = 1_000_000, rate = 500, seconds = 5, rounds = 2 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const { keys } = await createOrg(db, 'bench', 'unlimited', { main: { prefix: 'bt_live_', scopes: ['trust:read'] } })
    const first = await fill(db, entries)
    console.log(`  ${entries} entries imported in ${first.toFixed(1)} s`)
    const servers = {
      bare: startChild('./trust/serve.ts', { url, bare: true }, join(folder, 'bare.log')),
      ours: startChild('./trust/serve.ts', { url, bare: false }, join(folder, 'ingress.log')),
    }
    const found: Record<'bare' | 'ours', Measurement[]> = { bare: [], ours: [] }
    for (const child of Object.values(servers)) ends.defer(() => child.end())
    const ports = {
      bare: (await servers.bare.next<ServerAddress>()).port,
      ours: (await servers.ours.next<ServerAddress>()).port,
    }
    const sides = ['bare', 'ours'] as const
    const load = { key: keys.main, perSecond: rate, connections: 32, listed: entries }
    // A warm-up run, because code is compiled only after some hundred calls.
    for (const side of sides) await runChild('./trust/load.ts', { ...load, port: ports[side], seconds: 3 * seconds })
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) {
        found[side].push(await measure(servers[side].process.pid ?? 0, { ...load, port: ports[side], seconds }, side))
      }
    }
    const of = (side: keyof typeof found, fact: 'p50' | 'p99' | 'perSecond' | 'cpuMicroseconds') =>
      median(found[side].map((one) => one[fact]))
    return {
      comparisons: [
        {
          what: `p99 of a check at ${rate}/s, compared with the plain server`,
          unit: 'ms',
          limit: of('bare', 'p99'),
          product: of('ours', 'p99'),
          demand: { productAtMost: 5 },
        },
        {
          what: 'CPU per check, compared with the plain server',
          unit: 'µs',
          limit: of('bare', 'cpuMicroseconds'),
          product: of('ours', 'cpuMicroseconds'),
          demand: { productAtMost: mostMicroseconds },
        },
      ],
      notes: [
        `${entries} entries, one in ten checks matches; medians of ${rounds} rounds of ${seconds} s at ${Math.round(of('ours', 'perSecond'))}/s`,
        `the plain server, node:http and one prepared statement: p50 ${of('bare', 'p50').toFixed(1)} ms, p99 ${of('bare', 'p99').toFixed(1)} ms`,
        `the feed was imported in ${first.toFixed(1)} s, ${Math.round(entries / first)} entries per second`,
      ],
      rounds: found,
    }
  },
}

async function measure(pid: number, load: LoadSettings, side: string): Promise<Measurement> {
  const before = await measureTreeCpu(pid)
  const loaded = await runChild<LoadResult>('./trust/load.ts', load)
  const cpu = cpuSum(subtractCpu(before, await measureTreeCpu(pid)))
  if (loaded.refused > 0) console.log(`  ${loaded.refused} were rejected. First response: ${loaded.refusal}`)
  const cpuMicroseconds = (cpu / loaded.perSecond / (load.seconds + 0.5)) * 1e6
  const times = `p50 ${loaded.p50.toFixed(1)} ms, p99 ${loaded.p99.toFixed(1)} ms`
  console.log(`  ${side}: ${Math.round(loaded.perSecond)}/s, ${times}, ${Math.round(cpuMicroseconds)} µs of CPU each`)
  return { ...loaded, cpuMicroseconds }
}

async function fill(db: DatabasePool, entries: number): Promise<number> {
  const facts = { category: 'malware', every_seconds: 3600, stale_after_seconds: 86_400, url: null }
  const feed = await feeds.put(db, { name: 'bench', kind: 'list', ...facts })
  const begun = performance.now()
  await replaceEntries(db, feed, readFeed(feed, lines(entries)), { own: db.transaction.bind(db) })
  return (performance.now() - begun) / 1000
}

async function* lines(entries: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < entries; at += 10_000) {
    yield Buffer.from(
      Array.from({ length: Math.min(10_000, entries - at) }, (_, i) => `host-${at + i}.example\n`).join(''),
    )
  }
}
