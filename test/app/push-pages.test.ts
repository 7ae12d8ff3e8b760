import t from 'tap'
import * as daily from '#sql/push/daily.ts'
import * as installations from '#sql/push/installations.ts'
import * as publicKeys from '#sql/push/public-keys.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit, toldOf } from './fixture.ts'

const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'push'], services: [secret] })

async function scene() {
  const { org, keys } = await testOrg(db, ['push:manage', 'push:send'])
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  const made = await submit(url, '/app/push/new', developer, { name: ' Shop & Co ' })
  return { org, key: keys.main, developer, viewer, app: made.headers.get('location')?.split('/').at(-1) ?? '' }
}

type Scene = Awaited<ReturnType<typeof scene>>

/** Registers two streams of one person. */
async function twoDevices({ app, key }: Scene): Promise<[string, string]> {
  const body = { app_id: app, user_id: 'user-17', push_provider: 'sse', platform: 'web' }
  const register = async (): Promise<string> => {
    const { status, body: device } = await ask(url, 'POST /push/v1/installations', { key, body })
    if (status !== 200) throw new Error(`A device is refused with ${status}.`)
    return device.id
  }
  return [await register(), await register()]
}

t.test('an app is made, listed, and shown with its keys; nobody else sees it', async (t) => {
  const { app, key, developer, viewer } = await scene()
  t.match((await get(url, '/app/push', viewer)).text, `href="/app/push/${app}">Shop &amp; Co</a>`)
  t.notMatch((await get(url, '/app/push', viewer)).text, '/app/push/new')
  const page = await get(url, `/app/push/${app}`, developer)
  const { body } = await ask(url, `GET /push/v1/apps/${app}`, { key })
  t.match(page.text, `data-copy="${body.vapid_public_key}"`)
  t.match(page.text, `data-copy="${app}"`)
  const faulty = await submit(url, '/app/push/new', developer, { name: ' ' })
  t.equal(faulty.status, 400)
  t.match(faulty.text, 'id="name-fault"')
  t.equal((await submit(url, '/app/push/new', viewer, { name: 'Shop' })).status, 403)
  const stranger = (await scene()).developer
  for (const path of ['', '/installations']) {
    t.equal((await get(url, `/app/push/${app}${path}`, stranger)).status, 404)
  }
  t.equal((await get(url, '/app/push/no-id', developer)).status, 404)
})

t.test('what became of pushes is drawn, and told in a table', async (t) => {
  const { org, app, viewer } = await scene()
  t.match((await get(url, `/app/push/${app}`, viewer)).text, 'No messages in the last 30 days')
  const one = { org_id: org.id, app_id: app, created_at: new Date(), provider: 'sse', platform: 'web' }
  await daily.count(db, [
    { ...one, status: 'sent' },
    { ...one, status: 'sent' },
    { ...one, status: 'failed', reason: 'gone' },
  ])
  const { text } = await get(url, `/app/push/${app}`, viewer)
  t.match(text, /data-plot="[^"]*&quot;name&quot;:&quot;became&quot;/)
  t.match(text, /data-label="sent">2<.*data-label="failed">1</s)
})

t.test('a test goes to one device of a person and no other', async (t) => {
  const here = await scene()
  const { org, app, developer, viewer } = here
  const [first, second] = await twoDevices(here)
  const { text } = await get(url, `/app/push/${app}`, developer)
  t.match(text, `href="/app/push/installations/${second}/test"`)
  t.match(text, '<dt>Stream</dt><dd>2</dd>', 'tiles have the names of the providers')
  t.match((await get(url, `/app/push/${app}/installations?user=user-17`, viewer)).text, 'user-17')
  t.match((await get(url, `/app/push/${app}/installations?user=user-1`, viewer)).text, 'This person has no devices.')
  const path = `/app/push/installations/${first}/test`
  t.match((await get(url, path, developer)).text, /this device of user-17, by sse/)
  const sent = await submit(url, path, developer, { title: 'Hello <b>', body: '' })
  t.equal(sent.status, 303)
  const message = await get(url, sent.headers.get('location') ?? '', developer)
  t.equal(message.text.match(/<th scope="row">sse/g)?.length, 1, 'of two devices, one has it')
  t.match(message.text, /<dd>sent<\/dd>.*Hello &lt;b&gt;/s)
  const seen = await get(url, sent.headers.get('location') ?? '', viewer)
  t.equal(seen.status, 200)
  t.notMatch(seen.text, 'Hello', 'contents are for those who may read them')
  await get(url, sent.headers.get('location') ?? '', developer)
  const target = sent.headers.get('location')?.split('/').at(-1)
  t.same(await toldOf(db, org.id, developer, /^contents/), [
    { action: 'contents.read', target, by: 'user', name: developer.email, after: { kind: 'push_message' } },
  ])
  t.same(await toldOf(db, org.id, viewer, /^contents/), [])
})

t.test(
  'a test is refused with its fault, to a wrong role, and to a device that is invalidated or another’s',
  async (t) => {
    const here = await scene()
    const { developer, viewer } = here
    const [first] = await twoDevices(here)
    const path = `/app/push/installations/${first}/test`
    const faulty = await submit(url, path, developer, { title: ' ', body: 'kept' })
    t.equal(faulty.status, 400)
    t.match(faulty.text, /id="title-fault">is required/)
    t.match(faulty.text, 'value="kept"')
    t.equal((await submit(url, path, viewer, { title: 'x', body: '' })).status, 403)
    const stranger = (await scene()).developer
    t.equal((await get(url, path, stranger)).status, 404)
    t.equal((await submit(url, path, stranger, { title: 'x', body: '' })).status, 404)
    t.equal((await submit(url, path, developer, { title: 'x', body: '', token: 'another' })).status, 403)
    await installations.invalidate(db, [{ id: first, token: first, reason: 'gone', since: new Date() }])
    const gone = await submit(url, path, developer, { title: 'x', body: '' })
    t.equal(gone.status, 409)
    t.match(gone.text, 'The device was invalidated')
  },
)

t.test(
  'a public key of an app stays readable with the code for pages, and reports receipts for it alone',
  async (t) => {
    const { org, app, developer, viewer } = await scene()
    const path = `/app/push/${app}/public-key`
    const place = (await submit(url, path, developer, {})).headers.get('location') ?? ''
    const keyOf = async () => /data-copy="(bt_site_[\w-]+)"/.exec((await get(url, place, viewer)).text)?.[1] ?? ''
    const key = await keyOf()
    t.match(key, /^bt_site_/)
    t.equal(await keyOf(), key, 'shown again')
    t.equal((await get(url, place, (await scene()).developer)).status, 404)
    t.match((await get(url, `/app/push/${app}`, developer)).text, `href="${place}">Shop &amp; Co, public`)
    t.equal((await ask(url, 'GET /push/v1/apps', { key })).status, 403)
    t.equal((await submit(url, path, viewer, {})).status, 403)
    t.equal((await submit(url, path, (await scene()).developer, {})).status, 404)
    const late = await signedIn(db, url, org.id, 'developer', { steppedUp: false })
    t.match(await submit(url, path, late, {}), { status: 403, text: 'Confirm your identity' })
  },
)

t.test(
  'with origins it registers browsers on their pages; they are changed, and what is none is told at its field',
  async (t) => {
    const { org, app, developer, viewer } = await scene()
    const path = `/app/push/${app}/public-key`
    t.match((await get(url, path, developer)).text, /<textarea[^>]* name="origins"/)
    const faulty = await submit(url, path, developer, { name: 'Pages', origins: 'https://shop.example shop.example' })
    t.equal(faulty.status, 400)
    t.match(faulty.text, /id="origins-fault">[^<]*not shop\.example</)
    t.match(faulty.text, '>https://shop.example shop.example</textarea>', 'kept')
    const long = await submit(url, path, developer, { name: 'Pages', origins: 'x'.repeat(30_000) })
    t.match(long.text, /id="origins-fault">[^<]*not x{100}</, 'quoted in part')
    const made = await submit(url, path, developer, {
      name: 'Pages',
      origins: 'https://shop.example,https://b.example',
    })
    const shown = await get(url, made.headers.get('location') ?? '', viewer)
    const [key = ''] = /bt_site_[\w-]+/.exec(shown.text) ?? []
    t.match(shown.text, `importScripts(&#39;${url}/push/v1/worker.js&#39;)`)
    t.match(shown.text, `connect({ key: &#39;${key}&#39;`)
    const read = (origin: string) => ask(url, 'GET /push/v1/browser', { key, headers: { origin } })
    t.equal((await read('https://b.example')).status, 200)
    t.equal((await read('https://c.example')).status, 403)

    const page = await get(url, `/app/push/${app}`, developer)
    t.match(page.text, 'https://shop.example https://b.example')
    const [change = ''] = /\/app\/push\/[\w-]+\/public-keys\/[\w-]+\/origins/.exec(page.text) ?? []
    t.notMatch((await get(url, `/app/push/${app}`, viewer)).text, change)
    t.match((await get(url, change, developer)).text, 'https://shop.example\nhttps://b.example')
    t.equal((await submit(url, change, developer, { origins: '' })).status, 400)
    const saved = await submit(url, change, developer, { origins: 'https://c.example' })
    t.equal(saved.status, 303)
    const keys = await publicKeys.list(db, org.id, app, { before: undefined, limit: 10 })
    t.match(keys, [{ name: 'Pages', locks: { app_id: app, origins: ['https://c.example'] } }])
    t.equal((await submit(url, change, viewer, { origins: 'https://d.example' })).status, 403)
    t.equal((await get(url, change, (await scene()).developer)).status, 404)
  },
)

t.test(
  'a template is written in languages with its preview, kept by version, sent to a person, and deleted',
  async (t) => {
    const here = await scene()
    const { app, key, developer, viewer } = here
    await twoDevices(here)
    const fields = {
      name: 'Shipped',
      default_locale: 'en',
      locale_0: 'en',
      title_0: 'Order {{order}}',
      body_0: 'On its way',
    }
    const german = { locale_1: 'de', title_1: 'Bestellung {{order}}' }
    const preview = await submit(url, '/app/push/templates/preview', developer, { ...fields, examples: 'order=<1042>' })
    t.match(preview.text, /data-preview-result.*android is-dark.*Order &lt;1042&gt;/s)
    t.match(preview.text, '&quot;title&quot;: &quot;Order &lt;1042&gt;&quot;', 'in the payload of a provider')
    const faulty = await submit(url, '/app/push/templates/new', developer, {
      ...fields,
      locale_0: 'x y',
      ...german,
      data_1: 'odd',
    })
    t.equal(faulty.status, 400)
    t.match(faulty.text, /id="data_1-fault">must have lines/)
    t.match(
      (await submit(url, '/app/push/templates/new', developer, { ...fields, locale_0: 'x y' })).text,
      'id="locale_0-fault"',
    )
    t.equal((await submit(url, '/app/push/templates/new', viewer, fields)).status, 403)

    const place = (await submit(url, '/app/push/templates/new', developer, fields)).headers.get('location') ?? ''
    const [, id = ''] = /templates\/(.+)/.exec(place) ?? []
    t.equal((await submit(url, place, viewer, { ...fields, version: '1' })).status, 403)
    t.equal((await submit(url, place, developer, { ...fields, ...german, version: '1' })).status, 303)
    const late = await submit(url, place, developer, { ...fields, version: '1' })
    t.match(late, { status: 409, text: /changed since you read it/ })
    const { body } = await ask(url, `GET /push/v1/templates/${id}`, { key })
    t.match(body, { version: 2, variables: ['order'], locales: { de: { title: 'Bestellung {{order}}' } } })
    t.match((await get(url, '/app/push/templates', viewer)).text, `href="${place}">Shipped</a>`)
    t.match((await get(url, place, viewer)).text, 'Order {{order}}')

    const test = { app_id: app, user: 'user-17', variables: '' }
    t.equal((await submit(url, `${place}/test`, developer, test)).status, 400)
    const sent = await submit(url, `${place}/test`, developer, { ...test, variables: 'order=7' })
    t.match((await get(url, sent.headers.get('location') ?? '', developer)).text, /version 2/)
    t.equal((await submit(url, `${place}/remove`, developer, {})).status, 303)
    t.equal((await get(url, place, developer)).status, 404)
  },
)
