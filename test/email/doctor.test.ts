import t from 'tap'
import { commandLine } from '../support/millrace.ts'
import { startNsd } from '../support/nsd.ts'

t.setTimeout(240_000)
const { run } = commandLine('postgres://127.0.0.1:1/none')
const nsd = await startNsd(t, {
  'platform.example': `mail IN A 198.51.100.9
mta1 IN A 198.51.100.10
mta2 IN A 198.51.100.99
mta6 IN AAAA 2001:db8::10`,
  '100.51.198.in-addr.arpa': `10 IN PTR mta1.platform.example.
20 IN PTR somebody.elsewhere.example.`,
  '8.b.d.0.1.0.0.2.ip6.arpa': `0.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0 IN PTR mta6.platform.example.`,
  'list.example': `20.100.51.198 IN A 127.0.0.2
10.100.51.198 IN A 127.255.255.254`,
})

/** What doctor says of mail. */
async function doctor(environment: Record<string, string>): Promise<{ ok: boolean; found: string; todo?: string }[]> {
  const { out } = await run('doctor --json', {
    DNS_RESOLVERS: nsd.dns,
    MAIL_HOSTNAME: 'mail.platform.example',
    MAIL_DNSBL: 'list.example',
    MAIL_INBOUND_PORT: '25',
    ...environment,
  })
  return JSON.parse(out).filter(({ check }: { check: string }) => check === 'mail')
}

t.test('an address whose PTR, name and greeting agree is well', async (t) => {
  const findings = await doctor({
    MAIL_TRANSACTIONAL_ADDRESSES: '198.51.100.10=mta1.platform.example,2001:db8::10=mta6.platform.example',
  })
  t.same(
    findings.filter(({ ok }) => !ok),
    [],
  )
  t.match(
    findings.map(({ found }) => found),
    [
      /^mail\.platform\.example is 198\.51\.100\.9; .*port 25 .*not checked$/,
      /^198\.51\.100\.10 \(transactional\) has the PTR record mta1/,
      /greets as mta1\.platform\.example, which resolves to that IP address$/,
      /not listed at list\.example, which rejects queries/,
      /^2001:db8::10 \(transactional\) has the PTR record mta6/,
      /greets as mta6/,
      /not listed at list\.example$/,
    ],
  )
})

t.test('each fault is named with what to do about it', async (t) => {
  const findings = await doctor({
    MAIL_HOSTNAME: 'nowhere.platform.example',
    MAIL_POSTMASTER: 'ops@nowhere.platform.example',
    MAIL_CAMPAIGN_ADDRESSES: '198.51.100.20=mta2.platform.example,198.51.100.30=none.platform.example',
  })
  t.match(
    findings.map(({ ok, found, todo }) => ({ ok, found, todo })),
    [
      { ok: false, found: /nowhere\.platform\.example has no IP address/, todo: /A or AAAA/ },
      { ok: false, found: /MAIL_POSTMASTER is at nowhere\.platform\.example/, todo: /different host/ },
      {
        ok: false,
        found: /198\.51\.100\.20 \(campaign\) has the PTR record somebody\.elsewhere\.example, not mta2/,
        todo: /PTR/,
      },
      {
        ok: false,
        found: /greets as mta2\.platform\.example, which resolves to 198\.51\.100\.99/,
        todo: /with 198\.51\.100\.20/,
      },
      { ok: false, found: /is listed at list\.example \(127\.0\.0\.2\)/, todo: /removal/ },
      { ok: false, found: /198\.51\.100\.30 \(campaign\) has no PTR record/ },
      { ok: false, found: /which has no IP address/ },
      { ok: true, found: /not listed/ },
    ],
  )
})

t.test(
  'a name server that does not answer is a fault of its own; without addresses there is nothing to look at',
  async (t) => {
    const away = await doctor({
      DNS_RESOLVERS: '127.0.0.1:1',
      MAIL_TRANSACTIONAL_ADDRESSES: '198.51.100.10=mta1.platform.example',
    })
    t.match(away, [{ ok: false }, { ok: false, todo: /DNS_RESOLVERS/ }])
    t.match(await doctor({ MAIL_HOSTNAME: 'localhost' }), [{ ok: true, found: /no email leaves this host/ }])
  },
)
