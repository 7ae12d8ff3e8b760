import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { startBrowser } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { browserCookie, signedIn } from './fixture.ts'

const { db } = await testDatabase(t)
const services = [provide(signingSecret, 's'.repeat(40))]
const { url } = await testIngress(t, db, [], { only: ['app', 'account'], services })
const browser = await startBrowser(t)

for (const [width, colorScheme] of [
  [1280, 'light'],
  [390, 'dark'],
] as const) {
  t.test(`a member approves a request on a page of ${width} pixels`, async (t) => {
    const { org } = await testOrg(db, [])
    const member = await signedIn(db, url, org.id, 'developer')
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
    t.teardown(() => context.close())
    await context.addCookies([browserCookie(url, member)])
    const page = await context.newPage()
    const body = { client_name: 'Deploy tool on laptop', scopes: ['email:send', 'account:webhooks', 'account:keys'] }
    const { body: login } = await ask(url, 'POST /v1/account/devices', { body })
    await page.goto(`${url}/app/device`)
    await page.getByLabel('Code').fill(login.user_code.toLowerCase())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Deploy tool on laptop', { exact: false }).first().waitFor()
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    t.equal(overflow, 0, 'the page does not scroll sideways')
    await page.getByLabel(/account:webhooks/).uncheck()
    await page.getByRole('button', { name: 'Approve request' }).click()
    await page.getByRole('heading', { name: 'Request approved' }).waitFor()
    const collected = await ask(url, 'POST /v1/account/devices/token', { body: { device_code: login.device_code } })
    t.match(collected.body.key, { scopes: ['email:send'], name: 'Deploy tool on laptop' })
  })
}
