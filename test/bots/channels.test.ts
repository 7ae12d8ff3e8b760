import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { graphError } from '../whatsapp/cloud-api-server.ts'
import { channelStack, stranger } from './channel-stack.ts'

t.setTimeout(300_000)
const stack = await channelStack(t)
const { api, db } = stack
await stack.startWorkers()
const shop = await stack.connected()

const passed = async (status: string) =>
  (await shop.done(`GET /v1/bots/${shop.bot}/channels/${shop.channel}/messages?status=${status}&limit=100`)).data

/** Waits until a contact's message was handled without an answer. */
const skipped = (status: string, contact: string) =>
  until(async () => (await passed(status)).find((one: { contact: string }) => one.contact === contact), {
    timeout: 60_000,
    what: `a message of ${contact} is ${status}`,
  })

t.test('a message to the number is answered by the bot at the number', async (t) => {
  const ada = stranger()
  t.equal((await shop.hear({ from: ada, body: 'When do you open?' })).status, 200)
  const messages = await shop.settled(ada, 2)
  t.match(messages, [
    { role: 'user', seq: 1, content: 'When do you open?', delivery: null, metadata: { channel: 'whatsapp' } },
    { role: 'assistant', seq: 2, delivery: { channel: 'whatsapp', status: 'sent', reason: null } },
  ])
  t.same(shop.sentTo(ada), ['You said: When do you open?'])
  await shop.hear({ from: ada, body: 'And on Sunday?' })
  const more = await shop.settled(ada, 4)
  t.equal(new Set(more.map(({ conversation_id }) => conversation_id)).size, 1, 'one open conversation')
  t.same(shop.sentTo(ada).at(-1), 'You said: And on Sunday?')
})

t.test('a webhook that Meta repeats is answered once', async (t) => {
  const ada = stranger()
  const same = { from: ada, body: 'Once', id: `wamid.same${ada}` }
  const replies = await Promise.all(Array.from({ length: 6 }, () => shop.hear(same)))
  t.same(new Set(replies.map(({ status }) => status)), new Set([200]))
  await shop.settled(ada, 2)
  await shop.hear(same)
  await shop.hear({ from: ada, body: 'Twice' })
  t.equal((await shop.settled(ada, 4)).length, 4)
  t.same(shop.sentTo(ada), ['You said: Once', 'You said: Twice'])
})

t.test('messages that arrive together are asked in the order in which they were sent', async (t) => {
  const ada = stranger()
  await shop.hear(
    { from: ada, body: 'third', ago: 1 },
    { from: ada, body: 'first', ago: 30 },
    { from: ada, body: 'second', ago: 20 },
  )
  const messages = await shop.settled(ada, 6)
  const questions = messages.filter(({ role }) => role === 'user')
  t.same(
    questions.map(({ content }) => content),
    ['first', 'second', 'third'],
  )
  t.equal(shop.sentTo(ada).length, 3)
})

t.test('two contacts at once have two conversations, and the model sees only its own', async (t) => {
  const [ada, ben] = [stranger(), stranger()]
  await shop.hear({ from: ada, body: 'My code is 1234' }, { from: ben, body: 'What is my code?' })
  const [adas, bens] = [await shop.settled(ada, 2), await shop.settled(ben, 2)]
  t.not(adas[0].conversation_id, bens[0].conversation_id)
  const asked = stack.engine.asked.find(({ messages }) => messages.at(-1)?.content === 'What is my code?')
  t.equal(asked?.messages.length, 1)
  t.same(shop.sentTo(ben), ['You said: What is my code?'])
})

t.test('a file is a placeholder, and its caption is asked', async (t) => {
  const ada = stranger()
  await shop.hear({ from: ada, type: 'audio', content: { id: '1', mime_type: 'audio/ogg', voice: true } })
  t.match(await shop.settled(ada, 2), [
    { content: '[audio]', role: 'user' },
    { content: /only text/, role: 'assistant', finish_reason: null, delivery: { status: 'sent' } },
  ])
  await shop.hear({ from: ada, type: 'image', content: { id: '2', mime_type: 'image/png', caption: 'Is it broken?' } })
  t.match((await shop.settled(ada, 4)).slice(2), [
    { content: '[image]\nIs it broken?' },
    { content: 'You said: [image]\nIs it broken?' },
  ])
  await shop.hear({ from: ada, type: 'reaction', content: { message_id: 'wamid.x', emoji: '👍' } })
  await skipped('ignored', ada)
  t.equal(shop.sentTo(ada).length, 2, 'a reaction is not answered')
})

t.test('after hours of silence a new conversation begins', async (t) => {
  const ada = stranger()
  await shop.hear({ from: ada, body: 'Monday' })
  const [{ conversation_id: first }] = await shop.settled(ada, 2)
  await db.query(sql.typeAlias('void')`
    update bots.conversations set updated_at = now() - interval '73 hours' where id = ${first}`)
  await shop.hear({ from: ada, body: 'Thursday' })
  const messages = await shop.settled(ada, 4)
  t.not(messages[2].conversation_id, first)
  t.equal(messages[2].seq, 1)
})

t.test('the window is closed when the answer is ready: the message stays and says so', async (t) => {
  const ada = stranger()
  await shop.hear({ from: ada, body: 'Slow question', ago: 25 * 3_600 })
  const [, answer] = await shop.settled(ada, 2)
  t.match(answer, { status: 'completed', delivery: { status: 'window_closed', sent_message_id: null } })
  t.same(shop.sentTo(ada), [])
})

t.test('a failed delivery is seen at the message', async (t) => {
  const [ada, ben] = [stranger(), stranger()]
  api.next.push(graphError(131026))
  await shop.hear({ from: ada })
  t.match((await shop.settled(ada, 2))[1], { delivery: { status: 'failed', reason: 'recipient_unreachable' } })
  await shop.hear({ from: ben })
  const [, answer] = await shop.settled(ben, 2)
  const { provider_message_id } = await shop.done(`GET /v1/whatsapp/messages/${answer.delivery.sent_message_id}`)
  const tell = (status: string, more = {}) =>
    shop.number.webhook({
      statuses: [{ id: provider_message_id, status, timestamp: `${Math.floor(Date.now() / 1000)}`, ...more }],
    })
  await tell('read')
  await tell('delivered')
  t.match((await shop.said(ben))[1].delivery, { status: 'read' }, 'in any order')
  const lost = stranger()
  await shop.hear({ from: lost })
  const { delivery } = (await shop.settled(lost, 2))[1]
  const sent = await shop.done(`GET /v1/whatsapp/messages/${delivery.sent_message_id}`)
  await shop.number.webhook({
    statuses: [
      {
        id: sent.provider_message_id,
        status: 'failed',
        timestamp: `${Math.floor(Date.now() / 1000)}`,
        errors: [{ code: 131047 }],
      },
    ],
  })
  t.match((await shop.said(lost))[1].delivery, { status: 'window_closed' })
})

t.test('a flood of one contact is bounded, and others are answered', async (t) => {
  const small = await stack.connected({ channel: { hourly_limit: 3 } })
  const [ada, ben] = [stranger(), stranger()]
  await small.hear(...Array.from({ length: 40 }, (_, n) => ({ from: ada, body: `n${n}`, ago: 40 - n })))
  await small.hear({ from: ada, body: 'Stop' }, { from: ben, body: 'Hello' })
  await small.settled(ben, 2)
  const count = async (status: string) =>
    (
      await small.done(`GET /v1/bots/${small.bot}/channels/${small.channel}/messages?status=${status}&limit=100`)
    ).data.filter(({ contact }: { contact: string }) => contact === ada).length
  await until(async () => (await count('limited')) === 29, { timeout: 60_000, what: '29 messages are limited' })
  t.equal(await count('handled'), 12, 'four times the limit is stored')
  t.equal((await small.said(ada)).filter(({ role }) => role === 'assistant').length, 3)
  const { data: recipients } = await small.done('GET /v1/whatsapp/recipients')
  t.match(recipients, [{ phone: ada, consent: 'denied' }], 'a word that opts out is obeyed beyond the limit')
  t.match(await small.done('GET /v1/bots/conversations'), {
    data: [{ reason: 'channel', contact: ada, channel_id: small.channel, note: /more than 3 messages/ }],
  })
})

const Sent = z.object({ count: z.number() })

t.test('each answer is submitted once, whatever is repeated', async (t) => {
  const { count } = await db.one(sql.type(Sent)`
    select count(*)::int4 as count from (
      select client_reference from whatsapp.messages where client_reference is not null
      group by client_reference having count(*) > 1) as twice`)
  t.equal(count, 0)
})
