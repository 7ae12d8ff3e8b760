import t from 'tap'
import { sql } from '#sql/db.ts'
import { waitForCaches } from '#tasks/trust/rules/known-everywhere.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { trustStack } from './stack.ts'

const stack = await trustStack(t)
const { db, ingress, web, ask, check } = stack
await stack.startWorker()
web.at.one = 'malware.example\nhttp://files.example/4711.exe\n'
web.at.two = 'http://malware.example/x\nonly-two.example\n'
await stack.put('one')
await stack.put('two', { category: 'phishing' })
await Promise.all([stack.imported('one'), stack.imported('two')])

const sourceOf = (body: { sources: { name: string }[] }, name: string) => body.sources.find((one) => one.name === name)
const codes = ({ reasons }: { reasons: { code: string }[] }) => reasons.map(({ code }) => code)

t.test(
  'a listed URL is malicious, however it is written; each source says what it lists and how fresh it is',
  async (t) => {
    const body = await check('http://user@CDN.Malware%2eexample:8080/a/../x?q#f')
    t.match(body, {
      url: 'http://cdn.malware.example/x?q',
      verdict: 'malicious',
      categories: ['malware'],
      degraded: false,
    })
    t.match(sourceOf(body, 'one'), {
      kind: 'list',
      listed: true,
      matched: 'malware.example/',
      categories: ['malware'],
      entries: 2,
      stale: false,
      age_seconds: Number,
      first_seen: /^20.*Z$/,
    })
    t.match(sourceOf(body, 'two'), { listed: false, matched: null, categories: [] })
    t.same(body.disagreement, { listed_by: ['one'], not_listed_by: ['two'] })
    const both = await check('malware.example/x')
    t.match(both, { verdict: 'malicious', categories: ['malware', 'phishing'], disagreement: null })
  },
)

t.test(
  'a URL is listed for itself alone, a host with all below it; what nobody lists is unknown, and not safe',
  async (t) => {
    t.match(await check('http://files.example/4711.exe'), { verdict: 'malicious' })
    for (const url of [
      'http://files.example/',
      'http://files.example/4711.exe?v=2',
      'http://a.files.example/4711.exe',
    ]) {
      t.match(await check(url), {
        verdict: 'unknown',
        categories: [],
        reasons: [],
        disagreement: null,
        degraded: false,
      })
    }
    t.match(await check('https://deep.below.only-two.example/a/b/c.html'), { verdict: 'malicious' })
  },
)

t.test('a stale feed is told from a fresh one, and alone makes a URL no more than suspicious', async (t) => {
  const age = async (seconds: number) => {
    await db.query(sql.typeAlias('void')`
      update trust.feeds set checked_at = now() - ${seconds} * interval '1 second' where name = 'one'`)
    await waitForCaches()
  }
  await age(8_000)
  const body = await check('http://malware.example/')
  t.match(body, { verdict: 'suspicious', categories: ['malware'], degraded: true })
  t.same(codes(body), ['listed_by_stale_feed'])
  t.match(sourceOf(body, 'one'), { listed: true, stale: true })
  t.ok((sourceOf(body, 'one') as { age_seconds?: number })?.age_seconds ?? 0 >= 8_000)
  t.match(await check('http://malware.example/x'), { verdict: 'malicious', degraded: true })
  t.match(await check('http://other.example/'), { verdict: 'unknown', degraded: true })
  await age(0)
  await stack.put('never')
  await waitForCaches()
  t.match(sourceOf(await check('http://other.example/'), 'never'), { listed: null, age_seconds: null, stale: true })
  await db.query(sql.typeAlias('void')`delete from trust.feeds where name = 'never'`)
})

t.test('what is odd about a URL makes it suspicious, with the reason, and never more', async (t) => {
  const odd: Record<string, string[]> = {
    'http://paypal.com@evil.example/': ['credentials_in_url'],
    'http://good.example\\@evil.example/': ['ambiguous_host'],
    'http://2130706433/': ['address_as_host'],
    'http://[2001:db8::1]/': ['address_as_host'],
    'http://аррӏе.com/': ['lookalike'],
    'http://xn--80ak6aa92e.com/': ['lookalike'],
    'http://gооgle.com/': ['lookalike', 'mixed_scripts'],
    'http://münchen.example/': [],
    'http://пример.рф/': [],
    'http://www.почта.com/': [],
    'http://日本tokyo.example/': [],
  }
  for (const [url, wanted] of Object.entries(odd)) {
    const body = await check(url)
    t.same(codes(body), wanted, url)
    t.equal(body.verdict, wanted.length > 0 ? 'suspicious' : 'unknown', url)
  }
  const ambiguous = await check('http://malware.example\\@evil.example/')
  t.match(ambiguous, { verdict: 'malicious' }, 'what browsers go to is looked up, too')
})

t.test('a listed host is found in every way in which a URL is read', async (t) => {
  const disguised: Record<string, string[]> = {
    'http://x%2F@malware.example/': ['credentials_in_url', 'ambiguous_host'],
    'http://x%252F@malware.example/': ['credentials_in_url', 'ambiguous_host'],
    'http://malware.example%2F@good.example/': ['credentials_in_url', 'ambiguous_host'],
    'http://good.example\\@malware.example/': ['ambiguous_host'],
    'http://malware.example\\@good.example/': ['ambiguous_host'],
    'http://good.example%40malware.example/': ['ambiguous_host'],
    'http://a.b.c.d.e.f.g.malware.example/': [],
    'http:/malware.example/': ['ambiguous_host'],
    'https:malware.example/a': [],
    'http:/\\malware.example/x': ['ambiguous_host'],
    '\u0001http://malware.example/\u001f': [],
  }
  for (const [url, wanted] of Object.entries(disguised)) {
    const body = await check(url)
    t.equal(body.verdict, 'malicious', url)
    t.same(codes(body), wanted, url)
  }
  t.match(await check('http://good.example%40malware.example/', { expand: true }), {
    verdict: 'malicious',
    hops: [{ status: null }],
    expansion: { complete: false, fault: 'bad_url' },
  })
})

t.test('redirects are followed and each hop is judged; the worst counts', async (t) => {
  const to = (location: string) => (_: unknown, res: import('node:http').ServerResponse) =>
    void res.writeHead(302, { location }).end()
  web.at.a = to('/b')
  web.at.b = (_, res) =>
    void res
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><meta HTTP-EQUIV="Refresh" content="0; url='http://malware.example/x'">`)
  const body = await check(`${web.url}/a`, { expand: true })
  t.match(body, { verdict: 'malicious', categories: ['malware', 'phishing'] })
  t.match(body.hops, [
    { status: 302, by: 'location', verdict: 'suspicious', url: 'http://127.0.0.1/a' },
    { status: 200, by: 'meta_refresh', verdict: 'suspicious' },
    { url: 'http://malware.example/x', status: null, by: null, verdict: 'malicious', sources: [{ listed: true }, {}] },
  ])
  t.equal(body.expansion.complete, false)
  web.at.end = 'here'
  t.match((await check(`${web.url}/end`, { expand: true })).expansion, { complete: true, fault: null })
  t.same((await check(`${web.url}/end`)).hops, null)
  web.at.round = to('/round')
  const round = await check(`${web.url}/round`, { expand: true })
  t.match(round.expansion, { complete: false, fault: 'too_many_redirects' })
  t.equal(round.hops.filter(({ status }: { status: number | null }) => status === 302).length, 6)
  for (const target of ['http://127.0.0.2/', 'http://169.254.169.254/latest', 'http://[::ffff:7f00:2]/']) {
    web.at.inside = to(target)
    t.match((await check(`${web.url}/inside`, { expand: true })).expansion, { fault: 'address_refused' }, target)
  }
  web.at.app = to('intent://open#Intent;end')
  const app = await check(`${web.url}/app`, { expand: true })
  t.match(app.hops.at(-1), { verdict: 'suspicious', reasons: [{ code: 'no_web_url' }] })
})

t.test('an organisation’s own lists are told beside the verdict; the nearest host counts', async (t) => {
  const put = (hostname: string, policy: string) => ask('PUT /v1/trust/lists', { body: { hostname, policy } })
  t.match((await put('Partner.Example.', 'deny')).body, { hostname: 'partner.example', policy: 'deny', note: null })
  await put('good.partner.example', 'allow')
  t.match(await check('https://a.partner.example/'), { policy: 'deny', verdict: 'unknown' })
  t.match(await check('https://www.good.partner.example/'), { policy: 'allow', verdict: 'unknown' })
  t.match(await check('https://elsewhere.example/'), { policy: null })
  const { body } = await ask('GET /v1/trust/lists?limit=1')
  t.match(body, { data: [{ hostname: 'good.partner.example' }], next_cursor: String })
  const { keys } = await testOrg(db, ['trust:write'])
  t.same((await ask('GET /v1/trust/lists', { key: keys.main })).body.data, [])
  t.equal((await ask(`DELETE /v1/trust/lists/${body.data[0].id}`)).status, 200)
  t.match(await check('https://good.partner.example/'), { policy: 'deny' })
  t.same(fieldsOf(await put('https://a.example/', 'maybe')), ['body.policy'])
  t.same(fieldsOf(await put('https://a.example/', 'deny')), ['body.hostname'])
})

t.test('a policy is told of every host that a URL is read to have, however deep, and of each hop', async (t) => {
  const put = (hostname: string, policy: string) => ask('PUT /v1/trust/lists', { body: { hostname, policy } })
  await put('denied.example', 'deny')
  await put('own.example', 'allow')
  const policies: Record<string, string | null> = {
    'http://denied.example\\@good.example/': 'deny',
    'http://good.example\\@denied.example/': 'deny',
    'http://x%2F@denied.example/': 'deny',
    'http://denied.example%2F@own.example/': 'deny',
    'http://own.example%2F@elsewhere.example/': null,
    'http://own.example\\@own.example/': 'allow',
    'http://a.b.c.d.e.f.g.h.denied.example/': 'deny',
    [`http://${'a.'.repeat(4_000)}denied.example/`]: 'deny',
    'http://notdenied.example/': null,
  }
  for (const [url, policy] of Object.entries(policies)) t.equal((await check(url)).policy, policy, url.slice(0, 60))
  await put('a.b.c.d.e.f.denied.example', 'allow')
  t.match(await check('http://z.a.b.c.d.e.f.denied.example/'), { policy: 'allow' })
  web.at.to = (_, res) => void res.writeHead(302, { location: 'http://www.denied.example/' }).end()
  await put('127.0.0.1', 'allow')
  t.match(await check(`${web.url}/to`, { expand: true }), {
    policy: 'deny',
    hops: [{ policy: 'allow' }, { policy: 'deny' }],
  })
  t.match(await check(`${web.url}/to`), { policy: 'allow' })
  for (const hostname of ['com', 'co.uk', 'GitHub.io', 'malware.example%2Fx']) {
    t.same(fieldsOf(await put(hostname, 'allow')), ['body.hostname'], hostname)
  }
})

t.test('a 400 names every field; a key without the scope is refused', async (t) => {
  const bad = (body: unknown) => ask('POST /v1/trust/check-url', { body })
  t.same(fieldsOf(await bad({})), ['body.url'])
  t.same(fieldsOf(await bad({ url: 7, expand: 'yes', x: 1 })), ['body.expand', 'body.url', 'body.x'])
  for (const url of [
    'javascript:alert(1)',
    'mailto:a@b.example',
    '/path',
    'http://',
    ' ',
    `http://a/${'x'.repeat(8_200)}`,
  ]) {
    t.same(fieldsOf(await bad({ url })), ['body.url'], url.slice(0, 40))
  }
  for (const url of ['http://a\u0000b.example/', 'http://a.example/\ud800', `http://${'%25'.repeat(2_000)}/`]) {
    t.ok([200, 400].includes((await bad({ url })).status), JSON.stringify(url).slice(0, 40))
  }
  const { keys } = await testOrg(db, ['files:read'])
  t.equal((await ingress.ask('POST /v1/trust/check-url', { key: keys.main, body: { url: 'a.example' } })).status, 403)
})

t.test('silent links of one organisation hold up no other, and what had no turn in time is told as busy', async (t) => {
  web.at.silent = () => {}
  web.at.prompt = 'here'
  const [slow, other] = await Promise.all([testOrg(db, ['trust:read']), testOrg(db, ['trust:read'])])
  const expanded = async ({ keys }: typeof slow, path: string) =>
    (await ask('POST /v1/trust/check-url', { key: keys.main, body: { url: `${web.url}/${path}`, expand: true } })).body
      .expansion
  // Each hangs for four seconds, and the organisation has one of four slots.
  const hanging = Promise.all(Array.from({ length: 5 }, () => expanded(slow, 'silent')))
  await until(() => web.seen.some(({ url }) => url === '/silent'), { what: 'the first hangs' })
  for (let i = 0; i < 3; i++) t.same(await expanded(other, 'prompt'), { complete: true, fault: null })
  const faults = (await hanging).map(({ fault }) => fault)
  t.ok(faults.includes('timed_out') && faults.includes('busy'), faults.join())
})
