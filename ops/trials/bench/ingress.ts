import { join } from 'node:path'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild, startChild } from './child.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { makeTable } from './ingress/area.ts'
import { measureCommits } from './ingress/commits.ts'
import type { LoadSettings } from './ingress/load.ts'
import type { Comparison } from './report.ts'
import type { LoadResult } from './tally.ts'

const clients = 32

const loads = {
  lone: { route: 'one', connections: 1 },
  low: { route: 'one', connections: 4 },
  ungrouped: { route: 'one', connections: 32 },
  loneGrouped: { route: 'many', connections: 1 },
  grouped: { route: 'many', connections: 32 },
  groupedMore: { route: 'many', connections: 64 },
} as const

type Load = keyof typeof loads
type LoadResults = Record<Load, (LoadResult & { cpuMicroseconds: number })[]>

const names = Object.keys(loads) as Load[]

export const ingress: Benchmark = {
  summary: 'requests per second with a commit before the response, compared with the commits of pgbench',
  options: {
    seconds: { about: 'seconds of each measurement', default: 5 },
    rounds: { about: 'rounds', default: 3 },
  },
  async run({ seconds = 5, rounds = 3 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const { key, orgId } = await prepare(url)
    const server = startChild('./ingress/serve.ts', { url }, join(folder, 'ingress.log'))
    ends.defer(() => server.end())
    const { port } = await server.next<{ port: number }>()
    const commits: number[] = []
    let measuredBy = ''
    const found = Object.fromEntries(names.map((name) => [name, []])) as unknown as LoadResults
    for (let round = 0; round < rounds; round++) {
      const { perSecond, by } = await measureCommits({ url, orgId, folder, clients, seconds })
      commits.push(perSecond)
      measuredBy = by
      console.log(`  ${Math.round(perSecond)} commits/s`)
      for (const name of names) {
        const { route, connections } = loads[name]
        found[name].push(
          await measure(server.process.pid ?? 0, { port, key, path: `/v1/bench/${route}`, connections, seconds }, name),
        )
      }
    }
    return {
      comparisons: compare(median(commits), found),
      notes: [
        `medians of ${rounds} rounds of ${seconds} s; the limit is ${measuredBy}: ${clients} clients, prepared, one row and one add_job per transaction`,
        ...names.map((name) => noteOf(name, found)),
      ],
      rounds: { commits, loads: names.map((name) => ({ ...loads[name], rounds: found[name] })) },
    }
  },
}

async function measure(pid: number, load: LoadSettings, name: Load): Promise<LoadResults[Load][number]> {
  const before = await measureTreeCpu(pid)
  const loaded = await runChild<LoadResult>('./ingress/load.ts', load)
  const cpu = cpuSum(subtractCpu(before, await measureTreeCpu(pid)))
  if (loaded.refused > 0) console.log(`  ${loaded.refused} requests were rejected. First response: ${loaded.refusal}`)
  console.log(`  ${said(name)}: ${Math.round(loaded.perSecond)}/s, p50 ${loaded.p50.toFixed(1)} ms`)
  return { ...loaded, cpuMicroseconds: (cpu / loaded.perSecond / (load.seconds + 0.5)) * 1e6 }
}

type Fact = 'perSecond' | 'p50' | 'p99' | 'share' | 'cpuMicroseconds'

const of = (found: LoadResults, name: Load, fact: Fact) => median(found[name].map((loaded) => loaded[fact]))

/**
 * Compares the rates with the commits of Postgres, and measures the cost of waiting for a group, with and without load.
 */
function compare(limit: number, found: LoadResults): Comparison[] {
  const rate = (name: Load, atLeast: number): Comparison => {
    return { what: said(name), unit: '/s', limit, product: of(found, name, 'perSecond'), demand: { atLeast } }
  }
  const cpu = (name: Load, most: number): Comparison => ({
    what: `CPU of a request, ${said(name)}`,
    unit: 'µs',
    limit: most,
    product: of(found, name, 'cpuMicroseconds'),
    demand: { productAtMost: most },
  })
  const slower = (fact: 'p50' | 'p99', name: Load, than: Load, atMost: number): Comparison => ({
    what: `${fact} of ${said(name)}, compared with ${said(than)}`,
    unit: 'ms',
    limit: of(found, than, fact),
    product: of(found, name, fact),
    demand: { atMost },
  })
  return [
    rate('ungrouped', 0.5),
    rate('grouped', 6),
    rate('groupedMore', 8),
    cpu('grouped', 110),
    cpu('ungrouped', 350),
    slower('p99', 'grouped', 'low', 2),
    slower('p50', 'loneGrouped', 'lone', 1.2),
  ]
}

function noteOf(name: Load, found: LoadResults): string {
  const [p50, p99] = [of(found, name, 'p50').toFixed(1), of(found, name, 'p99').toFixed(1)]
  const [cpu, share] = [of(found, name, 'cpuMicroseconds').toFixed(0), of(found, name, 'share').toFixed(2)]
  return `${said(name)}: p50 ${p50} ms, p99 ${p99} ms; ${cpu} µs of CPU per request, the load generator ${share} of a core`
}

function said(name: Load): string {
  const { route, connections } = loads[name]
  return `${route === 'many' ? 'grouped' : 'ungrouped'}, ${connections} connection${connections === 1 ? '' : 's'}`
}

async function prepare(url: string): Promise<{ key: string; orgId: string }> {
  const db: DatabasePool = await openPool(url, 1)
  try {
    await makeTable(db)
    const never = 500_000_000
    const limits = {
      key_requests_per_minute: never,
      key_burst: never,
      org_requests_per_minute: never,
      visitor_requests_per_minute: never,
      site_requests_per_minute: never,
    }
    const sizes = {
      upload_bytes: 0,
      storage_bytes: 0,
      monthly_messages: 0,
      room_participants: 0,
      live_channels: 0,
      video_lines: 0,
      log_streams: 0,
      monthly_tokens: 0,
    }
    await plans.put(db, { name: 'bench', ...limits, ...sizes, waiting_jobs: never })
    const org = await orgs.insert(db, { name: 'bench', plan: 'bench' })
    const scopes = ['stream:write']
    const made = await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'bench', scopes })
    return { key: made.secret, orgId: org.id }
  } finally {
    await db.end()
  }
}
