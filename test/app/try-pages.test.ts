import t from 'tap'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret, storage } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { testStore } from '../support/video-stack.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const store = await testStore(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign with')
const { url } = await testIngress(t, db, [], { services: [secret, provide(storage, store.storage)] })
const { org } = await testOrg(db, [], { plan: 'unlimited' })
const [developer, viewer] = [await signedIn(db, url, org.id, 'developer'), await signedIn(db, url, org.id, 'viewer')]
const foreign = await signedIn(db, url, (await testOrg(db, [])).org.id, 'developer')

t.test('an IP address is located on a page, with the call that does the same', async (t) => {
  const found = await submit(url, '/app/geo', viewer, { ip: '10.0.0.1' })
  t.match(found.text, /Not on the public internet[\s\S]*\/v1\/geo\/10\.0\.0\.1/)
  const faulty = await submit(url, '/app/geo', viewer, { ip: '10.0.0' })
  t.equal(faulty.status, 400)
  t.match(faulty.text, /id="ip-fault">must be an IPv4 or IPv6 address/)
})

t.test('a URL is checked, watched and listed', async (t) => {
  t.match((await get(url, '/app/trust', viewer)).text, /No watched URLs yet[\s\S]*No hosts yet/)
  const checked = await submit(url, '/app/trust', viewer, { url: 'https://shop.example/<b>' })
  t.match(checked.text, /No source lists this URL/)
  t.notMatch(checked.text, 'shop.example/<b>')
  t.match((await submit(url, '/app/trust', viewer, { url: 'mailto:x' })).text, /id="url-fault">must be a URL/)
  const host = { hostname: 'shop.example', policy: 'deny', note: '' }
  t.equal((await submit(url, '/app/trust/lists/new', viewer, host)).status, 403)
  t.match(
    (await submit(url, '/app/trust/lists/new', developer, { ...host, hostname: 'a/b' })).text,
    /id="hostname-fault">/,
  )
  t.equal((await submit(url, '/app/trust/lists/new', developer, host)).status, 303)
  const watched = { url: 'https://shop.example/', note: 'ours' }
  t.equal((await submit(url, '/app/trust/watches/new', developer, watched)).status, 303)
  const { text } = await get(url, '/app/trust', developer)
  t.match(text, /https:\/\/shop\.example\/[\s\S]*ours[\s\S]*deny/)
  t.match((await submit(url, '/app/trust', viewer, watched)).text, /Your list: <b>deny<\/b>/)
  for (const kind of ['watches', 'lists']) {
    const path = new RegExp(`/app/trust/${kind}/[^"]+/remove`).exec(text)?.[0] ?? ''
    t.equal((await submit(url, path, foreign, {})).status, 404)
    t.equal((await submit(url, path, developer, {})).status, 303)
  }
  t.match((await get(url, '/app/trust', viewer)).text, /No watched URLs yet[\s\S]*No hosts yet/)
})

t.test('companies are searched and shown', async (t) => {
  t.match((await get(url, '/app/registry?q=kestrel', viewer)).text, 'No companies match.')
  await db.query(sql.typeAlias('void')`insert into erp.registers (name) values ('Made-up companies')`)
  await db.query(sql.typeAlias('void')`
    insert into erp.companies (id, register, jurisdiction, code, name, name_norm, previous_names, status, activities)
    values (gen_random_uuid(), 'Made-up companies', 'xa', '10000000', 'Kestrel <AS>', 'kestrel', '{}', 'active', '[]')`)
  const found = await get(url, '/app/registry?q=kestrel', viewer)
  t.match(found.text, '/app/registry/10000000?jurisdiction=xa')
  t.match((await get(url, '/app/registry/10000000?jurisdiction=xa', viewer)).text, '<h1>Kestrel &lt;AS&gt;</h1>')
  t.match(
    (await get(url, '/app/registry?q=k&jurisdiction=nowhere', viewer)).text,
    /role="alert">[^<]*jurisdiction must be/,
  )
  t.equal((await get(url, '/app/registry/404', viewer)).status, 404)
})

t.test('without a model, a page says so and shows the call', async (t) => {
  t.equal((await get(url, '/app/models/try', viewer)).status, 403)
  t.match((await get(url, '/app/models/try', developer)).text, /No upstream model is connected[\s\S]*v1\/ai\/summarize/)
  const empty = await submit(url, '/app/models/try', developer, { task: 'embed', model: 'default', text: ' ' })
  t.match(empty.text, /id="text-fault">is required/)
})

t.test('a verification link is created for a person', async (t) => {
  const person = { product: 'default', idp_sub: 'customer-17', return_to: '' }
  const page = await get(url, '/app/identity/new', developer)
  const product = /<option value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  t.match(
    (await submit(url, '/app/identity/new', developer, { ...person, product, idp_sub: ' ' })).text,
    /id="idp_sub-fault">/,
  )
  const made = await submit(url, '/app/identity/new', developer, { ...person, product })
  t.match(made.text, /data-copy="http[^"]+\/identity\/prompts\//)
  t.equal((await submit(url, '/app/identity/new', viewer, { ...person, product })).status, 403)
})

t.test('an article is written, changed, reviewed and deleted; without evidence it is not published', async (t) => {
  const given = { title: 'The <bridge>', summary: '', body: 'It is red.', tags: 'bridges, towns', comment: '' }
  t.match((await submit(url, '/app/wiki/new', developer, { ...given, title: '' })).text, /id="title-fault">/)
  const path = (await submit(url, '/app/wiki/new', developer, given)).headers.get('location') ?? ''
  t.match((await get(url, path, viewer)).text, /The &lt;bridge&gt;[\s\S]*draft[\s\S]*no claims yet/)
  await submit(url, `${path}/publish`, developer, {})
  t.match((await get(url, path, developer)).text, 'The article makes no claim.')
  const change = { ...given, body: 'It is blue.', base_version: '1', comment: 'Painted' }
  t.equal((await submit(url, `${path}/edit`, developer, change)).status, 303)
  t.match((await submit(url, `${path}/edit`, developer, change)).text, 'The article changed after you read it.')
  t.match((await get(url, path, viewer)).text, /It is blue[\s\S]*Painted/)
  for (const page of [path, `${path}/edit`, `${path}/remove`]) t.equal((await get(url, page, foreign)).status, 404)
  for (const page of ['edit', 'publish', 'remove'])
    t.equal((await submit(url, `${path}/${page}`, viewer, change)).status, 403)
  t.equal((await submit(url, `${path}/remove`, developer, {})).headers.get('location'), '/app/wiki')
  t.equal((await get(url, path, developer)).status, 404)
})
