import t from 'tap'
import { createOutboundClient } from '#lib/http.ts'
import { newId } from '#lib/ids.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import * as connections from '#sql/account/people/connections.ts'
import * as members from '#sql/account/people/members.ts'
import { sql } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import { inviteByLink } from '#tasks/account/rules/invitations.ts'
import { connectProvider } from '#tasks/account/rules/providers.ts'
import { providers } from '../../ingress/app/provider-client.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { signedIn, tokenOf } from './fixture.ts'
import { identityProvider, type Says } from './provider.ts'
import { actionsOf, mailTo, secret, TestBrowser } from './sign-in-fixture.ts'

const { db } = await testDatabase(t)
const provider = await identityProvider(t)
const port = Number(new URL(provider.issuer).port)
const allowed = createOutboundClient({ allowed: ['127.0.0.1'], ports: [port] })
t.teardown(() => allowed.close())
const { url } = await testIngress(t, db, [], {
  only: ['app', 'account'],
  services: [provide(signingSecret, secret), provide(providers, allowed)],
})
const { org } = await testOrg(db)
const owner = await signedIn(db, url, org.id, 'owner')
const doer = { orgId: org.id, role: 'owner', actor: { kind: 'user', id: owner.userId, name: 'owner' } } as const
const wanted = {
  issuer: provider.issuer,
  client_id: 'millrace',
  client_secret: 'shared',
  domains: ['corp.example', 'other.example'],
  required: true,
  default_role: 'developer',
  takes_unmarked_email: false,
} as const
const { id } = await db.transaction((tx) =>
  connectProvider(tx, doer, { ...wanted, domains: [...wanted.domains] }, secret),
)
await db.query(
  sql.typeAlias('void')`${domains.table.insert({
    id: newId(),
    org_id: org.id,
    domain: 'corp.example',
    return_path: 'bounce.corp.example',
    status: 'verified',
    verified_by: 'dns',
  })}`,
)

t.beforeEach(async () => {
  await db.query(sql.unsafe`truncate account.limits`)
})

/** A browser that was sent to the provider, and the address it was sent to. */
async function sent(browser = new TestBrowser(url)) {
  const page = await browser.post('/app/sign-in/provider', { id })
  t.equal(page.status, 200)
  return { browser, address: (/href="(http[^"]+authorize[^"]+)"/.exec(page.text)?.[1] ?? '').replaceAll('&amp;', '&') }
}

const ann = { sub: 'ann', email: 'Ann@corp.example', email_verified: true }

t.test(
  'who has a verified address of a proven domain joins, and is the same by the subject from then on',
  async (t) => {
    const asked = await new TestBrowser(url).post('/app/sign-in', { email: 'new@corp.example' })
    t.equal(asked.headers.get('location'), `/app/sign-in/provider/${id}`, 'the domain leads to the provider')
    const { browser, address } = await sent()
    const asking = new URL(address).searchParams
    t.match(Object.fromEntries(asking), { code_challenge_method: 'S256', state: /./, nonce: /./, scope: /openid/ })
    const back = provider.signIn(address, ann)
    const kept = new Map(browser.cookies)
    t.equal((await browser.get(back, { 'sec-fetch-site': 'cross-site' })).status, 200)
    t.match((await browser.get('/app/you')).text, 'ann@corp.example')
    const replay = new TestBrowser(url)
    for (const [name, value] of kept) replay.cookies.set(name, value)
    t.equal((await replay.get(back)).status, 403, 'an answer is good once')

    const again = await sent()
    await again.browser.get(provider.signIn(again.address, { sub: 'ann' }))
    t.match((await again.browser.get('/app/you')).text, 'ann@corp.example')
    t.same((await actionsOf(db, org.id)).slice(0, 3), ['provider.connected', 'member.joined', 'session.began'])
  },
)

t.test('nobody joins by an address that is not verified, or of a domain that is not proven', async (t) => {
  for (const says of [
    { sub: '1', email: 'bob@corp.example' },
    { sub: '2', email: 'bob@corp.example', email_verified: false },
    { sub: '3', email: 'bob@other.example', email_verified: true },
    { sub: '4', email: 'bob@elsewhere.example', email_verified: true },
    { sub: '5' },
    { sub: '6'.repeat(5_000), email: 'bob@corp.example', email_verified: true },
  ]) {
    const { browser, address } = await sent()
    t.equal((await browser.get(provider.signIn(address, says))).status, 403, JSON.stringify(says).slice(0, 100))
    t.notOk(browser.session)
  }
})

t.test('claims come from UserInfo where the ID token has none, and what is missing is named', async (t) => {
  const signIn = async (says: Says) => {
    const { browser, address } = await sent()
    const { status, text } = await browser.get(provider.signIn(address, says))
    return { status, text, browser }
  }
  const info = { email: 'info@corp.example', email_verified: true, name: 'Info' }
  const { status, browser } = await signIn({ sub: 'info', info })
  t.equal(status, 200)
  t.match((await browser.get('/app/you')).text, 'info@corp.example')
  t.equal((await signIn({ sub: 'text', info: { email: 'text@corp.example', email_verified: 'true' } })).status, 200)
  t.match(await signIn({ sub: 'none', info: {} }), { status: 403, text: /no `email` claim/ })
  const unmarked = { sub: 'unmarked', info: { email: 'unmarked@corp.example' } }
  t.match(await signIn(unmarked), { status: 403, text: /no `email_verified` claim/ })
  t.match(await signIn({ sub: 'false', info: { email: 'f@corp.example', email_verified: false } }), {
    status: 403,
    text: /has not verified/,
  })
  const strange = { ...info, email: 'nul@corp.example', name: 'N\0\ud83d' }
  t.equal((await signIn({ sub: 'nul', info: strange })).status, 200, 'a name with characters that no row can hold')
  t.match(await signIn({ ...ann, sub: 'a\0nn' }), { status: 403, text: /invalid characters/ })
  t.equal((await signIn({ sub: 'swapped', info: { ...info, sub: 'ann' } })).status, 502, 'of somebody else')
  t.equal((await signIn({ ...ann, forged: true })).status, 502, 'the signature is of another key')
  await db.query(sql.unsafe`update account.connections set takes_unmarked_email = true where id = ${id}`)
  t.teardown(() => db.query(sql.unsafe`update account.connections set takes_unmarked_email = false where id = ${id}`))
  t.equal((await signIn(unmarked)).status, 200)
  t.match(await signIn({ sub: 'far', info: { email: 'far@other.example' } }), { status: 403, text: /other.example/ })
})

t.test('another state, another nonce, another browser: nothing', async (t) => {
  const one = await sent()
  const back = provider.signIn(one.address, ann)
  t.equal((await new TestBrowser(url).get(back)).status, 403, 'a browser that did not ask')
  t.equal((await one.browser.get(back.replace(/state=[^&]+/, 'state=other'))).status, 502)
  const two = await sent()
  t.equal((await two.browser.get(provider.signIn(two.address, { ...ann, nonce: 'other' }))).status, 502)
  const three = await sent()
  const four = await sent()
  const mixed = provider
    .signIn(four.address, ann)
    .replace(/state=[^&]+/, `state=${new URL(three.address).searchParams.get('state')}`)
  t.equal((await three.browser.get(mixed)).status, 502, 'the code of another browser')
  for (const { browser } of [one, two, three]) t.notOk(browser.session)
})

t.test('it confirms nothing in an organisation to which the session was switched meanwhile', async (t) => {
  const other = (await testOrg(db)).org
  const member = await signedIn(db, url, org.id, 'admin', { steppedUp: false })
  await db.transaction(async (tx) => {
    await members.insert(tx, { org_id: other.id, user_id: member.userId, role: 'owner', invited_by: null })
    await connections.identify(tx, {
      connection_id: id,
      issuer: provider.issuer,
      subject: 'switched',
      user_id: member.userId,
    })
  })
  const browser = new TestBrowser(url).adopt(member.cookie)
  const tokenNow = async () => tokenOf(await browser.get('/app/you'))
  const fields = JSON.stringify({ email: 'new@corp.example', role: 'viewer' })
  const begun = { token: await tokenNow(), to: '/app/members/invite', fields }
  const page = await browser.post('/app/step-up/provider', begun)
  const to = (/href="(http[^"]+authorize[^"]+)"/.exec(page.text)?.[1] ?? '').replaceAll('&amp;', '&')
  t.equal((await browser.post(`/app/you/organisations/${other.id}`, { token: await tokenNow() })).status, 303)
  const says = { sub: 'switched', auth_time: Math.floor(Date.now() / 1000) }
  const answered = await browser.get(provider.signIn(to, says))
  t.equal(answered.status, 403)
  t.notMatch(answered.text, 'data-continue')
  const steps = sql.unsafe`select stepped_up_at from account.browser_sessions where id = ${member.sessionId}`
  t.equal(await db.oneFirst(steps), null, 'the session of the other organisation is not confirmed')
})

t.test('it confirms when it has asked anew, as the same person', async (t) => {
  const { browser, address } = await sent()
  await browser.get(provider.signIn(address, ann))
  const confirm = async (says: object) => {
    const token = tokenOf(await browser.get('/app/you'))
    const fields = JSON.stringify({ email: 'new@corp.example', role: 'viewer' })
    const page = await browser.post('/app/step-up/provider', { token, to: '/app/members/invite', fields })
    const to = (/href="(http[^"]+authorize[^"]+)"/.exec(page.text)?.[1] ?? '').replaceAll('&amp;', '&')
    t.equal(new URL(to).searchParams.get('max_age'), '0')
    return await browser.get(provider.signIn(to, { ...ann, ...says }))
  }
  const now = Math.floor(Date.now() / 1000)
  t.equal((await confirm({})).status, 502, 'it does not say when')
  t.equal((await confirm({ auth_time: now - 300 })).status, 403, 'before this was asked')
  t.equal((await confirm({ auth_time: now, sub: 'eve' })).status, 403, 'somebody else')
  const before = browser.session
  const confirmed = await confirm({ auth_time: now })
  t.not(browser.session, before)
  t.match(confirmed.text, /action="\/app\/members\/invite" data-continue>.*name="email" value="new@corp\.example"/s)
  t.equal(tokenOf(confirmed), tokenOf(await browser.get('/app/you')), 'the form continues in the renewed session')
  const kept = await db.anyFirst(sql.unsafe`select details::text from account.ceremonies where kind = 'oidc_step_up'`)
  for (const details of kept) t.notMatch(details, 'new@corp.example', 'the form is encrypted')
  const token = tokenOf(await browser.get('/app/you'))
  t.equal(
    (await browser.post('/app/passkeys/register', { token })).status,
    403,
    'and opens no way into other organisations',
  )
})

t.test(
  'where it is required, no mail signs in, but for owners; who was removed comes back by no provider',
  async (t) => {
    const member = await signedIn(db, url, org.id, 'viewer')
    await db.query(sql.unsafe`update account.users set email = 'zoe@corp.example' where id = ${member.userId}`)
    const asked = await new TestBrowser(url).post('/app/sign-in', { email: 'zoe@corp.example' })
    t.match(asked.headers.get('location'), '/app/sign-in/provider/')
    await db.query(sql.unsafe`delete from account.members where org_id = ${org.id} and role = 'developer'`)
    const { browser, address } = await sent()
    t.equal((await browser.get(provider.signIn(address, ann))).status, 403)
  },
)

/** A member of an organisation by an address of the domain that must sign in at the provider. */
async function ofDomain(orgId: string, role: 'owner' | 'viewer', name: string) {
  const member = await signedIn(db, url, orgId, role)
  const email = `${name}@corp.example`
  await db.query(sql.unsafe`update account.users set email = ${email} where id = ${member.userId}`)
  return { ...member, email }
}

t.test(
  'where it is required, owners and members of other organisations sign in by mail, and all are answered alike',
  async (t) => {
    const elsewhere = await testOrg(db)
    const [mine, theirs] = [
      await ofDomain(org.id, 'owner', 'boss'),
      await ofDomain(elsewhere.org.id, 'viewer', 'guest'),
    ]
    const bound = await ofDomain(org.id, 'viewer', 'bound')
    const replies = []
    for (const { email } of [mine, theirs, bound, { email: 'nobody@corp.example' }]) {
      const browser = new TestBrowser(url)
      const asked = await browser.post('/app/sign-in', { email })
      const page = await browser.get(asked.headers.get('location') ?? '')
      replies.push(`${asked.status} ${asked.headers.get('location')} ${page.text}`)
      const mail = await mailTo(db, email)
      t.equal(mail !== null, email === mine.email || email === theirs.email, `mail to ${email}`)
      if (!mail) continue
      t.match(page.text, 'href="/app/sign-in/code')
      t.equal((await browser.post('/app/sign-in/code', { code: mail.code })).status, 303, email)
      t.match((await browser.get('/app/you')).text, email)
    }
    t.equal(new Set(replies).size, 1)
  },
)

t.test('where it is required, an invitation begins no session, and sessions from before end', async (t) => {
  const elsewhere = await testOrg(db)
  const operator = { orgId: org.id, role: 'owner', actor: { kind: 'operator', id: null, name: 'test' } } as const
  const invited = (email: string) => db.transaction((tx) => inviteByLink(tx, operator, { email, role: 'viewer' }))
  const fresh = new TestBrowser(url)
  const made = await fresh.post((await invited('fresh@corp.example')).path, { name: 'Fresh' })
  t.match(made.text, 'sign in with its identity provider')
  t.notOk(fresh.session)

  const known = await ofDomain(elsewhere.org.id, 'viewer', 'known')
  const browser = new TestBrowser(url).adopt(known.cookie)
  const token = tokenOf(await browser.get('/app/you'))
  t.match((await browser.post((await invited(known.email)).path, { token })).text, 'sign in with its identity provider')
  t.equal((await new TestBrowser(url).adopt(known.cookie).get('/app')).status, 303)

  const late = await testOrg(db)
  const [boss, viewer] = [
    await ofDomain(late.org.id, 'owner', 'late-boss'),
    await ofDomain(late.org.id, 'viewer', 'late'),
  ]
  const other = await signedIn(db, url, late.org.id, 'viewer')
  const by = { orgId: late.org.id, role: 'owner', actor: { kind: 'user', id: boss.userId, name: 'boss' } } as const
  await db.transaction((tx) => connectProvider(tx, by, { ...wanted, domains: ['corp.example'] }, secret))
  const goesOn = async ({ cookie }: { cookie: string }) => (await new TestBrowser(url).adopt(cookie).get('/app')).status
  t.same([await goesOn(boss), await goesOn(viewer), await goesOn(other)], [200, 303, 200])
})

t.test('who came by a provider sees and ends sessions of its organisation alone', async (t) => {
  const elsewhere = await testOrg(db)
  const here = await ofDomain(org.id, 'viewer', 'both')
  await db.query(sql.unsafe`
    insert into account.members (org_id, user_id, role) values (${elsewhere.org.id}, ${here.userId}, 'viewer')`)
  const there = `millrace_app_${new URL(url).port}=${await sessions.begin(db, {
    ...{ userId: here.userId, orgId: elsewhere.org.id, method: 'mail', steppedUp: false },
    ...{ network: '127.0.0.0/24', agent: 'the other browser' },
  })}`
  const { browser, address } = await sent()
  await browser.get(provider.signIn(address, { sub: 'both', email: here.email, email_verified: true }))
  const page = await browser.get('/app/you')
  t.match(page.text, here.email)
  t.notMatch(page.text, 'the other browser')
  const [{ id: session } = { id: '' }] = await sessions.listOf(db, here.userId, elsewhere.org.id)
  const token = tokenOf(page)
  await browser.post(`/app/you/sessions/${session}/end`, { token })
  await browser.post('/app/you/sessions/end-others', { token })
  t.equal((await new TestBrowser(url).adopt(there).get('/app')).status, 200, 'the other organisation’s goes on')
  t.equal((await new TestBrowser(url).adopt(here.cookie).get('/app')).status, 303, 'its own is ended')
})
