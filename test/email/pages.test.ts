import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as contents from '#sql/email/contents.ts'
import * as messages from '#sql/email/messages.ts'
import { confirmUrl, unsubscribeUrl } from '#tasks/email/rules/consent/unsubscribe-link.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, testIngress, testOrg } from '../support/ingress.ts'

const secret = 'a signing secret of the pages’ tests'
const { db } = await testDatabase(t)
const ingress = await testIngress(t, db, [], { only: ['email'], services: [provide(signingSecret, secret)] })
const [{ org, keys }, other] = await Promise.all([testOrg(db, ['email:manage']), testOrg(db, ['email:manage'])])
const name = '<b>"Ann" & Co</b>'

/** A message to somebody, and the paths of its pages. */
async function sent(to_email: string) {
  const [id, content_id] = [newId(), newId()]
  const content = {
    id: content_id,
    org_id: org.id,
    html: 'x',
    text: null,
    reply_to: null,
    headers: {},
    attachments: [],
  }
  await contents.insertMany(db, [content])
  const row = {
    id,
    org_id: org.id,
    key_id: null,
    sandbox: false,
    stream: 'subscribed' as const,
    domain_id: newId(),
    from_email: 'news@sender.example',
    from_name: name,
    to_email,
    subject: 's',
    content_id,
    campaign_id: null,
    contact_id: null,
    template_id: null,
    message_id: `${id}@sender.example`,
    status: 'delivered' as const,
    reason: null,
  }
  await messages.insertMany(db, [row])
  return { id, unsubscribe: unsubscribeUrl('', id, secret), confirm: confirmUrl('', id, secret) }
}

const get = (path: string) => ingress.ask(`GET ${path}`)
const post = (path: string, options?: Ask) => ingress.ask(`POST ${path}`, options)
const stateOf = async (email: string) => {
  const { body } = await ingress.ask(`GET /send/v1/contacts/${email}`, { key: keys.main })
  return {
    status: body.status,
    history: body.history.map(({ kind, source }: Record<string, string>) => `${kind} ${source}`),
  }
}
const add = (email: string) => ingress.ask('POST /send/v1/contacts', { key: keys.main, body: { email } })

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const multipart = { 'content-type': 'multipart/form-data; boundary=x' }
const field = '--x\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'

t.test('one click unsubscribes: form or multipart, 200, no redirect, and again (RFC 8058)', async (t) => {
  const ways: [string, Ask][] = [
    ['form', { raw: 'List-Unsubscribe=One-Click', headers: form }],
    ['multipart', { raw: field, headers: multipart }],
    ['no body', {}],
  ]
  for (const [what, options] of ways) {
    const email = `${what.replace(' ', '-')}@reader.example`
    await add(email)
    const { unsubscribe } = await sent(email)
    for (const _ of [1, 2]) {
      const reply = await post(unsubscribe, options)
      t.equal(reply.status, 200, what)
      t.equal(reply.headers.get('set-cookie'), null)
      t.match(reply.text, 'You are unsubscribed')
    }
    t.same(await stateOf(email), { status: 'unsubscribed', history: ['added api', 'unsubscribed one_click'] })
  }
})

t.test(
  'programs that follow links change nothing; the page is for nobody else’s frame, search or referrer',
  async (t) => {
    await add('reader@reader.example')
    const { unsubscribe, confirm } = await sent('reader@reader.example')
    for (const path of [unsubscribe, confirm]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) await ingress.ask(`${method} ${path}`)
      const { status, headers, text } = await get(path)
      t.equal(status, 200)
      t.match(
        headers.get('content-security-policy'),
        /^default-src 'none'; img-src data:; form-action 'self'; .*frame-ancestors 'none'; style-src( 'sha256-\S+'){1,2}$/,
      )
      t.equal(headers.get('x-robots-tag'), 'noindex, nofollow')
      t.equal(headers.get('referrer-policy'), 'no-referrer')
      t.equal(headers.get('cache-control'), 'no-store')
      t.equal(headers.get('set-cookie'), null)
      t.match(text, '&lt;b&gt;&quot;Ann&quot; &amp; Co&lt;/b&gt; (news@sender.example)')
      t.match(text, 'r…@reader.example')
      t.notMatch(text, 'reader@reader.example')
      t.notMatch(text, /<script|<b>/)
    }
    t.match(await stateOf('reader@reader.example'), { status: 'confirmed', history: ['added api'] })
  },
)

t.test('who is no contact, or none any more, is one that has unsubscribed', async (t) => {
  const { unsubscribe } = await sent('gone@reader.example')
  t.equal((await post(unsubscribe)).status, 200)
  t.match(await stateOf('gone@reader.example'), { status: 'unsubscribed' })
  t.equal((await add('gone@reader.example')).status, 409)
  t.equal(await contacts.find(db, other.org.id, 'gone@reader.example'), null)
})

t.test('an unconfirmed contact confirms by its own message; one that unsubscribed is not brought back', async (t) => {
  await contacts.insertUnconfirmed(
    db,
    org.id,
    ['yes', 'no'].map((name) => ({ email: `${name}@reader.example`, written: null })),
  )
  const [yes, no] = await Promise.all([sent('yes@reader.example'), sent('no@reader.example')])
  t.match((await post(yes.confirm)).text, 'Thank you')
  t.match((await post(yes.confirm)).text, 'Thank you')
  t.same(await stateOf('yes@reader.example'), { status: 'confirmed', history: ['confirmed page'] })
  await post(no.unsubscribe)
  t.match((await post(no.confirm)).text, 'this link does')
  t.match(await stateOf('no@reader.example'), { status: 'unsubscribed' })
})

t.test(
  'a token that was changed, is of another page, or of a message that is gone, is a page that says so',
  async (t) => {
    const { unsubscribe, confirm } = await sent('x@reader.example')
    const token = unsubscribe.split('/').at(-1) as string
    const bad = [
      `${unsubscribe}x`,
      `/send/v1/confirm/${token}`,
      confirm.replace('confirm', 'unsubscribe'),
      '/send/v1/unsubscribe/x',
      '/send/v1/unsubscribe/a.b.c',
      `/send/v1/unsubscribe/${'a'.repeat(3_000)}`,
      '/send/v1/unsubscribe/%00.%ff',
      unsubscribeUrl('', newId(), secret),
      unsubscribeUrl('', newId(), 'another secret'),
      confirmUrl('', newId(), secret),
      // Of a contact that is none.
      confirm,
    ]
    for (const path of bad) {
      for (const reply of [await get(path), await post(path)]) {
        t.ok([400, 404].includes(reply.status), `${reply.status} ${path}`)
        t.notMatch(reply.text, token)
      }
    }
    const { status, text, headers } = await get('/send/v1/unsubscribe/x')
    t.equal(status, 404)
    t.match(headers.get('content-type'), 'text/html')
    t.match(text, 'This link does not work')
  },
)

t.test('people unsubscribe and confirm in a browser, without scripts, on a phone and in the dark', async (t) => {
  await contacts.insertUnconfirmed(db, org.id, [{ email: 'human@reader.example', written: null }])
  const { unsubscribe, confirm } = await sent('human@reader.example')
  const browser = await startBrowser(t)
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 375, height: 667 } })
  const { page, errors, hosts } = await watchedPage(context)
  await page.goto(ingress.url + confirm)
  await keepPicture(page, 'email-confirm.png')
  await page.getByRole('button', { name: 'Yes, subscribe' }).click()
  t.equal(await page.getByRole('heading').textContent(), 'Thank you')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(ingress.url + unsubscribe)
  await keepPicture(page, 'email-unsubscribe.png')
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await page.getByText('no longer sends email').waitFor()
  await keepPicture(page, 'email-unsubscribed.png')
  t.same(await stateOf('human@reader.example'), {
    status: 'unsubscribed',
    history: ['confirmed page', 'unsubscribed page'],
  })
  await page.goto(`${ingress.url}/send/v1/confirm/x`)
  t.match(await page.getByRole('alert').textContent(), /has expired/)
  await page.setViewportSize({ width: 1200, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(ingress.url + unsubscribe)
  await keepPicture(page, 'email-wide.png')
  t.same([...hosts], [new URL(ingress.url).host])
  t.same(
    errors.filter((error) => !error.includes('404')),
    [],
  )
})
