import '../support/verify-environment.ts'
import t from 'tap'
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
import { attackStack } from './attack-stack.ts'
import { phoneNumber, wrongCode } from './phone-stack.ts'

t.setTimeout(280_000)
const { attack, check, isApproved, runAll, set, shop, stack, stranger } = await attackStack(t)

/** Attacks on codes: guesses, replays, codes of other people and organisations, odd input. */
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
  t.equal(
    await stack.db.oneFirst(sql.type(z.object({ attempts: z.number() }))`
    select attempts from verify.verifications where id = ${id}`),
    5,
    'five attempts were counted',
  )
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
  const key = await create(stack.db, {
    orgId: shop.orgId,
    prefix: 'bt_live_',
    name: 'sms',
    scopes: ['sms:send', 'verify:read'],
  })
  const reply = await check(id, code, { key: key.secret })
  return { replies: [reply], through: reply.status !== 403 }
})
attack('a revoked key whose start is still waiting', async () => {
  const key = await create(stack.db, { orgId: shop.orgId, prefix: 'bt_live_', name: 'gone', scopes: ['verify:write'] })
  const to = phoneNumber()
  const id = newId()
  await revoke(stack.db, shop.orgId, key.id)
  await stack.db.transaction(async (tx) => {
    const facts = { code_length: 6, ttl: 600, max_attempts: 5, max_sends: 4, resend_after_seconds: 30 }
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

await runAll(40)
