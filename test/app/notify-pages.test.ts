import { existsSync } from 'node:fs'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as templates from '#sql/email/templates.ts'
import * as texts from '#sql/notify/texts.ts'
import { walkRuns } from '#tasks/notify/rules/walk-runs.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { verified } from '../email/sending.ts'
import { chromiumPath, startBrowser, watchedPage } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { browserCookie, get, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'notify'], services: [secret] })

async function scene() {
  const { org, keys } = await testOrg(db, ['notify:read', 'notify:write'])
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  return { org, key: keys.main, developer, viewer }
}

const flow = {
  name: 'Shipped & gone',
  product_key: 'shop',
  type: 'order.shipped',
  steps: [
    { type: 'channel', channel: 'in_app' },
    { type: 'wait', minutes: 10, until: 'unread' },
    { type: 'channel', channel: 'email', conditions: [{ field: 'data.total', operator: 'greater_than', value: '9' }] },
  ],
}

t.test('people are added, listed and found; who may not add them is not offered it', async (t) => {
  const { key, developer, viewer } = await scene()
  t.match((await get(url, '/app/notify/people', viewer)).text, 'No people yet.')
  t.notMatch((await get(url, '/app/notify/people', viewer)).text, '/app/notify/people/new')
  const faulty = await submit(url, '/app/notify/people/new', developer, { user_id: 'ann', email: 'x', phone: '1' })
  t.equal(faulty.status, 400)
  for (const id of ['email-fault', 'phone-fault']) t.match(faulty.text, `id="${id}"`)
  t.equal((await submit(url, '/app/notify/people/new', developer, { user_id: ' ' })).status, 400)
  const added = await submit(url, '/app/notify/people/new', developer, {
    user_id: 'ann <17>',
    email: 'ann@people.example',
    locale: 'de',
  })
  t.equal(added.status, 303)
  t.equal((await submit(url, '/app/notify/people/new', viewer, { user_id: 'x' })).status, 403)
  t.match((await get(url, '/app/notify/people', viewer)).text, 'ann &lt;17&gt;')
  t.match((await get(url, '/app/notify/people?email=ann@people.example', viewer)).text, 'ann &lt;17&gt;')
  t.match(
    (await get(url, '/app/notify/people?email=bob@people.example', viewer)).text,
    'No person has this email address.',
  )
  t.match((await ask(url, 'GET /v1/notify/people/ann%20%3C17%3E', { key })).body, { locale: 'de' })
})

t.test('a workflow is published and taken out of use, and the trace of a run tells each step', async (t) => {
  const { key, developer, viewer } = await scene()
  await ask(url, 'PUT /v1/notify/workflows/shipped', { key, body: flow })
  t.match((await get(url, '/app/notify', viewer)).text, 'Shipped &amp; gone')
  t.notMatch((await get(url, '/app/notify/workflows/shipped', viewer)).text, /shipped\/(publish|edit|add)/)
  t.equal((await submit(url, '/app/notify/workflows/shipped/publish', viewer, {})).status, 403)
  t.equal((await submit(url, '/app/notify/workflows/shipped/publish', developer, {})).status, 303)
  const page = await get(url, '/app/notify/workflows/shipped', developer)
  t.match(page.text, 'version 1')
  t.match(page.text, '<code>data.total</code> is greater than <code>9</code>')
  const body = { product_key: 'shop', type: 'order.shipped', subject_user_id: 'ann', title: 'A secret title' }
  const { run_id } = (await ask(url, 'POST /v1/notify/events', { key, body })).body
  await db.transaction((tx) => walkRuns(tx, [run_id]))
  t.match((await get(url, '/app/notify', viewer)).text, `href="/app/notify/runs/${run_id}">ann</a>`)
  const run = await get(url, `/app/notify/runs/${run_id}`, viewer)
  t.match(run.text, '1. In-app inbox')
  t.match(run.text, /2\. Wait.*waiting/s)
  t.match(run.text, /3\. Email.*not started/s)
  t.notMatch(run.text, 'A secret title')
  t.equal((await submit(url, `/app/notify/runs/${run_id}/cancel`, viewer, {})).status, 403)
  t.equal((await submit(url, `/app/notify/runs/${run_id}/cancel`, developer, {})).status, 303)
  t.match((await get(url, `/app/notify/runs/${run_id}`, viewer)).text, 'cancelled')
  t.match((await get(url, '/app/notify/runs?user=ann', viewer)).text, run_id)
  t.match((await get(url, '/app/notify/runs?user=bob', viewer)).text, 'This person has no runs.')
  t.equal((await submit(url, '/app/notify/workflows/shipped/unpublish', developer, {})).status, 303)
  t.match((await get(url, '/app/notify', viewer)).text, 'not published')
  const stranger = (await scene()).developer
  for (const path of [`/app/notify/runs/${run_id}`, '/app/notify/workflows/shipped'])
    t.equal((await get(url, path, stranger)).status, 404, path)
})

t.test('a workflow of three steps is built, published and tested in the browser', { skip }, async (t) => {
  const { developer, key } = await scene()
  await ask(url, 'PUT /v1/notify/people/ann', { key, body: { name: 'Ann', email: 'ann@people.example' } })
  const { page, errors } = await watchedPage(await (await startBrowser(t)).newContext())
  await page.context().addCookies([browserCookie(url, developer)])
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const cards = () => page.locator('.flow-card h3').allTextContents()

  await page.goto(`${url}/app/notify/create`)
  await page.fill('#name', 'Order paid')
  await page.fill('#product_key', 'shop')
  await page.fill('#type', 'order.paid')
  await press('Create workflow')
  await page.waitForURL(/\/workflows\/order-paid$/)
  const add = async (kind: string) => {
    await page.click('.flow-add .last summary')
    await page.click(`.flow-add .last a[href*="/add/${kind}?"]`)
  }
  await add('email')
  await page.fill('#field_0', 'total')
  await press('Add step')
  t.match(await page.textContent('#field_0-fault'), 'must be data.…', 'a bad condition is shown beside its field')
  errors.splice(0)
  await page.fill('#field_0', 'data.total')
  await page.selectOption('#operator_0', 'greater_than')
  await page.fill('#value_0', '9')
  await press('Add step')
  await add('wait')
  await page.fill('#amount', '2')
  await page.selectOption('#unit', 'hours')
  await page.selectOption('#until', 'unread')
  await press('Add step')
  t.strictSame(await cards(), ['Event', '1. In-app inbox', '2. Email', '3. Wait'])
  await page.getByRole('button', { name: 'Move up step 3' }).click()
  t.strictSame(await cards(), ['Event', '1. In-app inbox', '2. Wait', '3. Email'])
  t.match(await page.textContent('.flow'), 'Continues if the item is still unread after 2 hours')
  await page.getByRole('button', { name: 'Move up step 2' }).click()
  t.match(await page.textContent('.told'), 'requires an earlier step with the channel `in_app`')
  await press('Publish version 1')

  await page.goto(`${url}/app/notify/workflows/order-paid/test`)
  await page.fill('#subject_user_id', 'ann')
  await page.fill('#data', '{"total": 8}')
  await press('Start test')
  const states = () => page.locator('.trace .badge').allTextContents()
  t.strictSame(await states(), ['would run', 'would run', 'would be skipped'], 'a rehearsal sends nothing')
  await page.fill('#data', '{"total": 10}')
  await page.selectOption('#mode', 'send')
  await press('Start test')
  await page.waitForURL(/\/app\/notify\/runs\/[0-9a-f-]{36}$/)
  t.strictSame(await states(), ['not started', 'not started', 'not started'])
  const [runId = ''] = page.url().split('/').slice(-1)
  await db.transaction((tx) => walkRuns(tx, [runId]))
  await page.locator('.flow-card[data-state=waiting]').waitFor()
  t.strictSame(await states(), ['done', 'waiting', 'not started'], 'the trace updates by itself')
  t.strictSame(errors, [])
})

t.test('a text is written with a preview, has versions, and is sent to the member as a test', { skip }, async (t) => {
  const { developer, viewer } = await scene()
  const { page, errors } = await watchedPage(await (await startBrowser(t)).newContext())
  await page.context().addCookies([browserCookie(url, developer)])
  await page.goto(`${url}/app/notify/texts/new?type=order/paid`)
  await page.fill('#title', 'Order {{data.order}} <b>')
  await page.locator('.app-title', { hasText: 'Order 1042 <b>' }).first().waitFor()
  await page.fill('#title', 'Order {{data.order')
  await page.locator('[data-preview-result] .fault').waitFor()
  await page.click('button[value=save]')
  t.match(await page.textContent('#title-fault'), 'not a valid placeholder')
  errors.splice(0)
  await page.fill('#title', 'Order {{data.order}}')
  await page.click('button[value=save]')
  await page.waitForURL(/\/texts\/order%2Fpaid\/en$/)
  t.strictSame(errors, [])
  const path = '/app/notify/texts/order%2Fpaid/en'
  t.equal((await submit(url, path, developer, { title: 'Paid: {{data.order}}' })).status, 303)
  const versions = await get(url, path, developer)
  for (const number of [1, 2]) t.match(versions.text, `Version ${number}</a>`)
  t.match((await get(url, `${path}?version=1`, developer)).text, 'value="Order {{data.order}}"')
  t.equal((await submit(url, path, viewer, { title: 'x' })).status, 403)
  t.equal((await submit(url, `${path}/send`, viewer, {})).status, 403)
  const pushed = await submit(url, `${path}/send`, developer, { channels: 'push' })
  t.match(pushed.text, 'id="user_id-fault"')
  const sent = await submit(url, `${path}/send`, developer, { channels: ['email', 'in_app'], data: '{"order": 7}' })
  const event = await get(url, sent.headers.get('location') ?? '', developer)
  t.match(event.text, 'Paid: 7')
  t.match(event.text, `You (${developer.email})`)
  t.equal((await submit(url, `${path}/delete`, developer, {})).status, 303)
  t.equal((await get(url, path, developer)).status, 404)
})

t.test('a test of a text with an email template sends the template', async (t) => {
  const { org, developer } = await scene()
  await verified(db, org.id, 'template-test.example')
  await templates.insert(db, {
    ...{ id: newId(), org_id: org.id, kind: 'email', alias: 'paid', name: 'Paid', syntax: 'liquid', mjml: null },
    ...{ subject: '{{ title }} for {{ person.name }}', html: '<b>{{ data.order }}</b>', text: null },
    ...{ uses: [], variables: [], test_data: null },
  })
  await texts.put(
    db,
    { org_id: org.id, type: 'order.paid', locale: 'en' },
    { title: 'Paid {{data.order}}', body: null, sms: null, template_id: 'paid' },
  )
  const path = '/app/notify/texts/order.paid/en/send'
  const submitted = await submit(url, path, developer, { channels: ['email', 'in_app'], data: '{"order": "7"}' })
  t.equal(submitted.status, 303, submitted.text)
  const [eventId] = (submitted.headers.get('location') ?? '').match(/[0-9a-f-]{36}/) ?? []
  const Sent = z.object({ to_email: z.string(), subject: z.string(), html: z.string().nullable() })
  t.same(
    await db.any(sql.type(Sent)`
      select m.to_email, m.subject, c.html from notify.copies as y
      join email.messages as m on m.id = y.message_id join email.contents as c on c.id = m.content_id
      where y.event_id = ${eventId ?? ''} and y.status = 'accepted'`),
    [{ to_email: developer.email, subject: 'Paid 7 for Ann Example', html: '<b>7</b>' }],
  )
  await db.query(sql.typeAlias('void')`delete from email.templates where org_id = ${org.id}`)
  const without = await submit(url, path, developer, { channels: 'email', data: '{"order": "7"}' })
  t.match((await get(url, without.headers.get('location') ?? '', developer)).text, /template.missing/)
})

t.test('a viewer changes nothing, and a form from before another change does not replace it', async (t) => {
  const { key, developer, viewer } = await scene()
  await ask(url, 'PUT /v1/notify/workflows/shipped', { key, body: flow })
  const path = '/app/notify/workflows/shipped'
  for (const end of ['/test', '/edit', '/steps/0', '/add/email', '/delete'])
    t.equal((await get(url, path + end, viewer)).status, 403, end)
  for (const end of ['/steps/0/remove', '/steps/0/down', '/steps/1', '/add/email', '/delete', '/test'])
    t.equal((await submit(url, path + end, viewer, {})).status, 403, end)
  t.equal((await submit(url, '/app/notify/create', viewer, { name: 'x' })).status, 403)
  const seen = /name="seen" value="([^"]+)"/.exec((await get(url, path, developer)).text)?.[1] ?? ''
  t.equal((await submit(url, `${path}/add/push`, developer, { seen, at: '3' })).status, 303)
  const late = await submit(url, `${path}/add/email`, developer, { seen, at: '0' })
  t.equal(late.status, 409)
  t.match(late.text, 'Another member has changed this workflow.')
  t.match((await ask(url, 'GET /v1/notify/workflows/shipped', { key })).body.steps, { length: 4 })
  const taken = await submit(url, '/app/notify/create', developer, {
    ...{ name: 'Shipped', product_key: 'shop', type: 'x', fallback_locale: 'en' },
  })
  t.match(taken.text, 'id="key-fault"')
  t.equal((await submit(url, `${path}/publish`, developer, {})).status, 303)
  t.equal((await submit(url, `${path}/steps/3/remove`, developer, {})).status, 303)
  t.match((await get(url, path, developer)).text, 'The draft is different from version 1.')
  t.equal((await submit(url, `${path}/versions/1/restore`, developer, {})).status, 303)
  t.notMatch((await get(url, path, developer)).text, 'The draft is different')
  t.equal((await submit(url, `${path}/delete`, developer, {})).status, 303)
  t.equal((await get(url, path, developer)).status, 404)
})

t.test('the page of a person has a timeline, preferences and the means to change both', async (t) => {
  const { key, developer, viewer } = await scene()
  const path = '/app/notify/person/a%2Fb'
  t.match((await get(url, path, viewer)).text, 'This person is not in the directory.')
  t.match((await submit(url, `${path}/edit`, developer, { data: '[1]' })).text, 'id="data-fault"')
  t.equal((await submit(url, `${path}/edit`, developer, { name: 'A', data: '{"plan": "gold"}' })).status, 303)
  t.match((await ask(url, 'GET /v1/notify/people/a%2Fb', { key })).body.data, { plan: 'gold' })
  const preference = { product_key: 'shop', channels: ['in_app', 'email'], digest: '30' }
  t.equal((await submit(url, `${path}/preferences`, viewer, preference)).status, 403)
  t.match(
    (await submit(url, `${path}/preferences`, developer, { ...preference, digest: '0' })).text,
    'id="digest-fault"',
  )
  t.equal((await submit(url, `${path}/preferences`, developer, preference)).status, 303)
  t.match((await get(url, path, viewer)).text, '30 minutes')
  const given = { product_key: 'shop', type: 'order.paid', subject_user_id: 'a/b', title: 'A secret title' }
  await ask(url, 'POST /v1/notify/events', { key, body: given })
  t.match((await get(url, path, developer)).text, 'A secret title')
  const seen = await get(url, path, viewer)
  t.match(seen.text, /In-app inbox: .*unread/)
  t.notMatch(seen.text, 'A secret title')
  t.equal((await submit(url, `${path}/preferences/remove`, developer, { product_key: 'shop', type: '*' })).status, 303)
  t.equal((await submit(url, `${path}/delete`, developer, {})).status, 303)
})

t.test('a brand is written beside its preview, changed and deleted', async (t) => {
  const { developer, viewer } = await scene()
  t.match((await get(url, '/app/notify/brands', viewer)).text, 'No brands yet')
  const form = { product_key: 'shop', name: 'Shop & Co', color: '#0b6e4f', footer: 'High Street 1\r\nTallinn' }
  const shown = await submit(url, '/app/notify/brands/preview', developer, form)
  t.match(shown.text, /Shop &#38; Co[\s\S]*background:#0b6e4f[\s\S]*High Street 1<br>Tallinn/)
  t.match((await submit(url, '/app/notify/brands/preview', developer, { ...form, view: 'text' })).text, 'High Street 1')
  const bad = await submit(url, '/app/notify/brands/new', developer, { ...form, color: 'red', layout_id: 'none' })
  t.match([bad.status, bad.text], [400, 'id="color-fault"'])
  t.equal((await submit(url, '/app/notify/brands/new', viewer, form)).status, 403)
  const made = await submit(url, '/app/notify/brands/new', developer, form)
  t.equal(made.headers.get('location'), '/app/notify/brands')
  t.match((await get(url, '/app/notify/brands', developer)).text, 'href="/app/notify/brands/shop"')
  await submit(url, '/app/notify/brands/shop', developer, { ...form, name: 'Another name' })
  t.match((await get(url, '/app/notify/brands/shop', developer)).text, 'Another name')
  await submit(url, '/app/notify/brands/shop/delete', developer, {})
  t.equal((await get(url, '/app/notify/brands/shop', developer)).status, 404)
})
