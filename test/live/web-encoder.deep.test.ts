import { existsSync } from 'node:fs'
import t from 'tap'
import { chromiumPath } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { webStack } from '../support/web-stack.ts'
import { publishClock } from './clock-encoder.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

t.test('viewers of an encoder over WebRTC see it at once, and continue after faults', { skip }, async (t) => {
  const stack = await webStack(t, [], 20)
  const { live, peers, watch, run, sees } = stack
  const worker = await stack.startRooms()
  const channel = await live.makeChannel({ record: false })
  let encoder = publishClock(live.rtmp(channel.primary))
  t.teardown(() => encoder.kill('SIGKILL'))
  await channel.state('live', 'primary')
  const [first, second] = [await peers.open(), await peers.open()]
  for (const page of [first, second]) {
    await watch(page, channel)
    await sees(page)
  }

  await t.test('pictures arrive within a second', async (t) => {
    const seen: number[] = await run(first, 'latencies', 40)
    const median = seen.toSorted((a, b) => a - b)[20] ?? Number.NaN
    t.comment(`median delay ${median} ms`)
    t.ok(median < 1_500, `${median} ms`)
  })

  await t.test('viewers continue when the encoder returns', async () => {
    encoder.kill('SIGKILL')
    await channel.state('connecting')
    encoder = publishClock(live.rtmp(channel.primary))
    await channel.state('live', 'primary')
    await sees(first)
    await sees(second)
  })

  await t.test('a killed worker is replaced', async () => {
    const page = await peers.open()
    await watch(page, channel)
    await sees(page)
    process.kill(worker.pid, 'SIGKILL')
    await worker.ended
    await stack.startRooms()
    await until(async () => (await watch(page, channel)).status === 201, { timeout: 60_000, what: 'another takes it' })
    await sees(page)
  })
})
