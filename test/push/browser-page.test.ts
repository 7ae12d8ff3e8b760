import '../support/push-environment.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { createPushEngine } from '../../workers/push/engine.ts'
import { chromiumPath, startBrowser, watchedPage } from '../support/browser.ts'
import { readGuide } from '../support/guide.ts'
import { serversOf } from '../support/push-servers/all.ts'
import { pushedWorker, standIn, startPushedSite } from '../support/push-servers/browser.ts'
import { makeCertificate } from '../support/push-servers/certificate.ts'
import { startWebPush } from '../support/push-servers/web-push.ts'
import { type GuideRun, runGuide } from '../support/run-guide.ts'
import { until } from '../support/until.ts'
import { pushStack } from './stack.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

const stack = await pushStack(t)
const { ask, ingress } = stack
const certificate = await makeCertificate(t)
const service = await startWebPush(t, certificate)
const engine = createPushEngine(serversOf({}, certificate.cert))
t.teardown(() => engine.close())
stack.providers.send = engine.send
await stack.startWorkers()

const folder = t.testdir()
const site = await startPushedSite(t, join(folder, 'shop'), service)
const origin = `http://localhost:${site.port}`

const app: string = (await ask('POST /push/v1/apps', { body: { name: 'Shop' } })).body.id

/** Runs blocks of the guide’s section on browsers. */
const guide = await readGuide('ingress/push/README.md')
const follow = (only: GuideRun['only']) =>
  runGuide(guide, {
    folder,
    baseUrl: ingress.url,
    apiKey: stack.key,
    sections: ['Register browsers (Web Push)'],
    replace: { 8090: String(site.port) },
    environment: { APP_ID: app },
    ...(only && { only }),
  })
const isMessage = ({ code }: { code: string }) => code.includes('Tomorrow')
await follow((block) => !isMessage(block))
const send = async (): Promise<string> => (await follow(isMessage))[0]?.json.id

const devices = async () => (await ask(`GET /push/v1/apps/${app}/installations`)).body.data
const counts = async (id: string) => (await ask(`GET /push/v1/messages/${id}`)).body.counts
const text = () => page.locator('#state').textContent()
const click = () => page.getByRole('button').click()

const browser = skip ? undefined : await startBrowser(t, chromiumPath)
const { page, errors } = browser ? await watchedPage(browser) : ({} as Awaited<ReturnType<typeof watchedPage>>)

t.test(
  'the guide’s page subscribes at a click, shows what is sent, and reports what became of it',
  { skip },
  async (t) => {
    await page.addInitScript(standIn)
    await page.goto(origin)
    await click()
    await until(async () => (await text()) === 'Notifications are not allowed.', { what: 'the person says no' })
    t.same(await devices(), [])
    await page.context().grantPermissions(['notifications'], { origin })
    await click()
    await until(async () => (await text()) === 'Subscribed.', { what: 'the page has subscribed' })
    t.match(await devices(), [{ user_id: 'user-17', push_provider: 'webpush', status: 'active', locale: 'en-US' }])

    const worker = await pushedWorker(page, origin)
    const id = await send()
    const arrived = await until(() => service.received.at(-1), { what: 'it is at the push service' })
    t.equal(arrived.name, site.current()?.name)
    await worker.deliver(arrived.text)
    await until(async () => (await counts(id)).displayed === 1, { what: 'it is shown' })
    const shown = await worker.evaluate(`registration.getNotifications().then((all) =>
    all.map(({ title, body, actions }) => ({ title, body, actions })))`)
    t.match(shown, [{ title: 'Shipped', body: 'It comes today', actions: [{ action: 'later', title: 'Tomorrow' }] }])

    await worker.evaluate(`globalThis.opened = []; clients.openWindow = async (url) => { opened.push(url) }`)
    const notification = `(await registration.getNotifications())[0]`
    await worker.evaluate(`globalThis.away = fetch; globalThis.fetch = async () => { throw new TypeError('away') }`)
    await worker.fire(`new NotificationEvent('notificationclick', { notification: ${notification}, action: 'later' })`)
    await worker.evaluate(`globalThis.fetch = away`)
    t.same(await worker.evaluate('opened'), [`${origin}/?later`])
    t.equal((await counts(id)).opened, 0, 'the network is away: the receipt is kept')
    await page.reload()
    await until(async () => (await counts(id)).opened === 1, { what: 'it is reported by the next page' })

    const next = await send()
    await until(() => service.received.length === 2)
    await worker.deliver(service.received[1]?.text ?? '')
    await until(async () => (await counts(next)).displayed === 1)
    await worker.fire(`new NotificationEvent('notificationclose', { notification: ${notification} })`)
    const dismissed = (await stack.trace(next)).map(({ dismissed_at, opened_at }) => [dismissed_at !== null, opened_at])
    t.same(dismissed, [[true, null]])
    t.same(
      errors.filter((error) => !error.includes('incognito')),
      [],
    )
  },
)

t.test(
  'a subscription that the browser has changed is renewed in place, by the worker or the next page',
  { skip },
  async (t) => {
    const [{ id }] = await devices()
    const before = site.current()?.name
    const worker = await pushedWorker(page, origin)
    site.drop()
    await worker.fire(`new Event('pushsubscriptionchange')`)
    t.ok(site.current())
    t.not(site.current()?.name, before)
    t.match(await devices(), [
      { id, token_end: site.current()?.endpoint.slice(-8), status: 'active', user_id: 'user-17' },
    ])
    const message = await send()
    await stack.ended(message)
    t.equal(service.received.at(-1)?.name, site.current()?.name)

    site.drop()
    await page.reload()
    await until(async () => site.current() && (await devices())[0].token_end === site.current()?.endpoint.slice(-8))
    t.match(await devices(), [{ id }])

    await ask(`PUT /push/v1/apps/${app}/credentials/webpush`, { body: {} })
    const vapid = (await ask(`GET /push/v1/apps/${app}`)).body.vapid_public_key
    await click()
    await until(async () => (await text()) === 'Subscribed.')
    t.equal(site.current()?.vapid, vapid, 'a new VAPID pair takes a new subscription')
  },
)

t.test('pushes that are not ours are left to the site’s own worker', { skip }, async (t) => {
  const worker = await pushedWorker(page, origin)
  await worker.evaluate(`globalThis.theirs = []; addEventListener('push', ({ data }) => theirs.push(data.text()))`)
  const before = await worker.evaluate('registration.getNotifications().then(({ length }) => length)')
  for (const data of ['no JSON', '{"push":{}}', 'null']) await worker.deliver(data)
  await until(async () => (await worker.evaluate('theirs.length')) === 3)
  const after = await worker.evaluate('registration.getNotifications().then(({ length }) => length)')
  t.ok(Number(after) - Number(before) <= 1, 'but for the one with which the browser itself makes up for them')
})

t.test('a page signs out; another origin, and a revoked key, are told why not', { skip }, async (t) => {
  const [{ id: keyId }] = (await ask(`GET /push/v1/apps/${app}/public-keys`)).body.data
  const key = await page.evaluate(`/bt_site_[A-Za-z0-9_-]+/.exec(document.scripts[0].textContent)[0]`)
  const connected = `import('${ingress.url}/push/v1/client.js').then(({ connect }) => connect({ key: '${key}' }))`
  t.match(await page.evaluate(`${connected}.then((push) => push.state())`), { supported: true, subscribed: true })
  await page.evaluate(`${connected}.then((push) => push.unsubscribe())`)
  t.same([await devices(), site.current()], [[], null])
  t.match(await page.evaluate(`${connected}.then((push) => push.state())`), { supported: true, subscribed: false })

  const elsewhere = `http://127.0.0.1:${site.port}`
  await page.context().grantPermissions(['notifications'], { origin: elsewhere })
  await page.goto(elsewhere)
  await click()
  await until(async () => (await text()) === `This API key cannot be used on ${elsewhere}.`)
  await ask(`DELETE /push/v1/apps/${app}/public-keys/${keyId}`)
  await page.goto(origin)
  await until(
    async () => {
      await click()
      return (await text()) === 'This API key is unknown or revoked.'
    },
    { every: 500 },
  )
})

t.test('the client is small and kept for ever, what leads to it for minutes', async (t) => {
  const get = (path: string) => fetch(`${ingress.url}/push/v1/${path}`)
  const entry = await get('client.js')
  t.equal(entry.headers.get('cache-control'), 'public, max-age=300')
  t.equal(entry.headers.get('access-control-allow-origin'), '*')
  const parts = [...(await entry.text()).matchAll(/\.\/(client\/\w+\/\w+\.js)/g)].map(([, path]) => path as string)
  const files = await Promise.all(parts.map(get))
  t.same(
    files.map(({ headers }) => headers.get('cache-control')),
    parts.map(() => 'public, max-age=31536000, immutable'),
  )
  const size = (texts: string[]) => gzipSync(texts.join('')).length
  const client = size(await Promise.all(files.map((file) => file.text())))
  const worker = await (await get('worker.js')).text()
  t.ok(client < 5_000 && size([worker]) < 4_000, `${client} and ${size([worker])} bytes`)
  t.ok(worker.length < 8_192, `${worker.length} bytes`)
  t.equal((await get('client/another/client.js')).status, 404)
  t.equal((await get('client.d.ts')).status, 200)
})
