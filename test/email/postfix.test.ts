import { Resolver } from 'node:dns/promises'
import { authenticate } from 'mailauth'
import t from 'tap'
import { createDns } from '#lib/network/dns.ts'
import { createZoneDns } from '#tasks/email/rules/domains/zone-dns.ts'
import { listenInbound } from '../../ingress/email/inbound/listener.ts'
import { lookups } from '../../ingress/email/services.ts'
import { provide } from '../../ingress/http/container.ts'
import { type Reply, testOrg } from '../support/ingress.ts'
import { startNsd } from '../support/nsd.ts'
import { type ReceivedMail, withoutPostfix as skip, startPostfix } from '../support/postfix.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await videoStack(t, { areas: ['email'] })
const { db } = stack
const nsd = await startNsd(t, {
  'sender.example': '',
  // The host that this installation's customers include, by default.
  'spf.localhost': '@ IN TXT "v=spf1 ip4:127.0.0.10 ip4:127.0.0.20 -all"',
  'rcpt.example': '@ IN MX 10 mx\nmx IN A 127.0.0.1',
  'closed.example': '@ IN MX 0 .',
})
const resolver = createDns([nsd.dns])
const zone = () => createZoneDns({ recursive: resolver, port: nsd.port, allowed: ['127.0.0.0/8'] })
const ingress = await stack.another(db, { services: [provide(lookups, { zone, resolver })] })
const inbound = await listenInbound(ingress.app, '127.0.0.1', 0)
t.teardown(() => inbound.close(0))
const postfix = skip
  ? { port: 1, mailbox: async () => [] }
  : await startPostfix(t, {
      domain: 'rcpt.example',
      mailboxes: ['ann', 'ben'],
      bouncing: ['gone'],
      replies: { grey: '450 4.2.0 Greylisted, come again', slow: '451 4.7.1 Rate limited' },
      routes: { 'bounce.sender.example': `127.0.0.1:${inbound.port}` },
      dns: nsd.dns,
    })
const { keys } = await testOrg(db, ['email:send', 'email:manage'])
const ask = (request: string, body?: unknown) =>
  ingress.ask(request, { key: keys.main, ...(body !== undefined && { body }) })

await stack.startWorkers(
  {
    DNS_RESOLVERS: nsd.dns,
    MAIL_HOSTNAME: 'mx.platform.example',
    MAIL_MX_PORT: String(postfix.port),
    MAIL_MX_ALLOWED: '127.0.0.0/8',
    MAIL_TRANSACTIONAL_ADDRESSES: '127.0.0.10=out1.platform.example',
    MAIL_CAMPAIGN_ADDRESSES: '127.0.0.20=out2.platform.example',
    PUBLIC_URL: 'https://api.platform.example',
  },
  'core,mail-transactional,mail-campaign',
)

/** Publishes what the answer asks for; returns the domain as it is then. */
async function publish(domain: Reply['body']): Promise<Reply['body']> {
  const line = ({ name, type, value, priority }: Record<string, string>) =>
    type === 'MX'
      ? `${name}. IN MX ${priority} ${value}.`
      : `${name}. IN TXT ${(String(value).match(/.{1,200}/g) ?? []).map((part) => `"${part}"`).join(' ')}`
  await nsd.serve({ [domain.domain]: domain.records.map(line).join('\n') })
  return (await ask(`POST /send/v1/domains/${domain.domain}/verify`)).body
}

const send = async (to: string, more: object = {}) => {
  const message = {
    stream: 'transactional',
    from: { email: 'shop@sender.example', name: 'The shop' },
    subject: 'Ünder way',
    text: 'Hello',
    html: '<p>Hello <b>you</b>',
  }
  const reply = await ask('POST /send/v1/messages', { ...message, to, ...more })
  if (reply.status !== 202) throw new Error(reply.text)
  return reply.body.id as string
}
const settled = async (id: string, status: string) =>
  await until(
    async () => {
      const { body } = await ask(`GET /send/v1/messages/${id}`)
      return body.status === status && body
    },
    { timeout: 30_000, what: `message ${id} is ${status}` },
  )
const arrived = async (mailbox: string) =>
  await until(async () => (await postfix.mailbox(mailbox)).at(-1), { what: `mail for ${mailbox} arrives` })

/** Judges a message as its receiver would, by the zones of the test. */
async function judge({ source, parsed }: ReceivedMail) {
  const received = String(parsed.headers.get('received'))
  const [, helo, ip] = /from (\S+) \(\S+ \[([\d.]+)\]\)/.exec(received) ?? []
  const dns = new Resolver()
  dns.setServers([nsd.dns])
  const sender = String((parsed.headers.get('return-path') as { text?: string })?.text ?? '').replace(/[<>]/g, '')
  const judged = await authenticate(source, {
    ip: ip ?? '',
    helo: helo ?? '',
    sender,
    mta: 'mx.rcpt.example',
    resolver: async (name: string, type: string) => (await dns.resolve(name, type)) as never,
  })
  return { judged, helo, ip, sender }
}

t.test('a domain is verified by what its owner was told to publish', async (t) => {
  const added = await ask('POST /send/v1/domains', { domain: 'sender.example' })
  t.equal(added.status, 201)
  t.match(await publish(added.body), { status: 'verified', spf_verified: true, dkim_verified: true })
})

t.test('OpenDKIM verifies both signatures; SPF and DMARC pass, aligned', { skip }, async (t) => {
  const { body } = await ask(`GET /send/v1/messages/${await send('ann@rcpt.example')}`)
  const message = await settled(body.id, 'delivered')
  t.match(message.route, [{ number: 1, outcome: 'delivered', local_address: '127.0.0.10', mx_host: 'mx.rcpt.example' }])
  const mail = await arrived('ann')
  const results = String(mail.parsed.headers.get('authentication-results'))
  t.match(results, /dkim=pass \(2048-bit key; unprotected\)[^;]*header\.a=rsa-sha256/)
  t.match(results, /dkim=pass [^;]*header\.a=ed25519-sha256/)
  const { judged, helo, ip, sender } = await judge(mail)
  t.match({ helo, ip }, { helo: 'out1.platform.example', ip: '127.0.0.10' })
  t.match(sender, /^b\+[a-z2-7.]+@bounce\.sender\.example$/)
  t.match(
    judged.dkim.results.map(({ status }) => status.result),
    ['pass', 'pass'],
  )
  t.match(judged.spf, { status: { result: 'pass' } })
  t.match(judged.dmarc, { status: { result: 'pass' } })
  t.equal(mail.parsed.subject, 'Ünder way')
})

t.test('marketing leaves from the other address, with one-click unsubscription that is signed', { skip }, async (t) => {
  t.equal((await ask('POST /send/v1/contacts', { email: 'ben@rcpt.example', consent_source: 'api' })).status, 201)
  await settled(await send('ben@rcpt.example', { stream: 'subscribed' }), 'delivered')
  const mail = await arrived('ben')
  const { judged, helo, ip } = await judge(mail)
  t.match({ helo, ip }, { helo: 'out2.platform.example', ip: '127.0.0.20' })
  for (const { status, signingHeaders } of judged.dkim.results) {
    t.equal(status.result, 'pass')
    t.match(String(signingHeaders?.keys).toLowerCase(), /list-unsubscribe-post/)
  }
  const list = mail.parsed.headerLines.filter(({ key }) => key.startsWith('list-unsubscribe')).map(({ line }) => line)
  t.match(list.join('\n'), /<https:\/\/api\.platform\.example\/send\/v1\/unsubscribe\/[^>]+>,\s+<mailto:u\+/)
  t.match(list.join('\n'), /List-Unsubscribe-Post: List-Unsubscribe=One-Click/)
})

t.test('who is not there bounces, who has no mail server too, and neither is written to again', { skip }, async (t) => {
  const [unknown, closed] = [await send('nobody@rcpt.example'), await send('ann@closed.example')]
  t.match(await settled(unknown, 'bounced'), { reply_class: 'invalid_recipient', reason: /5\.1\.1/ })
  t.match(await settled(closed, 'bounced'), { reply_class: 'invalid_domain' })
  t.equal((await ask(`GET /send/v1/messages/${await send('nobody@rcpt.example')}`)).body.status, 'suppressed')
})

t.test('what is bounced after it was taken is bounced here, by the report of the other server', { skip }, async (t) => {
  const id = await send('gone@rcpt.example')
  const { status, reply_class, delivered_at, bounced_at } = await settled(id, 'bounced')
  t.match({ status, reply_class }, { status: 'bounced', reply_class: 'invalid_recipient' })
  t.ok(delivered_at && bounced_at, 'it was delivered first')
})

// Last: the MX set is spared for a while after it has said that the rate is too high.
t.test('a greylisted message and a rate-limited one wait, with what was said in their routes', { skip }, async (t) => {
  const [grey, slow] = [await send('grey@rcpt.example'), await send('slow@rcpt.example')]
  t.match(await settled(grey, 'deferred'), { route: [{ outcome: 'deferred', reply_class: 'greylisted' }] })
  const { route } = await settled(slow, 'deferred')
  const answer = route[0].replies.find(({ stage }: { stage: string }) => stage === 'RCPT')
  t.match(answer, { code: 451, enhanced: '4.7.1', text: /Rate limited/ })
})
