import { existsSync } from 'node:fs'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { chromiumPath, startBrowser, watchedPage } from '../support/browser.ts'
import { filesStack } from '../support/files-stack.ts'
import { testOrg } from '../support/ingress.ts'
import { browserCookie, get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`
const stack = await filesStack(t, { areas: ['app', 'account', 'bots'] })
const { db, ingress } = stack.base
const { url } = ingress
const { org } = await testOrg(db, [], { plan: 'unlimited' })
const [developer, viewer, stranger] = await Promise.all([
  signedIn(db, url, org.id, 'developer'),
  signedIn(db, url, org.id, 'viewer'),
  testOrg(db, []).then((other) => signedIn(db, url, other.org.id, 'owner')),
])
const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')

async function newBot(fields: Record<string, string> = {}): Promise<string> {
  const given = { name: 'Desk <b>', system_prompt: 'Be kind to {{who}}.', fallback: 'No idea.', ...fields }
  const made = await submit(url, '/app/bots/new?from=own', developer, given)
  const [, id] = /\/app\/bots\/([0-9a-f-]{36})\/documents$/.exec(made.headers.get('location') ?? '') ?? []
  if (!id) throw new Error(`${made.status} ${made.text}`)
  return id
}

t.test('a bot is created, fed, asked and embedded in the browser alone', { skip }, async (t) => {
  await stack.base.startWorkers({ CLAMD_SOCKET: stack.clamd.socket }, 'core,scan,web,llm')
  const context = await (await startBrowser(t)).newContext()
  await context.addCookies([browserCookie(url, developer)])
  const { page, errors } = await watchedPage(context)

  await page.goto(`${url}/app/bots`)
  await page.locator('.empty').getByRole('link', { name: 'Create bot' }).click()
  await page.locator('.choices a', { hasText: 'Support desk' }).click()
  await page.fill('#name', 'Harbour Help')
  await page.fill('#value_company', 'Harbour Bikes')
  await page.getByRole('button', { name: 'Create bot' }).click()
  await page.waitForURL(/\/documents$/)
  const bot = page.url().split('/').at(-2)

  await page.getByRole('link', { name: 'Upload file' }).first().click()
  const text = '# Returns\n\nBicycles can be returned within thirty days.\n'
  await page.setInputFiles('#file', { name: 'returns.md', mimeType: 'text/markdown', buffer: Buffer.from(text) })
  await page.click('form[data-upload] .start')
  await page.waitForURL(/\/documents$/)
  const row = page.locator('tbody tr', { hasText: 'returns' })
  await row.locator('.badge.good', { hasText: 'ready' }).waitFor({ timeout: 60_000 })

  const other = await context.newPage()
  await other.goto(`${url}/app/bots/${bot}/documents/upload`)
  await other.setInputFiles('#file', { name: 'bad.txt', mimeType: 'text/plain', buffer: Buffer.from(eicar) })
  await other.click('form[data-upload] .start')
  await other.locator('.fault[role=alert]', { hasText: 'the result of the virus scan is “infected”' }).waitFor()
  await other.close()

  await page.getByRole('link', { name: 'Try it' }).click()
  await page.fill('#message', 'How long can bicycles be returned?')
  await page.keyboard.press('Enter')
  await page.locator('.sources a', { hasText: 'returns' }).waitFor()
  t.match(await page.textContent('.sources q'), 'Bicycles can be returned within thirty days.')
  await page.getByRole('link', { name: 'New conversation' }).click()
  await page.fill('#message', 'Kes laulab kirikus?')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.chat .badge', { hasText: 'no answer' }).waitFor()
  await page.locator('.chat').getByRole('link', { name: 'Show unanswered questions' }).click()
  t.match(await page.textContent('tbody'), 'Kes laulab kirikus?')

  await page.getByRole('link', { name: 'Embed', exact: true }).click()
  t.match(await page.textContent('.code code'), 'key="bt_site_…"')
  await page.fill('#origins', url)
  await page.getByRole('button', { name: 'Create public key' }).click()
  await page.getByText('Public key created.').waitFor()
  const snippet = (await page.textContent('.code code')) ?? ''
  const [, key = ''] = /<mill-bot key="(bt_site_[^"]+)" bot="[0-9a-f-]{36}"><\/mill-bot>/.exec(snippet) ?? []
  const visited = await ingress.ask(`GET /v1/bots/${bot}/visit`, { key, headers: { origin: url } })
  t.match(visited.body, { bot_id: bot, name: 'Harbour Help' })
  await page.reload()
  t.match(await page.textContent('.code code'), key, 'the public key stays readable')
  t.same(errors, [])
})

t.test('a form keeps its values and has a fault at each invalid field', async (t) => {
  const given = {
    name: '',
    languages: 'en, ??',
    retention_days: 'long',
    system_prompt: '{{',
    starter_questions: 'Why?',
  }
  const refused = await submit(url, '/app/bots/new?from=own', developer, given)
  t.equal(refused.status, 400)
  for (const field of ['name', 'languages', 'retention_days'])
    t.match(refused.text, `id="${field}-fault"`, `${field} has a fault`)
  t.match(refused.text, 'Why?')
  const bot = await newBot()
  const prompt = await submit(url, `/app/bots/${bot}/instructions`, developer, {
    system_prompt: 'To {{',
    max_tokens: '1',
  })
  t.match(prompt.text, /id="max_tokens-fault"/)
  const text = await submit(url, `/app/bots/${bot}/documents/text`, developer, { title: '', text: ' ', url: 'ftp://a' })
  t.match(text.text, /id="title-fault"[\s\S]*id="text-fault"[\s\S]*id="url-fault"/)
  const key = await submit(url, `/app/bots/${bot}/embed`, developer, { name: 'pages', origins: 'shop' })
  t.match(key.text, /id="origins-fault"/)
  const unconfirmed = await signedIn(db, url, org.id, 'developer', { steppedUp: false })
  const asked = await submit(url, `/app/bots/${bot}/embed`, unconfirmed, { name: 'x', origins: 'https://evil.example' })
  t.match(asked, { status: 403, text: /Confirm your identity/ }, 'a public key needs a confirmation, as every key')
  t.notMatch(asked.text, /bt_site_\w/)
  const none = await submit(url, `/app/bots/${bot}/embed`, developer, { name: 'pages', origins: '' })
  t.match(none.text, /id="origins-fault"/)
  const action = await submit(url, `/app/bots/${bot}/actions/new`, developer, { name: 'A', parameters: '{', url: 'a' })
  t.match(action.text, /id="parameters-fault"/)
  const large = { bytes: '999999999', filename: 'a.pdf', type: 'application/pdf' }
  t.match((await submit(url, `/app/bots/${bot}/documents/upload`, developer, large)).text, /must be at most 20 MiB/)
})

t.test('a bot with an old version of its template is given the newest, and keeps its values', async (t) => {
  const fields = { name: 'Old desk', value_company: 'Harbour Bikes' }
  const made = await submit(url, '/app/bots/new?from=support-desk', developer, fields)
  const [, id = ''] = /\/app\/bots\/([0-9a-f-]{36})/.exec(made.headers.get('location') ?? '') ?? []
  const path = `/app/bots/${id}/instructions`
  t.notMatch((await get(url, path, developer)).text, '/renew')
  await db.query(sql.typeAlias('void')`update bots.versions set template_version = 1 where bot_id = ${id}`)
  t.match((await get(url, path, developer)).text, 'Use version 2')
  t.equal((await submit(url, `/app/bots/${id}/renew`, viewer, {})).status, 403)
  t.equal((await submit(url, `/app/bots/${id}/renew`, stranger, {})).status, 404)
  t.equal((await submit(url, `/app/bots/${id}/renew`, developer, {})).headers.get('location'), path)
  const { text } = await get(url, path, developer)
  t.notMatch(text, '/renew')
  t.match(text, /Support desk<\/strong>, version 2[\s\S]*value="Harbour Bikes"/)
})

t.test('instructions, settings, texts and actions are edited, and a bot is published and deleted', async (t) => {
  const bot = await newBot({ value_who: 'guests' })
  const at = `/app/bots/${bot}`
  t.match((await get(url, `${at}/instructions`, developer)).text, /Be kind to \{\{who\}\}\.[\s\S]*value="guests"/)
  const persona = { system_prompt: 'Greet {{who}} and {{whom}}.', value_who: 'all', fallback: 'No.', greeting: 'Hi' }
  t.equal((await submit(url, `${at}/instructions`, developer, persona)).status, 303)
  t.match((await get(url, `${at}/instructions`, developer)).text, /value="all"[\s\S]*name="value_whom"/)
  t.equal((await submit(url, `${at}/settings`, developer, { name: 'Desk', handover: 'yes' })).status, 303)
  t.equal((await submit(url, `${at}/documents/text`, developer, { title: 'A <i>', text: 'Ferries sail.' })).status, 303)
  const list = await get(url, `${at}/documents`, developer)
  const [path = ''] = /\/app\/bots\/[^"]+\/documents\/[0-9a-f-]{36}(?=")/.exec(list.text) ?? []
  t.match((await get(url, path, developer)).text, /A &lt;i&gt;[\s\S]*Ferries sail\./)
  t.equal((await submit(url, `${path}/remove`, developer, {})).status, 303)
  t.match((await get(url, `${at}/documents`, developer)).text, /No documents yet/)
  const fields = { name: 'status', description: 'Looks up.', url: 'https://shop.example/a' }
  t.match((await submit(url, `${at}/actions/new`, developer, fields)).text, /whsec_/)
  const [edit = ''] = /\/app\/bots\/[^"]+\/actions\/[0-9a-f-]{36}(?=")/.exec(
    (await get(url, `${at}/actions`, developer)).text,
  ) ?? ['']
  t.equal((await submit(url, `${edit}/edit`, developer, { ...fields, name: 'order_status' })).status, 303)
  t.match((await get(url, edit, developer)).text, /order_status/)
  t.equal((await submit(url, `${at}/publish`, developer, {})).status, 303)
  t.match((await get(url, `${at}/settings`, developer)).text, /Withdraw bot/)
  t.equal((await submit(url, `${at}/withdraw`, developer, {})).status, 303)
  t.equal((await submit(url, `${at}/delete`, developer, {})).status, 303)
  t.equal((await get(url, at, developer)).status, 404)
})

t.test('the page of a call has the member’s own IDs in curl, Node and Python', async (t) => {
  const bot = await newBot()
  const { text } = await get(url, `/app/bots/${bot}`, developer)
  t.match(text, `/v1/bots/${bot}/chat`)
  t.match(text, `data-call="Node"`)
  t.match(text, new RegExp(`millrace\\.bots\\.chat\\.create\\([\\s\\S]{0,60}${bot}`))
})

t.test('a viewer reads bots and changes nothing, and no other organisation finds them', async (t) => {
  const bot = await newBot()
  t.notMatch((await get(url, '/app/bots', viewer)).text, /Create bot/)
  t.match((await get(url, `/app/bots/${bot}`, viewer)).text, 'Desk &lt;b&gt;')
  t.notMatch((await get(url, `/app/bots/${bot}/documents`, viewer)).text, /Upload file|formaction/)
  for (const path of [
    'new',
    ...['try', 'embed', 'instructions', 'conversations', 'settings', 'delete'].map((tab) => `${bot}/${tab}`),
  ])
    t.equal((await get(url, `/app/bots/${path}`, viewer)).status, 403, path)
  for (const path of ['new?from=own', `${bot}/try`, `${bot}/embed`, `${bot}/publish`, `${bot}/documents/text`])
    t.equal((await submit(url, `/app/bots/${path}`, viewer, { name: 'x', message: 'x' })).status, 403, path)
  for (const path of ['', '/documents', '/try', '/embed', '/conversations'])
    t.equal((await get(url, `/app/bots/${bot}${path}`, stranger)).status, 404, path)
  t.equal((await submit(url, `/app/bots/${bot}/try`, stranger, { message: 'x' })).status, 404)
  const counted = sql.type(z.object({ count: z.number() }))`
    select count(*) from bots.conversations where bot_id = ${bot}`
  t.match(await db.one(counted), { count: 0 })
})
