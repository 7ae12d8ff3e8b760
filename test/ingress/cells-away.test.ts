import { randomUUID } from 'node:crypto'
import t from 'tap'
import { hashSecret, makeKey, signToken } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import { markMoved, unmarkMoved } from '#sql/account/move/moved.ts'
import { sql } from '#sql/db.ts'
import { testCells } from '../support/cells.ts'
import { until } from '../support/until.ts'
import { echo, known, type Name, orgOf, probe } from './cell-probe.ts'

t.setTimeout(240_000)
const { a, b, c } = await testCells<Name>(t, ['a', 'b', 'c'], probe, { waiting: 4 })
const [ofA, ofB, ofC] = [await orgOf(a), await orgOf(b), await orgOf(c)]
// Keys that were valid before are treated differently from unknown keys.
for (const cell of [a, b, c]) {
  for (const { key } of [ofA, ofB, ofC])
    if ((await echo(cell, key)).status !== 200) throw new Error('A key is not good.')
}

t.test('keys that another cell does not know are counted and remembered as its own door does', async (t) => {
  const [opened, begun, first] = [b.door.opened(), performance.now(), makeKey('bt_live_', 'b')]
  let tried = 0
  for (let key = first; (await echo(c, key)).status === 401; key = makeKey('bt_live_', 'b')) tried++
  t.ok(tried >= 60 && tried <= 61 + (performance.now() - begun) / 1000, `${tried}: as many as may be tried here`)
  t.match(await echo(c, first), { status: /401|429/ })
  t.ok(b.door.opened() - opened < 10, 'over few connections')
  t.match(await echo(b, ofA.key), { status: 200 }, 'a key that was good is asked on behalf of its owner')
})

t.test('a cell that is away costs the others nothing: 503, soon at once, and it is back by itself', async (t) => {
  await b.door.shut()
  for (let i = 0; i < 6; i++) {
    const reply = await echo(a, ofB.key)
    t.match(reply, { status: 503, body: { error: { code: 'server_error' } } })
    t.ok(Number(reply.headers.get('retry-after')) > 0)
  }
  t.match(await echo(a, ofA.key), { status: 200 })
  t.match(await echo(a, ofC.key), { status: 200 })
  await b.door.open()
  await until(async () => (await echo(a, ofB.key)).status === 200)
  b.door.hold()
  const held = await Promise.all(Array.from({ length: 12 }, () => echo(a, ofB.key)))
  t.same([...new Set(held.map(({ status }) => status))], [503])
  t.ok(b.door.opened() > 0)
  t.match(await echo(a, ofC.key), { status: 200 })
  await b.door.open()
  await until(async () => (await echo(a, ofB.key)).status === 200)
})

t.test(
  'an organisation that has moved is passed on by its key, its ids and its tokens; back again, it is here',
  async (t) => {
    const id = randomUUID()
    const one = await orgOf(a)
    await keys.create(b.db, {
      orgId: ofB.id,
      prefix: 'bt_live_',
      name: 'moved',
      scopes: ['files:write'],
      secret: one.key,
    })
    known.b.add(id)
    const token = signToken('any', { m: id }, 's'.repeat(32))
    t.match(await echo(a, one.key), { body: { cell: 'a' } })
    t.match(await a.ask(`GET /probe/things/${id}`), { status: 404 })
    const references = [
      { kind: 'key', value: hashSecret(one.key) },
      { kind: 'id', value: id.toUpperCase() },
    ] as const
    await a.db.transaction((tx) => markMoved(tx, { orgId: one.id, cell: 'b', references }))
    t.equal(await a.db.oneFirst(sql.unsafe`select cell from account.moved where org_id = ${one.id}`), 'b')
    await until(async () => (await echo(a, one.key)).body.cell === 'b')
    await a.db.query(sql.typeAlias('void')`delete from account.keys where org_id = ${one.id}`)
    await until(async () => (await echo(a, one.key, 'gone')).body.cell === 'b')
    t.match(await echo(b, one.key), { body: { cell: 'b' } }, 'asked by the way round, it is at home')
    await until(async () => (await a.ask(`GET /probe/things/${id}`)).body.cell === 'b')
    t.match(await a.ask(`POST /probe/things/${id}`, { body: { n: 1 } }), { status: 200, body: { cell: 'b' } })
    const other = randomUUID()
    known.b.add(other)
    t.match(await a.ask(`GET /probe/things/${other}`), { status: 404 }, 'what no reference names stays unfound')
    t.match(
      await a.ask(`GET /probe/things/${other}?t=${token}`),
      { status: 200 },
      'an id that a token carries leads there',
    )
    await b.db.transaction((tx) => markMoved(tx, { orgId: ofB.id, cell: 'a', references }))
    await until(async () => (await echo(a, one.key)).status === 503, { what: 'two cells that name each other end it' })
    await b.db.transaction((tx) => unmarkMoved(tx, ofB.id))
    await until(async () => (await echo(a, one.key)).body.cell === 'b')
  },
)
