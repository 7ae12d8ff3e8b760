import t from 'tap'
import { sql } from '#sql/db.ts'
import { inviteByLink } from '#tasks/account/rules/invitations.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { startBrowser } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { signedIn, tokenOf } from './fixture.ts'
import { actionsOf, mailTo, secret, TestBrowser } from './sign-in-fixture.ts'

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
  // The page that asks for the confirmation has the status 403.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 403/.test(message.text())) errors.push(message.text())
  })
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

  await invite('one@passkeys.example')
  await page.getByRole('button', { name: 'Create a passkey and continue' }).click()
  await page.getByText('Invitation sent to one@passkeys.example.').waitFor()
  await page.goto(`${base}/app/you`)
  await page.getByText(/^Passkey of \d{4}/).waitFor()
  await page.getByLabel('Name of the new passkey').waitFor()

  await page.locator('.account summary').click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.waitForURL(/sign-in/)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${base}/app`)
  const second = await sessionOf()
  t.not(second, first, 'each sign-in has a cookie of its own')

  await db.query(sql.unsafe`update account.browser_sessions set stepped_up_at = now() - interval '11 minutes'`)
  await invite('two@passkeys.example')
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
  await page.getByText('Invitation sent to two@passkeys.example.').waitFor()
  t.not(await sessionOf(), second, 'and so has a confirmation')
  const stolen = new TestBrowser(url).adopt(`millrace_app_${new URL(url).port}=${second}`)
  t.equal((await stolen.get('/app')).status, 303, 'that of before is good no more')

  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await db.query(sql.unsafe`update account.browser_sessions set stepped_up_at = null`)
  await invite('three@passkeys.example')
  t.equal(await page.getByRole('button', { name: /code/ }).count(), 0, 'an email does not replace the passkey')
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
  await page.getByText('The confirmation was cancelled').waitFor()
  await page.getByRole('link', { name: 'Cancel' }).click()
  t.equal(await page.getByLabel('Email').inputValue(), 'three@passkeys.example', 'the form keeps its fields')
  t.match(await actionsOf(db, org.id), [
    'invitation.created',
    'member.joined',
    'session.began',
    'passkey.created',
    'session.confirmed',
    'invitation.created',
    'session.ended',
    'session.began',
    'session.confirmed',
    'invitation.created',
  ])
  t.same(errors, [])

  async function invite(email: string) {
    await page.goto(`${base}/app/members/invite`)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByRole('heading', { name: 'Confirm your identity' }).waitFor()
  }

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

t.test('a member without a passkey confirms with a code by email, and the request continues', async (t) => {
  const member = await signedIn(db, url, org.id, 'admin', { steppedUp: false })
  const browser = new TestBrowser(url).adopt(member.cookie)
  const fields = { email: 'four@passkeys.example', role: 'viewer' }
  const send = async (more: Record<string, string>) => {
    const token = tokenOf(await browser.get('/app/you'))
    return await browser.post('/app/members/invite', { token, ...fields, ...more })
  }
  t.match(await send({}), { status: 403, text: 'Send a code by email' })
  t.match(await send({ confirm_with: 'code', confirm_answer: '000000' }), { status: 403, text: 'The code has expired' })
  t.match(await send({ confirm_with: 'mail' }), { status: 403, text: `to <strong>${member.email}` })
  const mail = await mailTo(db, member.email)
  t.notMatch(mail?.text, '/sign-in/link/', 'a confirmation has no link')
  const thief = new TestBrowser(url)
  for (const [name, value] of browser.cookies) if (/_mail_/.test(name)) thief.cookies.set(name, value)
  t.equal((await thief.post('/app/sign-in/code', { code: mail?.code ?? '' })).status, 401, 'the code signs nobody in')
  const other = mail?.code === '123456' ? '654321' : '123456'
  t.match(await send({ confirm_with: 'code', confirm_answer: other }), { status: 403, text: 'The code is incorrect' })
  const before = browser.session
  const done = await send({ confirm_with: 'code', confirm_answer: mail?.code ?? '' })
  t.equal(done.headers.get('location'), '/app/members')
  t.not(browser.session, before, 'a confirmation has a new cookie')
  t.match((await browser.get('/app/members')).text, 'Invitation sent to four@passkeys.example.')
})

t.test('a code does not replace a passkey, and a session adds no passkey to those that exist', async (t) => {
  const member = await signedIn(db, url, org.id, 'admin', { steppedUp: false })
  const browser = new TestBrowser(url).adopt(member.cookie)
  await db.query(sql.unsafe`
    insert into account.passkeys (id, user_id, credential_id, public_key, rp_id, name)
    values (gen_random_uuid(), ${member.userId}, 'known', '', 'localhost', 'mine')`)
  const named = new TestBrowser(base).adopt(member.cookie)
  const token = tokenOf(await named.get('/app/you'))
  const invitation = { token, email: 'five@passkeys.example', role: 'viewer' }
  const sent = await browser.post('/app/members/invite', { ...invitation, confirm_with: 'mail' })
  t.match(sent, { status: 403, text: 'Confirm your identity with your passkey' })
  t.equal(await mailTo(db, member.email), null)
  t.equal((await named.post('/app/passkeys/register', { token })).status, 403)
  t.match(await named.post('/app/you/passkeys/confirm', { token }), { status: 403, text: 'Confirm with a passkey' })
  t.equal((await browser.post('/app/passkeys/sign-in', {})).status, 409, 'an address has no passkeys')
})
