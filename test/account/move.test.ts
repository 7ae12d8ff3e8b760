import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import type { Storage } from '#lib/storage/storage.ts'
import * as audit from '#sql/account/audit.ts'
import * as closures from '#sql/account/closures.ts'
import * as keys from '#sql/account/keys.ts'
import * as moved from '#sql/account/move/moved.ts'
import * as moves from '#sql/account/move/moves.ts'
import * as orgs from '#sql/account/orgs.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { close } from '#tasks/account/close.ts'
import { closeOrganisation } from '#tasks/account/rules/close-organisation.ts'
import { abortMove, beginMove } from '#tasks/account/rules/move/begin.ts'
import { findHindrances } from '#tasks/account/rules/move/checks.ts'
import { moveOrganisation } from '#tasks/account/rules/move/move.ts'
import { stayingTables, tablesInUrls } from '#tasks/account/rules/move/plan.ts'
import { listUnderWay } from '#tasks/account/rules/move/under-way.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { toProblem } from '../../ingress/http/problems.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { differing, jobsOf, manner, twoCells } from './two-cells.ts'

t.setTimeout(600_000)
const {
  here: { db: hereDb, all },
  there: { db: thereDb, all: other },
  tables,
  movingOf,
  fullOrg,
  append,
} = await twoCells(t)
const [here, there] = [{ db: hereDb }, { db: thereDb }]

t.test('every trigger on what moves sleeps while rows are loaded, but that of the audit log', async (t) => {
  const Trigger = z.object({ on: z.string(), definition: z.string() })
  const found = await here.db.any(sql.type(Trigger)`
    select n.nspname || '.' || c.relname as on, pg_get_triggerdef(g.oid) as definition
    from pg_trigger as g join pg_class as c on c.oid = g.tgrelid join pg_namespace as n on n.oid = c.relnamespace
    where not g.tgisinternal and g.tgparentid = 0 and g.tgname <> 'keep_audit'`)
  const names = new Set(tables.map(({ name }) => name))
  const onMoved = found.filter(({ on }) => names.has(on))
  t.ok(onMoved.length > 20, `${onMoved.length} triggers`)
  t.same(
    onMoved.filter(({ definition }) => !definition.includes('millrace.move')),
    [],
  )
})

t.test('what organisations share and what their rows name of it is known to a move', (t) => {
  const shared = tables.flatMap(({ shared }) => shared.map(({ parent }) => parent))
  t.same([...new Set(shared)].sort(), ['account.plans', 'account.users', 'voice.switchboards'])
  for (const name of Object.keys(stayingTables))
    t.notOk(
      tables.some((one) => one.name === name),
      name,
    )
  for (const name of tablesInUrls)
    t.ok(
      tables.some((one) => one.name === name),
      name,
    )
  t.end()
})

t.test('all that an organisation has is the same in the other cell, whoever has rows in both', async (t) => {
  const { org } = await fullOrg()
  const [stays1, stays2] = [await fullOrg(), await testOrg(there.db)]
  await other.fill(stays2.org.id)
  const before = await all.count(stays1.org.id)
  const moving = movingOf(org.id)
  for (let i = 0; i < 3; i++) await append(org.id)
  const due = new Date(Date.now() + 3_600_000)
  await enqueue(here.db, close, {}, { orgId: org.id, at: due, key: 'mine', priority: 7 })
  await enqueue(here.db, close, {}, { orgId: stays1.org.id, at: due, key: 'theirs' })
  const [waiting] = await jobsOf(here.db, org.id)
  await beginMove(moving, 'test')
  // Nobody else may see rows of it act there: a job that comes up in the other cell is held, and gives way to those that move.
  await enqueue(there.db, close, {}, { orgId: org.id, at: due, key: 'early' })
  moving.step = async (name) => {
    if (name !== 'pass 1') return
    // Between two passes: added, changed and deleted.
    await append(org.id)
    await here.db.query(sql.typeAlias('void')`update account.orgs set name = 'renamed' where id = ${org.id}`)
    await here.db.query(sql.typeAlias('void')`delete from bots.passages where document_id in (
      select d.id from bots.documents as d join bots.bots as b on b.id = d.bot_id where b.org_id = ${org.id})`)
  }
  const rows = await moveOrganisation(moving, manner)
  t.ok(Object.keys(rows).length > 110, `${Object.keys(rows).length} tables`)
  t.equal(rows['account.audit'], 5)
  t.same(await differing(moving), [])
  t.equal((await moves.find(here.db, moving.move.id))?.state, 'moved')
  t.equal((await moves.find(there.db, moving.move.id))?.state, 'arrived')
  t.equal(await here.db.oneFirst(sql.unsafe`select cell from account.moved where org_id = ${org.id}`), 'b')
  t.equal((await orgs.find(there.db, org.id))?.name, 'renamed')
  t.same(await jobsOf(here.db, org.id), [])
  const arrived = await jobsOf(there.db, org.id)
  t.match(arrived, [{ key: 'mine', priority: waiting?.priority, attempts: 0, run_at: waiting?.run_at }])
  t.equal(arrived.length, 1)
  t.equal((await jobsOf(here.db, stays1.org.id)).length, 1)
  t.same(await all.count(stays1.org.id), before, 'others keep all')
  const [key] = await keys.list(here.db, org.id)
  t.equal((await keys.find(there.db, org.id, key?.id ?? ''))?.name, key?.name)
  // What began before the move is over cannot write there any more, and sweeps of all organisations pass over its rows.
  await t.rejects(append(org.id), /being moved/)
  const swept = await here.db.query(
    sql.typeAlias('void')`update account.keys set note = 'swept' where org_id = ${org.id}`,
  )
  t.equal(swept.rowCount, 0)
  // Then the rows that stayed behind are deleted, and no object: they are the other cell's, in one bucket.
  const work = (await closures.begin(here.db)).find(({ org_id }) => org_id === org.id)
  t.ok(work)
  const untouchable = new Proxy({} as Storage, {
    get: (_, name) => t.fail(`storage is asked for ${String(name)}`),
  })
  const signal = AbortSignal.timeout(300_000)
  if (work) await closeOrganisation(work, { db: here.db, storage: untouchable, signal })
  t.same(
    Object.entries(await all.count(org.id)).filter(([, count]) => count > 0),
    [],
  )
  t.equal((await moves.find(here.db, moving.move.id))?.state, 'over')
  t.notOk(
    await here.db.exists(sql.unsafe`
    select from pg_trigger where tgname = ${`fence_move_${moving.move.id.replaceAll('-', '')}`}`),
  )
  t.equal(await moved.findCell(here.db, 'id', org.id), 'b')
})

t.test('a move that ends at any step goes on with the next call, and both cells never act at once', async (t) => {
  for (const at of ['pass 1', 'pass 2', 'paused', 'settled', 'alike', 'arrived', 'moved']) {
    const { org } = await testOrg(here.db, ['account:audit'])
    await append(org.id)
    await append(org.id)
    await enqueue(here.db, close, {}, { orgId: org.id, at: new Date(Date.now() + 3_600_000), key: at })
    const moving = movingOf(org.id)
    await beginMove(moving, 'test')
    moving.step = (name) => {
      if (name === at) throw new Error('killed')
    }
    await t.rejects(moveOrganisation(moving, manner), /killed/, at)
    const held = async (db: DatabasePool) => await closures.isClosing(db, org.id)
    const [a, b] = [await held(here.db), await held(there.db)]
    t.ok(a || b, `${at}: one of them is held`)
    t.equal((await jobsOf(here.db, org.id)).length, at === 'moved' ? 0 : 1)
    delete moving.step
    await moveOrganisation(moving, manner)
    t.same([await held(here.db), await held(there.db)], [true, false], at)
    t.same(await differing(moving), [], at)
    t.equal((await jobsOf(there.db, org.id)).length, 1)
    const chain = await audit.listChain(there.db, org.id, 0, 10)
    t.equal(chain.length, 2)
    for (const [i, { hash, ...entry }] of chain.entries()) {
      t.equal(entry.previous_hash, i === 0 ? audit.firstHash : chain[i - 1]?.hash)
      t.equal(hash, audit.hashEntry(entry))
    }
  }
})

t.test('a move that is given up leaves nothing in the other cell, and all as it was here', async (t) => {
  for (const at of ['pass 1', 'alike']) {
    const { org } = at === 'alike' ? await fullOrg() : await testOrg(here.db)
    await append(org.id)
    const [mine, theirs] = [await all.count(org.id), await other.count(org.id)]
    const moving = movingOf(org.id)
    await beginMove(moving, 'test')
    moving.step = (name) => {
      if (name === at) throw new Error('killed')
    }
    await t.rejects(moveOrganisation(moving, manner), /killed/, at)
    await abortMove(moving)
    t.same({ ...(await all.count(org.id)) }, mine)
    t.same({ ...(await other.count(org.id)) }, theirs)
    t.equal(await orgs.find(there.db, org.id), null)
    t.notOk(await closures.isClosing(here.db, org.id))
    await append(org.id)
    await t.rejects(
      moveOrganisation(moving, manner).then(
        (rows) => Object.keys(rows).length > 0 && Promise.reject(new Error('it moved')),
      ),
      /it moved/,
    )
    t.notOk(await orgs.find(there.db, org.id))
  }
  const { org } = await testOrg(here.db)
  const moving = movingOf(org.id)
  await beginMove(moving, 'test')
  moving.step = (name) => {
    if (name === 'arrived') throw new Error('killed')
  }
  await t.rejects(moveOrganisation(moving, manner), /killed/)
  await t.rejects(abortMove(moving), /taken over/)
})

t.test('somebody who is known in the other cell is the same person there', async (t) => {
  const { org } = await testOrg(here.db)
  const add = async (db: DatabasePool, id: string, email: string) =>
    db.query(sql.typeAlias('void')`insert into account.users (id, email, name) values (${id}, ${email}, 'Ada')`)
  const [ada, adaThere, bob] = [newId(), newId(), newId()]
  await add(here.db, ada, 'ada@move.example')
  await add(there.db, adaThere, 'ada@move.example')
  await add(here.db, bob, 'bob@move.example')
  for (const id of [ada, bob])
    await here.db.query(sql.typeAlias('void')`
      insert into account.members (org_id, user_id, role) values (${org.id}, ${id}, 'owner')`)
  const moving = movingOf(org.id)
  await beginMove(moving, 'test')
  await moveOrganisation(moving, manner)
  const members = await there.db.anyFirst(sql.type(z.object({ user_id: z.string() }))`
    select user_id from account.members where org_id = ${org.id}`)
  t.same([...members].sort(), [adaThere, bob].sort())
  t.same(await differing(moving), [])
})

t.test('in the pause requests are answered 503 here and there, and what is late is refused, not lost', async (t) => {
  const { org, keys: made } = await testOrg(here.db, ['account:audit'])
  const doors = [here, there].map(({ db }) => testIngress(t, db, [], { only: ['account'] }))
  const [door, other] = [await (doors[0] as (typeof doors)[0]), await (doors[1] as (typeof doors)[0])]
  const moving = movingOf(org.id)
  await beginMove(moving, 'test')
  const answers: Record<string, number> = {}
  moving.step = async (name) => {
    if (name === 'pass 1') answers.copying = (await door.ask('GET /v1/account/audit', { key: made.main })).status
    if (name !== 'paused') return
    const known = await door.ask('GET /v1/account/audit', { key: made.main })
    t.ok([200, 503].includes(known.status), 'a key is believed for seconds')
    const coming = await other.ask('GET /v1/account/audit', { key: made.main })
    t.match([coming.status, coming.headers.get('retry-after')], [503, '3'])
    const left = await until(async () => {
      const reply = await door.ask('GET /v1/account/audit', { key: made.main })
      return reply.status !== 200 && reply
    })
    t.match([left.status, left.headers.get('retry-after')], [503, '3'])
  }
  await moveOrganisation(moving, manner)
  t.same(answers, { copying: 200 })
  const late = append(org.id).catch((error) => error)
  t.match(toProblem(await late), { status: 503 })
  await until(async () => (await other.ask('GET /v1/account/audit', { key: made.main })).status === 200)
})

t.test('what stands in the way of a move is told before anything is copied', async (t) => {
  const { org } = await testOrg(here.db)
  const moving = movingOf(org.id)
  const ask = (secret = 's'.repeat(32), sameSecret = true) => findHindrances(moving, { secret, sameSecret })
  t.same(await ask(), [])
  t.match(await ask('s'.repeat(32), false), [/--same-secret/])
  await there.db.query(sql.typeAlias('void')`
    insert into webhooks.endpoints (id, org_id, area, url, secret, events)
    select ${newId()}, id, 'email', 'https://x.example', ${createSeal('t'.repeat(32), 'webhook secrets').close('x', 'y')}, '{}'
    from account.orgs limit 1`)
  t.match(await ask(), [/SIGNING_SECRET of cell b differs/])
  t.same(await ask('t'.repeat(32), false), [])
  await there.db.query(sql.typeAlias('void')`alter table account.orgs add column strange text`)
  t.match(await ask('t'.repeat(32), false), [/different columns in account.orgs/])
  await there.db.query(sql.typeAlias('void')`alter table account.orgs drop column strange`)
  await here.db.query(sql.typeAlias('void')`
    insert into voice.calls (id, org_id, caller_id, ring_timeout_seconds, max_duration_seconds, status)
    values (${newId()}, ${org.id}, '+1', 1, 1, 'queued')`)
  t.match(await listUnderWay(moving), [/^call /])
  await beginMove(moving, 'test')
  await t.rejects(moveOrganisation(moving, manner), /in progress: call/)
  t.notOk(await closures.isClosing(here.db, org.id), 'it goes on where it is')
})
