import t from 'tap'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { signedIn } from './fixture.ts'

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account'] })
const form = { 'content-type': 'application/x-www-form-urlencoded', origin: url, 'sec-fetch-site': 'same-origin' }

t.test('a form of many names is refused before it costs anybody time', async (t) => {
  const raw = Array.from({ length: 17_000 }, (_, n) => n.toString(36))
    .join('&')
    .slice(0, 64_000)
  const { org } = await testOrg(db, [])
  const { cookie } = await signedIn(db, url, org.id, 'owner')
  for (const path of ['/app/sign-in', '/app/members/invite']) {
    const { status, text } = await ask(url, `POST ${path}`, { raw, headers: { ...form, cookie } })
    t.equal(status, 400, path)
    t.match(text, 'at most 400 fields')
  }
})

t.test('a form is sent so often from one address, and no more', async (t) => {
  const { org } = await testOrg(db, [])
  const { cookie } = await signedIn(db, url, org.id, 'owner')
  const send = () => ask(url, 'POST /app/leaving/exports', { raw: 'token=x', headers: { ...form, cookie } })
  const replies = await Promise.all(Array.from({ length: 130 }, send))
  t.ok(replies.filter(({ status }) => status === 429).length >= 10)
})

t.test('one session watches with so many pages, and leaves room for others', async (t) => {
  const { org } = await testOrg(db, [])
  const [greedy, other] = [await signedIn(db, url, org.id, 'viewer'), await signedIn(db, url, org.id, 'owner')]
  const over = new AbortController()
  t.teardown(() => over.abort())
  const watch = ({ cookie }: { cookie: string }) =>
    fetch(`${url}/app/regions?watch=none`, { headers: { cookie }, signal: over.signal })
  const statuses = (await Promise.all(Array.from({ length: 12 }, () => watch(greedy)))).map(({ status }) => status)
  t.equal(statuses.filter((status) => status === 200).length, 8)
  t.equal(statuses.filter((status) => status === 503).length, 4)
  t.equal((await watch(other)).status, 200)
})
