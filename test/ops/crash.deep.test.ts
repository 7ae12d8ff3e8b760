import { test } from 'tap'
import { freePort } from '../support/postgres.ts'
import { dataFolder, isReady, processesOn, Stack, worksOff } from '../support/stack.ts'
import { until } from '../support/until.ts'

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
