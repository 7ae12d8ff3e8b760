import t from 'tap'
import { LanguageEngineError } from '#tasks/ai/engine.ts'
import { get, signedIn } from '../app/fixture.ts'
import { accept } from '../whatsapp/cloud-api-server.ts'
import { channelStack, stranger } from './channel-stack.ts'

t.setTimeout(120_000)
const stack = await channelStack(t, ['app', 'account'])
const { db, engine, ingress } = stack
await stack.startWorkers()
const echo = engine.script

/** Office hours that are open only on the weekday after tomorrow, so that the bot is closed now. */
function closedNow() {
  const day = ((new Date().getUTCDay() + 1) % 7) + 1
  return { time_zone: 'UTC', intervals: [{ day, from: '09:00', to: '10:00' }] }
}

async function shopOf({ closed = false } = {}) {
  const shop = await stack.connected({ bot: { languages: ['fr'] } })
  const put = async (path: string, body: object) => {
    const reply = await shop.ask(`PUT ${path}`, { body })
    if (reply.status !== 200) throw new Error(reply.text)
    return reply.body
  }
  if (closed) await put(`/v1/bots/${shop.bot}/hours`, closedNow())
  return { ...shop, put }
}

t.test('outside office hours, the notice goes out by the channel in the language of the contact', async (t) => {
  const shop = await shopOf({ closed: true })
  const [ada, bob] = [stranger(), stranger()]
  await shop.hear(
    { from: ada, body: 'Ich möchte bitte mit einem Menschen sprechen, mein Fahrrad ist kaputt' },
    { from: bob, body: 'human please' },
  )
  const said = await shop.settled(ada, 2)
  t.match(said, [
    { seq: 1, role: 'user' },
    { seq: 2, author: null, delivery: { status: 'sent' } },
  ])
  t.match(shop.sentTo(ada), [/^Unser Team .*09:00/], 'instead of `handover_reply`')
  await shop.settled(bob, 2)
  t.match(shop.sentTo(bob), [/^Notre équipe /], 'too short for a language, so the language of the bot')
  await shop.hear({ from: ada, body: 'Hallo?' })
  await shop.settled(ada, 3)
  t.equal(shop.sentTo(ada).length, 1, 'the notice is sent once')
  const waiting = (await shop.done('GET /v1/bots/conversations?after_hours=true')).data
  t.match(
    new Set(waiting.map(({ contact }: { contact: string }) => contact)),
    new Set([ada, bob]),
    'both wait in the inbox',
  )
})

t.test('a conversation of a channel is assigned, labelled, answered with a prepared text and rated', async (t) => {
  const shop = await shopOf()
  const ada = stranger()
  const member = await signedIn(db, ingress.url, shop.number.orgId, 'developer')
  await shop.hear({ from: ada, body: 'I want to talk to a human about my broken bicycle' })
  const [{ conversation_id: id }] = await shop.settled(ada, 2)
  const at = `/v1/bots/${shop.bot}/conversations/${id}`
  const create = async (path: string, body: object) => (await shop.ask(`POST ${path}`, { body })).body
  const label = await create('/v1/bots/conversations/labels', { name: 'Repair', color: 'red' })
  await shop.put(`${at}/labels`, { label_ids: [label.id] })
  await shop.put(`${at}/assignee`, { member_id: member.userId })
  for (const filter of [`label_id=${label.id}`, `assignee_id=${member.userId}`])
    t.match((await shop.done(`GET /v1/bots/conversations?${filter}`)).data, [
      { conversation_id: id, contact: ada, contact_verified: true, labels: [{ name: 'Repair' }] },
    ])
  const pages = ['/app/bots/inbox', `/app/bots/inbox/${id}`]
  for (const path of pages) {
    const { text } = await get(ingress.url, path, member)
    t.ok(text.includes(ada) && text.includes('Repair'), path)
  }
  await create('/v1/bots/conversations/canned-replies', {
    ...{ shortcut: 'ready', title: 'Ready', text: 'Hello {{visitor.name | there}}, it is ready.' },
  })
  const { data } = await shop.done(`GET ${at}/canned-replies?shortcut=ready`)
  await shop.done(`POST ${at}/reply`, { message: data[0].rendered, author: 'Mari', after_seq: 2 })
  t.match((await shop.settled(ada, 3))[2], { author: 'Mari', delivery: { status: 'sent' } })
  t.equal(shop.sentTo(ada).at(-1), 'Hello there, it is ready.')
  const late = await shop.ask(`POST ${at}/reply`, { body: { message: 'Late', after_seq: 2 } })
  t.match(late, { status: 409, body: { error: { code: 'replied_meanwhile' } } })
  t.equal(shop.sentTo(ada).length, 2, 'a rejected reply is not sent')
  t.equal((await shop.ask(`PUT ${at}/rating`, { body: { score: 4 } })).status, 409, 'a person still handles it')
  await shop.done(`POST ${at}/return`)
  t.match(await shop.put(`${at}/rating`, { score: 4 }), { score: 4, assignee_id: member.userId })
})

t.test('passages that may help go out as plain text, and the second time a person continues', async (t) => {
  const shop = await shopOf({ closed: true })
  const ada = stranger()
  t.teardown(() => {
    engine.script = echo
  })
  const content = 'I am not sure. This may help:\n\n• Bicycles can be returned.'
  engine.script = async () => ({ content, answered: false })
  await shop.hear({ from: ada, body: 'Can bicycles be painted green?' })
  await shop.settled(ada, 2)
  t.same(shop.sentTo(ada), [content])
  let isAccepted = false
  let wasEarly = false
  stack.api.next.push(
    (request, response) => {
      setTimeout(() => {
        isAccepted = true
        accept(request, response)
      }, 700)
    },
    (request, response) => {
      wasEarly = !isAccepted
      accept(request, response)
    },
  )
  await shop.hear({ from: ada, body: 'And can bicycles be painted red?' })
  await shop.settled(ada, 5)
  t.match(shop.sentTo(ada), [content, content, /^Our team .*09:00/])
  t.notOk(wasEarly, 'the notice waits until the answer is accepted')
  t.match((await shop.done('GET /v1/bots/conversations')).data, [{ contact: ada, reason: 'unanswered' }])
})

t.test('when the model fails outside office hours, the contact receives the notice', async (t) => {
  const shop = await shopOf({ closed: true })
  const ada = stranger()
  t.teardown(() => {
    engine.script = echo
  })
  engine.script = async () => {
    throw new LanguageEngineError('input_too_long', 'too long', { upstreamStatus: 400, retryable: false })
  }
  await shop.hear({ from: ada, body: 'How long is the warranty of a bicycle?' })
  await shop.settled(ada, 3)
  t.match(shop.sentTo(ada), [/^Our team .*09:00/])
  t.match((await shop.done('GET /v1/bots/conversations')).data, [
    { contact: ada, reason: 'channel', after_hours: true },
  ])
})
