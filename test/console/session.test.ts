import t from 'tap'
import { hashSecret } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import * as sessions from '#sql/account/people/sessions.ts'
import { sql } from '#sql/db.ts'
import * as scanners from '#sql/files/scanners.ts'
import { provide } from '../../ingress/http/container.ts'
import { stopping } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { pruneArea } from '../support/prune.ts'
import { addJobs, attemptsOf, failJobs, get, nameOf, post, signIn, testConsole, tokenOf } from './fixture.ts'

const it = await testConsole(t)
const { db, url, key } = it

t.test('an operator’s key opens a session whose cookie no script and no other site gets', async (t) => {
  const answer = await post(url, '/ops/sign-in', { key, to: '/ops/jobs?state=failed' })
  t.equal(answer.status, 303)
  t.equal(answer.headers.get('location'), '/ops/jobs?state=failed')
  const cookie = answer.headers.get('set-cookie') ?? ''
  for (const part of ['; Path=/ops', '; HttpOnly', '; SameSite=Strict', '; Max-Age=43200']) t.match(cookie, part)
  t.notMatch(cookie, 'Secure', 'the address is not https')
  t.notMatch(cookie, key)
  const page = await get(url, '/ops', cookie.split(';')[0] ?? '')
  t.equal(page.status, 200)
  t.match(page.text, '<h1>Overview</h1>')
})

t.test('behind https the cookie is for https only', async (t) => {
  const { url } = await testIngress(t, db, [], { trustedProxies: ['127.0.0.1'] })
  const origin = `https://${new URL(url).host}`
  const { headers } = await post(url, '/ops/sign-in', { key }, { origin, 'x-forwarded-proto': 'https' })
  t.match(headers.get('set-cookie'), '; Secure')
})

t.test(
  'whoever is not signed in is asked to, and comes back; another site’s link asks for itself once more',
  async (t) => {
    const asked = await ask(url, 'GET /ops/jobs?state=failed')
    t.equal(asked.status, 303)
    t.equal(asked.headers.get('location'), '/ops/sign-in?to=%2Fops%2Fjobs%3Fstate%3Dfailed')
    t.equal((await ask(url, 'GET /ops', { headers: { cookie: 'millrace_ops_0=forged' } })).status, 303)
    const linked = await ask(url, 'GET /ops/jobs', { headers: { 'sec-fetch-site': 'cross-site' } })
    t.match(linked.text, '<meta http-equiv="refresh" content="0">')
    for (const to of ['//evil.example', 'https://evil.example/ops', '/opsy', '/ops/\\evil.example']) {
      t.equal((await post(url, '/ops/sign-in', { key, to })).headers.get('location'), '/ops', to)
    }
  },
)

t.test('made-up cookies of a network are refused before the database is asked; its real session goes on', async (t) => {
  const mine = await testConsole(t)
  const cookie = await signIn(mine)
  t.equal((await get(mine.url, '/ops', cookie)).status, 200)
  const name = cookie.split('=')[0]
  const tried = await Promise.all(
    Array.from({ length: 80 }, (_, i) => get(mine.url, '/ops', `${name}=made-up-${i}`).then(({ status }) => status)),
  )
  t.ok(tried.filter((status) => status === 429).length >= 10, tried.join(' '))
  t.ok(tried.includes(303))
  t.equal((await get(mine.url, '/ops', cookie)).status, 200)
})

t.test('a browser that goes on sending the cookie of an ended session holds nobody of its network back', async (t) => {
  const mine = await testConsole(t)
  const cookie = await signIn(mine)
  const ended = `${cookie.split('=')[0]}=ended`
  for (let n = 0; n < 70; n++) t.equal((await get(mine.url, '/ops', ended)).status, 303)
  t.equal((await get(mine.url, '/ops', cookie)).status, 200, 'a session that this process has not seen')
})

t.test('keys that are unknown, revoked or of another scope are refused alike', async (t) => {
  const { db } = await testDatabase(t)
  const { keys: others, org } = await testOrg(db, ['stream:read', 'stream:write'])
  const revoked = await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'old', scopes: ['operator'] })
  await keys.revoke(db, org.id, revoked.id)
  const { url } = await testIngress(t, db)
  const texts = new Set<string>()
  for (const bad of ['', 'nonsense', `bt_live_${'x'.repeat(43)}`, others.main, revoked.secret]) {
    const answer = await post(url, '/ops/sign-in', { key: bad })
    t.equal(answer.status, 401)
    t.equal(answer.headers.get('set-cookie'), null)
    texts.add(answer.text)
  }
  t.equal(texts.size, 1, 'none learns which of it was wrong')
})

t.test('from one address ten tries a minute are answered', async (t) => {
  const { db } = await testDatabase(t)
  const { url } = await testIngress(t, db)
  const tries = await Promise.all(Array.from({ length: 12 }, () => post(url, '/ops/sign-in', { key: 'wrong' })))
  const statuses = tries.map(({ status }) => status).sort()
  t.strictSame(statuses, [...Array(10).fill(401), 429, 429])
  const refused = tries.find(({ status }) => status === 429)
  t.match(refused?.headers.get('content-type'), 'text/html')
  t.ok(refused?.headers.get('retry-after'))
})

t.test('pages keep to themselves: policy, no frame, no cache', async (t) => {
  const { headers } = await get(url, '/ops', await signIn(it))
  const policy = headers.get('content-security-policy') ?? ''
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
    t.match(policy, part)
  t.notMatch(policy, 'unsafe')
  t.equal(headers.get('cache-control'), 'no-store')
  t.equal(headers.get('x-content-type-options'), 'nosniff')
})

t.test('a form is believed only with this session’s token, from a page of ours', async (t) => {
  const cookie = await signIn(it)
  const other = tokenOf(await get(url, '/ops', await signIn(it)))
  const token = tokenOf(await get(url, '/ops', cookie))
  t.ok(token && other && token !== other)
  const ids = await addJobs(db, 1)
  await failJobs(db, ids, 'Error: refused')
  const retry = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    post(url, '/ops/confirm/retry', { job: nameOf(ids[0] as number), ...fields }, { cookie, ...headers })
  t.equal((await retry({ token: other })).status, 403, 'another session’s token')
  t.equal((await retry({})).status, 400, 'no token')
  t.equal((await retry({ token }, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).status, 403)
  t.equal((await retry({ token }, { 'sec-fetch-site': 'same-site' })).status, 403, 'a neighbour’s page')
  t.equal((await retry({ token }, { 'sec-fetch-site': '', origin: 'null' })).status, 403)
  t.equal((await retry({ token }, { 'content-type': 'text/plain' })).status, 415)
  t.strictSame(await attemptsOf(db, ids), [5], 'nothing was done')
  t.equal((await retry({ token })).status, 303)
  t.strictSame(await attemptsOf(db, ids), [0])
  t.equal((await post(url, '/ops/sign-out', { token: other }, { cookie })).status, 403)
  t.equal((await get(url, '/ops', cookie)).status, 200, 'still signed in')
})

t.test('signing out ends the session, also for a copy of its cookie', async (t) => {
  const cookie = await signIn(it)
  const token = tokenOf(await get(url, '/ops', cookie))
  const answer = await post(url, '/ops/sign-out', { token }, { cookie })
  t.match(answer.headers.get('set-cookie'), 'Max-Age=0')
  t.equal((await get(url, '/ops', cookie)).status, 303)
  t.equal((await get(url, '/ops/regions?watch=fleet', cookie)).status, 401)
})

t.test('a session ends with its time and with its key, and so does what it watches', async (t) => {
  const { keys: own, org } = await testOrg(db, ['operator'])
  const mine = { ...it, key: own.main }
  const late = await signIn(mine)
  const found = await sessions.find(db, late.split('=')[1] ?? '', 'operator')
  await db.query(sql.typeAlias('void')`
    update account.sessions set expires_at = now() where id = ${found?.id ?? ''}`)
  t.equal((await get(url, '/ops', late)).status, 303)
  const count = () => db.oneFirst(sql.typeAlias('count')`select count(*) from account.sessions`)
  const before = await count()
  await pruneArea(db, 'account')
  t.equal(await count(), before - 1)

  const cookie = await signIn(mine)
  const stream = await fetch(`${url}/ops/regions?watch=fleet`, { headers: { cookie } })
  t.equal(stream.status, 200)
  const told = stream.text()
  const caller = await keys.findCaller(db, hashSecret(own.main))
  t.equal((await keys.revoke(db, org.id, caller?.key.id ?? '')).length, 1)
  t.equal((await get(url, '/ops', cookie)).status, 303, 'at once')
  t.match(await told, /event: over/, 'and its stream of events is told so and ended')
})

t.test('an ingress that ends lets go of the pages that watch', async (t) => {
  const ending = new AbortController()
  const { url } = await testIngress(t, db, [], { services: [provide(stopping, ending.signal)] })
  const stream = await fetch(`${url}/ops/regions?watch=fleet`, { headers: { cookie: await signIn({ ...it, url }) } })
  const told = stream.text()
  ending.abort()
  t.match(await told, 'retry:')
})

t.test('the overview says so while no malware scanner answers, or one knows test files only', async (t) => {
  const cookie = await signIn(it)
  const notice = async () => /<p class="notice">([^<]*)</.exec((await get(url, '/ops', cookie)).text)?.[1]
  const note = (state: 'up' | 'away', signatures: 'test' | 'official') =>
    scanners.upsert(db, { name: 'host 1', state, engine: 'ClamAV', signature_version: signatures, signatures })
  t.match(await notice(), /^No malware scanner is responding/)
  await note('up', 'test')
  t.match(await notice(), /only test signatures and recognises no real malware/)
  await note('up', 'official')
  t.equal(await notice(), undefined)
  await note('away', 'official')
  t.match(await notice(), /^No malware scanner is responding/)
})
