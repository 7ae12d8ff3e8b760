import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import * as secretKeys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { asksForPerson } from '#tasks/bots/rules/asks-for-person.ts'
import { createLanguageEngine } from '../../workers/llm/engine.ts'
import { get, signedIn, submit } from '../app/fixture.ts'
import { emittedTo } from '../support/emitted.ts'
import { fieldsOf } from '../support/ingress.ts'
import { botsStack } from './stack.ts'

t.setTimeout(300_000)
const engine = createLanguageEngine()
t.teardown(() => engine.close())
const stack = await botsStack(t, engine, ['app', 'account'])
const { ask, askElse, db } = stack
const { url } = stack.ingress
await stack.startWorkers()

async function done(request: string, body: object = {}) {
  const reply = await ask(request, request.startsWith('GET') ? {} : { body })
  if (reply.status !== 200) throw new Error(`${request}: ${reply.text}`)
  return reply.body
}

const knowing = async (facts: Record<string, unknown> = {}) => {
  const bot = await stack.bot({ fallback: 'No idea.', ...facts })
  await done(`POST /v1/bots/${bot}/documents`, {
    title: 'Returns',
    text: 'Bicycles can be returned within thirty days.',
  })
  return bot
}

const orgOf = (bot: string) =>
  db.oneFirst(sql.type(z.object({ org_id: z.string() }))`select org_id from bots.bots where id = ${bot}`)

const said = async (bot: string, conversation: string) =>
  (await done(`GET /v1/bots/${bot}/messages?conversation_id=${conversation}&order=asc`)).data

t.test('while a person has a conversation the bot is silent; it goes on where it is given back', async (t) => {
  const bot = await knowing()
  const { conversation_id: id } = (await stack.say(bot, 'When can bicycles be returned?', { user_id: 'mari' })).body
  const at = `/v1/bots/${bot}/conversations/${id}`
  t.match(await ask(`POST ${at}/reply`, { body: { message: 'hello' } }), { status: 409 })
  t.match(await done(`POST ${at}/handover`, { note: 'She is cross.' }), {
    reason: 'requested',
    waits: true,
    note: 'She is cross.',
  })
  t.match(await done(`POST ${at}/handover`), { note: 'She is cross.' })
  const silent = (await stack.say(bot, 'When can bicycles be returned?', { conversation_id: id })).body
  t.match(silent, { handed_over: true, finish_reason: null, message: { role: 'user', seq: 3, status: 'completed' } })
  const streamed = await stack.say(bot, 'Is anybody there?', { conversation_id: id, stream: true })
  t.match(streamed.text, /event: message\.completed\ndata: .*"handed_over":true/)
  t.notMatch(streamed.text, /message\.delta/)
  const inbox = (await done('GET /v1/bots/conversations')).data
  t.match(inbox, [
    { conversation_id: id, last_message: 'Is anybody there?', waits: true, user_id: 'mari', bot_name: 'Help' },
  ])
  t.match(await done(`POST ${at}/reply`, { message: 'I am here.', author: 'Jaan' }), {
    role: 'assistant',
    author: 'Jaan',
    seq: 5,
  })
  t.match((await done('GET /v1/bots/conversations')).data, [{ waits: false, last_message: 'I am here.' }])
  t.same(await done(`POST ${at}/return`), { conversation_id: id, closed: false })
  const again = (await stack.say(bot, 'When can bicycles be returned?', { conversation_id: id })).body
  t.match(again, { handed_over: false, message: { role: 'assistant', content: /thirty days/, seq: 7, author: null } })
  t.same(
    (await said(bot, id)).map(({ seq, role, author }: Record<string, unknown>) => [seq, role, author]),
    [
      ...[
        [1, 'user', null],
        [2, 'assistant', null],
        [3, 'user', null],
        [4, 'user', null],
      ],
      ...[
        [5, 'assistant', 'Jaan'],
        [6, 'user', null],
        [7, 'assistant', null],
      ],
    ],
  )
  t.same(await done(`POST ${at}/close`), { conversation_id: id, closed: true })
  t.equal((await stack.say(bot, 'One more thing', { conversation_id: id })).status, 409)
  for (const [path, body] of [
    ['handover', {}],
    ['return', {}],
    ['reply', { message: 'Hello?' }],
  ] as const)
    t.match(await ask(`POST ${at}/${path}`, { body }), { status: 409, text: /The conversation is closed/ })
  const types = emittedTo(await orgOf(bot))
    .map(({ type }) => String(type))
    .filter((type) => type.startsWith('bots.conversation'))
  t.same(types.sort(), ['bots.conversation.handed_over', 'bots.conversation.replied', 'bots.conversation.returned'])
})

t.test('a bot that may hands over when it is asked for a person, or has nothing to say twice running', async (t) => {
  for (const message of [
    'Can I TALK to a human?',
    'Ich möchte mit einem Menschen sprechen',
    'Je veux parler à un conseiller.',
    'I want a person',
    'Please, I need a human!',
    'Ich will einen Menschen',
    'Je veux un humain, s’il vous plaît',
    'Quiero una persona',
    'Human?',
  ])
    t.ok(asksForPerson(message), message)
  for (const message of [
    'Who is a real estate person?',
    'What does a human weigh?',
    'Do I need a human?',
    'I want a person to carry my bike',
    'I want a personal account',
    'please',
    '',
    `${'x '.repeat(200)} human agent`,
  ])
    t.notOk(asksForPerson(message), message)
  const [bot, deaf] = [await knowing({ handover: true }), await knowing()]
  t.match((await stack.say(bot, 'Let me talk to a person, please')).body, { handed_over: true, message: { seq: 1 } })
  t.match((await stack.say(deaf, 'Let me talk to a person, please')).body, { handed_over: false })
  const first = (await stack.say(bot, 'Who painted the chapel?')).body
  t.equal(first.handed_over, false)
  const facts = { conversation_id: first.conversation_id }
  t.match((await stack.say(bot, 'And who sings in it?', facts)).body.message, { content: 'No idea.' })
  t.match((await stack.say(bot, 'Hello?', facts)).body, { handed_over: true })
  const inbox = (await done('GET /v1/bots/conversations')).data
  t.same(
    inbox.map(({ reason }: { reason: string }) => reason),
    ['unanswered', 'asked'],
  )
  t.match(await done(`GET /v1/bots?limit=2`), { data: [{ handover: false }, { handover: true }] })
})

t.test('questions without an answer are counted by their words, and answered for good', async (t) => {
  const bot = await knowing()
  for (const question of ['Where is the café?', 'where is the CAFE', 'Who sings?', '???'])
    t.equal((await stack.say(bot, question)).body.message.content, 'No idea.')
  await done(`POST /v1/bots/${bot}/publish`)
  await askElse(`POST /v1/bots/${bot}/chat`, { body: { message: 'A secret of another organisation?' } })
  const { data } = await done(`GET /v1/bots/${bot}/questions`)
  t.match(data, [
    { question: 'where is the CAFE', times: 2 },
    { question: 'Who sings?', times: 1 },
  ])
  t.equal(data.length, 2)
  const [cafe, singer] = data
  const page = await done(`GET /v1/bots/${bot}/questions?limit=1`)
  t.same((await done(`GET /v1/bots/${bot}/questions?limit=1&cursor=${page.next_cursor}`)).data, [singer])
  t.match(await done(`POST /v1/bots/${bot}/questions/${cafe.id}/answer`, { text: 'The café is in the harbour.' }), {
    title: 'where is the CAFE',
  })
  t.match((await stack.say(bot, 'Where is the café?')).body.message.content, /harbour/)
  t.equal((await ask(`DELETE /v1/bots/${bot}/questions/${singer.id}`)).status, 200)
  t.same((await done(`GET /v1/bots/${bot}/questions`)).data, [])
  t.equal((await askElse(`GET /v1/bots/${bot}/questions`)).status, 404)
})

t.test('where as many questions are kept as may be, the one that was asked least gives way', async (t) => {
  const bot = await knowing()
  await stack.say(bot, 'Where is the chapel?')
  await stack.say(bot, 'Where is the chapel?')
  await db.query(sql.typeAlias('void')`
    insert into bots.unanswered (id, bot_id, fingerprint, question, last_at)
    select gen_random_uuid(), ${bot}, 'random ' || n, 'Random ' || n, now() - n * interval '1 minute'
    from generate_series(1, 999) as n`)
  await stack.say(bot, 'Who painted it?')
  await stack.say(bot, 'Who painted it?')
  const { data } = await done(`GET /v1/bots/${bot}/questions?limit=3`)
  t.match(data, [{ times: 2 }, { times: 2 }, { times: 1 }])
  t.same(
    new Set(data.slice(0, 2).map((one: { question: string }) => one.question)),
    new Set(['Where is the chapel?', 'Who painted it?']),
  )
  const kept = sql.type(z.object({ oldest: z.string(), count: z.number() }))`
    select count(*)::int4 as count, max(substring(fingerprint from 'random (.*)')::int4)::text as oldest
    from bots.unanswered where bot_id = ${bot}`
  t.same(await db.one(kept), { count: 1_000, oldest: '998' })
})

t.test(
  'members answer in the bot’s place, and add answers, on pages; a viewer does not read what was said',
  async (t) => {
    const bot = await knowing({ name: 'Desk <b>' })
    const org = await orgOf(bot)
    const [developer, viewer] = [await signedIn(db, url, org, 'developer'), await signedIn(db, url, org, 'viewer')]
    const { conversation_id: id } = (await stack.say(bot, 'Who <i>sings</i>?')).body
    await done(`POST /v1/bots/${bot}/conversations/${id}/handover`)
    t.match((await get(url, '/app/bots', viewer)).text, /Desk &lt;b&gt;/)
    const own = await get(url, `/app/bots/${bot}`, viewer)
    t.match(own.text, /can’t follow the bot’s instructions, make small talk/)
    t.notMatch(own.text, />Try it<|>Embed</)
    for (const path of ['inbox', `inbox/${id}`, `${bot}/questions`])
      t.equal((await get(url, `/app/bots/${path}`, viewer)).status, 403)
    t.match((await get(url, '/app/bots/inbox', developer)).text, /Who &lt;i&gt;sings&lt;\/i&gt;\?/)
    const sent = await submit(url, `/app/bots/inbox/${id}`, developer, { message: 'I do.', author: 'Jaan' })
    t.equal(sent.status, 303, sent.text)
    t.match((await get(url, `/app/bots/inbox/${id}`, developer)).text, /Jaan[\s\S]*I do\./)
    t.match(
      (await submit(url, `/app/bots/inbox/${id}`, developer, { message: '', author: 'J' })).text,
      /id="message-fault"/,
    )
    const { data } = await done(`GET /v1/bots/${bot}/questions`)
    t.match((await get(url, `/app/bots/${bot}/questions`, developer)).text, /Add an answer/)
    const to = `/app/bots/${bot}/questions/${data[0].id}`
    t.match((await submit(url, to, developer, { title: '', text: ' ' })).text, /id="text-fault"/)
    t.equal((await submit(url, to, developer, { title: 'Who sings?', text: 'Mari sings.' })).status, 303)
    t.match((await stack.say(bot, 'Who sings?')).body.message.content, /Mari/)
    t.match(
      (await submit(url, `/app/bots/${bot}/documents/url`, developer, { url: 'ftp://a', refresh_hours: 'x' })).text,
      /id="url-fault"[\s\S]*id="refresh_hours-fault"/,
    )
    t.equal((await submit(url, `/app/bots/inbox/${id}/return`, developer, {})).status, 303)
    t.match((await get(url, '/app/bots/inbox', developer)).text, /Desk|No conversations|Handed-over/)
    t.equal((await get(url, `/app/bots/inbox/${id}`, developer)).status, 404)
  },
)

t.test('a visitor of a page goes on with no conversation of somebody who has a name', async (t) => {
  const bot = await knowing()
  const facts = { name: 'pages', prefix: 'bt_live_' as const, scopes: ['bots:chat'] }
  const { secret: key } = await secretKeys.create(db, { orgId: await orgOf(bot), ...facts })
  const visit = (request: string, body?: object) => ask(request, { key, body })
  const begun = async (facts: Record<string, unknown>) =>
    (await stack.say(bot, 'Who sings?', facts)).body.conversation_id
  for (const [named, status] of [
    [{ user_id: 'anna' }, 404],
    [{}, 200],
  ] as const) {
    const id = await begun(named)
    t.equal((await visit(`POST /v1/bots/${bot}/visit/chat`, { message: 'Who?', conversation_id: id })).status, status)
    t.equal((await visit(`GET /v1/bots/${bot}/visit/${id}/messages`)).status, status)
    t.equal((await visit(`POST /v1/bots/${bot}/visit/${id}/handover`, {})).status, status)
  }
})

t.test('bad input names its fields, and nobody reaches what is another’s', async (t) => {
  const bot = await knowing()
  const { conversation_id: id } = (await stack.say(bot, 'Who sings?')).body
  const [question] = (await done(`GET /v1/bots/${bot}/questions`)).data
  const at = `/v1/bots/${bot}/conversations/${id}`
  const texts = [0, '', ' ', '\u0000', '\ud800', [], {}, true, 'x'.repeat(50_000)]
  const bad: [string, unknown, string][] = [
    ...[null, ...texts].map((message): [string, unknown, string] => [`${at}/reply`, { message }, 'body.message']),
    ...[null, ...texts].map((author): [string, unknown, string] => [
      `${at}/reply`,
      { message: 'a', author },
      'body.author',
    ]),
    ...texts.map((note): [string, unknown, string] => [`${at}/handover`, { note }, 'body.note']),
    ...[null, ...texts].map((text): [string, unknown, string] => [
      `/v1/bots/${bot}/questions/${question.id}/answer`,
      { text },
      'body.text',
    ]),
    [`${at}/return`, { a: 1 }, 'body.a'],
    [`${at}/close`, { a: 1 }, 'body.a'],
    [`${at}/reply`, { message: 'a', more: 1 }, 'body.more'],
    ['/v1/bots', { name: 'a', system_prompt: 'b', handover: 'yes' }, 'body.handover'],
  ]
  t.ok(bad.length >= 40)
  for (const [path, body, field] of bad) {
    const reply = await ask(`POST ${path}`, { body })
    t.equal(reply.status, 400, `${path} ${JSON.stringify(body).slice(0, 60)} ${reply.text.slice(0, 200)}`)
    if (reply.status === 400) t.match(fieldsOf(reply)[0], field)
  }
  for (const path of [`${at}/handover`, `${at}/reply`, `${at}/return`, `${at}/close`])
    t.equal((await askElse(`POST ${path}`, { body: { message: 'a' } })).status, path.endsWith('reply') ? 404 : 400)
  t.equal((await askElse(`POST ${at}/handover`, { body: {} })).status, 404)
  for (const name of ['nothing', newId()]) {
    t.equal((await ask(`POST /v1/bots/${bot}/conversations/${name}/handover`, { body: {} })).status, 404)
    t.equal((await ask(`DELETE /v1/bots/${bot}/questions/${name}`)).status, 404)
  }
})
