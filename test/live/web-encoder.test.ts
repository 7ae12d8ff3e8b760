import { existsSync } from 'node:fs'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { chromiumPath } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { webStack } from '../support/web-stack.ts'
import { publishClock } from './clock-encoder.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

/** JavaScript that returns the highest level of the sound that a page receives now. */
const loudness = `(async () => {
  const context = new AudioContext()
  await context.resume()
  const analyser = context.createAnalyser()
  context.createMediaStreamSource(video.srcObject).connect(analyser)
  await new Promise((resolve) => setTimeout(resolve, 500))
  const levels = new Float32Array(analyser.fftSize)
  analyser.getFloatTimeDomainData(levels)
  await context.close()
  return Math.max(...levels)
})()`

t.test('WebRTC viewers watch a stream that an encoder sends over RTMP', { skip }, async (t) => {
  const stack = await webStack(t, [], 20)
  const { live, peers, watch, run, sees, is } = stack
  await stack.startRooms()
  const channel = await live.makeChannel({ record: false })
  const feeds = () => live.db.anyFirst(sql.type(z.object({ viewers: z.number() }))`select viewers from live.web_feeds`)
  const encoder = publishClock(live.rtmp(channel.primary))
  t.teardown(() => encoder.kill('SIGKILL'))
  await channel.state('live', 'primary')
  t.same(await feeds(), [], 'without viewers, nothing is sent')
  const [first, second] = [await peers.open(), await peers.open()]

  await t.test('with picture and sound', async (t) => {
    t.match(await watch(first, channel), { status: 201, location: /\/whep\// })
    await sees(first)
    await until(() => first.evaluate(loudness).then((level) => Number(level) > 0.01), { what: 'sound comes' })
    t.match(await watch(second, channel), { status: 201 })
    await sees(second)
    await until(async () => (await feeds())[0] === 2, { what: 'both are counted' })
    await until(async () => ((await channel.read()).stream?.viewers ?? 0) >= 2, { what: 'they are told' })
  })

  await t.test('a revoked viewer stops, and after the last one nothing is sent', async () => {
    const third = await peers.open()
    const { sessionId } = await watch(third, channel)
    await sees(third)
    await live.ask(`DELETE /v1/stream/assets/playback-sessions/${sessionId}`)
    await is(third, 'watching', ['disconnected', 'failed', 'closed'])
    await third.close()
    for (const page of [first, second]) await run(page, 'leave')
    for (const page of [first, second]) await page.close()
    await until(async () => (await feeds()).length === 0, { timeout: 60_000, what: 'the feed ends' })
  })

  await t.test('B-frames are refused', async (t) => {
    const other = await live.makeChannel({ record: false })
    const coding = '-c:v libx264 -preset medium -bf 2 -g 30 -pix_fmt yuv420p -c:a aac'.split(' ')
    const sender = live.publish(live.rtmp(other.primary), { coding })
    await other.state('live', 'primary')
    await until(async () => (await other.read()).stream?.warnings.some((text: string) => text.includes('B-frames')))
    const page = await peers.open()
    t.match(await watch(page, other), { status: 409, body: { error: { code: 'b_frames' } } })
    sender.kill('SIGKILL')
    await page.close()
  })
})
