import t from 'tap'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { pushStack } from './stack.ts'
import { openStream } from './stream-client.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const app = await stack.app()
const { ask, db } = stack

/** A stream's installation of a person. */
async function installation(userId: string, facts: Record<string, unknown> = {}) {
  const { id, stream } = await stack.device(app, userId, { push_provider: 'sse', ...facts })
  const url = (more: Record<string, string | number> = {}) =>
    `${stream.url}?${new URLSearchParams({ token: stream.token, ...more } as Record<string, string>)}`
  return { id, stream, url }
}

const receipt = (delivery_id: string, event = 'delivered') =>
  ask('POST /push/v1/receipts', { body: { delivery_id, event } })

/** Sends messages one after the other, each expanded before the next. */
async function sendAll(userId: string, ...titles: string[]) {
  for (const title of titles) await stack.ended((await stack.send(app, userId, { title })).id)
}

const titles = (events: { event: string; data: { title?: string } }[]) =>
  events.map(({ event, data }) => data.title ?? event)

t.test('a message comes to every open stream of the person, and to nobody else', async (t) => {
  const [phone, desk, bob] = [await installation('ann'), await installation('ann'), await installation('bob')]
  const streams = await Promise.all([phone, desk, bob].map(({ url }) => openStream(t, url())))
  const sent = await stack.send(app, 'ann', { title: 'Hi', body: 'there', data: { a: '1' }, collapse_key: 'c' })
  const [first] = await (streams[0] as (typeof streams)[0]).gets(1)
  t.match(first, {
    id: '1',
    event: 'message',
    data: { message_id: sent.id, title: 'Hi', body: 'there', data: { a: '1' }, collapse_key: 'c' },
  })
  await streams[1]?.gets(1)
  await sendAll('bob', 'for bob')
  t.same(titles((await streams[2]?.gets(1)) ?? []), ['for bob'])
  t.match(streams[0], { status: 200, retry: 3_000, response: { headers: { 'content-type': 'text/event-stream' } } })
  t.equal(streams[0]?.response.headers['access-control-allow-origin'], '*')
  t.match((await ask(`GET /push/v1/messages/${sent.id}`)).body, { status: 'sent', counts: { sent: 2, delivered: 0 } })
})

t.test('a client that comes back gets what it has missed, in order, with Last-Event-ID or last_event_id', async (t) => {
  const { url } = await installation('carl')
  const before = await openStream(t, url())
  await sendAll('carl', 'one')
  const id = (await before.gets(1))[0]?.id ?? ''
  before.close()
  await sendAll('carl', 'two', 'three')
  const byHeader = await openStream(t, url(), { 'last-event-id': id })
  t.same(titles(await byHeader.gets(2)), ['two', 'three'])
  t.same(titles(await (await openStream(t, url({ last_event_id: id }))).gets(2)), ['two', 'three'])
  await sendAll('carl', 'four')
  t.same(titles(await byHeader.gets(3)), ['two', 'three', 'four'])
})

t.test('without a Last-Event-ID a client gets what no receipt has confirmed and is not over', async (t) => {
  const { url } = await installation('dora')
  await sendAll('dora', 'confirmed', 'over', 'open')
  const [confirmed] = await (await openStream(t, url())).gets(3)
  t.equal((await receipt(confirmed?.data.delivery_id)).body.status, 'delivered')
  await db.query(sql.typeAlias('void')`
    update push.messages set expires_at = now() - interval '2 minutes' where content ->> 'title' = 'over'`)
  const again = await openStream(t, url())
  t.same(titles(await again.gets(1)), ['open'])
  await sendAll('dora', 'new')
  t.same(titles(await again.gets(2)), ['open', 'new'])
})

t.test('what a later message takes the place of is not replayed', async (t) => {
  const { url } = await installation('eve')
  for (const title of ['3:0', '3:1']) {
    await stack.ended((await stack.send(app, 'eve', { title, collapse_key: 'score' })).id)
  }
  t.same(titles(await (await openStream(t, url())).gets(1)), ['3:1'])
})

t.test('each device gets the language it speaks', async (t) => {
  const { body } = await ask('POST /push/v1/templates', {
    body: { name: 'hi', default_locale: 'en', locales: { en: { title: 'Hello {{n}}' }, de: { title: 'Hallo {{n}}' } } },
  })
  const [de, fr] = [await installation('fay', { locale: 'de-AT' }), await installation('fay', { locale: 'fr' })]
  await stack.send(app, 'fay', { template_id: body.id, variables: { n: 'Fay' } })
  t.same(titles(await (await openStream(t, de.url())).gets(1)), ['Hallo Fay'])
  t.same(titles(await (await openStream(t, fr.url())).gets(1)), ['Hello Fay'])
})

t.test('reset: the client is ahead, names no id, or was away for longer than what is kept', async (t) => {
  const { id, url } = await installation('gus')
  await sendAll('gus', 'one', 'two')
  for (const last of [77, 'x']) {
    const events = await (await openStream(t, url({ last_event_id: last }))).gets(3)
    t.same(titles(events), ['reset', 'one', 'two'])
    t.equal(events[0]?.id, '2')
  }
  t.same(titles(await (await openStream(t, url({ last_event_id: 0 }))).gets(2)), ['one', 'two'])
  await db.query(sql.typeAlias('void')`
    update push.installations set created_at = now() - interval '40 days' where id = ${id}`)
  await db.query(sql.typeAlias('void')`delete from push.messages where content ->> 'title' = 'one' and user_id = 'gus'`)
  t.same(titles(await (await openStream(t, url({ last_event_id: 1 }))).gets(2)), ['reset', 'two'])
  const end = await openStream(t, url({ last_event_id: 2 }))
  await sendAll('gus', 'three')
  t.same(titles(await end.gets(1)), ['three'], 'who has seen the last one has missed nothing')
})

t.test('a stream ends with its installation, and 204 keeps the client away', async (t) => {
  const removed = await installation('hal')
  const stream = await openStream(t, removed.url())
  t.equal((await ask(`DELETE /push/v1/installations/${removed.id}`)).status, 200)
  await stream.ended
  t.equal((await openStream(t, removed.url())).status, 204)

  const moved = await installation('ida')
  await sendAll('ida', 'ida’s')
  const idas = await openStream(t, moved.url())
  await idas.gets(1)
  await stack.device(app, 'jan', { push_provider: 'sse', token: moved.id })
  await sendAll('jan', 'jan’s')
  await idas.ended
  t.same(titles(idas.events), ['ida’s'], 'a former owner sees nothing of the next one’s')
  t.same(titles(await (await openStream(t, moved.url())).gets(1)), ['jan’s'])
})

t.test('401 without a good token; the token may come in Authorization', async (t) => {
  const { stream, url } = await installation('kim')
  const other = stream.token.replace(/^./, (c: string) => (c === 'e' ? 'f' : 'e'))
  for (const token of ['', 'x', other]) {
    const { status } = await openStream(t, `${stream.url}?token=${token}`)
    t.equal(status, 401)
  }
  t.equal((await openStream(t, stream.url)).status, 401)
  t.equal((await openStream(t, stream.url, { authorization: `Bearer ${stream.token}` })).status, 200)
  t.equal((await openStream(t, url())).status, 200)
})

t.test('streams go on when Postgres has cut the connection on which they listen', async (t) => {
  const { url } = await installation('lea')
  const stream = await openStream(t, url())
  await sendAll('lea', 'one')
  await stream.gets(1)
  const cut = await db.any(sql.unsafe`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ilike 'listen "push_stream"%'`)
  t.ok(cut.length > 0)
  await sendAll('lea', 'two')
  t.same(titles(await stream.gets(2)), ['one', 'two'])
})

t.test('an installation may have 20 streams at once', async (t) => {
  const { url } = await installation('mia')
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(t, url())))
  t.ok(streams.every(({ status }) => status === 200))
  t.equal((await openStream(t, url())).status, 429)
  streams[0]?.close()
  t.ok(await until(async () => (await openStream(t, url())).status === 200))
})
