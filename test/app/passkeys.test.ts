import t from 'tap'
import { sql } from '#sql/db.ts'
import { inviteByLink } from '#tasks/account/rules/invitations.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { startBrowser } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { signedIn, tokenOf } from './fixture.ts'
import { actionsOf, secret, TestBrowser } from './sign-in-fixture.ts'

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], {
  only: ['app', 'account'],
  services: [provide(signingSecret, secret)],
})
const { org } = await testOrg(db)
/** WebAuthn wants a name. */
const base = url.replace('127.0.0.1', 'localhost')

t.test('an owner joins, makes a passkey, signs in with it, and confirms with it', async (t) => {
  const browser = await startBrowser(t)
  const context = await browser.newContext()
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })

  const doer = { orgId: org.id, role: 'owner', actor: { kind: 'operator', id: null, name: 'test' } } as const
  const { path } = await db.transaction((tx) =>
    inviteByLink(tx, doer, { email: 'ann@passkeys.example', role: 'owner' }),
  )
  await page.goto(base + path)
  await page.getByLabel('Your name').fill('Ann')
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('heading', { name: 'Ann', level: 1 }).waitFor()
  const first = await sessionOf()

  await page.goto(`${base}/app/step-up?to=/app/members`)
  await page.getByText('You have no passkey.').waitFor()
  await page.goto(`${base}/app/you`)
  await page.getByLabel('Name of the new passkey').fill('Laptop')
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByText('Passkey “Laptop” created.').waitFor()

  await page.locator('.account summary').click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.waitForURL(/sign-in/)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${base}/app`)
  const second = await sessionOf()
  t.not(second, first, 'each sign-in has a cookie of its own')

  await db.query(sql.unsafe`update account.browser_sessions set stepped_up_at = now() - interval '11 minutes'`)
  await page.goto(`${base}/app/members/invite`)
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
  await page.waitForURL(`${base}/app/members/invite`)
  await page.getByLabel('Email').waitFor()
  t.not(await sessionOf(), second, 'and so has a confirmation')
  const stolen = new TestBrowser(url).adopt(`millrace_app_${new URL(url).port}=${second}`)
  t.equal((await stolen.get('/app')).status, 303, 'that of before is good no more')

  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await db.query(sql.unsafe`update account.browser_sessions set stepped_up_at = null`)
  await page.goto(`${base}/app/step-up`)
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
  await page.getByText('The confirmation was cancelled').waitFor()
  t.match(await actionsOf(db, org.id), [
    'invitation.created',
    'member.joined',
    'session.began',
    'passkey.created',
    'session.ended',
    'session.began',
    'session.confirmed',
  ])
  t.same(errors, [])

  async function sessionOf() {
    return (await context.cookies()).find(({ name }) => name.startsWith('millrace_app_'))?.value
  }
})

t.test('what answers no challenge of this browser, or one of before, signs nobody in', async (t) => {
  const response = JSON.stringify({
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key',
    response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' },
  })
  const browser = new TestBrowser(base)
  t.equal((await browser.post('/app/sign-in/passkey', { response })).status, 401, 'nothing was asked')
  t.equal((await browser.post('/app/passkeys/sign-in', {})).status, 200)
  const kept = new Map(browser.cookies)
  t.equal((await browser.post('/app/sign-in/passkey', { response })).status, 401)
  for (const [name, value] of kept) browser.cookies.set(name, value)
  t.equal((await browser.post('/app/sign-in/passkey', { response })).status, 401)
  const open = await db.oneFirst(sql.unsafe`
    select count(*) from account.ceremonies where kind = 'sign_in' and used_at is null`)
  t.equal(open, 0, 'a challenge is used once, whatever the answer')
  for (const bad of ['', '{', '[]', JSON.stringify({ id: 1 }), 'x'.repeat(13_000)])
    t.equal((await browser.post('/app/sign-in/passkey', { response: bad })).status, 400)
  t.notOk(browser.session)
})

t.test('a mail session confirms nothing, and adds no passkey to those that are there', async (t) => {
  const member = await signedIn(db, url, org.id, 'admin', { steppedUp: false })
  const browser = new TestBrowser(url).adopt(member.cookie)
  t.equal(
    (await browser.get('/app/members/invite')).headers.get('location'),
    '/app/step-up?to=%2Fapp%2Fmembers%2Finvite',
  )
  await db.query(sql.unsafe`
    insert into account.passkeys (id, user_id, credential_id, public_key, rp_id, name)
    values (gen_random_uuid(), ${member.userId}, 'known', '', 'localhost', 'mine')`)
  const named = new TestBrowser(base).adopt(member.cookie)
  const token = tokenOf(await named.get('/app/you'))
  t.equal((await named.post('/app/passkeys/register', { token })).status, 403)
  t.equal((await browser.post('/app/passkeys/sign-in', {})).status, 409, 'an address has no passkeys')
})
