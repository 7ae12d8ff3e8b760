import pg from 'pg'
import { test } from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { testDatabase } from './support/database.ts'
import { ownCluster } from './support/postgres.ts'

const One = z.object({ one: z.number() })

test('each test has a migrated database of its own', async (t) => {
  const [a, b] = await Promise.all([testDatabase(t), testDatabase(t)])
  t.not(a.url, b.url)
  await a.db.query(sql.type(One)`create table only_here as select 1 as one`)
  await t.rejects(b.db.any(sql.type(One)`select one from only_here`))
  const queues = await b.db.many(sql.type(z.object({ name: z.string() }))`
    select nspname as name from pg_namespace where nspname like 'jobs\\_%' order by 1`)
  const names = queues.map(({ name }) => name)
  t.ok(['jobs_core', 'jobs_media'].every((name) => names.includes(name)))
})

test('a Postgres of its own comes back after each kind of restart', async (t) => {
  const postgres = await ownCluster(t)
  for (const mode of ['fast', 'immediate', 'smart'] as const) {
    const before = postgres.pid
    await postgres.restart(mode)
    t.not(postgres.pid, before)
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    t.match(await client.query('select 1 as one'), { rows: [{ one: 1 }] })
    await client.end()
  }
})
