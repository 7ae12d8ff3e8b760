import { connect, createServer } from 'node:net'
import t from 'tap'
import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { type Db, openPool, sql } from '#sql/db.ts'
import { testDatabase } from '../support/database.ts'

const { url, db } = await testDatabase(t)
const relay = await countMessages(new URL(url))
const pool = await openPool(relay.url, 1)
t.teardown(async () => {
  await pool.end()
  relay.close()
})
await db.query(sql.typeAlias('void')`create table notes (text text primary key)`)

const Note = z.object({ text: z.string() })
const Session = z.object({ pid: z.number() })

const add = (tx: Db, text: string) => tx.query(sql.type(Note)`insert into notes values (${text}) returning text`)
const addPrepared = (tx: Db, text: string) =>
  tx.any(sql.prepared('notes.add', Note)`insert into notes values (${text}) returning text`)
const list = async () => await db.anyFirst(sql.type(Note)`select text from notes order by text`)
const session = async () => await pool.oneFirst(sql.type(Session)`select pg_backend_pid() as pid`)

t.beforeEach(async () => {
  await db.query(sql.typeAlias('void')`delete from notes`)
})

t.test('a transaction of one statement sends two messages', async (t) => {
  await session()
  const sent = relay.sent()
  await pool.transaction((tx) => add(tx, 'a'))
  t.equal(relay.sent() - sent, 2)
  t.same(await list(), ['a'])
})

t.test('so does a transaction whose first statement is prepared', async (t) => {
  await pool.transaction((tx) => addPrepared(tx, 'a'))
  const sent = relay.sent()
  t.same(await pool.transaction((tx) => addPrepared(tx, 'b')), [{ text: 'b' }])
  t.equal(relay.sent() - sent, 2)
  t.same(await list(), ['a', 'b'])
})

t.test('if a later statement fails, nothing is stored', async (t) => {
  for (const first of [add, addPrepared]) {
    const failing = pool.transaction(async (tx) => {
      await first(tx, 'a')
      await add(tx, 'a')
    })
    await t.rejects(failing, { message: /unique constraint|integrity/i })
    t.same(await list(), [])
  }
})

t.test('if the first statement fails, the others do not run', async (t) => {
  await add(db, 'a')
  const failing = pool.transaction(async (tx) => {
    await add(tx, 'a')
    await add(tx, 'b')
  })
  await t.rejects(failing, { message: /unique constraint|integrity/i })
  t.same(await list(), ['a'])
})

t.test('a problem rolls the transaction back and keeps the connection', async (t) => {
  const before = await session()
  const rejected = pool.transaction(async (tx) => {
    await add(tx, 'a')
    throw badRequest([])
  })
  await t.rejects(rejected, { code: 'bad_request' })
  t.same(await list(), [])
  t.equal(await session(), before)
})

t.test('a transaction without statements sends no message', async (t) => {
  await session()
  const sent = relay.sent()
  t.equal(await pool.transaction(async () => 'done'), 'done')
  await t.rejects(
    pool.transaction(async () => {
      throw badRequest([])
    }),
    { code: 'bad_request' },
  )
  t.equal(relay.sent() - sent, 0)
})

t.test('a nested transaction can come first', async (t) => {
  await pool.transaction(async (tx) => {
    const inner = tx.transaction(async (nested) => {
      await add(nested, 'a')
      throw badRequest([])
    })
    await t.rejects(inner, { code: 'bad_request' })
    await add(tx, 'b')
  })
  t.same(await list(), ['b'])
})

t.test('a prepared statement that failed can be prepared later', async (t) => {
  const addLate = (tx: Db) => tx.any(sql.prepared('late.add', Note)`insert into late values ('a') returning text`)
  await t.rejects(pool.transaction(addLate), { message: /late/ })
  await db.query(sql.typeAlias('void')`create table late (text text)`)
  t.same(await pool.transaction(addLate), [{ text: 'a' }])
  t.same(await pool.transaction(addLate), [{ text: 'a' }])
})

/** Relays connections to a server, and counts the messages that arrive from clients. */
async function countMessages(to: URL) {
  let sent = 0
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname)
    client.on('data', () => sent++)
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const relayed = new URL(to)
  relayed.host = `127.0.0.1:${(server.address() as { port: number }).port}`
  return { url: relayed.href, sent: () => sent, close: () => server.close() }
}
