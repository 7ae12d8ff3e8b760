import { join } from 'node:path'
import { z } from 'zod'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import { ensureDatabase } from '../../embedded/database.ts'
import { startPostgres } from '../../embedded/postgres.ts'
import { migrateAll } from '../../migrate.ts'
import { preferPort } from '../../start/ports.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild, startChild } from './child.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkFolder } from './ground.ts'
import type { SteadyResult } from './request-log/load.ts'
import { putEndlessPlan } from './request-log/plan.ts'

/** Number of sending organisations. Some requests per second are logged for each. */
const organisations = 100

const sides = ['without', 'with'] as const

export const requestLog: Benchmark = {
  summary: 'CPU of the ingress with and without the request log, and missing log entries after Postgres was down',
  options: {
    seconds: { about: 'seconds of each measurement', default: 10 },
    rounds: { about: 'pairs', default: 3 },
    rate: { about: 'requests a second', default: 3_000 },
    away: { about: 'seconds without Postgres', default: 4 },
  },
  async run({ seconds = 10, rounds = 3, rate = 3_000, away = 4 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const settings = {
      dir: join(folder, 'postgres'),
      port: await preferPort('127.0.0.1', undefined),
      password: 'bench',
    }
    const postgres = await startPostgres(settings)
    ends.defer(() => postgres.stop())
    const url = await ensureDatabase(postgres.url, 'millrace', settings.password)
    await migrateAll(url)
    const secrets = await prepare(url)
    const cpu = { without: [] as number[], with: [] as number[] }
    const reached: number[] = []
    const load = (port: number, span: number) =>
      runChild<SteadyResult>('./request-log/load.ts', { port, keys: secrets, perSecond: rate, seconds: span })
    const serve = (side: (typeof sides)[number]) => {
      const logFile = join(folder, `${side}.log`)
      const server = startChild('./request-log/serve.ts', { url, logged: side === 'with' }, logFile)
      ends.defer(() => server.end())
      return server
    }
    for (let round = 0; round < rounds; round++) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const server = serve(side)
        const { port } = await server.next<{ port: number }>()
        await load(port, 2)
        const before = await measureTreeCpu(server.process.pid ?? 0)
        const loaded = await load(port, seconds)
        const spent = cpuSum(subtractCpu(before, await measureTreeCpu(server.process.pid ?? 0)))
        const answered = loaded.accepted + loaded.refused
        cpu[side].push((spent / answered) * 1e6)
        reached.push(loaded.perSecond)
        console.log(`  ${side}: ${Math.round(loaded.perSecond)}/s, ${cpu[side].at(-1)?.toFixed(1)} µs a request`)
        await server.end()
      }
    }
    const before = await written(url)
    const server = serve('with')
    const { port } = await server.next<{ port: number }>()
    const warm = await load(port, 2)
    const loading = load(port, away + 4)
    await postgres.stop()
    await new Promise((resolve) => setTimeout(resolve, away * 1000))
    await postgres.restart()
    const loaded = await loading
    await server.end()
    const after = await written(url)
    const [counted, answered] = [after.counted - before.counted, warm.accepted + loaded.accepted]
    return {
      comparisons: [
        {
          what: `CPU of the ingress per request, ${Math.round(median(reached))} requests/s, with and without the log`,
          unit: 'µs',
          limit: median(cpu.without),
          product: median(cpu.with),
          demand: { atMost: 1.05 },
        },
        {
          what: `counted requests, Postgres down for ${away} s, compared with accepted ones`,
          unit: 'requests',
          limit: answered,
          product: counted,
          demand: { atLeast: 1 },
        },
      ],
      notes: [
        `medians of ${rounds} pairs of ${seconds} s, ${organisations} organisations; the log has ${after.rows - before.rows} rows around the outage`,
        `while Postgres was down ${loaded.refused} of ${loaded.accepted + loaded.refused} were rejected`,
      ],
      rounds: { cpu, reached, away: { warm, loaded, before, after } },
    }
  },
}

const Written = z.object({ rows: z.number(), counted: z.number() })

async function written(url: string): Promise<z.infer<typeof Written>> {
  const db = await openPool(url, 1)
  try {
    return await db.one(sql.type(Written)`
      select (select count(*) from account.requests) as rows,
        (select coalesce(sum(count), 0)::bigint from account.request_minutes) as counted`)
  } finally {
    await db.end()
  }
}

async function prepare(url: string): Promise<string[]> {
  const db: DatabasePool = await openPool(url, 1)
  try {
    await putEndlessPlan(db)
    const secrets: string[] = []
    for (let n = 0; n < organisations; n++) {
      const org = await orgs.insert(db, { name: `bench ${n}`, plan: 'bench' })
      const made = await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'bench', scopes: ['stream:write'] })
      secrets.push(made.secret)
    }
    return secrets
  } finally {
    await db.end()
  }
}
