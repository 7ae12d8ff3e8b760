import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { renderMetrics } from '#lib/telemetry/metrics.ts'
import { openPool, sql } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import * as apps from '#sql/push/apps.ts'
import { area } from '../../ingress/http/area.ts'
import { route } from '../../ingress/http/route.ts'
import { runSql } from '../../ops/trials/failover/run-sql.ts'
import { areasNamed } from '../support/areas.ts'
import { ask, ingressProcess, testIngress, testOrg } from '../support/ingress.ts'
import { primaryAndStandby } from '../support/standby.ts'
import { until } from '../support/until.ts'

const Seen = z.object({ standby: z.boolean(), notes: z.number() })

/** Reads that return the server that did them. */
const look = {
  method: 'GET',
  scope: 'wiki:read',
  reads: 'replica',
  status: 200,
  reply: Seen,
} as const

const seen = (seconds: number) => sql.type(Seen)`
  select pg_is_in_recovery() as standby, (select count(*) from notes)::integer as notes from pg_sleep(${seconds})`

const notes = {
  read: route({
    ...look,
    path: '/notes',
    summary: 'Who reads, and how many notes are seen',
    query: z.object({ seconds: z.coerce.number().default(0) }),
    handle: async ({ db, query }) => await db.one(seen(query.seconds)),
  }),
  twice: route({
    ...look,
    path: '/notes-twice',
    summary: 'The same after a statement whose failure its code keeps to itself',
    async handle({ db }) {
      await db.one(seen(0.4)).catch(() => {})
      return await db.one(seen(0))
    },
  }),
  writes: route({
    ...look,
    path: '/notes-written',
    summary: 'A write that calls itself a read',
    async handle({ db }) {
      await db.query(sql.unsafe`insert into notes values (1)`)
      return await db.one(seen(0))
    },
  }),
  held: route({
    ...look,
    path: '/held',
    summary: 'A read of a table that may be locked',
    async handle({ db }) {
      await db.any(sql.unsafe`select from held`)
      return await db.one(seen(0))
    },
  }),
  add: route({
    method: 'POST',
    path: '/notes',
    summary: 'Adds a note',
    scope: 'wiki:write',
    status: 204,
    handle: async ({ db }) => void (await db.query(sql.unsafe`insert into notes values (1)`)),
  }),
}

const own = area({
  name: 'notes',
  title: 'Notes',
  description: 'Reads of a test.',
  base: '/v1/notes-of-test',
  routes: { notes },
})
const base = '/v1/notes-of-test'

/** Returns the counters of reads: by the replica, by the primary, and fallbacks by reason. */
async function counts(): Promise<Record<string, number>> {
  const text = await renderMetrics('prometheus')
  const lines = text.matchAll(/^millrace_replica_(?:reads|fallbacks)_total\{(?:by|reason)="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, name, count]) => [name, Number(count)]))
}

const gauge = async (name: string) =>
  Number(new RegExp(`^millrace_replica_${name} (.*)$`, 'm').exec(await renderMetrics('prometheus'))?.[1] ?? Number.NaN)

t.test('a replica', async (t) => {
  const { primary, standby } = await primaryAndStandby(t)
  const db = await openPool(primary.url)
  t.teardown(() => db.end())
  await db.query(sql.unsafe`create table notes (n int)`)
  await db.query(sql.unsafe`create table held (n int)`)
  const only = ['wiki', 'directory', 'erp', 'trust', 'email', 'push', 'video']
  const areas = await areasNamed(only)
  const scopes = [...new Set(areas.flatMap(({ operations }) => operations.flatMap(({ route }) => route.scope ?? [])))]
  const { org, keys } = await testOrg(db, scopes)
  const key = keys.main
  const replica = { url: standby.url, connections: 6, lagMs: 200 }
  const reader = await testIngress(t, db, [own], { only, replica })
  const writer = await ingressProcess(t, primary.url, fileURLToPath(import.meta.resolve('./replica-writer.ts')))
  const read = async (path = '/notes') => (await reader.ask(`GET ${base}${path}`, { key })).body
  const serves = () => until(async () => (await read()).standby, { what: 'the replica does reads' })
  /** Returns how much `work` adds to a counter. */
  async function added(name: string, work: () => Promise<unknown>): Promise<number> {
    const before = (await counts())[name] ?? 0
    await work()
    return ((await counts())[name] ?? 0) - before
  }
  const create = async () => {
    const body = { type: 'city', labels: { en: 'Tallinn' } }
    return (await ask(writer, 'POST /v1/wiki/entities', { key, body })).body.id as string
  }
  const newest = async () => (await reader.ask('GET /v1/wiki/entities?limit=1', { key })).body.data[0]?.id

  /** Returns the number of reads on the primary that wait for a table. */
  const held = async () =>
    Number(
      await runSql(
        primary.url,
        "select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and query like '%held%'",
      ),
    )

  await t.test('does all reads that are declared for it', async (t) => {
    await serves()
    const ids: Record<string, string> = {}
    const make = async (path: string, body: unknown) => (await reader.ask(`POST ${path}`, { key, body })).body
    ids['/v1/wiki/sources/{id}/snapshots'] = (await make('/v1/wiki/sources', { uri: 'https://example.com/' })).id
    ids['/v1/wiki/admin/articles/{id}/versions'] = (await make('/v1/wiki/articles', { title: 'A', body: 'b' })).id
    const app = newId()
    await apps.insert(db, { id: app, org_id: org.id, name: 'app' })
    const domain = 'shop.example'
    await domains.insert(db, { id: newId(), org_id: org.id, domain, return_path: `bounce.${domain}` }, [], 1)
    ids['/send/v1/domains/{domain}/dmarc'] = domain
    ids['/push/v1/apps/{app_id}/stats'] = app
    ids['/push/v1/apps/{app_id}/insights'] = app
    ids['/v1/streaming/channels/{handle}/videos'] = (
      await make('/v1/streaming/channels', { handle: 'abc', name: 'c' })
    ).handle
    const list = await make('/v1/streaming/playlists', { title: 'A' })
    ids['/v1/streaming/playlists/{playlistId}/videos'] = list.id
    const declared = areas.flatMap(({ operations }) => operations).filter(({ route }) => route.reads)
    t.ok(declared.length >= 17)
    const ofAsset = ['video.quality.read', 'video.analytics.readAsset']
    for (const { id, path, route } of declared) {
      const query = route.search || id === 'directory.search.find' ? '?q=word' : ''
      const given = path.replace(/\{\w+\}/, ids[path] ?? newId())
      const by = await added('replica', async () => {
        const { status } = await reader.ask(`GET ${given}${query}`, { key })
        t.equal(status, ofAsset.includes(id) ? 404 : 200, `${id}: ${given}`)
      })
      t.equal(by, 1, `${id} by the replica`)
    }
  })

  await t.test('shows each write that was answered before, of whatever process', async (t) => {
    await serves()
    const by = await added('replica', async () => {
      for (let i = 0; i < 40; i++) {
        const id = await create()
        t.equal(await newest(), id)
      }
    })
    t.ok(by > 20, `${by} of 40 by the replica`)
  })

  await t.test('that has stopped replaying does no read of what it lacks, and comes back', async (t) => {
    await standby.run('select pg_wal_replay_pause()')
    const id = await create()
    const behind = await added('behind', async () => {
      for (let i = 0; i < 5; i++) t.equal(await newest(), id)
    })
    t.ok(behind >= 1)
    t.equal(await standby.run(`select count(*)::int from wiki.entities where id = '${id}'`), 0, 'it does lack it')
    t.equal(await gauge('up'), 0)
    await until(async () => (await gauge('lag_bytes')) > 0 && (await gauge('lag_seconds')) > 0, { what: 'a lag' })
    await standby.run('select pg_wal_replay_resume()')
    await serves()
    t.equal(await gauge('up'), 1)
    t.equal(await newest(), id)
  })

  await t.test('that breaks a read off for what it replays has it done by the primary', async (t) => {
    for (const path of ['/notes?seconds=0.9', '/notes-twice']) {
      await serves()
      const conflicts = await added('conflict', async () => {
        const asked = read(path)
        await until(
          () => standby.run(`select 1 from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid()`),
          { every: 5 },
        )
        await runSql(primary.url, 'do $$ begin lock table notes in access exclusive mode; end $$')
        t.match(await asked, { standby: false })
      })
      t.equal(conflicts, 1)
    }
    await serves()
  })

  await t.test('refuses a write, which the primary does then', async (t) => {
    const before = (await read()).notes
    const failed = await added('failed', async () => {
      t.same(await read('/notes-written'), { standby: false, notes: before + 1 })
    })
    t.equal(failed, 1)
  })

  await t.test('has a list that takes it long done by the primary', async (t) => {
    await serves()
    t.equal(await added('slow', async () => t.match(await read('/notes?seconds=1.2'), { standby: false })), 1)
    t.match(await read(), { standby: true }, 'and goes on')
  })

  await t.test('that is killed or frozen takes no request with it', async (t) => {
    const faults = {
      killed: { begin: () => standby.stop('immediate'), end: () => standby.restart() },
      frozen: { begin: standby.freeze, end: standby.thaw },
    }
    for (const [name, { begin, end }] of Object.entries(faults)) {
      await serves()
      const under = Array.from({ length: 4 }, () => read('/notes?seconds=0.5'))
      await pause(100)
      await begin()
      const began = performance.now()
      for (const { notes } of await Promise.all(under)) t.type(notes, 'number', `${name} under way`)
      const primary = await added('primary', async () => {
        for (let i = 0; i < 10; i++) t.match(await read(), { standby: false })
      })
      t.equal(primary, 10)
      t.ok(performance.now() - began < 15_000, `${name}: within ${Math.round(performance.now() - began)} ms`)
      await end()
      await serves()
    }
  })

  await t.test('that is away leaves writes half of the pool', async (t) => {
    await standby.stop('immediate')
    await until(async () => (await read()).standby === false)
    const orgs = await Promise.all([1, 2, 3].map(() => testOrg(db, scopes)))
    const outside = await openPool(primary.url, 1)
    t.teardown(() => outside.end())
    let refused = 0
    const answers = await outside.transaction(async (tx) => {
      await tx.query(sql.unsafe`lock table held in access exclusive mode`)
      const flood = orgs.flatMap(({ keys: { main } }) =>
        Array.from({ length: 40 }, async () => {
          const { status } = await reader.ask(`GET ${base}/held`, { key: main })
          refused += Number(status === 429 || status === 503)
          return { status }
        }),
      )
      await until(async () => (await held()) === 5)
      t.equal((await reader.ask(`POST ${base}/notes`, { key })).status, 204)
      t.equal(await held(), 5)
      await until(() => refused > 0, { what: 'what is too much is told so' })
      return flood
    })
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    t.ok(statuses.filter((status) => status === 200).length >= 5)
    t.same(
      statuses.filter((status) => ![200, 429, 503].includes(status)),
      [],
    )
    await standby.restart()
    await serves()
  })

  await t.test('that is promoted does no read any more', async (t) => {
    const { notes } = await read()
    await standby.run('select pg_promote()')
    await standby.run('insert into notes select 1 from generate_series(1, 1000)').catch(() => {})
    t.equal(await standby.run('select count(*)::int from notes'), notes + 1000, 'it has become another')
    const stranger = await added('stranger', async () => {
      for (let i = 0; i < 5; i++) t.same(await read(), { standby: false, notes })
    })
    t.equal(stranger, 5)
  })
})
