import { existsSync } from 'node:fs'
import t from 'tap'
import * as keys from '#sql/account/keys.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { pushStack } from './stack.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

const stack = await pushStack(t)
await stack.startWorkers()

t.test('the demo page is a device: it shows messages, and their receipts come back', { skip }, async (t) => {
  const app = await stack.app()
  const { url, ask } = stack.ingress
  const locks = { app_id: app }
  const { secret: key } = await keys.create(stack.db, {
    orgId: stack.orgId,
    prefix: 'bt_site_',
    name: 'page',
    scopes: ['push:receipt'],
    locks,
  })
  const { stream } = await stack.device(app, 'demo', { push_provider: 'sse', platform: 'web' })
  const vapid = (await stack.ask(`GET /push/v1/apps/${app}`)).body.vapid_public_key
  const browser = await startBrowser(t)
  const { page, hosts, errors } = await watchedPage(browser)
  const fragment = new URLSearchParams({ token: stream.token, key, vapid, app, user: 'demo' })
  await page.goto(`${url}/push/demo#${fragment}`)
  const text = (selector: string) => page.locator(selector).first().textContent()
  await until(async () => (await text('#stream')) === 'Listening for demo.')

  const sent = await stack.send(app, 'demo', { title: 'Shipped <b>', body: 'On its way', data: { order: '4711' } })
  const counts = async () => (await stack.ask(`GET /push/v1/messages/${sent.id}`)).body.counts
  await until(async () => (await counts()).displayed === 1, { what: 'the receipt comes back' })
  t.match(await counts(), { delivered: 1, displayed: 1, opened: 0 })
  await until(async () => (await text('.receipt')) === 'Reported as displayed')
  t.same([await text('h3'), await text('.body'), await text('dd')], ['Shipped <b>', 'On its way', '4711'])
  await keepPicture(page, 'push-demo.png')
  await page.getByRole('button', { name: 'Open' }).click()
  await until(async () => (await counts()).opened === 1, { what: 'the message is opened' })

  await page.reload()
  await until(async () => (await text('#stream')) === 'Listening for demo.')
  await stack.send(app, 'demo', { title: 'Two' })
  await until(async () => (await text('h3')) === 'Two')
  t.equal(await page.locator('li').count(), 1, 'what was confirmed does not come again')

  // Headless, there is no push service to subscribe with: the page says so.
  await page.context().grantPermissions(['notifications'], { origin: url })
  await page.getByRole('button', { name: 'Subscribe this browser' }).click()
  await until(async () => /^(Subscribed|Not subscribed: .+)/.test((await text('#web-push')) ?? ''))
  const worker = await page.evaluate(`navigator.serviceWorker.ready.then(({ scope }) => new URL(scope).pathname)`)
  t.equal(worker, '/push/demo', 'its service worker runs')

  await ask(
    `DELETE /push/v1/installations/${(await stack.ask(`GET /push/v1/apps/${app}/installations`)).body.data[0].id}`,
    {
      key: stack.key,
    },
  )
  await until(async () => (await text('#stream'))?.startsWith('The stream has ended'))
  t.same([...hosts], [new URL(url).host], 'no other host is asked')
  const ours = errors.filter((error) => !error.includes('Push API in incognito mode'))
  t.same(ours, [])
})

t.test('without a link the page says what it needs', { skip }, async (t) => {
  const { page, errors } = await watchedPage(await startBrowser(t))
  await page.goto(`${stack.ingress.url}/push/demo`)
  await until(async () => (await page.locator('#stream').textContent())?.startsWith('Open this page with the URL'))
  t.same(errors, [])
  t.equal((await stack.ingress.ask('GET /push/demo/demo.html')).status, 400)
})
