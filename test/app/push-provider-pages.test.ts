import { existsSync } from 'node:fs'
import t from 'tap'
import { apnsForm, p8, pushStack, serviceAccount } from '../push/stack.ts'
import { chromiumPath, startBrowser, watchedPage } from '../support/browser.ts'
import { browserCookie, get, signedIn, submit } from './fixture.ts'

const stack = await pushStack(t, ['app', 'account'])
await stack.startWorkers()
const { db, providers } = stack
const { url } = stack.ingress
const developer = await signedIn(db, url, stack.orgId, 'developer')
const viewer = await signedIn(db, url, stack.orgId, 'viewer')

/** A line of the key that no page may contain. */
const secretLine = String(p8).split('\n')[1] as string

t.test('an APNs key is uploaded, checked, replaced and deleted; its secret is on no page', async (t) => {
  const app = await stack.app()
  const path = `/app/push/${app}/credentials/apns`
  t.match((await get(url, path, developer)).text, /type="file"[^>]* data-text-of="key"/)
  const { key: _, ...facts } = apnsForm
  const bad = await submit(url, path, developer, { ...facts, key: 'no key at all', key_id: 'x' })
  t.equal(bad.status, 400)
  t.match(bad.text, /id="key-fault">must be the content of a \.p8 file/)
  t.match(bad.text, 'id="key_id-fault"')
  t.notMatch(bad.text, 'no key at all')
  const half = await submit(url, path, developer, { ...apnsForm, key: String(p8), team_id: '' })
  t.notMatch(half.text, secretLine, 'a good key beside a bad field is not shown either')
  t.equal((await submit(url, path, viewer, { ...apnsForm, key: String(p8) })).status, 403)

  t.equal((await submit(url, path, developer, { ...apnsForm, key: String(p8) })).status, 303)
  const page = await get(url, `/app/push/${app}`, developer)
  t.match(page.text, /Google \(FCM\)/)
  t.match(page.text, /Apple \(APNs\).*ABC123DEFG.*com\.example\.shop.*accepted/s)
  for (const one of [page, await get(url, path, developer)]) t.notMatch(one.text, secretLine)

  providers.checks = async () => 'APNs rejects the key: InvalidProviderToken.'
  await submit(url, `${path}/check`, developer, { environment: 'production' })
  t.match((await get(url, `/app/push/${app}`, developer)).text, 'InvalidProviderToken')
  providers.checks = async () => undefined
  t.equal((await submit(url, `${path}/remove`, viewer, { environment: 'production' })).status, 403)
  t.equal((await submit(url, `${path}/remove`, developer, { environment: 'production' })).status, 303)
  t.notMatch((await get(url, `/app/push/${app}`, viewer)).text, 'ABC123DEFG')
})

t.test('a service account of Google is uploaded; a file that is none is told at its field', async (t) => {
  const app = await stack.app()
  const path = `/app/push/${app}/credentials/fcm`
  const files = [
    ['{', /must be a JSON file/],
    ['{"project_info":{}}', /not the google-services\.json/],
    ['{"project_id":"shop"}', /client_email.*private_key/],
    ['', /is required/],
  ] as const
  for (const [service_account, issue] of files) {
    const reply = await submit(url, path, developer, { service_account })
    t.equal(reply.status, 400)
    t.match(/id="service_account-fault">([^<]*)/.exec(reply.text)?.[1], issue)
  }
  t.equal((await submit(url, path, developer, { service_account: JSON.stringify(serviceAccount) })).status, 303)
  const page = await get(url, `/app/push/${app}`, viewer)
  t.match(page.text, /Google \(FCM\).*demo-project/s)
  t.notMatch(page.text, 'PRIVATE KEY')
})

t.test('a message shows its payload, and what the provider answers with what to do', async (t) => {
  const app = await stack.app('apns')
  await stack.device(app, 'ann', { push_provider: 'apns', token: 'ab'.repeat(32), platform: 'ios' })
  providers.answer = () => ({ outcome: 'rejected', status: 400, reason: 'PayloadTooLarge' })
  const { id } = await stack.send(app, 'ann', { title: 'Hello <b>', body: 'World' })
  await stack.ended(id)
  providers.answer = () => ({})
  const page = await get(url, `/app/push/messages/${id}`, developer)
  t.match(page.text, `data-live="push-message/${id}"`)
  t.match(page.text, /rejected <code>400 PayloadTooLarge<\/code>.*larger than the provider allows\. Shorten the text/s)
  t.match(page.text, /device-card ios is-light.*Hello &lt;b&gt;/s)
  t.match(page.text, '&quot;alert&quot;: {')
  const seen = await get(url, `/app/push/messages/${id}`, viewer)
  t.match(seen.text, 'PayloadTooLarge')
  t.notMatch(seen.text, 'Hello')
  const devices = await get(url, `/app/push/${app}/installations`, viewer)
  t.match(
    devices.text,
    new RegExp(`href="/app/push/messages/${id}"><span class="badge bad[^>]*>.*failed</span></a> <code>PayloadTooLarge`),
  )
  t.match((await get(url, `/app/push/${app}/insights`, developer)).text, /PayloadTooLarge.*Shorten the text/s)
  t.equal((await get(url, `/app/push/${app}/insights`, viewer)).status, 200)
})

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

t.test('in a browser, a key file is read into its form, and a preview follows the typing', { skip }, async (t) => {
  const app = await stack.app()
  const context = await (await startBrowser(t)).newContext()
  await context.addCookies([browserCookie(url, developer)])
  const { page, errors } = await watchedPage(context)
  await page.goto(`${url}/app/push/${app}/credentials/apns`)
  const file = { name: 'AuthKey_ABC123DEFG.p8', mimeType: 'text/plain', buffer: Buffer.from(p8) }
  await page.locator('#key-file').setInputFiles(file)
  await page.getByText('AuthKey_ABC123DEFG.p8 is ready').waitFor()
  t.equal(await page.locator('#key_id').inputValue(), 'ABC123DEFG', 'the file’s name has it')
  await page.locator('#team_id').fill('TEAM123456')
  await page.locator('#topic').fill('com.example.shop')
  await page.getByRole('button', { name: 'Upload and check' }).click()
  await page.getByText('Apple (APNs) accepts it').waitFor()

  await page.goto(`${url}/app/push/templates/new`)
  await page.locator('#title_0').fill('Order {{order}}')
  await page.locator('#examples').fill('order=<1042>')
  await page.locator('.device-card.ios.is-dark').getByText('Order <1042>').waitFor()
  t.same(errors, [])
})
