import t from 'tap'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { settings } from '../../ingress/whatsapp/settings.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { accountId, phoneNumberId } from './cloud-api-server.ts'
import { change, verifyToken, whatsappStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await whatsappStack(t)
const { api, ask, say, read, hear, tell, webhook, ingress, db } = stack
await stack.startWorkers()

let numbers = 5_570_000
const person = async (hasWritten = true) => {
  const phone = `+372${numbers++}`
  if (hasWritten) await hear(phone)
  return phone
}

t.test('Meta’s challenge is answered for the verify token alone', async (t) => {
  const query = (token: string, mode = 'subscribe') =>
    `GET /v1/whatsapp/webhook?hub.mode=${mode}&hub.verify_token=${encodeURIComponent(token)}&hub.challenge=1158201444`
  const reply = await ingress.ask(query(verifyToken))
  t.match(reply, { status: 200, text: '1158201444' })
  t.match(reply.headers.get('content-type'), 'text/plain')
  t.equal((await ingress.ask(query('another'))).status, 403)
  t.equal((await ingress.ask(query(verifyToken, 'unsubscribe'))).status, 400)
  t.equal((await ingress.ask('GET /v1/whatsapp/webhook')).status, 400)
  t.equal((await ingress.ask(`${query(verifyToken).replace('1158201444', '%3Cscript%3E')}`)).status, 400)
})

t.test('a webhook without the app’s signature over its very bytes is refused and changes nothing', async (t) => {
  const to = await person(false)
  const heard = (signature: string) =>
    webhook(
      change({ messages: [{ from: to.slice(1), id: 'wamid.forged', timestamp: '1700000000', type: 'text' }] }),
      signature,
    )
  for (const signature of ['', 'sha256=', `sha256=${'0'.repeat(64)}`, 'sha1=abc', 'x'])
    t.equal((await heard(signature)).status, 401)
  t.match(await say(to), { status: 400, body: { error: { code: 'outside_service_window' } } })
  const anonymous = await testIngress(t, db, [], {
    services: [
      provide(services.signingSecret, 's'.repeat(32)),
      provide(settings, { phoneNumberId, accountId, appSecret: undefined, verifyToken: undefined, waitMs: 1_000 }),
    ],
  })
  t.equal((await anonymous.ask('POST /v1/whatsapp/webhook', { raw: '{}' })).status, 401, 'nor is any without a secret')
  const challenge = 'GET /v1/whatsapp/webhook?hub.mode=subscribe&hub.verify_token=&hub.challenge=1'
  t.equal((await anonymous.ask(challenge)).status, 403)
})

t.test('statuses come in any order and more than once, and never move back', async (t) => {
  const orders = [
    ['read', 'delivered', 'sent'],
    ['delivered', 'sent', 'read', 'delivered'],
    ['sent', 'failed', 'sent'],
    ['failed', 'delivered', 'sent', 'failed'],
  ]
  const ends = ['read', 'read', 'failed', 'delivered']
  for (const [i, order] of orders.entries()) {
    const { body } = await say(await person())
    for (const status of order)
      t.equal((await tell(body.provider_message_id, status, status === 'failed' ? { code: 131000 } : {})).status, 200)
    const after = (await read(body.id)).body
    t.equal(after.status, ends[i])
    t.equal(after.error?.code ?? null, ends[i] === 'failed' ? 'upstream_error' : null)
    const told = after.statuses.map(({ status }: { status: string }) => status)
    t.same(new Set(told), new Set(['accepted', ...order]))
    t.equal(told.length, new Set(told).size, 'each once')
  }
})

t.test('many webhooks at once about the same messages come to the same', async (t) => {
  const made = []
  for (let i = 0; i < 4; i++) made.push((await say(await person())).body)
  const all = made.flatMap(({ provider_message_id, id }) =>
    ['sent', 'delivered', 'read'].map((status) => ({
      id: provider_message_id,
      status,
      timestamp: '1800000000',
      recipient_id: '1',
      biz_opaque_callback_data: id,
    })),
  )
  const shuffled = Array.from({ length: 12 }, (_, i) => [...all.slice(i), ...all.slice(0, i)])
  const replies = await Promise.all(shuffled.map((statuses) => webhook(change({ statuses }))))
  t.same([...new Set(replies.map(({ status }) => status))], [200])
  for (const { id } of made) t.equal((await read(id)).body.status, 'read')
  const { body } = await read(made[0]?.id)
  t.ok(Date.parse(body.statuses.at(-1).at) <= Date.now(), 'a clock that is ahead is not believed')
})

t.test('a status that comes before the answer to the request finds its message', async (t) => {
  const to = await person()
  api.next = [
    ({ body, wamid }, response) => {
      void tell(wamid, 'delivered', { ref: body.biz_opaque_callback_data }).then(() => {
        const contacts = [{ input: body.to, wa_id: body.to }]
        response.end(JSON.stringify({ messaging_product: 'whatsapp', contacts, messages: [{ id: wamid }] }))
      })
    },
  ]
  const { status, body } = await say(to)
  t.match({ status, body }, { status: 200, body: { status: 'delivered' } })
  t.equal((await read(body.id)).body.provider_message_id, api.sent().at(-1)?.wamid)
})

t.test('what people write opens the window, is kept once, and is read by whom they answer', async (t) => {
  const to = await person()
  const { body: sent } = await say(to, 'How was it?')
  for (const _ of [1, 2])
    await hear(to, { id: 'wamid.answer', body: 'Good \0\ud800👍', quoted: sent.provider_message_id })
  const inbound = `GET /v1/whatsapp/messages?direction=inbound&phone=${encodeURIComponent(to)}`
  const listed = await ask(inbound)
  t.match(listed.body.data, [{ from: to, to: null, type: 'text', status: 'received' }])
  t.equal(listed.body.data[0].content.body, 'Good \ufffd\ufffd👍')
  t.match(listed.body.data[0].context, { message_id: sent.provider_message_id })
  t.match((await read(listed.body.data[0].id)).body, { window: { open: true }, statuses: [] })
  const other = await testOrg(db, ['whatsapp:send'])
  t.same((await ask(inbound, { key: other.keys.main })).body.data, [], 'by nobody else')
  await hear(to, { id: 'wamid.late', ago: 3_600 })
  await hear(to, { id: 'wamid.future', ago: -86_400 })
  const window = (await read(sent.id)).body.window
  t.ok(Date.parse(window.expires_at) <= Date.now() + 24 * 3_600_000 + 1_000, 'of no longer than 24 hours from now')
})

t.test('parts that are not for us are left out, the rest counts', async (t) => {
  const to = await person(false)
  const from = to.slice(1)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const body = change({
    messages: [
      { from: 'x', id: 'a', timestamp },
      7,
      { from, id: 'wamid.s', timestamp, type: 'system', system: { body: 'changed number' } },
    ],
    statuses: [
      { id: 'wamid.unknown', status: 'sent', timestamp },
      { id: 'wamid.new', status: 'pondered', timestamp },
    ],
  })
  body.entry.push(...change({}, 'account_update').entry)
  t.equal((await webhook(body)).status, 200)
  t.equal((await say(to)).status, 400, 'a system message opens no window')
  const foreign = change({
    metadata: { phone_number_id: '999' },
    messages: [{ from, id: 'wamid.other', timestamp, type: 'text' }],
  })
  t.equal((await webhook(foreign)).status, 200)
  t.equal((await say(to)).status, 400, 'nor one to another number')
  for (const strange of [
    {},
    [],
    'a',
    { object: 'page', entry: [] },
    { object: 'whatsapp_business_account', entry: [7] },
  ])
    t.equal((await webhook(strange)).status, 200, JSON.stringify(strange))
})

const approved = (name: string, components: unknown[], more: object = {}) => ({
  id: `${name}-1`,
  name,
  language: 'en',
  status: 'APPROVED',
  category: 'UTILITY',
  parameter_format: 'POSITIONAL',
  components,
  ...more,
})

t.test('templates are listed with their variables, from a copy that outlives WhatsApp’s absence', async (t) => {
  const shipped = { type: 'BODY', text: 'Order {{1}} ships {{2}}.', example: { body_text: [['1042', 'today']] } }
  const named = {
    type: 'BODY',
    text: 'Hi {{name}}',
    example: { body_text_named_params: [{ param_name: 'name', example: 'Ann' }] },
  }
  const url = { type: 'URL', text: 'Track', url: 'https://a.example/{{1}}', example: ['https://a.example/1'] }
  api.templates = [
    approved('order_shipped', [shipped, { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY' }, url] }]),
    approved('welcome', [{ type: 'HEADER', format: 'IMAGE' }, named], { parameter_format: 'NAMED' }),
    approved('offer', [{ type: 'BODY', text: 'Buy' }], { status: 'PAUSED', category: 'MARKETING' }),
  ]
  // Earlier messages caused a copy of the templates, because there was none.
  await webhook(change({ event: 'APPROVED' }, 'message_template_status_update'))
  api.received = []
  const list = (query = '') => ask(`GET /v1/whatsapp/templates${query}`)
  await Promise.all([list(), list(), list()])
  const { status, body } = await list()
  t.equal(status, 200)
  const requests = api.received.filter(({ path }) => path.endsWith('/message_templates'))
  t.equal(requests.length, 2, 'one question of two pages for all')
  t.equal(requests[0]?.path, `/v23.0/${accountId}/message_templates`)
  const of = (name: string) => body.data.find((one: { name: string }) => one.name === name)
  t.equal(body.data.length, 2)
  t.match(of('order_shipped').variables, [
    { component: 'body', index: 1, name: null, example: '1042' },
    { component: 'body', index: 2, example: 'today' },
    { component: 'button', index: 1, example: 'https://a.example/1' },
  ])
  t.match(of('welcome').variables, [
    { component: 'header', type: 'image' },
    { index: null, name: 'name', example: 'Ann' },
  ])
  t.match((await list('?status=paused')).body.data, [{ name: 'offer', category: 'MARKETING' }])
  t.equal((await list('?status=all')).body.data.length, 3)
  t.equal((await list('?status=all&category=utility&name=welcome&language=en')).body.data.length, 1)
  const page = (await list('?status=all&limit=2')).body
  t.equal((await list(`?status=all&limit=2&cursor=${page.next_cursor}`)).body.data.length, 1)

  api.templatesAnswer = (_, response) => void response.writeHead(500).end('{}')
  t.equal((await webhook(change({ event: 'PAUSED' }, 'message_template_status_update'))).status, 200)
  t.equal((await list()).body.data.length, 2, 'the old copy serves')
  api.templatesAnswer = undefined
  api.templates = api.templates.slice(1)
  t.equal((await list()).body.data.length, 1)
})

t.test('parameters that do not fit a template are refused before any request', async (t) => {
  const before = api.sent().length
  const to = await person(false)
  const send = (components?: unknown[]) =>
    ask('POST /v1/whatsapp/send-template', {
      body: { to, template: { name: 'welcome', language: { code: 'en' }, ...(components && { components }) } },
    })
  const header = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://a.example/b.png' } }] }
  const body = (more: object) => ({ type: 'body', parameters: [{ type: 'text', text: 'Ann', ...more }] })
  for (const components of [undefined, [header], [header, body({})], [header, body({ parameter_name: 'other' })]]) {
    const reply = await send(components)
    t.match(reply, { status: 400, body: { error: { code: 'template_parameters' } } }, reply.text)
    t.equal(reply.body.error.details[0].field, 'body.template.components')
  }
  t.equal(api.sent().length, before)
  t.equal((await send([header, body({ parameter_name: 'name' })])).status, 200)
})

t.test('without credentials the answer is 503 not_configured', async (t) => {
  const none = { phoneNumberId: undefined, accountId: undefined, appSecret: undefined, verifyToken: undefined }
  const bare = await testIngress(t, db, [], {
    services: [provide(services.signingSecret, 's'.repeat(32)), provide(settings, { ...none, waitMs: 1_000 })],
  })
  const rows = () => db.oneFirst(sql.typeAlias('count')`select count(*) as count from whatsapp.messages`)
  const before = await rows()
  const template = { name: 'welcome', language: { code: 'en' } }
  for (const [request, body] of [
    ['POST /v1/whatsapp/send', { to: '+3725550101', text: 'a' }],
    ['POST /v1/whatsapp/send-template', { to: '+3725550101', template }],
    ['GET /v1/whatsapp/templates', undefined],
  ] as const) {
    const reply = await bare.ask(request, { key: stack.key, ...(body && { body }) })
    t.match(reply, { status: 503, body: { error: { code: 'not_configured' } } }, reply.text)
  }
  t.equal(await rows(), before)
  t.equal((await bare.ask('POST /v1/whatsapp/send', { key: stack.key, body: {} })).status, 400)
})
