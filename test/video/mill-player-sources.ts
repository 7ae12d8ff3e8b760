import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { mint } from '../../ops/video-client.ts'
import { makeChannel, onAir, recorded, testOrigin } from '../live/on-air.ts'
import { keepPicture, troubleTold, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import type { VideoStack } from '../support/video-stack.ts'

const player = "document.querySelector('mill-player')"

/** The buttons of a page that lie beside a screen so wide. */
export async function beyond(page: Page, width: number): Promise<string[]> {
  const boxes = await Promise.all(
    (await page.getByRole('button').all()).map(async (button) => ({
      name: await button.getAttribute('aria-label'),
      box: await button.boundingBox(),
    })),
  )
  return boxes.flatMap(({ name, box }) => (box && (box.x < 0 || box.x + box.width > width) ? (name ?? '?') : []))
}

/** A film whose playlist names two sound tracks, in an embed as wide as a telephone. */
export async function choosesSounds(t: Test, stack: VideoStack, browser: Browser, assetId: string): Promise<void> {
  const { page, errors } = await watchedPage(await browser.newContext({ viewport: { width: 390, height: 500 } }))
  await page.route('**/master.m3u8', async (route) => {
    const plain = await (await route.fetch()).text()
    const line = plain.split('\n').find((one) => one.startsWith('#EXT-X-MEDIA:TYPE=AUDIO')) ?? ''
    const other = line.replace('NAME="Audio"', 'NAME="Kommentar",LANGUAGE="de"').replace('DEFAULT=YES', 'DEFAULT=NO')
    await route.fulfill({ body: plain.replace(line, `${line}\n${other}`) })
  })
  await page.goto((await mint(stack.api, assetId)).embedUrl)
  await videoGets(page, 'video.readyState >= 2')
  t.match(await page.evaluate(`${player}.state()`), { sound: 'Audio', sounds: ['Audio', 'Kommentar'], live: false })
  await page.evaluate(`${player}.addEventListener('sound', ({ detail }) => { document.title = detail.sound })`)
  await page.getByRole('button', { name: 'Play' }).first().click()
  await page.getByRole('button', { name: 'Sound' }).click()
  t.strictSame(await page.getByRole('menuitemradio').allTextContents(), ['Audio', 'Kommentar'])
  await keepPicture(page, 'element-sounds.png')
  await page.getByRole('menuitemradio', { name: 'Kommentar' }).click()
  await until(async () => (await page.title()) === 'Kommentar')
  t.equal(await page.evaluate(`${player}.state().sound`), 'Kommentar')
  t.strictSame(await beyond(page, 390), [])
  await page.evaluate(`${player}.setSound('Audio')`)
  await until(async () => (await page.title()) === 'Audio')
  const at = Number(await videoSays(page, 'video.currentTime'))
  await videoGets(page, `video.currentTime > ${at}`)
  t.strictSame(errors, [])
  await page.context().close()
}

/** A live channel in a page of one's own, from before its begin; `show` puts an address into the page at `shop`. */
export async function playsLive(
  t: Test,
  stack: VideoStack,
  browser: Browser,
  { shop, show }: { shop: string; show(src: string): void },
): Promise<void> {
  const input = await recorded(join(stack.data, 'air.flv'), 8)
  const [origin, channelId] = [await testOrigin(t, stack), await makeChannel(stack)]
  const minted = await stack.ask(`POST /v1/stream/live/channels/${channelId}/playback-sessions`, { body: {} })
  show(minted.body.hlsUrl)
  const { page } = await watchedPage(browser)
  await page.goto(shop)
  t.match(await troubleTold(page), /has not started/)
  const inputOptions = ['-re', '-stream_loop', '-1']
  const { live } = await onAir(stack, origin, { channelId, input, inputOptions, dvrSeconds: 60 })
  t.teardown(() => live.stop())
  await videoGets(page, '!video.paused && video.currentTime > 1')
  t.equal(await page.locator('[role=alert]').isVisible(), false)
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
  t.match(await page.evaluate(`${player}.state()`), { live: true, duration: null, sounds: [] })
  t.equal(await page.getByRole('button', { name: 'Speed' }).count(), 0, 'nobody is faster than what goes on')
  await page.evaluate(`${player}.pause()`)
  const behind = page.getByRole('button', { name: /^Go to live, / })
  await behind.waitFor()
  await keepPicture(page, 'element-live-behind.png')
  await behind.click()
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
  await videoGets(page, '!video.paused')
  await page.evaluate(`${player}.seek(0)`)
  await behind.waitFor()
  await page.evaluate(`${player}.goLive()`)
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
  await keepPicture(page, 'element-live.png')
  await page.close()
}
