import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type Db, sql } from '#sql/db.ts'
import * as claims from '#sql/email/delivery/claims.ts'
import { slow } from '#sql/email/delivery/mx-sets.ts'
import {
  getConnectionLimit,
  getHighestLevel,
  getInterval,
  recoveryMs,
  takeConnection,
} from '#tasks/email/rules/delivery/connection-limits.ts'
import { findPreset } from '#tasks/email/rules/delivery/presets.ts'
import { enqueueMxSet } from '#tasks/email/rules/wake-delivery.ts'
import { testDatabase } from '../support/database.ts'
import { endLease, leaseholder } from '../support/leaseholder.ts'
import { until } from '../support/until.ts'

const { db } = await testDatabase(t)
const [one, two] = ['192.0.2.1', '192.0.2.2']
const worker = await leaseholder(db, 'mail-transactional')
const most = 4

type Request = Partial<Parameters<typeof takeConnection>[1]>

/** Takes a connection from the first address in the name of the one worker, unless something else is said. */
const take = (mxSet: string, request: Request = {}) =>
  takeConnection(db, {
    id: newId(),
    pool: 'transactional',
    addresses: [one],
    mxSet,
    most,
    workerId: worker,
    ...request,
  })

/** Takes connections until there is none; returns how many it got. */
async function takeAll(mxSet: string, request: Request = {}): Promise<number> {
  for (let got = 0; ; got++) {
    const { local_address, live } = await take(mxSet, request)
    if (local_address === null) return got
    t.equal(live, got + 1)
  }
}

/** Slows a set as the first address sees it, by so many levels. */
async function slowBy(mxSet: string, levels: number, { suspend = 0, address = one } = {}): Promise<void> {
  const site = { pool: 'transactional', local_address: address, mx_set: mxSet } as const
  await slow(db, site, { suspend, recovery: recoveryMs, highest: 16, reply_class: 'rate_limited', reason: 'too many' })
  await db.query(sql.typeAlias('void')`
    update email.mx_sets set level = ${levels} where mx_set = ${mxSet} and local_address = ${address}`)
}

/** Lets time pass for what has slowed a set. */
const passes = (mxSet: string, ms: number) =>
  db.query(sql.typeAlias('void')`
    update email.mx_sets set level_at = level_at - ${ms} * interval '1 millisecond',
      suspended_until = suspended_until - ${ms} * interval '1 millisecond' where mx_set = ${mxSet}`)

t.test('an MX set is given so many connections from an address, over all workers', async (t) => {
  t.equal(await takeAll('mx.host'), most)
  const other = await leaseholder(db, 'mail-transactional')
  t.same(await take('mx.host', { workerId: other }), { local_address: null, level: 0, live: most, free_at: null })
  t.equal(await takeAll('mx.other'), most, 'another set has its own')
  t.equal(await takeAll('mx.host', { addresses: [two] }), most, 'so has another address')
  t.equal(await takeAll('mx.host', { pool: 'campaign' }), most, 'and another pool')
})

t.test('a claim that begins before a connection is taken sees its lease once it comes to the row', async (t) => {
  const id = newId()
  const lock = 4_711
  const Held = z.object({ held: z.boolean() })
  const asked = await db.connect(async (gate) => {
    await gate.query(sql.unsafe`select pg_advisory_lock(${lock}::bigint)`)
    // Its snapshot is from before the connection; the lock stands for that of the row.
    const asked = db.oneFirst(sql.type(Held)`
      select email.is_leased(${id}) as held from (select pg_advisory_xact_lock_shared(${lock}::bigint) offset 0) as waited`)
    await until(() =>
      db.oneFirst(sql.type(Held)`
        select count(*) > 0 as held from pg_locks where locktype = 'advisory' and objid = ${lock} and not granted`),
    )
    await take('mx.late', { id })
    await gate.query(sql.unsafe`select pg_advisory_unlock(${lock}::bigint)`)
    return asked
  })
  t.equal(asked, true)
})

t.test('of several addresses the first that has room is taken', async (t) => {
  const addresses = [one, two]
  for (const address of [one, one, one, one, two]) {
    t.equal((await take('mx.both', { addresses })).local_address, address)
  }
})

t.test('who takes the last one at once with others is one', async (t) => {
  for (let i = 1; i < most; i++) await take('mx.race')
  const grants = await Promise.all(Array.from({ length: 8 }, () => take('mx.race')))
  t.equal(grants.filter(({ local_address }) => local_address !== null).length, 1)
})

t.test('what is given back, or held by a worker without a lease, is free again', async (t) => {
  const gone = await leaseholder(db, 'mail-transactional')
  const id = newId()
  await take('mx.back', { id })
  for (let i = 1; i < most; i++) await take('mx.back', { workerId: gone })
  t.equal(await takeAll('mx.back'), 0)
  await db.transaction((tx) => claims.endConnection(tx, { id, pool: 'transactional', mxSet: 'mx.back', unsent: [] }))
  t.equal((await take('mx.back')).local_address, one)
  t.equal((await take('mx.back')).local_address, null)
  await endLease(db, gone)
  t.equal((await take('mx.back')).live, 2, 'three of four were its own')
})

t.test('each level halves the connections down to one, then doubles the interval; a level goes by', async (t) => {
  for (const level of [0, 1, 2, 3, 16]) {
    const set = `mx.level-${level}`
    await slowBy(set, level)
    t.equal(await takeAll(set), getConnectionLimit(level, most), `level ${level}`)
  }
  t.same(
    [0, 1, 2, 3, 16].map((level) => getConnectionLimit(level, most)),
    [4, 2, 1, 1, 1],
  )
  t.same(
    [0, 1, 2, 3, 4, 5, 16].map((level) => getInterval(level, most)),
    [0, 0, 0, 1_000, 2_000, 4_000, 60_000],
  )
  t.equal((await take('mx.level-2')).local_address, null)
  await passes('mx.level-2', recoveryMs)
  t.match(await take('mx.level-2'), { local_address: one, level: 1, live: 2 })
  t.equal(getHighestLevel('unreachable', most), 2, 'one connection is enough to see that a host is back')
  t.equal(getInterval(getHighestLevel('unreachable', most), most), 0)
  t.equal(getInterval(getHighestLevel('rate_limited', most), most), 60_000)
})

t.test('several refusals at once are one level', async (t) => {
  const site = { pool: 'transactional', local_address: one, mx_set: 'mx.once' } as const
  for (let i = 0; i < 3; i++)
    await slow(db, site, { suspend: 0, recovery: recoveryMs, highest: 16, reply_class: 'rate_limited', reason: 'busy' })
  t.equal((await take('mx.once')).level, 1)
  await passes('mx.once', 10_000)
  await slow(db, site, { suspend: 0, recovery: recoveryMs, highest: 16, reply_class: 'rate_limited', reason: 'busy' })
  t.equal((await take('mx.once')).level, 2)
})

t.test('the breaker of an address is open until its time is over, and the others go on', async (t) => {
  const addresses = [one, two]
  await slowBy('mx.breaker', 1, { suspend: 60_000 })
  t.match(await take('mx.breaker', { addresses }), { local_address: two, level: 0 }, 'from the other address')
  await slowBy('mx.breaker', 1, { suspend: 3_600_000, address: two })
  const all = await take('mx.breaker', { addresses })
  t.equal(all.local_address, null)
  const wait = (all.free_at?.getTime() ?? 0) - Date.now()
  t.ok(wait > 0 && wait <= 60_000, 'it is known when the first of them is free')
  await passes('mx.breaker', 60_000)
  t.equal((await take('mx.breaker', { addresses })).local_address, one)
  t.equal(await takeAll('mx.breaker', { addresses: [two] }), 0)
  t.equal((await take('mx.breaker', { addresses })).local_address, one)
  t.match(await take('mx.breaker', { addresses }), { local_address: null, free_at: null }, 'one is but full')
})

t.test('a provider’s hosts have limits that are known', async (t) => {
  t.match(findPreset('gmail-smtp-in.l.google.com'), { provider: 'google', connections: 5, perConnection: 50 })
  t.match(findPreset('mx01.mail.icloud.com'), { provider: 'icloud', perConnection: 5 })
  t.match(findPreset('smtp-in.orange.fr'), { provider: 'orange', connections: 2 })
  t.match(findPreset('mx.notgoogle.com'), { provider: 'other', connections: 10, perConnection: 100 })
})

const locksOf = (tx: Db) =>
  tx.oneFirst(sql.typeAlias('count')`
    select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`)

t.test('the end of a connection that was already removed also locks its MX set', async (t) => {
  await db.transaction(async (tx) => {
    await claims.endConnection(tx, { id: newId(), pool: 'transactional', mxSet: 'mx.gone.example', unsent: [] })
    t.equal(await locksOf(tx), 1)
  })
})

t.test('the next job of an MX set is decided under its lock', async (t) => {
  await db.transaction(async (tx) => {
    await enqueueMxSet(tx, 'transactional', 'mx.next.example')
    t.equal(await locksOf(tx), 1)
  })
})
