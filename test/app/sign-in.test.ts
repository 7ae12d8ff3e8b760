import { once } from 'node:events'
import { request } from 'node:http'
import t from 'tap'
import * as platform from '#sql/account/platform.ts'
import { sql } from '#sql/db.ts'
import { settle } from '#sql/email/delivery/settle.ts'
import { table as messages } from '#sql/email/messages.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { signedIn, tokenOf } from './fixture.ts'
import { actionsOf, mailTo, secret, TestBrowser } from './sign-in-fixture.ts'

const { db } = await testDatabase(t)
const services = [provide(signingSecret, secret)]
const { url } = await testIngress(t, db, [], { only: ['app', 'account'], services })
const { org } = await testOrg(db)

/** Tries are limited by network as well, which each test begins with anew. */
t.beforeEach(async () => {
  await db.query(sql.unsafe`truncate account.limits`)
})

/** A browser in which a member's address has been typed, and the mail that came. */
async function asked(role: 'owner' | 'viewer' = 'viewer') {
  const member = await signedIn(db, url, org.id, role)
  const browser = new TestBrowser(url)
  const reply = await browser.post('/app/sign-in', { email: member.email.toUpperCase() })
  t.equal(reply.status, 303)
  const mail = await mailTo(db, member.email)
  if (!mail) throw new Error('no mail came')
  return { browser, member, mail }
}

const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

t.test('the code of a mail signs in, once; the cookie is new, HttpOnly and Strict', async (t) => {
  const { browser, mail, member } = await asked()
  browser.cookies.set(`millrace_app_${new URL(url).port}`, 'planted')
  t.match(mail.html, mail.code, 'the HTML of the email has the code')
  t.match(mail.html, `href="${mail.text.match(/https?:\S+link\S+/)?.[0]}"`, 'and the link as a button')
  t.notMatch(mail.html, /<img|<script|src=/, 'without anything from elsewhere')
  const reply = await browser.post('/app/sign-in/code', { code: ` ${mail.code.slice(0, 3)} ${mail.code.slice(3)} ` })
  t.equal(reply.headers.get('location'), '/app')
  const cookie = reply.headers.getSetCookie().find((line) => line.startsWith('millrace_app_')) ?? ''
  t.match(cookie, /^millrace_app_\d+=\w{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/)
  t.not(browser.session, 'planted', 'what was planted before the sign-in is worth nothing after it')
  const page = await browser.get('/app/you')
  t.match(page.text, member.email)
  t.match(page.headers.get('content-security-policy'), "default-src 'none'")

  const again = new TestBrowser(url)
  for (const [name, value] of browser.cookies) if (name.includes('mail')) again.cookies.set(name, value)
  t.equal((await again.post('/app/sign-in/code', { code: mail.code })).status, 401, 'a code is good once')
  t.ok((await actionsOf(db, org.id)).includes('session.began'))
})

t.test('nobody is told which addresses are known', async (t) => {
  const { browser, member } = await asked()
  const known = await new TestBrowser(url).post('/app/sign-in', { email: member.email })
  const stranger = new TestBrowser(url)
  const unknown = await stranger.post('/app/sign-in', { email: 'nobody@members.example' })
  for (const what of ['status', 'text'] as const) t.equal(unknown[what], known[what])
  t.equal(unknown.headers.get('location'), known.headers.get('location'))
  t.equal(await mailTo(db, 'nobody@members.example'), null, 'and strangers get no mail')
  const wrong = await browser.post('/app/sign-in/code', { code: 'abcdef' })
  const wrongToo = await stranger.post('/app/sign-in/code', { code: 'abcdef' })
  t.equal(wrongToo.status, wrong.status)
  t.equal(wrongToo.text, wrong.text)
})

t.test('five tries a mail, and so many mails an address, whatever the browser', async (t) => {
  const { browser, mail, member } = await asked('owner')
  for (let i = 0; i < 5; i++) {
    const reply = await browser.post('/app/sign-in/code', { code: other(mail.code) })
    t.equal(reply.status, 401)
  }
  t.equal((await browser.post('/app/sign-in/code', { code: mail.code })).status, 401, 'the right one comes too late')
  t.notOk(browser.session)
  t.ok((await actionsOf(db, org.id)).includes('session.refused'))

  const more = await Promise.all(
    Array.from({ length: 8 }, () => new TestBrowser(url).post('/app/sign-in', { email: member.email })),
  )
  t.equal(more.filter(({ status }) => status === 303).length, 4, 'with the one before, five in a quarter of an hour')
  t.equal(more.filter(({ status }) => status === 429).length, 4)
})

t.test('strangers use up nothing of a browser or a network from which the person has signed in', async (t) => {
  const { browser, mail, member } = await asked()
  t.equal((await browser.post('/app/sign-in/code', { code: mail.code })).status, 303)
  // Thirty requests of strangers in as many networks.
  await db.query(sql.unsafe`
    insert into account.ceremonies (id, kind, browser_hash, email, details, expires_at)
    select gen_random_uuid(), 'mail', 'h' || n || gen_random_uuid(), ${member.email}, jsonb_build_object('network', '203.0.' || n || '.0/24'),
      now() + interval '10 minutes' from generate_series(1, 30) as n`)
  await db.query(sql.unsafe`delete from account.ceremonies where details ->> 'network' = '127.0.0.0/24'`)
  const ask = (from: TestBrowser) => from.post('/app/sign-in', { email: member.email })
  t.equal((await ask(browser)).status, 303, 'the browser is known')
  t.equal((await ask(new TestBrowser(url))).status, 303, 'the network is known')
  // Four more of each.
  await db.query(sql.unsafe`
    insert into account.ceremonies (id, kind, browser_hash, email, details, expires_at)
    select gen_random_uuid(), kind, browser_hash || n, email, details, expires_at
    from account.ceremonies, generate_series(1, 4) as n where email = ${member.email} and details ? 'place'`)
  t.equal((await ask(browser)).status, 429, 'the browser has five of its own')
  await db.query(sql.unsafe`update account.users set known_places = '{}' where email = ${member.email}`)
  t.equal((await ask(new TestBrowser(url))).status, 429, 'strangers wait')
})

t.test('code, link and token of a mail go when its delivery ends', async (t) => {
  const { mail, member } = await asked()
  const said = () =>
    db.maybeOne(sql.unsafe`
      select m.subject, c.text from email.messages as m left join email.contents as c on c.id = m.content_id
      where m.to_email = ${member.email}`)
  t.match(await said(), { subject: mail.code, text: mail.code })
  const id = await db.oneFirst(
    sql.type(messages.Row.pick({ id: true }))`select id from email.messages where to_email = ${member.email}`,
  )
  const settlement = { message_id: id, leased_by: null, attempts: 1, local_address: null }
  await db.transaction((tx) => settle(tx, [{ ...settlement, retry_ms: 1_000 }]))
  t.match(await said(), { text: mail.code }, 'a retry needs it')
  await db.transaction((tx) => settle(tx, [{ ...settlement, retry_ms: null }]))
  t.same(await said(), { subject: '[code] is your sign-in code for Millrace', text: null })
})

t.test('tries at once count each', async (t) => {
  const { browser, mail } = await asked()
  const replies = await Promise.all(
    Array.from({ length: 12 }, () => browser.post('/app/sign-in/code', { code: other(mail.code) })),
  )
  t.ok(replies.every(({ status }) => status === 401))
  const tries = await db.oneFirst(sql.unsafe`select max(tries) from account.ceremonies where code_hash is not null`)
  t.equal(tries, 5)
})

t.test('a scanner that follows the link and submits it uses nothing up', async (t) => {
  const { browser, mail } = await asked()
  const scanner = new TestBrowser(url)
  t.match((await scanner.get(mail.link)).text, 'Enter the code')
  const token = mail.link.split('/').at(-1) ?? ''
  t.equal((await scanner.post('/app/sign-in/link', { link: token })).status, 401)
  t.notOk(scanner.session)

  const page = await browser.get(mail.link, { 'sec-fetch-site': 'cross-site' })
  t.match(page.text, 'Sign in as')
  t.notOk(browser.session, 'opening it signs nobody in')
  t.equal((await browser.post('/app/sign-in/link', { link: token })).status, 303)
  t.ok(browser.session)
  t.equal((await browser.post('/app/sign-in/link', { link: token })).status, 401, 'a link is good once')
})

t.test('a code that is too old is none', async (t) => {
  const { browser, mail } = await asked()
  await db.query(sql.unsafe`update account.ceremonies set expires_at = now() where used_at is null`)
  t.match((await browser.post('/app/sign-in/code', { code: mail.code })).text, 'Request another code')
})

t.test('forms of other sites, without a token, or with another session’s, are refused', async (t) => {
  const { browser, mail } = await asked()
  const cross = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  t.equal((await browser.post('/app/sign-in/code', { code: mail.code }, cross)).status, 403)
  t.equal((await browser.post('/app/sign-in', { email: 'a@b.example' }, cross)).status, 403)
  const [one, two] = [await signedIn(db, url, org.id, 'viewer'), await signedIn(db, url, org.id, 'viewer')]
  const mine = new TestBrowser(url).adopt(one.cookie)
  const theirs = tokenOf(await new TestBrowser(url).adopt(two.cookie).get('/app/you'))
  const forms = ['/app/sign-out', '/app/you/name', '/app/you/sessions/end-others', '/app/step-up/provider']
  for (const path of [...forms, '/app/passkeys/step-up', '/app/passkeys/register']) {
    for (const fields of [{}, { token: '' }, { token: theirs }]) {
      const reply = await mine.post(path, { name: 'x', ...fields } as Record<string, string>)
      t.ok([400, 403].includes(reply.status), `${path} ${JSON.stringify(fields)}: ${reply.status}`)
    }
    const token = tokenOf(await mine.get('/app/you'))
    t.equal((await mine.post(path, { token, name: 'x' }, cross)).status, 403, `${path} from another site`)
  }
  t.equal((await mine.get('/app/you')).status, 200, 'and the session goes on')
})

t.test('a session ends: idle, by age, by sign-out, from another browser, with the membership', async (t) => {
  const end = async (
    change: (member: Awaited<ReturnType<typeof signedIn>>, browser: TestBrowser) => Promise<unknown>,
  ) => {
    const member = await signedIn(db, url, org.id, 'viewer')
    const browser = new TestBrowser(url).adopt(member.cookie)
    t.equal((await browser.get('/app/you')).status, 200)
    await change(member, browser)
    return (await new TestBrowser(url).adopt(member.cookie).get('/app/you')).headers.get('location')
  }
  const at = '/app/sign-in?to=%2Fapp%2Fyou'
  const past = (column: string) =>
    end(({ sessionId }) =>
      db.query(sql.unsafe`
        update account.browser_sessions set ${sql.identifier([column])} = now() - interval '1 second' where id = ${sessionId}`),
    )
  t.equal(await past('idle_until'), at)
  t.equal(await past('expires_at'), at)
  t.equal(
    await end(async (_, browser) => browser.post('/app/sign-out', { token: tokenOf(await browser.get('/app/you')) })),
    at,
  )
  t.equal(await end(({ userId }) => db.query(sql.unsafe`delete from account.members where user_id = ${userId}`)), at)
  t.equal(
    await end(({ userId }) => db.query(sql.unsafe`update account.users set disabled_at = now() where id = ${userId}`)),
    at,
  )
})

t.test('a session is prolonged at most once a minute, and never past its end', async (t) => {
  const { sessionId, cookie } = await signedIn(db, url, org.id, 'viewer')
  const browser = new TestBrowser(url).adopt(cookie)
  const idle = () =>
    db.oneFirst(sql.unsafe`select idle_until from account.browser_sessions where id = ${sessionId}`) as Promise<Date>
  const first = await idle()
  await browser.get('/app/you')
  t.same(await idle(), first)
  await db.query(sql.unsafe`
    update account.browser_sessions set seen_at = now() - interval '2 minutes', expires_at = now() + interval '5 minutes'
    where id = ${sessionId}`)
  await browser.get('/app/you')
  t.ok((await idle()).getTime() < Date.now() + 301_000)
})

/** Sends a form from another address of this machine, or under another host's name. */
async function sendFrom(path: string, fields: Record<string, string>, given: { localAddress?: string; host?: string }) {
  const { host = new URL(url).host, localAddress } = given
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const sent = request(url + path, { method: 'POST', headers, ...(localAddress !== undefined && { localAddress }) })
  sent.end(new URLSearchParams(fields).toString())
  const [answer] = await once(sent, 'response')
  answer.resume()
  return answer.statusCode as number
}

t.test(
  'a stranger who asks for codes leaves those of a member in another network, up to a bound for all',
  async (t) => {
    const { email } = await signedIn(db, url, org.id, 'viewer')
    const ask = async (localAddress: string) => {
      await db.query(sql.unsafe`truncate account.limits`)
      return await sendFrom('/app/sign-in', { email }, { localAddress })
    }
    for (let i = 0; i < 5; i++) t.equal(await ask('127.0.1.1'), 303)
    t.equal(await ask('127.0.1.2'), 429, 'the stranger’s network has had its own')
    t.equal(await ask('127.0.2.1'), 303, 'the member’s has not')
    await db.query(sql.unsafe`
    insert into account.ceremonies (id, kind, browser_hash, email, details, expires_at)
    select gen_random_uuid(), 'mail', md5(n::text) || md5(n::text), ${email}, jsonb_build_object('network', n::text), now()
    from generate_series(1, 24) as n`)
    t.equal(await ask('127.0.3.1'), 429, 'and so many guesses are all')
  },
)

t.test('the host that passkeys are made for is none that a stranger names', async (t) => {
  t.equal(await sendFrom('/app/passkeys/sign-in', {}, { host: 'evil.example' }), 409)
  const local = `localhost:${new URL(url).port}`
  t.equal(await sendFrom('/app/passkeys/sign-in', {}, { host: local }), 200)
  t.equal(await platform.findRpId(db), null, 'and a challenge fixes none')
})
