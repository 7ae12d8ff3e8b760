import { z } from 'zod'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import type { Benchmark } from './benchmark.ts'
import { createJobs } from './churn/jobs.ts'
import { createMailDeliveries } from './churn/mail.ts'
import { createRequestLog } from './churn/requests.ts'
import type { Subject } from './churn/subject.ts'
import { createWebhookDeliveries } from './churn/webhooks.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'

const parts = 10
const probes = 300
/** Times in milliseconds below which the factor does not matter. */
const negligibleMs = 2

interface Figures {
  rows: number
  seconds: number
  /** Size of the table with its indexes in MiB, and bytes per row so far. */
  mib: number
  bytesPerRow: number
  p99: number
}

export const churn: Benchmark = {
  summary: 'size and p99 of claims and lists while rows come and go, with the autovacuum of the product',
  options: {
    rows: { about: 'rows inserted and ended in each table', default: 10_000_000 },
    naptime: { about: 'seconds between two rounds of autovacuum; use fewer with fewer rows', default: 60 },
  },
  async run({ rows = 10_000_000, naptime = 60 }, ends) {
    const settings = { autovacuum_naptime: `${naptime}s` }
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends, settings)
    const db = await openPool(url, 8, 30_000, 600_000)
    ends.defer(() => db.end())
    const measured = new Map<Subject, Figures[]>()
    for (const create of [createJobs, createMailDeliveries, createWebhookDeliveries, createRequestLog]) {
      const subject = await create(db, url, ends)
      measured.set(subject, await measureParts(db, subject, rows))
    }
    return {
      comparisons: [...measured].flatMap(([subject, figures]) => compare(subject, figures)),
      notes: [
        `${rows.toLocaleString('en')} rows in each table, measured after each tenth`,
        'rows of webhooks.deliveries and account.requests stay until their partition is dropped, so their size per row counts',
        ...[...measured].map(([{ what }, figures]) => {
          const seconds = figures.reduce((sum, one) => sum + one.seconds, 0)
          return `${what}: ${Math.round(rows / seconds).toLocaleString('en')} rows/s; MiB after each tenth: ${figures.map(({ mib }) => mib.toFixed(0)).join(', ')}`
        }),
      ],
      rounds: Object.fromEntries([...measured].map(([{ what }, figures]) => [what, figures])),
    }
  },
}

async function measureParts(db: DatabasePool, subject: Subject, rows: number): Promise<Figures[]> {
  const found: Figures[] = []
  for (let part = 1; part <= parts; part++) {
    const begun = performance.now()
    await subject.churn(Math.round(rows / parts))
    const seconds = (performance.now() - begun) / 1_000
    const bytes = await sizeOf(db, subject.table)
    await subject.prepare?.()
    const done = Math.round((rows * part) / parts)
    const figures = { rows: done, seconds, mib: bytes / 2 ** 20, bytesPerRow: bytes / done, p99: await p99Of(subject) }
    found.push(figures)
    console.log(
      `  ${subject.what}: ${done.toLocaleString('en')} rows, ${seconds.toFixed(1)} s, ${figures.mib.toFixed(1)} MiB, p99 ${figures.p99.toFixed(2)} ms`,
    )
  }
  return found
}

async function p99Of({ probe }: Subject): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < probes; i++) {
    const begun = performance.now()
    await probe()
    times.push(performance.now() - begun)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(probes * 0.99)] ?? Number.NaN
}

const sizeOf = (db: DatabasePool, table: string) =>
  db.oneFirst(sql.type(z.object({ bytes: z.number() }))`
    select coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size(${table}::regclass))::float8 as bytes
    from pg_partition_tree(${table}::regclass)`)

function compare({ what, stays }: Subject, figures: readonly Figures[]) {
  const of = (figure: keyof Figures) =>
    [figures[0]?.[figure] ?? Number.NaN, figures.at(-1)?.[figure] ?? Number.NaN] as const
  const [first, last] = stays ? of('bytesPerRow') : of('mib')
  const [before, after] = of('p99')
  return [
    {
      what: `size of ${what}${stays ? ' per row' : ''} after all rows, compared with a tenth`,
      ...{ unit: stays ? 'bytes' : 'MiB', limit: first, product: last, demand: { atMost: 1.3 } },
    },
    {
      what: `p99 of ${what} after all rows, compared with a tenth`,
      ...{ unit: 'ms', limit: Math.max(before, negligibleMs / 1.5), product: after, demand: { atMost: 1.5 } },
    },
  ]
}
