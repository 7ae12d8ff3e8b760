import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumPath, startBrowser, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { sending } from './sending.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
const { ingress, sender } = await sending(t)
const one = await sender()
const email = 'ann@people.example'
await one.ask('POST /send/v1/topics', { body: { key: 'news', name: 'Product news', description: 'Once a month' } })
await one.ask('POST /send/v1/topics', { body: { key: 'offers', name: 'Offers', default_state: 'unsubscribed' } })
await one.ask('POST /send/v1/contacts', { body: { email, consent_source: 'x' } })
const tokens = async () =>
  (await one.ask(`POST /send/v1/contacts/${email}/preferences-tokens`, { body: {} })).body as {
    token: string
    url: string
  }
const contact = async () => (await one.ask(`GET /send/v1/contacts/${email}`)).body

/** A customer's site: a page that forbids all that it does not need, and a server that asks for tokens. */
let refusals = 1
const site = createServer(async (request, response) => {
  if (request.method === 'POST' && refusals-- > 0) return void response.writeHead(503).end()
  if (request.method === 'POST')
    return void response.setHeader('content-type', 'application/json').end(JSON.stringify(await tokens()))
  const policy = `default-src 'none'; script-src ${ingress.url}; connect-src 'self' ${ingress.url}; require-trusted-types-for 'script'`
  response.setHeader('content-security-policy', policy).setHeader('content-type', 'text/html; charset=utf-8')
  response.end(`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>
<script type="module" src="${ingress.url}/send/v1/preferences-element.js"></script>
<main><h1>Account</h1><mill-preferences token-url="/token"></mill-preferences></main>`)
}).listen(0, '127.0.0.1')
await once(site, 'listening')
t.teardown(async () => {
  site.closeAllConnections()
  site.close()
})
const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
const browser = skip ? undefined : await startBrowser(t)

async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
  )) as string[]
}

t.test('the element shows and saves preferences in a page with a strict policy', { skip }, async (t) => {
  const { page } = await watchedPage(browser as NonNullable<typeof browser>)
  await page.goto(address)
  await page.locator('mill-preferences [role=alert]').waitFor()
  await page.locator('mill-preferences button').click()
  const boxes = page.locator('mill-preferences input')
  await until(async () => (await boxes.count()) === 2)
  t.same([await boxes.nth(0).isChecked(), await boxes.nth(1).isChecked()], [true, false])
  await boxes.nth(1).focus()
  await page.keyboard.press('Space')
  await until(async () => (await contact()).topics.offers === 'subscribed')
  await page.locator('mill-preferences .status', { hasText: 'saved' }).waitFor()
  const focused = await page.evaluate(
    `document.querySelector('mill-preferences').shadowRoot.activeElement?.dataset.name`,
  )
  t.equal(focused, 'topic offers', 'the focus stays')
  const all = page.locator('mill-preferences button')
  await all.click()
  t.match(await all.textContent(), /permanently/)
  t.match(await contact(), { status: 'confirmed' })
  await all.click()
  await until(async () => (await contact()).status === 'unsubscribed')
})

t.test('the hosted pages and the element are for everybody', { skip }, async (t) => {
  const context = await (browser as NonNullable<typeof browser>).newContext({ bypassCSP: true })
  t.teardown(() => context.close())
  const form = { name: 'x', title: 'Newsletter', consent_text: 'Send me news.', from_email: `a@${one.domain}` }
  const made = await one.ask('POST /send/v1/forms', { body: { ...form, topics: ['news', 'offers'] } })
  const local = (url: string) => new URL(new URL(url).pathname, ingress.url).href
  const page = await context.newPage()
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    for (const url of [local((await tokens()).url), local(made.body.url), address]) {
      await page.goto(url)
      if (url === address) await page.locator('mill-preferences fieldset').waitFor()
      t.same(await faultsOf(page), [], `${url} ${width} ${colorScheme}`)
      t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${url} fits`)
    }
  }
})
