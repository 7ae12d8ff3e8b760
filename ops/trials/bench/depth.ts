import pg from 'pg'
import { createOrg } from '#sql/account/setup.ts'
import { openPool } from '#sql/db.ts'
import { areas } from '../../../ingress/areas.ts'
import { createApp } from '../../../ingress/http/app.ts'
import { listen } from '../../../ingress/http/server.ts'
import type { Benchmark } from './benchmark.ts'
import { addJobs, listClaims } from './depth/claims.ts'
import { createTestTables } from './depth/grow.ts'
import { recordStatements } from './depth/record.ts'
import { buildListRequests, findListOperations, type ListRequest } from './depth/requests.ts'
import { fewRows, setFirstRowAge } from './depth/rows.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'

/**
 * Maximum factor for responses with ten times as many rows, and duration in milliseconds below which the factor does
 * not matter.
 */
const most = 2
const negligibleMs = 5

/** The p99 of each measurement in milliseconds. */
type Measured = Map<string, number>

export const depth: Benchmark = {
  summary: 'p99 of every list, search and claim with many rows in its tables, compared with a tenth of the rows',
  options: {
    rows: { about: 'rows of each table that a list reads, and waiting jobs', default: 10_000_000 },
    fewer: { about: 'smaller number of rows to compare with', default: 1_000_000 },
    requests: { about: 'requests of each kind', default: 50 },
  },
  async run({ rows = 10_000_000, fewer = 1_000_000, requests = 50 }, ends) {
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 4, 30_000, 600_000)
    ends.defer(() => db.end())
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    ends.defer(() => client.end())
    const lists = findListOperations(areas).flatMap(buildListRequests)
    const scopes = [...new Set(lists.flatMap(({ operation }) => operation.route.scope ?? []))]
    const { org, keys } = await createOrg(db, 'bench', 'unlimited', { main: { prefix: 'bt_live_', scopes } })
    const app = createApp({ db, areas })
    const server = await listen(app, '127.0.0.1', 0)
    ends.defer(async () => {
      await server.close(0)
      await app.close()
    })
    const ask = async ({ path }: ListRequest) => {
      const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        headers: { authorization: `Bearer ${keys.main}` },
      })
      await reply.arrayBuffer()
      return reply.status
    }
    setFirstRowAge(rows + 1_000)
    const ground = await createTestTables(client, org.id)
    const read = await recordStatements(async () => {
      for (const request of lists) await ask(request)
    })
    const claims = await listClaims(db, client, url)
    const waiting = new Set(['email.deliveries', 'email.messages', 'push.deliveries', 'webhooks.deliveries'])
    const grown = new Set([...(await ground.readBy(read)), ...ground.tables.filter(({ name }) => waiting.has(name))])
    const measure = async (): Promise<Measured> => {
      const measured: Measured = new Map()
      for (const request of lists) {
        if ((await ask(request)) === 200)
          measured.set(`${request.operation.id} ${request.what}`.trim(), await p99(requests, () => ask(request)))
      }
      for (const { what, run } of claims) measured.set(`claim of ${what}`, await p99(requests, run))
      return measured
    }
    const growTo = async (from: number, to: number) => {
      const begun = performance.now()
      await ground.grow([...grown], from, to)
      await addJobs(client, to - from + 1)
      console.log(`  ${to} rows in ${grown.size} tables after ${Math.round((performance.now() - begun) / 1000)} s`)
      return await measure()
    }
    const before = await growTo(fewRows + 1, fewer)
    const after = await growTo(fewer + 1, rows)
    return {
      comparisons: [...after].map(([what, product]) => ({
        what: `p99 of ${what}`,
        unit: 'ms',
        limit: Math.max(before.get(what) ?? Number.NaN, negligibleMs / most),
        product,
        demand: { atMost: most },
      })),
      notes: [
        `${rows} rows in each of ${grown.size} tables, and as many waiting jobs, compared with ${fewer}; requests run one after another`,
        `times below ${negligibleMs} ms with more rows count as equal`,
      ],
      rounds: { before: Object.fromEntries(before), after: Object.fromEntries(after) },
    }
  },
}

/** Returns the minimum over several rounds, because other load can only add time. */
async function p99(times: number, work: () => Promise<unknown>): Promise<number> {
  await work()
  const rounds: number[] = []
  for (let round = 0; round < 3; round++) {
    const figures: number[] = []
    for (let i = 0; i < times; i++) {
      const begun = performance.now()
      await work()
      figures.push(performance.now() - begun)
    }
    rounds.push(figures.sort((a, b) => a - b)[Math.ceil(times * 0.99) - 1] ?? Number.NaN)
  }
  return Math.min(...rounds)
}
