import t from 'tap'
import { newId } from '#lib/ids.ts'
import { verified } from '../email/sending.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { channelStack } from './channel-stack.ts'

t.setTimeout(120_000)
const stack = await channelStack(t, ['email'])
await stack.startWorkers()
const shop = await stack.connected()
const { number } = shop
await verified(stack.db, number.orgId, 'shop.example')
const at = `/v1/bots/${shop.bot}/channels`
const made = async (request: string, body: object) => {
  const reply = await shop.ask(request, { body })
  if (reply.status >= 300) throw new Error(reply.text)
  return reply.body.id as string
}
const route = await made('POST /send/v1/inbound-routes', { address: 'help@shop.example' })
const below = await made('POST /send/v1/inbound-routes', { address: 'help@in.shop.example' })
const shared = await made('POST /send/v1/inbound-routes', {})

t.test('a channel that cannot work is refused, with each field', async (t) => {
  const email = { kind: 'email', route_id: route }
  const whatsapp = { kind: 'whatsapp', number_id: number.id }
  const cases: [body: unknown, fields: string[]][] = [
    [{}, ['body.kind']],
    [[], ['body']],
    [null, ['body']],
    ['text', ['body']],
    [{ kind: 'sms' }, ['body.kind']],
    [{ kind: 'email' }, ['body.route_id']],
    [{ kind: 'whatsapp' }, ['body.number_id']],
    [{ kind: 'whatsapp', route_id: route }, ['body.number_id', 'body.route_id']],
    [{ kind: 'email', number_id: number.id }, ['body.number_id', 'body.route_id']],
    [{ kind: 'email', route_id: 'x' }, ['body.route_id']],
    [{ kind: 'email', route_id: newId() }, ['body.route_id']],
    [{ kind: 'whatsapp', number_id: newId() }, ['body.number_id']],
    [{ kind: 'email', route_id: shared }, ['body.from_email']],
    [{ kind: 'email', route_id: below }, ['body.from_email']],
    [{ ...whatsapp, from_email: 'a@shop.example' }, ['body.from_email']],
    [{ ...whatsapp, from_email: 'a@shop.example', from_name: 'A' }, ['body.from_email', 'body.from_name']],
    [{ ...email, from_email: 'a@else.example' }, ['body.from_email']],
    [{ ...email, from_email: 'a' }, ['body.from_email']],
    [{ ...email, from_name: 'A\r\nBcc: b@c.example' }, ['body.from_name']],
    [{ ...email, from_name: 'a'.repeat(101) }, ['body.from_name']],
    [{ ...email, silence_hours: 0 }, ['body.silence_hours']],
    [{ ...email, silence_hours: 721 }, ['body.silence_hours']],
    [{ ...email, silence_hours: 1.5 }, ['body.silence_hours']],
    [{ ...email, silence_hours: '24' }, ['body.silence_hours']],
    [{ ...email, hourly_limit: 0 }, ['body.hourly_limit']],
    [{ ...email, hourly_limit: 201 }, ['body.hourly_limit']],
    [{ ...email, hourly_limit: null }, ['body.hourly_limit']],
    [{ ...email, unreadable_reply: '' }, ['body.unreadable_reply']],
    [{ ...email, unreadable_reply: null }, ['body.unreadable_reply']],
    [{ ...email, unreadable_reply: 'a'.repeat(1_001) }, ['body.unreadable_reply']],
    [{ ...email, handover_reply: '\u0000' }, ['body.handover_reply']],
    [{ ...email, paused_at: null }, ['body.paused_at']],
    [{ ...email, org_id: newId() }, ['body.org_id']],
    [
      { ...email, silence_hours: -1, hourly_limit: 'a', from_name: 1 },
      ['body.from_name', 'body.hourly_limit', 'body.silence_hours'],
    ],
  ]
  for (const [body, fields] of cases) {
    const reply = await shop.ask(`POST ${at}`, { body })
    t.match(reply, { status: 400 }, `${JSON.stringify(body)?.slice(0, 100)} ${reply.text}`)
    t.same(fieldsOf(reply).toSorted(), fields, JSON.stringify(body)?.slice(0, 100))
  }
})

t.test('a number and a route have one channel, and a bot has up to 20', async (t) => {
  const again = await shop.ask(`POST ${at}`, { body: { kind: 'whatsapp', number_id: number.id } })
  t.match(again, { status: 409, body: { error: { code: 'channel_exists' } } })
  const email = { kind: 'email', route_id: route }
  const both = await Promise.all([shop.ask(`POST ${at}`, { body: email }), shop.ask(`POST ${at}`, { body: email })])
  t.same(both.map(({ status }) => status).toSorted(), [200, 409])
  const open = await made('POST /v1/bots', { name: 'Open', template: 'support-desk' })
  const refused = await shop.ask(`POST /v1/bots/${open}/channels`, { body: { kind: 'whatsapp', number_id: number.id } })
  t.match(refused, { status: 400, body: { error: { message: /company/ } } }, 'a bot without its values')
  for (let n = 0; n < 18; n++) {
    const one = await made('POST /send/v1/inbound-routes', { address: `help${n}@shop.example` })
    await made(`POST ${at}`, { kind: 'email', route_id: one })
  }
  const last = await made('POST /send/v1/inbound-routes', { address: 'more@shop.example' })
  t.match(await shop.ask(`POST ${at}`, { body: { kind: 'email', route_id: last } }), {
    status: 409,
    body: { error: { code: 'channel_limit' } },
  })
  t.equal((await shop.done(`GET ${at}?limit=100`)).data.length, 20)
})

t.test('changes are checked as a new channel is', async (t) => {
  const one = `${at}/${shop.channel}`
  for (const [body, fields] of [
    [{}, ['body']],
    [{ kind: 'email' }, ['body.kind']],
    [{ number_id: number.id }, ['body.number_id']],
    [{ from_email: 'a@shop.example' }, ['body.from_email']],
    [{ from_name: 'A' }, ['body.from_name']],
    [{ silence_hours: 0 }, ['body.silence_hours']],
  ] as const) {
    const reply = await shop.ask(`PATCH ${one}`, { body })
    t.match(reply, { status: 400 }, JSON.stringify(body))
    t.match(fieldsOf(reply).at(-1), fields[0])
  }
  t.match(await shop.done(`PATCH ${one}`, { silence_hours: 24, handover_reply: null }), {
    silence_hours: 24,
    handover_reply: null,
    hourly_limit: 30,
  })
  for (const path of ['x', newId()]) {
    t.match(await shop.ask(`GET ${at}/${path}`), { status: 404 })
    t.match(await shop.ask(`PATCH ${at}/${path}`, { body: { silence_hours: 1 } }), { status: 404 })
    t.match(await shop.ask(`DELETE ${at}/${path}`), { status: 404 })
  }
  t.match(await shop.ask(`GET ${one}/messages?status=lost`), { status: 400 })
})

t.test('a key needs the scopes of the channel', async (t) => {
  const key = async (scopes: string[]) => (await testOrg(stack.db, scopes)).keys.main
  const weak = await key(['bots:write'])
  for (const [kind, name] of [
    ['whatsapp', /whatsapp:send/],
    ['email', /email:manage.*email:send/],
  ] as const) {
    const reply = await stack.ingress.ask(`POST ${at}`, { key: weak, body: { kind } })
    t.match(reply, { status: 403, body: { error: { message: name } } })
  }
  const reading = await key(['bots:read', 'whatsapp:send'])
  t.match(await stack.ingress.ask(`POST ${at}`, { key: reading, body: { kind: 'whatsapp' } }), { status: 403 })
})
