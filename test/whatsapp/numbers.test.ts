import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { emittedTo } from '../support/emitted.ts'
import { leastHeldUp, mostHeldUpMs } from '../support/held-up.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { accept, accessToken, graphError } from './cloud-api-server.ts'
import { knownNumber, ownNumber } from './own-number.ts'
import { whatsappStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await whatsappStack(t)
const { api, db, ingress } = stack
await stack.startWorkers()

const now = () => String(Math.floor(Date.now() / 1000))
let people = 5_650_000
const person = () => `+372${people++}`
const wrote = (from: string, id: string, body = 'Hi') => ({
  messages: [{ from: from.slice(1), id, timestamp: now(), type: 'text', text: { body } }],
})

t.test('a number is connected once Meta has confirmed each part of it, and its secrets are never shown', async (t) => {
  const own = await ownNumber(stack)
  t.match(own.connected, {
    status: 201,
    body: {
      phone_number_id: own.known.phoneNumberId,
      display_phone: '+1 555 0100',
      verified_name: 'Shop',
      webhook_subscribed: true,
      verify_token: /^[\w-]{32}$/,
    },
  })
  t.equal(own.connected.body.webhook_url, `${ingress.url}/v1/whatsapp/webhook/${own.id}`)
  t.match(api.things.subscribed.at(-1), {
    override_callback_uri: own.connected.body.webhook_url,
    verify_token: own.connected.body.verify_token,
  })
  const listed = await own.ask('GET /v1/whatsapp/numbers')
  t.equal(listed.body.data.length, 1)
  for (const secret of [own.known.accessToken, own.known.appSecret, own.connected.body.verify_token]) {
    t.notMatch(listed.text, secret)
    const stored = await db.anyFirst(sql.unsafe`select to_jsonb(n)::text as row from whatsapp.business_numbers as n`)
    t.notOk(
      stored.some((row) => String(row).includes(secret)),
      'it is sealed',
    )
  }
  t.match((await own.ask(`GET /v1/whatsapp/numbers/${own.id}`)).body, { id: own.id })
  t.same(
    emittedTo(own.orgId).map(({ type }) => type),
    ['whatsapp.number.connected'],
  )
  const stranger = await testOrg(db, ['whatsapp:manage'])
  for (const request of ['GET', 'DELETE'])
    t.equal((await ingress.ask(`${request} /v1/whatsapp/numbers/${own.id}`, { key: stranger.keys.main })).status, 404)
})

t.test('what Meta refuses of a number is named, and nothing of it is kept', async (t) => {
  const { org, keys } = await testOrg(db, ['whatsapp:manage'])
  const known = knownNumber(stack)
  const other = knownNumber(stack)
  const good = {
    phone_number_id: known.phoneNumberId,
    business_account_id: known.accountId,
    access_token: known.accessToken,
    app_secret: known.appSecret,
  }
  const wrong = {
    phone_number_id: '1',
    business_account_id: other.accountId,
    access_token: 'another',
    app_secret: 'another',
  }
  for (const [field, value] of Object.entries(wrong)) {
    const reply = await ingress.ask('POST /v1/whatsapp/numbers', { key: keys.main, body: { ...good, [field]: value } })
    t.equal(reply.status, 400, reply.text)
    t.same(fieldsOf(reply), [`body.${field}`])
    t.notMatch(reply.text, 'secret words')
  }
  t.equal(
    await db.oneFirst(
      sql.typeAlias('count')`select count(*) as count from whatsapp.business_numbers where org_id = ${org.id}`,
    ),
    0,
  )
})

t.test('an organisation has one number, and a number one organisation', async (t) => {
  const own = await ownNumber(stack)
  t.match(await own.ask('POST /v1/whatsapp/numbers', { body: own.form }), { status: 409 })
  const second = await testOrg(db, ['whatsapp:manage'])
  const taken = await ingress.ask('POST /v1/whatsapp/numbers', { key: second.keys.main, body: own.form })
  t.match(taken, { status: 409, body: { error: { code: 'number_taken' } } })
  const third = await testOrg(db, ['whatsapp:manage'])
  const known = knownNumber(stack)
  const form = {
    phone_number_id: known.phoneNumberId,
    business_account_id: known.accountId,
    access_token: known.accessToken,
    app_secret: known.appSecret,
  }
  const replies = await Promise.all(
    [1, 2, 3].map(() => ingress.ask('POST /v1/whatsapp/numbers', { key: third.keys.main, body: form })),
  )
  t.same(replies.map(({ status }) => status).sort(), [201, 409, 409], 'of several at once, too')
})

t.test('messages go out by the organisation’s own number, others’ by the platform’s', async (t) => {
  const own = await ownNumber(stack)
  const to = person()
  t.match(await own.ask('POST /v1/whatsapp/send', { body: { to, text: 'Hi' } }), {
    status: 400,
    body: { error: { code: 'outside_service_window' } },
  })
  await stack.hear(to)
  t.equal(
    (await own.ask('POST /v1/whatsapp/send', { body: { to, text: 'Hi' } })).status,
    400,
    'whom they wrote to is another number',
  )
  t.equal((await own.webhook(wrote(to, 'wamid.own.1'))).status, 200)
  const sent = await own.ask('POST /v1/whatsapp/send', { body: { to, text: 'Hi' } })
  t.match(sent, { status: 200, body: { status: 'accepted', window: { open: true } } }, sent.text)
  t.match(api.sent().at(-1), {
    path: `/v23.0/${own.known.phoneNumberId}/messages`,
    authorization: `Bearer ${own.known.accessToken}`,
  })
  t.match(api.sent().at(-1)?.query.get('appsecret_proof'), /^[0-9a-f]{64}$/)
  t.equal((await stack.say(to)).status, 200)
  t.equal(api.sent().at(-1)?.authorization, `Bearer ${accessToken}`)
  const listed = await own.ask('GET /v1/whatsapp/messages?direction=inbound')
  t.match(listed.body.data, [{ from: to, content: { body: 'Hi' } }])
})

t.test('a webhook of a number is signed by its app, and tells of its own messages alone', async (t) => {
  const [own, other] = [await ownNumber(stack), await ownNumber(stack)]
  const to = person()
  t.equal((await own.webhook(wrote(to, 'wamid.f1'), { secret: 'another' })).status, 401)
  t.equal((await own.webhook(wrote(to, 'wamid.f2'), { to: other.id })).status, 401)
  t.equal((await own.webhook(wrote(to, 'wamid.f3'), { to: '018f0000-0000-7000-8000-000000000000' })).status, 404)
  const foreign = { metadata: { phone_number_id: other.known.phoneNumberId }, ...wrote(to, 'wamid.f4') }
  t.equal((await own.webhook(foreign)).status, 200, 'what is told of another number is left out')
  t.same((await own.ask('GET /v1/whatsapp/messages')).body.data, [])
  await other.webhook(wrote(to, 'wamid.f5'))
  const { body } = await other.ask('POST /v1/whatsapp/send', { body: { to, text: 'Hi' } })
  const failed = { id: body.provider_message_id, status: 'failed', timestamp: now(), errors: [{ code: 131026 }] }
  await own.webhook({ statuses: [failed] })
  await own.webhook({ statuses: [{ ...failed, id: 'wamid.none', biz_opaque_callback_data: body.id }] })
  t.equal((await other.ask(`GET /v1/whatsapp/messages/${body.id}`)).body.status, 'accepted')
  await other.webhook({ statuses: [{ ...failed, status: 'read', errors: undefined }] })
  t.equal((await other.ask(`GET /v1/whatsapp/messages/${body.id}`)).body.status, 'read')
  const challenge = (token: string) =>
    ingress.ask(
      `GET /v1/whatsapp/webhook/${own.id}?hub.mode=subscribe&hub.challenge=1158&hub.verify_token=${encodeURIComponent(token)}`,
    )
  t.match(await challenge(own.connected.body.verify_token), { status: 200, text: '1158' })
  t.equal((await challenge(other.connected.body.verify_token)).status, 403)
})

t.test(
  'a webhook of 4 MB of empty messages is refused at once, and what is too much of one number is, too',
  async (t) => {
    const own = await ownNumber(stack)
    const [before, after] = [
      '{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":{"messages":[',
      ']}}]}]}',
    ]
    const sendEmpty = own.signed(Buffer.from(`${before}${'{},'.repeat(1_380_000)}{}${after}`))
    t.match(await sendEmpty(), { status: 400, body: { error: { message: /at most 1000 elements in one list/ } } })
    t.ok((await leastHeldUp(sendEmpty)) <= mostHeldUpMs)
    const broken = { messages: Array.from({ length: 999 }, (_, i) => ({ id: `wamid.b${i}`, from: 'x' })) }
    t.equal((await own.webhook(broken)).status, 200, 'what cannot be read is left out')
    t.ok((await leastHeldUp(() => own.webhook(broken))) <= mostHeldUpMs)
    const many = { messages: broken.messages, statuses: broken.messages }
    t.match(await own.webhook(many), { status: 400, body: { error: { message: /at most 1000 messages, status/ } } })
    const answers: number[] = []
    while (answers.at(-1) !== 429 && answers.length < 80) answers.push((await own.webhook(broken)).status)
    t.equal(answers.at(-1), 429, `a number has an allowance: ${answers}`)
    t.equal((await (await ownNumber(stack)).webhook(broken)).status, 200, 'of its own')
  },
)

t.test('secrets are changed once Meta takes the others, and hold from the next message on', async (t) => {
  const own = await ownNumber(stack)
  const rotate = (body: object) => own.ask(`POST /v1/whatsapp/numbers/${own.id}/rotate`, { body })
  t.same(fieldsOf(await rotate({ access_token: 'wrong' })), ['body.access_token'])
  api.things.numbers.push({ ...own.known, accessToken: 'newer-token' })
  t.match(await rotate({ access_token: 'newer-token' }), { status: 200, body: { rotated_at: /^20/ } })
  const to = person()
  await own.webhook(wrote(to, 'wamid.r1'))
  t.equal((await own.ask('POST /v1/whatsapp/send', { body: { to, text: 'Hi' } })).status, 200)
  t.equal(api.sent().at(-1)?.authorization, 'Bearer newer-token')
  const verify_token = 'a-token-of-my-own-1'
  t.equal((await rotate({ verify_token })).status, 200)
  t.equal(api.things.subscribed.at(-1)?.verify_token, verify_token)
})

t.test(
  'what waits for a number that is removed fails and says so; later messages go out by the platform’s',
  async (t) => {
    const own = await ownNumber(stack)
    const to = person()
    await own.webhook(wrote(to, 'wamid.d1'))
    const { promise: reached, resolve } = Promise.withResolvers<void>()
    const { promise: goOn, resolve: release } = Promise.withResolvers<void>()
    api.next = [
      (request, response) => {
        resolve()
        void goOn.then(() => graphError(130429, 429)(request, response))
      },
    ]
    // After the burst, messages are queued and get no immediate result.
    const sent = []
    for (let i = 0; i < 11; i++) sent.push(own.ask('POST /v1/whatsapp/send', { body: { to, text: `${i}` } }))
    await reached
    const taken = sql.type(z.object({ count: z.number() }))`
      select count(*)::integer as count from whatsapp.messages where org_id = ${own.orgId} and direction = 'outbound'`
    await until(async () => (await db.oneFirst(taken)) === 11, { what: 'all are taken' })
    t.match(await own.ask(`DELETE /v1/whatsapp/numbers/${own.id}`), { status: 200, body: { deleted: true } })
    release()
    const replies = await Promise.all(sent)
    const waiting = replies.filter(({ body }) => body.status === 'queued')
    t.ok(waiting.length > 0)
    for (const { body } of waiting) {
      const failed = await until(
        async () => {
          const read = await own.ask(`GET /v1/whatsapp/messages/${body.id}`)
          return read.body.status === 'failed' && read
        },
        { timeout: 40_000, what: 'it has failed' },
      )
      t.match(failed.body.error, { code: 'number_removed', retryable: false })
    }
    api.always = accept
    t.equal((await own.webhook(wrote(to, 'wamid.d2'))).status, 404)
    // Another person, because messages to one person are paced.
    const another = person()
    await stack.hear(another)
    t.equal((await own.ask('POST /v1/whatsapp/send', { body: { to: another, text: 'Hi' } })).status, 200)
    t.equal(api.sent().at(-1)?.authorization, `Bearer ${accessToken}`)
    const kept = await db.one(
      sql.unsafe`select access_token, app_secret from whatsapp.business_numbers where id = ${own.id}`,
    )
    t.same(kept, { access_token: '', app_secret: '' }, 'its secrets are forgotten')
    const told = emittedTo(own.orgId).map(({ type }) => type)
    t.ok(told.includes('whatsapp.number.removed'))
  },
)

t.test('without scope, or with a test key, no number is touched', async (t) => {
  const known = knownNumber(stack)
  const body = {
    phone_number_id: known.phoneNumberId,
    business_account_id: known.accountId,
    access_token: known.accessToken,
    app_secret: known.appSecret,
  }
  t.equal(
    (await ingress.ask('POST /v1/whatsapp/numbers', { key: (await testOrg(db, ['whatsapp:send'])).keys.main, body }))
      .status,
    403,
  )
  const { keys } = await testOrg(db, [], { keys: { main: { prefix: 'bt_test_', scopes: ['whatsapp:manage'] } } })
  t.equal((await ingress.ask('POST /v1/whatsapp/numbers', { key: keys.main, body })).status, 403)
})
