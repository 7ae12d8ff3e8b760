import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { signToken } from '#lib/tokens.ts'
import { sql } from '#sql/db.ts'
import { put } from '#sql/trust/listings.ts'
import { getClientBinding } from '../../ingress/guard/visitor.ts'
import { visitorCounter } from '../../ingress/guard/visitor-notes.ts'
import { getToken, solve } from '../../ingress/guard/widget/node.js'
import { signingSecret } from '../../ingress/http/services.ts'
import { get, signIn } from '../console/fixture.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { pruneArea } from '../support/prune.ts'
import { guardStack, page } from './stack.ts'

t.setTimeout(240_000)
const stack = await guardStack(t)
const { url, app } = stack.ingress
const site = await stack.site({ rate_per_minute: 10, sha256: true })

/** Says whose address a request comes from. */
const from = (ip: string) => ({ 'x-forwarded-for': ip })
const calm = { webdriver: false, languages: 2, interactions: 9, ms_on_page: 9_000 }
const assess = (ip: string, signals: unknown = calm) => site.visit('assess', { action: 'signup', signals }, from(ip))
const challenge = (ip: string, more = {}) => site.visit('challenges', { action: 'signup', ...more }, from(ip))
const codes = ({ body }: { body: { reasons: { code: string }[] } }) => body.reasons.map(({ code }) => code)
const Owner = z.object({ org_id: Id })
const written = () => app.services(visitorCounter).flush()

t.test(
  'an attempt that nothing speaks against is allowed; claims of the page weigh, each with its reason',
  async (t) => {
    t.match(await assess('192.0.2.1'), { status: 200, body: { decision: 'allow', tier: 'low', score: 0, reasons: [] } })
    const driven = await assess('192.0.2.1', { webdriver: true, languages: 0, interactions: 0, ms_on_page: 10 })
    t.match(driven.body, { decision: 'challenge', tier: 'high', score: 50 })
    t.same(codes(driven), ['webdriver', 'no_languages', 'no_interaction', 'hurry'])
    t.same(codes(await site.visit('assess', { action: 'signup' }, from('192.0.2.1'))), ['no_signals'])
  },
)

t.test(
  'the challenge that names the assessment is as hard as it said; another’s assessment counts for nothing',
  async (t) => {
    const { assessment_id } = (await assess('192.0.2.2', { ...calm, webdriver: true })).body
    t.equal((await challenge('192.0.2.2', { assessment_id })).body.tier, 'normal')
    const quiet = (await assess('192.0.2.2')).body.assessment_id
    t.equal((await challenge('192.0.2.2', { assessment_id: quiet })).body.tier, 'low')
    await stack.db.query(
      sql.typeAlias('void')`update guard.assessments set decision = 'deny' where id = ${assessment_id}`,
    )
    t.match(await challenge('192.0.2.2', { assessment_id }), { status: 403, body: { error: { code: 'denied' } } })
    t.equal((await challenge('198.51.100.2', { assessment_id })).status, 201)
    const other = await stack.site({ sha256: true })
    t.equal((await other.visit('challenges', { action: 'signup', assessment_id }, from('192.0.2.2'))).status, 201)
  },
)

t.test('who asks much gets harder work, as does its subnet; it decays, and rates alone deny nobody', async (t) => {
  const busy = (ip: string, requests: number, failures = 0) => {
    const notes = app.services(visitorCounter)
    for (let n = 0; n < requests; n++) notes.add(site.id, ip)
    return failures
  }
  busy('203.0.113.7', 45)
  t.match(
    await assess('203.0.113.7'),
    { body: { decision: 'challenge', tier: 'normal' } },
    'counted before it is written',
  )
  await written()
  const after = await assess('203.0.113.7')
  t.same(codes(after).slice(0, 1), ['address_rate'])
  t.match(after.body.reasons[0].detail, /^45 requests from this address in about one minute. Up to 10 add nothing/)
  busy('203.0.113.7', 100_000)
  await written()
  const flood = await assess('203.0.113.7')
  t.match(flood.body, { decision: 'challenge', tier: 'extreme' })
  t.same(codes(flood), ['address_rate', 'subnet_rate', 'site_load'])
  t.same(codes(await assess('203.0.113.8')).includes('address_rate'), false, 'a neighbour has its own count')
  t.ok(codes(await assess('203.0.113.8')).includes('subnet_rate'))
  await stack.db.query(sql.typeAlias('void')`update guard.visitors set noted_at = now() - interval '30 minutes'`)
  t.match((await assess('203.0.113.7')).body, { decision: 'allow', score: 0 })
  await stack.db.query(sql.typeAlias('void')`update guard.visitors set noted_at = now() - interval '3 days'`)
  t.equal((await assess('203.0.113.7')).status, 200, 'nothing underflows')
})

t.test('wrong answers weigh, and with a driven browser they deny', async (t) => {
  const ip = '192.0.2.66'
  for (let n = 0; n < 4; n++) {
    const { id } = (await challenge(ip)).body
    t.equal((await site.visit(`challenges/${id}/complete`, { answer: 'AAAA' }, from(ip))).status, 400)
  }
  const wrong = await assess(ip)
  t.match(wrong.body.reasons[0], { code: 'address_failures', weight: 45, detail: /^4 wrong answers from this address/ })
  const robot = await assess(ip, { webdriver: true, languages: 0, interactions: 0, ms_on_page: 5 })
  t.match(robot.body, { decision: 'deny', tier: null })
  const { assessment_id } = robot.body
  t.match(await challenge(ip, { assessment_id }), { status: 403, body: { error: { code: 'denied' } } })
})

t.test('addresses that feeds list weigh more; what the organisation itself lists decides', async (t) => {
  const feed = await stack.db.oneFirst(sql.type(z.object({ id: z.number() }))`
    insert into trust.feeds (name, kind, category, every_seconds, stale_after_seconds) values ('attackers', 'list', 'malware', 3600, 9999)
    returning id`)
  const listed = hash('sha256', '192.0.2.90/', 'buffer')
  await stack.db.query(sql.typeAlias('void')`
    insert into trust.entries (prefix, hash, feed_id, exact, category, first_seen)
    values (${listed.readInt32BE()}, ${sql.binary(listed)}, ${feed}, false, 'malware', now())`)
  const { org_id } = await stack.db.one(sql.type(Owner)`select org_id from guard.sites where id = ${site.id}`)
  await put(stack.db, { org_id, hostname: '192.0.2.91', policy: 'deny', note: null })
  await put(stack.db, { org_id, hostname: '192.0.2.92', policy: 'allow', note: null })
  t.match((await assess('192.0.2.90')).body, {
    tier: 'normal',
    reasons: [{ code: 'listed', detail: 'The address is listed in attackers.' }],
  })
  t.equal((await assess('192.0.2.91')).body.decision, 'deny')
  t.equal((await challenge('192.0.2.91')).status, 403)
  t.match((await assess('192.0.2.92', { webdriver: true })).body, { decision: 'allow', score: 0 })
})

t.test('bad input is named; a key without a site, or of another page, may not', async (t) => {
  const bad = await site.visit('assess', { action: 'No Way', signals: { webdriver: 'no', languages: -1, x: 1 } })
  t.equal(bad.status, 400)
  t.same(fieldsOf(bad), ['body.action', 'body.signals.languages', 'body.signals.webdriver', 'body.signals.x'])
  t.equal((await site.visit('assess', { action: 'a' }, { origin: 'https://evil.example' })).status, 403)
  t.equal((await stack.ask('POST /v1/guard/assess', { body: { action: 'a' } })).status, 403)
})

t.test('the solver for Node passes; it solves SHA-256, too', async (t) => {
  await stack.stock(1)
  const quick = await stack.site({ max_tier: 'low' })
  const got = await getToken({ api: url, sitekey: quick.key, action: 'tour' })
  t.match(got, { alg: 'scrypt', tier: 'low' })
  t.match((await stack.verify(got.token, 'tour')).body, { valid: true, hostname: null })
  t.match((await stack.verify(got.token, 'tour')).body, { valid: false, reason: 'replayed' })
  const nonce = Buffer.from('0123456789abcdef')
  const counters = Buffer.from(
    await solve({ alg: 'sha256', nonce: nonce.toString('base64url'), count: 3, bits: 9 }),
    'base64url',
  )
  t.equal(counters.length, 12)
  for (let i = 0; i < 3; i++) {
    const found = hash(
      'sha256',
      Buffer.concat([nonce, Buffer.from([0, i]), counters.subarray(4 * i, 4 * i + 4)]),
      'buffer',
    )
    t.ok(Math.clz32(found.readUInt32BE()) >= 9)
  }
})

t.test('the widget is at most 20 KB zipped without the solver, and pages of all origins may load it', async (t) => {
  const load = async (path: string) => {
    const reply = await fetch(url + path, { headers: { 'accept-encoding': 'identity' } })
    t.equal(reply.headers.get('access-control-allow-origin'), '*')
    t.match(reply.headers.get('content-type'), 'text/javascript')
    return await reply.text()
  }
  const entry = await load('/v1/guard/widget.js')
  t.notMatch(entry, /^import /m, 'it is one file')
  const size = gzipSync(entry, { level: 9 }).length
  t.ok(size <= 20 * 1024, `${size} bytes`)
  const [, versioned] = /'\.(\/widget\/\w+\/)'/.exec(entry) ?? []
  await load(`/v1/guard${versioned}solver.js`)
  const other = `/v1/guard${versioned?.replace(/widget\/\w+/, 'widget/000000000000')}solver.js`
  t.equal((await stack.ingress.ask(`GET ${other}`)).status, 404)
  t.equal((await stack.ingress.ask('GET /v1/guard/solver.js')).status, 302)
})

t.test('without script a visitor waits and gets one token, of its own tier', async (t) => {
  const at = `/v1/guard/noscript?sitekey=${site.key}&action=signup`
  const first = await stack.ingress.ask(`GET ${at}`)
  t.match(first, { status: 200, text: /<meta http-equiv="refresh" content="11; url=\/v1\/guard\/noscript\?ticket=/ })
  t.match(first.headers.get('content-security-policy'), `frame-ancestors ${page}`)
  const early = /ticket=([\w.-]+)"/.exec(first.text)?.[1] ?? ''
  t.match(await stack.ingress.ask(`GET /v1/guard/noscript?ticket=${early}`), { status: 200, text: /takes \d+ seconds/ })

  const seconds = Math.floor(Date.now() / 1000)
  const services = app.services
  const { network } = getClientBinding({ ip: '127.0.0.1', header: () => undefined, services })
  const { org_id } = await stack.db.one(sql.type(Owner)`select org_id from guard.sites where id = ${site.id}`)
  const facts = {
    site: site.id,
    org: org_id,
    action: 'signup',
    network,
    iat: seconds - 12,
    from: seconds - 2,
    exp: seconds + 60,
  }
  const ticket = (more = {}) => signToken('guard.noscript', { id: newId(), ...facts, ...more }, services(signingSecret))
  const use = (text: string, headers = {}) => stack.ingress.ask(`GET /v1/guard/noscript?ticket=${text}`, { headers })

  const mine = ticket()
  const many = await Promise.all(Array.from({ length: 8 }, () => use(mine)))
  t.same(many.filter(({ status }) => status === 200).length, 1, 'one ticket, one token')
  t.match(many.find(({ status }) => status !== 200)?.text, 'This link has already been used')
  const token = /readonly autofocus>(\w+)</.exec(many.find(({ status }) => status === 200)?.text ?? '')?.[1] ?? ''
  t.match((await stack.verify(token)).body, { valid: true, tier: 'noscript', solve_ms: /^1\d{4}$/ })

  const back = await use(ticket({ return: `${page}/join?a=1` }))
  t.equal(back.status, 303)
  t.match(back.headers.get('location'), /^https:\/\/shop\.example\.com\/join\?a=1&mill-guard-token=\w{43}$/)
  t.equal((await use(ticket(), from('192.0.2.200'))).status, 403, 'another address')
  t.equal((await use(ticket({ exp: seconds - 1 }))).status, 403, 'late')
  t.equal((await use(`${mine}x`)).status, 403, 'forged')
  t.equal((await stack.ingress.ask(`GET ${at}&return=https://evil.example/`)).status, 400)
  t.equal((await stack.ingress.ask(`GET ${at.replace(site.key, stack.key)}`)).status, 404)
  const strict = await stack.site({ noscript: false })
  t.equal((await stack.ingress.ask(`GET ${at.replace(site.key, strict.key)}`)).status, 403)
})

t.test('without script a visitor gets five tokens in ten minutes, and another still gets its own', async (t) => {
  const own = await stack.site()
  const { org_id } = await stack.db.one(sql.type(Owner)`select org_id from guard.sites where id = ${own.id}`)
  const seconds = Math.floor(Date.now() / 1000)
  const facts = { site: own.id, org: org_id, action: 'signup', iat: seconds - 12, from: seconds - 2, exp: seconds + 60 }
  const use = (ip: string) => {
    const { network } = getClientBinding({ ip, header: () => undefined, services: app.services })
    const ticket = signToken('guard.noscript', { id: newId(), ...facts, network }, app.services(signingSecret))
    return stack.ingress.ask(`GET /v1/guard/noscript?ticket=${ticket}`, { headers: from(ip) })
  }
  const many = await Promise.all(Array.from({ length: 12 }, (_, i) => use(`2001:db8:1:2::${i + 1}`)))
  t.equal(many.filter(({ status }) => status === 200).length, 5)
  const refused = many.filter(({ status }) => status === 429)
  t.equal(refused.length, 7)
  t.match(refused[0]?.text, /5 times in ten minutes/)
  t.ok(Number(refused[0]?.headers.get('retry-after')) > 590)
  t.equal((await use('2001:db8:1:3::1')).status, 200)
  const again = { headers: from('2001:db8:1:2::99') }
  const begin = await stack.ingress.ask(`GET /v1/guard/noscript?sitekey=${own.key}&action=signup`, again)
  t.equal(begin.status, 429, 'told before the wait')
  const past = sql.typeAlias('void')`update guard.tickets set spent_at = spent_at - interval '10 minutes'`
  await stack.db.query(past)
  t.equal((await use('2001:db8:1:2::1')).status, 200)
})

t.test('the console tells what became of challenges, by site', async (t) => {
  const { keys, org } = await testOrg(stack.db, ['operator'])
  const cookie = await signIn({ db: stack.db, url, key: keys.main, orgId: org.id })
  await stack.db.query(sql.typeAlias('void')`
    update guard.challenges set expires_at = now() - interval '1 second' where outcome is null`)
  const list = await get(url, '/ops/guard', cookie)
  t.match(list.text, /<dt>abandoned<\/dt><dd>[1-9]/)
  t.match(list.text, /<dt>replayed<\/dt><dd>1</)
  t.match(list.text, `/ops/guard/sites/${site.id}?span=24h`)
  const one = await get(url, `/ops/guard/sites/${site.id}`, cookie)
  t.match(one.text, /<dt>without JavaScript<\/dt><dd>2</)
  t.match(one.text, '<code>webdriver</code>')
  t.equal((await get(url, `/ops/guard/sites/${newId()}`, cookie)).status, 404)
})

t.test('what is known of visitors is forgotten after a day', async (t) => {
  await written()
  await stack.db.query(sql.typeAlias('void')`update guard.visitors set noted_at = now() - interval '25 hours'`)
  await stack.db.query(sql.typeAlias('void')`update guard.assessments set expires_at = now() - interval '25 hours'`)
  await pruneArea(stack.db, 'guard')
  const left = await stack.db.oneFirst(sql.typeAlias('count')`
    select (select count(*) from guard.visitors) + (select count(*) from guard.assessments) as count`)
  t.equal(left, 0)
})
