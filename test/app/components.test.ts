import { existsSync, globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { chromiumPath, startBrowser, watchedPage } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { browserCookie, get, signedIn, submit } from './fixture.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`
const { db } = await testDatabase(t)
const { url } = await testIngress(t, db)
const { org, keys } = await testOrg(db, ['account:keys', 'email:send', 'email:manage'])
const owner = await signedIn(db, url, org.id, 'owner')

t.test('a preset gives a key its scopes without JavaScript, also to a developer only those of the role', async (t) => {
  const developer = await signedIn(db, url, org.id, 'developer')
  const scopesOf = async (preset: string) => {
    const made = await submit(url, '/app/keys/new', developer, { name: preset, mode: 'test', preset })
    const [, id] = /\/app\/keys\/([0-9a-f-]{36})/.exec(made.text) ?? []
    const { text } = await get(url, `/app/keys/${id}`, developer)
    return [...text.matchAll(/<li><code>([a-z]+:[a-z]+)<\/code>/g)].map(([, scope]) => scope)
  }
  t.strictSame(await scopesOf('send'), ['email:send', 'notify:write', 'push:send', 'sms:send', 'whatsapp:send'])
  const read = await scopesOf('read')
  t.ok(read.length > 5 && read.every((scope) => scope?.endsWith(':read') || scope === 'account:logs'), String(read))
  const full = await scopesOf('full')
  t.ok(full.length > read.length, String(full))
  const ofAccount = full.filter((scope) => scope?.startsWith('account:'))
  t.strictSame(ofAccount, ['account:read', 'account:logs', 'account:webhooks'], 'what developers can view and change')
})

t.test('each call that a page shows is an operation of the API', async (t) => {
  const { body } = await ask(url, 'GET /v1/openapi.json')
  const known = Object.values<Record<string, { operationId?: string }>>(body.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  )
  const shown = globSync('ingress/**/dashboard/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/apiCall\(\s*services,\s*'([\w.-]+)'/g)].map(([, id]) => id),
  )
  t.ok(shown.length > 20, String(shown.length))
  t.strictSame(
    shown.filter((id) => !known.includes(id)),
    [],
  )
})

t.test('the active filters of a list are links that remove them', async (t) => {
  const { text } = await get(url, '/app/mail?status=sent&stream=transactional&to=ann@people.example', owner)
  t.match(text, '3<span class="unseen"> active</span>')
  t.match(text, 'href="?stream=transactional&amp;to=ann%40people.example"')
  t.match(text, '<a class="chip clear" href="?">')
  t.notMatch((await get(url, '/app/mail', owner)).text, 'class="chips"')
})

t.test('the audit log tells who did what, and is filtered by action, actor and day', async (t) => {
  await submit(url, '/app/members/invite', owner, { email: 'new@people.example', role: 'viewer' })
  const path = `/app/audit?action=invitation.created&actor=${owner.userId}`
  const today = new Date().toISOString().slice(0, 10)
  const { text } = await get(url, `${path}&since=${today}&until=${today}`, owner)
  t.match(text, 'Created invitation <strong>new@people.example</strong>')
  t.match(text, /<dt>role<\/dt><dd><ins>viewer<\/ins>/)
  t.match((await get(url, `${path}&until=2020-01-01`, owner)).text, 'No entries match these filters.')
  t.equal((await get(url, `${path}&until=some`, owner)).status, 400)
})

t.test('in Chromium', { skip }, async (t) => {
  const context = await (await startBrowser(t)).newContext()
  await context.addCookies([browserCookie(url, owner)])
  const { page, errors } = await watchedPage(context)

  await t.test('scopes are found by search, selected by group, and counted', async (t) => {
    await page.goto(`${url}/app/keys/new`)
    t.equal(await page.locator('.picker-group .boxes:visible').count(), 0, 'the groups are closed')
    await page.getByLabel('Search scopes').fill('whatsapp')
    t.equal(await page.locator('.picker-group label:visible').count(), 3)
    await page.getByRole('button', { name: 'Select all of WhatsApp' }).click()
    t.match(await page.textContent('[data-total]'), /^3 of \d+ selected$/)
    await page.getByLabel('Send only').check()
    t.match(await page.textContent('[data-total]'), /^5 of /)
    await page.locator('input[value="whatsapp:read"]').check()
    t.ok(await page.getByRole('radio', { name: /^Custom/ }).isChecked(), 'the scopes are no preset any more')
  })

  await t.test('the result of an action is a note that can be closed', async (t) => {
    await page.goto(`${url}/app/members/invite`)
    await page.getByLabel('Email').fill('second@people.example')
    await page.locator('main form button').first().click()
    const note = page.locator('.told.toast')
    await note.waitFor()
    await note.getByRole('button', { name: 'Close' }).click()
    t.equal(await note.count(), 0)
  })

  await t.test('a list leads forward, and back to the page before and to the newest', async (t) => {
    for (let n = 0; n < 103; n++) {
      const body = { email: `p${n}@people.example`, consent_source: 'shop' }
      await ask(url, 'POST /send/v1/contacts', { key: keys.main, body })
    }
    const first = () => page.locator('.data tbody th').first().textContent()
    await page.goto(`${url}/app/contacts`)
    const newest = await first()
    await page.getByRole('link', { name: 'Older' }).click()
    const second = await first()
    await page.getByRole('link', { name: 'Older' }).click()
    t.equal(await page.getByRole('link', { name: 'Older' }).count(), 0, 'the last page')
    await page.getByRole('link', { name: 'Newer' }).click()
    t.equal(await first(), second)
    await page.getByRole('link', { name: 'Newest' }).click()
    t.equal(await first(), newest)
  })

  await t.test('a chart shows its values at the cursor, also by keyboard', async (t) => {
    await page.goto(`${url}/app/requests`)
    const canvas = page.locator('.canvas').first()
    await canvas.focus()
    await page.keyboard.press('End')
    t.match(await page.textContent('.plot-tip'), /UTC/)
    await page
      .locator('.canvas')
      .first()
      .hover({ position: { x: 200, y: 60 } })
    t.ok(await page.locator('.plot-tip').isVisible())
  })
  t.strictSame(errors, [])
})
