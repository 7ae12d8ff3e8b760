import t from 'tap'
import { z } from 'zod'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { sendBroadcast } from '#tasks/notify/send-broadcast.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { until } from '../support/until.ts'
import { flowing } from './flows.ts'
import { mailsOf, person, type Teller } from './people.ts'

t.setTimeout(240_000)
const { db, ingress, sender, teller, flow } = await flowing(t)

const content = { product_key: 'shop', type: 'release.published', title: 'Version 2' }

async function broadcast(one: Teller, facts: Record<string, unknown>) {
  const reply = await one.ask('POST /v1/notify/broadcasts', { body: { ...content, ...facts } })
  if (reply.status !== 202) throw new Error(reply.text)
  return reply.body
}

const ended = (one: Teller, id: string) =>
  until(
    async () => {
      const { body } = await one.ask(`GET /v1/notify/broadcasts/${id}`)
      return body.status === 'running' ? false : body
    },
    { timeout: 30_000 },
  )

/** The outcome of each person of a broadcast. */
async function outcomes(one: Teller, id: string, query = ''): Promise<Record<string, string>> {
  const { body } = await one.ask(`GET /v1/notify/broadcasts/${id}/people?limit=100&${query}`)
  return Object.fromEntries(
    body.data.map((p: { user_id: string; outcome: string; reason: string | null }) => [
      p.user_id,
      [p.outcome, p.reason].filter(Boolean).join(' '),
    ]),
  )
}

const put = (one: Teller, userId: string, body: object = {}) => one.ask(`PUT /v1/notify/people/${userId}`, { body })

t.test('a list of people: each gets an event, by their own preferences', async (t) => {
  const one = await sender()
  await put(one, 'ann', { email: 'ann@rcpt.example' })
  await put(one, 'bob')
  await one.prefer('ann', ['email'], { type: content.type })
  await one.prefer('cy', [], { type: '*' })
  await one.prefer('bob', ['email'], { type: content.type })
  const made = await broadcast(one, { recipients: ['ann', 'bob', 'cy', 'dee', 'ann'], data: { a: '1' } })
  t.match(made, { audience: 'recipients', topic: null, status: 'running', total: 4, told: 0, data: { a: '1' } })
  t.match(await ended(one, made.id), { status: 'completed', total: 4, told: 2, refused: 2, failed: 0 })
  t.same(await outcomes(one, made.id), {
    ann: 'told',
    bob: 'refused no_address',
    cy: 'refused preference',
    dee: 'told',
  })
  t.same(await outcomes(one, made.id, 'outcome=told'), { ann: 'told', dee: 'told' })
  await until(async () => (await mailsOf(db, one.orgId)).length === 1)
  t.equal((await one.inbox('dee')).length, 1)
  t.equal((await one.inbox('cy')).length, 0)
})

t.test('a topic: people join and leave, and the latest membership counts', async (t) => {
  const one = await teller()
  await put(one, 'ann')
  t.match(await one.ask('PUT /v1/notify/topics/news', { body: { name: 'News' } }), { status: 200, body: { people: 0 } })
  const ids = ['ann', 'bob', 'cy', person().toUpperCase()]
  const added = await one.ask('PUT /v1/notify/topics/news/people', { body: { user_ids: ids } })
  t.match(added.body, { key: 'news', added: 4, people: 4 })
  t.match((await one.ask('PUT /v1/notify/topics/news/people', { body: { user_ids: ids } })).body, {
    added: 0,
    people: 4,
  })
  const gone = await one.ask('DELETE /v1/notify/topics/news/people', { body: { user_ids: ['bob', 'nobody'] } })
  t.match(gone.body, { removed: 1, people: 3 })
  t.match((await one.ask('GET /v1/notify/people/ann/topics')).body, { data: [{ key: 'news', name: 'News' }] })
  t.equal((await one.ask('GET /v1/notify/topics/news/people')).body.data.length, 3)
  await one.ask('DELETE /v1/notify/people/ann')
  t.equal((await one.ask('GET /v1/notify/topics/news')).body.people, 2, 'who is deleted leaves all topics')
  const made = await broadcast(one, { topic: 'news' })
  t.match(made, { audience: 'topic', topic: 'news', total: 2 })
  t.match(await ended(one, made.id), { status: 'completed', total: 2, told: 2 })
  t.equal((await one.inbox('ann')).length, 0)
  t.equal((await one.inbox('cy')).length, 1)
  t.match((await one.ask('GET /v1/notify/broadcasts?topic=news&status=completed')).body.data, [{ id: made.id }])
  t.match((await one.ask('DELETE /v1/notify/topics/news')).body, { key: 'news', deleted: true })
  t.equal((await one.ask('GET /v1/notify/topics/news')).status, 404)
  t.equal((await one.ask(`GET /v1/notify/broadcasts/${made.id}`)).body.topic, 'news')
})

t.test('all people, through a workflow', async (t) => {
  const one = await sender()
  for (const [i, id] of ['a', 'b', 'c'].entries()) await put(one, id, { email: `p${i}@rcpt.example` })
  await flow(one, [{ type: 'channel', channel: 'email' }], { type: content.type })
  const made = await broadcast(one, { all: true })
  t.match(await ended(one, made.id), { audience: 'all', told: 3, total: 3 })
  await until(async () => (await mailsOf(db, one.orgId)).length === 3)
})

t.test('a dedupe key: who has an event with it is not told again', async (t) => {
  const one = await teller()
  const first = await broadcast(one, { recipients: ['ann', 'bob'], dedupe_key: 'v2' })
  await ended(one, first.id)
  const second = await broadcast(one, { recipients: ['bob', 'cy'], dedupe_key: 'v2' })
  t.match(await ended(one, second.id), { told: 1, refused: 1 })
  t.same(await outcomes(one, second.id), { bob: 'refused duplicate', cy: 'told' })
  t.equal((await one.inbox('bob')).length, 1)
})

t.test('what has changed since counts: people, keys, organisations', async (t) => {
  const one = await teller()
  await put(one, 'ann')
  const [spare] = [await keys.create(db, { orgId: one.orgId, prefix: 'bt_live_', name: 'b', scopes: ['notify:write'] })]
  const heldUp = async (change: () => Promise<unknown>, facts = {}, key = one.key) => {
    // The row is locked while the change happens, so no page is processed before it.
    return await db.transaction(async (tx) => {
      const { body } = await ingress.ask('POST /v1/notify/broadcasts', {
        key,
        body: { ...content, recipients: ['ann', 'bob'], ...facts },
      })
      await tx.query(sql.typeAlias('void')`select from notify.broadcasts where id = ${body.id} for update`)
      await change()
      return body.id as string
    })
  }
  const removed = await heldUp(() => one.ask('DELETE /v1/notify/people/ann'))
  t.match(await ended(one, removed), { status: 'completed' })
  const found = await outcomes(one, removed)
  if (found.ann !== 'told') t.equal(found.ann, 'refused person_removed')
  await keys.revoke(db, one.orgId, spare.id)
  const id = await heldUp(() => Promise.resolve())
  await ended(one, id)
  await db.query(sql.typeAlias('void')`
    update notify.broadcasts set status = 'running', ended_at = null, key_id = ${spare.id} where id = ${id}`)
  await enqueue(db, sendBroadcast, { broadcastId: id })
  t.match(await ended(one, id), { status: 'failed', reason: 'key_revoked' })
  const reader = await keys.create(db, { orgId: one.orgId, prefix: 'bt_live_', name: 'r', scopes: ['notify:read'] })
  await db.query(sql.typeAlias('void')`
    update notify.broadcasts set status = 'running', reason = null, ended_at = null, key_id = ${reader.id}
    where id = ${id}`)
  await enqueue(db, sendBroadcast, { broadcastId: id })
  t.match(await ended(one, id), { status: 'failed', reason: 'key_revoked' }, 'the key can no longer notify')
})

t.test('cancelling: nobody else is told, and an ended broadcast cannot be cancelled', async (t) => {
  const one = await teller()
  const made = await broadcast(one, { recipients: ['ann', 'bob'] })
  await ended(one, made.id)
  t.equal((await one.ask(`POST /v1/notify/broadcasts/${made.id}/cancel`)).status, 409)
  const Row = z.object({ id: z.string() })
  const { id } = await db.one(sql.type(Row)`
    insert into notify.broadcasts (id, org_id, audience, product_key, type, title, total)
    values (gen_random_uuid(), ${one.orgId}, 'recipients', 'shop', 'x', 'X', 1) returning id`)
  await db.query(sql.typeAlias('void')`
    insert into notify.broadcast_people (id, broadcast_id, org_id, user_id, subject, outcome)
    values (gen_random_uuid(), ${id}, ${one.orgId}, gen_random_uuid(), 'eve', 'waiting')`)
  t.match(await one.ask(`POST /v1/notify/broadcasts/${id}/cancel`), {
    status: 200,
    body: { status: 'cancelled', total: 1, refused: 1 },
  })
  await enqueue(db, sendBroadcast, { broadcastId: id })
  t.same(await outcomes(one, id), { eve: 'refused cancelled' })
})

t.test('one person whose event cannot be stored harms no other', async (t) => {
  const one = await teller()
  const bad = person()
  await db.query(sql.unsafe`
    create function notify.refuse_one() returns trigger language plpgsql as $$ begin
      if new.title = 'Poison' and new.subject = 'p57' then raise exception 'no' using errcode = '23514'; end if;
      return new; end $$`)
  await db.query(sql.unsafe`
    create trigger refuse_one before insert on notify.events for each row execute function notify.refuse_one()`)
  const recipients = Array.from({ length: 120 }, (_, i) => `p${i}`)
  const made = await broadcast(one, { recipients: [...recipients, bad], title: 'Poison' })
  t.match(await ended(one, made.id), { status: 'completed', told: 120, failed: 1 })
  t.same(await outcomes(one, made.id, 'outcome=failed'), { p57: 'failed not_storable' })
  const events = recipients.slice(50, 60).map((subject_user_id) => ({ ...content, title: 'Poison', subject_user_id }))
  const batch = await one.ask('POST /v1/notify/events/batch', { body: { events } })
  t.match(batch.body, { accepted: 9, refused: 1 })
  t.match(batch.body.data[7], { accepted: false, index: 7, error: { code: 'bad_request' } })
})

t.test('one email that cannot be stored delays no other', async (t) => {
  const one = await sender()
  await db.query(sql.unsafe`
    create function email.refuse_one() returns trigger language plpgsql as $$ begin
      if new.to_email = 'p7@poison.example' then raise exception 'no' using errcode = '23514'; end if;
      return new; end $$`)
  await db.query(sql.unsafe`
    create trigger refuse_one before insert on email.messages for each row execute function email.refuse_one()`)
  const recipients = Array.from({ length: 20 }, (_, i) => `p${i}`)
  for (const id of recipients) await put(one, id, { email: `${id}@poison.example` })
  const made = await broadcast(one, { recipients, channels: ['email'] })
  t.match(await ended(one, made.id), { told: 20 })
  await until(async () => (await mailsOf(db, one.orgId)).length === 19)
})

t.test('a test key: only the test inbox', async (t) => {
  const one = await teller()
  const { secret } = await keys.create(db, {
    ...{ orgId: one.orgId, prefix: 'bt_test_', name: 't', scopes: ['notify:read', 'notify:write'] },
  })
  const as = (request: string, body?: unknown) => ingress.ask(request, { key: secret, ...(body ? { body } : {}) })
  await one.ask('PUT /v1/notify/topics/news', { body: { name: 'News' } })
  t.equal((await as('POST /v1/notify/broadcasts', { ...content, all: true })).status, 403)
  t.equal((await as('POST /v1/notify/broadcasts', { ...content, topic: 'news' })).status, 403)
  const made = await as('POST /v1/notify/broadcasts', { ...content, recipients: ['ann', 'bob'] })
  t.match(made, { status: 202, body: { sandbox: true } })
  await until(async () => (await as(`GET /v1/notify/broadcasts/${made.body.id}`)).body.status === 'completed')
  t.match((await as(`GET /v1/notify/broadcasts/${made.body.id}`)).body, { told: 2, refused: 0 })
  t.equal((await one.inbox('ann')).length, 0)
  t.equal((await one.ask(`GET /v1/notify/broadcasts/${made.body.id}`)).status, 404, 'live keys do not see it')
  const batch = await as('POST /v1/notify/events/batch', { events: [{ ...content, subject_user_id: 'ann' }] })
  t.match(batch.body, { accepted: 1, data: [{ sandbox: true }] })
})

t.test('a batch of events: each has its own result', async (t) => {
  const one = await teller()
  const events = [
    { ...content, subject_user_id: 'ann', dedupe_key: 'k' },
    { ...content, subject_user_id: 'ann', title: '' },
    { ...content, subject_user_id: 'ann', dedupe_key: 'k' },
    'nothing',
    { ...content, subject_user_id: 'bob\u0000' },
  ]
  const { status, body } = await one.ask('POST /v1/notify/events/batch', { body: { events } })
  t.equal(status, 200)
  t.match(body, { accepted: 2, refused: 3 })
  t.match(body.data[0], { accepted: true, index: 0, deduplicated: false, subject_user_id: 'ann' })
  t.match(body.data[1], { accepted: false, error: { details: [{ field: 'body.events.1.title' }] } })
  t.match(body.data[2], { accepted: true, deduplicated: true, id: body.data[0].id })
  t.match(body.data[3], { accepted: false, error: { details: [{ field: 'body.events.3' }] } })
  t.match(body.data[4], { accepted: false, error: { details: [{ field: 'body.events.4.subject_user_id' }] } })
  t.equal((await one.inbox('ann')).length, 1)
})

t.test('one idempotency key is one broadcast, and too many at the same time are refused', async (t) => {
  const one = await teller()
  const send = () =>
    one.ask('POST /v1/notify/broadcasts', {
      body: { ...content, recipients: ['ann'] },
      headers: { 'idempotency-key': 'x' },
    })
  const [a, b] = [await send(), await send()]
  t.equal(a.body.id, b.body.id)
  await ended(one, a.body.id)
  await db.query(sql.typeAlias('void')`
    insert into notify.broadcasts (id, org_id, audience, product_key, type, title, total)
    select gen_random_uuid(), ${one.orgId}, 'recipients', 'shop', 'x', 'X', 1 from generate_series(1, 20)`)
  t.match(await one.ask('POST /v1/notify/broadcasts', { body: { ...content, recipients: ['ann'] } }), {
    status: 409,
    body: { error: { code: 'too_many_broadcasts' } },
  })
})
