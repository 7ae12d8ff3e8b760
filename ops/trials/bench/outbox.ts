import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openPool } from '#sql/db.ts'
import type { Benchmark } from './benchmark.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { makeSender } from './mail/backlog.ts'
import { burst, enqueueMany, measureNotify, steady } from './outbox/load.ts'
import { installOutbox, startRelayProcess } from './outbox/relay-process.ts'
import { startIngress } from './product.ts'

export const outbox: Benchmark = {
  summary: 'rows of an outbox in the database of an application, accepted by POST /messages; and the price of NOTIFY',
  options: {
    rows: { about: 'rows of the burst', default: 20_000 },
    rate: { about: 'rows per second of the steady load', default: 200 },
    seconds: { about: 'duration of the steady load', default: 20 },
  },
  async run({ rows = 20_000, rate = 200, seconds = 20 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const db = await openPool(url, 4)
    ends.defer(() => db.end())
    const secret = 'a secret of the benchmark, of 32 characters'
    const { key } = await makeSender(db, secret)
    const base = await startIngress(ends, { DATABASE_URL: url, SIGNING_SECRET: secret })
    const app = await createApplication(url, ends)

    await burst(base, key, 500)
    const direct = await burst(base, key, rows / 4)
    await enqueueMany(app.pool, rows)
    startRelayProcess(ends, { database: app.url, base, key })
    const begun = performance.now()
    const left = async () => Number((await app.pool.query('select waiting from millrace.lag')).rows[0].waiting)
    while ((await left()) > 0) await pause(100)
    const relayed = (rows * 1_000) / (performance.now() - begun)
    const { p50, p99 } = await steady(app.pool, rate, seconds)
    const notify = await measureNotify(app.url, app.pool)
    return {
      comparisons: [
        { what: 'rows relayed; goal: 2,000', unit: 'rows/s', limit: 2_000, product: relayed, demand: { atLeast: 1 } },
        {
          what: 'rows relayed; limit: 32 connections that call the API directly',
          ...{ unit: 'rows/s', limit: direct, product: relayed, demand: { atLeast: 0.5 } },
        },
        {
          what: `enqueue to acceptance at ${rate}/s, p99; goal: 50 ms`,
          ...{ unit: 'ms', limit: 50, product: p99, demand: { atMost: 1 } },
        },
        {
          what: 'commits per second of the application; limit: without NOTIFY',
          ...{ unit: 'commits/s', limit: notify.without, product: notify.product, demand: { atLeast: 0.8 } },
        },
      ],
      notes: [
        `steady load: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ingress, relay and both databases share the machine`,
        `commits of 32 connections with one row each: ${notify.without.toFixed(0)}/s without NOTIFY, ${notify.product.toFixed(0)}/s while a relay polls, ${notify.always.toFixed(0)}/s if each notifies`,
      ],
      rounds: { relayed: [relayed], direct: [direct] },
    }
  },
}

/** Creates the database of an application in the same Postgres. */
async function createApplication(
  millrace: string,
  ends: AsyncDisposableStack,
): Promise<{ url: string; pool: pg.Pool }> {
  const admin = new pg.Client({ connectionString: millrace })
  await admin.connect()
  const name = 'bench_application'
  const owns = await admin.query('select rolcreatedb or rolsuper as can from pg_roles where rolname = current_user')
  const url = Object.assign(new URL(millrace), {
    pathname: owns.rows[0].can ? `/${name}` : new URL(millrace).pathname,
  }).href
  if (owns.rows[0].can) await admin.query(`create database ${name}`)
  await admin.end()
  const pool = new pg.Pool({ connectionString: url, max: 40 })
  ends.defer(() => pool.end())
  await installOutbox(url)
  return { url, pool }
}
