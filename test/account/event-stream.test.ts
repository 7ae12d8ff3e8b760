import t from 'tap'
import * as closures from '#sql/account/closures.ts'
import * as keys from '#sql/account/keys.ts'
import { type DatabasePool, type Db, sql } from '#sql/db.ts'
import * as streams from '#sql/webhooks/event-streams.ts'
import { emitMany } from '#tasks/webhooks/rules/emit.ts'
import { openSource, type Source } from '../notify/event-source.ts'
import { testDatabase } from '../support/database.ts'
import { madeUp } from '../support/emitted.ts'
import { ask, fieldsOf, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

const { db } = await testDatabase(t)
const only = { only: ['account'] }
const [{ url }, { url: another }] = [await testIngress(t, db, [], only), await testIngress(t, db, [], only)]
const path = '/v1/account/events/stream'

async function scene() {
  const scopes = ['account:webhooks', 'account:read']
  const { org, keys } = await testOrg(db, [], {
    keys: { main: { prefix: 'bt_live_', scopes }, test: { prefix: 'bt_test_', scopes } },
  })
  const listen = async (query = '', { key = keys.main, base = url, last = '' } = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...(last && { 'last-event-id': last }) }
    return await openSource(t, `${base}${path}${query}`, headers)
  }
  return { orgId: org.id, keys, listen, emit: emitFor(db, org.id) }
}

const emitFor =
  (to: DatabasePool, orgId: string) =>
  (type: string, data: object = {}) =>
    to.transaction((tx) => emitIn(tx, orgId, type, data))

const emitIn = (tx: Db, orgId: string, type: string, data: object = {}) =>
  emitMany(tx, [madeUp(orgId, type, data as Record<string, unknown>)])

const wait = async (source: Source, count: number) => {
  const isEvent = ({ event }: { event: string }) => event !== 'ready' && event !== 'gap'
  await until(() => source.came.filter(isEvent).length >= count, { what: `${count} events arrive` })
  return source.came.filter(isEvent)
}

const numbers = (came: readonly { data: { data: { id?: unknown } } }[]) => came.map(({ data }) => data.data.id)

t.test('a client receives the events that a webhook would receive', async (t) => {
  const { listen, emit } = await scene()
  await emit('email.sent', { id: 'before', sandbox: false })
  const source = await listen()
  t.equal(source.status, 200)
  t.match(source.headers, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  await source.wait('ready', 1)
  await emit('email.bounced', { id: 'm1', sandbox: false })
  const [came] = await wait(source, 1)
  t.equal(came?.event, 'email.bounced')
  t.match(came?.data, { id: /^[0-9a-f-]{36}$/, type: 'email.bounced', timestamp: /Z$/, data: { id: 'm1' } })
  t.equal(came?.data.sample, undefined)
  t.match(came?.id, /^\d+$/)
  t.same(numbers(await wait(source, 1)), ['m1'], 'events before the first connection are not sent')
})

t.test(
  'a client that reconnects to another process receives missed events, in the order of their commits',
  async (t) => {
    const { orgId, listen, emit } = await scene()
    const source = await listen()
    await source.wait('ready', 1)
    const [started, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const late = db.transaction(async (tx) => {
      await emitIn(tx, orgId, 'email.sent', { id: 'first', sandbox: false })
      started.resolve()
      await goOn.promise
    })
    await started.promise
    await emit('email.sent', { id: 'second', sandbox: false })
    t.same(numbers(await wait(source, 1)), ['second'])
    source.close()
    await until(() => source.ended)
    await emit('email.sent', { id: 'third', sandbox: false })
    const other = await listen('', { base: another })
    await other.wait('ready', 1)
    goOn.resolve()
    await late
    for (const base of [another, url]) {
      const again = await listen('', { base, last: source.lastEventId })
      t.same(new Set(numbers(await wait(again, 2))), new Set(['first', 'third']))
      t.equal(again.came[0]?.event, 'ready')
      const last = again.came.at(-1)?.id ?? ''
      t.ok(
        again.came.every(({ id }, at) => at === 0 || Number(id) > Number(again.came[at - 1]?.id)),
        'IDs increase',
      )
      const after = await listen(`?last_event_id=${last}`, { base })
      t.equal((await after.wait('ready', 1))[0].position, Number(last))
    }
    t.same(numbers(await wait(other, 1)), ['first'], 'an event that commits after the connection is sent')
  },
)

t.test('types and mode filter, and the position passes events that are not wanted', async (t) => {
  const { listen, emit, keys } = await scene()
  const [bounces, tests, live, ofTestKey] = [
    await listen('?types=email.bounced,account.*'),
    await listen('?mode=test'),
    await listen('?mode=live'),
    await listen('', { key: keys.test }),
  ]
  for (const one of [bounces, tests, live, ofTestKey]) await one.wait('ready', 1)
  await emit('email.sent', { id: 'sent', sandbox: true })
  await emit('email.bounced', { id: 'bounced', sandbox: false })
  await emit('email.sent', { id: 'last', sandbox: false })
  t.same(numbers(await wait(bounces, 1)), ['bounced'])
  t.same(numbers(await wait(tests, 1)), ['sent'])
  t.same(numbers(await wait(ofTestKey, 1)), ['sent'])
  t.same(numbers(await wait(live, 2)), ['bounced', 'last'])
  const last = live.came.at(-1)?.id
  await until(() => bounces.lastEventId === last, { what: 'the position passes the last event' })
  t.equal((await ask(url, `GET ${path}?mode=live`, { key: keys.test })).status, 403)
  const wrong = await ask(url, `GET ${path}?types=email.bounced,mail.sent`, { key: keys.main })
  t.same([wrong.status, fieldsOf(wrong)], [400, ['query.types']])
  t.match(wrong.text, 'mail.sent')
})

t.test('events of other organisations are not sent', async (t) => {
  const [one, other] = [await scene(), await scene()]
  const [mine, theirs] = [await one.listen(), await other.listen()]
  for (const source of [mine, theirs]) await source.wait('ready', 1)
  await other.emit('email.sent', { id: 'theirs', sandbox: false })
  await one.emit('email.sent', { id: 'mine', sandbox: false })
  t.same(numbers(await wait(mine, 1)), ['mine'])
  t.same(numbers(await wait(theirs, 1)), ['theirs'])
})

t.test('a position with missing events is reported', async (t) => {
  const { orgId, listen, emit } = await scene()
  const source = await listen()
  await source.wait('ready', 1)
  await emit('email.sent', { id: 'old', sandbox: false })
  await wait(source, 1)
  source.close()
  const opened = source.came[0]?.id ?? ''
  for (const last of ['0', 'none', '999999999']) await (await listen('', { last })).wait('gap', 1)
  await db.query(sql.typeAlias('void')`
    update webhooks.streamed_events set created_at = now() - interval '1 year' where org_id = ${orgId}`)
  await expire()
  const gap = await listen('', { last: opened })
  t.match(await gap.wait('gap', 1), [{ message: /missing/ }])
  const current = await listen('', { last: source.lastEventId })
  await current.wait('ready', 1)
  await db.query(sql.typeAlias('void')`
    update webhooks.event_streams set until = now() - interval '1 minute' where org_id = ${orgId}`)
  await emit('email.sent', { id: 'lost', sandbox: false })
  await (await listen('', { last: source.lastEventId })).wait('gap', 1)
})

async function expire(): Promise<void> {
  const { deleteExpired } = await import('#sql/retention.ts')
  for (const retention of streams.streamedTable.retentions)
    await deleteExpired(db, streams.streamedTable.name, retention)
}

t.test('a stream ends when its key is revoked or changed, and when the organisation closes', async (t) => {
  const { orgId, listen, keys: made } = await scene()
  const [main, test] = [await listen(), await listen('', { key: made.test })]
  for (const source of [main, test]) await source.wait('ready', 1)
  const [ofTest] = (await keys.list(db, orgId)).filter(({ mode }) => mode === 'test')
  await keys.change(db, orgId, ofTest?.id as string, { rate_per_minute: 100 })
  await until(() => test.ended)
  const [again, revoked] = [await listen('', { key: made.test }), await listen()]
  for (const source of [again, revoked]) await source.wait('ready', 1)
  await keys.revoke(db, orgId, ofTest?.id as string)
  await until(() => again.ended)
  t.notOk(revoked.ended)
  await db.transaction((tx) => closures.request(tx, { orgId, kind: 'operator', name: 'test', days: 1 }))
  await until(() => revoked.ended && main.ended)
})

t.test('a client can have up to 20 streams', async (t) => {
  const { listen, keys } = await scene()
  const sources = await Promise.all(Array.from({ length: 20 }, () => listen()))
  for (const source of sources) await source.wait('ready', 1)
  t.equal((await ask(url, `GET ${path}`, { key: keys.main })).status, 429)
  sources[0]?.close()
  await until(async () => (await listen()).status === 200)
})

t.test('without a client, the stream stores nothing', async (t) => {
  const { orgId, emit } = await scene()
  await emit('email.sent', { id: 'unseen', sandbox: false })
  const stored = await db.any(sql.unsafe`select 1 from webhooks.events where org_id = ${orgId}`)
  t.equal(stored.length, 0)
})

t.test('a client that reads slowly receives a long backlog', async (t) => {
  const { orgId, listen } = await scene()
  const source = await listen()
  await source.wait('ready', 1)
  source.close()
  const long = { id: 'x', sandbox: false, note: 'n'.repeat(60_000) }
  await db.transaction((tx) =>
    emitMany(
      tx,
      Array.from({ length: 300 }, (_, i) => madeUp(orgId, 'email.sent', { ...long, id: `b${i}` })),
    ),
  )
  const again = await listen('', { last: source.lastEventId })
  t.same(
    numbers(await wait(again, 300)),
    Array.from({ length: 300 }, (_, i) => `b${i}`),
  )
})
