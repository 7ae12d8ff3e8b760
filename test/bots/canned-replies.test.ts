import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { findUnknownPlaceholders, placeholders, renderCannedReply } from '#tasks/bots/rules/canned-placeholders.ts'
import { get, signedIn, submit } from '../app/fixture.ts'
import { fieldsOf } from '../support/ingress.ts'
import { botsStack } from './stack.ts'

t.setTimeout(120_000)
const stack = await botsStack(t, undefined, ['app', 'account'])
const { ask, askElse, db } = stack
const { url } = stack.ingress
const all = '/v1/bots/conversations/canned-replies'

async function done(request: string, body: object = {}) {
  const reply = await ask(request, request.startsWith('GET') || request.startsWith('DELETE') ? {} : { body })
  if (reply.status >= 300) throw new Error(`${request}: ${reply.text}`)
  return reply.body
}

const bot = await stack.bot({ name: 'Help {{agent.name}}', handover: true })
const org: string = await db.oneFirst(
  sql.type(z.object({ org_id: z.string() }))`select org_id from bots.bots where id = ${bot}`,
)

async function handedOver(language?: string) {
  const said = await ask(`POST /v1/bots/${bot}/visit/chat`, { body: { message: 'Let me talk to a person', language } })
  return said.body.conversation_id as string
}

t.test('values are inserted as they are, and no braces in them are replaced', async (t) => {
  const none = Object.fromEntries(placeholders.map((name) => [name, null])) as Record<
    (typeof placeholders)[number],
    null
  >
  const render = (text: string, name: string | null) => renderCannedReply(text, { ...none, 'visitor.name': name })
  t.equal(render('Hello {{visitor.name}}!', 'Ann'), 'Hello Ann!')
  t.equal(render('Hello {{ visitor.name | there }}!', null), 'Hello there!')
  t.equal(render('Hello {{visitor.name}}!', null), 'Hello !')
  t.equal(render('{{visitor.name}}{{visitor.name}}', '{{visitor.name}}'), '{{visitor.name}}{{visitor.name}}')
  t.equal(render('{{visitor.name}}', '$& $1 <b>\n/close'), '$& $1 <b> /close')
  t.equal(render('{{visitor.name}}', 'x'.repeat(1_000)).length, 200)
  t.equal(render('{{visitor.name', 'Ann'), '{{visitor.name')
  t.equal(render('}}{{{{visitor.name}}', 'Ann'), '}}')
  t.same(findUnknownPlaceholders('{{a}} {{visitor.name}} {{constructor}} {{__proto__|x}} {{}} {{a}}'), [
    ...['a', 'constructor', '__proto__', ''],
  ])
  const hostile = '{{'.repeat(500_000)
  const started = performance.now()
  t.equal(render(hostile, 'Ann'), hostile)
  render(`${'{{visitor.name}}'.repeat(60_000)}`, 'Ann')
  t.ok(performance.now() - started < 20_000, 'in linear time')
})

t.test('canned replies are created, found, rendered, changed and deleted', async (t) => {
  const text = 'Hello {{visitor.name | there}}, {{bot.name}} wishes you well.'
  const made = await done(`POST ${all}`, { shortcut: 'greet', title: 'Greeting', text })
  await done(`POST ${all}`, { shortcut: 'greet', title: 'Gruß', text: 'Hallo!', language: 'de' })
  await done(`POST ${all}`, { shortcut: 'refund', title: 'Refund', text: 'Soon.' })
  t.equal((await ask(`POST ${all}`, { body: { shortcut: 'greet', title: 'a', text: 'b' } })).status, 409)
  const ofList = async (query: string) =>
    (await done(`GET ${all}?${query}`)).data.map((one: { title: string }) => one.title)
  t.same(await ofList('shortcut=gr'), ['Gruß', 'Greeting'])
  t.same(await ofList('language=de'), ['Gruß'])
  t.same(await ofList('limit=1'), ['Refund'])
  const [english, german] = [await handedOver('en'), await handedOver('de-AT')]
  const rendered = async (id: string, query = '') =>
    (await done(`GET /v1/bots/${bot}/conversations/${id}/canned-replies?${query}`)).data
  await done(`PUT /v1/bots/${bot}/visit/${english}/contact`, { name: 'Ann {{agent.name}}' })
  t.match(await rendered(english, 'shortcut=gre'), [
    { title: 'Greeting', rendered: 'Hello Ann {{agent.name}}, Help {{agent.name}} wishes you well.' },
    { title: 'Gruß' },
  ])
  t.match(await rendered(german, 'shortcut=greet'), [{ title: 'Gruß' }, { title: 'Greeting' }])
  t.equal((await rendered(german)).length, 3)
  t.match(await rendered(german, `id=${made.id}`), [{ rendered: /^Hello there/ }])
  t.match(await done(`PATCH ${all}/${made.id}`, { title: 'Hi', language: 'en' }), { title: 'Hi', text })
  t.equal((await ask(`PATCH ${all}/${made.id}`, { body: { language: 'de' } })).status, 409)
  t.same((await askElse(`GET ${all}`)).body.data, [])
  t.equal((await askElse(`PATCH ${all}/${made.id}`, { body: { title: 'a' } })).status, 404)
  t.equal((await askElse(`GET /v1/bots/${bot}/conversations/${german}/canned-replies`)).status, 404)
  await done(`DELETE ${all}/${made.id}`)
  t.equal((await ask(`DELETE ${all}/${made.id}`)).status, 404)
})

t.test('wrong canned replies and labels name their fields', async (t) => {
  const fits = { shortcut: 'a', title: 'b', text: 'c' }
  const bad: [string, object, string[]][] = [
    ...[undefined, null, 0, '', 'A', '-a', 'a b', '/a', 'ä', 'x'.repeat(41)].map(
      (shortcut): [string, object, string[]] => [
        ...([all, { ...fits, shortcut }, ['body.shortcut']] as [string, object, string[]]),
      ],
    ),
    ...[undefined, null, 0, '', ' ', 'a\nb', '\u0000', 'x'.repeat(101)].map((title): [string, object, string[]] => [
      ...([all, { ...fits, title }, ['body.title']] as [string, object, string[]]),
    ]),
    ...[undefined, null, 0, '', ' ', '{{x}}', '{{visitor.password}}', '{{}}', 'x'.repeat(4_001)].map(
      (text): [string, object, string[]] => [all, { ...fits, text }, ['body.text']],
    ),
    ...[0, '', 'english!', 'x'.repeat(40)].map((language): [string, object, string[]] => [
      ...([all, { ...fits, language }, ['body.language']] as [string, object, string[]]),
    ]),
    [all, { shortcut: '', title: '', text: '', more: 1 }, ['body.more', 'body.shortcut', 'body.text', 'body.title']],
    ...[undefined, null, 0, '', ' ', 'a\tb', 'x'.repeat(51)].map((name): [string, object, string[]] => [
      ...(['/v1/bots/conversations/labels', { name }, ['body.name']] as [string, object, string[]]),
    ]),
    ...['pinkish', '#fff', 0, null].map((color): [string, object, string[]] => [
      ...(['/v1/bots/conversations/labels', { name: 'a', color }, ['body.color']] as [string, object, string[]]),
    ]),
  ]
  t.ok(bad.length >= 40)
  for (const [path, body, fields] of bad) {
    const reply = await ask(`POST ${path}`, { body })
    t.same([reply.status, [...new Set(fieldsOf(reply))]], [400, fields], JSON.stringify(body).slice(0, 90))
  }
  const huge = await ask(`POST ${all}`, { body: { ...fits, text: 'x'.repeat(1_048_576) } })
  t.ok([400, 413].includes(huge.status), String(huge.status))
  t.equal((await ask(`GET ${all}?shortcut=%7B`)).status, 400)
})

t.test('members assign, label, reply with a canned reply and see the other person’s reply, on pages', async (t) => {
  const [mari, jaan] = [await signedIn(db, url, org, 'developer'), await signedIn(db, url, org, 'admin')]
  const id = await handedOver('en')
  const at = `/app/bots/inbox/${id}`
  const reply = await done(`POST ${all}`, { shortcut: 'sign', title: 'Signed', text: '<i>{{agent.name}}</i>' })
  t.match((await get(url, `${at}/replies?q=/si`, mari)).text, /data-reply="&lt;i&gt;developer&lt;\/i&gt;"/)
  const name = (to: string) =>
    db.query(sql.typeAlias('void')`update account.users set name = ${to} where id = ${mari.userId}`)
  await name('')
  t.match((await get(url, `${at}/replies?q=/si`, mari)).text, /data-reply="&lt;i&gt;&lt;\/i&gt;"/, 'not the email')
  await name('developer')
  t.match((await get(url, `${at}/replies?q=${encodeURIComponent("'{{")}`, mari)).text, /No canned replies match/)
  t.match((await get(url, `${at}?insert=${reply.id}`, mari)).text, /&lt;i&gt;developer&lt;\/i&gt;<\/textarea>/)
  const seen = { after_seq: '1', author: 'Mari' }
  t.equal((await submit(url, at, mari, { message: 'I am here.', ...seen })).status, 303)
  const state = async () =>
    (await done(`GET /v1/bots/conversations?bot_id=${bot}`)).data.find(
      (one: { conversation_id: string }) => one.conversation_id === id,
    )
  t.match(await state(), { assignee_id: mari.userId, assignee_name: 'developer' }, 'the first reply takes it')
  const late = await submit(url, at, jaan, { message: 'Me too.', ...seen, author: 'Jaan' })
  t.match([late.status, late.text], [409, /value="2"[\s\S]*Mari has replied meanwhile[\s\S]*Me too\.<\/textarea>/])
  const stale = await submit(url, `${at}/assign`, jaan, { member_id: jaan.userId, expected: '' })
  t.equal(stale.status, 303)
  t.match((await get(url, at, jaan)).text, /has another assignee now/)
  t.equal((await submit(url, `${at}/assign`, jaan, { member_id: jaan.userId, expected: mari.userId })).status, 303)
  t.match(await state(), { assignee_id: jaan.userId })
  t.match((await get(url, '/app/bots/inbox?assignee=me', jaan)).text, new RegExp(id))
  t.notMatch((await get(url, '/app/bots/inbox?assignee=me', mari)).text, new RegExp(id))
  t.match((await submit(url, '/app/bots/inbox/labels', mari, { name: '', color: 'red' })).text, /id="name-fault"/)
  t.equal((await submit(url, '/app/bots/inbox/labels', mari, { name: '<b>', color: 'red' })).status, 303)
  const [label] = (await done('GET /v1/bots/conversations/labels')).data
  t.equal((await submit(url, `${at}/labels`, mari, { label_ids: label.id })).status, 303)
  t.match((await get(url, `/app/bots/inbox?label=${label.id}`, mari)).text, /is-red">&lt;b&gt;</)
  const replies = '/app/bots/inbox/canned-replies'
  const wrong = await submit(url, `${replies}/new`, mari, { shortcut: 'A', title: '', text: '{{x}}', language: '!' })
  for (const name of ['shortcut', 'title', 'text', 'language']) t.match(wrong.text, `id="${name}-fault"`)
  const hours = `/app/bots/${bot}/hours`
  const bad = await submit(url, hours, mari, { time_zone: 'UTC', day_1: '09:00-12:00, 11:00-13:00', day_2: '' })
  t.match([bad.status, bad.text], [400, /id="day_1-fault"/])
  t.match((await submit(url, hours, mari, { time_zone: 'UTC', day_3: 'noon' })).text, /id="day_3-fault"/)
  t.equal((await submit(url, hours, mari, { time_zone: 'UTC', day_1: '09:00-12:00, 13:00 - 24:00' })).status, 303)
  t.match((await get(url, hours, mari)).text, /value="09:00-12:00, 13:00-24:00"/)
  await done(`POST /v1/bots/${bot}/conversations/${id}/close`)
  await done(`PUT /v1/bots/${bot}/conversations/${id}/rating`, { score: 4, comment: 'Fine <b>' })
  const ratings = await get(url, `/app/bots/${bot}/ratings?assignee=${jaan.userId}`, mari)
  t.match(ratings.text, /4\.00[\s\S]*Fine &lt;b&gt;/)
  const viewer = await signedIn(db, url, org, 'viewer')
  for (const path of ['/app/bots/inbox/labels', replies, hours, `/app/bots/${bot}/ratings`])
    t.equal((await get(url, path, viewer)).status, 403, path)
})
