import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { campaignWorker, sending } from './sending.ts'

const { databaseUrl, sender } = await sending(t)
await campaignWorker(t, databaseUrl)
const one = await sender()
const topic = (body: object) => one.ask('POST /send/v1/topics', { body })
const made = await topic({ key: 'news', name: 'Product news', description: 'Once a month' })
await topic({ key: 'offers', name: 'Offers', default_state: 'unsubscribed' })
await topic({ key: 'beta', name: 'Beta', default_state: 'unsubscribed', visibility: 'private' })
const contact = (email: string) => one.ask('POST /send/v1/contacts', { body: { email, consent_source: 'form' } })

t.test('a topic is created, read, changed and deleted', async (t) => {
  t.match([made.status, made.body], [201, { key: 'news', default_state: 'subscribed', visibility: 'public' }])
  t.match((await topic({ key: 'news', name: 'x' })).body.error, { code: 'topic_exists' })
  t.match((await one.ask('GET /send/v1/topics/news')).body, { name: 'Product news' })
  t.match((await one.ask('PATCH /send/v1/topics/news', { body: { name: 'News' } })).body, { name: 'News' })
  t.equal((await one.ask('GET /send/v1/topics')).body.data.length, 3)
  const stranger = await sender()
  for (const request of ['GET /send/v1/topics/news', 'DELETE /send/v1/topics/news'])
    t.equal((await stranger.ask(request)).status, 404)
  await topic({ key: 'gone', name: 'Gone' })
  t.match((await one.ask('DELETE /send/v1/topics/gone')).body, { key: 'gone', deleted: true })
  t.equal((await one.ask('DELETE /send/v1/topics/gone')).status, 404)
})

t.test('choices of a contact, and what is sent to it', async (t) => {
  const { body: ann } = await contact('ann@people.example')
  t.same(ann.topics, {})
  const path = '/send/v1/contacts/ann@people.example/topics'
  t.match((await one.ask(`GET ${path}`)).body.topics, [
    { key: 'news', state: 'subscribed', chosen: false },
    { key: 'offers', state: 'unsubscribed', chosen: false },
    { key: 'beta', state: 'unsubscribed' },
  ])
  const mail = (topic: string, more = {}) =>
    one.send({ stream: 'subscribed', to: 'ann@people.example', topic, ...more })
  t.equal((await mail('news')).status, 202)
  t.match(await mail('offers'), { status: 403, body: { error: { code: 'topic_unsubscribed' } } })
  const set = await one.ask(`PATCH ${path}`, { body: { topics: { news: 'unsubscribed', offers: 'subscribed' } } })
  t.match(set.body.topics, [{ key: 'news', state: 'unsubscribed', chosen: true }, { state: 'subscribed' }])
  t.equal((await mail('news')).status, 403)
  t.equal((await mail('news', { stream: 'transactional' })).status, 403)
  t.equal((await one.send({ to: 'ann@people.example' })).status, 202)
  const sent = await mail('offers')
  t.match((await one.ask(`GET /send/v1/messages/${sent.body.id}`)).body, { topic: 'offers' })
  const read = (await one.ask('GET /send/v1/contacts/ann@people.example')).body
  t.same(read.topics, { news: 'unsubscribed', offers: 'subscribed' })
  t.match(read.history.at(-1), {
    kind: 'topics_changed',
    source: 'api',
    detail: 'news: unsubscribed, offers: subscribed',
  })
  const segment = (op: string) =>
    one.ask('POST /send/v1/segments/preview', { body: { conditions: [{ field: 'topic', op, value: 'news' }] } })
  t.match((await segment('has')).body.contacts, { confirmed: 0 })
  t.match((await segment('lacks')).body.contacts, { confirmed: 1 })
})

t.test('a campaign with a topic reaches only those who are subscribed to it', async (t) => {
  await contact('bob@people.example')
  const campaign = { name: 'a', subject: 'b', html: 'c', from_email: `a@${one.domain}`, topic: 'news' }
  const { id } = (await one.ask('POST /send/v1/campaigns', { body: campaign })).body
  t.match((await one.ask('DELETE /send/v1/topics/news')).body.error, { code: 'topic_in_use' })
  await one.ask(`POST /send/v1/campaigns/${id}/send`)
  const sent = await until(async () => {
    const now = (await one.ask(`GET /send/v1/campaigns/${id}`)).body
    return now.status === 'sent' && now
  })
  t.match(sent, { topic: 'news', blocked: { by_reason: { topic: 1 } } })
  const to = (await one.ask(`GET /send/v1/messages?campaign_id=${id}`)).body.data.map((m: { to: string }) => m.to)
  t.same(to, ['bob@people.example'])
})

t.test('a message that is sent again keeps its topic, and the choice applies', async (t) => {
  const ask = (request: string, body?: unknown) =>
    one.ask(request, { key: one.sandbox, ...(body !== undefined && { body }) })
  await ask('POST /send/v1/contacts', { email: 'cem@people.example', consent_source: 'x' })
  const given = { stream: 'subscribed', to: 'cem@people.example', topic: 'news' }
  const mail = await one.send(given, { key: one.sandbox })
  const resend = () => ask(`POST /send/v1/messages/${mail.body.id}/resend`)
  const again = await resend()
  t.equal(again.status, 202, again.text)
  t.match((await ask(`GET /send/v1/messages/${again.body.id}`)).body, { topic: 'news' })
  await ask('PATCH /send/v1/contacts/cem@people.example/topics', { topics: { news: 'unsubscribed' } })
  t.match((await resend()).body.error, { code: 'topic_unsubscribed' })
})

t.test('invalid fields are named', async (t) => {
  const cases: [string, unknown, string[]][] = [
    ['POST /send/v1/topics', {}, ['body.key', 'body.name']],
    ['POST /send/v1/topics', { key: 'A', name: 'x' }, ['body.key']],
    ['POST /send/v1/topics', { key: '', name: 'x' }, ['body.key']],
    ['POST /send/v1/topics', { key: '-a', name: 'x' }, ['body.key']],
    ['POST /send/v1/topics', { key: 'a b', name: 'x' }, ['body.key']],
    ['POST /send/v1/topics', { key: 'a'.repeat(65), name: 'x' }, ['body.key']],
    ['POST /send/v1/topics', { key: 7, name: 'x' }, ['body.key']],
    ['POST /send/v1/topics', { key: 'k', name: '' }, ['body.name']],
    ['POST /send/v1/topics', { key: 'k', name: 'a\nb' }, ['body.name']],
    ['POST /send/v1/topics', { key: 'k', name: 'x'.repeat(101) }, ['body.name']],
    ['POST /send/v1/topics', { key: 'k', name: 'x', description: 'x'.repeat(501) }, ['body.description']],
    ['POST /send/v1/topics', { key: 'k', name: 'x', default_state: 'maybe' }, ['body.default_state']],
    ['POST /send/v1/topics', { key: 'k', name: 'x', visibility: 'secret' }, ['body.visibility']],
    ['POST /send/v1/topics', { key: 'k', name: 'x', more: 1 }, ['body.more']],
    ['PATCH /send/v1/topics/news', {}, ['body']],
    ['PATCH /send/v1/topics/news', { key: 'other' }, ['body', 'body.key']],
    ['PATCH /send/v1/topics/news', { name: null }, ['body.name']],
    ['PATCH /send/v1/contacts/x@y.example/topics', {}, ['body.topics']],
    ['PATCH /send/v1/contacts/x@y.example/topics', { topics: {} }, ['body.topics']],
    ['PATCH /send/v1/contacts/x@y.example/topics', { topics: { news: 'x' } }, ['body.topics.news']],
    ['PATCH /send/v1/contacts/x@y.example/topics', { topics: { nope: 'subscribed' } }, ['body.topics.nope']],
    ['PATCH /send/v1/contacts/x@y.example/topics', { topics: [] }, ['body.topics']],
    ['PATCH /send/v1/contacts/nobody/topics', { topics: { news: 'subscribed' } }, ['path.email']],
    [
      'POST /send/v1/campaigns',
      { name: 'a', subject: 'b', html: 'c', from_email: `a@${one.domain}`, topic: 'nope' },
      ['body.topic'],
    ],
    ['POST /send/v1/contacts/ann@people.example/preferences-tokens', { ttl_seconds: 1 }, ['body.ttl_seconds']],
    ['POST /send/v1/contacts/ann@people.example/preferences-tokens', { ttl_seconds: 1e9 }, ['body.ttl_seconds']],
    ['POST /send/v1/contacts/ann@people.example/preferences-tokens', { user_id: '' }, ['body.user_id']],
  ]
  for (const [request, body, fields] of cases) {
    const reply = await one.ask(request, { body })
    t.equal(reply.status, 400, `${request} ${JSON.stringify(body)}: ${reply.text}`)
    t.same(fieldsOf(reply), fields, `${request} ${JSON.stringify(body)}`)
  }
  const messages: [Record<string, unknown>, string][] = [
    [{ topic: 'nope', stream: 'subscribed', to: 'bob@people.example' }, 'body.topic'],
    [{ topic: 'news', stream: 'security' }, 'body.topic'],
    [{ topic: 'news', stream: 'repermission' }, 'body.topic'],
    [{ topic: 'news', cc: ['a@b.example'] }, 'body.topic'],
    [{ topic: null }, 'body.topic'],
    [{ topic: {} }, 'body.topic'],
  ]
  for (const [body, field] of messages) t.same(fieldsOf(await one.send(body)), [field], JSON.stringify(body))
})

t.test('test keys have their own choices', async (t) => {
  const ask = (request: string, body?: unknown) =>
    one.ask(request, { key: one.sandbox, ...(body !== undefined && { body }) })
  t.match((await ask('GET /send/v1/topics')).body.data.length, 3)
  t.equal((await ask('POST /send/v1/topics', { key: 'x', name: 'x' })).status, 403)
  await ask('POST /send/v1/contacts', { email: 'bob@people.example', consent_source: 'x' })
  await ask('PATCH /send/v1/contacts/bob@people.example/topics', { topics: { news: 'unsubscribed' } })
  t.same((await one.ask('GET /send/v1/contacts/bob@people.example')).body.topics, {})
  t.same((await ask('GET /send/v1/contacts/bob@people.example')).body.topics, { news: 'unsubscribed' })
})

t.test('a topic can have the name of a built-in property', async (t) => {
  const own = await sender()
  t.equal((await own.ask('POST /send/v1/topics', { body: { key: 'constructor', name: 'Houses' } })).status, 201)
  t.equal(
    (await own.ask('POST /send/v1/contacts', { body: { email: 'ann@b.example', consent_source: 'a' } })).status,
    201,
  )
  const { status, body } = await own.ask('GET /send/v1/contacts/ann@b.example/topics')
  t.match([status, body.topics], [200, [{ key: 'constructor', state: 'subscribed', chosen: false }]])
  const sent = await own.send({ to: 'ann@b.example', topic: 'constructor' })
  t.equal(sent.status, 202, sent.text)
})
