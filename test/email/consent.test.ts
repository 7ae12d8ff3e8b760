import { Resolver } from 'node:dns/promises'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { simpleParser } from 'mailparser'
import t from 'tap'
import { createDns } from '#lib/network/dns.ts'
import { createZoneDns } from '#tasks/email/rules/domains/zone-dns.ts'
import { lookups } from '../../ingress/email/services.ts'
import { provide } from '../../ingress/http/container.ts'
import { testOrg } from '../support/ingress.ts'
import { startSink } from '../support/mail-sink.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.test('from a domain’s records to a contact’s consent and its end, by mail that verifies', async (t) => {
  const [stack, port] = await Promise.all([videoStack(t, { areas: ['email'] }), freePort()])
  const sink = await startSink(t, '127.0.0.21', port)
  const nsd = await startNsd(t, { 'shop.example': '', 'reader.example': '@ IN MX 10 mx\nmx IN A 127.0.0.21' })
  const resolver = createDns([nsd.dns])
  const zone = () => createZoneDns({ recursive: resolver, port: nsd.port, allowed: ['127.0.0.0/8'] })
  const ingress = await stack.another(stack.db, { services: [provide(lookups, { zone, resolver })] })
  const scopes = ['email:manage', 'email:send']
  const { keys } = await testOrg(stack.db, [], { keys: { main: { prefix: 'snd_live_', scopes } } })
  const ask = (request: string, body?: unknown) =>
    ingress.ask(request, { key: keys.main, ...(body !== undefined && { body }) })

  const { body: domain } = await ask('POST /send/v1/domains', { domain: 'shop.example' })
  const published = domain.records.map(({ name, type, value, priority }: Record<string, string>) =>
    type === 'MX'
      ? `${name}. MX ${priority} ${value}.`
      : `${name}. TXT ${value
          ?.match(/.{1,255}/g)
          ?.map((part) => `"${part}"`)
          .join(' ')}`,
  )
  await nsd.serve({ 'shop.example': published.join('\n') })
  t.match(await ask('POST /send/v1/domains/shop.example/verify'), { body: { status: 'verified' } })
  await stack.startWorkers(
    {
      DNS_RESOLVERS: nsd.dns,
      MAIL_MX_PORT: String(port),
      MAIL_MX_ALLOWED: '127.0.0.0/8',
      PUBLIC_URL: ingress.url,
    },
    'mail-campaign',
  )
  const signed = new Resolver()
  signed.setServers([nsd.dns])
  let seen = 0
  /** The next mail that arrives; both its signatures are worth something. */
  const arrived = async () => {
    const { raw } = await until(() => sink.mails[seen], { what: 'a mail arrives' })
    seen++
    const { results } = await dkimVerify(raw, {
      resolver: (name: string) => signed.resolveTxt(name),
    })
    const verdicts = results.map(({ status, signingDomain }) => `${status.result} ${signingDomain}`)
    t.same(verdicts, ['pass shop.example', 'pass shop.example'])
    return await simpleParser(raw)
  }

  await ask('POST /send/v1/contacts/import', { contacts: [{ email: 'ann@reader.example' }] })
  const news = {
    stream: 'subscribed',
    from: { email: 'news@shop.example' },
    to: 'ann@reader.example',
    subject: 'News',
    text: 'x',
  }
  t.match(await ask('POST /send/v1/messages', news), { status: 403 })
  t.match(await ask('POST /send/v1/contacts/reconfirm', { from_name: 'Shop' }), { status: 202, body: { contacts: 1 } })
  const asking = await arrived()
  t.match(asking.from?.text, '"Shop" <hello@shop.example>')
  const [link = ''] = /http:\S+\/send\/v1\/confirm\/[\w.-]+/.exec(asking.text ?? '') ?? []
  t.match((await fetch(link, { method: 'POST' })).status, 200)

  t.match(await ask('POST /send/v1/messages', news), { status: 202, body: { status: 'queued' } })
  const mail = await arrived()
  t.equal(mail.subject, 'News')
  const header = String(mail.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line)
  const [page = ''] = /https?:[^>]+/.exec(header.replaceAll(/\s/g, '')) ?? []
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  t.equal((await fetch(page, { method: 'POST', body })).status, 200)
  t.match(await ask('POST /send/v1/messages', news), { status: 403, body: { error: { code: 'contact_unsubscribed' } } })
  const { history } = (await ask('GET /send/v1/contacts/ann@reader.example')).body
  t.same(
    history.map(({ kind }: { kind: string }) => kind),
    ['imported', 'asked', 'confirmed', 'unsubscribed'],
  )
})
