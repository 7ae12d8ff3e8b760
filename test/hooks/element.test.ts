import '../support/webhooks-environment.ts'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { testReceiver } from '../webhooks/receiver.ts'
import { hookStack } from './stack.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
const stack = await hookStack(t)
const { ask } = stack
const ingress = stack.base.ingress.url
const receiver = await testReceiver(t)
await stack.startWorkers()
const schema = { type: 'object', properties: { amount: { type: 'number', examples: [1900] } } }
await stack.type('invoice.paid', { description: 'An invoice was paid.', schema, example: { amount: 1900 } })
await stack.type('user.created')
const app = await stack.app({ name: 'Acme' })

let capability = 'manage'
const makeToken = async () =>
  (await ask(`POST /v1/hooks/apps/${app}/portal-tokens`, { body: { capability } })).body as {
    token: string
    url: string
  }

/** A customer's site: a page that forbids all that it does not need, and a server that asks for tokens. */
const site = createServer(async (request, response) => {
  if (request.method === 'POST')
    return void response.setHeader('content-type', 'application/json').end(JSON.stringify(await makeToken()))
  const policy = `default-src 'none'; script-src ${ingress}; connect-src 'self' ${ingress}; require-trusted-types-for 'script'`
  response.setHeader('content-security-policy', policy).setHeader('content-type', 'text/html; charset=utf-8')
  const renew = request.url === '/no-renewal' ? 'token="x"' : 'token-url="/token"'
  response.end(`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>
<script type="module" src="${ingress}/v1/hooks/portal-element.js"></script>
<main><h1>Account</h1><mill-webhooks ${renew}></mill-webhooks></main>`)
}).listen(0, '127.0.0.1')
await once(site, 'listening')
t.teardown(() => {
  site.closeAllConnections()
  site.close()
})
const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
const browser = skip ? undefined : await startBrowser(t)
type Browser = NonNullable<typeof browser>

async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
  )) as string[]
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

t.test('a customer adds an endpoint, sees an attempt, sends again, rotates and deletes', { skip }, async (t) => {
  const { page, errors } = await watchedPage(browser as Browser)
  await page.goto(address)
  await page.evaluate(
    `window.changes = []; addEventListener('mill-change', (event) => changes.push(event.detail.kind))`,
  )
  await button(page, 'Add endpoint').focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('URL').fill('ftp://example.com')
  await button(page, 'Add endpoint').click()
  await page.locator('[data-field=url] .fault', { hasText: /must/ }).waitFor()
  t.equal(
    await page.evaluate(`document.querySelector('mill-webhooks').shadowRoot.activeElement.type`),
    'url',
    'the field has the focus',
  )
  errors.length = 0
  await page.getByLabel('URL').fill(`${receiver.url}/browser`)
  await page.getByLabel('invoice.paid').check()
  await button(page, 'Add filter').click()
  await page.getByLabel('Field').fill('amount')
  await page.getByLabel('Condition').selectOption('gt')
  await page.locator('[data-field=filters]').getByLabel('Value').fill('5')
  await button(page, 'Add header').click()
  await page.getByLabel('Name').fill('X-Team')
  await page.locator('[data-field=headers]').getByLabel('Value').fill('billing')
  await button(page, 'Add endpoint').click()
  await page.locator('[role=status]', { hasText: 'Endpoint added' }).waitFor()
  const [endpoint] = (await ask(`GET /v1/hooks/apps/${app}/endpoints`)).body.data
  t.match(endpoint, {
    types: ['invoice.paid'],
    filters: [{ path: 'amount', op: 'gt', value: 5 }],
    header_names: ['x-team'],
  })
  await stack.send(app, { payload: { amount: 10 } })
  const [delivery] = await receiver.has(1, '/browser')
  t.equal(delivery?.headers['x-team'], 'billing')
  const path = `/v1/hooks/apps/${app}/endpoints/${endpoint.id}`
  await until(async () => (await ask(`GET ${path}/stats`)).body.messages.delivered === 1)
  await button(page, 'Messages').click()
  await button(page, 'invoice.paid').click()
  await page.locator('summary', { hasText: 'Response 204' }).click()
  await button(page, 'Resend').click()
  await page.locator('[role=status]', { hasText: 'sent again' }).waitFor()
  await receiver.has(2, '/browser')
  await button(page, 'Endpoints').click()
  await button(page, `${receiver.url}/browser`).click()
  await button(page, 'Show secret').click()
  const shown = await page.locator('code', { hasText: 'whsec_' }).textContent()
  t.equal(shown, (await ask(`GET ${path}/secret`)).body.secret)
  await button(page, 'Rotate secret').click()
  await button(page, 'Yes, rotate').click()
  await page.locator('[role=status]', { hasText: 'Secret rotated' }).waitFor()
  t.not((await ask(`GET ${path}/secret`)).body.secret, shown)
  await page.getByLabel('Event type', { exact: true }).selectOption('invoice.paid')
  await button(page, 'Send test').click()
  await page.locator('[role=status]', { hasText: 'accepted the test' }).waitFor()
  await button(page, 'Resend failed messages').click()
  await page.locator('[role=status]', { hasText: '0 messages will be sent' }).waitFor()
  await button(page, 'Edit').click()
  t.ok(await page.getByLabel('invoice.paid').isChecked())
  await page.getByLabel('Description').fill('Production')
  await button(page, 'Save').click()
  await page.locator('[role=status]', { hasText: 'Endpoint saved' }).waitFor()
  t.match((await ask(`GET ${path}`)).body, { description: 'Production', header_names: ['x-team'] })
  await button(page, 'Delete').click()
  await button(page, 'Yes, delete').click()
  await page.locator('[role=status]', { hasText: 'Endpoint deleted' }).waitFor()
  t.equal((await ask(`GET ${path}`)).status, 404)
  const changes = await page.evaluate('changes')
  t.match(changes, ['endpoint.created', 'message.resent', 'endpoint.rotated'])
  t.same(errors, [])
})

t.test(
  'without a valid token, the element says that access has expired; read tokens have no actions',
  { skip },
  async (t) => {
    const { page } = await watchedPage(browser as Browser)
    await page.goto(`${address}no-renewal`)
    await page.locator('[role=alert]', { hasText: 'has expired' }).waitFor()
    await stack.endpoint(app, `${receiver.url}/kept`)
    capability = 'read'
    await page.goto(address)
    await button(page, `${receiver.url}/kept`).click()
    await page.locator('h2', { hasText: '/kept' }).waitFor()
    for (const name of ['Edit', 'Delete', 'Show secret', 'Send test'])
      t.equal(await button(page, name).count(), 0, name)
    capability = 'manage'
  },
)

t.test('the portal and the element are for everybody', { skip }, async (t) => {
  const { id } = await stack.endpoint(app, `${receiver.url}/everybody`)
  await stack.send(app)
  await until(async () => (await ask(`GET /v1/hooks/apps/${app}/endpoints/${id}/stats`)).body.messages.delivered === 1)
  const context = await (browser as Browser).newContext({ bypassCSP: true })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const link = new URL(new URL((await makeToken()).url).pathname, ingress).href
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    async function check(name: string) {
      t.same(await faultsOf(page), [], `${name} ${width}`)
      t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${name} ${width} fits`)
      await keepPicture(page, `hooks-${name}-${width}.png`)
    }
    for (const url of [link, address]) {
      await page.goto(url)
      await button(page, `${receiver.url}/everybody`).waitFor()
      await check(url === link ? 'portal' : 'element')
    }
    await button(page, `${receiver.url}/everybody`).click()
    await page.locator('h3', { hasText: 'Health' }).waitFor()
    await check('endpoint')
    await button(page, 'Edit').click()
    await button(page, 'Add filter').click()
    await check('form')
    await button(page, 'Messages').click()
    await button(page, 'invoice.paid').first().click()
    await page.locator('h3', { hasText: 'Payload' }).waitFor()
    await check('message')
    await button(page, 'Event types').click()
    await page.locator('summary').first().click()
    await check('types')
  }
})
