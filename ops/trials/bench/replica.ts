import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { renderMetrics } from '#lib/telemetry/metrics.ts'
import * as keys from '#sql/account/keys.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { createApp } from '../../../ingress/http/app.ts'
import { listen } from '../../../ingress/http/server.ts'
import { wiki } from '../../../ingress/wiki/index.ts'
import { ensureDatabase } from '../../embedded/database.ts'
import { type Postgres, startPostgres } from '../../embedded/postgres.ts'
import { startStandby } from '../../embedded/standby.ts'
import { migrateAll } from '../../migrate.ts'
import { preferPort } from '../../start/ports.ts'
import { runSql } from '../failover/run-sql.ts'
import { type Benchmark, median } from './benchmark.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkFolder } from './ground.ts'
import { fillWiki, searchTexts } from './wiki/fill.ts'

const host = '127.0.0.1'

const clients = 8

/** Maximum share of the primary's work that may remain when a replica handles the reads. */
const [mostCpu, mostTransactions, leastShare] = [0.6, 0.8, 0.8]

export const replica: Benchmark = {
  summary:
    'CPU and transactions of the primary for a mix of searches, lists, single reads and writes, with and without a replica',
  options: {
    articles: { about: 'published articles of 300 words', default: 5_000 },
    requests: { about: 'requests per slice', default: 600 },
    rounds: { about: 'slices with and without', default: 3 },
  },
  async run({ articles = 5_000, requests = 600, rounds = 3 }, ends) {
    const { primary, standby, url, replicaUrl } = await makePair(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 4)
    ends.defer(() => db.end())
    const key = await fillWiki(db, articles)
    const writing = await writingKey(db)
    const without: Slice[] = []
    const within: Slice[] = []
    const slice = (replicaUrl?: string) => measure({ url, replicaUrl, primary, standby, requests, key, writing })
    await slice(replicaUrl)
    for (let round = 0; round < rounds; round++) {
      without.push(await slice())
      within.push(await slice(replicaUrl))
    }
    const of = (slices: Slice[], what: keyof Slice) => median(slices.map((one) => one[what]))
    return {
      comparisons: [
        {
          what: 'CPU of the primary per request, with and without a replica',
          unit: 'ms',
          limit: of(without, 'cpu'),
          product: of(within, 'cpu'),
          demand: { atMost: mostCpu },
        },
        {
          what: 'transactions of the primary per request, with and without a replica',
          unit: '',
          limit: of(without, 'transactions'),
          product: of(within, 'transactions'),
          demand: { atMost: mostTransactions },
        },
        {
          what: 'share of possible reads that the replica ran',
          unit: '',
          limit: 1,
          product: of(within, 'share'),
          demand: { atLeast: leastShare },
        },
      ],
      notes: [
        `of 20 requests: 8 searches, 7 lists, 4 single reads, 1 write; ${clients} in parallel, ${articles} articles`,
        `the standby took ${of(within, 'standbyCpu').toFixed(2)} ms of CPU per request, including replay`,
      ],
      rounds: { without, within },
    }
  },
}

interface Slice {
  /** CPU time in milliseconds per request. */
  cpu: number
  standbyCpu: number
  transactions: number
  share: number
}

async function makePair(folder: string, ends: AsyncDisposableStack) {
  const password = randomBytes(16).toString('hex')
  const dir = join(folder, 'primary')
  const primary = await startPostgres({ dir, port: await preferPort(host, undefined), password })
  ends.defer(() => primary.stop())
  await migrateAll(await ensureDatabase(primary.url, 'millrace', password))
  const port = await preferPort(host, undefined)
  const standby = await startStandby(primary, dir, { dir: join(folder, 'standby'), port })
  ends.defer(() => standby.stop())
  const url = await ensureDatabase(primary.url, 'millrace', password)
  const replicaUrl = Object.assign(new URL(url), { port: String(port) }).href
  return { primary, standby, url, replicaUrl }
}

async function writingKey(db: DatabasePool): Promise<string> {
  const [reading] = await keys.listAny(db, { revoked: false })
  if (!reading) throw new Error('No organisation exists.')
  const wanted = { orgId: reading.org_id, prefix: 'bt_live_' as const, name: 'writes', scopes: ['wiki:write'] }
  return (await keys.create(db, wanted)).secret
}

interface Ground {
  url: string
  replicaUrl: string | undefined
  primary: Postgres
  standby: Postgres
  requests: number
  key: string
  writing: string
}

async function measure({ url, replicaUrl, primary, standby, requests, key, writing }: Ground): Promise<Slice> {
  const before = await look(primary, standby, url)
  const db = await openPool(url, 10)
  const replica = replicaUrl === undefined ? undefined : { url: replicaUrl, connections: 10, lagMs: 250 }
  const app = createApp({ db, areas: [wiki], requestLog: false, replica, databaseTimeoutMs: 10_000 })
  const server = await listen(app, host, 0)
  const base = `http://${host}:${server.port}/v1/wiki`
  let next = 0
  const client = async () => {
    while (next < requests) await send(base, next++, key, writing)
  }
  await Promise.all(Array.from({ length: clients }, client))
  await server.close(1_000)
  await app.close()
  await db.end()
  const after = await look(primary, standby, url)
  const each = (sum: number) => sum / requests
  const byReplica = after.reads.replica - before.reads.replica
  const byPrimary = after.reads.primary - before.reads.primary
  return {
    cpu: each(cpuSum(subtractCpu(before.cpu, after.cpu)) * 1000),
    standbyCpu: each(cpuSum(subtractCpu(before.standbyCpu, after.standbyCpu)) * 1000),
    transactions: each(after.transactions - before.transactions),
    share: byReplica / Math.max(1, byReplica + byPrimary),
  }
}

async function look(primary: Postgres, standby: Postgres, url: string) {
  const text = await renderMetrics('prometheus')
  const count = (by: string) => Number(new RegExp(`replica_reads_total\\{by="${by}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
  return {
    cpu: await measureTreeCpu(primary.pid),
    standbyCpu: await measureTreeCpu(standby.pid),
    transactions: Number(
      await runSql(url, 'select xact_commit + xact_rollback from pg_stat_database where datname = current_database()'),
    ),
    reads: { replica: count('replica'), primary: count('primary') },
  }
}

const kinds = Object.values(searchTexts)
const lists = [
  '/articles',
  '/articles?tag=w1',
  '/claims',
  '/entities',
  '/sources',
  '/articles?limit=100',
  '/entities?limit=100',
]

async function send(base: string, n: number, key: string, writing: string): Promise<void> {
  const turn = n % 20
  const headers = { authorization: `Bearer ${turn === 19 ? writing : key}`, 'content-type': 'application/json' }
  const search = kinds[turn % kinds.length] as (n: number) => string
  const path =
    turn < 8
      ? `/articles?q=${encodeURIComponent(search(n))}`
      : turn < 15
        ? (lists[turn - 8] as string)
        : turn < 19
          ? `/articles/article-${n}`
          : '/entities'
  const body = JSON.stringify({ type: 'city', labels: { en: `City ${n}` } })
  const reply = await fetch(base + path, { headers, ...(turn === 19 && { method: 'POST', body }) })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${path} returned ${reply.status}: ${text}`)
}
