import t from 'tap'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { sql } from '#sql/db.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import { personTables } from '#sql/live/person.ts'
import { pruneAll, works } from '#tasks/jobs/prune.ts'
import { endBroadcast, markBroadcastLive } from '#tasks/live/rules/broadcasts.ts'
import { fieldsOf, type TestScope } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { type ChatReader, readChat } from './chat-reader.ts'

const stack = await videoStack(t)
const { db, ask, orgId } = stack
const second = await stack.another()
const base = '/v1/stream/live/channels'
const makeChannel = async (chat: object = { opens: 'always' }): Promise<string> => {
  const { channelId } = (await ask(`POST ${base}`, { body: { name: `Chat ${newId()}` } })).body
  await ask(`PATCH ${base}/${channelId}/chat`, { body: chat })
  return channelId
}
const tokenOf = async (channelId: string, body: object) =>
  (await ask(`POST ${base}/${channelId}/chat/tokens`, { body: { userId: 'ada', name: 'Ada', ...body } })).body
const open = async (t: TestScope, url: string): Promise<ChatReader> => {
  const reader = await readChat(url)
  t.teardown(async () => reader.close())
  if (reader.status === 200) await until(async () => reader.last('ready'), { what: 'the chat is ready' })
  return reader
}
// biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
type Said = any

const call = async (url: string, method: string, body?: object) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method, headers, body: body ? JSON.stringify(body) : null })
  return { status: answer.status, body: (await answer.json()) as Said, headers: answer.headers }
}
const write = (url: string, text: string) => call(`${url}/messages`, 'POST', { text })

t.test('viewers write and read through two ingresses, and joiners get the last messages', async (t) => {
  const channelId = await makeChannel({ opens: 'always', history: 2 })
  const [ada, bob] = [await tokenOf(channelId, {}), await tokenOf(channelId, { userId: 'bob', name: 'Bob' })]
  const reader = await open(t, ada.url)
  const elsewhere = await open(t, ada.url.replace(stack.ingress.url, second.url))
  t.match(reader.last('ready'), {
    channelId,
    me: { personId: ada.personId, name: 'Ada', role: 'viewer', canClip: false },
    isOpen: true,
    messages: [],
  })
  const link = '<b>https://example.com</b> 😀'
  t.match(await write(bob.url, link), { status: 201, body: { text: link, name: 'Bob', role: 'viewer' } })
  for (const one of [reader, elsewhere])
    await until(async () => one.last('message')?.text === link, { what: 'the message arrives' })
  t.equal(reader.last('message').personId, bob.personId)
  for (const text of ['two', 'three']) t.equal((await write(ada.url, text)).status, 201)
  const late = await open(t, bob.url)
  t.same(
    late.last('ready').messages.map(({ text }: { text: string }) => text),
    ['two', 'three'],
  )
  const listed = (await ask(`GET ${base}/${channelId}/chat/messages?personId=${bob.personId}`)).body.data
  t.match(listed, [{ text: link, userId: 'bob', deletedAt: null }])
  t.notOk(JSON.stringify(late.events).includes('"bob"'), 'viewers do not see the IDs of others')
})

t.test('a moderator deletes and bans, immediately for open connections', async (t) => {
  const channelId = await makeChannel()
  const [ada, bob, mod] = [
    await tokenOf(channelId, {}),
    await tokenOf(channelId, { userId: 'bob', name: 'Bob' }),
    await tokenOf(channelId, { userId: 'mo', name: 'Mo', role: 'moderator' }),
  ]
  const [reader, banned] = [await open(t, ada.url), await open(t, bob.url)]
  const { body: first } = await write(bob.url, 'buy this')
  await write(bob.url, 'and this')
  t.equal((await call(`${ada.url}/messages/${first.messageId}`, 'DELETE')).status, 404, 'not a message of Ada')
  t.equal((await call(`${mod.url}/messages/${first.messageId}`, 'DELETE')).status, 200)
  await until(async () => reader.last('deleted')?.messageId === first.messageId, { what: 'the deletion arrives' })
  t.equal((await call(`${ada.url}/bans/${bob.personId}`, 'PUT', {})).status, 403)
  const began = performance.now()
  t.match(await call(`${mod.url}/bans/${bob.personId}`, 'PUT', { seconds: 600, reason: 'Spam' }), {
    status: 200,
    body: { personId: bob.personId, reason: 'Spam' },
  })
  await until(async () => banned.over, { what: 'the banned viewer is disconnected' })
  t.comment(`${Math.round(performance.now() - began)} ms until a banned viewer is disconnected`)
  t.match(banned.last('banned'), { reason: 'Spam' })
  t.match(reader.last('deleted'), { personId: bob.personId })
  t.match(await write(bob.url, 'again'), { status: 403, body: { error: { code: 'chat_banned' } } })
  t.equal((await readChat(bob.url)).status, 403)
  t.match((await tokenOf(channelId, { userId: 'bob', name: 'Robert' })).isBanned, true, 'also with a new token')
  t.match((await ask(`GET ${base}/${channelId}/chat/bans`)).body.data, [
    { personId: bob.personId, userId: 'bob', bannedBy: `moderator:${mod.personId}` },
  ])
  t.same(
    (await ask(`GET ${base}/${channelId}/chat/messages`)).body.data.map(({ text }: { text: string }) => text),
    ['', ''],
  )
  t.equal((await ask(`DELETE ${base}/${channelId}/chat/bans/${bob.personId}`)).status, 200)
  t.equal((await ask(`DELETE ${base}/${channelId}/chat/bans/${bob.personId}`)).status, 404)
  t.equal((await write(bob.url, 'sorry')).status, 201)
  t.equal((await ask(`PUT ${base}/${channelId}/chat/bans/${bob.personId}`, { body: {} })).status, 200)
  t.equal((await call(`${mod.url}/bans/${bob.personId}`, 'DELETE')).status, 200)
})

t.test('slow mode, the rate limit, lengths and revoked tokens are enforced', async (t) => {
  const channelId = await makeChannel({ opens: 'always', maxLength: 5 })
  const [ada, mod] = [await tokenOf(channelId, {}), await tokenOf(channelId, { userId: 'mo', role: 'moderator' })]
  const answers = await Promise.all(Array.from({ length: 8 }, () => write(ada.url, 'hello')))
  t.equal(answers.filter(({ status }) => status === 201).length, 5, 'also at the same time')
  const refused = answers.find(({ status }) => status === 429)
  t.ok(Number(refused?.headers.get('retry-after')) > 0)
  t.match(await write(mod.url, 'too long'), { status: 400, body: { error: { details: [{ field: 'body.text' }] } } })
  const reader = await open(t, mod.url)
  t.equal((await ask(`PATCH ${base}/${channelId}/chat`, { body: { slowSeconds: 60 } })).status, 200)
  await until(async () => reader.last('state')?.slowSeconds === 60, { what: 'slow mode is told' })
  const bob = await tokenOf(channelId, { userId: 'bob' })
  t.equal((await write(bob.url, 'one')).status, 201)
  t.match(await write(bob.url, 'two'), { status: 429, body: { error: { message: /Slow mode/ } } })
  for (const text of ['a', 'b']) t.equal((await write(mod.url, text)).status, 201, 'moderators are exempt')
  for (const text of ['', ' ', 'a\nb', 'a\u0000', '\ud800', 'x'.repeat(501)])
    t.equal((await write(ada.url, text)).status, 400, JSON.stringify(text).slice(0, 20))
  t.equal((await ask(`DELETE ${base}/${channelId}/chat/tokens/${mod.tokenId}`)).status, 200)
  await until(async () => reader.over, { what: 'a revoked token is disconnected' })
  t.match(await write(mod.url, 'hi'), { status: 403, body: { error: { code: 'chat_token_invalid' } } })
  t.equal((await write(`${ada.url}x`, 'hi')).status, 403)
})

t.test('a viewer who writes too fast does not use the limit of the channel', async (t) => {
  const channelId = await makeChannel({ opens: 'always', slowSeconds: 60 })
  const [ada, bob] = [await tokenOf(channelId, {}), await tokenOf(channelId, { userId: 'bob', name: 'Bob' })]
  const flood = Promise.all(Array.from({ length: 90 }, () => write(ada.url, 'spam')))
  const others: number[] = []
  const first = await write(bob.url, 'hello')
  others.push(first.status)
  const answers = await flood
  t.equal(answers.filter(({ status }) => status === 201).length, 1)
  t.notOk(answers.some(({ body }) => /Too many messages/.test(body.error?.message ?? '')))
  t.same(others, [201])
})

t.test('the chat opens and closes with the broadcast', async (t) => {
  const channelId = await makeChannel({ opens: 'broadcast' })
  const ada = await tokenOf(channelId, {})
  const reader = await open(t, ada.url)
  t.match(await write(ada.url, 'early'), { status: 409, body: { error: { code: 'chat_closed' } } })
  const { id } = await broadcasts.insert(db, { id: newId(), org_id: orgId, channel_id: channelId, record: false })
  await db.transaction((tx) => markBroadcastLive(tx, id))
  await until(async () => reader.last('state')?.isOpen === true, { what: 'the chat opens' })
  t.equal((await write(ada.url, 'now')).status, 201)
  await db.transaction((tx) => endBroadcast(tx, id, 'stopped'))
  await until(async () => reader.last('state')?.isOpen === false, { what: 'the chat closes' })
  t.equal((await write(ada.url, 'late')).status, 409)
  t.match((await ask(`GET ${base}/${channelId}/chat/messages?broadcastId=${id}`)).body.data, [{ text: 'now' }])
  t.match(await ask(`POST ${base}/${channelId}/chat/messages`, { body: { name: 'Team', text: 'Thanks!' } }), {
    status: 201,
    body: { role: 'host', personId: null },
  })
  await until(async () => reader.last('message')?.text === 'Thanks!', { what: 'the organisation can always write' })
  const startsAt = new Date(Date.now() + 600_000).toISOString()
  await ask(`POST ${base}/${channelId}/schedule`, { body: { title: 'Next', startsAt } })
  t.equal((await write(ada.url, 'soon')).status, 201, 'before a scheduled broadcast')
})

t.test('messages are deleted after the days of their chat', async (t) => {
  const channelId = await makeChannel({ opens: 'always', keepDays: 2 })
  const ada = await tokenOf(channelId, {})
  for (const text of ['old', 'new']) await write(ada.url, text)
  await db.query(sql.typeAlias('void')`
    update live.chat_messages set created_at = now() - interval '3 days' where channel_id = ${channelId} and text = 'old'`)
  const signal = new AbortController().signal
  await pruneAll(
    works.filter(({ label }) => label.startsWith('live.chat_')),
    { db, log, signal },
    30_000,
  )
  t.match((await ask(`GET ${base}/${channelId}/chat/messages`)).body.data, [{ text: 'new' }])
  t.equal((await ask(`GET ${base}/${channelId}/chat/messages`)).body.data.length, 1)
})

t.test('bad settings name every field, and an erasure deletes what a person wrote', async (t) => {
  const channelId = await makeChannel()
  const wrong = { opens: 'x', earlyMinutes: -1, slowSeconds: 9999, maxLength: 0, history: 201, keepDays: 0, y: 1 }
  const bad = await ask(`PATCH ${base}/${channelId}/chat`, { body: wrong })
  t.same(
    fieldsOf(bad).toSorted(),
    Object.keys(wrong)
      .map((name) => `body.${name}`)
      .toSorted(),
  )
  t.match(await ask(`POST ${base}/${channelId}/chat/tokens`, { body: { userId: '', name: 'a\nb', role: 'host' } }), {
    status: 400,
  })
  t.equal((await ask(`GET ${base}/${newId()}/chat`)).status, 404)
  const ada = await tokenOf(channelId, { userId: 'erased' })
  await write(ada.url, 'personal')
  await db.transaction(async (tx) => {
    for (const table of personTables) await table.erase(tx, { org_id: orgId, user_id: 'erased' } as never, 100)
  })
  t.same((await ask(`GET ${base}/${channelId}/chat/messages`)).body.data, [])
  t.equal((await write(ada.url, 'again')).status, 403)
})
