import t from 'tap'
import { z } from 'zod'
import { type Db, sql } from '../../sql/db.ts'
import * as queue from '../../sql/jobs/queue.ts'
import { poolNames, poolSchema } from '../../tasks/pools.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const jobs = (count: number) => Array.from({ length: count }, () => ({ task: 'test/none', payload: {}, attempts: 1 }))

const reads = (db: Db, schema: string) =>
  db.one(sql.type(z.object({ whole: z.number(), added: z.number() }))`
    select seq_scan as whole, n_tup_ins as added from pg_stat_user_tables
    where schemaname = ${schema} and relname = '_private_jobs'`)

t.test('a session that met an empty queue never reads the whole of it to add jobs', async (t) => {
  const { db } = await testDatabase(t)
  for (const schema of poolNames.map(poolSchema)) {
    const before = await reads(db, schema)
    await db.connect(async (session) => {
      // From the sixth call on, the session caches its plans.
      for (let i = 0; i < 12; i++) await queue.addMany(session, schema, jobs(10))
      await session.query(sql.type(z.unknown())`select pg_stat_force_next_flush()`)
    })
    await until(async () => (await reads(db, schema)).added === before.added + 120, { what: 'the count' })
    t.equal((await reads(db, schema)).whole, before.whole, schema)
  }
})
