import '../support/trust-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { createOutboundClient } from '#lib/http.ts'
import { sql } from '#sql/db.ts'
import { hashExpression } from '#sql/trust/safe-browsing/expressions.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { createProviderQueries } from '#tasks/trust/rules/keepers.ts'
import { sweepWatches } from '#tasks/trust/rules/sweep-watches.ts'
import { watch } from '#tasks/trust/watch.ts'
import { emittedTo } from '../support/emitted.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { trustStack } from './stack.ts'

const stack = await trustStack(t)
const { db, web, ask, orgId } = stack
await stack.startWorker()
const put = async (name: string, text: string) => {
  web.at[name] = text
  await stack.put(name)
  await stack.imported(name)
}
await put('one', 'malware.example\n')

const waitingSweeps = () =>
  db.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::int4 from jobs_web._private_jobs as j join jobs_web._private_tasks as k on k.id = j.task_id
    where k.identifier = 'trust/watch'`)

/** Has all that is watched judged anew, and waits until that is over. */
async function sweep() {
  await db.transaction((tx) => enqueue(tx, watch, {}, { key: 'trust/watch' }))
  await until(async () => (await waitingSweeps()) === 0, { what: 'what is watched is judged' })
}
const tools = {
  db,
  own: db.transaction.bind(db),
  signal: new AbortController().signal,
  outbound: createOutboundClient({ allowed: ['127.0.0.1'] }),
}
const told = (id: string) =>
  emittedTo(orgId).flatMap((event) =>
    event.type === 'trust.watch.changed' && event.data.id === id ? [event.data] : [],
  )
const make = async (url: string, more = {}) => {
  const { status, body, text } = await ask('POST /v1/trust/watches', { body: { url, ...more } })
  if (status !== 201) throw new Error(text)
  return body
}
const verdictOf = async (id: string) => (await ask(`GET /v1/trust/watches/${id}`)).body.verdict

t.test('a hundred URLs are checked at once, in their order; what is none fails alone', async (t) => {
  const urls = ['http://cdn.malware.example/x', 'mailto:a@b.example', 'https://fine.example/', 'https://аррӏе.com/']
  const { status, body } = await ask('POST /v1/trust/check-urls', { body: { urls: [...urls, ...urls] } })
  t.equal(status, 200)
  t.equal(body.count, 8)
  t.match(
    body.results.slice(4).map(({ asked, status, verdict }: Record<string, string>) => [asked, status, verdict]),
    [
      [urls[0], 'ok', 'malicious'],
      [urls[1], 'invalid', undefined],
      [urls[2], 'ok', 'unknown'],
      [urls[3], 'ok', 'suspicious'],
    ],
  )
  t.strictSame(body.results[0], { ...body.results[4] }, 'a repeat has the same answer')
  t.strictSame(Object.keys(body.results[1]).sort(), ['asked', 'status'])
  for (const [i, { asked, status, ...judged }] of body.results.entries()) {
    if (status !== 'ok') continue
    const { hops: _, expansion: __, ...alone } = await stack.check(asked)
    t.match(
      judged,
      { ...alone, sources: alone.sources.map(({ age_seconds: ___, ...one }: object & { age_seconds: number }) => one) },
      `${i}`,
    )
  }
  await ask('PUT /v1/trust/lists', { body: { hostname: 'fine.example', policy: 'deny' } })
  const { results } = (await ask('POST /v1/trust/check-urls', { body: { urls } })).body
  t.strictSame(
    results.map(({ policy }: { policy?: string }) => policy),
    [null, undefined, 'deny', null],
    'each has the policy of its own host',
  )
  const many = Array.from({ length: 100 }, (_, i) =>
    i % 2 ? `http://h${i}.malware.example/` : `http://h${i}.example/`,
  )
  const found = (await ask('POST /v1/trust/check-urls', { body: { urls: many } })).body.results
  t.ok(found.every(({ verdict }: { verdict: string }, i: number) => verdict === (i % 2 ? 'malicious' : 'unknown')))
})

t.test('who watches a URL is told when its verdict changes, once for each change', async (t) => {
  const partner = await make('https://partner.example/downloads', { note: 'reseller' })
  t.match(partner, { verdict: 'unknown', categories: [], note: 'reseller' })
  const bad = await make('http://malware.example/')
  t.match(bad, { verdict: 'malicious', categories: ['malware'] })
  await put('two', 'partner.example\nonly-two.example\n')
  await until(async () => (await verdictOf(partner.id)) === 'malicious', { what: 'the import is heard of' })
  await sweep()
  t.strictSame(told(partner.id), [
    {
      id: partner.id,
      url: 'https://partner.example/downloads',
      verdict: 'malicious',
      before: 'unknown',
      categories: ['malware'],
    },
  ])
  await put('two', 'only-two.example\n')
  await until(async () => (await verdictOf(partner.id)) === 'unknown', { what: 'it is listed no more' })
  t.match(told(partner.id)[1], { verdict: 'unknown', before: 'malicious', categories: [] })
  t.strictSame(told(bad.id), [])
  t.match((await ask('GET /v1/trust/watches?verdict=malicious')).body.data, [{ id: bad.id }])
  t.equal((await ask(`DELETE /v1/trust/watches/${partner.id}`)).status, 200)
  t.equal((await ask(`DELETE /v1/trust/watches/${partner.id}`)).status, 404)
})

t.test('a feed that cannot be asked any more makes no watched URL better', async (t) => {
  const one = await make('http://a.malware.example/')
  await db.query(
    sql.typeAlias('void')`update trust.feeds set checked_at = now() - interval '9 days' where name = 'one'`,
  )
  await sweep()
  t.equal(await verdictOf(one.id), 'malicious')
  t.strictSame(told(one.id), [])
  await db.query(sql.typeAlias('void')`update trust.feeds set checked_at = now() where name = 'one'`)
})

t.test('a keeper that answers nonsense is asked once in a sweep, which goes on to what others watch', async (t) => {
  await stack.put('sb', { kind: 'safe_browsing', url: `${web.url}/`, category: 'other' })
  await db.query(sql.typeAlias('void')`
    insert into trust.entries (prefix, hash, feed_id, exact, category, first_seen)
    select ${hashExpression('kept.example/').readInt32BE()}, ${sql.binary(hashExpression('kept.example/').subarray(0, 4))}, id, false, 'other', now()
    from trust.feeds where name = 'sb'`)
  const { org } = await testOrg(db, ['trust:read'])
  await db.query(sql.typeAlias('void')`
    insert into trust.watches (id, org_id, url, verdict)
    select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${org.id}, 'https://h' || n || '.kept.example/', 'unknown'
    from generate_series(1, 450) as n`)
  const { id } = await make('https://behind.example/')
  web.at['v5/hashes:search'] = JSON.stringify({ fullHashes: 'none' })
  const searches = () => web.seen.filter(({ url }) => url?.startsWith('/v5/hashes:search')).length
  await put('one', 'malware.example\nbehind.example\n')
  await until(async () => (await verdictOf(id)) === 'malicious', { what: 'others are told' })
  const before = searches()
  await sweep()
  t.equal(searches() - before, 1, 'a silent one would take 4 s of a sweep each time')
})

t.test('what one organisation has asked of a keeper is none of its neighbours’ share', async (t) => {
  await db.query(sql.typeAlias('void')`delete from trust.watches`)
  const hosts = Array.from({ length: 130 }, (_, n) => `open-${n}.example`)
  const prefixes = [...hosts, 'neighbour.example'].map((host) => hashExpression(`${host}/`).readInt32BE())
  await db.query(sql.typeAlias('void')`
    insert into trust.entries (prefix, hash, feed_id, exact, category, first_seen)
    select n, int4send(n), id, false, 'other', now()
    from trust.feeds, unnest(${sql.array(prefixes, 'int4')}) as n where name = 'sb'`)
  await db.query(sql.typeAlias('void')`update trust.feeds set checked_at = now() where name = 'sb'`)
  web.at['v5/hashes:search'] = JSON.stringify({
    fullHashes: [
      {
        fullHash: hashExpression('neighbour.example/').toString('base64'),
        fullHashDetails: [{ threatType: 'MALWARE' }],
      },
    ],
  })
  const { org } = await testOrg(db, ['trust:read'])
  await db.query(sql.typeAlias('void')`
    insert into trust.watches (id, org_id, url, verdict)
    select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${org.id}, 'https://' || host || '/', 'unknown'
    from unnest(${sql.array(hosts, 'text')}) with ordinality as h (host, n)`)
  await db.query(sql.typeAlias('void')`
    insert into trust.watches (id, org_id, url, verdict)
    values ('00000000-0000-7000-8000-000000001000', ${orgId}, 'https://neighbour.example/', 'unknown')`)
  await sweep()
  t.equal(await verdictOf('00000000-0000-7000-8000-000000001000'), 'malicious')
})

t.test('a keeper that is slow has its time of a sweep, and one organisation a part of that', async (t) => {
  let now = 0
  t.intercept(performance, 'now', { value: () => now })
  web.at['v5/hashes:search'] = (_, res) => {
    now += 3_900
    res.end('{}')
  }
  const confirmFor = createProviderQueries(tools)
  const answered: number[] = []
  for (let org = 0; org < 8; org++) {
    const answers: unknown[] = []
    for (let i = 0; i < 5; i++) answers.push(await confirmFor(`org ${org}`)(`${web.url}/`, [org * 10 + i]))
    answered.push(answers.filter((answer) => answer !== null).length)
  }
  t.strictSame(answered, [3, 3, 3, 3, 3, 1, 0, 0])
})

t.test('a sweep that has taken its time goes on in another job, beside which none begins anew', async (t) => {
  const [first, second] = [await make('https://first.example/'), await make('https://second.example/')]
  const spoil = () =>
    db.query(sql.typeAlias('void')`
      update trust.watches set verdict = 'suspicious' where id in (${first.id}, ${second.id})`)
  await db.query(sql.typeAlias('void')`update trust.feeds set checked_at = now()`)
  const rest = { key: 'trust/watch/rest' }
  await spoil()
  await db.transaction((tx) => enqueue(tx, watch, { after: first.id }, { ...rest, at: new Date(Date.now() + 1e8) }))
  await db.transaction((tx) => enqueue(tx, watch, {}, { key: 'trust/watch' }))
  await until(async () => (await waitingSweeps()) === 1, { what: 'the sweep that begins is over' })
  t.equal(await verdictOf(first.id), 'suspicious', 'it left the one under way alone')
  await db.transaction((tx) => enqueue(tx, watch, { after: first.id }, rest))
  await until(async () => (await waitingSweeps()) === 0, { what: 'the rest is swept' })
  t.strictSame([await verdictOf(first.id), await verdictOf(second.id)], ['suspicious', 'unknown'])
  await sweep()
  t.equal(await verdictOf(first.id), 'unknown', 'the next begins with the first')

  await spoil()
  await db.query(sql.typeAlias('void')`
    insert into trust.watches (id, org_id, url, verdict)
    select ('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid, ${orgId}, 'https://w' || n || '.example/', 'unknown'
    from generate_series(1, 200) as n`)
  const left = await sweepWatches(tools, { after: undefined, mostMs: 0 })
  t.not(left, undefined, 'others are left')
  t.equal(await verdictOf(second.id), 'suspicious')
  t.equal(await sweepWatches(tools, { after: left, mostMs: 0 }), undefined)
  t.equal(await verdictOf(second.id), 'unknown')
})

t.test('a URL is watched once; another organisation neither sees it nor is told', async (t) => {
  const first = await make('https://once.example/')
  t.match(await make('https://once.example/', { note: 'again' }), { id: first.id, note: 'again' })
  t.match(await make('https://once.example/'), { id: first.id, note: 'again' }, 'a note that is not given stays')
  const { body } = await ask('POST /v1/trust/watches/batch', {
    body: { urls: ['https://once.example/', 'https://b.example/', 'https://b.example/'], note: null },
  })
  t.equal(body.watches.length, 2)
  const { keys } = await testOrg(db, ['trust:read', 'trust:write'])
  for (const method of ['GET', 'DELETE'])
    t.equal((await ask(`${method} /v1/trust/watches/${first.id}`, { key: keys.main })).status, 404)
  t.strictSame((await ask('GET /v1/trust/watches', { key: keys.main })).body.data, [])
})

t.test('an organisation has ten thousand watches, of which none is added beyond', async (t) => {
  const { org, keys } = await testOrg(db, ['trust:read', 'trust:write'])
  await db.query(sql.typeAlias('void')`
    insert into trust.watches (id, org_id, url, verdict)
    select gen_random_uuid(), ${org.id}, 'https://h' || n || '.example/', 'unknown' from generate_series(1, 9999) as n`)
  const answers = await Promise.all(
    ['x', 'y', 'z'].map((name) =>
      ask('POST /v1/trust/watches', { key: keys.main, body: { url: `https://${name}.example/` } }),
    ),
  )
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 409, 409])
  t.match(answers.find(({ status }) => status === 409)?.body.error, { code: 'too_many_watches' })
  const again = { key: keys.main, body: { url: 'https://h1.example/', note: 'still' } }
  t.equal((await ask('POST /v1/trust/watches', again)).status, 201, 'one that is watched is not one more')
})

t.test('bad input is refused by the field that is bad', async (t) => {
  const url = 'https://a.example/'
  const bad: [string, unknown, string][] = [
    ...[undefined, null, 1, true, [], {}, '', '   ', 'mailto:a@b.example', 'https://', 'a'.repeat(2_049)].map(
      (bad): [string, unknown, string] => ['POST /v1/trust/watches', { url: bad }, 'body.url'],
    ),
    ...[1, true, [], {}, 'n'.repeat(501)].map((note): [string, unknown, string] => [
      'POST /v1/trust/watches',
      { url, note },
      'body.note',
    ]),
    ['POST /v1/trust/watches', { url, other: 1 }, 'body'],
    ...[undefined, null, 1, 'x', {}, [], Array.from({ length: 101 }, () => url)].flatMap(
      (urls): [string, unknown, string][] => [
        ['POST /v1/trust/watches/batch', { urls }, 'body.urls'],
        ['POST /v1/trust/check-urls', { urls }, 'body.urls'],
      ],
    ),
    ...[null, 1, {}, '', 'ftp://', 'a'.repeat(2_049)].map((bad): [string, unknown, string] => [
      'POST /v1/trust/watches/batch',
      { urls: [url, bad] },
      'body.urls.1',
    ]),
    ...[null, 1, {}, '', 'a'.repeat(8_193)].map((bad): [string, unknown, string] => [
      'POST /v1/trust/check-urls',
      { urls: [url, bad] },
      'body.urls.1',
    ]),
    ['POST /v1/trust/check-urls', { urls: [url], expand: true }, 'body'],
    ['GET /v1/trust/watches?verdict=safe', undefined, 'query.verdict'],
  ]
  t.ok(bad.length >= 40, `${bad.length} bad inputs`)
  for (const [request, body, field] of bad) {
    const reply = await ask(request, { body })
    t.equal(reply.status, 400, `${request} ${JSON.stringify(body)?.slice(0, 80)}`)
    t.ok(
      fieldsOf(reply).some((named) => named.startsWith(field)),
      `${fieldsOf(reply)} has ${field}`,
    )
  }
  const { body } = await ask('POST /v1/trust/watches/batch', { body: { urls: ['mailto:b', url, 'mailto:a'] } })
  t.strictSame(
    body.error.details.map(({ field }: { field: string }) => field),
    ['body.urls.0', 'body.urls.2'],
    'each that is none is named',
  )
  t.equal((await ask('GET /v1/trust/watches/nothing')).status, 404)
})
