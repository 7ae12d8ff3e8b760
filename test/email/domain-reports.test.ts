import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import { ask, testOrg } from '../support/ingress.ts'
import { inboundStack } from './inbound-fixture.ts'
import { dmarcXml, gz, reportMail, tlsJson, zip } from './report-fixture.ts'
import { send } from './smtp-client.ts'

t.setTimeout(120_000)
const stack = await inboundStack(t)
const { db, port, url } = stack
const { org, keys } = await testOrg(db, ['email:manage'])
await db.query(
  sql.typeAlias('void')`${domains.table.insert({
    id: newId(),
    org_id: org.id,
    domain: 'reported.example',
    return_path: 'bounce.reported.example',
    status: 'verified',
    verified_by: 'operator',
    verified_at: new Date(),
  })}`,
)
const get = async (path: string) => await ask(url, `GET /send/v1/domains/reported.example${path}`, { key: keys.main })
const address = (await get('')).body.reports.address as string
const deliver = (content: Buffer, type?: string, to = address) =>
  send(t, port, 'dmarc@mailbox.example', to, reportMail(content, type))
const dmarc = (facts: Parameters<typeof dmarcXml>[0] = {}) => dmarcXml({ domain: 'reported.example', ...facts })

t.test('a domain names the address and the records that request reports', async (t) => {
  const { reports } = (await get('')).body
  t.match(reports.address, /^reports\+[0-9a-f]{32}@localhost$/)
  t.match(reports.records, [
    { name: '_dmarc.reported.example', value: `v=DMARC1; p=none; rua=mailto:${address}` },
    { name: '_smtp._tls.reported.example', value: `v=TLSRPTv1; rua=mailto:${address}` },
  ])
})

t.test('a DMARC report is counted by day, source and alignment, once', async (t) => {
  const rows = [
    { ip: '192.0.2.10', count: 90 },
    { ip: '192.0.2.10', count: 10, spf: 'fail' as const },
    { ip: '2001:db8::5', count: 7, spf: 'fail' as const, dkim: 'fail' as const, disposition: 'reject' },
  ]
  const report = gz(dmarc({ rows }))
  t.match(await deliver(report), /^250 /)
  t.match(await deliver(report), /^250 /, 'a repeated report is accepted')
  t.match(await deliver(await zip(dmarc({ id: 'report-2', reporter: 'other.example' })), 'application/zip'), /^250 /)
  t.match(await deliver(Buffer.from(dmarc({ id: 'report-3', reporter: 'plain.example' })), 'text/xml'), /^250 /)
  const overview = (await get('/dmarc')).body
  t.match(overview, {
    totals: { messages: 117, aligned: 110, dkim_aligned: 110, spf_aligned: 100, quarantined: 0, rejected: 7 },
    sources: [
      { source_ip: '192.0.2.10', messages: 110, aligned: 110, reporters: 3, is_millrace: false },
      { source_ip: '2001:db8::5', messages: 7, aligned: 0, rejected: 7 },
    ],
    reporters: [{ reporter: 'mailbox.example', reports: 1, messages: 107 }, {}, {}],
  })
  t.equal(overview.days.length, 30)
  t.equal(overview.days.at(-2).messages, 117)
  t.match((await get('/dmarc/reports')).body.data, [
    { reporter: 'plain.example', report_id: 'report-3' },
    {},
    { reporter: 'mailbox.example', messages: 107, aligned: 100, sources: 2, policy: 'none', percent: 100 },
  ])
  t.match((await get('/dmarc/records?dkim_aligned=false')).body.data, [
    { source_ip: '2001:db8::5', count: 7, disposition: 'reject', header_from: 'sender.example', dkim_selector: 'm1' },
  ])
})

t.test('a TLS report is stored with its failures, once', async (t) => {
  const report = gz(tlsJson({}, 'reported.example'))
  for (const _ of [1, 2]) t.match(await deliver(report, 'application/tlsrpt+gzip'), /^250 /)
  t.match((await get('/tls-reports')).body.data, [
    {
      reporter: 'Mailbox Example',
      successes: 5326,
      failures: 303,
      policies: [
        { type: 'sts', domain: 'reported.example', details: [{ result_type: 'certificate-expired', count: 100 }] },
      ],
    },
  ])
  t.equal((await get('/tls-reports')).body.data.length, 1)
})
