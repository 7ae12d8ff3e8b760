import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { signPlaybackToken } from '../../ingress/playback/urls.ts'
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
import { shakaSite } from '../support/shaka.ts'
import { until } from '../support/until.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

t.test('the player in Chromium', { skip }, async (t) => {
  const stack = await videoStack(t)
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p']
  const source = await film(join(stack.data, 'a.mp4'), 'testsrc2=s=854x480:r=25:d=14', { codec })
  const assetId = await stack.send(source)
  await stack.startWorkers()
  const browser = await startBrowser(t)
  await stack.ready(assetId)
  const signed = { body: { visibility: 'signed' } }
  await until(async () => (await stack.ask(`PATCH /v1/stream/assets/${assetId}`, signed)).body.poster === 'signed')
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

  await t.test('is not the only player: Shaka plays every rendition over a segment’s edge to the end', async (t) => {
    const { hlsUrl } = await mint(stack.api, assetId)
    const { page, answers, errors } = await watchedPage(browser)
    await page.goto(`${await shakaSite(t)}?source=${encodeURIComponent(hlsUrl)}`)
    await videoGets(page, 'video.readyState >= 2')
    const tracks = 'player.getVariantTracks().map(({ height, audioCodec }) => [height, audioCodec])'
    t.strictSame(await page.evaluate(tracks), [
      [480, 'mp4a.40.2'],
      [360, 'mp4a.40.2'],
    ])
    t.ok(Math.abs(Number(await videoSays(page, 'video.duration')) - 14) < 0.1)
    await videoSays(page, 'video.play()')
    for (const height of [360, 480]) {
      await page.evaluate(`player.configure({ abr: { enabled: false } })
        player.selectVariantTrack(player.getVariantTracks().find((track) => track.height === ${height}), true)`)
      await videoGets(page, `video.videoHeight === ${height}`)
    }
    await videoSays(page, 'video.playbackRate = 4')
    await videoGets(page, 'video.currentTime > 7')
    await videoSays(page, 'video.currentTime = 1')
    await videoGets(page, 'video.currentTime > 1.5 && video.currentTime < 12')
    await videoSays(page, 'video.currentTime = 12.5')
    await videoGets(page, 'video.ended')
    t.ok(Number(await videoSays(page, 'video.webkitAudioDecodedByteCount')) > 10_000, 'sound was heard')
    t.strictSame(await page.evaluate('complaints'), [])
    t.strictSame(errors, [])
    t.strictSame(
      answers.filter(({ status }) => status >= 400),
      [],
    )
    for (const name of ['360p', '480p'])
      t.ok(
        answers.some((answer) => answer.name === `${name}_00000.m4s`),
        name,
      )
    await page.close()
  })

  await t.test('plays an open video without a token', async (t) => {
    await stack.ask(`PATCH /v1/stream/assets/${assetId}`, { body: { visibility: 'public' } })
    const { page, errors } = await watchedPage(browser)
    await page.goto(`${stack.ingress.url}/v1/stream/open/${assetId}/embed`)
    await videoGets(page, 'video.readyState >= 2')
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
    t.equal(await troubleTold(page), 'This link has been revoked.', 'once the page is there')
    const answer = await page.reload()
    t.equal(answer?.status(), 403)
    t.equal(await troubleTold(page), 'This link has been revoked.', 'before it is')
    await keepPicture(page, 'over.png')
    const missing = await page.goto(`${stack.ingress.url}/v1/stream/open/${crypto.randomUUID()}/embed`)
    t.equal(missing?.status(), 404)
    t.equal(await troubleTold(page), 'This video does not exist.')
    await page.close()
  })

  await t.test('offers its renditions in a menu, and keeps to the one that is chosen', async (t) => {
    const { page, errors } = await watchedPage(browser)
    await page.goto((await mint(stack.api, assetId)).embedUrl)
    await page.getByRole('button', { name: 'Play' }).first().click()
    await videoGets(page, 'video.currentTime > 0.2')
    await page.getByRole('button', { name: /^Quality/ }).click()
    const names = await page.getByRole('menuitemradio').allTextContents()
    t.match(names[0], /^Auto/)
    t.strictSame(names.slice(1), ['480p', '360p'], 'the best first')
    await keepPicture(page, 'quality.png')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await videoGets(page, 'video.videoHeight === 360')
    await page.getByRole('button', { name: 'Quality: 360p' }).waitFor()
    t.equal(await page.getByRole('button', { name: 'Captions' }).count(), 0, 'there are none')
    t.strictSame(errors, [])
    await page.close()
  })

  await t.test('shows a picture of where its viewer points on the seek bar', async (t) => {
    const { page, errors, answers } = await watchedPage(browser)
    await page.goto((await mint(stack.api, assetId)).embedUrl)
    await page.getByRole('button', { name: 'Play' }).first().click()
    await videoGets(page, 'video.currentTime > 0.2')
    t.notOk(
      answers.some(({ name }) => name.startsWith('thumbnails')),
      'who does not point at it fetches none',
    )
    const bar = await page.getByRole('slider', { name: 'Position' }).boundingBox()
    if (!bar) throw new Error('no seek bar')
    await page.mouse.move(bar.x + bar.width * 0.53, bar.y + bar.height / 2)
    await page.locator('#preview').waitFor()
    t.equal(await page.locator('#preview span').textContent(), '0:07')
    await until(() => answers.some(({ name, status }) => name === 'thumbnails_000.jpg' && status === 200))
    const style = "getComputedStyle(document.querySelector('mill-player').shadowRoot.querySelector('#preview div'))"
    t.strictSame(await page.evaluate(`[${style}.backgroundPosition, ${style}.width, ${style}.height]`), [
      '-480px 0px',
      '160px',
      '90px',
    ])
    await keepPicture(page, 'preview.png')
    await page.mouse.move(bar.x + bar.width / 2, bar.y - 200)
    await page.locator('#preview').waitFor({ state: 'hidden' })
    t.strictSame(errors, [])
    await page.close()
  })

  await t.test('shows captions when there are some and the viewer wants them', async (t) => {
    const { page, errors } = await watchedPage(browser)
    const { embedUrl } = await mint(stack.api, assetId)
    await page.route('**/master.m3u8', async (route) => {
      const plain = await (await route.fetch()).text()
      const track = '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="t",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="en.m3u8"'
      const body = plain.replace(/(#EXT-X-STREAM-INF:)/g, '$1SUBTITLES="t",').replace('#EXTM3U', `#EXTM3U\n${track}`)
      await route.fulfill({ body, contentType: 'application/vnd.apple.mpegurl' })
    })
    const list = '#EXTM3U\n#EXT-X-TARGETDURATION:14\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:14,\nen.vtt\n#EXT-X-ENDLIST\n'
    await page.route('**/en.m3u8', (route) =>
      route.fulfill({ body: list, contentType: 'application/vnd.apple.mpegurl' }),
    )
    const words = 'WEBVTT\n\n00:00.000 --> 00:14.000\nGood evening.\n'
    await page.route('**/en.vtt', (route) => route.fulfill({ body: words, contentType: 'text/vtt' }))
    await page.goto(embedUrl)
    await videoGets(page, 'video.readyState >= 2')
    await videoSays(page, 'video.play()')
    await videoGets(page, 'video.currentTime > 0.2')
    const shown = "[...video.textTracks].some((track) => track.mode === 'showing' && track.activeCues?.length === 1)"
    t.equal(await videoSays(page, shown), false, 'not before they are asked for')
    await page.keyboard.press('c')
    await videoGets(page, shown)
    await keepPicture(page, 'captions.png')
    await page.getByRole('button', { name: 'Captions' }).click()
    t.strictSame(await page.getByRole('menuitemradio').allTextContents(), ['Off', 'English'])
    await page.getByRole('menuitemradio', { name: 'Off' }).click()
    await videoGets(page, `!(${shown})`)
    t.strictSame(errors, [])
    await page.close()
  })

  await t.test('is played by keys, and keeps nothing in the browser', async (t) => {
    const { page, errors } = await watchedPage(browser)
    await page.goto((await mint(stack.api, assetId)).embedUrl)
    await videoGets(page, 'video.readyState >= 2')
    const after = async (key: string, expression: string) => {
      await page.keyboard.press(key)
      await videoGets(page, expression)
    }
    await after('k', '!video.paused && video.currentTime > 0')
    await after('Space', 'video.paused')
    await after('Home', 'video.currentTime === 0')
    await after('ArrowRight', 'video.currentTime === 5')
    await after('l', 'video.currentTime > 13')
    await after('j', 'video.currentTime > 3 && video.currentTime < 5')
    await after('m', 'video.muted')
    await after('ArrowDown', '!video.muted && Math.abs(video.volume - 0.95) < 0.001')
    await after('f', 'document.fullscreenElement !== null')
    await after('f', 'document.fullscreenElement === null')
    const kept = await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')
    t.strictSame(kept, [0, 0, ''])
    t.strictSame(errors, [])
    await page.close()
  })

  await t.test('can be used on a phone: all controls are on the screen and large enough to be hit', async (t) => {
    const phone = await browser.newContext({ viewport: { width: 360, height: 640 }, hasTouch: true })
    const { page, errors } = await watchedPage(phone)
    await page.goto((await mint(stack.api, assetId)).embedUrl)
    await videoGets(page, 'video.readyState >= 2')
    await keepPicture(page, 'phone-start.png')
    await page.getByRole('button', { name: 'Play' }).first().tap()
    await videoGets(page, 'video.currentTime > 0.2')
    await page.getByRole('button', { name: /^Quality/ }).tap()
    await keepPicture(page, 'phone.png')
    for (const button of await page.getByRole('button').all()) {
      const box = await button.boundingBox()
      t.ok(
        box && box.width >= 40 && box.height >= 40 && box.x >= 0 && box.x + box.width <= 360,
        await button.innerHTML(),
      )
    }
    t.strictSame(errors, [])
    await phone.close()
  })

  await t.test('tells how the view went when its page is left, with and without a token', async (t) => {
    const short = await film(join(stack.data, 'b.mp4'), 'testsrc2=s=320x180:r=15:d=4', { codec })
    const watched = await stack.send(short)
    await stack.ready(watched)
    const quality = async () => (await stack.ask(`GET /v1/stream/assets/${watched}/quality`)).body.totals
    const { page } = await watchedPage(browser)
    const watch = async (url: string) => {
      await page.goto(url)
      await videoGets(page, 'video.readyState >= 2')
      await videoSays(page, 'video.play()')
      await videoGets(page, 'video.currentTime > 1')
      await page.goto('about:blank')
    }
    await page.goto((await mint(stack.api, watched)).embedUrl)
    await videoGets(page, 'video.readyState >= 2')
    await watch((await mint(stack.api, watched)).embedUrl)
    const first = await until(async () => {
      const now = await quality()
      return now.views > 0 && now
    })
    t.match(first, { views: 1, errorRate: 0 }, 'a page whose video nobody started is no view')
    t.ok(first.playSeconds > 0.5 && first.startupP50Seconds > 0 && first.meanBitrate > 10_000)
    t.ok(first.droppedFrameRatio !== null)
    await stack.ask(`PATCH /v1/stream/assets/${watched}`, { body: { visibility: 'unlisted' } })
    await watch(`${stack.ingress.url}/v1/stream/open/${watched}/embed`)
    await until(async () => (await quality()).views === 2)
    await page.close()
  })

  await t.test('a viewer who lost the line is told so, and goes on with a click when it is back', async (t) => {
    const { page } = await watchedPage(browser)
    await page.route('**/*.m3u8', (route) => route.abort())
    await page.goto((await mint(stack.api, assetId)).embedUrl)
    t.equal(await troubleTold(page), 'The connection was lost.')
    await keepPicture(page, 'lost.png')
    await page.unroute('**/*.m3u8')
    await page.getByRole('button', { name: 'Try again' }).click()
    await videoGets(page, 'video.readyState >= 2')
    t.equal(await trouble(page), null)
    await page.close()
  })

  await t.test('a link that is over or for elsewhere says which', async (t) => {
    const { page } = await watchedPage(browser)
    const { embedUrl, sessionId } = await mint(stack.api, assetId)
    const exp = Math.floor(Date.now() / 1000) - 5
    const over = signPlaybackToken({ sid: sessionId, aid: assetId, host: '127.0.0.1', exp }, signingSecret)
    await page.goto(embedUrl.replace(/play\/[^/]+/, `play/${over}`))
    t.equal(await troubleTold(page), 'This link has expired.')
    await page.goto(embedUrl.replace('127.0.0.1', 'localhost'))
    t.equal(await troubleTold(page), 'This link is for a different site.')
    await page.close()
  })
})
