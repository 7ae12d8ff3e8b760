import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { film } from '../media/sources.ts'
import { chromiumPath, keepPicture, startBrowser, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { block, readGuide } from '../support/guide.ts'
import { sample } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { badAttributes, badCommands } from './bad-player-inputs.ts'
import { beyond, choosesSounds, playsLive } from './mill-player-sources.ts'
import { quick } from './playable.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

t.setTimeout(240_000)
const stack = await videoStack(t)
const { url } = stack.ingress
const guide = await readGuide('ingress/video/PLAYER.md')

t.test('the element is loaded by pages of any origin, its parts for ever', async (t) => {
  const entry = await fetch(`${url}/v1/stream/player/mill-player.js`)
  t.match(entry.headers.get('content-type'), 'text/javascript')
  t.equal(entry.headers.get('access-control-allow-origin'), '*')
  t.equal(entry.headers.get('cache-control'), 'public, max-age=300')
  const parts = [...(await entry.text()).matchAll(/^import '\.(.+)'/gm)].map(([, path]) => `/v1/stream/player${path}`)
  t.ok(parts.length > 10)
  for (const path of parts) {
    const part = await fetch(url + path)
    t.equal(part.status, 200, path)
    t.match(part.headers.get('cache-control'), 'immutable')
    t.equal(part.headers.get('access-control-allow-origin'), '*')
    await part.body?.cancel()
  }
  const stale = parts[0]?.replace(/player\/\w+/, 'player/000000000000')
  t.equal((await fetch(url + stale)).status, 404)
})

/** What browsers do to a page that nobody has touched; scripts of a test count as a touch. */
const noSoundUnasked = `(() => {
  const { play } = HTMLMediaElement.prototype
  HTMLMediaElement.prototype.play = function () {
    return this.muted ? play.call(this) : Promise.reject(new DOMException('Touch it first.', 'NotAllowedError'))
  }
})()`

t.test('<mill-player> in Chromium', { skip }, async (t) => {
  const made = film(join(stack.data, 'a.mp4'), 'testsrc2=s=854x480:r=15:d=12', { codec: quick })
  const assetId = await stack.send(await made, { title: 'Steam & <b>coal</b>' })
  const workers = await stack.startWorkers()
  await stack.ready(assetId)
  // They would end the broadcast, which no worker has.
  await workers.stop()
  const browser = await startBrowser(t)
  let html = ''
  // A site of its own origin: the API is at 127.0.0.1.
  const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html))
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  t.teardown(() => site.close())
  const shop = `http://localhost:${(site.address() as AddressInfo).port}`
  const own = async () => {
    const { token } = await mint(stack.api, assetId)
    return block(guide, 'html watch.html').replace('TOKEN', token).replaceAll('http://127.0.0.1:8080', url)
  }
  const framed = async (query: string) =>
    block(guide, 'html embed.html').replace('EMBED_URL', (await mint(stack.api, assetId)).embedUrl + query)
  const player = "document.querySelector('mill-player')"

  await t.test('is the guide’s page of one’s own: heading, chapters, speeds, methods and events', async (t) => {
    html = await own()
    const { page, errors } = await watchedPage(browser)
    await page.goto(shop)
    await videoGets(page, 'video.readyState >= 2 && video.currentTime === 1')
    t.equal(await page.getByRole('heading', { name: 'The engine shed' }).isVisible(), true)
    t.match(await page.evaluate(`${player}.state()`), { paused: true, qualities: [360, 480], languages: [], speed: 1 })
    await page.getByRole('button', { name: 'Start again' }).click()
    await videoGets(page, 'video.currentTime > 0.3 && !video.paused')
    await until(async () => /^\d s$/.test((await page.locator('#status').textContent()) ?? ''))
    await page.getByRole('button', { name: /^Speed/ }).click()
    t.strictSame(await page.getByRole('menuitemradio').allTextContents(), ['0.5×', '1×', '2×'])
    await page.getByRole('menuitemradio', { name: '2×' }).click()
    await videoGets(page, 'video.playbackRate === 2')
    await page.getByRole('button', { name: 'Chapters: The shed' }).click()
    await keepPicture(page, 'element-chapters.png')
    await page.getByRole('menuitemradio', { name: '0:05 Under steam' }).click()
    await videoGets(page, 'video.currentTime >= 5')
    await page.getByRole('button', { name: 'Chapters: Under steam' }).waitFor()
    await page.evaluate(`${player}.seek(11.5)`)
    await until(async () => (await page.locator('#status').textContent()) === 'Ended')
    t.strictSame(errors, [])
    await page.close()
  })

  await t.test('is for everybody: no fault of WCAG AA on a desk and on a phone, in light and in dark', async (t) => {
    const context = await browser.newContext({ bypassCSP: true, hasTouch: true })
    const { page } = await watchedPage(context)
    const faults = async () => {
      await page.evaluate(axe.source)
      const run = "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })"
      return await page.evaluate(
        `${run}.then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`,
      )
    }
    const looks = [
      [1280, 'light', 'own'],
      [1280, 'light', 'embed'],
      [390, 'dark', 'own'],
      [390, 'dark', 'embed'],
    ] as const
    for (const [width, scheme, which] of sample(looks, 3)) {
      html = await own()
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme: scheme })
      await page.goto(which === 'own' ? shop : (await mint(stack.api, assetId)).embedUrl)
      await videoGets(page, 'video.readyState >= 2')
      await page.getByRole('button', { name: 'Play' }).first().tap()
      await videoGets(page, 'video.currentTime > 0.2')
      await page.getByRole('button', { name: /^Speed/ }).tap()
      t.strictSame(await faults(), [], `${which} at ${width}`)
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider')
      await keepPicture(page, `element-${width}-${which}.png`)
      t.strictSame(await beyond(page, width), [], 'nothing lies beside the screen')
    }
    await context.close()
  })

  const saidBy = async (page: Page) =>
    (await page.locator('#events li').allTextContents()).map((text): Record<string, unknown> => JSON.parse(text))

  await t.test('a film is as long as its playlist, whatever the browser makes of its last frames', async (t) => {
    html = await framed('?start=8')
    const { page, errors } = await watchedPage(browser)
    const longer = 'get: () => 12.133332, configurable: true'
    await page.addInitScript(`Object.defineProperty(HTMLMediaElement.prototype, 'duration', { ${longer} })`)
    await page.goto(shop)
    await until(async () => (await saidBy(page)).some(({ id }) => id === 'play'))
    t.equal((await saidBy(page))[0]?.duration, 12)
    await page.evaluate("send('state')")
    const answer = await until(async () => (await saidBy(page)).find(({ id }) => id === 'state'))
    t.match(answer, { value: { duration: 12 } })
    t.strictSame(errors, [])
    await page.close()
  })

  await t.test('the embed tells the page around it, and does what that page asks', async (t) => {
    html = await framed(`?origin=${shop}&color=00f&start=8`)
    const { page, errors } = await watchedPage(browser)
    await page.goto(shop)
    await until(async () => (await saidBy(page)).some(({ type }) => type === 'ended'), { timeout: 30_000 })
    const said = await saidBy(page)
    t.match(said[0], { source: 'mill-player', type: 'ready', paused: true, quality: 'auto', captions: null })
    t.equal(said[0]?.duration, 12)
    t.match(
      ['setMuted', 'setSpeed', 'play'].map((id) => said.find((one) => one.id === id)),
      [{ ok: true }, { ok: true }, { ok: true }],
    )
    const types = said.map(({ type }) => type)
    for (const type of ['play', 'volume', 'speed', 'pause']) t.ok(types.includes(type), type)
    const frame = page.frames().find((one) => one.url().includes('/embed'))
    t.equal(await frame?.title(), 'Steam & <b>coal</b>')
    t.equal(await frame?.locator('h2').textContent(), 'Steam & <b>coal</b>', 'the owner’s title is the heading')
    t.match(errors, [/color must be six hexadecimal digits/], 'what is not understood is told')
    await page.close()
  })

  await t.test(
    'an embed for another origin, or for one that is none, tells this page nothing and obeys it in nothing',
    async (t) => {
      for (const origin of ['https://other.example', 'everybody']) {
        html = await framed(`?origin=${origin}`)
        const { page } = await watchedPage(browser)
        await page.goto(shop)
        const frame = await until(() => page.frames().find((one) => one.url().includes('/embed')))
        await videoGets(frame, 'video.readyState >= 2')
        await page.evaluate("send('setVolume', 0.1)")
        await page.evaluate("send('play')")
        // The frame's answer to a message of its own comes after those that were sent to it before.
        await frame.evaluate(
          "new Promise((done) => { addEventListener('message', done); postMessage('x', location.origin) })",
        )
        t.strictSame(await saidBy(page), [], origin)
        t.strictSame(await videoSays(frame, '[video.volume, video.paused]'), [1, true])
        await page.close()
      }
    },
  )

  await t.test(`${badCommands.length} bad messages are each answered with what they cannot take`, async (t) => {
    html = await framed('')
    const { page, errors } = await watchedPage(browser)
    await page.goto(shop)
    await until(async () => (await saidBy(page)).some(({ id }) => id === 'play'))
    for (const [i, [method, value, told]] of badCommands.entries()) {
      const message = `{ to: 'mill-player', id: ${i}, method: ${method}, value: ${value} }`
      await page.evaluate(`player.contentWindow.postMessage(${message}, playerOrigin)`)
      const answer = await until(async () => (await saidBy(page)).find(({ id }) => id === i))
      t.match(answer, { type: 'answer', ok: false, error: told }, message)
    }
    for (const message of ['null', '7', '[]', '{}', '"mill-player"', "{ to: 'else', method: 'pause' }"])
      await page.evaluate(`player.contentWindow.postMessage(${message}, playerOrigin)`)
    await page.evaluate("send('state')")
    const answer = await until(async () => (await saidBy(page)).find(({ id }) => id === 'state'))
    t.match(answer, { ok: true, value: { volume: 1, speed: 2 } }, 'and none has changed anything')
    t.strictSame(errors, [])
    await page.close()
  })

  await t.test(`${badAttributes.length} bad attributes are each told of, and the film plays as without`, async (t) => {
    html = await own()
    const { page, errors } = await watchedPage(browser)
    await page.goto(shop)
    await videoGets(page, 'video.readyState >= 2')
    for (const [name, value] of badAttributes) {
      await page.evaluate(`${player}.setAttribute('${name}', ${JSON.stringify(value)})`)
      if (name === 'start')
        await page.evaluate(
          `${player}.setAttribute('src', new URL('${url}/v1/stream/play/x/master.m3u8#${errors.length}'))`,
        )
      const told = await until(() => errors.find((error) => error.startsWith(`mill-player: ${name} must be`)))
      t.ok(told, `${name}="${value}"`)
      errors.length = 0
    }
    await page.evaluate(
      `for (const name of ['src', 'start', 'color', 'controls', 'speeds']) ${player}.removeAttribute(name)`,
    )
    await videoGets(page, 'video.readyState >= 2')
    await page.evaluate(`${player}.play()`)
    await videoGets(page, 'video.currentTime > 0.2')
    await page.close()
  })

  await t.test(
    'begins by itself, muted where it must be, in a small window, with the chapters of a file',
    async (t) => {
      html = (await own()).replace('<mill-player ', '<mill-player autoplay chapters="/chapters.vtt" ')
      const { page, errors } = await watchedPage(browser)
      const cues =
        'WEBVTT\n\nNOTE none\n\n1\n00:00.000 --> 00:04.000\nFire\n\n00:04.000 --> 00:12.000\nWater &\nsteam\n'
      await page.route('**/chapters.vtt', (route) => route.fulfill({ body: cues, contentType: 'text/vtt' }))
      await page.addInitScript(noSoundUnasked)
      html = html.replace(/player\.setChapters.*/, '')
      await page.goto(shop)
      await videoGets(page, '!video.paused && video.currentTime > 1.2')
      t.equal(await videoSays(page, 'video.muted'), true)
      await page.getByRole('button', { name: 'Unmute' }).first().click()
      t.equal(await videoSays(page, 'video.muted'), false)
      await page.getByRole('button', { name: 'Chapters: Fire' }).click()
      await page.getByRole('menuitemradio', { name: '0:04 Water & steam' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Picture-in-picture' }).click()
      await until(() => page.evaluate(`${player}.shadowRoot.pictureInPictureElement === ${player}.video`))
      await page.getByRole('button', { name: 'Leave picture-in-picture' }).click()
      await until(() => page.evaluate('document.pictureInPictureElement === null'))
      t.strictSame(errors, [])
      await page.close()
    },
  )

  await t.test('says why it cannot go on', async (t) => {
    html = await own()
    const { page } = await watchedPage(browser)
    await page.goto(shop)
    await videoGets(page, 'video.readyState >= 2')
    const told = await page.evaluate(`new Promise((done) => {
      ${player}.addEventListener('error', ({ detail }) => done(detail))
      ${player}.setAttribute('token', 'forged')
    })`)
    t.strictSame(told, { code: 'forbidden', message: 'This link is not valid.' })
    await page.close()
  })

  await t.test(
    'captions are chosen by page and viewer, and look as the viewer likes, here and next time',
    async (t) => {
      const { page, errors } = await watchedPage(await browser.newContext({ viewport: { width: 390, height: 500 } }))
      await page.route('**/master.m3u8', async (route) => {
        const plain = await (await route.fetch()).text()
        const tracks = ['en', 'de'].map(
          (lang) => `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="t",NAME="${lang}",LANGUAGE="${lang}",URI="en.m3u8"`,
        )
        const body = plain.replaceAll('#EXT-X-STREAM-INF:', '#EXT-X-STREAM-INF:SUBTITLES="t",')
        await route.fulfill({ body: body.replace('#EXTM3U', ['#EXTM3U', ...tracks].join('\n')) })
      })
      const list = '#EXTM3U\n#EXT-X-TARGETDURATION:14\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:14,\nen.vtt\n#EXT-X-ENDLIST\n'
      await page.route('**/en.m3u8', (route) => route.fulfill({ body: list }))
      const words = 'WEBVTT\n\n00:00.000 --> 00:14.000\nGood evening.\n'
      await page.route('**/en.vtt', (route) => route.fulfill({ body: words, contentType: 'text/vtt' }))
      const language = () => page.evaluate(`${player}.state().captions`)
      const open = async () => {
        await page.goto(`${(await mint(stack.api, assetId)).embedUrl}?captions=de`)
        await videoGets(page, 'video.readyState >= 2')
        await until(async () => (await language()) === 'de')
        await page.getByRole('button', { name: 'Play' }).first().click()
      }
      const look = () => page.evaluate(`${player}.shadowRoot.adoptedStyleSheets.at(-1).cssRules[0].cssText`)
      await open()
      t.match(await look(), /font-size: 100%; color: rgb\(255, 255, 255\)/)
      await page.getByRole('button', { name: 'Captions' }).click()
      await page.getByRole('menuitem', { name: 'Style…' }).click()
      await page.getByLabel('Size').selectOption('Large')
      await page.getByLabel('Colour').selectOption('Yellow')
      await page.getByLabel('Background').selectOption('Black')
      await videoGets(page, '[...video.textTracks].some(({ activeCues }) => activeCues?.length === 1)')
      await keepPicture(page, 'element-captions.png')
      await page.getByRole('button', { name: 'Done' }).click()
      t.match(await page.evaluate(`${player}.shadowRoot.activeElement.id`), 'captions', 'the focus goes back')
      await open()
      t.match(await look(), /font-size: 150%; color: rgb\(255, 233, 77\); background-color: rgb\(0, 0, 0\)/)
      await keepPicture(page, 'element-captions-kept.png')
      await page.evaluate(`${player}.setCaptions('en')`)
      t.equal(await language(), 'en')
      await page.evaluate(`${player}.setCaptions(null)`)
      t.equal(await language(), null)
      await page.evaluate(`localStorage.setItem('mill-player.captions', '{"size":"constructor","color":7')`)
      await open()
      t.match(await look(), /font-size: 100%/, 'what is not understood is as usual')
      t.strictSame(errors, [])
      await page.context().close()
    },
  )

  await t.test('a film of several sound tracks has a menu of them, on a telephone, too', (t) =>
    choosesSounds(t, stack, browser, assetId),
  )

  await t.test('plays a live channel as soon as it begins, and leads back to its edge', async (t) => {
    const tag = /token="[^"]*"|player\.setChapters.*|start="[^"]*"/g
    const plain = (await own()).replaceAll(tag, '')
    await playsLive(t, stack, browser, {
      shop,
      show: (src) => (html = plain.replace('<mill-player', `<mill-player src="${src}" autoplay`)),
    })
  })

  await t.test('keys change speed and place, and are the page’s in its fields', async (t) => {
    const { page, errors } = await watchedPage(browser)
    await page.goto((await mint(stack.api, assetId)).embedUrl)
    await videoGets(page, 'video.readyState >= 2')
    const after = async (key: string, expression: string) => {
      await page.keyboard.press(key)
      await videoGets(page, expression)
    }
    await after('5', 'Math.abs(video.currentTime - 6) < 0.1')
    await after('>', 'video.playbackRate === 1.25')
    await after('<', 'video.playbackRate === 1')
    await after('0', 'video.currentTime === 0')
    await page.evaluate(`${player}.setAttribute('controls', 'none')`)
    t.equal(await page.getByRole('button').count(), 0, 'without controls there are none')
    await page.keyboard.press('9')
    t.equal(await videoSays(page, 'video.currentTime'), 0)
    t.strictSame(errors, [])

    html = (await own()).replace('<output', '<label>Say <input id="field"></label> <output')
    await page.goto(shop)
    await videoGets(page, 'video.readyState >= 2')
    await page.locator('#field').pressSequentially('km 5')
    t.strictSame(await page.locator('#field').inputValue(), 'km 5')
    t.strictSame(await videoSays(page, '[video.paused, video.muted, video.currentTime]'), [true, false, 1])
    await page.close()
  })

  await t.test('a player that is taken out of its page stops, and plays again where it is put back', async (t) => {
    html = await own()
    const { page, errors } = await watchedPage(browser)
    await page.goto(shop)
    await videoGets(page, 'video.readyState >= 2')
    await page.evaluate(`(window.kept = ${player}, kept.play())`)
    await page.evaluate('(window.video = kept.video, kept.remove())')
    await until(() => page.evaluate('video.readyState === 0 && kept.video === null'))
    await page.evaluate("document.querySelector('main').append(kept)")
    await videoGets(page, 'video.readyState >= 2')
    t.strictSame(errors, [])
    await page.close()
  })
})
