import t from 'tap'
import { listMigrations } from '#sql/account/move/checks.ts'
import { sql } from '#sql/db.ts'
import { testDatabase } from '../support/database.ts'

t.test('a cell that was upgraded has the same migrations as a new cell', async (t) => {
  const { db } = await testDatabase(t)
  const fresh = await listMigrations(db)
  t.ok(fresh.length > 0)
  for (const name of ['0001_jobs_queues', '0094_email_contacts_written'])
    await db.query(sql.unsafe`
      insert into public.migrations (name, run_on) values (${name}, now() - interval '1 year')`)
  t.same(await listMigrations(db), fresh)
})
