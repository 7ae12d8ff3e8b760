import { createPrivateKey, createPublicKey } from 'node:crypto'
import t from 'tap'
import { createDns } from '#lib/network/dns.ts'
import { createSeal } from '#lib/seal.ts'
import { sql } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import * as events from '#sql/webhooks/events.ts'
import { checkDomains } from '#tasks/email/check-domains.ts'
import { checkRecords } from '#tasks/email/rules/domains/check-records.ts'
import type { RecordKind } from '#tasks/email/rules/domains/records.ts'
import { createZoneDns } from '#tasks/email/rules/domains/zone-dns.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { lookups } from '../../ingress/email/services.ts'
import { provide } from '../../ingress/http/container.ts'
import { fieldsOf, type Reply, testOrg } from '../support/ingress.ts'
import { startNsd } from '../support/nsd.ts'
import { until } from '../support/until.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t, { areas: ['email'] })
const { db } = stack
const nsd = await startNsd(t, { 'customer.example': '', 'spf.localhost': '@ IN TXT "v=spf1 ip4:192.0.2.0/24 -all"' })
const resolver = createDns([nsd.dns])
const zone = () => createZoneDns({ recursive: resolver, port: nsd.port, allowed: ['127.0.0.0/8'] })
const ingress = await stack.another(db, { services: [provide(lookups, { zone, resolver })] })
const [one, two] = await Promise.all([testOrg(db, ['email:manage']), testOrg(db, ['email:manage'])])
const key = one.keys.main

const ask = (request: string, body?: unknown, by = key) =>
  ingress.ask(request, { key: by, ...(body !== undefined && { body }) })

interface Published {
  kind: string
  name: string
  type: string
  value: string
  priority: number | null
}

/** A record as a zone file has it: a long text in strings of at most 255 octets. */
const line = ({ name, type, value, priority }: Published) =>
  type === 'MX'
    ? `${name}. IN MX ${priority} ${value}.`
    : `${name}. IN TXT ${(value.match(/.{1,200}/g) ?? []).map((part) => `"${part}"`).join(' ')}`
const publish = (domain: Reply['body'], but: (record: Published) => string | undefined = line) =>
  nsd.serve({ [domain.domain]: domain.records.map(but).filter(Boolean).join('\n') })
const without = (kind: string) => (record: Published) => (record.kind === kind ? undefined : line(record))
const states = ({ records }: Reply['body']) =>
  Object.fromEntries(records.map(({ kind, state }: { kind: string; state: string }) => [kind, state]))
const allFound = {
  dkim_rsa: 'found',
  dkim_ed25519: 'found',
  return_path_mx: 'found',
  return_path_spf: 'found',
  spf: 'found',
  dmarc: 'found',
}
const verify = async (domain: string, by?: string) =>
  (await ask(`POST /send/v1/domains/${domain}/verify`, undefined, by)).body
const add = async (domain: string, by?: string) => {
  const reply = await ask('POST /send/v1/domains', { domain }, by)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.body
}

t.test('a domain is verified by the records that its owner was told to publish', async (t) => {
  const domain = await add('customer.example')
  t.match(domain, { status: 'pending', return_path: 'bounce.customer.example', spf_include: 'spf.localhost' })
  t.same(new Set(Object.values(states(domain))), new Set(['not_checked']))
  const before = await verify('customer.example')
  t.match(before, { status: 'pending', spf_verified: false, dkim_verified: false })
  t.same(new Set(Object.values(states(before))), new Set(['missing']))

  await publish(domain)
  const after = await verify('customer.example')
  t.same(states(after), allFound)
  t.match(after, { status: 'verified', verified_by: 'dns', spf_verified: true, dkim_verified: true })
  t.match((await ask('GET /send/v1/domains/Customer.Example')).body, {
    status: 'verified',
    records: [{ state: 'found' }],
  })
  t.match((await ask('GET /send/v1/domains')).body.data, [{ domain: 'customer.example', status: 'verified' }])
})

t.test('keys are pairs, their private parts sealed; both are signed with once they were seen', async (t) => {
  const row = await domains.find(db, one.org.id, 'customer.example')
  const keys = await domains.listKeys(db, [row?.id as string])
  t.match(keys, [
    { algorithm: 'rsa-sha256', published: true },
    { algorithm: 'ed25519-sha256', published: true },
  ])
  const seal = createSeal(signingSecret, domains.sealPurpose)
  for (const { id, private_key, public_key, algorithm } of keys) {
    const pem = seal.open(private_key, domains.keyAbout(id)) as string
    const der = createPublicKey(createPrivateKey(pem)).export({ type: 'spki', format: 'der' })
    t.equal((algorithm === 'rsa-sha256' ? der : der.subarray(-32)).toString('base64'), public_key)
    t.notMatch(private_key, /PRIVATE/)
  }
})

t.test(
  'two organisations send from one domain, each by its own selectors, and see nothing of each other',
  async (t) => {
    const theirs = await add('customer.example', two.keys.main)
    const ours = (await ask('GET /send/v1/domains/customer.example')).body
    const namesOf = ({ records }: Reply['body']) => records.slice(0, 2).map(({ name }: Published) => name)
    t.equal(new Set([...namesOf(ours), ...namesOf(theirs)]).size, 4)
    t.match(states(await verify('customer.example', two.keys.main)), { dkim_rsa: 'missing', return_path_spf: 'found' })
    await add('only-ours.example')
    for (const request of ['GET /send/v1/domains/only-ours.example', 'DELETE /send/v1/domains/only-ours.example'])
      t.equal((await ask(request, undefined, two.keys.main)).status, 404)
    t.equal((await ask('POST /send/v1/domains/only-ours.example/verify', undefined, two.keys.main)).status, 404)
    t.equal((await ask('DELETE /send/v1/domains/only-ours.example')).status, 200)
    t.equal((await ask('GET /send/v1/domains/only-ours.example')).status, 404)
  },
)

t.test('each record that is not as it must be is told apart, with what is there', async (t) => {
  const domain = await add('faulty.example')
  const value = (kind: string) => domain.records.find((r: Published) => r.kind === kind).value as string
  const cases: [RecordKind, string | ((record: Published) => string), string, RegExp][] = [
    ['dkim_rsa', value('dkim_rsa').replace(/(p=.{60})./, '$1_'), 'different', /a different key/],
    ['dkim_rsa', value('dkim_rsa').replace(/.{20}$/, ''), 'different', /part of the key/],
    ['dkim_rsa', 'v=DKIM1; k=rsa; p=', 'different', /revoked/],
    ['dkim_rsa', value('dkim_rsa').replace('k=rsa', 'k=ed25519'), 'different', /k= must be rsa/],
    [
      'dkim_rsa',
      value('dkim_rsa')
        .replace('v=DKIM1; k=rsa;', '')
        .replace(/(.{64})/g, '$1 '),
      'found',
      /p=/,
    ],
    ['dkim_rsa', (r) => `${line(r)}\n${r.name}. IN TXT "v=DKIM1; p=x"`, 'different', /Only one record/],
    ['dkim_rsa', value('dkim_rsa').replaceAll('=', ' = '), 'found', /p = /],
    ['dkim_ed25519', 'some words', 'different', /must be a list of tags/],
    ['return_path_spf', 'v=spf1 -all', 'different', /must contain include:spf\.localhost/],
    ['return_path_spf', 'v=spf1 -all include:spf.localhost', 'different', /before its all/],
    ['return_path_spf', 'v=spf1 ?include:spf.localhost -all', 'different', /must contain/],
    ['return_path_spf', (r) => `${line(r)}\n${r.name}. IN TXT "v=spf1 -all"`, 'different', /Only one record/],
    ['return_path_spf', 'v=spf1 include:more.faulty.example -all', 'found', /more/],
    ['return_path_spf', 'v=spf1 include:loop.faulty.example -all', 'different', /more than 10 DNS lookups/],
    [
      'return_path_spf',
      'v=spf1 a:n1.faulty.example a:n2.faulty.example mx:n3.faulty.example -all',
      'different',
      /More than 2/,
    ],
    ['return_path_spf', 'v=spf1 includes:spf.localhost -all', 'different', /not an SPF term/],
    ['return_path_spf', 'v=spf1 redirect=more.faulty.example', 'found', /redirect/],
    ['return_path_spf', 'v=spf1 include:spf.localhost include:elsewhere.example -all', 'found', /elsewhere/],
    ['return_path_spf', 'v=spf1 -include:more.faulty.example include:spf.localhost -all', 'different', /must contain/],
    ['return_path_spf', 'v=spf1 include:a..b -all', 'different', /not a host name/],
    ['return_path_spf', 'v=spf1 include: -all', 'different', /must name a host/],
    ['return_path_spf', 'v=spf1 a:%{d}.x.example mx/24 exists:%{i}.x.example include:spf.localhost', 'found', /exists/],
    ['return_path_spf', 'v=spf1 include:elsewhere.example -all', 'unknown', /could not be looked up/],
    [
      'return_path_mx',
      (r) => `${r.name}. IN MX 5 mx.other.example.\n${line(r)}`,
      'different',
      /5 mx\.other\.example, 10/,
    ],
    ['return_path_mx', (r) => `${r.name}. IN MX 0 .`, 'different', /0 \./],
    ['dmarc', 'v=DMARC1; p=maybe', 'different', /maybe/],
    ['dmarc', 'v=DMARC1;p=reject; rua=mailto:a@faulty.example', 'found', /reject/],
  ]
  const more = [
    'more.faulty.example. IN TXT "v=spf1 ip4:192.0.2.1 include:spf.localhost ~all"',
    'loop.faulty.example. IN TXT "v=spf1 include:loop.faulty.example -all"',
  ]
  for (const [kind, given, state, found] of cases) {
    const records = domain.records.map((record: Published) => {
      if (record.kind !== kind) return line(record)
      return typeof given === 'string' ? line({ ...record, value: given }) : given(record)
    })
    await nsd.serve({ 'faulty.example': [...records, ...more].join('\n') })
    const row = (await domains.findById(db, domain.id)) as domains.EmailDomain
    const checks = await checkRecords(row, await domains.listKeys(db, [row.id]), { zone, resolver })
    t.match(checks[kind], { state, found }, `${kind}: ${found}`)
  }
})

t.test('a CNAME to another zone is followed', async (t) => {
  const domain = await add('alias.example')
  const moved: Published[] = []
  await publish(domain, (record) => {
    if (record.kind !== 'dkim_rsa') return line(record)
    moved.push({ ...record, name: 'key.customer.example' })
    return `${record.name}. IN CNAME key.customer.example.`
  })
  await nsd.serve({ 'customer.example': moved.map(line).join('\n') })
  t.match(states(await verify('alias.example')), { dkim_rsa: 'found' })
})

t.test('what is nobody’s own, and what is no domain, is refused', async (t) => {
  for (const domain of [
    '',
    'example',
    'co.uk',
    'github.io',
    'gmail.com',
    'mail.gmail.com',
    'a b.example',
    'x..example',
    '127.0.0.1',
    `${'a'.repeat(64)}.example`,
    'a@b.example',
    7,
    null,
    ['a.example'],
  ]) {
    const reply = await ask('POST /send/v1/domains', { domain })
    t.equal(reply.status, 400, JSON.stringify(domain))
    t.same(fieldsOf(reply), ['body.domain'])
  }
  t.equal((await ask('POST /send/v1/domains', { domain: 'customer.example' })).body.error.code, 'domain_exists')
  t.equal((await ask('POST /send/v1/domains', { domain: 'a.example', extra: 1 })).status, 400)
  t.equal((await ask('GET /send/v1/domains/no_domain')).status, 400)
  t.match((await ask('POST /send/v1/domains', { domain: 'Bücher.example' })).body, { domain: 'xn--bcher-kva.example' })
})

t.test('a verified domain falls only after three hourly passes that found a record amiss', async (t) => {
  await ask('POST /send/v1/webhooks', { url: 'https://hooks.example/email', events: ['*'] })
  const domain = await add('falls.example')
  await publish(domain)
  t.equal((await verify('falls.example')).status, 'verified')
  await stack.startWorkers(
    { DNS_RESOLVERS: nsd.dns, DNS_AUTHORITATIVE_PORT: String(nsd.port), OUTBOUND_ALLOWED: '127.0.0.0/8' },
    'core',
  )
  const row = async () => (await domains.findById(db, domain.id)) as domains.EmailDomain
  const pass = async () => {
    const { passed_at: before } = await row()
    await db.query(sql.typeAlias('void')`update email.domains set passed_at = passed_at - interval '1 hour'`)
    await enqueue(db, checkDomains, { spreadMs: 0 })
    return await until(async () => {
      const now = await row()
      return now.passed_at && now.passed_at.getTime() > (before?.getTime() ?? 0) && now
    })
  }
  t.match(await pass(), { status: 'verified', failed_passes: 0 })
  await publish(domain, without('return_path_mx'))
  t.match(await pass(), { status: 'verified', failed_passes: 1 })
  t.equal((await verify('falls.example')).status, 'verified')
  t.match(await pass(), { status: 'verified', failed_passes: 2 })
  await publish(domain, ({ kind, ...record }) => {
    if (kind === 'return_path_mx') return `${record.name}. IN CNAME bounce.nobody-answers.example.`
    return kind === 'return_path_spf' ? undefined : line({ kind, ...record })
  })
  t.match(await pass(), { status: 'verified', failed_passes: 2, checks: { return_path_mx: { state: 'unknown' } } })
  await publish(domain, without('dkim_rsa'))
  t.match(await pass(), { status: 'failed', verified_by: null, verified_at: null })
  const [rsa] = await domains.listKeys(db, [domain.id])
  t.equal(rsa?.published, false)
  await publish(domain)
  t.match(await pass(), { status: 'verified', failed_passes: 0 })
  const told = await db.any(sql.type(events.table.Row)`
    select ${events.table.columns()} from webhooks.events where data ->> 'domain' = 'falls.example' order by id`)
  t.match(told, [
    { type: 'email.domain.verified' },
    { type: 'email.domain.failed', data: { amiss: ['dkim_rsa'] } },
    { type: 'email.domain.verified', data: { id: domain.id, status: 'verified' } },
  ])
})

t.test('a domain that an operator has vouched for is not judged by DNS', async (t) => {
  const { id } = await add('vouched.example')
  await db.query(sql.typeAlias('void')`
    update email.domains set status = 'verified', verified_by = 'operator', verified_at = now() where id = ${id}`)
  t.match(await verify('vouched.example'), { status: 'verified', spf_verified: true, dkim_verified: true })
})
