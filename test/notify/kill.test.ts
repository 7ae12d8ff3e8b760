import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { helpers } from './flows.ts'
import { mailsOf, notifying, person } from './people.ts'

t.setTimeout(240_000)
const { db, databaseUrl, teller } = await notifying(t)
const { flow } = helpers(db)
const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

/** Starts a worker; `begun` counts the jobs that it has begun. */
async function worker() {
  const args = ['--pdeathsig=KILL', '--', process.execPath, program, databaseUrl]
  const child = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  const state = { begun: 0, kill }
  await new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line === 'ready') resolve()
      else state.begun++
    })
  })
  return state
}

t.test('workers that are killed in the middle of a step lose nothing and send nothing twice', async (t) => {
  const one = await teller({ domain: 'kill.example' })
  await flow(one, [
    { type: 'channel', channel: 'in_app' },
    { type: 'channel', channel: 'email' },
  ])
  const people = Array.from({ length: 400 }, person)
  for (let at = 0; at < people.length; at += 50)
    await Promise.all(people.slice(at, at + 50).map((user, n) => one.tell(user, { email: `p${at + n}@rcpt.example` })))
  // One lock that every step of the organisation waits for: a worker that is killed has some in the middle.
  const held = db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`
      select from notify.runs where org_id = ${one.orgId} order by id limit 60 for update`)
    const first = await worker()
    await until(() => first.begun > 2, { what: 'jobs have begun' })
    await first.kill()
  })
  await held
  const second = await worker()
  await until(async () => (await mailsOf(db, one.orgId)).length > 50, { every: 2 })
  await second.kill()
  await worker()
  const left = sql.typeAlias('count')`
    select count(*) from notify.runs where org_id = ${one.orgId} and state = 'waiting'`
  await until(async () => (await db.oneFirst(left)) === 0, { timeout: 60_000, what: 'no run waits' })
  const mails = await mailsOf(db, one.orgId)
  t.equal(mails.length, 400)
  t.equal(new Set(mails.map(({ to }) => to)).size, 400)
  const Found = z.object({ runs: z.number(), items: z.number(), steps: z.number() })
  t.same(
    await db.one(sql.type(Found)`
      select (select count(*) from notify.runs where org_id = ${one.orgId} and state = 'completed') as runs,
        (select count(*) from notify.inbox where org_id = ${one.orgId}) as items,
        (select count(*) from notify.run_steps where org_id = ${one.orgId} and state = 'done') as steps`),
    { runs: 400, items: 400, steps: 800 },
  )
})
