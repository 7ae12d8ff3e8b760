import { writeFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import t from 'tap'
import { sql } from '#sql/db.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { importFile } from '#tasks/trust/rules/import-file.ts'
import { ask, ingressProcess } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { hosts, trustStack } from './stack.ts'

const stack = await trustStack(t)
const { db, databaseUrl, web, key, put, imported } = stack
await stack.startWorker()
const module = import.meta.resolve('./served.ts')
const others = await Promise.all([0, 1].map(() => ingressProcess(t, databaseUrl, module)))
const processes = [stack.ingress.url, ...others]

const check = async (base: string, url: string, signal?: AbortSignal) =>
  (await ask(base, 'POST /v1/trust/check-url', { key, body: { url }, ...(signal && { signal }) })).body
const everywhere = async (url: string, field: 'verdict' | 'policy') =>
  await Promise.all(processes.map(async (base) => (await check(base, url))[field]))
const thrice = <T>(value: T) => [value, value, value]

/** Whether a process answers while nothing can be read of what feeds and organisations list: it knows it then. */
async function answersFromMemory(base: string): Promise<boolean> {
  await check(base, 'http://clean.example/')
  return await db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`lock table trust.entries, trust.listings in access exclusive mode`)
    const answer = check(base, 'http://clean.example/a/b?c', AbortSignal.timeout(1_000)).catch(() => undefined)
    return (await answer)?.verdict === 'unknown'
  })
}
const allKnow = async () => {
  for (const base of processes) await until(() => answersFromMemory(base), { what: `${base} answers from memory` })
}

/** How many checks wait for what the database says of their hosts. */
const waitingChecks = sql.typeAlias('count')`
  select count(*) as count from pg_stat_activity
  where datname = current_database() and state = 'active' and query ~ 'from trust.listings\\s+where org_id = .* hostname = any'`

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

t.test('what is imported is known to every process when the import is over, and what is gone from it', async (t) => {
  web.at.list = hosts(10)
  await put('list')
  await imported('list')
  t.same(
    await everywhere('http://www.host-9.example/x', 'verdict'),
    thrice('malicious'),
    'before anything is in memory',
  )
  await allKnow()
  for (let version = 1; version <= 4; version++) {
    web.at.list = hosts(10, version)
    await imported('list')
    t.same(await everywhere(`http://host-${version + 9}.example/`, 'verdict'), thrice('malicious'), `new in ${version}`)
    t.same(await everywhere(`http://host-${version - 1}.example/`, 'verdict'), thrice('unknown'), `gone in ${version}`)
    if (version === 2) await allKnow()
  }
})

t.test('an import that fails leaves what is known', async (t) => {
  web.at.list = '<html>'
  t.match((await imported('list')).error, /feed is empty/)
  await allKnow()
  t.same(await everywhere('http://host-13.example/', 'verdict'), thrice('malicious'))
})

t.test('a change of an organisation’s lists is known to every process when it is answered', async (t) => {
  const [first = ''] = processes
  const put = (base: string, policy: string) =>
    ask(base, 'PUT /v1/trust/lists', { key, body: { hostname: 'partner.example', policy } })
  const url = 'https://www.partner.example/'
  for (const base of processes) {
    await allKnow()
    t.match(await put(base, 'deny'), { status: 200 })
    t.same(await everywhere(url, 'policy'), thrice('deny'))
    const { body } = await put(first, 'allow')
    t.same(await everywhere(url, 'policy'), thrice('allow'))
    t.equal((await ask(base, `DELETE /v1/trust/lists/${body.id}`, { key })).status, 200)
    t.same(await everywhere(url, 'policy'), thrice(null))
  }
})

t.test('an organisation that changes its lists all the time has them read once at a time', async (t) => {
  const [base = ''] = processes
  await allKnow()
  const reads = sql.typeAlias('count')`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state = 'active'
      and query ~ 'from trust.listings where org_id = .* limit'`
  const holder = new pg.Client({ connectionString: databaseUrl })
  await holder.connect()
  t.teardown(() => holder.end())
  await holder.query('begin; lock table trust.listings in access exclusive mode')
  const checks: Promise<unknown>[] = []
  for (let n = 1; n <= 4; n++) {
    await db.query(sql.typeAlias('void')`select from pg_notify('trust_listings', ${stack.orgId})`)
    // A check that arrives before the notification is answered from memory, and is repeated.
    let isAnswered = true
    const waits = async () => {
      if (isAnswered) {
        isAnswered = false
        checks.push(
          check(base, `http://clean.example/${n}`).finally(() => {
            isAnswered = true
          }),
        )
      }
      return (await db.oneFirst(waitingChecks)) === n
    }
    await until(waits, { what: `${n} checks wait` })
  }
  t.equal(await db.oneFirst(reads), 1)
  await holder.query('commit')
  await Promise.all(checks)
  await allKnow()
})

t.test('nor is one missed whose word is lost with its connection', async (t) => {
  await allKnow()
  const ended = await db.query(sql.typeAlias('void')`
    select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and query in ('listen "trust_listings"', 'select') and pg_terminate_backend(pid)`)
  t.ok(ended.rowCount >= processes.length, `${ended.rowCount} connections`)
  const body = { hostname: 'partner.example', policy: 'deny' }
  t.match(await ask(processes[0] as string, 'PUT /v1/trust/lists', { key, body }), { status: 200 })
  t.same(await everywhere('https://partner.example/', 'policy'), thrice('deny'))
  await allKnow()
  t.same(await everywhere('https://partner.example/', 'policy'), thrice('deny'))
})

t.test('a feed of many pieces is found whole, in four bytes an entry', async (t) => {
  const count = 60_000
  await put('big', { url: null })
  const path = `${t.testdir()}/big.txt`
  await writeFile(path, hosts(count))
  const collect = collector()
  collect()
  const before = process.memoryUsage().arrayBuffers
  t.match(await importFile(db, (await feeds.findByName(db, 'big')) as feeds.Feed, path), { entries: count })
  await allKnow()
  // Memory that was collected is subtracted later, by another thread.
  const taken = () => {
    collect()
    return process.memoryUsage().arrayBuffers - before
  }
  await until(() => taken() < 12 * count + 2 ** 20, { what: 'the feed takes four bytes an entry in each process' })
  for (let at = 0; at < count; at += 1_999) {
    t.equal((await check(processes[at % 3] as string, `http://host-${at}.example/`)).verdict, 'malicious', `host ${at}`)
  }
  t.same(await everywhere(`http://host-${count}.example/`, 'verdict'), thrice('unknown'))
})

t.test('a feed that is removed lists nothing any more', async (t) => {
  await feeds.remove(db, 'big')
  await until(async () => (await everywhere('http://host-77.example/', 'verdict')).every((one) => one === 'unknown'))
  await allKnow()
  t.same(await everywhere('http://host-77.example/', 'verdict'), thrice('unknown'))
})
