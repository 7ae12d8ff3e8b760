import t from 'tap'
import { z } from 'zod'
import * as keys from '#sql/account/keys.ts'
import * as members from '#sql/account/people/members.ts'
import { sql } from '#sql/db.ts'
import { signedIn } from '../app/fixture.ts'
import { emittedTo } from '../support/emitted.ts'
import { fieldsOf } from '../support/ingress.ts'
import { botsStack } from './stack.ts'

t.setTimeout(120_000)
const stack = await botsStack(t)
const { ask, askElse, db } = stack

async function done(request: string, body: object = {}) {
  const reply = await ask(request, request.startsWith('GET') ? {} : { body })
  if (reply.status >= 300) throw new Error(`${request}: ${reply.text}`)
  return reply.body
}

const bot = await stack.bot({ name: 'Help', handover: true })
const org: string = await db.oneFirst(
  sql.type(z.object({ org_id: z.string() }))`select org_id from bots.bots where id = ${bot}`,
)
const mari = (await signedIn(db, stack.ingress.url, org, 'developer')).userId
const { secret: key } = await keys.create(db, { orgId: org, name: 'page', prefix: 'bt_live_', scopes: ['bots:chat'] })

/** Starts a conversation of a visitor that a person has. Returns its paths for the visitor and for the team. */
async function visit(facts: Record<string, unknown> = {}, of = bot) {
  const said =
    'user_id' in facts
      ? await stack.say(of, 'Let me talk to a person', facts)
      : await ask(`POST /v1/bots/${of}/visit/chat`, { key, body: { message: 'Let me talk to a person' } })
  if (said.body.handed_over !== true) throw new Error(said.text)
  const id: string = said.body.conversation_id
  return { id, own: `/v1/bots/${of}/visit/${id}`, team: `/v1/bots/${of}/conversations/${id}` }
}

const rate = (at: string, score: unknown, more: object = {}) =>
  ask(`PUT ${at}/rating`, { key, body: { score, ...more } })

t.test('a visitor rates a conversation that has ended, once, and changes the rating for a day', async (t) => {
  const { id, own, team } = await visit()
  t.match((await rate(own, 5)).body.error, { code: 'conversation_not_ended' })
  await done(`PUT ${team}/assignee`, { member_id: mari })
  await done(`POST ${team}/close`)
  t.match((await ask(`GET ${own}/messages`, { key })).body, { closed: true, rateable: true })
  t.match(await rate(own, 4, { comment: '=1+1, thanks' }), { status: 200, body: { conversation_id: id, score: 4 } })
  t.equal((await rate(own, 4, { comment: '=1+1, thanks' })).status, 200)
  t.match((await rate(own, 2)).body, { score: 2, comment: null })
  t.match(await done(`GET ${team}/rating`), { score: 2, assignee_id: mari, bot_id: bot })
  t.match((await done(`GET /v1/bots/conversations/ratings?assignee_id=${mari}`)).data, [{ conversation_id: id }])
  const told = emittedTo(org).filter(({ type }) => type === 'bots.conversation.rated')
  t.match(
    told.map(({ data }) => data),
    [
      { score: 4, changed: false, commented: true, assignee_id: mari },
      { score: 2, changed: true, commented: false },
    ],
  )
  await db.query(sql.typeAlias('void')`
    update bots.ratings set created_at = created_at - interval '24 hours 1 second' where conversation_id = ${id}`)
  t.match((await rate(own, 1)).body.error, { code: 'rating_final' })
  t.equal((await rate(own, 2)).status, 200, 'the same rating again')
  t.match((await ask(`GET ${own}/messages`, { key })).body, { rateable: false })
})

t.test('a conversation that a person returned to the bot can be rated', async (t) => {
  const { own, team } = await visit()
  await done(`POST ${team}/return`)
  t.match((await ask(`GET ${own}/messages`, { key })).body, { closed: false, rateable: true })
  t.equal((await rate(own, 3)).status, 200)
})

t.test('of two ratings at the same time, one is a change of the other', async (t) => {
  const { id, own, team } = await visit()
  await done(`POST ${team}/close`)
  const sent = await Promise.all([1, 2, 3, 4, 5].map((score) => rate(own, score)))
  t.same(
    sent.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  const told = emittedTo(org).filter(({ data }) => (data as { conversation_id?: string }).conversation_id === id)
  const rated = told.filter(({ type }) => type === 'bots.conversation.rated')
  t.same(rated.map(({ data }) => (data as { changed: boolean }).changed).sort(), [false, true, true, true, true])
  t.equal(
    (await done('GET /v1/bots/conversations/ratings')).data.filter(
      (one: { conversation_id: string }) => one.conversation_id === id,
    ).length,
    1,
  )
})

t.test('a visitor rates no conversation of a user, of another bot or of another organisation', async (t) => {
  const other = await stack.bot({ handover: true })
  const [users, mine] = [await visit({ user_id: 'anna' }), await visit()]
  await done(`POST ${users.team}/close`)
  await done(`POST ${mine.team}/close`)
  t.equal((await rate(users.own, 5)).status, 404)
  t.equal((await rate(mine.own.replace(bot, other), 5)).status, 404)
  t.equal((await askElse(`PUT ${mine.team}/rating`, { body: { score: 5 } })).status, 404)
  t.equal((await askElse(`GET ${mine.team}/rating`)).status, 404)
  t.equal((await ask(`GET ${mine.team}/rating`)).status, 404, 'not rated yet')
  t.equal((await ask(`PUT ${users.team}/rating`, { body: { score: 5 } })).status, 200, 'the server rates for its user')
  t.equal((await ask(`PUT ${mine.team}/rating`, { key, body: { score: 5 } })).status, 403)
})

t.test('ratings are averaged by bot, member and week, and exported', async (t) => {
  const own = await stack.bot({ name: 'Shop', handover: true })
  for (const score of [5, 4, 1]) {
    const { own: at, team } = await visit({}, own)
    if (score > 1) await done(`PUT ${team}/assignee`, { member_id: mari })
    await done(`POST ${team}/close`)
    t.equal((await rate(at, score, { comment: '=A1' })).status, 200)
  }
  const summary = async (query: string) => (await done(`GET /v1/bots/conversations/ratings/summary?${query}`)).data
  t.match(await summary(`bot_id=${own}`), [
    { key: own, name: 'Shop', ratings: 3, average: 10 / 3, scores: [1, 0, 0, 1, 1] },
  ])
  t.match(await summary(`by=assignee&bot_id=${own}`), [
    { key: mari, ratings: 2, average: 4.5 },
    { key: null, name: null, ratings: 1 },
  ])
  const [week] = await summary(`by=week&bot_id=${own}`)
  t.equal(new Date(week.key).getUTCDay(), 1)
  t.same(await summary(`bot_id=${own}&until=2020-01-01T00:00:00Z`), [])
  const page = await done(`GET /v1/bots/conversations/ratings?bot_id=${own}&limit=2`)
  t.same(
    page.data.map(({ score }: { score: number }) => score),
    [1, 4],
  )
  const rest = await done(`GET /v1/bots/conversations/ratings?bot_id=${own}&limit=2&cursor=${page.next_cursor}`)
  t.same(
    rest.data.map(({ score }: { score: number }) => score),
    [5],
  )
  t.equal((await done(`GET /v1/bots/conversations/ratings?bot_id=${own}&assignee_id=none`)).data.length, 1)
  const csv = await ask(`GET /v1/bots/conversations/ratings/export?bot_id=${own}&score=5`)
  t.match(csv.text.split('\r\n'), [/^id,conversation_id/, /,5,'=A1,/, ''])
  for (const [query, field] of [
    ['by=day', 'query.by'],
    ['since=yesterday', 'query.since'],
    ['since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 'query.until'],
    ['since=2020-01-01T00:00:00Z', 'query.since'],
    ['bot_id=x', 'query.bot_id'],
  ] as const) {
    const reply = await ask(`GET /v1/bots/conversations/ratings/summary?${query}`)
    t.same([reply.status, fieldsOf(reply)], [400, [field]], query)
  }
  t.same((await askElse('GET /v1/bots/conversations/ratings')).body.data, [])
})

t.test('a rating keeps the member who left, and is deleted with its conversation', async (t) => {
  const { id, own, team } = await visit()
  const jaan = (await signedIn(db, stack.ingress.url, org, 'developer')).userId
  await done(`PUT ${team}/assignee`, { member_id: jaan })
  await done(`POST ${team}/close`)
  await db.transaction((tx) => members.remove(tx, org, jaan))
  t.equal((await rate(own, 5)).status, 200)
  t.match(await done(`GET ${team}/rating`), { assignee_id: jaan })
  await db.query(sql.typeAlias('void')`delete from bots.conversations where id = ${id}`)
  t.equal(await db.exists(sql.unsafe`select from bots.ratings where conversation_id = ${id}`), false)
})

t.test('wrong ratings name their fields', async (t) => {
  const { team } = await visit()
  const given = (body: object) => ask(`PUT ${team}/rating`, { body })
  await done(`POST ${team}/close`)
  for (const score of [undefined, null, 0, 6, 1.5, '5', true, [], {}, 1e300, -1]) {
    const reply = await given({ score })
    t.same([reply.status, fieldsOf(reply)], [400, ['body.score']], String(score))
  }
  for (const comment of ['', ' ', '\u0000', 0, [], 'x'.repeat(1_001), '\ud800']) {
    const reply = await given({ score: 5, comment })
    t.same([reply.status, fieldsOf(reply)], [400, ['body.comment']], String(comment).slice(0, 9))
  }
  const both = await given({ score: 9, comment: 1, more: 1 })
  t.same(fieldsOf(both).sort(), ['body.comment', 'body.more', 'body.score'])
  t.equal((await ask(`GET ${team}/rating`)).status, 404)
})
