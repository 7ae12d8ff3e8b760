import t from 'tap'
import { z } from 'zod'
import * as closures from '#sql/account/closures.ts'
import * as publicKeys from '#sql/account/keys.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import { sql } from '#sql/db.ts'
import { LanguageEngineError } from '#tasks/ai/engine.ts'
import { emittedTo } from '../support/emitted.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { channelStack, stranger } from './channel-stack.ts'

t.setTimeout(300_000)
const stack = await channelStack(t)
const { db, engine } = stack
await stack.startWorkers()
const shop = await stack.connected()

const conversationOf = async (contact: string, { said } = shop) => (await said(contact))[0].conversation_id

const passedOf = async ({ done, bot, channel }: typeof shop, contact: string) =>
  (await done(`GET /v1/bots/${bot}/channels/${channel}/messages`)).data.filter(
    (one: { contact: string }) => one.contact === contact,
  )

/** Waits until the newest message of a contact has this status. */
const passedAs = (of: typeof shop, contact: string, status: string) =>
  until(async () => (await passedOf(of, contact)).find((one: { status: string }) => one.status === status), {
    timeout: 60_000,
    what: `a message of ${contact} is ${status}`,
  })

t.test('a contact who wants a person gets one: the reply goes out by the channel, and the bot is silent', async (t) => {
  const ada = stranger()
  await shop.hear({ from: ada, body: 'I want to talk to a human' })
  await shop.settled(ada, 2)
  t.same(shop.sentTo(ada), ['A person from our team will reply here.'])
  const at = `/v1/bots/${shop.bot}/conversations/${await conversationOf(ada)}`
  t.match((await shop.done('GET /v1/bots/conversations')).data, [{ contact: ada, reason: 'asked', waits: true }])
  await shop.hear({ from: ada, body: 'Is anybody there?' })
  await shop.settled(ada, 3)
  const reply = await shop.done(`POST ${at}/reply`, { message: 'Mari here.', author: 'Mari' })
  t.match(reply, { author: 'Mari', delivery: { channel: 'whatsapp', status: 'queued' } })
  t.match((await shop.settled(ada, 4))[3], { delivery: { status: 'sent' } })
  t.same(shop.sentTo(ada).slice(1), ['Mari here.'])
  await shop.done(`POST ${at}/return`)
  await shop.hear({ from: ada, body: 'Thanks, when do you open?' })
  await shop.settled(ada, 6)
  t.same(shop.sentTo(ada).at(-1), 'You said: Thanks, when do you open?')
  await shop.done(`POST ${at}/close`)
  t.match(await shop.ask(`POST ${at}/reply`, { body: { message: 'a' } }), { status: 409 })
  await shop.hear({ from: ada, body: 'One more' })
  const messages = await shop.settled(ada, 8)
  t.not(messages.at(-1).conversation_id, messages[0].conversation_id, 'after closing, a new conversation')
})

t.test('a reply that WhatsApp cannot carry is refused before it is stored', async (t) => {
  const ada = stranger()
  await shop.hear({ from: ada, body: 'real person' })
  await shop.settled(ada, 2)
  const at = `/v1/bots/${shop.bot}/conversations/${await conversationOf(ada)}`
  const long = await shop.ask(`POST ${at}/reply`, { body: { message: 'a'.repeat(4_097) } })
  t.match(long, { status: 400, body: { error: { details: [{ field: 'body.message' }] } } })
  t.equal((await shop.said(ada)).length, 2)
})

t.test('when the model fails, a person continues', async (t) => {
  const ada = stranger()
  const { script } = engine
  t.teardown(() => {
    engine.script = script
  })
  engine.script = async () => {
    throw new LanguageEngineError('upstream_error', 'down', { upstreamStatus: 401 })
  }
  await shop.hear({ from: ada, body: 'Hello?' })
  const [, failed] = await shop.settled(ada, 2)
  t.match(failed, { status: 'failed', delivery: null })
  const waiting = (await shop.done('GET /v1/bots/conversations')).data
  t.match(
    waiting.find(({ contact }: { contact: string }) => contact === ada),
    { reason: 'channel', note: 'The bot could not answer: upstream_error.' },
  )
  t.same(shop.sentTo(ada), [])
})

t.test('a word that opts out stops the replies until the person writes again', async (t) => {
  const ada = stranger()
  await shop.hear({ from: ada, body: 'Hello' })
  await shop.settled(ada, 2)
  await shop.hear({ from: ada, body: ' STOP! ' })
  await until(async () => (await shop.said(ada)).length === 3, { timeout: 60_000, what: 'the word is stored' })
  const recipient = await shop.done('GET /v1/whatsapp/recipients')
  t.match(recipient.data[0], { phone: ada, consent: 'denied' })
  const at = `/v1/bots/${shop.bot}/conversations/${await conversationOf(ada)}`
  await shop.done(`POST ${at}/handover`)
  const reply = await shop.done(`POST ${at}/reply`, { message: 'Wait!' })
  t.match(reply, { delivery: { status: 'opted_out' } })
  t.match(emittedTo(shop.number.orgId).at(-1), {
    type: 'bots.channel.reply_refused',
    data: { message_id: reply.id, reason: 'opted_out' },
  })
  t.equal(shop.sentTo(ada).length, 1)
})

t.test('a paused channel hears nothing, and goes on where it is resumed', async (t) => {
  const own = await stack.connected()
  const at = `/v1/bots/${own.bot}/channels/${own.channel}`
  const ada = stranger()
  await own.hear({ from: ada, body: 'Before' })
  await own.settled(ada, 2)
  t.match(await own.done(`POST ${at}/pause`), { status: 'paused' })
  await own.hear({ from: ada, body: 'While it is paused' })
  t.match(await own.done(`POST ${at}/resume`), { status: 'active' })
  await own.hear({ from: ada, body: 'After' })
  const messages = await own.settled(ada, 4)
  t.same(
    messages.filter(({ role }) => role === 'user').map(({ content }) => content),
    ['Before', 'After'],
  )
})

/** Answers wait for this promise. */
function held(t: { teardown(end: () => void): void }) {
  const { script } = engine
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  engine.script = async (...given) => {
    begun.resolve()
    await gate.promise
    return await script(...given)
  }
  const open = () => {
    engine.script = script
    gate.resolve()
  }
  t.teardown(open)
  return { open, begun: begun.promise }
}

t.test('an answer that is ready after the channel was paused, disconnected or deleted is not sent', async (t) => {
  const ends = {
    channel_paused: async (own: typeof shop) =>
      void (await own.done(`POST /v1/bots/${own.bot}/channels/${own.channel}/pause`)),
    number_removed: async (own: typeof shop) => {
      const { status } = await own.ask(`DELETE /v1/whatsapp/numbers/${own.number.id}`)
      t.equal(status, 200)
      t.match(await own.done(`GET /v1/bots/${own.bot}/channels/${own.channel}`), {
        status: 'disconnected',
        address: null,
      })
    },
  }
  for (const [reason, end] of Object.entries(ends)) {
    const own = await stack.connected()
    const ada = stranger()
    const { open, begun } = held(t)
    await own.hear({ from: ada, body: 'Slow' })
    await begun
    await end(own)
    open()
    t.match((await own.settled(ada, 2))[1], { status: 'completed', delivery: { status: 'refused', reason } }, reason)
    t.same(own.sentTo(ada), [], reason)
  }
  const own = await stack.connected()
  const ada = stranger()
  const { open, begun } = held(t)
  await own.hear({ from: ada, body: 'Slow' })
  await begun
  const conversation = (await own.said(ada))[0].conversation_id
  await own.ask(`DELETE /v1/bots/${own.bot}/channels/${own.channel}`)
  open()
  const ended = await until(
    async () => {
      const { data } = await own.done(`GET /v1/bots/${own.bot}/messages?conversation_id=${conversation}`)
      return data[0].status === 'completed' && data[0]
    },
    { timeout: 60_000, what: 'the answer is complete' },
  )
  t.match(ended, { delivery: { status: 'refused', reason: 'channel_deleted' } })
  t.same(own.sentTo(ada), [])
  const at = `/v1/bots/${own.bot}/conversations/${conversation}`
  await own.done(`POST ${at}/handover`)
  t.match(await own.ask(`POST ${at}/reply`, { body: { message: 'a' } }), {
    status: 409,
    body: { error: { message: /channel/ } },
  })
})

t.test('nobody is answered of a bot that was deleted while its answer was made', async (t) => {
  const own = await stack.connected()
  const ada = stranger()
  const { open, begun } = held(t)
  await own.hear({ from: ada, body: 'Slow' })
  await begun
  t.equal((await own.ask(`DELETE /v1/bots/${own.bot}`)).status, 200)
  open()
  await own.hear({ from: ada, body: 'Anyone?' })
  t.same(own.sentTo(ada), [])
  t.equal(
    await db.oneFirst(sql.type(z.object({ n: z.number() }))`
      select count(*)::int4 as n from bots.channels where id = ${own.channel}`),
    0,
  )
})

t.test('a closed organisation hears nothing', async (t) => {
  const own = await stack.connected()
  await closures.request(db, { orgId: own.number.orgId, kind: 'operator', name: 'op', days: 14 })
  const reply = await own.hear({ from: stranger(), body: 'Hello' })
  t.ok([200, 404].includes(reply.status), `${reply.status}`)
  t.equal(
    await db.oneFirst(sql.type(z.object({ n: z.number() }))`
      select count(*)::int4 as n from bots.channel_messages where channel_id = ${own.channel}`),
    0,
  )
})

t.test('without tokens a person continues, and without a budget for messages nothing is sent', async (t) => {
  const poor = await stack.connected()
  const { orgId } = poor.number
  const limit = { org_id: orgId, period: 'day' as const, soft: null, alert_at: [] as number[] }
  await budgets.put(db, { ...limit, metric: 'whatsapp.messages', hard: 1 })
  const [ada, ben] = [stranger(), stranger()]
  await poor.hear({ from: ada, body: 'Hello' })
  t.match((await poor.settled(ada, 2))[1], { delivery: { status: 'sent' } })
  await poor.hear({ from: ada, body: 'Again' })
  t.match((await poor.settled(ada, 4))[3], { delivery: { status: 'refused', reason: 'budget_reached' } })
  await budgets.put(db, { ...limit, metric: 'ai.tokens', hard: 1 })
  await poor.hear({ from: ben, body: 'Hello' })
  await passedAs(poor, ben, 'handled')
  const waiting = (await poor.done('GET /v1/bots/conversations')).data
  t.match(waiting[0], { contact: ben, reason: 'channel' })
  t.equal((await poor.said(ben)).length, 1)
})

t.test('no other way leads into the conversation of a contact', async (t) => {
  const ada = stranger()
  await shop.hear({ from: ada, body: 'Hello' })
  await shop.settled(ada, 2)
  const conversation_id = await conversationOf(ada)
  const chat = await shop.ask(`POST /v1/bots/${shop.bot}/chat`, { body: { message: 'hi', conversation_id } })
  t.match(chat, { status: 409 })
  const { keys } = await testOrg(db, ['bots:write'])
  const other = (request: string, body?: object) =>
    stack.ingress.ask(request, { key: keys.main, ...(body && { body }) })
  const at = `/v1/bots/${shop.bot}`
  for (const [request, body] of [
    [`GET ${at}/channels`],
    [`GET ${at}/channels/${shop.channel}`],
    [`GET ${at}/channels/${shop.channel}/messages`],
    [`PATCH ${at}/channels/${shop.channel}`, { silence_hours: 1 }],
    [`POST ${at}/channels/${shop.channel}/pause`, {}],
    [`POST ${at}/channels/${shop.channel}/resume`, {}],
    [`DELETE ${at}/channels/${shop.channel}`],
    [`POST ${at}/conversations/${conversation_id}/reply`, { message: 'a' }],
    [`POST ${at}/conversations/${conversation_id}/handover`, {}],
  ] as const)
    t.match(await other(request, body), { status: 404 }, request)
  const origin = 'https://shop.example'
  const facts = { name: 'pages', prefix: 'bt_site_' as const, scopes: ['bots:chat'], locks: { origins: [origin] } }
  const { secret: key } = await publicKeys.create(db, { orgId: shop.number.orgId, ...facts })
  const visit = { key, headers: { origin } }
  t.match(
    [
      await shop.ask(`GET ${at}/visit/${conversation_id}/messages`, visit),
      await shop.ask(`POST ${at}/visit/${conversation_id}/handover`, { ...visit, body: {} }),
      await shop.ask(`POST ${at}/visit/chat`, { ...visit, body: { message: 'a', conversation_id } }),
    ],
    [{ status: 404 }, { status: 404 }, { status: 404 }],
    'a visitor of a page with the ID',
  )
})
