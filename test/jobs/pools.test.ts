import { Client } from 'pg'
import t from 'tap'
import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'
import { testDatabase } from '../support/database.ts'

const backlog = 100_000

const addBacklog = (db: Db, queue: string, task: string) =>
  db.query(sql.unsafe`
    select count(*) from ${sql.identifier([queue, 'add_jobs'])}(
      (select array_agg(row(${task}, '{}', null, null, 5, null, null, null)::${sql.identifier([queue, 'job_spec'])})
        from generate_series(1, ${backlog})))`)

/** Returns the pages that the library’s claim statement touches in a queue for one task. */
async function pagesOfAClaim(db: Db, queue: string, task: string): Promise<number> {
  const jobs = sql.identifier([queue, '_private_jobs'])
  const plan = await db.oneFirst(sql.type(
    z.object({ 'QUERY PLAN': z.array(z.looseObject({ Plan: z.looseObject({}) })) }),
  )`
    explain (analyze, buffers, format json)
    select id from ${jobs} where is_available and run_at <= now()
      and task_id = any(array(select id from ${sql.identifier([queue, '_private_tasks'])} where identifier = ${task}))
    order by priority, run_at limit 1 for update skip locked`)
  const { Plan } = plan[0] as { Plan: Record<string, number> }
  return (Plan['Shared Hit Blocks'] ?? 0) + (Plan['Shared Read Blocks'] ?? 0)
}

t.test(`another pool’s backlog of ${backlog} costs this one nothing; in one schema it would`, async (t) => {
  const { db } = await testDatabase(t)
  await db.query(sql.unsafe`select jobs_core.add_job('test/mine')`)
  const alone = await pagesOfAClaim(db, 'jobs_core', 'test/mine')
  await addBacklog(db, 'jobs_media', 'test/theirs')
  t.ok((await pagesOfAClaim(db, 'jobs_core', 'test/mine')) <= alone)

  await db.query(sql.unsafe`select jobs_media.add_job('test/mine')`)
  await db.query(sql.unsafe`analyze jobs_media._private_jobs`)
  t.ok((await pagesOfAClaim(db, 'jobs_media', 'test/mine')) > 20 * alone, 'shared, the claim reads through the backlog')
})

t.test('a job of one pool wakes the workers of no other', async (t) => {
  const { db, url } = await testDatabase(t)
  const heard: string[] = []
  const client = new Client({ connectionString: url })
  await client.connect()
  client.on('notification', ({ channel }) => heard.push(channel))
  await client.query('listen "jobs:insert"; listen "jobs:insert:jobs_core"; listen "jobs:insert:jobs_media"')
  await db.query(sql.unsafe`select jobs_core.add_job('test/mine')`)
  await db.query(sql.unsafe`select count(*) from jobs_media.add_jobs(array[
    row('test/theirs', '{}', null, null, 5, null, null, null)::jobs_media.job_spec])`)
  // Notifications arrive before the response to a later statement.
  await client.query('select')
  await client.end()
  t.same(heard, ['jobs:insert:jobs_core', 'jobs:insert:jobs_media'])
})
