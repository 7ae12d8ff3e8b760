import t from 'tap'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { signedIn } from './fixture.ts'

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'files', 'docs'] })
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

/** Events of a stream of regions until one has arrived that fits. */
async function heard(member: { cookie: string }, query: string, fits: RegExp): Promise<string> {
  const over = new AbortController()
  const response = await fetch(`${url}/app/regions?${query}`, {
    headers: { cookie: member.cookie },
    signal: AbortSignal.any([over.signal, AbortSignal.timeout(90_000)]),
  })
  let all = ''
  for await (const chunk of response.body ?? []) {
    all += Buffer.from(chunk).toString()
    if (fits.test(all)) break
  }
  over.abort()
  return all
}

t.test('a region that cannot be read holds no page of others, whichever names a browser sends', async (t) => {
  const [bad, good] = [await testOrg(db, []), await testOrg(db, [])]
  const [evil, other] = [await signedIn(db, url, bad.org.id, 'viewer'), await signedIn(db, url, good.org.id, 'viewer')]
  const over = new AbortController()
  t.teardown(() => over.abort())
  const names = ['files/read/%', 'files/read/%2500', 'files/read/before=x', 'mail/x', '__proto__', 'files']
  const query = new URLSearchParams(names.map((name): [string, string] => ['watch', name]))
  const first = await fetch(`${url}/app/regions?${query}`, { headers: { cookie: evil.cookie }, signal: over.signal })
  t.equal(first.status, 200)
  const events = await heard(other, 'watch=start-events', /event: html\ndata: .*start-events.*\n\n[\s\S]*event: beat/)
  t.notMatch(events, 'event: away')
})

t.test('no search in the documentation holds the process that answers everybody', async (t) => {
  const { org } = await testOrg(db, [])
  const { cookie } = await signedIn(db, url, org.id, 'viewer')
  const find = async (text: string) => {
    const begun = performance.now()
    const reply = await ask(url, `GET /app/find.json?q=${encodeURIComponent(text)}`, { headers: { cookie } })
    t.equal(reply.status, 200)
    return performance.now() - begun
  }
  await find('the index is made by the first')
  const letters = [...'abcdefghijklmnopqrstuvwxyz'].join(' ').repeat(4).slice(0, 199)
  const took: number[] = []
  for (const text of [letters, 'se re co in de pr '.repeat(11), 'abcdefghijk '.repeat(16)]) {
    // The shortest of three, because other processes can delay one.
    took.push(Math.min(await find(text), await find(text), await find(text)))
  }
  t.ok(Math.max(...took) < 1_000, took.map(Math.round).join(' ms, '))
  t.comment(took.map(Math.round).join(' ms, '))
})
