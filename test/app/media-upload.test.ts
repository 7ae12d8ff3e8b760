import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import * as assets from '#sql/video/assets.ts'
import * as uploads from '#sql/video/uploads.ts'
import { film } from '../media/sources.ts'
import { keepPicture, startBrowser, videoGets, watchedPage } from '../support/browser.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { noise, videoStack } from '../support/video-stack.ts'
import { signedIn } from './fixture.ts'

t.setTimeout(240_000)
const stack = await videoStack(t, { areas: ['app', 'account', 'files'] })
const { ingress, db, data } = stack
const { url } = ingress
const { org } = await testOrg(db, [], { plan: 'unlimited' })
const [developer, browser] = await Promise.all([signedIn(db, url, org.id, 'developer'), startBrowser(t)])

/** A page of the developer, with what it complained about. */
async function opened(path: string) {
  const watched = await watchedPage(await browser.newContext())
  const [name = '', value = ''] = developer.cookie.split('=')
  await watched.page.context().addCookies([{ name, value, url }])
  await watched.page.goto(url + path)
  return watched
}

const idOf = (address: string): string => /\/app\/(?:videos|files)\/([0-9a-f-]{36})/.exec(address)?.[1] ?? ''

t.test('a video is sent from the page, which shows it as it becomes ready, and plays it', async (t) => {
  await stack.startWorkers()
  const clip = await film(join(data, 'clip.mp4'), 'testsrc2=s=320x180:r=25:d=2')
  const { page, errors } = await opened('/app/videos/upload')
  await page.setInputFiles('#file', clip)
  await page.fill('#title', 'A <clip>')
  await page.click('form[data-upload] .start')
  await page.waitForURL(/\/app\/videos\/[0-9a-f-]{36}$/)
  t.equal(await page.textContent('h1'), 'A <clip>')
  const link = page.locator('a', { hasText: /^Watch$/ })
  await link.waitFor({ timeout: 90_000 })
  await page.locator('.facts .good', { hasText: 'ready' }).waitFor({ timeout: 90_000 })
  t.ok(await page.locator('tbody th[scope=row]').count(), 'its renditions are listed without another look')
  await page.reload()
  t.ok(await page.evaluate('document.querySelector("img.poster").naturalWidth > 0'), 'the poster is shown')
  await link.click()
  const player = await (await page.waitForSelector('iframe.player')).contentFrame()
  if (!player) throw new Error('The player has no frame.')
  await videoGets(player, 'video.readyState > 1')
  await player.click('#start')
  await videoGets(player, 'video.currentTime > 0.2')
  await page.goBack()
  await page.getByRole('link', { name: 'Play A <clip>' }).click()
  const inPage = await (await page.waitForSelector('iframe.player')).contentFrame()
  if (!inPage) throw new Error('The player has no frame.')
  await videoGets(inPage, 'video.currentTime > 0.2')
  t.match(page.url(), /\/app\/videos\/[0-9a-f-]{36}$/, 'it plays on the page of the video')
  await keepPicture(page, 'app-video-player.png')
  t.same(errors, [])
})

t.test('an upload whose connection is lost goes on, and one that was left goes on from its page', async (t) => {
  const path = join(data, 'long.bin')
  await writeFile(path, noise(12 * 1024 * 1024))
  const { page } = await opened('/app/videos/upload')
  let parts = 0
  await page.context().route(
    (asked) => asked.searchParams.has('partNumber'),
    // One part arrives; of the others, none does.
    async (route) => (parts++ === 0 ? await route.continue() : await route.abort('connectionreset')),
  )
  await page.setInputFiles('#file', path)
  await page.click('form[data-upload] .start')
  await page
    .locator('.sending [role=status]', { hasText: 'The upload resumes when the connection is restored' })
    .waitFor()
  await page.context().unrouteAll()
  await page.context().route(
    (asked) => asked.searchParams.has('partNumber'),
    (route) => route.abort('connectionreset'),
  )
  await page.click('text=Stop')
  await page.waitForURL(/\/app\/videos\/[0-9a-f-]{36}$/)
  await page.context().unrouteAll()
  const id = idOf(page.url())

  await page.setInputFiles('#file', { name: 'other.bin', mimeType: 'video/mp4', buffer: Buffer.alloc(9) })
  await page.click('form[data-upload] .start')
  t.match(await page.textContent('[data-fault]'), /Choose the same file/)
  await page.setInputFiles('#file', path)
  await page.click('form[data-upload] .start')
  await until(async () => (await uploads.findByAsset(db, id))?.state === 'completed', { what: 'it is completed' })
  t.match(await assets.find(db, org.id, id), { bytes: 12 * 1024 * 1024, filename: 'long.bin' })
})

t.test('a file is sent from the page, which says that it is scanned', async (t) => {
  const { page, errors } = await opened('/app/files/upload')
  await page.setInputFiles('#file', { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a note') })
  await page.click('form[data-upload] .start')
  await page.waitForURL(/\/app\/files\/[0-9a-f-]{36}$/, { timeout: 60_000 })
  t.equal(await page.textContent('h1'), 'note.txt')
  t.match(await page.textContent('main'), /waiting for its malware scan|scan is running/)
  t.same(errors, [])
})

t.test(
  'several files are sent at the same time; one that is rejected says why and does not stop the others',
  async (t) => {
    const { page } = await opened('/app/files/upload')
    const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await page.setInputFiles('#file', [
      file('one.txt', 'one'),
      file(`${'long'.repeat(70)}.txt`, 'long'),
      file('two.txt', 'two'),
    ])
    await page.click('form[data-upload] .start')
    await page.locator('.uploads [role=status]', { hasText: '2 of 3 files uploaded, 1 failed.' }).waitFor()
    t.match(await page.textContent('.uploads li[data-state=failed]'), /long\.txt.*(must|at most|255)/s)
    t.ok(await page.getByRole('button', { name: /^Retry long/ }).isVisible())
    await page.locator('.uploads a').first().click()
    await page.waitForURL(/\/app\/files\/[0-9a-f-]{36}$/)
    t.equal(await page.textContent('h1'), 'one.txt')
  },
)

t.test('a large file is paused, resumed, left, and resumed from its page', async (t) => {
  const path = join(data, 'backup.bin')
  await writeFile(path, noise(21 * 1024 * 1024))
  const { page } = await opened('/app/files/upload')
  const sent: string[] = []
  let isHeld = true
  await page.context().route(
    (asked) => asked.searchParams.has('partNumber'),
    async (route) => {
      const number = new URL(route.request().url()).searchParams.get('partNumber') ?? ''
      if (isHeld && number !== '1') return await route.abort('connectionreset')
      sent.push(number)
      await route.continue()
    },
  )
  await page.setInputFiles('#file', path)
  await page.click('form[data-upload] .start')
  await until(async () => sent.length === 1, { what: 'a part arrives' })
  await page.getByRole('button', { name: 'Pause upload' }).click()
  await page.locator('.sending [role=status]', { hasText: 'Paused at' }).waitFor()
  await page.getByRole('button', { name: 'Resume upload' }).click()
  await page.locator('.sending [role=status]', { hasText: 'Connection lost' }).waitFor()
  await page.getByRole('button', { name: 'Stop upload' }).click()
  await page.waitForURL(/\/app\/files\/[0-9a-f-]{36}$/)
  const address = page.url()
  isHeld = false
  await page.goto(`${url}/app/files/uploads`)
  await page.getByRole('link', { name: 'backup.bin' }).click()
  await page.waitForURL(address)
  await page.setInputFiles('#file', path)
  await page.click('form[data-upload] .start')
  await page.locator('main', { hasText: /waiting for its malware scan|scan is running/ }).waitFor()
  t.same(sent.sort(), ['1', '2', '3', '4', '5'], 'no part is sent twice')
  await page.goto(`${url}/app/files/uploads`)
  t.match(await page.textContent('main'), /No unfinished uploads/)
})

t.test('an unfinished upload is aborted from the list', async (t) => {
  const path = join(data, 'backup.bin')
  const { page } = await opened('/app/files/upload')
  await page.context().route(
    (asked) => asked.searchParams.has('partNumber'),
    (route) => route.abort('connectionreset'),
  )
  await page.setInputFiles('#file', path)
  await page.click('form[data-upload] .start')
  await page.locator('.sending [role=status]', { hasText: 'Connection lost' }).waitFor()
  await page.getByRole('button', { name: 'Stop upload' }).click()
  await page.waitForURL(/\/app\/files\/[0-9a-f-]{36}$/)
  await page.goto(`${url}/app/files/uploads`)
  await page.getByRole('button', { name: 'Abort backup.bin' }).click()
  await page.locator('main', { hasText: 'No unfinished uploads' }).waitFor()
  t.match(await page.textContent('body'), /Upload aborted/)
})
