import t from 'tap'
import { sql } from '#sql/db.ts'
import { describeJob } from '#tasks/jobs/rules/describe.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { hasty, installEffects } from '../jobs/work.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { commandLine } from '../support/millrace.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const { url, db } = await testDatabase(t)
await installEffects(db)
await startWorker(t, url)
const { run: millrace, ask: asked } = commandLine(url)
const inState = (name: string, state: string) =>
  until(async () => (await describeJob(db, name)).state === state, { what: `${name} is ${state}` })

t.test('what is stored of an error is shown without the secrets in it', async (t) => {
  const id = await enqueue(db, hasty, { name: 'told', how: 'throw', times: 1 })
  await inState(id, 'failed')
  const said = 'no luck with postgres://ann:hunter2hunter2@db/x'
  await db.query(sql.unsafe`update jobs.runs set error = ${said} where id = ${id}`)
  await db.query(sql.unsafe`update jobs.attempts set error = ${said} where run_id = ${id}`)
  await db.query(sql.unsafe`update jobs_core._private_jobs set last_error = ${said} where payload ->> 'run' = ${id}`)
  await until(async () => (await asked('errors')).length > 0)
  await db.query(sql.unsafe`update jobs.failures set error = ${said}, fingerprint = ${said} where run_id = ${id}`)
  for (const line of ['jobs', `jobs show ${id}`, 'errors'].flatMap((command) => [command, `${command} --json`])) {
    const { out } = await millrace(line)
    t.match(out, /no luck with postgres/, line)
    t.notMatch(out, 'hunter2', line)
  }
})
