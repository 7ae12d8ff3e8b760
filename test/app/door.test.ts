import '../support/webhooks-environment.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { inviteByLink } from '#tasks/account/rules/invitations.ts'
import { film } from '../media/sources.ts'
import { chromiumPath, startBrowser } from '../support/browser.ts'
import { testOrg } from '../support/ingress.ts'
import { addDomain } from '../support/mail-stack.ts'
import { videoStack } from '../support/video-stack.ts'
import { testReceiver } from '../webhooks/receiver.ts'
import { mailTo } from './sign-in-fixture.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

/** An authenticator of the browser's own, which confirms by itself. */
const authenticator = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const

/** The secret that a page shows this once. */
const shownSecret = async (page: Page): Promise<string> => (await page.locator('.secret code').textContent()) ?? ''

t.test('from an invitation to a budget that holds, by the browser alone', { skip }, async (t) => {
  const stack = await videoStack(t, { areas: ['app', 'account', 'email'] })
  const { db } = stack
  const { org } = await testOrg(db, [], { plan: 'unlimited' })
  await addDomain(db, org.id, 'shop.example')
  const receiver = await testReceiver(t)
  await stack.startWorkers({ OUTBOUND_ALLOWED: '127.0.0.1', WEBHOOK_HTTP: 'true' })
  // WebAuthn wants a name.
  const base = stack.ingress.url.replace('127.0.0.1', 'localhost')
  const browser = await startBrowser(t)
  const context = await browser.newContext()
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options: authenticator })
  const open = (path: string) => page.goto(base + path)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const mail = (key: string, subject: string) =>
    stack.ask('POST /send/v1/messages', {
      key,
      body: {
        stream: 'transactional',
        from: { email: 'a@shop.example' },
        to: 'ann@people.example',
        subject,
        text: 'Hi',
      },
    })

  const operator = { kind: 'operator', id: null, name: 'operator' } as const
  const { path } = await db.transaction((tx) =>
    inviteByLink(tx, { orgId: org.id, actor: operator }, { email: 'owner@shop.example', role: 'owner' }),
  )
  await open(path)
  await page.getByLabel('Your name').fill('Olive')
  await page.getByRole('button', { name: /^Join/ }).click()
  await open('/app/you')
  await press('Create passkey')
  await page.getByText(/^Passkey .* created\.$/).waitFor()
  await page.locator('.account summary').click()
  await press('Sign out')
  await press('Sign in with a passkey')
  await page.waitForURL(`${base}/app`)

  await t.test('a test key, and what it sends in the test inbox', async (t) => {
    const key = await makeKey(page, 'test server', 'test')
    t.match(await mail(key, 'Only a test'), { status: 202 })
    await open('/app/test-inbox')
    await page.getByText('Only a test').first().waitFor()
  })

  await t.test('a video, sent from the page', async () => {
    await open('/app/videos/upload')
    await page.setInputFiles('#file', await film(join(stack.data, 'clip.mp4'), 'testsrc2=s=160x90:r=25:d=1'))
    await page.fill('#title', 'First film')
    await page.click('form[data-upload] .start')
    await page.waitForURL(/\/app\/videos\/[0-9a-f-]{36}$/)
    await page.locator('.facts .good', { hasText: 'ready' }).waitFor({ timeout: 90_000 })
  })

  await t.test('a webhook whose delivery failed is told why, and replayed', async (t) => {
    receiver.answer = (_, res) => void res.writeHead(400).end('no such order')
    await open('/app/webhooks/new')
    await page.getByLabel('URL', { exact: true }).fill(`${receiver.url}/hooks`)
    await page.getByLabel('Search events').fill('all events')
    await page.locator('input[name=types][value="*"]').check()
    await press('Create webhook')
    await page.locator('.secret code').waitFor()
    const live = await makeKey(page, 'hooked', 'live')
    t.match(await mail(live, 'Told of'), { status: 202 })
    const told = await receiver.has(1, '/hooks')
    receiver.answer = (_, res) => void res.writeHead(204).end()
    await open('/app/webhooks')
    await page.locator('tbody th a').first().click()
    await page.locator('tbody tr', { hasText: '400' }).locator('a[href*="/deliveries/"]').first().click()
    await page.getByText('no such order').first().waitFor()
    await page
      .getByRole('button', { name: /^Deliver again/ })
      .first()
      .click()
    const again = await receiver.has(told.length + 1, '/hooks')
    const ids = again.map(({ headers }) => headers['webhook-id'])
    t.ok(new Set(ids).size < ids.length, 'one event came twice')
  })

  await t.test('a rotation, during which both secrets are good', async (t) => {
    const first = await makeKey(page, 'rotated', 'test')
    await open('/app/keys')
    await page.getByRole('link', { name: 'rotated' }).first().click()
    await page.getByRole('link', { name: /Rotate/ }).click()
    await page.getByLabel(/^Hours until/).fill('24')
    await press('Rotate secret')
    const second = await shownSecret(page)
    t.not(first, second)
    for (const secret of [first, second]) t.equal((await mail(secret, 'Either')).status, 202)
  })

  await t.test('a budget that stops at its cap', async (t) => {
    const live = await makeKey(page, 'capped', 'live')
    const used = 1
    await open('/app/usage/email.messages/budget')
    await page.getByLabel('Hard limit').fill(String(used + 3))
    await press('Save budget')
    const sent = await Promise.all(Array.from({ length: 10 }, (_, n) => mail(live, `No. ${n}`)))
    t.equal(sent.filter(({ status }) => status === 202).length, 3)
    t.match(
      sent.find(({ status }) => status === 429),
      { body: { error: { details: { metric: 'email.messages', limit: used + 3 } } } },
    )
  })

  await t.test('a member who joins by mail, and may make no key', async (t) => {
    await open('/app/members/invite')
    await page.getByLabel('Email').fill('vera@shop.example')
    await page.getByLabel('Role').selectOption('viewer')
    await press('Send invitation')
    const invitation = await mailTo(db, 'vera@shop.example')
    const other = await (await browser.newContext()).newPage()
    await other.goto(base + invitation?.link)
    await other.getByLabel('Your name').fill('Vera')
    await other.getByRole('button', { name: /^Join/ }).click()
    await other.getByRole('heading', { level: 1, name: 'Vera' }).waitFor()
    t.equal((await other.goto(`${base}/app/keys/new`))?.status(), 403)
    t.equal((await other.goto(`${base}/app/keys`))?.status(), 200)
  })

  async function makeKey(page: Page, name: string, mode: 'live' | 'test'): Promise<string> {
    await open('/app/keys/new')
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Mode', { exact: true }).selectOption(mode)
    await page.getByLabel('Search scopes').fill('email:send')
    await page.locator('input[name=scopes][value="email:send"]').check()
    await press('Create API key')
    return await shownSecret(page)
  }
})
