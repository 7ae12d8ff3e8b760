import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { film } from '../media/sources.ts'
import { chromiumPath, keepPicture, startBrowser, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { castLibrary } from './cast-library.ts'
import { beyond } from './mill-player-sources.ts'
import { quick } from './playable.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

t.setTimeout(240_000)
const stack = await videoStack(t)
const { url } = stack.ingress
const player = "document.querySelector('mill-player')"

const captions = `WEBVTT

00:00.000 --> 00:04.000
<v Ann>Good evening &amp; welcome.

00:04.000 --> 00:08.000
The café is open.

00:08.000 --> 00:24.000
Good night.
`

t.test('the parts of <mill-player> that are loaded when they are used', { skip }, async (t) => {
  const made = film(join(stack.data, 'a.mp4'), 'testsrc2=s=426x240:r=10:d=24', { codec: quick })
  const assetId = await stack.send(await made, { title: 'Steam' })
  const workers = await stack.startWorkers()
  await stack.ready(assetId)
  await workers.stop()
  const given = await stack.ask(`PUT /v1/stream/assets/${assetId}/captions/en`, { body: { text: captions } })
  t.ok(given.status < 300, given.text)
  const browser = await startBrowser(t)
  const embed = async (query: string) => `${(await mint(stack.api, assetId)).embedUrl}${query}`
  const open = async (context: BrowserContext, query: string) => {
    const watched = await watchedPage(context)
    await watched.page.goto(await embed(query))
    await videoGets(watched.page, 'video.readyState >= 2')
    return watched
  }
  const faults = async (page: Page) => {
    await page.evaluate(axe.source)
    const run = "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })"
    return await page.evaluate(
      `${run}.then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`,
    )
  }
  const loaded = ({ answers }: { answers: { name: string }[] }, name: string) =>
    answers.some((one) => one.name === name)

  await t.test('the transcript follows, is searched, and leads to its places', async (t) => {
    const context = await browser.newContext({ bypassCSP: true, viewport: { width: 960, height: 540 } })
    const watched = await open(context, '?transcript=1')
    const { page, errors } = watched
    t.notOk(loaded(watched, 'transcript.js'), 'not before it is used')
    await page.getByRole('button', { name: 'Play' }).first().click()
    await page.getByRole('button', { name: 'Transcript' }).click()
    const region = page.getByRole('region', { name: 'Transcript' })
    await region.getByRole('button', { name: /Good evening & welcome/ }).waitFor()
    t.strictSame(await region.locator('li').allTextContents(), [
      '0:00Good evening & welcome.',
      '0:04The café is open.',
      '0:08Good night.',
    ])
    await until(
      async () => (await region.locator('[aria-current=true]').textContent()) === '0:00Good evening & welcome.',
    )
    await region.getByRole('button', { name: /open/ }).click()
    await videoGets(page, 'video.currentTime >= 4 && video.currentTime < 8')
    await until(async () => (await region.locator('[aria-current=true]').textContent()) === '0:04The café is open.')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await videoGets(page, 'video.currentTime >= 8')
    await region.getByRole('searchbox').fill('CAFE')
    t.equal(await region.getByRole('status').textContent(), '1 match')
    t.equal(await region.getByRole('listitem').count(), 1)
    await region.getByRole('searchbox').press('k')
    t.equal(await region.getByRole('searchbox').inputValue(), 'CAFEk', 'keys belong to the field')
    await region.getByRole('searchbox').fill('good')
    t.equal(await region.getByRole('status').textContent(), '2 matches')
    t.strictSame(await faults(page), [])
    await keepPicture(page, 'element-transcript.png')
    await page.getByRole('button', { name: 'Captions' }).click()
    await page.getByRole('menuitemradio', { name: 'Off' }).click()
    const toggle = page.getByRole('button', { name: 'Transcript' })
    await toggle.click()
    await until(async () => (await region.count()) === 0, { what: 'its button closes the panel' })
    await toggle.click()
    await region.waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    t.strictSame(await beyond(page, 390), [])
    t.strictSame(await faults(page), [])
    await keepPicture(page, 'element-transcript-phone.png')
    await page.keyboard.press('Escape')
    await until(async () => (await region.count()) === 0, { what: 'Escape closes the panel' })
    t.equal(await page.evaluate(`${player}.shadowRoot.activeElement.id`), 'transcript')
    t.strictSame(errors, [])
    await context.close()
  })

  await t.test('a viewer continues where they left, and the end clears it', async (t) => {
    const context = await browser.newContext({ bypassCSP: true })
    const first = await open(context, '?resume=ann')
    await first.page.getByRole('button', { name: 'Play' }).first().click()
    await first.page.evaluate(`${player}.seek(12)`)
    await videoGets(first.page, 'video.currentTime > 12.2')
    await first.page.evaluate(`${player}.pause()`)
    const kept = await until(() => first.page.evaluate("localStorage.getItem('mill-player.positions')"))
    t.match(Object.keys(JSON.parse(String(kept))), [`${assetId} ann`])
    await first.page.close()

    const other = await open(context, '?resume=bob')
    t.equal(await other.page.getByRole('button', { name: /^Continue/ }).count(), 0, 'another viewer of the browser')
    await other.page.close()

    const { page, errors } = await open(context, '?resume=ann')
    const group = page.getByRole('group', { name: 'Continue watching' })
    await group.waitFor()
    t.strictSame(await faults(page), [])
    await keepPicture(page, 'element-resume.png')
    await group.getByRole('button', { name: 'Continue at 0:12' }).click()
    await videoGets(page, '!video.paused && video.currentTime >= 12.2')
    t.equal(await group.count(), 0)
    await page.evaluate(`${player}.seek(23.5)`)
    await videoGets(page, 'video.ended')
    await until(async () => (await page.evaluate("localStorage.getItem('mill-player.positions')")) === null)
    await page.evaluate("localStorage.setItem('mill-player.positions', '{\"x\":7')")
    await page.goto(await embed('?resume=ann'))
    await videoGets(page, 'video.readyState >= 2')
    t.equal(await group.count(), 0, 'unknown values have no effect')
    t.strictSame(errors, [])
    await context.close()
  })

  await t.test('`?` lists the keys; a page can turn the keys off', async (t) => {
    const context = await browser.newContext({ bypassCSP: true })
    const { page, errors } = await open(context, '')
    await videoGets(page, 'video.duration > 20')
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.waitFor()
    t.match(await dialog.getByRole('row').allTextContents(), ['Space KPlay or pause', '← →Seek 5 seconds'])
    t.strictSame(await faults(page), [])
    await keepPicture(page, 'element-keys.png')
    await page.keyboard.press('k')
    t.equal(await videoSays(page, 'video.paused'), true, 'the dialog keeps its keys')
    await page.keyboard.press('Escape')
    t.equal(await dialog.count(), 0)
    await page.evaluate(`${player}.setAttribute('keys', 'none')`)
    await page.keyboard.press('5')
    await page.keyboard.press('?')
    t.equal(await videoSays(page, 'video.currentTime'), 0)
    await page.evaluate(`${player}.setAttribute('keys', 'all')`)
    await page.keyboard.press('5')
    await videoGets(page, 'Math.abs(video.currentTime - 12) < 0.2')
    t.equal(await dialog.count(), 0)
    t.strictSame(errors, [])
    await context.close()
  })

  await t.test('casts by the vendor’s library, which is loaded on use and only where the URL allows it', async (t) => {
    const policyOf = async (query: string) => (await fetch(await embed(query))).headers.get('content-security-policy')
    for (const query of ['', '?cast=0', '?title=x']) t.notMatch(await policyOf(query), 'gstatic', query)
    t.match(await policyOf('?cast=1'), /script-src 'self' https:\/\/www\.gstatic\.com;/)

    const context = await browser.newContext()
    await context.addInitScript('globalThis.chrome ??= {}')
    let asked = 0
    await context.route('https://www.gstatic.com/cv/js/sender/v1/cast_sender.js*', (route) => {
      asked++
      return route.fulfill({ contentType: 'text/javascript', body: castLibrary })
    })
    const { page, errors } = await open(context, '?cast=1')
    t.equal(asked, 0)
    await page.getByRole('button', { name: 'Play' }).first().click()
    await page.evaluate(`${player}.seek(5)`)
    await videoGets(page, 'video.currentTime > 5')
    await page.getByRole('button', { name: 'Cast' }).click()
    await page.getByText('Playing on Living room').waitFor()
    t.equal(asked, 1)
    const sent = await page.evaluate<Record<string, unknown>>('castRequests[0]')
    t.match(sent, { id: 'CC1AD845', contentType: 'application/x-mpegurl', title: 'Steam', autoplay: true })
    t.ok(Number(sent.currentTime) >= 5)
    t.equal((await fetch(String(sent.contentId))).status, 200, 'the device can load it')
    t.equal(await videoSays(page, 'video.paused'), true, 'it plays in one place')
    await keepPicture(page, 'element-cast.png')
    await page.evaluate(`${player}.seek(20)`)
    await until(() => page.evaluate('castPlayer.soughtTo === 20'))
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await until(() => page.evaluate('castPlayer.isPaused'))
    await page.getByRole('button', { name: 'Stop casting' }).click()
    await page.getByText('Playing on Living room').waitFor({ state: 'hidden' })
    await videoGets(page, 'Math.abs(video.currentTime - 20) < 0.1')
    t.strictSame(errors, [])
    await page.close()

    const broken = await open(context, '?cast=1')
    await broken.page.route('https://www.gstatic.com/**', (route) => route.abort())
    await broken.page.getByRole('button', { name: 'Play' }).first().click()
    await broken.page.getByRole('button', { name: 'Cast' }).click()
    await broken.page.getByText('Casting is not available.').waitFor()
    t.equal(await videoSays(broken.page, 'video.paused'), false, 'it plays on here')
    await context.close()
  })

  await t.test('beacons tell the page and the tenths that were played', async (t) => {
    const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html))
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    t.teardown(() => site.close())
    const shop = `http://localhost:${(site.address() as AddressInfo).port}`
    const { token } = await mint(stack.api, assetId)
    const html = `<script type="module" src="${url}/v1/stream/player/mill-player.js"></script><mill-player token="${token}" muted></mill-player>`
    const context = await browser.newContext({
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36',
    })
    const { page } = await watchedPage(context)
    await page.goto(`${shop}/course/1?student=ann#top`)
    await videoGets(page, 'video.readyState >= 2')
    await page.evaluate(`${player}.seek(12)`)
    await page.evaluate(`${player}.play()`)
    await videoGets(page, 'video.currentTime > 12.5')
    await page.evaluate(`${player}.remove()`)
    const report = await until(async () => {
      const { body } = await stack.ask(`GET /v1/stream/assets/${assetId}/analytics`)
      const isCounted = body.retention && body.pages.some(({ value }: { value: string }) => value.startsWith(shop))
      return isCounted && body
    })
    t.match(
      report.pages.map(({ value }: { value: string }) => value).filter((value: string) => value.startsWith(shop)),
      [`${shop}/course/1`],
    )
    t.ok(report.retention?.[5] > 0, JSON.stringify(report))
    t.match(report.devices, [{ value: 'desktop' }])
    await context.close()
  })
})
