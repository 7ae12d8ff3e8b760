import '../support/voice-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { readTelephoneNumber } from '#lib/telephone-number.ts'
import { hashSecret } from '#lib/tokens.ts'
import { findCaller } from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import * as numbers from '#sql/voice/numbers.ts'
import * as rules from '#sql/voice/rules.ts'
import { expire } from '#tasks/voice/expire.ts'
import { get, signIn } from '../console/fixture.ts'
import { fieldsOf, testIngress, testOrg } from '../support/ingress.ts'
import { annNumber, bobNumber, ownNumber, voiceStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await voiceStack(t)
const { db, ask, orgId } = stack
const account = await testIngress(t, db, [], { only: ['account'] })
const post = (body: unknown, headers: Record<string, string> = {}, key = stack.key) =>
  ask('POST /v1/voice/click-to-call', { body, headers, key })
const good = { from: annNumber, to: bobNumber }

t.test('what may not be called is refused with a reason: no E.164, premium rate, emergency, of no country', (t) => {
  const refused: Record<string, string> = {
    '': 'E.164',
    '5551234': 'E.164',
    '00372510001': 'E.164',
    'tel:+37251000001': 'E.164',
    '+372 5100 0001': 'E.164',
    '+37251000001;ext=5': 'E.164',
    '\u202a+37251000001\u202c': 'E.164',
    '+3725100000１': 'E.164',
    '+37251000001\r\nX: y': 'E.164',
    '+0123456789': 'E.164',
    '+1234567890123456': 'E.164',
    '112': 'emergency',
    '+112': 'emergency',
    '911': 'emergency',
    '+999': 'emergency',
    '+372112': 'E.164',
    '+1911': 'E.164',
    '+3725': 'E.164',
    '+37299999999999': 'valid telephone number',
    '+15005550006': 'personal number',
    '+19002345678': 'premium rate',
    '+447012345678': 'personal number',
    '+881612345678': 'country',
    '+870773111632': 'country',
  }
  for (const [text, why] of Object.entries(refused)) t.match(readTelephoneNumber(text), why, JSON.stringify(text))
  t.match(readTelephoneNumber(annNumber), { country: 'EE', type: 'mobile' })
  t.match(readTelephoneNumber(' +18002345678 '), { country: 'US', type: 'toll_free' })
  t.end()
})

t.test('bad requests are a 400 that names every field', async (t) => {
  const bodies: [unknown, string[]][] = [
    [{}, ['body.from', 'body.to']],
    [[], ['body']],
    [{ from: 1, to: null }, ['body.from', 'body.to']],
    [{ ...good, to: '911', caller_id: annNumber }, ['body.caller_id', 'body.to']],
    [{ from: '+112', to: '+19002345678' }, ['body.from', 'body.to']],
    [{ ...good, to: annNumber }, ['body.to']],
    [
      { ...good, ring_timeout_seconds: 9, max_duration_seconds: 14_401 },
      ['body.max_duration_seconds', 'body.ring_timeout_seconds'],
    ],
    [{ ...good, ring_timeout_seconds: 10.5 }, ['body.ring_timeout_seconds']],
    [{ ...good, metadata: { a: 1 } }, ['body.metadata.a']],
    [{ ...good, metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [i, ''])) }, ['body.metadata']],
  ]
  for (const [body, fields] of bodies) {
    const reply = await post(body)
    t.equal(reply.status, 400, reply.text)
    t.same(fieldsOf(reply), fields)
  }
  t.equal((await post({ ...good, status_callback: 'https://x.example' })).status, 400)
  for (const id of ['x', newId()]) t.equal((await ask(`GET /v1/voice/calls/${id}`)).status, 404)
  t.equal((await ask('GET /v1/voice/calls?status=up')).status, 400)
})

t.test('a repeated request is the same call; one that waits is hung up at once, and begun late never', async (t) => {
  const first = await post(good, { 'idempotency-key': 'k' })
  t.match(first, { status: 200, body: { status: 'queued', from: annNumber, to: bobNumber, caller_id: ownNumber } })
  const again = await post(good, { 'idempotency-key': 'k' })
  t.equal(again.body.id, first.body.id)
  t.equal((await post({ ...good, max_duration_seconds: 5 }, { 'idempotency-key': 'k' })).status, 409)
  t.match(await ask(`DELETE /v1/voice/calls/${first.body.id}`), {
    body: {
      status: 'canceled',
      ended_by: 'api',
      legs: [{ status: 'canceled' }, { status: 'canceled' }],
      duration_seconds: 0,
    },
  })
  const late = await stack.call()
  await db.query(
    sql.typeAlias('void')`update voice.calls set created_at = now() - interval '2 minutes' where id = ${late}`,
  )
  await expire.run({}, { db } as never)
  t.match(await ask(`GET /v1/voice/calls/${late}`), { body: { status: 'failed', reason: 'not_begun' } })
  t.match(await ask('GET /v1/voice/calls?status=failed'), { body: { data: [{ id: late }], next_cursor: null } })
})

t.test('countries and caps hold for the organisation and, narrower, for a key', async (t) => {
  const { keys } = await testOrg(db, ['voice:call'])
  const own = {
    id: newId(),
    org_id: orgId,
    friendly_name: 'Sales',
    country: 'US',
    type: 'toll_free',
  } as const
  t.match(await post({ ...good, to: '+18002345678' }), {
    status: 403,
    body: { error: { details: [{ field: 'body.to' }] } },
  })
  await numbers.insert(db, { ...own, number: '+18002345678' })
  const dids = await ask('GET /v1/voice/dids')
  t.match(dids.body.data, [
    { number: '+18002345678', capabilities: { voice: true } },
    { number: ownNumber, type: 'local' },
  ])
  t.match(
    await post({ ...good, to: '+12125550123', caller_id: '+18002345678' }),
    { status: 200 },
    'a number’s country may be called',
  )
  await rules.set(db, { org_id: orgId, key_id: null, countries: ['EE', 'US'], max_concurrent: 2 })
  const key = (await findCaller(db, hashSecret(stack.key)))?.key.id ?? ''
  await rules.set(db, { org_id: orgId, key_id: key, countries: ['US', 'FI'] })
  t.equal((await post(good)).status, 403, 'the key’s countries are fewer')
  await rules.set(db, { org_id: orgId, key_id: key, countries: ['EE'] })
  const both = await Promise.all([post(good), post(good), post(good)])
  t.same(both.map(({ status }) => status).sort(), [200, 429, 429], 'one more is room for, whoever comes first')
  t.ok(both.find(({ status }) => status === 429)?.headers.get('retry-after'))
  await rules.set(db, { org_id: orgId, key_id: null, max_concurrent: 100, max_per_day: 0 })
  t.equal((await post(good)).status, 429)
  t.equal((await post(good, {}, keys.main)).status, 400, 'another organisation has no number')
})

t.test(
  'voice:read places and ends calls, as the contract has it; a key with the lock `calls: false` only reads',
  async (t) => {
    const scopes = ['voice:read', 'account:keys']
    const { org, keys } = await testOrg(db, scopes)
    await numbers.insert(db, {
      ...{ id: newId(), org_id: org.id, number: '+3726000005', friendly_name: 'Own', country: 'EE', type: 'local' },
    })
    const made = await post(good, {}, keys.main)
    t.match([made.status, made.body], [200, { status: 'queued', from: annNumber }])
    t.match(await ask(`DELETE /v1/voice/calls/${made.body.id}`, { key: keys.main }), {
      status: 200,
      body: { status: 'canceled' },
    })
    const create = (body: object, key = keys.main) => account.ask('POST /v1/account/keys', { key, body })
    const { secret, locks } = (await create({ name: 'reads', scopes, locks: { calls: false } })).body
    t.same(locks, { calls: false })
    for (const [request, body] of [
      ['POST /v1/voice/click-to-call', good],
      [`DELETE /v1/voice/calls/${made.body.id}`, undefined],
    ] as const) {
      const refused = await ask(request, { key: secret, body })
      t.match([refused.status, refused.body.error], [403, { code: 'forbidden', message: /calls: false/ }], request)
    }
    for (const path of ['dids', 'status', 'calls', `calls/${made.body.id}`]) {
      t.equal((await ask(`GET /v1/voice/${path}`, { key: secret })).status, 200, path)
    }
    const inherits = (await create({ name: 'narrow', scopes: ['voice:read'] }, secret)).body
    t.same(inherits.locks, { calls: false }, 'a key that is made by it has the same lock')
    t.equal((await create({ name: 'idle', scopes: ['account:keys'], locks: { calls: false } })).status, 400)
    t.equal((await create({ name: 'true', scopes, locks: { calls: true } })).status, 400)
    const { keys: placing } = await testOrg(db, ['voice:call'])
    t.equal((await ask(`DELETE /v1/voice/calls/${newId()}`, { key: placing.main })).status, 404)
  },
)

t.test('without a worker nothing is reachable; the console shows calls as they are', async (t) => {
  t.match(await ask('GET /v1/voice/status'), {
    status: 200,
    body: { status: 'down', trunks: { known: 0, reachable: 0, last_checked_at: null }, capacity: 0 },
  })
  const { org, keys } = await testOrg(db, ['operator'])
  const cookie = await signIn({ db, url: stack.url, key: keys.main, orgId: org.id })
  const { status, text } = await get(stack.url, '/ops/calls', cookie)
  t.equal(status, 200)
  t.match(text, /Set SIP_TRUNKS/)
  t.match(text, /failed <span class="quiet">not_begun, by platform/)
})
