import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import t from 'tap'
import { z } from 'zod'
import * as publicKeys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { botsStack } from './stack.ts'

t.setTimeout(300_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
const stack = await botsStack(t, undefined, ['account'])
const { ask, db, ingress } = stack
await stack.startWorkers()
const bot = await stack.bot({ greeting: 'Hello!', starter_questions: ['When do you open?'] })
let key = ''

const site = createServer(({ url }, response) => {
  const policy = `default-src 'none'; script-src ${ingress.url}; connect-src ${ingress.url}; require-trusted-types-for 'script'`
  response.setHeader('content-security-policy', policy).setHeader('content-type', 'text/html; charset=utf-8')
  response.end(`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>
<script type="module" src="${ingress.url}/v1/bots/element.js"></script><main><h1>Shop</h1><mill-bot ${url === '/framework' ? 'public-key' : 'key'}="${key}" bot="${bot}"></mill-bot></main>`)
}).listen(0, '127.0.0.1')
await once(site, 'listening')
t.teardown(async () => {
  site.closeAllConnections()
  site.close()
})
const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
const orgId = await db.oneFirst(
  sql.type(z.object({ org_id: z.string() }))`select org_id from bots.bots where id = ${bot}`,
)

t.test('a public key talks to bots of its organisation from pages of its origins, and does nothing else', async (t) => {
  const { keys } = await testOrg(db, [], {
    keys: { main: { prefix: 'bt_live_', scopes: ['account:keys', 'bots:write'] } },
  })
  const wanted = { name: 'pages', scopes: ['bots:chat'], public: true }
  const bare = await ask('POST /v1/account/keys', { key: keys.main, body: wanted })
  t.same(fieldsOf(bare), ['body.locks.origins'])
  const made = await ask('POST /v1/account/keys', { key: keys.main, body: { ...wanted, locks: { origins: [origin] } } })
  t.match(made, { status: 201, body: { secret: /^bt_site_/ } }, made.text)
  const foreign = { key: made.body.secret, headers: { origin } }
  t.equal((await ask(`GET /v1/bots/${bot}/visit`, foreign)).status, 404)
  t.equal((await ask(`POST /v1/bots/${bot}/visit/chat`, { ...foreign, body: { message: 'a' } })).status, 404)
  const facts = { name: 'pages', prefix: 'bt_site_' as const, scopes: ['bots:chat'], locks: { origins: [origin] } }
  key = (await publicKeys.create(db, { orgId, ...facts })).secret
  const own = { key, headers: { origin } }
  t.match((await ask(`GET /v1/bots/${bot}/visit`, own)).body, { name: 'Help', greeting: 'Hello!' })
  const said = (body: unknown, headers = own.headers) => ask(`POST /v1/bots/${bot}/visit/chat`, { key, headers, body })
  t.match((await said({ message: 'Hi' })).body.message, { content: 'You said: Hi' })
  t.equal((await said({ message: 'Hi' }, { origin: 'https://else.example' })).status, 403)
  t.equal((await ask(`POST /v1/bots/${bot}/visit/chat`, { key, body: { message: 'a' } })).status, 403)
  for (const message of [null, 0, '', ' ', [], {}, 'x'.repeat(2_001), '\u0000'])
    t.equal((await said({ message })).status, 400)
  for (const more of [{ conversation_id: 'x' }, { stream: 1 }, { user_id: 'a' }, { metadata: {} }])
    t.equal((await said({ message: 'a', ...more })).status, 400)
  t.equal((await ask('GET /v1/bots', own)).status, 403)
  t.equal((await ask(`GET /v1/bots/${bot}/messages`, own)).status, 403)
})

t.test('people talk to a bot, and to a person, on a page: narrow, dark, by the keyboard alone', { skip }, async (t) => {
  const browser = await startBrowser(t)
  const { page, errors } = await watchedPage(browser)
  await page.setViewportSize({ width: 390, height: 700 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(origin)
  const log = () => page.locator('mill-bot .log').textContent()
  const says = (text: string) => until(async () => (await log())?.includes(text), { what: `the log says ${text}` })
  await says('Hello!')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await says('You said: When do you open?')
  await page.locator('mill-bot #text').focus()
  await page.keyboard.type('<b>Bold</b>')
  await page.keyboard.press('Enter')
  await says('You said: <b>Bold</b>')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await until(async () => (await page.locator('mill-bot [role=status]').textContent()) === 'A person will answer here.')
  const [{ conversation_id: id }] = (await ask('GET /v1/bots/conversations')).body.data
  await page.keyboard.type('Is anybody there?')
  await page.keyboard.press('Enter')
  await until(async () => (await ask('GET /v1/bots/conversations')).body.data[0].last_message === 'Is anybody there?')
  const replied = { body: { message: 'Mari <i>here</i>.', author: 'Mari' } }
  t.equal((await ask(`POST /v1/bots/${bot}/conversations/${id}/reply`, replied)).status, 200)
  await says('Mari <i>here</i>.')
  const day = ((new Date().getUTCDay() + 1) % 7) + 1
  const closed = { time_zone: 'UTC', intervals: [{ day, from: '09:00', to: '10:00' }] }
  t.equal((await ask(`PUT /v1/bots/${bot}/hours`, { body: closed })).status, 200)
  await page.locator('mill-bot #email').waitFor()
  t.match(await page.locator('mill-bot [role=status]').textContent(), /^Our team is back: .+ [A-Z]{3}/)
  await page.locator('mill-bot #email').focus()
  await page.keyboard.type('ann@example.net')
  await page.keyboard.press('Enter')
  await until(async () => (await ask('GET /v1/bots/conversations')).body.data[0].visitor_email === 'ann@example.net')
  t.equal((await ask(`DELETE /v1/bots/${bot}/hours`)).status, 200)
  t.equal((await ask(`POST /v1/bots/${bot}/conversations/${id}/close`, { body: {} })).status, 200)
  await page.locator('mill-bot .rating').waitFor()
  const hidden = `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('mill-bot').shadowRoot.querySelector('.log'))`
  await until(async () => Number(await page.evaluate(hidden)) <= 1, { what: 'the newest message is in view' })
  await page.locator('mill-bot [value="3"]').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Kind')
  await page.keyboard.press('Tab')
  await keepPicture(page, 'bot-rating-dark.png')
  await page.keyboard.press('Enter')
  await until(async () => (await page.locator('mill-bot [role=status]').textContent()) === 'Thank you for your rating.')
  const { body: rating } = await ask(`GET /v1/bots/${bot}/conversations/${id}/rating`)
  t.match(rating, { score: 4, comment: 'Kind' })
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  t.same(errors, [])
  await keepPicture(page, 'bot-dark.png')
  // The site's policy blocks external scripts such as axe.
  const { page: looked } = await watchedPage(await browser.newContext({ bypassCSP: true }))
  for (const colorScheme of ['dark', 'light'] as const) {
    await looked.emulateMedia({ colorScheme })
    await looked.goto(colorScheme === 'dark' ? origin : `${origin}/framework`)
    await looked.locator('mill-bot .starters button').click()
    await looked.getByRole('button', { name: 'Talk to a person' }).waitFor()
    await looked.evaluate(axe.source)
    const found = `axe.run(document.querySelector('mill-bot')).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`
    t.same(await looked.evaluate(found), [], colorScheme)
  }
})
