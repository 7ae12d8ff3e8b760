import { existsSync } from 'node:fs'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { get, signIn } from '../console/fixture.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { testOrg } from '../support/ingress.ts'
import { apnsToken, fcmToken, pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t, ['console'])
await stack.startWorkers()
const { db, providers, ask } = stack
const { url } = stack.ingress
const { org, keys } = await testOrg(db, ['operator'])
const cookie = await signIn({ db, url, key: keys.main, orgId: org.id })

const app = await stack.app('apns', 'fcm')
await ask(`PATCH /push/v1/apps/${app}`, { body: { name: 'Shop <b>' } })
await stack.device(app, 'ann', { push_provider: 'sse', platform: 'web' })
await stack.device(app, 'ann', { push_provider: 'apns', token: apnsToken(), platform: 'ios' })
await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken(), platform: 'android' })
providers.answer = ({ token }, { provider }) =>
  provider === 'fcm'
    ? { outcome: 'invalid_token', status: 404, reason: 'UNREGISTERED', error: `<i>${token.slice(0, 4)}</i>` }
    : {}
const sent = await stack.send(app, 'ann', { title: 'Hi' })
await stack.ended(sent.id)
const trace = await stack.trace(sent.id)
const streamed = trace.find(({ push_provider, provider }) => (push_provider ?? provider) === 'sse')
await ask('POST /push/v1/receipts', { body: { delivery_id: streamed.id, event: 'opened' } })
await db.query(sql.typeAlias('void')`
  update push.credentials set failures = 3, open_until = now() + interval '5 minutes', open_reason = 'InvalidProviderToken'
  where provider = 'apns'`)
// Counts of the days before, as a month of sending leaves them.
await db.query(sql.typeAlias('void')`
  insert into push.daily (org_id, app_id, day, provider, platform, status, count)
  select org_id, id, (now() at time zone 'utc')::date - n, 'sse', 'web', status, 900 + 50 * (n % 7) - less
  from push.apps, generate_series(1, 20) as n,
    (values ('sent', 0), ('delivered', 80), ('opened', 500)) as s (status, less) where id = ${app}`)

t.test('the page Push tells what became of pushes, of which apps, by which providers, and why not', async (t) => {
  const { text } = await get(url, '/ops/push', cookie)
  t.match(text, /<dt>sent<\/dt><dd>6,\d{3}/)
  t.match(text, /<dt>opened<\/dt>/)
  t.match(text, 'Shop &lt;b&gt;')
  t.notMatch(text, 'Shop <b>')
  t.match(text, /paused.*InvalidProviderToken.*rejected 3 times/s)
  t.match(text, /UNREGISTERED<\/th>\s*<td data-label="Provider">fcm/)
  t.match(text, /2 <span class="quiet">and 1 invalidated/)
  t.equal((await get(url, '/ops/push?span=x', cookie)).status, 200)
})

t.test('a message is found by its id or a delivery’s; its page has every attempt and receipt', async (t) => {
  for (const id of [sent.id, ` ${streamed.id.toUpperCase()} `]) {
    const found = await get(url, `/ops/push?find=${encodeURIComponent(id)}`, cookie)
    t.match(found, { status: 303 })
    t.equal(found.headers.get('location'), `/ops/push/messages/${sent.id}`)
  }
  t.match((await get(url, '/ops/push?find=x', cookie)).text, 'The message does not exist')
  const { text } = await get(url, `/ops/push/messages/${sent.id}`, cookie)
  t.match(text, /1\. invalid_token\s*<code>404 UNREGISTERED &lt;i&gt;/)
  t.match(text, /opened <span/)
  t.equal((await get(url, `/ops/push/messages/${app}`, cookie)).status, 404)
})

const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
t.test('a browser shows it without complaint', { skip }, async (t) => {
  const { page, errors } = await watchedPage(await startBrowser(t))
  const [name = '', value = ''] = cookie.split('=')
  await page.context().addCookies([{ name, value, url }])
  await page.goto(`${url}/ops/push?span=30d`)
  t.equal(await page.locator('figure.plot').count(), 2)
  await keepPicture(page, 'console-push.png')
  await page.goto(`${url}/ops/push/messages/${sent.id}`)
  t.equal(await page.locator('tbody tr').count(), 3)
  await keepPicture(page, 'console-push-message.png')
  t.same(errors, [])
})
