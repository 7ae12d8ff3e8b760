import '../support/verify-environment.ts'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { hideText } from '#lib/hidden-text.ts'
import { newId } from '#lib/ids.ts'
import { create, revoke } from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { insert } from '#sql/verify/verifications.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { countedName } from '#tasks/verify/rules/recipients.ts'
import { send } from '#tasks/verify/send.ts'
import type { Reply } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { phoneNumber, phoneStack, wrongCode } from './phone-stack.ts'

/**
 * Attacks on verification codes. Each returns the replies that the attacker got. An attack goes through if one of its
 * replies is `approved`, or if it says so itself.
 */
t.setTimeout(280_000)
const stack = await phoneStack(t)
await stack.startWorkers()
const [shop, stranger] = [await stack.customer(), await stack.customer()]
const { db } = stack

type Outcome = { replies?: readonly Reply[]; through?: boolean }

const attacks: { name: string; run(t: Test): Promise<Outcome> }[] = []
const attack = (name: string, run: (t: Test) => Promise<Outcome>) => attacks.push({ name, run })

const isApproved = ({ body }: Reply) => body?.status === 'approved'
const check = (id: string, code: unknown, options = {}) => shop.check({ id, code }, options)
const set = (id: string, assignments: ReturnType<typeof sql.fragment>) =>
  db.query(sql.typeAlias('void')`update verify.verifications set ${assignments} where id = ${id}`)

// Brute force.
attack('six codes one after the other, the right one last', async () => {
  const { id, code } = await shop.begin()
  const replies: Reply[] = []
  for (let i = 1; i <= 5; i++) replies.push(await check(id, wrongCode(code, i)))
  return { replies: [...replies, await check(id, code)] }
})
attack('100 wrong codes at the same time, and the right one afterwards', async (t) => {
  const { id, code } = await shop.begin()
  const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => check(id, wrongCode(code, i + 1))))
  t.equal((await db.oneFirst(sql.type(z.object({ attempts: z.number() }))`
    select attempts from verify.verifications where id = ${id}`)), 5, 'five attempts were counted')
  return { replies: [...replies, await check(id, code)] }
})
attack('100 guesses with 100 idempotency keys', async () => {
  const { id, code } = await shop.begin()
  const guess = (i: number) => check(id, wrongCode(code, i + 1), { headers: { 'idempotency-key': newId() } })
  const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => guess(i)))
  return { replies: [...replies, await check(id, code)] }
})
attack('guesses alternately by ID and by recipient', async () => {
  const { id, to, code } = await shop.begin()
  const replies: Reply[] = []
  for (let i = 1; i <= 6; i++)
    replies.push(await shop.check({ ...(i % 2 ? { id } : { to }), code: wrongCode(code, i) }))
  return { replies: [...replies, await check(id, code), await shop.check({ to, code })] }
})
attack('a resend to get the attempts back', async () => {
  await shop.set({ resend_after: 5 })
  const { id, to, code } = await shop.begin()
  for (let i = 1; i <= 4; i++) await check(id, wrongCode(code, i))
  await set(id, sql.fragment`resend_at = now()`)
  await shop.ask(`POST /v1/verify/${id}/resend`, { body: {} })
  const next = await stack.codeTo(to, 2)
  const last = await check(id, wrongCode(next))
  return { replies: [last, await check(id, next)] }
})
attack('the earlier code after a resend', async () => {
  const { id, to, code } = await shop.begin()
  await set(id, sql.fragment`resend_at = now()`)
  await shop.ask(`POST /v1/verify/${id}/resend`, { body: {} })
  const next = await stack.codeTo(to, 2)
  return code === next ? {} : { replies: [await check(id, code)] }
})
attack('many verifications of one recipient for more attempts', async (t) => {
  const victim = await stack.customer()
  await victim.set({ per_recipient: 5 })
  const to = phoneNumber()
  const replies = await Promise.all(Array.from({ length: 20 }, () => victim.start(to)))
  t.equal(replies.filter(({ status }) => status === 200).length, 5)
  const refused = replies.find(({ status }) => status === 429)
  t.match(refused?.body.error, { code: 'verify_limit_reached', details: { limit: 'recipient' } })
  t.ok(Number(refused?.headers.get('retry-after')) > 0)
  return {}
})
attack('the same mailbox under many +tags', async (t) => {
  const victim = await stack.customer()
  await victim.set({ per_recipient: 3 })
  const email = (i: number) =>
    victim.ask('POST /v1/verify/start', { key: victim.testKey, body: { channel: 'email', to: `a+${i}@b.example` } })
  t.equal((await email(1)).status, 200, 'test keys are not limited')
  t.equal(countedName('a+1@b.example'), countedName('a+2@b.example'))
  return { through: countedName('a+1@b.example') !== countedName('a@b.example') }
})

// Replay.
attack('the right code twice, one after the other', async () => {
  const { id, code } = await shop.begin()
  if (!isApproved(await check(id, code))) throw new Error('The right code was not approved.')
  return { replies: [await check(id, code)] }
})
attack('the right code 50 times at the same time', async () => {
  const { id, code } = await shop.begin()
  const replies = await Promise.all(Array.from({ length: 50 }, () => check(id, code)))
  return { through: replies.filter(isApproved).length !== 1 }
})
attack('the right code by recipient after it was used by ID', async () => {
  const { id, to, code } = await shop.begin()
  await check(id, code)
  return { replies: [await shop.check({ to, code })] }
})
attack('an idempotency key of an approved check for another verification', async () => {
  const [first, second] = [await shop.begin(), await shop.begin()]
  const options = { headers: { 'idempotency-key': newId() } }
  await check(first.id, first.code, options)
  return { replies: [await check(second.id, wrongCode(second.code), options)] }
})

// Other people’s verifications.
attack('the code of one verification for another', async () => {
  const [first, second] = [await shop.begin(), await shop.begin()]
  if (first.code === second.code) return {}
  return { replies: [await check(second.id, first.code)] }
})
attack('two verifications of one number with their codes exchanged', async () => {
  const to = phoneNumber()
  const first = await shop.begin(to)
  const second = (await shop.start(to)).body.id as string
  const code = await stack.codeTo(to, 2)
  if (first.code === code) return {}
  return { replies: [await check(first.id, code), await check(second, first.code)] }
})
attack('a code hash copied to another row', async () => {
  const [first, second] = [await shop.begin(), await shop.begin()]
  if (first.code === second.code) return {}
  await set(second.id, sql.fragment`code_hash = (select code_hash from verify.verifications where id = ${first.id})`)
  return { replies: [await check(second.id, first.code)] }
})
const asStranger = { key: stranger.key }
attack('a check by another organisation, by ID', async () => {
  const { id, code } = await shop.begin()
  const reply = await check(id, code, asStranger)
  return { replies: [reply], through: reply.status !== 404 }
})
attack('a check by another organisation, by recipient', async () => {
  const { to, code } = await shop.begin()
  const reply = await shop.check({ to, code }, asStranger)
  return { replies: [reply], through: reply.status !== 404 }
})
for (const call of ['GET /v1/verify/{id}', 'POST /v1/verify/{id}/resend', 'POST /v1/verify/{id}/cancel']) {
  attack(`${call} by another organisation`, async () => {
    const { id } = await shop.begin()
    const body = call.endsWith('resend') ? { body: {} } : {}
    const reply = await shop.ask(call.replace('{id}', id), { ...asStranger, ...body })
    const unknown = await shop.ask(call.replace('{id}', newId()), { ...asStranger, ...body })
    const wordsOf = ({ body: { error } }: Reply) => [error.code, error.message]
    return { through: reply.status !== 404 || String(wordsOf(reply)) !== String(wordsOf(unknown)) }
  })
}
attack('a list filtered by the number of another organisation’s person', async () => {
  const { to } = await shop.begin()
  const reply = await shop.ask(`GET /v1/verify?to=${encodeURIComponent(to)}`, asStranger)
  return { through: reply.body.data.length !== 0 }
})
attack('a live verification with a test key', async () => {
  const { id, code } = await shop.begin()
  return { replies: [await check(id, code, { key: shop.testKey })] }
})
attack('a verification of a test key with a live key', async () => {
  const to = phoneNumber()
  const { body } = await shop.start(to, {}, { key: shop.testKey })
  const read = async () => (await shop.ask(`GET /v1/verify/${body.id}`, { key: shop.testKey })).body
  await until(async () => (await read()).delivery === 'delivered', { timeout: 20_000 })
  const inbox = await shop.ask(`GET /v1/account/test-messages/${(await read()).message_id}`)
  const code = /\d{6}/.exec(inbox.body.content.text)?.[0]
  return { replies: [await check(body.id, code)] }
})
attack('a key without the scope', async () => {
  const { id, code } = await shop.begin()
  const key = await create(db, { orgId: shop.orgId, prefix: 'bt_live_', name: 'sms', scopes: ['sms:send', 'verify:read'] })
  const reply = await check(id, code, { key: key.secret })
  return { replies: [reply], through: reply.status !== 403 }
})
attack('a revoked key whose start is still waiting', async () => {
  const key = await create(db, { orgId: shop.orgId, prefix: 'bt_live_', name: 'gone', scopes: ['verify:write'] })
  const to = phoneNumber()
  const id = newId()
  await revoke(db, shop.orgId, key.id)
  await db.transaction(async (tx) => {
    const facts = { code_length: 6, ttl_seconds: 600, max_attempts: 5, max_sends: 4, resend_after_seconds: 30 }
    const about = { org_id: shop.orgId, key_id: key.id, sandbox: false, channel: 'sms' as const, recipient: to }
    await insert(tx, { id, ...about, ...facts, channels: ['sms'], country: 'EE', metadata: {} })
    await enqueue(tx, send, { id, send: 1 }, { orgId: shop.orgId })
  })
  await until(async () => (await shop.read(id)).status === 'undeliverable', { timeout: 20_000 })
  return { through: stack.textsTo(to).length > 0 || (await shop.read(id)).reason !== 'key_revoked' }
})

// Ended verifications.
attack('the right code after the end', async () => {
  const { id, code } = await shop.begin()
  await set(id, sql.fragment`expires_at = now() - interval '1 millisecond'`)
  return { replies: [await check(id, code)] }
})
attack('the right code after a cancellation', async () => {
  const { id, code } = await shop.begin()
  await shop.ask(`POST /v1/verify/${id}/cancel`)
  return { replies: [await check(id, code)] }
})
attack('a cancellation and 20 checks at the same time', async (t) => {
  const { id, code } = await shop.begin()
  const [cancelled, ...replies] = await Promise.all([
    shop.ask(`POST /v1/verify/${id}/cancel`),
    ...Array.from({ length: 20 }, () => check(id, code)),
  ])
  const approved = replies.filter(isApproved).length
  t.ok(approved === 0 || cancelled?.status === 409, 'it is either cancelled or approved')
  return { through: approved > 1 }
})
attack('a resend of an approved verification', async () => {
  const { id, code } = await shop.begin()
  await check(id, code)
  await set(id, sql.fragment`resend_at = now()`)
  const reply = await shop.ask(`POST /v1/verify/${id}/resend`, { body: {} })
  return { through: reply.status !== 409 }
})
attack('the right code after too many attempts and a resend', async () => {
  const { id, code } = await shop.begin()
  for (let i = 1; i <= 5; i++) await check(id, wrongCode(code, i))
  await set(id, sql.fragment`resend_at = now()`)
  const again = await shop.ask(`POST /v1/verify/${id}/resend`, { body: {} })
  return { replies: [await check(id, code)], through: again.status !== 409 }
})

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
  await Promise.all(Array.from({ length: 60 }, () => victim.start(phoneNumber(range))))
  const blocked = (await victim.ask('GET /v1/verify?status=undeliverable&limit=100')).body.data
  t.equal(blocked.length, 50)
  return { through: blocked.length < 50 }
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
  await db.query(sql.typeAlias('void')`
    insert into sms.opt_outs (id, org_id, phone, sender, source) values (${newId()}, ${shop.orgId}, ${to}, '', 'api')`)
  const reply = await shop.start(to)
  await until(async () => (await shop.read(reply.body.id)).status === 'undeliverable', { timeout: 20_000 })
  return { through: reply.status !== 200 || reply.body.status !== 'pending' || stack.textsTo(to).length > 0 }
})
attack('a webhook or a list that shows the number or the code', async () => {
  const { id, to, code } = await shop.begin()
  await check(id, code)
  const events = await db.anyFirst(sql.type(z.object({ data: z.string() }))`
    select data::text from webhooks.events where data ->> 'id' = ${id}`)
  const list = (await shop.ask('GET /v1/verify?limit=100')).text
  const told = events.join() + list + (await shop.ask(`GET /v1/verify/${id}`)).text
  return { through: told.includes(to) || new RegExp(`(?<!\\d)${code}(?!\\d)`).test(told) }
})
attack('the message in the SMS area', async () => {
  const { id, code } = await shop.begin()
  const { message_id } = await shop.read(id)
  const stored = await db.oneFirst(sql.type(z.object({ row: z.string() }))`
    select m::text as row from sms.messages as m where id = ${message_id}`)
  const shown = (await shop.ask(`GET /v1/sms/messages/${message_id}`)).text
  return { through: new RegExp(`(?<!\\d)${code}(?!\\d)`).test(stored + shown) }
})
attack('the request log', async () => {
  const { id, code } = await shop.begin()
  await check(id, wrongCode(code))
  await check(id, code)
  const rows = async () =>
    await db.anyFirst(sql.type(z.object({ row: z.string() }))`select r::text as row from account.requests as r
      where org_id = ${shop.orgId} and path like '%/verify/check%'`)
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
  return { through: (await shop.start(phoneNumber(), { guard_token: token })).body.error?.details.reason !== 'action_mismatch' }
})
attack('an expired Guard token', async () => {
  const { token } = await shop.guardToken()
  await db.query(sql.typeAlias('void')`update guard.tokens set expires_at = now() where org_id = ${shop.orgId}`)
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

// Input.
const odd: Record<string, unknown> = {
  'Arabic digits': '٤٩٣٠٢١',
  'full-width digits': '４９３０２１',
  'a number': 493_021,
  'a list of codes': ['000000', '111111'],
  'an object': { $ne: '' },
  'digits with a line break': '493021\n',
  'a sign': '+93021',
  'a megabyte of digits': '1'.repeat(900_000),
  'an SQL wildcard': '______',
  'a null character': '49302\u0000',
  nothing: '',
}
for (const [name, code] of Object.entries(odd)) {
  attack(`${name} as the code`, async () => {
    const { id } = await shop.begin()
    const reply = await check(id, code)
    return { replies: [reply], through: reply.status !== 400 || (await shop.read(id)).attempts_left !== 5 }
  })
}
attack('a message in the name of the brand', async () => {
  const brands = ['Click https://evil.example', 'A\nB', '<a href=x>', 'www.evil.example', '\u202eBank', '[[hidden:x]]']
  const replies = await Promise.all(brands.map((brand) => shop.start(phoneNumber(), { brand })))
  return { through: replies.some(({ status }) => status !== 400) }
})
attack('a stolen mark of a hidden code in a message of one’s own', async () => {
  const { id, code } = await shop.begin()
  const { message_id } = await shop.read(id)
  const mark = hideText(code, 'somebody else', 's'.repeat(32))
  const to = phoneNumber()
  const said = await shop.ask('POST /v1/sms/messages', { body: { to, text: `x ${mark} ${message_id}` } })
  if (said.status >= 300) throw new Error(said.text)
  await until(() => stack.textsTo(to).length > 0, { timeout: 20_000 })
  return { through: stack.textsTo(to).join().includes(code) }
})

t.test('no attack goes through', async (t) => {
  t.ok(attacks.length >= 60, `${attacks.length} attacks`)
  let through = 0
  for (const { name, run } of attacks) {
    await t.test(name, async (t) => {
      const { replies = [], through: said = false } = await run(t)
      const broken = said || replies.some(isApproved)
      if (broken) through++
      t.notOk(broken, name)
      t.notOk(
        replies.some(({ status }) => status >= 500),
        'no server error',
      )
    })
  }
  t.equal(through, 0)
  t.comment(`${attacks.length} attacks, ${through} through`)
})
