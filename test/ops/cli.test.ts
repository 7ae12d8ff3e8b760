import t from 'tap'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import { sql } from '#sql/db.ts'
import { describeJob } from '#tasks/jobs/rules/describe.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { effects, hasty, installEffects, plain, precious } from '../jobs/work.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { commandLine } from '../support/millrace.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const { url, db } = await testDatabase(t)
await installEffects(db)
await startWorker(t, url)
const org = await orgs.insert(db, { name: 'acme', plan: 'free' })
const { run: millrace, ask: asked } = commandLine(url)

const later = () => new Date(Date.now() + 3_600_000)
const phases = async (name: string) => (await effects(db, name)).map(({ phase }) => phase)
const inState = (name: string, state: string) =>
  until(async () => (await describeJob(db, name)).state === state, { what: `${name} is ${state}` })

t.test('queue and jobs show how things stand, as tables and as JSON', async (t) => {
  const waits = await enqueue(db, plain, { name: 'waits' }, { at: later(), orgId: org.id, requestId: 'req-of-waits' })
  const id = await enqueue(db, hasty, { name: 'fails', how: 'throw', times: 1 })
  await inState(id, 'failed')
  t.match((await millrace(`jobs show core:${waits}`)).out, `organisation  acme (${org.id})`)
  await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'theirs', scopes: [] })
  t.match(await millrace('constructor'), { code: 2, err: /unknown command/ })
  t.match((await millrace('keys')).out, / theirs .* acme /)
  t.match(await asked('keys --org acme'), [{ org_id: org.id, org_name: 'acme' }])
  const steering = 'st\u001b]0;x\u0007ee\u009b2Jr\u202eing\u001b[31m'
  await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: steering, scopes: [] })
  for (const line of ['keys', 'keys --json']) t.notMatch((await millrace(line)).out, /[^\P{Cc}\n]|\u202e/u)
  t.ok(
    (await asked('keys --org acme')).some(({ name }: { name: string }) => name === steering),
    'JSON keeps what it was',
  )
  const [core] = await asked('queue')
  t.match(core, { pool: 'core', scheduled: 1, failed: 1, paused: false })
  t.match((await millrace('queue')).out, /test\/hasty +- +- +- +- +- +1 /)
  t.match(await asked('jobs --org acme'), { jobs: [{ name: `core:${waits}`, state: 'scheduled', org_id: org.id }] })
  t.match(await asked('jobs --state failed --newer-than 1h --pool core'), { jobs: [{ run_id: id }] })
  t.match(await asked('jobs --search req-of-waits'), { jobs: [{ name: `core:${waits}` }] })
  const page = await asked('jobs -n 1')
  t.notSame((await asked(`jobs -n 1 --cursor ${page.next}`)).jobs, page.jobs)
  t.match(await asked(`jobs show ${id}`), {
    run_id: id,
    state: 'failed',
    attempts: [{ outcome: 'failed', error: /no luck/ }],
  })
  const shown = await millrace(`jobs show ${id}`)
  t.match(shown.out, /no luck/)
  t.notMatch(shown.out, '\u001b', 'no colours where there is no terminal')
})

t.test('one job is retried, rescheduled, cancelled, discarded; a second time says that nothing changed', async (t) => {
  const failed = await enqueue(db, hasty, { name: 'one', how: 'throw', times: 2 })
  await inState(failed, 'failed')
  t.match(await asked(`retry ${failed}`), [{ changed: true, state: 'failed' }])
  await until(async () => (await phases('one')).filter((phase) => phase === 'given up').length === 2)
  await inState(failed, 'failed')
  t.match(await asked(`discard ${failed}`), [{ changed: true }])
  t.match(await asked(`discard ${failed}`, 1), [{ changed: false, state: 'discarded' }])
  const waiting = await enqueue(db, precious, { name: 'two' }, { at: later() })
  t.match(await asked(`reschedule ${waiting} --at +2h`), [{ changed: true, state: 'scheduled' }])
  const due = (await describeJob(db, waiting)).due_at as Date
  t.ok(due.getTime() - Date.now() > 7_000_000)
  t.match(await asked(`cancel ${waiting}`), [{ changed: true }])
  t.match((await millrace(`cancel ${waiting}`)).out, /unchanged, cancelled/)
})

t.test('all that match are mended after a count that must be confirmed', async (t) => {
  await enqueueMany(
    db,
    plain,
    Array.from({ length: 1_200 }, (_, i) => ({ name: `many ${i}` })),
    { at: later() },
  )
  const unsure = await millrace('cancel --task test/plain --search many')
  t.match(unsure, { code: 2, err: /cancel 1,200 jobs .*--yes/s })
  t.match(await asked('cancel --task test/plain --search many --yes'), { matched: 1_200, changed: 1_200, refused: {} })
  t.match(await asked('cancel --task test/plain --search many --yes'), { matched: 0, changed: 0 })
  const stale = await enqueueMany(
    db,
    hasty,
    [1, 2].map((n) => ({ name: `stale ${n}`, how: 'throw' as const })),
  )
  for (const id of stale) await inState(id, 'failed')
  await db.query(sql.typeAlias('void')`delete from jobs.runs where id = any(${sql.array([...stale], 'uuid')})`)
  const none = await millrace('retry --search stale --yes')
  t.match(none, { code: 1, out: /0 of 2 jobs retried\.\n2 unchanged: The run’s record has been deleted/ })
  t.match(await asked('retry --search stale --yes', 1), { matched: 2, changed: 0 })
  t.match((await asked('actions'))[3], { action: 'cancel', count: 1_200, target: /test\/plain/ })
})
