import { existsSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import * as controls from '#sql/jobs/controls.ts'
import { chromiumPath, keepPicture, startBrowser, type Watched, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import {
  addHistory,
  addJobs,
  addPlays,
  addWorker,
  attemptsOf,
  failJobs,
  nameOf,
  signIn,
  type TestConsole,
  testConsole,
} from './fixture.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

const rows = 'main :is(tbody tr, .groups li)'

/** Faults of what is shown that a reader of the page would stumble over; computed in the page itself. */
const stumbles = `(() => {
  const faults = []
  const shown = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility())
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const rgba = (css) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = css
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = rgba(getComputedStyle(one).backgroundColor)
      if (colour[3] === 255) return colour
    }
    return [255, 255, 255, 255]
  }
  for (const element of shown) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
    if (text && !element.closest('.unseen')) {
      const [a, b] = [light(rgba(getComputedStyle(element).color)), light(behind(element))].sort()
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
      if (contrast < 4.5) faults.push(contrast.toFixed(1) + ' contrast: ' + element.className + ' ' + element.textContent.slice(0, 40))
    }
    const named = () => (element.labels?.[0] ?? element).textContent.trim() || element.getAttribute('aria-label')
    if (element.matches('a, button, input:not([type=hidden]), select, progress') && !named()) faults.push('no name: ' + element.outerHTML.slice(0, 80))
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push('id twice: ' + id)
  if (document.querySelectorAll('h1').length !== 1) faults.push('no one heading')
  if (!document.documentElement.lang || !document.querySelector('main')) faults.push('no language or main')
  for (const table of document.querySelectorAll('table')) if (!table.caption) faults.push('a table without a caption')
  return faults
})()`

t.test('the console in Chromium', { skip }, async (t) => {
  const it = await testConsole(t)
  const { db, url, key } = it
  await addHistory(db)
  const assetId = await addPlays(db, it.orgId)
  await addWorker(db, 'rapids-1')
  await addWorker(db, 'rapids-2')
  const browser = await startBrowser(t)

  await t.test('signs an operator in, and tells who has no such key', async (t) => {
    const { page, hosts, errors } = await watchedPage(browser)
    await page.goto(`${url}/ops/jobs?state=failed`)
    t.match(await page.evaluate('document.activeElement.id'), 'key', 'the cursor stands where the key goes')
    await page.keyboard.type('bt_live_notone00000000000000')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=alert]')
    t.match(await page.textContent('[role=alert]'), 'This is not an operator key')
    errors.length = 0
    await page.fill('#key', key)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/ops/jobs?state=failed')
    t.match(await page.textContent('h1'), 'Jobs')
    t.strictSame([...hosts], [new URL(url).host])
    t.strictSame(errors, [])
    await page.click('.account summary')
    await page.click('text=Sign out')
    await page.waitForURL('**/ops/sign-in')
    await page.goto(`${url}/ops`)
    t.match(page.url(), '/ops/sign-in')
    await page.context().close()
  })

  await t.test('the overview shows what comes, without being asked again, in under 200 KB', async (t) => {
    const { page, hosts, errors, bytes } = await signedIn(browser, it)
    await page.goto(`${url}/ops`)
    await page.waitForSelector('#stream[data-state=live]')
    t.equal(await page.textContent('.tiles dd >> nth=0'), '0')
    await page.waitForSelector('.canvas canvas')
    t.equal(await page.locator('.canvas canvas').count(), 4, 'plots')
    t.match(await page.textContent('.plot >> nth=0'), 'done 40/min')
    await page.evaluate('window.name = "the same page"')
    await page.focus('a[href="/ops/confirm/pause-pool?pool=core"]')
    await addJobs(db, 3)
    await until(async () => (await page.textContent('.tiles dd >> nth=0')) === '3', {
      what: 'the page shows 3 waiting',
    })
    t.match(await page.evaluate('document.activeElement.href'), '/ops/confirm/pause-pool?pool=core', 'the focus stays')
    t.equal(await page.evaluate('window.name'), 'the same page')
    const total = [...(await bytes())].reduce((sum, size) => sum + size, 0)
    t.ok(total > 30_000 && total < 200_000, `${total} bytes`)
    t.strictSame([...hosts], [new URL(url).host])
    t.strictSame(errors, [])
    await keepPicture(page, 'console.png')
    await page.context().close()
  })

  await t.test('a failed job is retried by two clicks, and all of a group by its count', async (t) => {
    const ids = await addJobs(db, 4, { apiKey: 'bt_live_abcdefghijklmnopq', assetId: 'a1' })
    await failJobs(db, ids, 'Error: <b>no luck</b>')
    const { page, errors } = await signedIn(browser, it)
    await page.goto(`${url}/ops/failures`)
    await page.click('text=<b>no luck</b>')
    await page.click(`text=${nameOf(ids[0] as number)}`)
    const shown = await page.textContent('main')
    for (const fact of ['account/prune', 'req-of-console', 'a1', '[masked]', '<b>no luck</b>', '5 of 5'])
      t.match(shown, fact)
    t.notMatch(shown, 'abcdefghijklmnopq')
    await page.click('text=Retry')
    t.match(await page.textContent('dialog[open] h1'), 'Retry account/prune?')
    await page.click('dialog[open] button')
    await page.waitForSelector('.told')
    t.match(await page.textContent('.told'), 'The job will be retried')
    t.match(page.url(), `/ops/jobs/${encodeURIComponent(nameOf(ids[0] as number))}`, 'back where it was asked for')
    t.strictSame(await attemptsOf(db, ids), [0, 5, 5, 5])
    await page.goto(`${url}/ops/failures`)
    await page.click('text=<b>no luck</b>')
    await page.click('text=Retry all failed jobs')
    t.match(await page.textContent('dialog[open] h1'), 'Retry 3 jobs?')
    await page.click('dialog[open] button')
    await page.waitForSelector('.told')
    t.match(await page.textContent('.told'), 'Retried 3 jobs.')
    t.strictSame(await attemptsOf(db, ids), [0, 0, 0, 0])
    await page.goto(`${url}/ops/actions`)
    t.match(await page.textContent('tbody'), /retry.*main.*retry/s, 'who did it is on record')
    t.strictSame(errors, [])
    await page.context().close()
  })

  await t.test('a pool is paused and a host drained with a word of confirmation, by keyboard alone', async (t) => {
    const { page, errors } = await signedIn(browser, it)
    await page.goto(`${url}/ops`)
    await page.keyboard.press('Tab')
    t.equal(await page.evaluate('document.activeElement.className'), 'skip')
    await page.keyboard.press('Enter')
    t.equal(await page.evaluate('document.activeElement.id'), 'main')
    await tabTo(page, 'pause-pool?pool=core')
    t.not(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none', 'the focus is seen')
    await page.keyboard.press('Enter')
    await page.waitForSelector('dialog[open]')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog:not([open])', { state: 'attached' })
    t.strictSame(await controls.pauses(db), [], 'an Escape is a no')
    await page.keyboard.press('Enter')
    await page.waitForSelector('dialog[open]')
    await page.fill('#reason', 'a bad build')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.told')
    t.match(await controls.pauses(db), [{ pool: 'core', task: '', reason: 'a bad build' }])
    await page.waitForSelector('tr[data-key=pool-core] .is-paused')
    await page.goto(`${url}/ops/pools/core`)
    t.match(await page.textContent('.notice'), /This pool is paused on every host, .* by main: a bad build/)
    await page.goto(`${url}/ops/workers`)
    await tabTo(page, 'drain-host?host=rapids-2')
    await page.keyboard.press('Enter')
    await page.waitForSelector('dialog[open]')
    await page.click('dialog[open] button')
    await page.waitForSelector('.told')
    t.strictSame(await controls.drains(db), ['rapids-2'])
    await page.waitForSelector('[data-key=host-rapids-2] .is-draining')
    await page.click('a[href="/ops/confirm/undrain-host?host=rapids-2"]')
    await page.click('dialog[open] button')
    await page.waitForSelector('[data-key=host-rapids-2] .is-draining', { state: 'detached' })
    t.strictSame(await controls.drains(db), [], 'and takes jobs again by a click')
    t.strictSame(errors, [])
    await page.context().close()
  })

  await t.test('without script it is read, searched and acted on', async (t) => {
    const { page } = await signedIn(browser, it, { javaScriptEnabled: false })
    await page.goto(`${url}/ops`)
    t.ok((await page.locator('.canvas svg path').count()) >= 4, 'plots are drawn by the server')
    await page.click('a[href="/ops/confirm/resume-pool?pool=core"]')
    t.match(await page.textContent('h1'), 'Resume pool core?')
    await page.click('.question button')
    t.match(await page.textContent('.told'), 'Resumed pool core.')
    t.match(page.url(), /\/ops$/)
    await page.reload()
    t.equal(await page.locator('.told').count(), 0, 'told once')
    await page.goto(`${url}/ops/jobs`)
    await page.fill('#search', 'req-of-console')
    await page.selectOption('#state', 'waiting')
    await page.click('button:text-is("Search")')
    t.match(await page.textContent('.lead'), 'Jobs with state waiting, search req-of-console')
    t.equal(await page.locator(rows).count(), 7)
    await page.context().close()
  })

  await t.test('how viewers fared is plotted, of all assets and of one', async (t) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, errors } = await signedIn(browser, it, { viewport: { width: 1280, height: 1100 }, colorScheme })
      await page.goto(`${url}/ops/quality?span=24h`)
      await page.waitForSelector('.plot canvas')
      await keepPicture(page, `quality-${colorScheme}.png`)
      const said = (name: string) => page.getAttribute(`[data-key="plot-${name}"] [role=img]`, 'aria-label')
      t.match(await said('startup'), /50 % are faster 1\d\d ms, 95 % are faster [\d.]+ (ms|s)/)
      t.match(await said('rebuffer'), 'share of playing time 0.99 %')
      t.match(await said('bitrate'), 'played 2.5 Mbit/s')
      t.match(await said('errors'), 'share of views 5 %')
      t.match(await said('dropped'), 'share of frames 0.5 %')
      t.match(await page.textContent('main'), 'manifestLoadError')
      await page.click('text=Rapids <in spring>')
      t.match(await page.textContent('h1'), 'Rapids <in spring>')
      t.match(await said('bitrate'), 'played 2.5 Mbit/s')
      t.equal(await page.locator('h2:has-text("Most watched")').count(), 0)
      t.strictSame(errors, [])
      await page.context().close()
    }
  })

  await t.test('every page fits a phone, and is legible in light and dark', async (t) => {
    const [id] = await addJobs(db, 1)
    await failJobs(db, [id as number], `Error: ${'x'.repeat(300)}`)
    const paths = [
      '',
      '/pools/core?span=7d',
      '/jobs',
      `/jobs/${nameOf(id as number)}`,
      '/failures',
      '/workers',
      '/actions',
      '/quality',
      `/quality/${assetId}?span=30d`,
      '/organisations',
      `/organisations/${it.orgId}`,
      '/keys',
      '/usage',
      '/requests',
      `/requests/${it.orgId}`,
    ]
    const group = '/failures/group?pool=core&task=account%2Fprune&fingerprint=alike'
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, errors } = await signedIn(browser, it, { viewport: { width: 390, height: 800 }, colorScheme })
      for (const path of [...paths, group, '/confirm/discard-all?state=failed']) {
        const answer = await page.goto(`${url}/ops${path}`)
        t.equal(answer?.status(), 200, path)
        t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, `${path} fits`)
        t.strictSame(await page.evaluate(stumbles), [], `${colorScheme} ${path}`)
        if (path === '/quality') await keepPicture(page, `quality-phone-${colorScheme}.png`)
      }
      t.strictSame(errors, [])
      await page.context().close()
    }
  })

  await t.test('what is not there is told in a page, and a name of it is no markup', async (t) => {
    const { page } = await signedIn(browser, it)
    for (const path of [
      '/jobs/core:99999999',
      '/jobs/nonsense',
      '/pools/none',
      `/quality/${crypto.randomUUID()}`,
      '/confirm/none',
      '/confirm/retry?job=core:999',
    ]) {
      t.equal((await page.goto(`${url}/ops${path}`))?.status(), 404, path)
      t.match(await page.textContent('h1'), /not found$/i)
    }
    t.equal((await page.goto(`${url}/ops/jobs?state=%3Cscript%3E`))?.status(), 400)
    await page.goto(`${url}/ops/jobs?search=%22%3E%3Cb%20id%3Dplanted%3E`)
    t.equal(await page.inputValue('#search'), '"><b id=planted>')
    t.equal(await page.locator('#planted').count(), 0)
    await page.context().close()
  })
})

/** A page of a browser that is signed in already. */
async function signedIn(browser: Browser, it: TestConsole, options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const [name = '', value = ''] = (await signIn(it)).split('=')
  await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/ops', httpOnly: true, sameSite: 'Strict' }])
  const watched: Watched = await watchedPage(context)
  const sizes: Promise<number>[] = []
  watched.page.on('requestfinished', (request) => {
    const size = request
      .sizes()
      .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize)
    // Of a page that closes first nobody will ask.
    size.catch(() => {})
    sizes.push(size)
  })
  return { ...watched, bytes: () => Promise.all(sizes) }
}

/** Presses Tab until the focus is on the link with that address. */
async function tabTo(page: Page, address: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    if (String(await page.evaluate('document.activeElement.href')).endsWith(address)) return
  }
  throw new Error(`No Tab leads to ${address}.`)
}
