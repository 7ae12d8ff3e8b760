import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumPath, startBrowser, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { guardStack } from './stack.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

const stack = await guardStack(t)
const { url } = stack.ingress
const site = await stack.site({ max_tier: 'low' })
await stack.ask(`PATCH /v1/guard/sites/${site.id}`, { body: { origins: [url] } })

const browser = skip ? undefined : await startBrowser(t)
/** Opens a page whose form a script sends, as single-page applications do. */
async function open(more = '') {
  if (!browser) throw new Error('There is no browser.')
  const watched = await watchedPage(browser)
  await watched.page.goto(`${url}/v1/guard/demo?sitekey=${site.key}${more}`)
  await watched.page.evaluate(`(() => {
    globalThis.sent = []
    const form = document.forms[0]
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      await new Promise((resolve) => setTimeout(resolve, 10))
      sent.push(new FormData(form).get('mill-guard-token'))
    })
  })()`)
  await watched.page.locator('#name').fill('Ann')
  return watched
}
const stateOf = (page: Page) => page.evaluate(`document.querySelector('mill-guard').state`)
const comesTo = (page: Page, state: string) =>
  until(async () => (await stateOf(page)) === state, { what: state, timeout: 60_000 })
const sent = async (page: Page, count: number): Promise<string[]> => {
  await until(async () => (await page.evaluate('sent.length')) === count, { what: `${count} sent`, timeout: 60_000 })
  return (await page.evaluate('sent')) as string[]
}

for (const auto of ['off', 'onsubmit']) {
  t.test(`a form that a script sends has a fresh token each time (auto=${auto})`, { skip }, async (t) => {
    await stack.stock(3)
    const { page, errors } = await open(`&auto=${auto}`)
    if (auto === 'off') {
      await page.locator('mill-guard button').click()
      await comesTo(page, 'done')
    }
    for (const count of [1, 2, 3]) {
      await page.locator('#send').click()
      await sent(page, count)
    }
    const tokens = await sent(page, 3)
    t.equal(new Set(tokens).size, 3)
    for (const token of tokens) t.match((await stack.verify(token, 'demo')).body, { valid: true })
    t.same(errors, [])
    await page.close()
  })
}

t.test(
  'a widget that is disabled while it works goes on once it is enabled, and sends the form',
  { skip },
  async (t) => {
    await stack.stock(3)
    const { page, errors } = await open('&auto=onsubmit')
    // Frameworks disable the fields of a form that is being sent.
    await page.evaluate(`(() => {
    const form = document.forms[0]
    const fields = document.createElement('fieldset')
    fields.append(...form.childNodes)
    form.append(fields)
    globalThis.fields = fields
  })()`)
    await page.locator('#send').click()
    await comesTo(page, 'working')
    await page.evaluate('fields.disabled = true')
    t.equal(await stateOf(page), 'start')
    await page.evaluate('fields.disabled = false')
    const [token = ''] = await sent(page, 1)
    t.match((await stack.verify(token, 'demo')).body, { valid: true })
    t.same(errors, [])
    await page.close()
  },
)

t.test(
  'a widget in fields that are disabled until the page is hydrated starts when they are enabled',
  { skip },
  async (t) => {
    await stack.stock(1)
    const { page, errors } = await open()
    await page.evaluate(`(() => {
    const before = document.querySelector('mill-guard')
    const fields = document.createElement('fieldset')
    fields.disabled = true
    const guard = before.cloneNode()
    guard.setAttribute('auto', 'onload')
    fields.append(guard)
    before.replaceWith(fields)
    globalThis.fields = fields
  })()`)
    t.equal(await stateOf(page), 'start')
    await page.evaluate('fields.disabled = false')
    await comesTo(page, 'done')
    t.same(errors, [])
    await page.close()
  },
)

t.test('work that a page breaks off leaves no error in it', { skip }, async (t) => {
  await stack.stock(3)
  const { page, errors } = await open()
  const press = async () => {
    await page.locator('mill-guard button').click()
    await comesTo(page, 'working')
  }
  await press()
  await page.evaluate(`document.forms[0].reset()`)
  t.equal(await stateOf(page), 'start')
  await press()
  await page.evaluate(`document.querySelector('mill-guard').remove()`)
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
  t.same(errors, [])
  await page.close()
})
