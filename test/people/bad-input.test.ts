import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf } from '../support/ingress.ts'
import { peopleStack } from './people.ts'

const stack = await peopleStack(t)
const one = await stack.house()
await one.ask('PUT /v1/notify/people/ann', { email: 'ann@rcpt.example', phone: '+3725550123' })

const long = 'x'.repeat(256)
const source = 'form'

/** Requests with the fields that their 400 names. */
const bad: [request: string, body: unknown, fields: string[]][] = [
  ['GET /v1/people?limit=0', undefined, ['query.limit']],
  ['GET /v1/people?limit=101', undefined, ['query.limit']],
  ['GET /v1/people?limit=x', undefined, ['query.limit']],
  ['GET /v1/people?cursor=%00', undefined, ['query.cursor']],
  ['GET /v1/people?cursor=abc', undefined, ['query.cursor']],
  ['GET /v1/people?email=x', undefined, ['query.email']],
  ['GET /v1/people?email=a@b@', undefined, ['query.email']],
  ['GET /v1/people?phone=123', undefined, ['query.phone']],
  ['GET /v1/people?phone=%2B1', undefined, ['query.phone']],
  ['GET /v1/people?user_id=', undefined, ['query.user_id']],
  [`GET /v1/people?user_id=${long}`, undefined, ['query.user_id']],
  ['GET /v1/people?user_id=%20a', undefined, ['query.user_id']],
  ['GET /v1/people?name=ann', undefined, ['query', 'query.name']],
  ['GET /v1/people?email=x&phone=1', undefined, ['query.email', 'query.phone']],
  [`GET /v1/people/${long}`, undefined, ['path.user_id']],
  ['GET /v1/people/a%0Ab', undefined, ['path.user_id']],
  ['GET /v1/people/ann?x=1', undefined, ['query', 'query.x']],
  ['GET /v1/people/ann/timeline?kind=fax', undefined, ['query.kind.0']],
  ['GET /v1/people/ann/timeline?kind=email&kind=fax', undefined, ['query.kind.1']],
  ['GET /v1/people/ann/timeline?limit=-1', undefined, ['query.limit']],
  ['GET /v1/people/ann/timeline?cursor=1', undefined, ['query.cursor']],
  ['GET /v1/people/ann/consent/changes?channel=fax', undefined, ['query.channel']],
  ['GET /v1/people/erasures?status=gone', undefined, ['query.status']],
  ['GET /v1/people/erasures?user_id=', undefined, ['query.user_id']],
  ['PUT /v1/people/ann/consent', {}, ['body.source']],
  ['PUT /v1/people/ann/consent', { source }, ['body']],
  ['PUT /v1/people/ann/consent', { email: 'denied' }, ['body.source']],
  ['PUT /v1/people/ann/consent', { email: 'yes', source }, ['body.email']],
  ['PUT /v1/people/ann/consent', { email: null, source }, ['body.email']],
  [
    'PUT /v1/people/ann/consent',
    { email: true, push: 1, whatsapp: [], source },
    ['body.email', 'body.push', 'body.whatsapp'],
  ],
  ['PUT /v1/people/ann/consent', { email: 'denied', source: ' ' }, ['body.source']],
  ['PUT /v1/people/ann/consent', { email: 'denied', source: 'x'.repeat(201) }, ['body.source']],
  ['PUT /v1/people/ann/consent', { fax: 'denied', source }, ['body', 'body.fax']],
  ['PUT /v1/people/ann/consent', { email: 'denied', source, evidence: 'x' }, ['body.evidence']],
  ['PUT /v1/people/ann/consent', { email: 'denied', source, evidence: { a: 1 } }, ['body.evidence.a']],
  [
    'PUT /v1/people/ann/consent',
    { email: 'denied', source, evidence: Object.fromEntries([1, 2, 3].map((n) => [n, 'x'.repeat(1_900)])) },
    ['body.evidence'],
  ],
  ['PUT /v1/people/ann/consent', { email: 'denied', source, given_at: 'today' }, ['body.given_at']],
  ['PUT /v1/people/ann/consent', { email: 'denied', source, given_at: '2999-01-01T00:00:00Z' }, ['body.given_at']],
  ['PUT /v1/people/ann/consent', { email: 'denied', source, given_at: '2026-13-01T00:00:00Z' }, ['body.given_at']],
  ['PUT /v1/people/ann/consent', [], ['body']],
  ['POST /v1/people/ann/erase', { reason: '' }, ['body.reason']],
  ['POST /v1/people/ann/erase', { reason: 'x'.repeat(501) }, ['body.reason']],
  ['POST /v1/people/ann/erase', { now: true }, ['body.now']],
  ['POST /v1/people/ann/erase', 'x', ['body']],
  ['PUT /v1/whatsapp/recipients/123', {}, ['path.phone']],
  ['PUT /v1/whatsapp/recipients/%2B3725550123', { consent: 'maybe' }, ['body.consent']],
  ['PUT /v1/whatsapp/recipients/%2B3725550123', { consent_source: 'x' }, ['body.consent_source']],
  ['PUT /v1/whatsapp/recipients/%2B3725550123', { user_id: '' }, ['body.user_id']],
  ['PUT /v1/whatsapp/recipients/%2B3725550123', { user_id: 7, consent: 1 }, ['body.consent', 'body.user_id']],
  ['GET /v1/whatsapp/recipients?consent=x', undefined, ['query.consent']],
  ['POST /send/v1/contacts', { email: 'a@rcpt.example', user_id: ' a' }, ['body.user_id']],
  ['POST /send/v1/contacts', { email: 'a@rcpt.example', user_id: null }, ['body.user_id']],
  ['PATCH /send/v1/contacts/a@rcpt.example', { user_id: long }, ['body.user_id']],
  ['GET /send/v1/contacts?user_id=', undefined, ['query.user_id']],
  ['POST /push/v1/users', { app_id: newId(), user_id: 'a', opted_out: 'yes' }, ['body.opted_out']],
]

t.test('each bad request is refused with the fields that are wrong', async (t) => {
  for (const [request, body, fields] of bad) {
    const reply = await one.ask(request, body)
    const name = `${request} ${JSON.stringify(body)?.slice(0, 60)}`
    t.equal(reply.status, 400, name)
    t.same([...fieldsOf(reply)].sort(), fields, name)
  }
})

t.test('odd but valid values never fail', async (t) => {
  const ids = [
    'erasures',
    'a/b',
    '%',
    '../x',
    'ä',
    '😀',
    "'; drop table",
    '0198f1c2-7f00-7000-8000-000000000001',
    '-',
    'null',
  ]
  for (const id of ids) {
    const path = encodeURIComponent(id)
    for (const request of [`GET /v1/people/${path}/timeline`, `GET /v1/people/${path}/consent`]) {
      t.equal((await one.ask(request)).status, 404, request)
    }
    t.same((await one.ask(`GET /v1/people?user_id=${path}`)).body.data, [], id)
    t.equal((await one.ask(`POST /v1/people/${path}/erase`, {})).status, 404, id)
  }
  for (const id of ['x', newId()]) t.equal((await one.ask(`GET /v1/people/erasures/${id}`)).status, 404)
  const import_ = await one.ask('POST /send/v1/contacts/import', {
    contacts: [{ email: 'b@rcpt.example', user_id: '' }],
  })
  t.match(import_.body, { imported: 0, invalid: 1, errors: [{ line: 1, issue: /^user_id/ }] })
})
