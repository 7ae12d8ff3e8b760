import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import * as claims from '#sql/email/delivery/claims.ts'
import { cancelClosure, requestClosure } from '#tasks/account/rules/closure.ts'
import { sweepExports } from '#tasks/account/sweep-exports.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { sending } from '../email/sending.ts'
import { commandLine } from '../support/millrace.ts'
import { until } from '../support/until.ts'
import { startWorkers, testStore } from '../support/video-stack.ts'

t.setTimeout(240_000)
const { db, databaseUrl, sender } = await sending(t)
const actor = { kind: 'operator', id: null, name: 'op' } as const
const request = (orgId: string) => db.transaction((tx) => requestClosure(tx, { orgId, actor }))
const cancel = (orgId: string) => db.transaction((tx) => cancelClosure(tx, { orgId, actor }))

t.test(
  'mail that waits is not due while its organisation is closing, and is again when that is taken back',
  async (t) => {
    const [one, other] = [await sender(), await sender()]
    for (const each of [one, other]) t.equal((await each.send({ to: `ann@${each.domain}` })).status, 202)
    const next = (domain: string) => db.transaction((tx) => claims.findNextOfDomain(tx, 'transactional', domain))
    const locked = (domain: string) => db.transaction((tx) => claims.lockDomain(tx, 'transactional', domain, 10))
    t.ok(await next(one.domain))
    await request(one.orgId)
    t.equal(await next(one.domain), null)
    t.same(await locked(one.domain), [])
    t.equal((await locked(other.domain)).length, 1)
    await cancel(one.orgId)
    t.equal((await locked(one.domain)).length, 1)
  },
)

t.test(
  'a job of an organisation that is closing waits at no cost of an attempt, and runs when that is taken back',
  async (t) => {
    const one = await sender()
    await request(one.orgId)
    await startWorkers(t, {
      databaseUrl,
      store: await testStore(t),
      data: '/tmp',
      environment: {},
      pools: 'core',
      under: [],
    })
    const id = await enqueue(db, sweepExports, {}, { orgId: one.orgId })
    const Job = z.object({ late: z.boolean(), attempts: z.number(), locked: z.boolean() })
    const job = () =>
      db.maybeOne(sql.type(Job)`
      select run_at > now() + interval '9 minutes' as late, attempts, locked_at is not null as locked
      from jobs_core._private_jobs where id = ${id}::bigint`)
    const held = await until(async () => {
      const found = await job()
      return found?.late && !found.locked && found
    })
    t.equal(held.attempts, 0)
    // The longer the organisation has been closing, the later a job is looked at again. Until its worker knows, it is fetched anew.
    for (const [days, hours] of [
      [0.125, 3],
      [5, 6],
    ] as const) {
      await db.query(sql.typeAlias('void')`
        update account.closures set created_at = now() - ${days} * interval '1 day' where org_id = ${one.orgId}`)
      const there = sql.fragment`from jobs_core._private_jobs where id = ${id}::bigint and locked_at is null`
      await until(
        async () => {
          await db.query(sql.typeAlias('void')`
            update jobs_core._private_jobs set run_at = now() where id in (select id ${there})
              and run_at between now() and now() + ${hours - 0.5} * interval '1 hour'`)
          return await db.exists(sql.typeAlias('void')`
            select ${there} and run_at > now() + ${hours - 0.1} * interval '1 hour'
              and run_at < now() + ${hours + 0.1} * interval '1 hour'`)
        },
        { timeout: 20_000, what: `the job is held for ${hours} hours` },
      )
    }
    await cancel(one.orgId)
    // Until its worker knows that the closure was cancelled, the job is held again.
    await until(
      async () => {
        await db.query(sql.typeAlias('void')`
          update jobs_core._private_jobs set run_at = now()
          where id = ${id}::bigint and locked_at is null and run_at > now()`)
        return (await job()) === null
      },
      { timeout: 20_000, what: 'the job is done' },
    )
  },
)

t.test('operators close an organisation, cancel the closure, and see a receipt', async (t) => {
  const one = await sender()
  const { ask, run } = commandLine(databaseUrl)
  t.match(await ask(`orgs close ${one.orgId}`), { org_id: one.orgId, state: 'waiting', requested_by_kind: 'operator' })
  t.match(await run(`orgs close ${one.orgId}`), { code: 1, err: /already pending/ })
  t.match(await ask(`orgs receipt ${one.orgId}`), { state: 'waiting', receipt: { rows: {} } })
  t.match(await run(`orgs close ${one.orgId} --cancel`), { code: 0, out: /Closure cancelled/ })
  t.match(await run(`orgs receipt ${one.domain}`), { code: 2, err: /is not an ID/ })
})
