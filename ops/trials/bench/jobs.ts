import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { createJobs } from '#tasks/work/rules/create-jobs.ts'
import { type Benchmark, median } from './benchmark.ts'
import { startChild } from './child.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import type { Arrivals } from './jobs/handler.ts'
import type { Accepted, PaceSettings } from './jobs/pace.ts'
import { measurePeer, type PeerFigures, type PeerName, quantiles, untilArrived } from './jobs/peers.ts'
import { startIngress, startWorker } from './product.ts'

const secret = 'a secret of the benchmark, of 32 characters'

const perSecond = 500

interface Drain {
  rate: number
  cpuMicroseconds: number
}

interface Start {
  p50: number
  p99: number
  callP50: number
}

/** `beside`: while future jobs of another organisation wait. */
interface Found {
  drains: Drain[]
  besides: Drain[]
  starts: Start[]
  peers: Partial<Record<PeerName, PeerFigures | string>>
}

export const jobs: Benchmark = {
  summary: 'jobs by HTTP: finished per second, and from acceptance to the request, compared with pg-boss and BullMQ',
  options: {
    jobs: { about: 'jobs of a drain', default: 15_000 },
    seconds: { about: `seconds at ${perSecond} jobs per second`, default: 10 },
    rounds: { about: 'rounds', default: 3 },
    waiting: { about: 'future jobs that wait beside', default: 1_000_000 },
  },
  async run({ jobs: count = 15_000, seconds = 10, rounds = 3, waiting = 1_000_000 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const db = await openPool(url, 2, 30_000, 600_000)
    ends.defer(() => db.end())
    const owner = await createOwner(db, 'bench')
    const handler = startChild('./jobs/handler.ts', {})
    ends.defer(() => handler.end())
    const target = `http://127.0.0.1:${await handler.next<number>()}`
    const arrivals = async (path = '/') => (await (await fetch(target + path)).json()) as Arrivals
    const settings = { DATABASE_URL: url, SIGNING_SECRET: secret, OUTBOUND_ALLOWED: '127.0.0.1', WEBHOOK_HTTP: 'true' }
    const found: Found = { drains: [], besides: [], starts: [], peers: {} }
    const once = () => drain({ db, orgId: owner.orgId, target, count, settings, arrivals })
    for (let round = 0; round < rounds; round++) found.drains.push(await once())
    await addWaiting(db, target, waiting)
    for (let round = 0; round < rounds; round++) found.besides.push(await once())
    const peer = { folder, url, target, jobs: count, perSecond, seconds, arrivals }
    for (const name of ['pg-boss', 'bullmq'] as const) {
      found.peers[name] = await measurePeer(name, peer)
      console.log(`  ${name}:`, JSON.stringify(found.peers[name]))
    }
    const base = await startIngress(ends, settings)
    startWorker(ends, settings, 'calls')
    const load = { base, key: owner.key, target: `${target}/paced`, perSecond, seconds }
    for (let round = 0; round < rounds; round++) found.starts.push(await pace(load, arrivals))
    return report(found, waiting)
  },
}

function report(found: Found, waiting: number) {
  const start = (fact: keyof Start) => median(found.starts.map((one) => one[fact]))
  const rate = median(found.drains.map((one) => one.rate))
  const paced = (fact: 'p50' | 'p99', most: number) => ({
    what: `accepted to started at ${perSecond}/s, ${fact}`,
    ...{ unit: 'ms', limit: most, product: start(fact), demand: { productAtMost: most } },
  })
  const beside = median(found.besides.map((one) => one.rate))
  return {
    comparisons: [
      { what: 'jobs finished', unit: '/s', limit: 3_000, product: rate, demand: { productAtLeast: 3_000 } },
      {
        what: `the same beside ${waiting.toLocaleString('en')} future jobs`,
        ...{ unit: '/s', limit: rate, product: beside, demand: { atLeast: 0.9 } },
      },
      paced('p50', 5),
      paced('p99', 30),
      ...Object.entries(found.peers).flatMap(([name, peer]) =>
        typeof peer === 'string'
          ? []
          : [
              {
                what: `jobs finished, next to ${name}`,
                unit: '/s',
                limit: peer.drained,
                product: rate,
                demand: { atLeast: 0 },
              },
              {
                what: `accepted to started, next to ${name}, p50`,
                unit: 'ms',
                limit: peer.p50,
                product: start('p50'),
                demand: { atLeast: 0 },
              },
            ],
      ),
    ],
    notes: [
      `one worker process; ${median(found.drains.map((one) => one.cpuMicroseconds)).toFixed(0)} µs of CPU per job in all processes; acceptance takes ${start('callP50').toFixed(1)} ms, p50`,
      ...Object.entries(found.peers).map(([name, peer]) =>
        typeof peer === 'string'
          ? `${name} was skipped: ${peer}`
          : `${name}: ${peer.drained.toFixed(0)} jobs/s, p50 ${peer.p50.toFixed(1)} ms, p99 ${peer.p99.toFixed(1)} ms; without signatures, organisations and a log of attempts`,
      ),
    ],
    rounds: found,
  }
}

async function createOwner(db: DatabasePool, name: string): Promise<{ key: string; orgId: string }> {
  const plan = Object.fromEntries(plans.limitNames.map((limit) => [limit, 500_000_000]))
  await plans.put(db, { name, ...(plan as Record<plans.LimitName, number>) })
  const org = await orgs.insert(db, { name, plan: name })
  const given = { orgId: org.id, prefix: 'bt_live_', name, scopes: ['jobs:write'] } as const
  return { key: (await keys.create(db, { ...given, scopes: [...given.scopes] })).secret, orgId: org.id }
}

/** Adds jobs of another organisation that are due in a day. */
async function addWaiting(db: DatabasePool, target: string, count: number): Promise<void> {
  const { orgId } = await createOwner(db, 'waiting')
  const job = { url: `${target}/waiting`, runAt: new Date(Date.now() + 86_400_000) }
  for (let left = count; left > 0; left -= 10_000)
    await db.transaction((tx) => createJobs(tx, orgId, Array(Math.min(left, 10_000)).fill(job)))
}

interface DrainParts {
  db: DatabasePool
  orgId: string
  target: string
  count: number
  settings: Record<string, string>
  arrivals(path?: string): Promise<Arrivals>
}

async function drain({ db, orgId, target, count, settings, arrivals }: DrainParts): Promise<Drain> {
  const job = { url: `${target}/drain`, body: { text: '{"text":"hello"}', type: 'json' as const } }
  for (let left = count; left > 0; left -= 1_000)
    await db.transaction((tx) => createJobs(tx, orgId, Array(Math.min(left, 1_000)).fill(job)))
  await arrivals('/reset')
  await using ends = new AsyncDisposableStack()
  startWorker(ends, settings, 'calls')
  const first = await untilArrived(arrivals, 1)
  const cpu = await measureTreeCpu(process.pid)
  const { last } = await untilArrived(arrivals, count)
  const taken = subtractCpu(cpu, await measureTreeCpu(process.pid))
  const rate = (count / (last - first.first)) * 1_000
  console.log(`  ${Math.round(rate).toLocaleString('en')} jobs/s`, JSON.stringify(taken))
  return { rate, cpuMicroseconds: (cpuSum(taken) / count) * 1e6 }
}

async function pace(settings: PaceSettings, arrivals: DrainParts['arrivals']): Promise<Start> {
  await arrivals('/reset')
  const child = startChild('./jobs/pace.ts', settings)
  const accepted = await child.next<Accepted>()
  await child.end()
  const ids = Object.keys(accepted.times)
  const seen = await untilArrived(arrivals, ids.length)
  const start = quantiles(ids.map((id) => (seen.times[id] ?? Number.NaN) - (accepted.times[id] ?? 0)))
  console.log(`  p50 ${start.p50.toFixed(1)} ms, p99 ${start.p99.toFixed(1)} ms, ${accepted.refused} rejected`)
  return { ...start, callP50: accepted.p50 }
}
