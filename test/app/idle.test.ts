import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { chromiumPath, startBrowser } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import type { Scope } from '../support/postgres.ts'
import { browserCookie, get, type SignedIn, signedIn, submit } from './fixture.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`
const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account'] })
const { org } = await testOrg(db, [])

/** Has a session end that many seconds from now, as one that was last used that many minutes before. */
async function leave({ sessionId }: SignedIn, seconds: number, minutes = 28): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update account.browser_sessions set seen_at = now() - ${minutes} * interval '1 minute',
      idle_until = now() + ${seconds} * interval '1 second' where id = ${sessionId}`)
}

/** Seconds until a session ends unless it is used. */
const leftOf = async ({ sessionId }: SignedIn): Promise<number> =>
  await db.oneFirst(sql.type(z.object({ left: z.number() }))`
    select extract(epoch from idle_until - now())::float8 as left from account.browser_sessions where id = ${sessionId}`)

t.test('asking when a session ends is no use of it, and neither is watching a page', async (t) => {
  const member = await signedIn(db, url, org.id, 'developer')
  await leave(member, 90)
  const told = await get(url, '/app/prolong', member)
  t.match(told.text, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  t.equal(told.headers.get('cache-control'), 'no-store')
  const ending = new AbortController()
  const headers = { cookie: member.cookie }
  t.equal((await fetch(`${url}/app/regions?watch=none`, { headers, signal: ending.signal })).status, 200)
  ending.abort()
  t.ok((await leftOf(member)) <= 90)
  const prolonged = await submit(url, '/app/prolong', member, {})
  t.ok(Date.parse(prolonged.text) > Date.now() + 29 * 60_000)
  t.ok((await leftOf(member)) > 29 * 60)
})

t.test('a session goes on by a form of its own alone, and one that is over by none', async (t) => {
  const member = await signedIn(db, url, org.id, 'viewer')
  t.equal((await submit(url, '/app/prolong', member, { token: 'x' })).status, 403)
  const elsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  t.equal((await submit(url, '/app/prolong', member, {}, elsewhere)).status, 403)
  await leave(member, -1)
  t.equal((await submit(url, '/app/prolong', member, {})).status, 401)
  t.equal((await get(url, '/app/prolong', member)).headers.get('location'), '/app/sign-in')
  t.equal((await ask(url, 'GET /app/prolong')).status, 303)
})

t.test('whoever does nothing is warned, stays by one button, and is led to sign in at the end', { skip }, async (t) => {
  const member = await signedIn(db, url, org.id, 'developer')
  const page = await pageOf(t, member)
  const warning = page.getByRole('alertdialog')
  await page.goto(`${url}/app/keys/new`)
  await page.getByLabel('Name', { exact: true }).fill('half written')
  await page.clock.fastForward('27:00')
  t.notOk(await warning.isVisible(), 'nobody is warned early')

  await leave(member, 90)
  await page.clock.fastForward('01:30')
  await warning.waitFor()
  t.match(await warning.textContent(), /You will be signed out at \d\d:\d\d/)
  t.ok((await leftOf(member)) <= 90, 'the warning itself prolongs nothing')
  t.equal(await page.evaluate('document.activeElement.textContent'), 'Stay signed in')
  await page.keyboard.press('Enter')
  await warning.waitFor({ state: 'hidden' })
  t.ok((await leftOf(member)) > 29 * 60)
  t.equal(await page.evaluate('document.activeElement.id'), 'name', 'the focus is where it was')
  t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'half written')

  await leave(member, 0)
  await page.clock.fastForward('31:00')
  await page.waitForURL(`${url}/app/sign-in?to=%2Fapp%2Fkeys%2Fnew`)
})

t.test('the warning goes by itself once another tab is used', { skip }, async (t) => {
  const member = await signedIn(db, url, org.id, 'developer')
  const page = await pageOf(t, member)
  const warning = page.getByRole('alertdialog')
  await leave(member, 90, 0)
  await page.goto(`${url}/app/you`)
  await page.clock.fastForward('00:02')
  await warning.waitFor()
  await leave(member, 90)
  await get(url, '/app/keys', member)
  await page.clock.fastForward('00:11')
  await warning.waitFor({ state: 'hidden' })
  t.equal(new URL(page.url()).pathname, '/app/you')
})

t.test('who reaches the end of their time for one sign-in is told that nothing prolongs it', { skip }, async (t) => {
  const member = await signedIn(db, url, org.id, 'developer')
  const page = await pageOf(t, member)
  await leave(member, 60)
  await db.query(sql.typeAlias('void')`
    update account.browser_sessions set expires_at = idle_until where id = ${member.sessionId}`)
  await page.goto(`${url}/app/you`)
  await page.clock.fastForward('00:02')
  const warning = page.getByRole('alertdialog', { name: 'Your session ends soon' })
  await warning.waitFor()
  await warning.getByRole('button', { name: 'Close' }).click()
  await warning.waitFor({ state: 'hidden' })
  t.ok((await leftOf(member)) <= 60)
})

/** A page in a browser of its own, signed in, whose clock goes as the test says. */
async function pageOf(t: Scope, member: SignedIn): Promise<Page> {
  const context = await (await startBrowser(t)).newContext()
  await context.addCookies([browserCookie(url, member)])
  const page = await context.newPage()
  await page.clock.install()
  return page
}
