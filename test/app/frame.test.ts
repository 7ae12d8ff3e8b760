import { once } from 'node:events'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as members from '#sql/account/people/members.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { get, type SignedIn, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'email', 'rooms', 'video', 'docs', 'service'] })

t.test('who is not signed in is asked to, and comes back', async (t) => {
  const asked = await ask(url, 'GET /app?x=1')
  t.equal(asked.status, 303)
  t.equal(asked.headers.get('location'), '/app/sign-in?to=%2Fapp%3Fx%3D1')
  const linked = await ask(url, 'GET /app', { headers: { 'sec-fetch-site': 'cross-site' } })
  t.match(linked.text, 'Continue to the dashboard')
})

t.test('a member sees the start of their organisation, under a policy that runs nothing inline', async (t) => {
  const { org } = await testOrg(db, [])
  const member = await signedIn(db, url, org.id, 'viewer')
  const page = await get(url, '/app', member)
  t.equal(page.status, 200)
  t.match(page.text, org.name)
  t.match(page.headers.get('content-security-policy'), "script-src 'self'; style-src 'self'")
  t.equal(page.headers.get('cache-control'), 'no-store')
  const script = /src="(\/app\/assets\/\w+\/dashboard.js)"/.exec(page.text)?.[1]
  t.equal((await ask(url, `GET ${script}`)).status, 200)
})

t.test('a session that ended, or whose member left, is none', async (t) => {
  const { org } = await testOrg(db, [])
  const member = await signedIn(db, url, org.id, 'admin')
  const { cookie } = member
  t.equal((await get(url, '/app', { cookie: `${cookie}x` })).status, 303)
  t.equal((await get(url, '/app', member)).status, 200)
})

t.test('a page that there is not is told on a page, and to programs as JSON', async (t) => {
  for (const path of ['/app/nowhere', '/ops/nowhere']) {
    const page = await ask(url, `GET ${path}`, { headers: { accept: 'text/html,*/*;q=0.8' } })
    t.equal(page.status, 404)
    t.match(page.text, '<p role="alert">This page does not exist.</p>')
    t.match(page.headers.get('content-security-policy'), "default-src 'none'")
    const told = await ask(url, `GET ${path}`, { headers: { accept: 'application/json' } })
    t.equal(told.status, 404)
    t.equal(told.body.error.code, 'not_found')
  }
})

const html = { accept: 'text/html,*/*;q=0.8' }

t.test('browsers get a page for each error, on every host name of the machine; programs get JSON', async (t) => {
  const wrong = [
    ['GET /nothing', 404, /<h1>Page not found/],
    ['DELETE /healthz', 405, /<h1>Method not allowed/],
    ['POST /app', 405, /<h1>Method not allowed/],
    ['GET /send/v1/messages', 401, /<h1>API key required[\s\S]*\/docs\/reference\/email\/messages.list/],
  ] as const
  for (const [asked, status, heading] of wrong) {
    for (const base of [url, url.replace('127.0.0.1', 'localhost')]) {
      const page = await ask(base, asked, { headers: html })
      t.equal(page.status, status, asked)
      t.match(page.text, heading, asked)
    }
    t.type((await ask(url, asked)).body.error.code, 'string', asked)
  }
})

t.test('the front page is for browsers, and leads to the dashboard, the documentation and the state', async (t) => {
  const front = await ask(url, 'GET /', { headers: html })
  t.equal(front.status, 200)
  for (const href of ['/app', '/docs', '/docs/guides/quickstart', '/status']) t.match(front.text, `href="${href}"`)
  t.match((await ask(url, 'GET /')).headers.get('location'), '/docs')
})

t.test('the navigation has ten entries at most, and the group of the page is open', async (t) => {
  const { org } = await testOrg(db, [])
  const { text } = await get(url, '/app/segments', await signedIn(db, url, org.id, 'owner'))
  const side = /<nav class="side"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? ''
  const entries = side.match(/<summary>|<a [^>]*><svg/g) ?? []
  t.ok(entries.length > 3 && entries.length <= 10, `${entries.length} entries`)
  t.match(side, /<details data-group="Email" open class="current">/)
  t.equal(side.match(/ open /g)?.length, 1)
  t.equal(side.match(/aria-current="page">Segments/g)?.length, 1)
})

t.test('pages lead to their guide, and the guide to its pages', async (t) => {
  const { org } = await testOrg(db, [])
  const page = await get(url, '/app/rooms', await signedIn(db, url, org.id, 'viewer'))
  t.match(page.text, /href="\/docs\/guides\/rooms"[^>]*><svg[^>]*>.*?<\/svg>Guide/)
  t.match(
    (await ask(url, 'GET /docs/guides/rooms', { headers: html })).text,
    'In the dashboard: <a href="/app/rooms">Rooms</a>',
  )
})

t.test(
  'a search finds pages, documentation and IDs of the organisation, as far as the role may see them',
  async (t) => {
    const { org, keys } = await testOrg(db, ['stream:write'])
    const { org: other } = await testOrg(db, [])
    const [owner, viewer, stranger] = await Promise.all([
      signedIn(db, url, org.id, 'owner'),
      signedIn(db, url, org.id, 'viewer'),
      signedIn(db, url, other.id, 'owner'),
    ])
    const find = async (who: SignedIn, text: string): Promise<{ title: string; kind: string; href: string }[]> =>
      (await get(url, `/app/find.json?q=${encodeURIComponent(text)}`, who)).body.results
    const made = await ask(url, 'POST /v1/stream/rooms', {
      key: Object.values(keys)[0] as string,
      body: { name: 'Reading club' },
    })
    const id = made.body.id ?? made.body.roomId
    t.match(await find(viewer, id), [{ title: 'Reading club', kind: 'Room', href: `/app/rooms/${id}` }])
    t.strictSame(await find(stranger, id), [])
    t.strictSame(await find(owner, newId()), [])
    const hrefs = async (who: SignedIn, text: string) => (await find(who, text)).map(({ href }) => href)
    t.ok((await hrefs(owner, 'invite')).includes('/app/members/invite'))
    t.notOk((await hrefs(viewer, 'invite')).includes('/app/members/invite'))
    t.match((await hrefs(viewer, 'webhook'))[0], '/app/webhooks')
    t.ok((await hrefs(viewer, 'unsubscribe')).some((href) => href.startsWith('/docs/')))
    const page = await get(url, `/app/find?q=${id}`, viewer)
    t.match(page.text, `<a href="/app/rooms/${id}">Reading club</a>`)
    t.match((await get(url, '/app/find?q=%3Cb%3E', viewer)).text, 'value="&lt;b&gt;"')
  },
)

t.test('a member of two organisations switches in the header', async (t) => {
  const [{ org }, { org: second }] = [await testOrg(db, []), await testOrg(db, [])]
  const member = await signedIn(db, url, org.id, 'admin')
  t.notMatch((await get(url, '/app', member)).text, 'Switch to')
  await db.transaction((tx) =>
    members.insert(tx, { org_id: second.id, user_id: member.userId, role: 'viewer', invited_by: null }),
  )
  const page = await get(url, '/app', member)
  const action = `/app/you/organisations/${second.id}`
  t.match(page.text, `action="${action}"`)
  t.match(await submit(url, action, member, {}), { status: 303 })
})

/** Size of a response in bytes, as a browser gets it, and its text. */
async function weigh(path: string, cookie: string): Promise<{ bytes: number; encoding: string | undefined }> {
  const sent = request(url + path, { headers: { cookie, 'accept-encoding': 'gzip, deflate, br', accept: '*/*' } })
  sent.end()
  const [answer] = await once(sent, 'response')
  return { bytes: (await buffer(answer)).length, encoding: answer.headers['content-encoding'] }
}

t.test('the start is 100 KiB at most with all its files, compressed', async (t) => {
  const { org } = await testOrg(db, [])
  const { cookie } = await signedIn(db, url, org.id, 'owner')
  const { text } = await get(url, '/app', { cookie })
  const files = new Set<string>()
  const waiting = [...text.matchAll(/(?:src|rel="\w+" href)="(\/app\/assets\/[^"]+)"/g)].map(
    ([, path]) => path as string,
  )
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue
    files.add(path)
    if (!path.endsWith('.js')) continue
    const script = await ask(url, `GET ${path}`)
    const folder = path.slice(0, path.lastIndexOf('/'))
    waiting.push(...[...script.text.matchAll(/from '\.\/([\w-]+\.js)'/g)].map(([, name]) => `${folder}/${name}`))
  }
  const page = await weigh('/app', cookie)
  t.equal(page.encoding, 'br')
  const weights = await Promise.all([...files].map((path) => weigh(path, cookie)))
  const kib = (page.bytes + weights.reduce((sum, { bytes }) => sum + bytes, 0)) / 1024
  t.ok(files.size > 8 && kib <= 100, `${files.size} files, ${kib.toFixed(1)} KiB`)
  t.notOk(
    [...files].some((path) => path.includes('uplot')),
    'charts are loaded only where one is',
  )
})
