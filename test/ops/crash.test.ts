import { test } from 'tap'
import { freePort } from '../support/postgres.ts'
import { dataFolder, isReady, lasting, processesOn, Stack, worksOff } from '../support/stack.ts'
import { until } from '../support/until.ts'

test('a killed supervisor leaves no orphan, and the next start resumes', async (t) => {
  const data = await dataFolder(t)
  const port = await freePort()
  // The usual ones are those of every stack that other tests start meanwhile.
  const srt = await freePort()
  const settings = { LIVE_SRT_PORTS: `${srt}-${srt}` }
  const stack = new Stack(data, port, settings)
  const facts = await stack.ready()
  t.ok((await processesOn(data)).length > 4)
  t.same(await stack.stop('SIGKILL'), [null, 'SIGKILL'])
  // A part that still ends has its port, and the next start would take another.
  await until(async () => (await processesOn(data)).length === 0, { what: 'no part is left' })

  const next = new Stack(data, port, settings)
  t.same(lasting(await next.ready()), lasting(facts))
  t.ok(await isReady(facts))
  t.ok(await worksOff(facts), 'a worker does a job')

  t.same(await next.stop('SIGKILL'), [null, 'SIGKILL'])
  await until(async () => (await processesOn(data)).length === 0, { what: 'every part is gone' })
})
