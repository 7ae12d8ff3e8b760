import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import { emitted } from '#tasks/webhooks/rules/emit.ts'
import { ask, fieldsOf, testOrg } from '../support/ingress.ts'
import { inboundStack } from './inbound-fixture.ts'
import { dmarcXml, gz, type Row, reportMail, tlsJson, zip } from './report-fixture.ts'
import { send } from './smtp-client.ts'

t.setTimeout(240_000)
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
  const numbers: [string, number][] = [
    ['/dmarc/records?source_ip=192.0.2.10', 4],
    ['/dmarc/records?source_ip=192.0.2.11', 0],
    ['/dmarc/records?disposition=reject', 1],
    ['/dmarc/records?spf_aligned=true', 3],
    ['/dmarc/records?spf_aligned=false&dkim_aligned=true', 1],
    ['/dmarc/records?until=2020-01-01', 0],
    [`/dmarc/records?since=${new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)}`, 5],
    ['/dmarc/reports?reporter=plain.example', 1],
    ['/dmarc/reports?reporter=nobody.example', 0],
  ]
  for (const [path, number] of numbers) t.equal((await get(path)).body.data.length, number, path)
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

const count = (table: 'dmarc_reports' | 'dmarc_rows' | 'tls_reports') =>
  db.oneFirst(sql.typeAlias('count')`select count(*) from ${sql.identifier(['email', table])}`)
const counts = async () => [await count('dmarc_reports'), await count('dmarc_rows'), await count('tls_reports')]

t.test('what is no report is rejected with its reason, and stores nothing', async (t) => {
  const before = await counts()
  const xml = (from: string | RegExp, to: string) => gz(dmarc({ id: 'bad' }).replace(from, to))
  const tls = (more: object) => gz(tlsJson({ 'report-id': 'bad', ...more }, 'reported.example'))
  const twice = (text: string) => text.repeat(2)
  const old = Math.floor(Date.now() / 1_000) - 200 * 86_400
  const bomb = gz(Buffer.alloc(64 * 1024 ** 2, 'a'))
  const [one] = JSON.parse(tlsJson()).policies
  const bad: Record<string, Buffer> = {
    'no bytes': Buffer.alloc(0),
    words: Buffer.from('hello'),
    HTML: Buffer.from('<html><body>report</body></html>'),
    'half of a gzip file': gz(dmarc()).subarray(0, 100),
    'a gzip file with a wrong checksum': Buffer.concat([gz(dmarc()).subarray(0, -8), Buffer.alloc(8)]),
    'a bomb of 64 MiB': bomb,
    'a bomb in an archive': await zip(Buffer.alloc(64 * 1024 ** 2, 'a')),
    'a bomb in a gzip file': gz(bomb),
    'half of an archive': (await zip(dmarc())).subarray(0, 200),
    'an archive without files': Buffer.from(`PK\u0005\u0006${'\0'.repeat(18)}`),
    'an entity': xml('<feedback', '<!DOCTYPE feedback [<!ENTITY a "b">]><feedback'),
    'an external entity': xml('<feedback', '<!DOCTYPE f [<!ENTITY a SYSTEM "file:///etc/passwd">]><feedback'),
    'a billion laughs': xml('<feedback', `<!DOCTYPE f [${'<!ENTITY a "&b;&b;">'.repeat(50)}]><feedback`),
    'deep nesting': gz(`${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`),
    'a million elements': gz(`<feedback>${'<a/>'.repeat(1_000_000)}</feedback>`),
    'tags that do not match': xml('</row>', '</rows>'),
    'an end without a beginning': xml('<feedback', '</feedback><feedback'),
    'no end': xml('</feedback>', ''),
    'two documents': gz(twice(dmarc())),
    'an open comment': xml('<record>', '<!-- <record>'),
    'another root': gz(dmarc().replaceAll('feedback', 'report')),
    'no reporter': xml(/<org_name>[^<]*<\/org_name>/, ''),
    'an empty report ID': xml(/<report_id>[^<]*/, '<report_id>'),
    'no time': xml(/<date_range>.*<\/date_range>/s, ''),
    'a time that is no number': xml(/<begin>\d+/, '<begin>yesterday'),
    'a time that ends before it begins': xml(/<end>\d+/, '<end>1'),
    'a report of last year': gz(dmarc({ begin: old })),
    'a report of next year': gz(dmarc({ begin: old + 500 * 86_400 })),
    'another domain': gz(dmarc({ domain: 'other.example' })),
    'a domain that is none': gz(dmarc({ domain: 'a b' })),
    'an IP address that is none': gz(dmarc({ id: 'bad', rows: [{ ip: '300.1.1.1' }] })),
    'an IP address with a zone': gz(dmarc({ id: 'bad', rows: [{ ip: 'fe80::1%eth0' }] })),
    'a negative count': gz(dmarc({ id: 'bad', rows: [{ count: -1 }] })),
    'a count beyond numbers': gz(dmarc({ id: 'bad', rows: [{ count: 1e15 }] })),
    '10,001 records': gz(dmarc({ id: 'bad', rows: Array.from({ length: 10_001 }, () => ({})) })),
    'JSON that is none': gz('{"organization-name": '),
    'JSON of something else': gz('{"a": 1}'),
    'deep JSON': gz(`{"a":${'['.repeat(100_000)}`),
    'no policies': tls({ policies: [] }),
    'policies that are none': tls({ policies: [1] }),
    'a negative number of connections': tls({
      policies: [{ ...one, summary: { 'total-successful-session-count': -1, 'total-failure-session-count': 0 } }],
    }),
    'a TLS report of another domain': gz(tlsJson({}, 'other.example')),
    'a TLS report without a time': tls({ 'date-range': {} }),
    'a TLS report with a time that is none': tls({ 'date-range': { 'start-datetime': 'x', 'end-datetime': 'y' } }),
  }
  for (const [name, content] of Object.entries(bad)) {
    const reply = await deliver(content)
    t.match(reply, /^5(?:54|52) /, `${name}: ${reply}`)
  }
  t.match(await send(t, port, 'a@mailbox.example', address, 'Subject: no report\n\nHello\n'), /^554 /)
  t.same(await counts(), before)
})

t.test('nobody reaches the reports of another domain, or of one that is gone', async (t) => {
  const wrong = ['reports+x', 'reports+', `reports+${'0'.repeat(32)}`, `reports+${'g'.repeat(32)}`, 'reports']
  for (const local of wrong) t.match(await deliver(gz(dmarc()), undefined, `${local}@localhost`), /^550 /, local)
  t.match(await deliver(gz(dmarc()), undefined, address.replace('localhost', 'elsewhere.example')), /^550 /)
  const stranger = await testOrg(db, ['email:manage'])
  for (const path of ['/dmarc', '/dmarc/reports', '/dmarc/records', '/tls-reports']) {
    const reply = await ask(url, `GET /send/v1/domains/reported.example${path}`, { key: stranger.keys.main })
    t.equal(reply.status, 404, path)
  }
})

t.test('a report about subdomains, with odd but valid XML, is read', async (t) => {
  const odd = dmarc({ id: 'odd', reporter: 'A &amp; B', domain: 'REPORTED.example.' })
    .replace('<?xml', '\ufeff<?xml')
    .replaceAll(/<(\/?)(record|row)>/g, '<$1d:$2 a="x > y">')
    .replaceAll('</d:record a="x > y">', '</d:record>')
    .replaceAll('</d:row a="x > y">', '</d:row>')
    .replace('<version>', '<!-- a comment with <tags> --><version>')
    .replace('<count>5</count>', '<count><![CDATA[5]]></count>')
  t.match(await deliver(gz(odd)), /^250 /)
  const [report] = (await get('/dmarc/reports?reporter=A%20%26%20B')).body.data
  t.match(report, { reporter: 'A & B', report_id: 'odd', messages: 5, policy_domain: 'reported.example' })
  t.match((await get(`/dmarc/records?report_id=${report.id}`)).body.data, [{ count: 5 }])
})

t.test('a known source that fails sends an event, once a day', async (t) => {
  const events: { type: string; data: unknown }[] = []
  const listen = (message: unknown) => events.push(...(message as typeof events))
  emitted.subscribe(listen)
  t.teardown(() => emitted.unsubscribe(listen))
  const failing = (ip: string, count: number) => ({ ip, count, dkim: 'fail' as const, spf: 'fail' as const })
  const report = (id: string, rows: Row[]) => deliver(gz(dmarc({ id, rows })))
  await report('fails-1', [failing('203.0.113.9', 500)])
  t.same(events, [], 'a source that was never aligned is not one of theirs')
  await report('fails-2', [{ ip: '192.0.2.10', count: 1_000 }, failing('192.0.2.10', 9)])
  t.same(events, [], 'a small share fails with forwarded messages')
  await report('fails-3', [{ ip: '192.0.2.10', count: 60 }, failing('192.0.2.10', 40)])
  t.match(events, [
    {
      type: 'email.domain.dmarc_failing',
      data: {
        domain: 'reported.example',
        reporter: 'mailbox.example',
        sources: [{ source_ip: '192.0.2.10', messages: 100, unaligned: 40 }],
      },
    },
  ])
  await report('fails-4', [failing('192.0.2.10', 400)])
  t.equal(events.length, 1, 'no second event on this day')
})

t.test('a domain receives up to 1,000 reports a day', async (t) => {
  await db.query(sql.typeAlias('void')`
    insert into email.tls_reports (id, org_id, domain_id, reporter, report_id, sender, begins_at, ends_at, successes, failures, policies)
    select gen_random_uuid(), d.org_id, d.id, 'flood', n::text, '', now(), now(), 0, 0, '[]'
    from email.domains as d, generate_series(1, 1000) as n where d.domain = 'reported.example'`)
  t.match(await deliver(gz(dmarc({ id: 'late' }))), /^452 /)
  await db.query(sql.typeAlias('void')`delete from email.tls_reports where reporter = 'flood'`)
  t.match(await deliver(gz(dmarc({ id: 'late' }))), /^250 /)
})

t.test('a domain receives reports until they have 100,000 rows in a day', async (t) => {
  const report = newId()
  await db.query(sql.typeAlias('void')`
    insert into email.dmarc_reports (id, org_id, domain_id, reporter, report_id, sender, begins_at, ends_at,
      policy_domain, messages, aligned, sources)
    select ${report}, d.org_id, d.id, 'rows', '1', '', now(), now(), d.domain, 0, 0, 1
    from email.domains as d where d.domain = 'reported.example'`)
  const fill = (count: number) =>
    db.query(sql.typeAlias('void')`
      insert into email.dmarc_rows (id, org_id, domain_id, report_id, day, source_ip, count, disposition, dkim_aligned,
        spf_aligned)
      select gen_random_uuid(), p.org_id, p.domain_id, p.id, now(), '192.0.2.1', 1, 'none', true, true
      from email.dmarc_reports as p, generate_series(1, ${count}::integer) where p.id = ${report}`)
  await fill(99_000)
  t.match(await deliver(gz(dmarc({ id: 'before-full' }))), /^250 /)
  await fill(1_000)
  t.match(await deliver(gz(dmarc({ id: 'full' }))), /^452 /)
  await db.query(sql.typeAlias('void')`delete from email.dmarc_reports where id = ${report}`)
  t.match(await deliver(gz(dmarc({ id: 'full' }))), /^250 /)
})

t.test('queries name what is wrong with them', async (t) => {
  const bad: [string, string][] = [
    ['/dmarc?since=x', 'query.since'],
    ['/dmarc?since=2026-02-30', 'query.since'],
    ['/dmarc?until=tomorrow', 'query.until'],
    ['/dmarc?since=2026-02-01&until=2026-01-01', 'query.since'],
    ['/dmarc?since=2020-01-01&until=2026-01-01', 'query.since'],
    ['/dmarc?days=3', 'query.days'],
    ['/dmarc/records?source_ip=x', 'query.source_ip'],
    ['/dmarc/records?dkim_aligned=yes', 'query.dkim_aligned'],
    ['/dmarc/records?disposition=maybe', 'query.disposition'],
    ['/dmarc/records?report_id=1', 'query.report_id'],
    ['/dmarc/records?since=0000-01-01', 'query.since'],
    ['/dmarc/reports?limit=0', 'query.limit'],
    ['/dmarc/reports?cursor=x', 'query.cursor'],
    ['/tls-reports?limit=101', 'query.limit'],
    ['/tls-reports?source=x', 'query.source'],
  ]
  for (const [path, field] of bad) {
    const reply = await get(path)
    t.equal(reply.status, 400, path)
    t.ok(fieldsOf(reply).includes(field), `${path} names ${field}: ${fieldsOf(reply)}`)
  }
  t.match((await get('/dmarc?since=2025-01-01&until=2025-12-31')).body, { totals: { messages: 0 }, sources: [] })
})

t.test('reports end with their domain', async (t) => {
  t.equal((await ask(url, 'DELETE /send/v1/domains/reported.example', { key: keys.main })).status, 200)
  t.same(await counts(), [0, 0, 0])
  t.match(await deliver(gz(dmarc())), /^550 /)
})
