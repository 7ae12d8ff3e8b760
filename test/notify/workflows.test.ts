import { randomInt } from 'node:crypto'
import t from 'tap'
import * as keys from '#sql/account/keys.ts'
import { until } from '../support/until.ts'
import { flowing, type StepForm, traceOf } from './flows.ts'
import { mailsOf, person } from './people.ts'

t.setTimeout(240_000)
const { db, ingress, sender, flow, start, comes, run, parked } = await flowing(t)
const inApp = { type: 'channel', channel: 'in_app' }
const mail = { type: 'channel', channel: 'email' }
const unread = { type: 'wait', minutes: 10, until: 'unread' }
const email = 'ann@rcpt.example'
const put = (one: Awaited<ReturnType<typeof sender>>, userId: string, body: object) =>
  one.ask(`PUT /v1/notify/people/${userId}`, { body })

t.test('in_app, then mail to who has not read it for ten minutes, once however many jobs there are', async (t) => {
  const [one, user] = [await sender(), person()]
  await put(one, user, { email })
  await flow(one, [inApp, unread, mail, { type: 'channel', channel: 'whatsapp' }])
  const told = await one.tell(user)
  t.match(told.body, { chosen_by: 'workflow', channels: [{ used: false, reason: 'workflow' }, {}, {}] })
  const id = told.body.run_id
  const waiting = await run(one, id, parked)
  t.same(traceOf(waiting), ['in_app done', 'wait waiting'])
  t.same(await one.inbox(user), [told.body.id])
  t.same(await mailsOf(db, one.orgId), [], 'ten minutes are not over')
  await comes(id, 5)
  const ended = await run(one, id)
  t.same(traceOf(ended), ['in_app done', 'wait done', 'email done', 'whatsapp skipped no_phone'])
  const mails = await mailsOf(db, one.orgId)
  t.match(mails, [{ to: email, subject: 'Your order is on its way', stream: 'transactional' }])
  t.equal(mails.length, 1)
  t.equal(ended.steps[2]?.message_id, mails[0]?.id)
  t.match(ended, { state: 'completed', reason: null })
})

t.test('who has read it, archived it or seen it is told no further', async (t) => {
  const one = await sender()
  await flow(one, [inApp, unread, mail])
  await flow(one, [inApp, { ...unread, until: 'unseen' }, mail], { type: 'seen' }, 'seen')
  const ends = async (mark: string, type: string) => {
    const user = person()
    const id = await start(one, user, { type, email })
    await run(one, id, parked)
    t.equal((await one.ask('POST /v1/notify/inbox/marks', { body: { user_id: user, mark } })).body.marked, 1)
    await comes(id)
    const { state, reason } = await run(one, id)
    return [state, reason]
  }
  t.same(await ends('read', 'order.shipped'), ['stopped', 'read'])
  t.same(await ends('archived', 'order.shipped'), ['stopped', 'archived'])
  t.same(await ends('seen', 'seen'), ['stopped', 'seen'])
  t.same(await ends('seen', 'order.shipped'), ['completed', null], 'what was seen may be unread')
})

t.test('what was so when a run began may not be so when a step is due', async (t) => {
  const one = await sender()
  await flow(one, [inApp, { type: 'wait', minutes: 10 }, mail])
  const begun = async (key = one.key) => {
    const user = person()
    await put(one, user, { email })
    const reply = await ingress.ask('POST /v1/notify/events', {
      key,
      body: { product_key: 'shop', type: 'order.shipped', subject_user_id: user, title: 'Hi' },
    })
    await run(one, reply.body.run_id, parked)
    return { user, id: reply.body.run_id as string }
  }
  const outcome = async (id: string) => {
    await comes(id)
    const ended = await run(one, id)
    return [ended.state, ended.reason, traceOf(ended).at(-1)]
  }
  const silenced = await begun()
  await one.prefer(silenced.user, ['in_app'])
  t.same(await outcome(silenced.id), ['completed', null, 'email skipped preference'])

  const removed = await begun()
  t.equal((await one.ask(`DELETE /v1/notify/people/${removed.user}`)).status, 200)
  await put(one, removed.user, { email: 'another@rcpt.example' })
  t.same(
    await outcome(removed.id),
    ['stopped', 'person_removed', 'wait skipped person_removed'],
    'whoever has the id now is another',
  )

  const made = await keys.create(db, { orgId: one.orgId, prefix: 'bt_live_', name: 'old', scopes: ['notify:write'] })
  const revoked = await begun(made.secret)
  await keys.revoke(db, one.orgId, made.id)
  t.same(await outcome(revoked.id), ['stopped', 'key_revoked', 'wait skipped key_revoked'])

  const cancelled = await begun()
  t.match((await one.ask(`POST /v1/notify/runs/${cancelled.id}/cancel`)).body, { state: 'cancelled', due_at: null })
  t.equal((await one.ask(`POST /v1/notify/runs/${cancelled.id}/cancel`)).status, 409)
  t.same(await outcome(cancelled.id), ['cancelled', null, 'wait waiting'])

  const dropped = await begun()
  t.match((await one.ask('DELETE /v1/notify/workflows/flow')).body, { deleted: true, stopped: 1 })
  t.same((await run(one, dropped.id)).reason, 'workflow_removed')
  t.match((await one.tell(person())).body, { chosen_by: 'default', run_id: null }, 'events go by preferences again')
  t.same(await mailsOf(db, one.orgId), [])
})

t.test('conditions look at the event, the person, the inbox and what went out before', async (t) => {
  const one = await sender()
  const on = (field: string, operator: string, value?: string) => ({
    ...mail,
    conditions: [{ field, operator, ...(value !== undefined && { value }) }],
  })
  const tried = async (step: StepForm, data: Record<string, string> = {}) => {
    const user = person()
    await put(one, user, { email, locale: 'de-AT', data: { plan: 'gold' } })
    await flow(one, [inApp, step])
    return traceOf(await run(one, await start(one, user, { data })))[1]
  }
  t.equal(await tried(on('data.total', 'greater_than', '9'), { total: '10' }), 'email done')
  t.equal(await tried(on('data.total', 'greater_than', '9'), { total: '8.5' }), 'email skipped condition')
  t.equal(await tried(on('data.total', 'greater_than', '9'), {}), 'email skipped condition')
  t.equal(await tried(on('data.a.b', 'equal_to', 'x'), { 'a.b': 'x' }), 'email done')
  t.equal(await tried(on('person.data.plan', 'not_equal_to', 'gold')), 'email skipped condition')
  t.equal(await tried(on('person.locale', 'contains', 'AT')), 'email done')
  t.equal(await tried(on('person.phone', 'not_empty')), 'email skipped condition')
  t.equal(await tried(on('channels.in_app', 'equal_to', 'done')), 'email done')
  t.equal(await tried(on('channels.push', 'empty')), 'email done')
  t.equal(await tried(on('data.__proto__', 'empty')), 'email done')
})

t.test('a run keeps the version and the texts that it began with, in the person’s language', async (t) => {
  const one = await sender()
  const say = (locale: string, title: string, body?: string) =>
    one.ask('PUT /v1/notify/texts', { body: { type: 'order.shipped', locale, title, body } })
  const ann = person()
  await put(one, ann, { name: 'Ann', email, locale: 'de-AT' })
  t.match((await say('en', 'Order {{data.order}} left')).body, { version: 1, locale: 'en' })
  await say(
    'de',
    'Bestellung {{data.order}} ist unterwegs',
    'Hallo {{person.name}}{{person.phone}}, {{data.__proto__}}bis bald.',
  )
  await flow(one, [inApp, { type: 'wait', minutes: 5 }, mail])
  const data = { order: '17\n!' }
  const [german, nobody] = [await start(one, ann, { data }), await start(one, person(), { data, email })]
  for (const id of [german, nobody]) await run(one, id, parked)
  t.match((await say('de', 'Anders')).body, { version: 2 })
  await one.ask('DELETE /v1/notify/texts?type=order.shipped&locale=en')
  await flow(one, [inApp])
  for (const id of [german, nobody]) await comes(id)
  t.match((await run(one, german)).steps, [
    { channel: 'in_app', text_locale: 'de', text_version: 1 },
    { type: 'wait' },
    { channel: 'email', text_locale: 'de', text_version: 1 },
  ])
  t.match((await run(one, nobody)).steps.at(-1), { channel: 'email', text_locale: 'en', text_version: 1 })
  t.match((await mailsOf(db, one.orgId)).map(({ subject, text }) => [subject, text]).sort(), [
    ['Bestellung 17 ! ist unterwegs', 'Hallo Ann, bis bald.\n'],
    ['Order 17 ! left', 'Order 17 ! left\n'],
  ])
  const { data: items } = (await one.ask(`GET /v1/notify/inbox?user_id=${ann}`)).body
  t.match(items, [{ title: 'Bestellung 17 ! ist unterwegs', body: 'Hallo Ann, bis bald.', data }])
  const later = await run(one, await start(one, ann, { data }))
  t.match(later.steps, [{ channel: 'in_app', text_locale: 'de', text_version: 2 }])
  t.equal(later.steps.length, 1, 'the version that is published now')
  t.match((await one.ask('GET /v1/notify/workflows/flow')).body, {
    version: 2,
    published_version: 2,
    versions: [{ version: 2 }, { version: 1 }],
  })
})

t.test('events of a window go through a workflow as one, of each key in a window of its own', async (t) => {
  const [one, user] = [await sender(), person()]
  await put(one, user, { email })
  await flow(one, [{ type: 'digest', minutes: 30, key: 'data.project' }, inApp, mail])
  const told = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      one.tell(user, { title: `Comment ${n}`, data: { project: n % 4 ? 'a' : 'b' } }),
    ),
  )
  const runs = new Set(told.map(({ body }) => body.run_id as string))
  t.equal(runs.size, 2)
  for (const id of runs) await run(one, id, parked)
  for (const id of runs) await comes(id, 3)
  for (const id of runs) t.same(traceOf(await run(one, id)), ['digest done', 'in_app done', 'email done'])
  const subjects = (await mailsOf(db, one.orgId)).map(({ subject }) => subject.replace(/.* \(/, '('))
  t.same(subjects.sort(), ['(and 14 more)', '(and 4 more)'])
  t.equal((await one.inbox(user)).length, 2)
  const next = await one.tell(user, { data: { project: 'a' } })
  t.notOk(runs.has(next.body.run_id), 'a window that is over takes nothing more')
  const { body } = await one.ask(`GET /v1/notify/runs?user_id=${user}&state=waiting`)
  t.same(
    body.data.map(({ id }: { id: string }) => id),
    [next.body.run_id],
  )
})

t.test(
  'a draft starts nothing, one trigger starts one workflow, and an event may name its channels itself',
  async (t) => {
    const [one, user] = [await sender(), person()]
    const body = { name: 'Draft', product_key: 'shop', type: 'order.shipped', steps: [inApp] }
    t.match((await one.ask('PUT /v1/notify/workflows/draft', { body })).body, { version: 0, published_version: null })
    t.match((await one.tell(user)).body, { chosen_by: 'default', run_id: null })
    await flow(one, [inApp])
    t.match((await one.ask('POST /v1/notify/workflows/draft/publish')).body.error, { code: 'trigger_taken' })
    t.match((await one.tell(user, { channels: ['in_app'] })).body, { chosen_by: 'event', run_id: null })
    t.match((await one.ask('POST /v1/notify/workflows/flow/unpublish')).body, { version: 1, published_version: null })
    t.match((await one.ask('POST /v1/notify/workflows/draft/publish')).body, { version: 1, published_version: 1 })
    const other = await sender()
    for (const request of [
      'GET /v1/notify/workflows/draft',
      'POST /v1/notify/workflows/draft/publish',
      'DELETE /v1/notify/workflows/draft',
      `GET /v1/notify/runs/${await start(one, user)}`,
    ])
      t.equal((await other.ask(request)).status, 404, request)
    t.same((await other.ask('GET /v1/notify/runs')).body.data, [])
  },
)

t.test('a step that an area refuses is told with its reason, and the run goes on', async (t) => {
  const [one, user] = [await sender(), person()]
  await flow(one, [{ ...mail, text: 'none.such' }, { type: 'channel', channel: 'whatsapp' }, inApp])
  await put(one, user, { phone: '+3725550123' })
  const id = await start(one, user, { email: { to: email, from: 'a@elsewhere.example' } })
  const ended = await run(one, id)
  t.same(traceOf(ended), ['email refused domain_not_verified', 'whatsapp refused not_configured', 'in_app done'])
  await until(async () => (await one.unread(user)) === 1)
})

t.test('a window may be named by the longest value that an event may have', async (t) => {
  const one = await sender()
  await flow(one, [{ type: 'digest', minutes: 10, key: 'data.order' }, inApp])
  // Nothing that could be made shorter on its way into an index.
  const order = String.fromCharCode(...Array.from({ length: 2_000 }, () => randomInt(0x4e00, 0x9fff)))
  const user = person()
  const ids = [await start(one, user, { data: { order } }), await start(one, user, { data: { order } })]
  t.equal(ids[0], ids[1], 'both are in one window')
  t.not(await start(one, user, { data: { order: `${order.slice(1)}x` } }), ids[0])
})
