import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import t from 'tap'
import type { NoRoute, Route } from '#tasks/email/engine.ts'
import { MxResolver } from '../../workers/mail/routes/mx.ts'
import { createAddressClassifier } from '../../workers/mail/routes/reachable.ts'
import { Router } from '../../workers/mail/routes/router.ts'
import { matches, type Policy, readPolicy, StsPolicies } from '../../workers/mail/routes/sts.ts'
import { Sessions } from '../../workers/mail/smtp/sessions.ts'
import { startSink } from '../support/mail-sink.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort, type Scope } from '../support/postgres.ts'

const nsd = await startNsd(t, {
  'rcpt.example': `
many IN MX 20 mx3.many
many IN MX 10 mx1.many
many IN MX 10 mx2.many
mx1.many IN A 192.0.2.1
mx2.many IN A 192.0.2.2
mx3.many IN A 192.0.2.3
mx3.many IN AAAA 2001:db8::3
alike IN MX 1 MX2.many
alike IN MX 2 mx1.many.rcpt.example.
alike IN MX 3 mx3.many
null IN MX 0 .
own IN MX 10 mx1.many
own IN MX 20 mx.own
own IN MX 30 mx3.many
mx.own IN A 198.51.100.7
loop IN MX 10 mx.own
loop IN MX 20 mx1.many
private IN MX 10 mx.private
mx.private IN A 10.0.0.1
mixed IN MX 10 mx.private
mixed IN MX 20 mx1.many
bare IN MX 10 nowhere
sts IN MX 10 mx1.many
_mta-sts.sts IN TXT "v=STSv1; id=1"`,
})

/** 192.0.2.0/24 and 2001:db8::/32 stand for public addresses here. */
const judge = createAddressClassifier(['192.0.2.0/24', '2001:db8::/32'], ['198.51.100.7'])
const simulator = { domain: 'simulator.localhost', port: async () => 9 }
const router = (
  servers: string[],
  find: (domain: string) => Promise<Policy | null> = async () => null,
  inboundPort?: number,
) =>
  new Router(
    {
      smarthost: undefined,
      delivers: false,
      port: 25,
      own: { hostname: 'mx.own.rcpt.example', port: inboundPort },
      simulator,
    },
    new MxResolver(servers, 300),
    { find },
    judge,
  )
const named = (route: Route | NoRoute) => ('hosts' in route ? route.hosts.map(({ name }) => name.split('.')[0]) : route)

t.test('MX hosts are tried by preference, those of one preference in any order', async (t) => {
  const orders = new Set<string>()
  for (let i = 0; i < 40; i++) orders.add(JSON.stringify(named(await router([nsd.dns]).route('many.rcpt.example'))))
  t.same([...orders].sort(), ['["mx1","mx2","mx3"]', '["mx2","mx1","mx3"]'])
  const route = (await router([nsd.dns]).route('many.rcpt.example')) as Route
  const alike = (await router([nsd.dns]).route('alike.rcpt.example')) as Route
  t.equal(alike.mxSet, route.mxSet, 'who has the same hosts is one MX set')
  t.same(await route.hosts[2]?.addresses(), ['192.0.2.3', '2001:db8::3'], 'every address of a host, of both kinds')
})

t.test('mail goes neither to ourselves, nor to what is not public', async (t) => {
  t.same(named(await router([nsd.dns]).route('own.rcpt.example')), ['mx1'], 'only to those before us')
  t.match(await router([nsd.dns]).route('loop.rcpt.example'), { replyClass: 'loop', enhanced: '5.4.6' })
  t.match(
    await router([nsd.dns], undefined, 2525).route('loop.rcpt.example'),
    { port: 2525, mxSet: 'mx.own.rcpt.example' },
    'but to the port at which mail is taken here',
  )
  t.match(await router([nsd.dns]).route('private.rcpt.example'), { replyClass: 'loop', enhanced: '5.4.6' })
  t.same(named(await router([nsd.dns]).route('mixed.rcpt.example')), ['mx1'])
  const strict = createAddressClassifier([])
  for (const address of [
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '::1',
    '::ffff:127.0.0.1',
    'fd00::1',
    '100.64.0.1',
    '0.0.0.0',
    '64:ff9b::7f00:1',
  ])
    t.not(strict(address), 'reachable', address)
  t.equal(strict('93.184.216.34'), 'reachable')
})

t.test('what does not exist bounces, what does not answer waits', async (t) => {
  t.match(await router([nsd.dns]).route('null.rcpt.example'), { replyClass: 'invalid_domain', enhanced: '5.1.10' })
  t.match(await router([nsd.dns]).route('nx.rcpt.example'), { replyClass: 'invalid_domain', enhanced: '5.1.2' })
  t.match(await router([nsd.dns]).route('bare.rcpt.example'), { replyClass: 'routing', enhanced: '5.4.4' })
  for (const [what, rcode] of [
    ['SERVFAIL', 2],
    ['REFUSED', 5],
  ] as const) {
    t.match(await router([await failingDns(t, rcode)]).route('many.rcpt.example'), { replyClass: 'dns' }, what)
  }
  const silent = await failingDns(t, undefined)
  t.match(await router([silent]).route('many.rcpt.example'), { replyClass: 'dns' }, 'no answer at all')
})

/** A name server that answers everything with an error, or nothing. */
async function failingDns(t: Scope, rcode: number | undefined): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    if (rcode === undefined) return
    const answer = Buffer.from(query)
    answer.writeUInt16BE(0x8180 | rcode, 2)
    socket.send(answer, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(async () => void socket.close())
  return `127.0.0.1:${socket.address().port}`
}

const policyText = (id: string) =>
  `version: STSv1\r\nmode: enforce\r\nmx: mx1.many.rcpt.example\r\nmx: *.${id}.example\r\nmax_age: 86400\r\n`

t.test('a policy of MTA-STS is read as RFC 8461 has it, and kept by its id', async (t) => {
  t.match(readPolicy(policyText('a')), {
    policy: { mode: 'enforce', mx: ['mx1.many.rcpt.example', '*.a.example'] },
    maxAgeMs: 86_400_000,
  })
  for (const bad of [
    '',
    'version: STSv2\nmode: enforce\nmx: a.b\nmax_age: 1',
    'version: STSv1\nmode: enforce\nmax_age: 1',
    'version: STSv1\nmode: odd\nmx: a.b\nmax_age: 1',
    'version: STSv1\nmode: none',
  ])
    t.equal(readPolicy(bad), null, JSON.stringify(bad))
  const policy: Policy = { mode: 'enforce', mx: ['mx.a.example', '*.b.example'] }
  t.same(
    ['mx.a.example', 'x.mx.a.example', 'mx.b.example', 'x.mx.b.example', 'b.example'].map((host) =>
      matches(policy, host),
    ),
    [true, false, true, false, false],
    'the star is one label',
  )
  const fetched: string[] = []
  let records = [['v=STSv1; ', 'id=1;']]
  const outbound = {
    async request(url: string) {
      fetched.push(url)
      return { status: 200, headers: {}, body: Buffer.from(policyText('a')), cut: false, hops: [] }
    },
    close: async () => {},
  }
  const policies = () => new StsPolicies({ resolveTxt: async () => records } as never, outbound)
  const kept = policies()
  t.match(await kept.find('sts.example'), { mode: 'enforce' })
  await kept.find('sts.example')
  t.same(fetched, ['https://mta-sts.sts.example/.well-known/mta-sts.txt'], 'once')
  records = []
  t.equal(await policies().find('sts.example'), null, 'no record, no policy')
})

t.test(
  'an enforced policy lets mail go to its hosts alone, and only over TLS with their own certificate',
  async (t) => {
    const enforce = (mx: string[]) => router([nsd.dns], async () => ({ mode: 'enforce', mx }))
    t.match(await enforce(['mx9.example']).route('sts.rcpt.example'), { replyClass: 'mta_sts' }, 'no host of it')
    t.match(await enforce(['mx1.many.rcpt.example']).route('sts.rcpt.example'), { tls: 'verified' })

    const port = await freePort()
    const sink = await startSink(t, '127.0.0.90', port)
    const clear = await startSink(t, '127.0.0.91', port, { hideSTARTTLS: true })
    const sessions = new Sessions()
    t.teardown(async () => sessions.close())
    const open = async (address: string, tls: 'verified' | 'opportunistic') => {
      const host = { name: 'mx.example', addresses: async () => [address] }
      const route = { mxSet: address, hosts: [host], port, preset: { perConnection: 1 } } as unknown as Route
      const { session } = await sessions.open(
        route,
        { localAddress: '', name: 'a.example', tls },
        new AbortController().signal,
      )
      const found = session.tls
      session.close()
      return found
    }
    await t.rejects(
      open('127.0.0.90', 'verified'),
      { name: 'UnreachableError', lacksTls: true },
      'a certificate of nobody known',
    )
    await t.rejects(open('127.0.0.91', 'verified'), { name: 'UnreachableError', lacksTls: true }, 'no TLS at all')
    t.match(await open('127.0.0.90', 'opportunistic'), { verified: false }, 'good enough without a policy')
    t.equal(await open('127.0.0.91', 'opportunistic'), null)
    t.equal(sink.mails.length + clear.mails.length, 0)
  },
)
