import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { listReached, record } from '#sql/account/usage/budget-alerts.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import { rollUp } from '#sql/account/usage/roll-up.ts'
import * as usage from '#sql/account/usage.ts'
import { sql } from '#sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { addDomain } from '../support/mail-stack.ts'
import '../support/webhooks-environment.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const { ask } = await testIngress(t, db, [], { only: ['account', 'email', 'push'] })
const Nothing = sql.typeAlias('void')
const scopes = ['account:read', 'account:write', 'email:send', 'push:send', 'push:manage']
const senders = 50

/** An organisation that can mail and push. */
async function scene(plan = 'unlimited') {
  const { org, keys } = await testOrg(db, scopes, { plan })
  const key = keys.main
  const domain = `d${org.id.slice(-12)}.example`
  await addDomain(db, org.id, domain)
  const app = newId()
  await db.query(Nothing`insert into push.apps (id, org_id, name) values (${app}, ${org.id}, 'app')`)
  const budget = (metric: string, body: object) => ask(`PUT /v1/account/budgets/${metric}`, { key, body })
  const mail = (n: number, stream = 'transactional') =>
    ask('POST /send/v1/messages', {
      key,
      body: { stream, from: { email: `a@${domain}` }, to: `b${n}@rcpt.example`, subject: 's', text: 't' },
    })
  const push = (n: number) =>
    ask('POST /push/v1/messages', {
      key,
      body: { app_id: app, target: { type: 'user', id: `u${n}` }, title: 't', body: 'b' },
    })
  const used = async (metric: string) => {
    const { body } = await ask('GET /v1/account/usage', { key })
    return body.data.find((one: { metric: string }) => one.metric === metric)
  }
  return { org, key, budget, mail, push, used }
}

const many = <R>(work: (n: number) => Promise<R>) => Promise.all(Array.from({ length: senders }, (_, n) => work(n)))

t.test('fifty senders at once never pass a hard limit, and those above it are told how it stands', async (t) => {
  const { budget, mail, push, used } = await scene()
  for (const [metric, send, code] of [
    ['email.messages', mail, 'monthly_limit_reached'],
    ['push.messages', push, 'budget_reached'],
  ] as const) {
    t.equal((await budget(metric, { hard: 20 })).status, 200)
    const replies = await many((n) => send(n))
    t.equal(replies.filter(({ status }) => status === 202).length, 20, metric)
    const refused = replies.filter(({ status }) => status !== 202)
    for (const { status, body, headers } of refused) {
      t.match({ status, code: body.error.code }, { status: 429, code })
      t.match(body.error.details, { metric, limit: 20, used: 20, resets_at: /-01T00:00:00/ })
      t.ok(Number(headers.get('retry-after')) > 0)
    }
    t.match(await used(metric), { used: 20, limit: 20, period: 'month' })
  }
  t.equal((await mail(99, 'security')).status, 202, 'a code to sign in goes in any case')
})

t.test('reservations of tokens never pass a hard limit, and what is given back is there for others', async (t) => {
  const { org, budget } = await scene()
  await budget('ai.tokens', { hard: 1_000, period: 'day' })
  const ids = Array.from({ length: senders }, newId)
  const reserve = (id: string) =>
    db.transaction((tx) => budgets.reserve(tx, 'ai.tokens', { id, orgId: org.id, amount: 100, seconds: 60 }))
  const got = await Promise.all(ids.map(reserve))
  t.equal(got.filter(Boolean).length, 10)
  const [first = ''] = ids.filter((_, i) => got[i])
  await db.transaction(async (tx) => {
    await budgets.release(tx, first)
    await usage.add(tx, 'ai.tokens', [{ org_id: org.id, amount: 40 }])
  })
  t.match(await budgets.findSpent(db, org.id, 'ai.tokens'), { used: 940, limit: 1_000 })
  t.notOk(await reserve(newId()))
})

t.test('a limit that is lowered holds new sends; what was accepted goes on; without it all goes', async (t) => {
  const { org, key, budget, mail } = await scene()
  await Promise.all([mail(1), mail(2), mail(3)])
  t.equal((await budget('email.messages', { hard: 2 })).status, 200)
  t.equal((await mail(4)).status, 429)
  const waiting = await db.oneFirst(sql.typeAlias('count')`
    select count(*) from email.messages where org_id = ${org.id} and status = 'queued'`)
  t.equal(waiting, 3)
  const other = await scene()
  t.equal((await other.mail(1)).status, 202, 'another organisation is not held')
  t.strictSame((await ask('GET /v1/account/budgets', { key: other.key })).body.data, [])
  t.equal((await ask('DELETE /v1/account/budgets/email.messages', { key: other.key })).status, 404)
  t.equal((await ask('DELETE /v1/account/budgets/email.messages', { key })).status, 204)
  t.equal((await mail(5)).status, 202)
  const told = await db.anyFirst(sql.type(z.object({ action: z.string() }))`
    select action from account.audit where org_id = ${org.id} order by number`)
  t.strictSame(told, ['budget.changed', 'budget.changed'])
})

t.test('what makes no sense is refused, and what the plan does not allow', async (t) => {
  const { budget } = await scene('free')
  t.match(await budget('email.messages', { hard: 3_001 }), { status: 400, body: { error: { code: 'above_plan' } } })
  t.equal((await budget('email.messages', { hard: 3_000 })).status, 200)
  for (const [metric, body] of [
    ['email.messages', {}],
    ['email.messages', { soft: 3, hard: 2 }],
    ['guard.challenges', { hard: 1 }],
    ['storage.bytes', { hard: 1, period: 'day' }],
    ['no.such', { hard: 1 }],
    ['push.messages', { hard: -1 }],
    ['push.messages', { hard: 1, alert_at: [0] }],
  ] as const)
    t.match(await budget(metric, body), { status: 400, body: { error: { code: 'bad_request' } } }, JSON.stringify(body))
})

t.test('a threshold is recorded once in its period', async (t) => {
  const { org, budget } = await scene()
  await budget('push.messages', { soft: 100, alert_at: [50, 80, 100] })
  const reached = async () =>
    (await record(db, await listReached(db)))
      .filter((one) => one.org_id === org.id)
      .map(({ percent, used }) => [percent, used])
  await usage.add(db, 'push.messages', [{ org_id: org.id, amount: 49 }])
  t.strictSame(await reached(), [])
  await usage.add(db, 'push.messages', [{ org_id: org.id, amount: 31 }])
  t.strictSame(await reached(), [
    [50, 80],
    [80, 80],
  ])
  t.strictSame(await reached(), [])
  await usage.add(db, 'push.messages', [{ org_id: org.id, amount: 50 }])
  t.strictSame(await reached(), [[100, 130]])
})

t.test('days are of UTC, and a roll-up that runs twice changes nothing', async (t) => {
  const { org, key, mail, push } = await scene()
  await Promise.all([mail(1), push(1), push(2)])
  const [before, after] = ['2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00Z'].map((at) => new Date(at)) as [Date, Date]
  await usage.add(db, 'voice.seconds', [
    { org_id: org.id, amount: 3, at: before },
    { org_id: org.id, amount: 5, at: after },
  ])
  const days = await ask('GET /v1/account/usage/daily?metric=voice.seconds&from=2026-03-01&to=2026-03-02', { key })
  t.match(days.body.data, [
    { day: '2026-03-01', amount: 3 },
    { day: '2026-03-02', amount: 5 },
  ])
  // Requests are counted when the request log is written, which can be at any time.
  const rows = () =>
    db.any(sql.type(usage.table.Row)`
      select org_id, day::text as day, metric, dimension, amount from account.usage_daily
      where org_id = ${org.id} and metric <> 'requests' order by day, metric, dimension`)
  await rollUp(db)
  const first = await rows()
  await rollUp(db)
  t.strictSame(await rows(), first)
  t.match(
    first.filter(({ metric }) => metric === 'email.messages').map(({ amount }) => amount),
    [1, 1, 1],
  )
  const byApp = await ask('GET /v1/account/usage/daily?metric=push.messages&by=app', { key })
  t.match(byApp.body.data, [{ amount: 2 }])
  t.equal((await ask('GET /v1/account/usage/daily?metric=push.messages&by=key', { key })).status, 400)
})
