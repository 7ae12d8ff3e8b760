import { test } from 'tap'
import { freePort } from '../support/postgres.ts'
import { dataFolder, Stack } from '../support/stack.ts'

test('a missing engine is told at the start, and what needs it waits while the rest works', async (t) => {
  const stack = new Stack(await dataFolder(t), await freePort(), { FFPROBE_PATH: 'no-such-ffprobe', LOG_LEVEL: 'warn' })
  const { base_url } = await stack.ready()
  t.match(
    stack.output,
    /workers +error: pool media is off here, its jobs wait: no-such-ffprobe \(FFPROBE_PATH\) not found/,
  )
  t.match(stack.output, /pool media-intake is off here/)
  t.equal((await fetch(`${base_url}/readyz`)).status, 200)
  t.same(await stack.stop('SIGTERM'), [0, null])
})
