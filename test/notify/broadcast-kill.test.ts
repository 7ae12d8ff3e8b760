import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { notifying } from './people.ts'

t.setTimeout(300_000)
const { db, databaseUrl, teller } = await notifying(t)
const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))
const people = 10_000

/** Starts a worker, which ends with the test. */
async function worker() {
  const child = spawn('setpriv', ['--pdeathsig=KILL', '--', process.execPath, program, databaseUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  await new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => line === 'ready' && resolve())
  })
  return { kill }
}

t.test('workers that are killed in the middle of a broadcast tell each of 10,000 people once', async (t) => {
  const one = await teller()
  await one.ask('PUT /v1/notify/topics/all', { body: { name: 'All' } })
  for (let at = 0; at < people; at += 1_000) {
    const user_ids = Array.from({ length: 1_000 }, (_, i) => `person-${at + i}`)
    t.equal((await one.ask('PUT /v1/notify/topics/all/people', { body: { user_ids } })).body.added, 1_000)
  }
  const { body } = await one.ask('POST /v1/notify/broadcasts', {
    body: { topic: 'all', product_key: 'shop', type: 'release.published', title: 'Version 2' },
  })
  t.equal(body.total, people)
  const read = async () => (await one.ask(`GET /v1/notify/broadcasts/${body.id}`)).body
  const told = (more: number) => until(async () => (await read()).told > more, { every: 2, timeout: 60_000 })

  const first = await worker()
  await told(500)
  await first.kill()
  const second = await worker()
  await told((await read()).told + 1_000)
  await second.kill()
  const before = (await read()).told
  t.ok(before > 0 && before < people, `killed twice, the second time after ${before} people`)
  const begun = performance.now()
  await worker()
  await until(async () => (await read()).status === 'completed', { timeout: 120_000 })
  const rate = (people - before) / ((performance.now() - begun) / 1_000)
  t.comment(`${Math.round(rate)} people per second`)

  t.match(await read(), { total: people, told: people, refused: 0, failed: 0 })
  const Found = z.object({ events: z.number(), people: z.number(), items: z.number(), outcomes: z.number() })
  t.same(
    await db.one(sql.type(Found)`
      select (select count(*) from notify.events where org_id = ${one.orgId}) as events,
        (select count(distinct user_id) from notify.events where org_id = ${one.orgId}) as people,
        (select count(*) from notify.inbox where org_id = ${one.orgId}) as items,
        (select count(*) from notify.broadcast_people where broadcast_id = ${body.id} and outcome = 'told') as outcomes`),
    { events: people, people, items: people, outcomes: people },
  )
})
