import '../support/verify-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { request as closeOrganisation } from '#sql/account/closures.ts'
import { revoke } from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import * as rows from '#sql/verify/verifications.ts'
import { expire } from '#tasks/verify/expire.ts'
import { send } from '#tasks/verify/send.ts'
import { phoneNumber, phoneStack } from './phone-stack.ts'

t.setTimeout(240_000)
// No worker runs: the test runs each task itself.
const stack = await phoneStack(t)
const { db } = stack

const run = (task: { run(payload: never, tools: never): Promise<unknown> }, payload: object) =>
  task.run(payload as never, { db } as never)
const messagesTo = (to: string) =>
  db.oneFirst(sql.typeAlias('count')`select count(*) from sms.messages where phone = ${to}`)
const begin = async (shop: Awaited<ReturnType<typeof stack.customer>>, more: object = {}) => {
  const to = phoneNumber()
  return { to, id: (await shop.start(to, more)).body.id as string }
}

t.test('a job that runs again, or twice at the same time, sends one code', async (t) => {
  const shop = await stack.customer()
  const { to, id } = await begin(shop)
  await Promise.all(Array.from({ length: 5 }, () => run(send, { id, send: 1 })))
  await run(send, { id, send: 1 })
  t.equal(await messagesTo(to), 1)
  t.same(await stack.events(id), ['verify.sent'])
})

t.test('a job that fails leaves nothing, and the next one sends', async (t) => {
  const shop = await stack.customer()
  const { to, id } = await begin(shop)
  const failing = {
    transaction: (work: (tx: unknown) => Promise<unknown>) =>
      db.transaction(async (tx) => {
        await work(tx)
        throw new Error('the worker was killed before the commit')
      }),
  }
  await t.rejects(send.run({ id, send: 1 }, { db: failing } as never), /killed/)
  t.equal(await messagesTo(to), 0)
  t.match(await shop.read(id), { delivery: 'queued', message_id: null })
  await run(send, { id, send: 1 })
  t.equal(await messagesTo(to), 1)
})

t.test('a job of an earlier code sends nothing after a resend', async (t) => {
  const shop = await stack.customer()
  const { to, id } = await begin(shop)
  await db.query(sql.typeAlias('void')`update verify.verifications set resend_at = now() where id = ${id}`)
  t.equal((await shop.ask(`POST /v1/verify/${id}/resend`, { body: {} })).status, 200)
  await run(send, { id, send: 1 })
  t.equal(await messagesTo(to), 0)
  await run(send, { id, send: 2 })
  t.equal(await messagesTo(to), 1)
})

t.test('a job without attempts left makes the verification undeliverable', async (t) => {
  const shop = await stack.customer()
  const { id } = await begin(shop)
  await send.giveUp?.({ id, send: 1 }, new Error('x'), { db, runId: undefined })
  t.match(await shop.read(id), { status: 'undeliverable', reason: 'send_failed' })
  t.same(await stack.events(id), ['verify.undeliverable'])
})

t.test('rights are read again when the code is sent: closure, key, cancellation, end', async (t) => {
  const [closed, revoked, cancelled, late] = [
    await stack.customer(),
    await stack.customer(),
    await stack.customer(),
    await stack.customer(),
  ]
  const shops = [closed, revoked, cancelled, late]
  const begun = [await begin(closed), await begin(revoked), await begin(cancelled), await begin(late)] as const
  await closeOrganisation(db, { orgId: closed.orgId, kind: 'operator', name: 'a test', days: 7 })
  await revoke(db, revoked.orgId, revoked.keyId)
  const owner = (orgId: string): rows.Owner => ({ orgId, sandbox: false })
  await rows.cancel(db, owner(cancelled.orgId), begun[2].id)
  await db.query(sql.typeAlias('void')`update verify.verifications set expires_at = now() where id = ${begun[3].id}`)
  for (const [i, { id, to }] of begun.entries()) {
    await run(send, { id, send: 1 })
    t.equal(await messagesTo(to), 0, `organisation ${i}`)
  }
  const found = await rows.find(db, owner(revoked.orgId), begun[1].id)
  t.match(found, { shown: 'undeliverable', reason: 'key_revoked' })
  t.equal(shops.length, begun.length)
})

t.test('an end is reported once, and moves with another code', async (t) => {
  const shop = await stack.customer()
  const { id } = await begin(shop)
  const jobs = () =>
    db.anyFirst(sql.type(z.object({ at: z.date() }))`
      select run_at as at from jobs_core.jobs where task_identifier = 'verify/expire' order by id`)
  const before = (await jobs()).length
  await run(expire, { id })
  t.equal((await jobs()).length, before + 1, 'an open verification is looked at again')
  await db.query(sql.typeAlias('void')`update verify.verifications set expires_at = now() where id = ${id}`)
  await run(expire, { id })
  await run(expire, { id })
  t.same(await stack.events(id), ['verify.expired'])
  t.match(await shop.read(id), { status: 'expired' })
})

t.test('one organisation with many starts does not use up the limits of another', async (t) => {
  const [busy, calm] = [await stack.customer(), await stack.customer()]
  await busy.set({ per_hour: 2, country_budgets: { EE: 2 } })
  for (let i = 0; i < 4; i++) await busy.start(phoneNumber(), { ip: '203.0.113.9' })
  const to = phoneNumber()
  t.equal((await calm.start(to, { ip: '203.0.113.9' })).status, 200)
  t.equal((await busy.start(to)).status, 429)
})
