import '../support/webhooks-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { computeSignature } from '#tasks/webhooks/rules/sign.ts'
import { customerServer, fetchWorker } from './fetching.ts'
import { flowing, type RunReply, traceOf } from './flows.ts'
import { mailsOf, person, type Teller } from './people.ts'

t.setTimeout(240_000)
const { db, databaseUrl, sender, teller, flow, start, comes, run, parked } = await flowing(t)
await fetchWorker(t, databaseUrl)

const inApp = { type: 'channel', channel: 'in_app' }
const mail = { type: 'channel', channel: 'email' }
const is = (field: string, value: string) => ({ field, operator: 'equal_to', value })
const rotate = async (one: Teller): Promise<string> =>
  (await one.ask('POST /v1/notify/fetch-secret/rotate', { body: {} })).body.secret
const stepsOf = (trace: RunReply) => trace.steps.map(({ step }) => step)

t.test('a branch: the first steps or the others, then the steps after it', async (t) => {
  const one = await sender()
  const email = 'ann@rcpt.example'
  await flow(one, [
    {
      type: 'branch',
      conditions: [is('data.plan', 'gold')],
      steps: [
        mail,
        { type: 'branch', conditions: [is('data.vip', 'yes')], steps: [], else: [{ type: 'wait', minutes: 5 }] },
      ],
      else: [inApp],
    },
    { ...mail, conditions: [is('data.last', 'yes')] },
  ])
  const gold = await run(one, await start(one, person(), { email, data: { plan: 'gold', vip: 'yes' } }))
  t.same(traceOf(gold), ['branch done steps', 'email done', 'branch done steps', 'email skipped condition'])
  t.same(stepsOf(gold), [0, 1, 2, 5])
  const id = await start(one, person(), { email, data: { plan: 'gold', last: 'yes' } })
  t.same(traceOf(await run(one, id, parked)), ['branch done steps', 'email done', 'branch done else', 'wait waiting'])
  await comes(id)
  t.same(traceOf(await run(one, id)).slice(-2), ['wait done', 'email done'])
  const other = await run(one, await start(one, person(), { email }))
  t.same(traceOf(other), ['branch done else', 'in_app done', 'email skipped condition'])
  t.same(stepsOf(other), [0, 4, 5])
})

t.test('throttle: so many runs of a person in the window, however many at the same time', async (t) => {
  const one = await sender()
  await flow(one, [inApp, { type: 'throttle', runs: 2, minutes: 60, key: 'data.project' }, mail])
  const user = person()
  const facts = { email: 'ann@rcpt.example', data: { project: 'a' } }
  const ids = await Promise.all(Array.from({ length: 6 }, () => start(one, user, facts)))
  const ends = await Promise.all(ids.map((id) => run(one, id)))
  t.equal(ends.filter(({ state }) => state === 'completed').length, 2)
  const stopped = ends.find(({ state }) => state === 'stopped') as RunReply
  t.match(stopped, { reason: 'throttled' })
  t.same(traceOf(stopped), ['in_app done', 'throttle skipped throttled'])
  t.equal((await mailsOf(db, one.orgId)).length, 2)
  t.match(await run(one, await start(one, user, { ...facts, data: { project: 'b' } })), { state: 'completed' })
  t.match(await run(one, await start(one, person(), facts)), { state: 'completed' }, 'another person')
  await db.query(sql.typeAlias('void')`
    update notify.throttles set passed = (select jsonb_agg(value::bigint - 3600001) from jsonb_array_elements_text(passed))
    where user_id = ${user}`)
  t.match(await run(one, await start(one, user, facts)), { state: 'completed' }, 'the window has passed')
})

t.test('schedule: at the local time of the person', async (t) => {
  const one = await sender()
  const hour = (zone: string, at = new Date()) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' }).format(at)
  const zone = 'Pacific/Auckland'
  const later = hour(zone, new Date(Date.now() + 3 * 3_600_000))
  await one.ask('PUT /v1/notify/people/kiwi', { body: { time_zone: zone } })
  await flow(one, [{ type: 'schedule', from: later }, inApp], { fallback_time_zone: 'Europe/Vienna' })
  const id = await start(one, 'kiwi')
  const waiting = await run(one, id, parked)
  const { due_at } = (await one.ask(`GET /v1/notify/runs/${id}`)).body
  t.equal(hour(zone, new Date(due_at)), later)
  t.ok(new Date(due_at).getTime() - Date.now() < 3 * 3_600_000 + 61_000)
  t.same(traceOf(waiting), ['schedule waiting'])
  await comes(id)
  t.same(traceOf(await run(one, id)), ['schedule done', 'in_app done'])
  const other = await start(one, 'nobody')
  const due = (await run(one, other, parked)) as unknown as { due_at: string }
  t.equal(hour('Europe/Vienna', new Date(due.due_at)), later, 'the fallback time zone of the workflow')
  await flow(one, [{ type: 'schedule', from: '00:00', to: '23:59' }, inApp], { type: 'open' }, 'open')
  if (hour(zone) < '23:58')
    t.same(traceOf(await run(one, await start(one, 'kiwi', { type: 'open' }))), ['schedule done', 'in_app done'])
})

t.test('fetch: the fields of the response are in conditions and texts, and the request is signed', async (t) => {
  const server = await customerServer(t, ({ path }) =>
    path.startsWith('/orders/')
      ? { body: { status: 'late', lines: [{ name: 'Tea' }], total: 12.5, odd: 'a\u0000b' } }
      : {},
  )
  const one = await sender()
  const steps = [
    { type: 'fetch', name: 'order', url: `${server.url}/orders/{{data.order}}?who={{person.name}}` },
    { ...inApp, conditions: [is('fetch.order.status', 'late'), is('fetch.order.total', '12.5')] },
    { ...mail, conditions: [is('fetch.order.status', 'early')] },
    { type: 'fetch', name: 'note', method: 'POST', url: `${server.url}/notes`, on_failure: 'stop' },
  ]
  const body = { name: 'F', product_key: 'shop', type: 'order.shipped', steps }
  t.equal((await one.ask('PUT /v1/notify/workflows/flow', { body })).status, 200)
  t.match(await one.ask('POST /v1/notify/workflows/flow/publish'), {
    status: 409,
    body: { error: { code: 'no_fetch_secret' } },
  })
  t.equal((await one.ask('GET /v1/notify/fetch-secret')).status, 404)
  const old = await rotate(one)
  const secret = await rotate(one)
  t.notMatch((await one.ask('GET /v1/notify/fetch-secret')).text, secret)
  await one.ask('PUT /v1/notify/texts', {
    body: { type: 'order.shipped', locale: 'en', title: '{{fetch.order.lines.0.name}} is {{fetch.order.status}}' },
  })
  await flow(one, steps)
  await one.ask('PUT /v1/notify/people/ann', { body: { name: 'Ann & Bob', email: 'ann@rcpt.example' } })
  const id = await start(one, 'ann', { data: { order: '10/42?x' } })
  const ended = await run(one, id)
  t.same(traceOf(ended), ['fetch done', 'in_app done', 'email skipped condition', 'fetch done'])
  t.match(ended, { state: 'completed' })
  t.equal((await one.ask('GET /v1/notify/inbox?user_id=ann')).body.data[0].title, 'Tea is late')
  const [get, post] = server.got
  t.equal(get?.path, '/orders/10%2F42%3Fx?who=Ann%20%26%20Bob')
  t.match(JSON.parse(post?.body ?? ''), { run_id: id, step: 'note', user_id: 'ann', person: { name: 'Ann & Bob' } })
  for (const { headers, body } of server.got) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    t.equal(headers['webhook-signature'], [secret, old].map((key) => computeSignature(key, signed)).join(' '))
  }
})

t.test('a fetch that fails is repeated, then the run continues or stops', async (t) => {
  const server = await customerServer(t, ({ path }, count) => {
    if (path === '/flaky') return count === 1 ? { status: 503 } : { body: { ok: true } }
    if (path === '/gone') return { status: 404 }
    if (path === '/page') return { body: '<html>' }
    if (path === '/away') return { status: 302, headers: { location: 'http://127.0.0.1:1/' } }
    if (path === '/large') return { body: { a: 'x'.repeat(70_000) } }
    return {}
  })
  const one = await teller()
  await rotate(one)
  const ends = async (path: string, facts = {}) => {
    await flow(one, [
      { type: 'fetch', name: 'x', url: `${server.url}${path}`, ...facts },
      { ...inApp, conditions: [is('fetch.x.ok', 'true')] },
    ])
    const { state, reason, ...rest } = await run(one, await start(one, person()))
    return [state, reason, ...traceOf(rest as RunReply)]
  }
  t.same(await ends('/flaky'), ['completed', null, 'fetch done', 'in_app done'])
  t.equal(server.got.length, 2)
  t.equal(new Set(server.got.map(({ headers }) => headers['webhook-id'])).size, 1, 'the same ID for both attempts')
  const unmet = 'in_app skipped condition'
  t.same(await ends('/gone'), ['completed', null, 'fetch failed http_status', unmet])
  t.same(await ends('/gone', { on_failure: 'stop' }), ['stopped', 'fetch_failed', 'fetch failed http_status'])
  t.same(await ends('/page'), ['completed', null, 'fetch failed not_json', unmet])
  t.same(await ends('/away'), ['completed', null, 'fetch failed http_status', unmet])
  t.match(await ends('/large'), ['completed', null, /^fetch failed /, unmet])
})

t.test('what has changed while the server is called counts', async (t) => {
  let release: (() => void) | undefined
  const asked = new Promise<void>((resolve) => {
    release = resolve
  })
  const server = await customerServer(t, () => {
    release?.()
    return { status: 503 }
  })
  const one = await teller()
  await rotate(one)
  await one.ask('PUT /v1/notify/people/ann', { body: {} })
  await flow(one, [{ type: 'fetch', name: 'x', url: server.url }, inApp])
  const id = await start(one, 'ann')
  await asked
  await one.ask('DELETE /v1/notify/people/ann')
  t.match(await run(one, id), { state: 'stopped', reason: 'person_removed' })
  const other = await start(one, 'bob')
  t.equal((await one.ask(`POST /v1/notify/runs/${other}/cancel`)).status, 200)
  t.match(await run(one, other), { state: 'cancelled' })
})
