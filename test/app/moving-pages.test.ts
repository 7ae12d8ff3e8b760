import '../support/moving-environment.ts'
import { existsSync } from 'node:fs'
import t from 'tap'
import { keys } from '../moving/providers.ts'
import { movingStack } from '../moving/stack.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { browserCookie, get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const { db, ingress, source, customer } = await movingStack(t, { areas: ['app', 'account'] })
const { url } = ingress
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

const one = await customer()
const developer = await signedIn(db, url, one.org.id, 'developer')
const viewer = await signedIn(db, url, one.org.id, 'viewer')

const template = { id: 't1', name: 'Bill <b>', subject: 'Bill', html: '<p>{{#formatMoney price}}</p>', text: null }
source.resendList('/templates', [template])
source.answers.set('/templates/t1', () => ({ body: template }))
source.resendList(
  '/contacts',
  [1, 2, 3].map((n) => ({ id: `c${n}`, email: `p${n}@people.example`, unsubscribed: false })),
)

t.test('a member checks an import and applies it', { skip }, async (t) => {
  const { page, errors } = await watchedPage(await startBrowser(t))
  await page.context().addCookies([browserCookie(url, developer)])
  await page.goto(`${url}/app/moving`)
  await page.getByRole('link', { name: 'Start an import' }).first().click()
  await page.getByLabel('Provider', { exact: true }).selectOption('Resend')
  await page.getByRole('button', { name: 'Check import' }).click()
  await page.getByText('or a CSV file is required').waitFor()
  await keepPicture(page, 'moving-form.png')
  await page.getByLabel('API key of the provider').fill(keys.resend)
  await page.getByRole('button', { name: 'Check import' }).click()
  await page.waitForURL(/\/app\/moving\/[0-9a-f-]{36}$/)
  const id = page.url().split('/').at(-1) ?? ''
  await one.reaches(id, 'ready')
  await page.reload()
  await page.getByText('3 can be imported').waitFor()
  await page.getByText('{{#formatMoney price}}').waitFor()
  t.notMatch(await page.content(), keys.resend)
  await keepPicture(page, 'moving-ready.png')
  await page.getByRole('button', { name: 'Apply import' }).click()
  await page.getByText('Import started.').waitFor()
  t.match(await one.reaches(id, 'finished'), { imported: 3, invalid: 1 })
  await page.reload()
  t.equal(await page.getByRole('button', { name: 'Cancel import' }).count(), 0)
  await page.setViewportSize({ width: 390, height: 844 })
  await keepPicture(page, 'moving-finished-390.png')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(`${url}/app/moving`)
  await keepPicture(page, 'moving-list-dark-390.png')
  const wide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
  t.equal(wide, false, 'nothing is wider than the window')
  t.same(
    errors.filter((text) => !text.includes('400')),
    [],
  )
})

t.test('a file is checked and cancelled, and a viewer cannot change imports', async (t) => {
  const csv = 'email\r\nann@people.example\r\nno address\r\n'
  const made = await submit(url, '/app/moving/new', developer, { provider: 'postmark', part: 'suppressions', csv })
  t.equal(made.status, 303, made.text)
  const path = made.headers.get('location') ?? ''
  await one.reaches(path.split('/').at(-1) ?? '', 'ready')
  t.match((await get(url, path, developer)).text, /The address must be/)
  t.equal((await submit(url, path, viewer, { action: 'apply' })).status, 403)
  t.equal((await submit(url, path, developer, { action: 'cancel' })).status, 303)
  t.match(await one.read(path.split('/').at(-1) ?? ''), { status: 'cancelled', imported: 0 })
  t.equal((await submit(url, path, developer, { action: 'apply' })).status, 409)
  const stranger = await signedIn(db, url, (await customer()).org.id, 'developer')
  t.equal((await get(url, path, stranger)).status, 404)
  const none = await submit(url, '/app/moving/new', developer, { provider: 'onesignal', part: 'devices', csv: 'a,b' })
  t.match([none.status, none.text], [400, /is required/])
})
