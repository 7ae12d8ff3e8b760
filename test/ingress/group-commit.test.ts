import t from 'tap'
import { z } from 'zod'
import { area } from '../../ingress/http/area.ts'
import { groupedRoute } from '../../ingress/http/route.ts'
import { notFound } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { sql } from '../../sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { type Reply, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

const Count = z.object({ n: z.number() })
const groups: number[] = []
let arrived = 0
let midway: () => Promise<void> = async () => {}

const send = groupedRoute({
  method: 'POST',
  path: '/notes',
  summary: 'Keep a note',
  problems: ['not_found'],
  scope: 'files:write',
  idempotent: true,
  status: 202,
  body: z.strictObject({
    text: z.string().refine(() => {
      arrived++
      return true
    }),
  }),
  reply: z.object({ id: z.guid(), text: z.string() }),
  async commit(tx, calls) {
    groups.push(calls.length)
    const rows = calls.map(({ body }) => [newId(), body.text])
    const kept = rows.filter(([, text]) => text !== 'refused')
    await tx.query(sql.typeAlias('void')`
      insert into notes (id, text) select * from ${sql.unnest(kept, ['uuid', 'text'])} as n`)
    await midway()
    return rows.map(([id, text]) =>
      text === 'refused'
        ? notFound('recipient')
        : { id: text === 'faulty' ? 'no id' : (id as string), text: text as string, extra: 1 },
    )
  },
})

const notes = area({
  name: 'notes',
  title: 'Notes',
  description: 'Notes.',
  base: '/v1',
  platform: true,
  routes: { notes: { send } },
})

t.test('grouped routes', async (t) => {
  const { db } = await testDatabase(t)
  await db.query(sql.typeAlias('void')`
    create table notes (id uuid primary key, text text not null check (text <> 'forbidden'))`)
  const { ask } = await testIngress(t, db, [notes], { only: [] })
  const { keys } = await testOrg(db, ['files:write'])
  const post = (text: string, idempotencyKey?: string) =>
    ask('POST /v1/notes', {
      key: keys.main,
      body: { text },
      headers: idempotencyKey ? { 'idempotency-key': idempotencyKey } : {},
    })
  const count = async (text: string) =>
    (await db.one(sql.type(Count)`select count(*)::int as n from notes where text = ${text}`)).n
  const statuses = (replies: Reply[]) => replies.map((r) => r.status)

  await t.test('commit many requests at once, and each has its own answer', async (t) => {
    groups.length = 0
    arrived = 0
    // Nothing is committed until all requests have arrived, so only the two current groups are small.
    midway = () => until(() => arrived === 150).then(() => {})
    const texts = Array.from({ length: 150 }, (_, i) => `note ${i}`)
    const replies = await Promise.all(texts.map((text) => post(text)))
    t.strictSame(
      replies.map((r) => r.body.text),
      texts,
    )
    t.strictSame(Object.keys(replies[0]?.body), ['id', 'text'])
    t.equal(new Set(replies.map((r) => r.body.id)).size, 150)
    midway = async () => {}
    t.ok(groups.length <= 4, `${groups.length} transactions`)
    t.ok(Math.max(...groups) <= 100)
    t.equal((await db.one(sql.type(Count)`select count(*)::int as n from notes`)).n, 150)
  })

  await t.test('answer after the commit, not before', async (t) => {
    const gate = Promise.withResolvers<void>()
    const inside = Promise.withResolvers<void>()
    midway = () => {
      inside.resolve()
      return gate.promise
    }
    let answered = false
    const reply = post('slow').then((r) => {
      answered = true
      return r
    })
    await inside.promise
    midway = async () => {}
    t.equal(await count('slow'), 0)
    t.equal(answered, false)
    gate.resolve()
    t.equal((await reply).status, 202)
    t.equal(await count('slow'), 1)
  })

  await t.test('let one bad request fail alone', async (t) => {
    const texts = ['good 1', 'forbidden', 'good 2', 'refused', 'good 3', 'faulty', 'good 4']
    const replies = await Promise.all(texts.map((text) => post(text)))
    t.strictSame(statuses(replies), [202, 500, 202, 404, 202, 500, 202])
    for (const text of texts) t.equal(await count(text), text.startsWith('good') ? 1 : 0, text)
  })

  await t.test('are idempotent, for duplicates in one group too', async (t) => {
    const replies = await Promise.all([post('same', 'k'), post('same', 'k'), post('else', 'j'), post('same', 'k')])
    t.strictSame(statuses(replies), [202, 202, 202, 202])
    t.equal(new Set([0, 1, 3].map((i) => replies[i]?.text)).size, 1)
    t.equal(replies.filter((r) => r.headers.get('idempotent-replayed')).length, 2)
    t.equal(await count('same'), 1)
    const later = await Promise.all([post('same', 'k'), post('other', 'k'), post('new')])
    t.strictSame(statuses(later), [202, 409, 202])
    t.equal(await count('same'), 1)
    t.strictSame(statuses(await Promise.all([post('refused', 'r'), post('fine')])), [404, 202])
    t.equal((await post('fine', 'r')).status, 202, 'a refused request leaves its key free')
  })

  await t.test('tell clients to come again when too many wait', async (t) => {
    const small = await testIngress(t, db, [notes], { only: [], groupCommit: { size: 2, flushes: 1, queue: 3 } })
    const gate = Promise.withResolvers<void>()
    const inside = Promise.withResolvers<void>()
    midway = () => {
      inside.resolve()
      return gate.promise
    }
    const one = (text: string) => small.ask('POST /v1/notes', { key: keys.main, body: { text } })
    const first = one('q')
    await inside.promise
    const rest = Array.from({ length: 6 }, () => one('q'))
    let answered = 0
    for (const reply of rest) void reply.then(() => answered++)
    const refused = await Promise.race(rest)
    await until(() => answered === 3, { what: 'three requests were refused' })
    t.match(refused, { status: 503, body: { error: { code: 'server_error' } } })
    t.equal(refused.headers.get('retry-after'), '1')
    midway = async () => {}
    gate.resolve()
    t.strictSame(statuses(await Promise.all([first, ...rest])).sort(), [202, 202, 202, 202, 503, 503, 503])
    t.equal(await count('q'), 4)
  })
})
