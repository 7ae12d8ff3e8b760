import '../support/trust-environment.ts'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { hashExpression } from '#sql/trust/safe-browsing/expressions.ts'
import { cancel, enqueue } from '#tasks/queue/enqueue.ts'
import { refresh } from '#tasks/trust/refresh.ts'
import { importFile } from '#tasks/trust/rules/import-file.ts'
import { scheduleImport } from '#tasks/trust/rules/schedule-import.ts'
import { get, post, signIn, tokenOf } from '../console/fixture.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { startWorkers } from '../support/video-stack.ts'
import { riceEncoded } from './rice.ts'
import { type Answer, hosts, trustStack } from './stack.ts'

const stack = await trustStack(t, ['console'])
const { db, databaseUrl, web, check, put, imported } = stack

const verdict = async (url: string) => (await check(url)).verdict
const staged = () => db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*) as n from trust.staging`)
const only = (name: string) => db.query(sql.typeAlias('void')`delete from trust.feeds where name <> ${name}`)

t.test('a worker that is killed amid an import leaves the old feed whole; the next one finishes', async (t) => {
  await put('big')
  const data = t.testdir()
  const big = (await feeds.findByName(db, 'big')) as feeds.Feed
  await writeFile(`${data}/old.txt`, hosts(9_000))
  t.match(await importFile(db, big, `${data}/old.txt`), { entries: 9_000, leftOut: 0 })
  let asked = 0
  web.at.big = (_, res) => {
    asked++
    if (asked === 1) res.write(hosts(12_000, 5_000))
    else res.end(hosts(20_000, 5_000))
  }
  const workers = await startWorkers(t, {
    databaseUrl,
    store: web,
    data,
    pools: 'web',
    under: [],
    environment: { OUTBOUND_ALLOWED: '127.0.0.1', LOG_LEVEL: 'info' },
  })
  await db.query(sql.typeAlias('void')`update trust.feeds set next_at = null where name <> 'big'`)
  const over = stack.imported('big')
  await until(async () => (await staged()) >= 10_000, { what: 'half of it is read' })
  await workers.kill()
  for (const [host, wanted] of [
    [0, 'malicious'],
    [8_999, 'malicious'],
    [10_000, 'unknown'],
  ] as const) {
    t.equal(await verdict(`http://host-${host}.example/`), wanted, `host ${host}, of the old feed`)
  }
  await stack.startWorker()
  t.match(await over, { entries: 20_000, failures: 0 })
  t.equal(asked, 2)
  for (const [host, wanted] of [
    [0, 'unknown'],
    [5_000, 'malicious'],
    [24_999, 'malicious'],
  ] as const) {
    t.equal(await verdict(`http://host-${host}.example/`), wanted, `host ${host}, of the new feed`)
  }
  t.equal(await staged(), 0)
  const counted = await db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*) as n from trust.entries`)
  t.equal(counted, 20_000)
  await feeds.remove(db, 'big')
})

t.test('URLhaus’ CSV is read with its dates, threats and tags, over its key', async (t) => {
  web.at.urlhaus = `################\n# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter\r
"3041","2026-11-20 08:15:00","http://198.51.100.9:8080/bin/mips","online","2026-11-21","malware_download","elf,mozi","https://urlhaus.abuse.ch/url/3041/","one"\r
"3042","2026-11-20 09:00:00","https://drive.example/get?id=1,2","offline","","malware_download","None","https://urlhaus.abuse.ch/url/3042/","two"\r
"3043","never","not a url at all://","online","","malware_download","","",""\r\n`
  await put('urlhaus', { kind: 'urlhaus' })
  t.match(await imported('urlhaus'), { entries: 2, left_out: 1, error: null })
  t.equal(web.seen.at(-1)?.headers['auth-key'], 'the-key-of-urlhaus')
  const body = await check('http://198.51.100.9/bin/mips')
  t.match(body.sources, [
    { listed: true, detail: 'elf,mozi', first_seen: '2026-11-20T08:15:00.000Z', categories: ['malware'] },
  ])
  t.equal(await verdict('https://drive.example/get?id=1,2'), 'malicious')
  t.equal(await verdict('https://drive.example/get?id=1'), 'unknown')
  await only('')
})

t.test('a list may be compressed, a hosts file, and have comments; what many share is not listed', async (t) => {
  const lines = [
    ...['# a comment', '! another', '', '0.0.0.0 hosts.example # and a comment', '*.wild.example', 'UPPER.example.'],
    ...['github.io', 'co.uk', 'com', 'evil.github.io', 'http://xn--80ak6aa92e.com/#frag', '::', '<not a host>/'],
  ]
  web.at.list = gzipSync(lines.join('\r\n'))
  await put('list')
  t.match(await imported('list'), { entries: 5, error: null })
  for (const host of ['hosts.example', 'a.wild.example', 'upper.example', 'evil.github.io', 'аррӏе.com']) {
    t.equal(await verdict(`https://${host}/`), 'malicious', host)
  }
  for (const host of ['github.io', 'good.github.io', 'a.co.uk'])
    t.equal(await verdict(`https://${host}/`), 'unknown', host)
})

t.test('what is unchanged is not fetched again; what stays listed keeps when it was first seen', async (t) => {
  web.at.list = (req, res) => {
    if (req.headers['if-none-match'] === '"v1"') res.writeHead(304).end()
    else res.writeHead(200, { etag: '"v1"' }).end('stays.example\ngoes.example\nhosts.example\nwild.example\n')
  }
  const before = await imported('list')
  t.match(before, { etag: '"v1"', entries: 4 })
  await db.query(sql.typeAlias('void')`update trust.entries set first_seen = '2026-01-01T00:00:00Z'`)
  const after = await imported('list')
  t.same(after.imported_at, before.imported_at)
  t.ok((after.checked_at as Date) > (before.checked_at as Date))
  web.at.list = 'stays.example\nnew.example\n'
  await imported('list')
  const [source] = (await check('http://stays.example/')).sources
  t.match(source, { listed: true, first_seen: '2026-01-01T00:00:00.000Z' })
  t.not((await check('http://new.example/')).sources[0].first_seen, '2026-01-01T00:00:00.000Z')
  t.equal(await verdict('http://goes.example/'), 'unknown')
})

t.test('a feed that fails keeps its entries and says why; half of it lost takes an operator’s word', async (t) => {
  web.at.list = hosts(10)
  await imported('list')
  const status = (code: number) => (_: unknown, res: ServerResponse) => void res.writeHead(code).end()
  const broken: [Answer, RegExp][] = [
    [hosts(4), /The new list has 4 entries, the old one 10/],
    ['', /feed is empty/],
    ['<html>', /feed is empty/],
    [status(403), /returned 403/],
    [
      (_, res) => void res.writeHead(302, { location: 'http://127.0.0.2/' }).end(),
      /127\.0\.0\.2 is not a public address/,
    ],
    [
      (_, res) => void res.writeHead(200, { 'content-length': '99' }).write('a.example\n', () => res.destroy()),
      /connection failed/,
    ],
    [(_, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'), /not valid gzip/],
    ['x'.repeat(70_000), /line of the feed has more than/],
  ]
  for (const [answer, why] of broken) {
    web.at.list = answer
    const feed = await imported('list')
    t.match(feed.error, why)
    t.match(feed, { entries: 10, failures: Number })
    t.equal(await verdict('http://host-9.example/'), 'malicious')
  }
  t.equal((await feeds.findByName(db, 'list'))?.failures, broken.length)
  web.at.list = hosts(4)
  t.match(await imported('list', true), { entries: 4, failures: 0, error: null })
  await put('csv', { kind: 'urlhaus', url: `${web.url}/csv` })
  web.at.csv = '"a","b\n'
  t.match((await imported('csv')).error, /not valid CSV/)
  await only('list')
})

t.test('a feed whose import ends before its server has answered says why', async (t) => {
  web.at.silent = () => {}
  await put('silent')
  const { id } = (await feeds.findByName(db, 'silent')) as feeds.Feed
  const run = await db.transaction((tx) => scheduleImport(tx, id))
  await until(() => web.seen.some(({ url }) => url === '/silent'), { what: 'the server is asked' })
  await cancel(db, run)
  const failed = async () => (await feeds.findByName(db, 'silent'))?.failures === 1
  await until(failed, { what: 'the failure is recorded', timeout: 5_000 })
  t.match(await feeds.findByName(db, 'silent'), { error: /cancelled/, entries: 0 })
  await only('list')
})

t.test('feeds are imported when their turn comes, and those with a key are added', async (t) => {
  web.at.list = 'due.example\nalso.example\n'
  await put('list')
  await enqueue(db, refresh, {})
  await until(async () => (await verdict('http://due.example/')) === 'malicious', { what: 'it is imported' })
  const found = await feeds.list(db)
  t.same(
    found.map(({ name }) => name),
    ['list', 'safe-browsing', 'urlhaus'],
  )
  const next = (found[0]?.next_at?.getTime() ?? 0) - Date.now()
  t.ok(next > 3_500_000 && next <= 3_600_000, `next in ${next} ms`)
  await only('list')
})

const safeBrowsing = { kind: 'safe_browsing', url: `${web.url}/`, category: 'other' } as const
const prefix = (expression: string) => hashExpression(expression).readUInt32BE()

t.test('Safe Browsing’s prefixes are a feed, and its keeper is asked for the rest of a hash', async (t) => {
  const values = ['bad.example/', 'twin.example/'].map(prefix).sort((a, b) => a - b)
  const bytes = Buffer.concat(values.map((value) => Buffer.from(value.toString(16).padStart(8, '0'), 'hex')))
  const list = {
    name: 'se-4b',
    additionsFourBytes: riceEncoded(values, 28),
    sha256Checksum: createHash('sha256').update(bytes).digest('base64'),
    minimumWaitDuration: '86400s',
  }
  web.at['v5/hashLists:batchGet'] = JSON.stringify({ hashLists: [list, { name: 'mw-4b' }] })
  web.at.list = 'other.example\n'
  await imported('list', true)
  await put('sb', safeBrowsing)
  const feed = await imported('sb')
  t.match(feed, { entries: 2, error: null })
  t.ok((feed.next_at as Date).getTime() > Date.now() + 80_000_000, 'it waits as long as it was told')
  t.equal(web.seen.at(-1)?.headers['x-goog-api-key'], 'the-key-of-safe-browsing')
  const searched = () => web.seen.filter(({ url }) => url?.startsWith('/v5/hashes:search')).length
  const sb = async (url: string) => (await check(url)).sources.find(({ name }: { name: string }) => name === 'sb')

  web.at['v5/hashes:search'] = (_, res) => void res.writeHead(503).end()
  t.match(await check('http://a.bad.example/x'), { verdict: 'unknown', degraded: true })
  t.match(await sb('http://a.bad.example/x'), { listed: null, stale: false })

  const details = [{ threatType: 'SOCIAL_ENGINEERING' }, { threatType: 'NEW_AT_GOOGLE' }]
  const fullHash = hashExpression('bad.example/').toString('base64')
  web.at['v5/hashes:search'] = JSON.stringify({
    fullHashes: [{ fullHash, fullHashDetails: details }],
    cacheDuration: '300s',
  })
  const before = searched()
  t.match(await check('http://a.bad.example/x'), { verdict: 'malicious', categories: ['phishing'], degraded: false })
  t.match(await sb('http://a.bad.example/x'), { listed: true, matched: 'bad.example/' })
  t.equal(searched(), before + 1, 'the answer is kept')
  const asked = new URL(web.seen.at(-1)?.url ?? '', web.url).searchParams.getAll('hashPrefixes')
  t.same(asked, [hashExpression('bad.example/').subarray(0, 4).toString('base64')], 'four bytes are all that is told')
  t.match(await sb('http://twin.example/'), { listed: false }, 'a prefix alone is no listing')
  t.match(await sb('http://other.example/'), { listed: false })
  t.equal(searched(), before + 2)

  web.at['v5/hashLists:batchGet'] = JSON.stringify({ hashLists: [{ ...list, sha256Checksum: fullHash }] })
  t.match((await imported('sb')).error, /checksum/)
  web.at['v5/hashLists:batchGet'] = JSON.stringify({
    hashLists: [{ ...list, additionsFourBytes: { entriesCount: 9 } }],
  })
  t.match((await imported('sb')).error, /is invalid/)
  web.at['v5/hashLists:batchGet'] = 'no JSON'
  t.match(await imported('sb'), { error: /not valid JSON/, entries: 2 })
})

t.test('the page Trust shows each feed; an operator has one imported, and no key is shown', async (t) => {
  const { url } = stack.ingress
  const { org, keys } = await testOrg(db, ['operator'])
  const cookie = await signIn({ db, url, key: keys.main, orgId: org.id })
  web.at.list = 'by-hand.example\n<b>\n'
  await put('list', { url: `${web.url}/list?auth_key=hidden-1234` })
  const page = await get(url, '/ops/trust', cookie)
  t.match(page.text, /data-key="feed-list"/)
  t.match(page.text, /is invalid|not valid JSON/)
  t.notMatch(page.text, 'hidden-1234')
  const question = await get(url, '/ops/confirm/import-feed?feed=list', cookie)
  t.match(question.text, 'Import this feed now?')
  t.notMatch(question.text, 'hidden-1234')
  const fields = { feed: 'list', anyway: 'yes', token: tokenOf(question) }
  t.equal((await post(url, '/ops/confirm/import-feed', fields, { cookie })).status, 303)
  await until(async () => (await verdict('http://by-hand.example/')) === 'malicious', { what: 'it is imported' })
  t.match((await get(url, '/ops/trust', cookie)).text, /1 line skipped/)
  t.match((await get(url, '/ops/actions', cookie)).text, 'feed list')
  t.equal((await get(url, '/ops/confirm/import-feed?feed=none', cookie)).status, 404)
})
