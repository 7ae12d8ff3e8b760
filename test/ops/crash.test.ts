import { test } from 'tap'
import { z } from 'zod'
import { openPool, sql } from '#sql/db.ts'
import { prune } from '#tasks/jobs/prune.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import type { DevFacts } from '../../ops/start/dev-facts.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder, processesOn, Stack } from '../support/stack.ts'
import { until } from '../support/until.ts'

const isReady = async (facts: DevFacts) => (await fetch(`${facts.base_url}/readyz`)).status === 200

/** Puts a job into the queue and waits until a worker has done it. */
async function worksOff(facts: DevFacts): Promise<true> {
  const db = await openPool(facts.database_url, 1)
  try {
    await enqueue(db, prune, {}, { key: 'test' })
    const waiting = () => db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from jobs_core.jobs`)
    await until(async () => (await waiting()) === 0, { timeout: 30_000, what: 'the job is done' })
    return true
  } finally {
    await db.end()
  }
}

test('a killed supervisor leaves no orphan, and the next start resumes', async (t) => {
  const data = await dataFolder(t)
  const port = await freePort()
  const stack = new Stack(data, port)
  const facts = await stack.ready()
  t.ok((await processesOn(data)).length > 4)
  t.same(await stack.stop('SIGKILL'), [null, 'SIGKILL'])

  const next = new Stack(data, port)
  t.same(await next.ready(), facts)
  t.ok(await isReady(facts))
  t.ok(await worksOff(facts), 'a worker does a job')

  t.same(await next.stop('SIGKILL'), [null, 'SIGKILL'])
  await until(async () => (await processesOn(data)).length === 0, { what: 'every part is gone' })
})

test('killed parts are started again and all works as before', async (t) => {
  const data = await dataFolder(t)
  const stack = new Stack(data, await freePort())
  const facts = await stack.ready()

  const parts = {
    postgres: `${data}/postgres`,
    ingress: 'ingress/main.ts',
    workers: 'workers/main.ts',
    'object-store': 'object-store/main.ts',
  }
  for (const [name, mark] of Object.entries(parts)) {
    t.test(name, async (t) => {
      const [victim = 0] = await processesOn(data, mark)
      process.kill(victim, 'SIGKILL')
      await until(() => stack.output.includes(`${name.padEnd(12)} was ended by SIGKILL`), { what: 'its end is told' })
      await until(async () => (await processesOn(data, mark)).some((pid) => pid !== victim), { what: 'it runs again' })
      await until(() => isReady(facts), { timeout: 30_000, what: 'the ingress is ready' })
      await until(async () => (await fetch(facts.s3.endpoint)).status > 0, { what: 'the store answers' })
      t.ok(await until(() => worksOff(facts), { timeout: 40_000, what: 'a job is done' }))
    })
  }

  t.test('and the end of it all is clean', async (t) => {
    t.same(await stack.stop('SIGTERM'), [0, null])
    t.same(await processesOn(data), [])
  })
})
