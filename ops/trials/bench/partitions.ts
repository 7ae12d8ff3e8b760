import { z } from 'zod'
import { firstIdAt, newId } from '#lib/ids.ts'
import { createOrg } from '#sql/account/setup.ts'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import { dropExpired } from '#sql/partitions/drop.ts'
import { type Family, families } from '#sql/partitions/families.ts'
import { list as partitionsOf, split } from '#sql/partitions/list.ts'
import { createAhead } from '#sql/partitions/make.ts'
import { getPeriodStart } from '#sql/partitions/periods.ts'
import { deleteExpired } from '#sql/retention.ts'
import * as events from '#sql/webhooks/events.ts'
import { type Benchmark, median } from './benchmark.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'

const dayMs = 86_400_000
const family = families.find(({ members }) => members[0].name === 'webhooks.events') as Family
const first = sql.fragment`webhooks.events_first`

export const partitions: Benchmark = {
  summary: 'cost of deleting events and deliveries by partition, compared with row by row',
  options: {
    rows: { about: 'events with one delivery each, deleted with each method', default: 1_000_000 },
    pairs: { about: 'pairs of inserts and of lists, into one table and through partitions', default: 200 },
  },
  async run({ rows = 1_000_000, pairs = 200 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const db = await openPool(await createBenchmarkDatabase(folder, ends), 6, 30_000, 600_000)
    ends.defer(() => db.end())
    const orgId = (await createOrg(db, 'bench', 'unlimited', {})).org.id
    const endpoint = newId()
    await db.query(sql.typeAlias('void')`
      insert into webhooks.endpoints (id, org_id, url, events, secret) values (${endpoint}, ${orgId}, 'https://a.example/', '{*}', 'x')`)
    const [old, older] = [new Date(Date.now() - 45 * dayMs), new Date(Date.now() - 75 * dayMs)]
    await divide(db, getPeriodStart('week', new Date(Date.now() - 60 * dayMs)))
    for (const at of [older, old]) await fill(db, { orgId, endpoint, at, rows })
    await db.query(sql.unsafe`vacuum analyze webhooks.events`)
    await db.query(sql.unsafe`vacuum analyze webhooks.deliveries`)
    await db.query(sql.unsafe`checkpoint`).catch(() => {})

    const quiet = await beside(db, orgId, 3_000)
    const byRow = await measured(db, orgId, async () => {
      while (await deleteExpired(db, first, events.table.retentions[0] as never));
    })
    await db.query(sql.unsafe`vacuum webhooks.events_first`)
    await db.query(sql.unsafe`vacuum webhooks.deliveries_first`)
    const bloat = await sizeOf(db, 'first')
    const byPartition = await measured(db, orgId, async () => {
      // The rows of the first partition are gone, so it is dropped too.
      if ((await dropExpired(db, family)).length < 2) throw new Error('The partitions could not be dropped.')
    })
    const cost = await compare(db, orgId, pairs)
    return {
      comparisons: [
        { what: 'seconds', unit: 's', limit: byRow.seconds, product: byPartition.seconds, demand: { atMost: 0.1 } },
        { what: 'WAL', unit: 'MB', limit: byRow.wal, product: byPartition.wal, demand: { atMost: 0.1 } },
        {
          what: 'insert, median of pairs',
          unit: 'ms',
          limit: cost.insert.one,
          product: cost.insert.parts,
          demand: { atMost: 1.3 },
        },
        {
          what: 'list, median of pairs',
          unit: 'ms',
          limit: cost.list.one,
          product: cost.list.parts,
          demand: { atMost: 2 },
        },
      ],
      notes: [
        `${rows} events and as many deliveries per method; ${cost.partitions} partitions when pairs were compared`,
        `tables and indexes after deleting and vacuum: ${bloat.toFixed(0)} MB; after dropping: none`,
        `inserts at the same time, p99: ${at(quiet, 0.99)} ms otherwise, ${at(byRow.inserts, 0.99)} ms while rows are deleted, ${at(byPartition.inserts, 0.99)} ms while partitions are dropped (slowest ${at(byPartition.inserts, 1)} ms)`,
      ],
      rounds: { quiet, byRow, byPartition, cost },
    }
  },
}

async function divide(db: DatabasePool, at: Date): Promise<void> {
  for (const { name } of family.members) {
    const [table, part] = [sql.identifier(split(name)), sql.identifier([split(name)[0], `${split(name)[1]}_first`])]
    await db.query(sql.unsafe`alter table ${table} detach partition ${part}`)
    await db.query(sql.unsafe`
      alter table ${table} attach partition ${part} for values from (minvalue) to (${sql.literalValue(firstIdAt(at))})`)
  }
  for (let now = at.getTime(); now < Date.now(); now += 7 * dayMs) await createAhead(db, family, new Date(now))
  await createAhead(db, family)
}

async function fill(
  db: DatabasePool,
  { orgId, endpoint, at, rows }: { orgId: string; endpoint: string; at: Date; rows: number },
): Promise<void> {
  const begin = firstIdAt(getPeriodStart('week', at)).slice(0, 18)
  for (let from = 0; from < rows; from += 50_000) {
    await db.query(sql.typeAlias('void')`
      with made as (
        insert into webhooks.events (id, org_id, type, data, created_at)
        select (${begin} || '-8' || substr(md5(n::text), 1, 3) || '-' || lpad(to_hex(n), 12, '0'))::uuid, ${orgId}, 'email.delivered',
          json_build_object('id', n, 'email', 'somebody@a.example', 'subject', 'Your order'), ${at.toISOString()}
        from generate_series(${from + 1}::int, ${Math.min(rows, from + 50_000)}::int) as n returning id)
      insert into webhooks.deliveries (id, org_id, event_id, endpoint_id, status)
      select gen_random_uuid(), ${orgId}, id, ${endpoint}, 'delivered' from made`)
  }
}

async function measured(db: DatabasePool, orgId: string, work: () => Promise<void>) {
  const written = () =>
    db.oneFirst(
      sql.type(z.object({ mb: z.number() }))`select (pg_current_wal_insert_lsn() - '0/0')::float8 / 1e6 as mb`,
    )
  const before = await written()
  const begun = performance.now()
  const working = work().then(async () => ({
    seconds: (performance.now() - begun) / 1000,
    wal: (await written()) - before,
  }))
  let over = false
  const done = working.finally(() => {
    over = true
  })
  const inserts = await beside(db, orgId, 600_000, () => over)
  return { ...(await done), inserts }
}

async function beside(db: DatabasePool, orgId: string, ms: number, over = () => false): Promise<number[]> {
  const took: number[] = []
  for (const end = performance.now() + ms; performance.now() < end && !over(); ) {
    const begun = performance.now()
    await insert(db, sql.fragment`webhooks.events`, orgId, new Date(), 1)
    took.push(performance.now() - begun)
  }
  return took
}

const insert = (db: DatabasePool, table: typeof first, orgId: string, at: Date, rows: number) =>
  db.query(sql.typeAlias('void')`
    insert into ${table} (id, org_id, type, data, created_at)
    select (${firstIdAt(at).slice(0, 18)} || substr(gen_random_uuid()::text, 19))::uuid, ${orgId}, 'email.delivered', '{}', now()
    from generate_series(1, ${rows}::int)`)

/** Alternates inserts and lists: in the current partition as a separate table, and through the parent table. */
async function compare(db: DatabasePool, orgId: string, pairs: number) {
  const parts = await partitionsOf(db, 'webhooks.events')
  const current = parts.findLast(({ from }) => from !== null && from.getTime() <= Date.now())
  const one = sql.fragment`${sql.identifier(['webhooks', current?.name as string])}`
  const whole = sql.fragment`webhooks.events`
  const read = (table: typeof first) =>
    db.any(sql.type(z.object({ id: z.string() }))`
      select id from ${table} where org_id = ${orgId} and not sample order by id desc limit 50`)
  const timed = async (work: () => Promise<unknown>) => {
    const begun = performance.now()
    await work()
    return performance.now() - begun
  }
  const figures = {
    insert: { one: [] as number[], parts: [] as number[] },
    list: { one: [] as number[], parts: [] as number[] },
  }
  for (let n = 0; n < pairs; n++) {
    const turns = n % 2 === 0 ? (['one', 'parts'] as const) : (['parts', 'one'] as const)
    for (const turn of turns) {
      const table = turn === 'one' ? one : whole
      figures.insert[turn].push(await timed(() => insert(db, table, orgId, new Date(), 500)))
      figures.list[turn].push(await timed(() => read(table)))
    }
  }
  const both = ({ one, parts }: { one: number[]; parts: number[] }) => ({ one: median(one), parts: median(parts) })
  return { insert: both(figures.insert), list: both(figures.list), partitions: parts.length }
}

const sizeOf = (db: DatabasePool, suffix: string) =>
  db.oneFirst(sql.type(z.object({ mb: z.number() }))`
    select (pg_total_relation_size(to_regclass(${`webhooks.events_${suffix}`})) +
      pg_total_relation_size(to_regclass(${`webhooks.deliveries_${suffix}`})))::float8 / 1e6 as mb`)

const at = (figures: readonly number[], share: number): string =>
  (
    figures.toSorted((a, b) => a - b)[Math.min(figures.length - 1, Math.floor(figures.length * share))] ?? Number.NaN
  ).toFixed(1)
