import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { guardStack } from './stack.ts'

t.setTimeout(120_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

const stack = await guardStack(t)
const { url } = stack.ingress
const site = await stack.site({ max_tier: 'low' })
await stack.ask(`PATCH /v1/guard/sites/${site.id}`, { body: { origins: [url] } })
const demo = (more = '') => `${url}/v1/guard/demo?sitekey=${site.key}${more}`

const browser = skip ? undefined : await startBrowser(t)
const open = async (address: string) => {
  if (!browser) throw new Error('There is no browser.')
  const watched = await watchedPage(browser)
  await watched.page.goto(address)
  return watched
}
const stateOf = (page: Page) => page.evaluate(`document.querySelector('mill-guard').state`)
const comesTo = (page: Page, state: string) =>
  until(async () => (await stateOf(page)) === state, { what: state, timeout: 60_000 })
const text = (page: Page, selector: string) => page.locator(selector).textContent()

t.test('by mouse: a form is held back without its check, sent with it, and refused with the same token', { skip }, async (t) => {
  await stack.stock(1)
  const { page, hosts, errors } = await open(demo('&lang=en'))
  await page.locator('#name').fill('Ann')
  await page.locator('#send').click()
  t.equal(await page.evaluate('document.forms[0].checkValidity()'), false)
  t.equal(await page.evaluate('document.activeElement.localName'), 'mill-guard', 'it is where the form wants something')
  await keepPicture(page, 'guard-start.png')
  await page.locator('mill-guard button').click()
  await comesTo(page, 'done')
  t.equal(await text(page, 'mill-guard [role=status]'), 'Security check passed')
  await keepPicture(page, 'guard-done.png')
  await page.locator('#send').click()
  await page.waitForURL(/demo$/)
  t.match(await text(page, '#outcome'), 'Thank you, Ann.')
  t.equal(await text(page, '#tier'), 'low')
  await keepPicture(page, 'guard-sent.png')
  await page.reload()
  t.equal(await text(page, '#reason'), 'replayed')
  t.same([...hosts], [new URL(url).host], 'no other host is asked')
  t.same(errors, [])
})

t.test('by keyboard alone', { skip }, async (t) => {
  await stack.stock(1)
  const { page, errors } = await open(demo('&lang=de'))
  const type = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await type('Tab', 'B', 'e', 'n', 'Tab', 'Tab')
  t.equal(await page.evaluate('document.activeElement.localName'), 'mill-guard')
  await type('Space')
  await comesTo(page, 'done')
  t.equal(await page.evaluate('document.activeElement.localName'), 'mill-guard', 'the focus stays')
  t.equal(await text(page, 'mill-guard [role=status]'), 'Sicherheitsprüfung bestanden')
  await type('Tab', 'Enter')
  await page.waitForURL(/demo$/)
  t.match(await text(page, '#outcome'), 'Thank you, Ben.')
  t.same(errors, [])
})

t.test('in two tabs at once, one of them slowed down four times', { skip }, async (t) => {
  await stack.stock(2)
  const tabs = await Promise.all([open(demo()), open(demo('&auto=onsubmit'))])
  const [first, second] = tabs.map(({ page }) => page) as [Page, Page]
  const session = await second.context().newCDPSession(second)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await first.locator('#name').fill('One')
  await second.locator('#name').fill('Two')
  await first.locator('mill-guard button').click()
  // Sent by its button at once: the widget holds it back until it has a token.
  await second.locator('#send').click()
  await comesTo(first, 'done')
  await first.locator('#send').click()
  await Promise.all([first, second].map((page) => page.waitForURL(/demo$/)))
  t.match(await text(first, '#outcome'), 'Thank you, One.')
  t.match(await text(second, '#outcome'), 'Thank you, Two.')
  t.same(tabs.flatMap(({ errors }) => errors), [])
})
