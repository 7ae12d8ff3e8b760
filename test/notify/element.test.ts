import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { notifying } from './people.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
const { ingress, teller } = await notifying(t)
const one = await teller()
const user = 'ann'

/** A customer's site: a page that forbids all that it does not need, and a server that asks for tokens. */
let refusals = 0
const site = createServer(async (request, response) => {
  if (request.method === 'POST' && refusals-- > 0) return void response.writeHead(503).end()
  if (request.method === 'POST') {
    const { body } = await one.ask('POST /v1/notify/stream-tokens', { body: { user_id: user, marks: true } })
    return void response.setHeader('content-type', 'application/json').end(JSON.stringify({ url: body.url }))
  }
  const policy = `default-src 'none'; script-src ${ingress.url}; connect-src 'self' ${ingress.url}; require-trusted-types-for 'script'`
  response.setHeader('content-security-policy', policy).setHeader('content-type', 'text/html; charset=utf-8')
  response.end(`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>
<script type="module" src="${ingress.url}/v1/notify/element.js"></script>
<p><a href="#">Before</a> <mill-inbox token-url="/token"></mill-inbox> <a href="#">After</a></p>`)
}).listen(0, '127.0.0.1')
await once(site, 'listening')
t.teardown(async () => {
  site.closeAllConnections()
  site.close()
})
const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
const browser = skip ? undefined : await startBrowser(t)

async function open(options: { width?: number; dark?: boolean } = {}) {
  if (!browser) throw new Error('There is no browser.')
  const watched = await watchedPage(browser)
  const { page } = watched
  await page.setViewportSize({ width: options.width ?? 960, height: 600 })
  await page.emulateMedia({ colorScheme: options.dark ? 'dark' : 'light' })
  await page.goto(address)
  return watched
}
const bell = (page: Page) => page.locator('mill-inbox .bell')
const badge = (page: Page, text: string) =>
  until(async () => (await page.locator('mill-inbox .badge').textContent()) === text, {
    what: `the badge says ${text}`,
  })
const titles = (page: Page) => page.locator('mill-inbox li .title').allTextContents()
const focus = (page: Page) =>
  page.evaluate(
    `document.querySelector('mill-inbox').shadowRoot.activeElement?.textContent ?? document.activeElement.textContent`,
  )

for (let n = 1; n <= 22; n++)
  await one.tell(user, {
    title: `Order ${n} is on its way`,
    ...(n % 2 && { body: `It arrives tomorrow.\n<b>${n}</b>`, url: `${address}#order-${n}` }),
  })

t.test(
  'by mouse: what is unread, seen when it is shown, read when it is opened, archived, and what comes live',
  { skip },
  async (t) => {
    const { page, errors } = await open()
    await badge(page, '22')
    await bell(page).click()
    await until(async () => (await titles(page)).length === 20)
    await until(async () => (await one.ask(`GET /v1/notify/inbox/counts?user_id=${user}`)).body.unseen_count === 0)
    const { x, width } = (await page.locator('mill-inbox .panel').boundingBox()) ?? { x: -1, width: 0 }
    t.ok(x >= 0 && x + width <= 960, 'it opens to the side on which there is room')
    await keepPicture(page, 'inbox-open.png')
    await page.locator('mill-inbox .older').click()
    await until(async () => (await titles(page)).length === 22)
    await page.locator('mill-inbox li a').first().click()
    await badge(page, '21')
    t.match(page.url(), /#order-21$/)
    await page.locator('mill-inbox li').first().getByRole('button', { name: 'Archive' }).click()
    await until(async () => (await titles(page))[0] === 'Order 21 is on its way')
    await one.tell(user, { title: 'It <i>came</i>' })
    await until(async () => (await titles(page))[0] === 'It <i>came</i>')
    t.match(await page.locator('mill-inbox [role=status]').textContent(), 'It <i>came</i>')
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await until(() => page.locator('mill-inbox .badge').isHidden())
    t.equal(await one.unread(user), 0)
    await page.locator('mill-inbox header').getByRole('button', { name: 'Archive' }).click()
    await until(async () => (await titles(page)).join() === 'Order 22 is on its way')
    await page.mouse.click(5, 590)
    t.equal(await page.locator('mill-inbox .panel').isHidden(), true)
    t.same(errors, [])
    await page.close()
  },
)

t.test('by keyboard alone', { skip }, async (t) => {
  await one.tell(user, { title: 'By keyboard' })
  const { page, errors } = await open()
  await badge(page, '1')
  const type = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await type('Tab', 'Tab', 'Enter')
  await until(async () => (await titles(page))[0] === 'By keyboard')
  await type('ArrowDown', 'ArrowDown', 'ArrowUp')
  t.match(await focus(page), 'By keyboard')
  await type('r')
  await until(() => page.locator('mill-inbox .badge').isHidden())
  await type('r')
  await badge(page, '1')
  t.match(await focus(page), 'By keyboard', 'the focus stays')
  await type('a')
  await until(async () => (await titles(page))[0] === 'It <i>came</i>')
  t.match(await focus(page), 'It <i>came</i>', 'the focus goes to what took its place')
  await type('Escape')
  t.equal(await page.locator('mill-inbox .panel').isHidden(), true)
  t.equal(await page.evaluate(`document.querySelector('mill-inbox').shadowRoot.activeElement.className`), 'bell')
  t.same(errors, [])
  await page.close()
})

t.test('a page whose server gives no token says so, and comes to it by itself', { skip }, async (t) => {
  refusals = 2
  const { page } = await open()
  await bell(page).click()
  await until(() => page.locator('mill-inbox .fault').isVisible())
  t.match(await page.locator('mill-inbox .fault').textContent(), 'could not be loaded')
  await until(async () => (await titles(page)).length > 5, { timeout: 20_000 })
  t.equal(await page.locator('mill-inbox .fault').count(), 0)
  await page.close()
})

t.test('on a telephone and in the dark it fills the screen and is readable', { skip }, async (t) => {
  const { page, errors } = await open({ width: 390, dark: true })
  await one.tell(user, { title: 'Unread in the dark', body: 'A text that is long enough to be broken into lines.' })
  await bell(page).click()
  await until(async () => (await titles(page))[0] === 'Unread in the dark')
  const { width } = (await page.locator('mill-inbox .panel').boundingBox()) ?? { width: 0 }
  t.equal(width, 390)
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  await keepPicture(page, 'inbox-phone-dark.png')
  await page.locator('mill-inbox').getByRole('button', { name: 'Close' }).click()
  t.equal(await page.locator('mill-inbox .panel').isHidden(), true)
  await bell(page).click()
  t.match(
    await page.evaluate(
      `getComputedStyle(document.querySelector('mill-inbox').shadowRoot.querySelector('.panel')).backgroundColor`,
    ),
    'rgb(23, 35, 44)',
  )
  t.same(errors, [])
  await page.close()
})
