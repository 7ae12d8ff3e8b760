import { existsSync } from 'node:fs'
import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { chromiumPath, startBrowser, watchedPage } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { addDomain } from '../support/mail-stack.ts'
import { browserCookie, get, signedIn, submit } from './fixture.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`
const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'email'], services: [secret] })

async function scene() {
  const { org } = await testOrg(db, [])
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  return { org, developer, viewer }
}

const ann = { email: 'ann@people.example', consent_source: 'form', name: 'Ann <Lee>', tags: 'vip, eu' }

t.test('what is known of a contact is shown and changed, and told at its field where it is amiss', async (t) => {
  const { developer, viewer } = await scene()
  const path = (await submit(url, '/app/contacts/new', developer, ann)).headers.get('location') ?? ''
  t.match((await get(url, path, viewer)).text, /Ann &lt;Lee&gt;.*eu, vip/s)
  t.notMatch((await get(url, path, viewer)).text, `${path}/edit`)
  const bad = await submit(url, `${path}/edit`, developer, { name: 'Ann', tags: '', attributes: '[1]' })
  t.match([bad.status, bad.text], [400, /id="attributes-fault"/])
  const given = { name: 'Ann', tags: 'new', attributes: '{"city": "Tallinn", "orders": 3}' }
  t.equal((await submit(url, `${path}/edit`, developer, given)).headers.get('location'), path)
  t.match((await get(url, path, viewer)).text, /new.*&quot;city&quot;: &quot;Tallinn&quot;/s)
  await submit(url, `${path}/edit`, developer, { ...given, attributes: '{"orders": 4}' })
  t.notMatch((await get(url, path, viewer)).text, 'Tallinn')
  t.equal((await submit(url, `${path}/edit`, viewer, given)).status, 403)
})

const rows = (...conditions: { field: string; op: string; value: string; path?: string; group?: string }[]) => ({
  group: conditions.map(({ group = '0' }) => group),
  field: conditions.map(({ field }) => field),
  path: conditions.map(({ path = '' }) => path),
  op: conditions.map(({ op }) => op),
  value: conditions.map(({ value }) => value),
})

const vip = { field: 'tag', op: 'has', value: 'vip' }

t.test('a segment is built of rows, counted before it is saved, shown, changed and removed', async (t) => {
  const { developer, viewer } = await scene()
  await submit(url, '/app/contacts/new', developer, ann)
  const given = { name: 'Vips', match: 'all' }
  const builder = await submit(url, '/app/segments/new', developer, { ...given, ...rows(vip), what: 'add:0' })
  t.match(builder.text, /value="vip".*aria-label="Condition 2"/s, 'a row is added, and the first one stays')
  const grouped = await submit(url, '/app/segments/new', developer, { ...given, ...rows(vip), what: 'group' })
  t.match(grouped.text, 'Group 1: counts as one condition')
  const two = rows(vip, { field: 'name', op: 'contains', value: 'ann lee ' })
  const dropped = await submit(url, '/app/segments/new', developer, { ...given, ...two, what: 'drop:0' })
  t.notMatch(dropped.text, 'value="vip"')
  const counted = (fields: object) => submit(url, '/app/segments/count', developer, { ...given, ...fields })
  t.match((await counted(two)).text, /Matching contacts: <strong>0 confirmed/)
  const one = rows(vip, { field: 'name', op: 'contains', value: 'ann' }, { field: 'tag', op: 'has', value: '' })
  t.match((await counted(one)).text, /<strong>1 confirmed.*For example, ann@people\.example/s)
  t.match((await counted(rows({ field: 'attributes', op: 'eq', value: 'x' }))).text, 'Complete the conditions')
  t.equal((await submit(url, '/app/segments/count', viewer, { ...given, ...one })).status, 403)
  const wrong = rows(vip, { field: 'created_at', op: 'before', value: 'soon' })
  const bad = await submit(url, '/app/segments/new', developer, { name: '', match: 'all', ...wrong })
  t.match([bad.status, bad.text], [400, /id="name-fault".*id="row1-fault">Value must be a time/s])
  const path = (await submit(url, '/app/segments/new', developer, { ...given, ...one })).headers.get('location') ?? ''
  t.match((await get(url, path, viewer)).text, /1 confirmed.*Tag has vip\nName contains ann/s)
  t.match((await get(url, '/app/segments', viewer)).text, 'Tag has vip and Name contains ann')
  t.match((await get(url, `${path}/edit`, developer)).text, /value="vip".*value="ann"/s)
  const changed = rows({ field: 'attributes', path: 'orders', op: 'gte', value: '3' }, { ...vip, group: '1' })
  const saved = await submit(url, `${path}/edit`, developer, { ...given, ...changed, group_match: 'any' })
  t.equal(saved.headers.get('location'), path)
  t.match((await get(url, path, viewer)).text, /Attribute orders is at least 3\nTag has vip/)
  t.equal((await get(url, path, (await scene()).developer)).status, 404)
  t.equal((await submit(url, `${path}/remove`, developer, {})).headers.get('location'), '/app/segments')
  t.equal((await get(url, path, developer)).status, 404)
})

t.test('a campaign tells whom it reaches and why it does not reach others, and asks before it is sent', async (t) => {
  const { org, developer } = await scene()
  await addDomain(db, org.id, 'shop.example')
  for (const name of ['ann', 'bob', 'cat'])
    await submit(url, '/app/contacts/new', developer, { ...ann, email: `${name}@people.example` })
  const imported = await submit(url, '/app/contacts/import', developer, {
    csv: 'email,x\ndan@people.example,1\nodd,2',
    map: '',
  })
  t.match(imported.text, /New<\/dt><dd>1.*Invalid<\/dt><dd>1.*must be an email address/s)
  await submit(url, '/app/suppressions/new', developer, { email: 'bob@people.example', detail: '' })
  const given = {
    ...{ name: 'News', from_email: 'news@shop.example', from_name: '', segment_id: '', preheader: '', text: '' },
    ...{ subject: 'News', html: '<p>Hi' },
  }
  const path = (await submit(url, '/app/campaigns/new', developer, given)).headers.get('location') ?? ''
  const reach =
    /Will receive it<\/dt><dd>2.*Not confirmed<\/dt><dd>1.*Suppressed by a member<\/dt><dd>1|Will receive it<\/dt><dd>2.*Suppressed by a member<\/dt><dd>1.*Not confirmed<\/dt><dd>1/s
  t.match((await get(url, path, developer)).text, reach)
  t.match((await get(url, `${path}/send`, developer)).text, reach)
  t.match((await get(url, `${path}/send`, developer)).text, '<h2 id="sure-title">Send to 2 people?</h2>')
  const asked = await submit(url, `${path}/send`, developer, { send_at: '' })
  t.match([asked.status, asked.text], [200, /Send News to 2 people\?.*name="sure" value="yes"/s])
  t.match((await get(url, path, developer)).text, 'draft')
  t.equal((await submit(url, `${path}/send`, developer, { send_at: '', sure: 'yes' })).headers.get('location'), path)
  t.match((await get(url, path, developer)).text, /data-live="campaign\/[0-9a-f-]+".*sending/s)
})

t.test('in a browser, previews follow the form, rows are added in place, and pages update', { skip }, async (t) => {
  const { org, developer } = await scene()
  await addDomain(db, org.id, 'shop.example')
  await submit(url, '/app/contacts/new', developer, ann)
  const context = await (await startBrowser(t)).newContext()
  await context.addCookies([browserCookie(url, developer)])
  const { page, errors } = await watchedPage(context)

  await page.goto(`${url}/app/templates/new`)
  await page.fill('#subject', 'Order {{number}}')
  await page.fill('#html', '<p>Order {{number}} of {{name|"you"}}</p>')
  await page.fill('#example-0', '17')
  const letter = page.frameLocator('iframe.letter:not(.loading)')
  await letter.getByText('Order 17 of [name]').waitFor()
  await page.getByText('Order 17', { exact: true }).waitFor()
  const before = await page.evaluate('history.length')
  await page.locator('.views').getByText('Text').click()
  await letter.locator('pre', { hasText: 'Order 17 of [name]' }).waitFor()
  t.equal(await page.evaluate('history.length'), before, 'a preview is no step of the history')
  await page.fill('#name', 'Order')
  await page.getByRole('button', { name: 'Create template' }).click()
  await page.getByText('Template created.').waitFor()

  await page.goto(`${url}/app/segments/new`)
  await page.fill('#name', 'Vips')
  await page.fill('#value-0', 'vip')
  await page.getByText('1 confirmed').waitFor()
  await page.getByRole('button', { name: 'Add condition' }).click()
  await page.locator('#field-1').selectOption('created_at')
  t.same(await page.locator('#op-1 option:not([hidden])').allTextContents(), ['is before', 'is on or after'])
  await page.getByRole('button', { name: 'Remove condition 1' }).click()
  await page.locator('#field-1').waitFor({ state: 'detached' })
  t.same([await page.inputValue('#field-0'), await page.inputValue('#name')], ['created_at', 'Vips'])
  await page.fill('#value-0', '2020-01-31')
  await page.locator('#op-0').selectOption('after')
  await page.locator('main').getByRole('button', { name: 'Save segment' }).last().click()
  await page.getByText('Segment saved.').waitFor()

  const given = { ...{ name: 'News', from_email: 'news@shop.example', from_name: '', segment_id: '' }, preheader: '' }
  const body = { ...given, subject: 'News', html: '<p>Hi', text: '' }
  const path = (await submit(url, '/app/campaigns/new', developer, body)).headers.get('location') ?? ''
  await page.goto(`${url}${path}/send`)
  await page.getByRole('button', { name: 'Send campaign' }).click()
  await page.getByRole('heading', { name: 'Send to 1 person?' }).waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Send campaign' }).click()
  await page.getByRole('button', { name: 'Send to 1 person' }).click()
  await page.getByText('Campaign started.').waitFor()
  await page.locator('.region').getByText('sending').waitFor()
  await submit(url, `${path}/cancel`, developer, {})
  await page.locator('.region').getByText('cancelled').waitFor()
  t.same(errors, [])
})

t.test('a campaign is written, changed, seen, tried out, scheduled and cancelled', async (t) => {
  const { org, developer, viewer } = await scene()
  await addDomain(db, org.id, 'shop.example')
  await submit(url, '/app/contacts/new', developer, ann)
  const form = await get(url, '/app/campaigns/new', developer)
  t.match(form.text, 'all confirmed contacts')
  const given = {
    ...{ name: 'News', from_email: 'news@shop.example', from_name: '', segment_id: '', preheader: '', text: '' },
    ...{ subject: 'For {{contact.name|"you"}}', html: '<script>alert(1)</script><p>Hi {{contact.name|"you"}}' },
  }
  const bad = await submit(url, '/app/campaigns/new', developer, { ...given, html: '{{name}}', from_email: 'x' })
  t.match([bad.status, bad.text], [400, /id="from_email-fault".*id="html-fault"/s])
  const path = (await submit(url, '/app/campaigns/new', developer, given)).headers.get('location') ?? ''
  t.match((await get(url, path, viewer)).text, /draft.*&lt;script&gt;/s)
  t.notMatch((await get(url, path, viewer)).text, `${path}/send`)
  await submit(url, `${path}/edit`, developer, { ...given, name: 'Better news' })
  t.match((await get(url, '/app/campaigns', viewer)).text, 'Better news')
  const shown = await submit(url, `${path}/preview`, developer, { contact: ann.email })
  t.match(
    shown.text,
    /For Ann &lt;Lee&gt;.*<iframe[^>]*sandbox[^>]*shown\?contact=ann%40people\.example&amp;view=desktop"/s,
  )
  const mail = await get(url, `${path}/shown?contact=ann%40people.example`, developer)
  t.match(mail.text, '<p>Hi Ann &#60;Lee&#62;')
  t.match(mail.headers.get('content-security-policy'), /default-src 'none'.*; sandbox /)
  const nobody = await submit(url, `${path}/preview`, developer, { contact: 'no@one.example' })
  t.match([nobody.status, nobody.text], [400, /id="contact-fault"/])
  const tested = await submit(url, `${path}/test`, developer, {
    to: 'me@office.example, you@office.example',
    contact: '',
  })
  t.equal(tested.headers.get('location'), path)
  t.match((await get(url, '/app/mail', developer)).text, '[Test] For you')
  await submit(url, `${path}/send`, developer, { send_at: '2999-01-01T10:00', sure: 'yes' }).then(({ status }) =>
    t.equal(status, 400),
  )
  const at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)
  t.equal((await submit(url, `${path}/send`, developer, { send_at: at, sure: 'yes' })).status, 303)
  t.match((await get(url, path, viewer)).text, /scheduled.*Starts/s)
  for (const verb of ['edit', 'test', 'send', 'cancel', 'preview'])
    t.equal((await submit(url, `${path}/${verb}`, viewer, given)).status, 403, verb)
  t.equal((await submit(url, `${path}/cancel`, developer, {})).status, 303)
  t.match((await get(url, path, viewer)).text, 'cancelled')
  const stranger = (await scene()).developer
  for (const page of ['', '/preview', '/shown']) t.equal((await get(url, path + page, stranger)).status, 404, page)
})
