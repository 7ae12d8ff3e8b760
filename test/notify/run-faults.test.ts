import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { prune } from '#tasks/jobs/prune.ts'
import { takeSteps } from '#tasks/notify/take-steps.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { until } from '../support/until.ts'
import { flowing, traceOf } from './flows.ts'
import { mailsOf, person } from './people.ts'

t.setTimeout(240_000)
const { db, sender, flow, start, comes, run, parked } = await flowing(t)
const inApp = { type: 'channel', channel: 'in_app' }
const mail = { type: 'channel', channel: 'email' }
const wait = { type: 'wait', minutes: 10 }
const email = 'ann@rcpt.example'
const Steps = z.object({ steps: z.unknown() })

t.test(
  'a run that cannot go on holds up no other of its job; given up, it is told, and it can be tried again',
  async (t) => {
    const [one, user] = [await sender(), person()]
    await flow(one, [wait, mail])
    await flow(one, [wait, mail], { type: 'broken' }, 'broken')
    const good = await Promise.all(Array.from({ length: 5 }, () => start(one, person(), { email })))
    const bad = await start(one, user, { type: 'broken', email })
    for (const id of [...good, bad]) await run(one, id, parked)
    const where = sql.fragment`where org_id = ${one.orgId} and key = 'broken'`
    const { steps } = await db.one(sql.type(Steps)`select steps from notify.workflow_versions ${where}`)
    const write = (what: unknown) =>
      db.query(
        sql.typeAlias('void')`update notify.workflow_versions set steps = ${JSON.stringify(what)}::jsonb ${where}`,
      )
    await write([{ type: 'dance' }])
    await db.query(sql.typeAlias('void')`update notify.runs set due_at = now() where org_id = ${one.orgId}`)
    await enqueue(db, takeSteps, { runIds: [...good, bad] })
    for (const id of good) t.equal((await run(one, id)).state, 'completed')
    t.equal((await mailsOf(db, one.orgId)).length, 5)
    t.match((await one.ask(`GET /v1/notify/runs/${bad}`)).body, { state: 'waiting' })

    await write(steps)
    await takeSteps.giveUp?.({ runIds: [bad, ...good] }, new Error('x'), { db, runId: undefined })
    const failed = await run(one, bad)
    t.match(failed, { state: 'failed', reason: 'given_up' })
    t.same(traceOf(failed), ['wait failed given_up'])
    await takeSteps.revive?.({ runIds: [bad, ...good] }, { db, enqueue: async () => {} })
    await comes(bad)
    t.same(traceOf(await run(one, bad)), ['wait done', 'email done'])
    t.equal((await mailsOf(db, one.orgId)).length, 6)
  },
)

t.test('events that come while a window ends are in it or in the next one, none in both or neither', async (t) => {
  const [one, user] = [await sender(), person()]
  await flow(one, [{ type: 'digest', minutes: 30 }, mail])
  const told: Promise<string>[] = []
  for (let round = 0; round < 4; round++) {
    for (let n = 0; n < 15; n++) told.push(start(one, user, { email, title: `t${round}-${n}.` }))
    const id = await (told.at(-1) as Promise<string>)
    for (let n = 0; n < 15; n++) told.push(start(one, user, { email, title: `u${round}-${n}.` }))
    await run(one, id, ({ steps }) => steps.length > 0)
    await comes(id, 2)
  }
  const runs = [...new Set(await Promise.all(told))]
  for (const id of runs) {
    await run(one, id, ({ steps }) => steps.length > 0)
    await comes(id)
    t.equal((await run(one, id)).state, 'completed')
  }
  const mails = await mailsOf(db, one.orgId)
  t.equal(mails.length, runs.length)
  const titles = mails.flatMap(
    ({ subject, text }) => (text.includes('* ') ? text : subject).match(/[tu]\d-\d+\./g) ?? [],
  )
  t.equal(new Set(titles).size, 120)
  t.equal(titles.length, 120)
})

t.test('nothing of an organisation that is closed goes out', async (t) => {
  const [one, user] = [await sender(), person()]
  await flow(one, [inApp, wait, mail])
  const id = await start(one, user, { email })
  await run(one, id, parked)
  const closing = newId()
  await db.query(sql.typeAlias('void')`
    insert into account.closures (id, org_id, requested_by_kind, due_at)
    values (${closing}, ${one.orgId}, 'operator', now() + interval '1 day')`)
  await comes(id)
  const State = z.object({ state: z.string(), reason: z.string().nullable() })
  const state = () => db.one(sql.type(State)`select state, reason from notify.runs where id = ${id}`)
  await until(async () => (await state()).state !== 'waiting')
  t.same(await state(), { state: 'stopped', reason: 'organisation_closing' })
  t.same(await mailsOf(db, one.orgId), [])
})

t.test('an event is kept while its run waits, and goes with it after its time', async (t) => {
  const [one, user] = [await sender(), person()]
  await flow(one, [inApp, wait])
  const [waits, over] = [await start(one, user), await start(one, user)]
  for (const id of [waits, over]) await run(one, id, parked)
  await comes(over)
  await run(one, over)
  await db.query(sql.typeAlias('void')`
    update notify.events set created_at = now() - interval '181 days' where org_id = ${one.orgId}`)
  await enqueue(db, prune, { tables: ['notify.events'] })
  await until(async () => (await one.ask(`GET /v1/notify/runs/${over}`)).status === 404)
  t.equal((await one.ask(`GET /v1/notify/runs/${waits}`)).status, 200)
  t.equal((await one.inbox(user)).length, 1)
})
