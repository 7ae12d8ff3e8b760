import t from 'tap'
import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import { migrate } from '#sql/migrate.ts'
import { testDatabase } from '../support/database.ts'

const Name = z.object({ name: z.string() })

const names = (db: DatabasePool) => db.anyFirst(sql.type(Name)`select name from public.migrations order by run_on, id`)

/** Makes a database look like one that has run only some migrations of earlier releases. */
async function pretend(db: DatabasePool, ran: string[]): Promise<void> {
  await db.query(sql.unsafe`delete from public.migrations`)
  for (const name of ran)
    await db.query(sql.unsafe`insert into public.migrations (name, run_on) values (${name}, now())`)
}

const before = ['0001_jobs_queues', '0093_voice_calls_lock', '0094_email_contacts_written']

t.test('a database of the release before is marked, and keeps what it ran', async (t) => {
  const { url, db } = await testDatabase(t)
  const fresh = await names(db)
  t.notOk(
    fresh.some((name) => before.includes(name)),
    'no name stands for two things',
  )
  await pretend(db, before)
  const later = await migrate(url)
  t.same(later, fresh.slice(fresh.indexOf('0094_account_fences') + 1))
  t.same(await names(db), [...before, ...fresh])
  t.same(await migrate(url), [], 'the second time changes nothing')
})

t.test('an older database is rejected with what to do, and left as it is', async (t) => {
  const { url, db } = await testDatabase(t)
  await pretend(db, before.slice(0, 2))
  await t.rejects(migrate(url), {
    message:
      /its last migration is 0093_voice_calls_lock. First run the migrations of the release that ends with 0094_email_contacts_written/,
  })
  t.same(await names(db), before.slice(0, 2))
})

t.test('a baseline out of its order is rejected', async (t) => {
  const { url, db } = await testDatabase(t)
  await db.query(sql.unsafe`delete from public.migrations where name = '0061_account_orgs'`)
  await t.rejects(migrate(url), { message: /has run migration 0062_account_people instead of 0061_account_orgs/ })
})
