import t from 'tap'
import { z } from 'zod'
import type { Problem } from '#lib/errors.ts'
import { sql } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import { listen } from '#sql/listen.ts'
import { answersChannel, ask } from '#tasks/queue/ask.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, openGate, precious } from './work.ts'

const { url, db } = await testDatabase(t)
await installEffects(db)
const listener = listen(url, [answersChannel])
t.teardown(() => listener.close())
await startWorker(t, url)

const question = (name: string, more: object = {}, timeout = 10_000) =>
  ask(db, listener, precious, { name, ...more }, { timeout })

t.test('a question has its answer', async (t) => {
  t.same(await question('plain'), { echo: 'plain' })
})

t.test('many questions at once each have their own', async (t) => {
  const names = Array.from({ length: 20 }, (_, i) => `one of many ${i}`)
  t.same(
    await Promise.all(names.map((name) => question(name))),
    names.map((echo) => ({ echo })),
  )
})

t.test('what a task throws for good is 502, and says nothing of the inside', async (t) => {
  const problem = await question('broken', { how: 'permanent' }).catch((error: Problem) => error)
  t.match(problem, { status: 502, code: 'upstream_error' })
  t.notMatch((problem as Problem).message, /never/)
})

t.test('no answer in time is 504, and the work is cancelled', async (t) => {
  const problem = await question('slow', { gate: 'never' }, 300).catch((error: Problem) => error)
  t.match(problem, { status: 504 })
  const id = await db.oneFirst(sql.type(z.object({ id: z.guid() }))`
    select id from jobs.runs where asked order by created_at desc limit 1`)
  const phases = async () => (await effects(db, 'slow')).map(({ phase }) => phase)
  await until(async () => (await phases()).includes('given up'))
  t.notOk((await phases()).includes('end'))
  await until(async () => (await runs.find(db, id))?.state === 'cancelled')
})

t.test('an answer is heard although the listening connection was cut', async (t) => {
  const answer = question('cut', { gate: 'cut' })
  await until(async () => (await effects(db, 'cut')).length === 1)
  await db.query(sql.type(z.object({ cut: z.boolean() }))`
    select pg_terminate_backend(pid) as cut from pg_stat_activity where datname = current_database() and query like '%listen "jobs_answers"%' and pid <> pg_backend_pid()`)
  await openGate(db, 'cut')
  t.same(await answer, { echo: 'cut' })
})
