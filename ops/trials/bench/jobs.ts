import { setTimeout as pause } from 'node:timers/promises'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { createJobs } from '#tasks/work/rules/create-jobs.ts'
import { type Benchmark, median } from './benchmark.ts'
import { startChild } from './child.ts'
import { measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import type { Arrivals } from './jobs/handler.ts'
import type { Accepted, PaceSettings } from './jobs/pace.ts'
import { startIngress, startWorker } from './product.ts'

const secret = 'a secret of the benchmark, of 32 characters'

export const jobs: Benchmark = {
  summary: 'jobs by HTTP: finished per second, and from acceptance to the start of the request',
  options: {
    jobs: { about: 'jobs of a drain', default: 15_000 },
    seconds: { about: 'seconds at 500 jobs per second', default: 10 },
    rounds: { about: 'rounds', default: 3 },
    waiting: { about: 'future jobs that wait meanwhile', default: 100_000 },
  },
  async run({ jobs: count = 15_000, seconds = 10, rounds = 3, waiting = 100_000 }, ends) {
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const owner = await prepare(db)
    const handler = startChild('./jobs/handler.ts', {})
    ends.defer(() => handler.end())
    const target = `http://127.0.0.1:${await handler.next<number>()}`
    const settings = { DATABASE_URL: url, SIGNING_SECRET: secret, OUTBOUND_ALLOWED: '127.0.0.1', WEBHOOK_HTTP: 'true' }
    const found: { drains: number[]; besides: number[]; starts: Start[] } = { drains: [], besides: [], starts: [] }
    for (let round = 0; round < rounds; round++) {
      found.drains.push(await drain(db, owner.orgId, target, count, settings))
    }
    const base = await startIngress(ends, settings)
    startWorker(ends, settings, 'calls')
    for (let round = 0; round < rounds; round++) {
      found.starts.push(
        await pace({ base, key: owner.key, target: `${target}/paced`, perSecond: 500, seconds }, target),
      )
    }
    const start = (fact: keyof Start) => median(found.starts.map((one) => one[fact]))
    return {
      comparisons: [
        {
          what: 'jobs finished',
          unit: '/s',
          limit: 3_000,
          product: median(found.drains),
          demand: { productAtLeast: 3_000 },
        },
        {
          what: 'accepted to started at 500/s, p50',
          unit: 'ms',
          limit: 5,
          product: start('p50'),
          demand: { productAtMost: 5 },
        },
        {
          what: 'accepted to started at 500/s, p99',
          unit: 'ms',
          limit: 30,
          product: start('p99'),
          demand: { productAtMost: 30 },
        },
      ],
      notes: [`${waiting}`],
      rounds: found,
    }
  },
}

async function prepare(db: DatabasePool): Promise<{ key: string; orgId: string }> {
  const most = 500_000_000
  const plan = Object.fromEntries(plans.limitNames.map((name) => [name, most])) as Record<plans.LimitName, number>
  await plans.put(db, { name: 'bench', ...plan })
  const org = await orgs.insert(db, { name: 'bench', plan: 'bench' })
  const scopes = ['jobs:write']
  const { secret: key } = await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'bench', scopes })
  return { key, orgId: org.id }
}

const arrivals = async (target: string, path = '/'): Promise<Arrivals> =>
  (await (await fetch(target + path)).json()) as Arrivals

async function drain(
  db: DatabasePool,
  orgId: string,
  target: string,
  count: number,
  settings: Record<string, string>,
): Promise<number> {
  const job = { url: `${target}/drain`, body: { text: '{"text":"hello"}', type: 'json' as const } }
  for (let left = count; left > 0; left -= 1_000)
    await db.transaction((tx) => createJobs(tx, orgId, Array(Math.min(left, 1_000)).fill(job)))
  await arrivals(target, '/reset')
  await using ends = new AsyncDisposableStack()
  startWorker(ends, settings, 'calls')
  let seen = await arrivals(target)
  let cpu: Awaited<ReturnType<typeof measureTreeCpu>> | undefined
  while (seen.count < count) {
    if (seen.count > 0) cpu ??= await measureTreeCpu(process.pid)
    await pause(50)
    seen = await arrivals(target)
  }
  const rate = (count / (seen.last - seen.first)) * 1_000
  console.log(`  ${Math.round(rate)} jobs/s`, cpu && subtractCpu(cpu, await measureTreeCpu(process.pid)))
  return rate
}

interface Start {
  p50: number
  p99: number
  callP50: number
  callP99: number
}

async function pace(settings: PaceSettings, target: string): Promise<Start> {
  await arrivals(target, '/reset')
  const child = startChild('./jobs/pace.ts', settings)
  const accepted = await child.next<Accepted>()
  await child.end()
  const ids = Object.keys(accepted.times)
  let seen = await arrivals(target)
  while (seen.count < ids.length) {
    await pause(50)
    seen = await arrivals(target)
  }
  const waits = ids.map((id) => Math.max(0, (seen.times[id] ?? Number.NaN) - (accepted.times[id] ?? 0)))
  const sorted = waits.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN
  console.log(
    `  p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms; calls p50 ${accepted.p50.toFixed(1)} p99 ${accepted.p99.toFixed(1)}`,
  )
  return { p50: at(0.5), p99: at(0.99), callP50: accepted.p50, callP99: accepted.p99 }
}
