import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openPool, sql } from '#sql/db.ts'
import * as stock from '#sql/guard/stock.ts'
import { migrateAll } from '../../ops/migrate.ts'
import type { Reply } from '../support/ingress.ts'
import { ownCluster } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { startWorkers } from '../support/video-stack.ts'
import { solve } from './solver.ts'
import { guardStackOn } from './stack.ts'

t.setTimeout(240_000)
const postgres = await ownCluster(t)
await migrateAll(postgres.url)
const db = await openPool(postgres.url)
t.teardown(() => db.end())
const stack = await guardStackOn(t, { databaseUrl: postgres.url, db })
const site = await stack.site({ sha256: true })
const data = await mkdtemp(join(tmpdir(), 'millrace-guard-'))
t.teardown(() => rm(data, { recursive: true, force: true }))

/** Workers of the pool alone, which mint for seconds. */
const startMinting = () =>
  startWorkers(t, {
    databaseUrl: postgres.url,
    store: { url: 'http://127.0.0.1:1' },
    data,
    environment: { GUARD_STOCK_LOW: '1000', GUARD_MINT_THREADS: '1' },
    pools: 'guard',
    under: [],
  })

const challenge = async (): Promise<Reply> => site.visit('challenges', { action: 'signup' })

t.test('workers mint a stock; while they are killed challenges are issued, and others take over', async (t) => {
  const first = await startMinting()
  await until(async () => (await stock.count(db)) >= 8, { timeout: 30_000, what: 'puzzles are minted' })
  await first.kill()
  const left = await stock.count(db)
  const { status, body } = await challenge()
  t.match({ status, body }, { status: 201, body: { alg: 'scrypt' } }, 'from what is in stock')
  const earned = await site.visit(`challenges/${body.id}/complete`, { answer: solve(body) })
  t.equal(earned.status, 200, 'and what was minted can be solved')
  t.equal(await stock.count(db), left - 1, 'nothing mints')

  await db.query(sql.typeAlias('void')`delete from guard.stock`)
  const many = await Promise.all(Array.from({ length: 20 }, challenge))
  t.ok(many.every(({ status, body }) => status === 201 && body.alg === 'sha256'))

  const second = await startMinting()
  await until(async () => (await challenge()).body.alg === 'scrypt', { timeout: 30_000, what: 'the stock is refilled' })
  await second.kill()
  await db.query(sql.typeAlias('void')`delete from guard.stock`)
})

t.test('while Postgres restarts visitors are told when to come again, and no token is valid twice', async (t) => {
  await stack.stock(3_000)
  const valid = new Map<string, number>()
  const strange: string[] = []
  let [restarting, refused] = [true, 0]

  /** Sends a request until it gets another answer than 503. */
  const insist = async (send: () => Promise<Reply>): Promise<Reply> => {
    for (;;) {
      const reply = await send()
      if (reply.status !== 503) return reply
      refused++
      if (!(Number(reply.headers.get('retry-after')) >= 1)) strange.push(`503 without retry-after: ${reply.text}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  /** A visitor earns a token; undefined when the answer to the one attempt was lost with a connection. */
  const earn = async (): Promise<string | undefined> => {
    const issued = await insist(challenge)
    if (issued.body.alg !== 'scrypt') strange.push(issued.text)
    const { id, nonce } = issued.body
    const earned = await insist(() => site.visit(`challenges/${id}/complete`, { answer: stack.answer({ nonce }) }))
    if (earned.status !== 200 && earned.body.error?.code !== 'challenge_spent') strange.push(earned.text)
    return earned.body.token
  }
  const spend = async (token: string) => {
    const { status, body, text } = await insist(() => stack.verify(token))
    if (status !== 200 || !(body.valid || body.reason === 'replayed')) strange.push(text)
    if (body.valid) valid.set(token, (valid.get(token) ?? 0) + 1)
  }
  const visitor = async () => {
    while (restarting) {
      const token = await earn()
      for (let calls = 0; token && calls < 3; calls++) await spend(token)
    }
  }
  const visitors = Array.from({ length: 6 }, visitor)
  for (const mode of ['immediate', 'fast'] as const) {
    const before = valid.size
    await until(() => valid.size >= before + 10, { timeout: 30_000, what: 'visitors are served' })
    await postgres.restart(mode)
  }
  const before = valid.size
  await until(() => valid.size >= before + 10, { timeout: 30_000, what: 'visitors are served after the restarts' })
  restarting = false
  await Promise.all(visitors)
  t.same(strange.slice(0, 5), [])
  t.ok(refused > 0, `${refused} requests were refused meanwhile`)
  t.ok([...valid.values()].every((times) => times === 1))
})
