import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Test } from 'tap'
import { openPool } from '#sql/db.ts'
import { migrateAll } from '../../ops/migrate.ts'
import { installSql } from '../../sdk/node/src/outbox/sql/install.ts'
import { testOrg } from '../support/ingress.ts'
import { startProcess } from '../support/killed-process.ts'
import { freePort, ownCluster } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { event, titlesOf } from './application.ts'
import { startRelayProcess } from './processes.ts'

const users = Array.from({ length: 11 }, (_, i) => `u${i}`)

/**
 * Kills the relay, the ingress and both databases, each once per round, while an application commits and rolls back.
 * Every committed row is accepted exactly once, in the order of its key, and no other.
 */
export async function killAll(t: Test, rounds: number): Promise<void> {
  const [millrace, own] = await Promise.all([ownCluster(t), ownCluster(t)])
  await migrateAll(millrace.url)
  const db = await openPool(millrace.url, 2)
  t.teardown(() => db.end())
  const { org, keys } = await testOrg(db, ['notify:write'])
  const pool = new pg.Pool({ connectionString: own.url, max: 3, connectionTimeoutMillis: 2_000 })
  pool.on('error', () => {})
  t.teardown(() => pool.end())
  await pool.query(installSql())
  const port = await freePort()
  const program = new URL('./ingress-process.ts', import.meta.url)
  const startIngress = () => startProcess(t, program, [millrace.url, String(port)])
  const relayArgs = ['--database', own.url, '--url', `http://127.0.0.1:${port}`, '--timeout', '5']
  const startRelay = () => startRelayProcess(t, relayArgs, keys.main)
  let killIngress = await startIngress()
  let relays = [startRelay(), startRelay()]

  const writer = write(pool)
  const kill: Record<string, () => Promise<void>> = {
    async relay() {
      await Promise.all(relays.map((relay) => relay.end('SIGKILL')))
      relays = [startRelay(), startRelay()]
    },
    async ingress() {
      await killIngress()
      killIngress = await startIngress()
    },
    application: () => own.restart('immediate'),
    millrace: () => millrace.restart('immediate'),
  }
  for (let round = 0; round < rounds; round++) {
    for (const victim of Object.keys(kill)) {
      // The kill comes at a different moment of the traffic in each round.
      const before = writer.committed.length
      await until(() => writer.committed.length > before + 5 + ((round * 7) % 20), { what: `rows before ${victim}` })
      await pause((round * 13) % 50)
      await kill[victim]?.()
    }
  }
  await writer.stop()
  const left = async () => (await pool.query('select waiting::int, failed::int, problem from millrace.lag')).rows[0]
  for (let before = -1; ; ) {
    const { waiting, failed, problem } = await until(left)
    t.equal(failed, 0, 'no row is refused')
    if (waiting === 0 || waiting === before) {
      t.equal(waiting, 0, `no row waits: ${problem}`)
      break
    }
    before = waiting
    // Claims of killed relays end after 15 seconds.
    await until(async () => (await left()).waiting === 0, { timeout: 30_000 }).catch(() => {})
  }
  let accepted = 0
  for (const user of users) {
    const titles = await until(() => titlesOf(db, org.id, user))
    const sure = writer.committed.filter((row) => row.user === user).map(({ n }) => String(n))
    const unsure = new Set(writer.unsure.filter((row) => row.user === user).map(({ n }) => String(n)))
    t.same(
      titles.filter((title) => !unsure.has(title)),
      sure,
      `the committed rows of ${user}, once and in order`,
    )
    t.equal(new Set(titles).size, titles.length)
    accepted += titles.length
  }
  t.comment(`${accepted} accepted, ${writer.unsure.length} commits without an answer, ${writer.rolledBack} rolled back`)
}

interface Written {
  n: number
  user: string
}

/** Commits one row after another, and rolls back each fifth, until `stop`. */
function write(pool: pg.Pool) {
  const [committed, unsure]: Written[][] = [[], []]
  let stopping = false
  const writer = { committed: committed as Written[], unsure: unsure as Written[], rolledBack: 0, stop }
  let n = 0

  async function writeOne(): Promise<void> {
    const row = { n: ++n, user: users[n % users.length] as string }
    const client = await pool.connect()
    client.on('error', () => {})
    let committing = false
    try {
      await client.query('begin')
      await client.query('select millrace.enqueue($1, $2, key => $3)', [
        ...['notify.events.create', event(row.n, row.user), row.user],
      ])
      if (n % 5 === 0) {
        await client.query('rollback')
        writer.rolledBack++
      } else {
        committing = true
        await client.query('commit')
        writer.committed.push(row)
      }
      client.release()
    } catch {
      if (committing) writer.unsure.push(row)
      client.release(true)
    }
  }

  const done = (async () => {
    while (!stopping) {
      await writeOne().catch(() => pause(50))
      await pause(15)
    }
  })()

  async function stop(): Promise<void> {
    stopping = true
    await done
  }
  return writer
}
