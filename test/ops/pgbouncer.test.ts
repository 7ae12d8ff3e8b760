import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { z } from 'zod'
import { readConfig } from '#lib/config.ts'
import { openPool, sql } from '#sql/db.ts'
import { listen } from '#sql/listen.ts'
import { getSessionUrl, registerSessionUrl } from '#sql/session-url.ts'
import { answersChannel } from '#tasks/queue/ask.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { checkDatabase } from '../../ops/start/outside.ts'
import { supervise } from '../../ops/start/supervise.ts'
import { chaosArea } from '../../ops/trials/chaos/area.ts'
import * as ledger from '../../ops/trials/chaos/ledger.ts'
import { adminUrl, pooledUrls, poolerPart } from '../../ops/trials/failover/pgbouncer.ts'
import { runSql } from '../../ops/trials/failover/run-sql.ts'
import { effects, installEffects, plain, precious } from '../jobs/work.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { commandLine } from '../support/millrace.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder } from '../support/stack.ts'
import { until } from '../support/until.ts'

/** The shipped PgBouncer before a database of the test's own. */
async function pooled(t: Test) {
  const { url, db } = await testDatabase(t)
  const { hostname, port, pathname, password } = new URL(url)
  const data = await dataFolder(t)
  const dir = join(data, 'pgbouncer')
  await mkdir(dir)
  const options = {
    dir,
    host: '127.0.0.1',
    port: await freePort(),
    password,
    adminPassword: 'admin',
    primary: { host: hostname, port: Number(port) },
    database: pathname.slice(1),
  }
  const pooler = supervise(await poolerPart(options), join(data, 'pgbouncer.out'))
  t.teardown(() => pooler.stop())
  await pooler.ready
  return { db, url, ...pooledUrls(options), admin: adminUrl(options) }
}

test('the ingress asks through PgBouncer in transaction mode, and hears what is told past it', async (t) => {
  const { db, transactions, sessions, admin } = await pooled(t)
  await ledger.install(db)
  registerSessionUrl(transactions, sessions)
  // The ingress puts another pool in the place of its own where the database takes too long.
  const [pool, own] = [await openPool(transactions, 2), await openPool(transactions, 12)]
  t.teardown(async () => void (await Promise.all([pool.end(), own.end()])))
  t.equal(getSessionUrl(pool), sessions)
  const listener = listen(getSessionUrl(pool), [answersChannel])
  t.teardown(() => listener.close())
  const { ask } = await testIngress(t, own, [chaosArea(listener, 'http://127.0.0.1:1')])
  const { keys } = await testOrg(db, ['stream:write'])

  const send = async (path: string, n: number) => {
    const body = { name: `${path}-${n}`, kind: 'note', round: 1, priority: 0, delay: 0 }
    const headers = { 'idempotency-key': body.name }
    for (;;) {
      const reply = await ask(`POST /v1/chaos/${path}`, { key: keys.main, body, headers })
      // As a client does that is told to come again.
      if (reply.status !== 503) return reply
    }
  }
  const numbers = Array.from({ length: 50 }, (_, n) => n)
  // Each twice: statements that are prepared by name would be there already, or missing, in the session that comes next.
  for (const round of [1, 2]) {
    const replies = await Promise.all(numbers.flatMap((n) => [send('items', n), send('grouped-items', n)]))
    t.strictSame([...new Set(replies.map(({ status }) => status))], [202], `round ${round}`)
  }
  const Count = z.object({ count: z.number() })
  const count = await db.oneFirst(sql.type(Count)`select count(*)::integer as count from chaos.items`)
  t.equal(count, 100, 'each was accepted once')
  const limit = z.object({ statement_timeout: z.string() })
  t.equal(await pool.oneFirst(sql.type(limit)`show statement_timeout`), '30s', 'and no statement goes on for ever')
  t.match(await runSql(admin, 'show pools'), /\w/, 'and the administrator is let in')

  const [heard] = await Promise.all([
    new Promise((resolve) => listener.on(answersChannel, resolve)),
    until(async () => {
      await pool.query(sql.unsafe`select pg_notify(${answersChannel}, 'told')`)
      return true
    }),
  ])
  t.equal(heard, 'told')
})

test('workers live behind PgBouncer in session mode: a killed one is missed at once', async (t) => {
  const { db, sessions } = await pooled(t)
  await installEffects(db)
  const first = await startWorker(t, sessions)
  await enqueue(db, precious, { name: 'held', gate: 'open' })
  await until(async () => (await effects(db, 'held')).length === 1)
  await startWorker(t, sessions)
  // The lease is a minute: only the fall of the session's lock can tell it so soon.
  first.process.kill('SIGKILL')
  await until(async () => (await effects(db, 'held')).length === 2)
  t.strictSame(
    (await effects(db, 'held')).map(({ phase }) => phase),
    ['start', 'start'],
  )
  await enqueue(db, plain, { name: 'next' })
  await until(async () => (await effects(db, 'next')).some(({ phase }) => phase === 'end'))
})

test('a pooler that is not there is named by its variable', async (t) => {
  const nobody = 'postgres://millrace:secret@127.0.0.1:1/millrace'
  await t.rejects(checkDatabase(nobody, 'DATABASE_POOLED_URL'), {
    message: /^DATABASE_POOLED_URL: the database 127\.0\.0\.1:1\/millrace cannot be used: /,
  })
  t.throws(() => readConfig({ DATABASE_POOLED_URL: 'postgres://a,b/millrace?target_session_attrs=read-write' }), {
    message: /DATABASE_POOLED_URL: must name one host/,
  })
})

test('the doctor tells the two apart', async (t) => {
  const { sessions, transactions } = await pooled(t)
  const sessionsOf = async (url: string) => {
    for (;;) {
      const { out } = await commandLine(url).run('doctor --json', { MILLRACE_DATA: t.testdir() })
      const finding = JSON.parse(out).find(({ check }: { check: string }) => check === 'sessions')
      // On a machine that is busy with tests the doctor may have given up on the answer.
      if (!/no response within/.test(finding.found)) return finding
    }
  }
  t.match(await sessionsOf(sessions), { ok: true })
  t.match(await sessionsOf(transactions), { ok: false, todo: /DATABASE_POOLED_URL/ })
})
