import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  chromiumPath,
  keepPicture,
  startBrowser,
  troubleTold,
  videoGets,
  videoSays,
  watchedPage,
} from '../support/browser.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { onAir, recorded, testOrigin } from './on-air.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`
const stack = await videoStack(t, { areas: ['directory'] })
const [origin, input] = await Promise.all([testOrigin(t, stack), recorded(join(stack.data, 'air.flv'), 8)])

/** What browsers do to a page that nobody has touched; scripts of a test count as a touch, so that Chromium does not do it here. */
const noSoundUnasked = `(() => {
  const { play } = HTMLMediaElement.prototype
  HTMLMediaElement.prototype.play = function () {
    return this.muted ? play.call(this) : Promise.reject(new DOMException('Touch it first.', 'NotAllowedError'))
  }
})()`

t.test('the watch page begins by itself when the channel goes live, muted where it must be', { skip }, async (t) => {
  const browser = await startBrowser(t)
  const air = await onAir(stack, origin, { input: join(stack.data, 'none.flv') })
  await air.live.stop()
  const { page } = await watchedPage(browser)
  await page.addInitScript(noSoundUnasked)
  await page.goto(`${stack.ingress.url}/v1/stream/live/watch/${air.token}`)
  t.match(await troubleTold(page), /has not started/)
  t.equal(await page.locator('#edge').isVisible(), false, 'what is not live does not say so')
  await keepPicture(page, 'watch-before.png')

  const live = origin.startChannel({
    channelId: air.channelId,
    input,
    inputOptions: ['-re', '-stream_loop', '-1'],
    dvrSeconds: 0,
  })
  t.teardown(() => live.stop())
  await videoGets(page, '!video.paused && video.currentTime > 0.5')
  t.equal(await videoSays(page, 'video.muted'), true)
  await page.locator('#edge').click()
  await until(async () => (await page.locator('#edge').textContent())?.trim() === 'LIVE')
  t.equal(await page.locator('[role=alert]').isVisible(), false)
  await keepPicture(page, 'watch-live.png')
  await page.setViewportSize({ width: 390, height: 720 })
  await keepPicture(page, 'watch-live-narrow.png')

  await page.getByRole('button', { name: 'Unmute' }).first().click()
  t.equal(await videoSays(page, 'video.muted'), false)
  await page.locator('#unmute').waitFor({ state: 'hidden' })
  await videoSays(page, 'video.pause()')
  t.equal(await videoSays(page, 'video.paused'), true)
})

t.test('sound that is no AAC is told of', async (t) => {
  const mp3 = await recorded(join(stack.data, 'mp3.flv'), 4, 'null', 'libmp3lame')
  const air = await onAir(stack, origin, { input: mp3 })
  await until(() => air.states.includes('ended'))
  t.match(air.live.stats(), {
    audio: { codec: /^mp4a\.6/ },
    warnings: [/^No AAC audio is arriving.*Set the encoder to AAC/],
  })
})
