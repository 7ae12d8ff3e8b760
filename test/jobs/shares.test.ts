import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FragmentSqlToken } from 'slonik'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { recount } from '#sql/jobs/backlogs.ts'
import { putBack } from '#sql/jobs/locked-jobs.ts'
import { makeDue } from '#sql/jobs/queue.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { levelSize } from '#tasks/queue/fairness.ts'
import { task } from '#tasks/queue/task.ts'
import { allDeclarations } from '../../workers/pools.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { SlotShares } from '../../workers/runtime/slot-shares.ts'
import { testDatabase } from '../support/database.ts'
import type { TestScope } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, openGate } from './work.ts'

const Count = sql.typeAlias('count')

const isOpen = (db: DatabasePool, gate: string) =>
  db.exists(sql.type(z.object({ name: z.string() }))`select name from gates where name = ${gate}`)

/** Waits for a silent server until a gate is open. */
const hanging = task({
  name: 'test/hanging',
  pool: 'webhooks',
  payload: z.object({ name: z.string(), gate: z.string().optional() }),
  async run({ name, gate }, { db, attempt, signal }) {
    const note = (phase: string) =>
      db.query(sql.typeAlias('void')`
        insert into effects (name, phase, attempt, pid) values (${name}, ${phase}, ${attempt}, 0)`)
    await note('start')
    while (gate && !(await isOpen(db, gate))) await pause(20, undefined, { signal })
    await note('end')
  },
})

async function fleetOf(t: TestScope, slots = 8) {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const settings = { concurrency: slots, fetchAhead: 0, share: { perOrganisation: 1 / 4 } }
  const plan = { pool: 'webhooks' as const, settings, tasks: [hanging], tools: {} as never }
  const start = () => startFleet(url, [plan], { lease: 60_000, sweep: 200, grace: 5_000 }, (why) => t.fail(why))
  return { db, start }
}

const phases = async (db: DatabasePool, name: string, phase: string) =>
  (await effects(db, name)).filter((effect) => effect.phase === phase)

t.test('an organisation whose jobs hang holds its share of the slots, and others do not notice', async (t) => {
  const { db, start } = await fleetOf(t)
  const [slow, other] = [newId(), newId()]
  const many = Array.from({ length: 300 }, () => ({ name: 'slow', gate: 'go' }))
  await enqueueMany(db, hanging, many, { orgId: slow })
  const fleet = await start()
  t.teardown(() => fleet.stop())
  await until(async () => (await phases(db, 'slow', 'start')).length === 2, { what: 'the share is taken' })
  const waiting = () =>
    db.oneFirst(Count`select count(*) from jobs_webhooks._private_jobs where run_at > now() and attempts = 0`)
  await until(async () => (await waiting()) >= 290, {
    what: 'what has no turn waits in the queue, at no cost of an attempt',
  })
  const waits: number[] = []
  for (let i = 0; i < 10; i++) {
    const begun = performance.now()
    await enqueue(db, hanging, { name: `other ${i}` }, { orgId: other })
    await until(async () => (await phases(db, `other ${i}`, 'end')).length === 1, { what: 'the neighbour is served' })
    waits.push(performance.now() - begun)
  }
  // A busy machine can delay some of the jobs.
  const [, , , , , median = Number.NaN] = waits.toSorted((a, b) => a - b)
  t.ok(median < 3_000, `the neighbour waits ${Math.round(median)} ms`)
  await recount(db, 'webhooks', 'jobs_webhooks', levelSize)
  const counted = await db.oneFirst(sql.type(z.object({ waiting: z.number() }))`
    select sum(waiting)::integer as waiting from jobs.shares where org_id = ${slow}`)
  t.ok(counted >= 290, 'jobs that were put back count as waiting')
  t.equal((await phases(db, 'slow', 'start')).length, 2, 'it still has its share')
  await openGate(db, 'go')
  await until(async () => (await phases(db, 'slow', 'end')).length === 300, {
    timeout: 20_000,
    what: 'the line is called as slots are freed, long before its time',
  })
  t.ok((await phases(db, 'slow', 'start')).every(({ attempt }) => attempt === 1))
})

t.test('all other slots are theirs who need them', async (t) => {
  const { db, start } = await fleetOf(t)
  await enqueueMany(
    db,
    hanging,
    Array.from({ length: 40 }, () => ({ name: 'slow', gate: 'go' })),
    { orgId: newId() },
  )
  const fleet = await start()
  t.teardown(() => fleet.stop())
  await until(async () => (await phases(db, 'slow', 'start')).length === 2)
  for (const orgId of [newId(), newId(), newId()])
    await enqueueMany(
      db,
      hanging,
      [
        { name: 'needed', gate: 'go' },
        { name: 'needed', gate: 'go' },
      ],
      { orgId },
    )
  await until(async () => (await phases(db, 'needed', 'start')).length === 6, { what: 'no slot waits for a turn' })
  await openGate(db, 'go')
})

t.test('a worker that ends gives back what waits for its turn', async (t) => {
  const { db, start } = await fleetOf(t)
  const orgId = newId()
  const fleet = await start()
  await enqueueMany(
    db,
    hanging,
    Array.from({ length: 6 }, () => ({ name: 'slow', gate: 'go' })),
    { orgId },
  )
  await until(async () => (await phases(db, 'slow', 'start')).length === 2)
  await openGate(db, 'go')
  await fleet.stop()
  t.equal(await db.oneFirst(Count`select count(*) from jobs_webhooks._private_jobs where locked_at is not null`), 0)
  const left = await db.oneFirst(Count`select count(*) from jobs_webhooks._private_jobs`)
  t.equal(left + (await phases(db, 'slow', 'end')).length, 6, 'none is lost')
})

t.test('a job is called that was put back, and none that waits for another reason', async (t) => {
  const { db } = await testDatabase(t)
  const queue = { pool: 'webhooks' as const, schema: 'jobs_webhooks' }
  const names = ['waits', 'tried', 'retried', 'moved', 'parked']
  await enqueueMany(
    db,
    hanging,
    names.map((name) => ({ name })),
    { orgId: newId() },
  )
  const ids = await db.anyFirst(sql.type(z.object({ id: z.number() }))`
    update jobs_webhooks._private_jobs set locked_by = 'w', locked_at = now(),
      last_error = case when payload -> 'payload' ->> 'name' <> 'waits' then 'refused' end returning id::integer`)
  for (const id of ids) await putBack(db, { queue: queue.schema, jobId: id, worker: 'w' }, 60_000)
  const of = (name: string) => sql.fragment`payload -> 'payload' ->> 'name' = ${name}`
  const change = (name: string, to: FragmentSqlToken) =>
    db.query(sql.typeAlias('void')`update jobs_webhooks._private_jobs set ${to} where ${of(name)}`)
  await db.query(sql.typeAlias('void')`
    update jobs_webhooks._private_jobs set locked_by = null, locked_at = null, flags = null, run_at = now() + interval '1 minute'`)
  await change('retried', sql.fragment`last_error = 'failed again'`)
  await change('moved', sql.fragment`last_error = null`)
  await change('parked', sql.fragment`run_at = jobs.park(run_at)`)
  const called = await makeDue(db, queue, ids, ids.length)
  const due = await db.anyFirst(sql.type(z.object({ name: z.string() }))`
    select payload -> 'payload' ->> 'name' as name from jobs_webhooks._private_jobs where run_at <= now() order by id`)
  t.same(due, ['waits', 'tried'], 'an error that it had before is no other reason')
  t.equal(called.length, 2)
})

t.test('a line is called on while others run what was called', async (t) => {
  const calls: number[][] = []
  const makeDue = async (ids: readonly number[], count: number) => {
    const made = ids.slice(0, count)
    calls.push(made)
    return made
  }
  const shares = new SlotShares({ pool: 'web', slots: 2, share: { perOrganisation: 1 / 2 }, makeDue })
  t.teardown(() => shares.close())
  const enter = (id: number) => shares.enter({ id, priority: 0, task: 'any', org: 'a' })
  const turn = await enter(1)
  for (const delay of await Promise.all([2, 3, 4, 5, 6].map(enter))) t.type(delay, 'number', 'it goes back')
  if (typeof turn !== 'number') turn.end()
  await until(async () => calls.length >= 2, { timeout: 5_000, what: 'the next is called though none has ended here' })
  t.equal(new Set(calls.flat()).size, calls.flat().length, 'each is called once')
})

t.test('work of no organisation has a share by its task where the pool says so', async (t) => {
  const share = { perOrganisation: 1 / 4, ofNobody: ['feeds'] }
  const shares = new SlotShares({ pool: 'web', slots: 8, share, makeDue: async () => [] })
  t.teardown(() => shares.close())
  const enter = (task: string, id: number) => shares.enter({ id, priority: 0, task, org: undefined })
  const turns = await Promise.all([enter('feeds', 1), enter('feeds', 2)])
  let third: unknown
  const waiting = enter('feeds', 3).then((turn) => {
    third = turn
    return turn
  })
  t.type(await enter('other', 4), 'object', 'other work does not wait')
  t.equal(third, undefined)
  for (const turn of turns.slice(1)) if (typeof turn !== 'number') turn.end()
  t.type(await waiting, 'object', 'the third has the slot of the second')
})

/** Returns the modules in `workers` or `lib` that a folder’s modules import at run time. */
async function importsOf(folder: string): Promise<ReadonlySet<string>> {
  const seen = new Set<string>()
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file)) return
    seen.add(file)
    const text = await readFile(file, 'utf8').catch(() => '')
    for (const [, from = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*? from '([.#][^']+)'/gm)) {
      if (from.startsWith('.')) await visit(resolve(dirname(file), from))
      else if (from.startsWith('#lib/')) seen.add(from)
    }
  }
  for (const entry of await readdir(folder, { recursive: true })) {
    if (entry.endsWith('.ts') && !entry.endsWith('.d.ts')) await visit(join(folder, entry))
  }
  return seen
}

/** Pools that use external servers with other limits. */
const otherwise = new Set(['live', 'rooms', 'mail-transactional', 'mail-campaign', 'core'])

t.test('every pool that waits for servers of others shares its slots', async (t) => {
  const folders: Record<string, string> = { 'identity-documents': 'identity', 'media-intake': 'media' }
  for (const [pool, { share, concurrency }] of await allDeclarations()) {
    if ('none' in share) {
      t.match(share.none, /^[A-Z].+\.$/, `${pool} says why not`)
      const imports = await importsOf(join(import.meta.dirname, '../../workers', folders[pool] ?? pool))
      const reaches = imports.has('#lib/http.ts') || imports.has('#lib/network/address-guard.ts')
      t.notOk(reaches && !otherwise.has(pool), `${pool} reaches no server of others`)
      continue
    }
    t.ok(share.perOrganisation > 0 && share.perOrganisation <= 1 / 2, `${pool}: one holds half at most`)
    t.ok(concurrency * share.perOrganisation >= 1, `${pool}: there is more than one organisation’s`)
    const names = getTasksOfPool(pool).map(({ name }) => name)
    const named = [...(share.tasks ?? []), ...(share.ofNobody ?? [])]
    t.ok(
      named.every((name) => names.includes(name)),
      `${pool}: the tasks are its own`,
    )
  }
  const sharing = [...(await allDeclarations())].flatMap(([pool, { share }]) => ('none' in share ? [] : [pool]))
  t.same(sharing.sort(), [
    'calls',
    'identity-documents',
    'images',
    'llm',
    'media',
    'media-intake',
    'push',
    'sms',
    'streams',
    'voice',
    'web',
    'webhooks',
    'whatsapp',
  ])
})
