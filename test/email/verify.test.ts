import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import t from 'tap'
import { createDns } from '#lib/network/dns.ts'
import { createMailDomains } from '../../ingress/email/domains/mail-domains.ts'
import { dns } from '../../ingress/email/services.ts'
import { provide } from '../../ingress/http/container.ts'
import { testDatabase } from '../support/database.ts'
import { fieldsOf, testIngress, testOrg } from '../support/ingress.ts'
import { startNsd } from '../support/nsd.ts'

const { db } = await testDatabase(t)
const nsd = await startNsd(t, {
  'mail.example': '@ IN MX 10 mx1\n@ IN MX 20 mx2\nmx1 IN A 192.0.2.1\nmx2 IN A 192.0.2.2\nsub IN MX 5 mx1',
  'null.example': '@ IN MX 0 .',
  'address.example': '@ IN AAAA 2001:db8::1',
  'literal.example': '@ IN MX 10 192.0.2.1.\nsix IN MX 10 2001:db8::1.\nprivate IN MX 5 10.0.0.1.',
  'localhost.example':
    '@ IN MX 0 localhost.\nbare IN MX 0 mailserver.\nhome IN MX 0 mx.local.\nboth IN MX 0 localhost.\nboth IN MX 10 mx1.mail.example.',
  'empty.example': '',
  'xn--bcher-kva.example': '@ IN MX 10 mx.mail.example.',
  'gmail.com': '@ IN MX 5 mx.mail.example.',
  'gmial.com': '@ IN MX 5 mx.mail.example.',
  'small.com': '@ IN MX 5 mx.mail.example.',
  'hotmial.con': '',
  'mailinator.com': '@ IN MX 5 mx.mail.example.',
})
const asked: string[] = []
const real = createDns([nsd.dns])
const counting = {
  ...real,
  mailServers: (name: string) => {
    asked.push(name)
    return real.mailServers(name)
  },
}
const ingress = await testIngress(t, db, [], { only: ['email'], services: [provide(dns, counting)] })
const { keys } = await testOrg(db, [], { keys: { main: { prefix: 'snd_live_', scopes: ['email:send'] } } })
const verify = async (email: unknown) => await ingress.ask('POST /send/v1/verify', { key: keys.main, body: { email } })
const bulk = (emails: unknown) => ingress.ask('POST /send/v1/verify/bulk', { key: keys.main, body: { emails } })

const cases: [string, string, string, Record<string, unknown>?][] = [
  ['Ann@Mail.Example', 'deliverable', 'ok', { mx: true, null_mx: false, role: false, free_provider: false }],
  ['ann+tag@sub.mail.example', 'deliverable', 'ok', { mx: true }],
  ['ann@bücher.example', 'deliverable', 'ok', { mx: true }],
  ['ann@gmail.com', 'deliverable', 'ok', { free_provider: true, typo: false, disposable: false }],
  ['ann@small.com', 'deliverable', 'ok', { typo: false }],
  ['postmaster@mail.example', 'risky', 'role', { role: true }],
  ['Sales+eu@mail.example', 'risky', 'role', { role: true }],
  ['ann@address.example', 'risky', 'implicit_mx', { mx: false, null_mx: false }],
  ['ann@mailinator.com', 'risky', 'disposable', { disposable: true }],
  ['ann@gmial.com', 'risky', 'typo', { typo: true }],
  ['ann@null.example', 'undeliverable', 'null_mx', { null_mx: true, mx: false }],
  ['ann@literal.example', 'undeliverable', 'bad_mx', { mx: false, null_mx: false }],
  ['ann@six.literal.example', 'undeliverable', 'bad_mx', { mx: false }],
  ['ann@private.literal.example', 'undeliverable', 'bad_mx', { mx: false }],
  ['ann@localhost.example', 'undeliverable', 'bad_mx', { mx: false }],
  ['ann@bare.localhost.example', 'undeliverable', 'bad_mx', { mx: false }],
  ['ann@home.localhost.example', 'undeliverable', 'bad_mx', { mx: false }],
  ['ann@both.localhost.example', 'deliverable', 'ok', { mx: true }],
  ['ann@empty.example', 'undeliverable', 'no_mail_server', { mx: false }],
  ['ann@nothing.empty.example', 'undeliverable', 'no_mail_server', { mx: false }],
  ['ann@hotmial.con', 'undeliverable', 'no_mail_server', { typo: true }],
  ['ann@refused.example', 'unknown', 'dns', { mx: null, null_mx: null, syntax: true }],
  ['ann', 'undeliverable', 'syntax', { syntax: false, mx: null, role: null }],
  ['ann@mail', 'undeliverable', 'syntax', { syntax: false }],
  ['a..b@mail.example', 'undeliverable', 'syntax'],
  ['"a b"@mail.example', 'undeliverable', 'syntax'],
  ['änn@mail.example', 'undeliverable', 'syntax'],
  ['a@mail.example, b@mail.example', 'undeliverable', 'syntax'],
  ['a@mail.example\r\nRCPT TO:<b@c.example>', 'undeliverable', 'syntax'],
  ['a@[192.0.2.1]', 'undeliverable', 'syntax'],
  [`${'a'.repeat(65)}@mail.example`, 'undeliverable', 'syntax'],
]

t.test('an address is judged by its syntax, its domain’s DNS and lists', async (t) => {
  for (const [email, verdict, reason, checks = {}] of cases) {
    const reply = await verify(email)
    t.match(reply, { status: 200, body: { verdict, reason, checks } }, email)
    t.equal(reply.body.valid, verdict === 'unknown' ? null : verdict !== 'undeliverable', email)
  }
  t.equal((await verify('Ann@Bücher.example')).body.email, 'ann@xn--bcher-kva.example')
  t.equal((await verify('ann@gmial.com')).body.did_you_mean, 'ann@gmail.com')
  t.equal((await verify('ann@hotmial.con')).body.did_you_mean, 'ann@hotmail.com')
  t.match((await verify('a..b@mail.example')).body.detail, /before the @/)
})

t.test('many are judged in their order, each domain looked up once', async (t) => {
  await nsd.serve({ 'fresh.example': '@ IN MX 10 mx.mail.example.' })
  asked.length = 0
  const emails = Array.from({ length: 500 }, (_, i) => [`p${i}@fresh.example`, i % 2 ? 'x' : 'y@null.example']).flat()
  const { status, body } = await bulk(emails)
  t.equal(status, 200)
  t.same(
    body.results.slice(0, 4).map(({ email, reason }: Record<string, string>) => [email, reason]),
    [
      ['p0@fresh.example', 'ok'],
      ['y@null.example', 'null_mx'],
      ['p1@fresh.example', 'ok'],
      ['x', 'syntax'],
    ],
  )
  t.equal(body.results.length, 1_000)
  t.same(asked, ['fresh.example'])
})

t.test('what is no list of addresses is refused', async (t) => {
  for (const emails of [[], 'a@b.example', [1], [''], Array(1_001).fill('a@b.example'), null, ['x'.repeat(1_001)]])
    t.equal((await bulk(emails)).status, 400)
  for (const email of ['', 7, null, ['a@b.example'], 'x'.repeat(1_001)])
    t.same(fieldsOf(await verify(email)), ['body.email'])
})

t.test('name servers that do not answer hold nobody up beyond the deadline', async (t) => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const slow = createMailDomains(createDns([`127.0.0.1:${silent.address().port}`], { timeout: 400, tries: 1 }))
  const begun = performance.now()
  const found = await slow.lookUp(
    Array.from({ length: 100 }, (_, i) => `d${i}.example`),
    Date.now() + 300,
  )
  t.ok(performance.now() - begun < 2_000)
  t.equal(found.size, 100)
  t.same(new Set([...found.values()].map(({ takes }) => takes)), new Set(['unknown']))
})
