import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { film } from '../media/sources.ts'
import {
  chromiumPath,
  keepPicture,
  startBrowser,
  trouble,
  troubleTold,
  videoGets,
  videoSays,
  watchedPage,
} from '../support/browser.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

t.test('the player in Chromium', { skip }, async (t) => {
  const stack = await videoStack(t)
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p']
  const source = await film(join(stack.data, 'a.mp4'), 'testsrc2=s=854x480:r=30:d=14', { codec })
  const assetId = await stack.send(source)
  await stack.startWorkers()
  const browser = await startBrowser(t)
  await stack.ready(assetId)
  const allowed = new Set([new URL(stack.ingress.url).host, new URL(stack.store.url).host])

  await t.test('plays over a segment’s edge with pictures and sound, and complains of nothing', async (t) => {
    const { embedUrl } = await mint(stack.api, assetId)
    const { page, hosts, answers, errors } = await watchedPage(browser)
    await page.goto(embedUrl)
    await videoGets(page, 'video.readyState >= 2')
    t.equal(await videoSays(page, 'video.currentTime'), 0, 'it waits for its viewer')
    await videoSays(page, 'video.play()')
    await videoGets(page, 'video.currentTime > 0.5')
    await videoSays(page, 'video.playbackRate = 4')
    await videoGets(page, 'video.currentTime > 7')
    await keepPicture(page, 'player.png')
    t.ok(Number(await videoSays(page, 'video.getVideoPlaybackQuality().totalVideoFrames')) > 20, 'pictures were shown')
    t.ok(Number(await videoSays(page, 'video.webkitAudioDecodedByteCount')) > 10_000, 'sound was heard')
    t.strictSame(await videoSays(page, '[video.paused, video.error, video.videoWidth]'), [false, null, 854])
    t.ok(Math.abs(Number(await videoSays(page, 'video.duration')) - 14) < 0.1)
    t.equal(await trouble(page), null)
    t.strictSame(errors, [], 'console')
    t.strictSame(hosts, allowed, 'no other host is asked for anything')
    t.strictSame(
      answers.filter(({ status }) => status >= 400),
      [],
    )
    t.ok(answers.some(({ name }) => name === 'poster.jpg'))
    t.ok(answers.filter(({ name }) => /^480p_0000\d\.m4s$/.test(name)).length >= 4, 'two segments, each by a redirect')
    await videoGets(page, 'video.ended')
    await page.close()
  })

  await t.test('plays in a page of another origin, as customers embed it', async (t) => {
    const { embedUrl } = await mint(stack.api, assetId)
    const { page, errors } = await watchedPage(browser)
    // A server, not a route of the browser's own: to what that fulfils, Chromium refuses frames of this machine.
    const shop = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<title>Shop</title><link rel="icon" href="data:,"><iframe src="${embedUrl}"></iframe>`)
    })
    shop.listen(0, '127.0.0.1')
    await once(shop, 'listening')
    t.teardown(() => shop.close())
    await page.goto(`http://localhost:${(shop.address() as AddressInfo).port}/`)
    const frame = await until(() => page.frames().find((one) => one.url() === embedUrl))
    await videoGets(frame, 'video.readyState >= 2')
    t.strictSame(errors, [])
    await page.close()
  })

  await t.test('plays an open video without a token', async (t) => {
    await stack.ask(`PATCH /v1/stream/assets/${assetId}`, { body: { visibility: 'public' } })
    const { page, errors } = await watchedPage(browser)
    await page.goto(`${stack.ingress.url}/v1/stream/open/${assetId}/embed`)
    await videoSays(page, 'video.play()')
    await videoGets(page, 'video.currentTime > 0.5')
    t.strictSame(errors, [])
    await page.close()
  })

  await t.test('tells a viewer in words that the link is over, whenever that comes out', async (t) => {
    const { embedUrl, sessionId } = await mint(stack.api, assetId)
    const { page } = await watchedPage(browser)
    await page.route('**/player.js', async (route) => {
      await stack.ask(`DELETE /v1/stream/assets/playback-sessions/${sessionId}`)
      await route.continue()
    })
    await page.goto(embedUrl)
    t.equal(await troubleTold(page), 'This link is not valid any more.', 'once the page is there')
    const answer = await page.reload()
    t.equal(answer?.status(), 403)
    t.equal(await troubleTold(page), 'This link is not valid any more.', 'before it is')
    await keepPicture(page, 'over.png')
    const missing = await page.goto(`${stack.ingress.url}/v1/stream/open/${crypto.randomUUID()}/embed`)
    t.equal(missing?.status(), 404)
    t.equal(await troubleTold(page), 'This video is not here.')
    await page.close()
  })
})
