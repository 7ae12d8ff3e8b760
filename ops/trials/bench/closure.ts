import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import * as closures from '#sql/account/closures.ts'
import { createOrg } from '#sql/account/setup.ts'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import { closeOrganisation } from '#tasks/account/rules/close-organisation.ts'
import { requestClosure } from '#tasks/account/rules/closure.ts'
import { email } from '../../../ingress/email/index.ts'
import { createApp } from '../../../ingress/http/app.ts'
import { provide } from '../../../ingress/http/container.ts'
import { listen } from '../../../ingress/http/server.ts'
import { signingSecret } from '../../../ingress/http/services.ts'
import { type Benchmark, median } from './benchmark.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'

/** Maximum factor by which a deletion may slow down the slowest requests of other organisations. */
const most = 1.5

export const closure: Benchmark = {
  summary: 'latency of other requests while an organisation with many rows is deleted',
  options: {
    rows: { about: 'rows of the organisation', default: 1_000_000 },
    rate: { about: 'requests per second of other organisations', default: 50 },
    seconds: { about: 'seconds of each measured slice', default: 5 },
  },
  async run({ rows = 1_000_000, rate = 50, seconds = 5 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const db = await openPool(url, 10)
    ends.defer(() => db.end())
    const wanted = { main: { prefix: 'snd_live_' as const, scopes: ['email:send'] } }
    const gone = await createOrg(db, 'gone', 'unlimited', wanted)
    const other = await createOrg(db, 'other', 'unlimited', wanted)
    await fill(db, gone.org.id, rows)
    await fill(db, other.org.id, Math.ceil(rows / 10))
    await db.query(sql.typeAlias('void')`
      insert into email.domains (id, org_id, domain, return_path, status, verified_by, verified_at)
      values (${newId()}, ${other.org.id}, 'a.example', 'bounce.a.example', 'verified', 'operator', now())`)
    await db.query(sql.unsafe`analyze`)
    const app = createApp({ db: await openPool(url, 10), areas: [email], services: [provide(signingSecret, newId())] })
    const server = await listen(app, '127.0.0.1', 0)
    ends.defer(async () => {
      await server.close(0)
      await app.close()
    })
    const ask = () => send(`http://127.0.0.1:${server.port}`, other.keys.main)
    await slice(ask, rate, 2)

    const without: number[] = []
    const within: number[] = []
    without.push(...(await slice(ask, rate, seconds)))
    await db.transaction((tx) =>
      requestClosure(tx, { orgId: gone.org.id, actor: { kind: 'operator', id: null, name: 'bench' } }),
    )
    await db.query(sql.typeAlias('void')`update account.closures set due_at = now()`)
    const [work] = await closures.begin(db)
    const begun = performance.now()
    const stop = new AbortController()
    let over = false
    const deleting = closeOrganisation(work as closures.ClosureProgress, {
      db,
      storage: nothing,
      signal: stop.signal,
    }).finally(() => {
      over = true
    })
    while (!over) within.push(...(await slice(ask, rate, seconds, () => over)))
    await deleting
    const took = (performance.now() - begun) / 1000
    without.push(...(await slice(ask, rate, seconds)))
    const receipt = (await closures.find(db, gone.org.id))?.receipt
    const deleted = Object.values(receipt?.rows ?? {}).reduce((sum, count) => sum + count, 0)
    const left = await db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select (select count(*) from email.messages where org_id = ${gone.org.id})
        + (select count(*) from email.contacts where org_id = ${gone.org.id}) as count`)
    if (left > 0) throw new Error(`${left} rows remain.`)
    return {
      comparisons: [
        {
          what: 'p99 of requests of other organisations',
          unit: 'ms',
          limit: at(without, 0.99),
          product: at(within, 0.99),
          demand: { atMost: most },
        },
        {
          what: 'their median',
          unit: 'ms',
          limit: median(without),
          product: median(within),
          demand: { atMost: most },
        },
      ],
      notes: [
        `${deleted} rows deleted in ${took.toFixed(1)} s, ${Math.round(deleted / took)} per second; none left`,
        `${without.length} requests without and ${within.length} during the deletion, ${rate} per second; slowest ${Math.max(...without).toFixed(0)} and ${Math.max(...within).toFixed(0)} ms`,
      ],
      rounds: { without, within },
    }
  },
}

const nothing = { clear: async () => ({ objects: 0, bytes: 0 }) } as unknown as Storage

/** A third of the rows are messages with one attempt each, the others are contacts. */
async function fill(db: DatabasePool, orgId: string, rows: number): Promise<void> {
  const third = Math.ceil(rows / 3)
  const step = 50_000
  for (let from = 0; from < third; from += step) {
    const count = Math.min(step, third - from)
    await db.query(sql.typeAlias('void')`
      with made as (
        insert into email.messages (id, org_id, sandbox, stream, domain_id, from_email, to_email, subject, content_id, message_id, status, created_at)
        select gen_random_uuid(), ${orgId}, false, 'transactional', ${newId()}::uuid, 'a@a.example', 'r' || n || '@b.example', 'Hello',
          gen_random_uuid(), gen_random_uuid()::text, 'delivered', now() from generate_series(1, ${count}) as n returning id, org_id)
      insert into email.attempts (id, org_id, message_id, number, outcome, pool, replies, started_at, ended_at)
      select gen_random_uuid(), org_id, id, 1, 'delivered', 'transactional', '[]', now(), now() from made`)
    await db.query(sql.typeAlias('void')`
      insert into email.contacts (id, org_id, email, status)
      select gen_random_uuid(), ${orgId}, 'c' || n || '@b.example', 'confirmed'
      from generate_series(${from + 1}::int, ${from + count}::int) as n`)
  }
}

async function send(base: string, key: string): Promise<number> {
  const begun = performance.now()
  const response = await fetch(`${base}/send/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      stream: 'transactional',
      from: { email: 'a@a.example' },
      to: `${newId()}@b.example`,
      subject: 'Hello',
      text: 'Hello.',
    }),
  })
  await response.text()
  if (!response.ok) throw new Error(`The request returned ${response.status}.`)
  return performance.now() - begun
}

async function slice(ask: () => Promise<number>, rate: number, seconds: number, over = () => false): Promise<number[]> {
  const asked: Promise<number>[] = []
  const begun = performance.now()
  for (let i = 0; i < rate * seconds && !over(); i++) {
    asked.push(ask())
    await pause(Math.max(0, begun + ((i + 1) * 1000) / rate - performance.now()))
  }
  return await Promise.all(asked)
}

const at = (figures: readonly number[], share: number): number =>
  figures.toSorted((a, b) => a - b)[Math.min(figures.length - 1, Math.floor(figures.length * share))] ?? Number.NaN
