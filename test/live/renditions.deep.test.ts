import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { chromiumPath, startBrowser, videoGets, videoSays } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { onAir, recorded, testOrigin } from './on-air.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

/** Seconds for which a rendition is watched. */
const watched = 30

t.test('a rendition is as near to the broadcast as the source, and the slate is played', { skip }, async (t) => {
  const stack = await videoStack(t, { areas: ['directory'] })
  const origin = await testOrigin(t, stack)
  const input = await recorded(join(stack.data, 'air.flv'), 90, 'scale=64:720')
  const wish = { input, inputOptions: ['-re'], renditions: [480, 360], slate: true } as const
  const air = await onAir(stack, origin, { ...wish, dvrSeconds: 60 })
  const browser = await startBrowser(t, chromiumPath)
  await until(() => air.states.includes('live'), { timeout: 30_000 })
  const page = await browser.newPage({ viewport: { width: 340, height: 200 } })
  await page.goto(`${stack.ingress.url}/v1/stream/live/watch/${air.token}`)
  await until(() => page.evaluate("typeof window.player?.on === 'function'"))
  await page.evaluate(`(() => {
    window.troubles = []
    window.player.on('hlsError', (_, { details, fatal }) => window.troubles.push(details + (fatal ? ' (fatal)' : '')))
    const video = document.querySelector('video')
    video.muted = true
    void video.play()
  })()`)
  await videoGets(page, 'video.currentTime > 0.5')
  t.same(await page.evaluate('player.levels.map(({ height }) => height)'), [360, 480, 720])

  const isMade = async () => (await (await air.get('live-480.m3u8')).text()).includes('#EXT-X-PART:')
  await until(isMade, { timeout: 60_000, what: 'a rendition is made' })
  for (const height of [720, 480, 360]) {
    await page.evaluate(`player.nextLevel = player.levels.findIndex((level) => level.height === ${height})`)
    await videoGets(page, `video.videoHeight === ${height}`)
  }
  await pause(8_000)
  await page.evaluate('window.troubles.length = 0')
  const measured: number[] = []
  for (let i = 0; i < watched; i++) {
    measured.push(Number(await page.evaluate('player.latency')))
    await pause(1_000)
  }
  const median = measured.toSorted((a, b) => a - b)[Math.floor(watched / 2)] ?? Number.NaN
  t.comment(`median ${median.toFixed(2)} s behind; ${JSON.stringify(await page.evaluate('troubles'))}`)
  t.ok(median <= 1.5, `the median is ${median} s`)
  t.same(await page.evaluate('troubles'), [])

  await t.test('while the publisher is away, and when it is back', async (t) => {
    await air.live.stop()
    const [at, shown] = [Number(await videoSays(page, 'video.currentTime')), await videoSays(page, frames)]
    await videoGets(page, `video.currentTime > ${at + 6}`)
    t.ok(Number(await videoSays(page, frames)) > Number(shown) + 100)
    const live = origin.startChannel({ channelId: air.channelId, ...wish, dvrSeconds: 60 })
    t.teardown(() => live.stop())
    const again = Number(await videoSays(page, 'video.currentTime'))
    await videoGets(page, `video.currentTime > ${again + 6}`)
    const troubles = String(await page.evaluate('troubles'))
    t.comment(troubles)
    t.notMatch(troubles, /stall|fatal/i)
  })
})

const frames = 'video.getVideoPlaybackQuality().totalVideoFrames'
