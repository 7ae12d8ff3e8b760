import { join } from 'node:path'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild, startChild } from './child.ts'
import { cpuBetween, cpuSum, treeCpu } from './cpu.ts'
import { makeDatabase, makeFolder } from './ground.ts'
import { makeTable } from './ingress/area.ts'
import { measureCommits } from './ingress/commits.ts'
import type { Loaded, LoadSettings } from './ingress/load.ts'

const clients = 32
const loads = [
  { route: 'one', connections: 32, demand: 0.5 },
  { route: 'one', connections: 64, demand: 0.5 },
  { route: 'many', connections: 32, demand: 3 },
  { route: 'many', connections: 64, demand: 3 },
]

/** How many requests a second the ingress answers after their commit, beside the commits that Postgres can make of them. */
export const ingress: Benchmark = {
  summary: 'requests a second answered after their commit, beside what pgbench commits',
  options: {
    seconds: { about: 'seconds of each measurement', default: 5 },
    rounds: { about: 'rounds', default: 3 },
  },
  async run({ seconds = 5, rounds = 3 }, ends) {
    const folder = await makeFolder(ends)
    const url = await makeDatabase(folder, ends)
    const { key, orgId } = await prepare(url)
    const server = startChild('./ingress/serve.ts', { url }, join(folder, 'ingress.log'))
    ends.defer(() => server.end())
    const { port } = await server.next<{ port: number }>()
    const commits: number[] = []
    let measuredBy = ''
    const found: (Loaded & { cpuShare: number })[][] = loads.map(() => [])
    for (let round = 0; round < rounds; round++) {
      const { perSecond, by } = await measureCommits({ url, orgId, folder, clients, seconds })
      commits.push(perSecond)
      measuredBy = by
      console.log(`  ${Math.round(perSecond)} commits/s`)
      for (const [i, { route, connections }] of loads.entries()) {
        const load: LoadSettings = { port, key, path: `/v1/bench/${route}`, connections, seconds }
        const before = await treeCpu(server.process.pid ?? 0)
        const loaded = await runChild<Loaded>('./ingress/load.ts', load)
        const cpu = cpuSum(cpuBetween(before, await treeCpu(server.process.pid ?? 0)))
        if (loaded.refused > 0)
          console.log(`  ${loaded.refused} requests were refused, the first so: ${loaded.refusal}`)
        found[i]?.push({ ...loaded, cpuShare: cpu / (seconds + 0.5) })
        console.log(`  ${said(route, connections)}: ${Math.round(loaded.perSecond)}/s, p50 ${loaded.p50.toFixed(1)} ms`)
      }
    }
    const limit = median(commits)
    return {
      comparisons: loads.map(({ route, connections, demand }, i) => ({
        what: said(route, connections),
        unit: '/s',
        limit,
        product: median(found[i]?.map(({ perSecond }) => perSecond) ?? []),
        demand: { atLeast: demand },
      })),
      notes: [
        `medians of ${rounds} rounds of ${seconds} s; the limit is ${measuredBy}: ${clients} clients, prepared, a transaction a request`,
        ...loads.map(({ route, connections }, i) => {
          const of = (fact: 'p50' | 'p99' | 'share' | 'cpuShare') =>
            median(found[i]?.map((loaded) => loaded[fact]) ?? [])
          return `${said(route, connections)}: p50 ${of('p50').toFixed(1)} ms, p99 ${of('p99').toFixed(1)} ms; the ingress took ${of('cpuShare').toFixed(2)} of a core, the load generator ${of('share').toFixed(2)}`
        }),
      ],
      rounds: { commits, loads: loads.map((load, i) => ({ ...load, rounds: found[i] })) },
    }
  },
}

const said = (route: string, connections: number) =>
  `${route === 'many' ? 'grouped' : 'ungrouped'}, ${connections} connections`

/** A table to write to, and a key whose plan has limits that are counted and never reached. */
async function prepare(url: string): Promise<{ key: string; orgId: string }> {
  const db: DatabasePool = await openPool(url, 1)
  try {
    await makeTable(db)
    const never = 500_000_000
    const limits = { key_requests_per_minute: never, key_burst: never, org_requests_per_minute: never }
    const sizes = { upload_bytes: 0, storage_bytes: 0, monthly_messages: 0, room_participants: 0, live_channels: 0 }
    await plans.put(db, { name: 'bench', ...limits, ...sizes, waiting_jobs: never })
    const org = await orgs.insert(db, { name: 'bench', plan: 'bench' })
    const scopes = ['bench:write']
    const made = await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'bench', scopes })
    return { key: made.secret, orgId: org.id }
  } finally {
    await db.end()
  }
}
