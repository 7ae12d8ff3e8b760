import t from 'tap'
import { z } from 'zod'
import { area } from '../../ingress/http/area.ts'
import { groupedRoute } from '../../ingress/http/route.ts'
import { sql } from '../../sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { ask, ingressProcess, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { commitLock, installNotes } from './notes.ts'

const Count = z.object({ n: z.number() })

t.test('an ingress that dies between commit and answer has its successor answer the same', async (t) => {
  const { db, url } = await testDatabase(t)
  await installNotes(db)
  const { keys } = await testOrg(db, ['files:write'])
  const post = (base: string, text: string) =>
    ask(base, 'POST /v1/notes', { key: keys.main, body: { text }, headers: { 'idempotency-key': text } })
  const count = () => db.oneFirst(sql.type(Count)`select count(*)::int as n from notes where text = 'last words'`)
  const first = await ingressProcess(t, url, import.meta.resolve('./notes.ts'))
  const { pid } = (await post(first, 'hello')).body

  let lost: Promise<unknown> = Promise.resolve()
  await db.connect(async (holder) => {
    await holder.query(sql.typeAlias('void')`select from pg_advisory_lock(${commitLock})`)
    lost = post(first, 'last words').then(
      ({ status }) => status,
      () => 'no answer',
    )
    await until(
      () =>
        db.exists(sql.type(z.object({}))`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database()) and objid = ${commitLock}`),
      { what: 'a commit under way' },
    )
    process.kill(pid, 'SIGSTOP')
    await holder.query(sql.typeAlias('void')`select from pg_advisory_unlock(${commitLock})`)
  })
  await until(async () => (await count()) === 1, { what: 'the commit' })
  process.kill(pid, 'SIGKILL')
  t.equal(await lost, 'no answer')

  const second = await ingressProcess(t, url, import.meta.resolve('./notes.ts'))
  const repeated = await post(second, 'last words')
  t.equal(repeated.status, 202)
  t.equal(repeated.headers.get('idempotent-replayed'), 'true')
  t.equal(repeated.body.pid, pid, 'it is the answer of the process that died')
  t.equal(await count(), 1)
})

/** Routes whose calls wait for each other, so the test decides which are grouped. */
function meetings() {
  const state = { arrived: 0, groups: [] as string[][], within: async (_texts: string[]) => {} }
  const add = groupedRoute({
    method: 'POST',
    path: '/adds',
    summary: 'Add one to a sum',
    scope: 'files:write',
    status: 200,
    body: z.strictObject({
      name: z.string().refine(() => {
        state.arrived++
        return true
      }),
    }),
    reply: z.object({}),
    async commit(tx, calls) {
      const names = calls.map(({ body }) => body.name)
      state.groups.push(names)
      for (const name of names) {
        await tx.query(sql.typeAlias('void')`update sums set n = n + 1 where name = ${name}`)
        await tx.query(sql.typeAlias('void')`insert into added (name) values (${name})`)
        await state.within(names)
      }
      return calls.map(() => ({}))
    },
  })
  const facts = { name: 'sums', title: 'Sums', description: 'Sums.', base: '/v1', platform: true }
  return { state, sums: area({ ...facts, routes: { sums: { add } } }) }
}

t.test('groups', async (t) => {
  const { db } = await testDatabase(t)
  await db.query(sql.typeAlias('void')`create table sums (name text primary key, n integer not null)`)
  await db.query(sql.typeAlias('void')`create table added (name text check (name <> 'forbidden'))`)
  await db.query(sql.typeAlias('void')`insert into sums values ('a', 0), ('b', 0)`)
  const { keys } = await testOrg(db, ['files:write'])

  /** Sends requests one after the other while the groups are busy, so they are grouped in this order. */
  async function sendTogether(settings: { size: number; flushes: number; linger: number }, names: string[]) {
    const { state, sums } = meetings()
    const { ask } = await testIngress(t, db, [sums], { only: [], groupCommit: { ...settings, queue: 1_000 } })
    const post = (name: string) => ask('POST /v1/adds', { key: keys.main, body: { name } })
    const gate = Promise.withResolvers<void>()
    state.within = () => gate.promise
    const replies: ReturnType<typeof post>[] = []
    for (const name of Array.from({ length: settings.flushes }, () => 'busy')) {
      replies.push(post(name))
      await until(() => state.groups.length === replies.length)
    }
    for (const name of names) {
      const before = state.arrived
      replies.push(post(name))
      await until(() => state.arrived > before, { every: 1 })
    }
    return { state, gate, post, replies }
  }

  await t.test('that stand in each other’s way are both committed', async (t) => {
    const { state, gate, replies } = await sendTogether({ size: 2, flushes: 2, linger: 1 }, ['a', 'b', 'b', 'a'])
    const met = Promise.withResolvers<void>()
    let holding = 0
    state.within = async (names) => {
      if (names.includes('a') && ++holding === 2) met.resolve()
      if (names.includes('a')) await met.promise
    }
    gate.resolve()
    t.strictSame(
      (await Promise.all(replies)).map((reply) => reply.status),
      [200, 200, 200, 200, 200, 200],
    )
    t.strictSame(state.groups.slice(0, 4).map(String).sort(), ['a,b', 'b,a', 'busy', 'busy'])
    t.ok(state.groups.length > 4, 'one of them was rolled back by Postgres, and committed again')
    t.strictSame(await db.anyFirst(sql.type(Count)`select n from sums order by name`), [2, 2])
  })

  await t.test('isolate the one bad request among many in a few transactions', async (t) => {
    const names = Array.from({ length: 64 }, (_, i) => (i === 41 ? 'forbidden' : `fine ${i}`))
    const { state, gate, replies } = await sendTogether({ size: 64, flushes: 1, linger: 1 }, names)
    gate.resolve()
    const statuses = (await Promise.all(replies)).map((reply) => reply.status)
    t.strictSame(
      statuses.slice(1).flatMap((status, i) => (status === 200 ? [] : [[i, status]])),
      [[41, 500]],
    )
    t.ok(state.groups.length <= 14, `${state.groups.length} transactions`)
    t.equal(await db.oneFirst(sql.type(Count)`select count(*)::int as n from added where name like 'fine %'`), 63)
  })

  await t.test('wait for as many as were committed before, a lone request for nobody', async (t) => {
    // A minute is longer than any test, so a lingering request gets a response only because others have arrived.
    const { state, gate, post, replies } = await sendTogether({ size: 64, flushes: 1, linger: 60_000 }, ['x', 'y', 'z'])
    gate.resolve()
    await Promise.all(replies)
    for (const name of ['x', 'y', 'z']) replies.push(post(name))
    await Promise.all(replies)
    t.strictSame(
      state.groups.map((names) => names.length),
      [1, 3, 3],
    )
  })
})
