import '../support/verify-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import type { Reply } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { attackStack } from './attack-stack.ts'
import { phoneNumber, wrongCode } from './phone-stack.ts'

t.setTimeout(280_000)
const { attack, check, runAll, set, shop, stack, stranger } = await attackStack(t)

/** Attacks with many starts: floods, pumping, enumeration, and use of Guard tokens. */
// Floods.
attack('50 resends at the same time', async (t) => {
  const { id, to } = await shop.begin()
  await set(id, sql.fragment`resend_at = now()`)
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => shop.ask(`POST /v1/verify/${id}/resend`, { body: {} })),
  )
  t.equal(replies.filter(({ status }) => status === 200).length, 1)
  await stack.codeTo(to, 2)
  return { through: stack.textsTo(to).length > 2 }
})
attack('resends until no code is left', async () => {
  const { id } = await shop.begin()
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) {
    await set(id, sql.fragment`resend_at = now()`)
    statuses.push((await shop.ask(`POST /v1/verify/${id}/resend`, { body: {} })).status)
  }
  return { through: String(statuses) !== '200,200,200,409,409,409' }
})
attack('100 starts of one person with one idempotency key', async (t) => {
  const to = phoneNumber()
  const options = { headers: { 'idempotency-key': newId() } }
  const replies = await Promise.all(Array.from({ length: 100 }, () => shop.start(to, {}, options)))
  t.equal(new Set(replies.map(({ body }) => body.id)).size, 1)
  await stack.codeTo(to)
  return { through: stack.textsTo(to).length !== 1 }
})
attack('many numbers from one network', async (t) => {
  const victim = await stack.customer()
  await victim.set({ per_network: 5 })
  const from = (i: number) => victim.start(phoneNumber(), { ip: `203.0.113.${i + 1}` })
  const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => from(i)))
  t.equal(replies.filter(({ status }) => status === 200).length, 5)
  return { through: (await victim.start(phoneNumber(), { ip: '198.51.100.1' })).status !== 200 }
})
attack('many numbers from one IPv6 network', async () => {
  const victim = await stack.customer()
  await victim.set({ per_network: 3 })
  const from = (i: number) => victim.start(phoneNumber(), { ip: `2001:db8:1:2::${i + 1}` })
  const replies = await Promise.all(Array.from({ length: 10 }, (_, i) => from(i)))
  return { through: replies.filter(({ status }) => status === 200).length !== 3 }
})
attack('more codes per hour than the organisation allows', async () => {
  const victim = await stack.customer()
  await victim.set({ per_hour: 10 })
  const replies = await Promise.all(Array.from({ length: 40 }, () => victim.start(phoneNumber())))
  return { through: replies.filter(({ status }) => status === 200).length !== 10 }
})
attack('more codes than the budget of the country', async () => {
  const victim = await stack.customer()
  await victim.set({ country_budgets: { EE: 4 } })
  const replies = await Promise.all(Array.from({ length: 20 }, () => victim.start(phoneNumber())))
  const limits = new Set(replies.flatMap(({ body }) => body.error?.details.limit ?? []))
  return { through: replies.filter(({ status }) => status === 200).length !== 4 || String([...limits]) !== 'country' }
})
attack('a resend beyond the budget of the country', async () => {
  const victim = await stack.customer()
  await victim.set({ country_budgets: { EE: 1 } })
  const { id } = await victim.begin()
  await set(id, sql.fragment`resend_at = now()`)
  return { through: (await victim.ask(`POST /v1/verify/${id}/resend`, { body: {} })).status !== 429 }
})
attack('a country that is not allowed', async () => ({ through: (await shop.start('+447400123456')).status !== 403 }))
attack('a resend to a country that is no longer allowed', async () => {
  const victim = await stack.customer()
  const { id } = await victim.begin()
  await victim.set({ countries: ['FI'] })
  await set(id, sql.fragment`resend_at = now()`)
  return { through: (await victim.ask(`POST /v1/verify/${id}/resend`, { body: {} })).status !== 403 }
})
for (const [name, number] of [
  ['premium-rate', '+3729001234'],
  ['emergency', '112'],
  ['satellite', '+8816123456'],
] as const)
  attack(`a ${name} number`, async () => ({ through: (await shop.start(number)).status === 200 }))

// Pumping.
attack('pumping of one range, one after the other', async (t) => {
  const victim = await stack.customer()
  await victim.set({ prefix_starts: 10 })
  const range = '+3725330'
  const replies: Reply[] = []
  for (let i = 0; i < 30; i++) replies.push(await victim.start(phoneNumber(range)))
  t.ok(
    replies.every(({ status, body }) => status === 200 && body.status === 'pending'),
    'the attacker cannot see the block',
  )
  const { data } = (await victim.ask('GET /v1/verify/prefixes')).body
  t.match(data, [{ prefix: range, state: 'blocked', source: 'automatic', starts: 10, approved: 0 }])
  const last = replies.at(-1)?.body.id
  t.match(await victim.read(last), { status: 'undeliverable', delivery: 'blocked', reason: 'prefix_blocked' })
  await until(() => stack.provider.received.filter(({ form }) => form.get('To')?.startsWith(range)).length >= 10)
  return { through: stack.provider.received.filter(({ form }) => form.get('To')?.startsWith(range)).length > 10 }
})
attack('pumping of one range, all at the same time', async (t) => {
  const victim = await stack.customer()
  await victim.set({ prefix_starts: 10 })
  const range = '+3725331'
  const replies = await Promise.all(Array.from({ length: 60 }, () => victim.start(phoneNumber(range))))
  const started = replies.filter(({ status }) => status === 200).length
  t.ok(started > 20, `${started} starts, and ${[...new Set(replies.map(({ status }) => status))]}`)
  const blocked = (await victim.ask('GET /v1/verify?status=undeliverable&limit=100')).body.data.length
  // The start that causes the block can be blocked itself, because the range is read again when the code is sent.
  t.ok([9, 10].includes(started - blocked), `${started - blocked} starts came before the block`)
  return { through: started - blocked > 10 }
})
attack('pumping spread over many narrow ranges', async () => {
  const victim = await stack.customer()
  await victim.set({ prefix_starts: 10 })
  for (let i = 0; i < 60; i++) await victim.start(`+37253${String(40 + (i % 50)).padStart(2, '0')}${1000 + i}`)
  const { data } = (await victim.ask('GET /v1/verify/prefixes?state=blocked')).body
  return { through: data.length !== 1 || data[0].prefix !== '+37253' }
})
attack('the code of a blocked range', async () => {
  const victim = await stack.customer()
  await victim.ask('PUT /v1/verify/prefixes/%2B3725332', { body: { state: 'blocked' } })
  const { body } = await victim.start(phoneNumber('+3725332'))
  const replies = await Promise.all(['000000', '123456', '999999'].map((code) => victim.check({ id: body.id, code })))
  return { replies, through: replies.some((one) => one.body.status !== 'pending') }
})
attack('a resend to a blocked range', async () => {
  const victim = await stack.customer()
  await victim.ask('PUT /v1/verify/prefixes/%2B3725333', { body: { state: 'blocked' } })
  const to = phoneNumber('+3725333')
  const { body } = await victim.start(to)
  await set(body.id, sql.fragment`resend_at = now()`)
  const again = await victim.ask(`POST /v1/verify/${body.id}/resend`, { body: {} })
  await victim.begin()
  return { through: again.status !== 200 || stack.textsTo(to).length > 0 }
})
attack('a resend to a range that was blocked after the start', async (t) => {
  const victim = await stack.customer()
  const { id, to } = await victim.begin(phoneNumber('+3725337'))
  await victim.ask('PUT /v1/verify/prefixes/%2B3725337', { body: { state: 'blocked' } })
  await set(id, sql.fragment`resend_at = now()`)
  t.equal((await victim.ask(`POST /v1/verify/${id}/resend`, { body: {} })).status, 200)
  await until(async () => (await victim.read(id)).delivery !== 'queued', { timeout: 20_000 })
  t.match(await victim.read(id), { status: 'undeliverable', delivery: 'blocked', reason: 'prefix_blocked' })
  t.same((await stack.events(id)).slice(-1), ['verify.undeliverable'])
  return { through: stack.textsTo(to).length > 1 }
})
attack('a change of settings that another change takes back', async () => {
  const victim = await stack.customer()
  const changes = [{ guard_required: true }, { brand: 'Shop' }, { ttl: 900 }, { max_sends: 2 }, { per_network: 9 }]
  await Promise.all(changes.map((body) => victim.set(body)))
  const { body } = await victim.ask('GET /v1/verify/settings')
  const lost = changes.flatMap(Object.entries).filter(([name, value]) => body[name] !== value)
  return { through: lost.length > 0 }
})
attack('a range that another organisation allowed', async () => {
  const [victim, other] = [await stack.customer(), await stack.customer()]
  await victim.ask('PUT /v1/verify/prefixes/%2B3725334', { body: { state: 'blocked' } })
  await other.ask('PUT /v1/verify/prefixes/%2B3725334', { body: { state: 'allowed' } })
  const { body } = await victim.start(phoneNumber('+3725334'))
  return { through: (await victim.read(body.id)).delivery !== 'blocked' }
})

// Enumeration.
attack('the shape of the response for a blocked and for another number', async () => {
  const victim = await stack.customer()
  await victim.ask('PUT /v1/verify/prefixes/%2B3725335', { body: { state: 'blocked' } })
  const [blocked, open] = [await victim.start(phoneNumber('+3725335')), await victim.start(phoneNumber())]
  const shapeOf = ({ status, body }: Reply) => JSON.stringify([status, body.status, Object.keys(body)])
  return { through: shapeOf(blocked) !== shapeOf(open) }
})
attack('the time of the response for a blocked and for another number', async (t) => {
  const victim = await stack.customer()
  await victim.ask('PUT /v1/verify/prefixes/%2B3725336', { body: { state: 'blocked' } })
  const time = async (range?: string) => {
    const begun = performance.now()
    await victim.start(phoneNumber(range))
    return performance.now() - begun
  }
  const [open, blocked]: [number[], number[]] = [[], []]
  for (let i = 0; i < 15; i++) {
    open.push(await time())
    blocked.push(await time('+3725336'))
  }
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[7] as number
  t.comment(`median ${median(open).toFixed(1)} ms, blocked ${median(blocked).toFixed(1)} ms`)
  return { through: Math.max(median(open), median(blocked)) > 4 * Math.min(median(open), median(blocked)) + 5 }
})
attack('an opted-out number', async () => {
  const to = phoneNumber()
  await stack.db.query(sql.typeAlias('void')`
    insert into sms.opt_outs (id, org_id, phone, sender, source) values (${newId()}, ${shop.orgId}, ${to}, '', 'api')`)
  const reply = await shop.start(to)
  await until(async () => (await shop.read(reply.body.id)).status === 'undeliverable', { timeout: 20_000 })
  return { through: reply.status !== 200 || reply.body.status !== 'pending' || stack.textsTo(to).length > 0 }
})
attack('a webhook or a list that shows the number or the code', async () => {
  const { id, to, code } = await shop.begin()
  await check(id, code)
  const events = await stack.db.anyFirst(sql.type(z.object({ data: z.string() }))`
    select data::text from webhooks.events where data ->> 'id' = ${id}`)
  const list = (await shop.ask('GET /v1/verify?limit=100')).text
  const told = events.join() + list + (await shop.ask(`GET /v1/verify/${id}`)).text
  return { through: told.includes(to) || new RegExp(`(?<!\\d)${code}(?!\\d)`).test(told) }
})
attack('the message in the SMS area', async () => {
  const { id, code } = await shop.begin()
  const { message_id } = await shop.read(id)
  const stored = await stack.db.oneFirst(sql.type(z.object({ row: z.string() }))`
    select m::text as row from sms.messages as m where id = ${message_id}`)
  const shown = (await shop.ask(`GET /v1/sms/messages/${message_id}`)).text
  return { through: new RegExp(`(?<!\\d)${code}(?!\\d)`).test(stored + shown) }
})
attack('the request log', async () => {
  const { id, code } = await shop.begin()
  await check(id, wrongCode(code))
  await check(id, code)
  const rows = async () =>
    await stack.db.anyFirst(sql.type(z.object({ row: z.string() }))`select r::text as row from account.requests as r
      where org_id = ${shop.orgId} and operation = 'verify.codes.check'`)
  await until(async () => (await rows()).length > 0, { timeout: 20_000, what: 'the request is logged' })
  return { through: (await rows()).some((row) => new RegExp(`(?<!\\d)(${code}|${wrongCode(code)})(?!\\d)`).test(row)) }
})

// Guard tokens.
attack('a start without a Guard token where one is required', async () => {
  const victim = await stack.customer()
  await victim.set({ guard_required: true })
  const reply = await victim.start(phoneNumber())
  return { through: reply.status !== 403 || reply.body.error.details.reason !== 'missing' }
})
attack('one Guard token for 20 starts at the same time', async () => {
  const victim = await stack.customer()
  await victim.set({ guard_required: true })
  const { token } = await victim.guardToken()
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => victim.start(phoneNumber(), { guard_token: token })),
  )
  return { through: replies.filter(({ status }) => status === 200).length !== 1 }
})
attack('a Guard token of another organisation', async () => {
  const { token } = await stranger.guardToken()
  return { through: (await shop.start(phoneNumber(), { guard_token: token })).status !== 403 }
})
attack('a Guard token for another action', async () => {
  const { token } = await shop.guardToken('sign-up')
  return {
    through: (await shop.start(phoneNumber(), { guard_token: token })).body.error?.details.reason !== 'action_mismatch',
  }
})
attack('an expired Guard token', async () => {
  const { token } = await shop.guardToken()
  await stack.db.query(sql.typeAlias('void')`update guard.tokens set expires_at = now() where org_id = ${shop.orgId}`)
  return { through: (await shop.start(phoneNumber(), { guard_token: token })).body.error?.details.reason !== 'expired' }
})
attack('a Guard token of another site with a key locked to a site', async () => {
  const [first, second] = [await shop.guardToken(), await shop.guardToken()]
  const key = await shop.lockedKey({ site_id: first.site })
  return { through: (await shop.start(phoneNumber(), { guard_token: second.token }, { key })).status !== 403 }
})
attack('a Guard token that a refused start must not spend', async () => {
  const victim = await stack.customer()
  await victim.set({ guard_required: true, country_budgets: { EE: 0 } })
  const { token } = await victim.guardToken()
  await victim.start(phoneNumber(), { guard_token: token })
  await victim.set({ country_budgets: { EE: 10 } })
  return { through: (await victim.start(phoneNumber(), { guard_token: token })).status !== 200 }
})
attack('a call with a key that must not call', async () => {
  const key = await shop.lockedKey({ calls: false })
  const reply = await shop.start(phoneNumber(), { channel: 'voice' }, { key })
  return { through: reply.status !== 403 }
})

await runAll(33)
