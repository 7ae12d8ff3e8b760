import { existsSync } from 'node:fs'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { browserCookie, signedIn } from './fixture.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`
const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'email', 'rooms', 'docs', 'service'] })

async function faultsOf(page: Page): Promise<unknown> {
  await page.evaluate(axe.source)
  return await page.evaluate(
    'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
  )
}

t.test('by keyboard alone one finds a page and goes there, and the theme and the groups stay', { skip }, async (t) => {
  const { org } = await testOrg(db, [])
  const context = await (await startBrowser(t)).newContext({ bypassCSP: true, viewport: { width: 1280, height: 700 } })
  await context.addCookies([browserCookie(url, await signedIn(db, url, org.id, 'owner'))])
  const { page, errors } = await watchedPage(context)
  await page.goto(`${url}/app`)
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search' })
  await page.keyboard.type('templates')
  const option = page.getByRole('option', { name: /^Templates/ })
  await option.waitFor()
  t.equal(await field.getAttribute('aria-activedescendant'), await option.getAttribute('id'))
  t.strictSame(await faultsOf(page), [], 'the dialog')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/app/templates')

  const group = page.locator('.side details[data-group=Developers]')
  await group.locator('summary').click()
  await page.locator('.account summary').click()
  await page.getByRole('radio', { name: 'Dark' }).check()
  const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  t.equal(await background(), 'rgb(14, 20, 24)')
  await page.goto(`${url}/app/rooms`)
  t.equal(await background(), 'rgb(14, 20, 24)', 'the choice is kept')
  t.ok(await group.evaluate('document.querySelector(".side [data-group=Developers]").open'), 'so is the open group')

  await page.setViewportSize({ width: 390, height: 700 })
  await page.getByRole('button', { name: 'Search' }).click()
  await page.keyboard.type('zzqqxx')
  await page.getByText('No results.').waitFor()
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider than the phone')
  await keepPicture(page, 'app-palette-phone.png')
  await page.keyboard.press('Escape')
  t.equal(await page.getByRole('dialog').count(), 0)

  await page.setViewportSize({ width: 1280, height: 300 })
  await page.goto(`${url}/app/leaving`)
  const place = await page.locator('.side [aria-current]').boundingBox()
  t.ok(place && place.y > 0 && place.y + place.height <= 300, 'the entry of the page is in view')
  t.strictSame(errors, [])
})

t.test(
  'the front page and error pages are for everybody, in light on a desk and in dark on a phone',
  { skip },
  async (t) => {
    const context = await (await startBrowser(t)).newContext({ bypassCSP: true })
    const page = await context.newPage()
    for (const path of ['/', '/nothing', '/app/nothing', '/send/v1/messages']) {
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto(url + path)
      t.strictSame(await faultsOf(page), [], path)
      await page.setViewportSize({ width: 390, height: 800 })
      await page.emulateMedia({ colorScheme: 'dark' })
      t.strictSame(await faultsOf(page), [], `${path} in the dark on a phone`)
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${path}: nothing is wider`)
    }
  },
)
